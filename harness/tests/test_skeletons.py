"""Skeletons of engines: written, built where their toolchain is there, and spoken to."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from corpora.answers import answer
from corpora.build.control import controls
from corpora.formats import PARQUET
from corpora.queries import OPERATORS, And, Compare, Filter, IsNull, Not, NotTrue, Or, Project
from corpora.tagged import Table, integer
from harness.commands.engines import engines
from harness.commands.new_engine import SKELETONS, TEMPLATES, rendered

ROOT = Path(__file__).resolve().parents[2]

TOOLCHAINS = {
    "rust": ("cargo",),
    "go": ("go",),
    "java": ("javac", "java", "make"),
    "js": ("node",),
    "python": ("python3",),
    "r": ("Rscript",),
}
LIBRARY_LINES = 300
MANY = 2**31 - 1
OTHER_JSON = ("null", "[]", "7")  # lines that are JSON, and no requests
BUILT_SLOWLY = {"rust", "go", "java", "r"}
LANGUAGES = [
    pytest.param(language, marks=[pytest.mark.heavy] if language in BUILT_SLOWLY else [])
    for language in SKELETONS
]


def new(*arguments):
    """Return the result of `colconf engines new`."""
    return CliRunner().invoke(engines, ["new", *map(str, arguments)])


def colconf(*arguments):
    """Return the command's end, in a process of its own: an engine that is named is known from then on."""
    command = [sys.executable, "-m", "harness.cli", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def number(value):
    """Return a signed number of Thrift's compact protocol."""
    left, out = value << 1, b""
    while left > 127:
        out, left = out + bytes([left & 127 | 128]), left >> 7
    return out + bytes([left])


def struct(*fields):
    """Return a struct of the compact protocol: ids, types and bytes of its fields, less than 16 apart."""
    before, out = 0, b""
    for name, kind, data in fields:
        out, before = out + bytes([(name - before) << 4 | kind]) + data, name
    return out + b"\0"


def nulls(values, in_page):
    """Return a file of a column of INT32 with some nulls; `in_page` is how many its page claims to have."""
    levels = number(in_page) + b"\0"  # a run: twice the count, as a zigzag number has it, then the level
    page = len(levels).to_bytes(4, "little") + levels
    encodings = (2, 5, number(0)), (3, 5, number(3)), (4, 5, number(3))
    sizes = (1, 5, number(0)), (2, 5, number(len(page))), (3, 5, number(len(page)))
    header = struct(*sizes, (5, 12, struct((1, 5, number(in_page)), *encodings)))
    size, rows, at = number(len(header) + len(page)), number(values), number(4)
    about = (1, 5, number(1)), (2, 9, b"\x15\0"), (3, 9, b"\x18\1a"), (4, 5, number(0)), (5, 6, rows)
    meta = struct(*about, (6, 6, size), (7, 6, size), (9, 6, at))
    group = struct((1, 9, b"\x1c" + struct((2, 6, at), (3, 12, meta))), (2, 6, size), (3, 6, rows))
    root = struct((4, 8, b"\1r"), (5, 5, number(1)))
    leaf = struct((1, 5, number(1)), (3, 5, number(1)), (4, 8, b"\1a"))
    schema = (1, 5, number(1)), (2, 9, b"\x2c" + root + leaf), (3, 6, rows)
    footer = struct(*schema, (4, 9, b"\x1c" + group))
    return b"PAR1" + header + page + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def built(language, folder, change=None):
    """Write a skeleton to a folder and build it, as its README says; skip without the toolchain.

    `change`: of a file, what stands there and what is put in its place.
    """
    missing = [tool for tool in TOOLCHAINS[language] if not shutil.which(tool)]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: the skeleton in {language} is not built here")
    result = new("--language", language, "--name", "my_reader", folder)
    assert result.exit_code == 0, result.output
    for name, (before, after) in (change or {}).items():
        text = (folder / name).read_text("utf-8")
        assert text.count(before) == 1, (name, before)
        (folder / name).write_text(text.replace(before, after), "utf-8")
    if SKELETONS[language].build:
        environment = {**os.environ, "CARGO_NET_OFFLINE": "true", "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
        done = subprocess.run(
            SKELETONS[language].build.split(),
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def command(folder):
    """Return the command of the manifest in a folder, as colconf starts it."""
    manifest = tomllib.loads((folder / "my-reader.toml").read_text("utf-8"))
    program, *arguments = (part.replace("{here}", str(folder)) for part in manifest["command"])
    arguments = [str(folder / argument) if argument.startswith("./") else argument for argument in arguments]
    return [str(folder / program) if program.startswith("./") else shutil.which(program), *arguments]


def conversation(folder, requests, tmp_path):
    """Return the replies to lines that are sent at once."""
    lines = [line if isinstance(line, str) else json.dumps(line) for line in requests]
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        command(folder),
        input="\n".join(lines) + "\n",
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def reading(files, folder):
    """Return requests to read files."""
    common = {"v": 3, "op": "read", "format": "parquet", "config": {}, "spill": str(folder)}
    return [{**common, "id": at, "file": str(file)} for at, file in enumerate(files)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_skeleton_speaks_the_protocol(language, tmp_path):
    """It describes itself, reads its type exactly, and names each reason not to."""
    folder = built(language, tmp_path / "engine")
    cases = {controls.name(case): case for case in controls.cases(PARQUET, tmp_path / "control")}
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    broken = [tmp_path / name for name in ("empty", "noise", "missing")]
    files = [cases["plain"].file, cases["string"].file, *broken, cases["plain"].file]
    reads = [
        {"v": 3, "id": number, "op": "read", "file": str(file), "format": "parquet"}
        | {"config": {}, "spill": str(tmp_path), "later": "x" * (number << 12)}
        for number, file in enumerate(files, 2)
    ]
    replies = conversation(
        folder,
        [
            {"v": 3, "id": 1, "op": "describe"},
            *reads,
            "no JSON",
            *OTHER_JSON,
            {"v": 3, "id": 9, "op": "dance"},
            {"v": 99, "id": 10, "op": "describe"},
            {"v": 3, "id": 11, "op": "stop"},
        ],
        tmp_path,
    )
    assert [reply["id"] for reply in replies] == [1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1, 9, 10, 11]
    assert {reply["v"] for reply in replies} == {3}
    assert replies[0]["description"]["name"] == "my_reader"
    assert replies[1]["table"] == replies[6]["table"]
    assert table(replies[1]["table"]) == cases["plain"].expectation.table
    kinds = [reply["error"]["kind"] for reply in replies if "error" in reply]
    assert kinds == ["unsupported", *["refused"] * 3, *["misspoke"] * 4, "unsupported", "unsupported"]
    assert replies[-1]["stopped"] is True


def query_of(number, file, query, folder):
    """Return a request to run a query on a file."""
    common = {"v": 3, "op": "query", "format": "parquet", "config": {}, "spill": str(folder)}
    return {**common, "id": number, "files": [str(file), str(file)], "query": query.to_json()}


def test_the_skeleton_in_python_answers_filters(tmp_path):
    """Filters of its type have the right rows, of all columns or some; other queries are unsupported."""
    folder = built("python", tmp_path / "engine")
    columns = {"x": [5, None, -7, 3, None], "y": [None, None, 1, 2, 4]}
    arrow = pa.table({name: pa.array(values, pa.int32()) for name, values in columns.items()})
    file = tmp_path / "a.parquet"
    pq.write_table(arrow, file, compression="none", use_dictionary=False)
    fields = [(name, integer(32)) for name in columns]
    cells = [[None if each is None else str(each) for each in values] for values in columns.values()]
    small, none = Compare(("x",), "<", integer(32), "4"), IsNull(("y",))
    comparisons = [Compare(("x",), op, integer(32), "3") for op in OPERATORS]
    predicates = [
        *comparisons,
        none,
        Not(none),
        And((small, Not(none))),
        Or((Not(small), none)),
        Not(Or((small, none))),
    ]
    filters = [*map(Filter, predicates), Filter(small, ("y",)), Filter(small, ())]
    others = [Project(("x",)), Filter(NotTrue(small)), Filter(IsNull(("x", "z")))]
    requests = [query_of(number, file, each, tmp_path) for number, each in enumerate([*filters, *others])]
    described, *replies = conversation(folder, [{"v": 3, "id": 99, "op": "describe"}, *requests], tmp_path)
    assert (described["description"]["ops"], described["description"]["queries"]) == (["query"], ["filter"])
    for query, reply in zip(filters, replies, strict=False):
        wanted = answer(query, Table.of(fields, cells), "ieee")
        assert [table(each) for each in reply["tables"]] == [wanted, wanted], query
    assert [reply["error"]["kind"] for reply in replies[len(filters) :]] == ["unsupported"] * len(others)


def test_a_skeleton_that_answers_no_queries_says_so(tmp_path):
    """It says `unsupported` of the op, and its README names the skeleton that shows how."""
    folder = built("js", tmp_path / "engine")
    (reply,) = conversation(folder, [query_of(1, "x", Project(("x",)), tmp_path)], tmp_path)
    assert reply["error"]["kind"] == "unsupported"
    text = (folder / "README.md").read_text("utf-8")
    assert "answers no queries" in text
    assert "--language python" in text


# Mistakes in a skeleton's own reader: what stands there, what is put in its place, and the kind of error.
_ROWS = ("columns, footer[3])", "columns, footer[3] + 1)", "misspoke")
MISTAKES = {
    "js": (
        ("reader.mjs", "leavesOf(footer[2])", "leavesOf(footer.none)", "panicked"),
        ("reader.mjs", *_ROWS),
    ),
    "python": (
        ("reader.py", "footer = footer_of(data)", "footer = footer_of(data).none", "panicked"),
        ("reader.py", *_ROWS),
    ),
    "r": (
        ("reader.R", "footer <- footer_of(bytes)", "footer <- footer_of(byts)", "panicked"),
        ("reader.R", 'columns, footer[["3"]])', 'columns, footer[["3"]] + 1)', "misspoke"),
    ),
    "java": (
        ("Reader.java", "= footer(bytes);", "= footer((ByteBuffer) null);", "panicked"),
        ("Reader.java", "(int) rows);", "1 + (int) rows);", "misspoke"),
    ),
    "go": (
        ("main.go", "footerOf(data)\n", "footerOf(data[len(data)+1:])\n", "panicked"),
        ("main.go", "\treturn table\n}", "\ttable.Rows++\n\treturn table\n}", "misspoke"),
    ),
    "rust": (
        ("src/main.rs", "= footer(&bytes)?;", "= footer(&bytes[bytes.len() + 1..])?;", "panicked"),
        ("src/main.rs", "columns, rows })", "columns, rows: rows + 1 })", "misspoke"),
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_skeletons_own_mistakes_are_no_refusals(language, tmp_path):
    """A mistake in its code is `panicked`, columns of other lengths than the rows `misspoke`."""
    control = {controls.name(case): case.file for case in controls.cases(PARQUET, tmp_path / "control")}
    for number, (name, before, after, kind) in enumerate(MISTAKES[language]):
        folder = built(language, tmp_path / str(number), {name: (before, after)})
        read = {"v": 3, "id": 1, "op": "read", "file": str(control["plain"]), "format": "parquet"}
        (reply,) = conversation(folder, [{**read, "config": {}, "spill": str(tmp_path)}], tmp_path)
        assert reply["error"]["kind"] == kind, reply


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_header_that_claims_too_much_is_no_room(language, tmp_path):
    """A file that claims 2^31 - 1 nulls is unsupported; one whose page alone claims them is refused."""
    folder = built(language, tmp_path / "engine")
    files = []
    for name, (values, in_page) in enumerate([(3, 3), (MANY, MANY), (3, MANY)]):
        files.append(tmp_path / f"{name}.parquet")
        files[-1].write_bytes(nulls(values, in_page))
    honest, *others = conversation(folder, reading(files, tmp_path), tmp_path)
    assert table(honest["table"]).column(0) == [None] * 3
    assert [reply["error"]["kind"] for reply in others] == ["unsupported", "refused"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_headers_of_the_corpus(language, tmp_path):
    """Each wire type of Thrift is passed over, and a page without its header is refused, not a mistake."""
    folder = built(language, tmp_path / "engine")
    faults = ROOT / "corpora/parquet/fault"
    names = "pq-thrift-009/near-wire-type-fourteen", "pq-page-004/data-page-without-its-header"
    files = [faults / f"{name}.parquet" for name in names]
    last, broken = conversation(folder, reading(files, tmp_path), tmp_path)
    assert (last["table"]["rows"] > 0, broken["error"]["kind"]) == (True, "refused")


@pytest.mark.heavy
@pytest.mark.parametrize("language", SKELETONS)
def test_a_skeleton_passes_the_check(language, tmp_path):
    """`colconf engines check`, the second of the commands that are printed, finds nothing to mend."""
    folder = built(language, tmp_path / "engine")
    checked = colconf("engines", "check", folder / "my-reader.toml")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def table(form):
    """Return the table of a reply, whose values may be whole columns (`values`)."""
    if "values" not in form:
        return Table.from_json(form)
    empty = Table.from_json({"columns": form["columns"], "rows": 0, "blocks": []})
    return Table.of(empty.columns, form["values"], form["rows"])


# Bugs in the skeleton's reader: what stands there, and what is put in its place.
PLANTS = {
    "sign": ("whole(cursor.take(4).readInt32LE(0))", "whole(~cursor.take(4).readInt32LE(0))"),
    "last_row": (
        "columns, footer[3])",
        "columns.map(column => column.slice(0, -1)), Math.max(0, footer[3] - 1))",
    ),
    "null": ("(cursor.take(4).readInt32LE(0)) : null)", "(cursor.take(4).readInt32LE(0)) : '0')"),
}


def planted(folder, name, before, after):
    """Write the skeleton in JavaScript with a bug; return the path of its manifest."""
    result = new("--language", "js", "--name", f"reader_{name}", folder / name)
    assert result.exit_code == 0, result.output
    reader = folder / name / "reader.mjs"
    text = reader.read_text("utf-8")
    assert text.count(before) == 1, name
    reader.write_text(text.replace(before, after), "utf-8")
    return folder / name / f"reader-{name.replace('_', '-')}.toml"


@pytest.mark.heavy
def test_planted_bugs_are_found(tmp_path):
    """A run names each reader with a bug, by differing values; the reader without a bug has no finding.

    Files are those of the corpus: of 500 generated files none has columns of INT32 alone.
    """
    if not shutil.which("node"):
        pytest.skip("node not installed: the skeleton in js is not run here")
    clean = planted(tmp_path, "clean", "here to be replaced", "here to be replaced")
    manifests = [clean, *(planted(tmp_path, name, *PLANTS[name]) for name in PLANTS)]
    arguments = [part for manifest in manifests for part in ("--engine", str(manifest))]
    out = tmp_path / "out"
    files = ROOT / "corpora/parquet/encoding/plain/int32"
    done = colconf("run", *arguments, "--files", files, "--no-spark", "--report", "none", "--out", out)
    assert done.returncode == 1, done.stdout + done.stderr
    findings = [json.loads(line) for line in (out / "findings.ndjson").read_text("utf-8").splitlines()]
    assert {(finding["engine"], finding["verdict"]) for finding in findings} == {
        (f"reader_{name}", "different") for name in PLANTS
    }


@pytest.mark.parametrize("language", SKELETONS)
def test_a_skeleton_is_whole(language):
    """It has a manifest, a README with the build command, a small library, and no name of the templates."""
    files = rendered(language, "swift_reader")
    manifest = tomllib.loads(files["swift-reader.toml"])
    assert (manifest["name"], manifest["protocol"], manifest["formats"]) == ("swift_reader", 3, ["parquet"])
    skeleton = SKELETONS[language]
    assert files[skeleton.library].count("\n") <= LIBRARY_LINES
    assert skeleton.reader in files
    assert skeleton.build.replace("my_reader", "swift_reader") in files["README.md"]
    assert "swift_reader" in files[skeleton.reader] + files.get("Cargo.toml", "")
    assert not any("my_reader" in text or "my-reader" in text for text in files.values())


def test_each_language_has_a_folder():
    """The languages are the folders of templates."""
    assert {path.name for path in TEMPLATES.iterdir() if path.is_dir()} == set(SKELETONS)


def test_the_next_commands_are_printed(tmp_path):
    """After the folder is written, the commands that build, check and run the engine are printed."""
    result = new("--language", "go", tmp_path / "My Reader")
    assert result.output.splitlines() == [
        f"my_reader: written to {tmp_path}/My Reader. Next:",
        f"  cd '{tmp_path}/My Reader' && go build -o my_reader .",
        "  colconf engines check ./my-reader.toml",
        "  colconf run --engine ./my-reader.toml --engine reference --generate 200",
    ]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("9", "not a name"),
        ("a" * 41, "at most 40"),
        ("pyarrow", "colconf's own"),
        ("Mine", "not a name"),
        ("a/b", "not a name"),
    ],
)
def test_a_name_that_no_manifest_can_have_is_refused(name, reason, tmp_path):
    """A bad name ends the command with one line and status 2, and nothing is written."""
    result = new("--language", "js", "--name", name, tmp_path / "engine")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert reason in result.stderr
    assert not (tmp_path / "engine").exists()


def test_a_folder_that_is_not_empty_is_refused(tmp_path):
    """What is there is left alone: one line, status 2."""
    (tmp_path / "notes.txt").write_text("mine")
    for target in (tmp_path, tmp_path / "notes.txt"):
        result = new("--language", "js", "--name", "engine", target)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert "not an empty folder" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_folder_without_a_name_needs_one(tmp_path):
    """A folder of which no name can be made asks for --name."""
    result = new("--language", "js", tmp_path / "…")
    assert (result.exit_code, "give --name" in result.stderr) == (2, True)
    assert not Path(tmp_path / "…").exists()
