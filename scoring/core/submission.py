"""Predictions aligned with the cases of a truth, and the provenance (hashes, versions, options) of a card."""

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.common.findings import Finding, note, split
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.common.text import csv_text
from scoring.core.submitted_part import offered
from scoring.inputs.sources import Source, SourceFiles, open_source
from scoring.statistics.interval_options import StatisticsOptions
from scoring.version import __version__


class NamedCases(Protocol):
    """Cases with ids."""

    @property
    def ids(self) -> tuple[str, ...]: ...


@runtime_checkable
class TruthFiles(Protocol):
    """Source files of a truth: its table in `files`, its images in `pictures`, and the SHA-256 of the members
    of `files` that were read."""

    @property
    def files(self) -> SourceFiles: ...
    @property
    def pictures(self) -> SourceFiles: ...
    @property
    def digest_of(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Predictions:
    """Outputs aligned with the N cases of a truth.

    Attributes:
        outputs: Float64 [N, K]; rows of NaN for cases without outputs, or for all cases if only labels were
            given.
        labels: Predicted class number [N]; -1 means none.
        labels_only: Whether only labels were given.
        faults: Cases without a usable prediction, as errors; `grade` may turn them into warnings.
        digest: SHA-256 of the source; None for a model.
        model: The inspected model (`Inspection.model`); None for a file.
        images: SHA-256 of each image that the model ran on, by file name.
    """

    per_case: ClassVar[tuple[str, ...]] = ("outputs", "labels")
    name: str
    outputs: Floats
    labels: Ints
    labels_only: bool = False
    faults: tuple[Finding, ...] = ()
    findings: tuple[Finding, ...] = ()
    digest: str | None = None
    model: Mapping[str, Any] | None = None
    images: Mapping[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> Array:
        """SHA-256 of outputs and labels, uint8 [32]; equal for equal predictions."""
        return fingerprint(self.outputs, self.labels)

    @property
    def has_outputs(self) -> Bools:
        """Whether each case has outputs [N]."""
        return _complete(self.outputs)


def fingerprint(outputs: Floats, labels: Ints) -> Array:
    """Return the SHA-256 of predictions, uint8 [32].

    Args:
        outputs: Outputs [N, K].
        labels: Class numbers [N].
    """
    content = np.ascontiguousarray(outputs, float).tobytes() + np.ascontiguousarray(labels).tobytes()
    return np.frombuffer(hashlib.sha256(content).digest(), np.uint8)


def largest(outputs: Floats) -> Ints:
    """Return the index of the largest value in each row, the first if several are equal.

    Args:
        outputs: Values [N, K].

    Returns:
        Indices [N]; -1 for a row with NaN.
    """
    undefined = np.isnan(outputs)
    return np.where(undefined.any(1), -1, np.where(undefined, -np.inf, outputs).argmax(1))


NAMED_MEMBERS = 5


def ignored(files: SourceFiles, used: Container[str | None]) -> list[Finding]:
    """Return one finding `ignored-files` that names the files of a folder or zip that were not used; an empty
    list if all were used.

    Args:
        used: Names of files that were read or that another finding mentions.
    """
    members = [member for member in files.members if member not in used]
    if not members:
        return []
    listing = ", ".join(members[:NAMED_MEMBERS]) + (", ..." if len(members) > NAMED_MEMBERS else "")
    text = f"{len(members):,} other file{'s' * (len(members) > 1)} not read: {listing}."
    return [note("ignored-files", files.name, text)]


def grade(faults: Iterable[Finding], missing: str) -> tuple[list[Finding], list[Finding]]:
    """Sort cases without a usable prediction into errors and warnings. Errors refuse the submission.

    Args:
        faults: One error for each case without a usable prediction.
        missing: "refuse" keeps them as errors, "wrong" turns them into warnings.

    Returns:
        The errors and the warnings.
    """
    faults = list(faults)
    if missing == "wrong":
        return split(replace(f, level="warning") for f in offered(faults))
    label = f"Count {len(faults)} case{'s' * (len(faults) != 1)} as wrong"
    as_wrong = SuggestedFix(label, InputChanges(options=(("missing", "wrong"),)))
    return split(offered(f.with_fixes(as_wrong) for f in faults))


def faults_by_option(
    predictions: Predictions, options: Mapping[str, Any]
) -> tuple[list[Finding], list[Finding]]:
    """Return the problems of predictions as errors and warnings.

    Args:
        options: Its entry `missing` decides whether they are errors or warnings.
    """
    return grade(predictions.faults, options.get("missing", "refuse"))


def table(
    cases: NamedCases, predictions: Predictions, columns: Sequence[str], id_name: str = "filename"
) -> str:
    """Return predictions as a CSV file with ids and outputs of every case that has outputs.

    Args:
        columns: Headers of the K outputs.
        id_name: Header of the ids.
    """
    return table_of(cases.ids, predictions.outputs, columns, id_name)


def table_of(ids: Sequence[str], outputs: Floats, columns: Sequence[str], id_name: str) -> str:
    """Return outputs as a CSV file without rounding, so that reading it returns the same numbers.

    Args:
        ids: Id of each case [N].
        outputs: Outputs [N, K]; rows with NaN are left out.
    """
    rows = zip(ids, outputs.tolist(), _complete(outputs), strict=True)
    return csv_text((id_name, *columns), ((name, *row) for name, row, is_usable in rows if is_usable))


def example_table(ids: Sequence[str], columns: Sequence[str], id_name: str = "filename") -> tuple[str, bytes]:
    """Return name and bytes of an example table in which all cases have the same outputs.

    Args:
        ids: Case ids [N]; the rows are sorted by them.
        columns: Names of the K outputs; each is 1 / K, or 0.5 for one output.
        id_name: Header of the column with the case ids.
    """
    outputs = np.full((len(ids), len(columns)), 1 / max(2, len(columns)))
    return "example.csv", table_of(sorted(ids), outputs, columns, id_name).encode()


def _complete(outputs: Floats) -> Bools:
    """Return which rows are without NaN [N]."""
    complete: Bools = np.logical_not(np.isnan(outputs).any(1))
    return complete


class RunOnImages(Protocol):
    """A submission that may be a model. `images` contains the SHA-256 of each image that the model ran on, by
    file name."""

    @property
    def images(self) -> Mapping[str, str]: ...


class Submitted(Protocol):
    """A submission to any challenge.

    Attributes:
        digest: SHA-256 of the file; None for a model.
        model: The inspected model; None for a file.
    """

    @property
    def digest(self) -> str | None: ...
    @property
    def model(self) -> Mapping[str, Any] | None: ...


def truth_digest(truth: TruthFiles, predictions: RunOnImages) -> str:
    """Return the SHA-256 of a truth.

    Args:
        truth: The source files of the truth.
        predictions: Predictions to score on it; for a model, only the images that it ran on count.
    """
    used = predictions.images if truth.pictures is truth.files else {}
    return truth.files.digest({**truth.digest_of, **used})


def labels_digest(truth: object) -> str | None:
    """Return the SHA-256 of a truth, independent of the predictions; None if the truth does not name its
    files."""
    return truth.files.digest(truth.digest_of) if isinstance(truth, TruthFiles) else None


def provenance(
    truth_sha256: str,
    predictions: Submitted,
    options: Mapping[str, Any],
    statistics: StatisticsOptions,
    metadata: Source | None,
    unit: str,
    units: Ints,
) -> dict[str, Any]:
    """Return the entry `provenance` of a scorecard.

    Args:
        truth_sha256: SHA-256 of the truth.
        options: Options of the challenge, including defaults.
        unit: Name of the unit of resampling, such as "patient".
        units: Unit number of each case [N].
    """
    n_units = int(units.max()) + 1
    return {
        "version": __version__,
        "truth_sha256": truth_sha256,
        "predictions_sha256": predictions.digest,
        "model_sha256": predictions.model["sha256"] if predictions.model else None,
        **({"device": device} if (device := (predictions.model or {}).get("device")) else {}),
        "options": {
            **options,
            "group": statistics.group,
            "interval": statistics.interval,
            "metadata_sha256": open_source(metadata).whole if metadata is not None else None,
        },
        "seed": statistics.seed,
        "resamples": statistics.resamples,
        "interval": statistics.method(n_units),
        "unit": unit,
        "n_units": n_units,
    }
