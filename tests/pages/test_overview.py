import pytest

from scoring.challenges import REGISTRY
from tests.support.command_line import ROOT


def test_it_names_every_challenge_and_leads_to_its_page(opened):
    app = opened("overview")
    assert not app.exception
    assert [heading.value for heading in app.header] == [row.name for row in REGISTRY.values()]
    assert [link.proto.page for link in app.get("page_link")] == [
        "tricorder3",
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
