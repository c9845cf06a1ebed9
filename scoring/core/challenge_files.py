"""Files that a challenge reads, includes as samples and writes, and other names for its classes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring.common.findings import Finding
from scoring.core.scorecard import ScoreCard
from scoring.inputs.grand_challenge_jobs import USUAL, AnswerColumns
from scoring.inputs.sources import Source


@dataclass(frozen=True)
class InputKind:
    """Files that an input accepts: their description, further extensions besides tables and zips, and whether
    there may be several."""

    words: str
    endings: tuple[str, ...] = ()
    several: bool = False


@dataclass(frozen=True)
class Inputs:
    """Files that a challenge accepts.

    Attributes:
        truth: The test set.
        streamed: Extensions of zip members that are read one by one.
        images_apart: Whether the images may be apart from the truth.
        outputs: Where a container writes each part of the answer for a case, below `output`; empty: one JSON
            file anywhere.
        answers: Headings of the table that these JSON files form.
        per_case: What a container writes for a case if `outputs` is empty, and for which kind of socket.
        note: Other facts that participants need for their submission.
        absent: Parts that a submission lacks for every case: platforms then refuse the submission.
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
    """A sample test set. key: its name in the page's address. folder: its folder below `sample_data`."""

    key: str
    folder: str
    title: str


@dataclass(frozen=True)
class OutputFile:
    """Another file that `score` can write. text: function from a scorecard to its content."""

    flag: str
    metavar: str
    help: str
    text: Callable[[ScoreCard], str]

    @property
    def name(self) -> str:
        """The flag as a Python keyword."""
        return self.flag.removeprefix("--").replace("-", "_")


@dataclass(frozen=True)
class OtherNames:
    """Names in files that are not classes of the challenge, and the classes they can stand for.

    Attributes:
        option: Name of the option that maps them as `NAME=TARGET,...`, for truth and predictions.
        found: (source, name) -> such names in a truth or submission, with the number of times each occurs.
            Raises InputRefused if the files cannot be read.
        targets: What a name can stand for -> its label on a page.
        near: Function that returns the target of which a name is another spelling; None for other names.
        counted: Word for the counted objects, in the singular and plural.
    """

    option: str
    found: Callable[[Source, str | None], Mapping[str, int]]
    targets: Mapping[str, str]
    near: Callable[[str], str | None]
    counted: tuple[str, str]
