"""Reads tables with a row per nucleus: positions, boxes, outlines as text, or regions of VIA.

Sources of the formats:
    Outlines are WKT, as geopandas (`to_csv`) and Cytomine write them, the latter with its origin at the
        bottom left (Cytomine-python-client, examples/get_annotations.py), or pairs of numbers, as OMERO's
        Batch_ROI_Export.py and CVAT write them.
    HoVer-Net (convert_format.py, `to_qupath`) has an empty column `class` and the class in `name`.
    ilastik (opObjectClassification.py): `Predicted Class`, `Probability of` each class, and
        `Center of the object_0`, in <case>_table.csv.
    ImageJ (ij/measure/ResultsTable.java): `Label` is the image's name; napari (io/_write.py): axis-0, axis-1.
    napari's layers of shapes have a row for each vertex: index, shape-type, vertex-index, axis-0, axis-1.
    CellProfiler (modules/exporttospreadsheet.py, classifyobjects.py): `ImageNumber`, of which Image.csv gives
        the file, and a column `Classify_` of 0 and 1 for each class.
    supervision (csv_sink.py): x_min, y_min, x_max, y_max, class_name, confidence.
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scoring.common.findings import InputRefused, error
from scoring.common.fixes import renaming
from scoring.inputs.case_ids import ID_COLUMNS, stem
from scoring.inputs.nuclei import strict, via_label_studio_yolo
from scoring.inputs.nuclei.foreign import CONFIDENCES, KIND, corners
from scoring.inputs.nuclei.via_label_studio_yolo import Cells, Size
from scoring.inputs.tables import TextTable, key

X = ("x", "cx", "axis_1", "centroid_1", "center_of_the_object_0", "col", "column")
Y = ("y", "cy", "axis_0", "centroid_0", "center_of_the_object_1", "row")
BESIDE_AXIS = frozenset(
    (
        *("cell", "nucleus", "nuclear", "object", "position", "pos", "coordinate", "coord"),
        *("center", "centre", "centroid", "location", "px", "pixel", "pixels"),
    )
)
"""Words that names of columns with coordinates contain beside x or y."""
BOX = (
    *(("xmin", "x_min", "x1", "left"), ("ymin", "y_min", "y1", "top")),
    *(("xmax", "x_max", "x2", "right"), ("ymax", "y_max", "y2", "bottom")),
)
IN_MICROMETRES = tuple((f"centroid_{axis}_µm", f"centroid_{axis}_μm", f"centroid_{axis}_um") for axis in "xy")
OUTLINES = ("geometry", "wkt", "location", "polygon", "points", "outline", "contour")
IMAGES = (*ID_COLUMNS, "source", "#filename", "image_filename", "filename_he", "filename_image")
IMAGE_NAMES = tuple(name for name in IMAGES if "name" in name)
"""Columns of image names that are used if the first column of IMAGES contains numbers."""
KINDS = ("class", "classification", "class_name", "name", "termname", "term", "text", "phenotype", *KIND)
"""Columns of the class, in order of preference. `type` is last, because in Cytomine and OMERO it contains the
shape."""
OF_CLASS, TICKED = "probability_of_", "classify_"
"""Prefixes of columns of which each belongs to one class: columns of confidences, and columns of 0 and 1."""
NUMBER, FILE = ("imagenumber",), "filename_"
LABEL = "label"
PICTURE = re.compile(r".+\.(tiff?|png|jpe?g|bmp|svs|ndpi)(:.*)?", re.IGNORECASE)
"""Pattern of an image name in ImageJ's `Label`; a region's name may follow."""
VIA_SHAPES, VIA_ATTRIBUTES = ("region_shape_attributes",), ("region_attributes",)
WKT = re.compile(r"\s*(MULTI)?(POLYGON|POINT)\b", re.IGNORECASE)
"""Pattern of the start of a nucleus in WKT. Collections are not supported, because nested ones need a
recursive reader."""
BETWEEN = re.compile(r"[\s,;()\[\]]+")
"""Separators between the numbers of an outline."""
VERTEX, OBJECTS = "vertex_index", ("index", "shape_index", "polygon_index", "object_index")
"""Names of two columns in tables with a row per vertex: number of the vertex, and number of the outline."""
OBJECT_IDS = ("roi_id", "shape_id")
"""Columns that together identify an object; OMERO writes a row per object and channel."""
FOR_TOP_LEFT = {"location", "term"}
"""Columns of Cytomine, by which its tables are recognised."""
OF_OMERO = ("x", "y", "width", "height")
CLASS_NUMBERS, DISTINCT = 20, 2_000
"""Maximum different numbers in a column of classes, and maximum different texts in a column of images."""


def is_of_nuclei(table: TextTable) -> bool:
    """Return whether a table has columns of positions, boxes, outlines or regions of VIA."""
    return _are_places(table.keys) or _cells(table, OUTLINES, _is_outline) is not None


def _are_places(keys: Sequence[str]) -> bool:
    forms = ((X, Y), IN_MICROMETRES, BOX, (VIA_SHAPES, VIA_ATTRIBUTES))
    found = {*keys, *map(_axis, keys)}
    return any(all(set(names) & found for names in form) for form in forms)


def _axis(name: str) -> str:
    """Return the axis of a column of middles, "x" or "y"; the name of another column."""
    words = [word for word in name.split("_") if word not in BESIDE_AXIS]
    return words[0] if words in (["x"], ["y"]) else name


def is_of_one_image(header: str) -> bool:
    """Return whether a table lists positions and has no column of the image."""
    keys = _keys(header)
    return _are_places(keys) and {*IMAGES, *NUMBER}.isdisjoint(keys)


def has_class(header: str) -> bool:
    """Return whether a column of a table names classes."""
    keys = _keys(header)
    return not {*KINDS}.isdisjoint(keys) or any(each.startswith(TICKED) for each in keys)


def _keys(header: str) -> list[str]:
    return [key(cell.strip('"')) for cell in re.split(r"[,;\t]", header)]


def images_by_number(table: TextTable) -> dict[str, str]:
    """Return image number -> file, from CellProfiler's table of images; empty for another table."""
    numbers = _cells(table, NUMBER)
    files = _cells(table, [each for each in table.keys if each.startswith(FILE)])
    return dict(zip(numbers, files, strict=True)) if numbers and files else {}


def in_micrometres(table: TextTable) -> bool:
    """Return whether a table has positions only in µm."""
    x, y = (_middles(table, names) for names in (X, Y))
    um = [_cells(table, names) for names in IN_MICROMETRES]
    return x is None and y is None and None not in um and _cells(table, KINDS) is not None


def cells(
    table: TextTable,
    of_class: tuple[str, str | None],
    numbered: Mapping[str, str],
    sizes: Mapping[str, Size],
    classes: Collection[str] = (),
) -> Cells | None:
    """Return the cells of a table and the image of each cell; None for another kind of table.

    Args:
        table: A row for each nucleus.
        of_class: Image and class of all nuclei, for a table without columns for them.
        numbered: CellProfiler's image number -> image file.
        sizes: Image id -> width and height in px; the key "" stands for all other images.
        classes: Names of classes, as `tables.key` writes them.

    Raises:
        InputRefused: If two columns name different images, or different classes, for the same nucleus.
    """
    image, kind = of_class
    table = _once_each(table)
    shapes, attributes = (_cells(table, names) for names in (VIA_SHAPES, VIA_ATTRIBUTES))
    images, of_label = _images(table, numbered)
    if {stem(name) for name in images or ()}.isdisjoint(sizes):
        named = _by_values(table, "images", lambda text: bool(text) and stem(text) in sizes)
        images, of_label = (named, False) if named else (images, of_label)
    images = images or [re.sub(r"_table(?=\.\w+$)", "", image)] * len(table)
    if shapes is not None:
        return _of_via(images, shapes, attributes or [""] * len(table))
    outlines = _outlines(table, images, sizes)
    if outlines is None:
        return None
    kinds = _kinds(table, of_label, kind, classes)
    nothing: list[str | None] = [None] * len(table)
    confidences = _cells(table, CONFIDENCES) or _of_class(table, kinds) or nothing
    rows = zip(images, outlines, kinds, confidences, strict=True)
    return (
        (image, {**place, "type": kind, "type_prob": _share(confidence)})
        for image, place, kind, confidence in rows
    )


def _share(text: str | None) -> Any:
    """Return the number of a confidence, also of one in percent."""
    percent = number(text.removesuffix("%")) if text and text.endswith("%") else None
    return percent / 100 if isinstance(percent, float) else number(text)


def _by_values(table: TextTable, subject: str, fits: Callable[[str], bool]) -> list[str] | None:
    """Return the column of which most values fit, None without. Raises InputRefused where several such
    columns differ."""
    columns: dict[str, list[str]] = {}
    for place, name in enumerate(table.header):
        cells = table.cells(place)
        values = {*cells}
        if len(values) <= DISTINCT and 2 * sum(map(fits, values)) >= len(values):
            columns[name] = cells
    if len({tuple(map(key, map(stem, cells))) for cells in columns.values()}) > 1:
        listing = " and ".join(repr(name[:40]) for name in columns)
        text = f"columns {listing} name {subject}differently: leave out all but one of these columns."
        fixes = [renaming("column", tuple((n, "") for n in columns if n != name)) for name in columns]
        raise InputRefused([error("duplicate-column", table.header_place, text).with_fixes(*fixes)])
    return next(iter(columns.values()), None)


def _kinds(
    table: TextTable, of_label: bool, kind: str | None, classes: Collection[str]
) -> Sequence[str | None]:
    """Return the class of each row: by a column of a usual name, best one with names of classes; by any
    column with such names; by columns of 0 and 1 for classes; else `kind`."""
    usual = [name for name in KINDS if not (of_label and name == LABEL)]
    found = _cells(table, usual, lambda text: key(text) in classes) or _cells(table, usual)
    if found is not None and not all(map(str.isdecimal, found)):
        return found
    named = _by_values(table, "classes", lambda text: key(text) in classes) if kind is None else None
    few = found is not None and len({*found}) <= CLASS_NUMBERS  # more number the nuclei of each image
    if named and found and few and len({*zip(found, named, strict=True)}) > len({*found}):
        return found  # the numbers are not those of the names
    return named or _ticked(table, classes) or found or [kind] * len(table)


def _once_each(table: TextTable) -> TextTable:
    """Return a table with one row for each object: its outline in place of vertices, and none of the rows in
    which an object stands again."""
    ids = next(([name] for name in OBJECTS if name in table.keys and VERTEX in table.keys), [])
    ids = ids or [name for name in OBJECT_IDS if {*OBJECT_IDS} <= {*table.keys}]
    if not ids:
        return table
    images = _images(table, {})[0] or [""] * len(table)
    rows_of: dict[tuple[str, ...], list[int]] = {}
    for row, name in enumerate(zip(images, *(_cells(table, [each]) or images for each in ids), strict=True)):
        rows_of.setdefault(name, []).append(row)
    rows_once = [rows[0] for rows in rows_of.values()]
    columns = [[cells[row] for row in rows_once] for cells in map(table.cells, range(len(table.keys)))]
    header, keys = table.header, table.keys
    axes = [_middles(table, names) for names in (X, Y)]
    if VERTEX in keys and None not in axes:
        corners_of = [" ".join(pair).replace(",", ".") for pair in zip(*filter(None, axes), strict=True)]
        columns.append(["; ".join(corners_of[row] for row in rows) for rows in rows_of.values()])
        header, keys = (*header, OUTLINES[-1]), (*keys, OUTLINES[-1])
    lines = tuple(table.lines[row] for row in rows_once)
    return replace(table, header=header, keys=keys, columns=columns, lines=lines, ragged=frozenset())


def _images(table: TextTable, numbered: Mapping[str, str]) -> tuple[list[str] | None, bool]:
    """Return the image of each row, None without, and whether ImageJ's `Label` names it."""
    images = _cells(table, IMAGES)
    if images is not None:
        return (_cells(table, IMAGE_NAMES) or images if all(map(str.isdecimal, images)) else images), False
    numbers = _cells(table, NUMBER)
    if numbers is not None and (numbered or len({*numbers}) > 1):
        return [numbered.get(each, each) for each in numbers], False
    labels = _cells(table, (LABEL,)) or []
    found = [label.split(":")[0] for label in labels if PICTURE.fullmatch(label)]
    return (found, True) if found and len(found) == len(labels) else (None, False)


def _ticked(table: TextTable, classes: Collection[str]) -> list[str | None] | None:
    """Return the one class of each row whose column holds 1; None for a table without such columns."""
    places = [place for place, each in enumerate(table.keys) if each.startswith(TICKED)]
    places = places or [place for place, each in enumerate(table.keys) if each in classes]
    names = [re.sub(f"^{TICKED}", "", table.header[place], flags=re.IGNORECASE) for place in places]
    rows = [[number(cell) for cell in row] for row in zip(*map(table.cells, places), strict=True)]
    if not all(cell in (0, 1) for row in rows for cell in row):
        return None
    ticked = [[name for name, cell in zip(names, row, strict=True) if cell == 1] for row in rows]
    return [row[0] if len(row) == 1 else None for row in ticked] if places else None


def _of_class(table: TextTable, kinds: Sequence[str | None]) -> list[str] | None:
    """Return the confidence of the class of each row; None if not every class has a column of its own."""
    columns = {
        each.removeprefix(OF_CLASS): table.cells(place)
        for place, each in enumerate(table.keys)
        if each.startswith(OF_CLASS)
    }
    names = [key(kind or "") for kind in kinds]
    return [columns[name][row] for row, name in enumerate(names)] if {*names} <= {*columns} else None


def _of_via(images: Sequence[str], shapes: Sequence[str], attributes: Sequence[str]) -> Cells:
    read = via_label_studio_yolo.json_object
    for image, shape, attribute in zip(images, shapes, attributes, strict=True):
        if read(shape):
            yield image, via_label_studio_yolo.via_cell(read(shape), read(attribute))


def _outlines(
    table: TextTable, images: Sequence[str], sizes: Mapping[str, Size]
) -> Iterator[dict[str, Any]] | None:
    """Return the place of the nucleus of each row, None for a table without places."""
    texts = _cells(table, OUTLINES, _is_outline)
    if texts is not None and set(table.keys) >= FOR_TOP_LEFT:
        heights = (sizes.get(stem(image), sizes[""])[1] for image in images)
        rings = zip(map(outline, texts), heights, strict=True)
        return ({"contour": from_top(ring, height)} for ring, height in rings)
    if texts is not None:
        others = zip(*(_cells(table, (name,)) or [""] * len(table) for name in OF_OMERO), strict=True)
        return (
            {"contour": outline(text) if text.strip() else _of_omero(*map(number, other))}
            for text, other in zip(texts, others, strict=True)
        )
    places = [_middles(table, names) for names in (X, Y)]
    if None in places:
        places = [_cells(table, names) for names in IN_MICROMETRES]
    if None not in places:
        rows = zip(*(map(number, column or ()) for column in places), strict=True)
        return ({"centroid": list(row)} for row in rows)
    edges = [_cells(table, names) for names in BOX]
    if None in edges:
        return None
    boxes = zip(*(map(number, column or ()) for column in edges), strict=True)
    return ({"contour": corners(list(edge))} for edge in boxes)


def from_top(ring: Any, height: float) -> Any:
    """Convert an outline whose y is measured from the bottom of the image, so that y is measured from the
    top. A value that is no outline is returned unchanged.

    Args:
        ring: The outline.
        height: Height of the image, px.
    """
    is_ring = isinstance(ring, list) and all(map(strict.is_point, ring))
    return [[point[0], height - point[1]] for point in ring] if is_ring else ring


def _of_omero(x: Any, y: Any, width: Any, height: Any) -> list[list[Any]]:
    """Return the outline of a shape of OMERO that is no polygon: a rectangle, or the middle of another."""
    sides = (width, height) if isinstance(width, float) and isinstance(height, float) else (0, 0)
    is_place = isinstance(x, float) and isinstance(y, float)
    return corners([x, y, x + sides[0], y + sides[1]] if is_place else [x, y])


def _cells(
    table: TextTable, names: Sequence[str], fits: Callable[[str], object] = str.strip
) -> list[str] | None:
    """Return the first column of one of the names of which a cell fits; None without."""
    places = (place for name in names for place, found in enumerate(table.keys) if found == name)
    return next((found for found in map(table.cells, places) if any(map(fits, found))), None)


def _middles(table: TextTable, names: Sequence[str]) -> list[str] | None:
    """Return the column of an axis by its usual names, or by words beside x or y."""
    return _cells(table, (*names, *(each for each in table.keys if _axis(each) == names[0])))


def _is_outline(text: str) -> bool:
    if WKT.match(text):
        return True
    numbers = BETWEEN.split(text[:60].strip("([])"))
    return len(numbers) > 3 and all(isinstance(number(entry), float) for entry in numbers[:4])


def outline(text: str) -> Any:
    """Parse the vertices in a text, without the repeated last vertex of WKT. Other text is returned
    unchanged.

    Args:
        text: WKT of a polygon or point, or pairs of numbers.
    """
    if not WKT.match(text):
        values = [number(entry) for entry in BETWEEN.split(text.strip("()[];, \n"))]
        pairs = zip(values[::2], values[1::2], strict=False)
        return [values] if len(values) % 2 else [list(pair) for pair in pairs]
    import shapely  # slow to import

    with np.errstate(invalid="ignore", over="ignore"):
        geometry = shapely.from_wkt(text, on_invalid="ignore")
    if geometry is None or geometry.is_empty:
        return text
    part = max(shapely.get_parts(geometry), key=shapely.area)
    points = shapely.get_coordinates(part if part.geom_type == "Point" else part.exterior)
    if not np.isfinite(points).all():
        return text
    return corners([*points[0].tolist() * 2]) if len(points) == 1 else points[:-1].tolist()


def number(text: str | None) -> Any:
    """Parse a finite number with a decimal point or decimal comma. Other text is returned unchanged."""
    try:
        value = None if text is None else float(text.replace(",", "."))
    except ValueError:
        return text
    return value if value is None or math.isfinite(value) else text
