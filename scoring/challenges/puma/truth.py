"""The truth of PUMA: the annotated nuclei of every region."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.findings import Finding
from scoring.readers.nuclei import Nuclei
from scoring.readers.sources import Files

SIZE = (1024, 1024)


@dataclass(frozen=True)
class Truth:
    """The cases of a truth, sorted by id (code points).

    nuclei: of each case. sizes: int [N, 2], width and height in px, 1024 without an image. images: member of `pictures` that shows each
    case, None without. digest_of: SHA-256 of each file that was read. columns, id_column: metadata by lower-case name, none in these files.
    """

    name: str
    files: Files
    ids: tuple[str, ...]
    nuclei: tuple[Nuclei, ...]
    sizes: np.ndarray
    pictures: Files
    images: tuple[str | None, ...]
    findings: tuple[Finding, ...]
    digest_of: Mapping[str, str]
    columns: Mapping[str, tuple[str, ...]]
    id_column: str = "case"

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sha256(self) -> str:
        """The digest of what was read of the truth, as provenance gives it."""
        return self.files.digest(self.digest_of)

    def picture(self, index: int) -> bytes | None:
        """The image of a case, encoded; None where there is none. Raises InputRefused where the file cannot be read."""
        member = self.images[index]
        return None if member is None else self.pictures.read(member)
