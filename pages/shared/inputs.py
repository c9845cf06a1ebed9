"""The two doors: which test set and which submission a page works on, a sample or what the visitor
dropped."""

import hashlib
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared.layout import InputPanel, chooser
from scoring.findings import Finding, error
from scoring.samples import Submission, TestSet
from scoring.text import markdown

UPLOAD_MB = 512
# The widget's own words would call that "1GB": its label says it.
HIDDEN_WORDS = """<style>:is([class*="_files"], [class*="_folder"], [class*="_zip"], [class*="nuclei_file"],
[class*="single_second"]) [data-testid="stFileUploaderDropzoneInstructions"] {display: none}</style>"""
TABLE_TYPES = ("csv", "tsv", "txt", "zip")
ALONE = tuple(f".{ending}" for ending in TABLE_TYPES)


@dataclass(frozen=True)
class Input:
    """What a door gives. key: SHA-256 of the content, or of a sample's place. source: a path, bytes or a
    dropped folder. own: uploaded here.

    options: those of `score` that are its own. metadata: a table about the cases that comes with a sample
    test set. problems: why nothing of what was dropped is read.
    """

    key: str
    name: str
    source: Any
    own: bool
    is_model: bool = False
    options: Mapping[str, object] = field(default_factory=dict)
    metadata: Path | None = None
    problems: tuple[Finding, ...] = ()


def test_set(
    samples: Mapping[str, TestSet], page: str, about_upload: str, types: Sequence[str]
) -> tuple[Input, InputPanel]:
    """The door of the test set. page: whose choice and files these are in the session; the address says
    "set". types: further than tables and zips."""
    key = f"{page}_set"

    def uploader():
        return _drop_several(about_upload, key, types)

    door = chooser(
        "Test set", {k: s.title for k, s in samples.items()}, key, "set", uploader, *_in_use(f"{key}_kept")
    )
    if not door.upload:
        return sample_set(samples[door.sample]), door
    return _dropped(door.upload, lone=ALONE), door


def submission(
    samples: Mapping[str, Submission],
    page: str,
    about_upload: str,
    own_options,
    types: Sequence[str],
    several: bool,
) -> tuple[Input, InputPanel, Mapping]:
    """The door of the submission. own_options: draws the options that an own file needs and gives them; the
    address says "submission". types: further than tables and zips. several: whether it may be many files or a
    folder."""
    key, options = f"{page}_submission", {}

    def uploader():
        if several:
            _drop_several(about_upload, key, types)
        else:
            _drop(about_upload, f"{key}_files", [*TABLE_TYPES, *types], False, f"{key}_kept")
        options.update(own_options())
        return _kept(f"{key}_kept")

    door = chooser(
        "Submission",
        {k: f"{s.title} · {'model' if s.is_model else 'predictions'}" for k, s in samples.items()},
        key,
        "submission",
        uploader,
        *_in_use(f"{key}_kept"),
    )
    if door.upload:
        return (
            _dropped(door.upload, lone=tuple(f".{ending}" for ending in (*TABLE_TYPES, *types))),
            door,
            options,
        )
    return sample_submission(samples[door.sample]), door, {}


def model(samples: Mapping[str, Submission], page: str) -> tuple[Input, InputPanel]:
    """The door of a model alone. samples: of which the models are offered; the address says "model"."""
    key, offered = f"{page}_model", {k: s.title for k, s in samples.items() if s.is_model}

    def uploader():
        _drop("ONNX model", f"{key}_files", ["onnx"], False, f"{key}_kept")
        return _kept(f"{key}_kept")

    door = chooser("Model", offered, key, "model", uploader, *_in_use(f"{key}_kept"))
    return _dropped(door.upload, lone=(".onnx",)) if door.upload else sample_submission(
        samples[door.sample]
    ), door


def one_file(label: str, key: str, types: Sequence[str]) -> Input | None:
    """Draws where a single file is dropped and gives it; None while there is none."""
    _drop(label, f"{key}_file", types, False, f"{key}_kept")
    held = _kept(f"{key}_kept")
    return _dropped(held, lone=tuple(f".{ending}" for ending in types)) if held else None


def teams(page: str, types: Sequence[str]) -> tuple[list[Input], list[Input], Callable[[], None]]:
    """Draws where several teams' submissions are dropped. Gives those that are a team each, folders and zips
    that hold an entry per team, and what forgets all of them. types: further than tables and zips."""
    keys = {kind: f"{page}_teams_{kind}" for kind in ("files", "zip", "folder")}
    allowed = [*TABLE_TYPES, *types]
    _drop("Files, one per team", keys["files"], allowed, True, f"{keys['files']}_kept")
    _drop("Or a zip with one entry per team", keys["zip"], ["zip"], False, f"{keys['zip']}_kept", _latest)
    _drop(
        "Or a folder with one entry per team",
        keys["folder"],
        allowed,
        "directory",
        f"{keys['folder']}_kept",
        _latest,
    )
    lone = tuple(f".{ending}" for ending in allowed)
    held = {kind: _kept(f"{key}_kept") or [] for kind, key in keys.items()}

    def forget() -> None:
        for key in keys.values():
            st.session_state.pop(f"{key}_kept", None)

    single = [_dropped([file], lone) for file in held["files"]]
    return single, [_dropped(held[kind], lone) for kind in ("zip", "folder") if held[kind]], forget


def sample_set(chosen: TestSet) -> Input:
    """A sample test set as if it had come through the door."""
    return Input(f"sample:{chosen.name}", chosen.name, chosen.path, False, metadata=chosen.metadata)


def sample_submission(chosen: Submission) -> Input:
    """A sample submission as if it had come through the door."""
    return Input(
        f"sample:{chosen.path}", chosen.path.name, chosen.path, False, chosen.is_model, chosen.options
    )


def metadata(page: str, sample: Path | None) -> Input | None:
    """A button behind which a table about the cases is dropped: the own one in use, else that of the sample
    test set, else None."""
    key = f"{page}_metadata"
    kept, forget = _in_use(f"{key}_kept")
    with st.popover("Metadata", icon=":material/table_view:"):
        _drop(
            "Table of age, sex, site, patient by case id", f"{key}_files", TABLE_TYPES, False, f"{key}_kept"
        )
        held = _kept(f"{key}_kept")
        if kept:
            st.button(
                "Without own metadata",
                key=f"{key}_back",
                type="tertiary",
                icon=":material/undo:",
                on_click=forget,
            )
        st.caption(
            "In use: "
            f"{markdown(kept[0], 60) if kept else markdown(sample.name) if sample else 'none'}. It "
            "gives subgroups, and intervals by patient."
        )
    if held:
        return Input(digest(held[0]), held[0].name, held[0].getvalue(), True)
    return Input(f"sample:{sample}", sample.name, sample, False) if sample else None


def digest(file) -> str:
    """SHA-256 of an upload, computed once: hashing 150 MB again on every click would be felt.

    `getvalue` hands out the bytes that are there, `getbuffer` would copy them.
    """
    known = st.session_state.setdefault("_digests", {})
    if file.file_id not in known:
        known[file.file_id] = hashlib.sha256(file.getvalue()).hexdigest()
    return known[file.file_id]


def _dropped(files: Sequence, lone: tuple[str, ...]) -> Input:
    """What was dropped: one file that stands for itself, as its ending (one of `lone`) says, or the files as
    a folder."""
    first = files[0]
    if len(files) == 1 and "/" not in first.name and first.name.lower().endswith(lone):
        return Input(digest(first), first.name, first.getvalue(), True, first.name.lower().endswith(".onnx"))
    problems = tuple(
        error(
            "zip-among-files",
            file.name,
            f"it was dropped together with {len(files) - 1} other file{'s' * (len(files) > 2)}, and a zip is "
            "a whole: none of them was taken. Drop the zip alone, or files without a zip.",
        )
        for file in files
        if _is_zip(file) and "/" not in file.name
    )
    digests = sorted((file.name, digest(file)) for file in files)
    folder = first.name.replace("\\", "/").split("/")[0] if "/" in first.name else "the dropped files"
    return Input(
        hashlib.sha256(repr(digests).encode()).hexdigest(),
        folder,
        {file.name: file.getvalue() for file in files},
        True,
        problems=problems,
    )


def _drop_several(label: str, key: str, types: Sequence[str]) -> list | None:
    """Files or a folder; whichever came last is kept."""
    _drop(label, f"{key}_files", [*TABLE_TYPES, *types], True, f"{key}_kept", _as_folder)
    _drop("Or a whole folder", f"{key}_folder", [*TABLE_TYPES, *types], "directory", f"{key}_kept", _latest)
    return _kept(f"{key}_kept")


def _drop(
    label: str,
    key: str,
    types: Sequence[str],
    several,
    kept: str,
    count: Callable[[list, list], list] = operator.add,
) -> None:
    """An upload widget whose content outlives it: a change of page takes the widget away, and nobody should
    have to drop a file twice.

    count: what counts, from the files that counted before and those that were dropped now.
    """

    def changed() -> None:
        value = st.session_state[key]
        files = value if isinstance(value, list) else [value] if value else []
        known, seen = (
            st.session_state.get(f"{key}_seen", frozenset()),
            frozenset(file.file_id for file in files),
        )
        st.session_state[f"{key}_seen"] = seen
        place, held = st.session_state.get(kept, (key, []))
        before = [file for file in held if place == key and file.file_id in seen]
        counted = count(before, [file for file in files if file.file_id not in known])
        if counted:
            st.session_state[kept] = (key, counted)
        elif place == key:
            st.session_state.pop(kept, None)

    st.html(HIDDEN_WORDS)
    st.file_uploader(
        f"{label}, up to {UPLOAD_MB} MB",
        type=list(types),
        accept_multiple_files=several,
        key=key,
        max_upload_size=UPLOAD_MB,
        on_change=changed,
    )


def _as_folder(before: list, new: list) -> list:
    """Files dropped one after another make a folder, in which a file takes the place of one of its name. A
    zip is a whole: it takes the place of all, and what comes after it takes its place. So does a table where
    there was a table alone."""
    if not new:
        return before
    lone = new[0].name.lower() if len(new) == 1 else ""
    alone = len(before) == 1 and before[0].name.lower().endswith(ALONE)
    whole = any(_is_zip(file) for file in (*new, *before))
    if whole or (alone and lone.endswith(ALONE)):
        return new
    names = {file.name for file in new}
    return [*(file for file in before if file.name not in names), *new]


def _is_zip(file) -> bool:
    return file.name.lower().endswith(".zip")


def _latest(before: list, new: list) -> list:
    """A folder takes the place of the one before it."""
    return new or before


def _kept(kept: str) -> list | None:
    held = st.session_state.get(kept)
    return held[1] if held else None


def _in_use(kept: str) -> tuple[list[str], Callable[[], object]]:
    """The names of the own files in use, and what forgets them."""
    return [file.name for file in _kept(kept) or []], lambda: st.session_state.pop(kept, None)
