"""`python -m harness.tests.chaos.struck FAULT AT MARK ARGUMENTS…`: colconf on a disk with a fault at a place.

A kill ends this process at once, as SIGKILL does. The file MARK is there once the fault has struck.
"""

import os
import sys
from pathlib import Path

from corpora.files import HOOKS
from harness import cli
from harness.tests.faulty_disk import FaultyDisk, Killed


class Striking(FaultyDisk):
    """A faulty disk of a process of its own."""

    mark = Path()

    def _strike(self):
        self.mark.touch()
        try:
            super()._strike()
        except Killed:
            os._exit(137)


if __name__ == "__main__":
    fault, at, mark, *arguments = sys.argv[1:]
    HOOKS.disk = Striking(fault, int(at))
    HOOKS.disk.mark = Path(mark)
    sys.argv = ["colconf", *arguments]
    sys.exit(cli.main())
