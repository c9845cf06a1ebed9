"""Every surface, for scores of each direction and range: the tutorial's challenge with its score turned and
stretched ranks the same teams in the same order everywhere."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.support import surfaces, tutorial
from tests.support.schemas import problems
from tests.support.tutorial import CLASSES, TRUTH, csv, macro_f1

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Variant:
    """The tutorial's score m as `start + factor * m`, with a range."""

    name: str
    start: float
    factor: float
    range: str

    @property
    def better(self) -> str:
        return "higher" if self.factor > 0 else "lower"

    def score(self, rows) -> float:
        return self.start + self.factor * macro_f1(rows)


VARIANTS = [
    Variant("plain", 0, 1, "(0, 1)"),
    Variant("loss", 1, -1, "(0, 1)"),
    Variant("kappa", -1, 2, "(-1, 1)"),
    Variant("turned", 1, -2, "(-1, 1)"),
    Variant("gain", 0, 30, "(0, float('inf'))"),
    Variant("error", 30, -30, "(0, float('inf'))"),
]


def confused(every: int) -> list[tuple[str, str]]:
    """Return predictions in which one case in so many is called the next class."""
    return [
        (case, CLASSES[(CLASSES.index(name) + (i % every == 0)) % 4]) for i, (case, name) in enumerate(TRUTH)
    ]


TEAMS = {"good": confused(5), "better": confused(20), "bad": confused(2)}
ORDER = ["better", "good", "bad"]


def edits(v: Variant) -> dict[str, str]:
    """Return what of the tutorial's files is another for a variant."""
    declared = f"better={v.better!r}, range={v.range}"
    metrics = f"{{'macro_f1': Quantity({declared})}}"
    return {
        "score = f1.mean(1)": f"score = {v.start} + {v.factor} * f1.mean(1)",
        "Scoring(score=score)": f"Scoring(score=score, {declared}, metrics={metrics})",
        "from scoring.core.comparison_spec": "from scoring.common.direction_and_range import Quantity\n"
        "from scoring.core.comparison_spec",
    }


def write(folder: Path) -> None:
    """Write the truth, a correction of it, and what the teams say."""
    corrected = [(case, "monocyte" if i in (0, 20) else name) for i, (case, name) in enumerate(TRUTH)]
    for name, rows in {"truth": TRUTH, "corrected": corrected, **TEAMS}.items():
        (folder / f"{name}.csv").write_text(csv(rows))


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What every surface says of a variant, by name; each is run once."""
    project = tutorial.copied(tmp_path_factory.mktemp("project"))
    for v in VARIANTS:
        tutorial.added(project, v.name, edits(v))

    @cache
    def run(variant: Variant) -> dict | str:
        folder = tmp_path_factory.mktemp(variant.name)
        write(folder)
        step = 0.02 * abs(variant.factor)
        short = variant.name.title()
        try:
            tutorial.python(project, surfaces.__file__, variant.name, short, folder, step)
        except AssertionError as failure:
            return str(failure)
        return json.loads((folder / "surfaces.json").read_text())

    def of(variant: Variant) -> dict:
        found = run(variant)
        assert isinstance(found, dict), found
        return found

    return of


ALWAYS = ("plain", "turned")
"""Both directions; `make soak` runs the others. Scores without a limit: tests/test_declared_surfaces.py."""


@pytest.fixture(
    params=[pytest.param(v, marks=() if v.name in ALWAYS else pytest.mark.soak) for v in VARIANTS],
    ids=lambda v: v.name,
)
def variant(request) -> Variant:
    return request.param


def test_scores_and_their_intervals_are_in_the_range(said, variant):
    found = said(variant)
    card, low, high = found["card"], *eval(variant.range)
    assert (
        problems("scorecard", json.dumps(card))
        == problems("comparison", json.dumps(found["comparison"]))
        == []
    )
    assert card["score"] == pytest.approx(variant.score(TEAMS["good"]))
    for ends in (card["intervals"]["score"], card["intervals"]["macro_f1"]):
        assert low <= ends[0] < card["score"] < ends[1] <= high


def test_teams_are_ranked_alike(said, variant):
    of, plain = said(variant)["comparison"], said(VARIANTS[0])["comparison"]
    assert [team["team"] for team in of["teams"]] == ORDER
    same = ("rank", "rank_interval", "tied_for_first", "share_of_resamples_won", "rank_shares")
    for ours, theirs in zip(of["teams"], plain["teams"], strict=True):
        assert {key: ours[key] for key in same} == {key: theirs[key] for key in same}
    for ours, theirs in zip(of["pairs"], plain["pairs"], strict=True):
        assert (ours["a"], ours["b"], ours["separated"]) == (theirs["a"], theirs["b"], theirs["separated"])
        assert ours["difference"] == pytest.approx(variant.factor * theirs["difference"])
        assert ours["p_value"] == pytest.approx(theirs["p_value"])
    assert said(variant)["rules"] == said(VARIANTS[0])["rules"]


def test_words_and_arrows_name_the_direction(said, variant):
    found, arrow = said(variant), {"higher": "↑", "lower": "↓"}
    other = {"higher": "lower", "lower": "higher"}[variant.better]
    pages = found["pages"]
    assert f"Blood {variant.name}, four classes of white cells" in pages["challenge"]
    texts = [found["card html"], found["comparison html"], pages["challenge"], pages["compare Ranking"]]
    texts += [pages["board"], pages["hidden board"], found["boards"]["best html"]]
    for text in texts:
        assert f"{variant.better} is better" in text
        assert f"{other} is better" not in text
    heads = re.findall(r"(?:score|macro F1)(?:</?\w+[^>]*>|\s)*([↑↓])", found["comparison html"])
    assert set(heads) == {arrow[variant.better]}
    assert ("\\uparrow" in found["tex"]) == (variant.better == "higher" or "accuracy" in found["tex"])
    (way,) = re.findall(r"\*\* (more|less) than", found["sentence"])
    assert way == ("more" if variant.factor > 0 else "less")


def test_the_first_is_the_best_on_page_and_terminal(said, variant):
    found = said(variant)
    first = next(line for line in found["terminal"].splitlines() if line.strip().startswith("1 "))
    assert "better" in first
    samples = {team: variant.score(rows) for team, rows in tutorial.TEAMS.items()}
    best = (max if variant.factor > 0 else min)(samples, key=samples.__getitem__)
    assert f"**{best.title()}** :gray-badge[score" in found["pages"]["compare Ranking"]
    drawn = next(alt for alt in found["pages"]["overview drawn"] if alt.startswith(f"Blood {variant.name},"))
    titles = sorted(samples, key=lambda team: drawn.index(team.title()))
    assert titles[0] == best


def test_boards_count_the_last_or_the_best(said, variant):
    boards = said(variant)["boards"]
    for rule, counted in (("last", "good"), ("best", "better")):
        teams = boards[rule]["teams"]
        assert [team["team"] for team in teams] == ["climber", "other"]
        assert teams[0]["score"] == pytest.approx(variant.score(TEAMS[counted]))
        assert [team["rank"] for team in teams] == [1, 2]
    ranks = [past["rank_that_day"] for past in boards["best"]["teams"][0]["history"]]
    assert ranks == [1, 1, 1]


def test_the_ladder_climbs_in_the_direction_of_the_score(said, variant):
    climber, other = said(variant)["boards"]["hidden"]["teams"]
    step = 0.02 * abs(variant.factor)
    visible = [past["score"] for past in climber["history"]]
    assert visible[2] is None
    assert visible[:2] == pytest.approx([variant.score(TEAMS[t]) for t in ("bad", "better")], abs=step)
    assert (climber["team"], climber["score"]) == ("climber", visible[1])
    assert (other["rank"], climber["rank"]) == (2, 1)


def test_a_correction_is_told_as_better_or_worse(said, variant):
    ours, plain = (said(v)["boards"]["changes"]["changes"] for v in (variant, VARIANTS[0]))
    scores = ("score_before", "score")
    for change, known in zip(ours, plain, strict=True):
        assert {**change, **{key: known[key] for key in scores}} == known
        assert [change[key] for key in scores] == pytest.approx(
            [variant.start + variant.factor * known[key] for key in scores]
        )


def test_history_compares_with_the_best_before(said, variant):
    (series,) = said(variant)["history"]["series"]
    kept = series["kept"]
    by_score = {entry["id"]: entry["score"] for entry in kept}
    before = [by_score.get(entry["best_before"]) for entry in kept]
    scores = {name: variant.score(TEAMS[name]) for name in TEAMS}
    assert before == [None, pytest.approx(scores["bad"]), pytest.approx(scores["better"])]
    assert kept[2]["difference"] == pytest.approx(scores["good"] - scores["better"])


def test_platforms_are_told_the_order(said, variant):
    bundles, higher = said(variant)["bundles"], variant.better == "higher"
    assert f"in {'descending' if higher else 'ascending'} order" in bundles["grand-challenge"]
    columns = re.findall(r"key: \"(\w+)\".*sorting: (\w+)", bundles["codabench"])
    assert columns == [("score", "desc" if higher else "asc"), ("accuracy", "desc")]
    assert f"is_leaderboard_order_descending: {higher}" in bundles["evalai"]
    assert ('"sort_ascending": true' in bundles["evalai"]) == (not higher)
