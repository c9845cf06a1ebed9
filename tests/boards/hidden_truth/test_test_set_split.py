"""A test set in two parts: scores of the shown one until the end, ranks by the withheld one then."""

import json
import random
from types import SimpleNamespace

import numpy as np
import pytest

from scoring.boards.board import BoardSettings, change_settings, create, opened
from scoring.boards.bundles import bundle
from scoring.boards.hidden_truth import test_set_split, visible_results
from scoring.boards.hidden_truth.disclosure_rules import HiddenRules
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions import participant, phases_and_limits
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.teams import members, team_changes
from scoring.boards.truth_correction import rescoring
from scoring.challenges import load_challenge
from scoring.common.findings import InputRefused
from scoring.store import schema
from scoring.store.database import open_store
from tests.challenges.hecktor2026 import eight
from tests.support import schemas
from tests.support.boards import board
from tests.support.declared_kinds import KINDS
from tests.support.hidden_boards import MAX, PAUL, acting, handed_in
from tests.support.patients import CHALLENGE

N = 120
CASES = [f"case{i:03}" for i in range(N)]
PATIENTS = [f"patient{i // 2:02}" for i in range(N)]
TRUTH = [i % 6 < 2 for i in range(N)]
STATISTICS = {"resamples": 60, "seed": 0, "group": None, "interval": "auto"}


def labels(rows: list[int], turned: tuple[int, ...] = ()) -> str:
    lines = (f"{CASES[i]},{TRUTH[i] != (i in turned)},{PATIENTS[i]}" for i in rows)
    return "filename,label,patient_id\n" + "\n".join(lines) + "\n"


def sent(seed: int, right: float, rows=range(N)) -> bytes:
    """A submission that is right in about a share of the cases."""
    drawn = random.Random(seed)
    values = [drawn.random() * 0.4 + 0.5 * (ill == (drawn.random() < right)) for ill in TRUTH]
    return ("filename,score\n" + "\n".join(f"{CASES[i]},{values[i]:.6f}" for i in rows) + "\n").encode()


@pytest.fixture
def one(place, tmp_path):
    """The board "h" with a split test set; gives it and its shown cases."""
    store = open_store()
    (tmp_path / "t.csv").write_text(labels([*range(N)]))
    create(store, "h", "melanoma", str(tmp_path / "t.csv"), BoardSettings("H", statistics=STATISTICS))
    done = board("split", "h", "--share", 0.4, "--seed", 3, "--json", "-")
    assert done.status == 0, done.err
    phases_and_limits.define(store, "h", Phase("v", per_day=5, total=100))
    members.set_members(store, "h", "alpha", ["paul@example.org"])
    members.set_members(store, "h", "beta", ["group:lab"])
    return opened(store, "h")


def shown_rows(one) -> list[int]:
    return [CASES.index(case) for case in one.split.cases]


def test_parts_keep_patients_whole_and_classes_in_equal_shares(one):
    shown = shown_rows(one)
    assert not {PATIENTS[i] for i in shown} & {PATIENTS[i] for i in set(range(N)) - set(shown)}
    ill = sum(TRUTH[i] for i in shown)
    assert (len(shown), ill) == (48, 16), "0.4 of 60 patients and of the 20 who are ill, of two cases each"
    again = test_set_split.split_board(one.store, "h", 0.4, seed=3)
    assert again.split.cases == one.split.cases
    assert test_set_split.split_board(one.store, "h", 0.4, seed=4).split.cases != one.split.cases
    seeds = {test_set_split.split_board(one.store, "h", 0.4).split.seed for _ in range(4)}
    assert len(seeds) == 4, "without a seed one is drawn that nobody knows"


def test_the_unit_that_a_challenge_file_names_stays_whole(place, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_CHALLENGES", str(tmp_path))
    (tmp_path / "size.toml").write_text(
        'id = "size"\ntitle = "Size"\nabout = "Tumour size"\ntask = "regression"\n'
        '[truth]\ncase = "case"\nvalue = "mm"\nunit = "subject"\n[predictions]\nvalue = "mm"\n'
        '[score]\nmetric = "mae"\n'
    )
    rows = "".join(f"{CASES[i]},{i % 17},s{i // 3}\n" for i in range(N))
    (tmp_path / "t.csv").write_text(f"case,mm,subject\n{rows}")
    create(open_store(), "h", "size", str(tmp_path / "t.csv"), BoardSettings("H", statistics=STATISTICS))
    shown = shown_rows(test_set_split.split_board(open_store(), "h", 0.4, seed=3))
    assert len(shown) == 48
    assert not {i // 3 for i in shown} & {i // 3 for i in set(range(N)) - set(shown)}


def shares(column: np.ndarray, is_shown: np.ndarray) -> dict[float, tuple[int, int]]:
    """Return how many units of each value lie in the shown part, and how many there are."""
    return {v: (int(is_shown[column == v].sum()), int((column == v).sum())) for v in np.unique(column)}


@pytest.mark.parametrize("share", [0.3, 0.75])
def test_without_classes_events_stages_and_values_are_alike_in_both_parts(share):
    """Event in a fifth, stages within it, and days: each split alike, whichever the seed."""
    drawn = np.random.default_rng(1)
    event, stage = (np.arange(200) % 5 == 0).astype(float), np.arange(200) % 4
    days = drawn.permutation(200).astype(float)
    truth = SimpleNamespace(strata=np.column_stack((days, stage, event)))
    units, classes = np.arange(200), np.zeros(200, int)
    sets = set()
    for seed in range(20):
        chosen = test_set_split._drawn(classes, units, test_set_split._keys(truth, units), share, seed)
        is_shown = np.isin(units, chosen)
        assert is_shown.sum() == round(share * 200)
        for column in (event, event * 4 + stage):
            for found, of in shares(column, is_shown).values():
                assert abs(found - share * of) <= 2
        sets.add(tuple(chosen))
    assert len(sets) == 20
    value = SimpleNamespace(strata=days[:, None])
    chosen = test_set_split._drawn(classes, units, test_set_split._keys(value, units), share, 0)
    is_shown = np.isin(units, chosen)
    for found, of in shares(days // 50, is_shown).values():
        assert abs(found - share * of) <= 2, "quarters of the values"


@pytest.mark.parametrize(("kind", "columns"), [("labels", 2), ("error", 1), ("survival", 2), ("points", 0)])
def test_truths_say_what_they_have_beside_classes(kind, columns):
    table = KINDS[kind].made(np.random.default_rng(0), 0.0)
    truth = KINDS[kind].challenge.read_truth(table.encode(), "t.csv")
    keys = test_set_split._keys(truth, np.arange(len(truth)))
    assert keys.shape == (len(truth), columns)
    assert all(len(set(column)) > 1 for column in keys.T)
    assert list(keys.max(axis=0)[:1]) == [1.0] * (kind in ("labels", "survival")) + [59.0] * (kind == "error")


def test_hecktor_is_split_by_event_stages_and_days():
    truth = CHALLENGE.read_truth(eight.TRUTH)
    keys = test_set_split._keys(truth, np.arange(len(truth)))
    assert set(keys[:, 0]) <= {-1.0, 0.0, 1.0}, "the event first"
    assert {*keys.max(axis=0)} == {np.nanmax(v) for v in (truth.event, *truth.stages.values(), truth.time)}


def test_a_list_of_cases_is_the_shown_part_and_what_cannot_be_is_refused(one, tmp_path):
    listed = tmp_path / "shown.txt"
    listed.write_text("\n".join(CASES[:24]))
    done = board("split", "h", "--cases", listed, "--json", "-")
    assert (done.json["shown"], done.json["withheld"], done.json["seed"]) == (24, 96, None)
    for arguments, words in (
        (("--share", 0), "not a share"),
        (("--share", 0.3, "--seed", -1), "whole number"),
        ((), "give a share"),
        (("--cases", tmp_path / "none.txt"), "unreadable-file"),
    ):
        refused = board("split", "h", *arguments)
        assert (refused.status, words in refused.err) == (2, True), refused.err
    for cases, words in (
        (CASES[:3], "both parts"),
        (["x"], "1 listed case is not in the test set: x."),
        (["x", "y"], "2 listed cases are not in the test set: x, y."),
        (CASES, "has no case"),
    ):
        with pytest.raises(InputRefused, match=words):
            test_set_split.split_board(one.store, "h", cases=cases)
    with pytest.raises(InputRefused, match="are in the same part: choose"):
        test_set_split.split_board(
            one.store, "h", cases=[c for c, ill in zip(CASES, TRUTH, strict=True) if ill]
        )
    handed_in(one, sent(1, 0.8))
    with pytest.raises(InputRefused, match="already submitted"):
        test_set_split.split_board(one.store, "h", 0.5)


def score_of(tmp_path, rows: list[int], data: bytes, turned: tuple[int, ...] = ()) -> float:
    """Score rows of a submission on rows of the truth as files of their own."""
    challenge = load_challenge("melanoma")
    truth = challenge.read_truth(labels(rows, turned).encode(), "t.csv")
    header, *lines = data.decode().splitlines()
    kept = "\n".join([header, *(lines[i] for i in rows)]).encode()
    return challenge.score(truth, challenge.read_predictions(kept, truth), resamples=0).score


def test_one_file_is_scored_on_both_parts_and_only_the_shown_one_is_told(one, tmp_path):
    data, shown = sent(1, 0.8), shown_rows(one)
    withheld = [i for i in range(N) if i not in shown]
    told = handed_in(one, data)
    expected = score_of(tmp_path, shown, data)
    final = score_of(tmp_path, withheld, data)
    assert abs(expected - final) > 0.001
    assert told.score == round(expected, 3)
    (entry,) = board_ranking(one).entries
    assert entry.score == pytest.approx(final, abs=1e-12)
    value = public_report.value(board_ranking(opened(one.store, "h")))
    assert schemas.problems("board", json.dumps(value)) == []
    assert [team["score"] for team in value["teams"]] == [round(expected, 3)]
    visible_results.reveal(one.store, "h")
    value = public_report.value(board_ranking(opened(one.store, "h")))
    assert schemas.problems("board", json.dumps(value)) == []
    assert value["teams"][0]["score"] == pytest.approx(final, abs=1e-12)
    assert value["shake_up"][0]["shown"]["score"] == pytest.approx(expected, abs=1e-12)


def everything_public(one) -> bytes:
    """All that anybody but the organizer can have: view, JSON, report, feedback, export without truth."""
    ranking = board_ranking(opened(one.store, "h"))
    known = [
        repr(public_report.sections(ranking)),
        json.dumps(public_report.value(ranking)),
        public_report.html(ranking),
    ]
    for actor, team in ((PAUL, "alpha"), (MAX, "beta")):
        told = participant.own_submissions(acting(one, actor), team)
        known += [
            repr(told),
            *(repr(participant.submission_detail(acting(one, actor), team, t.submission)) for t in told),
        ]
    manifest = bundle.export(opened(one.store, "h"), with_truth=False)
    return "\n".join(known).encode() + manifest


@pytest.mark.parametrize("detail", ["score", "classes", "cases"])
def test_until_the_end_nothing_public_depends_on_the_withheld_labels(one, tmp_path, detail):
    """The same month on two truths that differ in all withheld labels: every public byte is the same."""
    shown = shown_rows(one)
    month = [("alpha", PAUL, sent(s, 0.6)) for s in range(3)] + [("beta", MAX, sent(9, 0.8))]
    public = []
    for turned in ((), tuple(i for i in range(N) if i not in shown)):
        store = open_store()
        (tmp_path / "u.csv").write_text(labels([*range(N)], turned))
        assert board("delete", "h", "--yes").status == 0
        create(store, "h", "melanoma", str(tmp_path / "u.csv"), BoardSettings("H", statistics=STATISTICS))
        test_set_split.split_board(store, "h", cases=[CASES[i] for i in shown])
        visible_results.hide(store, "h", HiddenRules(detail))
        phases_and_limits.define(store, "h", Phase("v"))
        members.set_members(store, "h", "alpha", ["paul@example.org"])
        members.set_members(store, "h", "beta", ["group:lab"])
        run = opened(store, "h")
        for number, (team, actor, data) in enumerate(month):
            participant.submit(acting(run, actor), team, "p.csv", data, {}, f"s{number}")
        with store.write() as session:
            for number, row in enumerate(session.query(schema.Submission).order_by(schema.Submission.id)):
                row.created = f"2026-10-0{number + 1}T00:00:00.000000+00:00"
            for row in [
                *session.query(schema.Board),
                *session.query(schema.TestSetVersion),
                *session.query(schema.Team),
            ]:
                row.created = "2026-09-01T00:00:00.000000+00:00"
        public.append(everything_public(run))
        scores = [entry.score for entry in board_ranking(run).entries]
        assert len(set(scores)) == 4
    assert public[0] == public[1]


def test_a_team_nominates_and_that_counts_at_the_end(one):
    first, second = handed_in(one, sent(1, 0.9)), handed_in(one, sent(2, 0.55))
    handed_in(one, sent(3, 0.7), actor=MAX, team="beta")
    counts = lambda: board_ranking(opened(one.store, "h")).counting["alpha"].id  # noqa: E731
    assert counts() == second.submission, "the last"
    with pytest.raises(InputRefused, match="no-submission"):
        participant.nominate(acting(one, MAX), "beta", first.submission)
    with pytest.raises(InputRefused, match="foreign-team"):
        participant.nominate(acting(one, MAX), "alpha", first.submission)
    participant.nominate(acting(one, PAUL), "alpha", first.submission)
    assert counts() == first.submission
    handed_in(one, sent(4, 0.5))
    assert counts() == first.submission, "a later file changes nothing"
    own = participant.own_submissions(acting(one, PAUL), "alpha")
    assert [told.submission for told in own if told.counts] == [first.submission]
    value = public_report.value(board_ranking(opened(one.store, "h")))
    assert {team["team"]: team["submission"] for team in value["teams"]}["alpha"] == first.submission
    copied = bundle.export(opened(one.store, "h"), with_truth=True)
    assert bundle.counted(copied).teams["alpha"][1] == sent(1, 0.9)
    assert board("nominate", "h", "alpha", "--undo").status == 0
    assert counts() != first.submission
    assert board("nominate", "h", "alpha", "--submission", first.submission).status == 0
    change_settings(one.store, "h", counts="best")
    participant.nominate(acting(one, PAUL), "alpha", second.submission)
    assert counts() == second.submission, "also where an earlier one is better"
    participant.nominate(acting(one, PAUL), "alpha", first.submission)
    visible_results.reveal(one.store, "h")
    assert counts() == first.submission
    for call in (
        lambda: participant.nominate(acting(one, PAUL), "alpha", second.submission),
        lambda: team_changes.nominate(one.store, "h", None, "alpha"),
    ):
        with pytest.raises(InputRefused, match=r"bad-split .*the withheld part was opened"):
            call()


@pytest.mark.parametrize("is_open", [False, True])
def test_the_terminal_says_of_withheld_scores_that_they_are_the_organizers_until_the_end(
    one, tmp_path, is_open
):
    for number in (1, 2):
        (tmp_path / f"{number}.csv").write_bytes(sent(number, 0.7))
    if is_open:
        visible_results.reveal(one.store, "h")
    submit = ("submit", "h", "--team", "alpha", "--predictions")
    told = [board(*submit, tmp_path / "1.csv"), board("show", "h")]
    score = f"{board_ranking(opened(one.store, 'h')).entries[0].score:.6f}"
    assert [score in done.out for done in told] == [True, True]
    assert ["Only the organizer sees these scores" in done.out for done in told] == [not is_open] * 2
    written = [board(*submit, tmp_path / "2.csv", "--json", "-"), board("show", "h", "--json", "-")]
    assert not any("organizer sees these scores" in done.out for done in written)


def test_the_shake_up_has_both_ranks_of_the_same_files(one):
    shown = set(shown_rows(one))
    for number, team in enumerate(("alpha", "beta")):  # each is better in another part
        good = [TRUTH[i] if (i in shown) == (number == 0) else i % 5 == 0 for i in range(N)]
        rows = (f"{case},{0.9 if ill else 0.1}" for case, ill in zip(CASES, good, strict=True))
        data = ("filename,score\n" + "\n".join(rows) + "\n").encode()
        handed_in(one, data, actor=(PAUL, MAX)[number], team=team)
    public = public_report.value(board_ranking(opened(one.store, "h")))
    assert [team["team"] for team in public["teams"]] == ["alpha", "beta"]
    assert "shake_up" not in public
    assert "Shake-up" not in public_report.html(board_ranking(opened(one.store, "h")))
    visible_results.reveal(one.store, "h")
    ranking = board_ranking(opened(one.store, "h"))
    moved = {
        row["team"]: (row["shown"]["rank"], row["rank"]) for row in public_report.value(ranking)["shake_up"]
    }
    assert moved == {"alpha": (1, 2), "beta": (2, 1)}
    assert "Shake-up" in public_report.html(ranking)


def test_a_bundle_with_truth_comes_back_and_a_correction_keeps_the_parts(one, tmp_path):
    handed_in(one, sent(1, 0.8))
    before = handed_in(one, sent(2, 0.7), actor=MAX, team="beta").score
    shown = shown_rows(one)
    (tmp_path / "c.csv").write_text(labels([*range(N)], turned=(shown[0], shown[1])))
    rescoring.rescore(one.store, "h", str(tmp_path / "c.csv"))
    after = opened(one.store, "h")
    assert after.split.cases == one.split.cases
    told = participant.own_submissions(acting(after, MAX), "beta")
    assert [t.score for t in told] == [before], "a correction tells nothing of the shown part"
    data = bundle.export(after, with_truth=True)
    assert board("delete", "h", "--yes").status == 0
    (tmp_path / "b.zip").write_bytes(data)
    done = board("import", tmp_path / "b.zip")
    assert done.status == 0, done.err
    assert bundle.export(opened(one.store, "h"), with_truth=True) == data


def test_after_a_correction_both_parts_of_the_shake_up_are_of_one_truth(one, tmp_path):
    data, shown = sent(1, 0.8), shown_rows(one)
    told = handed_in(one, data).score
    turned = (shown[0], shown[1], shown[5])
    (tmp_path / "c.csv").write_text(labels([*range(N)], turned=turned))
    rescoring.rescore(one.store, "h", str(tmp_path / "c.csv"))
    visible_results.reveal(one.store, "h")
    (row,) = public_report.value(board_ranking(opened(one.store, "h")))["shake_up"]
    expected = score_of(tmp_path, shown, data, turned)
    assert row["shown"]["score"] == pytest.approx(expected, abs=1e-12)
    assert told != round(expected, 3)


def test_an_attacker_gains_nothing_about_the_withheld_part(one):
    """Forty tries: each turns three guesses around, and what scores better stays."""
    phases_and_limits.define(one.store, "h", Phase("v", total=40))
    random, best = np.random.default_rng(7), -1.0
    guess = random.random(N) < 0.5
    for turned in random.permutation(N).reshape(40, 3):
        tried = guess ^ np.isin(np.arange(N), turned)
        rows = (f"{case},{0.9 if ill else 0.1}" for case, ill in zip(CASES, tried, strict=True))
        told = handed_in(one, ("filename,score\n" + "\n".join(rows) + "\n").encode())
        if told.score > best:
            best, guess = told.score, tried
    right, is_shown = np.array(TRUTH) == guess, np.isin(np.arange(N), shown_rows(one))
    assert right[is_shown].mean() > 0.7, "the shown part is what scores cost"
    assert abs(right[~is_shown].mean() - 0.5) < 0.1
    words = visible_results.use(one).words
    assert "concern only the shown part" in words
    assert visible_results.planned(one).proposed is not None


def test_what_is_nominated_and_not_shown_counts_at_the_end_alone(one):
    """The Ladder showed the first; the team nominated the second, and stood without a rank until the end."""
    visible_results.hide(one.store, "h", HiddenRules(step=0.1))
    first, second = (handed_in(one, sent(3, right)).submission for right in (0.9, 0.6))
    team_changes.nominate(one.store, "h", second)
    published = visible_results.published(board_ranking(opened(one.store, "h")))
    assert [team["team"] for team in published["teams"]] == ["alpha"]
    assert board_ranking(opened(one.store, "h")).counting["alpha"].id == first
    assert "Only the organizer sees these scores" in board("show", "h").out
    first_tab = public_report.open_sections(board_ranking(opened(one.store, "h")))[0]
    assert "organizer sees these scores" in str(first_tab.blocks[0])
    with pytest.raises(InputRefused, match="unknown-team"):
        team_changes.nominate(one.store, "h", None, "nobody")
    visible_results.reveal(one.store, "h")
    assert board_ranking(opened(one.store, "h")).counting["alpha"].id == second
