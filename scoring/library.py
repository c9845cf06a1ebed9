"""Score or compare submissions in one call. Inputs are files, folders, pandas tables or models."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scoring.challenges import load_challenge
from scoring.common.findings import ProblemCollector
from scoring.core.challenge import Challenge, Model
from scoring.core.scorecard import ScoreCard
from scoring.inputs.sources import FixedSource, Source, SourceFiles

if TYPE_CHECKING:
    from scoring.comparison.compare import Comparison

AnyChallenge = str | os.PathLike[str] | Challenge[Any, Any]


def score(
    challenge: AnyChallenge,
    *,
    truth: Any,
    predictions: Any = None,
    model: Model | None = None,
    images: Source | None = None,
    metadata: Source | None = None,
    submitted_only: bool = False,
    **options: Any,
) -> ScoreCard:
    """Score one submission.

    Args:
        challenge: Id of the challenge, such as `melanoma`, path of a challenge file, such as `grades.toml`,
            or the object that `load_challenge` returned.
        truth: Ground truth: a path, bytes, `{name: bytes}`, a pandas DataFrame, or the object that
            `read_truth` returned.
        predictions: Predictions to score: a path, bytes, `{name: bytes}`, a DataFrame, or the object that
            `read_predictions` returned.
        model: Path of an ONNX model, which runs on the images of the test set in place of predictions.
        images: Folder or zip of the images, if they are not beside the ground truth.
        metadata: Table with further columns per case id, for scores of subgroups.
        submitted_only: Score only the submitted cases. This score is never official.
        **options: `resamples`, `seed`, `group`, `interval` and the options of the challenge.

    Raises:
        InputRefused: If a file cannot be scored; it lists all problems of both files.
        TypeError: If the challenge does not have one of the options, if predictions and model are both given
            or both missing, or if `submitted_only` is used without prediction files.
        KeyError: If no challenge has this id.

    Example:
        `scoring.score("melanoma", truth="labels.csv", predictions="model.csv").score`
    """
    if (predictions is None) == (model is None):
        raise TypeError("give predictions or a model")
    opened = _challenge(challenge)
    reading = ProblemCollector()
    test_set = _truth(reading, opened, truth, images, options)
    answers = model if predictions is None else predictions
    if submitted_only:
        if predictions is None or not _is_source(_source(answers)):
            raise TypeError("submitted_only needs the files of predictions")
        if test_set is not None:
            needed = opened.needed("predictions", options)
            name = _name(answers, "predictions")
            test_set = opened.submitted_part(test_set, _source(answers), name, **needed)
    submission = _submission(reading, opened, answers, test_set, options, "predictions")
    if reading.problems and test_set is not None:
        reading.add(opened.readers.missing_columns(test_set, _source(metadata)), ())
    reading.raise_problems()
    return opened.score(test_set, submission, metadata=_source(metadata), **options)


def compare(
    challenge: AnyChallenge,
    truth: Any,
    teams: Mapping[str, Any],
    options: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    images: Source | None = None,
    **shared: Any,
) -> "Comparison":
    """Compare the submissions of several teams on one test set.

    Args:
        challenge: Id, file or object of the challenge, as in `score`.
        truth: Ground truth in one of the forms that `score` accepts.
        teams: Predictions of each team by its name, in one of the forms that `score` accepts, or the path of
            its ONNX model.
        options: Options of single teams by team name, such as the size of a model.
        images: Folder or zip of the images, if they are not beside the ground truth.
        **shared: Options for all teams: the options of `score` and of the challenge, and further arguments of
            `scoring.comparison.compare.compare`.

    Raises:
        InputRefused: If files cannot be scored; it lists the problems of the ground truth and of every team.
        TypeError: If the challenge does not have one of the options.
        KeyError: If no challenge has this id.

    Example:
        `scoring.compare("melanoma", "labels.csv", {"a": "a.csv", "b": "b.csv"}).to_frame()`
    """
    from scoring.comparison import compare as comparison  # scoring one submission needs none

    opened = _challenge(challenge)
    reading = ProblemCollector()
    test_set = _truth(reading, opened, truth, images, shared)
    read = {
        name: _submission(reading, opened, answers, test_set, shared, name) for name, answers in teams.items()
    }
    reading.raise_problems()
    return comparison.compare(opened, test_set, read, options, **shared)


def log(
    predictions: Any,
    *,
    name: str = "",
    config: Mapping[str, Any] | None = None,
    challenge: AnyChallenge | None = None,
    truth: Any = None,
    note: str = "",
    **options: Any,
) -> ScoreCard:
    """Score predictions and keep them in your history as a run with a name and settings.

    State `challenge` and `truth` in the first call. Benchside keeps both; later calls find the test set by
    the case ids of the predictions.

    Args:
        predictions: Predictions as a path, bytes, `{name: bytes}` or a DataFrame.
        name: Name of the run; "" uses the file name.
        config: Settings of the run, such as `{"lr": 1e-3}`. Values are numbers, texts or lists of them.
        challenge: Challenge as in `score`; None if an earlier call kept the test set.
        truth: Ground truth as a path, bytes, `{name: bytes}` or a DataFrame, which is kept with the run. None
            uses the newest kept test set that has these cases.
        note: Text that is kept with the run.
        **options: Options as in `score`.

    Raises:
        InputRefused: If the files have problems, no kept test set has these cases, or the settings are too
            long or cannot be written as JSON.
        TypeError: If `challenge` is given without `truth`, or `truth` without `challenge`, or if the
            challenge does not have one of the options.

    Example: `scoring.log(frame, name="unet-2", config={"lr": 1e-3, "epochs": 40})`
    """
    from scoring.history import run_log  # with the database

    if (challenge is None) != (truth is None):
        raise TypeError("give both challenge and truth, or neither")
    answers = _source(predictions)
    run = run_log.Run(answers, _name(predictions, name or "predictions"), name, config or {}, note)
    if challenge is None:
        return run_log.on_kept(run, options)
    source = _source(truth)
    return run_log.on_truth(run, _challenge(challenge), source, _name(truth, "truth.csv"), options)


def _challenge(challenge: AnyChallenge) -> Challenge[Any, Any]:
    if isinstance(challenge, (str, os.PathLike)):
        return load_challenge(os.fspath(challenge))
    return challenge


def _truth(
    reading: ProblemCollector,
    challenge: Challenge[Any, Any],
    truth: Any,
    images: Source | None,
    options: Mapping[str, Any],
) -> Any:
    """Read the test set; one that was read already stays."""
    source, name = _source(truth), _name(truth, "truth")
    if not _is_source(source):
        return source
    needed = challenge.needed("truth", options)
    return reading.attempt(challenge.read_truth, source, name, images, **needed)


def _submission(
    reading: ProblemCollector,
    challenge: Challenge[Any, Any],
    answers: Any,
    truth: Any,
    options: Mapping[str, Any],
    name: str,
) -> Any:
    """Read predictions or run a model; predictions that were read already stay."""
    source = _source(answers)
    if not _is_source(source):
        return source
    if isinstance(source, (str, os.PathLike)) and str(source).lower().endswith(".onnx"):
        return None if truth is None else reading.attempt(challenge.predict, source, truth)
    needed = challenge.needed("predictions", options)
    return reading.attempt(challenge.read_predictions, source, truth, _name(answers, name), **needed)


def _is_source(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike, bytes, Mapping, FixedSource, SourceFiles))


def _source(value: Any) -> Any:
    """Return a table of pandas as the CSV that it would be written to, anything else as it is.

    An index with a name is a column; one without is numbering.
    """
    if not hasattr(value, "to_csv"):
        return value
    text: str = value.to_csv(index=any(value.index.names))
    return text.encode()


def _name(value: Any, name: str) -> str | None:
    """Return what messages call an input: paths have a name of their own."""
    return None if isinstance(value, (str, os.PathLike)) else name
