"""Text of unknown origin."""

import html
import re
import shlex
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from harness.listings import text

# Anything at all, lone surrogates and controls too.
ANYTHING = st.text(st.characters(), max_size=60)


@given(ANYTHING)
def test_line_is_one_visible_line(told):
    """No control, no surrogate and no line break is left, whatever came in."""
    shown = text.line(told)
    assert len(shown.splitlines()) <= 1
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cs", "Zl", "Zp"}
    shown.encode("utf-8")


@given(ANYTHING)
def test_block_keeps_only_newlines_and_tabs(told):
    """Newlines and tabs stay, every other control is escaped."""
    shown = text.block(told)
    assert not [one for one in shown if unicodedata.category(one) in {"Cc", "Cs"} and one not in "\n\t"]
    assert shown.count("\n") == told.count("\n")


def test_long_text_is_cut_and_says_so():
    """A cut text says how much is missing, and its escapes do not blow it up without bound."""
    assert text.line("x" * 1_500, limit=500) == "x" * 500 + "… (1,000 more characters)"
    assert len(text.line("\x00" * 10_000_000)) < 10 * text.SHORT


def test_a_users_file_is_named_by_its_path(monkeypatch, tmp_path):
    """Output names a user's file as the user can open it, and a case of a corpus by its id."""
    monkeypatch.chdir(tmp_path)
    below, above = str(tmp_path / "in" / "My file.parquet"), str(tmp_path.parent / "x.orc")
    assert text.display_name("files/My file.parquet", below) == "in/My file.parquet"
    assert text.display_name("files/x.orc", above) == above
    assert text.display_name("parquet/plain/int32", below) == "parquet/plain/int32"
    assert text.display_name("files/gone", "") == "files/gone"
    assert text.display_name("tables/t/schema-0", str(tmp_path / "t")) == "t (schema-0)"
    assert text.display_path(str(tmp_path)) == tmp_path.name
    assert text.display_path(str(tmp_path / ".hidden")) == ".hidden"
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert text.display_path(below) == below


def test_bidirectional_controls_are_visible():
    """A name cannot turn the text around it."""
    assert text.line("a\u202egpj.exe") == "a\\u202egpj.exe"


def test_absent_text_is_empty():
    """None is no text, not the word None; a number is its digits."""
    assert text.line(None) == ""
    assert text.line(0) == "0"


def test_first_line():
    """The first line that says something stands for a message."""
    assert text.first_line("\n  \n boom \nmore") == "boom"
    assert text.first_line("") == ""
    assert len(text.first_line("x" * 900)) == 160


@given(ANYTHING)
def test_a_quoted_text_is_one_word_of_a_shell(told):
    """A shell takes it for one word, which is the visible text."""
    assert shlex.split(text.quoted(told)) == [text.line(told)]


@given(st.text("`a ~\\\n", max_size=20))
def test_code_ends_where_it_should(told):
    """Nothing in a span or a block is as long as what ends it, and it begins and ends with that."""
    span, fenced = text.code(told), text.fenced(told)
    fence = re.match("`+", span)[0]
    inner = span[len(fence) : -len(fence)]
    assert inner.strip(" ") == text.line(told).strip(" ")
    assert inner[0] != "`"
    assert inner[-1] != "`"
    assert len(fence) not in map(len, re.findall("`+", inner))
    first, *lines, last = fenced.split("\n")
    assert first == last == "`" * len(first)
    assert not [one for one in lines if re.match(rf" {{0,3}}`{{{len(first)},}} *$", one)]
    assert "\n".join(lines) == told


@given(ANYTHING)
def test_plain_text_has_no_syntax(told):
    """What Markdown would obey is a reference to the character, which a browser shows as it is."""
    made = text.plain(told)
    assert not set(re.sub("&#[0-9]+;", "", made)) & set("`*_[]<>|&@$~\\#")
    assert html.unescape(made) == text.line(told)
