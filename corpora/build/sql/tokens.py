"""The tokens of a query in SQL, each with its place in the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from corpora.problem import UserError

END = "end"
_PARTS = {
    "space": r"(?:\s|--[^\n]*|/\*(?s:.*?)\*/)+",
    "bytes": r"[xX]'[0-9a-fA-F]*'",
    "text": r"'(?:[^']|'')*'",
    "quoted": r'"(?:[^"]|"")+"|`(?:[^`]|``)+`',
    "number": r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
    "word": r"[^\W\d]\w*",
    "symbol": r"<>|!=|<=|>=|==|[=<>(),.*;+-]",
}
_TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PARTS.items()))
_UNCLOSED = {
    "'": "a text without its closing '",
    '"': 'a name without its closing "',
    "`": "a name without `",
    "/*": "a comment without its closing */",
}


class SqlError(UserError):
    """A query cannot be read, or does not fit columns; `at` is the place in the text."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


class Token(NamedTuple):
    """A token: its kind, its text as written, and the place where it begins."""

    kind: str
    text: str
    at: int

    @property
    def word(self) -> str:
        """Return a word in upper case, a symbol as it is, and "" for anything else."""
        return self.text.upper() if self.kind in {"word", "symbol"} else ""

    @property
    def value(self) -> str:
        """Return what a text or a name in quotes holds."""
        quote = self.text[0]
        return self.text[1:-1].replace(quote * 2, quote) if self.kind in {"text", "quoted"} else self.text

    def __str__(self) -> str:
        return "the end" if self.kind == END else f"{self.text:.40}"


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text, without spaces and comments, and the end; raises SqlError."""
    out: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            start = "/*" if text.startswith("/*", at) else text[at]
            raise SqlError(_UNCLOSED.get(start, f"{text[at]!r} has no meaning here"), at)
        if match.lastgroup != "space":
            out.append(Token(str(match.lastgroup), match[0], at))
        at = match.end()
    return [*out, Token(END, "", len(text))]


def statements(text: str) -> list[list[Token]]:
    """Return the tokens of each query of a text, which `;` separates, and its end; raises SqlError."""
    parts: list[list[Token]] = [[]]
    for token in tokens(text):
        if token.word == ";" or token.kind == END:
            parts[-1].append(token._replace(kind=END, text=""))
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if len(part) > 1]


def text_of(part: list[Token]) -> str:
    """Return a query as written, but for comments and spaces between its tokens: these are one space."""
    out = ""
    end = part[0].at
    for token in part[:-1]:
        out += " " * (token.at > end) + token.text
        end = token.at + len(token.text)
    return out
