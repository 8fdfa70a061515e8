"""Folders of results to report on: a run with every verdict, one with hostile text, one with many rows."""

import json

from harness.judging.verdicts import PASSED

ENGINES = [
    ("reference", "0.1.0", "", "Python 3.11.9"),
    ("pyarrow", "26.0.1", "", "Arrow C++ 26.0.1"),
    ("pyarrow", "26.0.1", "reader=dataset", "Arrow C++ 26.0.1"),
    ("spark", "4.3.0", "vectorized=on", "Java 17.0.15"),
    ("spark", "4.3.0", "vectorized=off", "Java 17.0.15"),
    ("fastparquet", "2024.11.0", "", "Python 3.11.9"),
]
REFERENCE, PYARROW, DATASET, SPARK_ON, SPARK_OFF, FASTPARQUET = range(len(ENGINES))
VOTE = {"kind": "accept", "source": "vote", "votes": "4 of 6: reference, pyarrow, spark, duckdb"}
BY_WRITER = {"kind": "accept", "source": "writer:pyarrow@26.0.1"}
RULE = {
    "kind": "refuse",
    "source": "spec",
    "rule": "PQ-PAGE-003",
    "clause": "README.md, Data Pages",
    "reason": "the page says that it holds more values than its bytes can",
}
HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"|`@everyone` "
    "\x00\x1b[31m\u202e\udcff\r\n{{ 7*7 }}"
)


def row(
    case,
    engine,
    verdict,
    *,
    outcome="table",
    features=(),
    expectation=VOTE,
    known=None,
    finding=None,
    **detail,
):
    """Return one line of results.ndjson."""
    name, version, config, _ = ENGINES[engine]
    problem = verdict not in PASSED | {"refused_otherwise", "unsupported"}
    full = {
        "file": f"corpus/{case}.parquet",
        "expectation": {"rule": None, "clause": None, "reason": None, "votes": None, **expectation},
        "features": list(features),
        "error_class": "",
        "message": "",
        "phase": "read",
        "signal": None,
        "exit_status": None,
        "stderr": "",
        "difference": None,
        "equivalences": [],
        "probe": None,
        "probes": {"asked": 0, "unsupported": 0},
        "known": known,
        "finding": problem and known is None if finding is None else finding,
        **detail,
    }
    return {
        "case": case,
        "sha256": f"{len(case):064x}",
        "format": "parquet",
        "engine": name,
        "version": version,
        "config": config,
        "outcome": outcome,
        "verdict": verdict,
        "detail": full,
        "seconds": 0.0125,
        "peak_rss_bytes": 180 * 2**20,
    }


def every_verdict():
    """Return rows in which each verdict appears, over six engines and a few features."""
    delta, snappy = "parquet/encoding/delta-binary-packed", "parquet/codec/snappy"
    alltypes = [
        row("files/alltypes", engine, "agree", features=[snappy, "parquet/type/int96"]) for engine in range(6)
    ]
    alltypes[SPARK_OFF]["detail"] |= {"equivalences": ["uint64_as_decimal"]}
    alltypes[SPARK_OFF]["verdict"] = "equivalent"
    packed = [
        row("writer/pyarrow/delta", engine, "agree", features=[delta], expectation=BY_WRITER)
        for engine in range(4)
    ]
    broken = [
        row(
            "bad/page-count",
            engine,
            "refused_as_expected",
            outcome="refused",
            features=["parquet/page/v1"],
            expectation=RULE,
            error_class="Malformed",
            message="[PQ-PAGE-003] 9 values in 4 bytes",
        )
        for engine in range(3)
    ]
    return [
        *alltypes,
        *packed,
        row(
            "writer/pyarrow/delta",
            SPARK_OFF,
            "different",
            features=[delta],
            expectation=BY_WRITER,
            difference={
                "path": "a[3].b",
                "expected": "-9223372036854775808",
                "actual": "null",
                "kind": "value",
            },
        ),
        row(
            "writer/pyarrow/delta",
            FASTPARQUET,
            "unsupported",
            outcome="unsupported",
            features=[delta],
            expectation=BY_WRITER,
            error_class="NotImplementedError",
            message="encoding DELTA_BINARY_PACKED",
        ),
        row(
            "generated/1/0/3",
            SPARK_ON,
            "different",
            features=["parquet/type/double"],
            expectation={"kind": "accept", "source": "generator"},
            probe="x < 1.5",
            probes={"asked": 9, "unsupported": 1},
            difference={
                "path": "rows lost",
                "expected": "rows 2, 5",
                "actual": "without 5 (1 rows)",
                "kind": "pushdown",
            },
        ),
        row(
            "writer/fastparquet/dates",
            FASTPARQUET,
            "wrote_invalid",
            features=["parquet/logical/date"],
            expectation={
                "kind": "accept",
                "source": "writer:fastparquet@2024.11.0",
                "rule": "PQ-STATS-004",
                "clause": "parquet.thrift, Statistics",
            },
            phase="write",
            message="[PQ-STATS-004] row_groups[0].columns[0], byte 91: min_value is greater than max_value",
        ),
        *broken,
        row(
            "bad/page-count",
            SPARK_ON,
            "crashed",
            outcome="crashed",
            features=["parquet/page/v1"],
            expectation=RULE,
            signal=11,
            stderr="# A fatal error has been detected\n# SIGSEGV (0xb)\n",
        ),
        row(
            "bad/page-count",
            SPARK_OFF,
            "hung",
            outcome="hung",
            features=["parquet/page/v1"],
            expectation=RULE,
        ),
        row(
            "bad/page-count", FASTPARQUET, "accepted_invalid", features=["parquet/page/v1"], expectation=RULE
        ),
        row(
            "bad/geo-page",
            PYARROW,
            "refused_otherwise",
            outcome="refused",
            features=["parquet/logical/geometry"],
            expectation=RULE,
            error_class="ArrowInvalid",
            message="unknown logical type",
            step="open",
        ),
        row(
            "files/geo",
            PYARROW,
            "refused_valid",
            outcome="refused",
            features=["parquet/logical/geometry"],
            error_class="ArrowInvalid",
            message="unknown logical type",
            known={"reason": "released in 27", "url": "https://example.org/issues/1"},
        ),
        row(
            "files/geo",
            SPARK_ON,
            "out_of_memory",
            outcome="out_of_memory",
            features=["parquet/logical/geometry"],
        ),
        row("files/geo", SPARK_OFF, "amplified", features=["parquet/logical/geometry"]),
        row("files/geo", FASTPARQUET, "unstable", features=["parquet/logical/geometry"]),
        row("files/plain", REFERENCE, "agree"),
        *(
            row(
                "files/notes",
                engine,
                "skipped",
                outcome="skipped",
                finding=False,
                message="neither Parquet nor ORC",
            )
            for engine in range(6)
        ),
    ]


def hostile():
    """Return rows in which every text tries to break out of the report."""
    return [
        row(
            f"files/{HOSTILE}",
            SPARK_ON,
            "different",
            features=["parquet/other/x", HOSTILE],
            expectation={"kind": HOSTILE, "source": HOSTILE, "clause": HOSTILE},
            file=f"/data/{HOSTILE}",
            error_class=HOSTILE,
            message=HOSTILE + "m" * 100_000,
            stderr=HOSTILE * 1_000,
            probe=HOSTILE,
            difference={"path": HOSTILE, "expected": HOSTILE, "actual": HOSTILE, "kind": HOSTILE},
            known={"reason": HOSTILE, "url": "javascript:alert(3)"},
            finding=True,
        ),
        row("files/other", PYARROW, HOSTILE),
    ]


def many(count):
    """Return about `count` rows over six engines and a hundred features, one in fifty a finding."""
    rows = []
    for number in range(count // 6):
        features = [f"parquet/other/feature-{number % 100:02}", f"parquet/other/feature-{number % 7:02}"]
        for engine in range(6):
            bad = (number + engine) % 50 == 0
            more = (
                {"difference": {"path": f"c{number % 9}", "expected": "1", "actual": "2", "kind": "value"}}
                if bad
                else {}
            )
            rows.append(
                row(f"many/{number:06}", engine, "different" if bad else "agree", features=features, **more)
            )
    return rows


def findings(rows):
    """Return a finding for each row that is one, as findings.ndjson holds them."""
    return [
        {
            "signature": f"{row['engine']}/{row['verdict']}/{row['case']}",
            **{name: row[name] for name in ("engine", "version", "config", "verdict", "case")},
            "count": 1,
            "features": row["detail"]["features"],
            "difference": row["detail"]["difference"],
            "error": row["detail"]["message"],
            "probe": row["detail"]["probe"],
            **{
                name: row["detail"]["expectation"][name]
                for name in ("certainty", "why", "clause")
                if row["detail"]["expectation"].get(name)
            },
            "known_bug": row["detail"].get("known_bug", ""),
        }
        for row in rows
        if row["detail"]["finding"]
    ]


STALE = {
    "signature": "stale/pyarrow/files/old-*",
    "engine": "pyarrow",
    "version": "26.0.1",
    "config": "",
    "verdict": "stale_known_failure",
    "case": "files/old-*",
    "count": 1,
    "features": [],
    "difference": None,
    "error": "listed as different, but it agrees",
    "probe": None,
}


def write(out, rows, more_findings=()):
    """Write the folder of a run with `rows`; return the folder."""
    run = {
        "schema_version": 2,
        "id": "20250102-030405-abcdef",
        "started": "2025-01-02T03:04:05Z",
        "finished": "2025-01-02T03:14:05Z",
        "arguments": ["run", "--files", "corpus"],
        "engines": [
            dict(zip(("name", "version", "config", "runtime"), engine, strict=True)) for engine in ENGINES
        ],
        "unavailable": [
            {
                "engine": "duckdb",
                "reason": "the package is not installed",
                "mend": "pip install 'colconf[duckdb]'",
            }
        ],
        "not_asked": [
            {
                "engine": "polars@0.20.31",
                "question": "date in",
                "reason": "adapter: TypeError: is_in() takes no <series>",
            }
        ],
        "counts": {},
        "colconf": "0.1.0",
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "run.json").write_text(json.dumps(run), "utf-8")
    (out / "results.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (out / "findings.ndjson").write_text(
        "".join(json.dumps(one) + "\n" for one in [*findings(rows), *more_findings]), "utf-8"
    )
    return out
