"""Bundle without test sets: it contains scores and intervals, and nothing that reveals the truth.

The bundle contains only the entries that this module names, whatever else a challenge stores in its
scorecards. Replicates are left out too: if the seed is known, each replicate is an equation about the labels.
If the truth is hidden, the bundle has one version with the scores that were shown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from scoring.boards import serialization
from scoring.boards.board import OpenBoard
from scoring.boards.hidden_truth import visible_results
from scoring.boards.hidden_truth.redaction import redact
from scoring.boards.ranking.board_ranking import BoardRanking, board_ranking
from scoring.boards.ranking.decision_rule import SALT
from scoring.boards.row_validation import LEFT_OUT, WITHHELD
from scoring.common.findings import Finding
from scoring.core.scorecard import Official, ScoreCard
from scoring.inputs.sources import sha256

PROVENANCE = (
    *("version", "predictions_sha256", "model_sha256"),
    *("seed", "resamples", "interval", "unit", "n_units"),
)
NOT_SAME = (
    "This is not the official score. The reason is hidden, because it could reveal facts about the truth."
)
NOT_TOLD = "When the truth is open, the board shows whether the official program gives this score."
MORE = ("model_size_mib",)
"""Entry of `more` that stays: the model size that a team stated, because it affects the score."""
Rows = Mapping[str, list[dict[str, Any]]]


def bare(card: ScoreCard, truth: str = LEFT_OUT) -> ScoreCard:
    """Return a scorecard without data about single cases or classes.

    Args:
        truth: Text that replaces the SHA-256 of the truth.
    """
    options = {**card.provenance["options"], "metadata_sha256": None}
    known = {name: card.provenance[name] for name in PROVENANCE}
    return ScoreCard(
        card.challenge,
        card.score,
        card.metrics,
        {},
        card.n_cases,
        (),
        (),
        {**known, "options": options, "truth_sha256": truth},
        official=card.official if card.official.same else replace(card.official, reason=NOT_SAME),
        intervals=card.intervals,
        more={name: card.more[name] for name in MORE if name in card.more},
    )


def _as_shown(card: ScoreCard, score: float | None) -> ScoreCard:
    """Return a scorecard of a hidden truth that contains nothing but the shown score `score`."""
    bare_card, names = bare(card, WITHHELD), dict.fromkeys(card.metrics)
    known = {**bare_card.provenance, "n_units": 0}
    official = Official(False, None, NOT_TOLD)
    return replace(
        bare_card, score=score, metrics=names, n_cases=0, intervals={}, provenance=known, official=official
    )


def reduced(
    board: OpenBoard, row: Mapping[str, Any], rows: Rows
) -> tuple[dict[str, Any], Rows, dict[str, bytes]]:
    """Remove all data that reveal the truth from the rows of a board.

    Args:
        board: The board with the version that it shows.
        rows: The rows of the board in each list of the manifest.

    Returns:
        The board's row, the lists of rows, and the files of scorecards by SHA-256.
    """
    ranking, files = board_ranking(board), dict[str, bytes]()
    row = {**row, "options": {name: value for name, value in row["options"].items() if name != SALT}}
    if ranking.hidden is not None:
        board_row, lists = _of_hidden(ranking, row, rows, files)
    else:
        board_row, gone = dict(row), {"sha256": LEFT_OUT, "metadata_sha256": None}
        bare_rows = {
            name: [_kept(board, entry, files) for entry in rows[name]] for name in ("scorings", "shown")
        }
        bare_rows["splits"] = [entry | {"cases": [], "seed": None} for entry in rows["splits"]]
        lists = {**rows, **bare_rows, "test_sets": [entry | gone for entry in rows["test_sets"]]}
    return board_row, lists, files


def _kept(board: OpenBoard, entry: dict[str, Any], files: dict[str, bytes]) -> dict[str, Any]:
    if entry["card"] is None:
        return entry
    card = serialization.card_from_bytes(board.store.files.read(entry["card"]))
    return entry | {"card": _added(files, bare(card))}


def _of_hidden(
    ranking: BoardRanking, row: Mapping[str, Any], rows: Rows, files: dict[str, bytes]
) -> tuple[dict[str, Any], Rows]:
    """Return the rows of a board with a hidden truth: one version, scores as they are shown, and the rule by
    which they are ranked."""
    assert ranking.shown is not None
    visible_score = {
        score.entry.id: score.score
        for team in ranking.by_team
        for score in visible_results.visible_scores(ranking, team)
    }
    scorings = []
    whole = {(scoring["submission_id"], scoring["number"]): scoring for scoring in rows["scorings"]}
    parts = [whole[scoring["submission_id"], scoring["number"]] | scoring for scoring in rows["shown"]]
    for entry in parts if rows["splits"] else rows["scorings"]:
        submission = entry["submission_id"]
        if submission in visible_score and entry["card"] == ranking.shown.cards[submission] and entry["card"]:
            card = serialization.card_from_bytes(ranking.board.store.files.read(entry["card"]))
            digest = _added(files, _as_shown(card, visible_score[submission]))
            ends: dict[str, Any] = {"low": None, "high": None, "number": 1}
            scorings.append(
                entry | ends | {"score": visible_score[submission], "card": digest, "problems": []}
            )
    once = {entry["submission_id"]: entry for entry in reversed(scorings)}
    first = {**rows["test_sets"][0], "number": 1, "sha256": WITHHELD, "metadata_sha256": None}
    rules = [entry | {"spent": 0.0} for entry in rows["hidden"]]
    refused = [entry | {"problems": _redacted(entry["problems"])} for entry in rows["refused"]]
    of_scores = [once[key] for key in sorted(once)]
    lists = {**rows, "test_sets": [first], "scorings": of_scores, "hidden": rules, "refused": refused}
    return {**row, "version": 1}, {**lists, "shown": [], "splits": []}


def _added(files: dict[str, bytes], card: ScoreCard) -> str:
    data = serialization.card_to_bytes(card)
    digest = sha256(data)
    files[digest] = data
    return digest


def _redacted(problems: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return problems as fixed sentences that quote no value of the file."""
    findings = (Finding("error", p["code"], p["where"], p["message"]) for p in problems)
    return [finding.as_dict() for finding in redact(findings)]
