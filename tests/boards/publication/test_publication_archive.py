"""What is published of a board: no case in any byte, metadata that archives take, and the BIAS items."""

import io
import json
import re
import zipfile

import jsonschema
import pytest

from scoring.boards.publication.bias_checklist import TO_WRITE
from tests.support.boards import CASES, board, filled, sizes
from tests.support.hidden_boards import good, handed_in, hidden_board

yaml = pytest.importorskip("yaml")

CREATOR = {"type": "object", "additionalProperties": False, "required": ["name"]}
CREATOR["properties"] = {key: {"type": "string", "minLength": 1} for key in ("name", "affiliation", "orcid")}
TEXT = {"type": "string", "minLength": 1}
ZENODO = {  # developers.zenodo.org, "Deposit metadata"; also zenodraft/metadata-schema-zenodo at 01f1b26f
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "upload_type", "description", "creators", "access_right", "license"],
    "properties": {
        "title": TEXT | {"minLength": 3},
        "upload_type": {"enum": ["publication", "poster", "presentation", "dataset", "image", "video",
                                 "software", "lesson", "physicalobject", "other"]},
        "description": TEXT,
        "creators": {"type": "array", "minItems": 1, "items": CREATOR, "uniqueItems": True},
        "access_right": {"enum": ["open", "embargoed", "restricted", "closed"]},
        "license": TEXT,
        "publication_date": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
        "version": TEXT,
        "language": {"type": "string", "pattern": "^[a-z]{3}$"},
        "keywords": {"type": "array", "items": TEXT, "uniqueItems": True},
        "notes": TEXT,
    },
}  # fmt: skip
FORM = {
    "Summary": {"Title": 1, "Abstract": 1, "Keywords": 1},
    "Organization": {
        "Organizers": 2,
        "Life cycle type": 1,
        "Challenge venue and platform": 3,
        "Participation policies": 6,
        "Submission method": 2,
        "Challenge schedule": 1,
        "Ethics approval": 1,
        "Data usage agreement": 1,
        "Code availability": 2,
        "Conflicts of interest": 1,
    },
    "Mission of the challenge": {
        "Field(s) of application": 1,
        "Task category(ies)": 1,
        "Cohorts": 2,
        "Imaging modality(ies)": 1,
        "Context information": 2,
        "Target entity(ies)": 2,
        "Assessment aim(s)": 1,
    },
    "Data sets": {
        "Data source(s)": 4,
        "Training and test case characteristics": 5,
        "Annotation characteristics": 4,
        "Data pre-processing method(s)": 1,
        "Sources of error": 2,
    },
    "Assessment methods": {
        "Metric(s)": 2,
        "Ranking method(s)": 3,
        "Statistical analyses": 2,
        "Further analyses": 1,
    },
}
"""Headings of the form "structured description of a challenge design", and how many letters each has, as the
submission system of biomedical-challenges.org prints it (the first three: items 1 to 3 of the checklist)."""


def published(tmp_path, name: str = "b", *more: object) -> dict[str, bytes]:
    done = board("publish", name, tmp_path / "p.zip", *more)
    assert done.status == 0, done.err
    with zipfile.ZipFile(io.BytesIO((tmp_path / "p.zip").read_bytes())) as archive:
        return {member: archive.read(member) for member in archive.namelist()}


@pytest.fixture
def open_board(place, tmp_path):
    filled(tmp_path)
    return published(tmp_path, "b", "--creator", "Muster, Erika", "--creator", "Lab for Öffentliches: A")


def test_no_byte_names_a_case_and_the_same_board_gives_the_same_bytes(open_board, tmp_path):
    assert set(open_board) == {
        "report.html",
        "board.json",
        "bias-checklist.md",
        "CITATION.cff",
        ".zenodo.json",
    }
    whole = b"".join(open_board.values())
    assert b"canary" not in whole
    assert not any(case.encode() in whole for case in CASES)
    again = published(tmp_path, "b", "--creator", "Muster, Erika", "--creator", "Lab for Öffentliches: A")
    assert again == open_board


def test_of_a_hidden_truth_nothing_is_published_that_the_public_view_hides(place, tmp_path):
    handed_in(hidden_board(tmp_path), good(1))
    parts = published(tmp_path, "h")
    assert b"canary" not in b"".join(parts.values())
    text = parts["bias-checklist.md"].decode()
    assert "No intervals and no tests are published." in text
    assert "The test set has" not in text
    assert "hidden" in text


def test_the_metadata_are_those_that_zenodo_and_citation_files_take(open_board):
    metadata = json.loads(open_board[".zenodo.json"])
    assert metadata["title"] == "B: results"
    jsonschema.validate(metadata, ZENODO)
    assert metadata["creators"] == [{"name": "Muster, Erika"}, {"name": "Lab for Öffentliches: A"}]
    assert metadata["publication_date"] == "2026-10-08"
    citation = yaml.safe_load(open_board["CITATION.cff"])
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert citation["authors"] == [
        {"family-names": "Muster", "given-names": "Erika"},
        {"name": "Lab for Öffentliches: A"},
    ]
    assert citation["date-released"] == metadata["publication_date"]
    assert citation["license"] == metadata["license"] == "CC-BY-4.0"


def test_the_checklist_has_every_item_with_what_the_board_knows(open_board):
    text = open_board["bias-checklist.md"].decode()
    found: dict[str, dict[str, str]] = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, *items = re.split(r"^### ", section, flags=re.MULTILINE)
        found[name.strip()] = dict(item.split("\n", 1) for item in items)
    letters = {
        section: {
            item: max(1, len(re.findall(r"^[a-f]\) ", body, re.MULTILINE))) for item, body in of.items()
        }
        for section, of in found.items()
    }
    assert [*letters][-1] == "Outcome, beyond the form"
    assert {name: [*of.items()] for name, of in [*letters.items()][:-1]} == {
        name: [*of.items()] for name, of in FORM.items()
    }
    bodies = {item: body for of in found.values() for item, body in of.items()}
    assert all(
        body.count(TO_WRITE) == max(1, len(re.findall(r"^[a-f]\) ", body, re.M))) for body in bodies.values()
    )
    value = json.loads(open_board["board.json"])
    first = next(team["team"] for team in value["teams"] if team["rank"] == 1)
    for item, words in {
        "Title": "B (b)",
        "Metric(s)": "a) 60 × F2 + 30 × accuracy + 10 × AUC",
        "Ranking method(s)": "the last submission of each team",
        "Training and test case characteristics": "b) The test set has 60 cases",
        "Statistical analyses": "each pair is 5%/(m (m − 1)²), where m = 3",
        "Organizers": f"a) Muster, Erika; Lab for Öffentliches\\: A\n\n{TO_WRITE} affiliations.",
        "Participation": "2 ranked teams with 3 submissions from 2026-10-01 to 2026-10-08",
        "Results": f"Ranked first: {first}",
    }.items():
        assert words in bodies[item], item
    assert bodies["Ethics approval"].strip().startswith(TO_WRITE)


def test_few_teams_without_images_and_with_names_that_end_in_a_dot(place, tmp_path):
    table = sizes(tmp_path)
    board("submit", "size", "--team", "Equal Ltd.", "--predictions", table)
    text = published(tmp_path, "size")["bias-checklist.md"].decode()
    assert "1 ranked team with 1 submission from" in text
    assert "Ranked first: Equal Ltd\\. For details, see the ranking in report.html." in text
    assert "Table of predictions." in text
    assert "ONNX" not in text


@pytest.mark.parametrize("more", [("--creator", " "), ("--licence", "")])
def test_a_blank_name_is_refused(more, place, tmp_path):
    filled(tmp_path)
    done = board("publish", "b", tmp_path / "p.zip", *more)
    assert done.status == 2
    assert more[0] in done.err
    assert not (tmp_path / "p.zip").exists()
