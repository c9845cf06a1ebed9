"""What earlier code stored and exported opens as it was: boards, teams, scores, dates, attempts, history.

made_by_<commit>.tar.xz: what the code of that commit wrote; made_by_<commit>.expected.json: what it answered,
by command. README.md says how they were made. Answers may have gained fields since; what is computed again
may differ by what another processor rounds otherwise.
"""

import json
import shutil
import tarfile
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import pytest
from streamlit.testing.v1 import AppTest

from scoring.history import saved_submissions
from scoring.store import schema
from scoring.store.database import open_store
from scoring.version import __version__
from tests.support import schemas
from tests.support.command_line import ROOT, Finished, run
from tests.support.subsets import differences

FOLDER = Path(__file__).parent
OLDEST, LAST = "435365e", "0e6e979"
MADE = (OLDEST, LAST)
ROUNDING = 1e-13
OF_EACH = ("lesions.zip", "lesions-with-truth.zip", "photographs-with-truth.zip", "eleven.zip")
BUNDLES = [(LAST, "hidden-with-truth.zip"), *((commit, name) for commit in MADE for name in OF_EACH)]
WRITTEN = [(LAST, name) for name in ("board", "scorecard", "comparison", "history")]
# A board.json from before phases and facts lacks what the schema requires by now.
WRITTEN += [(OLDEST, name) for name in ("scorecard", "comparison", "history")]
SINCE = ("rank_interval", "tied_for_first")
"""What another rule decides since the oldest store was made: interval and adjusted p tell teams apart."""


@cache
def expected(commit: str) -> dict[str, dict]:
    """Return what the commit's code answered, by command."""
    return json.loads((FOLDER / f"made_by_{commit}.expected.json").read_text(encoding="utf-8"))


ASKED = [(commit, command) for commit in MADE for command in expected(commit)]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """Gives the folder of what a commit's code wrote; its store is only asked."""

    @cache
    def unpack(commit: str) -> Path:
        folder = tmp_path_factory.mktemp(commit)
        with tarfile.open(FOLDER / f"made_by_{commit}.tar.xz") as packed:
            packed.extractall(folder, filter="data")
        return folder

    return unpack


@pytest.fixture(autouse=True)
def store_folder(tmp_path, monkeypatch) -> Path:
    """Where stores are opened: an empty folder."""
    for name in ("BENCHSIDE_DATABASE_URL", "BENCHSIDE_FILES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    return tmp_path / "store"


@pytest.fixture
def stored(unpacked, store_folder):
    """Puts a copy of a commit's store where stores are opened; gives the folder of what it wrote."""

    def put(commit: str) -> Path:
        shutil.copytree(unpacked(commit) / "store", store_folder)
        return unpacked(commit)

    return put


def done(*arguments: object) -> Finished:
    finished = run(*arguments)
    assert finished.status == 0, finished.err
    return finished


def answered(*arguments: object) -> dict:
    return done(*arguments, "--json", "-").json


def departures(before: object, now: object) -> list[str]:
    return list(differences(before, now, ROUNDING))


def kept(commit: str, note: str) -> dict:
    """Return the recorded entry of the history with a note."""
    series = expected(commit)["history list"]["series"]
    return next(one for group in series for one in group["kept"] if one["note"] == note)


@pytest.mark.parametrize(("commit", "command"), ASKED)
def test_a_store_made_before_answers_as_it_did(unpacked, monkeypatch, commit, command):
    folder, before = unpacked(commit), expected(commit)[command]
    monkeypatch.setenv("BENCHSIDE_STORE", str(folder / "store"))
    if command.startswith("history show"):
        before = before | {"card": json.loads((folder / "cards.json").read_text(encoding="utf-8"))[command]}
    now = answered(*command.split())
    if commit == OLDEST:
        before, now = of_same_rules(before), of_same_rules(now)
    assert departures(of_history(of_hidden(before)), of_history(now)) == []


def of_history(value: dict) -> dict:
    """Return an answer without the intervals of differences, which are computed by the method of today."""
    if "series" not in value:
        return value
    series = [
        group | {"kept": [{**one, "difference_interval": None} for one in group["kept"]]}
        for group in value["series"]
    ]
    return value | {"series": series}


def of_same_rules(value: dict) -> dict:
    """Return an answer without what another rule decides since, and with changes in one order."""
    teams = [{key: of for key, of in one.items() if key not in SINCE} for one in value.get("teams", ())]
    changes = sorted(value.get("changes", ()), key=lambda one: one["team"])
    return value | {name: found for name, found in (("teams", teams), ("changes", changes)) if name in value}


def of_hidden(value: dict) -> dict:
    """Return an answer about a truth as it is since: its SHA-256 is not published; where it is hidden, the
    Ladder is named as the rule of ranking, the number of cases is not published, and the gain is a bound."""
    board, provenance = value.get("board"), value.get("provenance")
    if isinstance(board, dict) and provenance:
        provenance = {name: of for name, of in provenance.items() if name != "truth_sha256"}
        value = value | {"provenance": provenance}
    if isinstance(board, dict) and board.get("id") == "hidden":
        shown = {name: of for name, of in provenance.items() if name not in ("n_cases", "n_units")}
        return value | {"board": board | {"counts": "ladder"}, "provenance": shown}
    if "use" in value:
        return value | {"use": {name: of for name, of in value["use"].items() if name != "gain"}}
    return value


def test_what_was_recorded_is_worth_comparing():
    for commit in MADE:
        lesions = expected(commit)["board show lesions"]
        assert [one["team"] for one in lesions["teams"]] == ["Béta & Söhne", "alpha", "delta"]
        assert [one["team"] for one in lesions["excluded"]] == ["gamma"]
        assert lesions["teams"] != expected(commit)["board show lesions --test-set 1"]["teams"]
        assert len(lesions["teams"][1]["history"]) == 4
        assert len({group["challenge"] for group in expected(commit)["history list"]["series"]}) == 4
    answers = expected(LAST)
    outcomes = {one["outcome"] for one in answers["board attempts hidden"]["attempts"]}
    assert outcomes == {"scored", "foreign-team", "missing-case"}
    (alpha,) = (one for one in answers["board show hidden"]["teams"] if one["team"] == "alpha")
    assert [one["score"] is None for one in alpha["history"]] == [False, True, False]
    assert len(answers["board phase lesions"]["phases"]) == 2
    assert answers["board refused lesions"]["refused"]


@pytest.mark.parametrize(("commit", "bundle"), BUNDLES)
def test_a_board_exported_before_is_ranked_as_it_was(unpacked, commit, bundle):
    board = bundle.removesuffix(".zip").removesuffix("-with-truth")
    before = expected(commit)[f"board show {board}"]
    imported = answered("board", "import", unpacked(commit) / "exported" / bundle)
    if commit == OLDEST:
        before = of_same_rules(before)
    assert departures(of_hidden(before), of_same_rules(imported) if commit == OLDEST else imported) == []
    assert answered("board", "show", board) == imported


def test_only_lists_and_columns_of_before_phases_may_be_missing(unpacked, tmp_path):
    whole = unpacked(LAST) / "exported" / "lesions.zip"
    with ZipFile(whole) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    for part, key in ((None, "teams"), ("board", "counts"), ("submissions", "excluded")):
        manifest = json.loads(members["manifest.json"])
        del (manifest if part is None else manifest[part] if part == "board" else manifest[part][0])[key]
        with ZipFile(tmp_path / f"{key}.zip", "w") as packed:
            for name, data in (members | {"manifest.json": json.dumps(manifest).encode()}).items():
                packed.writestr(name, data)
        refused = run("board", "import", tmp_path / f"{key}.zip")
        assert (refused.status, "bad-bundle" in refused.err) == (2, True)


def test_a_bundle_is_ranked_as_its_store_to_the_last_digit(stored, tmp_path, monkeypatch):
    folder = stored(LAST)
    there = answered("board", "show", "lesions")
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "fresh"))
    here = answered("board", "import", folder / "exported" / "lesions.zip")
    assert (here["teams"], here["excluded"]) == (there["teams"], there["excluded"])


@pytest.mark.parametrize("commit", MADE)
def test_a_board_made_before_goes_on(stored, tmp_path, commit):
    inputs, before = stored(commit) / "inputs" / "lesions", expected(commit)["board show lesions"]
    again = done("board", "submit", "lesions", inputs / "sent")
    assert again.err.count("submitted-before") == 7
    assert departures(before["teams"], answered("board", "show", "lesions")["teams"]) == []
    (gamma,) = before["excluded"]
    shown = answered("board", "exclude", "lesions", gamma["submission"], "--undo")
    assert "gamma" in {one["team"] for one in shown["teams"]}
    model = inputs / "model-4.csv"
    done("board", "submit", "lesions", "--team", "delta", "--predictions", model, "--time", "2026-11-13")
    changed = answered("board", "rescore", "lesions", "--yes", "--truth", inputs / "labels.csv")
    assert (changed["test_set_version"], len(changed["changes"])) == (3, 4)
    first = expected(commit)["board show lesions --test-set 1"]["teams"]
    scores = {one["submission"]: one["score"] for team in first for one in team["history"]}
    now = answered("board", "show", "lesions")["teams"]
    same = {one["submission"]: one["score"] for team in now for one in team["history"]}
    assert departures(scores, same) == [], "version 3 of the test set is what version 1 was"
    done("board", "facts", "lesions", inputs / "teams.csv")
    done("board", "show", "lesions", "--html", tmp_path / "board.html")
    html = (tmp_path / "board.html").read_text(encoding="utf-8")
    names = ("Lesions, drawn", "alpha", "Béta &amp; Söhne", "gamma")
    assert [name for name in names if name not in html] == []
    done("board", "export", "lesions", tmp_path / "lesions.zip", "--with-truth")


@pytest.mark.parametrize("commit", MADE)
def test_kept_history_goes_on_with_its_files(stored, tmp_path, commit):
    inputs, one = stored(commit) / "inputs", kept(commit, "another seed")
    done("history", "show", one["id"], "--files", tmp_path / "out")
    for name in ("model-4.csv", "corrected.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (inputs / "lesions" / name).read_bytes()
    done("history", "note", one["id"], "a new note")
    assert answered("history", "show", one["id"])["note"] == "a new note"
    files = ("--truth", inputs / "lesions" / "corrected.csv", "--metadata", inputs / "lesions" / "sites.csv")
    model = inputs / "lesions" / "model-4.csv"
    few = ("--resamples", 20, "--note", "model 4")
    done("score", "melanoma", *files, "--predictions", model, *few, "--keep")
    series = answered("history", "list", "--challenge", "melanoma")["series"]
    (group,) = (group for group in series if group["kept"][-1]["note"] == "model 4")
    assert [entry["note"] for entry in group["kept"]] == ["model 1", "model 2", "model 3", "model 4"]
    assert group["kept"][-1]["difference"] is not None
    done("history", "delete", one["id"])
    assert one["id"] not in done("history", "list", "--json", "-").out


@pytest.mark.parametrize("commit", MADE)
def test_what_was_kept_before_is_known_again_while_its_score_is_the_same(stored, commit):
    """What version 0.1.0 kept is kept a second time only where this version scores it otherwise."""
    inputs = stored(commit) / "inputs" / "lesions"
    files = ("--truth", inputs / "corrected.csv", "--metadata", inputs / "sites.csv")
    score = (
        "score",
        "melanoma",
        *files,
        "--predictions",
        inputs / "model-3.csv",
        "--resamples",
        20,
        "--keep",
    )
    before = {entry.id: entry for entry in saved_submissions.saved(open_store(), "melanoma")}
    assert {entry.program for entry in before.values()} == {"0.1.0"}
    (known,) = (entry for entry in before.values() if entry.name == "model-3.csv")
    for _ in range(2):
        assert "Was saved before" in done(*score).err
    assert {entry.id for entry in saved_submissions.saved(open_store(), "melanoma")} == before.keys()
    change_score(known.id)
    assert "Was saved before" not in done(*score).err
    assert "Was saved before" in done(*score).err
    (new,) = (one for one in saved_submissions.saved(open_store(), "melanoma") if one.id not in before)
    assert (new.name, new.program) == ("model-3.csv", __version__)


def change_score(kept_id: str) -> None:
    """Let a kept submission have another score, as an earlier version could have computed it."""
    with open_store().write() as session:
        session.get(schema.Kept, kept_id).score -= 0.01


@pytest.mark.parametrize(("commit", "name"), WRITTEN)
def test_a_file_written_before_follows_the_schema_of_today(unpacked, commit, name):
    text = (unpacked(commit) / "exported" / f"{name}.json").read_text(encoding="utf-8")
    assert schemas.problems(name, text) == []


REWORDED = (
    "20 replicates: below 200 the ends of an interval are rough.",
    "20 replicates are few: below 200, the ends of an interval are imprecise.",
)


@pytest.mark.parametrize("commit", MADE)
def test_the_same_files_score_and_compare_as_they_did(unpacked, commit):
    inputs, exported = unpacked(commit) / "inputs" / "lesions", unpacked(commit) / "exported"
    how = ("--truth", inputs / "corrected.csv", "--resamples", 20, "--interval", "percentile")
    one = ("--predictions", inputs / "model-3.csv", "--metadata", inputs / "sites.csv")
    names = ("one", "two", "three")
    teams = [f"{team}={inputs}/model-{number}.csv" for number, team in enumerate(names, 1)]
    now = {
        "scorecard": answered("score", "melanoma", *how, *one),
        "comparison": answered("compare", "melanoma", *how, "--pairs-test", "bootstrap", *teams),
    }
    for name, value in now.items():
        text = (exported / f"{name}.json").read_text(encoding="utf-8")
        # What `auto` was then is asked for by its name now. The words of a message may change.
        text = text.replace('"interval": "auto"', '"interval": "percentile"').replace(*REWORDED)
        before = json.loads(text)
        del before["provenance"]["version"]
        assert departures(before, value) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "note", "mend", "sentence"),
    [
        (
            "puma",
            "with a choice and a mend, on the page",
            "Leave out nuclei of other classes",
            "has the same result as when it was saved on 2026-11-23",
        ),
        (
            "tricorder3",
            "mended",
            "Read and score it as it was kept",
            "had another score when it was saved on 2026-11-23",  # with 20 replicates
        ),
    ],
)
def test_what_was_kept_before_opens_again_on_its_page(stored, page, note, mend, sentence):
    """The page names the version that scored it only where this one scores it otherwise."""
    stored(LAST)
    one = kept(LAST, note)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    text = open_again(app, page, one["id"])
    assert (mend in text, sentence in text) == (True, True)
    assert ("by version 0.1.0" in text) == ("another score" in sentence)
    for name, value in one["rules"].items():
        chosen = [choice.value for choice in app.segmented_control if choice.key == name]
        assert chosen in ([], [value])
    change_score(one["id"])
    text = open_again(app, page, one["id"])
    assert "had another score when it was saved on 2026-11-23: " in text
    assert "by version 0.1.0" in text


def open_again(app: AppTest, page: str, kept_id: str) -> str:
    """Open a kept submission from the overview, and return the text of its page."""
    app.switch_page("pages/overview.py").run()
    app.button(key=f"recent_{kept_id}").click().run()
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    return " ".join(element.value for element in app.markdown)
