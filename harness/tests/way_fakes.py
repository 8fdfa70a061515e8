"""An engine with several ways to read a file, each named after what it does otherwise."""

import os

from harness.engines.errors import Unsupported
from harness.tests.fakes import Healthy, WrongValue

WAYS = ("default", "same", "other_values", "refuses", "dies", "lacks")


class Ways(Healthy):
    """Reads a file well in its default way."""

    name = "ways"

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        """Read a file in the way of the configuration."""
        way = config["way"]
        if way == "refuses":
            raise ValueError("not in this way")
        if way == "dies":
            os.abort()
        if way == "lacks":
            raise Unsupported("no such way")
        reader = WrongValue if way == "other_values" else Healthy
        return reader.read(self, file, format, config)
