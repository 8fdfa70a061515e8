"""The gate, with engines that differ on purpose."""

import json
from dataclasses import replace

import pytest

from harness.children.connection import Limits
from harness.engines.naming import EngineName
from harness.investigate.upgrade import baseline, gate
from harness.investigate.upgrade.account import lines
from harness.investigate.upgrade.gate import upgrade
from harness.investigate.upgrade.request import Input, UpgradeRequest
from harness.judging.places import Config
from harness.runs.pipeline import pool
from harness.runs.pipeline.context import Generate
from harness.runs.pipeline.errors import PipelineError
from harness.tests.pipelines import Quiet, files, process
from harness.tests.schemas import check
from reports import upgrade_markdown
from reports.upgrade import build

LIMITS = Limits(start_seconds=20, seconds=5, sheet_file_seconds=0.1)


def versions(old, new, configs):
    """Return processes of two versions of a fake engine, and how the gate gets them."""
    told = tuple(Config(text, switches) for text, switches in configs)
    made = []
    for version, (cls, module) in (("1.0", old), ("2.0", new)):
        made.append(replace(process(cls, "fake", module, configs=told), version=version))
    return tuple(made)


HEALTHY = ("Healthy", "harness.tests.fakes")
HERE = "harness.investigate.upgrade.tests.fakes"
MODES = (("", {"mode": "new"}), ("mode=old", {"mode": "old"}))
PUSHED = (("", {"pushdown": "on"}), ("pushdown=off", {"pushdown": "off"}))


@pytest.fixture
def go(tmp_path, monkeypatch):
    """Return a function that runs the gate over files, checks what it writes, and returns its outcome."""

    def run(old, new, names=(), *, configs=MODES, reviewed=(), generate=None, overwrite=False, inputs=1):
        made = versions(old, new, configs)
        monkeypatch.setattr(gate, "processes", lambda *_: made)
        cases = files(tmp_path / "in", names).cases if names else ()
        one = Input("files-parquet", "parquet", cases, generate=generate, own=True)
        engines = EngineName("spark", "1.0"), EngineName("spark", "2.0")
        done = upgrade(
            UpgradeRequest(
                *engines,
                tuple(replace(one, name=f"files-parquet{number or ''}") for number in range(inputs)),
                tmp_path / "out",
                LIMITS,
                1,
                ("upgrade",),
                tuple(reviewed),
                overwrite=overwrite,
            ),
            Quiet(),
        )
        check(done.account, "upgrade:1", "account")
        for line in (tmp_path / "out/differences.ndjson").read_text().splitlines():
            check(json.loads(line), "upgrade:1", "difference")
        return done

    return run


def told(done):
    """Return class and count of each group, by what it says."""
    return {group["signature"]: (group["right"], group["cases"]) for group in done.account["groups"]}


def test_two_that_do_the_same(go):
    """Versions that do the same are signed off."""
    done = go(HEALTHY, HEALTHY, ["a", "b"])
    assert done.account["passed"]
    assert not done.unreviewed
    assert done.account["inputs"][0]["cases"] == 2
    assert done.account["inputs"][0]["differing"] == 0


def test_versions_start_once_for_all_inputs(go, monkeypatch):
    """The process of a version that has read one input reads the next one, too."""
    started = []
    connect = pool.connect
    monkeypatch.setattr(pool, "connect", lambda *given: started.append(given) or connect(*given))
    done = go(HEALTHY, HEALTHY, ["a", "b"], inputs=3)
    assert [part["cases"] for part in done.account["inputs"]] == [2, 2, 2]
    assert len(started) == 2


def test_own_files_of_which_nothing_is_compared_are_not_signed_off(go):
    """What the old version was not asked to read is counted apart, with the reason; nothing is signed off.

    A mode that the version lacks for a file that it reads is no reason.
    """
    done = go(("Lacking", HERE), HEALTHY, ["a", "no1", "no2"])
    (part,) = done.account["inputs"]
    assert (part["cases"], part["places"], part["unread"]) == (3, 1, 2)
    assert part["reasons"] == ["fake@1.0: this version scans folders without the option no"]
    assert not done.unreviewed
    assert not done.account["passed"]
    first, counted, why = list(lines(done.account))[:3]
    assert first.startswith("NOT signed off")
    assert "3 files, 1 answers" in counted
    assert why.strip() == f"of 2 of 3 files nothing could be compared: {part['reasons'][0]}"
    assert "of 2 of 3 files nothing could be compared" in upgrade_markdown.render(build(done.account))


def test_differences_are_grouped_by_cause(go):
    """Files that differ alike are one group; each says who is right, and which switch restores the old."""
    done = go(HEALTHY, ("Modern", HERE), ["a", "wide1", "wide2", "no1", "no2", "no3"])
    assert told(done) == {
        "fake | refuses | ValueError: cannot read <path>": ("regressed", 3),
        "fake | schema | int(32, signed) as int(64, signed)": ("regressed", 2),
    }
    for group in done.account["groups"]:
        assert group["restored"] == ["mode=old"]
        assert group["configs"] == {"": group["cases"]}
        assert group["causes"][0]["says"].startswith("Under mode=old the new version does")
    assert not done.account["passed"]


def test_the_way_back_is_an_improvement(go):
    """A difference in which the new version is right is reported as improved."""
    done = go(("Modern", HERE), HEALTHY, ["no1"])
    assert told(done) == {"fake | accepts | ValueError: cannot read <path>": ("improved", 1)}
    assert done.account["groups"][0]["explained"] == ["mode=old"]


def test_what_only_another_configuration_shows(go):
    """A difference under a switch alone names the switch in its signature."""
    done = go(HEALTHY, ("Quirky", HERE), ["a", "b"])
    assert list(told(done)) == ["fake:mode=old | refuses | Unsupported: no such mode any more"]


def test_pushdown(go, tmp_path):
    """Rows that only pushdown loses have a class of their own."""
    asked = Generate(3, 7, "harness.tests.pipelines:made")
    done = go(("Queried", "harness.tests.fakes"), ("LosesARow", HERE), configs=PUSHED, generate=asked)
    classes = {group["class"] for group in done.account["groups"]}
    assert classes == {"pushdown"}
    assert all(group["right"] == "regressed" for group in done.account["groups"])
    assert done.account["groups"][0]["smallest"]["probe"]
    assert (tmp_path / "out" / "differences.ndjson").stat().st_size


def test_a_baseline_signs_off(go):
    """What is reviewed does not fail the gate, whatever else is in the baseline."""
    entry = baseline.Reviewed("fake | refuses | *", "we have no such files", "ana", baseline.dt.date.today())
    done = go(HEALTHY, ("Modern", HERE), ["no1"], reviewed=[entry])
    assert done.account["passed"]
    assert done.account["groups"][0]["reviewed"]["reviewer"] == "ana"


def test_the_smallest_file_is_kept_with_a_script(go, tmp_path):
    """Each group has a folder with its smallest file and a script that is Python."""
    done = go(HEALTHY, ("Modern", HERE), ["no-this-is-longer", "no"])
    folder = tmp_path / "out" / done.account["groups"][0]["folder"]
    assert (folder / "file.parquet").read_bytes() == b"no"
    compile((folder / "reproduce.py").read_text("utf-8"), "reproduce.py", "exec")


def test_the_same_command_goes_on(go, tmp_path):
    """An input that was compared already is not compared again."""
    go(HEALTHY, HEALTHY, ["a"])
    before = (tmp_path / "out" / "runs" / "files-parquet" / "run.json").stat().st_mtime_ns
    assert go(HEALTHY, HEALTHY, ["a"]).account["passed"]
    assert (tmp_path / "out" / "runs" / "files-parquet" / "run.json").stat().st_mtime_ns == before


def test_a_damaged_comparison_is_replaced(go, tmp_path):
    """A damaged record of an input is refused by its name, and `--overwrite` compares again."""
    go(HEALTHY, HEALTHY, ["a"])
    record = tmp_path / "out" / "runs" / "files-parquet" / "run.json"
    record.write_text("")
    with pytest.raises(PipelineError, match=r"run again with --overwrite, or with another --out$"):
        go(HEALTHY, HEALTHY, ["a"])
    assert go(HEALTHY, HEALTHY, ["a"], overwrite=True).account["passed"]
    finished = record.stat().st_mtime_ns
    (tmp_path / "out" / "cases" / "009").mkdir(parents=True)
    assert go(HEALTHY, HEALTHY, ["a"], overwrite=True).account["passed"]
    assert record.stat().st_mtime_ns > finished  # a finished comparison is done again, too
    assert not (tmp_path / "out" / "cases").exists()


@pytest.mark.parametrize("overwrite", [False, True])
def test_digests_of_an_earlier_comparison(tmp_path, monkeypatch, overwrite):
    """Large files are compared again with `--overwrite` alone."""
    (tmp_path / "runs").mkdir()
    digests = tmp_path / "runs" / gate.large.DIGESTS
    digests.write_text("{}")
    left = []
    monkeypatch.setattr(gate.large, "compare", lambda *_: left.append(digests.exists()))
    engines = EngineName("spark", "1.0"), EngineName("spark", "2.0")
    request = UpgradeRequest(*engines, (), tmp_path, LIMITS, 1, (), overwrite=overwrite)
    one = Input("large-parquet", "parquet", large=True)
    gate._large(request, one, versions(HEALTHY, HEALTHY, MODES), tmp_path / "runs", Quiet())
    assert left == [not overwrite]


def test_a_folder_of_something_else_is_refused(go, tmp_path):
    """The gate writes into an empty folder, or into that of a comparison."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(PipelineError, match="holds other files; give another --out"):
        go(HEALTHY, HEALTHY, ["a"], overwrite=True)


def test_one_that_dies(go):
    """A version that crashes on a file is a difference of the gravest class, and the others are compared."""
    done = go(HEALTHY, ("Segfaults", "harness.tests.fakes"), ["a", "bad"])
    assert list(told(done)) == ["fake | dies | crashed, signal 11"]
    assert done.account["inputs"][0]["cases"] == 2


def test_the_account_is_data(go, tmp_path):
    """`upgrade.json` equals the account that the gate returns."""
    done = go(HEALTHY, ("Modern", HERE), ["no1"])
    assert json.loads((tmp_path / "out" / "upgrade.json").read_text()) == done.account
