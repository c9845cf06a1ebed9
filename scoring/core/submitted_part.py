"""Submitted part: a test set with only the submitted cases, and the words about it in the scorecard."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np

from scoring.common.arrays import Ints
from scoring.common.findings import Finding, InputRefused, error, warning
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.core.scorecard import Official, ScoreCard
from scoring.inputs.sources import sha256

T = TypeVar("T")


def of_cases(value: T, chosen: Ints) -> T:
    """Return a truth or predictions with only some of their cases.

    Args:
        value: A dataclass whose `per_case` names the fields that have an entry for each case.
        chosen: Indices of the cases, ascending.

    Raises:
        InputRefused: With `bad-split`, if the class does not declare `per_case`.
    """
    names = getattr(value, "per_case", None)
    if names is None:
        message = f"this challenge cannot score a part of its cases ({type(value).__name__}.per_case)."
        raise InputRefused([error("bad-split", "split", message)])
    changed = {name: _taken(getattr(value, name), chosen) for name in names}
    return cast(T, replace(cast(Any, value), **changed))


def _taken(value: Any, chosen: Ints) -> Any:
    if value is None or (isinstance(value, tuple) and not value):
        return value
    if isinstance(value, np.ndarray):
        return value[chosen]
    if isinstance(value, tuple):
        return tuple(value[index] for index in chosen)
    if isinstance(value, frozenset):  # of indices
        return frozenset(place for place, index in enumerate(chosen) if index in value)
    if isinstance(value, Mapping):
        return {name: _taken(value[name], chosen) for name in value}
    return of_cases(value, chosen)


MISSING_CASE, NOT_SUBMITTED, NOTHING = "missing-case", "not-submitted", "nothing-submitted"
OFFERING = {MISSING_CASE, "missing-mask", "missing-stage", "missing-risk"}
"""Codes of findings about cases with a missing or incomplete prediction."""
EMPTY = {MISSING_CASE, "missing-value", "empty-case"}
"""Codes of findings about a case without a prediction: its row is missing, its cell has no number, or its
image has no nucleus."""


FIRST = " The first: "
"""Words in a finding's message before the name of the first case without a usable prediction."""
SEVERAL = 4
"""Minimum number of cases for refusing a submission without any prediction; with fewer cases this may be
intended."""


def offered(findings: Iterable[Finding], n_absent: int | None = None) -> list[Finding]:
    """Return the findings. Those about missing cases now offer a fix: to score only the submitted cases.

    Args:
        n_absent: Number of cases that were not submitted; None counts the findings `missing-case`.
    """
    listed = list(findings)
    n = sum(finding.code == MISSING_CASE for finding in listed) if n_absent is None else n_absent
    if not n:
        return listed
    label = f"Leave out {n:,} missing case{'s' * (n != 1)} (unofficial)"
    fix = SuggestedFix(label, InputChanges(submitted_only=True))
    return [finding.with_fixes(fix) if finding.code in OFFERING else finding for finding in listed]


def require_some(read: Any, truth: Any, name: str | None) -> None:
    """Refuse a submission in which no case has a usable prediction, if there are several cases.

    Args:
        read: Predictions matched to the test set.
        truth: The test set; None without one.

    Raises:
        InputRefused: With `nothing-submitted`, if no case has a usable prediction.
    """
    n = len(truth.ids) if truth is not None else 0
    noticed = (*getattr(read, "faults", ()), *read.findings)
    empty = {finding.where for finding in noticed if finding.code in EMPTY}
    if n >= SEVERAL and max(len(empty), len(getattr(read, "absent", ()))) >= n:
        message = f"none of the {n:,} cases has a usable prediction, so there is nothing to score."
        first = next((f for f in noticed if f.code in EMPTY - {MISSING_CASE}), None)
        message += f"{FIRST}{first.where}: {first.message.split('. ')[0].rstrip('.')}." if first else ""
        raise InputRefused([error(NOTHING, str(name or read.name), message)], read.findings)


def part_of(truth: Any, read: object, name: str) -> Any:
    """Return a test set reduced to the submitted cases; unchanged if all or none were submitted.

    Args:
        read: Predictions matched to the test set, or their refusal.
    """
    if isinstance(read, InputRefused):
        noticed = [*read.problems, *read.findings]
    else:
        noticed = [*getattr(read, "faults", ()), *cast(Any, read).findings]
    absent = {finding.where for finding in noticed if finding.code == MISSING_CASE}
    absent.update(getattr(read, "absent", ()))
    chosen = np.flatnonzero([case not in absent for case in truth.ids])
    if len(chosen) in (0, len(truth.ids)):
        return truth
    message = (
        f"{len(chosen):,} of {len(truth.ids):,} cases were submitted, and only these cases are "
        f"scored: the {len(truth.ids) - len(chosen):,} others were not submitted and are left out."
    )
    part = of_cases(truth, chosen)
    return replace(part, findings=(*part.findings, warning(NOT_SUBMITTED, name, message)))


def of_one_metric(card: ScoreCard, metric: str) -> ScoreCard:
    """Return the scorecard of a submission that contains only one part of the score: as not official, with
    the metric of this part as the entry `submitted_part`, so that views show this metric first.

    Args:
        metric: Name of the metric; "" returns the card unchanged.
    """
    if not metric:
        return card
    reason = f"Only {metric} was submitted; the other parts of the score count as missing."
    return replace(card, official=Official(False, None, reason), more={"submitted_part": metric, **card.more})


def marked(card: ScoreCard, truth: Any) -> ScoreCard:
    """Return a card, marked as not official if only the submitted cases were scored.

    Args:
        truth: The test set of the card; its finding `NOT_SUBMITTED` says which cases were left out.
    """
    in_truth = next((finding for finding in truth.findings if finding.code == NOT_SUBMITTED), None)
    if in_truth is None:
        return card
    lacks = in_truth.message.partition(":")[2].strip().removesuffix(".")
    cases = f"{len(truth.ids)} cases, {sha256(chr(10).join(truth.ids).encode())[:16]}"
    options = {**card.provenance["options"], "submitted_only": cases}
    return replace(
        card,
        official=Official(False, None, in_truth.message[0].upper() + in_truth.message[1:]),
        incomplete="; ".join(filter(None, (lacks, card.incomplete))),
        provenance={**card.provenance, "options": options},
        findings=card.findings if in_truth in card.findings else (in_truth, *card.findings),
    )
