"""What every generated script has to be, looked at by the tokens of Python, not by our generators."""

import io
import tokenize
from functools import lru_cache

FIRST = ["#!/usr/bin/env python3", "# -*- coding: utf-8 -*-"]
_LITERALS = ("STRING", "FSTRING_MIDDLE")


@lru_cache(4)
def code_of(text):
    """Return the tokens of a script that are no string literals: its code, and its comments."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if tokenize.tok_name[token.type] not in _LITERALS]


def check_source(text, plain):
    """Check that a script is ASCII of a declared coding, with the code of one made of plain names alone."""
    assert text.isascii()
    assert {one for one in text if not one.isprintable()} == {"\n"}
    assert text.split("\n")[:2] == FIRST
    compile(text.encode("ascii"), "script.py", "exec")
    assert code_of(text) == code_of(plain)
