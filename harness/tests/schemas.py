"""The JSON Schemas of everything that colconf writes and prints, and checks of documents against them."""

import json
from functools import cache

import jsonschema
from referencing import Registry, Resource

from harness.tests.pages import PACKAGES, ROOT

# Not every folder below `corpora` and `reference_impl` is walked: the cases are thousands.
FILES = [
    *(path for package in PACKAGES for path in (ROOT / package).glob("schemas/*.json")),
    *(ROOT / "harness").glob("*/**/schemas/*.json"),
]
SCHEMAS = {schema["$id"]: schema for schema in (json.loads(path.read_text("utf-8")) for path in FILES)}
COMMANDS = SCHEMAS["urn:colconf:commands:1"]
_REGISTRY = Registry().with_resources([(id_, Resource.from_contents(each)) for id_, each in SCHEMAS.items()])


@cache
def validator(schema, name=""):
    """Return the validator of a schema such as `history:1`, or of a definition in it."""
    reference = f"urn:colconf:{schema}" + (f"#/$defs/{name}" if name else "")
    return jsonschema.Draft202012Validator({"$ref": reference}, registry=_REGISTRY)


def check(document, schema, name=""):
    """Raise ValidationError unless a document is of a schema, or of a definition in it."""
    validator(schema, name).validate(document)


def printed(command, text):
    """Return the document that a command printed, such as `list cases`, after a check of its schema."""
    document = json.loads(text)
    check(document, "commands:1", command.replace(" ", "-"))
    return document
