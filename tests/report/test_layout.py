"""Texts and tables in so many columns: nothing is wider, columns stand below each other."""

from __future__ import annotations

import pytest

from assembly_solver.report.terminal.layout import Table, Text, cells, laid_out, wrapped
from assembly_solver.report.terminal.tables import table

pytestmark = pytest.mark.quick


def test_a_text_is_broken_between_words_and_a_long_word_anywhere() -> None:
    assert wrapped("one two  three", 8) == ["one two", "three"]
    assert wrapped("a abcdefghij k", 4) == ["a", "abcd", "efgh", "ij k"]
    assert wrapped("one\n- two", 9) == ["one", "- two"]
    assert wrapped("", 9) == [""]


def test_a_wide_character_takes_two_columns_and_a_combining_mark_none() -> None:
    assert [cells("ab"), cells("軸"), cells("e\u0301")] == [2, 2, 1]
    assert wrapped("軸軸軸", 4) == ["軸軸", "軸"]


def test_columns_are_aligned_below_a_ruled_head() -> None:
    blocks = table(("part", ">mm", "軸"), [("crank", 10.5, "x"), ("rod", 2, "yy")])
    assert laid_out(blocks, 80).split("\n") == [
        "",
        " part     mm  軸",
        " ───────────────",
        " crank  10.5  x",
        " rod       2  yy",
        "",
    ]


def test_where_a_table_is_too_wide_its_widest_columns_are_broken() -> None:
    blocks = table(("a", "several words"), [("short", "long " * 30), ("x", "y")])
    lines = laid_out(blocks, 40).split("\n")
    assert max(map(cells, lines)) <= 40
    assert lines[2] == " " + "─" * 38
    assert [line[:6] for line in lines[3:5]] == [" short", ""[:6].ljust(6)]
    assert sum(line.count("long") for line in lines) == 30


def test_a_column_that_is_not_broken_keeps_its_width() -> None:
    lines = laid_out([Table([("- - - - -", "one two three four")], whole=(0,))], 20).split("\n")
    assert lines == ["- - - - -  one two", " " * 11 + "three", " " * 11 + "four"]


def test_styles_are_codes_about_each_line_where_they_are_shown() -> None:
    blocks = [Text("it holds", "bold green"), Text("so it is")]
    assert laid_out(blocks, 5, True).split("\n")[:2] == [
        "\x1b[1;32mit\x1b[0m",
        "\x1b[1;32mholds\x1b[0m",
    ]
    assert laid_out(blocks, 80) == "it holds\nso it is"
