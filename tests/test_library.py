"""`scoring.score` and `scoring.compare`: files, folders, bytes and tables of pandas give the same card."""

from pathlib import Path

import pandas as pd
import pytest

import scoring
from scoring import InputRefused
from scoring.challenges import samples
from tests.support.command_line import run

FOLDER = samples.FOLDER / "melanoma"
TRUTH, TEAMS = FOLDER / "labels.csv", sorted((FOLDER / "teams").glob("*.csv"))


def by_command(*options: object) -> dict:
    return run("score", "melanoma", "--truth", TRUTH, "--predictions", TEAMS[0], "--json", "-", *options).json


def test_files_give_the_card_of_the_command_line():
    card = scoring.score("melanoma", truth=TRUTH, predictions=str(TEAMS[0]), seed=3, resamples=50)
    assert card.as_dict() == by_command("--seed", 3, "--resamples", 50)


@pytest.mark.parametrize("index", [False, True])
def test_tables_bytes_and_values_that_were_read_give_the_same_numbers(index):
    def table(path: Path) -> pd.DataFrame:
        frame = pd.read_csv(path)
        return frame.set_index(frame.columns[0]) if index else frame

    whole = scoring.score("melanoma", truth=table(TRUTH), predictions=table(TEAMS[0]))
    challenge = scoring.load_challenge("melanoma")
    truth = challenge.read_truth(TRUTH)
    read = challenge.read_predictions(TEAMS[0].read_bytes(), truth)
    assert whole.metrics == scoring.score(challenge, truth=truth, predictions=read).metrics
    assert whole.intervals == by_command()["intervals"]


@pytest.mark.parametrize("kind", [str, Path])
def test_a_challenge_is_named_by_the_path_of_its_file(kind, tmp_path):
    path = tmp_path / "ages.toml"
    path.write_text(
        'id = "ages"\ntitle = "Ages"\ntask = "regression"\n[truth]\ncase = "case"\nvalue = "age"\n'
        '[predictions]\nvalue = "age"\nmissing = "refuse"\n[score]\nmetric = "mae"\n'
    )
    truth = pd.DataFrame({"case": range(8), "age": range(30, 38)})
    predictions = truth.assign(age=truth["age"] + 2)
    assert scoring.score(kind(path), truth=truth, predictions=predictions).score == 2
    compared = scoring.compare(kind(path), truth, {"a": predictions, "b": truth}, resamples=0)
    assert compared.ranks == {"b": 1, "a": 2}


def test_options_go_to_the_reader_and_to_the_score():
    truth = samples.FOLDER / "isic2018"
    predictions = sorted((truth / "teams").glob("*.csv"))[0]
    card = scoring.score("isic", truth=truth, predictions=predictions, metric="auc", resamples=0)
    assert card.provenance["options"]["metric"] == "auc"
    with pytest.raises(TypeError, match="colour"):
        scoring.score("isic", truth=truth, predictions=predictions, colour="red")


def test_a_model_is_run_on_the_images():
    folder = samples.FOLDER / "melanoma"
    model = sorted((folder / "models").glob("*.onnx"))[0]
    card = scoring.score("melanoma", truth=folder, model=model, resamples=0)
    assert card.more["model"]
    compared = scoring.compare("melanoma", folder, {"net": str(model), "table": TEAMS[0]}, resamples=0)
    assert compared.cards["net"].score == card.score


def test_a_comparison_is_that_of_the_command_line():
    teams = {path.stem: pd.read_csv(path) for path in TEAMS[:3]}
    comparison = scoring.compare("melanoma", TRUTH, teams, resamples=50)
    arguments = [f"{path.stem}={path}" for path in TEAMS[:3]]
    done = run("compare", "melanoma", "--truth", TRUTH, *arguments, "--resamples", 50, "--json", "-").json
    assert comparison.ranks == {team["team"]: team["rank"] for team in done["teams"]}
    assert isinstance(comparison, scoring.Comparison)


def test_every_problem_of_both_files_is_refused_at_once():
    truth = pd.read_csv(TRUTH).astype(str)
    truth.iloc[0, 1] = "maybe"
    predictions = pd.read_csv(TEAMS[0]).astype(str)
    predictions.iloc[5, 1] = "high"
    with pytest.raises(InputRefused) as refused:
        scoring.score("melanoma", truth=truth, predictions=predictions)
    places = [problem.where.partition(":")[0] for problem in refused.value.problems]
    assert {"truth", "predictions"} <= set(places)


@pytest.mark.parametrize("given", [{}, {"predictions": TEAMS[0], "model": "model.onnx"}])
def test_predictions_or_a_model_are_asked_for(given):
    with pytest.raises(TypeError, match="predictions or a model"):
        scoring.score("melanoma", truth=TRUTH, **given)


@pytest.mark.parametrize("challenge_id", scoring.challenge_ids())
def test_a_card_is_a_table_of_its_cases(challenge_id):
    sample = next(iter(samples.test_sets(challenge_id).values()))
    submission = next(entry for entry in sample.submissions.values() if not entry.is_model)
    card = scoring.score(
        challenge_id, truth=sample.path, predictions=submission.path, resamples=0, **submission.options
    )
    frame = card.to_frame()
    assert list(frame.index) == [next(iter(case.values())) for case in card.cases]
    assert len(frame) == card.n_cases
    assert frame.columns[0] == list(card.cases[0])[1]


def test_a_card_in_a_notebook_takes_its_colours_from_the_page():
    shown = scoring.score("melanoma", truth=TRUTH, predictions=TEAMS[0], resamples=0)._repr_html_()
    assert shown.startswith('<div class="benchside">')
    assert "#" not in shown.partition("<style>")[2].partition("</style>")[0]
