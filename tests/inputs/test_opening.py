"""Pipes, devices and folders named as input: none is waited for, each is refused in one sentence."""

import os
import threading

import pytest
from PIL import Image

from scoring.common.file_opening import read_file
from tests.inference import builders
from tests.support.command_line import run
from tests.support.lesion_tables import predictions, truth

SCORE = ("score", "tricorder3", "--resamples", "0")
COMMANDS = [
    (*SCORE, "--truth", "ODD", "--predictions", "p.csv"),
    (*SCORE, "--truth", "t.csv", "--predictions", "ODD"),
    (*SCORE, "--truth", "t.csv", "--predictions", "p.csv", "--metadata", "ODD"),
    (*SCORE, "--truth", "t.csv", "--model", "ODD"),
    ("check", "tricorder3", "--predictions", "ODD"),
    ("check", "tricorder3", "--model", "ODD"),
    ("predict", "tricorder3", "--model", "ODD", "--images", "i", "--output", "out.csv"),
    ("predict", "tricorder3", "--model", "m.onnx", "--images", "ODD", "--output", "out.csv"),
    ("compare", "tricorder3", "--truth", "t.csv", "a=ODD", "b=p.csv"),
    ("compare", "tricorder3", "--truth", "t.csv", "a=p.csv", "b=p.csv", "--teams", "ODD"),
    ("board", "create", "tricorder3", "--id", "b", "--title", "B", "--truth", "ODD"),
    ("board", "submit", "known", "--team", "a", "--predictions", "ODD"),
    ("board", "facts", "known", "ODD"),
    ("board", "import", "ODD"),
    ("board", "import", "ODD", "--id", "lesions"),
    ("platform", "codabench", "--settings", "ODD", "--input", "i", "--output", "o"),
]
NAMES = [" ".join(command).replace("--resamples 0 ", "") for command in COMMANDS]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a board "known", good files and a pipe without a writer are."""
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(truth())
    (tmp_path / "p.csv").write_bytes(predictions())
    (tmp_path / "m.onnx").write_bytes(builders.classifier(vector=False))
    (tmp_path / "i").mkdir()
    Image.new("RGB", (8, 8)).save(tmp_path / "i" / "a.png")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


@pytest.mark.timeout(120)
@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
@pytest.mark.parametrize(
    ("odd", "words"), [("pipe", "no program writes into this pipe"), ("/dev/zero", "a device")]
)
def test_no_command_waits_for_a_file(folder, command, odd, words):
    if "known" in command:
        made = ("board", "create", "tricorder3", "--id", "known", "--title", "B", "--truth", "t.csv")
        assert run(*made).status == 0
    finished = run(*(argument.replace("ODD", odd) for argument in command))
    assert finished.status == 2
    assert words in finished.err
    assert "Traceback" not in finished.err


def test_a_pipe_that_somebody_writes_into_is_read_to_its_end(folder):
    """Also one whose writer takes its time."""

    def write() -> None:
        with (folder / "pipe").open("wb") as pipe:
            for part in (predictions()[:100], predictions()[100:]):
                pipe.write(part)
                pipe.flush()

    read_end = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)  # lets the writer come first
    with (folder / "pipe").open("wb", buffering=0) as pipe:
        os.close(read_end)
        writer = threading.Thread(target=write)
        reader = threading.Thread(target=lambda: answers.append(read_file(folder / "pipe")))
        answers: list[bytes] = []
        reader.start()
        writer.start()
        writer.join()
        pipe.close()
        reader.join()
    assert answers == [predictions()]


@pytest.mark.parametrize(
    "command",
    [
        (*SCORE, "--truth", "t.csv", "--model", "i"),
        (*SCORE, "--truth", "t.csv", "--predictions", "p.csv", "--metadata", "i"),
        ("board", "import", "i"),
        ("platform", "codabench", "--settings", "i", "--input", "i", "--output", "o"),
    ],
)
def test_a_folder_is_no_file(folder, command):
    finished = run(*command)
    assert (finished.status, "Traceback" in finished.err) == (2, False)
