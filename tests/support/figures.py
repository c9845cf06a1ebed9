"""What tests read off a figure."""

import pytest

from scoring.presentation.figures.theme import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
HOSTILE = "<a href='https://example.org'>stranger</a>"
"""A name that must never become an element."""


def trace(figure, name):
    return next(t for t in figure.data if t.name == name)


def words(figure):
    return [a.text for a in figure.layout.annotations]


def risks(card):
    return {name: entry["risk"] for name, entry in card.per_class.items()}
