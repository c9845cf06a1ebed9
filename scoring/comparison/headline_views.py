"""What stands above a comparison: who leads, what that is worth, and what this test set can resolve."""

from scoring.common.text import markdown
from scoring.comparison import summary_text
from scoring.comparison.compare import Comparison
from scoring.comparison.display import NAMED, SENTENCE, Displayed
from scoring.core.views import Fact, Headline, Text


def headline(shown: Displayed) -> Headline:
    """Return the team in front, what that is worth, and the gap that this test set can resolve."""
    found, scale = shown.comparison, shown.scale
    first = found.scored[0]
    is_shared = list(found.ranks.values()).count(found.ranks[first]) > 1
    return Headline(
        Fact(
            "Ranked first (shared)" if is_shared else "Ranked first",
            first,
            scale.words(found.cards[first].score),
        ),
        _headline_facts(shown),
        arithmetic=markdown(summary_text.standing(found), SENTENCE),
        notes=_notes(found),
    )


def _notes(found: Comparison) -> tuple[Text, ...]:
    """Say for how many teams the size of the model is assumed; nothing where it is for none."""
    words = summary_text.assumed(found)
    if not words:
        return ()
    sentence = f"{words[0].upper()}{words[1:]}. {summary_text.assumption(found)}"
    return (Text(markdown(sentence, SENTENCE), "caution"),)


def _headline_facts(shown: Displayed) -> list[Fact]:
    found, scale, result = shown.comparison, shown.scale, shown.comparison.result
    names, tied, facts = found.scored, summary_text.tied(found), []
    if tied:
        listed = f"{', '.join(map(markdown, tied[:NAMED]))}{' and more' * (len(tied) > NAMED)}"
        facts.append(
            Fact(
                summary_text.tie(found).capitalize(),
                f"{len(tied)} of {len(names)}",
                _apart(found, len(tied)),
                f"{listed}: "
                + (
                    "no team is certainly better than any of these."
                    if summary_text.by_score(found)
                    else "their 95% range of places begins with the first."
                ),
            )
        )
    if (lead := summary_text.lead(found, scale)) is not None:
        facts.append(Fact(f"Lead over {lead.over}", lead.value, lead.below, lead.explain))
    if result.resolvable_gap:
        facts.append(
            Fact(
                "Resolvable gap",
                scale.number(result.resolvable_gap["all_pairs"]),
                f"{scale.number(result.resolvable_gap['all_pairs_80'])} for 80% power",
                "True difference that is told from chance in half of such test sets (50% power) when all "
                "pairs are looked at, and in four of five. For one pair named beforehand: "
                f"{scale.number(result.resolvable_gap['one_pair'])} and "
                f"{scale.number(result.resolvable_gap['one_pair_80'])}",
            )
        )
    if too_high := summary_text.optimism(found, scale):
        facts.append(
            Fact(
                "Likely too high by",
                f"about {too_high}",
                "the leader's score",
                "The best of several was picked on these data, so its score is likely about this much too "
                "high",
            )
        )
    return facts


def _apart(found: Comparison, number: int) -> str:
    if not summary_text.by_score(found):
        return "by places in resamples"
    return "not told apart" if number > 1 else "stands alone"
