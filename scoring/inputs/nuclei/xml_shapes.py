"""Reads outlines in XML files of annotation tools as cells of each image.

Sources of the formats:
    ASAP (annotation/XmlRepository.cpp): Annotation with PartOfGroup, Coordinate with X and Y.
    Aperio ImageScope, as MoNuSeg and MoNuSAC use it, and HALO: Annotation with Name, or with the class in an
        Attribute; Region, and Vertex or V with X and Y. Those with NegativeROA="1" are holes.
    CVAT for images 1.1 (cvat-ai/datumaro, tests/assets/cvat_dataset): image with name; polygon, polyline and
        points with label and points="x,y;x,y", box and ellipse, and mask with rle by rows of a box.
    Pascal VOC (tests/assets/voc_dataset): object with name, bndbox, and with polygon of Roboflow.
"""

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from scoring.common.findings import InputRefused, error
from scoring.inputs.nuclei import run_lengths
from scoring.inputs.nuclei.contents import NUCLEI, too_large
from scoring.inputs.nuclei.foreign import CONFIDENCES, corners
from scoring.inputs.nuclei.point_tables import number, outline
from scoring.inputs.tables import key

ENDINGS = (".xml", ".annotations")
ROOTS = ("annotations", "asap_annotations", "annotation")
IN_IMAGE = ("polygon", "polyline", "points", "box", "ellipse", "mask")
SHAPES = ("region", "annotation", "object", *IN_IMAGE)
ELEMENTS, DEPTH = 4_000_000, 32
HOW = "Export the nuclei again, as XML in UTF-8 without a document type."
BOXES = (("xtl", "ytl", "xbr", "ybr"), ("xmin", "ymin", "xmax", "ymax"))
IN_BOX = ("left", "top", "width", "height")
CENTRED = ("cx", "cy", "rx", "ry")


class _Refused(Exception):
    """XML that is not read, with why in words."""


class _Shapes(ElementTree.TreeBuilder):
    """Takes cells out of elements as they end, so that no tree of all of them is held.

    Attributes:
        cells: Name of the image ("": that of the file) -> its cells.
    """

    def __init__(self) -> None:
        super().__init__()
        self.cells: dict[str, list[dict[str, Any]]] = {}
        self.count = 0
        self._open: list[Element] = []

    def start(self, tag: str, attributes: dict[str, str]) -> Element:
        """Process the start of an XML element. Raises InputRefused if elements are nested too deeply."""
        element: Element = super().start(tag, attributes)
        self._open.append(element)
        if len(self._open) > DEPTH:
            raise _Refused(f"its elements are nested more than {DEPTH} deep.")
        if len(self._open) == 1 and tag.lower() not in ROOTS:
            raise _Refused("")
        if tag == "image":
            self.cells.setdefault(attributes.get("name", ""), [])
        return element

    def end(self, tag: str) -> Element:
        """Process the end of an XML element. Elements that are shapes become cells."""
        element: Element = super().end(tag)
        self._open.pop()
        if tag.lower() in SHAPES and self._is_shape(element):
            image = next((holder.get("name", "") for holder in self._open if holder.tag == "image"), "")
            self.count += 1
            self.cells.setdefault(image, []).append(_cell(element, self._open))
            element.clear()
        elif element.get("NegativeROA") == "1":
            element.clear()
        return element

    def _is_shape(self, element: Element) -> bool:
        tag = element.tag.lower()
        if tag == "annotation":
            return bool(self._open) and element.find("Coordinates") is not None
        in_image = any(holder.tag == "image" for holder in self._open)
        return element.get("NegativeROA") != "1" and (tag not in IN_IMAGE or in_image)


def cells_of(data: bytes, name: str) -> dict[str, list[dict[str, Any]]] | None:
    """Return the cells of each image in an XML file; None for XML of other tools. The key "" stands for the
    image that the file is named after. Raises InputRefused if the file is broken, or has content that no such
    tool writes."""
    try:
        shapes = _read(data)
    except _Refused as refused:
        if str(refused):
            raise InputRefused([error("bad-submission", name, f"{refused} {HOW}")]) from None
        return None
    if shapes.count > NUCLEI:
        raise InputRefused([too_large(name, shapes.count)])
    return shapes.cells or {"": []}


def _read(data: bytes) -> _Shapes:
    if data.count(b"<") > 2 * ELEMENTS:
        raise _Refused(f"it has more than {ELEMENTS:,} elements.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise _Refused(f"byte {fault.start} is not UTF-8.") from None
    if "<!DOCTYPE" in text or "<!ENTITY" in text:  # entities can grow without end, and reach other files
        raise _Refused("it has a document type.")
    shapes = _Shapes()
    parser = ElementTree.XMLParser(target=shapes)
    try:
        parser.feed(text)
        parser.close()
    except ElementTree.ParseError as fault:
        line, column = fault.position
        raise _Refused(f"line {line}, column {column + 1}: it is not XML; was the file cut off?") from None
    return shapes


def _cell(element: Element, holders: list[Element]) -> dict[str, Any]:
    kind = next((name.strip() for name in _names(element, holders) if name and name.strip()), None)
    return {"contour": _outline(element), "type": kind, "type_prob": number(_confidence(element))}


def _names(element: Element, holders: list[Element]) -> Iterator[str | None]:
    """Yield where the class of a shape may be, the usual place first."""
    yield from (element.get("label"), element.get("PartOfGroup"), element.findtext("name"))
    layer = next((holder for holder in holders[::-1] if holder.tag == "Annotation"), None)
    if layer is not None:
        yield layer.get("Name")
        for attribute in layer.iterfind("Attributes/Attribute"):
            yield attribute.get("Value")
            yield None if attribute.get("Name") == "Description" else attribute.get("Name")
    yield element.get("Text")


def _confidence(element: Element) -> str | None:
    values = {key(part.get("name", part.tag)): part.text for part in element}
    return next((values[name] for name in CONFIDENCES if values.get(name)), None)


def _outline(element: Element) -> list[list[Any]] | None:
    listed = element.get("points")
    if listed is not None:
        ring = outline(listed)
        return corners([*ring[0], *ring[0]]) if element.tag == "points" and ring and len(ring) == 1 else ring
    if element.get("rle") is not None:
        return run_lengths.outline_in_box(element.get("rle", ""), *map(element.get, IN_BOX))
    if element.get("cx") is not None:
        x, y, *radii = (number(element.get(name)) for name in CENTRED)
        is_ellipse = all(isinstance(value, float) for value in (x, y, *radii))
        return (
            corners([x - radii[0], y - radii[1], x + radii[0], y + radii[1]]) if is_ellipse else [[x, *radii]]
        )
    drawn = [[number(part.get("X")), number(part.get("Y"))] for part in element.iter() if part.get("X")]
    if drawn:
        return corners([*drawn[0], *drawn[1]]) if len(drawn) == 2 else drawn
    ring = [number(part.text) for part in element.iterfind("polygon/*")]
    if ring:
        return [list(pair) for pair in zip(ring[::2], ring[1::2], strict=False)]
    for names in BOXES:
        texts = [element.get(name, element.findtext(f"bndbox/{name}")) for name in names]
        if None not in texts:
            return corners([number(text) for text in texts])
    return None
