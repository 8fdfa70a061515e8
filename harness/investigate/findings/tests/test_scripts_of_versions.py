"""For each version that is installed in an environment of its own, scripts say what its adapter says.

The adapter is asked in a child, as in a run; the scripts run in the environment's Python, without colconf.
"""

import json
import os
import subprocess
from functools import cache

import pytest

from corpora.cases import load
from corpora.own_cases import CHECKED_IN as CORPORA
from corpora.predicates import leaves
from harness.children.connection import Connection
from harness.children.limits import Limits
from harness.children.outcomes import OutcomeKind
from harness.children.variables import without_python
from harness.engines.errors import Unsupported
from harness.engines.naming import EngineName
from harness.engines.registry import ENGINES
from harness.engines.scripts.request import ScriptRequest
from harness.engines.terms import constants_of
from harness.environments import store
from harness.environments.availability import status_of
from harness.investigate.findings import expected, scripts
from harness.investigate.findings.tests.test_scripts import CASES, configs_of, in_order, queries_of

VERSIONS = sorted(
    {
        (name, environment.version)
        for environment in store.environments()
        for name, entry in ENGINES.items()
        if scripts.has(name) and name != "spark" and store.home(entry).name == environment.name
    }
)
CONSTANTS = {
    "parquet": ("bloom/*/blocks-1", "bloom/decimal-*/*/blocks-1", "statistics/*/wide", "statistics/*/both"),
    "orc": ("bloom/*/original", "statistics/*/count-only"),
}
RUNNER = """
import json, os, sys, warnings

warnings.simplefilter("ignore")
replies = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
with open(sys.argv[1]) as file:
    texts = json.load(file)
for number in range(int(sys.argv[2]), len(texts)):
    space = {"__file__": "/nowhere/repro.py", "__name__": "repro"}
    try:
        exec(compile(texts[number], "repro.py", "exec"), space)
        names, _, lines = space["ask"]()
        reply = [list(names), list(lines)]
    except BaseException as error:
        reply = f"{type(error).__name__}: {error}"
    print(json.dumps(reply), file=replies, flush=True)
"""


@cache
def questions(form):
    """Return cases with queries: of each kind, and filters with each form of test and type of constant."""
    result = {}
    for name in CASES[form]:
        case = load(CORPORA / f"{name}.json")
        for query in queries_of(case.expectation.table):
            result[case.id, str(query)] = case, query
    for pattern in CONSTANTS[form]:
        for file in sorted((CORPORA / form).glob(f"{pattern}.json")):
            case = load(file)
            for query in (probe.query for probe in case.probes):
                tests = leaves(query.predicate) if getattr(query, "predicate", None) else ()
                forms = [
                    (type(test).__name__, [str(type_) for type_, _ in constants_of(test)]) for test in tests
                ]
                result.setdefault((query.kind, str(forms)), (case, query))
    return list(result.values())


def by_scripts(launch, texts, folder):
    """Return what scripts reply in the environment of a version: names and lines, or an error as text."""
    runner, file = folder / "runner.py", folder / "texts.json"
    runner.write_text(RUNNER, "ascii")
    file.write_text(json.dumps(texts), "ascii")
    variables = {**without_python(dict(os.environ)), **dict(launch.variables)}
    replies = []
    while len(replies) < len(texts):
        command = [launch.command[0], "-I", str(runner), str(file), str(len(replies))]
        done = subprocess.run(
            command, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=300
        )
        replies += map(json.loads, done.stdout.splitlines())
        if len(replies) < len(texts):
            assert done.returncode < 0, done.stderr[-2000:]
            replies.append(f"died: {done.returncode}")
    return replies


def rendered(names, lines, query):
    """Return an answer that can be compared: without signs of zeros in aggregates, and sorted."""
    if isinstance(query, expected.SIGNLESS):
        lines = [
            " | ".join("0.0" if cell == "-0.0" else cell for cell in line.split(" | ")) for line in lines
        ]
    return list(names), in_order(list(lines), query)


def outcome_of(connection, case, query, config):
    """Return the outcome of a read or a query."""
    if query is None:
        return connection.read(case.file, case.format, config)
    outcome = connection.query([case.file], case.format, config, query)
    return outcome[0] if isinstance(outcome, list) else outcome


def asked_of(entry, form):
    """Yield a case, a query and a configuration that the engine has the switches of."""
    for case, query in questions(form):
        for config in configs_of(query):
            if all(
                name in entry.switches and value in entry.values(name, [form])
                for name, value in config.items()
            ):
                yield case, query, config


@pytest.mark.heavy
@pytest.mark.sweep(8, each="name")
@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_a_script_of_a_version_says_what_its_adapter_says(name, version, tmp_path, for_each):
    """For each query, the script prints the names and values that the adapter returns, or fails as well."""
    status = status_of(EngineName(name, version))
    if not status.available:
        pytest.skip(status.reason)
    texts, wanted = [], []
    with Connection(status.launch, Limits(seconds=60)) as connection:
        for form in status.entry.formats:
            for case, query, config in asked_of(status.entry, form):
                outcome = outcome_of(connection, case, query, config)
                if outcome.kind is OutcomeKind.UNSUPPORTED:
                    continue
                request = ScriptRequest(form, config, query, version=version)
                try:
                    text = scripts.source(name, request, str(case.file.absolute()))
                except Unsupported:
                    assert outcome.kind is not OutcomeKind.TABLE, f"no script: {case.id} {query} {config}"
                    continue
                if outcome.kind is OutcomeKind.TABLE:
                    table = outcome.table
                    answer = rendered(expected.names(table), expected.lines(table, query), query)
                else:
                    answer = outcome.detail.message
                texts.append(text)
                wanted.append((f"{case.id} {query} {config}", (query, answer)))
    replies = by_scripts(status.launch, texts, tmp_path)

    def check(pair):
        (query, answer), reply = pair
        if isinstance(answer, str):
            assert isinstance(reply, str), f"the adapter fails: {answer[:200]}"
        else:
            assert not isinstance(reply, str), reply[:300]
            assert rendered(*reply, query) == answer

    assert any(not isinstance(answer, str) for _, (_, answer) in wanted)
    for_each([(label, (pair, reply)) for (label, pair), reply in zip(wanted, replies, strict=True)], check)
