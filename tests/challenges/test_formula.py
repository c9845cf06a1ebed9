"""The formula beside a score is that of the chosen options, in every text that states one."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

import scoring
from scoring.boards import views
from scoring.boards.board import opened
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.challenges import REGISTRY
from scoring.comparison import report
from scoring.presentation.html import html
from scoring.presentation.paper import archive
from scoring.store.database import open_store
from tests.challenges.hecktor2026 import four
from tests.support import category_tables, lesion_tables, nuclei_lists, risk_tables
from tests.support.command_line import run
from tests.support.html_reader import read
from tests.support.sample_files import sample_files

TILES = {
    "a": [nuclei_lists.nucleus("tumor", 10, 10), nuclei_lists.nucleus("tumor", 90, 90)],
    "b": [nuclei_lists.nucleus("tumor", 10, 10), nuclei_lists.nucleus("lymphocytes", 50, 50)],
}
FOUND = {
    "a": [nuclei_lists.nucleus("tumor", 20, 10, score=0.4), nuclei_lists.nucleus("tumor", 99, 99, score=0.9)],
    "b": [nuclei_lists.nucleus("tumor", 10, 10, score=0.9)],
}
FILES: Mapping[str, tuple[Any, Any]] = {
    "isic": category_tables.random_pair(5, cases=40, decimals=1),
    "puma": (nuclei_lists.files(TILES), nuclei_lists.files(FOUND)),
    "hecktor2026": (four.TRUTH, four.SUBMISSION),
    "tricorder3": (lesion_tables.truth(), lesion_tables.predictions()),
    "melanoma": (
        risk_tables.truth_table(risk_tables.TRUTH),
        risk_tables.score_table(risk_tables.SCORES),
    ),
}
USUAL = {
    "isic": "balanced accuracy: the plain mean of the categories' recalls",
    "puma": "macro F1: the mean over ten classes; for each class, the mean F1 of the images that contain it",
    "hecktor2026": "0.25 × segmentation + 0.35 × staging + 0.40 × prognosis",
    "tricorder3": "45 × accuracy + 45 × risk-weighted F1 + 10 × efficiency",
    "melanoma": "60 × F2 + 30 × accuracy + 10 × AUC",
}
SAID = {
    ("isic", "metric", "balanced_accuracy"): USUAL["isic"],
    ("isic", "metric", "auc"): "macro AUC: the plain mean of the categories' areas under the ROC curve",
    ("isic", "metric", "ap"): "macro average precision: the plain mean of the categories' average precisions",
    ("isic", "metric", "dice"): "macro F1: the plain mean of the categories' F1, positive above 0.5",
    ("puma", "rules", "grand-challenge"): "macro F1: the mean over the classes that occur; for each class, "
    "sum of the images' F1 / number of all images",
    ("puma", "rules", "pooled"): "macro F1: the mean over the classes that occur; for each class, F1 from "
    "the counts of all images",
    ("puma", "radius", 9.0): f"{USUAL['puma']}; matched within 9 px",
    ("puma", "min_confidence", 0.5): f"{USUAL['puma']}; predictions below a confidence of 0.5 left out",
    ("hecktor2026", "empty_masks", "zero"): f"{USUAL['hecktor2026']}; two empty masks have Dice 0",
    (
        "hecktor2026",
        "empty_masks",
        "skip",
    ): f"{USUAL['hecktor2026']}; patients with two empty masks are left out of the mean Dice",
    ("hecktor2026", "missing_risk", "half"): f"{USUAL['hecktor2026']}; pairs without a risk score count half",
    ("hecktor2026", "missing_risk", "exclude"): f"{USUAL['hecktor2026']}; pairs without a risk score are "
    "left out",
    ("hecktor2026", "prognosis_direction", "risk"): f"{USUAL['hecktor2026']}; prognosis scores read as risks",
    ("hecktor2026", "prognosis_direction", "time"): f"{USUAL['hecktor2026']}; prognosis scores read as days "
    "to relapse",
    (
        "hecktor2026",
        "t0",
        "exclude",
    ): f"{USUAL['hecktor2026']}; patients with T0 are left out of the T stage score",
}
"""(challenge, option, value) -> the score in one line."""
OF_THE_FILE = {"missing", "model_size_mib", "unknown_classes", "class_map"}
BESIDE_THE_SCORE = {"malignant", "outlines", "lesions"}


def files(challenge_id: str) -> tuple[Any, Any]:
    return FILES.get(challenge_id) or sample_files(challenge_id)


@cache
def card(challenge_id: str, **options: Any) -> scoring.ScoreCard:
    challenge, (truth, submission) = scoring.load_challenge(challenge_id), files(challenge_id)
    cases = challenge.read_truth(truth)
    needed = challenge.needed("predictions", options)
    read_ = challenge.read_predictions(submission, cases, **needed)
    return challenge.score(cases, read_, **{"resamples": 0, **options})


def texts(found: scoring.ScoreCard) -> Iterator[str]:
    """Every text that states the formula of a card: front page of the report, and methods."""
    yield " ".join(read(html(found)).words)
    with zipfile.ZipFile(io.BytesIO(archive.of_card(found))) as paper:
        yield paper.read("methods.txt").decode()


@pytest.mark.parametrize("challenge_id", REGISTRY)
def test_the_usual_formula_is_said_where_nothing_is_chosen(challenge_id):
    challenge = scoring.load_challenge(challenge_id)
    words = USUAL.get(challenge_id, challenge.words.formula)
    report_, paper = texts(card(challenge_id))
    assert f"{words}, {challenge.scoring.direction}" in report_
    assert f": {words}. " in paper
    assert challenge.formula() == words


@pytest.mark.parametrize(("challenge_id", "name", "value"), SAID)
def test_the_formula_of_an_option_is_said_wherever_one_is(challenge_id, name, value):
    words = SAID[challenge_id, name, value]
    report_, paper = texts(card(challenge_id, **{name: value}))
    assert f"{words}, higher is better" in report_
    assert f": {words}. " in paper
    assert scoring.load_challenge(challenge_id).formula({name: value}) == words


def test_every_option_that_can_change_the_formula_is_tried():
    tried = {(challenge_id, name) for challenge_id, name, _ in SAID} | {("isic", "rules")}
    options = {
        (challenge_id, option.name)
        for challenge_id in REGISTRY
        for option in scoring.load_challenge(challenge_id).options_of("score")
    }
    assert {(c, name) for c, name in options if name not in OF_THE_FILE | BESIDE_THE_SCORE} == tried
    for challenge_id, name in tried:
        option = scoring.load_challenge(challenge_id).option(name)
        given = {value for c, n, value in SAID if (c, n) == (challenge_id, name)}
        assert {*option.values} - {option.default, "official", "milk10k-page"} <= given


@pytest.mark.parametrize(("challenge_id", "name", "value"), SAID)
def test_the_formula_changes_with_the_score(challenge_id, name, value):
    challenge, usual, other = (
        scoring.load_challenge(challenge_id),
        card(challenge_id),
        card(challenge_id, **{name: value}),
    )
    formulas = [challenge.formula(found.provenance["options"]) for found in (usual, other)]
    assert (usual.score == other.score) or formulas[0] != formulas[1]


def test_0_5_itself_belongs_to_the_formula_of_macro_f1_alone():
    found = card("isic", metric="dice", rules="milk10k-page")
    assert found.score != card("isic", metric="dice").score
    assert all("F1, positive at or above 0.5" in text for text in texts(found))
    assert scoring.load_challenge("isic").formula({"rules": "milk10k-page"}) == USUAL["isic"]


def test_a_comparison_says_the_formula_of_its_options():
    for challenge_id, options, end in (
        ("isic", {"metric": "auc"}, ""),
        ("hecktor2026", {"order": "rank"}, "; places by weighted ranks of the three subtasks"),
        ("hecktor2026", {"order": "score"}, ""),
    ):
        challenge, (truth, submission) = scoring.load_challenge(challenge_id), FILES[challenge_id]
        cases = challenge.read_truth(truth)
        teams = dict.fromkeys("ab", challenge.read_predictions(submission, cases))
        compared = scoring.compare(challenge, cases, teams, resamples=0, **options)
        words = SAID.get((challenge_id, *next(iter(options.items()))), USUAL[challenge_id])
        assert f"{words}{end}, all teams" in " ".join(read(report.html(compared)).words)


def test_a_board_and_a_platform_say_the_formula_of_their_options(tmp_path):
    truth, _ = FILES["isic"]
    (tmp_path / "t.csv").write_bytes(truth)
    given = ("--truth", tmp_path / "t.csv", "--metric", "auc", "--resamples", 20, "--title", "T")
    assert run("board", "create", "isic", "--id", "b", *given).status == 0
    ranked = board_ranking(opened(open_store(), "b"))
    assert views.formula(ranked).startswith(
        f"{SAID['isic', 'metric', 'auc']}, higher is better. The ranking uses"
    )
    place = ("--platform", "codabench", "--output", tmp_path / "made", "--image", "lab/evaluation:1")
    assert run("platform", "bundle", "isic", *place, *given).status == 0
    with zipfile.ZipFile(tmp_path / "made" / "competition.zip") as bundle:
        overview = bundle.read("overview.md").decode()
    assert SAID["isic", "metric", "auc"] in overview
    assert USUAL["isic"] not in overview
