"""Names of columns reach every engine as names: the right column is read, and nothing of a name is run."""

import importlib
import inspect
import re
import traceback
from types import SimpleNamespace

import pytest

from corpora.answers import answer
from corpora.queries import Aggregate, Filter, RowGroup
from harness.children.connection import Connection, worker_command
from harness.children.outcomes import OutcomeKind
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.engines.scripts.literals import execute
from harness.engines.scripts.request import ScriptRequest
from harness.engines.spark import query as spark_query
from harness.engines.spark import session as spark_session
from harness.engines.spark.ways import WAYS
from harness.environments.availability import status
from harness.investigate.findings import scripts
from harness.tests.hostile_names import CANARY, NAMES, WRITE, columns_of, queries_of

LOCAL = [name for name in ENGINES if name not in {"reference", "spark"}]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Work in an empty folder; at the end no name has created the file that those that are run create."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not list(tmp_path.rglob(f"*{CANARY}*"))


def adapter_of(name):
    """Return the adapter of an engine that is here, else skip."""
    found = status(ENGINES[name])
    if not found.available:
        pytest.skip(f"{name} is not here: {found.reason}")
    adapter = getattr(importlib.import_module(ENGINES[name].module), ENGINES[name].class_name)()
    return ByChild(adapter, name) if adapter.program else adapter


class ByChild:
    """An adapter whose process becomes another program: it is asked in its child."""

    def __init__(self, adapter, name):
        """Start the child when it is first asked."""
        self.queries, self.float_order = adapter.queries, adapter.float_order
        self.connection = Connection(worker_command(ENGINES[name]))

    def read(self, file, form, config):
        """Return the table of a file."""
        return self.table(self.connection.read(file, form, config))

    def query(self, files, form, config, query):
        """Return the answers to a query."""
        outcomes = self.connection.query(files, form, config, query)
        return [self.table(each) for each in (outcomes if isinstance(outcomes, list) else [outcomes])]

    def table(self, outcome):
        """Return the table of an outcome; raises Unsupported."""
        if outcome.kind is OutcomeKind.UNSUPPORTED:
            raise Unsupported(outcome.detail.message)
        assert outcome.kind is OutcomeKind.TABLE, outcome.detail
        return outcome.table

    def close(self):
        """End the child."""
        self.connection.close()


def columns(table):
    """Return names and values."""
    return [(field.name, table.column(at)) for at, field in enumerate(table.columns)]


def wanted(query, table, engine):
    """Return the right answer to a query."""
    if query is None:
        return table
    order = engine.aggregate_order if isinstance(query, Aggregate) else engine.float_order
    return answer(query, table, order, range(table.num_rows) if isinstance(query, RowGroup) else None)


def asked(adapter, file, form, pushdown, query):
    """Return what an adapter answers, None for what its engine has no words for."""
    try:
        if query is None:
            return adapter.read(str(file), form, {})
        (table,) = adapter.query([str(file)], form, {"pushdown": pushdown}, query)
    except Exception as error:
        if isinstance(error, Unsupported) or adapter.classify(error) == "unsupported":
            return None
        if isinstance(error, ValueError) and "na_value" in str(error):  # pandas' masks of nullable integers
            return None
        place = traceback.extract_tb(error.__traceback__)[-1].name
        if isinstance(error, KeyError | TypeError) and place == "schema_element":
            return None  # FINDINGS.md, fastparquet-filter-of-dotted-name
        raise
    return table


@pytest.mark.sweep(8)
@pytest.mark.filterwarnings("ignore")  # libraries of engines warn of each other
@pytest.mark.parametrize("engine", LOCAL)
def test_columns_are_asked_by_their_names(elsewhere, engine, some_of):
    """Whatever a column is called, its values are answered, and rows filtered by them, pushed down or not."""
    adapter, reference = adapter_of(engine), adapter_of("reference")
    (form,) = ENGINES[engine].formats
    silent = set()
    for key, name in NAMES.items():
        if engine == "orc_java" and "`" in name:  # FINDINGS.md, spark-orc-backquotes
            continue
        file = elsewhere / f"file.{form}"
        file.write_bytes(WRITE[form](name))
        table = reference.read(str(file), form, {})
        assert [field.name for field in table.columns] == list(columns_of(name))
        known = [query for query in queries_of(name) if query is None or query.kind in adapter.queries]
        listed = [
            (f"{engine} {key} {at} {pushdown}", (query, pushdown))
            for at, query in enumerate(known)
            for pushdown in ("on", "off")
        ]
        for query, pushdown in some_of(listed, 6):
            answered = asked(adapter, file, form, pushdown, query)
            if answered is None:
                silent.add((key, "read" if query is None else query.kind))
            else:
                right = columns(wanted(query, table, adapter))
                assert columns(answered) == right, (key, pushdown, str(query))
    assert {key for key, kind in silent if kind not in {"filter", "batches"}} <= {"nul"}
    # FilterApi of parquet-java takes dots for paths.
    filterless = {
        "fastparquet": set(NAMES),
        "parquet_java": {key for key, name in NAMES.items() if "." in name},
    }
    silent = {(key, kind) for key, kind in silent if key not in filterless.get(engine, ())}
    assert {key for key, kind in silent if kind != "batches"} <= {"nul"}
    if isinstance(adapter, ByChild):
        adapter.close()


class Long:
    """Spark's bigint."""

    @staticmethod
    def simpleString():  # noqa: N802 - Spark's word
        """Return the name of the type."""
        return "bigint"


class Frame:
    """What the adapter of Spark looks at of a data frame and of its schema: one column of bigint."""

    def __init__(self, name):
        """Have a column of this name."""
        self.schema, self.names = self, [name]

    def __getitem__(self, name):
        """Return the field of this name."""
        assert [name] == self.names
        return SimpleNamespace(dataType=Long(), metadata={})

    @staticmethod
    def typeName():  # noqa: N802 - Spark's word
        """Return the name of the type of a schema."""
        return "struct"

    @staticmethod
    def where(condition):
        """Return the text of a filter."""
        return condition


@pytest.mark.parametrize("name", NAMES.values(), ids=list(NAMES))
def test_names_in_the_sql_of_spark(name):
    """A name stands between backticks, each of its own twice: nothing of it is SQL."""
    for query in queries_of(name):
        if not isinstance(query, Filter):
            continue
        lines, names = spark_query.rows(query, WAYS["default"]), spark_query.names_of(Frame(name))
        condition = execute(lines, names)["frame"]
        quoted = "`" + name.replace("`", "``") + "`"
        assert re.findall("`(?:[^`]|``)*`", condition) == [quoted]
        sql = condition.replace(quoted, "NAME")
        assert re.fullmatch("[(]*(NOT [(]*)?NAME (>=|=|IN|IS NULL)[ A-Z(),'0-9a-z]*", sql), sql


def test_spark_replaces_no_variables():
    """`${env:HOME}` in a name is the name: https://spark.apache.org/docs/latest/configuration.html."""
    option = '"spark.sql.variable.substitute": "false"'
    assert option in inspect.getsource(spark_session.start)
    assert option in scripts.source("spark", ScriptRequest("parquet"), "file.parquet")
