"""Files that a challenge takes, brings and writes, and names in them that are none of its classes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring.common.findings import Finding
from scoring.core.scorecard import ScoreCard
from scoring.inputs.grand_challenge_jobs import USUAL, AnswerColumns
from scoring.inputs.sources import Source


@dataclass(frozen=True)
class InputKind:
    """Files that an input accepts: words for people, endings of names besides those of tables and zips, and
    whether it may be several."""

    words: str
    endings: tuple[str, ...] = ()
    several: bool = False


@dataclass(frozen=True)
class Inputs:
    """Files that a challenge accepts.

    Attributes:
        truth: The test set.
        streamed: Endings of members of a zip that are read one by one.
        images_apart: Whether images may be apart from the truth.
        outputs: Where a container writes each part of the answer to a case, below `output`; empty: one JSON,
            wherever it is.
        answers: Headings of the table that such JSON files make.
        per_case: What a container writes for a case where `outputs` is empty, and for which kind of socket.
        note: What else participants have to know of what they submit.
        absent: Parts that a submission lacks for every case: platforms refuse it then.
        example: Truth -> name and bytes of a submission that takes nothing from it but the names and grids
            of its cases; None: platforms show no example.
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
    """A sample test set. key: in the address of the page. folder: below `sample_data`."""

    key: str
    folder: str
    title: str


@dataclass(frozen=True)
class OutputFile:
    """A further file that `score` can write. text: its content, from a scorecard."""

    flag: str
    metavar: str
    help: str
    text: Callable[[ScoreCard], str]

    @property
    def name(self) -> str:
        """The flag as a keyword."""
        return self.flag.removeprefix("--").replace("-", "_")


@dataclass(frozen=True)
class OtherNames:
    """Names in files that are none of the challenge's classes, and what they can count as.

    Attributes:
        option: Name of the option that says so, as `NAME=TARGET,...`, for truth and predictions.
        found: (source, name) -> such names in files of a truth or a submission, with how often each is
            there. Raises InputRefused where they cannot be read.
        targets: What a name can count as -> how a page calls that.
        near: The target of which a name is another spelling; None for any other name.
        counted: What is counted, one of them and several.
    """

    option: str
    found: Callable[[Source, str | None], Mapping[str, int]]
    targets: Mapping[str, str]
    near: Callable[[str], str | None]
    counted: tuple[str, str]
