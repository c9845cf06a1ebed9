"""Makes arrays of nuclei from the items of a file, and findings about the items that are left out."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.findings import Finding, error, note, warning
from scoring.common.text import shortened
from scoring.common.transport import crosses


@dataclass(frozen=True)
class Nuclei:
    """The n nuclei of a file in its order, read-only. Nuclei with fewer than three vertices or an unknown
    class are left out.

    Attributes:
        classes: Position in the list of class names, int8 [n].
        centroids: x and y in px, float64 [n, 2].
        confidences: Value of the first key that exists of `score`, `confidence`, `probability`; 1 if none
            exists; float64 [n].
        scores: Value of the key `score`; 1 if it does not exist; float64 [n].
        numbers: Position of each nucleus in the file's own list, int32 [n].
        vertices: x and y in px of the vertices of all outlines, in one array, float32 [v, 2]. They are only
            for drawing: very long outlines are thinned.
        starts: Start of each outline in `vertices`, uint32 [n + 1]; equal neighbours mean that a nucleus has
            no outline.
    """

    classes: Ints
    centroids: Floats
    confidences: Floats
    scores: Floats
    numbers: Ints
    vertices: Floats
    starts: Ints

    def __post_init__(self) -> None:
        for field in fields(self):
            getattr(self, field.name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.classes)

    def outside(self, size: Ints | tuple[int, int]) -> Bools:
        """Return which centroids are outside an image with `size` = (width, height) in px, bool [n]. The
        edges of the image count as inside."""
        beyond: Bools = (self.centroids < 0) | (self.centroids > size)
        return beyond[:, 0] | beyond[:, 1]

    @classmethod
    def empty(cls) -> "Nuclei":
        """Return an empty list of nuclei."""
        return cls(
            np.empty(0, np.int8),
            np.empty((0, 2)),
            np.empty(0),
            np.empty(0),
            np.empty(0, np.int32),
            np.empty((0, 2), np.float32),
            np.zeros(1, np.uint32),
        )


DRAWN_VERTICES = 10_000
"""Number of vertices above which an outline is thinned for drawing."""


def centroids(points: Floats, lengths: Ints) -> Floats:
    """Return the arithmetic mean of each outline's vertices, summed in order.

    A closing vertex that is listed again counts twice (see `without_closing_vertices`).

    Args:
        points: Vertices of all outlines in one array [v, 2].
        lengths: Number of vertices of each outline, above 0 [n].

    Returns:
        Centroids [n, 2].
    """
    outline = np.repeat(np.arange(len(lengths)), lengths)
    # bincount adds in order, so that the sums are those of a plain loop; reduceat adds pairwise
    sums = [np.bincount(outline, np.ascontiguousarray(points[:, axis]), len(lengths)) for axis in (0, 1)]
    means: Floats = np.stack(sums, axis=1) / lengths[:, None]
    return means


def area(ring: Sequence[Sequence[float]]) -> float:
    """Return the area of a ring in px^2 by the shoelace formula, in either direction. The area is 0 below
    three vertices, and infinite on overflow."""
    if len(ring) < 3:
        return 0.0
    x, y = np.array([[float(x), float(y)] for x, y, *_ in ring]).T
    with np.errstate(over="ignore", invalid="ignore"):
        x, y = x - x[0], y - y[0]
        doubled = float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))))
    return doubled / 2 if np.isfinite(doubled) else np.inf


def largest(rings: Sequence[Sequence[Sequence[float]]]) -> Sequence[Sequence[float]]:
    """Return the ring with the largest area, the first one on a tie."""
    return rings[0] if len(rings) == 1 else max(rings, key=area)


def thinned(points: Floats, lengths: Ints) -> tuple[Floats, Ints]:
    """Return points and lengths with at most DRAWN_VERTICES per outline. Of a longer outline, every k-th
    vertex is kept."""
    if not (lengths > DRAWN_VERTICES).any():
        return points, lengths
    ends = np.cumsum(lengths)
    steps = np.maximum(1, -(-lengths // DRAWN_VERTICES))
    rings = [
        points[end - length : end : step] for end, length, step in zip(ends, lengths, steps, strict=True)
    ]
    return np.concatenate(rings), np.array([len(ring) for ring in rings])


PATH = 200
"""Maximum number of characters of a path in messages."""
NUCLEI = 100_000
VERTICES = 3
SHOWN = 5
UNKNOWN = -1
POLYGONS, FEATURES = "polygons", "features"
"""Key of the list of nuclei in Grand Challenge's format "Multiple polygons", and in GeoJSON."""
CONFIDENCE = ("score", "confidence", "probability")

Classify = Callable[[str], int | None]
"""Function from a class name in a file to its position in the list of classes; None for an unknown name."""


@crosses
@dataclass(frozen=True)
class NucleusList:
    """The n well-formed items of a file's list, in order.

    Attributes:
        key: Name of the list, "polygons", "nuclei" or "features".
        items: Number of all items of the list, including faulty ones.
        numbers: Positions in the list [n].
        names: Class names as written [n].
        confidence_keys: Key under which each confidence was found [n]; None if there is none.
        confidences: Confidences [n], 1 if missing.
        points: Vertices of all items, or one centroid each if `outlined` is false, float64 [v, 2].
        lengths: Number of points of each item [n].
        outlined: Whether items have outlines.
        unnamed: Whether an item lacks the key `name`.
    """

    key: str
    items: int
    numbers: Sequence[int]
    names: Sequence[str]
    confidence_keys: Sequence[str | None]
    confidences: Sequence[float]
    points: Floats
    lengths: Ints
    outlined: bool
    parted: Sequence[int] = ()
    unnamed: bool = False


def without_closing_vertices(listed: NucleusList) -> NucleusList:
    """Return a copy in which outlines do not repeat their first vertex at the end."""
    ends = np.cumsum(listed.lengths)
    starts = ends - listed.lengths
    longer = np.flatnonzero(np.asarray(listed.lengths) > 1)
    closed = longer[(listed.points[starts[longer]] == listed.points[ends[longer] - 1]).all(1)]
    lengths = np.array(listed.lengths)
    lengths[closed] -= 1
    return replace(listed, points=np.delete(listed.points, ends[closed] - 1, axis=0), lengths=lengths)


@dataclass(frozen=True)
class NucleiFile:
    """Content of one file.

    Attributes:
        key: Name of the file's list; "" if nothing could be read.
        names: Class name as it is written -> number of its nuclei with at least three vertices.
        unknown: Unknown class name -> positions of its nuclei in the file's list. These nuclei are left out.
        confidence_keys: Key of a confidence -> number of nuclei with this key.
        problems: Errors; if there are any, `nuclei` is incomplete.
        unnamed: Whether an item lacks the key `name`.
    """

    nuclei: Nuclei
    key: str = ""
    items: int = 0
    names: Mapping[str, int] | None = None
    unknown: Mapping[str, tuple[int, ...]] | None = None
    confidence_keys: Mapping[str, int] | None = None
    problems: tuple[Finding, ...] = ()
    findings: tuple[Finding, ...] = ()
    unnamed: bool = False


def same_name(where: str, *images: str) -> Finding:
    """Return the finding `duplicate-case` about images with the same name.

    Args:
        where: Name of the file or folder with the images.
        images: Paths of the images.
    """
    text = f"{' and '.join(shortened(image, PATH) for image in images)} have the same name, but nuclei"
    return error(
        "duplicate-case", where, f"{text} are matched to images by name. Keep one image, or rename an image."
    )


def too_large(where: str, items: int) -> Finding:
    """Return the finding `too-large` about a file with more than `NUCLEI` items."""
    return error("too-large", where, f"it lists {items:,} nuclei; a case may have at most {NUCLEI:,}.")


def contents(
    listed: NucleusList, where: str, classify: Classify, left_out: str, problems: Iterable[Finding] = ()
) -> NucleiFile:
    """Return the nuclei of a list as arrays, without those that are left out.

    Args:
        left_out: End of the message about nuclei with too few vertices.
    """
    lengths, numbers = np.asarray(listed.lengths, np.intp), np.asarray(listed.numbers, np.int32)
    enough = lengths >= VERTICES if listed.outlined else np.ones(len(lengths), bool)
    class_of = {name: classify(name) for name in set(listed.names)}
    code_of = {name: UNKNOWN if code is None else code for name, code in class_of.items()}
    codes = np.fromiter(map(code_of.__getitem__, listed.names), np.int8, len(listed.names))
    counting = enough & (codes != UNKNOWN)
    unknown: dict[str, list[int]] = {}
    for index in np.flatnonzero(enough & (codes == UNKNOWN)).tolist():
        unknown.setdefault(listed.names[index], []).append(int(numbers[index]))
    confidences = np.array(listed.confidences, float)
    scores = np.where([key == "score" for key in listed.confidence_keys], confidences, 1.0)
    points, keys = listed.points, list(listed.confidence_keys)
    if not counting.all():
        points, lengths = points[np.repeat(counting, lengths)], lengths[counting]
        codes, confidences, scores, numbers = (
            codes[counting],
            confidences[counting],
            scores[counting],
            numbers[counting],
        )
        keys = list(itertools.compress(keys, counting))
    keyed = Counter(keys)
    drawn, drawn_lengths = (
        thinned(points, lengths) if listed.outlined else (np.empty((0, 2)), np.zeros_like(lengths))
    )
    nuclei = Nuclei(
        codes,
        centroids(points, lengths),
        confidences,
        scores,
        numbers,
        drawn.astype(np.float32),
        np.concatenate(([0], np.cumsum(drawn_lengths))).astype(np.uint32),
    )
    return NucleiFile(
        nuclei,
        listed.key,
        listed.items,
        Counter(itertools.compress(listed.names, enough)),
        {name: tuple(places) for name, places in unknown.items()},
        {key: count for key, count in keyed.items() if key is not None},
        tuple(problems),
        tuple(_findings(listed, where, nuclei, enough, lengths, left_out)),
        listed.unnamed,
    )


def positions(key: str, numbers: Iterable[int]) -> str:
    """Return the first few positions in a file's list as text."""
    numbers = list(numbers)
    return ", ".join(f"{key}[{i}]" for i in numbers[:SHOWN]) + (", ..." if len(numbers) > SHOWN else "")


def counted(numbers: Sequence[object] | Ints) -> str:
    """Return a count as text, such as "3 nuclei"."""
    return f"{len(numbers):,} {'nucleus' if len(numbers) == 1 else 'nuclei'}"


def _findings(
    listed: NucleusList, where: str, nuclei: Nuclei, enough: Bools, lengths: Ints, left_out: str
) -> Iterable[Finding]:
    def named(numbers: Iterable[int]) -> str:
        numbers = list(numbers)
        return f"{counted(numbers)} ({positions(listed.key, numbers)})"

    few = np.asarray(listed.numbers)[~enough]
    if len(few):
        message = f"Benchside leaves out {named(few)} with fewer than {VERTICES} vertices{left_out}"
        yield warning("too-few-points", where, message)
    if listed.parted:
        message = (
            f"Benchside reads only the largest part of {named(listed.parted)} in several parts "
            "(MultiPolygon)."
        )
        yield note("multipolygon", where, message)
    long = nuclei.numbers[lengths > DRAWN_VERTICES]
    if len(long):
        message = (
            f"Benchside scores all vertices but draws fewer of {named(long)} with more than "
            f"{DRAWN_VERTICES:,} vertices."
        )
        yield warning("many-vertices", where, message)
    outside = (nuclei.confidences < 0) | (nuclei.confidences > 1)
    if outside.any():
        value = nuclei.confidences[outside][0]
        message = (
            f"Benchside uses the confidence of {named(nuclei.numbers[outside])} unchanged, "
            f"although it is outside 0 to 1 ({value:g})."
        )
        yield warning("confidence-range", where, message)
    again = nuclei.numbers[repeated(nuclei)]
    if len(again):
        message = (
            f"Benchside scores {named(again)}, although another nucleus of the same class has the "
            "same centroid."
        )
        yield warning("duplicate-centroids", where, message)


def repeated(nuclei: Nuclei) -> Bools:
    """Return which nuclei have the same class and exactly the same centroid as an earlier nucleus, bool
    [n]."""
    x, y = nuclei.centroids.T
    is_repeated = np.zeros(len(nuclei), bool)
    order = np.lexsort((y, x, nuclei.classes))
    same = (np.diff(x[order]) == 0) & (np.diff(y[order]) == 0) & (np.diff(nuclei.classes[order]) == 0)
    is_repeated[order[1:][same]] = True
    return is_repeated
