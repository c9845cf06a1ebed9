"""Limits that the page about security states are those of the code."""

import re

from pages.input_widgets import upload_widget
from pages.server import background_jobs, request_guard
from scoring.boards.bundles import bundle, unpacking
from scoring.common import limits
from scoring.inference import preprocessing, reader_pool, sandbox, timed_worker
from scoring.inputs import archives, table_formats, table_text, workbooks
from scoring.inputs.nuclei import contents, reader
from scoring.single_image import photograph
from tests.support.command_line import ROOT

MODEL, MEGABYTE = timed_worker.Limits(), 1_000_000
STATED: dict[str, tuple[float, ...]] = {
    "uploads of one visitor": (limits.SESSION_UPLOADS.default,),
    "uploads of all visitors": (limits.SERVER_UPLOADS.default,),
    "scorecards and predictions": (limits.RESULTS.default,),
    "test sets and comparisons": (limits.SESSION_RESULTS.default,),
    "one upload": (upload_widget.UPLOAD_MB,),
    "one WebSocket message": (2, request_guard.FRAME_FILES, request_guard.FRAME_BYTES / MEGABYTE),
    "visitors' models that stay open": (limits.OPEN_MODELS.default,),
    "one model": (
        *(MODEL.model_bytes >> 20, sandbox.THREADS, MODEL.load_seconds, MODEL.run_seconds),
        *(MODEL.memory_bytes >> 30, timed_worker.COPIES, timed_worker.PLAIN_MODEL_BYTES >> 20),
    ),
    "runs of models at once": (
        *(
            background_jobs.RUNNING_JOBS,
            background_jobs.LONG_JOBS,
            background_jobs.LONG_SECONDS,
            background_jobs.LONG_SECONDS,
        ),
        *(
            background_jobs.RUNNING_JOBS + background_jobs.LONG_JOBS,
            background_jobs.ENDED_SECONDS,
            background_jobs.BUDGET_SECONDS // 60,
        ),
    ),
    "one table": (
        *(table_text.TABLE_BYTES // MEGABYTE, table_text.LINES, table_text.COLUMNS, table_text.CELLS),
        table_text.LINE_BYTES // MEGABYTE,
    ),
    "reading one table": (*(reader_pool.SECONDS, reader_pool.MEMORY_BYTES // 10**9, reader_pool.MOST),),
    "one workbook": (workbooks.SHEETS, table_text.TABLE_BYTES),
    "a table in JSON": (
        *(table_formats.JSON_BYTES // MEGABYTE, table_text.TABLE_BYTES // MEGABYTE),
        *(table_text.LINES, table_text.CELLS),
    ),
    "one zip": (
        *(archives.MEMBERS, archives.MEMBER_BYTES // MEGABYTE),
        *(archives.RATIO, 1, archives.RATIO_FROM // MEGABYTE),
        *(archives.DIRECTORY_BYTES // MEGABYTE, archives.NAME_BYTES),
    ),
    "one bundle": (bundle.BUNDLE_BYTES // MEGABYTE, unpacking.MANIFEST_BYTES // MEGABYTE),
    "one file of nuclei": (reader.FILE_BYTES // MEGABYTE, reader.LISTS, contents.NUCLEI),
    "one image": (preprocessing.MOST_PIXELS, photograph.PHOTOGRAPH_PIXELS, photograph.WHOLE_PIXELS),
    "decoded images of one visitor": (
        *(photograph.HELD_BYTES // MEGABYTE, round(photograph.WHOLE_PIXELS * 3 / MEGABYTE)),
    ),
    "open files and connections": (),
}
"""Beginning of a row -> the numbers in it, in their order. What the last row says was measured."""


def test_every_limit_that_is_stated_is_that_of_the_code():
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = text.partition("## Limits\n\n")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(rows) == len(STATED)
    for row, (beginning, numbers) in zip(rows, STATED.items(), strict=True):
        _, name, limit, _, _ = row.split("|")
        assert name.strip().startswith(beginning)
        found = [float(number.replace(",", "")) for number in re.findall(r"\d[\d,.]*(?<![,.])", limit)]
        assert found[: len(numbers)] == list(numbers), name
