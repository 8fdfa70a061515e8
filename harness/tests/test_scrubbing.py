"""No key that an engine was given stands in what it says, however it spells it."""

import base64

import pytest

from corpora.keys import TEST_KEYS, Keys
from harness.children.connection import Connection, worker_command
from harness.children.outcomes import Detail
from harness.children.scrubbing import REDACTED, scrubbed
from harness.engines.registry import Entry

KEY = bytes.fromhex("00ff7b2d5c41e9803a2f6b7f0a9e1c5d")
SIGNED = [byte - 256 * (byte > 127) for byte in KEY]
SPELLINGS = [
    KEY.hex(),
    KEY.hex().upper(),
    KEY.hex(":"),
    KEY.hex(" "),
    ", ".join(f"0x{byte:02x}" for byte in KEY).replace(", ", " "),
    base64.b64encode(KEY).decode(),
    base64.urlsafe_b64encode(KEY).decode().rstrip("="),
    str(list(KEY)),
    str(SIGNED),
    repr(KEY),
    KEY.decode("latin-1"),
    KEY.decode("utf-8", "backslashreplace"),
]


@pytest.mark.parametrize("spelled", SPELLINGS, ids=range(len(SPELLINGS)))
def test_spellings(spelled):
    """Each usual spelling of a key is taken out of class, message and standard error; the rest stays."""
    text = f"cannot decrypt with <{spelled}>, sorry"
    clean = scrubbed(Detail(error_class=text, message=text, stderr=text), [KEY])
    assert {clean.error_class, clean.message, clean.stderr} == {clean.message}
    assert REDACTED in clean.message
    assert clean.message.startswith("cannot decrypt with <")
    assert clean.message.endswith(">, sorry")
    assert spelled.strip("[]")[:40] not in clean.message


@pytest.mark.parametrize("spelled", SPELLINGS, ids=range(len(SPELLINGS)))
def test_clipped_texts(spelled):
    """Wherever a text is cut, at its end or its beginning, no run of four units of the key is left."""
    inner = spelled.strip("[]") if ", " in spelled else spelled
    for cut in range(1, len(inner)):
        clipped = [
            f"cannot decrypt with {inner[:cut]}",
            f"not JSON: b'{inner[:cut]}'",
            f"{inner[cut:]}, sorry",
        ]
        for text in clipped:
            clean = scrubbed(Detail(stderr=text), [KEY]).stderr
            for at in range(len(inner) - 19):
                assert inner[at : at + 20] not in clean, (text, clean)
            assert len(clean) <= len(text) or clean.count(REDACTED) == 1
    clean = scrubbed(Detail(stderr=f"with {inner[: len(inner) * 3 // 4]}"), [KEY]).stderr
    assert clean.removeprefix("with ").removeprefix("b'") == REDACTED


def test_other_texts_stay():
    """What is no key, and colconf's own test keys, which are public, stay as they are."""
    public = next(iter(TEST_KEYS))
    text = f"{KEY[:8].hex()} {public.hex()} 1, 2, 3"
    assert scrubbed(Detail(message=text), [KEY, public]).message == text


def test_of_a_connection(tmp_path):
    """An engine's refusal does not repeat a key, nor does what it says of a later file."""
    file = tmp_path / "x.parquet"
    file.write_bytes(b"")
    with Connection(worker_command(Entry("x", "harness.tests.fakes", "TellsKeys"))) as connection:
        first = connection.read(file, "parquet", {}, keys=Keys(footer=KEY))
        later = connection.read(file, "parquet", {})
    for outcome in (first, later):
        assert outcome.detail.message == f"the key is {REDACTED}"
        assert KEY.hex() not in str(outcome)
