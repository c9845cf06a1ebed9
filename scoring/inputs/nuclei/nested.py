"""Finds nuclei in JSON of any structure, as cells of each image.

A value or a key names an image if it is a case of the truth or, without a truth, the name of a picture file.
A nucleus is an object with a class and a position, or entry i of several parallel lists.

Sources of the forms: supervision (json_sink.py), Datumaro, Cytomine (WKT), Custom Vision, Rekognition,
Labelbox, Hugging Face (object_detection.py), Vertex AI (bboxes as x, x, y, y), and HoVer-NeXt
(class_inst.json: number -> [class, [row, column]]).
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.inputs.case_ids import base_name, stem
from scoring.inputs.nuclei import point_tables, strict
from scoring.inputs.nuclei.contents import NUCLEI, PATH, too_large
from scoring.inputs.nuclei.foreign import CONFIDENCES, corners, vertices
from scoring.inputs.nuclei.via_label_studio_yolo import SLACK, Size
from scoring.inputs.tables import key

Item = dict[str, Any]
DEPTH = 24
LABELS = (
    *("class_name", "classname", "classtitle", "tagname", "termname", "category_name", "label", "name"),
    *("class", "category", "value", "label_id", "class_id", "category_id"),
)
OUTLINES = (
    *("polygon", "points", "contour", "location", "geometry", "box", "bbox", "bounding_box", "boundingbox"),
)
MIDDLES = ("centroid", "center", "centre", "point")
SIDES = ("left", "top", "width", "height")
BOX, FEW = 4, 3
"""Number of numbers that describe a box; minimum number of boxes from which the order of these numbers is
inferred."""
NAMED = ("labels", "categories", "classes", "names")
"""Keys of lists that contain the name of each class number."""


def cells_of(
    document: Any, image: str, sizes: Mapping[str, Size], classes: Collection[str], name: str
) -> tuple[dict[str, list[Item]], dict[str, str]] | None:
    """Return the cells of each image, and the names of numbered classes; None if the document contains no
    cells.

    Args:
        image: Image of all nuclei, which is used if nothing in the document names images.
        sizes: Image id -> width and height in px; the key "" stands for all other images.
        classes: Names of classes, as `tables.key` writes them.

    Raises:
        InputRefused: If it is unclear which image a nucleus belongs to, or what the numbers of a box mean.
    """
    search = _Search(frozenset(filter(None, sizes)), classes, name)
    search.visit(document, None, 0)
    found = search.found if search.are_any else {}
    if None in found and len(found) > 1 and found[None]:
        text = (
            f"{len(found[None]):,} nuclei have no image name, but others do: name the image of each nucleus."
        )
        raise InputRefused([error("bad-submission", name, text)])
    rest = found.pop(None, [])
    if rest and not found:
        found[image] = rest
    if not found:
        return None
    for case, listed in found.items():
        height = sizes.get(str(case), sizes[""])[1]
        for cell in listed:
            if cell.pop("from_bottom", False):
                cell["contour"] = point_tables.from_top(cell["contour"], height)
    cells = [cell for listed in found.values() for cell in listed]
    _order_boxes(cells, name)
    if cells and all(-SLACK <= number <= 1 + SLACK for cell in cells for number in _numbers(cell)):
        for case, listed in found.items():
            width, height = sizes.get(str(case), sizes[""])
            for cell in listed:
                _scale(cell, width, height)
    return {str(case): listed for case, listed in found.items()}, _class_names(document, 0)


class _Search:
    """Collects cells.

    Attributes:
        found: Image -> its cells, None where none is named.
        are_any: Whether nuclei, or lists of them, are among what was visited.
    """

    def __init__(self, cases: frozenset[str], classes: Collection[str], name: str) -> None:
        self.are_any = False
        self.found: dict[str | None, list[Item]] = {}
        self._cases, self._classes, self._name, self._count = cases, classes, name, 0

    def visit(self, node: Any, image: str | None, depth: int) -> bool:
        """Collect the cells in a JSON value, and return whether the value is a nucleus itself.

        Args:
            image: The image that is named above the value.

        Raises:
            InputRefused: If some entries of a list are nuclei and others are not.
        """
        if depth > DEPTH or not isinstance(node, (dict, list)):
            return False
        if isinstance(node, list):
            are_nuclei = [self.visit(entry, image, depth + 1) for entry in node]
            if any(are_nuclei) and not all(are_nuclei):
                first = are_nuclei.index(False)
                text = (
                    f"{are_nuclei.count(False):,} of {len(node):,} entries of a list have no class or no "
                    "position"
                )
                what = f"(entry {first}: {strict.quoted(node[first])}): write both, or leave the entries out."
                raise InputRefused([error("bad-nucleus", self._name, f"{text} {what}")])
            return False
        own = self._named(node)
        image = own or image
        if own:
            self.found.setdefault(own, [])
        items = _items(node, self._classes)
        if items is not None:
            self.are_any = True
            self._count += len(items)
            if self._count > NUCLEI * max(1, len(self._cases)):
                raise InputRefused([too_large(self._name, self._count)])
            self.found.setdefault(image, []).extend(items)
            return True
        for name, value in node.items():
            if isinstance(value, (dict, list)):
                of_key = self._image(name)
                if of_key:
                    self.found.setdefault(of_key, [])
                self.visit(value, of_key or image, depth + 1)
        return False

    def _named(self, node: Mapping[str, Any]) -> str | None:
        """Return the image that a text of an object names, or one of the objects in it."""
        own = {*filter(None, map(self._image, node.values()))}
        if len(own) > 1:
            listing = ", ".join(shortened(case, PATH) for case in sorted(own)[:FEW])
            text = (
                f"one entry names several images ({listing}): name only the image that contains the nuclei."
            )
            raise InputRefused([error("duplicate-case", self._name, text)])
        parts = [value for value in node.values() if isinstance(value, dict)]
        inner = {*filter(None, (self._image(text) for part in parts for text in part.values()))}
        return next(iter(own), next(iter(inner)) if len(inner) == 1 else None)

    def _image(self, text: Any) -> str | None:
        if not isinstance(text, str) or len(text) > 4 * PATH:
            return None
        if not self._cases:
            return stem(text) if point_tables.PICTURE.fullmatch(base_name(text)) else None
        return next((each for each in (base_name(text), stem(text)) if each in self._cases), None)


def _items(node: Mapping[str, Any], classes: Collection[str]) -> list[Item] | None:
    """Return the nuclei that an object is or lists side by side; None for another object."""
    named = {key(name): value for name, value in node.items()}
    labels = [named[each] for each in LABELS if isinstance(named.get(each), (str, int))]
    label = next((each for each in labels if key(str(each)) in classes), next(iter(labels), None))
    place = None if label is None else _place(named, 0)
    if place is not None:
        confidence = next((named[each] for each in CONFIDENCES if named.get(each) is not None), None)
        return [{**place, "type": label, "type_prob": confidence}]
    if node and all(map(_is_pair, node.values())):
        return [{"centroid": place[::-1], "type": kind} for kind, place in node.values()]
    return _side_by_side(named, classes)


def _is_pair(value: Any) -> bool:
    """Return whether a value is [class, [row, column]]."""
    is_two = isinstance(value, list) and len(value) == 2 and isinstance(value[0], (int, str))
    return is_two and strict.is_point(value[1]) and len(value[1]) == 2


def _place(named: Mapping[str, Any], depth: int) -> Item | None:
    """Return the outline, box or middle of an object, None without."""
    for name in OUTLINES:
        value = named.get(name)
        if isinstance(value, dict) and depth < FEW:
            inner = _place({key(each): part for each, part in value.items()}, depth + 1)
            if inner is not None:
                return inner
        if isinstance(value, str) and point_tables.WKT.match(value):
            from_bottom = point_tables.FOR_TOP_LEFT.issubset(named)
            return {"contour": point_tables.outline(value), "from_bottom": from_bottom}
        if isinstance(value, list) and value:
            if len(value) == BOX and all(map(strict.is_number, value)):
                return {"box": value}
            ring = vertices({"points": value})
            if isinstance(ring, list) and all(map(strict.is_point, ring)):
                return {"contour": ring}
    edges = [next((named[each] for each in names if each in named), None) for names in point_tables.BOX]
    if all(map(strict.is_number, edges)):
        return {"contour": corners(edges)}
    sides: list[Any] = [named.get(each) for each in SIDES]
    if all(map(strict.is_number, sides)):
        left, top, width, height = sides
        return {"contour": corners([left, top, left + width, top + height])}
    middle = next((named[each] for each in MIDDLES if each in named), None)
    middle = [middle.get("x"), middle.get("y")] if isinstance(middle, dict) else middle
    return {"centroid": middle} if strict.is_point(middle) else None


def _side_by_side(named: Mapping[str, Any], classes: Collection[str]) -> list[Item] | None:
    """Return the nuclei of lists of boxes, classes and confidences side by side; None of another object."""
    boxes = next((value for name, value in named.items() if "box" in name and isinstance(value, list)), None)
    if boxes is None or not all(isinstance(b, list) and len(b) == BOX for b in boxes):
        return None
    lists = {
        name: value
        for name, value in named.items()
        if isinstance(value, list) and value is not boxes and len(value) == len(boxes)
    }
    texts = [value for value in lists.values() if all(isinstance(each, str) for each in value)]
    kinds = next((value for value in texts if any(key(each) in classes for each in value)), None)
    shares = next((value for name, value in lists.items() if name.rstrip("s") in CONFIDENCES), None)
    if (boxes and kinds is None) or not all(
        map(strict.is_number, (number for box in boxes for number in box))
    ):
        return None
    rows = zip(boxes, kinds or [], shares or [None] * len(boxes), strict=True)
    return [{"box": box, "type": kind, "type_prob": share} for box, kind, share in rows]


def _order_boxes(cells: list[Item], name: str) -> None:
    """Make outlines of boxes of four numbers: corners, edges as x, x, y, y, or a corner, width and height;
    whichever fits all of them."""
    boxed = [cell for cell in cells if "box" in cell]
    boxes = [cell["box"] for cell in boxed]
    fits = {
        "corners": all(a <= c and b <= d for a, b, c, d in boxes),
        "edges": all(a <= b and c <= d for a, b, c, d in boxes),
    }
    if boxes and (all(fits.values()) or len(boxes) < FEW):
        text = "the four numbers of its boxes have no names: write xmin, ymin, xmax and ymax by name."
        raise InputRefused([error("bad-submission", name, text)])
    for cell in boxed:
        a, b, c, d = cell.pop("box")
        edges = [a, b, c, d] if fits["corners"] else [a, c, b, d] if fits["edges"] else [a, b, a + c, b + d]
        cell["contour"] = corners(edges)


def _numbers(cell: Item) -> Iterator[float]:
    outline = cell.get("contour") or [cell.get("centroid")]
    for point in outline if isinstance(outline, list) else [[float("inf")]]:
        yield from point[:2]


def _scale(cell: Item, width: float, height: float) -> None:
    for name in {"contour", "centroid"} & {*cell}:
        points = cell[name] if name == "contour" else [cell[name]]
        scaled = [[x * width, y * height] for x, y, *_ in points]
        cell[name] = scaled if name == "contour" else scaled[0]


def _class_names(node: Any, depth: int) -> dict[str, str]:
    """Return the first names of numbers of classes in a document: a list of texts, or of objects."""
    for name, value in node.items() if isinstance(node, dict) and depth < FEW else ():
        if name in NAMED and isinstance(value, list) and value:
            entries = [each if isinstance(each, dict) else {"name": each} for each in value]
            if all(isinstance(each.get("name"), str) for each in entries):
                return {str(each.get("id", n)): each["name"] for n, each in enumerate(entries)}
        names = _class_names(value, depth + 1)
        if names:
            return names
    return {}
