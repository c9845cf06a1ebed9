"""When a server counts as one that strangers can reach."""

import pytest
import streamlit as st

from pages.server import request_guard
from scoring.challenges import samples
from scoring.inference import sandbox_layers


@pytest.mark.parametrize(
    ("address", "name", "public"),
    [
        ("localhost", "localhost", False),
        ("127.0.0.1", "localhost", False),
        ("::1", "127.0.0.3", False),
        ("0.0.0.0", "localhost", True),
        (None, "localhost", True),
        ("10.0.0.7", "localhost", True),
        ("localhost", "scores.hospital.example", True),
    ],
)
def test_only_this_machine_is_not_public(address, name, public, monkeypatch):
    options = {"server.address": address, "browser.serverAddress": name}
    monkeypatch.setattr(st, "get_option", options.get)
    monkeypatch.setattr(sandbox_layers, "_required", False)
    monkeypatch.setattr(sandbox_layers, "_known", frozenset())
    assert request_guard.is_public() is public
    request_guard.require_confinement()
    assert sandbox_layers.required() is public


def test_every_sample_model_is_known():
    assert len(samples.model_digests()) == len(list(samples.FOLDER.glob("*/models/*.onnx"))) > 5
