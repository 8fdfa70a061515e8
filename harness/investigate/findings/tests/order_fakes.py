"""Engines for the replay of what depends on the files that were read before."""

from harness.engines.reference.adapter import Reference


class Sound(Reference):
    """Reads as the reference does."""


class SpoiltByDates(Sound):
    """Reads nothing any more once it has read a date."""

    spoilt = False

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        """Read a file, if no file with dates was read before."""
        if self.spoilt:
            raise ValueError("spoilt")
        table = super().read(file, format, config)
        self.spoilt = any(column.type.kind == "date" for column in table.columns)
        return table
