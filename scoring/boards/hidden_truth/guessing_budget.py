"""Guessing budget of a hidden truth: bits told by shown scores, against the bits of the labels."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any

from scoring.boards.hidden_truth.disclosure_rules import DECIMALS, NOTHING, HiddenRules
from scoring.boards.submissions.phases_and_limits import DAY, Phase
from scoring.common.direction_and_range import SHARE, Quantity
from scoring.statistics.optimism import bits_for, possible_gain
from scoring.store import schema

SAFE_GAIN = 0.05
"""A board calls itself safe where guessing gains no more above the best constant answer."""
RATES_OF_CLASSES = 14 * 16
"""Rates that are told of 16 classes, each to `DECIMALS`: no challenge has more."""
WITHHELD = (
    " These statements concern the shown part only. Scores reveal no case of the withheld part, which "
    "decides the final "
    "ranking; they reveal only what both parts share, such as class frequencies."
)
UNBOUNDED = (
    "It is not known how much such scores reveal about the truth. A bound is known only for accuracy, "
    "recall, specificity, F scores, AUC and average precision, with one class per case."
)
STEPS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
"""Of the Ladder, that are proposed, finest first."""


@dataclass(frozen=True)
class Labels:
    """What is hidden.

    Attributes:
        cases: Of the test set, or of the part of it that scores are of.
        units: Effective ones, such as patients, regardless of class and weights; 0 where no bound is
            known for what the score tells (`Scoring.bounded_by_labels`).
        effective: How many labels of two equally frequent classes are as hard to learn as these
            (`effective_labels`): a rare class is soon found by its few cases, and scores rise with it.
        is_part: Whether the final ranking rests on other cases.
    """

    cases: int
    units: float
    effective: float
    quantity: Quantity = SHARE
    is_part: bool = False


@dataclass(frozen=True)
class Use:
    """How much a truth is used up. answers: scores that were shown; cases: that they are of (a plan:
    `Labels.effective`; what was used is published, tells no class, and so has `Labels.units`), 0 where no
    bound is known; bits: what all answers can have told, at most; is_part: as of `Labels`."""

    answers: int
    cases: float
    bits: float
    is_part: bool = False

    @property
    def gain(self) -> float:
        """Return what somebody who only guesses can have gained above the best constant answer, 0 to 0.5."""
        return possible_gain(self.bits, self.cases)

    @property
    def is_safe(self) -> bool:
        """Return whether that is no more than a board that calls itself safe allows."""
        return self.bits <= bits_for(SAFE_GAIN, self.cases)

    @property
    def words(self) -> str:
        """Return it in plain words, for everybody: its rarest class decides whether the truth is safe."""
        scores = "1 score has" if self.answers == 1 else f"{self.answers} scores have"
        shown = "Scores were shown before" if self.bits and not self.answers else f"{scores} been shown"
        if not self.cases:
            return f"{shown}. {UNBOUNDED if self.bits else ''}{WITHHELD * self.is_part}".rstrip()
        told = f"{shown}, which may have revealed {_percent(self.bits, self.cases)} of the labels' bits"
        most = f"guessing gained at most {self.gain:.2f} above the best constant answer"
        end = "" if self.is_safe else "; a smaller lead proves little"
        equal = "if classes are equally frequent and cases have equal weights"
        return f"{told}: {equal}, {most}{end}. Rare classes are revealed sooner.{WITHHELD * self.is_part}"


@dataclass(frozen=True)
class Budget:
    """What the scores of a board can tell by the end of its phases. use: then; proposed: rules that keep the
    truth safe, None where those of the board do."""

    use: Use
    proposed: HiddenRules | None
    is_spent: bool = False
    """Whether so much was told already that no rules make it safe again."""

    def as_dict(self) -> dict[str, Any]:
        """Return the entry of JSON."""
        return {
            "safe": self.proposed is None,
            "bits": None if math.isinf(self.use.bits) else self.use.bits,
            "bits_of_safe": bits_for(SAFE_GAIN, self.use.cases),
            "gain": self.use.gain,
            "proposed": asdict(self.proposed) if self.proposed else None,
        }

    @property
    def words(self) -> str:
        """Return it in plain words, for organizers."""
        if not self.use.bits:
            return f"Safe: no score is shown before the truth is opened.{WITHHELD * self.use.is_part}"
        if self.proposed is None:
            limit = bits_for(SAFE_GAIN, self.use.cases)
            return (
                f"Safe: by the end of the phases the scores can reveal {self.use.bits:.1f} bits, but "
                f"{limit:.1f} bits are needed to gain {SAFE_GAIN:g} above the best constant answer by "
                f"any guessing strategy.{WITHHELD * self.use.is_part}"
            )
        if self.is_spent and not self.use.cases:
            told = f"Not safe, whatever is shown from now on: scores have been shown already. {UNBOUNDED}"
            return f"{told}{WITHHELD * self.use.is_part}"
        if self.is_spent:
            return (
                "Not safe, whatever is shown from now on: the shown scores may have revealed so much "
                f"that guessing gains up to {self.use.gain:.2f} above the best constant answer."
                f"{WITHHELD * self.use.is_part}"
            )
        if not self.use.cases:
            only = "Only showing no score is safe (--detail none)."
            return f"Not safe: {UNBOUNDED} {only}{WITHHELD * self.use.is_part}"
        told = "any number of bits" if math.isinf(self.use.bits) else f"{self.use.bits:.1f} bits"
        proposed = self.proposed
        flags = (
            "--detail none" if proposed.detail == NOTHING else f"--detail score --digits {proposed.decimals}"
        )
        flags += f" --ladder {proposed.step or 0:g}" if proposed.detail != NOTHING else ""
        return (
            f"Not safe: by the end of the phases the scores can reveal {told}, and "
            f"{bits_for(SAFE_GAIN, self.use.cases):.1f} bits are enough to gain {SAFE_GAIN:g} above the "
            f"best constant answer by guessing (up to {self.use.gain:.2f} here). Settings that are safe "
            f"with these phases and teams: {flags}. Fewer submissions, fewer teams, less detail or more "
            f"cases allow scores to be shown.{WITHHELD * self.use.is_part}"
        )


def told(known: HiddenRules, submissions: float, labels: Labels) -> float:
    """Return how many bits the answers to submissions of one team can tell: the logarithm of the number of
    ways in which they can turn out."""
    if known.detail == NOTHING or not submissions:
        return 0.0
    levels = known.levels(labels.quantity)
    if math.isinf(submissions) or math.isinf(levels):
        return math.inf
    if known.step is None:
        shown, bits = submissions, submissions * math.log2(levels + 1)  # one more: undefined
    else:
        shown, bits = min(submissions, levels), _log2_ways(submissions + levels, levels)
    each = math.log2(10**DECIMALS + 2)
    if known.detail == "classes":
        bits += shown * RATES_OF_CLASSES * each
    if known.detail == "cases":
        bits += shown * labels.cases * each
    return bits


def planned(
    known: HiddenRules,
    phases: Sequence[Phase],
    teams: int,
    labels: Labels,
    spent: float = 0.0,
    done: Sequence[float] = (),
) -> Budget:
    """Return what the scores can tell by the end of the phases.

    Args:
        phases: Of the board; without any it takes no submissions, and any number is assumed.
        teams: Of the board, each with all submissions that the limits allow.
        spent: Bits told under other rules, or by what was deleted or merged since.
        done: `expected` of each team that has submitted something, by now and until then.
    """
    tries = expected(phases, {})

    def use(rules: HiddenRules) -> Use:
        counts = [*done, *[tries] * (teams - len(done))]
        bits = spent + math.fsum(told(rules, count, labels) for count in counts)
        return Use(0, labels.effective, bits, labels.is_part)

    now = use(known)
    if now.is_safe:
        return Budget(now, None)
    choices = [HiddenRules("score", None, known.refused_per_day, digits) for digits in (3, 2, 1)]
    choices += [HiddenRules("score", step, known.refused_per_day) for step in STEPS]
    choices += [HiddenRules(NOTHING, None, known.refused_per_day)]
    proposed = next((rules for rules in choices if use(rules).is_safe), choices[-1])
    return Budget(now, proposed, not use(proposed).is_safe)


def most_submissions(phase: Phase, sent: Sequence[str] = ()) -> float:
    """Return how many submissions a team has made in a phase or may make yet by its limits; infinity without
    limits. sent: times of those it has made, also where the phase has other dates by now."""
    rest = math.inf if phase.total is None else float(phase.total) - len(sent)
    if phase.per_day is not None and phase.closes is not None:
        opens = datetime.fromisoformat(phase.opens or schema.now()).date()
        last = (datetime.fromisoformat(phase.closes) - timedelta(microseconds=1)).date()
        days = Counter(date.fromisoformat(time[:DAY]) for time in sent)
        used = sum(min(n, phase.per_day) for day, n in days.items() if opens <= day <= last)
        rest = min(rest, phase.per_day * max(1, (last - opens).days + 1) - used)
    return len(sent) + max(0.0, rest)


def expected(phases: Sequence[Phase], sent: Mapping[str | None, Sequence[str]]) -> float:
    """Return how many submissions a team has made or may make yet, in all phases; any number without phases.
    sent: times of those it has made, by phase."""
    most = [most_submissions(phase, sent.get(phase.name, ())) for phase in phases] or [math.inf]
    return math.fsum(most) + sum(len(sent[name]) for name in sent.keys() - {phase.name for phase in phases})


def used(
    known: HiddenRules, submissions: Mapping[str, int], answers: int, labels: Labels, spent: float
) -> Use:
    """Return what was told by now. submissions: scored ones by team; spent: bits told under other rules."""
    bits = spent + sum(told(known, count, labels) for count in submissions.values())
    return Use(answers, labels.units, bits, labels.is_part)


def _log2_ways(of: float, chosen: float) -> float:
    """Return the logarithm of a binomial coefficient."""
    return (math.lgamma(of + 1) - math.lgamma(chosen + 1) - math.lgamma(of - chosen + 1)) / math.log(2)


def _percent(bits: float, cases: float) -> str:
    share = 100 * min(1.0, bits / cases)
    return "0 %" if not bits else "less than 1 %" if share < 1 else f"up to {share:.0f} %"
