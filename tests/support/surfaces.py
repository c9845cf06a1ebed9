"""Every surface on which a challenge shows scores, run in a copy of the project:
`python surfaces.py CHALLENGE SHORT_NAME FOLDER STEP` writes what each said as `FOLDER/surfaces.json`.

FOLDER holds truth, corrected, and a file for each team of `TEAMS`, as .csv or .zip. STEP is that of the
Ladder.
"""

import contextlib
import io
import json
import os
import sys
import zipfile
from pathlib import Path

TEAMS = ("good", "better", "bad")
SENT = ("bad", "better", "good")
"""What one team submits to a board, day after day."""
FEW = ("--resamples", "60")


def given(folder: Path, name: str) -> Path:
    """Return the file of a truth or team."""
    return next(
        folder / f"{name}{ending}" for ending in (".csv", ".zip") if (folder / f"{name}{ending}").exists()
    )


def run(*arguments: object) -> str:
    """Run the command line in this process and return what it wrote."""
    from scoring.__main__ import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(argument) for argument in arguments])
    assert not status, (arguments, out.getvalue(), err.getvalue())
    return out.getvalue()


def commands(challenge: str, folder: Path) -> dict[str, object]:
    """Return what `score` and `compare` write."""
    truth = ("--truth", given(folder, "truth"))
    run(
        *("score", challenge, *truth, "--predictions", given(folder, "good"), *FEW),
        *("--json", folder / "card.json", "--html", folder / "card.html", "--paper", folder / "card.zip"),
    )
    teams = [f"{team}={given(folder, team)}" for team in TEAMS]
    compare = ("compare", challenge, *truth, *teams, *FEW, "--pairs-test", "bootstrap")
    run(
        *compare,
        *("--json", folder / "compare.json", "--html", folder / "compare.html"),
        *("--paper", folder / "compare.zip"),
    )
    with zipfile.ZipFile(folder / "compare.zip") as paper:
        papers = "".join(paper.read(name).decode() for name in paper.namelist() if name.endswith(".tex"))
    return {
        "card": json.loads((folder / "card.json").read_text()),
        "card html": (folder / "card.html").read_text(),
        "comparison": json.loads((folder / "compare.json").read_text()),
        "comparison html": (folder / "compare.html").read_text(),
        "terminal": run(*compare),
        "tex": papers,
    }


def rules(challenge: str, folder: Path) -> dict[str, object]:
    """Return the ranks under other rules, and a sentence about two submissions."""
    import scoring
    from scoring.comparison import display, robustness, two_submissions

    known = scoring.load_challenge(challenge)
    truth = known.read_truth(given(folder, "truth"))
    teams = {team: known.read_predictions(given(folder, team), truth) for team in TEAMS}
    compared = scoring.compare(known, truth, teams, resamples=60, pairs_test="bootstrap")
    robust = robustness.robustness(compared)
    return {
        "rules": {rule.name: dict(zip(robust.teams, rule.ranks, strict=True)) for rule in robust.rules},
        "sentence": two_submissions.summary(display.of(compared), "better", "bad"),
    }


def boards(challenge: str, folder: Path, step: str) -> dict[str, object]:
    """Return what boards say: the last and the best submission counts, and a hidden truth with the Ladder."""
    shown: dict[str, object] = {}
    for board in ("last", "best", "hidden"):
        counts = "last" if board == "last" else "best"
        run(
            *("board", "create", challenge, "--id", board, "--title", board, "--counts", counts),
            *("--truth", given(folder, "truth"), *FEW),
        )
        if board == "hidden":
            run("board", "hide", board, "--ladder", step)
        for day, name in enumerate(SENT, 1):
            sent = ("--predictions", given(folder, name), "--time", f"2026-01-0{day}")
            run("board", "submit", board, "--team", "climber", *sent)
        run("board", "submit", board, "--team", "other", "--predictions", given(folder, "bad"))
        html = folder / f"{board}.html"
        shown[board] = json.loads(run("board", "show", board, "--json", "-", "--html", html))
        shown[f"{board} html"] = html.read_text()
    run("board", "rescore", "last", "--yes", "--truth", given(folder, "corrected"))
    shown["changes"] = json.loads(run("board", "show", "last", "--changes", "--json", "-"))
    return shown


def history(challenge: str, folder: Path) -> object:
    """Return what the history lists of three submissions."""
    for name in SENT:
        run(
            *("score", challenge, "--truth", given(folder, "truth"), "--keep", *FEW),
            *("--predictions", given(folder, name)),
        )
    return json.loads(run("history", "list", "--json", "-"))


def bundles(challenge: str, folder: Path, metric: str = "accuracy") -> dict[str, str]:
    """Return the settings of each platform's leaderboard with a metric beside the score, and what is to be
    done next."""
    written = {}
    for platform in ("grand-challenge", "codabench", "evalai"):
        to = folder / platform
        steps = run(
            *("platform", "bundle", challenge, "--platform", platform, "--title", "T", "--output", to),
            *("--truth", given(folder, "truth"), "--metrics", metric, "--image", "a/b"),
        )
        texts = [steps]
        for path in to.glob("*.zip"):
            with zipfile.ZipFile(path) as archive:
                texts += [archive.read(n).decode() for n in archive.namelist() if n.endswith(".yaml")]
        written[platform] = "\n".join(texts)
    return written


def pages(challenge: str, short_name: str) -> dict[str, object]:
    """Return the texts of every page that shows scores, as a visitor without a browser reads them."""
    from streamlit.components.v2 import manifest_scanner
    from streamlit.testing.v1 import AppTest

    from pages.server import deferred_widgets
    from scoring.challenges import REGISTRY, samples

    deferred_widgets.PAUSE = 0
    scanned = manifest_scanner.scan_component_manifests()  # else anew at every visit: 0.2 s
    manifest_scanner.scan_component_manifests = lambda: scanned
    for other in {*REGISTRY} - {challenge}:  # the overview would score the samples of all of them
        del REGISTRY[other]
    team = next(iter(samples.test_sets(challenge)[next(iter(samples.test_sets(challenge)))].submissions))
    tabs = ("Ranking", "Lead", "Stability", "Other rules", "Classes", "Cases")
    visits = {
        "challenge": (challenge, {}),
        "difference": (challenge, {"with": team, "tab": "Difference"}),
        "history": (challenge, {"tab": "History"}),
        **{f"compare {tab}": ("compare_teams", {"challenge": short_name, "tab": tab}) for tab in tabs},
        "overview": ("overview", {}),
        "board": ("board", {"board": "best"}),
        "corrections": ("board", {"board": "last", "tab": "Corrections"}),
        "hidden board": ("board", {"board": "hidden"}),
    }
    said: dict[str, object] = {}
    for name, (page, address) in visits.items():
        app = AppTest.from_file(str(Path.cwd() / "pages" / "server" / "navigation.py"), default_timeout=300)
        app.query_params.update(address)
        app.switch_page(f"../{page}.py").run()
        assert not app.exception, (name, app.exception[0].stack_trace)
        assert not app.error, (name, [element.value for element in app.error])
        kinds = (app.title, app.header, app.markdown, app.caption, app.metric, app.info)
        said[name] = "\n".join(str(element.value) for kind in kinds for element in kind)
        said[f"{name} drawn"] = [plot.proto.alt for plot in app.get("plotly_chart")]
    return said


def main(challenge: str, short_name: str, place: str, step: str) -> None:
    """Run every surface."""
    folder = Path(place)
    os.environ["BENCHSIDE_STORE"] = str(folder / "store")
    said = {
        **commands(challenge, folder),
        **rules(challenge, folder),
        "boards": boards(challenge, folder, step),
        "history": history(challenge, folder),
        "bundles": bundles(challenge, folder),
        "pages": pages(challenge, short_name),
    }
    (folder / "surfaces.json").write_text(json.dumps(said), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
