"""The team in front, what that is worth, and the gap that this test set can resolve."""

from pages.shared import layout
from pages.shared.layout import Fact
from scoring.comparison import verdict
from scoring.comparison.compare import Comparison
from scoring.comparison.scale import Scale
from scoring.text import markdown


def headline(comparison: Comparison, scale: Scale) -> None:
    """The team in front, what that is worth, and the gap that this test set can resolve."""
    names, result = comparison.scored, comparison.result
    first = comparison.cards[names[0]]
    tied = verdict.tied(comparison)
    facts = []
    if tied:
        words = (
            f"{', '.join(map(markdown, tied[:8]))}{' and more' * (len(tied) > 8)}: no team is certainly "
            "better than any of these."
        )
        facts.append(
            Fact(
                "Tied for first",
                f"{len(tied)} of {len(names)}",
                "not told apart" if len(tied) > 1 else "stands alone",
                words,
            )
        )
    if len(names) > 1:
        pair = result.pairs[0]
        facts.append(
            Fact(
                f"Lead over {names[1]}",
                scale.number(pair.difference, sign=True),
                scale.span(pair.simultaneous_interval, sign=True) if pair.simultaneous_interval else "",
                "Simultaneous 95% interval over all pairs",
            )
        )
    if result.resolvable_gap:
        facts.append(
            Fact(
                "Resolvable gap",
                scale.number(result.resolvable_gap["all_pairs"]),
                "all pairs",
                (
                    "Smaller differences cannot be told from chance here. For one pair named "
                    f"beforehand: {scale.number(result.resolvable_gap['one_pair'])}"
                ),
            )
        )
    if (result.winner_optimism or 0) > 0 and len(names) > 1:
        facts.append(
            Fact(
                "Likely too high by",
                scale.number(result.winner_optimism),
                "the leader's score",
                (
                    "The best of several was picked on these data, so its score is likely about this "
                    "much too high"
                ),
            )
        )
    shared_place = list(comparison.ranks.values()).count(comparison.ranks[names[0]]) > 1
    layout.headline(
        Fact("Ranked first (shared)" if shared_place else "Ranked first", names[0], scale.words(first.score)),
        facts,
        arithmetic=markdown(verdict.standing(comparison), 600),
    )
