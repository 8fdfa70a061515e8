"""Imports run one way: every import of the tree is parsed and held against ARCHITECTURE.md, "Layers".

A rule is a function of one module and one imported name; each is also shown to see a violation, planted in a
tree made for it.
"""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.environments.carried import MODULES
from harness.tests.trees import statements_in

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("reference_impl", "corpora", "properties", "harness", "reports")
ENGINE_LIBRARIES = {
    "pyarrow",
    "pyspark",
    "py4j",
    "duckdb",
    "polars",
    "fastparquet",
    "datafusion",
    "pyorc",
    "pandas",
    "chdb",
    "arro3",
    "daft",
    "carquet",
    "databend",
    "tableauhyperapi",
}
OWN_DEPENDENCIES = {"numpy"}  # of colconf itself: no engine
PIPELINE_LIBRARIES = {"pyspark", "py4j", "pyarrow"}
# What runs in an engine's child uses the standard library and its like; the reference's adapter may use more.
CHILD_MODULES = OWN_IN_CHILD = MODULES
REFERENCE_ADAPTER = ["harness.engines.reference"]
# Imports that are expressions; all others are statements.
CALLS = ("import_module", "__import__")


class Import(NamedTuple):
    """`name` is imported by `module`; `late`: in a function; `typing`: only for type checkers."""

    module: str
    name: str
    late: bool
    typing: bool

    @property
    def top(self):
        """Return the package that is imported."""
        return self.name.partition(".")[0]


@cache
def imports_of_the_tree():
    """Return the imports of the project, parsed once."""
    return tuple(imports_of(ROOT))


def imports_of(root, layers=LAYERS, *, tests=False):
    """Yield every import of the modules below the layers' folders: of the test modules, or of all others."""
    for layer in layers:
        for file in sorted((root / layer).rglob("*.py")):
            parts = file.relative_to(root).with_suffix("").parts
            if ("tests" in parts or parts[-1].startswith("test_")) == tests:
                module = ".".join(parts).removesuffix(".__init__")
                source = file.read_text("utf-8")
                below = ast.iter_child_nodes if any(map(source.__contains__, CALLS)) else statements_in
                yield from _walk(module, ast.parse(source), below, late=False, typing=False)


def _walk(module, node, below, *, late, typing):
    """Yield the imports below a node; `below` returns its children, all or those that are statements."""
    for child in below(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(module, alias.name, late, typing)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"{module}: a relative import"
            for alias in child.names:
                yield Import(module, f"{child.module}.{alias.name}", late, typing)
        elif _is_import_call(child):
            yield Import(module, str(child.args[0].value), late, typing)
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for_types = (
            isinstance(child, ast.If)
            and isinstance(child.test, ast.Name | ast.Attribute)
            and "TYPE_CHECKING" in ast.unparse(child.test)
        )
        yield from _walk(module, child, below, late=late or is_function, typing=typing or for_types)


def _is_import_call(node):
    return (
        isinstance(node, ast.Call)
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
        and getattr(node.func, "attr", getattr(node.func, "id", "")).endswith(CALLS)
    )


def within(name, packages):
    """Return whether a module or a name in it belongs to one of the packages or modules."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def one_way(found):
    """A package imports itself and what stands to its left; corpora at run time nothing of ours."""
    layer = found.module.partition(".")[0]
    if found.top not in LAYERS or found.top == layer:
        return True
    if layer == "corpora":
        return within(found.module, ["corpora.build"]) and found.top == "reference_impl"
    return LAYERS.index(found.top) < LAYERS.index(layer)


def engines_in_children(found):
    """Engine libraries are imported in functions of adapters; the pipeline's two also in the pipeline."""
    if found.top not in ENGINE_LIBRARIES or found.typing:
        return True
    if within(found.module, ["harness.runs.pipeline"]):
        return found.late and found.top in PIPELINE_LIBRARIES
    if within(found.module, ["harness.bench"]):  # a bench times engines; nothing imports it
        return found.late
    return found.late and within(found.module, ["harness.engines"])


def small_children(found):
    """What runs in a child uses the standard library and its engine, and nothing else of ours."""
    if not within(found.module, CHILD_MODULES) or within(found.module, REFERENCE_ADAPTER) or found.typing:
        return True
    if found.top in LAYERS:
        return within(found.name, OWN_IN_CHILD)
    if found.top in sys.stdlib_module_names or found.top == "__future__":
        return True
    return found.late and within(found.module, ["harness.engines"])


def bench_is_last(found):
    """Nothing imports the bench."""
    return not within(found.name, ["harness.bench"]) or within(found.module, ["harness.bench"])


WINGS = ("children", "engines", "environments", "judging", "runs", "investigate", "commands", "testing")


def wing_of(name):
    """Return the rank of a module of harness among the wings, -1 for what all of them may use."""
    parts = name.split(".")
    wing = parts[1] if parts[0] == "harness" and len(parts) > 1 else ""
    return WINGS.index(wing) if wing in WINGS else -1


def wings_run_down(found):
    """No wing of harness imports a higher one.

    They are commands → investigate → runs → judging → environments → engines → children. The bench measures
    all of them, `cli` starts the commands, and `api` has them for scripts; no wing imports it.
    """
    if not within(found.module, ["harness"]) or within(
        found.module, ["harness.bench", "harness.cli", "harness.api"]
    ):
        return True
    if within(found.name, ["harness.api", "harness.cli"]):
        return False
    return wing_of(found.name) <= wing_of(found.module)


def libraries_of_engines(found):
    """Return the libraries that modules of engines import, as far as these imports say so."""
    own = {*LAYERS, *OWN_DEPENDENCIES, *sys.stdlib_module_names}
    return {each.top for each in found if within(each.module, ["harness.engines"]) and each.top not in own}


def test_every_library_of_an_engine_is_held_to_the_rule():
    """What the adapters import is in the set that the rule of engine libraries is about."""
    assert libraries_of_engines(imports_of_the_tree()) <= ENGINE_LIBRARIES


RULES = (wings_run_down, one_way, engines_in_children, small_children, bench_is_last)


@pytest.mark.parametrize("rule", RULES)
def test_the_tree_keeps_the_rule(rule):
    """No import of the project breaks the rule."""
    found = imports_of_the_tree()
    assert len(found) > 300
    broken = [f"{one.module} imports {one.name}" for one in found if not rule(one)]
    assert not broken, f"{rule.__doc__}\n" + "\n".join(broken)


def circles(found):
    """Return the modules that import each other in a circle, also by way of others or for types alone."""
    modules = {each.module for each in found}
    uses = {module: set() for module in modules}
    for each in found:
        target = each.name if each.name in modules else each.name.rpartition(".")[0]
        uses[each.module].update({target} & modules - {each.module})
    while True:  # take away what imports nothing that is left: what stays is in a circle, or above one
        free = {module for module, used in uses.items() if not used & uses.keys()}
        if not free:
            break
        uses = {module: used for module, used in uses.items() if module not in free}
    return sorted(module for module in uses if _reaches(uses, module))


def _reaches(uses, module):
    seen, todo = set(), list(uses[module] & uses.keys())
    while todo:
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            todo += uses[here] & uses.keys()
    return module in seen


def test_no_circles():
    """No module imports itself by way of others."""
    assert circles(imports_of_the_tree()) == []


def test_a_circle_is_seen(tmp_path):
    """A circle is found, and what stands above it is not part of it."""
    (tmp_path / "harness").mkdir()
    for name, other in (("a", "b"), ("b", "c"), ("c", "b")):
        (tmp_path / "harness" / f"{name}.py").write_text(f"from harness import {other}")
    assert circles(list(imports_of(tmp_path))) == ["harness.b", "harness.c"]


# The modules of harness that are in no wing: the two entrances, and what all wings may use.
LOOSE = {"api", "cli", "files", "formats", "problem", "settings", "version"}


def test_modules_are_in_wings():
    """Beside its wings, harness has the modules of ARCHITECTURE.md, "Layers", and no others."""
    names = {file.stem for file in (ROOT / "harness").glob("*.py")} - {"__init__"}
    assert names == LOOSE


def test_modules_are_short():
    """Up to ten modules, tests excepted, have more than 300 lines."""
    modules = {module for layer in LAYERS for module in (ROOT / layer).rglob("*.py")}
    lines = {
        module.relative_to(ROOT).as_posix(): module.read_text("utf-8").count("\n")
        for module in modules
        if "tests" not in module.parts and not module.name.startswith("test_")
    }
    long = sorted(name for name, count in lines.items() if count > 300)
    assert len(long) <= 10, long


# Tests of lower packages that still use the harness.
USES_OF_THE_HARNESS = {"reference_impl.tests.test_orc_writer", "properties.tests.test_futures"}


def test_tests_below_the_harness_do_without_it():
    """Tests of reference_impl, corpora and properties import neither harness nor reports."""
    uses = [
        f"{test.module} imports {test.name}"
        for test in imports_of(ROOT, LAYERS[:3], tests=True)
        if test.top in LAYERS[3:]
    ]
    assert not [line for line in uses if line.partition(" ")[0] not in USES_OF_THE_HARNESS], "\n".join(uses)


PLANTED = [
    (wings_run_down, "harness/judging/x.py", "from harness.runs import summary", False),
    (wings_run_down, "harness/judging/x.py", "def f():\n    from harness.runs import summary", False),
    (wings_run_down, "harness/commands/x.py", "from harness import api", False),
    (wings_run_down, "harness/files.py", "from harness.children import child", False),
    (wings_run_down, "harness/runs/x.py", "from harness.judging import judge", True),
    (one_way, "reference_impl/x.py", "import corpora.cases", False),
    (one_way, "reference_impl/x.py", "def f():\n    from harness import cli", False),
    (one_way, "reference_impl/x.py", "import importlib\nimportlib.import_module('harness.cli')", False),
    (one_way, "corpora/x.py", "from reference_impl import errors", False),
    (one_way, "corpora/x.py", "try:\n    pass\nexcept OSError:\n    import harness", False),
    (one_way, "corpora/x.py", "if 0:\n    pass\nelse:\n    import harness", False),
    (one_way, "corpora/x.py", "try:\n    pass\nfinally:\n    import harness", False),
    (one_way, "corpora/x.py", "match 0:\n    case _:\n        import harness", False),
    (one_way, "corpora/build/x.py", "from reference_impl import errors", True),
    (one_way, "corpora/build/x.py", "from harness import cli", False),
    (one_way, "properties/x.py", "from harness import cli", False),
    (one_way, "harness/x.py", "from reports import model", False),
    (
        one_way,
        "harness/x.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import reports",
        False,
    ),
    (one_way, "harness/x.py", "from properties import relations", True),
    (one_way, "reports/x.py", "from harness import results", True),
    (one_way, "harness/tests/x.py", "from reports import model", True),
    (engines_in_children, "harness/x.py", "def f():\n    import duckdb", False),
    (engines_in_children, "reports/x.py", "import pyarrow", False),
    (engines_in_children, "harness/engines/x.py", "import polars", False),
    (engines_in_children, "harness/engines/x.py", "def f():\n    import polars", True),
    (engines_in_children, "harness/runs/pipeline/x.py", "def f():\n    import pyspark.sql", True),
    (engines_in_children, "harness/runs/pipeline/x.py", "import pyspark.sql", False),
    (engines_in_children, "harness/runs/pipeline/x.py", "def f():\n    import duckdb", False),
    (small_children, "harness/children/worker.py", "import numpy", False),
    (small_children, "harness/children/worker.py", "import psutil", False),
    (small_children, "harness/children/protocol.py", "from corpora.cases import Case", False),
    (small_children, "harness/children/protocol.py", "from corpora.tagged import Table", True),
    (small_children, "harness/engines/x.py", "import numpy", False),
    (small_children, "harness/engines/x.py", "from harness.judging.compare import compare", False),
    (small_children, "harness/engines/reference/adapter.py", "import numpy", True),
    (small_children, "corpora/tagged.py", "import json", True),
    (bench_is_last, "harness/cli.py", "from harness.bench import ratio", False),
    (bench_is_last, "harness/bench/x.py", "from harness.bench import ratio", True),
]


@pytest.mark.parametrize(("rule", "file", "code", "allowed"), PLANTED)
def test_the_rule_sees_a_violation(tmp_path, rule, file, code, allowed):
    """A violation that is planted is found, and what is allowed is not."""
    planted = tmp_path / file
    planted.parent.mkdir(parents=True)
    planted.write_text(code)
    assert all(map(rule, imports_of(tmp_path))) == allowed


def test_children_start_without_what_is_not_theirs():
    """Importing the worker brings no module but the standard library's and what belongs to children."""
    code = (
        "import sys; before = set(sys.modules); import harness.children.worker, harness.engines.base;"
        "print(*sorted({name for name in set(sys.modules) - before}))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    tops = {name for name in said.stdout.split() if name.partition(".")[0] not in sys.stdlib_module_names}
    packages = {"harness", "corpora", "harness.children", "harness.engines"}
    assert {name for name in tops if not within(name, OWN_IN_CHILD) and name not in packages} == set()
