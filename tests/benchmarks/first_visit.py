"""Seconds until score and first figure are seen, and a click is answered:
`python -m tests.benchmarks.first_visit [CHECKOUT ...]`, older checkouts first.

All checkouts are measured in one run, page by page, with the load of the machine beside them. Cold: nobody
has visited the server, the browser has loaded nothing. Warm: another session of the same browser has visited
the page. Figure: it or a picture of it; chart: itself. Click: the second tab is opened, until nothing runs
any more.
"""

import argparse
import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from scoring.challenges import challenge_ids
from tests.browser import driver

PAGES = tuple(challenge_ids())
FIGURES = ".js-plotly-plot .main-svg .trace"
WATCH = """
window.seen = {};
const one = place => document.querySelector(place);
const look = () => {
  const wanted = {
    headline: () => one(".st-key-bar_early strong, [data-testid=stMetricValue]")?.textContent,
    figure: () => one(".st-key-early_figure img")?.complete || one("FIGURE"),
    chart: () => one("FIGURE"),
  };
  for (const [name, found] of Object.entries(wanted))
    if (!(name in window.seen) && found()) window.seen[name] = performance.now();
};
new MutationObserver(look).observe(document, {subtree: true, childList: true, characterData: true});
document.addEventListener("load", look, true);
"""
ALL = "() => Object.keys(window.seen).length === 3"
PATIENCE = 120_000
CALM = 0.35
"""Seconds without work after which a page is said to be settled."""
HEADS = ("headline", "figure", "chart", "click")


@contextlib.contextmanager
def served(checkout: Path) -> Iterator[str]:
    """The app of a checkout on a free port, with the Python that runs this."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    command += ["--server.headless=true", "--server.fileWatcherType=none"]
    process = subprocess.Popen(command, cwd=checkout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with (
                contextlib.suppress(OSError),
                urllib.request.urlopen(f"http://localhost:{port}/_stcore/health"),
            ):
                break
            time.sleep(0.1)
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        process.wait()


def visit(context: BrowserContext, address: str, page_name: str) -> tuple[float, ...]:
    """Open a page and return the seconds until score, first figure and its chart are there, and those that a
    click takes."""
    page = context.new_page()
    page.add_init_script(WATCH.replace("FIGURE", FIGURES))
    page.goto(f"{address}/{page_name}")
    page.wait_for_function(ALL, timeout=PATIENCE)
    seen = page.evaluate("() => window.seen")
    driver.settled(page)
    begun = time.perf_counter()
    page.get_by_role("tab").nth(1).click()
    driver.settled(page)
    click = time.perf_counter() - begun - CALM
    page.close()
    return *(seen[name] / 1000 for name in HEADS[:3]), click


def measured(browser: Browser, checkout: Path, page_name: str, rounds: int) -> tuple[float, ...]:
    """Return what `HEADS` names in seconds, cold and then warm (median)."""
    with served(checkout) as address:
        context = browser.new_context(viewport=driver.DESKTOP)
        cold = visit(context, address, page_name)
        warm = [visit(context, address, page_name) for _ in range(rounds)]
        context.close()
    return (*cold, *(median(values) for values in zip(*warm, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", nargs="*", type=Path, default=[driver.ROOT])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pages", nargs="*", default=PAGES)
    arguments = parser.parse_args()
    heads = "".join(f"{f'{state} {name}':>15}" for state in ("cold", "warm") for name in HEADS)
    print(f"{'page':12} {'checkout':12}{heads}   load (seconds; load average of one minute)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=driver.chromium(), args=list(driver.ARGUMENTS))
        for page_name in arguments.pages:
            for checkout in arguments.checkouts:
                cells = measured(browser, checkout.resolve(), page_name, arguments.rounds)
                numbers = "".join(f"{seconds:15.2f}" for seconds in cells)
                load = f"{os.getloadavg()[0]:7.1f}"
                print(f"{page_name:12} {checkout.resolve().name:12}{numbers}{load}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
