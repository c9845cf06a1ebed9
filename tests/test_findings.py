"""Findings: their levels, their form in JSON and as lines, and the refusal that carries them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.common.findings import (
    Finding,
    InputRefused,
    ProblemCollector,
    error,
    lines,
    note,
    split,
    warning,
)
from tests.support.command_line import run


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


FINDINGS = st.builds(error, st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from("12"))


@given(st.lists(st.lists(FINDINGS)))
def test_no_refusal_holds_the_same_line_twice(inputs):
    collector = ProblemCollector()
    for problems in inputs:
        collector.add(problems, ())
        assert len(set(InputRefused(problems).problems)) == len(InputRefused(problems).problems)
    assert collector.problems == list(dict.fromkeys(p for problems in inputs for p in problems))


@pytest.mark.parametrize("data", [b"a\n1,2\n", b"PK\3\4", b"RDX3\nX\n", b"\x89PNG", b'["\\ud800"]'])
@pytest.mark.parametrize("challenge", ["isic", "melanoma", "tricorder3"])
def test_one_file_as_truth_and_submission_is_refused_with_each_line_once(data, challenge, tmp_path):
    (tmp_path / "p").write_bytes(data)
    done = run("score", challenge, "--truth", tmp_path / "p", "--predictions", tmp_path / "p")
    told = [line for line in done.err.splitlines() if line.startswith("error ")]
    assert told
    assert len(set(told)) == len(told)
