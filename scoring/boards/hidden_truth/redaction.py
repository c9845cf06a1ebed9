"""Redaction of messages about a submission to a hidden truth: participants get only sentences from a fixed
list.

Original messages about files and models quote values, ids and data. They are therefore not shown.
"""

from collections.abc import Iterable

from scoring.common.findings import Finding, error
from scoring.common.text import shortened

WHERE = "submission"
MASKS = 20
"""Maximum number of masks with a wrong grid that are named."""
OWN = frozenset(
    {
        "forbidden",
        "foreign-team",
        "limit-reached",
        "no-phase",
        "phase-closed",
        "phase-not-open",
        "refused-limit",
        "team-excluded",
        "unchanged-limit",
    }
)
"""Codes whose messages reveal only the board's settings."""
SENTENCES = {
    "cases": "its cases differ from the cases of the test set: each case of the test set needs one answer.",
    "values": "a value in it is missing, not a number, or outside the range that the challenge allows.",
    "columns": "its columns or classes differ from those that the challenge requires.",
    "file": "it cannot be read as the kind of file that the challenge requires.",
    "size": "it is larger than the challenge allows.",
    "model": "the model could not be run as the challenge requires: try it on the challenge's practice data.",
    "options": "one of the submission's settings is not allowed.",
    "store": "the file was read, but could not be saved. No submission was counted: submit the file again.",
    "grid": "this mask has another grid than the image of its case: use the voxels and spacing of the image.",
    "other": "the file could not be scored. The organizer sees this error.",
}
CATEGORY = {
    **dict.fromkeys(
        ("missing-case", "extra-case", "duplicate-case", "ambiguous-case", "no-common-case", "wrong-tile"),
        "cases",
    ),
    **dict.fromkeys(
        ("missing-value", "bad-value", "bad-label", "not-a-number", "out-of-range", "not-a-probability"),
        "values",
    ),
    **dict.fromkeys(("missing-column", "duplicate-column", "unknown-class", "extra-column"), "columns"),
    **dict.fromkeys(
        (
            "unreadable-file",
            "no-table",
            "bad-table",
            "ambiguous-table",
            "bad-zip",
            "bad-json",
            "bad-submission",
            "unsafe-path",
            "empty-file",
        ),
        "file",
    ),
    **dict.fromkeys(("too-large", "too-many-rows"), "size"),
    **dict.fromkeys(("wrong-output", "random-model", "model-unreadable", "model-failed"), "model"),
    "bad-option": "options",
    "wrong-grid": "grid",
    **dict.fromkeys(
        ("store-full", "store-locked", "store-read-only", "store-unusable", "store-damaged", "store-newer"),
        "store",
    ),
}


def redact(problems: Iterable[Finding]) -> tuple[Finding, ...]:
    """Replace problems of a hidden test set by fixed sentences that reveal nothing, one for each kind of
    problem.

    For wrong grids, each of the first `MASKS` masks gets a sentence with the name of the submitted file.
    """
    findings = list(problems)
    own = [finding for finding in findings if finding.code in OWN]
    kinds = {CATEGORY.get(finding.code, "other") for finding in findings if finding.code not in OWN}
    told = []
    for kind in (kind for kind in SENTENCES if kind in kinds):
        masks = [
            finding.where for finding in findings if kind == "grid" and CATEGORY.get(finding.code) == kind
        ]
        told += [
            error(f"refused-{kind}", shortened(where), SENTENCES[kind]) for where in masks[:MASKS] or [WHERE]
        ]
    return (*own, *told)
