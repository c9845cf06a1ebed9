"""Network exposure: whether other machines can reach this server, and what follows from it."""

import ipaddress

import streamlit as st

from scoring.challenges import samples
from scoring.inference import sandbox_layers


def is_public() -> bool:
    """Return whether the server listens beyond this machine, or is told that visitors use another name
    (behind a proxy it listens only to this machine)."""
    return not (
        is_loopback(st.get_option("server.address")) and is_loopback(st.get_option("browser.serverAddress"))
    )


def require_confinement() -> None:
    """If others can reach the server, run visitors' models only in fully confined workers."""
    if is_public():
        sandbox_layers.require(samples.model_digests())


def is_loopback(address: str | None) -> bool:
    """Return whether a host name or IP address is this machine's own."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address or "").is_loopback
    except ValueError:
        return False
