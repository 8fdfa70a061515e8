"""Switches of Spark that the upgrade gate tries, as the options they set: for the adapter and for reports.

The value `default` leaves an option alone, whatever the version's default is. Options are those of
https://spark.apache.org/docs/latest/configuration.html and the pages of the data sources; `orc.…` is of ORC's
Java library (OrcConf). Standard library only, Python 3.9.
"""

from __future__ import annotations

DEFAULT = "default"
_REBASE = {"exception": "EXCEPTION", "corrected": "CORRECTED", "legacy": "LEGACY"}
_ON_OFF = {"on": "true", "off": "false"}

# By format and switch: the option, and its text for each value of the switch but `default`.
OPTIONS: dict[str, dict[str, tuple[str, dict[str, str]]]] = {
    "parquet": {
        "rebase": ("spark.sql.parquet.datetimeRebaseModeInRead", _REBASE),
        "int96_rebase": ("spark.sql.parquet.int96RebaseModeInRead", _REBASE),
        "int96": ("spark.sql.parquet.int96AsTimestamp", {"number": "false"}),
        "ntz": ("spark.sql.parquet.inferTimestampNTZ.enabled", {"off": "false"}),
        "binary": ("spark.sql.parquet.binaryAsString", {"string": "true"}),
        "variant": ("spark.sql.parquet.ignoreVariantAnnotation", {"struct": "true"}),
        "unknown": ("spark.sql.parquet.reader.respectUnknownTypeAnnotation.enabled", {"null": "true"}),
        "merge": ("spark.sql.parquet.mergeSchema", {"on": "true"}),
        "ansi": ("spark.sql.ansi.enabled", _ON_OFF),
        "case": ("spark.sql.caseSensitive", {"on": "true"}),
    },
    "orc": {
        "calendar": ("orc.proleptic.gregorian.default", {"proleptic": "true"}),
        "merge": ("spark.sql.orc.mergeSchema", {"on": "true"}),
        "ansi": ("spark.sql.ansi.enabled", _ON_OFF),
        "case": ("spark.sql.caseSensitive", {"on": "true"}),
    },
}


def settings(format: str, config: dict[str, str]) -> dict[str, str | None]:
    """Return what a configuration sets by these switches; None for an option that it leaves alone."""
    return {
        option: texts.get(config.get(switch, DEFAULT)) for switch, (option, texts) in OPTIONS[format].items()
    }


def option_of(format: str, switch: str, value: str) -> str:
    """Return `option=text` of a value of a switch, "" for the default or one that is not of this table."""
    option, texts = OPTIONS.get(format, {}).get(switch, ("", {}))
    return f"{option}={texts[value]}" if value in texts else ""
