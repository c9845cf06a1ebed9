"""Comparison of several teams on one truth, with their ranks: `comparison.json`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.common.direction_and_range import SCORE, Quantity
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import as_json
from scoring.comparison.comparability import (
    Excluded,
    excluded_warnings,
    identical_findings,
    identical_groups,
    of_refusal,
    of_team,
    options_by_team,
    shared_options,
    unequal,
)
from scoring.comparison.pairs import (
    TESTS,
    PairDifferences,
    PairsChoice,
    SubmissionSimilarity,
    alike,
    as_entries,
    exchange_of,
    left_out_of,
    near_identical,
    pairs_of,
    test_problems,
)
from scoring.comparison.team_facts import UNKNOWN, TeamFacts, scored_facts, with_sizes
from scoring.core import options as of_options
from scoring.core.challenge import Challenge
from scoring.core.challenge_parts import Scoring
from scoring.core.comparison_spec import ComparisonSpec, Ranking
from scoring.core.options import Values
from scoring.core.scorecard import ScoreCard, plain
from scoring.inputs.team_entries import name_problems
from scoring.statistics import replicate_comparison
from scoring.statistics.ranking import competition_ranks

if TYPE_CHECKING:
    from pandas import DataFrame

OF_ALL = ("version", "truth_sha256", "options", "seed", "resamples", "interval", "unit", "n_units")
OF_TEAM = ("predictions_sha256", "model_sha256", "options")
"""Entries of `provenance` that are equal for all teams, and entries that each team has for itself."""
PAIRS_AT_ONCE = 10_000


@dataclass(frozen=True)
class Comparison:
    """Submissions of several teams on one test set, best team first.

    Attributes:
        result: Teams that have a score, best first, with ranks, differences and their uncertainty.
        pairs: Differences between pairs of teams, in the score or in another metric.
        alike: Names of two teams, in the order of the cards -> similarity of their predictions.
        identical: Groups of teams whose predictions are the same.
        provenance: How the comparison was made: version, test set, options and predictions.
        spec: What can be compared between teams of the challenge.
        scoring: Score and metrics of the challenge, with direction and range.
        own_ranking: Ranking by the challenge's own rule, if it has one.
        facts: Additional facts about each team, such as the size of its model.
        excluded: Refused submissions, which are not compared.
    """

    challenge: str
    cards: Mapping[str, ScoreCard]
    ranks: Mapping[str, int]
    result: replicate_comparison.ReplicateComparison
    pairs: PairDifferences
    alike: Mapping[tuple[str, str], SubmissionSimilarity]
    identical: tuple[tuple[str, ...], ...]
    findings: tuple[Finding, ...]
    provenance: Mapping[str, Any]
    spec: ComparisonSpec
    scoring: Scoring[Any, Any]
    own_ranking: Ranking | None = None
    facts: Mapping[str, TeamFacts] = field(default_factory=dict)
    excluded: tuple[Excluded, ...] = ()

    def quantity(self, name: str = SCORE) -> Quantity:
        """Return the direction and range of the score, of a metric or of `METRIC/CLASS`."""
        return self.scoring.quantity(name)

    @property
    def size_assumed(self) -> tuple[str, ...]:
        """Return the teams whose model size is unknown, best first. Their scores assume a model that is small
        enough to lose no points."""
        unknown = (name for name in self.scored if self.facts.get(name, UNKNOWN).size_mib is None)
        return tuple(unknown) if self.spec.size else ()

    @cached_property
    def scored(self) -> tuple[str, ...]:
        """The teams with a score, best first, as in `result`."""
        return tuple(name for name, card in self.cards.items() if card.score is not None)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.scored)}

    @property
    def of_test_set(self) -> tuple[Finding, ...]:
        """Return the findings that apply to all teams."""
        first, *others = (card.findings for card in self.cards.values())
        shared = set(first).intersection(*others)
        return tuple(f for f in first if f in shared)

    @property
    def noticed(self) -> tuple[Finding, ...]:
        """Return every finding once: findings about the comparison, the test set and each team."""
        shared = dict.fromkeys(self.of_test_set)
        own = [of_team(name, (f for f in c.findings if f not in shared)) for name, c in self.cards.items()]
        return (*self.findings, *shared, *chain.from_iterable(own))

    def as_dict(self) -> dict[str, Any]:
        """Return the content of `comparison.json` as a dictionary."""
        return {**self._without_pairs(), "pairs": plain(list(as_entries(self.pairs, self.alike)))}

    def _without_pairs(self) -> dict[str, Any]:
        of_result = ("critical_value", "stability", "winner_optimism", "resolvable_gap")
        result: dict[str, Any] = plain(
            {
                "challenge": self.challenge,
                "teams": [self.team(name) for name in self.cards],
                "excluded": [submission.as_dict() for submission in self.excluded],
                "size_assumed": self.size_assumed,
                **(self.own_ranking.more if self.own_ranking else {}),
                "pairs_metric": self.pairs.metric,
                "pairs_test": self.pairs.test,
                "pairs": [],
                **{key: getattr(self.result, key) for key in of_result},
                "identical": self.identical,
                "findings": [f.as_dict() for f in self.findings],
                "provenance": self.provenance,
            }
        )
        return result

    def to_json(self) -> str:
        """Return the text of `comparison.json`. Numbers are not rounded; undefined numbers are null.

        The same input, options and seed give the same bytes."""
        return "".join(self.json_parts())

    def json_parts(self) -> Iterator[str]:
        """Yield the text of `comparison.json` in parts, because all pairs of 1,000 teams take 230 MB."""
        before, after = as_json(self._without_pairs()).split('\n "pairs": []')
        entries, comma = as_entries(self.pairs, self.alike), ""
        yield f'{before}\n "pairs": ['
        while some := plain(list(islice(entries, PAIRS_AT_ONCE))):
            yield comma + as_json(some)[1:-3].replace("\n", "\n ")
            comma = ","
        yield ("\n ]" if comma else "]") + after

    def __repr__(self) -> str:
        return f"<Comparison {self.challenge}: {', '.join(self.cards)}>"

    def _repr_html_(self) -> str:
        """Return the table of teams for a notebook."""
        return str(self.to_frame().to_html())

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with a row per team, best first: rank, score, interval and ties."""
        import pandas as pd  # slow to import, and nothing else here needs it

        names = ("team", "rank", "score", "interval", "rank_interval", "tied_for_first")
        rows = [{name: self.team(team)[name] for name in names} for team in self.cards]
        return pd.DataFrame(rows).set_index("team")

    def team(self, name: str) -> dict[str, Any]:
        """Return the entry of one team in `comparison.json`."""
        card, place = self.cards[name], self._places.get(name)

        def of(values: Sequence[Any] | None) -> Any:
            return values[place] if values is not None and place is not None else None

        return {
            "team": name,
            "score": card.score,
            "interval": card.intervals.get("score"),
            "rank": self.ranks[name],
            "rank_interval": of(self.result.rank_intervals),
            "tied_for_first": of(self.result.tied_for_first),
            "p_best": of(self.result.p_best),
            "share_of_resamples_won": of(self.result.shares_won),
            "rank_shares": of(self.result.rank_shares),
            **(self.own_ranking.of_teams[name] if self.own_ranking else {}),
            "intervals": card.intervals,
            "metrics": card.metrics,
            "facts": self.facts.get(name, UNKNOWN).as_dict(),
            "findings": [f.as_dict() for f in card.findings],
        }


def compare(
    challenge: Challenge[Any, Any],
    truth: Any,
    teams: Mapping[str, Any],
    options: Mapping[str, Values] | None = None,
    *,
    facts: Mapping[str, TeamFacts] | None = None,
    excluded: Sequence[Excluded] | None = None,
    **shared: Any,
) -> Comparison:
    """Compare the predictions of several teams on the same truth.

    Args:
        truth: Result of the challenge's `read_truth`.
        teams: Team name -> result of the challenge's `read_predictions` or `predict`.
        options: Team name -> options of `score` for this team alone (such as a model's size).
        facts: Known facts about teams, such as the size of the model. The size affects the score in
            challenges that score model sizes.
        excluded: None: a team that cannot be scored stops the comparison. A list of submissions that were
            refused earlier: teams that cannot be scored are added to it, and the others are compared.
        **shared: Options of `score` for all teams; `pairs_metric`, `pairs_test` and options of the stage
            "compare", as in `compare_cards`.

    Raises:
        InputRefused: If teams cannot be scored. It lists the problems of every team; each location `where`
            begins with the team's name. If `excluded` is given: only if no team remains.
    """
    names = {"pairs_metric", "pairs_test", *(option.name for option in challenge.options_of("compare"))}
    of_comparison = {name: shared.pop(name) for name in names & set(shared)}
    own = with_sizes(challenge, teams, options or {}, facts or {})
    cards, refused = {}, list(excluded or ())
    for name, predictions in teams.items():
        try:
            options_of_team = {"with_curves": False, **shared, **own.get(name, {})}
            cards[name] = challenge.score(truth, predictions, **options_of_team)
        except InputRefused as problem:
            refused.append(of_refusal(name, problem))
    if refused and (not cards or excluded is None):
        raise InputRefused(
            [entry for submission in refused for entry in submission.of_team(submission.problems)],
            [entry for submission in refused for entry in submission.of_team(submission.findings)],
        )
    return compare_cards(challenge, cards, facts=facts, excluded=refused, **of_comparison)


def compare_cards(
    challenge: Challenge[Any, Any],
    cards: Mapping[str, ScoreCard],
    *,
    pairs_metric: str = SCORE,
    pairs_test: str = replicate_comparison.AUTO,
    facts: Mapping[str, TeamFacts] | None = None,
    excluded: Sequence[Excluded] = (),
    submissions: int = 0,
    **options: Any,
) -> Comparison:
    """Compare teams whose submissions are already scored.

    Args:
        pairs_metric: The quantity in which pairs of teams are tested: "score", the name of a metric, or
            MEASURE/CLASS such as "recall/MEL".
        pairs_test: The test of pairs: "auto", "swap" or "bootstrap".
        facts: Known facts about teams, such as the institution. In challenges that score model sizes, the
            size comes from the scorecard.
        excluded: Refused submissions, which the result lists.
        submissions: Number of all submissions scored so far, from which these were chosen; 0: there were only
            these.
        **options: The challenge's options of the stage "compare".

    Raises:
        InputRefused: If there is no card, if cards differ in test set or replicates (the message names their
            teams), or if an option is not allowed.
    """
    values = of_options.complete(challenge.options_of("compare"), options)
    nobody = error("bad-option", "compare", "name at least one team: TEAM=FILE.")
    wrong = [
        *(unequal(cards, options_by_team(challenge)) if cards else [nobody]),
        *(problem for name in cards for problem in name_problems(name, "compare", cards)),
        *challenge.check_options(values),
        *test_problems(pairs_test),
    ]
    if wrong:
        raise InputRefused(wrong)
    chosen = PairsChoice(pairs_metric, pairs_test, submissions)
    return annotated(_compared(challenge, cards, chosen, values), facts or {}, excluded)


def annotated(
    comparison: Comparison, facts: Mapping[str, TeamFacts], excluded: Sequence[Excluded] = ()
) -> Comparison:
    """Return a comparison with facts about its teams and with the refused submissions.

    Args:
        comparison: The comparison without facts and refused submissions.
        facts: Facts by team. In challenges that score model sizes, the size comes from the scorecard.
        excluded: The refused submissions. A warning reports each.
    """
    spec, cards = comparison.spec, comparison.cards
    by_team = {name: scored_facts(spec, card, facts.get(name)) for name, card in cards.items()}
    findings = (*excluded_warnings(excluded), *comparison.findings)
    return replace(comparison, facts=by_team, excluded=tuple(excluded), findings=findings)


def ranks_of(
    challenge: Challenge[Any, Any],
    scores: Mapping[str, float | None],
    card_of: Callable[[str], ScoreCard],
    **options: Any,
) -> dict[str, int]:
    """Return the same ranks by team as `compare_cards`, but without tests and intervals.

    Args:
        card_of: Function that returns a team's scorecard. It is called only if scores alone do not order the
            teams.
        **options: The challenge's options of the stage "compare".
    """
    spec = challenge.comparison
    if spec.rank:
        values = of_options.complete(challenge.options_of("compare"), options)
        return _ordered(challenge, {team: card_of(team) for team in scores}, values)[0]
    ranks = _ranks(challenge, scores, {})
    teams_at = Counter(ranks.values())
    level = [team for team, rank in ranks.items() if spec.tie_break and teams_at[rank] > 1]
    return _ranks(challenge, scores, {team: card_of(team).metrics[str(spec.tie_break)] for team in level})


def _ordered(
    challenge: Challenge[Any, Any], cards: Mapping[str, ScoreCard], options: Values
) -> tuple[dict[str, int], Ranking | None]:
    """Return the rank of each team, and the challenge's own ranking if it defines one."""
    spec = challenge.comparison
    if spec.rank and cards and (own := spec.rank(cards, options)):
        return dict(own.ranks), own
    breaks = {team: card.metrics[spec.tie_break] for team, card in cards.items()} if spec.tie_break else {}
    return _ranks(challenge, {team: card.score for team, card in cards.items()}, breaks), None


def _compared(
    challenge: Challenge[Any, Any], cards: Mapping[str, ScoreCard], chosen: PairsChoice, options: Values
) -> Comparison:
    spec = challenge.comparison
    ranks, own = _ordered(challenge, cards, options)
    ordered = {name: cards[name] for name in sorted(cards, key=lambda name: (ranks[name], name))}
    scored = {name: card for name, card in ordered.items() if card.score is not None}
    drawn = [card.arrays["score_replicates"] for card in scored.values() if "score_replicates" in card.arrays]
    replicates = np.stack(drawn) if drawn else np.empty((len(scored), 0))
    source = next(iter(cards.values())).provenance
    exchange, test = exchange_of(spec, tuple(scored.values()), chosen.test)
    left_out = left_out_of(tuple(scored.values()), SCORE)
    result = replicate_comparison.compare(
        np.array([card.score for card in scored.values()], float),
        replicate_comparison.Resampled(replicates, source["n_units"], left_out),
        exchange,
        test,
        challenge.scoring.quantity(),
        chosen.submissions,
    )
    if own and own.places is not None and scored and result.shares_won is not None:
        result = replicate_comparison.ranked(result, np.stack([own.places[name] for name in scored]))
    pairs = PairDifferences(SCORE, TESTS[result.test], tuple(scored), result.pairs)
    if chosen.metric != SCORE:
        pairs = pairs_of(spec, ordered, replace(chosen, quantity=challenge.scoring.quantity(chosen.metric)))
    likeness, same = alike(ordered), identical_groups(ordered)
    noticed = (*identical_findings(cards, same), *near_identical(likeness, same))
    findings = (*noticed, *own.findings) if own else noticed
    provenance = {
        **{key: source[key] for key in OF_ALL},
        "pairs_test": result.test,
        "options": {**shared_options(challenge, ordered), **(own.options if own else {})},
        "teams": {name: {key: card.provenance[key] for key in OF_TEAM} for name, card in ordered.items()},
    }
    of_pairs = pairs, likeness, same
    return Comparison(
        challenge.id, ordered, ranks, result, *of_pairs, findings, provenance, spec, challenge.scoring, own
    )


def _ranks(
    challenge: Challenge[Any, Any], scores: Mapping[str, float | None], breaks: Mapping[str, float | None]
) -> dict[str, int]:
    """Return competition ranks by rounded score, then by the challenge's tie-break; teams without a score
    share the last rank."""
    of = challenge.scoring.quantity
    known, parted = (
        [quantity.order(values.get(team)) for team in scores]
        for quantity, values in ((of(), scores), (of(str(challenge.comparison.tie_break)), breaks))
    )
    return dict(zip(scores, competition_ranks(known, tie_breaks=[parted]), strict=True))
