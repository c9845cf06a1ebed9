"""Readers for declared challenges with masks. There is one file per case, and each is measured against the
truth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import MISSING, Declaration
from scoring.challenges.declared.table_readers import graded
from scoring.common.arrays import Floats
from scoring.common.findings import Cancelled, Finding, InputRefused, error, warning
from scoring.core.challenge import Context
from scoring.core.submission import Predictions, ignored
from scoring.inputs.case_tables import nothing_in_common
from scoring.inputs.grand_challenge_jobs import by_case
from scoring.inputs.masks.blocks import Opener
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.label_maps import (
    examined_masks,
    is_of_images,
    label_values,
    masks_by_case,
    masks_of_truth,
    other_names,
    read_label_map,
)
from scoring.inputs.masks.nifti_and_metaimage import MASK_ENDINGS
from scoring.inputs.sources import Source, open_source
from scoring.metrics.mask_measures import region_pairs
from scoring.metrics.task_cases import RegionCases

MEASURES = 5
"""Maximum number of measurements that are stored per metric, case and region."""
LATER = ("average", "class", "both_empty", "empty_truth", "worst_mm")
"""Options that are used only after the cases were measured."""


@dataclass(frozen=True)
class MaskPredictions(Predictions):
    """Measurements of predicted masks. `masks` contains for each case a function that opens its mask."""

    masks: Mapping[str, Opener] = field(default_factory=dict)


def read_truth(
    declaration: Declaration, source: Source, images: Source | None, context: Context
) -> DeclaredCases:
    """Read the masks of the truth. Images may be in a folder "image..." beside the masks. Raises InputRefused
    as `masks_of_truth` does."""
    files = open_source(source, context.name, streamed=MASK_ENDINGS)
    masks, read = masks_of_truth(files)
    held: dict[int, str] = {}
    for member, values, _ in read:
        held = dict.fromkeys(values, files.called(member)) | held
    ids, images_beside = tuple(masks), filter(is_of_images, files.members)
    findings = [*_unused(declaration, held), *_absent(declaration, held, files.name)]
    return DeclaredCases(
        *(files.name, ids, files, files if images is None else open_source(images, streamed=MASK_ENDINGS)),
        {member: files.sha256_of(member) for member in masks.values()},
        {"case": ids},
        "case",
        *(np.full(len(ids), -1), np.zeros((len(ids), 0))),
        (*findings, *ignored(files, {*masks.values(), *images_beside})),
        dict(masks),
    )


def _unused(declaration: Declaration, held: Mapping[int, str]) -> list[Finding]:
    """Return a warning for each mask value that belongs to no region. `held` maps each value to the first
    file that contains it."""
    known = {0}.union(*declaration.regions.values())
    return [
        warning("unused-label", where, f"no region contains value {value}: its voxels count as background.")
        for value, where in sorted(held.items())
        if value not in known
    ]


def _absent(declaration: Declaration, held: Mapping[int, str], where: str) -> list[Finding]:
    """Return a warning for each region without a voxel in the truth, and for each value of another region
    that no mask contains. `held` contains the values of all masks."""
    regions, ends = declaration.regions.items(), dict[tuple[int, ...], str]()
    absent = {value for _, values in regions if not held.keys() & set(values) for value in values}
    for name, values in regions:
        if lacking := tuple(value for value in values if value not in held and value not in absent):
            ends[lacking] = f"which the region {name} also lists."
        elif absent.issuperset(values):
            end = "a submission without this region then gets the score of a perfect submission."
            ends[values] = f"so the region {name} is empty in the truth: {end}"
    advice = "Check the values in the challenge's file."
    return [
        warning(
            "absent-class",
            where,
            f"no mask contains the value {' or '.join(map(str, values))}, {end} {advice}",
        )
        for values, end in ends.items()
    ]


def read_predictions(
    declaration: Declaration, source: Source, truth: DeclaredCases | None, context: Context
) -> Predictions:
    """Read predicted masks and measure each against the truth. Raises InputRefused with every problem, and
    Cancelled."""
    files, _ = by_case(open_source(source, context.name, streamed=MASK_ENDINGS))
    masks, problems = masks_by_case(files, files.members)
    findings = ignored(files, set(masks.values()))
    if truth is None:
        list(examined_masks(files, masks, problems))
        if problems:
            raise InputRefused(problems, findings)
        return Predictions(files.name, np.zeros((len(masks), 0)), np.full(len(masks), -1))
    extra = sorted(masks.keys() - set(truth.ids))
    if masks and len(extra) == len(masks):
        problems.append(nothing_in_common(files.name, "no mask belongs to a case of", extra, truth))
        raise InputRefused(problems, findings)
    if extra:
        message = (
            f"{len(extra)} "
            f"mask{'s belong to cases that are' if len(extra) > 1 else ' belongs to a case that is'} "
            f"not in the truth ({', '.join(extra[:3])}), and {'do' if len(extra) > 1 else 'does'} "
            "not count."
        )
        findings.append(warning("extra-case", files.name, message))
    missing, openers = declaration.predictions.missing, {c: partial(files.open, m) for c, m in masks.items()}
    outputs = np.full((len(truth), len(declaration.uses) * len(declaration.regions) * MEASURES), np.nan)
    faults: list[Finding] = []
    held: dict[int, str] = {}
    for number, case in enumerate(truth.ids):
        if context.cancelled is not None and context.cancelled():
            raise Cancelled
        name = files.called(masks.get(case, ""))
        if case not in masks:
            message = f"case {case} has no mask in {files.name}.{MISSING[missing]['advice']}"
            faults.append(error("missing-case", case, message))
        try:
            if case in masks or missing == "worst":
                outputs[number], values = _measured(declaration, truth, case, openers.get(case))
                held = dict.fromkeys(values, name) | held
        except MaskError as fault:
            problems.append(error(fault.code, name, f"{case}: {fault.words}"))
        if context.progress is not None:
            context.progress(number + 1, len(truth))
    findings += _unused(declaration, held)
    problems += other_names(declaration.regions, {files.called(masks[c]): openers[c] for c in masks})
    if problems:
        hard, soft = graded(faults, missing)
        raise InputRefused([*problems, *hard], [*findings, *soft])
    labels = np.where([case in masks for case in truth.ids], 0, -1)
    digest = files.digest_of([masks[case] for case in truth.ids if case in masks])
    read = (files.name, outputs, labels, False, tuple(faults), tuple(findings), digest)
    return MaskPredictions(*read, masks=openers)


def nothing(declaration: Declaration, truth: DeclaredCases) -> Predictions:
    """Return predictions that consist of empty masks."""
    outputs = [_measured(declaration, truth, case, None)[0] for case in truth.ids]
    return Predictions("the constant submission", np.array(outputs), np.zeros(len(truth), int))


def _measured(
    declaration: Declaration, truth: DeclaredCases, case: str, sent: Opener | None
) -> tuple[Floats, set[int]]:
    """Return the measurements of one case as a flat array (metrics x regions x numbers), and the values in
    its mask. Without a mask, an empty mask is measured."""
    labels, grid = read_label_map(partial(truth.files.open, truth.masks[case]))
    guess = np.zeros_like(labels) if sent is None else read_label_map(sent, grid)[0]
    values = np.zeros((len(declaration.uses), len(declaration.regions), MEASURES))
    regions, edges = map(set, declaration.regions.values()), grid.nominal
    for place, pair in enumerate(region_pairs(labels, guess, edges, [*regions])):
        known: dict[str, tuple[float, ...]] = {}
        for number, use in enumerate(declaration.uses):
            options = sorted((name, value) for name, value in use.options.items() if name not in LATER)
            key = f"{use.metric.measures} {options}"
            if key not in known:
                known[key] = use.metric.measure(pair, **use.options)
            values[number, place, : len(known[key])] = known[key]
    return values.ravel(), label_values(guess)


def region_cases(declaration: Declaration, predictions: Predictions) -> dict[str, RegionCases]:
    """Return key of a metric -> measurements of all cases. Cases without a measurement count as missing."""
    shape = (len(predictions.outputs), len(declaration.uses), len(declaration.regions), MEASURES)
    measured = np.where(np.isnan(predictions.outputs), 0, predictions.outputs).reshape(shape)
    names, missing = tuple(declaration.regions), predictions.labels < 0
    return {
        use.key: RegionCases(measured[:, number], names, missing)
        for number, use in enumerate(declaration.uses)
    }
