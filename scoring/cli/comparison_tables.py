"""Comparisons as short tables for a terminal."""

from scoring.challenges import load_challenge
from scoring.common.findings import lines
from scoring.comparison import scale as scales
from scoring.comparison import summary_text
from scoring.comparison.compare import Comparison
from scoring.comparison.pairs import SCORE, PairDifferences
from scoring.comparison.team_facts import UNKNOWN


def comparison_table(found: Comparison) -> str:
    """Return a comparison as a short table for a terminal, best first."""
    rows = [f"{'rank':>5}  {'team':<24}{'score':>10}   95% interval       rank interval"]
    level = summary_text.tied(found)
    for team in found.as_dict()["teams"]:
        span = "{:.4f} to {:.4f}".format(*team["interval"]) if team["interval"] else "-"
        low, high = team["rank_interval"] or ("-", "-")
        places = f"{low}" if low == high else f"{low} to {high}"
        number = "-" if team["score"] is None else f"{team['score']:.6f}"
        rows.append(
            f"{team['rank']:>5}  {team['team'][:24]:<24}{number:>10}   {span:<18} "
            f"{places}{f', {summary_text.tie(found)}' if len(level) > 1 and team['team'] in level else ''}"
        )
    return "\n".join([*rows, *_facts(found), *_chance(found), *_excluded(found), *_pairs(found.pairs)])


def _chance(found: Comparison) -> list[str]:
    """Return what is said of chance, and by how much the leader's score is likely too high, a line each."""
    scale = scales.of(load_challenge(found.challenge))
    high = summary_text.optimism(found, scale)
    sentences = [
        summary_text.untold(found),
        summary_text.caveat(found),
        summary_text.gap(found, scale),
        f"The leader's score is likely about {high} too high: the best was picked on these data."
        * bool(high),
    ]
    told = [sentence for sentence in sentences if sentence]
    return ["", *told] if told else []


def _facts(found: Comparison) -> list[str]:
    """Return what is known of the teams, a line each; and whose model size is assumed."""
    words = summary_text.assumed(found)
    rows = ["", f"{words[0].upper()}{words[1:]}. {summary_text.assumption(found)}"] if words else []
    told = {name: facts for name, facts in found.facts.items() if facts != UNKNOWN}
    if told:
        rows += ["", f"{'team':<24}{'MiB':>10}   institution, method, licence"]
    for name, facts in told.items():
        size = "-" if facts.size_mib is None else f"{facts.size_mib:.2f}"
        texts = [text or "-" for text in (facts.institution, facts.method, facts.licence)]
        rows.append(f"{name[:24]:<24}{size:>10}   {', '.join(texts)}")
    return rows


def _excluded(found: Comparison) -> list[str]:
    """Return the submissions that were refused, with their problems."""
    if not found.excluded:
        return []
    entries = (entry for one in found.excluded for entry in one.of_team(one.problems))
    return ["", f"Refused, so not ranked ({len(found.excluded)}):", *(f"  {line}" for line in lines(entries))]


def _pairs(pairs: PairDifferences) -> list[str]:
    """Return the pairs of another metric than the score, a line each."""
    if pairs.metric == SCORE:
        return []
    how = f"({pairs.test}), p adjusted for all of them" if pairs.test else "(too few units for a test)"
    rows = ["", f"Pairs by {pairs.metric} {how}:"]
    for pair in pairs.of:
        p = "-" if pair.p_adjusted is None else f"{pair.p_adjusted:.4f}"
        rows.append(
            f"  {pairs.teams[pair.a][:24]:<24} - "
            f"{pairs.teams[pair.b][:24]:<24}{pair.difference:>+9.4f}   p {p}"
        )
    return rows
