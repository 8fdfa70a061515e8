"""The bench of growth: what it measures becomes ratios and a picture."""

import xml.etree.ElementTree as ET

from harness.bench import growth
from harness.bench.growth import Point, svg


def test_ratios_are_per_case(tmp_path, monkeypatch):
    """Time is compared per case, memory as it is, each size with the first."""
    made = {10: Point(10, 1.0, 100), 100: Point(100, 20.0, 110), 1000: Point(1000, 100.0, 90)}
    monkeypatch.setattr(growth, "_measured", lambda _out, count, _master: made[count])
    found = growth.ratios(tmp_path, (10, 100, 1000), plot=tmp_path / "x.svg")
    assert [round(one.value, 2) for one in found] == [1.1, 2.0, 0.9, 1.0]
    assert ET.parse(tmp_path / "x.svg").getroot().tag.endswith("svg")


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
