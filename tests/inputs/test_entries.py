"""One entry per team: folders, zips, and what is no entry."""

import io
import zipfile

import pytest

from scoring.common.findings import InputRefused
from scoring.inputs import team_entries
from scoring.inputs.sources import open_source


def zipped(members: dict[str, bytes]) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return memory.getvalue()


def test_a_folder_on_disk(tmp_path):
    for name in ("b.csv", "a.onnx", ".hidden", "c.zip"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "team.one").mkdir()
    teams, problems = team_entries.of_teams(tmp_path)
    assert problems == []
    assert {name: (one.source, one.is_model) for name, one in teams.items()} == {
        "a": (str(tmp_path / "a.onnx"), True),
        "b": (str(tmp_path / "b.csv"), False),
        "c": (str(tmp_path / "c.zip"), False),
        "team.one": (str(tmp_path / "team.one"), False),
    }


@pytest.mark.parametrize("around", ["", "all teams/"])
def test_a_zip_of_files_and_folders(around):
    content = {
        "b.csv": b"1",
        "a.onnx": b"2",
        "team.one/masks/p.nii": b"3",
        "team.one/predictions.csv": b"4",
        "__MACOSX/x": b"5",
    }
    teams, problems = team_entries.of_teams(
        zipped({around + name: data for name, data in content.items()}), "sent.zip"
    )
    assert problems == []
    assert {
        name: (one.source, one.name, one.is_model) for name, one in teams.items() if name != "team.one"
    } == {
        "a": (b"2", "a.onnx", True),
        "b": (b"1", "b.csv", False),
    }
    files = open_source(teams["team.one"].source)
    assert (files.members, files.kind, files.whole) == (("masks/p.nii", "predictions.csv"), "folder", None)
    assert files.read("masks/p.nii") == b"3"
    with files.open("predictions.csv") as file:
        assert file.read() == b"4"


def test_what_is_no_entry_is_said_by_team():
    teams, problems = team_entries.of_teams(
        zipped({"a.csv": b"1", "a.txt": b"2", "inner.zip": b"3"}), "sent.zip"
    )
    assert list(teams) == ["a"]
    assert [(p.code, p.where) for p in problems] == [
        ("bad-option", "sent.zip › a"),
        ("bad-zip", "inner: sent.zip"),
    ]
    assert [p.code for p in team_entries.of_teams({})[1]] == ["bad-option"]
    with pytest.raises(InputRefused):
        team_entries.of_teams(b"no zip", "sent.zip")


def test_a_folder_that_cannot_be_listed_is_refused(tmp_path, monkeypatch):
    def forbidden(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(tmp_path), "iterdir", forbidden)
    with pytest.raises(InputRefused) as refused:
        team_entries.of_teams(tmp_path)
    assert [p.code for p in refused.value.problems] == ["unreadable-file"]


@pytest.mark.parametrize("name", [" ", "ev\nil", "a\u202eb", "b\udcff"])
def test_a_team_that_nobody_could_name_is_a_problem(tmp_path, name):
    (tmp_path / f"{name}.csv").write_bytes(b"")
    (tmp_path / "Ärzte & Söhne 👍.csv").write_bytes(b"")
    teams, problems = team_entries.of_teams(tmp_path)
    assert list(teams) == ["Ärzte & Söhne 👍"]
    assert [p.code for p in problems] == ["bad-option"]
    assert all(text.isprintable() for text in (problems[0].where, problems[0].message))


@pytest.mark.parametrize(
    ("name", "team"),
    [("alpha", "alpha"), ("gpj.\u202eexe\u200b", "gpj.exe"), ("\u200b", "unnamed"), (" a\tb ", "ab")],
)
def test_a_file_names_its_team_without_what_nobody_sees(name, team):
    assert team_entries.clean_name(name) == team
    assert list(team_entries.name_problems(team_entries.clean_name(name), "here")) == []
