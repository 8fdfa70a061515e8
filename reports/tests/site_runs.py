"""Three small runs of a history: a new release, a verdict that changes, hostile names."""

import json

from reports.tests import sample

SPLIT = "parquet/encoding/byte-stream-split"


def _row(case, version, verdict, engine="pyarrow", **detail):
    if verdict not in {"agree", "unsupported"}:
        detail["signature"] = f"{engine}/{verdict}/{case}"
    row = sample.row(case, sample.PYARROW, verdict, features=(SPLIT,), **detail)
    return {**row, "engine": engine, "version": version, "config": "", "sha256": "a" * 64}


def runs():
    """Return the rows of the runs: 14.0.2, then 16.1.0, then 16.1.0 again with another answer."""
    lost = {"path": "x", "kind": "rows lost", "expected": "5", "actual": "4"}
    first = [
        _row("files/page/9", "13.0.0", "agree"),
        _row(
            "files/page/9",
            "14.0.2",
            "refused_valid",
            message="not supported",
            signature="pyarrow | refused_valid | x",
        ),
        _row("files/page/10", "14.0.2", "agree"),
        _row("files/page/10", "2.0.0", "unsupported", engine="pyorc", outcome="unsupported"),
    ]
    second = [
        _row("files/page/9", "16.1.0", "agree"),
        _row("files/page/10", "16.1.0", "agree"),
    ]
    third = [
        _row("files/page/9", "16.1.0", "agree"),
        _row(
            "files/page/10",
            "16.1.0",
            "different",
            difference=lost,
            signature="pyarrow | different | rows lost",
        ),
        _row("pq-rule", "16.1.0", "accepted_invalid", expectation=sample.RULE),
        *({**row, "case": row["case"] + str(place)} for place, row in enumerate(sample.hostile())),
    ]
    return [first, second, third]


def write(folder):
    """Write the runs below a folder; return it."""
    for place, rows in enumerate(runs(), 1):
        stamp(sample.write(folder / f"{place}", rows), place)
    return folder


def stamp(out, day):
    """Give a run the id and the times of a day in January."""
    record = json.loads((out / "run.json").read_text())
    record |= {"id": f"2025010{day}-030405-abcdef", "started": f"2025-01-0{day}T03:04:05Z"}
    record |= {"finished": f"2025-01-0{day}T03:14:05Z"}
    (out / "run.json").write_text(json.dumps(record))
