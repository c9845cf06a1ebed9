"""A dropped folder or a zip of submissions says the same as the folder on the disk."""

import pytest

from scoring.boards.serialization import packed, zipped
from scoring.boards.submissions import submission_folders
from scoring.boards.submissions.submitting import SubmissionRequest
from tests.support.archives import archive_of_folder
from tests.support.workbooks import sheet, workbook


def told(found) -> list[tuple]:
    return [(one.team, one.name, one.data, one.created) for one in found]


@pytest.fixture
def folder(tmp_path):
    """Two teams of two weeks, one without dates, one with a folder of two files."""
    place = tmp_path / "sent"
    for name in ("alpha/2026-10-01/p.csv", "alpha/2026-10-08.csv", "beta.csv", "gamma/a.csv", "gamma/b.csv"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(name)
    (place / ".DS_Store").write_text("x")
    return place


def test_zip_drop_and_folder_are_one(folder):
    on_disk = told(submission_folders.of_folder(folder))
    assert [(team, name, (time or "")[:10]) for team, name, _, time in on_disk] == [
        ("alpha", "p.csv", "2026-10-01"),
        ("alpha", "2026-10-08.csv", "2026-10-08"),
        ("beta", "beta.csv", ""),
        ("gamma", "gamma.zip", ""),
    ]
    dropped = {f"sent/{p.relative_to(folder).as_posix()}": p.read_bytes() for p in folder.rglob("*.csv")}
    assert told(submission_folders.of_source(dropped, "sent")) == on_disk
    assert told(submission_folders.of_source(archive_of_folder(folder), "sent.zip")) == on_disk
    assert told(submission_folders.of_source(zipped(dropped.items()), "sent.zip")) == on_disk, (
        "one folder around all"
    )


def test_a_folder_with_dates_alone_is_a_team():
    (one,) = submission_folders.of_source({"alpha/2026-10-01.csv": b"a"}, "alpha")
    assert isinstance(one, SubmissionRequest)
    assert (one.team, one.created[:10]) == ("alpha", "2026-10-01")


def test_an_empty_folder_is_refused():
    (problem,) = submission_folders.of_source(zipped([]), "sent.zip")
    assert problem.level == "error"


def test_a_workbook_is_kept_as_it_is(tmp_path):
    data = workbook({"s": sheet([["filename", "score"], ["a", 0.5]])})
    (tmp_path / "alpha.xlsx").write_bytes(data)
    assert packed(str(tmp_path / "alpha.xlsx")) == ("alpha.xlsx", data)
