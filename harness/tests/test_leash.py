"""The leash of engine processes: what a program finds when it begins."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.children import leash

STATUS = Path("/proc/self/status")
BECOME = (
    "import sys; from harness.children.worker import become; "
    f"become(['/bin/cat', '{STATUS}'], sys.stdin.buffer, sys.stdout.buffer)"
)


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells which signals a process ignores")
@pytest.mark.parametrize(
    "arguments",
    [("-I", "-S", leash.__file__, "/bin/cat", str(STATUS)), ("-c", BECOME)],
    ids=["leash", "become"],
)
def test_a_program_ignores_no_signals(arguments):
    """SIGPIPE and SIGXFSZ, which Python ignores, end a program as they do by default."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("SigIgn:"))
    ignored = int(line.split()[1], 16)
    assert not any(ignored >> (number - 1) & 1 for number in (signal.SIGPIPE, signal.SIGXFSZ))
