"""Several teams on one truth: `comparison.json`."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from scoring.challenges import option_name
from scoring.comparison.pairs import (
    BOOTSTRAP,
    SCORE,
    Likeness,
    Pairs,
    alike,
    as_entries,
    near_identical,
    pairs_of,
)
from scoring.comparison.ranking import Ranking
from scoring.comparison.spec import ComparisonSpec
from scoring.findings import Finding, InputRefused, error, warning
from scoring.readers.entries import misnamed
from scoring.scorecard import ScoreCard, plain
from scoring.statistics import replicate_comparison
from scoring.statistics.ranking import competition_ranks


@dataclass(frozen=True)
class Comparison:
    """Teams, best first. cards: scorecard by team; result: what the replicates say of those that have a
    score, in that order.

    pairs: differences, of the score or another metric; alike: how alike two submissions are, by the names of
    two teams in the order of the cards. standings: the challenge's own order, where it has one. comparable:
    what the challenge tells of itself.
    """

    challenge: str
    cards: Mapping[str, ScoreCard]
    ranks: Mapping[str, int]
    result: replicate_comparison.ReplicateComparison
    pairs: Pairs
    alike: Mapping[tuple[str, str], Likeness]
    identical: tuple[tuple[str, ...], ...]
    findings: tuple[Finding, ...]
    provenance: Mapping
    comparable: ComparisonSpec
    standings: Ranking | None = None

    @property
    def scored(self) -> tuple[str, ...]:
        """The teams that have a score, best first: those that `result` is about."""
        return tuple(name for name, card in self.cards.items() if card.score is not None)

    @property
    def of_test_set(self) -> tuple[Finding, ...]:
        """What the cards of all teams say alike."""
        first, *others = (card.findings for card in self.cards.values())
        shared = set(first).intersection(*others)
        return tuple(f for f in first if f in shared)

    @property
    def noticed(self) -> tuple[Finding, ...]:
        """What is to be said of all of it, each thing once: of the comparison, of the test set, of each
        team."""
        shared = self.of_test_set
        known = frozenset(shared)
        own = (
            f
            for name, card in self.cards.items()
            for f in of_team(name, (f for f in card.findings if f not in known))
        )
        return (*self.findings, *shared, *own)

    def as_dict(self) -> dict:
        """The object that `comparison.json` holds."""
        more = {
            key: getattr(self.result, key)
            for key in ("critical_value", "stability", "winner_optimism", "resolvable_gap")
        }
        value = {"challenge": self.challenge, "teams": [self._team(name) for name in self.cards]}
        value |= {
            **(self.standings.more if self.standings else {}),
            "pairs_metric": self.pairs.metric,
            "pairs_test": self.pairs.test,
        }
        value |= {"pairs": as_entries(self.pairs, self.alike), **more, "identical": self.identical}
        return plain(
            value | {"findings": [f.as_dict() for f in self.findings], "provenance": self.provenance}
        )

    def to_json(self) -> str:
        """`comparison.json`: numbers unrounded, undefined ones null, the same bytes for the same input,
        options and seed."""
        return json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    def _team(self, name: str) -> dict:
        card, scored = self.cards[name], self.scored

        def of(values):
            return values[scored.index(name)] if values is not None and name in scored else None

        return {
            "team": name,
            "score": card.score,
            "interval": card.intervals.get("score"),
            "rank": self.ranks[name],
            "rank_interval": of(self.result.rank_intervals),
            "tied_for_first": of(self.result.tied_for_first),
            "share_of_resamples_won": of(self.result.shares_won),
            "rank_shares": of(self.result.rank_shares),
            **(self.standings.of_teams[name] if self.standings else {}),
            "intervals": card.intervals,
            "metrics": card.metrics,
            "findings": [f.as_dict() for f in card.findings],
        }


def compare(
    challenge: ModuleType,
    truth,
    teams: Mapping[str, object],
    options: Mapping[str, Mapping] | None = None,
    *,
    pairs_metric: str = SCORE,
    **shared,
) -> Comparison:
    """Compare teams' predictions (as the challenge read them) on one truth.

    shared: options of `challenge.score` for all, and those of its `COMPARE_ARGUMENTS`; options: further ones
    by team (a model's size). pairs_metric: what the pairs differ in, "score", a name of `metrics` or
    MEASURE/CLASS. Raises InputRefused with the problems of every team, `where` beginning with its name.
    """
    names = map(option_name, getattr(challenge, "COMPARE_ARGUMENTS", {}))
    of_comparison = {name: shared.pop(name) for name in names if name in shared}
    unneeded = dict.fromkeys(getattr(challenge, "NOT_COMPARED", ()), False)
    cards, problems, findings = {}, [], []
    for name, predictions in teams.items():
        try:
            cards[name] = challenge.score(
                truth, predictions, **{**unneeded, **shared, **(options or {}).get(name, {})}
            )
        except InputRefused as refused:
            problems += of_team(name, refused.problems)
            findings += of_team(name, refused.findings)
    if problems:
        raise InputRefused(problems, findings)
    return compare_cards(challenge, cards, pairs_metric=pairs_metric, **of_comparison)


def compare_cards(
    challenge: ModuleType, cards: Mapping[str, ScoreCard], *, pairs_metric: str = SCORE, **of_comparison
) -> Comparison:
    """Compare teams that are scored already. of_comparison: options of the challenge's `COMPARE_ARGUMENTS`.

    Raises InputRefused where cards are not of one test set and one draw of replicates, each named by team;
    where there is none; and `bad-option`.
    """
    wrong = (
        list(_unequal(cards, _of_teams(challenge)))
        if cards
        else [error("bad-option", "compare", "name at least one team: TEAM=FILE.")]
    )
    wrong += [problem for name in cards for problem in misnamed(name, "compare")]
    if wrong:
        raise InputRefused(wrong)
    return _compared(challenge, cards, pairs_metric, of_comparison)


MAY_DIFFER = ("missing", "group", "metadata_sha256")
"""Options that change nothing of a score: how gaps that are not there would have been taken, and what the
unit, which is compared, comes from."""


def _of_teams(challenge: ModuleType) -> set[str]:
    """Options that may differ from team to team: sizes of models, and how files were read."""
    flags = getattr(challenge, "TEAM_ARGUMENTS", ())
    return {*MAY_DIFFER, *getattr(challenge, "READ_OPTIONS", ()), *map(option_name, flags)}


def _unequal(cards: Mapping[str, ScoreCard], of_teams: set[str]) -> Iterator[Finding]:
    """Cards that do not stand on the same cases, labels, options, units and replicates as the first."""
    (first, model), *others = cards.items()
    for name, card in others:
        if [row["case"] for row in card.cases] != [row["case"] for row in model.cases] or not _same_labels(
            card, model
        ):
            yield error(
                "different-test-set",
                name,
                f"it was scored on other cases than {first}: score both on one truth.",
            )
        for key in ("unit", "n_units", "seed", "resamples"):
            if card.provenance[key] != model.provenance[key]:
                words = (
                    f"{key} is {card.provenance[key]!r}, that of {first} is {model.provenance[key]!r}: "
                    "score both with the same options."
                )
                yield error("different-replicates", name, words)
        for option, value in model.provenance["options"].items():
            if option not in of_teams and card.provenance["options"].get(option) != value:
                words = (
                    f"{option} is {card.provenance['options'].get(option)!r}, that of {first} is "
                    f"{value!r}: score both with the same options."
                )
                yield error("different-options", name, words)


def _same_labels(card: ScoreCard, other: ScoreCard) -> bool:
    return np.array_equal(card.arrays.get("truth", ()), other.arrays.get("truth", ()))


def of_team(name: str, entries) -> list[Finding]:
    """Findings that say whose they are."""
    return [Finding(f.level, f.code, f"{name}: {f.where}", f.message) for f in entries]


def _compared(
    challenge: ModuleType, cards: Mapping[str, ScoreCard], pairs_metric: str, of_comparison: Mapping
) -> Comparison:
    own = challenge.standings(cards, **of_comparison) if hasattr(challenge, "standings") else None
    ranks = own.ranks if own else _ranks(cards, getattr(challenge, "TIE_BREAK", None))
    ordered = {name: cards[name] for name in sorted(cards, key=lambda name: (ranks[name], name))}
    scored = {name: card for name, card in ordered.items() if card.score is not None}
    drawn = [card.arrays["score_replicates"] for card in scored.values() if "score_replicates" in card.arrays]
    replicates = np.stack(drawn) if drawn else np.empty((len(scored), 0))
    source = next(iter(cards.values())).provenance
    result = replicate_comparison.compare(
        [card.score for card in scored.values()], replicates, source["n_units"]
    )
    if own and own.places is not None and scored and replicates.shape[1] and source["n_units"] > 1:
        result = replicate_comparison.ranked(result, np.stack([own.places[name] for name in scored]))
    pairs = Pairs(SCORE, BOOTSTRAP, tuple(scored), result.pairs)
    pairs = pairs if pairs_metric == SCORE else pairs_of(challenge.COMPARISON, ordered, pairs_metric)
    likeness, same = alike(ordered), _identical(ordered)
    findings = [*_of_identical(cards, same), *near_identical(likeness, same), *(own.findings if own else ())]
    provenance = {
        key: source[key]
        for key in ("version", "truth_sha256", "options", "seed", "resamples", "interval", "unit", "n_units")
    }
    provenance["options"] = {**source["options"], **(own.options if own else {})}
    provenance["teams"] = {
        name: {key: card.provenance[key] for key in ("predictions_sha256", "model_sha256", "options")}
        for name, card in ordered.items()
    }
    return Comparison(
        challenge.ID,
        ordered,
        ranks,
        result,
        pairs,
        likeness,
        same,
        tuple(findings),
        provenance,
        challenge.COMPARISON,
        own,
    )


def _of_identical(cards: Mapping[str, ScoreCard], same: tuple[tuple[str, ...], ...]) -> Iterator[Finding]:
    for names in same:
        equal = len({cards[name].score for name in names}) == 1
        rest = (
            "their difference is exactly 0"
            if equal
            else "their scores differ by what was told beside them, such as a model's size"
        )
        yield warning(
            "identical-submissions",
            ", ".join(names),
            f"{len(names)} teams sent the same predictions; {rest}.",
        )


def _ranks(cards: Mapping[str, ScoreCard], tie_break: str | None) -> dict[str, int]:
    """Competition ranks by rounded score, then by the challenge's tie-break; teams without a score share the
    last rank."""
    undefined = -np.inf
    scores = [undefined if card.score is None else card.score for card in cards.values()]
    breaks = (
        [
            [
                undefined if card.metrics[tie_break] is None else card.metrics[tie_break]
                for card in cards.values()
            ]
        ]
        if tie_break
        else []
    )
    return dict(zip(cards, competition_ranks(scores, tie_breaks=breaks), strict=True))


def _identical(cards: Mapping[str, ScoreCard]) -> tuple[tuple[str, ...], ...]:
    """Teams whose aligned predictions are equal: by their fingerprint, else by outputs and labels."""
    groups: dict[bytes, list[str]] = {}
    for name, card in cards.items():
        groups.setdefault(_fingerprint(card), []).append(name)
    return tuple(tuple(names) for names in groups.values() if len(names) > 1)


def _fingerprint(card: ScoreCard) -> bytes:
    if "aligned" in card.arrays:
        return card.arrays["aligned"].tobytes()
    content = (
        np.ascontiguousarray(card.arrays["outputs"], float).tobytes()
        + np.ascontiguousarray(card.arrays["predicted"]).tobytes()
    )
    return hashlib.sha256(content).digest()
