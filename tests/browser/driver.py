"""Starts the app as a visitor would meet it, and drives it in Chromium."""

import base64
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from scoring.presentation.figures.number_format import share

ROOT = Path(__file__).parents[2]
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
TABS = ("Points", "Risk", "Classes", "Curves", "Calibration", "Subgroups", "Cases", "Preflight")
PLAIN = "tab=History"
"""Opens the page of a challenge on its tab without figures: to draw these is half of what opening costs."""
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
SCREENS = (pytest.param(PHONE, id="phone"), pytest.param(DESKTOP, id="desktop", marks=pytest.mark.soak))
"""What is clicked on both; a phone is the harder one."""
PATIENCE = 90_000
"""Milliseconds that a busy machine is given for one step. No test measures time."""
expect.set_options(timeout=PATIENCE)

IDLE = """token => {
  const app = document.querySelector('[data-testid="stApp"]'), now = performance.now();
  const idle = app && app.dataset.testConnectionState === "CONNECTED"
    && app.dataset.testScriptState === "notRunning" && !document.querySelector('[data-testid="stSkeleton"]');
  if (!idle || window.idleToken !== token) { window.idleToken = token; window.idleSince = now; return false; }
  return now - window.idleSince > 350;
}"""
WIDER = """() => {
  const places = [...document.querySelectorAll('[data-testid="stMain"], body')];
  return places.some(e => e.scrollWidth > e.clientWidth + 1);
}"""
"""Whether anything is wider than the page."""
CELL = """([row, column]) => {
  const plot = document.querySelector(".js-plotly-plot");
  const area = plot.querySelector(".nsewdrag").getBoundingClientRect();
  return [area.x + plot._fullLayout.xaxis.l2p(column), area.y + plot._fullLayout.yaxis.l2p(row)];
}"""
"""Where a cell of the first heat map stands, px."""
DROP = """([selector, name, mime, data]) => {
  const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0)), transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name, {type: mime}));
  const input = document.querySelector(selector), label = input.getAttribute("aria-label");
  const drag = (type, box) => {
    const at = {clientX: box.x + box.width / 2, clientY: box.y + box.height / 2};
    const event = {dataTransfer: transfer, bubbles: true, cancelable: true, ...at};
    input.dispatchEvent(new DragEvent(type, event));
  };
  for (const type of ["dragenter", "dragover"]) drag(type, input.getBoundingClientRect());
  const roots = [document, ...[...document.querySelectorAll("*")].map(e => e.shadowRoot).filter(e => e)];
  const zones = roots.flatMap(root => [...root.querySelectorAll(".zone")]);
  const named = zone => [...zone.children].map(e => e.textContent).join(": ");
  const target = zones.find(zone => named(zone) === label).getBoundingClientRect();
  for (const type of ["dragover", "drop"]) drag(type, target);
}"""
"""Drags a file over an input, then to the target with that input's label among those that appear, and drops
it there."""


BROWSERS = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable"),
)
"""Programs of the browser. The first draws no window of its own, which took half of the processor's time."""


def chromium() -> str | None:
    """The browser of the system, or None where there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@dataclass(frozen=True)
class Server:
    """A running app. address: without a slash at the end."""

    address: str
    pid: int


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def served(
    script: str = "app.py",
    *arguments: str,
    port: int | None = None,
    log: Path | None = None,
    **environment: str,
) -> Iterator[Server]:
    """The app, or another script of the project, in a process of its own on a free port, ended with the
    block. log: where what it writes is kept."""
    port = port or free_port()
    settings = {"headless": "true", "port": str(port), "fileWatcherType": "none"}
    flags = [f"--server.{key}={value}" for key, value in settings.items()]
    command = [sys.executable, "-m", "streamlit", "run", script, *flags, *arguments]
    with running(command, port, log, **environment) as started:
        yield started


@contextlib.contextmanager
def running(
    command: Sequence[object], port: int, log: Path | None = None, cwd: Path = ROOT, **environment: str
) -> Iterator[Server]:
    """A command that serves the app on a port of this machine, ended with the block."""
    address = f"http://localhost:{port}"
    with (log or Path(os.devnull)).open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=cwd,
            env=os.environ | {"PYTHONUNBUFFERED": "1"} | environment,
            stdout=output,
            stderr=output,
        )
    try:
        while not _healthy(address):
            if process.poll() is not None:
                raise RuntimeError(f"the app ended with status {process.returncode}")
            time.sleep(0.1)
        yield Server(address, process.pid)
    finally:
        process.terminate()
        process.wait()


def _healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health") as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def settled(page: Page) -> Page:
    """Wait until nothing runs any more: the server has answered the last click, and nothing followed."""
    # To ask at every frame makes the browser draw every frame, beside what is waited for.
    page.wait_for_function(IDLE, arg=time.monotonic(), timeout=PATIENCE, polling=50)
    return page


def visit(context: BrowserContext, address: str) -> Page:
    """A new page, that is a new session, opened and settled."""
    page = context.new_page()
    page.goto(address)
    return settled(page)


def tab(page: Page, name: str) -> Page:
    """Open a tab."""
    page.get_by_role("tab", name=name, exact=True).click()
    return settled(page)


def zone(panel: str) -> str:
    """The selector of where own files of an input are dropped or chosen."""
    return f"[class*='_{panel}_files'] [data-testid='stFileUploaderDropzone']"


def give(page: Page, panel: str, name: str, content: bytes) -> Page:
    """Drop an own file on an input panel and wait for what the page makes of it."""
    with page.expect_response(
        lambda answer: "upload_file" in answer.url and answer.request.method == "PUT", timeout=PATIENCE
    ):
        drop(page, zone(panel), name, content)
    return settled(page)


def shows(page: Page, score: float, write: Callable[[float], str] = share) -> None:
    """The headline has the score, written as the challenge writes it, and the line below has it to the last
    digit."""
    expect(page.get_by_test_id("stMetricValue").first).to_have_text(write(score))
    expect(page.get_by_role("strong").filter(has_text=repr(score))).to_be_visible()


def drop(
    page: Page, selector: str, name: str, content: bytes, mime: str = "application/octet-stream"
) -> None:
    """Drop a file on the target of an uploader, named by its selector, as a visitor's hand does it."""
    for part in (".overlay[data-listens]", selector):  # uploaders come after the score of a page
        page.locator(part).first.wait_for(state="attached", timeout=PATIENCE)
    page.evaluate(DROP, [selector, name, mime, base64.b64encode(content).decode()])


def leaves(request: Request) -> bool:
    """Whether a request goes to another machine."""
    where = urlsplit(request.url)
    return where.scheme not in ("data", "blob", "about", "file") and where.hostname not in (
        "localhost",
        "127.0.0.1",
    )
