"""Every page as every role; what is guarded in the shell, in the page and in acts."""

import ast
import time

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.server import access, streamlit_internals
from scoring.access import roles
from scoring.access.roles import Role
from scoring.boards.hidden_truth import probing_notices
from scoring.boards.teams import members
from scoring.store.database import open_store
from tests.pages.conftest import NAVIGATION
from tests.support.command_line import ROOT
from tests.support.thinned import crossed

RULES = {"organizers": ["olga@example.org"]}
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))


def claims(sub: str, **more) -> dict:
    now = time.time()
    known = {"iss": "https://idp", "sub": sub, "iat": now - 9, "exp": now + 999, "name": sub.title()}
    email = {"email": f"{sub}@example.org", "email_verified": True}
    return {"is_logged_in": True, **known, **email, **more}


WHO = {
    "visitor": {"is_logged_in": False},
    "participant": claims("paul"),
    "organizer": claims("olga"),
    "unverified": claims("paul", email="olga@example.org", email_verified=False),
    "expired": claims("olga", exp=time.time() - 9 * 3600),
}
ROLE = {"participant": Role.PARTICIPANT, "organizer": Role.ORGANIZER, "unverified": Role.PARTICIPANT}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))


def opened(who: dict, page: str = "overview") -> AppTest:
    app = AppTest.from_file(NAVIGATION)
    app.user = dict(who)
    app.secrets = {"access": RULES}
    app.run()
    return app if page == "overview" else app.switch_page(f"../{page}.py").run()


def test_every_page_has_a_role_and_asks_itself():
    assert set(PAGES) == set(access.LEAST)
    for name in PAGES:
        body = ast.parse((ROOT / "pages" / f"{name}.py").read_text(encoding="utf-8")).body
        imports = [n for n, node in enumerate(body) if isinstance(node, (ast.Import, ast.ImportFrom))]
        assert ast.unparse(body[imports[-1] + 1]) == "access.guard(__file__)", name


@pytest.mark.parametrize(("page", "who"), crossed(PAGES, list(WHO), 14))
def test_each_page_as_each_role(page, who):
    may = ROLE.get(who, Role.VISITOR) >= access.LEAST[page]
    if not may and page != "overview":
        with pytest.raises(ValueError, match="Could not find a navigation page"):
            opened(WHO[who], page)  # a page that is refused is registered as a notice, not from its file
        return
    app = opened(WHO[who], page)
    assert not app.exception
    assert may == (not any("This page is for" in one.value for one in app.info))
    assert bool(app.file_uploader) <= may, "who may not open it is shown no input for files"


def test_a_page_refuses_also_where_the_shell_does_not_and_organizers_are_told(monkeypatch):
    def page() -> None:
        from pages.server import access

        access.guard("/anywhere/about.py")
        import streamlit as st

        st.write("the page")

    def as_(who: str) -> bool:
        app = AppTest.from_function(page)
        app.user, app.secrets = dict(WHO[who]), {"access": RULES}
        return bool(app.run().markdown)

    assert not as_("participant")
    assert as_("organizer")
    assert not as_("visitor")
    (told,) = probing_notices.address_notices(open_store())
    assert (told.code, told.where) == ("refused-address", "/about")
    assert told.message.startswith("https://idp|paul tried to open this")
    assert not as_("expired")
    monkeypatch.setattr(type(st.context), "cookies", {streamlit_internals.USER_COOKIE: "forged"})
    assert not as_("visitor")
    codes = [one.code for one in probing_notices.address_notices(open_store())]
    assert codes == ["refused-address", "ended-login", "forged-login"]


def test_an_act_before_the_shell_is_refused_when_the_role_is_gone():
    def page() -> None:
        import streamlit as st

        from pages.server import access
        from scoring.access.roles import Role

        @access.needs(Role.PARTICIPANT)
        def write():
            st.session_state["written"] = st.session_state.get("written", 0) + 1

        st.button("Write", on_click=write)
        access.bar()

    app = AppTest.from_function(page)
    app.user, app.secrets = claims("paul"), {"access": RULES}
    app.run().button[0].click().run()
    assert app.session_state["written"] == 1
    members.revoke(open_store(), "https://idp|paul")
    app.button[0].click().run()
    assert app.session_state["written"] == 1
    assert "Nothing was done" in app.error[0].value
    assert "Your login has ended." in [one.value for one in app.caption]


def test_a_logout_ends_copies_of_the_cookie_and_no_later_login(monkeypatch):
    monkeypatch.setattr(st, "logout", lambda: None)
    person = claims("paul")
    app = opened(person)
    next(button for button in app.button if button.label == "Log out").click().run()
    assert "Your login has ended." in [caption.value for caption in opened(person).caption]
    assert opened(claims("paul", iat=person["iat"] + 5)).file_uploader
    assert opened(claims("olga")).file_uploader, "of somebody else"


def test_names_stand_on_the_page_as_text():
    def page() -> None:
        from pages.server import access

        access.bar()

    app = AppTest.from_function(page)
    app.user, app.secrets = claims("paul", name="Paul ![x](http://evil)"), {"access": RULES}
    app.run()
    assert "http" not in app.caption[0].value.replace("http\\:", "")
    assert app.caption[0].value.endswith("participant")


def test_settings_that_break_while_it_runs_give_nobody_a_role(monkeypatch):
    app = AppTest.from_file(NAVIGATION)
    app.user, app.secrets = claims("olga"), {"access": {"organisers": ["olga@example.org"]}}
    app.run()
    assert "This page is for participants" in app.info[0].value


def test_a_server_without_what_a_login_needs_does_not_start(monkeypatch):
    monkeypatch.setattr(access.login_roles, "read", lambda _files: object())
    monkeypatch.setattr(access, "find_spec", lambda name: None if name == "httpx" else object())
    with pytest.raises(SystemExit, match=r"nobody could log in without httpx\. Run: pip install"):
        access.begin()
    assert roles.default_actor() is roles.LOCAL


def test_once_people_log_in_absence_is_nobody(monkeypatch):
    monkeypatch.setattr(roles, "_default", roles.LOCAL)  # undone at the end
    roles.require_login()
    app = AppTest.from_file(NAVIGATION).run()
    assert "This page is for participants" in app.info[0].value
    assert open_store().actor is roles.NOBODY
