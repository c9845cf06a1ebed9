"""What visitors do on a page and read there, without a browser."""

import io
import re
import zipfile

from streamlit.testing.v1 import AppTest

from pages.server import jobs
from scoring.common.markup import plain


def put(
    page: str,
    app: AppTest,
    submission: tuple[str, bytes] | None = None,
    test_set: tuple[str, bytes] | None = None,
) -> AppTest:
    """Own files through the inputs of a page."""
    for key, file in ((f"{page}_set_files", test_set), (f"{page}_submission_files", submission)):
        if file:
            app.file_uploader(key=key).upload(*file).run()
    return finished(app)


def finished(app: AppTest) -> AppTest:
    """The page once its running model has ended: what the polling fragment would do."""
    for job in list(jobs.queue()._jobs.values()):
        job.future.exception()
    return app.run()


def written(app: AppTest, head: str) -> list[list[str]]:
    """Return the cells, without markup, of the table in text whose first line has this head."""
    tables = (entry.value.splitlines() for entry in app.markdown if entry.value.startswith("| "))
    _, _, *lines = next(lines for lines in tables if head in lines[0])
    return [[plain(cell) for cell in line.strip("| ").split(" | ")] for line in lines]


def words(app: AppTest) -> str:
    """All that the page says, as it is read: without the marks and joiners that keep Markdown from reading
    it."""
    kinds = (app.markdown, app.caption, app.error, app.info, app.title, app.header, app.metric)
    said = "\n".join(str(element.value) for kind in kinds for element in kind)
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", said).replace("\u2060", "").replace("\u00a0", " ")


def assert_exact(app: AppTest, words_of_score: str) -> None:
    """The exact score stands on the page, where the tab is open in which it stands: the first one."""
    tab = app.query_params.get("tab")
    assert tab or words_of_score in words(app)


def assert_refused(app: AppTest, problems: list[dict]) -> None:
    """The page shows every problem, as the command line writes them, and no score."""
    assert not app.exception
    assert not app.metric
    assert f"{len(problems)} problem" in app.error[0].proto.title
    assert [p["code"] for p in problems if f"`{p['code']}`" not in words(app)] == []


def archive(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return packed.getvalue()


def mend(app: AppTest, label: str) -> AppTest:
    """The page after a click on the button of that mend; as it is, where it offers none of that name."""
    found = [button for button in app.button if label in button.label]
    return found[0].click().run() if found else app
