"""The bench of growth: what it measures becomes ratios and a picture."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET

from harness.bench import growth
from harness.bench.scale import Point, svg, write


def test_ratios_are_per_case(tmp_path, monkeypatch):
    """Time is compared per case, memory as it is, each size with the first."""
    points = {
        10: Point(10, 1.0, 100, 0, 0.1, 2.0),
        100: Point(100, 20.0, 110, 0, 0.1, 10.0),
        1000: Point(1000, 100.0, 90, 0, 0.1, 220.0),
    }
    monkeypatch.setattr(growth, "_measured", lambda _out, count, _master: points[count])
    found = growth.ratios(tmp_path, (10, 100, 1000), page=tmp_path / "x.md")
    assert [round(one.value, 2) for one in found] == [1.1, 2.0, 0.5, 0.9, 1.0, 1.1]
    assert ET.parse(tmp_path / "x-threads.svg").getroot().tag.endswith("svg")


def test_the_picture():
    """Each size has its value; the higher value stands higher, and nothing is outside."""
    text = svg([Point(1_000, 100.0, 200 << 20), Point(100_000, 11_000.0, 210 << 20)])
    said = [one.text for one in ET.fromstring(text).iter("{http://www.w3.org/2000/svg}text")]
    assert said[:4] == ["100 ms per case", "1,000", "110 ms per case", "100,000"]
    assert said[4:] == ["200 MiB", "1,000", "210 MiB", "100,000"]
    circles = list(ET.fromstring(text).iter("{http://www.w3.org/2000/svg}circle"))
    heights = [float(one.get("cy")) for one in circles]
    assert heights[1] < heights[0]
    assert all(0 < height < 400 for height in heights)


def test_the_page(tmp_path):
    """A section for each way to run, that of one process first; on paper, cores share all but the driver."""
    page = tmp_path / "scale.md"
    write(
        page,
        [Point(1_000, 60.0, 1 << 30, 0, 1.0, 99.0), Point(10_000, 500.0, 1 << 30, 3 << 20, 10.0, 1000.0)],
        "local[2]",
        "M",
    )
    write(page, [Point(1_000, 40.0, 200 << 20, 0, 20.0)], "", "M")
    write(page, [Point(1_000, 50.0, 200 << 20, 0, 20.0)], "", "M")
    text = page.read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Scale",
        "## In threads of one process",
        "## Spark local[2]",
    ]
    assert "| 10,000 | 500 | 50.0 | 1,024 MiB | 3 MiB | 100.0 | 1.00 |" in text
    assert "| 1,000 | 50 | 50.0 | 200 MiB | 0 MiB | 0.0 | 20.00 |" in text
    assert "| 1,000 | 40 |" not in text
    # 100 ms of a core for each case, 1 ms of them in the driver
    words = " ".join(text.split())
    assert "limit, at 1,000 cases a second. More than 100 cores would not shorten a run" in words
    assert (tmp_path / "scale-local-2.svg").is_file()
    assert (tmp_path / "scale-threads.svg").is_file()


def test_memory_of_engines_counts_separately():
    """The memory of an engine's child process counts separately, but for the reference's."""
    wait = [sys.executable, "-c", "import sys; sys.stdin.read()", "harness.children.worker"]
    for adapter in ("harness.engines.pyarrow.adapter:PyarrowParquet", "a:Reference"):
        with subprocess.Popen([*wait, adapter], stdin=subprocess.PIPE) as child:
            cpu = growth._used(os.getpid()).cpu
            assert {child.pid, os.getpid()} <= {pid for pid, _ in cpu}
            assert sum(cpu.values()) > 0
            single = growth._used(child.pid)
            assert [size > 0 for size in single[:2]] == [adapter == "a:Reference", adapter != "a:Reference"]
            child.communicate()
