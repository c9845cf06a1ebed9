"""The report of many teams: all of them drawn, who could be the best, which are level, and few pages."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import sync_playwright

from scoring.comparison import many_teams, report
from scoring.core.views import Table
from tests.browser import driver
from tests.support.command_line import run
from tests.support.html_reader import read
from tests.support.teams import risk_teams

TEAMS = 100


@pytest.fixture(scope="module")
def found():
    return risk_teams(3, 200, [0.1 + 0.02 * k for k in range(TEAMS)], resamples=200)


@pytest.fixture(scope="module")
def text(found):
    return report.html(found)


def test_all_teams_are_drawn_in_both_pictures(found, text):
    drawings = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    for drawing in drawings[:2]:
        words = set(re.findall(r">([^<>]+)</text>", drawing))
        for name in found.scored:
            assert any(re.fullmatch(rf"{found.ranks[name]}\s+{name}", word) for word in words), name
    assert len(text.encode()) < 1_000_000


def test_the_best_are_those_that_the_comparison_with_the_best_leaves(found, text):
    names = many_teams.could_be_best(found)
    left = [name for name in found.scored if found.team(name)["p_best"] > 0.05]
    assert 1 < len(names) < TEAMS
    assert list(names) == left
    assert set(names) <= {name for name in found.scored if found.team(name)["tied_for_first"]}
    assert f"{len(names)} of {TEAMS} teams: {', '.join(names[:8])}" in " ".join(read(text).words)


def test_a_group_begins_with_who_is_told_apart_from_the_first_of_the_group_before(found):
    (table,) = (block for block in many_teams.groups(found) if isinstance(block, Table))
    apart = {frozenset((found.scored[p.a], found.scored[p.b])) for p in found.result.pairs if p.separated}
    firsts = table.rows["first"]
    assert len(firsts) > 2
    assert sum(table.rows["teams"]) == TEAMS
    for name, number in zip(firsts, table.rows["teams"], strict=True):
        start = found.scored.index(name)
        assert not any(
            frozenset((name, other)) in apart for other in found.scored[start + 1 : start + number]
        )
        after = found.scored[start + number : start + number + 1]
        assert all(frozenset((name, other)) in apart for other in after)


def test_likely_ranks_hold_95_percent_of_the_resamples(found):
    for shares in found.result.rank_shares:
        low, high = many_teams.likely_ranks(shares)
        assert sum(shares[: low - 1]) < 0.025 <= sum(shares[:low]) + 1e-9
        assert sum(shares[: high - 1]) < 0.975 <= sum(shares[:high]) + 1e-9


def test_report_and_appendix_hold_all_sections_once(found, text):
    heads = [re.findall(r"<h2[^>]*>([^<]+)", part) for part in (text, report.appendix(found))]
    assert {"Ranking", "Stability", "Other rules"} <= set(heads[0])
    assert {"Lead", "Classes", "Cases"} <= set(heads[1])
    assert not {"Lead", "Classes", "Cases"} & set(heads[0])


def test_the_command_line_writes_the_appendix_beside_the_report(tmp_path):
    truth, teams = tmp_path / "labels.csv", []
    truth.write_text("filename,label\n" + "".join(f"c{i}.jpg,{i % 3 == 0}\n" for i in range(30)))
    for k in range(16):
        path = tmp_path / f"team{k}.csv"
        path.write_text(
            "filename,score\n" + "".join(f"c{i}.jpg,{(7 * i + k) % 10 / 10}\n" for i in range(30))
        )
        teams.append(f"team{k}={path}")
    more = ("--html", tmp_path / "r.html", "--resamples", 20)
    done = run("compare", "melanoma", "--truth", truth, *teams, *more)
    assert done.status == 0, done.err
    assert "Appendix" in (tmp_path / "r-appendix.html").read_text()


@pytest.mark.browser
def test_a_report_of_100_teams_prints_on_12_pages(text, tmp_path):
    program = driver.chromium()
    if program is None:
        pytest.skip("no Chromium on this machine: install the package chromium")
    (tmp_path / "r.html").write_text(text)

    def printed() -> bytes:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=list(driver.ARGUMENTS))
            page = browser.new_page()
            page.goto((tmp_path / "r.html").as_uri())
            try:
                return page.pdf(format="A4")
            finally:
                browser.close()

    with ThreadPoolExecutor(1) as apart:  # the browser of another test holds the loop of the main thread
        sheets = re.findall(rb"/Type\s*/Page[^s]", apart.submit(printed).result())
    assert 0 < len(sheets) <= 12
