"""Cells of the simulation: how often equal teams are told apart, how often a better one is, and how well
"likely too high by" is estimated."""

import time
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import binom, norm

from scoring.statistics.replicate_comparison import ReplicateComparison, Resampled, compare
from tests.simulations.designs import CHALLENGES, RESAMPLES, SEED, Draws, own_error

UNITS, TEAMS = (6, 8, 12, 20, 48, 220), (2, 4, 12, 60)
LEADS = {2: 4.0, 4: 4.0, 12: 6.0, 60: 6.0}
"""Lead of the better team in latent standard deviations / sqrt(units), by number of teams."""
KITS = 10
"""Draws of replicates that runs take turns with."""
LOOKS = (250, 500, 1000)
"""Numbers of test sets after which a cell may be known to keep its rate."""


def is_seldom(errors: int, runs: int) -> bool:
    """Return whether a rate of 5 % is excluded, with 99.9 % confidence: then no more test sets are drawn."""
    return runs in LOOKS and errors < binom.ppf(0.001, runs, 0.05)


@dataclass(frozen=True)
class Cell:
    """One design.

    Attributes:
        challenge: Whose score.
        units: Number of units.
        teams: Number of teams.
        design: "equal", "lead" (the first is better) or "spread" (by one standard error).
        runs: Number of simulated test sets.
        test: The test that told teams apart; None where nothing is said.
        wrong: Share of the runs in which two equal teams were told apart.
        power: Share of the other teams that the better one was told apart from.
        estimate: Mean of `winner_optimism` over the runs that have one.
        truth: By how much the leader's score was too high in those runs, on average.
        spread: Standard deviation of the true scores / standard error of a team's own errors.
    """

    challenge: str
    units: int
    teams: int
    design: str
    runs: int
    test: str | None
    wrong: float | None = None
    power: float | None = None
    estimate: float | None = None
    truth: float | None = None
    spread: float = 0.0


def shifts(challenge: str, units: int, teams: int, design: str) -> np.ndarray:
    if design == "lead":
        return np.eye(teams)[0] * LEADS[teams] / np.sqrt(units)
    quantiles = norm.ppf((np.arange(teams) + 0.5) / teams)
    return (design == "spread") * own_error(challenge, units) * quantiles / quantiles.std(ddof=1)


def simulate(
    challenge: str,
    units: int,
    teams: int,
    design: str,
    runs: int,
    seconds: float = np.inf,
    resamples: int = RESAMPLES,
) -> Cell:
    """Simulate a cell; fewer runs where they take longer than `seconds`."""
    random = np.random.default_rng([SEED, units, teams, len(design)])
    kits = [Draws.of(units, resamples, seed) for seed in range(KITS)]
    shift, began = shifts(challenge, units, teams, design), time.process_time()
    told: list[Told] = []
    for run in range(runs):
        drawn = CHALLENGES[challenge](random, units, shift, kits[run % KITS])
        if np.isnan(drawn.scores).any():
            continue
        exchange = replace(drawn.exchange, seed=run % KITS)
        result = compare(drawn.scores, Resampled(drawn.replicates, units), exchange)
        told.append(Told.of(drawn.scores, result, better=design == "lead"))
        seldom = is_seldom(sum(one.wrong for one in told), len(told)) and design == "equal"
        if seldom or result.test is None or time.process_time() - began > seconds:
            break
    return _summary(Cell(challenge, units, teams, design, len(told), result.test), told)


@dataclass(frozen=True)
class Told:
    """What one simulated test set adds to a cell; thousands of whole comparisons of 60 teams take gigabytes.

    Attributes:
        scores: Score of each team [A].
        wrong: Whether two equal teams were told apart.
        power: Share of the others that the first team was told apart from.
        too_high: The comparison's `winner_optimism`.
    """

    scores: np.ndarray
    wrong: bool
    power: float
    too_high: float | None

    @classmethod
    def of(cls, scores: np.ndarray, result: ReplicateComparison, better: bool) -> "Told":
        wrong = any(pair.separated for pair in result.pairs if pair.a > 0 or not better)
        first = [bool(pair.separated and pair.difference > 0) for pair in result.pairs if pair.a == 0]
        return cls(scores, wrong, float(np.mean(first)), result.winner_optimism)


def _summary(cell: Cell, runs: list[Told]) -> Cell:
    if cell.test is None:
        return cell
    scores = np.array([run.scores for run in runs])
    true = np.full(cell.teams, scores.mean()) if cell.design == "equal" else scores.mean(0)
    estimates = [run.too_high for run in runs if run.too_high is not None]
    told = np.array([run.too_high is not None for run in runs])
    first = np.round(scores, 12) == np.round(scores, 12).max(1, keepdims=True)
    excess = ((scores - true) * first).sum(1) / first.sum(1)
    own = (scores - scores.mean(1, keepdims=True) - (true - true.mean())).std()
    return replace(
        cell,
        wrong=float(np.mean([run.wrong for run in runs])) if cell.design != "spread" else None,
        power=float(np.mean([run.power for run in runs])) if cell.design == "lead" else None,
        estimate=float(np.mean(estimates)) if estimates else None,
        truth=float(excess[told].mean()) if estimates else None,
        spread=float(true.std() / own),
    )
