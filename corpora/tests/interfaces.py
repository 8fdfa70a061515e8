"""What parquet.thrift and orc_proto.proto declare, read from their text."""

import re

_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.DOTALL)
_FIELD = {
    "parquet": re.compile(r"(?P<id>\d+)\s*:\s*(?:required|optional)?\s*(?P<type>[\w<>]+)\s+(?P<name>\w+)"),
    "orc": re.compile(r"(?:optional|repeated|required)\s+(?P<type>\w+)\s+(?P<name>\w+)\s*=\s*(?P<id>\d+)"),
}
_SAME = {"byte": "i8"}  # the older name of a type of Thrift
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MEMBER = re.compile(r"(\w+)\s*=\s*(\d+)")
# Where a page of the web shows a copy, lines that are none of the description have these around them.
_BODY = re.compile(r"\b(struct|union|enum|message)\s+(\w+)\s*\{")


def declared(text, form):
    """Return {struct: {field: (id, type)}}, an enum's members have the type "". A text may be cut.

    An enum inside of a message is called after both. Names of fields in camelCase, which orc_proto had,
    become those of today.
    """
    text = _COMMENTS.sub(" ", text)
    found = {}
    for match in _BODY.finditer(text):
        kind, name = match.groups()
        body = _body(text, match.end())
        outer = next(
            (m for m in _BODY.finditer(text, 0, match.start()) if _holds(text, m, match.start())), None
        )
        if outer is not None:
            name = outer[2] + name
        if kind == "enum":
            found[name] = {member: (int(number), "") for member, number in _MEMBER.findall(body)}
        else:
            body = re.sub(r"\benum\s+\w+\s*\{[^}]*\}", " ", body)
            fields = _FIELD[form].finditer(body)
            found[name] = {
                _named(one["name"], form): (int(one["id"]), _SAME.get(one["type"], one["type"]))
                for one in fields
            }
    for name, fields in found.items():  # an enum inside of the message hides others of its name
        for field, (number, kind) in fields.items():
            if name + kind in found and kind:
                fields[field] = (number, name + kind)
    return found


def _named(name, form):
    return _CAMEL.sub("_", name).lower() if form == "orc" else name


def _holds(text, match, place):
    return match.end() + len(_body(text, match.end())) > place


def _body(text, start):
    """Return what stands until the brace that closes the one before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if not depth:
            return text[start:at]
    return text[start:]
