"""Files of nuclei with a fault or two, by a seed."""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

PLATFORM = (
    "nuclei_tumor",
    "nuclei_lymphocyte",
    "nuclei_plasma_cell",
    "nuclei_histiocyte",
    "nuclei_melanophage",
    "nuclei_neutrophil",
    "nuclei_stroma",
    "nuclei_epithelium",
    "nuclei_endothelium",
    "nuclei_apoptosis",
)
NAMES = (
    "tumor",
    "Nuclei_Tumor",
    " nuclei_tumor",
    "nuclei-tumor",
    "tumour",
    "lymphocytes",
    "nuclei_tumour",
    "x",
    "",
)
SCORES = (0, 1, 0.5, -1, 2, 1e300, 1e-300, None, "0.5", True, 0.69999999999999996)
POINTS: Sequence[Any] = (
    [],
    [[1, 2]],
    [[1, 2], [3, 4]],
    [[1, 2, 0], [3, 4, 0], [5, 9, 0]],
    [[1, 2], [3, 4, 0], [5, 9]],
    [[1, 2], [3], [5, 9]],
    [[1, 2], ["3", 4], [5, 9]],
    [[1, 2], [None, 4], [5, 9]],
    None,
    [[1e400, 2], [3, 4], [5, 9]],
    [[10**20, 2], [3, 4], [5, 9]],
    [[0.1, 0.2], [0.1, 0.2], [0.1, 0.2]],
)
Cases = dict[str, Any]
"""Documents by case."""


def square(random: Random, x: float, y: float) -> list[list[float]]:
    side = random.choice((4, 6.5))
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]


def image(random: Random, count: int) -> list[dict[str, Any]]:
    """Nuclei of a few classes, so that they meet."""
    return [
        {"name": random.choice(PLATFORM[:4]), "path_points": square(random, *random.choices(range(60), k=2))}
        for _ in range(count)
    ]


def moved(random: Random, items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Predictions near the nuclei, some lost and some of another class."""
    found = []
    for item in items:
        dx, dy = random.choice(((0, 0), (3, 4), (9, 12), (12, 9), (15, 0), (5, -5), (20, 0)))
        points = [[x + dx, y + dy] for x, y in item["path_points"]]
        if random.random() < 0.9:
            name = item["name"] if random.random() < 0.8 else random.choice(PLATFORM[:5])
            found.append({"name": name, "path_points": points, "score": random.choice((0.2, 0.5, 0.9))})
    return found


def sets(random: Random) -> tuple[Cases, Cases]:
    """A truth of three images and what was sent for it."""
    items = {f"t{i}": image(random, 6) for i in range(3)}
    return (
        {case: {"type": "Multiple polygons", "polygons": of_case} for case, of_case in items.items()},
        {case: {"polygons": moved(random, of_case)} for case, of_case in items.items()},
    )


def _items(random: Random, cases: Cases) -> list[dict[str, Any]]:
    """Items of one file, or of all."""
    files = list(cases.values())
    chosen = random.choice((files, [random.choice(files)]))
    return [item for file in chosen for item in file.get("polygons", file.get("nuclei", ())) or () if item]


def _some(random: Random, cases: Cases) -> list[dict[str, Any]]:
    items = _items(random, cases)
    return items if random.random() < 0.3 else items[:1]


def class_for_name(random: Random, cases: Cases) -> None:
    for item in _some(random, cases):
        if "name" in item:
            item["class"] = item.pop("name")


def no_name(random: Random, cases: Cases) -> None:
    for item in _some(random, cases):
        item.pop("name", None)


def other_name(random: Random, cases: Cases) -> None:
    name = random.choice(NAMES)
    for item in _some(random, cases):
        item["name"] = name


def plain_names(random: Random, cases: Cases) -> None:
    for item in _items(random, cases):
        if "name" in item:
            item["name"] = item["name"].removeprefix("nuclei_")


def score(random: Random, cases: Cases) -> None:
    key, value = random.choice(("score", "score", "confidence", "probability")), random.choice(SCORES)
    for item in _some(random, cases):
        item[key] = value


def no_score(random: Random, cases: Cases) -> None:
    for item in _items(random, cases):
        item.pop("score", None)


def points(random: Random, cases: Cases) -> None:
    value = random.choice(POINTS)
    for item in _some(random, cases):
        item["path_points"] = value


def few_points_without_name(random: Random, cases: Cases) -> None:
    for item in _some(random, cases):
        item["path_points"] = [[1, 2], [3, 4]]
        item.pop("name", None)


def twice(random: Random, cases: Cases) -> None:
    file = random.choice(list(cases.values()))
    if file.get("polygons"):
        file["polygons"].append(dict(file["polygons"][0]))
        file["polygons"][-1]["score"] = random.choice((0.1, 0.95))


def empty(random: Random, cases: Cases) -> None:
    cases[random.choice(list(cases))] = {"polygons": []}


def list_of_centroids(random: Random, cases: Cases) -> None:
    case = random.choice(list(cases))
    nuclei = [
        {"class": item.get("name"), "centroid": list(item["path_points"][0][:2])}
        for item in cases[case].get("polygons", ())
        if item.get("path_points")
    ]
    cases[case] = {"nuclei": nuclei}


def both_lists(random: Random, cases: Cases) -> None:
    random.choice(list(cases.values()))["nuclei"] = [{"class": "nuclei_tumor", "centroid": [5, 5]}]


def away(random: Random, cases: Cases) -> None:
    if len(cases) > 1:
        del cases[random.choice(list(cases))]


def more(random: Random, cases: Cases) -> None:
    cases["t9"] = {"polygons": image(random, 2)}


Fault = Callable[[Random, Cases], None]
FAULTS: Sequence[Fault] = (
    class_for_name,
    no_name,
    other_name,
    other_name,
    plain_names,
    score,
    score,
    no_score,
    points,
    points,
    few_points_without_name,
    twice,
    empty,
    list_of_centroids,
    both_lists,
    away,
    more,
)
PLAIN, MARK = "utf-8", "utf-8-sig"


def _file(random: Random, document: Any, is_odd: bool) -> bytes:
    text = json.dumps(document, indent=random.choice((None, 1)))
    if is_odd:
        text = random.choice((text, text + "x", text[:-1], "\n " + text + "\n"))
    return text.encode(random.choice((MARK, MARK, PLAIN, "utf-16")) if is_odd else PLAIN)


def odd(random: Random) -> tuple[dict[str, bytes], dict[str, bytes], tuple[str, ...]]:
    """Files of a truth and a submission by case, with one or two faults, and their names."""
    truth, sent = sets(random)
    faults = [random.choice(FAULTS) for _ in range(random.choice((0, 1, 1, 2)))]
    names = []
    for fault in faults:
        side = random.choice(("truth", "sent", "sent", "both"))
        same = random.randrange(2**32)
        for cases in {"truth": (truth,), "sent": (sent,), "both": (truth, sent)}[side]:
            fault(Random(same), cases)
        names.append(f"{fault.__name__} {side}")
    written = random.choice(list(sent)) if sent and not faults else None
    files = {case: _file(random, document, case == written) for case, document in sent.items()}
    return {case: _file(random, d, False) for case, d in truth.items()}, files, (*names, str(written))
