"""Names that look alike are one team's, by the data of another package; ordinary names are not."""

import string
from itertools import combinations

import pytest
from confusable_homoglyphs.confusables import is_confusable

from scoring.common.text import TABLE, name_skeleton
from scoring.inputs.team_entries import name_problems

MOVED = {("i", "ӏ"), ("o", "೦"), ("O", "০"), ("O", "୦"), ("O", "𑓐")}
"""Where that package's Unicode 13 names another letter than Unicode 17: l, the large and the small o."""
ORDINARY = (
    *(f"Team {number}" for number in (1, 2, 3, 4, 5, 10, 11, 12, 20, 21, 100, 101, 110, 111)),
    *(
        *("Team A", "Team B", "Team C", "alpha", "Alpha", "ALPHA", "beta", "gamma", "delta", "deltas", "A-B"),
        "AB",
    ),
    *("Oslo", "Bern", "Zürich", "Zurich", "Praha", "Lisboa", "São Paulo", "Łódź", "Москва", "Минск", "Αθήνα"),
    *("北京", "上海", "東京", "서울", "nnU-Net", "nnU-Net v2", "U-Net", "UNet++", "ResNet-50", "ResNet-18"),
)


def similar(letter: str) -> list[str]:
    """Return the characters that the package finds similar to one."""
    known = is_confusable(letter, greedy=True, preferred_aliases=[])
    pairs = known[0]["homoglyphs"] if known else ()
    return [pair["c"] for pair in pairs if len(pair["c"]) == 1]


def is_refused(name: str, other: str) -> bool:
    return any(problem.code == "bad-option" for problem in name_problems(name, "here", [other]))


def test_every_character_that_looks_like_a_latin_letter_or_digit_makes_no_new_name():
    pairs = [(letter, c) for letter in string.ascii_letters + string.digits for c in similar(letter)]
    allowed = {(a, b) for a, b in pairs if not is_refused(f"team {b} 4", f"team {a} 4")}
    assert len(pairs) > 1_300
    assert allowed == MOVED
    assert all(name_skeleton(c) in "lOo" for _, c in MOVED)


@pytest.mark.parametrize("hyphen", "‐‑‒–—−﹘－⁃")
def test_every_dash_is_a_hyphen(hyphen):
    assert is_refused(f"A{hyphen}B", "A-B")


@pytest.mark.parametrize("quote", "’ʼ‘`´′＇")
def test_every_apostrophe_is_one(quote):
    assert is_refused(f"Cox{quote}s", "Cox's")


@pytest.mark.parametrize(
    "unseen", "\u2800\u115f\u1160\u3164\uffa0\u034f\ufe00\ufe0f\u17b4\u200b\u200d\u200f\u2060\u00ad\U000e0101"
)
def test_what_is_not_seen_makes_no_name_and_no_new_one(unseen):
    assert is_refused(f"alpha{unseen}", "alpha")
    assert is_refused(unseen * 2, "alpha")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Zu\u0308rich", "Z\u00fcrich"),
        ("team\u00a0 one", "team one"),
        ("ｔｅａｍ", "team"),
        ("𝐭𝐞𝐚𝐦", "team"),
        ("Team²", "Team2"),
        ("modern", "modem"),
        ("Team l", "Team 1"),
        ("Team I", "Team 1"),
        ("TEAM 0", "TEAM O"),
    ],
)
def test_other_ways_to_write_a_name_make_no_new_one(name, other):
    assert is_refused(name, other)


def test_ordinary_names_stay_apart():
    pairs = list(combinations(ORDINARY, 2))
    assert len(pairs) > 1_000
    assert [pair for pair in pairs if is_refused(*pair) or is_refused(*reversed(pair))] == []


def test_the_table_names_its_source_and_its_licence():
    header = TABLE.read_text(encoding="ascii").splitlines()[:3]
    assert "Unicode 17.0" in header[0]
    assert "Unicode-3.0" in header[2]
