"""Guessing budget of a hidden truth: how many bits of information about the labels the shown scores can
reveal, and how much a person could gain from them by guessing. Bits that scores of deleted boards may have
revealed are recorded by the SHA-256 of the test set."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scoring.boards.hidden_truth.disclosure_rules import DECIMALS, NOTHING, HiddenRules
from scoring.boards.row_validation import LEFT_OUT, WITHHELD
from scoring.boards.submissions.phases_and_limits import DAY, Phase
from scoring.common.direction_and_range import SHARE, Quantity
from scoring.common.findings import Finding, warning
from scoring.statistics.optimism import bits_for, possible_gain
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.schema import DeletedTruth, Hidden, Submission, TestSetVersion

SAFE_GAIN = 0.05
"""A board calls its truth safe if guessing can gain at most this much over the best constant answer."""
RATES_OF_CLASSES = 14 * 16
"""Maximum number of class rates shown per submission: those of 16 classes, each with `DECIMALS` decimals."""
OF_PART = (
    " These statements concern only the shown part. The withheld part decides the final ranking. Scores "
    "reveal only facts that both parts share, such as class frequencies, and no withheld case."
)
UNBOUNDED = (
    "It is not known how much these scores reveal about the truth. A bound is known only for accuracy, "
    "recall, specificity, F scores, AUC and average precision, with one class per case."
)
MOST_BITS = 1e9
"""Maximum number of bits that is stored; it stands for infinity."""
BITS_OF_OPEN = 64
"""Maximum number of bits that a score reveals, even if it is shown in full."""
STEPS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
"""Proposed steps of the Ladder, finest first."""


@dataclass(frozen=True)
class Labels:
    """The hidden labels.

    Attributes:
        cases: Number of cases of the test set, or of the part that shown scores use.
        units: Effective number of units, such as patients, regardless of class and weights; 0 if no bound is
            known for this score (`Scoring.bounded_by_labels`).
        effective: Number of labels of two equally frequent classes that would be as hard to guess as the
            hidden labels (`effective_labels`). It is smaller if a class is rare: few guesses then find its
            few cases and raise scores.
        is_part: Whether `cases` are a part of the test set, and the final ranking uses the other cases.
    """

    cases: int
    units: float
    effective: float
    quantity: Quantity = SHARE
    is_part: bool = False


@dataclass(frozen=True)
class Use:
    """How much information about a hidden truth the shown scores may have revealed.

    Attributes:
        cases: Effective number of cases that the scores depend on; 0 if no bound is known. Plans use
            `Labels.effective`. Published values use `Labels.units`, which reveals no class.
        bits: Maximum number of bits of information that all shown scores together can have revealed.
        is_part: Whether the final ranking uses other cases, as in `Labels`.
    """

    answers: int
    cases: float
    bits: float
    is_part: bool = False

    @property
    def gain(self) -> float:
        """Return the largest possible gain in accuracy or AUC for a person who guesses labels from the
        revealed bits, compared with the best constant answer; from 0 to 0.5."""
        return possible_gain(self.bits, self.cases)

    @property
    def is_safe(self) -> bool:
        """Return whether `gain` is at most `SAFE_GAIN`."""
        return self.bits <= bits_for(SAFE_GAIN, self.cases)

    @property
    def words(self) -> str:
        """Return a text about the revealed information that every visitor may read."""
        scores = "1 score has" if self.answers == 1 else f"{self.answers} scores have"
        shown = "Scores were shown before" if self.bits and not self.answers else f"{scores} been shown"
        if not self.cases:
            return f"{shown}. {UNBOUNDED if self.bits else ''}{OF_PART * self.is_part}".rstrip()
        told = (
            f"{shown}. They may have revealed {_percent(self.bits, self.cases)} of the information in the "
            "labels"
        )
        most = f"guessing can have raised a score by at most {self.gain:.2f} above the best constant answer"
        end = "" if self.is_safe else " A lead smaller than this could come from guessing."
        equal = "If classes are equally frequent and cases have equal weights"
        return f"{told}. {equal}, {most}.{end} Scores reveal rare classes sooner.{OF_PART * self.is_part}"


@dataclass(frozen=True)
class Budget:
    """How much the scores of a board can reveal by the end of its phases.

    Attributes:
        use: The revealed information at the end of the phases.
        proposed: Rules that would keep the truth safe; None if the rules of the board already do.
    """

    use: Use
    proposed: HiddenRules | None
    is_spent: bool = False
    """Whether so much is revealed already that no rules can make the truth safe again."""

    def as_dict(self) -> dict[str, Any]:
        """Return the value for the JSON output."""
        return {
            "safe": self.proposed is None,
            "bits": None if math.isinf(self.use.bits) else self.use.bits,
            "bits_of_safe": bits_for(SAFE_GAIN, self.use.cases),
            "gain": self.use.gain,
            "proposed": asdict(self.proposed) if self.proposed else None,
        }

    @property
    def words(self) -> str:
        """Return a text for organizers: whether the present rules are safe and, if not, which rules would
        be."""
        if not self.use.bits:
            return f"Safe: no score is shown before the truth is opened.{OF_PART * self.use.is_part}"
        if self.proposed is None:
            limit = bits_for(SAFE_GAIN, self.use.cases)
            return (
                f"Safe: until the end of the phases the scores can reveal {self.use.bits:.1f} bits of "
                f"information about the labels. To raise a score by {SAFE_GAIN:g} above the best constant "
                f"answer, guessing needs {limit:.1f} bits.{OF_PART * self.use.is_part}"
            )
        if self.is_spent and not self.use.cases:
            told = f"Not safe under any rule from now on, because scores have been shown already. {UNBOUNDED}"
            return f"{told}{OF_PART * self.use.is_part}"
        if self.is_spent:
            return (
                "Not safe under any rule from now on: the shown scores may have revealed so much "
                f"that guessing can raise a score by {self.use.gain:.2f} above the best constant answer."
                f"{OF_PART * self.use.is_part}"
            )
        if not self.use.cases:
            only = "Only showing no score is safe (--detail none)."
            return f"Not safe: {UNBOUNDED} {only}{OF_PART * self.use.is_part}"
        told = "any number of bits" if math.isinf(self.use.bits) else f"{self.use.bits:.1f} bits"
        proposed = self.proposed
        flags = (
            "--detail none" if proposed.detail == NOTHING else f"--detail score --digits {proposed.decimals}"
        )
        flags += f" --ladder {proposed.step or 0:g}" if proposed.detail != NOTHING else ""
        return (
            f"Not safe: until the end of the phases the scores can reveal {told} of information about the "
            f"labels. Guessing could then raise a score by up to {self.use.gain:.2f} above the best constant "
            f"answer. A gain of at most {SAFE_GAIN:g} counts as safe; for it, guessing needs "
            f"{bits_for(SAFE_GAIN, self.use.cases):.1f} bits. Safe settings for these phases and teams: "
            f"{flags}. With fewer submissions or teams, less detail or more cases, more can be shown "
            f"safely.{OF_PART * self.use.is_part}"
        )


def told(known: HiddenRules, submissions: float, labels: Labels) -> float:
    """Return how many bits of information about the labels a board can reveal to one team: the binary
    logarithm of the number of possible sequences of shown scores. Rates of classes and results of cases add
    more bits, if the board shows them."""
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
    """Return how much information about the labels the scores can reveal by the end of the phases, and rules
    that would keep the labels safe.

    Args:
        phases: Phases of the board; a board without phases accepts no submissions, and any number is assumed.
        teams: Number of teams, each with the maximum number of submissions.
        spent: Bits that were revealed under earlier rules, or by submissions that were deleted or merged
            since.
        done: For each team with a submission: the maximum number of its submissions by the end, including
            those already made (`expected`).
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
    """Return the maximum number of submissions of a team in a phase, including those already made; infinity
    if unlimited.

    Args:
        sent: Times of the team's submissions in the phase, even if the dates of the phase were changed since.
    """
    rest = math.inf if phase.total is None else float(phase.total) - len(sent)
    if phase.per_day is not None and phase.closes is not None:
        opens = datetime.fromisoformat(phase.opens or schema.now()).date()
        last = (datetime.fromisoformat(phase.closes) - timedelta(microseconds=1)).date()
        days = Counter(date.fromisoformat(time[:DAY]) for time in sent)
        used = sum(min(n, phase.per_day) for day, n in days.items() if opens <= day <= last)
        rest = min(rest, phase.per_day * max(1, (last - opens).days + 1) - used)
    return len(sent) + max(0.0, rest)


def expected(phases: Sequence[Phase], sent: Mapping[str | None, Sequence[str]]) -> float:
    """Return the maximum number of submissions of a team in all phases, including those already made;
    infinity without phases.

    Args:
        sent: Times of the submissions that were made, by phase.
    """
    most = [most_submissions(phase, sent.get(phase.name, ())) for phase in phases] or [math.inf]
    return math.fsum(most) + sum(len(sent[name]) for name in sent.keys() - {phase.name for phase in phases})


def used(
    known: HiddenRules, submissions: Mapping[str, int], answers: int, labels: Labels, spent: float
) -> Use:
    """Return how much information about the labels the scores may have revealed until now.

    Args:
        submissions: Number of scored submissions by team.
        answers: Number of scores that were shown.
        spent: Bits that were revealed under earlier rules.
    """
    bits = spent + sum(told(known, count, labels) for count in submissions.values())
    return Use(answers, labels.units, bits, labels.is_part)


def _log2_ways(of: float, chosen: float) -> float:
    """Return the logarithm of a binomial coefficient."""
    return (math.lgamma(of + 1) - math.lgamma(chosen + 1) - math.lgamma(of - chosen + 1)) / math.log(2)


def _percent(bits: float, cases: float) -> str:
    share = 100 * min(1.0, bits / cases)
    return "0 %" if not bits else "less than 1 %" if share < 1 else f"up to {share:.0f} %"


def record_deleted(session: Session, files: Collection[str], bits: float) -> None:
    """Add the bits that the scores of a board may have revealed to the stored count of each of its test sets.
    Call this before the board is deleted.

    Args:
        files: SHA-256 of each version of the test set.
        bits: Number of bits of information about the labels.
    """
    for digest in files:
        row = session.get(DeletedTruth, digest)
        session.merge(DeletedTruth(sha256=digest, spent=bits + (row.spent if row else 0.0)))


def most_told(store: Store, board_id: str) -> float:
    """Return an upper bound of the bits of information about the labels that a board may have revealed; it is
    known even if the board cannot be read. It is `MOST_BITS` if the board showed more than scores, or if its
    truth was opened."""
    of = Submission.board_id == board_id
    with store.read() as session:
        count = session.scalar(select(func.count()).select_from(Submission).where(of)) or 0
        row = session.execute(
            select(Hidden.detail, Hidden.spent).where(Hidden.board_id == board_id)
        ).one_or_none()
    detail, spent = row or ("score", 0.0)
    if detail not in (NOTHING, "score") or not isinstance(spent, (int, float)):
        return MOST_BITS
    return min(spent + (detail != NOTHING) * BITS_OF_OPEN * count, MOST_BITS)


def add_told(store: Store, board_id: str, bits: float) -> None:
    """Add bits to the stored number of bits that a board has revealed about its labels. Do nothing if its
    truth was never hidden."""
    with store.write() as session:
        row = session.get(Hidden, board_id)
        if row is not None:
            row.spent = min(row.spent + max(0.0, bits), MOST_BITS)


def bits_of_deleted_boards(store: Store, board_id: str) -> float:
    """Return how many bits of information about a board's test sets may have been revealed by other boards
    that used the same test sets and were deleted since."""
    files = test_sets(store, board_id)
    with store.read() as session:
        return sum(session.scalars(select(DeletedTruth.spent).where(DeletedTruth.sha256.in_(files))))


def notice_of_deleted(store: Store, board_id: str) -> list[Finding]:
    """Return the warning `truth-shared` if deleted boards with the same test set may have revealed
    information about the hidden truth; otherwise an empty list."""
    bits = bits_of_deleted_boards(store, board_id)
    with store.read() as session:
        is_told = bits and session.get(Hidden, board_id) is not None
    told = "all of its labels" if bits >= MOST_BITS else f"{bits:.1f} bits of information about its labels"
    message = f"deleted boards used the same test set. Their scores may have revealed {told}."
    return [warning("truth-shared", board_id, message)] if is_told else []


def test_sets(store: Store, board_id: str) -> set[str]:
    """Return the SHA-256 of each version of a board's test set."""
    of = TestSetVersion
    with store.read() as session:
        return {*session.scalars(select(of.sha256).where(of.board_id == board_id))} - {LEFT_OUT, WITHHELD}
