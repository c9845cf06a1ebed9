"""Readers answer whatever they are given, quickly: files with one fault, for BENCHSIDE_FUZZ_SECONDS of
processor time with each parser, other files every day. What breaks one is kept in tests/corpus/ and tried in
every run after. One parser for an hour: `make fuzz PARSER=declared SECONDS=3600`."""

import hashlib
import os
import time
import traceback
from datetime import date
from pathlib import Path
from random import Random

import psutil
import pytest

from tests.fuzz.grammars import PARSERS
from tests.hostile.inputs import Came
from tests.support.command_line import ROOT
from tests.support.memory import growth

CORPUS = ROOT / "tests" / "corpus"
SECONDS = float(os.environ.get("BENCHSIDE_FUZZ_SECONDS", "60"))
DAY = os.environ.get("BENCHSIDE_FUZZ_SEED", date.today().isoformat())
SLOW_SECONDS, MEGABYTES = 5, 1_000
BATCH = 20


def kept() -> list[Path]:
    return sorted(path for path in CORPUS.glob("*/*.bin"))


@pytest.mark.parametrize("path", kept(), ids=lambda path: f"{path.parent.name}-{path.stem[:8]}")
def test_what_broke_a_parser_once_does_so_no_more(path):
    PARSERS[path.parent.name][1](path.read_bytes())


@pytest.mark.parametrize("parser", PARSERS)
def test_files_with_one_fault_get_an_answer(parser):
    for seed in range(10):
        fuzzed(parser, seed)


@pytest.mark.soak
@pytest.mark.parametrize("parser", PARSERS)
def test_no_fault_breaks_a_parser(parser, capsys):
    begun, grown, found = processor_seconds(), growth(), dict[str, str]()
    files = accepted = 0
    first = dict[tuple[bool, frozenset[str]], int]()
    while (spent := processor_seconds() - begun) < SECONDS:
        for _ in range(BATCH):
            seed = f"{DAY} {parser} {files}"
            files += 1
            try:
                came = fuzzed(parser, seed)
                accepted += not came.refused
                first.setdefault(kind(came), files)
            except Exception as fault:
                place = traceback.extract_tb(fault.__traceback__)[-1]
                found.setdefault(f"{type(fault).__name__} in {place.name}, line {place.lineno}", seed)
    late = sum(number > files // 2 for number in first.values())
    with capsys.disabled():
        print(
            f"\n{parser}: {files:,} files, {spent:.0f} processor s, {100 * accepted / files:.0f} % accepted, "
            f"{len(first)} kinds of answers, {late} of them in the second half alone, "
            f"{grown():+.0f} MB, {len(found)} faults"
        )
    assert found == {}
    assert grown() < MEGABYTES


def kind(came: Came) -> tuple[bool, frozenset[str]]:
    """Return what tells an answer from others: a plain measure of what the files reached."""
    return came.refused, came.codes


def processor_seconds() -> float:
    """Return what this process and its workers have used."""
    own = psutil.Process()
    return sum(sum(process.cpu_times()[:2]) for process in (own, *own.children(recursive=True)))


def fuzzed(parser: str, seed: int | str) -> Came:
    """Return what came of a file. One that breaks its parser, or takes long, is kept."""
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
    return came
