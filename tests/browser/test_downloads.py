"""What a visitor takes along."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from scoring.boards.publication import public_report
from scoring.challenges import REGISTRY, samples
from scoring.presentation import html
from tests.boards.test_large import crowd
from tests.browser import driver
from tests.support.command_line import run
from tests.support.thinned import some
from tests.support.visits import sample_card

SAMPLE = samples.test_sets("tricorder3")["sample"]


def download(page: Page, label: str, folder: Path) -> Path:
    with page.expect_download() as started:
        page.get_by_role("button", name=label, exact=True).click()
    path = folder / started.value.suggested_filename
    started.value.save_as(path)
    return path


@pytest.mark.soak
def test_the_scorecard_is_that_of_the_command_line(tricorder3, tmp_path):
    team = SAMPLE.submissions["delphi"]
    page = tricorder3("?submission=delphi")
    saved = download(page, "scorecard.json", tmp_path)
    told = run(
        "score",
        "tricorder3",
        "--truth",
        SAMPLE.path,
        "--predictions",
        team.path,
        "--model-size-mib",
        team.options.get("model_size_mib"),
        "--json",
        "-",
    )
    assert saved.read_text(encoding="utf-8") == told.out


def test_the_report_opens_by_itself_and_asks_for_nothing(tricorder3, visitor, tmp_path):
    page = tricorder3(f"?submission=delphi&{driver.PLAIN}")
    score = page.get_by_test_id("stMetricValue").first.inner_text()
    saved = download(page, "Report (HTML)", tmp_path)
    reader, asked, broken = visitor(), [], []
    report = reader.new_page()
    report.on("request", lambda request: asked.append(request.url))
    report.on("pageerror", lambda problem: broken.append(str(problem)))
    report.goto(saved.as_uri())
    assert score in report.inner_text("body")
    assert [address for address in asked if not address.startswith(("data:", "blob:"))] == [saved.as_uri()]
    assert broken == []


@pytest.mark.parametrize("challenge", some(list(REGISTRY), 3))
def test_a_report_prints_on_eight_pages_at_most(visitor, challenge, tmp_path):
    sample = next(iter(samples.test_sets(challenge).values()))
    text = html.html(sample_card(challenge, next(iter(sample.submissions))))
    assert 5 <= printed_pages(visitor().new_page(), text, tmp_path) <= 8


@pytest.mark.soak
def test_the_report_of_a_board_of_100_teams_prints_on_twelve_pages_at_most(visitor, tmp_path, monkeypatch):
    """It has more submissions than it lists. That of a comparison: tests/comparison/test_many_teams.py."""
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    text = public_report.html(crowd(tmp_path, 100, 10))
    assert 5 <= printed_pages(visitor().new_page(), text, tmp_path) <= 12


def printed_pages(page: Page, text: str, folder: Path) -> int:
    """Return on how many A4 pages the browser prints a report."""
    file = folder / "report.html"
    file.write_text(text, encoding="utf-8")
    page.goto(file.as_uri())
    return len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4")))


@pytest.mark.soak
def test_two_visitors_take_their_own_files(tricorder3, tmp_path):
    pages = {team: tricorder3(f"?submission={team}") for team in ("aurora", "delphi")}
    saved = {team: download(page, "Cases (CSV)", tmp_path) for team, page in pages.items()}
    assert saved["aurora"].name != saved["delphi"].name
    for team, path in saved.items():
        assert re.fullmatch(rf"tricorder3-{team}-cases-[0-9a-f]{{8}}\.csv", path.name)
    assert saved["aurora"].read_bytes() != saved["delphi"].read_bytes()
    again = download(tricorder3("?submission=aurora"), "Cases (CSV)", tmp_path)
    assert again.name != saved["aurora"].name
    assert again.read_bytes() == saved["aurora"].read_bytes()
