"""Readers answer whatever they are given, quickly: files with one fault, for BENCHSIDE_FUZZ_SECONDS of
processor time with each parser. What breaks one is kept in tests/corpus/ and tried in every run after."""

import hashlib
import os
import time
from pathlib import Path
from random import Random

import psutil
import pytest

from tests.fuzz.grammars import PARSERS
from tests.support.command_line import ROOT

CORPUS = ROOT / "tests" / "corpus"
SECONDS = float(os.environ.get("BENCHSIDE_FUZZ_SECONDS", "60"))
SLOW_SECONDS = 5
BATCH = 20


def kept() -> list[Path]:
    return sorted(path for path in CORPUS.glob("*/*.bin"))


@pytest.mark.parametrize("path", kept(), ids=lambda path: f"{path.parent.name}-{path.stem[:8]}")
def test_what_broke_a_parser_once_does_so_no_more(path):
    PARSERS[path.parent.name][1](path.read_bytes())


@pytest.mark.parametrize("parser", PARSERS)
def test_files_with_one_fault_get_an_answer(parser):
    assert {fuzzed(parser, seed) for seed in range(10)} <= {True, False}


@pytest.mark.soak
@pytest.mark.parametrize("parser", PARSERS)
def test_no_fault_breaks_a_parser(parser, capsys):
    begun, first = processor_seconds(), int(time.time())
    answers: list[bool] = []
    while (spent := processor_seconds() - begun) < SECONDS:
        answers += [fuzzed(parser, first * 1_000_000 + len(answers) + k) for k in range(BATCH)]
    with capsys.disabled():
        share = 100 * answers.count(False) / len(answers)
        print(f"\n{parser}: {len(answers):,} files, {spent:.0f} processor s, {share:.0f} % accepted")


def processor_seconds() -> float:
    """Return what this process and its workers have used."""
    own = psutil.Process()
    return sum(sum(process.cpu_times()[:2]) for process in (own, *own.children(recursive=True)))


def fuzzed(parser: str, seed: int) -> bool:
    """Return whether a file was refused. One that breaks its parser, or takes long, is kept."""
    make, read = PARSERS[parser]
    data = make(Random(seed))  # a fault of this is one of the grammar
    begun = time.process_time()
    try:
        came = read(data)
        assert time.process_time() - begun < SLOW_SECONDS
    except BaseException:
        place = CORPUS / parser / f"{hashlib.sha256(data).hexdigest()}.bin"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        raise
    return came.refused
