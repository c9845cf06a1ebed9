"""Submissions laid out as platforms lay them out."""

import csv
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

SLUG = "predictions"
GRAND_CHALLENGE = """
comic/grand-challenge.org at 9957bfc2690eaf8f83d76c0f6f673f0d1fcb8ea7:
`components/backends/base.py` writes `inputs.json`, the list of all inputs, beside them (since 3b60e172b of
2025-03-20, for evaluations too) and each file at `input_prefixes[its pk]` + the `relative_path` of its
socket; `evaluation/tasks.py` makes that prefix `<pk of the job>/output/` and gives the jobs as
`predictions.json`; `algorithms/serializers.py` and `components/serializers.py` have the fields;
`components/models.py` lets images lie in `images/...` and JSON in `....json`. A zip of predictions is
extracted beside `inputs.json` (`sagemaker_shim/extract.py` of DIAGNijmegen/rse-sagemaker-shim at
b20f0a71d5c62b1121b89b7c3772b6faeda04409, which takes common folders off); a CSV is `predictions.csv`
(`components/apps.py`). The same layout is in `grand_challenge_forge/forge.py` of
DIAGNijmegen/rse-grand-challenge-forge at 306db6e997aceba03aca0e07e90dd51dfd79f0e2, whose `do_build.sh` builds
for `linux/amd64`.
"""


def socket_value(slug: str, relative_path: str, super_kind: str, **value: object) -> dict:
    """Return an input or output as Grand Challenge lists it."""
    interface = {"slug": slug, "relative_path": relative_path, "super_kind": super_kind, "kind": "Anything"}
    return {"interface": interface, "value": None, "file": None, "image": None, "pk": 1} | value


def listed_inputs(folder: Path, values: list) -> None:
    """Write `inputs.json`, as the platform does into the input of every container."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "inputs.json").write_text(json.dumps(values))


def jobs(
    folder: Path,
    answers: Mapping[str, Mapping[str, bytes]],
    slugs: Mapping[str, str] | None = None,
    more_inputs: tuple[dict, ...] = (),
) -> Path:
    """Write the input of an evaluation of jobs (`GRAND_CHALLENGE`).

    answers: case -> file below `output` -> content. slugs: sockets that are called otherwise in this phase.
    more_inputs: of every job.
    """
    listing = []
    for number, (case, files) in enumerate(answers.items()):
        pk = f"0d5fe6cf-0000-4000-8000-{number:012}"
        image = {"pk": "7", "name": f"{case}.jpg"}
        inputs = [socket_value("skin-lesion-image", "images/skin-lesion", "Image", image=image), *more_inputs]
        outputs = {}
        for name, data in files.items():
            is_image = name.startswith("images/")
            usual = name.split("/")[1] if is_image else Path(name).stem
            slug = (slugs or {}).get(usual, usual)
            path = f"images/{slug}" if is_image else f"{slug}.json"
            outputs[slug] = socket_value(slug, path, "Image" if is_image else "File")
            place = folder / pk / "output" / path / (f"{number}.mha" if is_image else "")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        job = {"pk": pk, "status": "Succeeded", "inputs": inputs, "outputs": list(outputs.values())}
        listing.append(job | {"exec_duration": "PT1S", "invoke_duration": None})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "predictions.json").write_text(json.dumps(listing))
    written = socket_value("predictions-json-file", "predictions.json", "Value", value=listing)
    listed_inputs(folder, [written, *(value for job in listing for value in job["outputs"])])
    return folder


def table_answers(path: Path, several: bool = False) -> dict[str, dict[str, bytes]]:
    """Return the rows of a table as the JSON that a job for each case would write. several: a list of
    them."""
    rows_of: dict[str, list[str]] = {}
    with path.open(newline="") as file:
        first, *names = next(rows := csv.reader(file))
        assert first
        for case, *cells in rows:
            pairs = (f'"{name}": {_json(cell)}' for name, cell in zip(names, cells, strict=True))
            rows_of.setdefault(Path(case).stem, []).append(f"{{{', '.join(pairs)}}}")
    joined = {case: f"[{', '.join(rows)}]" if several else rows[0] for case, rows in rows_of.items()}
    return {case: {f"{SLUG}.json": text.encode()} for case, text in joined.items()}


def _json(cell: str) -> str:
    """Return a cell as JSON: a number as it is written, else a text."""
    try:
        float(cell)
    except ValueError:
        return json.dumps(cell)
    return cell


def masks_answers(path: Path) -> dict[str, dict[str, bytes]]:
    """Return the masks of a zip as what jobs would write."""
    with zipfile.ZipFile(path) as archive:
        return {
            Path(name).stem: {f"images/segmentation/{name}": archive.read(name)}
            for name in archive.namelist()
        }


def zipped_answers(path: Path) -> dict[str, dict[str, bytes]]:
    """Return the members of a zip as what jobs would write: `case.json`, or a folder for each case."""
    found: dict[str, dict[str, bytes]] = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            case, _, below = name.partition("/")
            found.setdefault(Path(case).stem, {})[below or f"{SLUG}.json"] = archive.read(name)
    return found


def unpacked(path: Path, folder: Path) -> Path:
    """Lay a submission out as a platform that unpacks zips does."""
    folder.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
    else:
        (folder / path.name).write_bytes(path.read_bytes())
    return folder
