"""The budget of a hidden truth against designs that learn more from each score than random halves do.

Accounts share what they are told. The truth is drawn anew, so that nothing but the scores tells of it.
"""

import datetime as clock
import math
from itertools import product
from uuid import uuid4

import numpy as np
import pytest

from scoring import load_challenge
from scoring.boards.board import opened
from scoring.boards.hidden_truth import visible_results
from scoring.boards.hidden_truth.disclosure_rules import HiddenRules, ladder_scores
from scoring.boards.hidden_truth.guessing_budget import (
    SAFE_GAIN,
    Labels,
    expected,
    most_submissions,
    planned,
    told,
)
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions import participant, phases_and_limits, submitting
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.submissions.submitting import SubmissionRequest
from scoring.boards.teams import members
from scoring.common.findings import InputRefused
from scoring.core.views import Table
from scoring.statistics.optimism import bits_for, effective_labels, effective_units, possible_gain
from scoring.store import schema
from scoring.store.database import open_store
from tests.support.boards import board as run_board
from tests.support.boards import sizes
from tests.support.hidden_boards import PAUL, acting, good, hidden_board, table
from tests.support.thinned import some_rows

ACCOUNTS = 5


def of_classes(*counts):
    """How many labels those of cases without units count as."""
    labels = np.repeat(np.arange(len(counts)), counts)
    return effective_labels(labels, np.arange(len(labels)), np.ones(len(labels)))


def balanced(cases):
    return Labels(cases, cases, cases)


class Oracle:
    """Accounts of a board that scores the share of right labels, in memory."""

    def __init__(self, truth: np.ndarray, known: HiddenRules, tries: int) -> None:
        self.truth, self.known, self.tries = truth, known, tries
        self.scores: list[list[float]] = [[] for _ in range(ACCOUNTS)]

    def ask(self, account: int, answer: np.ndarray) -> float | None:
        own = self.scores[account]
        assert len(own) < self.tries
        own.append(float((answer == self.truth).mean()))
        shown = ladder_scores(own, self.known.step, decimals=self.known.decimals)
        return None if self.known.detail == "none" else shown[-1]


def halves(oracle: Oracle, draw: np.random.Generator) -> np.ndarray:
    """Random halves, read by least squares (linear decoding); what is not shown is below the best."""
    n, rows, right = len(oracle.truth), [], []
    for account in range(ACCOUNTS):
        best = 0.5
        for _ in range(oracle.tries):
            one = draw.random(n) < 0.5
            score = oracle.ask(account, one)
            rows.append(2.0 * one - 1)
            right.append((score if score is not None else min(0.5, best)) - 0.5)
            best = max(best, score or 0.0)
    return np.array(right) @ np.linalg.pinv(np.array(rows)).T > 0


def best_of(oracle: Oracle, draw: np.random.Generator) -> np.ndarray:
    """The best of many guesses: what comes near the bound."""
    n = len(oracle.truth)
    tried = []
    for account in range(ACCOUNTS):
        tried += [(oracle.ask(account, one), one) for one in draw.random((oracle.tries, n)) < 0.5]
    shown = [pair for pair in tried if pair[0] is not None]
    return max(shown, key=lambda pair: pair[0])[1] if shown else tried[0][1]


def climb(oracle: Oracle, draw: np.random.Generator) -> np.ndarray:
    """Blocks turned around one after the other from the best of all accounts, large ones first."""
    n = len(oracle.truth)
    kept, best = draw.random(n) < 0.5, -1.0
    for account in range(ACCOUNTS):
        score = oracle.ask(account, kept)
        best = max(best, score or best)
        for number in range(1, oracle.tries):
            size = max(1, n >> (1 + number % 6))
            tried = kept.copy()
            tried[draw.permutation(n)[:size]] ^= True
            score = oracle.ask(account, tried)
            if score is not None and score > best:
                kept, best = tried, score
    return kept


def weighing(oracle: Oracle, draw: np.random.Generator) -> np.ndarray:
    """Coins on a scale: a few labels are asked for in many overlapping sets, to be learnt for sure."""
    n, asked = len(oracle.truth), ACCOUNTS * oracle.tries
    guess = draw.random(n) < 0.5
    size = max(1, min(n, asked * max(1, int(math.log2(asked + 1))) // 2))
    base = oracle.ask(0, guess)
    rows, values = [], []
    for number in range(1, asked):
        turned = draw.random(size) < 0.5
        tried = guess.copy()
        tried[:size] ^= turned
        score = oracle.ask(number // oracle.tries, tried)
        if score is not None and base is not None:
            rows.append(turned.astype(float))
            values.append((base - score) * n)  # right labels that were turned, less wrong ones
    if rows:
        signs = np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)[0]
        guess[:size] ^= signs < -1e-9
    return guess


DESIGNS = (halves, best_of, climb, weighing)
RULES = [HiddenRules(), HiddenRules(decimals=1), HiddenRules(step=0.05), HiddenRules(step=0.25)]


@pytest.mark.parametrize(
    ("design", "known", "size"), some_rows([*product(DESIGNS, RULES, [(200, 20), (1000, 4)])], 3)
)
def test_no_design_gains_more_than_the_bits_allow(design, known, size):
    cases, tries = size
    bits = ACCOUNTS * told(known, tries, balanced(cases))
    draw, gains = np.random.default_rng(11), []
    for _ in range(8):
        truth = draw.random(cases) < 0.5
        gains.append(float((design(Oracle(truth, known, tries), draw) == truth).mean()) - 0.5)
    assert np.mean(gains) <= possible_gain(bits, cases) + 2 * np.std(gains) / math.sqrt(len(gains))


def test_random_halves_read_the_truth_where_the_board_says_so():
    """The default of `hide` before: 100 scores of three decimals, of 200 labels."""
    draw = np.random.default_rng(3)
    truth, known = draw.random(200) < 0.5, HiddenRules()
    found = (halves(Oracle(truth, known, 20), draw) == truth).mean() - 0.5
    assert found > 0.2
    assert possible_gain(100 * math.log2(1002), 200) == 0.5


def test_the_bound_is_the_smallest_that_holds_for_all_designs():
    """The best of all 2^b guesses that a code of b bits can name reaches it but for its length."""
    assert possible_gain(0, 100) == pytest.approx(0, abs=1e-6)
    assert possible_gain(100, 100) == possible_gain(math.inf, 100) == 0.5
    for gain in (0.05, 0.2, 0.4):
        assert possible_gain(bits_for(gain, 70), 70) == pytest.approx(gain)
    majority = sum(max(sum(truth), 7 - sum(truth)) for truth in product((0, 1), repeat=7)) / 2**7 / 7
    assert 0.5 * possible_gain(1, 7) < majority - 0.5 <= possible_gain(1, 7), "one bit: what is frequent"


def test_transcripts_of_the_ladder_are_counted():
    known, tries = HiddenRules(step=0.5), 4
    scores = product((None, 0.0, 0.2, 0.3, 0.45, 0.55, 0.8, 1.0), repeat=tries)
    ways = {tuple(ladder_scores(some, known.step)) for some in scores}
    assert math.log2(len(ways)) <= told(known, tries, balanced(100)) < math.log2(len(ways)) + 1


def test_limits_of_phases_say_how_many_scores_there_can_be():
    day = "2026-12-01T00:00:00.000000+00:00", "2026-12-03T00:00:00.000000+00:00"
    assert most_submissions(Phase("p", *day, per_day=5)) == 10
    assert most_submissions(Phase("p", *day, per_day=5, total=7)) == 7
    assert most_submissions(Phase("p", day[0], None, per_day=5)) == math.inf
    assert planned(HiddenRules(), [], 1, balanced(10**6)).proposed == HiddenRules("none")
    some = planned(HiddenRules(), [Phase("p", total=2)], 5, balanced(20_000))
    assert some.proposed is None
    assert "Safe" in some.words
    sent = ["2026-11-30T12", "2026-12-01T12", "2026-12-01T13"]
    assert most_submissions(Phase("p", *day, per_day=2), sent) == 3 + 2, "one was before it opened"
    assert most_submissions(Phase("p", *day, per_day=1), sent) == 3 + 1, "two when two were allowed"
    assert most_submissions(Phase("p", *day, per_day=2, total=4), sent) == 3 + 1
    assert expected([Phase("p", total=4)], {"p": sent[:1], "gone": sent[1:2]}) == 4 + 1
    more = planned(HiddenRules(), [Phase("p", total=20)], 5, balanced(20_000))
    assert more.proposed.detail == "score"
    assert planned(more.proposed, [Phase("p", total=20)], 5, balanced(20_000)).proposed is None


def test_a_board_of_before_says_that_it_is_not_safe_and_what_would_be(place, tmp_path):
    hidden_board(tmp_path, phase=Phase("v", per_day=5, total=100))
    done = run_board("hide", "h", "--detail", "score", "--json", "-")
    assert (done.status, done.json["budget"]["safe"]) == (0, False)
    assert "truth-not-safe" in done.err
    assert "--detail none" in done.err
    assert done.json["budget"]["proposed"]["detail"] == "none"
    assert run_board("hide", "h", "--open").status == 0
    done = run_board("hide", "h", "--json", "-")
    assert done.json["hidden"]["detail"] == "none", "without a choice what is safe"
    assert done.json["budget"]["safe"] is False, "it was open before"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cases", "known", "days"),
    [
        (60, HiddenRules("none"), 5),
        pytest.param(60, HiddenRules("none"), 20, marks=pytest.mark.soak),
        pytest.param(8000, None, 20, marks=pytest.mark.soak),
    ],
)
def test_days_of_five_accounts_on_a_board_that_calls_itself_safe(
    place, tmp_path, monkeypatch, cases, known, days
):
    draw = np.random.default_rng(19)
    truth = draw.permutation(cases) < cases // 2
    names = [f"canary{i:04}" for i in range(cases)]
    first = clock.datetime(2026, 12, 1, 12, tzinfo=clock.UTC)
    phase = Phase("v", schema.written(first), schema.written(first + clock.timedelta(days=days)), per_day=1)
    labels = dict(zip(names, truth, strict=True))
    board = hidden_board(tmp_path, HiddenRules("none"), phase, labels)
    for account in range(ACCOUNTS):
        members.set_members(board.store, "h", f"team{account}", ["paul@example.org"])
    for unused in ("alpha", "beta"):
        members.set_members(board.store, "h", unused, [])
    visible_results.hide(board.store, "h", known or visible_results.planned(board, HiddenRules()).proposed)
    assert visible_results.planned(board).proposed is None, "it calls itself safe"
    rows, values = [], []
    for day, account in product(range(days), range(ACCOUNTS)):
        now = schema.written(first + clock.timedelta(days=day, seconds=account * 10))
        monkeypatch.setattr(schema, "now", lambda now=now: now)
        one = draw.random(cases) < 0.5
        data = table([0.9 if each else 0.1 for each in one], names)
        told_of = participant.submit(acting(board, PAUL), f"team{account}", "p.csv", data, {}, uuid4().hex)
        rows.append(2.0 * one - 1)
        values.append(0.0 if told_of.score is None else told_of.score - 0.5)
    with pytest.raises(InputRefused, match="limit-reached"):
        participant.submit(
            acting(board, PAUL), "team0", "p.csv", table([0.5] * cases, names), {}, uuid4().hex
        )
    learnt = np.array(values) @ np.linalg.pinv(np.array(rows)).T > 0
    gain = float((learnt == truth).mean() - 0.5)
    assert gain <= SAFE_GAIN + (0.1 if cases < 100 else 0.0), "of 60 cases chance alone makes 0.1"
    assert visible_results.use(board).is_safe
    assert len(phases_and_limits.phases(board.store, "h")) == 1


@pytest.mark.parametrize("positive", [1, 5, 20])
def test_a_rare_class_makes_no_safe_board(positive):
    """Two answers found the one melanoma among 10,000 on a board that called itself safe."""
    phase = [Phase("p", total=5)]
    assert planned(HiddenRules(), phase, 1, balanced(10_000)).proposed is None
    plan = planned(HiddenRules(), phase, 1, Labels(10_000, 10_000, of_classes(positive, 10_000 - positive)))
    assert plan.proposed == HiddenRules("none")
    assert "Not safe" in plan.words


def test_a_rare_class_needs_as_many_bits_as_its_places_tell():
    """An AUC is the mean place of the positive cases: the places that tell least for a mean are tilted."""
    places, gain = (np.arange(10_000) + 0.5) / 10_000, 0.05
    low, high = 0.0, 10.0
    for _ in range(60):
        tilt = (low + high) / 2
        density = np.exp(tilt * places)
        density /= density.sum()
        low, high = (tilt, high) if density @ places < 0.5 + gain else (low, tilt)
    bits = float(density @ np.log2(density * 10_000))
    assert 20 * bits == pytest.approx(bits_for(gain, of_classes(20, 10**6 - 20)), rel=0.02)
    assert of_classes(500, 500) == 750


def test_cases_of_a_unit_are_learnt_together():
    """Three answers told all twenty patients of 10,000 images, whom the board knew."""
    patients = np.repeat(np.arange(20), 500)
    assert effective_labels(patients % 2, patients, np.ones(10_000)) == pytest.approx(15)
    assert effective_units(patients, np.ones(10_000)) == pytest.approx(20)
    mixed = effective_labels(np.arange(10_000) % 2, patients, np.ones(10_000))
    assert mixed == pytest.approx(15), "an AUC of patients who have both classes is learnt no slower"
    one_is_most = np.where(np.arange(10_000) < 9_000, 0, np.arange(10_000))
    assert effective_units(one_is_most, np.ones(10_000)) == pytest.approx(10_000**2 / (9_000**2 + 1_000))
    weights = np.where(np.arange(10_000) < 5, 1.0, 0.0)
    assert effective_labels(np.arange(10_000) % 2, np.arange(10_000), weights) <= 5
    assert effective_labels(np.zeros(9, int), np.arange(9), np.ones(9)) == 0


def information(share, hits, alarms):
    """Bits a label that an answer tells which is yes for so many of the ill (a share) and of the others."""
    cells = [share * hits, share * (1 - hits), (1 - share) * alarms, (1 - share) * (1 - alarms)]
    yes = cells[0] + cells[2]
    alone = [share * yes, share * (1 - yes), (1 - share) * yes, (1 - share) * (1 - yes)]
    return sum(cell * math.log2(cell / free) for cell, free in zip(cells, alone, strict=True) if cell > 0)


@pytest.mark.parametrize("share", [0.02, 0.25, 0.5, 0.75])
def test_no_answer_is_better_than_the_best_constant_one_for_fewer_bits(share):
    """Where a quarter is ill one score told so, and 0.75 were right: as many as one constant answer has."""
    best = {"accuracy": max(share, 1 - share), "auc": 0.5, "f1": 2 * share / (1 + share)}
    fewest = dict.fromkeys(best, math.inf)
    for hits, alarms in product(np.linspace(0, 1, 81), repeat=2):
        reached = {
            "accuracy": share * hits + (1 - share) * (1 - alarms),
            "auc": (1 + hits - alarms) / 2,
            "f1": 2 * share * hits / (share + share * hits + (1 - share) * alarms),
        }
        for name in (name for name in best if reached[name] >= best[name] + SAFE_GAIN - 1e-9):
            fewest[name] = min(fewest[name], information(share, hits, alarms))
    ill = round(share * 10_000)
    assert bits_for(SAFE_GAIN, of_classes(ill, 10_000 - ill)) / 10_000 <= min(fewest.values())
    assert (
        "above the best constant answer"
        in planned(HiddenRules(), [Phase("p", total=1)], 1, balanced(9000)).words
    )


def weighted(tmp_path, ill):
    """Open a board of ISIC with so many melanomas of 1,000 cases, which weigh twenty times as much."""
    of_case = [(i, int(i < ill)) for i in range(1000)]
    table = tmp_path / f"t{ill}.csv"
    rows = [f"c{i},{is_ill},{1 - is_ill},{20 if is_ill else 1},0" for i, is_ill in of_case]
    table.write_text("\n".join(["image,MEL,NV,score_weight,validation_weight", *rows]) + "\n")
    made = run_board("create", "isic", "--id", f"b{ill}", "--title", "B", "--truth", table)
    assert made.status == 0, made.err
    run_board("phase", f"b{ill}", "--name", "v", "--total", 1)
    return run_board("hide", f"b{ill}", "--detail", "score", "--digits", 3, "--json", "-").json


def test_what_is_published_of_the_use_follows_no_class(place, tmp_path):
    """Melanomas weighed twenty times as much, and the number of units said how many there are."""
    few, many = weighted(tmp_path, 10), weighted(tmp_path, 400)
    assert few["use"] == many["use"]
    assert few["use"]["cases"] == 1000
    assert few["budget"]["bits_of_safe"] < many["budget"]["bits_of_safe"], "the organizer's plan does"


def test_scores_without_a_bound_make_no_safe_board():
    """Survival with three events, a rare label of several, an outlier in a correlation were called safe."""
    plan = planned(HiddenRules(decimals=1), [Phase("p", total=1)], 1, Labels(10**6, 0, 0))
    assert (plan.proposed, plan.use.gain) == (HiddenRules("none"), 0.5)
    assert plan.words.startswith("Not safe: It is not known how much these scores")
    none = planned(HiddenRules("none"), [Phase("p", total=1)], 1, Labels(10**6, 0, 0))
    assert (none.proposed, none.use.gain) == (None, 0)


@pytest.mark.parametrize(
    ("challenge", "group", "is_safe"),
    [("melanoma", "none", True), ("melanoma", "patient", False), ("shades", "none", False)],
)
def test_hide_proposes_scores_only_where_a_bound_is_known(place, tmp_path, challenge, group, is_safe):
    """Five scores of 40,000 images: safe, unless they are of twenty patients, or the score is an error."""
    declared = tmp_path / "shades.toml"
    declared.write_text(
        'id = "shades"\ntitle = "Shades"\nabout = "A number for each image"\ntask = "regression"\n[truth]\n'
        'case = "filename"\nvalue = "label"\n[predictions]\nvalue = "score"\n[score]\nmetric = "pearson"\n'
    )
    truth = tmp_path / "truth.csv"
    rows = (f"c{i},{i % 2},p{i % 20}" for i in range(40_000))
    truth.write_text("filename,label,patient\n" + "\n".join(rows) + "\n")
    name = str(declared) if challenge == "shades" else challenge
    made = run_board("create", name, "--id", "b", "--title", "B", "--truth", str(truth), "--group", group)
    assert made.status == 0, made.err
    run_board("phase", "b", "--name", "v", "--total", "5")
    done = run_board("hide", "b", "--json", "-")
    assert done.status == 0, done.err
    assert (done.json["hidden"]["detail"] != "none") is is_safe


def test_rules_may_change_after_scores_without_an_end_were_shown(place, tmp_path):
    """Infinitely many bits were kept, and the board could not be read any more."""
    table = sizes(tmp_path)
    run_board("hide", "size", "--detail", "score")
    run_board("submit", "size", "--team", "a", "--predictions", table)
    done = run_board("hide", "size", "--digits", "2")
    (line,) = [line for line in done.err.splitlines() if "truth-not-safe" in line]
    assert "size: Not safe under any rule from now on" in line, "its place is the board"
    assert "above the best" not in done.err, "of an error nobody knows what guessing gains"
    done = run_board("hide", "size", "--detail", "none")
    assert (done.status, "see no score until the truth is opened" in done.out) == (0, True)
    done = run_board("show", "size")
    assert (done.status, "a" in done.out) == (0, True), done.err


@pytest.mark.parametrize(
    ("flags", "drawn"),
    [(("--digits", 1), "4.1"), (("--ladder", 0.1), "4.1"), (("--ladder", 0.25), "4.00"), ((), "4.070")],
)
def test_a_score_is_drawn_with_the_digits_that_are_shown(place, tmp_path, flags, drawn):
    lines = sizes(tmp_path).read_text().splitlines()
    run_board("hide", "size", "--detail", "score", *flags)
    off = [f"{case},{float(mm) + 4.07}" for case, mm in (line.split(",") for line in lines[1:])]
    (tmp_path / "p.csv").write_text("\n".join([lines[0], *off]))
    assert run_board("submit", "size", "--team", "a", "--predictions", tmp_path / "p.csv").status == 0
    ranking, history = public_report.sections(board_ranking(opened(open_store(), "size")))
    tables = [block for section in (ranking, history) for block in section.blocks if isinstance(block, Table)]
    columns = [(t, column) for t in tables for column in t.columns if column.name == "score"]
    assert [f"{t.rows['score'][0]:.{column.digits}f}" for t, column in columns] == [drawn, drawn]


@pytest.mark.parametrize(
    ("missing", "metric", "ranking", "is_known"),
    [
        ("refuse", "accuracy", "", True),
        ("worst", "f1", "", True),
        ("ignore", "accuracy", "", False),
        ("refuse", "precision", "", False),
        ("refuse", "kappa", "", False),
        ("refuse", "accuracy", "mean_rank", False),
        ("refuse", "accuracy", 'mean_rank"\nmetrics = ["accuracy", "f1"]\nties = "min', True),
        ("refuse", "accuracy", "score", True),
    ],
)
def test_a_bound_is_known_where_few_known_labels_lift_no_score(tmp_path, missing, metric, ranking, is_known):
    """Where missing cases are left out, a file of one case was right in all: 1.000 with two answers. Where a
    precision ranks beside the score, one known case was first in it."""
    ranked = f'[[report]]\nmetric = "f1"\n[[report]]\nmetric = "precision"\n[ranking]\nby = "{ranking}"\n'
    (tmp_path / "c.toml").write_text(
        'id = "c"\ntitle = "C"\nabout = "C"\ntask = "classification"\nclasses = ["n", "y"]\n'
        f'positive = "y"\n[truth]\ncase = "id"\nlabel = "y"\n[predictions]\nlabel = "y"\n'
        f'missing = "{missing}"\n[score]\nmetric = "{metric}"\n' + ranked * bool(ranking)
    )
    assert load_challenge(str(tmp_path / "c.toml")).scoring.bounded_by_labels is is_known


def test_what_merged_teams_were_told_is_counted_beside_what_is_to_come():
    """Five teams of one score each were merged and four came: half of what all are told was counted."""
    phase, labels = [Phase("p", total=1)], balanced(8_000)
    one = told(HiddenRules(), 1, labels)
    assert planned(HiddenRules(), phase, 5, labels, 0.0, [1] * 5).use.bits == pytest.approx(5 * one)
    assert planned(HiddenRules(), phase, 5, labels, 0.0, [5, 1]).use.bits == pytest.approx(9 * one)
    assert planned(HiddenRules(), phase, 5, labels, 3.0, [5]).use.bits == pytest.approx(9 * one + 3)


def test_later_dates_of_a_phase_are_counted_beside_what_was_sent(place, tmp_path):
    """Two days of a phase were used up, and it got two later ones: the plan said two scores, not four."""
    board = hidden_board(tmp_path, HiddenRules(), None)
    members.set_members(board.store, "h", "beta", [])
    days = [f"2026-11-0{day}T00:00:00.000000+00:00" for day in range(1, 6)]
    phases_and_limits.define(board.store, "h", Phase("weekly", days[0], days[2], per_day=1))
    for wrong, time in enumerate(days[:2]):
        submitting.submit(board, SubmissionRequest("alpha", "p.csv", good(wrong), created=time))
    assert visible_results.planned(board).use.bits == pytest.approx(told(HiddenRules(), 2, balanced(60)))
    phases_and_limits.define(board.store, "h", Phase("weekly", days[2], days[4], per_day=1))
    assert visible_results.planned(board).use.bits == pytest.approx(told(HiddenRules(), 4, balanced(60)))
