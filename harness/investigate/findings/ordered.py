"""Findings whose answer depends on what the engine's process had read before: their files, script and replay.

A folder of such a finding has the files of the sequence as `before-N.FORMAT`, `order.json` with the requests
in their order, and `before_N.py`, which asks the engine for one of them; `repro.py` calls these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corpora.cases import Case
from corpora.queries import from_json as query_from_json
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.engines.errors import Unsupported
from harness.engines.scripts.request import ScriptRequest
from harness.investigate.findings import scripts
from harness.investigate.findings.rejudge import CannotAsk, Rejudged
from harness.judging.ask import repeat
from harness.judging.bench import Bench, BenchError
from harness.judging.order import Order, outcome_text
from harness.judging.places import READ, Place
from harness.judging.records import Findings, make_row
from harness.judging.signature import Stored, signed
from harness.judging.verdicts import judge_again
from harness.runs.pipeline.selection import SelectionError, select

FILE = "order.json"

MAIN = """

def load(name):
    file = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    spec = importlib.util.spec_from_file_location(name.partition(".")[0], file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answered(request):
    try:
        return ascii(request())
    except Exception as error:
        return ascii(f"{type(error).__name__}: {error}")


def in_process(mode):
    done = subprocess.run([sys.executable, os.path.abspath(__file__), mode], stdout=subprocess.PIPE)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return f"exit status {done.returncode} (a signal if below 0)" if done.returncode else lines[-1]


def main():
    say(*ABOUT)
    print("expected: the same answer, whatever the process has read before")
    alone, after = in_process("alone"), in_process("after")
    say("in a fresh process:", f"  {alone[:400]}", f"after {', '.join(BEFORE)}:", f"  {after[:400]}")
    print("the bug shows" if alone != after else "the bug does not show")
    return 1 if alone != after else 0


BEFORE = {modules}  # each asks for what the process had read before

if __name__ == "__main__":
    if sys.argv[1:] not in (["alone"], ["after"]):
        sys.exit(main())
    for name in BEFORE if sys.argv[1:] == ["after"] else []:
        answered(load(name).ask)
    print(answered(ask))
"""


def fill(folder: Path, order: Order) -> None:
    """Copy the files of a sequence into a folder, with its requests; raises Unsupported and OSError."""
    requests = []
    for number, request in enumerate(order.sequence, 1):
        files = request["files"] if "files" in request else [request["file"]]
        if len(files) != 1:
            raise Unsupported("several files were read at once before: use `colconf run` with all of them")
        path = Path(files[0])
        if not path.is_file():
            raise Unsupported(f"a file that was read before is gone: {path}")
        name = f"before-{number}.{request['format']}"
        (folder / name).write_bytes(path.read_bytes())
        requests.append({**request, **({"files": [name]} if "files" in request else {"file": name})})
    stored = order._replace(sequence=tuple(requests))
    (folder / FILE).write_text(json.dumps(stored.to_json(), indent=1) + "\n", "ascii")


def read(folder: Path) -> Order | None:
    """Return the order of a finding's folder, None if it has none; raises ValueError, TypeError, KeyError."""
    if not (folder / FILE).is_file():
        return None
    order = Order.from_json(json.loads((folder / FILE).read_bytes()))
    return order._replace(sequence=tuple(_placed(folder, request) for request in order.sequence))


def _placed(folder: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    if "files" in request:
        return {**request, "files": [str(folder / name) for name in request["files"]]}
    return {**request, "file": str(folder / request["file"])}


def modules(engine: str, version: str, folder: Path) -> dict[str, str]:
    """Return the scripts for the requests of a folder by name, for a version; raises Unsupported."""
    order = read(folder)
    assert order is not None
    sources = {}
    for number, request in enumerate(order.sequence, 1):
        query = query_from_json(request["query"]) if "query" in request else None
        script_request = ScriptRequest(request["format"], dict(request["config"]), query, version=version)
        name = f"before-{number}.{request['format']}"
        sources[f"before_{number}.py"] = scripts.started([], scripts.source(engine, script_request, name))
    return sources


def rejudge(case: Case, engine: str, order: Order, limits: Limits) -> Rejudged:
    """Ask a case in a fresh process, and in another one after the sequence; judge whether they differ.

    Raises CannotAsk.
    """
    try:
        chosen = select([engine], [case.format], every_switch=False, probed=bool(case.probes))
    except SelectionError as error:
        raise CannotAsk(str(error)) from error
    process = chosen.processes[0]
    place = Place(0, 0, 0 if case.probes else READ)
    findings, rows = Findings(), []
    with (
        scratch_folder() as folder,
        Bench((process,), limits, Path(folder)) as bench,
    ):
        try:
            alone = bench.ask_place(process, case, place, fresh=True)
            bench.renew(process)
            for request in order.sequence:
                repeat(bench.connection(process), request)
            after = bench.ask_place(process, case, place)
        except BenchError as error:
            raise CannotAsk(str(error)) from error
        unstable = judge_again(alone, after)
        if unstable is None or unstable.difference is None:
            return Rejudged([], [])
        again = order._replace(alone=outcome_text(alone), after=outcome_text(after), repeated=True)
        query = None if place.probe == READ else str(case.probes[0].query)
        judgement, config = again.judgement(unstable.difference), process.configs[0]
        row = make_row(case, process, config, after, judgement, case.expectation, case.features, query)
        stored = signed(Stored(row.with_detail(order=again, finding=True), config.switches, 0))
        findings.add(stored)
        rows.append(stored.row)
    return Rejudged(rows, findings.all())
