"""Engines that are built with a sanitizer: their reports become the cause of a crash."""

import shutil
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from harness.children.foreign import Foreign
from harness.children.sanitizer import VARIABLES, report
from harness.commands.run import run
from harness.engines.registry import ENGINES
from harness.judging.results import load

_FILE = "/src/arrow/decode.cc"


_OVERFLOW = f"{_FILE}:3:9: runtime error: signed integer overflow: 1 + 2\n"


@pytest.mark.parametrize(
    ("stderr", "message"),
    [
        (
            f"x\nSUMMARY: AddressSanitizer: overflow {_FILE}:2:7 in ns::f<int>(char*)\n==1==A",
            "overflow in ns::f<int>",
        ),
        (f"SUMMARY: AddressSanitizer: SEGV {_FILE}:21 in g", "SEGV in g"),
        ("SUMMARY: AddressSanitizer: SEGV (/lib/libarrow.so+0x1f) in h(int)", "SEGV in h"),
        ("SUMMARY: AddressSanitizer: SEGV (/lib/libarrow.so+0x1f)", "SEGV"),
        (f"SUMMARY: AddressSanitizer: stack-overflow {_FILE}:9:1", "stack-overflow in decode.cc"),
        ("SUMMARY: AddressSanitizer: data race a.cc:3:1 in f", "data race in f"),
        (
            f"{_OVERFLOW}SUMMARY: AddressSanitizer: undefined-behavior {_FILE}:3:9 in ",
            "signed integer overflow: 1 + 2 in decode.cc",
        ),
        ("==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60", "heap-use-after-free"),
    ],
)
@pytest.mark.parametrize("tool", ["AddressSanitizer", "ThreadSanitizer", "UndefinedBehaviorSanitizer"])
def test_reports(stderr, message, tool):
    """The kind of the mistake and the function count; addresses, lines and parameters do not."""
    assert report(stderr.replace("AddressSanitizer", tool)) == (tool, message)


@pytest.mark.parametrize("stderr", ["", "Segmentation fault", "SUMMARY: 3 tests", "ERROR: AddressSanitizer"])
def test_other_text_is_no_report(stderr):
    """What is no report changes nothing."""
    assert report(stderr) is None


_READER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) int decode_levels(char *p, int at) { return p[at]; }
__attribute__((noinline)) int decode_values(char *p) { free(p); return p[0]; }
int main(void) {
    char *line = 0, *id;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        int number = (id = strstr(line, "\"id\":")) ? atoi(id + 5) : -1;
        if (strstr(line, "describe"))
            printf("{\"v\":3,\"id\":%d,\"description\":{\"name\":\"sane\",\"version\":\"1.0\"}}\n", number);
        else if (strstr(line, "levels"))
            return decode_levels(malloc(4), 12);
        else if (strstr(line, "values"))
            return decode_values(malloc(4));
        else
            printf("{\"v\":3,\"id\":%d,\"error\":{\"kind\":\"unsupported\",\"class\":\"\",\"message\":\"\",\"phase\":\"\"}}\n",
                   number);
        fflush(stdout);
    }
}
"""


@pytest.fixture
def manifest(tmp_path, monkeypatch):
    """Return the manifest of a reader in C that AddressSanitizer watches; skip where it cannot be built."""
    monkeypatch.setitem(ENGINES, "sane", None)
    del ENGINES["sane"]
    (tmp_path / "sane.c").write_text(_READER)
    built = shutil.which("gcc") and subprocess.run(
        ["gcc", "-g", "-w", "-fsanitize=address", "sane.c", "-o", "sane"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    if not built or built.returncode:
        pytest.skip("gcc with AddressSanitizer is not installed")
    file = tmp_path / "sane.toml"
    file.write_text('protocol = 3\nname = "sane"\ncommand = ["./sane"]\nformats = ["parquet"]\n')
    return file


@pytest.mark.sweep(2)
@pytest.mark.parametrize("options", ["", "abort_on_error=1"])
def test_a_build_with_a_sanitizer(manifest, tmp_path, monkeypatch, options):
    """Two mistakes are two findings, named by their functions, also where the process ends by a signal."""
    monkeypatch.setenv("ASAN_OPTIONS", options)
    for name in ("levels-1", "levels-2", "values", "other"):
        pq.write_table(pa.table({name: [1]}), tmp_path / f"{name}.parquet")
    arguments = [
        "--files",
        tmp_path,
        "--engine",
        manifest,
        "--no-spark",
        "--queries",
        "none",
        "--out",
        tmp_path / "out",
    ]
    done = CliRunner().invoke(run, [*map(str, arguments), "--report", "none"])
    assert done.exit_code == 1, done.output
    results = load(tmp_path / "out")
    assert sorted(finding.signature for finding in results.findings) == [
        "sane | crashed | AddressSanitizer: heap-buffer-overflow in decode_levels",
        "sane | crashed | AddressSanitizer: heap-use-after-free in decode_values",
    ]
    died = next(row for row in results.rows if row.engine == "sane" and row.verdict == "crashed")
    assert (died.detail.signal, died.detail.exit_status) == ((6, None) if options else (None, 1))
    assert "SUMMARY: AddressSanitizer" in died.detail.stderr


def test_foreign_engines_are_given_the_options():
    """The options of sanitizers are passed without being named in a manifest, other variables are not."""
    given = {**dict.fromkeys(VARIABLES, "x=1"), "SECRET": "1"}
    assert Foreign("sane", ("parquet",)).environment(given) == dict.fromkeys(VARIABLES, "x=1")
