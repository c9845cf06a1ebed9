"""In the run that opens a challenge's page, choices come after its score; in every other run before it."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from pages.server import deferred_widgets


def page():
    import streamlit as st

    from pages.server import deferred_widgets, url_state

    deferred_widgets.begin(url_state.start_run(st.query_params.get("page", "")))
    deferred_widgets.after(lambda: st.session_state.setdefault("order", []).append("choice"))
    deferred_widgets.pause()
    st.session_state.setdefault("order", []).append("score")
    deferred_widgets.rest()
    deferred_widgets.pause()
    deferred_widgets.rest()


@pytest.fixture
def pauses(monkeypatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(deferred_widgets, "time", SimpleNamespace(sleep=found.append))
    return found


def test_a_page_that_is_opened_draws_its_score_first(pauses):
    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.session_state["order"] == ["score", "choice"]
    assert pauses == [deferred_widgets.PAUSE]
    app.run()
    assert app.session_state["order"][2:] == ["choice", "score"]
    app.query_params["page"] = "another"
    app.run()
    assert app.session_state["order"][4:] == ["score", "choice"]
    assert len(pauses) == 2


def test_a_run_that_ends_before_the_score_leaves_nothing_behind():
    def cut():
        import streamlit as st

        from pages.server import deferred_widgets

        deferred_widgets.begin("first" not in st.session_state)
        deferred_widgets.after(lambda: st.text("choice"))
        if "first" not in st.session_state:
            st.session_state["first"] = True
            st.stop()
        deferred_widgets.rest()

    app = AppTest.from_function(cut).run()
    assert not app.text
    assert len(app.run().text) == 1


@pytest.mark.parametrize("challenge", ["tricorder3", "hecktor2026"])
def test_choices_of_a_page_stand_where_they_do_in_every_later_run(opened, challenge):
    app = opened(challenge)
    first = [one.key for one in (*app.selectbox, *app.get("file_uploader"))]
    assert {f"{challenge}_set", f"{challenge}_submission"} <= set(first)
    chosen = [one.value for one in app.selectbox]
    app.run()
    assert [one.key for one in (*app.selectbox, *app.get("file_uploader"))] == first
    assert [one.value for one in app.selectbox] == chosen


def test_with_own_files_the_way_back_is_drawn_at_once(opened):
    app = opened("melanoma")
    app.file_uploader(key="melanoma_submission_files").upload("mine.csv", b"filename,score\n").run()
    assert "melanoma_submission" not in [one.key for one in app.selectbox]
    app.button(key="melanoma_submission_back").click().run()
    assert "melanoma_submission" in [one.key for one in app.selectbox]
