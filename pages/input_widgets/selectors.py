"""Selectors of test set and submission: a sample, or dropped files; challenges that a visitor can choose."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import streamlit as st

from pages.input_widgets.drop_target import folder_button
from pages.input_widgets.upload_widget import (
    MODEL,
    InputPanel,
    InUse,
    as_folder,
    in_use,
    is_zip,
    kept_files,
    latest,
    own_files,
    sample_selector,
    upload,
)
from pages.server import deferred_widgets
from pages.server.streamlit_internals import UploadedFile
from scoring.challenges import REGISTRY, load_challenge
from scoring.challenges.declared import library
from scoring.challenges.samples import SampleSubmission, SampleTestSet
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import markdown
from scoring.core.file_contents import InputSlot, within

OPENED = "_opened_challenges"
"""Session key of the titles of declared challenges by id."""


def challenge_opened(challenge_id: str, title: str) -> None:
    """Note that a declared challenge was opened."""
    st.session_state.setdefault(OPENED, {})[challenge_id] = title


def challenges_by_name(named: str | None = None) -> dict[str, str]:
    """Return the ids of the challenges by their names in addresses.

    Args:
        named: A name in the address; a declared challenge that this server knows is included.
    """
    names = {row.short_name: challenge_id for challenge_id, row in REGISTRY.items()}
    if named and named not in names and (challenge := library.find(named)) is not None:
        challenge_opened(challenge.id, challenge.words.title)
        names[named] = challenge.id
    for file in filter(lambda file: file.is_own, library.known()):
        with suppress(InputRefused):
            names[file.name] = library.of_file(file.path).id
    known: Mapping[str, str] = st.session_state.get(OPENED, {})
    return names | {key: key for key in known if key not in names.values()}


def challenge_name(challenge_id: str) -> str:
    """Return the name of a challenge in addresses."""
    row = REGISTRY.get(challenge_id)
    return row.short_name if row else challenge_id


def challenge_title(challenge_id: str) -> str:
    """Return a challenge's name in lists; its id if it is not known here."""
    row = REGISTRY.get(challenge_id)
    if row:
        return row.short_name
    try:
        return load_challenge(challenge_id).words.title
    except KeyError:
        return challenge_id


SEVERAL = "the dropped files"
"""Name, in messages, of files that were not in one folder."""


@dataclass(frozen=True)
class ChosenInput:
    """A chosen input. key: SHA-256 of the content, or of a sample's path. source: a path, bytes or a dropped
    folder. own: whether it was uploaded.

    options: its own options of `score`. metadata: a table about the cases of a sample test set. problems:
    reasons why the dropped files cannot be read.
    """

    key: str
    name: str
    source: Any
    own: bool
    is_model: bool = False
    options: Mapping[str, object] = field(default_factory=dict)
    metadata: Path | None = None
    problems: tuple[Finding, ...] = ()


NOTHING = ChosenInput("", "", {}, own=True)
"""Entry for a challenge without samples when nothing was dropped; its key is ""."""
NO_TEST_SET = "Drop a test set to begin: this challenge comes without a sample."


@dataclass(frozen=True)
class Slot:
    """An input of a page.

    Attributes:
        key: Session key of the choice; its files have the same key with a suffix.
        parameter: Parameter of the choice in the address.
        target: Challenge and input; files for another input are sent there. Without it, a new file replaces
            the old one.
        folder: Name of a folder; "" if folders are not accepted.
    """

    key: str
    parameter: str
    about: str
    target: tuple[str, InputSlot] | None = None
    folder: str = ""


def _choice(label: str, titles: Mapping[str, str], slot: Slot, is_card: bool = True) -> InputPanel:
    """Draw the choice of a sample, by key, or of own files."""
    files, own = f"{slot.key}_files", f"{slot.key}_kept"

    def uploader() -> None:
        widget = upload(slot.about, files, own, as_folder if slot.target else latest, slot.target)
        if slot.folder:
            folder_button(widget, slot.folder)

    return sample_selector(label, titles, slot.key, slot.parameter, uploader, in_use(own), is_card)


def test_set(
    samples: Mapping[str, SampleTestSet], page: str, about_upload: str, types: Sequence[str]
) -> tuple[ChosenInput, InputPanel]:
    """Draw the choice of the test set; its parameter in the address is "set".

    Args:
        types: Additional extensions besides tables and zips: such a file alone counts as a folder.
    """
    titles = {name: sample.title for name, sample in samples.items()}
    slot = Slot(f"{page}_set", "set", f"Test set: {about_upload}", (page, "truth"), "test set")
    panel = _choice("Test set", titles, slot)
    if not panel.upload:
        return sample_set(samples[panel.sample]) if samples else NOTHING, panel
    return dropped(panel.upload, tuple(f".{ending}" for ending in types)), panel


def submission(
    samples: Mapping[str, SampleSubmission], page: str, about_upload: str, several: bool
) -> tuple[ChosenInput, InputPanel]:
    """Draw the choice of the submission; its parameter in the address is "submission".

    Args:
        several: Whether it may be a folder.
    """
    titles = {
        name: f"{sample.title} · {'model' if sample.is_model else 'predictions'}"
        for name, sample in samples.items()
    }
    key, about, folder = f"{page}_submission", f"Submission: {about_upload}", "submission" * several
    panel = _choice("Submission", titles, Slot(key, "submission", about, (page, "submission"), folder))
    if panel.upload:
        return dropped(panel.upload), panel
    return sample_submission(samples[panel.sample]) if samples else NOTHING, panel


def second(
    samples: Mapping[str, SampleSubmission],
    page: str,
    several: bool,
    kept: Mapping[str, tuple[str, Callable[[], ChosenInput]]] = MappingProxyType({}),
) -> tuple[ChosenInput | None, str]:
    """Draw the choice of a second submission to compare; its parameter in the address is "with".

    Args:
        several: Whether it may be a folder.
        kept: Additional submissions to choose from: key -> title, and a function that opens it.

    Returns:
        The choice, None if there is none, and its name on the page.
    """
    key, about = f"{page}_second", "Second submission: compared with the first case by case"
    offered = {name: sample.title for name, sample in samples.items()}
    offered |= {name: title for name, (title, _) in kept.items()}
    titles = {name: f"Compare with {title}" for name, title in offered.items()}
    slot = Slot(key, "with", about, (page, "second"), "second submission" * several)
    with st.container(key=f"{key}_choice", width=400):
        label = "Compare with another submission"
        panel = _choice(label, {"": "Compare with …", **titles}, slot, is_card=False)
    if panel.upload:
        chosen = dropped(panel.upload)
        return chosen, chosen.name
    if not panel.sample:
        return None, ""
    if panel.sample in kept:
        chosen = kept[panel.sample][1]()
        return chosen, chosen.name
    return sample_submission(samples[panel.sample]), samples[panel.sample].title


def model(samples: Mapping[str, SampleSubmission], page: str) -> tuple[ChosenInput, InputPanel]:
    """Draw the choice of a model alone; its parameter in the address is "model". samples: their models are
    offered."""
    offered = {key: sample.title for key, sample in samples.items() if sample.is_model}
    panel = _choice("Model", offered, Slot(f"{page}_model", "model", "Model: an ONNX file"))
    if panel.upload:
        return dropped(panel.upload[-1:]), panel
    return sample_submission(samples[panel.sample]), panel


def one_file(label: str, key: str, members: tuple[str, ...] = ()) -> ChosenInput | None:
    """Draw the input for a single file and return the file; None if there is none. members: extensions of
    which several files, or a folder, are one input."""
    widget = upload(label, f"{key}_file", f"{key}_kept", as_folder if members else latest)
    if members:
        folder_button(widget, "folder")
    own = in_use(f"{key}_kept")
    if not own.files:
        return None
    if own.files[-1].file_id not in {file.file_id for file in st.session_state[widget]}:
        # The widget is a new one, which does not know the file: after a change of page, or a reload.
        own_files(own, f"{key}_back", "Remove")
    elif not members and len(st.session_state[widget]) > 1:
        st.caption(f"In use: {markdown(own.files[-1].name, 60)}, the latest of these files.")
    return dropped(own.files if members else own.files[-1:], members)


def teams(page: str, elsewhere: bool) -> tuple[list[ChosenInput], list[ChosenInput], InUse]:
    """Draw the input for several teams' submissions.

    Args:
        page: Prefix of the keys.
        elsewhere: Whether page is a challenge's id, and submissions to another challenge are compared there.

    Returns:
        Inputs with one team each, folders and zips with an entry per team, and all files in use.
    """
    files, packs = f"{page}_teams_files", f"{page}_teams_zip_files"
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
        st.caption("A file per team", width="content")
        target: tuple[str, InputSlot] | None = (page, "teams") if elsewhere else None
        upload("Teams: files, one per team", files, f"{files}_kept", target=target)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
        st.caption("A zip or folder of teams", width="content")
        label = "Several teams: a zip or folder with an entry per team"
        folder_button(upload(label, packs, f"{packs}_kept", latest), "an entry per team")
    single, held = kept_files(f"{files}_kept"), kept_files(f"{packs}_kept")

    def forget() -> None:
        for key in (files, packs):
            st.session_state.pop(f"{key}_kept", None)

    own = InUse([*single, *held], forget)
    return [dropped([file]) for file in single], [dropped(held, is_pack=True)] if held else [], own


def packs_of_teams(page: str) -> list[ChosenInput]:
    """Return the current folder or zip of teams, before its uploader is drawn."""
    held = kept_files(f"{page}_teams_zip_files_kept")
    return [dropped(held, is_pack=True)] if held else []


def sample_set(chosen: SampleTestSet) -> ChosenInput:
    """Return a sample test set as an input."""
    return ChosenInput(f"sample:{chosen.name}", chosen.name, chosen.path, False, metadata=chosen.metadata)


def sample_submission(chosen: SampleSubmission) -> ChosenInput:
    """Return a sample submission as an input."""
    return ChosenInput(
        f"sample:{chosen.path}", chosen.path.name, chosen.path, False, chosen.is_model, chosen.options
    )


def metadata(page: str, sample: Path | None) -> ChosenInput | None:
    """Draw the input for a table about the cases, and return it: the visitor's table, or else that of the
    sample test set, or else None."""
    key = f"{page}_metadata"
    own = in_use(f"{key}_kept")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", width="content"):
        with st.container(gap=None, width="content"):
            st.caption(
                "Metadata",
                help="Columns age, sex, site, patient per case id, for subgroups and intervals by patient.",
            )
            name = own.names[-1] if own.names else sample.name if sample else "none"
            st.markdown(markdown(name, 40))
        uploader = st.container(width="content")
        if own.names:
            st.button(
                "Do not use my metadata",
                key=f"{key}_back",
                type="tertiary",
                icon=":material/undo:",
                on_click=own.forget,
            )

    def draw() -> None:
        label = "Metadata: a table with age, sex, site and patient of each case id"
        with uploader:
            upload(label, f"{key}_files", f"{key}_kept", latest, (page, "metadata"))

    deferred_widgets.after(draw)
    if own.files:
        latest_own = own.files[-1]
        return ChosenInput(digest(latest_own), latest_own.name, latest_own.getvalue(), True)
    return ChosenInput(f"sample:{sample}", sample.name, sample, False) if sample else None


def digest(file: UploadedFile) -> str:
    """Return the SHA-256 of an upload, computed once, because hashing 150 MB on every click would be slow.
    `getvalue` returns the existing bytes; `getbuffer` would copy them."""
    known = st.session_state.setdefault("_digests", {})
    if file.file_id not in known:
        known[file.file_id] = hashlib.sha256(file.getvalue()).hexdigest()
    return known[file.file_id]


def dropped(
    files: Sequence[UploadedFile], members: tuple[str, ...] = (), is_pack: bool = False
) -> ChosenInput:
    """Return dropped files as an input: a single file by itself, or several as a folder. members: extensions
    of files that count as a folder even alone. is_pack: whether it contains several teams."""
    first = files[0]
    if len(files) == 1 and "/" not in first.name and not first.name.lower().endswith(members or "/"):
        return ChosenInput(
            digest(first), first.name, first.getvalue(), True, first.name.lower().endswith(MODEL)
        )
    problems = tuple(
        error(
            "zip-among-files",
            file.name,
            f"it was dropped together with {len(files) - 1} other file{'s' * (len(files) > 2)}, but a zip "
            "cannot be combined with other files: no file was read. Drop only the zip, or only other files.",
        )
        for file in files
        if is_zip(file) and "/" not in file.name
    )
    digests = sorted((file.name, digest(file)) for file in files)
    held = {file.name: file.getvalue() for file in files}
    folder = first.name.replace("\\", "/").split("/")[0] if "/" in first.name else SEVERAL
    return ChosenInput(
        hashlib.sha256(repr(digests).encode()).hexdigest(),
        folder,
        held if is_pack else within(folder, held),
        True,
        problems=problems,
    )
