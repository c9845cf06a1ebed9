"""Flags of the command line in the words of a page."""

import json

import pytest

from pages.display.finding_list import FLAG, without_flags
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
