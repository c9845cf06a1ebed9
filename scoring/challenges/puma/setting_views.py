"""Views of the score with another matching radius or another smallest confidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

import numpy as np

from scoring.challenges.puma.diagnostics import shift
from scoring.challenges.puma.formula import METRICS, RADIUS
from scoring.challenges.puma.image_views import count_of_images
from scoring.challenges.puma.nuclei_matching import rule_of
from scoring.challenges.puma.views import NAMES, best_possible
from scoring.common.arrays import Floats
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Column, Fact, Facts, Figure, Table
from scoring.presentation.figures import detection as figures
from scoring.presentation.figures.detection import Dependence, spaced
from scoring.presentation.figures.number_format import UNDEFINED, decimal, share

Curve = Mapping[str, Floats]
"""Values of a setting ("x") and the score at each value ("y")."""


@dataclass(frozen=True)
class MatchingSetting:
    """Settings for matching nuclei.

    Attributes:
        radius: Maximum distance in px.
        least: Smallest confidence that counts; None: every confidence counts.
    """

    radius: float = RADIUS
    least: float | None = None

    @property
    def changes(self) -> list[str]:
        """Texts that say how the settings differ from those of the challenge."""
        radius, least = f"radius {self.radius:g} px", self.confidences
        return [radius] * (self.radius != RADIUS) + [least] * (self.least is not None)

    @property
    def confidences(self) -> str:
        """Text that says which confidences count."""
        return "every confidence" if self.least is None else f"confidence from {self.least:g}"


RULE = MatchingSetting()
"""The challenge's."""


def setting_facts(usual: ScoreCard, card: ScoreCard) -> Facts:
    """Return the scores with changed settings, beside the scores with the challenge's settings."""
    m, before, chosen = card.metrics, usual.metrics, rule_of(card).name
    scores = {NAMES[rule]: METRICS[rule] for rule in (chosen, *(rule for rule in METRICS if rule != chosen))}
    scores |= {"Micro F1": "micro_f1"}
    return Facts(
        (
            *(
                Fact(name, share(m[key]), f"{share(before[key])} by the challenge's rule", better="higher")
                for name, key in scores.items()
            ),
            Fact("Predictions left", f"{m['n_predicted']:,}", f"of {before['n_predicted']:,}"),
            Fact(
                "Predictions lie",
                _offset(shift(card)),
                "to the right, down",
                "Most frequent offset between a nucleus and a prediction of its class; about 0 unless the "
                "tiles are shifted",
            ),
        )
    )


def _offset(moved: Floats) -> str:
    if np.isnan(moved).any():
        return UNDEFINED
    right, down = (decimal(float(value), 1, sign=True) for value in moved)
    return f"{right}, {down} px"


def over_radius(card: ScoreCard, curve: Curve, setting: MatchingSetting) -> Figure:
    """Return a figure of the score against the radius.

    Args:
        card: Scorecard that was computed with the setting.
        curve: Scores at all radii, with the smallest confidence of the setting.
    """
    return Figure(
        partial(
            figures.along,
            Dependence(curve["x"], curve["y"], RADIUS, setting.radius, card.score or 0.0, _best(card)),
            "How does the score change with the radius?",
            "radius, px",
        ),
        f"{setting.confidences.capitalize()}. Dotted: the challenge's 15 px. "
        f"n = {count_of_images(card.n_cases)}.",
        {"radius": curve["x"].tolist(), "macro F1": curve["y"].tolist()},
    )


def over_confidence(card: ScoreCard, curve: Curve, setting: MatchingSetting) -> Figure:
    """Return a figure of the score against the smallest confidence.

    Args:
        card: Scorecard that was computed with the setting.
        curve: Scores at all smallest confidences, with the radius of the setting. The first leaves out
            nothing.
    """
    every = float(curve["x"][0])
    least = every if setting.least is None else setting.least
    return Figure(
        partial(
            figures.along,
            Dependence(curve["x"], curve["y"], every, least, card.score or 0.0, _best(card)),
            "How does the score change with the minimum confidence?",
            "predictions below it are left out",
        ),
        f"Radius {setting.radius:g} px. Dotted: the challenge's rule, which keeps every prediction. The "
        "best value was chosen on the same images: expect a lower score on new images.",
        {"confidence": curve["x"].tolist(), "macro F1": curve["y"].tolist()},
    )


def _best(card: ScoreCard) -> float | None:
    return best_possible(card, rule_of(card).name)


def setting_table(usual: ScoreCard, card: ScoreCard, setting: MatchingSetting) -> Table:
    """Return a table of how a setting changes the result of each class. `usual` is the scorecard with the
    rule of the challenge."""
    return Table.of(
        "How does the minimum confidence change each class?",
        [
            {**row, "class": spaced(name), "rule": usual.per_class[name]["f1"]}
            for name, row in card.per_class.items()
        ],
        (
            Column("class", "class", width=110),
            Column("rule", "F1 by the challenge's rule", "number", better="higher", lighter=True),
            Column("here", "F1 here", "number", better="higher", get=itemgetter("f1")),
            Column("precision", "precision", "number", better="higher"),
            Column("recall", "recall", "number", better="higher"),
            Column("tp", "TP", "number", 0, "higher"),
            Column("fp", "FP", "number", 0, "lower"),
            Column("fn", "FN", "number", 0, "lower"),
        ),
        f"Radius {setting.radius:g} px, {setting.confidences}. The viewer shows the same setting.",
        key="setting_classes",
    )
