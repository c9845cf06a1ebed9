"""Parser of declarations. It reads an untrusted file NAME.toml as data. If there are problems, it refuses the
file and lists all of them.

Each problem names file, line and key. The parser opens no path or address that the file contains, and runs no
code.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from scoring.challenges.declared import declaration as parts
from scoring.challenges.declared.declaration import FORMAT, GRADED, TASKS, Declaration, MetricUse
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import did_you_mean, nearest, shortened
from scoring.common.toml_text import Path, dotted, hidden_characters, read_toml
from scoring.metrics import registry
from scoring.metrics.registry import Metric

NAME_LENGTH, TEXT_LENGTH = 200, 2_000
Kind = str | list[str]
"""Kind of a value, as `format.toml` names it, or the list of allowed words."""
KEYS: Mapping[str, Mapping[str, Kind]] = FORMAT["keys"]
"""Section -> keys with the kinds of their values. Sections with a metric also contain the metric's
options."""


class KeyReader:
    """Reads the values of a challenge file by key. A wrong value is recorded as a problem and replaced by the
    default."""

    def __init__(self, name: str, tree: Mapping[str, Any], lines: Mapping[Path, int]) -> None:
        self.name, self.tree, self.lines = name, tree, lines
        self.problems: list[Finding] = []
        self.sections: dict[str, Mapping[str, Any]] = {}
        self.read: dict[str, dict[str, Any]] = {}

    def refuse(self, code: str, path: Path, message: str, when: object = True) -> None:
        """Record a problem at the line of a value, or of the table that contains the value, if `when` is
        true."""
        if not when:
            return
        line = next(self.lines[above] for n in range(len(path), -1, -1) if (above := path[:n]) in self.lines)
        self.problems.append(error(code, f"{self.name}:{line}", f"{dotted(path) or 'the file'}: {message}"))

    def bad(self, path: Path, message: str, when: object = True) -> None:
        """Record an invalid value as a problem if `when` is true."""
        self.refuse("bad-value", path, message, when)

    def known(self, path: Path, name: str | None, names: Sequence[str]) -> None:
        """Record a problem if a name is not one of the classes."""
        listing = ", ".join(names[:20]) or "none are named"
        wrong = name is not None and name not in names
        self.bad(path, f"{name!r} is not one of the classes: {listing}.", wrong)

    def section(self, key: str) -> Mapping[str, Any]:
        """Return a section of the file (empty if it is missing), and record its unknown keys as problems."""
        if key not in self.sections:
            found = self.tree.get(key, {})
            if not isinstance(found, dict):
                self.bad((key,), f"write it as a table, [{key}].")
                found = {}
            elif key in KEYS and "metric" not in KEYS[key]:
                self.unknown((key,), found, KEYS[key])
            self.sections[key] = found
        return self.sections[key]

    def unknown(self, path: Path, table: Mapping[str, Any], known: Iterable[str]) -> None:
        """Record each unknown key as a problem."""
        known = tuple(known)
        for key in (key for key in table if key not in known):
            listing = did_you_mean(nearest(key, known)) or f" Known keys: {', '.join(known)}."
            self.refuse("unknown-key", (*path, key), f"this key is unknown.{listing}")

    def required(self, path: Path, reason: str, table: Mapping[str, Any] | None = None) -> bool:
        """Return whether a required key exists and is not an empty list. If the key is missing, record a
        problem with the reason."""
        if table is None:
            table = self.section(str(path[0])) if len(path) > 1 else self.tree
        there = bool(table.get(str(path[-1]), []) != [])
        self.refuse("missing-key", path, f"it is missing: {reason}", not there)
        return there

    def values(self, section: str) -> dict[str, Any]:
        """Return the valid values of a section by key; the section "" is the top level of the file."""
        if section not in self.read:
            table, above = (self.section(section), (section,)) if section else (self.tree, ())
            kinds = ((key, kind) for key, kind in KEYS[section].items() if kind != "table" and key in table)
            found = {key: self.value((*above, key), table[key], kind) for key, kind in kinds}
            self.read[section] = {key: value for key, value in found.items() if value is not None}
        return self.read[section]

    def value(self, path: Path, value: Any, kind: Kind) -> Any:
        """Return a value of the given kind. For a value of another kind, record a problem and return None."""
        try:
            taken = _taken(path, value, kind)
        except ValueError as advice:
            self.bad(path, str(advice))
            return None
        if kind == "list" and (twice := sorted({name for name in taken if taken.count(name) > 1})[:3]):
            self.bad(path, f"{', '.join(map(repr, twice))} appears twice.")
        return taken


def _taken(path: Path, value: Any, kind: Kind) -> Any:
    """Return the value if it is of the wanted kind. Raises ValueError with what to write instead."""
    if kind == "list":
        most = FORMAT["most"].get(dotted(path), 1_000)
        if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value):
            raise ValueError('write a list of texts, such as ["benign", "malignant"].')
        if len(value) > most:
            raise ValueError(f"it has {len(value):,} entries, at most {most:,} are allowed.")
        return tuple(shortened(v, NAME_LENGTH) for v in value)
    if kind == "number":
        if type(value) not in (int, float) or not abs(value) < 1e300 or (path[-1] == "weight" and value < 0):
            raise ValueError(f"write a number{', 0 or more' * (path[-1] == 'weight')}.")
        return value
    longest = TEXT_LENGTH if kind == "text" else NAME_LENGTH
    if not isinstance(value, str) or not (text := shortened(value, longest)).strip():
        raise ValueError('write a text in quotes, such as "stage".')
    if len(value) > longest:
        raise ValueError(f"it has {len(value):,} characters; at most {longest:,} are allowed.")
    if isinstance(kind, list) and text not in kind:
        raise ValueError(f"{text!r} is not one of {', '.join(kind)}.{did_you_mean(nearest(text, kind))}")
    return text


LARGEST = 256_000
"""Maximum bytes of a file."""
MOST_REGIONS, MOST_METRICS = 1_000, 50
ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
MARKUP = re.compile(r"[\[\]<>`$|\\]|://|www\.")
"""Pattern of characters that pages would interpret as markup or a link."""


def parse(data: bytes | str, name: str) -> Declaration:
    """Parse a challenge file. Raises InputRefused with every problem."""
    tree, lines = read_toml(data, name, LARGEST, FORMAT["syntax"])
    return parse_tree(tree, name, lines)


def parse_tree(
    tree: Mapping[str, Any], name: str, lines: Mapping[Path, int] = MappingProxyType({(): 1})
) -> Declaration:
    """Return the declaration that parsed TOML, or the JSON of a stored declaration, contains. Raises
    InputRefused with every problem."""
    keys = KeyReader(name, tree, lines)
    for path, message in hidden_characters(tree):
        keys.bad(path, message)
    keys.unknown((), tree, KEYS[""])
    top, about = keys.values(""), _about(keys)
    keys.required(("task",), f"write one of {', '.join(TASKS)}.")
    # The rest is checked as of the task that was probably meant.
    task = top.get("task") or nearest(tree.get("task", ""), TASKS)
    classes, positive = _classes(keys, task)
    regions = _regions(keys, task, classes)
    truth, predictions = _truth(keys, task), _predictions(keys, task, classes, positive)
    subgroups = keys.values("subgroups").get("columns", ())
    score, report = _MetricReader(keys, task, tuple(regions) or classes, predictions).uses()
    ranking = _ranking(keys, [use.key for use in (*score, *report)])
    if keys.problems:
        raise InputRefused(keys.problems)
    digest = hashlib.sha256(json.dumps(tree, sort_keys=True).encode()).hexdigest()
    read = (about, task, classes, positive, regions, truth, predictions, subgroups, score, report, ranking)
    return Declaration(*read, tree, digest)


def _about(keys: KeyReader) -> parts.ChallengeIdentity:
    top = keys.values("")
    keys.required(("id",), 'give it a short name, such as id = "camelyon17".')
    keys.required(("title",), 'give it a title, such as title = "CAMELYON17: pN stage".')
    for key in ("title", "about"):
        advice = "write plain words, without addresses and without [ ] < > ` $ | \\."
        keys.bad((key,), advice, MARKUP.search(top.get(key, "")))
    challenge_id = top.get("id", "")
    is_wrong = challenge_id and not ID.fullmatch(challenge_id)
    keys.bad(("id",), "write 1 to 48 small letters, digits and hyphens.", is_wrong)
    words = (top.get("title", challenge_id), top.get("about", ""), top.get("source", ""))
    return parts.ChallengeIdentity(challenge_id, *words, keys.values("cite"))


def _classes(keys: KeyReader, task: str) -> tuple[tuple[str, ...], str | None]:
    top = keys.values("")
    if TASKS.get(task, {}).get("classes") and not keys.tree.get("regions"):
        of_masks = "write [regions] and below it the values of each region, such as tumor = [1, 4]."
        of_tables = "name the classes. If the classes have an order, name them in this order."
        keys.required(("classes",), of_masks if task == "segmentation" else of_tables)
    classes, positive = top.get("classes", ()), top.get("positive")
    advice = "a classification needs two classes or more: name them."
    keys.bad(("classes",), advice, task in GRADED and len(classes) == 1)
    keys.known(("positive",), positive, classes)
    return classes, positive if positive in classes else None


def _regions(keys: KeyReader, task: str, classes: tuple[str, ...]) -> Mapping[str, tuple[int, ...]]:
    """Return the mask values of each region. Without [regions], class k has the value k + 1."""
    if task != "segmentation":
        keys.refuse(
            "unknown-key", ("regions",), "only segmentation has regions.", task and "regions" in keys.tree
        )
        return {}
    written = keys.section("regions")
    if len(written) > MOST_REGIONS:
        keys.bad(("regions",), f"at most {MOST_REGIONS:,} regions are allowed.")
        return {}
    keys.bad(("classes",), "give classes or [regions], not both.", written and classes)
    regions = {}
    for name, values in written.items():
        wanted = values if isinstance(values, list) else [values]
        if not wanted or any(type(v) is not int or not 0 < v < 65_536 for v in wanted):
            keys.bad(
                ("regions", name),
                "list the region's values in the masks, such as [1, 2, 4]; 0 is the background.",
            )
            continue
        regions[name] = tuple(sorted(set(wanted)))
    return regions or {name: (k + 1,) for k, name in enumerate(classes)}


def _truth(keys: KeyReader, task: str) -> parts.TruthColumns:
    read, facts = dict(keys.values("truth")), TASKS.get(task, {})
    if task != "segmentation":
        keys.required(("truth", "case"), "name the column of the case id.")
    for section in ("truth", "predictions"):
        for key, column in facts.get(section, {}).items():
            if "needed" in column:
                keys.required((section, key), column["needed"])
    one_hot = read.pop("columns", None)
    advice = 'name the column of the class, or write columns = "classes" for a column of 0 and 1 per class.'
    keys.refuse(
        "missing-key", ("truth", "label"), advice, task in GRADED and ("label" in read) == bool(one_hot)
    )
    lengths, n = facts.get("axes", []), len(read.get("places", ()))
    allowed = " or ".join(map(str, lengths)) or "no"
    wrong = task and n and n not in lengths
    keys.bad(("truth", "places"), f"the task {task} needs {allowed} columns here.", wrong)
    is_other = task not in ("", "boxes") and "boxes" in keys.section("truth")
    keys.refuse(
        "unknown-key", ("truth", "boxes"), "only challenges of the task boxes have this key.", is_other
    )
    return parts.TruthColumns(**read | ({"label": None} if one_hot else {}))


def _predictions(
    keys: KeyReader, task: str, classes: tuple[str, ...], positive: str | None
) -> parts.PredictionColumns:
    read = dict(keys.values("predictions"))
    label, score = read.get("label"), read.get("score")
    scores = "scores" in read or task == "multilabel"
    if task in GRADED:
        advice = 'name the column of the class (label) or of one score (score), or write scores = "classes".'
        keys.refuse("missing-key", ("predictions", "label"), advice, not (label or score or scores))
    if task in GRADED and score:
        keys.bad(("predictions", "score"), "give score or scores, not both.", scores)
        advice = (
            f"one column of scores can distinguish only two classes, but there are {len(classes)}. Instead "
            'of score, write scores = "classes", and give one column of scores per class.'
        )
        keys.bad(("predictions", "score"), advice, len(classes) > 2)
        is_unnamed = positive is None and "positive" not in keys.tree
        keys.refuse("missing-key", ("positive",), "name the class that the score belongs to.", is_unnamed)
    advice = f"the task {task} has no worst possible prediction: write refuse or ignore instead of worst."
    has_none = read.get("missing") == "worst" and task and not TASKS[task].get("worst")
    keys.bad(("predictions", "missing"), advice, has_none)
    threshold = 0.5 if score or task == "multilabel" else None
    usual = {"case": keys.values("truth").get("case", "case"), "threshold": threshold}
    return parts.PredictionColumns(**usual | read | {"scores": scores})


def _ranking(keys: KeyReader, known: Sequence[str]) -> parts.RankingRule:
    rule, at = parts.RankingRule(**keys.values("ranking")), ("ranking", "metrics")
    for name in rule.metrics:
        if known and name not in known and all(p.code != "unknown-metric" for p in keys.problems):
            near = did_you_mean(nearest(name, known))
            keys.bad(at, f"{name!r} is not one of the metrics: {', '.join(known)}.{near}")
    is_one = bool(known) and rule.by == "mean_rank" and len(rule.metrics or known) < 2
    keys.bad(("ranking", "by"), "a mean of ranks needs at least two metrics.", is_one)
    return rule


@dataclass(frozen=True)
class _MetricReader:
    """Reads the metrics of one declaration; `keys` collects the problems. `task` is "" if it is unknown.
    `seen` contains the metrics of each section, to find duplicates. Stored declarations have no line numbers,
    and may contain duplicates."""

    keys: KeyReader
    task: str
    names: tuple[str, ...]
    predictions: parts.PredictionColumns
    seen: set[tuple[str, str]] = field(default_factory=set)

    def uses(self) -> tuple[tuple[MetricUse, ...], tuple[MetricUse, ...]]:
        """Return the metrics of the score, and the metrics that are only reported."""
        keys, at = self.keys, ("score", "parts")
        score, report = keys.section("score"), keys.tree.get("report", [])
        if not _is_tables(report):
            keys.bad(("report",), "write each metric below a heading [[report]].")
            report = []
        summands, n_problems = score.get("parts"), len(keys.problems)
        if summands is not None and (not summands or not _is_tables(summands)):
            keys.bad(at, 'write [{metric = "f2", weight = 60}, ...].')
        elif len(report) + len(summands or ()) > MOST_METRICS:
            keys.bad(("report",), f"at most {MOST_METRICS} metrics are allowed.")
        elif summands is not None and "metric" in score:
            keys.refuse("missing-key", ("score", "metric"), "give metric or parts, not both.")
        elif summands is None and "metric" not in score:
            near = [f" Did you mean metric in place of {key}?" for key in score if nearest("metric", [key])]
            advice = f'write metric = "...", or parts = [...] for a weighted sum.{"".join(near[:1])}'
            keys.refuse("missing-key", ("score", "metric"), advice)
        if len(keys.problems) > n_problems:
            return (), ()
        if summands is None:
            scored = [self._use(("score",), score, "score")]
        else:
            keys.unknown(("score",), score, KEYS["score"])
            scored = [self._use((*at, i), part, "part") for i, part in enumerate(summands)]
        reported = [self._use(("report", i), entry, "report") for i, entry in enumerate(report)]
        return self._weighted(tuple(filter(None, scored))), tuple(filter(None, reported))

    def _weighted(self, uses: tuple[MetricUse, ...]) -> tuple[MetricUse, ...]:
        """Return the parts of the score with weights that sum to 1."""
        at, total = ("score", "parts"), sum(use.weight for use in uses)
        if uses and total <= 0:
            self.keys.bad(at, "the weights sum to 0: give at least one weight above 0.")
            return uses
        words = ", ".join(f"{use.key} ({use.metric.better})" for use in uses)
        rule = "the parts of a sum must all be better when higher, or all better when lower"
        self.keys.bad(at, f"{rule}: {words}.", len({use.metric.better for use in uses}) > 1)
        return tuple(replace(use, weight=use.weight / total) for use in uses)

    def _use(self, path: Path, table: Mapping[str, Any], section: str) -> MetricUse | None:
        """Return a metric with its options; None if no metric has this name."""
        at, known, keys = (*path, "metric"), KEYS[section], self.keys
        is_there = keys.required(at, "name a metric; `benchside metrics` lists them.", table)
        name = keys.value(at, table["metric"], known["metric"]) if is_there else None
        if name is None:
            return None
        try:
            metric = registry.find(self.task, name)
        except KeyError as unknown:
            keys.refuse("unknown-metric", at, str(unknown.args[0]))
            every = (option for metric in registry.METRICS for option in metric.parameters)
            keys.unknown(path, table, dict.fromkeys([*known, *every]))
            return None
        if not self.task:
            return None
        keys.unknown(path, table, (*known, *metric.parameters))
        options = {key: table[key] for key in metric.parameters if key in table}
        for key, problem in metric.problems(options).items():
            keys.bad((*path, key), f"it {problem}.")
            del options[key]
        self._check(path, metric, options)
        weight = keys.value((*path, "weight"), table.get("weight", 1), "number") if "weight" in known else 1
        key = key_of(metric, options)
        keys.bad(at, f"{key} appears twice.", (section, key) in self.seen and len(keys.lines) > 1)
        self.seen.add((section, key))
        return MetricUse(metric, key, options, 1.0 if weight is None else float(weight))

    def _check(self, path: Path, metric: Metric, options: Mapping[str, Any]) -> None:
        """Refuse a metric that is undefined for the declared task, classes or predictions."""
        keys, at, of, n = self.keys, (*path, "metric"), options.get("class"), len(self.names)
        keys.known((*path, "class"), of, self.names)
        both = "average" in options and of is not None and self.task != "segmentation"
        keys.bad((*path, "average"), "give average or class, not both.", both)
        if "average" in metric.parameters and of is None and "average" not in options and self.task in GRADED:
            advice = f'has one value for each of {n} classes: write average = "macro", or class = "...".'
            keys.refuse("missing-key", at, f"{metric.name} {advice}", n > 2)
            is_unnamed = 0 < n <= 2 and "positive" not in keys.tree and not self.predictions.score
            advice = f"name the positive class, which {metric.name} needs."
            keys.refuse("missing-key", ("positive",), advice, is_unnamed)
        lacks_scores = not (self.predictions.scores or self.predictions.score)
        needs_them = metric.needs in ("scores", "probabilities")
        advice = (
            f"{metric.name} needs scores, but [predictions] names no column of scores: add score or scores."
        )
        keys.bad(at, advice, needs_them and lacks_scores)


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def key_of(metric: Metric, options: Mapping[str, Any]) -> str:
    """Return the name of a metric in scorecards, such as "f1_macro" or "dice_whole_tumour"."""
    told = (f"{v:g}" if isinstance(v, float) else str(v) for v in options.values())
    return "_".join([metric.name, *(re.sub(r"[\s/]+", "_", text) for text in told)])
