"""Parts of a challenge: its files, names and outputs; its scoring; lazily imported functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from scoring.common.direction_and_range import SCORE, SHARE, Better, Quantity
from scoring.common.findings import Finding
from scoring.core.options import Values
from scoring.core.scorecard import ScoreCard
from scoring.inputs.grand_challenge_jobs import USUAL, AnswerColumns
from scoring.inputs.sources import Source
from scoring.statistics.interval_options import StatisticsOptions


@dataclass(frozen=True)
class Lazy:
    """A function that a challenge names without importing its module.

    Attributes:
        reference: "module:object", e.g. "scoring.challenges.puma.views:views".
    """

    reference: str

    def resolve(self) -> Callable[..., Any]:
        """Import the module and return the function."""
        module, _, name = self.reference.partition(":")
        function: Callable[..., Any] = getattr(import_module(module), name)
        return function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.resolve()(*args, **kwargs)


@dataclass(frozen=True)
class InputKind:
    """Files that an input accepts.

    Attributes:
        endings: Extensions besides those of tables and zips.
        several: Whether there may be several files.
    """

    words: str
    endings: tuple[str, ...] = ()
    several: bool = False


@dataclass(frozen=True)
class Inputs:
    """Files that a challenge accepts.

    Attributes:
        streamed: Extensions of zip members that are read one by one.
        images_apart: Whether the images may be apart from the truth.
        outputs: Path of each file that a container writes for a case, relative to its folder `output`. Empty:
            one JSON file with any name.
        answers: Column headings of the table into which these JSON files are combined.
        per_case: What a container writes for a case if `outputs` is empty, and the kind of the platform's
            socket for it.
        note: Other facts that participants need for their submission.
        absent: (predictions) -> findings for parts that are missing in every case; platforms then refuse the
            submission.
        example: Truth -> name and bytes of an example submission, which uses only the case names and image
            grids of the truth; None: platforms show no example.
    """

    truth: InputKind
    submission: InputKind
    streamed: tuple[str, ...] = ()
    images_apart: bool = True
    outputs: Mapping[str, str] = field(default_factory=dict)
    answers: AnswerColumns = USUAL
    per_case: tuple[str, str] = ("one JSON", "Anything")
    note: str = ""
    absent: Callable[[Any], list[Finding]] = field(default=lambda _predictions: [])
    example: Callable[[Any], tuple[str, bytes]] | None = None


@dataclass(frozen=True)
class Sample:
    """A sample test set. `key` is the name of the test set in the page's address, `folder` its folder below
    `sample_data`."""

    key: str
    folder: str
    title: str


@dataclass(frozen=True)
class OutputFile:
    """A further file that `score` can write. The function `text` creates the content of the file from a
    scorecard."""

    flag: str
    metavar: str
    help: str
    text: Callable[[ScoreCard], str]

    @property
    def name(self) -> str:
        """Name of the flag as a Python keyword."""
        return self.flag.removeprefix("--").replace("-", "_")


@dataclass(frozen=True)
class OtherNames:
    """Names in files that the challenge does not know, and the classes that they can stand for.

    Attributes:
        option: Name of the option that maps them as `NAME=TARGET,...`, for truth and predictions.
        found: (source, name) -> the unknown names in a truth or submission, with the number of times that
            each occurs. Raises InputRefused if the files cannot be read.
        targets: What a name can stand for -> its label on a page.
        near: Function that returns the target if a name is another spelling of it; else None.
        counted: Word for the counted objects, in the singular and plural.
    """

    option: str
    found: Callable[[Source, str | None], Mapping[str, int]]
    targets: Mapping[str, str]
    near: Callable[[str], str | None]
    counted: tuple[str, str]


class Input(Protocol):
    """A truth or predictions, as read from files."""

    @property
    def name(self) -> str: ...
    @property
    def findings(self) -> Sequence[Finding]: ...


class TestSet(Input, Protocol):
    """A truth: its length is the number of cases."""

    def __len__(self) -> int: ...


Truth = TypeVar("Truth", bound=TestSet)
Predictions = TypeVar("Predictions", bound=Input)


class ScoreBreakdownPart(NamedTuple):
    """A part of a score that is a weighted sum. `weight` is the maximum number of points for the part, out of
    100."""

    name: str
    short_name: str
    weight: float


@dataclass(frozen=True)
class ScoreSettings:
    """Settings for scoring predictions.

    Attributes:
        statistics: Number of replicates, seed, unit and kind of interval.
        metadata: A table joined to the truth by case id, with columns for subgroups and units.
        with_curves: Whether the card contains curves with bands; comparisons need none.
        ranges: Lowest and highest possible value of the score and of metrics, if not 0 and 1. Intervals need
            these values (`scoring.statistics.interval_basis.Basis`).
        problems: `bad-option` for options that are not allowed; they are reported together with all other
            problems.
    """

    options: Values
    statistics: StatisticsOptions
    metadata: Source | None = None
    with_curves: bool = True
    problems: tuple[Finding, ...] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Scoring(Generic[Truth, Predictions]):
    """How a challenge scores predictions.

    Attributes:
        score: (truth, predictions, settings) -> the scorecard.
        range: Lowest and highest possible score; infinite if there is no limit.
        metrics: Direction and range by name, for metrics and class measures that are not "0 to 1, higher is
            better".
        parts: The weighted parts of the score by metric; empty if the score is not a weighted sum.
        as_points: Whether a score of 0 to 1 is shown as 0 to 100 points.
        outputs: Additional files that the command `score` can write.
        unit: Column that says which cases belong together, such as the patient; None: columns with usual
            names.
        bounded_by_labels: Whether a person who knows little about the labels gains little by guessing, in
            every ranking metric. This is true for shares of correct cases, F scores, AUC and average
            precision of classes. It is not true for precision (one known case brings it to 1), correlations,
            regression errors, survival metrics and detection of objects.
    """

    score: Callable[[Truth, Predictions, ScoreSettings], ScoreCard]
    better: Better = "higher"
    range: tuple[float, float] = SHARE.range
    metrics: Mapping[str, Quantity] = field(default_factory=dict)
    parts: Mapping[str, ScoreBreakdownPart] = field(default_factory=dict)
    as_points: bool = False
    outputs: tuple[OutputFile, ...] = ()
    unit: str | None = None
    bounded_by_labels: bool = False

    @property
    def direction(self) -> str:
        """Direction of the score as text: "higher is better"."""
        return f"{self.better} is better"

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Lowest and highest possible value of the score, and of metrics with their own range."""
        return {SCORE: self.range, **{name: quantity.range for name, quantity in self.metrics.items()}}

    def quantity(self, name: str = SCORE) -> Quantity:
        """Return direction and range of the score or a metric. `name` is "score", a name in the card's
        `metrics`, or MEASURE/CLASS."""
        if name == SCORE:
            return Quantity(self.better, self.range)
        return self.metrics.get(name) or self.metrics.get(name.partition("/")[0], SHARE)
