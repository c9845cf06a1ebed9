"""Files that a challenge takes, brings and writes."""

from collections.abc import Callable
from dataclasses import dataclass

from scoring.core.scorecard import ScoreCard


@dataclass(frozen=True)
class InputKind:
    """Files that an input accepts: words for people, endings of names besides those of tables and zips, and
    whether it may be several."""

    words: str
    endings: tuple[str, ...] = ()
    several: bool = False


@dataclass(frozen=True)
class Inputs:
    """Files that a challenge accepts. streamed: endings of members of a zip that are read one by one.
    images_apart: whether images may lie apart from the truth."""

    truth: InputKind
    submission: InputKind
    streamed: tuple[str, ...] = ()
    images_apart: bool = True


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
