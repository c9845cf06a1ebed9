"""Decision rule fixed before the first submission, final ranking frozen at the end, later changes told."""

import hashlib
import json

import pytest

from scoring.boards.board import opened
from scoring.boards.bundles import bundle
from scoring.boards.hidden_truth import visible_results
from scoring.boards.hidden_truth.disclosure_rules import HiddenRules
from scoring.boards.publication import public_report
from scoring.boards.publication.bias_checklist import bias_checklist
from scoring.boards.ranking import decision_rule, final_ranking
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.common.findings import InputRefused
from scoring.store.database import open_store
from scoring.version import __version__
from tests.support import schemas
from tests.support.boards import board, filled, labels, predictions


def published() -> dict:
    value = public_report.value(board_ranking(opened(open_store(), "b")))
    assert schemas.problems("board", json.dumps(value)) == []
    return value


def report() -> str:
    return public_report.html(board_ranking(opened(open_store(), "b")))


def canonical_sha256(value) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def empty(database, tmp_path):
    """The board "b" without a submission."""
    truth = labels(tmp_path / "labels.csv")
    made = board("create", "melanoma", "--id", "b", "--title", "B", "--truth", truth, "--resamples", 60)
    assert made.status == 0, made.err
    return tmp_path


CHANGES = {
    "submission that counts": ("settings", "b", "--counts", "best"),
    "phases": ("phase", "b", "--name", "late", "--opens", "2027-01-01", "--total", 3),
    "ladder": ("hide", "b", "--detail", "score", "--ladder", 0.1),
    "parts of the test set": ("split", "b", "--share", 0.5),
}


@pytest.mark.parametrize("part", CHANGES)
def test_a_rule_is_fixed_with_its_hash_and_each_later_change_is_told(empty, part):
    done = board("rule", "b", "--fix", "--prizes", 3, "--ties", "a draw decides", "--json", "-")
    assert done.status == 0, done.err
    fixed = done.json["decision_rule"]
    assert fixed["sha256"] == canonical_sha256(fixed["rule"])
    assert (fixed["rule"]["prize places"], fixed["rule"]["ties"]) == ("3", "a draw decides")
    assert (fixed["version"], fixed["changes"]) == (__version__, [])
    assert published()["decision_rule"] == fixed
    assert fixed["sha256"] in report()
    before = fixed["rule"][part]
    assert board(*CHANGES[part]).status == 0
    told = published()["decision_rule"]
    assert [(one["part"], one["before"]) for one in told["changes"]] == [(part, before)]
    assert (told["rule"], told["sha256"]) == (fixed["rule"], fixed["sha256"])
    assert f": {part}" in report()
    assert f"{part}: {before} ->" in board("rule", "b").out


def test_what_is_changed_back_stays_told(empty):
    board("rule", "b", "--fix")
    for counts in ("best", "last"):
        assert board("settings", "b", "--counts", counts).status == 0
    assert board("settings", "b", "--title", "Another title").status == 0
    changes = published()["decision_rule"]["changes"]
    assert [(one["before"], one["after"]) for one in changes] == [("last", "best"), ("best", "last")]


def test_after_the_first_submission_no_rule_is_fixed(empty, tmp_path):
    assert "No rule was fixed" in board("rule", "b").out
    assert published()["decision_rule"] is None
    for arguments in (("--prizes", -1), ("--ties", " "), ("--ties", "x" * 501)):
        refused = board("rule", "b", "--fix", *arguments)
        assert (refused.status, "bad-option" in refused.err) == (2, True)
    assert board("rule", "b", "--fix").status == 0
    first = published()["decision_rule"]
    sent = predictions(tmp_path / "p.csv", 1, 1.0)
    assert board("submit", "b", "--team", "alpha", "--predictions", sent).status == 0
    refused = board("rule", "b", "--fix", "--prizes", 2)
    assert (refused.status, "rule-late" in refused.err) == (2, True)
    assert published()["decision_rule"] == first


def test_a_final_ranking_has_time_hashes_and_version_and_takes_nothing_more(database, tmp_path):
    filled(tmp_path)
    value = published()
    done = board("final", "b", "--freeze", "--json", "-")
    assert done.status == 0, done.err
    final = done.json["final"]
    names = ("team", "rank", "score", "interval", "submission")
    assert final["ranking"] == [{name: team[name] for name in names} for team in value["teams"]]
    assert final["sha256"] == canonical_sha256(final["ranking"])
    store = open_store()
    known = opened(store, "b")
    files = (known.test_set.sha256, known.test_set.metadata_sha256)
    assert final["truth"] == canonical_sha256([known.row.options["salt"], *files])
    assert (final["version"], final["changes"]) == (__version__, [])
    assert published()["final"] == final
    assert all(final[name] in report() for name in ("sha256", "truth", "submissions"))
    late = predictions(tmp_path / "late.csv", 8, 0.5)
    refused = board("submit", "b", "--team", "alpha", "--predictions", late)
    assert (refused.status, "board-final" in refused.err) == (2, True)
    assert "not-final" in board("final", "b", "--freeze").err, "once alone"
    data = bundle.export(known, with_truth=True)
    assert board("delete", "b", "--yes").status == 0
    (tmp_path / "b.zip").write_bytes(data)
    assert board("import", tmp_path / "b.zip").status == 0
    assert published()["final"] == final
    assert bundle.export(opened(store, "b"), with_truth=True) == data


def test_the_bias_checklist_has_parts_rule_and_final_hash(empty, tmp_path):
    checklist = lambda: bias_checklist(board_ranking(opened(open_store(), "b")))  # noqa: E731
    assert "SHA-256" not in checklist()
    assert board("split", "b", "--share", 0.5).status == 0
    assert board("rule", "b", "--fix", "--prizes", 2, "--ties", "prize shared").status == 0
    sent = predictions(tmp_path / "p.csv", 1, 1.0)
    assert board("submit", "b", "--team", "alpha", "--predictions", sent).status == 0
    rule, text = published()["decision_rule"], checklist()
    assert f"SHA-256 `{rule['sha256']}`" in text
    assert "In a tie: prize shared." in text
    assert public_report.WORDS["split"] in text
    assert board("hide", "b", "--open").status == 0
    assert board("final", "b", "--freeze").status == 0
    text = checklist()
    assert f"SHA-256 `{published()['final']['sha256']}`" in text
    assert "scores used a part of the cases" in text
    assert board("team", "b", "alpha", "--exclude", "withdrawn").status == 0
    assert "report.html lists later changes." in checklist()


def test_what_changes_after_the_end_is_told_on_board_and_report(database, tmp_path):
    filled(tmp_path)
    board("final", "b", "--freeze")
    frozen = published()["final"]
    assert board("rescore", "b", "--truth", labels(tmp_path / "l.csv"), "--yes").status == 0
    told = published()["final"]
    assert {one["what"] for one in told["changes"]} >= {
        "the truth",
        "the place of alpha",
        "the place of beta",
    }
    assert {**told, "changes": []} == frozen
    assert "the place of alpha" in report()
    assert board("rescore", "b", "--to-version", 1, "--yes").status == 0
    assert published()["final"]["changes"] == []
    assert board("team", "b", "alpha", "--exclude", "withdrawn").status == 0
    (change,) = [c for c in published()["final"]["changes"] if c["what"] == "the place of alpha"]
    assert change["after"] == "not ranked"


def test_a_team_that_is_renamed_later_keeps_its_frozen_name_and_is_told_by_the_new_one(database, tmp_path):
    filled(tmp_path)
    board("final", "b", "--freeze")
    frozen = published()["final"]
    for name in ("北京 aurora", "aurora"):
        assert board("team", "b", published()["teams"][0]["team"], "--rename", name).status == 0
    first = frozen["ranking"][0]["team"]
    renamed = {"what": f"the name of {first}", "before": first, "after": "aurora"}
    told = published()["final"]
    assert told == {**frozen, "changes": [renamed]}
    assert told["sha256"] == canonical_sha256(told["ranking"])
    said = f"Final ranking of {frozen['frozen'][:10]}; changed since: the name of {first}, see Decision."
    assert said in board("show", "b").out
    table = report().split("What is the final ranking?")[1].split("</table>")[0]
    assert "current name" in table
    assert table.index(f">{first}<") < table.index(">aurora<")
    data = bundle.export(opened(open_store(), "b"), with_truth=True)
    assert board("delete", "b", "--yes").status == 0
    bundle.import_board(open_store(), data)
    assert published()["final"] == told

    other = frozen["ranking"][1]["team"]
    assert board("team", "b", "aurora", "--rename", other).status == 0
    told = published()["final"]
    assert {**told, "changes": []} == frozen
    whats = [change["what"] for change in told["changes"]]
    assert {renamed["what"], "the submissions", f"the place of {first}"} <= {*whats}
    assert {**renamed, "after": other} in told["changes"]


def test_the_frozen_ranking_is_what_is_published(database, tmp_path):
    filled(tmp_path)
    board("final", "b", "--freeze")
    first, second = (row["team"] for row in published()["final"]["ranking"])
    day = published()["final"]["frozen"][:10]
    told = f"Final ranking of {day}; changed since: 2 places, see Decision."
    assert all("Final ranking of" not in text for text in (report(), board("show", "b").out))
    assert board("rescore", "b", "--truth", labels(tmp_path / "l.csv"), "--yes").status == 0
    assert published()["teams"][0]["team"] == second, "the board ranks on"
    ranking = board_ranking(opened(open_store(), "b"))
    public, *_ = public_report.sections(ranking)
    assert public.blocks[0].text == told
    assert told in board("show", "b").out
    checklist = bias_checklist(ranking)
    assert f"Ranked first: {first}." in checklist
    assert checklist.index(f"* 1. {first}") < checklist.index(f"* 2. {second}")
    board("phase", "b", "--name", "late", "--opens", "2027-01-01")
    late = public_report.value(board_ranking(opened(open_store(), "b"), "late"))
    assert late["final"] == published()["final"], "one phase changes nothing"


def test_a_rule_is_read_as_words(empty):
    assert board("phase", "b", "--name", "p", "--opens", "2099-01-01T08:30").status == 0
    assert board("rule", "b", "--fix").status == 0
    assert board("phase", "b", "--name", "p", "--opens", "2099-02-01T08:30").status == 0
    for text in (report(), board("rule", "b").out):
        assert "60 × F2 + 30 × accuracy + 10 × AUC; higher is better" in text
        assert "resamples: 60" in text
        assert "p: 2099-01-01 08:30 UTC to any time" in text
        assert "p: 2099-02-01 08:30 UTC to any time" in text
        assert "2099-01-01T" not in text
        assert "{&#34;" not in text
        assert '{"' not in text


def test_nothing_is_frozen_before_the_end(sent, tmp_path):
    store = open_store()
    board("phase", "b", "--name", "now", "--total", 3)
    visible_results.hide(store, "b", HiddenRules())
    with pytest.raises(InputRefused) as refused:
        final_ranking.freeze(store, "b")
    assert {problem.code for problem in refused.value.problems} == {"not-final"}
    words = " ".join(problem.message for problem in refused.value.problems)
    assert "truth is hidden" in words
    assert "phase is still open" in words
    assert final_ranking.frozen(store, "b") is None


def test_a_bundle_whose_rule_or_ranking_was_changed_is_refused(sent, tmp_path):
    board("final", "b", "--freeze")
    manifest, files = bundle.unpack_bundle(
        bundle.export(opened(open_store(), "b"), with_truth=True), "b.zip", bundle.BUNDLE_BYTES
    )
    assert files
    from scoring.boards.bundles.manifest import check_manifest

    assert check_manifest(manifest) == []
    manifest["final_rankings"][0]["ranking"][0]["rank"] = 2
    assert ["hash" in problem.message for problem in check_manifest(manifest)] == [True]
    manifest["final_rankings"][0]["ranking"][0] = {"team": "<b>"}
    assert check_manifest(manifest)
    assert decision_rule.digest({"b": 1, "a": "ü"}) == canonical_sha256({"a": "ü", "b": 1})
