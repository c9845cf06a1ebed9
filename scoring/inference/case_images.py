"""Cases with images, as far as models are run on them."""

from typing import Protocol

from scoring.common.findings import Finding, error
from scoring.inputs.sources import SourceFiles


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
    def pictures(self) -> SourceFiles: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...

    def __len__(self) -> int: ...

    def picture(self, index: int) -> bytes | None:
        """Return the encoded image of a case, None where there is none. Raises InputRefused where the file
        cannot be read."""
        ...


def no_images(name: str) -> Finding:
    """Return `image-missing` for a source that holds no image of any case."""
    return error(
        "image-missing",
        name,
        "it holds none of the images, which a model needs: give a folder or zip with images, or --images.",
    )


def missing_images(cases: CaseImages, advice: str) -> list[Finding]:
    """Return `image-missing` for every case without an image; a single one where there is no image at all.

    Args:
        cases: The cases.
        advice: How the messages end.
    """
    absent = [i for i, member in enumerate(cases.images) if member is None]
    if len(absent) == len(cases):
        return [no_images(cases.pictures.name)]
    return [
        error(
            "image-missing",
            cases.ids[i],
            f"the image of case {cases.ids[i]} is not in {cases.pictures.name}. {advice}",
        )
        for i in absent
    ]
