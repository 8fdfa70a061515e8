"""What an engine's message says is told apart from the name of the file in it."""

import pytest

from harness.engines.chdb.adapter import Chdb
from harness.engines.daft.adapter import Daft
from harness.engines.errors import text_without

FILE = "/data/(NOT_IMPLEMENTED) unsupported (LOGICAL_ERROR).parquet"


@pytest.mark.parametrize("engine", [Chdb, Daft])
@pytest.mark.parametrize(
    ("message", "kind"), [("{}: bad magic", "refused"), ("{}: not implemented: LZO", "unsupported")]
)
def test_the_name_of_a_file_says_nothing(engine, message, kind):
    """A file whose name has the words of another error is refused, not unsupported, and nothing panicked."""
    adapter = engine.__new__(engine)  # without its library
    adapter.file = FILE
    error = OSError(message.format(FILE))
    assert adapter.classify(error) == kind
    assert not adapter.panicked(error)


def test_types_that_daft_does_not_sort():
    """A column of bytes has no order in Daft, which its plan says."""
    adapter = Daft.__new__(Daft)
    adapter.file = FILE
    error = ValueError("DaftError::ValueError Cannot sort on expression col(value) with type: Binary")
    assert adapter.classify(error) == "unsupported"


def test_a_message_without_a_file():
    """Of no file, a message stays as it is; a name without its folder is left out, too."""
    assert text_without(OSError("bad magic"), "") == "bad magic"
    assert text_without(OSError("a.orc: bad magic"), "/data/a.orc") == ": bad magic"
