"""Own files of a tab that was reloaded."""

import gc

from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from pages.input_widgets import reload_recovery
    from pages.server import url_state

    if "asks" in st.query_params:
        reload_recovery.take_over({"token": st.query_params["asks"], "names": ["mine.zip"]})
    reload_recovery.say_lost()
    files = st.session_state.get("some_page_submission_kept", ("", []))[1]
    st.text(", ".join(file.name for file in files) or "a sample")
    url_state.read("with", "with", ["delphi", *(["aurora"] if files else [])])
    st.text(f"compared with {st.session_state.get('with')}")
    uploaded = st.file_uploader("file", key="up")
    if uploaded:
        st.session_state["some_page_submission_kept"] = ("up", [uploaded])
    st.number_input("mends", key="mends", value=None)
    reload_recovery.outlive_reload()
    url_state.end()


def token(app: AppTest) -> str:
    return app.session_state["_held"].token


def asking(of: str) -> AppTest:
    app = AppTest.from_function(page)
    app.query_params["asks"] = of
    return app.run()


def test_a_session_takes_over_the_files_of_the_one_before():
    before = AppTest.from_function(page).run()
    before.file_uploader(key="up").upload("mine.zip", b"1").run()
    before.number_input(key="mends").set_value(12.5).run()
    after = asking(token(before))
    assert after.text[0].value == "mine.zip"
    assert after.number_input(key="mends").value == 12.5
    assert not after.warning
    assert token(after) != token(before)


def test_what_only_own_files_can_be_compared_with_is_chosen_again():
    before = AppTest.from_function(page).run()
    before.file_uploader(key="up").upload("mine.zip", b"1").run()
    after = AppTest.from_function(page)
    after.query_params["with"] = "aurora"
    assert after.run().text[1].value == "compared with None"
    after.query_params["asks"] = token(before)
    assert after.run().text[1].value == "compared with aurora"


def test_own_files_of_a_session_are_not_replaced():
    before = AppTest.from_function(page).run()
    before.file_uploader(key="up").upload("mine.zip", b"1").run()
    after = AppTest.from_function(page).run()
    after.file_uploader(key="up").upload("newer.zip", b"2").run()
    after.query_params["asks"] = token(before)
    assert after.run().text[0].value == "newer.zip"


def test_files_that_are_gone_are_named_until_the_message_is_closed():
    app = asking("of another server")
    assert app.text[0].value == "a sample"
    assert "no longer has your files: **mine\\.zip**" in app.warning[0].value
    del app.query_params["asks"]
    app.button(key="kept_files_close").click().run()
    assert not app.warning


def test_nothing_holds_on_to_files_but_their_session():
    from pages.input_widgets.reload_recovery import Held, _sessions

    held = Held()
    _sessions()[held.token] = held
    name = held.token
    assert name in _sessions()
    del held
    gc.collect()
    assert name not in _sessions()
