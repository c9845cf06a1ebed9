"""Nuclei as tools write them in XML, in tables with outlines, and in JSON of objects.

Each writer takes outline, class and confidence of the nuclei of each image, and returns the tool's files.
What the tools' own sources say stands in `scoring/inputs/nuclei`: `xml_shapes`, `point_tables` and `foreign`.
"""

import csv
import io
import json
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from tests.support.nuclei_json import (
    Files,
    Nucleus,
    Tiles,
    box,
    centre,
    container,
    each,
    fiftyone,
    geojson,
    hovernet,
    json_min,
    stardist,
    tiatoolbox,
    top_left,
    torchvision,
)

HEIGHT = 1024


def vertices(ring: list[list[float]], tag: str) -> str:
    return "".join(f'<{tag} X="{x!r}" Y="{y!r}"/>' for x, y in ring)


def asap(tiles: Tiles) -> Files:
    def write(nuclei: Sequence[Nucleus]) -> str:
        shapes = (
            f'<Annotation Name="Annotation {k}" Type="Polygon" PartOfGroup={quoteattr(name)} Color="#F4FA58">'
            f"<Coordinates>{vertices(ring, 'Coordinate')}</Coordinates></Annotation>"
            for k, (ring, name, _) in enumerate(nuclei)
        )
        groups = '<AnnotationGroups><Group Name="tumor" PartOfGroup="None"><Attributes/></Group>'
        return (
            f'<?xml version="1.0"?><ASAP_Annotations><Annotations>{"".join(shapes)}</Annotations>'
            f"{groups}</AnnotationGroups></ASAP_Annotations>"
        )

    return each(tiles, ".xml", write)


def layers(ending: str, tag: str, named: Callable[[str], str]) -> Callable[[Tiles], Files]:
    """The layers of Aperio and HALO: one for each class, a region for each nucleus, and a hole."""

    def write(nuclei: Sequence[Nucleus]) -> str:
        hole = (
            f'<Region NegativeROA="1"><Vertices>{vertices([[0, 0], [1, 0], [1, 1]], tag)}</Vertices></Region>'
        )
        text = ""
        for name in dict.fromkeys(name for _, name, _ in nuclei):
            regions = "".join(
                f'<Region Id="1" NegativeROA="0" Text=""><Vertices>{vertices(ring, tag)}</Vertices></Region>'
                for ring, kind, _ in nuclei
                if kind == name
            )
            text += f"<Annotation {named(quoteattr(name))}<Regions>{regions}{hole}</Regions></Annotation>"
        return f"<Annotations>{text}</Annotations>"

    return lambda tiles: each(tiles, ending, write)


def cvat(tiles: Tiles) -> Files:
    text = ""
    for k, (case, nuclei) in enumerate(tiles.items()):
        shapes = "".join(
            f'<polygon label={quoteattr(name)} points="{";".join(f"{x!r},{y!r}" for x, y in ring)}">'
            f'<attribute name="score">{p}</attribute></polygon>'
            for ring, name, p in nuclei
        )
        text += f'<image id="{k}" name="a/{case}.tif" width="1024" height="1024">{shapes}</image>'
    meta = (
        "<version>1.1</version><meta><task><labels><label><name>tumor</name></label></labels></task></meta>"
    )
    return {"annotations.xml": f"<annotations>{meta}{text}</annotations>".encode()}


def voc(tiles: Tiles) -> Files:
    def write(nuclei: Sequence[Nucleus]) -> str:
        shapes = ""
        for ring, name, p in nuclei:
            edges = zip(("xmin", "ymin", "xmax", "ymax"), box(ring), strict=True)
            inside = "".join(f"<{edge}>{value!r}</{edge}>" for edge, value in edges)
            shapes += f"<object><name>{name}</name><score>{p}</score><bndbox>{inside}</bndbox></object>"
        return f"<annotation><filename>other.jpg</filename><size><width>9</width></size>{shapes}</annotation>"

    return each(tiles, ".xml", write)


def roboflow_voc(tiles: Tiles) -> Files:
    def write(nuclei: Sequence[Nucleus]) -> str:
        shapes = ""
        for ring, name, _ in nuclei:
            points = "".join(f"<x{k}>{x!r}</x{k}><y{k}>{y!r}</y{k}>" for k, (x, y) in enumerate(ring, 1))
            shapes += f"<object><name>{name}</name><polygon>{points}</polygon><bndbox/></object>"
        return f"<annotation>{shapes}</annotation>"

    return each(tiles, ".xml", write)


def table(header: str, rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([header.split(","), *rows])
    return text.getvalue().encode()


def wkt(ring: list[list[float]], top: float | None = None) -> str:
    places = ((x, y if top is None else top - y) for x, y in [*ring, ring[0]])
    return f"POLYGON (({', '.join(f'{x!r} {y!r}' for x, y in places)}))"


def geopandas(tiles: Tiles) -> Files:
    rows = [(c, name, p, wkt(ring)) for c, nuclei in tiles.items() for ring, name, p in nuclei]
    return {"nuclei.csv": table("image,class_name,score,geometry", rows)}


def cytomine(tiles: Tiles) -> Files:
    rows = [
        (1, 900 + k, f"{case}.tif", name, wkt(ring, HEIGHT))
        for k, (case, nuclei) in enumerate(tiles.items())
        for ring, name, _ in nuclei
    ]
    return {"annotations.csv": table("id,image,filename,term,location", rows)}


def omero(tiles: Tiles) -> Files:
    rows = []
    for k, (case, nuclei) in enumerate(tiles.items()):
        for ring, name, _ in nuclei:
            points = " ".join(f"{x!r},{y!r}" for x, y in ring)
            rows.append((k, f"{case}.tif", "Polygon", name, len(ring), "", "", "", "", points))
    return {"roi.csv": table("image_id,image_name,type,text,points,X,Y,Width,Height,Points", rows)}


def tables(ending: str, header: str, row: Callable[..., Sequence[Any]]) -> Callable[[Tiles], Files]:
    return lambda tiles: {
        f"{case}{ending}": table(header, [row(*nucleus) for nucleus in nuclei])
        for case, nuclei in tiles.items()
    }


def ij_results(tiles: Tiles) -> Files:
    """Fiji's Results: the image in Label, and a number of the row that has no header."""
    rows = [
        (k, f"{case}.tif", 0, *map(repr, centre(ring)), 1, name)
        for case, nuclei in tiles.items()
        for k, (ring, name, _) in enumerate(nuclei, 1)
    ]
    return {"Results.csv": table(" ,Label,Area,X,Y,Ch,Type", rows)}


def cellprofiler(tiles: Tiles) -> Files:
    names = sorted({name for nuclei in tiles.values() for _, name, _ in nuclei})
    rows = [
        (number, 1, *(int(name == each) for each in names), *map(repr, centre(ring)))
        for number, nuclei in enumerate(tiles.values(), 1)
        for ring, name, _ in nuclei
    ]
    images = [(f"{case}.tif", number, "C:\\data") for number, case in enumerate(tiles, 1)]
    ticked = ",".join(f"Classify_{name}" for name in names)
    header = f"ImageNumber,ObjectNumber,{ticked},Location_Center_X,Location_Center_Y"
    return {
        "MyExpt_Image.csv": table("FileName_HE,ImageNumber,PathName_HE", images),
        "MyExpt_Nuclei.csv": table(header, rows),
    }


def probabilities(tiles: Tiles) -> Files:
    """ilastik's table with a probability of each class."""
    names = sorted({name for nuclei in tiles.values() for _, name, _ in nuclei})
    ofs = ",".join(f"Probability of {name}" for name in names)
    header = f"Predicted Class,{ofs},Center of the object_0,Center of the object_1"
    return {
        f"{case}_table.csv": table(
            header,
            [
                (name, *(p if name == n else 0.01 for n in names), *map(repr, centre(ring)))
                for ring, name, p in nuclei
            ],
        )
        for case, nuclei in tiles.items()
    }


def roi(ring: list[list[float]], kind: int = 7, options: int = 128) -> bytes:
    """A region of ImageJ, as ij/io/RoiEncoder.java writes it, at fractions of pixels."""
    left, top, right, bottom = map(int, box(ring))
    head = struct.pack(">4shBx4hH", b"Iout", 229, kind, top, left, bottom, right, len(ring))
    whole = [int(x) - left for x, _ in ring] + [int(y) - top for _, y in ring]
    numbers = struct.pack(f">{len(whole)}h", *whole)
    numbers += struct.pack(f">{len(whole)}f", *(p[axis] for axis in (0, 1) for p in ring))
    return head.ljust(50, b"\0") + struct.pack(">h", options) + bytes(12) + numbers


def zipped(files: Files) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return written.getvalue()


def roi_sets(tiles: Tiles) -> Files:
    """A set for each class, in a folder for each image."""
    return {
        f"{case}/RoiSet_{name}.zip": zipped({
            f"{name}-{k:04d}.roi": roi(ring) for k, (ring, kind, _) in enumerate(nuclei) if kind == name
        })
        for case, nuclei in tiles.items()
        for name in dict.fromkeys(kind for _, kind, _ in nuclei)
    }  # fmt: skip


def roi_set_of_image(tiles: Tiles) -> Files:
    """A set for each image, whose regions are called by their classes."""
    return {
        f"{case}_RoiSet.zip": zipped({f"{n}-{k:04d}.roi": roi(ring) for k, (ring, n, _) in enumerate(nuclei)})
        for case, nuclei in tiles.items()
    }


def napari(tiles: Tiles) -> Files:
    """A layer of points for each class, in a folder for each image."""
    return {
        f"{case}/{name}.csv": table(
            "index,axis-0,axis-1",
            [(0.0, *map(repr, centre(ring)[::-1])) for ring, kind, _ in nuclei if kind == name],
        )
        for case, nuclei in tiles.items()
        for name in dict.fromkeys(kind for _, kind, _ in nuclei)
    }


def objects(
    ending: str, key: str, item: Callable[..., dict], beside: Mapping[str, Any]
) -> Callable[[Tiles], Files]:
    """JSON with a list of objects for each image."""

    def write(nuclei: Sequence[Nucleus]) -> str:
        return json.dumps({**beside, key: [item(*nucleus) for nucleus in nuclei]})

    return lambda tiles: each(tiles, ending, write)


def pairs(ring: list[list[float]]) -> list[dict[str, float]]:
    return [{"x": x, "y": y} for x, y in ring]


def middle(ring: list[list[float]]) -> dict[str, float]:
    left, top, right, bottom = box(ring)
    return {"x": (left + right) / 2, "y": (top + bottom) / 2, "width": right - left, "height": bottom - top}


FORMS: dict[str, Callable[[Tiles], Files]] = {
    "ASAP": asap,
    "HALO": layers(".annotations", "V", lambda name: f'Name={name} Visible="True">'),
    "Aperio": layers(".xml", "Vertex", lambda name: f'Id="1" Name={name} Type="4"><Attributes/>'),
    "MoNuSAC": layers(
        ".xml", "Vertex", lambda name: f'Name=""><Attributes><Attribute Name={name} Value=""/></Attributes>'
    ),
    "MoNuSeg": layers(
        ".xml",
        "Vertex",
        lambda n: f'Name=""><Attributes><Attribute Name="Description" Value={n}/></Attributes>',
    ),
    "CVAT": cvat,
    "Pascal VOC": voc,
    "Pascal VOC of Roboflow": roboflow_voc,
    "geopandas, WKT": geopandas,
    "Cytomine": cytomine,
    "OMERO": omero,
    "HoVer-Net, QuPath table": tables(
        ".tsv", "x,y,class,name,color", lambda ring, name, p: (*map(repr, centre(ring)), "", name, 7)
    ),
    "ilastik": tables(
        "_table.csv",
        "object_id,Predicted Class,Probability of tumor,Center of the object_0,Center of the object_1",
        lambda ring, name, p: (0, name, 0.5, *map(repr, centre(ring))),
    ),
    "ilastik with probabilities": probabilities,
    "ImageJ's Results": ij_results,
    "CellProfiler": cellprofiler,
    "napari, a layer for each class": napari,
    "ImageJ's regions by class": roi_sets,
    "ImageJ's regions by image": roi_set_of_image,
    "supervision": tables(
        ".csv",
        "x_min,y_min,x_max,y_max,class_id,confidence,tracker_id,class_name",
        lambda ring, name, p: (*map(repr, box(ring)), 3, p, "", name),
    ),
    "Roboflow": objects(
        ".json",
        "predictions",
        lambda ring, name, p: {**middle(ring), "confidence": p, "class": name, "points": pairs(ring)},
        {"time": 0.3, "image": {"width": 1024, "height": 1024}},
    ),
    "Roboflow, boxes": objects(
        ".json",
        "predictions",
        lambda ring, name, p: {**middle(ring), "confidence": p, "class": name, "class_id": 3},
        {"image": {}},
    ),
    "Darwin": objects(
        ".json",
        "annotations",
        lambda ring, name, p: {
            "bounding_box": top_left(ring),
            "name": name,
            "polygon": {"paths": [pairs(ring), pairs(ring[:3])]},
            "inference": {"confidence": p},
        },
        {"version": "2.0", "item": {"name": "other.tif"}},
    ),
    "Darwin, boxes": objects(
        ".json",
        "annotations",
        lambda ring, name, p: {"bounding_box": top_left(ring), "name": name},
        {"version": "2.0", "item": {"name": "other.tif"}},
    ),
    "Supervisely": objects(
        ".tif.json",
        "objects",
        lambda ring, name, p: {
            "classId": 1,
            "geometryType": "polygon",
            "classTitle": name,
            "points": {"exterior": ring, "interior": []},
        },
        {"description": "", "size": {"height": 1024, "width": 1024}},
    ),
    "SuperAnnotate": objects(
        ".tif.json",
        "instances",
        lambda ring, name, p: {
            "type": "polygon",
            "classId": 2,
            "className": name,
            "probability": p,
            "points": [number for point in ring for number in point],
        },
        {"metadata": {"width": 1024}},
    ),
    "torchvision, by image": torchvision,
    "HoVer-Net with type_info.json": hovernet,
    "StarDist with classes.json": stardist,
    "Label Studio, JSON_MIN": json_min,
    "FiftyOne": fiftyone,
    "geopandas, GeoJSON": geojson,
    "TIAToolbox, NDJSON": tiatoolbox,
    "Grand Challenge, output": container,
}
UNGRADED = (
    *("ASAP", "HALO", "Aperio", "MoNuSAC", "MoNuSeg", "Pascal VOC of Roboflow", "Cytomine", "OMERO"),
    *("HoVer-Net, QuPath table", "ilastik", "Darwin, boxes", "Supervisely", "ImageJ's Results"),
    *("CellProfiler", "napari, a layer for each class", "Label Studio, JSON_MIN"),
    *("ImageJ's regions by class", "ImageJ's regions by image"),
)
"""Of these, those without confidences."""
BOXES = (
    *("Pascal VOC", "supervision", "Roboflow, boxes", "Darwin, boxes", "torchvision, by image", "FiftyOne"),
)
"""Those of boxes, whose middle is that of rectangles alone."""
