"""Names and docstrings are plain English: the words of CONTRIBUTING.md's table are no longer names.

`python harness/tests/test_words.py [PATH…]` lists what is refused; `make lint` runs the test over everything.
"""

import ast
import re
import sys
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import pytest

from harness.tests.trees import nodes_of

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("reference_impl", "corpora", "properties", "harness", "reports")

# Participles and pronouns that say nothing of the thing they name. Instead: the noun of the thing.
NAMES = {
    "told": "what was told: run_info, description, context",
    "said": "what was said: message, reply, description",
    "asked": "request, query, config",
    "one": "the noun: case, row, finding, column, entry",
    "ones": "the noun, in the plural",
    "found": "finding, match, result, candidates",
    "made": "plan, table, file, built",
    "shown": "rendered, visible, text",
    "kept": "folder, stored, remaining",
}
# Modules are called after what they hold.
MODULES = {
    "pieces": "canonical_bytes",
    "arrow_pieces": "canonical_arrow",
    "lanes": "bigint_lanes",
    "anywhere": "generic_faults",
    "beside": "metadata_faults",
    "third": "confirm",
    "once": "rejudge",
    "asking": "requests",
    "showing": "rendering",
    "gather": "collect",
    **NAMES,
}
# The formats' own word: parquet.thrift and orc_proto have no other.
CLASSES = {"Kind": "what it is a kind of: OutcomeKind, StreamKind"}
GLOSSARY = 'The words to use instead: CONTRIBUTING.md, "Glossary" and "Words that are refused as names"'
REFUSED = {*NAMES, *(name.lower() for name in CLASSES)}
DOCSTRING = re.compile(
    r"Answer (?!to )|Answers (the|a|an|what|whether|as)\b|Say (whether|how|which|what|where|if)\b"
)
SCRIPT_TEXT = re.compile(r"""//.*|"[^"]*"|'[^']*'""")
# What is near such a docstring in a module's text, whatever else it may be.
QUOTED = re.compile(r"""["']\s*(Answer|Say)""")


class Refused(NamedTuple):
    """A name or docstring that is refused, and what to write instead."""

    place: str
    name: str
    instead: str

    def __str__(self):
        return f"{self.place}: `{self.name}`: say instead {self.instead}"


def words_of(code):
    """Return all names and texts in the compiled code of a module, its own and others, in lower case."""
    texts = (value for value in code.co_consts if isinstance(value, str))  # what has a type and no value
    words = {
        name.strip("_").lower()
        for name in (*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars, *texts)
    }
    inner = (value for value in code.co_consts if isinstance(value, CodeType))
    return words.union({code.co_name.strip("_").lower()}, *map(words_of, inner))


def names_of(nodes):
    """Yield line and name of everything that a module gives a name to."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.alias) and node.asname:
            yield node.lineno, node.asname


def docstrings_of(nodes):
    """Yield line and text of every docstring."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            text = ast.get_docstring(node)
            if text:
                yield node.body[0].lineno, text


def refused_in(path, *, names=True):
    """Yield what is refused in a module; without `names` no names but its own."""
    where = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    if path.stem in MODULES:
        yield Refused(str(where), path.stem, MODULES[path.stem])
    source = path.read_text("utf-8")
    if not QUOTED.search(source) and not (names and REFUSED & words_of(compile(source, path, "exec"))):
        return  # walking through the nodes takes most of the time
    nodes = nodes_of(ast.parse(source))
    for line, name in names_of(nodes) if names else ():
        plain = name.strip("_").lower()
        if plain in NAMES:
            yield Refused(f"{where}:{line}", name, NAMES[plain])
        elif name.strip("_") in CLASSES:
            yield Refused(f"{where}:{line}", name, CLASSES[name.strip("_")])
    for line, text in docstrings_of(nodes):
        if DOCSTRING.match(text):
            yield Refused(f"{where}:{line}", text.partition("\n")[0], '"Return …", of a generator "Yield …"')


def refused_in_script(path):
    """Yield the refused words that stand in the code of a script of a page, outside of comments and texts."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        for word in re.findall(r"\w+", SCRIPT_TEXT.sub("", line)):
            if word in NAMES:
                yield Refused(f"{path.name}:{number}", word, NAMES[word])


def modules(paths):
    """Yield the modules below some paths, and whether each is a test's."""
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            yield file, "tests" in file.parts or file.name.startswith("test_")


def refused(paths):
    """Return what is refused in all modules below some paths."""
    return [item for file, is_test in modules(paths) for item in refused_in(file, names=not is_test)]


@pytest.mark.parametrize("package", PACKAGES)
def test_names_say_what_they_name(package):
    """No module of the package has a name or docstring that CONTRIBUTING.md's table refuses."""
    items = refused([ROOT / package])
    assert not items, "\n".join((*map(str, items), GLOSSARY))


def test_names_in_scripts_of_pages(tmp_path):
    """The scripts of reports and of the site have no refused name; one that has is refused."""
    scripts = sorted((ROOT / "reports" / "templates").rglob("*.js"))
    items = [item for path in scripts for item in refused_in_script(path)]
    assert scripts
    assert not items, "\n".join((*map(str, items), GLOSSARY))
    bad = tmp_path / "bad.js"
    bad.write_text('const found = (told) => "said"; // asked')
    assert [item.name for item in refused_in_script(bad)] == ["found", "told"]


def test_contributing_lists_the_words():
    """CONTRIBUTING.md's table has each word that is refused."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text.partition("### Words that are refused as names")[2].partition("\n## ")[0]
    assert not [word for word in (*MODULES, *CLASSES) if f"`{word}`" not in table]


@pytest.mark.parametrize(
    ("name", "code", "allowed"),
    [
        ("x", "one = 1", False),
        ("x", "FOUND = 1", False),
        ("x", "class A:\n    made: int", False),
        ("x", "def f(told): pass", False),
        ("x", "class Asked: pass", False),
        ("x", "class Kind: pass", False),
        ("x", "[found for found in ()]", False),
        ("x", "def f():\n    '''Answer it.'''", False),
        ("x", "def f():\n    '''Say whether it is.'''", False),
        ("gather", "", False),
        ("x", "def f(case):\n    '''Return the answer.'''\n    return case.one", True),
    ],
)
def test_the_lint_sees_it(tmp_path, name, code, allowed):
    """A name that is planted is refused, and what is allowed is not."""
    file = tmp_path / f"{name}.py"
    file.write_text(code)
    assert (not list(refused_in(file))) == allowed


if __name__ == "__main__":
    PATHS = [Path(path).resolve() for path in sys.argv[1:]] or [ROOT / package for package in PACKAGES]
    ITEMS = refused(PATHS)
    print(*ITEMS, f"{len(ITEMS)} refused", *([GLOSSARY] if ITEMS else ()), sep="\n")
    sys.exit(bool(ITEMS))
