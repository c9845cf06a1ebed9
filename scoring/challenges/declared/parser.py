"""Parser of declarations: a stranger's file NAME.toml, read as data and refused with every problem at once.

Each problem has file, line and key. No path and no address in it is followed, nothing of it runs.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from scoring.challenges.declared.declaration import (
    ChallengeIdentity,
    Declaration,
    PredictionColumns,
    RankingRule,
    TruthColumns,
)
from scoring.challenges.declared.keys import KEYS, KeyReader, near, nearest
from scoring.challenges.declared.metric_uses import MetricReader
from scoring.challenges.declared.toml_lines import Path, key_lines
from scoring.common.findings import InputRefused, error
from scoring.metrics.registry import TASKS

LARGEST = 256_000
"""Bytes of a file."""
MOST_REGIONS = 1_000
ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
MARKUP = re.compile(r"[\[\]<>`$|\\]|://|www\.")
"""What pages would take for markup or a link."""
PLACES = {"points": (("x", "y"), ("x", "y", "z")), "boxes": (("x0", "y0", "x1", "y1"),)}
NEEDED = {
    "regression": {
        ("truth", "value"): "name the column of the number that is predicted",
        ("predictions", "value"): "name the column of the predicted number",
    },
    "survival": {
        ("truth", "time"): "name the column of the time to event or censoring",
        ("truth", "event"): "name the column that is 1 where the event was seen and 0 where the case is "
        "censored",
        ("predictions", "risk"): "name the column of the risk, the higher the earlier the event",
    },
    "points": {
        ("truth", "places"): 'name the columns of the coordinates, such as ["x", "y"]',
        ("predictions", "score"): "name the column of the score of each point",
    },
    "boxes": {
        ("truth", "places"): 'name the columns of the corners, such as ["x0", "y0", "x1", "y1"]',
        ("predictions", "score"): "name the column of the score of each box",
    },
}
"""Task -> keys that it needs, and what to do."""
OF_CLASSES = ("classification", "ordinal", "multilabel", "segmentation")
"""Tasks that need names of classes, labels or regions."""
WORST_OF = ("classification", "ordinal", "multilabel", "segmentation", "points", "boxes")
"""Tasks in which a missing prediction can be as wrong as can be; a number has no worst."""


def parse(data: bytes | str, name: str) -> Declaration:
    """Return what a file declares. Raises InputRefused with every problem: `bad-toml`, `unknown-key`,
    `missing-key`, `bad-value`, `unknown-metric`."""
    size = len(data)
    if size > LARGEST:
        message = f"it has {size:,} bytes; a declaration has at most {LARGEST:,}."
        raise InputRefused([error("bad-toml", name, message)])
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        tree = tomllib.loads(text)
    except UnicodeDecodeError:
        raise InputRefused([error("bad-toml", name, "it is no text in UTF-8: save it in UTF-8.")]) from None
    except RecursionError:
        message = "its lists and tables are nested too deep."
        raise InputRefused([error("bad-toml", name, message)]) from None
    except ValueError as problem:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(problem))
        where = f"{name}:{place[1]}" if place else name
        words = str(problem).split(" (at ")[0][:200]
        raise InputRefused([error("bad-toml", where, f"it is no TOML: {words}.")]) from None
    return parse_tree(tree, name, key_lines(text))


def parse_tree(
    tree: Mapping[str, Any], name: str, lines: Mapping[Path, int] = MappingProxyType({(): 1})
) -> Declaration:
    """Return what a file declares, from the values that it holds. Raises InputRefused with every problem.

    Args:
        tree: As `tomllib` gives them.
        lines: The line of each key.
    """
    keys = KeyReader(name, tree, lines)
    keys.unknown((), tree, KEYS[""])
    top, about = keys.values(""), _about(keys)
    keys.required(("task",), f"one of {', '.join(TASKS)}.")
    # The rest is checked as of the task that was probably meant.
    task = top.get("task") or nearest(tree.get("task", ""), TASKS)
    classes, positive = _classes(keys, task)
    regions = _regions(keys, task, classes)
    truth, predictions = _truth(keys, task), _predictions(keys, task, classes, positive)
    subgroups = keys.values("subgroups").get("columns", ())
    score, report = MetricReader(keys, task, tuple(regions) or classes, predictions).uses()
    ranking = _ranking(keys, [use.key for use in (*score, *report)])
    if keys.problems:
        raise InputRefused(keys.problems)
    digest = hashlib.sha256(json.dumps(tree, sort_keys=True).encode()).hexdigest()
    return Declaration(
        *(about, task, classes, positive, regions, truth, predictions, subgroups, score, report, ranking),
        tree=tree,
        digest=digest,
    )


def _about(keys: KeyReader) -> ChallengeIdentity:
    top = keys.values("")
    keys.required(("id",), 'give it a short name, such as id = "camelyon17".')
    keys.required(("title",), 'give it a title, such as title = "CAMELYON17: pN stage".')
    for key in ("title", "about"):
        if MARKUP.search(top.get(key, "")):
            keys.bad((key,), "write plain words, without addresses and without [ ] < > ` $ | \\.")
    challenge_id = top.get("id", "")
    if challenge_id and not ID.fullmatch(challenge_id):
        keys.bad(("id",), "write 1 to 48 small letters, digits and hyphens.")
    words = (top.get("title", challenge_id), top.get("about", ""), top.get("source", ""))
    return ChallengeIdentity(challenge_id, *words, keys.values("cite"))


def _classes(keys: KeyReader, task: str) -> tuple[tuple[str, ...], str | None]:
    top = keys.values("")
    if task in OF_CLASSES and not keys.tree.get("regions"):
        keys.required(("classes",), "name the classes; if they are ordered, in their order.")
    classes, positive = top.get("classes", ()), top.get("positive")
    if task in ("classification", "ordinal") and len(classes) == 1:
        keys.bad(("classes",), "one class cannot be distinguished from another: name two or more.")
    if positive is not None and positive not in classes:
        known = ", ".join(classes[:20]) or "none are named"
        keys.bad(("positive",), f"{positive!r} is not one of the classes: {known}.")
        positive = None
    return classes, positive


def _regions(keys: KeyReader, task: str, classes: tuple[str, ...]) -> Mapping[str, tuple[int, ...]]:
    """Return the values of a mask by region; without [regions] class k is the value k + 1."""
    if task != "segmentation":
        if task and "regions" in keys.tree:
            keys.refuse("unknown-key", ("regions",), "only segmentation has regions.")
        return {}
    written = keys.section("regions")
    if len(written) > MOST_REGIONS:
        keys.bad(("regions",), f"at most {MOST_REGIONS:,} regions are allowed.")
        return {}
    if written and classes:
        keys.bad(("classes",), "give classes or [regions], not both.")
    regions = {}
    for name, values in written.items():
        wanted = values if isinstance(values, list) else [values]
        if not wanted or any(type(v) is not int or not 0 < v < 65_536 for v in wanted):
            keys.bad(("regions", name), "write the values in the mask, such as [1, 2, 4].")
            continue
        regions[name] = tuple(sorted(set(wanted)))
    return regions or {name: (k + 1,) for k, name in enumerate(classes)}


def _truth(keys: KeyReader, task: str) -> TruthColumns:
    read = dict(keys.values("truth"))
    if task != "segmentation":
        keys.required(("truth", "case"), "name the column of the case id.")
    for path, reason in NEEDED.get(task, {}).items():
        keys.required(path, f"{reason}.")
    one_hot = read.pop("columns", None)
    if task in ("classification", "ordinal") and ("label" in read) == bool(one_hot):
        advice = 'or write columns = "classes" for a column of 0 and 1 per class.'
        keys.refuse("missing-key", ("truth", "label"), f"name the column of the class, {advice}")
    lengths, n = [len(wanted) for wanted in PLACES.get(task, ())], len(read.get("places", ()))
    if task and n and n not in lengths:
        advice = f"{task} takes {' or '.join(map(str, lengths)) or 'no'} columns, in that order."
        keys.bad(("truth", "places"), advice)
    if task and task != "boxes" and "boxes" in keys.section("truth"):
        keys.refuse("unknown-key", ("truth", "boxes"), "only the task boxes has it.")
    return TruthColumns(**read | ({"label": None} if one_hot else {}))


def _predictions(
    keys: KeyReader, task: str, classes: tuple[str, ...], positive: str | None
) -> PredictionColumns:
    read = dict(keys.values("predictions"))
    label, score = read.get("label"), read.get("score")
    scores = "scores" in read or task == "multilabel"
    if task in ("classification", "ordinal"):
        if not (label or score or scores):
            advice = 'name the column of the class (label), or write scores = "classes", or name a score.'
            keys.refuse("missing-key", ("predictions", "label"), advice)
        if score and scores:
            keys.bad(("predictions", "score"), "give score or scores, not both.")
        if score and len(classes) > 2:
            advice = (
                f"one score can distinguish only two classes, and there are {len(classes)}: write "
                'scores = "classes".'
            )
            keys.bad(("predictions", "score"), advice)
        if score and positive is None and "positive" not in keys.tree:
            keys.refuse("missing-key", ("positive",), "name the class that the score belongs to.")
    if read.get("missing") == "worst" and task and task not in WORST_OF:
        advice = f"a missing prediction of a {task} has no worst value: write refuse or ignore."
        keys.bad(("predictions", "missing"), advice)
    usual = {
        "case": keys.values("truth").get("case", "case"),
        "threshold": 0.5 if score or task == "multilabel" else None,
    }
    return PredictionColumns(**usual | read | {"scores": scores})


def _ranking(keys: KeyReader, known: Sequence[str]) -> RankingRule:
    rule = RankingRule(**keys.values("ranking"))
    for name in rule.metrics:
        if name not in known and all(problem.code != "unknown-metric" for problem in keys.problems):
            advice = f"{name!r} is not one of the metrics: {', '.join(known)}.{near(name, known)}"
            keys.bad(("ranking", "metrics"), advice)
    if rule.by == "mean_rank" and len(rule.metrics or known) < 2:
        keys.bad(("ranking", "by"), "a mean of ranks needs two metrics or more.")
    return rule
