"""Evaluation on all platforms: scores a submission with the settings in `benchside.json`, and writes the
messages for participants."""

import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from scoring.boards.hidden_truth.redaction import redact
from scoring.challenges import is_known, kept_declaration, load_challenge, remember
from scoring.common.file_opening import read_file
from scoring.common.findings import Finding, InputRefused, error, lines
from scoring.common.text import as_json
from scoring.common.toml_text import dotted, hidden_characters
from scoring.core.challenge import Challenge
from scoring.core.scorecard import ScoreCard, plain
from scoring.inputs.sources import Source, is_litter, open_source
from scoring.platforms import grand_challenge_sockets
from scoring.statistics.interval_options import StatisticsOptions

FORMAT, FILE = "benchside-platform/1", "benchside.json"
MOST_BYTES = 1_000_000
"""Maximum bytes of the settings file benchside.json."""
DECIMALS = 3
"""Default number of decimals of published scores if the truth is hidden."""


@dataclass(frozen=True)
class PlatformSettings:
    """How a platform scores, and which values it publishes.

    Attributes:
        statistics: `resamples`, `seed`, `group` and `interval`.
        is_public: Whether participants may know the truth. If they may not, messages say nothing that depends
            on the truth, and only the score and the metrics named here are published.
        decimals: Number of decimals of published numbers; None: no rounding.
        sockets: Part -> slug of Grand Challenge's socket, for slugs that differ from the default.
        metadata: Name of a table beside the truth that is joined to it by case id; empty if there is none.
    """

    challenge_id: str
    options: Mapping[str, Any] = field(default_factory=dict)
    statistics: Mapping[str, Any] = field(default_factory=dict)
    is_public: bool = False
    decimals: int | None = DECIMALS
    metrics: tuple[str, ...] = ()
    sockets: Mapping[str, str] = field(default_factory=dict)
    metadata: str | None = None

    @property
    def challenge(self) -> Challenge[Any, Any]:
        """Return the challenge that the settings name."""
        return load_challenge(self.challenge_id)

    def problems(self) -> list[Finding]:
        """Return the finding `bad-option` for every invalid setting."""
        problems = [
            *self.challenge.check_options(self.options),
            *StatisticsOptions(**self.statistics).problems(),
            *grand_challenge_sockets.problems(self.challenge.inputs, self.sockets),
        ]
        if self.decimals is not None and not 0 <= self.decimals <= 15:
            problems.append(error("bad-option", "--decimals", f"{self.decimals} is not within 0 and 15."))
        return problems

    def to_json(self) -> str:
        """Return the settings as the text of `benchside.json`. The same settings always give the same
        text."""
        value = {
            "format": FORMAT,
            "challenge": self.challenge_id,
            "options": dict(self.options),
            "statistics": dict(self.statistics),
            "truth": "public" if self.is_public else "hidden",
            "decimals": self.decimals,
            "metrics": list(self.metrics),
            "sockets": dict(self.sockets),
            "metadata": self.metadata,
            **kept_declaration(self.challenge_id),
        }
        return as_json(value)


def usual_settings(challenge: Challenge[Any, Any], options: Mapping[str, Any]) -> PlatformSettings:
    """Return settings for a hidden truth with the usual statistics. They publish the metrics that order the
    teams."""
    order = challenge.comparison.ranked_by
    metrics = order.metrics if order else ()
    return PlatformSettings(challenge.id, options, asdict(StatisticsOptions()), metrics=metrics)


def read_settings(path: str | Path) -> PlatformSettings:
    """Read the settings from `benchside.json`. Raises InputRefused `bad-settings` if the file is missing, was
    not written by `benchside platform bundle`, or has hidden characters, which the message names;
    `bad-option` if a setting is invalid."""
    try:
        value = json.loads(read_file(Path(path), MOST_BYTES))
        if value["format"] != FORMAT or value["truth"] not in TRUTHS:
            raise ValueError
        if hidden := [f"{dotted(at)}: {message}" for at, message in hidden_characters(value)]:
            raise InputRefused([error("bad-settings", Path(path).name, message) for message in hidden])
        if problem := remember(value.get("declaration")):
            raise InputRefused([error("bad-settings", f"{Path(path).name} › declaration", f"{problem}.")])
        if not is_known(value["challenge"]):
            raise ValueError
        settings = PlatformSettings(
            value["challenge"],
            dict(value["options"]),
            dict(value["statistics"]),
            value["truth"] == "public",
            None if value["decimals"] is None else int(value["decimals"]),
            tuple(map(str, value["metrics"])),
            {str(part): str(slug) for part, slug in dict(value.get("sockets", {})).items()},
            Path(value["metadata"]).name if value.get("metadata") else None,
        )
        problems = settings.problems()
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as problem:
        reason = f" ({problem.strerror})" if isinstance(problem, OSError) else ""
        message = f"the settings cannot be read{reason}: write them again with `benchside platform bundle`."
        raise InputRefused([error("bad-settings", Path(path).name, message)]) from problem
    if problems:
        raise InputRefused(problems)
    return settings


TRUTHS = ("hidden", "public")


class SubmissionRefused(Exception):
    """A submission that cannot be scored. Its text has one line per problem, for the participant."""

    def __init__(self, problems: Sequence[Finding]) -> None:
        super().__init__("\n".join(lines(problems)))
        self.problems = tuple(problems)


@dataclass(frozen=True)
class PlatformSubmission:
    """A submission in the form that the challenge reads.

    Attributes:
        places: Location that messages name -> location in the team's own files.
    """

    source: Source
    places: Mapping[str, str] = field(default_factory=dict)

    def named(self, problems: Sequence[Finding]) -> SubmissionRefused:
        """Return the exception that refuses the submission. Its problems name locations in the team's own
        files."""
        return SubmissionRefused(
            [replace(problem, where=self.places.get(problem.where, problem.where)) for problem in problems]
        )


@dataclass(frozen=True)
class EvaluationResult:
    """A scored submission."""

    card: ScoreCard
    settings: PlatformSettings

    @property
    def numbers(self) -> dict[str, float]:
        """Return the values of a leaderboard row: the score and the published metrics that are defined."""
        card, chosen = self.card, self.settings.metrics
        names = card.metrics if self.settings.is_public and not chosen else chosen
        numbers = {"score": card.score, **{name: card.metrics.get(name) for name in names}}
        return {name: self._rounded(value) for name, value in plain(numbers).items() if value is not None}

    def as_dict(self) -> dict[str, Any]:
        """Return all values that may be published."""
        card, numbers = self.card, self.numbers
        score = numbers.pop("score")
        value: dict[str, Any] = {
            "score": score,
            "metrics": numbers,
            "n_cases": card.n_cases,
            "official": card.official.same,
            "challenge": card.challenge,
            "version": card.provenance["version"],
        }
        if self.settings.is_public:
            value |= plain({"per_class": card.per_class, "cases": card.cases})
            ends = plain({name: card.intervals.get(name) for name in ("score", *numbers)})
            value["intervals"] = {name: list(map(self._rounded, pair)) for name, pair in ends.items() if pair}
            value["findings"] = [finding.as_dict() for finding in card.findings]
        return value

    def _rounded(self, value: float) -> float:
        decimals = self.settings.decimals
        return float(value) if decimals is None else round(float(value), decimals)


def evaluate(
    read: Callable[[], PlatformSubmission], truth_place: Path, settings: PlatformSettings
) -> EvaluationResult:
    """Score a submission.

    Args:
        read: Function that returns the submission.

    Raises:
        SubmissionRefused: If the submission cannot be scored; it lists all problems that a participant may
            know. Any other exception becomes the problem `internal-error`, without its text.
    """
    try:
        return _evaluate(read, truth_place, settings)
    except SubmissionRefused:
        raise
    except Exception as defect:  # its text may quote the truth
        at = traceback.extract_tb(defect.__traceback__)[-1]
        where = f"{type(defect).__name__} at {Path(at.filename).name}:{at.lineno}"
        message = f"internal error, tell the organizers: {where}."
        raise SubmissionRefused([error("internal-error", "evaluation", message)]) from None


def _evaluate(
    read: Callable[[], PlatformSubmission], truth_place: Path, settings: PlatformSettings
) -> EvaluationResult:
    challenge, options = settings.challenge, settings.options
    try:
        truth, metadata = _truth(truth_place, settings)
    except InputRefused as refused:
        raise SubmissionRefused(_of_truth(refused, settings)) from None
    try:
        sent = read()
    except InputRefused as refused:
        raise SubmissionRefused(refused.problems) from None
    try:
        reading = challenge.needed("predictions", options)
        predictions = challenge.read_predictions(sent.source, truth, **reading)
        if absent := challenge.inputs.absent(predictions):
            raise SubmissionRefused(absent)
        card = challenge.score(truth, predictions, **options, **settings.statistics, metadata=metadata)
    except InputRefused as refused:
        known = refused.problems if settings.is_public else _without_truth(refused, sent.source, settings)
        raise sent.named(known) from None
    if plain(card.score) is None:
        message = "the score is undefined for this submission."
        raise SubmissionRefused([error("undefined-score", "submission", message)])
    if unknown := sorted(set(settings.metrics) - set(card.metrics)):
        message = f"the settings name unknown metrics ({', '.join(unknown)}): tell the organizers."
        raise SubmissionRefused([error("bad-settings", FILE, message)])
    return EvaluationResult(card, settings)


def _truth(place: Path, settings: PlatformSettings) -> tuple[Any, Source | None]:
    """Return the truth and the table beside it. Raises InputRefused if nothing can be scored with them."""
    challenge, name = settings.challenge, settings.metadata
    truth = challenge.read_truth(content(place, (name,)), **challenge.needed("truth", settings.options))
    metadata = None if name is None else open_source(place / name)
    if lacking := challenge.readers.missing_columns(truth, metadata):
        raise InputRefused(lacking)
    return truth, metadata


def content(folder: Path, ignored: tuple[str | None, ...] = ()) -> Path:
    """Return the path of the only file in a platform's folder, or of the folder itself if it contains several
    files. Raises InputRefused `unreadable-file` if it is empty."""
    if not folder.is_dir():
        return folder
    inside = [path for path in folder.iterdir() if not is_litter(path.name) and path.name not in ignored]
    if not inside:
        raise InputRefused([error("unreadable-file", folder.name, "this folder is empty.")])
    return inside[0] if len(inside) == 1 and inside[0].is_file() else folder


def _of_truth(refused: InputRefused, settings: PlatformSettings) -> Sequence[Finding]:
    """Return what is said where the truth cannot be read: the organizers see why with `benchside check`."""
    if settings.is_public:
        return refused.problems
    message = (
        "the test set cannot be read: tell the organizers. No problem was found in the submission so far."
    )
    return [error("unreadable-file", "test set", message)]


def _without_truth(refused: InputRefused, source: Source, settings: PlatformSettings) -> list[Finding]:
    """Return what a file alone shows in full, and of what only the truth shows the kind."""
    challenge = settings.challenge
    alone: tuple[Finding, ...] = ()
    try:
        needed = challenge.needed("predictions", settings.options)
        predictions = challenge.read_predictions(source, None, **needed)
        alone = tuple(challenge.readers.faults(predictions, settings.options)[0])
    except InputRefused as also:
        alone = also.problems
    known = {finding.code for finding in alone}
    return [*alone, *redact(finding for finding in refused.problems if finding.code not in known)]
