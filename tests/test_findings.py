"""Findings: their levels, their form in JSON and as lines, and the refusal that carries them."""

import pytest

from scoring.common.findings import Finding, InputRefused, error, lines, note, split, warning


def test_levels():
    assert [make("code", "place", "words").level for make in (error, warning, note)] == [
        "error",
        "warning",
        "note",
    ]
    with pytest.raises(ValueError, match="fatal"):
        Finding("fatal", "code", "place", "words")


def test_as_dict():
    assert error("bad-label", "t.csv:3", "no class").as_dict() == {
        "level": "error",
        "code": "bad-label",
        "where": "t.csv:3",
        "message": "no class",
    }


def test_split_keeps_the_order():
    entries = [note("a", "1", ""), error("b", "2", ""), warning("c", "3", ""), error("a", "4", "")]
    assert split(iter(entries)) == ([entries[1], entries[3]], [entries[0], entries[2]])


def test_a_line_begins_with_level_code_and_place():
    assert list(lines([warning("absent-class", "MAL_OTH", "no case")])) == [
        "warning absent-class MAL_OTH: no case"
    ]


@pytest.mark.parametrize(
    ("count", "said"), [(19, []), (20, []), (21, ["error a and 1 more"]), (45, ["error a and 25 more"])]
)
def test_lines_of_a_code_are_counted_after_twenty(count, said):
    found = list(
        lines(
            [*(error("a", str(i), "x") for i in range(count)), error("b", "0", "y"), warning("a", "0", "z")]
        )
    )
    assert found == [
        *(f"error a {i}: x" for i in range(min(count, 20))),
        *said,
        "error b 0: y",
        "warning a 0: z",
    ]


def test_a_refusal_carries_everything():
    refused = InputRefused(
        [error("a", "1", "x"), error("b", "2", "y")], [note("c", "3", "z")], salvaged="rest"
    )
    assert ([p.code for p in refused.problems], [f.code for f in refused.findings], refused.salvaged) == (
        ["a", "b"],
        ["c"],
        "rest",
    )
    assert str(refused) == "a 1: x; b 2: y"
    assert InputRefused(iter([error("a", "1", "x")])).problems == (error("a", "1", "x"),)
