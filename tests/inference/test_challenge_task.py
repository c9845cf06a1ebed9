"""Models are read from files and pipes, up to a size."""

import os
import threading

import pytest

from scoring.common.findings import InputRefused
from scoring.inference import challenge_task
from scoring.inference.timed_worker import Limits

MIB = 1 << 20


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(challenge_task, "Limits", lambda: Limits(model_bytes=MIB))


def test_a_file_is_refused_by_its_size_before_it_is_read(tmp_path):
    path = tmp_path / "m.onnx"
    with path.open("wb") as file:
        file.truncate(3 * MIB)
    with pytest.raises(InputRefused, match="The file has 3 MiB; models of up to 1 MiB"):
        challenge_task.read_model(path)


@pytest.mark.parametrize("endless", [False, True])
def test_a_pipe_is_read_no_further_than_a_model_may_be(tmp_path, endless):
    path = tmp_path / "m.onnx"
    os.mkfifo(path)

    def write() -> None:
        try:
            with path.open("wb", buffering=0) as pipe:
                pipe.write(b"model")
                while endless:
                    pipe.write(bytes(1 << 16))
        except BrokenPipeError:
            return

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    if endless:
        with pytest.raises(InputRefused, match="models of up to 1 MiB are read"):
            challenge_task.read_model(path)
    else:
        assert challenge_task.read_model(path).data == b"model"
    writer.join(30)
    assert not writer.is_alive()
