import pytest
from streamlit.testing.v1 import AppTest

from scoring.challenges.classification_views import class_name
from scoring.presentation.figures.theme import SHAPES

HOSTILE = "![x](https://example.org/x.png) [go](http://example.org) www.example.org a@example.org <b>:red[x]"


def whole_page():
    from types import SimpleNamespace

    import pandas as pd
    import streamlit as st

    from pages.display import finding_list, headline, layout, tables
    from pages.display.layout import Fact, GalleryCard
    from pages.input_widgets.upload_widget import InUse, sample_selector
    from scoring.challenges.classification_views import class_name
    from scoring.common.findings import error, note, warning
    from scoring.core.views import Panel, Panels, Status
    from scoring.presentation.figures.score_points import ScorePart, score_strip

    hostile = st.session_state.get("hostile", "name")
    layout.opening("Title", "**formula**", "| a |\n|---|\n| b |")
    own, forgotten = st.session_state.get("own", []), st.session_state.setdefault("forgotten", [])
    samples = {"all": "All classes", "few": "Few cases"}
    truth = sample_selector(
        "Test set",
        samples,
        "truth",
        "truth",
        lambda: st.file_uploader("Table", key="truth_file"),
        InUse([SimpleNamespace(name=name) for name in own], lambda: forgotten.append("truth")),
    )
    truth.caption(f"sample {truth.sample}, uploaded {bool(truth.upload)}")
    finding_list.findings(
        [
            note("row-order", hostile, hostile),
            *[warning("missing-value", f"line {i}", hostile) for i in range(7)],
        ]
    )
    with st.container(key="refused"):
        finding_list.findings([error("duplicate-case", hostile, "twice")])
    strip = score_strip([ScorePart("accuracy", "acc.", 100, 0.5)], layout.theme())
    others = [Fact("Ceiling", "97.65"), Fact("Accuracy", "0.523", "0.470 to 0.583")]
    score = Fact("Score of 100 points", "53.38", "48.2 to 58.8")
    headline.bar(headline.place("Aurora"), score, Status())
    headline.sentence(Status())
    headline.account(others, lambda: layout.chart(strip, "0.5"))
    ran = st.session_state.setdefault("ran", [])
    layout.tabs({"One": lambda: ran.append("one"), "Two": lambda: ran.append("two")})
    rows = pd.DataFrame({"class": ["▲ MEL"], "f1": [0.5], "interval": ["0.1 to 0.9"]})
    columns = {
        "class": tables.text_column("class"),
        "f1": tables.number_column("F1", better="higher"),
        "interval": tables.text_column("95% interval", right=True),
    }
    layout.table("How good?", rows, columns, "n = 3")
    layout.panels(Panels("How well?", [Panel("**MEL**", lambda _: strip, "n = 3")], "Across"), "roc")
    line = class_name(hostile, "malignant")
    layout.gallery(
        "Cases",
        "caption",
        14,
        lambda first, last: [GalleryCard(None, "alt", [line], f"{hostile} {i}") for i in range(first, last)],
        "page",
    )
    layout.closing()


def shown(app: AppTest) -> str:
    """All Markdown of a page, in order."""
    return "\n".join(
        element.value for kind in ("markdown", "caption", "title", "header") for element in app.get(kind)
    ) + "\n".join(expander.label for expander in app.expander)


@pytest.fixture(scope="module")
def app() -> AppTest:
    return AppTest.from_function(whole_page).run()


def test_a_page_has_its_parts_in_order(app):
    assert not app.exception
    assert app.title[0].value == "Title"
    assert [box.label for box in app.selectbox] == ["Test set"]
    assert app.metric[0].value == "53.38"
    assert app.metric[0].delta == "48.2 to 58.8"
    assert r"**53\.38** :gray-badge[48\.2 to 58\.8]" in shown(app)  # seen before the metric is
    assert [header.value for header in app.header] == [
        "Where does the score come from?",
        "How good?",
        "How well?",
        "Cases",
    ]
    assert app.caption[-1].value.startswith("Research use only. Not a medical device")


def test_every_chart_and_frame_has_alternative_text(app):
    charts = app.get("plotly_chart")
    assert len(charts) == 2
    assert all(chart.proto.alt.startswith("Where does the score come from?") for chart in charts)


def test_findings_are_counted_and_open_only_when_something_is_refused(app):
    warned, refused = app.expander
    assert "7 warnings" in warned.label
    assert "1 note" in warned.label
    assert (warned.proto.expanded, refused.proto.expanded) == (False, True)
    lines = shown(app)
    folded = "line 0, line 1, line 2, line 3, line 4 and 2 more"
    assert folded in lines
    assert lines.index("missing-value") < lines.index("row-order")
    assert lines.index(folded) < lines.index("**line 5**")


def test_only_the_open_tab_runs(app):
    assert set(app.session_state["ran"]) == {"one"}


def test_the_sample_is_the_key_and_the_caption_follows():
    app = AppTest.from_function(whole_page).run()
    app.selectbox[0].set_value("few").run()
    assert "sample few, uploaded False" in [caption.value for caption in app.caption]


def test_the_sample_stands_in_the_address():
    app = AppTest.from_function(whole_page)
    app.query_params["truth"] = "few"
    assert "sample few, uploaded False" in [caption.value for caption in app.run().caption]
    app.selectbox[0].set_value("all").run()
    assert app.query_params["truth"] == "all"


def test_an_unknown_sample_in_the_address_is_the_first():
    app = AppTest.from_function(whole_page)
    app.query_params["truth"] = "<script>"
    app.run()
    assert not app.exception
    assert app.selectbox[0].value == "all"


def test_own_files_in_use_are_named_and_can_be_put_aside():
    app = AppTest.from_function(whole_page)
    app.session_state["own"] = [HOSTILE, "b.csv"]
    app.run()
    assert not app.selectbox
    assert "and 1 more" in shown(app)
    assert "![x]" not in shown(app)
    app.button(key="truth_back").click().run()
    assert app.session_state["forgotten"] == ["truth"]


def test_a_gallery_shows_a_page_at_a_time():
    app = AppTest.from_function(whole_page).run()
    assert sum(caption.value.startswith("name ") for caption in app.caption) == 12
    app.session_state["page"] = 2
    assert sum(caption.value.startswith("name ") for caption in app.run().caption) == 2


def test_the_page_of_a_gallery_stands_in_the_address():
    app = AppTest.from_function(whole_page)
    app.query_params["page"] = "2"
    assert sum(caption.value.startswith("name ") for caption in app.run().caption) == 2


def test_names_of_strangers_are_shown_as_typed():
    app = AppTest.from_function(whole_page)
    app.session_state["hostile"] = HOSTILE
    lines = shown(app.run())
    assert not app.exception
    assert "example" in lines
    for live in ("![x]", "](http", "://example", "www.example", "a@example", "<b>", "[go]", "b>:red[x]"):
        assert live not in lines


@pytest.mark.parametrize("risk", SHAPES)
def test_a_class_has_the_shape_and_colour_of_its_group(risk):
    colour = {"malignant": "red", "medium": "orange", "benign": "green"}[risk]
    assert class_name("MAL_OTH", risk) == rf":{colour}[{SHAPES[risk]}] MAL\_OTH"


def refused_page():
    from pages.display import finding_list
    from scoring.common.findings import InputRefused, error, warning

    problems = [error("duplicate-case", "p.csv:3", "twice"), error("missing-case", "A", "no row")]
    finding_list.refusal(InputRefused(problems, [warning("bom", "p.csv", "mark")]))


def test_a_refusal_counts_its_problems_and_lists_them_all():
    app = AppTest.from_function(refused_page).run()
    assert app.error[0].proto.title == "This cannot be scored: 2 problems"
    lines = shown(app)
    assert all(word in lines for word in ("duplicate-case", "missing-case", "bom"))
