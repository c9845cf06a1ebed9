"""Predicted nuclei, aligned with the cases of a truth."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.findings import Finding
from scoring.readers.nuclei import Nuclei


@dataclass(frozen=True)
class NucleiPredictions:
    """Predicted nuclei of the cases `ids`: those of the truth in its order, or the submission's own, sorted, without a truth.

    nuclei: of each case, none where it is missing. missing: bool [N], whether the submission has no file for the case. digest: SHA-256 of
    what was submitted. model: None, for these are files.
    """

    name: str
    ids: tuple[str, ...]
    nuclei: tuple[Nuclei, ...]
    missing: np.ndarray
    findings: tuple[Finding, ...]
    digest: str
    model: Mapping | None = None

    def __len__(self) -> int:
        return len(self.ids)
