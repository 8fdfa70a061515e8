"""Two examples for each command, which its `--help` ends with; a test parses each as the command does."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, str]] = {
    "anonymize": (
        "colconf anonymize path/to/file.parquet --out anonymous",
        "colconf anonymize path/to/file.parquet --engine pyarrow --out anonymous",
    ),
    "bisect": (
        "colconf bisect duckdb-nan-left-out --engine duckdb --between 1.1.0 2.0.0",
        "colconf bisect duckdb-nan-left-out --engine duckdb --between 1.1.0 2.0.0 --installed",
    ),
    "corpus lint": ("colconf corpus lint", "PARQUET_TEST_DATA=path/to/files colconf corpus lint"),
    "corpus fetch": (
        "colconf corpus fetch 0.1.0 --from path/to/archives --out corpus",
        "colconf corpus fetch 0.1.0 --from https://example.org/archives --out corpus",
    ),
    "corpus release": (
        "colconf corpus release --out archives",
        "colconf corpus release --version 0.2.0 --since archives/colconf-corpus-0.1.0.tar.gz --out archives",
    ),
    "coverage": (
        "colconf coverage out/nightly --html out/coverage",
        "colconf coverage --fuzz colconf-fuzz --html out/coverage",
    ),
    "diff": ("colconf diff out/nightly out/today", "colconf diff out/nightly out/today --json"),
    "doctor": ("colconf doctor", "colconf doctor --json"),
    "engines install": (
        "colconf engines install spark@3.5.9",
        "colconf engines install duckdb@1.4.0 polars@1.30.0",
    ),
    "explain": ("colconf explain PQ-PAGE-003", "colconf explain"),
    "export": (
        "colconf export out/nightly --out results.ndjson",
        "colconf export out/nightly --format csv --out results.csv",
    ),
    "findings blame": (
        "colconf findings blame small/ --engine ./my-reader.toml --repo . --build make --between A B",
        "colconf findings blame pyorc-calendar-ignored --engine pyorc --repo . --build make --between A B",
    ),
    "findings export": (
        "colconf findings export duckdb-nan-left-out --out folders",
        "colconf findings export out/nightly --out folders",
    ),
    "fuzz": (
        "colconf fuzz parquet_footer --time-budget 1m",
        "colconf fuzz --engine pyarrow --time-budget 10m --out fuzzed",
    ),
    "inspect": (
        "colconf inspect path/to/file.parquet",
        "colconf inspect path/to/file.parquet --no-pages --json",
    ),
    "known bisect": (
        "colconf known bisect --engine pyarrow --budget 2h",
        "colconf known bisect --engine duckdb --entry duckdb-nan-left-out --write",
    ),
    "known update": ("colconf known update out/nightly", "colconf known update out/nightly --write"),
    "list": ("colconf list cases 'parquet/delta*'", "colconf list findings --json"),
    "minimize": (
        "colconf minimize path/to/file.parquet --engine polars --out small",
        "colconf minimize polars-unknown-in-fixed --engine polars",
    ),
    "replay": ("colconf replay duckdb-nan-left-out", "colconf replay generated/7/12/3 --engine pyarrow"),
    "report": ("colconf report out/nightly", "colconf report out/nightly --format markdown"),
    "run": (
        "colconf run --files path/to/files --engine pyarrow --engine duckdb --out out/mine",
        "colconf run --case 'parquet/delta*' --fail-fast --engine pyarrow --out out/delta",
    ),
    "runs list": ("colconf runs list out", "colconf runs list out --json"),
    "runs prune": ("colconf runs prune out --keep 10 --dry-run", "colconf runs prune out --keep 10"),
    "selftest": ("colconf selftest", "colconf selftest --format orc"),
    "site": ("colconf site out --out site", "colconf site --history out/history out --serve"),
    "trend": ("colconf trend out", "colconf trend out --json"),
    "upgrade": (
        "colconf upgrade --from spark@3.5.9 --to spark@4.3.0 --files path/to/files",
        "colconf upgrade --from duckdb@1.4.0 --to duckdb@2.0.0",
    ),
    "validate": ("colconf validate path/to/files", "colconf validate path/to/file.parquet --format sarif"),
}
FIRST = ("run", "validate", "upgrade", "replay", "doctor")  # what newcomers need
