"""A scorecard as one HTML file that a person can read, print and attach to a paper. It asks nothing of any
network."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import numpy as np
import plotly.graph_objects as go

from scoring.challenges import load_challenge
from scoring.figures import binary, classification, export
from scoring.figures.classification import Part
from scoring.figures.numerals import UNDEFINED, decimal, points, share, span
from scoring.figures.theme import DARK, LIGHT, SMALL, Theme, label
from scoring.findings import LEVELS, Finding
from scoring.scorecard import ScoreCard, plain

NONE = "none"
"""The label of what was not there, in the matrices of detection challenges."""
CASES = 200
"""Cases that a report lists at most."""
# Whatever a label or a name may try, the browser is told to load nothing.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #0c161c; --soft: #52616b; --line: #d5dde1; --panel: #f2f5f6;
  --malignant: #b3261e; --medium: #8a5100; --benign: #1a6b3c; --error: #b3261e; --warning: #8a5100; --note: #52616b; }
@media screen and (prefers-color-scheme: dark) { :root { --paper: #10181c; --ink: #e3eaed; --soft: #a9b8bf; --line: #2f3d44;
  --panel: #182328; --malignant: #ff9e93; --medium: #f5bf6b; --benign: #82d3a5; --error: #ff9e93; --warning: #f5bf6b; --note: #a9b8bf; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 3rem; max-width: 960px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 'Source Sans', 'Source Sans Pro', 'Segoe UI', system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .4rem; } p { margin: .3rem 0; }
.hero { font-size: 2.1rem; font-weight: 600; line-height: 1.2; } .soft, figcaption { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .4rem 0; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { background: var(--panel); font-weight: 600; } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td { overflow-wrap: break-word; max-width: 32rem; } td.number { overflow-wrap: normal; white-space: nowrap; }
code { font-size: .85em; } h2 { break-after: avoid; } figure { margin: .6rem 0; break-inside: avoid; } tr { break-inside: avoid; }
.interval { display: block; font-size: .8em; color: var(--soft); } .panels p { font-size: .87rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(190px, 1fr)); gap: .6rem; }
td > .malignant, td > .medium, td > .benign { white-space: nowrap; }
.malignant { color: var(--malignant); } .medium { color: var(--medium); } .benign { color: var(--benign); }
.error { color: var(--error); } .warning { color: var(--warning); } .note { color: var(--note); }
.notice { border: 1px solid var(--line); padding: .5rem .8rem; margin: 1rem 0; }
@page { margin: 15mm; }
@media print { body { max-width: none; padding: 0; font-size: 11px; } th, td { padding: .2rem .35rem; }
  .panels { grid-template-columns: repeat(3, 210px); } }
"""


@dataclass(frozen=True)
class Page:
    """What a report says about its challenge. formula: one line. rule: Markdown (tables, paragraphs,
    **bold**, `code`).

    weights: metric -> (name, short name, points of 100 it decides), for scores that are a weighted sum; empty
    for others. as_points: the score 0..1 is shown as points of 100.
    """

    title: str
    formula: str
    rule: str
    weights: Mapping[str, tuple[str, str, float]] = field(default_factory=dict)
    as_points: bool = True


@dataclass
class Drawings:
    """The figures in the order in which they were placed, each drawn in both looks."""

    pairs: list[tuple[go.Figure, go.Figure]] = field(default_factory=list)

    def place(self, build: Callable[[Theme], go.Figure], caption: str = "", panel: bool = False) -> str:
        self.pairs.append((build(LIGHT), build(DARK)))
        figure = self.pairs[-1][0]
        drawn = export.place(len(self.pairs) - 1, figure, panel)
        title = (
            f"<p><strong>{escape(caption)}</strong></p>"
            if panel
            else f"<h2>{escape(figure.layout.meta['question'])}</h2>"
        )
        below = "" if panel or not caption else f"<figcaption>{escape(caption)}</figcaption>"
        return f"<figure>{title}{drawn}{below}</figure>"


def described(challenge: ModuleType) -> Page:
    """What a challenge says about itself: its TITLE, FORMULA and RULE, where its score is a weighted sum its
    WEIGHTS, and AS_POINTS."""
    weights, as_points = getattr(challenge, "WEIGHTS", {}), getattr(challenge, "AS_POINTS", True)
    return Page(challenge.TITLE, challenge.FORMULA, challenge.RULE, weights, as_points)


def html(card: ScoreCard, page: Page | None = None) -> str:
    """The report, of the card's own challenge unless a page says otherwise. The same card gives the same
    bytes; names of files, classes and cases are escaped."""
    page, drawings = page or described(load_challenge(card.challenge)), Drawings()
    sections = (
        _opening(card, page),
        _headline(card, page, drawings),
        findings(card.findings),
        _metrics(card),
        _per_class(card, drawings),
        _matrices(card, drawings),
        _curves(card, drawings),
        _calibration(card, drawings),
        _slices(card, drawings),
        *_own_sections(card, drawings),
        _cases(card),
        provenance({"challenge": card.challenge, **card.provenance}),
    )
    return document(f"{page.title}: {_score_words(card, page)}", sections, drawings)


def document(title: str, sections: Iterable[str], drawings: Drawings) -> str:
    """One HTML file of sections (HTML, "" for none) and the figures that were placed in them."""
    body = "\n".join(filter(None, sections))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
{body}
</main>
{export.self_contained(drawings.pairs)}
</body>
</html>
"""


def _score_words(card: ScoreCard, page: Page) -> str:
    if card.score is None:
        return "no score"
    return f"{points(card.score)} of 100 points" if page.as_points else share(card.score)


def _opening(card: ScoreCard, page: Page) -> str:
    return opening(
        page.title, f"<p>Scored: <strong>{escape(page.formula)}</strong>, higher is better</p>", page.rule
    )


def opening(title: str, formula: str, rule: str) -> str:
    """Heading, what is scored (HTML), what the report is not, and the rule (Markdown) behind a click."""
    return (
        f"<h1>{escape(title)}</h1>{formula}"
        '<p class="notice">Research use only. Not a medical device; no number in this report is a '
        "diagnosis.</p>"
        f"<details><summary>Rule in full</summary>{markdown(rule)}</details>"
    )


def _headline(card: ScoreCard, page: Page, drawings: Drawings) -> str:
    source = card.provenance
    interval = card.intervals.get("score")
    bounds = f"{span(interval, 1, 100)} points" if page.as_points else span(interval, 3)
    method = (
        f"95% interval {bounds}, {source.get('resamples')} resamples of {source.get('n_units')} units "
        f"({source.get('unit')}), seed {source.get('seed')}. "
        if interval
        else "No interval was computed. "
    )
    ceiling = card.more.get("best_possible_score")
    best = (
        ""
        if ceiling is None
        else f"With every case right: {points(ceiling) if page.as_points else share(ceiling)}. "
    )
    score = (
        f'<p class="hero">{escape(_score_words(card, page))}</p><p '
        f'class="soft">{escape(method + best)}n = {card.n_cases} cases.</p>'
    )
    parts = [
        Part(name, short, weight, _part_value(card, key, weight))
        for key, (name, short, weight) in page.weights.items()
    ]
    if not parts or card.score is None:
        return score
    sum_words = " + ".join(f"{part.weight:g} × {part.value or 0:.6f}" for part in parts)
    exact = [100 * v for v in interval] if interval else None
    strip = drawings.place(
        lambda theme: classification.score_strip(
            parts, theme, exact, None if ceiling is None else 100 * ceiling
        ),
        f"{sum_words} = {points(card.score, 6)} points; the unrounded score is {plain(card.score)!r}.",
    )
    return score + strip


def _part_value(card: ScoreCard, key: str, weight: float) -> float | None:
    """The value that entered the score: where the challenge rounds its parts, `points` holds the rounded
    ones."""
    won = card.more.get("points", {}).get(key)
    return card.metrics.get(key) if won is None else 100 * won / weight


def findings(entries: Iterable[Finding]) -> str:
    """What was noticed, worst first."""
    ordered = sorted(entries, key=lambda finding: LEVELS.index(finding.level))
    if not ordered:
        return "<h2>What was noticed?</h2><p>Nothing was noticed about these files.</p>"
    rows = [(Cell(f.level, kind=f.level), Cell(f.code, tag="code"), f.where, f.message) for f in ordered]
    return "<h2>What was noticed?</h2>" + table(("level", "code", "where", "what and how to mend it"), rows)


def _metrics(card: ScoreCard) -> str:
    rows = [
        (Cell(name, tag="code"), value, span(card.intervals.get(name), 3))
        for name, value in card.metrics.items()
    ]
    further = [
        (Cell(name, tag="code"), value, UNDEFINED)
        for name, value in card.more.items()
        if isinstance(value, (int, float))
    ]
    return "<h2>What are the numbers?</h2>" + table(("metric", "value", "95% interval"), rows + further)


def _per_class(card: ScoreCard, drawings: Drawings) -> str:
    if not card.per_class:
        return ""
    figure = ""
    if all("score_lost" in entry for entry in card.per_class.values()):
        caption = (
            f"Hatched: no case in this test set, so no model could win it. * fewer than {SMALL} cases. "
            f"n = {card.n_cases}."
        )
        figure = drawings.place(lambda theme: classification.points_lost(card.per_class, theme), caption)
    kinds: dict[tuple, dict] = {}
    for name, entry in card.per_class.items():
        kinds.setdefault(tuple(_columns([entry], "risk")), {})[name] = entry
    tables = (
        table(
            ("class", *map(_spaced, columns)),
            [(_class(name, e.get("risk")), *_estimates(e, columns)) for name, e in entries.items()],
        )
        for columns, entries in kinds.items()
    )
    return figure + "<h2>How good is each class?</h2>" + "".join(tables)


def _matrices(card: ScoreCard, drawings: Drawings) -> str:
    parts = []
    risks = {name: entry["risk"] for name, entry in card.per_class.items() if entry.get("risk")}
    groups = card.more.get("risk_matrix")
    if groups:
        parts.append(
            drawings.place(
                lambda theme: classification.risk_matrix(groups["counts"], groups["labels"], theme),
                "Cases and share of the row. Outlined: malignant called benign.",
            )
        )
        parts.append(_count_table(groups["labels"], groups["counts"], {g: g for g in groups["labels"]}))
    confusion = card.confusion_matrix
    if confusion:
        known = risks if all(name in risks for name in confusion["labels"]) else None
        parts.append(
            drawings.place(
                lambda theme: classification.confusion_matrix(
                    confusion["counts"], confusion["labels"], theme, known
                ),
                "Counts; colour is the share of the row. "
                + (
                    "Column none: missed; row none: spurious."
                    if NONE in confusion["labels"]
                    else "Cases without a prediction are in no cell."
                ),
            )
        )
        parts.append(_count_table(confusion["labels"], confusion["counts"], known or {}))
    return "".join(parts)


def _count_table(labels: Sequence[str], counts: Sequence[Sequence[int]], risks: Mapping[str, str]) -> str:
    rows = [(_class(name, risks.get(name)), *row) for name, row in zip(labels, counts, strict=True)]
    return table(("truth, called →", *labels), rows)


def _curves(card: ScoreCard, drawings: Drawings) -> str:
    kinds = (
        (
            "roc",
            "How well is each class told from the rest?",
            "auc",
            "AUC",
            "Across: 1 − specificity. Up: sensitivity.",
        ),
        (
            "pr",
            "How many of those called it are it?",
            "average_precision",
            "AP",
            "Across: recall. Up: precision.",
        ),
    )
    return "".join(_panels(card, drawings, *kind) for kind in kinds)


def _panels(
    card: ScoreCard, drawings: Drawings, kind: str, question: str, area: str, short: str, caption: str
) -> str:
    names = {"roc": "roc_sensitivity", "pr": "pr_precision"}
    if f"{kind}_grid" not in card.arrays or names[kind] not in card.arrays:
        return ""
    grid, curves = card.arrays[f"{kind}_grid"], card.arrays[names[kind]]
    bounds = (card.arrays.get(f"{kind}_low"), card.arrays.get(f"{kind}_high"))
    shown = []
    # A yes or no has one curve, that of its last class, whose area is one of the card's own metrics.
    for k, (name, entry) in enumerate(list(card.per_class.items())[-len(curves) :]):
        if not np.isfinite(curves[k]).any():
            continue
        band = None if bounds[0] is None or bounds[1] is None else (grid, bounds[0][k], bounds[1][k])
        title = (
            f"{label(name, entry.get('risk'))}  {short} "
            f"{decimal(entry.get(area, card.metrics.get(area)), 3)}, n = {entry.get('support')}"
        )
        shown.append(
            drawings.place(_panel(kind, name, grid, curves[k], entry, card.n_cases, band), title, panel=True)
        )
    below = (
        f"<p class='soft'>{caption} One against the rest, on the outputs as they came. Band: pointwise "
        "95%.</p>"
    )
    return f"<h2>{question}</h2><div class='panels'>{''.join(shown)}</div>{below}" if shown else ""


def _panel(
    kind: str,
    name: str,
    grid: np.ndarray,
    curve: np.ndarray,
    entry: Mapping,
    n_cases: int,
    band: tuple | None,
) -> Callable[[Theme], go.Figure]:
    risk = entry.get("risk")
    if kind == "roc":
        return lambda theme: classification.roc_panel(name, grid, curve, theme, risk, band)
    return lambda theme: classification.precision_recall_panel(
        name, grid, curve, entry["support"] / n_cases, theme, risk, band
    )


def _calibration(card: ScoreCard, drawings: Drawings) -> str:
    names = [f"reliability_{part}" for part in ("said", "right", "low", "high", "n")]
    if any(name not in card.arrays for name in names):
        return ""
    words = binary.RISK if card.arrays["outputs"].shape[1] == 1 else classification.LARGEST
    return drawings.place(
        lambda theme: classification.reliability(*(card.arrays[name] for name in names), theme, words),
        (
            f"Dots: {words.came} with Wilson 95% interval, at the bin's mean output. Dotted: perfect. "
            "Not in the score."
        ),
    )


def _own_sections(card: ScoreCard, drawings: Drawings) -> Iterable[str]:
    """What a challenge's own `report.sections(card, place)` adds as HTML; place: draws a figure, built from a
    theme, with a caption."""
    own = f"scoring.challenges.{card.challenge}.report"
    return import_module(own).sections(card, drawings.place) if find_spec(own) else ()


def _slices(card: ScoreCard, drawings: Drawings) -> str:
    slices = card.more.get("slices")
    if not slices:
        return ""
    rows = classification.slice_rows(slices, "accuracy")
    question, overall = "Which patients does it serve worse?", card.metrics.get("accuracy")
    figure = drawings.place(
        lambda theme: classification.intervals(
            rows, theme, question, "accuracy, share right", reference=overall
        ),
        (
            f"Line: all {card.n_cases} cases. Grey: fewer than {SMALL} cases. {len(rows)} groups looked "
            "at: one may stand apart by chance."
        ),
    )
    columns = _columns([entry for groups in slices.values() for entry in groups.values()])
    listed = [
        (kind, group, *_estimates(entry, columns))
        for kind, groups in slices.items()
        for group, entry in groups.items()
    ]
    return figure + table(("by", "group", *map(_spaced, columns)), listed)


def _cases(card: ScoreCard) -> str:
    """The cases that were called wrong, malignant called benign first; all of them for challenges that call
    nothing right or wrong."""
    cases = list(card.cases)
    graded = bool(cases) and "correct" in cases[0]
    if graded:
        cases = [c for c in cases if not c["correct"]]
        cases.sort(key=lambda c: (c.get("truth_risk"), c.get("predicted_risk")) != ("malignant", "benign"))
    if not cases:
        return ""
    columns = [
        key for key, value in cases[0].items() if not isinstance(value, (list, tuple, Mapping, np.ndarray))
    ]
    rows = [tuple(case.get(key) for key in columns) for case in cases[:CASES]]
    more = (
        f"<p class='soft'>and {len(cases) - CASES} more, in scorecard.json</p>" if len(cases) > CASES else ""
    )
    question = (
        f"Which cases were called wrong? ({len(cases)})"
        if graded
        else f"What became of each case? ({len(cases)})"
    )
    return f"<h2>{question}</h2>" + table([_spaced(column) for column in columns], rows) + more


def provenance(entries: Mapping) -> str:
    """Where the numbers come from, an entry a line."""
    rows = [
        (
            Cell(name),
            Cell(
                value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False), tag="code"
            ),
        )
        for name, value in entries.items()
    ]
    return "<h2>Where do the numbers come from?</h2>" + table(("what", "value"), rows)


@dataclass(frozen=True)
class Cell:
    """Text of a table's cell. kind: a class of the style sheet. tag: an element to wrap it in."""

    text: object
    kind: str = ""
    tag: str = "span"


@dataclass(frozen=True)
class Estimate:
    """A number and its 95% interval, which stands beside it in lighter type."""

    value: float | None
    interval: Sequence[float] | None


def _columns(entries: Iterable[Mapping], *left_out: str) -> list[str]:
    """Keys of the entries in order of appearance; intervals stand with their number and are no column of
    their own."""
    keys = dict.fromkeys(key for entry in entries for key in entry)
    return [key for key in keys if key not in left_out and not key.endswith("_interval")]


def _estimates(entry: Mapping, columns: Sequence[str]) -> list:
    return [
        Estimate(entry.get(key), entry[f"{key}_interval"]) if entry.get(f"{key}_interval") else entry.get(key)
        for key in columns
    ]


def _class(name: str, risk: str | None) -> Cell:
    return Cell(label(name, risk), kind=risk or "")


def table(heads: Sequence[str], rows: Iterable[Sequence]) -> str:
    """An HTML table. Numbers stand to the right with three decimals and carry their unrounded value;
    everything is escaped."""
    rows = [list(row) for row in rows]
    columns = [[row[k] for row in rows if row[k] is not None] for k in range(len(heads))]
    numeric = [
        bool(column) and all(_is_number(v) or isinstance(v, Estimate) for v in column) for column in columns
    ]
    head = "".join(
        f'<th scope="col"{_right(n)}>{escape(str(h))}</th>' for h, n in zip(heads, numeric, strict=True)
    )
    lines = [
        "".join(f"<td{_right(n)}>{_cell(value)}</td>" for value, n in zip(row, numeric, strict=True))
        for row in rows
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    # A region that scrolls must be reachable by keyboard.
    region = f'class="scroll" tabindex="0" role="region" aria-label="{escape(", ".join(map(str, heads)))}"'
    return f"<div {region}><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _spaced(key: str) -> str:
    """A key of the JSON as the head of a column, which may then wrap."""
    return key.replace("_", " ")


def _right(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if isinstance(value, Estimate):
        return f'{_cell(value.value)}<span class="interval">{span(value.interval, 2)}</span>'
    if isinstance(value, Cell):
        kind = f' class="{value.kind}"' if value.kind else ""
        return f"<{value.tag}{kind}>{escape(str(value.text))}</{value.tag}>"
    value = plain(value)
    if value is None:
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f'<data value="{value!r}">{decimal(value, 3)}</data>'
    return escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def markdown(text: str) -> str:
    """HTML of the little Markdown that rules are written in: tables, paragraphs, **bold**, `code` and
    coloured shapes `:red[▲]`."""
    blocks = [block.splitlines() for block in re.split(r"\n\s*\n", text.strip())]
    return "".join(
        _markdown_table(lines) if lines[0].startswith("|") else f"<p>{_inline(' '.join(lines))}</p>"
        for lines in blocks
    )


def _markdown_table(lines: Sequence[str]) -> str:
    cells = [[_inline(cell.strip()) for cell in line.strip().strip("|").split("|")] for line in lines]
    head = "".join(f'<th scope="col">{cell}</th>' for cell in cells[0])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells[2:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _inline(text: str) -> str:
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escape(text, quote=False))
    text = re.sub(r"`(.+?)`", r"<code>\1</code>", text)
    risks = {"red": "malignant", "orange": "medium", "green": "benign"}
    return re.sub(
        r":(red|orange|green)\[(.+?)\]",
        lambda found: f'<span class="{risks[found[1]]}">{found[2]}</span>',
        text,
    )
