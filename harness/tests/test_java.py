"""Which Java a Spark of a version runs on."""

from __future__ import annotations

import pytest

from harness.children import java
from harness.children.java import Java


def here(*versions):
    """Return Javas of versions, each at home in a folder of its own."""
    return [Java(f"/jvm/{version}/bin/java", version, "") for version in versions]


@pytest.mark.parametrize(
    ("spark", "there", "chosen"),
    [
        ("3.2.4", (8, 11, 17, 21), 17),
        ("3.3.4", (8, 11), 11),
        ("3.5.9", (8, 21), 8),
        ("3.5.9", (25, 17), 17),
        ("4.0.0.dev1", (11, 21), 21),
        ("4.0.1", (25, 17), 17),
        ("4.1.0", (25, 21), 21),
        ("4.2.0", (25,), 25),
        ("4.3.0", (25, 17), 17),
        ("5.0.0", (25,), 25),
        ("3.5.9", (21, 25), 0),
        ("4.0.1", (8, 11, 25), 0),
        ("4.0.1", (), 0),
    ],
)
def test_the_table(monkeypatch, spark, there, chosen):
    """Each Spark gets the best of the Javas it runs on, or none of the others."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    found = java.choose(spark, here(*there))
    assert found.version == chosen
    assert bool(found.problem) == (chosen == 0)


def test_the_mend_is_one_line(monkeypatch):
    """What is wanted, what is here, and how to mend it."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert java.choose("3.5.9", here(25)).problem == (
        "Spark 3.5.9 runs on Java 8 or 11 or 17, and here is 25 (/jvm/25); "
        "install openjdk-17-jre-headless or the like, or set JAVA_HOME"
    )


def test_java_home_goes_before(monkeypatch):
    """The user's own Java is taken where it suits, and only there."""
    monkeypatch.setenv("JAVA_HOME", "/jvm/11")
    assert java.choose("3.5.9", here(8, 11, 17)).version == 11
    assert java.choose("4.0.1", here(8, 11, 17)).version == 17


def test_variables():
    """JAVA_HOME is set; Spark 3.2 on Java 17 is given the options that later ones give themselves."""
    (found,) = here(17)
    assert java.variables("3.3.4", found) == {"JAVA_HOME": "/jvm/17"}
    options = java.variables("3.2.4", found)["JDK_JAVA_OPTIONS"]
    assert "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED" in options
    assert java.variables("3.2.4", here(11)[0]) == {"JAVA_HOME": "/jvm/11"}


def test_all_that_are_here(monkeypatch, tmp_path):
    """JAVA_HOME's comes first; a link is the Java it leads to; a file `release` tells the version."""
    for name, said in (("a", '"17.0.15"'), ("b", '"1.8.0_402"')):
        (tmp_path / name / "bin").mkdir(parents=True)
        program = tmp_path / name / "bin" / "java"
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
        (tmp_path / name / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION={said}\n')
    (tmp_path / "c").symlink_to(tmp_path / "a")
    (tmp_path / "d" / "bin").mkdir(parents=True)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "b"))
    monkeypatch.setenv("PATH", str(tmp_path / "a" / "bin"))
    monkeypatch.setattr(java, "_SYSTEM", (f"{tmp_path}/*",))
    monkeypatch.setattr(java, "_USERS", ())
    monkeypatch.setattr(java, "_MAC", ())
    monkeypatch.setattr(java, "_MAC_HOME", str(tmp_path / "none"))
    monkeypatch.delenv("SDKMAN_DIR", raising=False)
    assert [(one.version, one.home) for one in java.all_here()] == [
        (8, str(tmp_path / "b")),
        (17, str(tmp_path / "a")),
    ]


def test_one_that_is_asked(tmp_path):
    """Without a file `release`, the program is run; what says no version is no Java."""
    program = tmp_path / "java"
    program.write_text("#!/bin/sh\necho 'openjdk version \"21.0.1\"' >&2\n")
    program.chmod(0o755)
    assert java.at(str(program)).version == 21
    program.write_text("#!/bin/sh\necho hello\n")
    assert java.at(str(program)).problem.endswith("it says hello")
