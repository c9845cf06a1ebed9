"""Reads predicted nuclei, matches them to the cases of a truth, and checks whether axes are exchanged or
units differ."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import scipy

from scoring.challenges.puma import cases, nucleus_classes
from scoring.challenges.puma.cases import NO_FILE, SubmissionMembers, WrittenFiles, find_predictions, outward
from scoring.challenges.puma.nucleus_classes import Naming
from scoring.challenges.puma.truth import SIZE, PumaTruth
from scoring.common.findings import Finding, InputRefused, error, note, warning
from scoring.common.fixes import OF_COORDINATES, InputChanges, editing, renaming
from scoring.core.challenge import Context
from scoring.core.submission import ignored
from scoring.core.submitted_part import offered
from scoring.inputs import case_tables, fix_suggestions
from scoring.inputs.grand_challenge_jobs import by_case
from scoring.inputs.nuclei.folders import by_slide
from scoring.inputs.nuclei.reader import Nuclei
from scoring.inputs.nuclei.tiles import MICROMETRES, by_tile
from scoring.inputs.sources import FixedSource, Source, SourceFiles, open_source
from scoring.inputs.table_edits import fixed_name

CASES = 8
NUCLEI = 500
NEAR = 5.0
SPACING = 0.25
FEW, MANY, TIMES = 0.3, 0.4, 3
"""Limits of the share of predictions that are near a true nucleus. If it is below FEW, other scales are
tried. A warning appears if with another scale the share is at least MANY, and TIMES as large as before."""
NEARLY_ALL = 0.99
"""A submission is refused if at least this share of centroids is outside the images."""
FACTORS = {
    0.23: "they look like px divided by 0.23",
    1 / 0.23: "they look like µm: divide by 0.23",
    1000 / 0.23: "they look like mm: divide by 0.00023",
    0.25: "they look like px at four times the size",
    0.5: "they look like px at twice the size",
    2.0: "they look like px at half the size",
    4.0: "they look like px at a quarter of the size",
    1024.0: "they look like fractions of the image's side: multiply by its length",
}
"""Factor by which centroids must be multiplied -> likely reason for this factor."""


QUESTIONS = {
    MICROMETRES: (editing("multiply", repr(1 / 0.23), "Multiply the coordinates by 4.34783, for px"),)
}
"""Scale of the coordinates in a table -> fixes that Benchside offers."""


def placement(
    name: str, truth: Sequence[Nuclei], predicted: Sequence[Nuclei], sizes: np.ndarray, edited: bool = False
) -> Iterator[Finding]:
    """Yield `swapped-axes` or `scale` if centroids are probably in other coordinates: if few are near true
    nuclei and many would be after a conversion, or if most lie outside the images, whose width and height are
    `sizes` [N, 2]. A few cases and nuclei are tested, regardless of class. `edited`: the user chose how
    coordinates are read."""
    both = [index for index in range(len(truth)) if len(truth[index]) and len(predicted[index])]
    chosen = (
        [both[index] for index in np.unique(np.linspace(0, len(both) - 1, min(CASES, len(both))).astype(int))]
        if both
        else []
    )
    looks = [
        (
            scipy.spatial.cKDTree(truth[i].centroids),
            _some(predicted[i].centroids),
            _radius(sizes[i], len(truth[i])),
        )
        for i in chosen
    ]
    share = _share(looks)
    if looks and share < FEW:
        enough = max(MANY, TIMES * share)
        readings = {
            factor: _share([(tree, xy * factor, radius) for tree, xy, radius in looks]) for factor in FACTORS
        }
        best = max(readings, key=readings.__getitem__)
        swapped = _share([(tree, xy[:, ::-1], radius) for tree, xy, radius in looks])
        if swapped >= max(enough, readings[best]):
            message = (
                f"with x and y exchanged, {swapped:.0%} of the centroids are next to a truth "
                f"nucleus, but only {share:.0%} as written: write [x, y]."
            )
            yield warning("swapped-axes", name, message).with_fixes(editing("exchange"))
            return
        if readings[best] >= enough:
            message = (
                f"{readings[best]:.0%} of the centroids are next to a truth nucleus if multiplied "
                f"by {best:g}, but only {share:.0%} as written: "
            )
            fix = editing("multiply", repr(best), f"Multiply the coordinates by {best:g}")
            yield warning("scale", name, f"{message}{FACTORS[best]}.").with_fixes(fix)
            return
    total = sum(map(len, predicted))
    beyond = sum(int(nuclei.outside(size).sum()) for nuclei, size in zip(predicted, sizes, strict=True))
    if total and beyond >= NEARLY_ALL * total and not edited:
        sentence = (
            f"{beyond:,} of {total:,} centroids are outside their image, so the official score is 0: write "
            "px from the top left corner of the image, not of the whole slide."
        )
        fix = editing("multiply", "1", "Score the coordinates as they are")
        yield error("scale", name, sentence).with_fixes(fix)
    elif 2 * beyond > total:
        sentence = (
            f"{beyond:,} of {total:,} centroids are outside their image: are they in px of the image, [x, y]?"
        )
        yield warning("scale", name, sentence)


def moved(nuclei: Nuclei, edits: Mapping[str, str]) -> Nuclei:
    """Return the nuclei of a case with edited coordinates. `edits` are those of `InputChanges`."""
    factor, step = float(edits.get("multiply", 1)), -1 if "exchange" in edits else 1
    centroids, vertices = (
        np.ascontiguousarray(xy[:, ::step] * factor, xy.dtype) for xy in (nuclei.centroids, nuclei.vertices)
    )
    return replace(nuclei, centroids=centroids, vertices=vertices)


def _some(centroids: np.ndarray) -> np.ndarray:
    return centroids[:: -(-len(centroids) // NUCLEI)]


def _radius(size: np.ndarray, nuclei: int) -> float:
    """Near: closer than nuclei would be to each other by chance."""
    return min(NEAR, SPACING * float(np.sqrt(size[0] * size[1] / nuclei)))


def _share(looks: Sequence[tuple["scipy.spatial.cKDTree", np.ndarray, float]]) -> float:
    """Return the share of centroids that are within their radius of a truth nucleus."""
    near = sum(
        int(np.isfinite(tree.query(xy, distance_upper_bound=radius)[0]).sum()) for tree, xy, radius in looks
    )
    return near / max(1, sum(len(xy) for _, xy, _ in looks))


SHOWN = 3


@dataclass(frozen=True)
class NucleiPredictions:
    """Predicted nuclei by case. The cases are those of the truth in its order, or without a truth those of
    the submission, sorted.

    Attributes:
        nuclei: Nuclei of each case; empty for a case without a prediction.
        missing: Cases without a prediction, bool [N].
        digest: SHA-256 of the submission; None for a model.
        names: Class name as it is written -> number of nuclei.
        written: Format of the files.
        model: Facts about the model; None for files.
        images: SHA-256 of each image on which a model ran, by file name.
    """

    per_case: ClassVar[tuple[str, ...]] = ("ids", "nuclei", "missing", "written")
    name: str
    ids: tuple[str, ...]
    nuclei: tuple[Nuclei, ...]
    missing: np.ndarray
    findings: tuple[Finding, ...]
    digest: str | None
    names: Mapping[str, int]
    written: WrittenFiles
    model: Mapping[str, Any] | None = None
    images: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def is_foreign(self) -> bool:
        """Whether a file has a form that the official evaluator does not read."""
        return self.written.is_foreign


def read_predictions(source: Source, truth: PumaTruth | None, context: Context) -> NucleiPredictions:
    """Read a submission: one file, or a folder or zip with one file per case or with `submission.csv`.

    If no truth is given, or the truth names no cases, the cases are those of the submission. Raises
    InputRefused with every problem.
    """
    naming = Naming.of(**context.options)
    source, edits = _without_edits(source)
    opened, of_job = by_case(open_source(source, context.name))
    files, of_slide = by_slide(opened)
    original = {member: of_job.get(before, before) for member, before in of_slide.items()} or of_job
    changes = source.changes if isinstance(source, FixedSource) else InputChanges()
    measured = zip(truth.ids, truth.sizes.tolist(), strict=True) if truth else ()
    size_of = {"": SIZE, **{case: (size[0], size[1]) for case, size in measured}}
    edited = bool(OF_COORDINATES & edits.keys())
    files = by_tile(files, changes, {} if edited else QUESTIONS, size_of, nucleus_classes.NAMES)
    leaves = partial(_leaves_by_name, source, original)
    submission = find_predictions(files, truth.ids if truth else None, leaves)
    ids = truth.ids if truth else tuple(sorted(submission.member_of))
    problems, findings = list(submission.problems), list(submission.findings)
    read_of = {case: member for case in ids if (member := submission.member_of.get(case)) is not None}
    outside = list(filter(leaves, read_of.values()))
    problems += map(outward, outside)
    read_of = {case: member for case, member in read_of.items() if member not in outside}
    read = cases.read_cases(files, read_of.values(), naming, graded=True)
    if edited:
        moved_files = tuple(replace(entry, nuclei=moved(entry.nuclei, edits)) for entry in read.contents)
        read = replace(read, contents=moved_files)
    if truth:
        sizes = [size for case, size in zip(ids, truth.sizes, strict=True) if case in read_of]
        called = map(files.called, read_of.values())
        read = cases.in_place(read, np.array(sizes).reshape(-1, 2), called)
        problems += _no_common(files, truth, submission)
    file_of = dict(zip(read_of, read.contents, strict=True))
    nuclei = tuple(file_of.get(case, NO_FILE).nuclei for case in ids)
    placed = list(placement(files.name, truth.nuclei, nuclei, truth.sizes, edited) if truth else ())
    problems += [*read.problems, *(entry for entry in placed if entry.level == "error")]
    findings += [
        *read.findings,
        *_empty(files, read_of, read),
        *_confidences(files, read),
        *nucleus_classes.mapped(read.names, files.name, naming),
        *nucleus_classes.platform_warnings(read.names, files.name),
        *(offered(_unmatched(files, truth, submission)) if truth else ()),
        *(entry for entry in placed if entry.level != "error"),
        *ignored(files, {submission.table, *submission.member_of.values()}),
    ]
    if problems:
        raise InputRefused(problems, findings)
    return NucleiPredictions(
        files.name,
        ids,
        nuclei,
        np.array([case not in read_of for case in ids], bool),
        tuple(findings),
        files.digest({**submission.digest_of, **read.digest_of}),
        read.names,
        read.written(file_of.get(case, NO_FILE) for case in ids),
    )


def _without_edits(source: Source) -> tuple[Source, dict[str, str]]:
    """Return a submission without its edits of coordinates, and these."""
    if not isinstance(source, FixedSource):
        return source, {}
    return replace(source, changes=replace(source.changes, edits=())), dict(source.changes.edits)


def _leaves_by_name(source: Source, original: Mapping[str, str], member: str) -> bool:
    """Return whether a member leaves its folder. original: names of members as they were sent."""
    return _leaves(source, original.get(member, member))


def _leaves(source: Source, member: str) -> bool:
    """Return whether a file of a folder on disk is a link to one outside it."""
    if isinstance(source, FixedSource):
        members = open_source(source.source).members
        return any(
            _leaves(source.source, candidate)
            for candidate in members
            if fixed_name(candidate, source.changes) == member
        )
    if not isinstance(source, (str, os.PathLike)) or not Path(source).is_dir():
        return False
    return not (Path(source) / member).resolve().is_relative_to(Path(source).resolve())


def _no_common(files: SourceFiles, truth: PumaTruth, submission: SubmissionMembers) -> list[Finding]:
    named = sorted(submission.member_of)
    if not named or not set(named).isdisjoint(truth.ids):
        return []
    problem = case_tables.nothing_in_common(files.name, "no file matches a case of", named, truth)
    if all(map(str.isdecimal, named)) and len(named) == len(truth.ids):
        in_order = zip(sorted(named, key=int), sorted(truth.ids), strict=True)
        fix = renaming("case", tuple(in_order))
        problem = problem.with_fixes(replace(fix, label=f"{fix.label}, cases in alphabetical order"))
    return [problem]


def _unmatched(files: SourceFiles, truth: PumaTruth, submission: SubmissionMembers) -> Iterator[Finding]:
    if set(truth.ids).isdisjoint(submission.member_of):
        return
    for case in truth.ids:
        if case not in submission.member_of:
            sentence = f"case {case} has no prediction in {files.name}: all its nuclei count as missed."
            yield warning("missing-case", case, sentence)
    extra = sorted(set(submission.member_of).difference(truth.ids))
    if extra:
        listing = ", ".join(extra[:SHOWN]) + (", ..." if len(extra) > SHOWN else "")
        message = (
            f"Benchside does not score {len(extra)} prediction{'s' * (len(extra) > 1)} for cases "
            f"that are not in the truth ({listing})."
        )
        absent = set(truth.ids).difference(submission.member_of)
        fixes = fix_suggestions.without_affix(extra, absent)
        yield warning("extra-case", files.name, message).with_fixes(*fixes)


def _empty(files: SourceFiles, read_of: Mapping[str, str], read: cases.CaseFiles) -> Iterator[Finding]:
    for (case, member), contents in zip(read_of.items(), read.contents, strict=True):
        if contents.key and not contents.items:
            message = f"case {case} has no predicted nucleus: scored as an empty prediction."
            yield note("empty-case", files.called(member), message)


def _confidences(files: SourceFiles, read: cases.CaseFiles) -> Iterator[Finding]:
    keys = sum((Counter(nuclei_file.confidence_keys) for nuclei_file in read.contents), Counter())
    total = sum(map(len, read.nuclei))
    if keys:
        used = ", ".join(f"{key!r} ({count:,} of {total:,} nuclei)" for key, count in sorted(keys.items()))
        yield note(
            "confidence-key",
            files.name,
            f"Benchside reads confidences from {used}, and uses 1 for a nucleus without confidence.",
        )
    values = np.concatenate([nuclei.confidences for nuclei in read.nuclei]) if total else np.empty(0)
    if total > 1 and (values == values[0]).all():
        why = f"every confidence is {values[0]:g}" if keys else "there are no confidences"
        message = f"{why}, so the nearest prediction is matched first."
        yield note("constant-confidence", files.name, message)
