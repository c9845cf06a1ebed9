"""Model card: performance of a model on a whole test set, and metadata in its file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scoring.common.arrays import Bools, Ints
from scoring.common.text import shortened
from scoring.presentation.figures.number_format import percent, score
from scoring.single_image.similar_cases import Reference
from scoring.statistics.intervals import Share, share

MOST_ENTRIES, LONGEST = 12, 300
"""Maximum number of metadata entries that are shown, and of characters of each."""
TONE_COLUMN = re.compile(r"skin[ _-]?(tone|type)|fit[sz]patrick|monk", re.IGNORECASE)
LEAST_RANGE = 0.01
"""If the scores of a class differ by less than this over the test set, they count as nearly equal."""
LEAST_EXCESS = 0.05
"""The card says that scores exceed the accuracy only if their mean does so by at least this."""
HALF = 0.5
OVERCONFIDENT = "the model's scores are higher than its accuracy"
MOST_TONES = 12
"""Maximum number of different values in a column of skin tones. A column with more values has another
meaning."""


@dataclass(frozen=True)
class CardOutputs:
    """Facts about a model's outputs for a test set.

    Attributes:
        failed: Number of images for which the model gave no valid output.
        same: Whether all cases get nearly equal scores.
        highest: Mean highest score; NaN without outputs.
        right: Share of right images among those with a valid output; None without outputs.
        refused: Why the official challenge refuses the scale of the outputs; "" if it does not.
        tied: Number of images on which several classes share the highest score; the first counts.
    """

    failed: int = 0
    same: bool = False
    highest: float = float("nan")
    right: Share | None = None
    refused: str = ""
    tied: int = 0

    @property
    def overconfident(self) -> str:
        """Sentence that says that the mean highest score is above the share of right images; "" if the
        difference is small or chance can explain it."""
        right = self.right
        if (
            right is None
            or not right.n
            or self.highest < max(right.high, right.hits / right.n + LEAST_EXCESS)
        ):
            return ""
        return (
            "The model's scores are higher than its accuracy: the mean highest score is "
            f"{score(self.highest)}, but the model is right on {right} test images with a valid output. Do "
            "not read its scores as probabilities."
        )


@dataclass(frozen=True)
class OfficialCard:
    """Performance by the challenge's own decisions on raw outputs. `rule` says what the challenge predicts,
    and when; the shares are those of `ModelCard`."""

    rule: str
    right: Share
    sensitivity: Share | None
    specificity: Share | None

    @property
    def line(self) -> str:
        """How the challenge decides, and how often the model is then right, as a sentence."""
        sentence = (
            f"The challenge itself predicts {self.rule}. By this rule the model is right on {self.right} "
            "images"
        )
        if self.sensitivity is not None and self.specificity is not None:
            sentence += (
                f", with a malignant class for {self.sensitivity} malignant cases and no malignant class for "
                f"{self.specificity} other cases"
            )
        return f"{sentence}."


@dataclass(frozen=True)
class ModelCard:
    """Performance of a model on a test set. An image for which the model gave no valid output counts as
    wrong.

    Attributes:
        commonest: Number of the most frequent class, and its share of the cases: the accuracy of a model that
            always predicts this class.
        sensitivity: Share of malignant cases whose highest-scoring class is malignant; None without malignant
            cases or malignant classes.
        specificity: Share of the other cases whose highest-scoring class is not malignant; None as for
            `sensitivity`.
        found: For each class, the share of its cases that are predicted as the class (sensitivity) [K].
        confirmed: For each class, the share of true cases among those predicted as the class (precision) [K].
        by_tone: Skin tone -> share of right cases; empty if the test set does not state skin tones.
        without_tone: Number of images without a skin tone, if the test set states skin tones.
        official: Performance by the challenge's own decisions; None if these go by the highest score too.
    """

    right: Share
    commonest: tuple[int, float]
    sensitivity: Share | None
    specificity: Share | None
    found: tuple[Share, ...]
    confirmed: tuple[Share, ...]
    outputs: CardOutputs = CardOutputs()
    by_tone: Mapping[str, Share] = field(default_factory=dict)
    official: OfficialCard | None = None
    without_tone: int = 0

    @property
    def tone_line(self) -> str:
        """The share of right predictions by skin tone, as a sentence; "" if no skin tones are known."""
        if not self.by_tone:
            return ""
        shares = "; ".join(f"{tone}: {share}" for tone, share in self.by_tone.items())
        n = self.without_tone
        left_out = f"; {n} image{'s' * (n > 1)} without a skin tone {'are' if n > 1 else 'is'} left out"
        return f"Share of right predictions by skin tone: {shares}{left_out * bool(n)}."

    @property
    def no_better(self) -> bool:
        """Whether a model that always predicts the most frequent class may be right as often as this
        model."""
        return bool(self.right.low <= self.commonest[1])

    @property
    def worse(self) -> bool:
        """Whether a model that always predicts the most frequent class is right more often than this model,
        even at the upper end of its interval."""
        return bool(self.right.high < self.commonest[1])

    @property
    def separates(self) -> bool:
        """Whether the intervals of sensitivity and specificity show that the model separates malignant from
        other cases better than chance. A model that always predicts the most frequent class does not, even if
        it is right as often."""
        if self.sensitivity is None or self.specificity is None:
            return False
        return bool(self.sensitivity.low + self.specificity.low > 1)

    @property
    def always_commonest(self) -> bool:
        """Whether the model predicts the most frequent class for every case."""
        return all((share.n > 0) == (k == self.commonest[0]) for k, share in enumerate(self.confirmed))

    @property
    def warns(self) -> bool:
        """Whether the sentences about the model (`card_line`) are a warning."""
        return self.no_better or bool(self.cautions) or self.official is not None

    def _mostly_wrong(self, shares: "ModelCard | OfficialCard", rule: str = "") -> dict[str, str]:
        """Return whether most malignant or most other test images are called wrong: fault -> short text.
        `rule` says by which rule, where there are two."""
        found, missed, others = {}, shares.sensitivity, shares.specificity
        if missed is not None and missed.high < HALF:
            counts = f"({missed.n - missed.hits} of {missed.n})"
            found["misses"] = f"the model{rule} misses most malignant test images {counts}"
        # Images without a valid output count as wrong, but the model did not call them malignant.
        if (
            others is not None
            and others.high < HALF
            and others.n - others.hits - self.outputs.failed > HALF * others.n
        ):
            found["calls"] = f"the model{rule} calls most other test images malignant"
        return found

    @property
    def cautions(self) -> list[str]:
        """Reasons against trusting any answer of the model, as short texts."""
        if self.outputs.same:
            return ["the model gives nearly the same scores for every test image"]
        found = []
        if self.worse and not self.separates:
            found.append(
                "on the test set the model is right less often than a model that always predicts one class"
            )
        elif self.no_better and not self.separates:
            found.append("the model may not be better than a model that always predicts one class")
        wrong = self._mostly_wrong(self, " by its highest score" if self.official else "")
        if self.official:  # of a fault by both rules, the card gives the numbers of the other rule
            wrong |= self._mostly_wrong(self.official, " by the challenge's rule")
        found += wrong.values()
        if self.outputs.overconfident:
            found.append(OVERCONFIDENT)
        return found


def model_card(
    reference: Reference, malignant: Bools, columns: Mapping[str, Sequence[str]] | None = None
) -> ModelCard | None:
    """Return the performance of a model on a test set; None without cases.

    Args:
        malignant: Whether each class is malignant [K].
        columns: Header of a column in the test set's table -> cells; used to find skin tones.
    """
    failed = reference.failed
    if not len(reference) + len(failed):
        return None
    truth = np.concatenate([reference.truth, failed.truth])
    units = np.concatenate([reference.units, failed.units])
    answers = np.concatenate([reference.probabilities.argmax(1), np.full(len(failed), -1)])
    right = answers == truth

    def of(hits: Bools, among: Bools) -> Share:
        return share(hits[among], units[among])

    def called(answers: Ints) -> tuple[Share, Share | None, Share | None]:
        """Return the shares of right cases, malignant ones called so, and others not called so."""
        positive, valid = malignant[truth], answers >= 0
        return (
            share(answers == truth, units),
            of(valid & malignant[answers], positive) if positive.any() else None,
            of(valid & ~malignant[answers], ~positive) if malignant.any() and not positive.all() else None,
        )

    official = None
    if _decides_otherwise(reference) and reference.official is not None:
        decisions = np.concatenate([reference.official, np.full(len(failed), -1)])
        official = OfficialCard(reference.rule, *called(decisions))

    tones = _tones(reference, columns or {})
    toned = np.any([*tones.values()], axis=0) if tones else np.ones(len(truth), bool)
    support = np.bincount(truth, minlength=len(reference.classes))
    commonest = int(support.argmax())
    classes = range(len(reference.classes))
    shares = called(answers)
    return ModelCard(
        shares[0],
        (commonest, float(support[commonest] / len(truth))),
        *shares[1:],
        tuple(of(right, truth == k) for k in classes),
        tuple(of(right, answers == k) for k in classes),
        CardOutputs(
            len(failed),
            len(reference) > 1 and bool(np.ptp(reference.probabilities, axis=0).max() < LEAST_RANGE),
            float(reference.highest.mean()) if len(reference) else float("nan"),
            share(reference.right, reference.units),
            reference.refused,
            int(reference.tied.sum()),
        ),
        {tone: of(right, shown) for tone, shown in tones.items()},
        official,
        int((~toned).sum()),
    )


def _decides_otherwise(reference: Reference) -> bool:
    """Return whether the challenge's decisions differ from the highest scores on the test set, or may differ
    because they go by raw outputs on another scale."""
    if reference.official is None or reference.refused:
        return False
    if reference.outputs.shape[1] == 1 and reference.kind != "probabilities":
        return True
    return bool((reference.official != reference.probabilities.argmax(1)).any())


def _tones(reference: Reference, columns: Mapping[str, Sequence[str]]) -> dict[str, Bools]:
    """Return which cases have which skin tone, of the first column that holds such."""
    for name, cells in columns.items():
        if TONE_COLUMN.search(name):
            tones = np.array(cells)[np.concatenate([reference.indices, reference.failed.indices])]
            values = [str(tone) for tone in np.unique(tones) if tone]
            if 1 < len(values) <= MOST_TONES:
                return {tone: tones == tone for tone in values}
    return {}


def card_line(card: ModelCard, names: tuple[str, ...]) -> str:
    """Return sentences about the performance of a model on the test set. `names` are the full names of the
    classes."""
    sentence = f"On the test set the model is right on {card.right} images."
    if card.sensitivity is not None and card.specificity is not None:
        sentence += (
            f" The model predicts a malignant class for {card.sensitivity} malignant cases, and no malignant "
            f"class for {card.specificity} other cases."
        )
    outputs = card.outputs
    if outputs.failed:
        sentence += (
            f" The model gave no valid output for {outputs.failed} of these images: these images count as "
            "wrong."
        )
    if outputs.refused:
        sentence += f" The official challenge refuses this model, because {outputs.refused}"
    if card.no_better:
        k, frequency = card.commonest
        verdict = "is worse" if card.worse else "may not be better"
        sentence += (
            f" A model that always predicts {names[k]} would be right on {percent(frequency)} of the "
            "images: this model "
            f"{f'always predicts {names[k]}' if card.always_commonest else verdict}."
        )
    official = "" if card.official is None else card.official.line
    return " ".join(filter(None, (sentence, outputs.overconfident, official)))


def entries(metadata: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the metadata entries of a model's file, sorted by name and shortened."""
    shown = sorted((name, value) for name, value in metadata.items() if value.strip())
    return [(shortened(name, LONGEST), shortened(value, LONGEST)) for name, value in shown[:MOST_ENTRIES]]
