"""Output of commands in a terminal or pipe whose encoding has few letters."""

import io
import sys

import pytest

from ldpcourse._console import say


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "1 ≤ 2 ≥ 1 ≠ 3 ≈ 3.1 ł"),
        ("cp1252", "1 <= 2 >= 1 != 3 ~ 3.1 ?"),
        ("ascii", "1 <= 2 >= 1 != 3 ~ 3.1 ?"),
        ("cp437", "1 ≤ 2 ≥ 1 != 3 ≈ 3.1 ?"),
    ],
)
def test_relation_is_printed_in_any_encoding(monkeypatch, encoding, told):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, newline="\n"))
    say("1 ≤ 2 ≥ 1 ≠ 3 ≈ 3.1 ł")
    assert raw.getvalue().decode(encoding) == f"{told}\n"
