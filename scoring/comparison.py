"""Several teams on one truth: `comparison.json`."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from scoring.findings import Finding, InputRefused, error, warning
from scoring.scorecard import ScoreCard, plain
from scoring.standings import Standings
from scoring.statistics import comparison
from scoring.statistics.ranking import competition_ranks


@dataclass(frozen=True)
class Comparison:
    """Teams, best first. cards: scorecard by team; result: what the replicates say of those that have a score, in that order.

    standings: the challenge's own order, where it has one.
    """

    challenge: str
    cards: Mapping[str, ScoreCard]
    ranks: Mapping[str, int]
    result: comparison.Comparison
    identical: tuple[tuple[str, ...], ...]
    findings: tuple[Finding, ...]
    provenance: Mapping
    standings: Standings | None = None

    def as_dict(self) -> dict:
        """The object that `comparison.json` holds."""
        scored = [name for name, card in self.cards.items() if card.score is not None]
        pairs = [{**vars(pair), "a": scored[pair.a], "b": scored[pair.b]} for pair in self.result.pairs]
        more = {key: getattr(self.result, key) for key in ("critical_value", "stability", "winner_optimism", "resolvable_gap")}
        value = {"challenge": self.challenge, "teams": [self._team(name, scored) for name in self.cards]}
        value |= {**(self.standings.more if self.standings else {}), "pairs": pairs, **more}
        return plain(value | {"identical": self.identical, "findings": [f.as_dict() for f in self.findings], "provenance": self.provenance})

    def to_json(self) -> str:
        """`comparison.json`: numbers unrounded, undefined ones null, the same bytes for the same input, options and seed."""
        return json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    def _team(self, name: str, scored: list[str]) -> dict:
        card = self.cards[name]

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
    challenge: ModuleType, truth, teams: Mapping[str, object], options: Mapping[str, Mapping] | None = None, **shared
) -> Comparison:
    """Compare teams' predictions (as the challenge read them) on one truth.

    shared: options of `challenge.score` for all, and those of its `COMPARE_ARGUMENTS`; options: further ones by team (a model's size). Raises
    InputRefused with the problems of every team, `where` beginning with its name.
    """
    names = (flag.removeprefix("--").replace("-", "_") for flag in getattr(challenge, "COMPARE_ARGUMENTS", {}))
    of_comparison = {name: shared.pop(name) for name in names if name in shared}
    cards, problems, findings = {}, [], []
    for name, predictions in teams.items():
        try:
            cards[name] = challenge.score(truth, predictions, **{**shared, **(options or {}).get(name, {})})
        except InputRefused as refused:
            problems += of_team(name, refused.problems)
            findings += of_team(name, refused.findings)
    if not teams:
        problems.append(error("bad-option", "compare", "name at least one team: TEAM=FILE."))
    if problems:
        raise InputRefused(problems, findings)
    return _compared(challenge, cards, of_comparison)


def of_team(name: str, entries) -> list[Finding]:
    """Findings that say whose they are."""
    return [Finding(f.level, f.code, f"{name}: {f.where}", f.message) for f in entries]


def _compared(challenge: ModuleType, cards: Mapping[str, ScoreCard], of_comparison: Mapping) -> Comparison:
    own = challenge.standings(cards, **of_comparison) if hasattr(challenge, "standings") else None
    ranks = own.ranks if own else _ranks(cards, getattr(challenge, "TIE_BREAK", None))
    ordered = {name: cards[name] for name in sorted(cards, key=lambda name: (ranks[name], name))}
    scored = {name: card for name, card in ordered.items() if card.score is not None}
    drawn = [card.arrays["score_replicates"] for card in scored.values() if "score_replicates" in card.arrays]
    replicates = np.stack(drawn) if drawn else np.empty((len(scored), 0))
    source = next(iter(cards.values())).provenance
    result = comparison.compare([card.score for card in scored.values()], replicates, source["n_units"])
    if own and own.places is not None and scored and replicates.shape[1] and source["n_units"] > 1:
        result = comparison.ranked(result, np.stack([own.places[name] for name in scored]))
    same = _identical(ordered)
    findings = [
        warning("identical-submissions", ", ".join(names), f"{len(names)} teams sent the same predictions; their difference is exactly 0.")
        for names in same
        if len({cards[name].score for name in names}) == 1
    ] + list(own.findings if own else ())
    provenance = {key: source[key] for key in ("version", "truth_sha256", "options", "seed", "resamples", "interval", "unit", "n_units")}
    provenance["options"] = {**source["options"], **(own.options if own else {})}
    provenance["teams"] = {
        name: {key: card.provenance[key] for key in ("predictions_sha256", "model_sha256", "options")} for name, card in ordered.items()
    }
    return Comparison(challenge.ID, ordered, ranks, result, same, tuple(findings), provenance, own)


def _ranks(cards: Mapping[str, ScoreCard], tie_break: str | None) -> dict[str, int]:
    """Competition ranks by rounded score, then by the challenge's tie-break; teams without a score share the last rank."""
    undefined = -np.inf
    scores = [undefined if card.score is None else card.score for card in cards.values()]
    breaks = [[undefined if card.metrics[tie_break] is None else card.metrics[tie_break] for card in cards.values()]] if tie_break else []
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
    content = np.ascontiguousarray(card.arrays["outputs"], float).tobytes() + np.ascontiguousarray(card.arrays["predicted"]).tobytes()
    return hashlib.sha256(content).digest()
