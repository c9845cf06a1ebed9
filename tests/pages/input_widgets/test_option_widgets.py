import pytest
from streamlit.testing.v1 import AppTest

from pages.input_widgets.option_widgets import option_widget, values_by_label
from scoring.challenges import REGISTRY, load_challenge
from scoring.core.options import Option


def drawn():
    import streamlit as st

    from pages.input_widgets.option_widgets import option_widget
    from scoring.core.options import Option

    labels = {"b": "second, first on the page", "a": "first"}
    options = [
        Option("plain", "", "y", ("x", "y"), label="Plain"),
        Option("named", "", "a", ("a", "b"), label="Named", value_labels=labels, explain="What it is."),
        Option("unset", "", None, ("p",), label="Unset", value_labels={None: "the usual", "p": "other"}),
        Option("switch", "", False, type=bool, label="Switch"),
        Option("size", "", 2.5, type=float, label="Size"),
        Option("unknown", "", None, type=float, label="Unknown"),
    ]
    found = {option.name: option_widget(option) for option in options}
    found["team"] = option_widget(options[0], "team_plain", persist_state="session")
    st.session_state["found"] = found


@pytest.fixture
def app():
    return AppTest.from_function(drawn).run()


def test_a_widget_gives_the_default_first_and_then_what_was_chosen(app):
    assert app.session_state["found"] == {
        "plain": "y",
        "named": "a",
        "unset": None,
        "switch": False,
        "size": 2.5,
        "unknown": None,
        "team": "y",
    }
    app.selectbox(key="named").set_value("second, first on the page")
    app.selectbox(key="unset").set_value("other")
    app.toggle(key="switch").set_value(True)
    app.number_input(key="unknown").set_value(7.25)
    app.selectbox(key="team_plain").set_value("x").run()
    assert app.session_state["found"] == {
        "plain": "y",
        "named": "b",
        "unset": "p",
        "switch": True,
        "size": 2.5,
        "unknown": 7.25,
        "team": "x",
    }


def test_words_come_from_the_declaration_in_its_order(app):
    box = app.selectbox(key="named")
    assert (box.label, box.options, box.help) == (
        "Named",
        ["second, first on the page", "first"],
        "What it is.",
    )
    assert app.selectbox(key="plain").options == ["x", "y"]


def test_the_address_says_what_is_chosen():
    app = AppTest.from_function(drawn)
    app.query_params["named"] = "second, first on the page"
    app.query_params["team_plain"] = "x"
    app.query_params["plain"] = "no such value"
    found = app.run().session_state["found"]
    assert (found["named"], found["team"], found["plain"]) == ("b", "x", "y")


def test_text_has_no_widget():
    with pytest.raises(TypeError, match="--name"):
        option_widget(Option("name", ""))


@pytest.mark.parametrize("challenge", REGISTRY)
def test_every_option_with_words_for_a_page_names_all_its_values(challenge):
    for option in load_challenge(challenge).options:
        if option.label and option.values:
            values = list(values_by_label(option).values())
            assert option.default in values
            assert {v for v in values if v is not None} <= set(option.values)
            assert len(values) == len(option.values)
