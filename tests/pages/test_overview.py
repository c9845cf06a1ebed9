import pytest
from streamlit.testing.v1 import AppTest

from scoring.boards.board import opened as board_of
from scoring.boards.bundles import bundle
from scoring.challenges import REGISTRY
from scoring.store.database import open_store
from tests.pages.conftest import NAVIGATION
from tests.support import photographs
from tests.support.boards import filled
from tests.support.command_line import ROOT
from tests.support.visits import words


def test_it_names_every_challenge_and_leads_to_its_page(opened, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))  # without recent runs
    app = opened("overview")
    assert not app.exception
    assert [heading.value for heading in app.header] == [row.name for row in REGISTRY.values()]
    assert [link.proto.page for link in app.get("page_link")] == [
        "single_image",
        "compare_teams",
        *REGISTRY,
    ]


@pytest.mark.parametrize("page", sorted(path.stem for path in (ROOT / "pages").glob("*.py")))
def test_every_page_opens_with_nothing_uploaded(opened, page):
    app = opened(page)
    assert not app.exception
    assert not app.error
    assert len(app.title) == 1


def test_a_photograph_goes_to_the_single_image_of_the_challenge_that_is_chosen():
    app = AppTest.from_file(NAVIGATION).run()
    app.file_uploader(key="any_files").upload("mole.jpg", photographs.phone()).run()
    assert "What does **mole.jpg** show?" in words(app)
    app.button(key="photograph_melanoma").click().run()
    assert not app.exception
    assert [app.title[0].value, app.session_state["single_challenge"]] == ["Single image", "melanoma"]
    assert "confirm this text to see the model's answer" in words(app)
    app.checkbox(key="single_agreed").check().run()
    assert not app.exception
    assert "Removed from the file: position" in words(app)


def test_a_dropped_board_opens_the_comparison(opened, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    filled(tmp_path)
    data = bundle.export(board_of(open_store(), "b"), with_truth=True)
    app = opened("overview").file_uploader(key="any_files").upload("b.zip", data).run()
    assert not app.exception
    assert [one.value for one in app.title] == ["Compare teams"]
    assert "60 cases were read from the test set of the dropped board" in words(app)
