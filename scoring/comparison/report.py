"""A comparison as one HTML file that an organizer can publish. It needs no network."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from html import escape

from scoring.challenges import load_challenge
from scoring.comparison import cases, classes, robustness, subgroups, verdict, views, weights
from scoring.comparison import scale as scales
from scoring.comparison.compare import Comparison, of_team
from scoring.comparison.pairs import BOOTSTRAP, SCORE, Pairs
from scoring.comparison.scale import Scale
from scoring.figures.model_size import size_scatter
from scoring.figures.numerals import percent, span
from scoring.figures.team_cases import case_heat
from scoring.figures.weights import weight_map
from scoring.report.document import (
    Figures,
    document,
    finding_table,
    findings,
    opening,
    provenance,
    section,
    table,
)
from scoring.text import markdown

PAIRS, CASES, PER_CODE = 400, 40, 5
"""Pairs, hard cases, and findings of one code and team that a report lists at most."""


def html(found: Comparison) -> str:
    """The report of a comparison. The same comparison gives the same bytes; names of teams, classes and cases
    are escaped."""
    challenge, drawn = load_challenge(found.challenge), Figures()
    scale, places = scales.of(challenge), views.shown(found)
    sections = [
        opening(
            f"Compare teams: {challenge.title}",
            challenge.formula,
            "all teams on the same cases, higher is better",
            f"{verdict.RULE}\n\n{challenge.rule.strip()}",
        ),
        _headline(found, scale),
        findings(found.findings),
    ]
    if found.scored:
        risks = challenge.class_risks
        sections += [
            *_ranking(found, scale, places, drawn),
            *_lead(found, scale, places, drawn),
            *_orders(found),
            *_rules(found, places, drawn),
            *_maps(found, drawn),
            *_classes(found, places, drawn, risks),
            *_cases(found, places, drawn),
            *_subgroups(found, places, drawn),
            *_sizes(found, scale, drawn),
        ]
    sections.append(_of_teams(found))
    sections.append(provenance({"challenge": found.challenge, **found.provenance}))
    return document(f"Compare teams, {challenge.title}", sections, drawn)


def _few(found: Comparison, places: list[int]) -> str:
    """How many teams are drawn, and the method, for captions."""
    drawn, total = len(places), len(found.scored)
    few = "" if drawn == total else f"The first {drawn} of {total} teams are drawn. "
    return few + markdown(verdict.method(found))


def _headline(found: Comparison, scale: Scale) -> str:
    sentences = [verdict.standing(found), verdict.gap(found, scale)]
    if (found.result.winner_optimism or 0) > 0 and len(found.scored) > 1:
        sentences.append(
            f"The best of {len(found.scored)} was picked on these data: its score is likely about "
            f"{scale.number(found.result.winner_optimism)} too high."
        )
    hero = (
        (
            f'<p class="hero">{escape(found.scored[0])}, '
            f"{escape(scale.words(found.cards[found.scored[0]].score))}</p>"
        )
        if found.scored
        else ""
    )
    return hero + "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences if sentence)


def _ranking(found: Comparison, scale: Scale, places: list[int], drawn: Figures) -> Iterator[str]:
    metrics, result = found.spec.metrics[:4], found.result
    yield drawn.place(
        lambda theme: views.ranking(found, scale, places, theme),
        (
            f"{'Shaded: tied for first. ' if verdict.band(found) else ''}Right: ranks that each team "
            f"could hold. {_few(found, places)}"
        ),
    )
    rows = [
        (
            str(found.ranks[name]),
            name,
            scale.number(card.score),
            scale.span(card.intervals.get("score")),
            verdict.rank_interval(found, place) or "–",
            bool(result.tied_for_first[place]) if result.tied_for_first else None,
            percent(result.shares_won[place]) if result.shares_won else None,
            *(card.metrics.get(metric) for metric in metrics),
        )
        for place, (name, card) in enumerate((name, found.cards[name]) for name in found.scored)
    ]
    rows += [
        (str(found.ranks[name]), name, "no score", *[None] * (4 + len(metrics)))
        for name in found.cards
        if name not in found.scored
    ]
    heads = (
        "rank",
        "team",
        scale.unit,
        "95% interval",
        "could hold ranks",
        "tied for first",
        "resamples won",
        *map(views.named, metrics),
    )
    yield section("What makes the scores?", table(heads, rows))
    yield (
        "<p class='soft'>A share of resamples won is no chance of being best: whoever leads on these "
        "cases leads in their resamples too.</p>"
    )
    if result.rank_shares is not None:
        yield drawn.place(
            lambda theme: views.rank_shares(found, places, theme),
            f"Frame: ranks that the team could hold. {_few(found, places)}",
        )


def _lead(found: Comparison, scale: Scale, places: list[int], drawn: Figures) -> Iterator[str]:
    if len(found.scored) < 2:
        return
    by_score, names = (
        Pairs(SCORE, BOOTSTRAP, found.scored, found.result.pairs),
        [found.scored[place] for place in places],
    )
    yield drawn.place(
        lambda theme: views.lead(found, scale, places, theme),
        (
            "Filled: told apart. Hollow: the interval reaches zero. Simultaneous 95% intervals over "
            f"all pairs (max-t). {_few(found, places)}"
        ),
    )
    yield drawn.place(
        lambda theme: views.pairs(by_score, scale, names, theme),
        f"Row minus column, {scale.unit}. Coloured: told apart. {_few(found, places)}",
    )
    rows = [
        (
            found.scored[pair.a],
            found.scored[pair.b],
            scale.number(pair.difference, sign=True),
            scale.span(pair.simultaneous_interval, sign=True),
            views.p_words(pair.p_adjusted),
            pair.separated,
        )
        for pair in found.result.pairs[:PAIRS]
    ]
    more = len(found.result.pairs) - len(rows)
    yield section(
        "Which pairs are told apart, in numbers?",
        table(("team", "minus", scale.unit, "simultaneous 95% interval", "adjusted p", "told apart"), rows),
        f"<p class='soft'>and {more} more, in comparison.json</p>" if more else "",
    )


def _orders(found: Comparison) -> Iterator[str]:
    own = found.own_ranking
    if own is None:
        return
    rows = [
        (name, str(own.of_teams[name]["rank_by_weighted_rank"]), str(own.of_teams[name]["rank_by_score"]))
        for name in found.cards
    ]
    yield section(
        "Do both orders agree?", table(("team", "place by weighted ranks", "place by weighted score"), rows)
    )
    disagreeing = "; ".join(f"{a} and {b}" for a, b in own.more["orderings_disagree"])
    words = f"Placed differently: {disagreeing}." if disagreeing else "Both orders place all teams alike."
    yield f"<p>{escape(words)}</p>"
    gone = [(entry["without"], ", ".join(entry["first"])) for entry in own.more["leave_one_team_out"]]
    yield section("Who is first if a team withdraws?", table(("without", "first by weighted ranks"), gone))


def _rules(found: Comparison, places: list[int], drawn: Figures) -> Iterator[str]:
    robust, names = robustness.robustness(found), [found.scored[place] for place in places]
    yield drawn.place(
        lambda theme: views.rules(robust, ("official", "metric", "scheme"), names, theme),
        (
            "The stronger the colour, the better the rank. Above the line: the official order. τ: "
            f"Kendall's agreement with it. {_few(found, places)}"
        ),
    )
    yield table(
        ("team", "official rank", "best", "worst"),
        [
            (name, str(o), str(b), str(w))
            for name, o, b, w in zip(
                robust.teams, robust.rules[0].ranks, robust.best, robust.worst, strict=True
            )
        ],
    )


def _maps(found: Comparison, drawn: Figures) -> Iterator[str]:
    grid = weights.weight_map(found)
    if grid is None:
        return
    for words, firsts in (("weighted score", grid.by_score), ("weighted ranks", grid.by_rank)):
        if firsts is not None:
            question = f"Who wins by {words} under other weights?"
            yield drawn.place(
                partial(weight_map, question, views.first_places(grid, firsts)),
                (
                    "Each point: weights that sum to 1, and who is first with them. Ring: the official "
                    "weights. It says nothing of chance."
                ),
            )


def _classes(found: Comparison, places: list[int], drawn: Figures, risks: Mapping[str, str]) -> Iterator[str]:
    matrix, names = classes.matrix(found), [found.scored[place] for place in places]
    if matrix.classes:
        yield drawn.place(
            lambda theme: views.classes(matrix, names, risks, theme),
            (
                f"{views.measures(matrix)}, .66 is 0.66. Number: cases of the class, * under 15. "
                f"{_few(found, places)}"
            ),
        )


def _cases(found: Comparison, places: list[int], drawn: Figures) -> Iterator[str]:
    right = cases.correctness(found)
    order, names = right.order[:CASES], [found.scored[place] for place in places]
    if len(order):
        values = right.values[order][:, [right.teams.index(name) for name in names]]
        yield drawn.place(
            lambda theme: case_heat(names, [right.cases[k] for k in order], values, theme),
            (
                f"Strong: wrong, × where entirely. The {len(order)} hardest of {len(right.order)} "
                f"cases. {_few(found, places)}"
            ),
        )


def _subgroups(found: Comparison, places: list[int], drawn: Figures) -> Iterator[str]:
    rows = subgroups.subgroups(found)
    if rows:
        listed = [
            (
                f"{row.column} {row.group}",
                views.named(row.measure),
                str(row.n),
                one.team,
                None if row.small else one.value,
                "" if row.small else span(one.interval, 3),
            )
            for row in rows
            for one in row.teams
            if one.team in {found.scored[place] for place in places}
        ]
        yield section(
            "Which subgroup fails?", table(("group", "measure", "n", "team", "value", "95% interval"), listed)
        )
        yield (
            f"<p class='soft'>{len(rows)} slices looked at: one may stand apart by chance. Under 15 "
            "cases no value is given.</p>"
        )


def _sizes(found: Comparison, scale: Scale, drawn: Figures) -> Iterator[str]:
    teams, limits = views.sized(found, scale), found.spec.size_limits_mib
    if teams:
        caption = (
            "Filled: no smaller model scores as high. Whisker: 95% interval. "
            f"{markdown(verdict.method(found))}"
        )
        yield drawn.place(lambda theme: size_scatter(teams, scale.unit, scale.digits, theme, limits), caption)


def _of_teams(found: Comparison) -> str:
    """Return findings on the test set and on each team's files, at most five of a kind."""
    rows, left_out, shared = [], 0, dict.fromkeys(found.of_test_set)
    for entries in (
        shared,
        *(of_team(name, (f for f in card.findings if f not in shared)) for name, card in found.cards.items()),
    ):
        count: Counter[str] = Counter()
        for entry in entries:
            count[entry.code] += 1
            if count[entry.code] <= PER_CODE:
                rows.append(entry)
            else:
                left_out += 1
    if not rows:
        return ""
    more = f"<p class='soft'>and {left_out} more, in comparison.json</p>" if left_out else ""
    return section("What was noticed about the files?", finding_table(rows), more)
