"""Parts of the record of an image as plain JSON values."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.core.scorecard import plain
from scoring.metrics.thresholds import FOLDS
from scoring.single_image.explanation import Explanation, conclusion
from scoring.single_image.image_prediction import TurnedViews
from scoring.single_image.model_card import ModelCard, OfficialCard
from scoring.single_image.operating_threshold import ChosenOperatingPoint
from scoring.single_image.similar_cases import ClassSet, Reference, RightShare
from scoring.statistics.intervals import Share


def by_class(classes: Sequence[str], values: np.ndarray) -> dict[str, Any]:
    return dict(zip(classes, plain(values), strict=True))


def of_reference(reference: Reference) -> dict[str, Any]:
    return {
        "name": reference.name,
        "computer_generated": reference.generated,
        "n": len(reference),
        "without_valid_output": len(reference.failed),
        "left_out_same_patient_or_lesion": reference.apart,
        "officially_refused_because": reference.refused or None,
        "cases": by_class(reference.classes, reference.support),
        "temperature": reference.temperature,
    }


def of_card(card: ModelCard | None, classes: Sequence[str]) -> dict[str, Any] | None:
    if card is None:
        return None
    by_class = {"found": card.found, "confirmed": card.confirmed}
    return (
        _shares(card)
        | {
            name: {k: of_share(found) if found.n else None for k, found in zip(classes, row, strict=True)}
            for name, row in by_class.items()
        }
        | {
            "right_by_skin_tone": {tone: of_share(found) for tone, found in card.by_tone.items()},
            "without_skin_tone": card.without_tone,
            "by_official_rule": None if card.official is None else _shares(card.official),
        }
    )


def _shares(card: ModelCard | OfficialCard) -> dict[str, Any]:
    shares = {"right": card.right, "sensitivity": card.sensitivity, "specificity": card.specificity}
    return {name: None if found is None else of_share(found) for name, found in shares.items()}


def of_views(classes: Sequence[str], views: TurnedViews) -> dict[str, Any]:
    rows = {"low": views.low, "mean": views.mean, "high": views.high, "standard_deviation": views.deviation}
    by_rule = views.changed if views.changed_by_rule is None else views.changed_by_rule
    counts = {
        "views": views.others,
        "highest_class_changed": views.changed,
        "scores_of_images": len(views.probabilities),  # low to standard_deviation: with the image as it is
    }
    return (
        counts
        | {"official_class_changed": None if views.official is None else by_rule}
        | {name: by_class(classes, row) for name, row in rows.items()}
    )


def of_maps(classes: Sequence[str], maps: Explanation, k: int) -> dict[str, Any]:
    return {
        "class": classes[k],
        "one_part_hidden": plain(maps.one_by_one.drops[k]),
        "random_halves_hidden": plain(maps.random_halves.drops[k]),
        "correlation": maps.correlation(k),
        "whole_picture": {name: float(row[k]) for name, row in maps.whole.after.items()},
        "conclusion": list(conclusion(maps, k, classes[k])),
    }


def of_right(right: RightShare) -> dict[str, Any]:
    """Return how often the model is right on similar cases, and on those of the predicted class."""
    has_cases = bool(right.similar.n)
    return {
        "similar": of_share(right.similar) if has_cases else None,
        "lowest_score": right.low if has_cases else None,
        "highest_score": right.high if has_cases else None,
        "all_images": right.every,
        "of_predicted_class": of_share(right.of_class) if right.of_class.n else None,
    }


def of_class_set(classes: Sequence[str], class_set: ClassSet, top: int) -> dict[str, Any]:
    # a set of all classes always contains the true class
    is_whole = class_set.members.all()
    tried = None if is_whole else class_set.coverage.overall
    own = None if is_whole else class_set.coverage.by_class[top]
    return {
        "classes": [name for name, member in zip(classes, class_set.members, strict=True) if member],
        "built_to_hold": 1 - class_set.miss,
        "too_few_cases": [name for name, always in zip(classes, class_set.always, strict=True) if always],
        "coverage": None if tried is None else tried.hits / tried.n,
        "coverage_tried": None if tried is None else of_share(tried),
        "coverage_of_highest_class": None if own is None else of_share(own),
    }


def of_threshold(point: ChosenOperatingPoint) -> dict[str, Any]:
    shares = {"sensitivity": point.sensitivity, "specificity": point.specificity}
    known = point.sensitivity is not None or point.specificity is not None
    return {
        "wanted_sensitivity": point.wanted,
        "threshold": point.threshold,
        "cross_validated_in_parts": FOLDS if known else None,
        **{name: None if share is None else of_share(share) for name, share in shares.items()},
    }


def of_share(share: Share) -> dict[str, Any]:
    return {"hits": share.hits, "n": share.n, "interval": [share.low, share.high]}
