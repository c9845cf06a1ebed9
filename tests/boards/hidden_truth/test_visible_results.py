"""A hidden truth: each way by which it could leak, closed or bounded (rows of docs/security.md)."""

import json
import random
from dataclasses import asdict

import numpy as np
import pytest
from sqlalchemy import select

from scoring.access.roles import LOCAL, NOBODY
from scoring.boards import board as boards
from scoring.boards import deletion
from scoring.boards.board import BoardSettings, create, opened
from scoring.boards.bundles import bundle
from scoring.boards.hidden_truth import disclosure_rules, probing_notices, redaction, visible_results
from scoring.boards.hidden_truth.disclosure_rules import HiddenRules, ladder_scores
from scoring.boards.hidden_truth.probing_notices import Reason
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions import participant, phases_and_limits
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.teams import members, team_changes
from scoring.boards.truth_correction import rescoring
from scoring.common.findings import InputRefused, error
from scoring.store import schema
from scoring.store.database import open_store
from scoring.store.schema import RefusedAddress
from tests.support.archives import archive_of
from tests.support.boards import CASES, labels
from tests.support.boards import board as run_board
from tests.support.hidden_boards import MAX, PAUL, acting, as_actor, good, handed_in, hidden_board, table
from tests.support.thinned import crossed

SENTENCES = {*redaction.SENTENCES.values()}


def refusal(board, data: bytes, **more) -> InputRefused:
    with pytest.raises(InputRefused) as refused:
        handed_in(board, data, **more)
    return refused.value


def codes(problem: InputRefused) -> list[str]:
    return [one.code for one in problem.problems]


def test_a_score_is_rounded_and_nothing_else_is_told(place, tmp_path, capfd, caplog):
    board = hidden_board(tmp_path)
    answer = handed_in(board, good(7))
    full = board_ranking(board).entries[0].score
    assert answer.score == round(full, 3) != full
    assert (answer.interval, answer.classes, answer.cases, answer.findings) == (None, {}, (), ())
    assert answer.counts
    assert "canary" not in json.dumps(asdict(answer)) + "".join(capfd.readouterr()) + caplog.text


@pytest.mark.parametrize("detail", ["classes", "cases"])
def test_details_carry_no_label_no_number_of_cases_and_no_matrix(place, tmp_path, detail):
    board = hidden_board(tmp_path, HiddenRules(detail=detail))
    answer = handed_in(board, good(7))
    values = [value for row in answer.classes.values() for value in row.values()]
    assert values
    assert all(isinstance(value, float) and 0 <= value <= 1 and value == round(value, 3) for value in values)
    assert bool(answer.cases) == (detail == "cases")
    assert [case for case, _ in answer.cases] == sorted(case for case, _ in answer.cases)
    assert all(set(vars_) == {0, 1} for vars_ in [range(len(pair)) for pair in answer.cases])


def test_what_follows_from_the_truth_alone_is_no_rate_of_a_class(place, tmp_path):
    of_truth = {"support", "predicted", "tp", "score_worth", "best_possible_f1", "per_mm2_truth"}
    of_many_labels = {"log_loss", "brier_score", "score_lost"}
    assert not visible_results.RATES & (of_truth | of_many_labels)
    board = hidden_board(tmp_path, HiddenRules(detail="classes"))
    told = handed_in(board, good(7)).classes
    assert {key for row in told.values() for key in row} == {"precision", "recall", "f1", "specificity"}


def test_refusals_are_sentences_of_the_list(place, tmp_path, capfd, caplog):
    board = hidden_board(tmp_path, phase=Phase("v"))
    rows = good().decode().splitlines()
    files = {
        "refused-cases": ["\n".join(rows[:-1]), "\n".join([*rows, rows[-1]])],
        "refused-file": ["", "<html>", "\0\1\2"],
    }
    told = []
    for code, some in files.items():
        for text in some:
            problem = refusal(board, text.encode())
            told += [one.message for one in problem.problems]
            assert {one.where for one in problem.problems} == {"submission"}
            assert not problem.findings
            if code == "refused-cases":
                assert codes(problem) == [code], "a missing and a double case say the same"
    for value in ("x", "nan", "inf", ""):
        problem = refusal(board, "\n".join([*rows[:-1], f"{CASES[-1]},{value}"]).encode())
        told += [one.message for one in problem.problems]
    assert set(told) <= SENTENCES
    assert "canary" not in " ".join([*told, *capfd.readouterr(), caplog.text])
    assert board_ranking(board).entries == ()


def test_a_mask_on_a_wrong_grid_is_named_without_a_word_of_the_truth():
    wrong = [error("wrong-grid", f"case_{k}.nii", "canary: 12 x 12 voxels, not 24 x 24") for k in range(30)]
    told = redaction.redact(wrong)
    assert [one.where for one in told] == [f"case_{k}.nii" for k in range(20)]
    assert {(one.code, one.message) for one in told} == {("refused-grid", redaction.SENTENCES["grid"])}


def test_what_a_program_says_of_its_faults_is_never_passed_on(place, tmp_path, monkeypatch, caplog):
    board = hidden_board(tmp_path)

    def broken(*_arguments, **_options):
        raise ValueError("idx=canary00 must be within [-1,0]")

    monkeypatch.setattr(participant.submitting, "submit", broken)
    problem = refusal(board, good())
    assert codes(problem) == ["refused-other"]
    assert "canary" not in str(problem) + caplog.text
    assert problem.__cause__ is None
    assert redaction.redact([error("runtime", "idx=canary00", "canary00")])[0].message in SENTENCES


def test_without_a_phase_nothing_is_taken_and_limits_are_the_boards(place, tmp_path):
    board = hidden_board(tmp_path, phase=None)
    assert codes(refusal(board, good())) == ["phase-not-open"]
    phases_and_limits.define(board.store, "h", Phase("v", per_day=2))
    assert participant.remaining_quota(acting(board, PAUL), "alpha").submissions == 2
    handed_in(board, good(1))
    assert handed_in(board, good(1)).again
    handed_in(board, good(2))
    assert codes(refusal(board, good(3))) == ["limit-reached"]
    assert participant.remaining_quota(acting(board, PAUL), "alpha").submissions == 0
    assert handed_in(board, good(3), actor=MAX, team="beta").score is not None


def test_refused_submissions_have_a_limit_of_their_own(place, tmp_path):
    board = hidden_board(tmp_path, HiddenRules(refused_per_day=3))
    handed_in(board, good())
    for number in range(3):
        assert codes(refusal(board, f"nothing {number}".encode())) == ["refused-file"]
    assert codes(refusal(board, b"nothing")) == ["refused-limit"]
    assert codes(refusal(board, good(1))) == ["refused-limit"]
    assert handed_in(board, good(1), actor=MAX, team="beta").score is not None


def test_a_foreign_team_is_refused_and_the_organizer_is_told(place, tmp_path):
    board = hidden_board(tmp_path)
    handed_in(board, good(), actor=MAX, team="beta")
    for team in ("beta", "nobody", "alpha\0", "x" * 999):
        assert codes(refusal(board, good(1), team=team)) == ["foreign-team"]
    assert len({str(refusal(board, good(1), team=team)) for team in ("beta", "none")}) == 1
    assert [one.team for one in board_ranking(board).entries] == ["beta"]
    told = [one for one in probing_notices.board_notices(board.store, "h") if one.code == "foreign-team"]
    assert {"beta", "nobody"} <= {one.where for one in told}
    assert "https://idp|paul" in told[0].message
    for _ in range(15):
        refusal(board, good(1), team="beta")
    assert len(probing_notices.attempts(board.store, "h")) <= 1 + disclosure_rules.REFUSED_PER_DAY
    theirs = board_ranking(board).entries[0].id
    seen = {
        str(raised(participant.submission_detail, acting(board, PAUL), "alpha", one))
        for one in (theirs, "none")
    }
    assert len(seen) == 1, "another team's submission and none at all say the same"
    assert codes(raised(participant.own_submissions, acting(board, PAUL), "beta")) == ["foreign-team"]


def test_refused_addresses_are_told_to_the_organizer_once_a_day(place, tmp_path, monkeypatch):
    store = open_store()
    assert probing_notices.address_notices(store) == []
    for day in ("2026-11-01", "2026-11-01", "2026-11-02"):
        monkeypatch.setattr(schema, "now", lambda day=day: f"{day}T12:00:00.000000+00:00")
        for reason in Reason:
            person = "" if reason == Reason.FORGED else f"https://idp|{reason}\x07" + "x" * 999
            probing_notices.record_refused(store, person, "/about", reason)
    with store.read() as session:
        assert len(session.scalars(select(RefusedAddress)).all()) == 2 * len(Reason)
    told = {one.code: one for one in probing_notices.address_notices(store)}
    assert told["refused-address"].where == "/about"
    assert told["refused-address"].message.startswith("https://idp|rolex")
    assert len(told["refused-address"].message) < 400
    assert "1 person used a login that had ended, last on 2026-11-02" in told["ended-login"].message
    assert "on 2 days, last on 2026-11-02" in told["forged-login"].message
    assert codes(raised(probing_notices.address_notices, as_actor(store, PAUL))) == ["forbidden"]


def test_the_opening_of_a_board_with_a_ladder_says_that_the_best_shown_score_is_ranked(place, tmp_path):
    board = hidden_board(tmp_path)
    assert "The ranking uses the last submission" in public_report.html(board_ranking(board))
    visible_results.hide(board.store, "h", HiddenRules(step=0.1))
    assert "The ranking uses the best score of each team that the Ladder shows" in public_report.html(
        board_ranking(board)
    )


def raised(action, *arguments) -> InputRefused:
    with pytest.raises(InputRefused) as refused:
        action(*arguments)
    return refused.value


def test_the_ladder_shows_a_score_only_where_it_beats_the_best_by_a_step(place, tmp_path):
    assert ladder_scores([0.5, 0.52, 0.56, None, 0.61, 0.6], 0.05) == [0.5, None, 0.55, None, 0.6, None]
    assert ladder_scores([0.12345, 0.1], None) == [0.123, 0.1]
    board = hidden_board(tmp_path, HiddenRules("cases", step=0.1), phase=Phase("v"))
    first, second, third = (handed_in(board, good(wrong)) for wrong in (30, 29, 5))
    assert first.score is not None
    assert (second.score, second.best, second.classes, second.cases) == (None, first.score, {}, ())
    assert third.score > first.score
    own = participant.own_submissions(acting(board, PAUL), "alpha")
    assert [entry.counts for entry in own] == [False, False, True]


def test_what_is_published_is_ranked_by_what_is_shown(place, tmp_path):
    board = hidden_board(tmp_path, HiddenRules(step=0.1))
    for wrong in (20, 19):
        handed_in(board, good(wrong))
    handed_in(board, good(20), actor=MAX, team="beta")
    value = visible_results.published(board_ranking(board))
    assert [(team["team"], team["rank"]) for team in value["teams"]] == [("alpha", 1), ("beta", 1)]
    assert len({team["score"] for team in value["teams"]}) == 1
    counted = {team["team"]: team["submission"] for team in value["teams"]}
    assert {team: entry.id for team, entry in board_ranking(board).counting.items()} == counted
    assert not {"truth_sha256", "n_cases", "n_units"} & value["provenance"].keys()
    text = json.dumps(value)
    assert "canary" not in text
    for entry in board_ranking(board).entries:
        assert str(entry.score) not in text
    visible_results.reveal(board.store, "h")
    revealed = board_ranking(board)
    assert visible_results.published(revealed) == revealed.as_dict()
    assert {team["team"]: team["submission"] for team in revealed.as_dict()["teams"]} == counted
    assert (revealed.as_dict()["board"]["counts"], value["board"]["counts"]) == ("ladder", "ladder")


@pytest.mark.parametrize(
    ("known", "counts"),
    crossed([HiddenRules(), HiddenRules(step=0.05), HiddenRules("cases")], ["last", "best"], 2),
)
def test_a_correction_changes_nothing_that_is_told(place, tmp_path, known, counts):
    """Many submissions that were scored before would give away which labels were corrected, and how."""
    board = hidden_board(tmp_path, known, Phase("v"))
    boards.change_settings(board.store, "h", counts=counts)
    board, draw = opened(board.store, "h"), random.Random(5)
    for _ in range(6):
        handed_in(board, table([draw.random() for _ in CASES]))
    handed_in(board, good(3), actor=MAX, team="beta")

    def told(now):
        alpha = acting(now, PAUL)
        own = participant.own_submissions(alpha, "alpha")
        details = [participant.submission_detail(alpha, "alpha", one.submission) for one in own]
        return visible_results.published(board_ranking(now)), own, details, visible_results.use(now)

    before = told(board)
    scores = {entry.id: entry.score for entry in board_ranking(board).entries}
    rescoring.rescore(board.store, "h", str(labels(tmp_path / "corrected.csv", wrong=(0, 3, 20, 31, 40, 50))))
    now = opened(board.store, "h")
    assert {entry.id: entry.score for entry in board_ranking(now).entries} != scores, "the organizer sees it"
    assert told(now)[1:] == before[1:]
    public, was = told(now)[0], before[0]
    assert public["board"].pop("test_set_version") == 2 != was["board"].pop("test_set_version")
    assert public["board"].pop("test_set_versions") == 2 != was["board"].pop("test_set_versions")
    assert public == was
    entry = handed_in(now, good())
    assert entry.score == round(board_ranking(now).counting["alpha"].score, 3) or known.step


def test_the_ladder_climbs_over_all_phases(place, tmp_path, monkeypatch):
    board = hidden_board(tmp_path, HiddenRules(step=0.1), phase=None)
    turn = "2026-12-02T00:00:00.000000+00:00"
    phases_and_limits.define(board.store, "h", Phase("first", closes=turn))
    phases_and_limits.define(board.store, "h", Phase("second", opens=turn))
    for day, wrong in (("01", 5), ("03", 15)):
        monkeypatch.setattr(schema, "now", lambda day=day: f"2026-12-{day}T12:00:00.000000+00:00")
        handed_in(board, good(wrong))
    first, second = (visible_results.published(board_ranking(board, name)) for name in ("first", "second"))
    assert [team["team"] for team in first["teams"]] == ["alpha"]
    assert (second["teams"], second["unranked"]) == ([], ["alpha"]), "a worse score is shown in no phase"
    assert visible_results.use(board).answers == 1


def test_probing_one_case_at_a_time_is_told_to_the_organizer(place, tmp_path):
    board = hidden_board(tmp_path, phase=Phase("v"))
    handed_in(board, good(10))
    assert probing_notices.board_notices(board.store, "h") == []
    handed_in(board, good(11))
    handed_in(board, good(30))
    (told,) = probing_notices.board_notices(board.store, "h")
    assert (told.code, told.where) == ("near-duplicates", "alpha")
    assert told.message.startswith("1 of its submissions")


def test_constant_columns_are_told_to_the_organizer(place, tmp_path):
    board = hidden_board(tmp_path, phase=Phase("v"))
    handed_in(board, good(10))
    handed_in(board, table([0.5] * len(CASES)))
    (told,) = probing_notices.board_notices(board.store, "h")
    assert (told.code, told.where, told.message[:24]) == (
        "constant-columns",
        "alpha",
        "1 of its submissions hav",
    )


def test_equal_and_nearly_equal_files_of_other_teams_are_told_to_the_organizer(place, tmp_path):
    board, draw = hidden_board(tmp_path, phase=Phase("v")), random.Random(3)
    values = [draw.random() for _ in CASES]
    handed_in(board, table(values))
    handed_in(board, table([draw.random() for _ in CASES]), actor=MAX, team="beta")
    assert probing_notices.board_notices(board.store, "h") == []
    handed_in(board, table([0.9 * value + 0.001 * draw.random() for value in values]), actor=MAX, team="beta")
    handed_in(board, table(values), actor=MAX, team="beta")
    told = {one.code: one.where for one in probing_notices.board_notices(board.store, "h")}
    assert told == {"equal-files": "alpha, beta", "near-copy": "beta, alpha"}


def test_a_draft_is_there_for_organizers_alone_and_an_unknown_board_names_no_other(place, tmp_path):
    board = hidden_board(tmp_path)
    unknown = [str(raised(opened, as_actor(board.store, who), "nothing")) for who in (NOBODY, PAUL)]
    assert all("Boards" not in text for text in unknown)
    assert "Boards: h" in str(raised(opened, board.store, "nothing"))
    assert opened(as_actor(board.store, NOBODY), "h").row.id == "h"
    assert (
        run_board("settings", "h", "--visibility", "draft", "--json", "-").json["board"]["visibility"]
        == "draft"
    )
    for who in (NOBODY, PAUL):
        draft = str(raised(opened, as_actor(board.store, who), "h"))
        assert draft == unknown[0].replace("nothing", "h")
    assert opened(board.store, "h").row.visibility == "draft"
    assert run_board("settings", "h", "--visibility", "hidden").status == 2


def test_a_board_imported_without_its_test_set_says_so_to_who_submits(place, tmp_path):
    board = hidden_board(tmp_path)
    data = bundle.export(board, with_truth=False)
    deletion.delete_board(board.store, "h")
    bundle.import_board(board.store, data)
    sent = tmp_path / "p.csv"
    sent.write_bytes(good())
    done = run_board("submit", "h", "--team", "alpha", "--predictions", sent)
    assert (done.status, "store-damaged" in done.err) == (2, False)
    assert "imported without its test set" in done.err


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"case,A,B\n1,0.5,0.5\n2,0.5,0.5\n3,0.5,0.5\n", "every case has the same answer"),
        (
            b"case,A,B\n1,0.5,0.1\n2,0.5,0.2\n3,0.5,0.3\n",
            "each of these columns has one number for all cases: A",
        ),
        (b"case,A,B\n1,0,0.1\n2,0,0.2\n3,0,0.3\n", ""),
        (b"case,A\n1,0.5\n2,0.5\n", ""),
        (archive_of({"1.json": b"{}", "2.json": b"{}", "3.json": b"{}"}), "every case has the same answer"),
        (archive_of({"1.json": b"{}", "2.json": b"{}", "3.json": b"[]"}), ""),
        (b"PK\3\4 cut off", ""),
        (b"", ""),
    ],
)
def test_what_counts_as_constant(data, found):
    assert probing_notices.constant(data) == found


@pytest.mark.slow
def test_the_use_of_a_truth_is_counted(place, tmp_path):
    board = hidden_board(tmp_path)
    handed_in(board, good(1))
    handed_in(board, good(2), actor=MAX, team="beta")
    assert visible_results.use(board).answers == 2
    assert visible_results.use(board).bits == pytest.approx(2 * np.log2(1002))
    assert visible_results.use(board).words.startswith("2 scores have been shown")
    visible_results.hide(board.store, "h", HiddenRules(step=0.5))
    assert visible_results.use(board).bits == pytest.approx(2 * np.log2(1002) + 2 * np.log2(4)), (
        "what was told stays"
    )


def test_what_was_told_stays_counted_where_submissions_are_deleted_or_teams_merged(place, tmp_path):
    board = hidden_board(tmp_path, HiddenRules(step=0.25))
    for wrong in (9, 7, 5):
        handed_in(board, good(wrong))
    handed_in(board, good(8), actor=MAX, team="beta")
    before = visible_results.use(board).bits
    team_changes.rename_team(board.store, "h", "beta", "alpha")
    assert visible_results.use(board).bits == pytest.approx(before), "two accounts were told"
    for entry in board_ranking(board).entries[::-1]:
        deletion.delete_submission(board.store, "h", entry.id)
    assert visible_results.use(board).answers == 0
    assert visible_results.use(board).bits == pytest.approx(before)


def test_a_score_without_end_uses_up_a_truth_that_stays_readable(place, tmp_path):
    """Its bits are infinite, which no row may hold."""
    truth = "case,boneage\n" + "".join(f"{i},{10 + i}\n" for i in range(30))
    (tmp_path / "t.csv").write_text(truth)
    create(open_store(), "h", "rsna-boneage", str(tmp_path / "t.csv"), BoardSettings("H"))
    visible_results.hide(open_store(), "h", HiddenRules())
    (tmp_path / "p.csv").write_text(truth)
    sent = run_board("submit", "h", "--team", "alpha", "--predictions", tmp_path / "p.csv", "--json", "-")
    assert sent.status == 0, sent.err
    visible_results.hide(open_store(), "h", HiddenRules(decimals=1))
    assert disclosure_rules.rules(open_store(), "h") == HiddenRules(decimals=1)
    assert run_board("delete", "h", "--submission", sent.json["submissions"][0]["submission"]).status == 0
    assert visible_results.use(opened(open_store(), "h")).bits >= 30


def test_a_role_that_is_taken_away_ends_at_the_next_write(place, tmp_path):
    board = hidden_board(tmp_path)
    handed_in(board, good())
    members.revoke(board.store, PAUL.key, now=2000.0)
    assert codes(refusal(board, good(1))) == ["forbidden"]
    assert codes(raised(participant.own_submissions, acting(board, PAUL), "alpha")) == ["forbidden"]
    members.set_members(board.store, "h", "beta", [])
    assert codes(refusal(board, good(1), actor=MAX, team="beta")) == ["foreign-team"]


@pytest.mark.parametrize("actor", [PAUL, NOBODY], ids=["participant", "visitor"])
def test_what_organizers_do_is_refused_to_others(place, tmp_path, actor):
    board = hidden_board(tmp_path)
    store = as_actor(board.store, actor)
    for action, arguments in (
        (visible_results.hide, ("h", HiddenRules("cases"))),
        (visible_results.reveal, ("h",)),
        (members.set_members, ("h", "beta", ["paul@example.org"])),
        (members.members, ("h",)),
        (members.revoke, (MAX.key,)),
        (probing_notices.attempts, ("h",)),
        (probing_notices.board_notices, ("h",)),
    ):
        assert codes(raised(action, store, *arguments)) == ["forbidden"]
    assert disclosure_rules.rules(board.store, "h") == HiddenRules()
    if actor is NOBODY:
        assert codes(refusal(board, good(), actor=NOBODY)) == ["forbidden"]


def test_a_submission_is_dated_by_the_server_and_kept_under_its_team(place, tmp_path):
    board = hidden_board(tmp_path)
    handed_in(board, table([0.5] * len(CASES)))
    with board.store.read() as session:
        (row,) = session.scalars(select(schema.Submission))
    assert (row.team, row.dated, row.phase) == ("alpha", False, "validation")
    assert board.store.actor == LOCAL


def test_a_hidden_board_stays_hidden_in_a_bundle_and_is_deleted_with_all_it_knows(place, tmp_path):
    board = hidden_board(tmp_path, HiddenRules(step=0.1))
    handed_in(board, good(1))
    data = bundle.export(board, with_truth=False)
    assert codes(raised(bundle.export, acting(board, PAUL), False)) == ["forbidden"]
    deletion.delete_board(board.store, "h")
    assert probing_notices.attempts(board.store, "h") == []
    assert bundle.import_board(board.store, data) == "h"
    assert disclosure_rules.rules(board.store, "h") == HiddenRules(step=0.1)
    assert members.members(board.store, "h") == {}, "addresses of people are in no bundle"
