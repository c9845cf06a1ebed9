"""Own submissions that are kept, on the command line: scores over time, notes, and deletion that leaves
nothing."""

from pathlib import Path

import pytest
from sqlalchemy import text

from scoring.common.findings import InputRefused
from scoring.comparison import two_submissions
from scoring.core.views import Figure, Table, Text
from scoring.history import keeping, saved_submissions
from scoring.history.saved_submissions import FIRST, SECOND, compared, series, steps
from scoring.history.views import CAUTION, blocks, summary
from scoring.store import schema
from scoring.store.database import is_there, open_store
from scoring.store.kept_files import MARK
from tests.support import schemas
from tests.support.boards import labels, predictions
from tests.support.command_line import Finished, run


@pytest.fixture
def truth(tmp_path) -> Path:
    return labels(tmp_path / "labels.csv")


def score(truth: Path, submitted: Path, *more: object) -> Finished:
    few = ("--resamples", 60)
    return run("score", "melanoma", "--truth", truth, "--predictions", submitted, *few, *more)


def kept(truth: Path, *noises: float) -> list[str]:
    """Keep a submission of each noise, and return their ids, oldest first."""
    for number, noise in enumerate(noises):
        path = predictions(truth.parent / f"model-{number}.csv", number, noise)
        done = score(truth, path, "--keep", "--note", f"noise {noise}")
        assert done.status == 0, done.err
    return [entry.id for entry in saved_submissions.saved(open_store())]


def listed() -> list[dict]:
    done = run("history", "list", "--json", "-")
    assert done.status == 0, done.err
    assert schemas.problems("history", done.out) == []
    return done.json["series"]


def on_disk(folder: Path, words: bytes) -> list[str]:
    """Return the files of a store that hold some words."""
    return [file.name for file in folder.rglob("*") if file.is_file() and words in file.read_bytes()]


def test_nothing_is_kept_unasked_and_looking_makes_no_store(database, truth, tmp_path):
    assert score(truth, predictions(tmp_path / "p.csv", 0, 1.0)).status == 0
    assert not (tmp_path / "store").exists()
    if database == "sqlite":
        assert "Nothing is saved yet" in run("history", "list").out
        assert not is_there()
        assert not (tmp_path / "store").exists()
    assert score(truth, tmp_path / "p.csv", "--note", "x").err.count("nothing is saved without --keep") == 1


def test_scores_over_time_with_the_difference_to_the_best_before(database, truth, tmp_path):
    ids = kept(truth, 1.4, 0.6, 1.9)
    (found,) = listed()
    assert [one["id"] for one in found["kept"]] == ids
    assert [one["best_before"] for one in found["kept"]] == [None, ids[0], ids[1]]
    assert [one["note"] for one in found["kept"]] == ["noise 1.4", "noise 0.6", "noise 1.9"]
    store = open_store()
    all_kept = saved_submissions.saved(store)
    cards = [saved_submissions.card_of(store, entry) for entry in all_kept]
    between = compared("melanoma", cards[2], cards[1]).comparison
    change = two_submissions.change(between, FIRST, SECOND)
    last = found["kept"][2]
    # Worse than the best of two, which leads by chance too: the pair alone would be told apart.
    assert (last["difference"], change.apart, last["told_apart"]) == (change.value, True, None)
    assert last["difference"] == pytest.approx(cards[2].score - cards[1].score)
    assert last["difference_interval"] == list(change.interval)
    shown = run("history", "show", ids[0][:5])
    assert f"{ids[0]}, saved " in shown.out
    assert "noise 1.4" in shown.out
    lines = run("history", "list").out.splitlines()
    assert "first submission" in lines[2]
    assert sum(": noise" in line for line in lines) == 3

    figure, table, caution = blocks(steps(store, series(all_kept)[0]), ids[1])
    assert isinstance(figure, Figure)
    assert isinstance(table, Table)
    assert caution == Text(CAUTION.format(way="high"), "note")
    assert figure.data["score"] == [card.score for card in cards]
    assert table.rows["difference"][2] == "the first"
    sentence = summary(store, cards[2], "mine", all_kept[:2])
    assert sentence.startswith("**mine** scores ")
    assert "these cases do not show which team is worse" in sentence
    assert "told apart" in summary(store, cards[2], "mine", all_kept[1:2])


def test_the_same_is_kept_once_and_other_rules_are_another_series(database, truth, tmp_path):
    (first,) = kept(truth, 1.0)
    again = score(truth, tmp_path / "model-0.csv", "--keep", "--note", "second thoughts")
    assert "Was saved before" in again.err
    assert [(one.id, one.note) for one in saved_submissions.saved(open_store())] == [
        (first, "second thoughts")
    ]
    other = labels(tmp_path / "other.csv", wrong=(1,))
    assert score(other, tmp_path / "model-0.csv", "--keep").status == 0
    assert score(truth, tmp_path / "model-0.csv", "--keep", "--seed", 1).status == 0
    assert [len(one["kept"]) for one in listed()] == [1, 1, 1]


def test_what_is_deleted_is_gone_from_the_disk_and_what_others_need_stays(database, truth, tmp_path):
    first, second = kept(truth, 1.0, 0.5)
    with_truth = score(truth, tmp_path / "model-1.csv", "--keep", "--keep-truth", "--note", "secret-words")
    assert with_truth.status == 0, with_truth.err
    files = run("history", "show", second, "--files", tmp_path / "out")
    assert files.status == 0, files.err
    assert (tmp_path / "out" / "model-1.csv").read_bytes() == (tmp_path / "model-1.csv").read_bytes()
    assert (tmp_path / "out" / "labels.csv").read_bytes() == truth.read_bytes()
    copy = predictions(tmp_path / "copy.csv", 1, 0.5)
    assert score(truth, copy, "--keep", "--seed", 3).status == 0  # the same file under other rules
    store, folder = open_store(), tmp_path / "store"
    content = copy.read_bytes()
    if database == "sqlite":
        assert on_disk(folder, b"secret-words")
    assert on_disk(folder, content)
    third = saved_submissions.saved(store)[-1].id
    deleted = run("history", "delete", second).out
    assert deleted.startswith("Deleted permanently. Submissions: 1. Stored files: 1.\n")
    assert f"The test set labels.csv stays: submission {third} needs it" in deleted
    assert on_disk(folder, content), "the other entry still needs it"
    holds = {entry.id: entry.has_truth for entry in saved_submissions.saved(store)}
    assert holds == {first: False, third: True}
    ((name, data),) = saved_submissions.files(store, saved_submissions.saved(store)[-1], keeping.TRUTH)
    assert (name, data) == ("labels.csv", truth.read_bytes())
    left = [*holds]
    assert "stays" not in run("history", "delete", *left).out
    assert not on_disk(folder, truth.read_bytes())
    assert [file.name for file in (folder / "files").rglob("*") if file.is_file()] == [MARK]
    assert not on_disk(folder, b"secret-words")
    assert not on_disk(folder, left[0].encode())
    assert run("history", "show", first).err.count("no saved submission has this id") == 1


def test_a_run_gets_another_name_and_its_file_keeps_its_own(database, truth, tmp_path):
    (mine,) = kept(truth, 1.0)
    done = run("history", "rename", mine, "  colour jitter ")
    assert "colour jitter" in done.out
    (entry,) = saved_submissions.saved(open_store())
    assert entry.name == "colour jitter"
    assert [name for name, _ in saved_submissions.files(open_store(), entry, keeping.SUBMISSION)] == [
        "model-0.csv"
    ]
    for name in ("", "x" * 201):
        refused = run("history", "rename", mine, name)
        assert (refused.status, "write 1 to 200" in refused.err) == (2, True)


def test_the_test_set_goes_to_the_newest_of_those_that_stay_with_its_fixes(truth):
    ids = kept(truth, 1.0, 0.5, 0.3)
    store = open_store()
    with store.write() as session:
        first = session.get(schema.Kept, ids[0])
        first.page = {"mends": {"of the file": [{"label": "secret"}], "of the test set": [{"label": "b"}]}}
        digest = store.keep(truth.read_bytes())
        for role in (keeping.TRUTH, keeping.METADATA):
            row = schema.KeptFile(kept_id=ids[0], place=role, number=0, name="labels.csv", sha256=digest)
            session.add(row)
    _, heirs = keeping.delete(store, [ids[0], ids[2]])
    assert [entry.id for entry in heirs] == [ids[1]]
    (left,) = saved_submissions.saved(store)
    assert left.has_truth
    assert left.page["mends"] == {"of the test set": [{"label": "b"}]}
    assert len(saved_submissions.files(store, left, keeping.METADATA)) == 1


def test_somebody_elses_is_neither_seen_nor_changed(database, truth):
    (mine,) = kept(truth, 1.0)
    store = open_store()
    assert saved_submissions.saved(store, owner="ada") == []
    for attempt in (
        lambda: keeping.delete(store, [mine], "ada"),
        lambda: keeping.write_note(store, mine, "x", "ada"),
        lambda: keeping.rename(store, mine, "x", "ada"),
    ):
        with pytest.raises(InputRefused, match="nothing-kept"):
            attempt()
    with pytest.raises(InputRefused, match="bad-note"):
        keeping.write_note(store, mine, "x" * 2001)
    assert run("history", "note", mine, "better").out.endswith(": better\n")
    assert saved_submissions.saved_submission(store, mine).note == "better"


def test_a_damaged_file_is_a_sentence_and_its_entry_can_still_be_deleted(database, truth, tmp_path):
    (mine,) = kept(truth, 1.0)
    store = open_store()
    store.files.place(saved_submissions.saved_submission(store, mine).card).write_bytes(b"{}")
    done = run("history", "show", mine)
    assert (done.status, "was changed after it was saved" in done.err) == (2, True)
    assert run("history", "delete", mine).status == 0
    with store.read() as session:
        assert session.execute(text("SELECT count(*) FROM kept_file")).scalar() == 0


def test_a_kept_folder_comes_back_with_its_names(tmp_path):
    (tmp_path / "masks" / "a").mkdir(parents=True)
    for name in ("a/1.txt", "2.txt", ".DS_Store"):
        (tmp_path / "masks" / name).write_text(name)
    assert keeping.files_at(str(tmp_path / "masks")) == [
        ("masks/2.txt", b"2.txt"),
        ("masks/a/1.txt", b"a/1.txt"),
    ]
    with pytest.raises(InputRefused, match="unreadable-file"):
        keeping.files_at(str(tmp_path / "nowhere"))
