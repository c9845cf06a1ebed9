"""Cases with images, as far as models are run on them."""

from typing import Protocol

from scoring.findings import Finding
from scoring.readers.sources import Files


class CaseImages(Protocol):
    """N cases, each with an image or none.

    Attributes:
        ids: Case ids.
        images: Member of `pictures` that shows each case, None where there is none.
        pictures: The source of the images.
        findings: Warnings and notes about the cases.
    """

    @property
    def ids(self) -> tuple[str, ...]: ...
    @property
    def images(self) -> tuple[str | None, ...]: ...
    @property
    def pictures(self) -> Files: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...

    def __len__(self) -> int: ...

    def picture(self, index: int) -> bytes | None:
        """Return the encoded image of a case, None where there is none. Raises InputRefused where the file
        cannot be read."""
        ...
