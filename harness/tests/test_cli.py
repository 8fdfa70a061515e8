"""The command `colconf`: its commands, and that what goes wrong is one line and a status."""

import os
import signal
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import cli
from harness.commands import corpus
from harness.commands.parameters import problems
from harness.commands.run import run
from harness.problem import Problem
from harness.version import __version__


def plugin(name, value):
    """Return an entry point of the group of commands."""
    return EntryPoint(name, value, cli.GROUP)


@pytest.fixture
def plugins(monkeypatch):
    """Install commands for a test."""
    points = [plugin("run", "harness.commands.run:run")]
    monkeypatch.setattr(cli, "entry_points", lambda group: points if group == cli.GROUP else [])
    monkeypatch.setattr(cli, "CHECKOUT", Path("no checkout"))
    return points


@click.command()
@click.argument("number", type=int)
def raises(number):
    """Send a signal to this process."""
    signal.raise_signal(number)


@click.command()
@click.option("--how")
def fails(how):
    """Fail in some way."""
    match how:
        case "problem":
            raise Problem("two\nlines")
        case "interrupt":
            raise KeyboardInterrupt
        case "mistake":
            raise RuntimeError("ours")
        case "pipe":
            raise BrokenPipeError
        case "exit":
            click.get_current_context().exit(1)


def test_a_closed_pipe_is_no_problem_of_a_file():
    """`export … | head` ends without a message, as other commands do."""
    with pytest.raises(BrokenPipeError), problems("standard output"):
        raise BrokenPipeError


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_end_as_an_interrupt_does(plugins, capsys, number):
    """SIGTERM and SIGHUP end a command with a line and their status, and are no longer caught afterwards."""
    outside = signal.signal(number, signal.SIG_DFL)  # under nohup, SIGHUP is ignored
    plugins.append(plugin("raises", "harness.tests.test_cli:raises"))
    try:
        assert cli.main(["raises", str(int(number))]) == 128 + number
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, outside)
    assert capsys.readouterr().err == "\ncolconf: interrupted\n"  # click ends the line of a progress bar


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rnu"], "no such command: 'rnu'; did you mean run?"),
        ([__file__], f"to have engines read it: colconf run --files {__file__}"),
        (["run", "x.parquet"], "files are named by --files"),
        (["xyzzyx"], "no such command: 'xyzzyx' (see colconf --help)"),
        (["validate", ""], "an empty argument; is a shell variable unset? (see colconf --help)"),
        (
            ["inspect", "--json", "--", ""],
            "an empty argument; is a shell variable unset? (see colconf --help)",
        ),
    ],
)
@pytest.mark.usefixtures("plugins")
def test_typos(capsys, arguments, message):
    """A typo, and a file where a command or an option is wanted, are one line with the remedy, status 2."""
    assert cli.main(arguments) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert (shown.out, shown.err.count("\n")) == ("", 1)


@pytest.mark.usefixtures("plugins")
def test_a_command_s_help_ends_with_examples(capsys):
    """The help of a command ends with two lines that can be copied."""
    assert cli.main(["run", "--help"]) == 0
    *_, title, first, second = capsys.readouterr().out.strip().splitlines()
    assert (title.strip(), first.split()[:2], second.split()[:2]) == (
        "Examples:",
        ["colconf", "run"],
        ["colconf", "run"],
    )


def test_an_ignored_signal_stays_ignored(plugins):
    """What `nohup` has a process ignore does not end a command."""
    plugins.append(plugin("raises", "harness.tests.test_cli:raises"))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert cli.main(["raises", str(int(signal.SIGHUP))]) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_commands_come_from_entry_points(plugins, capsys):
    """The help lists what is installed."""
    plugins.append(plugin("zebra", "harness.tests.test_cli:fails"))
    assert cli.main(["--help"]) == 0
    told = capsys.readouterr().out
    assert "zebra" in told
    assert "run" in told


@pytest.mark.parametrize("value", ["no_such_module:x", "harness.cli:no_such_name", "harness.cli:GROUP"])
def test_a_broken_plugin_is_one_line(plugins, capsys, value):
    """A command that cannot be loaded is listed as such and fails with one line; the others work."""
    plugins.append(plugin("broken", value))
    assert cli.main(["--help"]) == 0
    assert "(cannot be loaded)" in capsys.readouterr().out
    assert cli.main(["broken", "--anything"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"colconf: the command broken ({value}) cannot be loaded: ")
    assert said.count("\n") == 1
    assert cli.main(["run", "--help"]) == 0


def test_a_checkout_knows_its_new_commands(monkeypatch):
    """A command that the installed metadata lacks is there; a broken project adds none."""
    monkeypatch.setattr(cli, "entry_points", lambda group: [])  # noqa: ARG005 - the interface
    declared = tomllib.loads(cli.CHECKOUT.read_text())["project"]["entry-points"][cli.GROUP]
    context = click.Context(cli.colconf)
    assert cli.colconf.list_commands(context) == sorted(declared)
    monkeypatch.setattr(cli, "CHECKOUT", Path(__file__))
    assert cli.colconf.list_commands(context) == []


def test_version(capsys):
    """--version names the program and its version."""
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"colconf {__version__}\n"


def test_without_arguments(plugins, capsys):  # noqa: ARG001 - installed for the help
    """Without a command there is help, on standard error, and the status of a usage error."""
    assert cli.main([]) == 2
    assert "Usage: colconf" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("how", "status", "said"),
    [
        ("problem", 2, "colconf: two\n"),
        ("interrupt", 130, "\ncolconf: interrupted\n"),
        ("exit", 1, ""),
        ("nothing", 0, ""),
    ],
)
def test_statuses(plugins, capsys, how, status, said):
    """Each way a command ends has its status; problems are one line."""
    plugins.append(plugin("fails", "harness.tests.test_cli:fails"))
    assert cli.main(["fails", "--how", how]) == status
    assert capsys.readouterr().err == said


def test_a_mistake_of_ours_is_no_finding(plugins, capsys):
    """An exception that nobody expected is shown, and its status is not that of findings."""
    plugins.append(plugin("fails", "harness.tests.test_cli:fails"))
    assert cli.main(["fails", "--how", "mistake"]) == 2
    said = capsys.readouterr().err
    assert "RuntimeError: ours" in said
    assert said.endswith("please report it\n")


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["run", "--nonsense"], ["run", "--profile", "huge"], ["run", "extra"]]
)
def test_bad_usage_is_one_line(plugins, capsys, arguments):  # noqa: ARG001 - commands are installed
    """An unknown command or option, and a value that is none, are one line, which says where help is."""
    assert cli.main(arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--help)" in said


def test_a_real_process(tmp_path):
    """The real thing, in a process of its own: one line on standard error, status 2, nothing else."""
    code = (
        "import sys; from harness import cli; from harness.commands.run import run;"
        "cli.colconf.add_command(run); sys.exit(cli.main())"
    )
    missing = tmp_path / "missing"
    command = [sys.executable, "-c", code, "run", "--files", str(missing)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"colconf: {missing}: No such file or directory\n"
    assert list(tmp_path.iterdir()) == []


def test_run_is_a_command():
    """What the entry point names is a command."""
    assert isinstance(run, click.Command)


def test_help_begins_with_what_newcomers_need(capsys):
    """The help of colconf has two groups; the first has five commands, in the order of their use."""
    assert cli.main(["--help"]) == 0
    first, further = capsys.readouterr().out.split("Begin with:")[1].split("Further commands:")
    names = [line.split()[0] for line in first.splitlines() if line[:2] == "  " != line[2:4]]
    assert names == ["run", "validate", "upgrade", "replay", "doctor"]
    assert {"fuzz", "site", "known"} < set(further.split())


@pytest.mark.parametrize("name", ["fuzz", "corpus", "findings", "list", "known"])
def test_a_group_alone_prints_its_help(name, capsys):
    """Nothing is begun."""
    assert cli.main([name]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"Usage: colconf {name} ")
    assert "Commands:" in printed.err or "Usage: colconf fuzz" in printed.err
    assert printed.out == ""


def test_a_closed_pipe_is_not_the_status_of_findings():
    """`colconf list cases | head` ends with 2 and without a message, wherever the pipe closes."""
    command = [sys.executable, "-m", "harness.cli", "list", "cases"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listing:
        listing.stdout.close()
        assert listing.stderr.read() == b""
    assert listing.returncode == 2


def test_a_command_that_ends_with_a_status_keeps_it(monkeypatch):
    """`corpus lint` ends with 1 where it has found problems."""
    monkeypatch.setattr(corpus, "lint_problems", lambda: ["one"])
    with pytest.raises(SystemExit, match=r"^1$"):
        cli.main(["corpus", "lint"])


def test_names_are_shown_where_output_is_ascii(tmp_path):
    """A character that the encoding of standard output lacks is escaped."""
    file = tmp_path / "one.parquet"
    pq.write_table(pa.table({"ä": [1]}), file)
    command = [sys.executable, "-m", "harness.cli", "inspect", str(file)]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=ascii_only, capture_output=True, check=True)
    assert rb"\xe4" in done.stdout
