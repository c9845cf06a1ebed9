"""Predictions aligned with the cases of a truth, whatever they came from: a file or a model."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from scoring.findings import Finding, split
from scoring.readers.sources import Files, Source, open_source
from scoring.statistics.options import StatisticsOptions
from scoring.version import __version__


class Named(Protocol):
    """Cases with ids."""

    @property
    def ids(self) -> tuple[str, ...]: ...


class TruthFiles(Protocol):
    """Where a truth was read: its table from `files`, its images from `pictures`.

    digest_of: SHA-256 of the members of `files` that were read.
    """

    @property
    def files(self) -> Files: ...
    @property
    def pictures(self) -> Files: ...
    @property
    def digest_of(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Predictions:
    """Outputs aligned with the truth's cases.

    outputs: float64 [N, K], NaN rows for cases without one (all of them where only labels were given).
    labels: predicted class [N], -1 = none. faults: cases without a usable prediction, as errors;
    `missing="wrong"` makes warnings of them. digest: SHA-256 of the source, None for a model. model: what was
    inspected, with its size; None for a file. images: SHA-256 of the images that a model was run on.
    """

    name: str
    outputs: np.ndarray
    labels: np.ndarray
    labels_only: bool = False
    faults: tuple[Finding, ...] = ()
    findings: tuple[Finding, ...] = ()
    digest: str | None = None
    model: Mapping | None = None
    images: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_outputs(self) -> np.ndarray:
        """Which cases have outputs, bool [N]."""
        return ~np.isnan(self.outputs).any(1)


def largest(outputs: np.ndarray) -> np.ndarray:
    """First index of the largest of each row [N, K], -1 for a row with NaN."""
    undefined = np.isnan(outputs)
    return np.where(undefined.any(1), -1, np.where(undefined, -np.inf, outputs).argmax(1))


def grade(faults: Iterable[Finding], missing: str) -> tuple[list[Finding], list[Finding]]:
    """Faults as errors, or, with missing="wrong", as warnings: the errors and the others."""
    return split([replace(f, level="warning") for f in faults] if missing == "wrong" else faults)


def table(cases: Named, predictions: Predictions, columns: Sequence[str], id_name: str = "filename") -> str:
    """A prediction file as CSV: the ids under `id_name` and the columns, for every case that has outputs."""
    return table_of(cases.ids, predictions.outputs, columns, id_name)


def table_of(ids: Sequence[str], outputs: np.ndarray, columns: Sequence[str], id_name: str) -> str:
    """Ids [N] and outputs [N, K] as CSV, unrounded, so that reading it gives the same numbers; rows with NaN
    are left out."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((id_name, *columns))
    usable = ~np.isnan(outputs).any(1)
    writer.writerows(
        (name, *map(repr, row)) for name, row, kept in zip(ids, outputs.tolist(), usable, strict=True) if kept
    )
    return text.getvalue()


class Submitted(Protocol):
    """What was submitted: digest is the SHA-256 of its file, None for a model; model is what was inspected,
    None for a file."""

    digest: str | None
    model: Mapping | None


def truth_digest(truth: TruthFiles, predictions: Predictions) -> str:
    """SHA-256 of a truth; of a folder's images those count that a model was run on."""
    used = predictions.images if truth.pictures is truth.files else {}
    return truth.files.digest({**truth.digest_of, **used})


def provenance(
    truth_sha256: str,
    predictions: Submitted,
    options: Mapping,
    statistics: StatisticsOptions,
    metadata: Source | None,
    unit: str,
    units: np.ndarray,
) -> dict:
    """What a scorecard rests on. options: those of the challenge, defaults included. units: unit number of
    each case [N]."""
    return {
        "version": __version__,
        "truth_sha256": truth_sha256,
        "predictions_sha256": predictions.digest,
        "model_sha256": predictions.model["sha256"] if predictions.model else None,
        "options": {
            **options,
            "group": statistics.group,
            "interval": statistics.interval,
            "metadata_sha256": open_source(metadata).whole if metadata is not None else None,
        },
        "seed": statistics.seed,
        "resamples": statistics.resamples,
        "interval": statistics.interval,
        "unit": unit,
        "n_units": int(units.max()) + 1,
    }
