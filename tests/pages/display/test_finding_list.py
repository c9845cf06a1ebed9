"""Findings in the words of a page: labels for flags, and every case named once."""

import json

import pytest

from pages.display.finding_list import FLAG, sentence, without_flags
from tests.support.golden import FOLDER


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("as wrong (--missing wrong).", "as wrong (“Cases without a prediction: count as wrong”)."),
        ("--metric dice gives that score.", "“Ranked by: macro F1” gives that score."),
        ("--resamples", "“number of resamples”"),
        ("name them with --malignant", "name them with “malignant”"),
        ("a--b.csv:3, 2 - 1 -- and so on", "a--b.csv:3, 2 - 1 -- and so on"),
    ],
)
def test_a_flag_becomes_the_label_of_its_widget(message, words):
    assert without_flags(message) == words


@pytest.mark.parametrize(
    ("where", "message", "words"),
    [
        ("echo005", "case echo005 has no prediction in a.csv.", "case echo005 has no prediction in a.csv."),
        ("zeta: echo005", "case echo005 has no prediction.", "**zeta** case echo005 has no prediction."),
        ("echo0051", "case echo005 has no prediction.", "**echo0051** case echo005 has no prediction."),
        ("a.csv:3", "case echo005 has no class.", "**a.csv:3** case echo005 has no class."),
    ],
)
def test_a_case_is_named_once(where, message, words):
    """An organizer read "echo005 case echo005 has no prediction"."""
    assert sentence(where, message).replace("\\", "") == words


def test_no_message_keeps_a_flag():
    known = json.loads((FOLDER / "messages.json").read_text(encoding="utf-8"))
    messages = [text for text in _texts(known) if FLAG.search(text)]
    assert messages
    assert [text for text in messages if FLAG.search(without_flags(text))] == []


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _texts(part)]
