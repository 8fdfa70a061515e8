"""Scripts that query ORC with pyarrow: the source that its adapter executes."""

from __future__ import annotations

from corpora.queries import CountRows, Fields, Filter, Join, Project, RowGroup, Slice
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import counts, fields
from harness.engines.pyarrow import table as pyarrow_table
from harness.engines.pyarrow.statements import code_of, imports_of, of_data_set, of_table, open_orc
from harness.engines.pyarrow_orc.ways import WAYS
from harness.engines.scripts.request import Code, ScriptRequest


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with pyarrow for an ORC file."""
    if request.read is not None:
        return pyarrow_table.code(request, request.read)
    query = request.query
    imports = ["from pyarrow import orc", *imports_of(query, request.switches.get("api"))]
    if request.switches.get("api") == "dataset":
        body = ["files = fs.LocalFileSystem()", *open_orc(request.version)]
        if isinstance(query, RowGroup):
            raise Unsupported("pyarrow.dataset has no option to read a stripe")
        is_off = isinstance(query, (CountRows, Fields, Filter, Join, Slice)) and request.pushdown == "off"
        if is_off and (isinstance(query, CountRows) or getattr(query, "predicate", ...) is not None):
            assert query is not None
            return code_of([*body, "table = data.to_table()", *of_table(query, request.version)], imports)
        return code_of([*body, *of_data_set(query, "use_threads=True")], imports)
    if query is None:
        body = ["file = orc.ORCFile(FILE)", f"table = {WAYS[request.switches.get('way', 'default')]}"]
    elif isinstance(query, CountRows) and query.predicate is None and request.pushdown != "off":
        body = ["file = orc.ORCFile(FILE)", counts.code_of_footer(counts.OF_ORC_FOOTER)]
    elif isinstance(query, Fields) and query.predicate is None:
        body = ["file = orc.ORCFile(FILE)", *fields.code_of_file(query)]
    elif isinstance(query, (CountRows, Fields, Filter)):
        body = ["table = orc.ORCFile(FILE).read()", *of_table(query, request.version)]
    elif isinstance(query, Project):
        names = list(query.columns)
        body = [f"table = orc.ORCFile(FILE).read(columns={names!a}).select({names!a})"]
    elif isinstance(query, RowGroup):
        body = [f"table = pa.Table.from_batches([orc.ORCFile(FILE).read_stripe({query.number})])"]
    else:
        raise Unsupported(f"pyarrow.orc does not answer queries of kind {query.kind}")
    return code_of(body, imports)
