"""Scripts that query ORC with pyarrow: the source that its adapter executes."""

from __future__ import annotations

from harness.engines.pyarrow import statements
from harness.engines.pyarrow import table as pyarrow_table
from harness.engines.pyarrow_orc.query import of_file, place
from harness.engines.pyarrow_orc.ways import WAYS
from harness.engines.scripts.request import Code, ScriptRequest


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with pyarrow for an ORC file."""
    if request.read is not None:
        return pyarrow_table.code(request, request.read)
    query, switches = request.query, request.switches
    opened = ["file = orc.ORCFile(FILE)"]
    whole = [*opened, f"table = {WAYS[switches.get('way', 'default')]}"]
    data = ["files = fs.LocalFileSystem()", *statements.open_orc(request.version)]
    if switches.get("api") == "dataset":
        whole = [*data, "table = data.to_table()"]
    where = "table" if query is None else place(query, switches)
    body, steps = {"table": whole, "data": data, "file": opened}[where], statements.Steps()
    if query is not None and where == "table":
        steps = statements.of_table(query, request.version)
    elif query is not None:
        is_data_set = where == "data"
        steps = statements.of_data_set(query, threads=True) if is_data_set else of_file(query)
    imports = ["from pyarrow import orc", *statements.imports_of(query, switches.get("api"))]
    return statements.code_of([*body, *statements.lines(steps)], imports)
