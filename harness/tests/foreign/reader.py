"""A reader of another project: it speaks the protocol, with the fault that its argument names.

It decodes with the reference, so that it is right about every file unless a fault says otherwise, and has no
line in common with colconf's worker: what an author would write stands here.
"""

import json
import os
import sys
import time
from pathlib import Path

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
VERSION = 3
MOST = 64 << 20
WRITERS = ("writes", "loses")
seen: set[str] = set()


def main():
    """Reply to requests until there are no more."""
    if FAULT == "dies":
        sys.exit("no licence")
    if FAULT == "banner":
        print("my reader 1.0", flush=True)
    for line in sys.stdin.buffer:
        reply = answer(line)
        if FAULT == "noise" and "table" in reply:
            print("debug: read", flush=True)
        indent = 1 if FAULT == "pretty" and "description" not in reply else None
        print(json.dumps(reply, indent=indent), flush=True)
    if FAULT == "lingers":
        time.sleep(600)


def answer(line):
    """Return the reply to a line."""
    try:
        request = json.loads(line[: 1 << 16] if FAULT == "clips" else line)
    except ValueError:
        request = None
    if not isinstance(request, dict):
        if FAULT == "garbage" or (FAULT == "null" and request is None and line.strip() == b"null"):
            os._exit(3 if FAULT == "garbage" else 4)
        return {"v": VERSION, "id": -1, "error": {"kind": "misspoke", "message": "no request"}}
    head = {"v": 2 if FAULT == "old" else VERSION, "id": 1 if FAULT == "ids" else request["id"]}
    if request["v"] != VERSION and FAULT != "any-version":
        return {**head, "error": {"kind": "unsupported", "message": f"version {request['v']}"}}
    if FAULT == "strict" and not set(request) <= {"v", "id", "op", "file", "format", "config", "spill"}:
        return {**head, "error": {"kind": "misspoke", "message": "unknown member"}}
    if request["op"] == "describe":
        return {**head, "description": described()}
    if request["op"] == "read":
        return {**head, **read(request)}
    if request["op"] == "write" and FAULT in WRITERS:
        return {**head, **write(request)}
    kind = "refused" if FAULT == "unknown-op" else "unsupported"
    return {**head, "error": {"kind": kind, "message": f"no op {request['op']}"}}


def described():
    """Return the description, with what the environment of this process is."""
    name = "somebody" if FAULT == "name" else "my_reader"
    # Members that colconf no longer reads may still be sent.
    past = {"formats": ["parquet"], "streams": [], "writes": {}} if FAULT == "writes" else {}
    ops = {"ops": ["write"]} if FAULT in WRITERS else {}
    return {"name": name, "version": "1.0", "runtime": " ".join(sorted(os.environ)), **past, **ops}


def read(request):
    """Return the table of a file, or the error."""
    file = request["file"]
    if FAULT == "hangs" and "hang" in file:
        time.sleep(600)
    if FAULT == "eats" and "hang" in file:
        request["food"] = bytearray(os.urandom(1 << 20) * 700)
        time.sleep(600)
    if not Path(file).exists() and FAULT == "missing":
        return {"table": {"columns": [], "rows": 0, "values": []}}
    # The reference takes longer to import than most tests of faults take: here, for files alone.
    from corpora.build import reading
    from corpora.build.tagged_columns import tagged_table
    from reference_impl.errors import ReferenceError_, Unsupported

    try:
        table = tagged_table(reading.open_file(file, request["format"], None).read())
    except Unsupported as error:
        return {"error": {"kind": "unsupported", "message": str(error)}}
    except (ReferenceError_, OSError) as error:
        if FAULT == "crashes":
            os.abort()
        return {"error": {"kind": "refused", "message": str(error), "class": type(error).__name__}}
    return {"table": tagged(table, request)}


def write(request):
    """Write a table with pyarrow; "loses" loses its last row."""
    import pyarrow as pa
    from pyarrow import parquet

    table = request["table"]
    arrays, names = [], []
    for number, column in enumerate(table["columns"]):
        if column["type"] != {"kind": "int", "bits": 32, "signed": True}:
            return {"error": {"kind": "unsupported", "message": "integers of 32 bits are written alone"}}
        values = [None if v is None else int(v) for block in table["blocks"] for v in block[number]]
        arrays.append(pa.array(values[:-1] if FAULT == "loses" else values, pa.int32()))
        names.append(column["name"])
    parquet.write_table(pa.table(arrays, names), request["file"])
    return {"written": True}


def tagged(table, request):
    """Return a table in the simple form; one that is too large for a line as a file."""
    values = [table.column(number) for number in range(len(table.columns))]
    rows = table.num_rows
    if FAULT == "numbers":
        values = [[int(v) if isinstance(v, str) and v.isdigit() else v for v in c] for c in values]
    if FAULT == "short" and rows > 16_384:
        values, rows = [column[:16_384] for column in values], 16_384
    if FAULT == "ragged":
        rows += 1
    if FAULT == "forgets" and request["file"] in seen and rows > 1:
        values, rows = [column[1:] for column in values], rows - 1
    seen.add(request["file"])
    if FAULT == "plant" and rows > 1:  # the last value of each column is lost
        values = [[*column[:-1], None] for column in values]
    columns = [column.to_json() for column in table.columns]
    whole = {"columns": columns, "rows": rows, "values": values}
    size = sum(len(v) for column in values for v in column if isinstance(v, str))
    if size < MOST // 2 or FAULT == "too-long":
        return whole
    folder = Path.cwd() if FAULT == "outside" else Path(request["spill"])
    path = folder / f"{request['id']}-0.jsonl"
    blocks = ([column[cut : cut + 16_384] for column in values] for cut in range(0, rows, 16_384))
    path.write_text("".join(f"{json.dumps(block)}\n" for block in blocks))
    return {"columns": columns, "rows": rows, "spill": str(path)}


main()
