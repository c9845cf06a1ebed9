"""Names of classes in files that are none of the challenge's own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scoring.inputs.sources import Source


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
