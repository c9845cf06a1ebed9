"""Mobile sheet: on a phone, controls at the lower edge, opened by one button."""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

FOLDER = Path(__file__).parent
_button = st.components.v2.component(
    "sheet_button",
    html="<button type='button' aria-expanded='false'></button>",
    css=(FOLDER / "bar_button.css").read_text(encoding="utf-8") + "button { height: 40px; width: 100%; }",
    js="""
export default function ({data, parentElement}) {
  const button = parentElement.querySelector("button"), page = document.documentElement;
  button.textContent = data.label;
  if (button.forget) return button.forget;
  const open = (is) => {
    page.toggleAttribute("data-sheet", is);
    button.setAttribute("aria-expanded", is);
  };
  const isOpen = () => page.hasAttribute("data-sheet");
  // Lists and tooltips of controls stand outside of the main area: a touch there closes nothing.
  const away = ({target}) => {
    if (isOpen() && target.closest("[data-testid=stMain]") && !target.closest(".st-key-choices")
      && !target.contains(parentElement.host ?? parentElement)) open(false);
  };
  const escape = ({key}) => { if (key === "Escape" && isOpen()) open(false); };
  button.onclick = () => open(!isOpen());
  document.addEventListener("pointerdown", away);
  document.addEventListener("keydown", escape);
  return button.forget = () => {
    document.removeEventListener("pointerdown", away);
    document.removeEventListener("keydown", escape);
    open(false);
  };
}""",
)


def choices(label: str) -> DeltaGenerator:
    """Return the place where a page draws its choices: a row, or on a phone a sheet behind a button with this
    label."""
    with st.container(key="sheet_button"):
        _button(key="open_sheet", data={"label": label}, height=42)
    return st.container(key="choices", horizontal=True, vertical_alignment="bottom", gap="small")
