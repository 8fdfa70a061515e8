"""Which Pythons and packages the releases of pyspark were made for."""

from __future__ import annotations

from harness.engines.entry import Hint

# pyspark has no wheels, and takes any newer Python; its classifiers and its installation page tell which it
# was made for, its setup.py the oldest pandas and pyarrow. pandas 2 and numpy 2 took away what it calls.
# What Spark itself needs of them for Arrow: sql/pandas/utils.py, `require_minimum_…_version`.
HINTS = (
    Hint(
        ">=3.2,<3.3",
        (3, 9),
        ("numpy<1.24", "pandas<2", "pyarrow<13"),
        "https://spark.apache.org/docs/3.2.4/api/python/getting_started/install.html",
    ),
    Hint(
        ">=3.3,<3.4",
        (3, 10),
        ("numpy<1.24", "pandas<2", "pyarrow<15"),
        "https://spark.apache.org/docs/3.3.4/api/python/getting_started/install.html",
    ),
    Hint(
        ">=3.4,<4",
        (3, 11),
        ("numpy<2", "pandas<3"),
        "https://spark.apache.org/docs/3.5.3/api/python/getting_started/install.html",
    ),
    Hint(
        ">=4.0.0.dev0,<4.1",
        (3, 13),
        ("pandas<3",),
        "https://spark.apache.org/docs/4.0.0/api/python/getting_started/install.html",
    ),
    Hint(
        ">=4.1.0.dev0",
        None,
        ("pandas<3",),
        "https://spark.apache.org/docs/latest/api/python/getting_started/install.html",
    ),
)
