"""Blocks as a page shows them: each kind, what is kept, and for whom."""

import itertools
import json

import pandas as pd
import pytest
from streamlit.elements.lib.pandas_styler_utils import marshall_styler
from streamlit.proto.ArrowData_pb2 import ArrowData
from streamlit.testing.v1 import AppTest

from pages.challenge import scored_submission
from pages.display import tables
from scoring.core.views import Column, Table
from scoring.presentation.figures.theme import LIGHT

HOSTILE = "<b>**x** :red[y]"


def page():
    from dataclasses import dataclass, field
    from types import SimpleNamespace

    import streamlit as st

    from pages.challenge import scored_submission
    from pages.display import headline
    from scoring.common.text import markdown
    from scoring.core import views
    from scoring.presentation.figures.canvas import Canvas, unit_axes

    hostile = "<b>**x** :red[y]"
    built = st.session_state.setdefault("built", [])

    def figure(name):
        def build(theme):
            built.append(f"{name} {theme.name}")
            canvas = Canvas(theme, f"What is {name}?", 100)
            unit_axes(canvas, "x", "y")
            return canvas.figure()

        return build

    rows = {"class": ["a", hostile], "n": [3, 20], "f1": [0.25, None], "f1_interval": [(0.1, 0.4), None]}
    table = views.Table(
        "How good?",
        (
            views.Column("class", "class", "class"),
            views.Column("n", "n", "count"),
            views.Column("f1", "F1", "bar", better="higher"),
            views.Column("f1_interval", "95% interval", "interval", 2, lighter=True),
        ),
        rows,
        f"n = 23, {markdown(hostile)}",
        {"a": "malignant"},
    )
    choice = views.Choice(
        "Show",
        "show",
        {name: views.Figure(figure(name), f"caption {name}", {"x": [1, 2]}) for name in ("one", "two")},
    )
    blocks = (
        views.SideBySide(((table,), (choice,)), (1, 1)),
        views.Table("Only printed?", (views.Column("x", "x"),), {"x": [1]}, detail=True),
        views.Panels("Panels?", [views.Panel("**p**", figure("panel"), "below")], "across"),
        views.Facts([views.Fact(hostile, "0.5", "0.4 to 0.6", better="lower")], "Facts?", "of all"),
        views.Text("plain words", question="Words?"),
        views.Text("no curves", "note"),
        views.Text("beware", "caution"),
    )
    made = views.Views(
        views.Headline(
            views.Fact("Score", "53.38", "48 to 58"),
            [views.Fact("Ceiling", "100.00")],
            views.Figure(figure("strip"), "the sum"),
            notes=[views.Text("know this")],
        ),
        (views.Section("All", blocks),),
    )

    @dataclass(frozen=True)
    class Card:
        challenge: str = "test"
        provenance: dict = field(default_factory=lambda: {"seed": st.session_state["seed"]})
        findings: tuple = ()

    scored_submission.views_of = lambda _card: made
    shown = SimpleNamespace(
        card=Card(),
        own=st.session_state["own"],
        truth_key="t",
        content=("test", str(st.session_state["seed"])),
        title="Aurora",
        of_sample=False,
    )
    scored_submission.headline(shown, headline.place("Aurora"))
    scored_submission.notes(shown)
    scored_submission.score_breakdown(shown)
    st.session_state["found"] = [scored_submission.section(shown, name) for name in ("All", "Nowhere")]


@pytest.fixture(autouse=True)
def _views_are_made_again(monkeypatch):
    """The page puts its own views in place of those of a card: they go with the test."""
    monkeypatch.setattr(scored_submission, "views_of", scored_submission.views_of)


SEEDS = itertools.count(1)
"""Makes contents that nothing was kept of: all tests are one session to Streamlit."""


def opened(seed: int, own: bool = True) -> AppTest:
    app = AppTest.from_function(page)
    app.session_state["seed"], app.session_state["own"] = seed, own
    return app.run()


@pytest.fixture
def app():
    return opened(next(SEEDS))


def words(app: AppTest) -> list[str]:
    kinds = (app.header, app.markdown, app.caption, app.info, app.warning)
    return [element.value for kind in kinds for element in kind]


def test_every_block_is_drawn(app):
    assert not app.exception
    assert app.session_state["found"] == [True, False]
    questions = [header.value for header in app.header]
    assert questions == [
        f"{name}?".replace("?", r"?")
        for name in ("What is strip", "How good", "What is one", "Panels", "What is panel", "Facts", "Words")
        if name != "What is panel"
    ]
    assert len(app.get("plotly_chart")) == 3
    assert app.metric[0].value == "53.38"
    assert {"plain words", "no curves", "beware", "know this", "the sum", "across"} <= set(words(app))
    assert "Only printed?" not in words(app)


def test_a_table_has_shapes_stars_spans_and_directions(app):
    rows = app.dataframe[0].value
    assert list(rows["class"]) == ["▲ a", HOSTILE]
    assert list(rows["n"]) == ["3*", "20"]
    assert list(rows["f1_interval"]) == ["0.10 to 0.40", "–"]
    columns = json.loads(app.dataframe[0].proto.columns)
    assert [columns[name]["label"] for name in rows] == ["class", "n", "F1", "95% interval"]


def test_foreign_names_are_escaped(app):
    assert not [line for line in words(app) if "**x**" in line]


def test_what_is_shown_again_is_not_built_again(app):
    before, first = words(app), list(app.session_state["built"])
    assert sorted(first) == ["one light", "panel light", "strip light"]
    app.run()
    assert list(app.session_state["built"]) == first
    assert words(app) == before
    assert len(app.get("plotly_chart")) == 3
    app.segmented_control(key="show").set_value("two").run()
    assert app.session_state["built"][len(first) :] == ["two light"]
    assert "caption two" in words(app)


def test_another_content_is_built_anew(app):
    first = list(app.session_state["built"])
    app.session_state["seed"] = next(SEEDS)
    app.run()
    assert len(app.session_state["built"]) == 2 * len(first)


def test_what_was_made_of_samples_is_for_all_sessions_and_of_own_files_for_one():
    seed = next(SEEDS)
    own, sample, again = opened(seed, own=True), opened(seed, own=False), opened(seed, own=False)
    assert [len(app.session_state["built"]) for app in (own, sample, again)] == [3, 3, 0]
    assert words(own) == words(sample) == words(again)


def test_a_download_holds_all_of_a_table_unrounded():
    table = Table(
        "?",
        (
            Column("name", "name"),
            Column("f1", "F1", "number"),
            Column("f1_interval", "95% interval", "interval"),
            Column("more", "more", "number", detail=True),
        ),
        {"name": ["a", "b"], "f1": [0.123456789, None], "f1_interval": [(0.1, 0.2), None], "more": [1, 2]},
    )
    expected = pd.DataFrame(
        {
            "name": ["a", "b"],
            "f1": [0.123456789, None],
            "f1_interval_low": [0.1, None],
            "f1_interval_high": [0.2, None],
            "more": [1, 2],
        }
    )
    pd.testing.assert_frame_equal(tables.frame(table), expected)


def test_rows_look_the_same_each_time():
    rows = {"class": ["a", HOSTILE], "f1": [0.25, None]}
    columns = (Column("class", "class", "class"), Column("f1", "F1", "number", lighter=True))
    table = Table("How good?", columns, rows, risks={"a": "malignant"})

    def sent(style):
        message = ArrowData()
        marshall_styler(message, style.set_uuid("uuid"), "")
        return message.SerializeToString(deterministic=True)

    style = tables.styled(table, LIGHT)[0]
    assert sent(style) == sent(style) == sent(tables.styled(table, LIGHT)[0])
