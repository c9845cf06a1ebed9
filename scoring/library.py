"""Scoring and comparing in one call: files, folders, tables of pandas and models, by the challenge's id."""

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

AnyChallenge = str | Challenge[Any, Any]


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
        challenge: Its id, such as "melanoma", or what `load_challenge` gave.
        truth: The test set: a path, bytes, `{name: bytes}`, a pandas DataFrame, or what `read_truth` gave.
        predictions: What is scored, in the same forms.
        model: An ONNX model to run on the images of the test set, in place of predictions.
        images: Where the images are, if not beside the truth.
        metadata: A table joined to the truth by case id, for subgroups.
        submitted_only: Whether the cases that were submitted are scored alone, which is never official.
        **options: `resamples`, `seed`, `group`, `interval`, and the options of the challenge.

    Raises:
        InputRefused: With every problem of both files.
        TypeError: For an option that the challenge does not have; unless either predictions or a model is
            given; and for `submitted_only` without the files of predictions.
        KeyError: For an unknown challenge.

    Example:
        `scoring.score("melanoma", truth="labels.csv", predictions="model.csv").score`
    """
    if (predictions is None) == (model is None):
        raise TypeError("give predictions or a model")
    opened = _challenge(challenge)
    reading = ProblemCollector()
    test_set = _truth(reading, opened, truth, images, options)
    given = model if predictions is None else predictions
    if submitted_only:
        if predictions is None or not _is_source(_source(given)):
            raise TypeError("submitted_only needs the files of predictions")
        if test_set is not None:
            needed = opened.needed("predictions", options)
            name = _name(given, "predictions")
            test_set = opened.submitted_part(test_set, _source(given), name, **needed)
    submission = _submission(reading, opened, given, test_set, options, "predictions")
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
        challenge: Its id, or what `load_challenge` gave.
        truth: The test set, as of `score`.
        teams: Team name -> its predictions, as of `score`, or the path of its ONNX model.
        options: Team name -> options that are this team's own (the size of its model).
        images: Where the images are, if not beside the truth.
        **shared: Further arguments of `scoring.comparison.compare.compare`, options of `score` for all teams,
            and options of the challenge.

    Raises:
        InputRefused: With the problems of the truth and of every team.
        TypeError: For an option that the challenge does not have.
        KeyError: For an unknown challenge.

    Example:
        `scoring.compare("melanoma", "labels.csv", {"a": "a.csv", "b": "b.csv"}).to_frame()`
    """
    from scoring.comparison import compare as comparison  # scoring one submission needs none

    opened = _challenge(challenge)
    reading = ProblemCollector()
    test_set = _truth(reading, opened, truth, images, shared)
    read = {
        name: _submission(reading, opened, given, test_set, shared, name) for name, given in teams.items()
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
    """Score predictions and keep them in the own history, as a run with a name and settings.

    The first call gives challenge and test set, which are kept; later ones find the test set by the ids of
    the predictions.

    Args:
        predictions: What is scored, as of `score`.
        name: Of the run; "" for the name of the file.
        config: Settings of the run, such as `{"lr": 1e-3}`: numbers, texts and lists of them.
        challenge: As of `score`; None where the test set is kept.
        truth: As of `score`, kept with the run; None for the newest kept test set that has these cases.
        **options: As of `score`.

    Raises:
        InputRefused: With every problem of the files; where no kept test set has the cases; and where the
            settings are no JSON, or too long.
        TypeError: Where only one of challenge and truth is given.

    Example:
        `scoring.log(frame, name="unet-2", config={"lr": 1e-3, "epochs": 40})`
    """
    from scoring.services.history import run_log  # with the database

    if (challenge is None) != (truth is None):
        raise TypeError("give both challenge and truth, or neither")
    given = _source(predictions)
    run = run_log.Run(given, _name(predictions, name or "predictions"), name, config or {}, note)
    if challenge is None:
        return run_log.on_kept(run, options)
    source = _source(truth)
    return run_log.on_truth(run, _challenge(challenge), source, _name(truth, "truth.csv"), options)


def _challenge(challenge: AnyChallenge) -> Challenge[Any, Any]:
    return load_challenge(challenge) if isinstance(challenge, str) else challenge


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
    given: Any,
    truth: Any,
    options: Mapping[str, Any],
    name: str,
) -> Any:
    """Read predictions or run a model; predictions that were read already stay."""
    source = _source(given)
    if not _is_source(source):
        return source
    if isinstance(source, (str, os.PathLike)) and str(source).lower().endswith(".onnx"):
        return None if truth is None else reading.attempt(challenge.predict, source, truth)
    needed = challenge.needed("predictions", options)
    return reading.attempt(challenge.read_predictions, source, truth, _name(given, name), **needed)


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
