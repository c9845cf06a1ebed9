"""Roles, computed from an identity provider's claims and from `[auth]` and `[access]` of Streamlit's secrets.

Secrets are checked strictly: a mistake prevents the start of the app, and never opens the app to everybody.
"""

import json
import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scoring.access.roles import NOBODY, Actor, Role
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import shortened

GRACE = timedelta(hours=8)
"""How long a person stays logged in after the token expired, because providers issue tokens for an hour."""
CLAIMS = ("is_logged_in", "origin", "provider", "iss", "sub", "exp", "iat", "email", "email_verified", "name")
"""Claims that are stored about a person, besides groups."""
CLAIM_BYTES, GROUPS_BYTES = 1000, 3000
"""Maximum bytes of a claim, and of all groups. A longer claim is dropped. Of too many groups, those that
settings and boards name are kept first."""
CLOCKS_DIFFER = 300
"""Number of seconds by which a provider's clock may be ahead."""


@dataclass(frozen=True)
class AccessRules:
    """Rules that assign roles, read from the section `[access]` of the secrets.

    Attributes:
        organizers: E-mail addresses of organizers, in lower case.
        organizer_group: Group whose members are organizers; empty for none.
        participant_group: Group whose members are participants; empty: everybody who is logged in is a
            participant.
        claim: Name of the claim that contains a person's groups.
        grace: How long a person stays logged in after the token expired.
    """

    organizers: frozenset[str] = frozenset()
    organizer_group: str = ""
    participant_group: str = ""
    claim: str = "groups"
    grace: timedelta = GRACE


def actor_of(claims: Mapping[str, Any], rules: AccessRules, now: float, not_before: float = 0) -> Actor:
    """Return the person described by verified claims.

    Args:
        claims: Claims of the token, with `is_logged_in`.
        now: Present time in seconds since 1970.
        not_before: Tokens that were issued before this time are revoked; in seconds since 1970.

    Returns:
        The person. `NOBODY` if nobody is logged in, if issuer, subject, issue time or expiry is missing, if
        the token expired longer ago than `rules.grace`, or if it is revoked or issued in the future.
    """
    issuer, subject = claims.get("iss"), claims.get("sub")
    expires, issued = _seconds(claims.get("exp")), _seconds(claims.get("iat"))
    if claims.get("is_logged_in") is not True or not _is_text(issuer) or not _is_text(subject):
        return NOBODY
    if expires is None or issued is None:
        return NOBODY
    if expires + rules.grace.total_seconds() < now or not not_before < issued <= now + CLOCKS_DIFFER:
        return NOBODY
    email = _verified_email(claims)
    groups = _groups(claims.get(rules.claim))
    name = next((str(claims[key]) for key in ("name", "email", "sub") if claims.get(key)), "")
    role = _role(email, groups, rules)
    return Actor(role, key_of(str(issuer), str(subject)), shortened(name, 60), email, groups, issued)


def reduced(claims: Mapping[str, Any], rules: AccessRules, named: Sequence[str] = ()) -> dict[str, Any]:
    """Return only those claims that `actor_of` reads. Claims that are too long are left out, and so are
    groups beyond a limit of bytes.

    Args:
        rules: Rules that assign roles. The groups that they name are kept before all others.
        named: Further groups that are kept before others, such as groups that are members of teams.
    """
    kept = {
        key: claims[key]
        for key in CLAIMS
        if len(json.dumps(claims.get(key))) <= CLAIM_BYTES and key in claims
    }
    groups = _groups(claims.get(rules.claim))
    room, first = GROUPS_BYTES, [rules.organizer_group, rules.participant_group, *named]
    bounded = []
    for group in dict.fromkeys([*(name for name in first if name in groups), *sorted(groups)]):
        room -= len(json.dumps(group)) + 2
        if room >= 0:
            bounded.append(group)
    return kept | {rules.claim: bounded} if bounded else kept


def key_of(issuer: str, subject: str) -> str:
    """Return the permanent key of a person, made of issuer and subject."""
    return f"{issuer}|{subject}"


def _role(email: str, groups: frozenset[str], rules: AccessRules) -> Role:
    if (rules.organizer_group and rules.organizer_group in groups) or (email and email in rules.organizers):
        return Role.ORGANIZER
    if rules.participant_group and rules.participant_group not in groups:
        return Role.VISITOR
    return Role.PARTICIPANT


def _verified_email(claims: Mapping[str, Any]) -> str:
    """Return the address in small letters; nothing if the provider has not verified it."""
    email = claims.get("email")
    return email.strip().casefold() if claims.get("email_verified") is True and isinstance(email, str) else ""


def _groups(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset([value])
    if isinstance(value, Sequence):
        return frozenset(group for group in value if isinstance(group, str))
    return frozenset()


def _seconds(value: object) -> float | None:
    """Return a time of a claim; None if it is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


SWITCH, REQUIRED = "BENCHSIDE_LOGIN", "required"
AUTH = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
SHORTEST_SECRET = 32
LOOPBACK = ("localhost", "127.0.0.1", "::1")
TEXTS = ("organizer_group", "participant_group", "claim")


def read(files: Sequence[Path], environment: Mapping[str, str] | None = None) -> AccessRules | None:
    """Return the rules that assign roles, or None if no login is configured.

    Args:
        files: Possible files with secrets. Later files override earlier ones, as in Streamlit.
        environment: Environment variables; None: those of this process.

    Raises:
        InputRefused: If a file is unreadable, if `[auth]` or `[access]` is empty or incomplete, or if no
            login is configured although `BENCHSIDE_LOGIN=required`. It lists all mistakes.
    """
    switch = (os.environ if environment is None else environment).get(SWITCH, "")
    problems = [] if switch in ("", REQUIRED) else [_mistake(SWITCH, f"write {REQUIRED}, or leave it out.")]
    secrets: dict[str, Any] = {}
    for file in files:
        try:
            secrets |= tomllib.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            if file.is_symlink():
                problems.append(_mistake(file.name, "it links to a file that does not exist."))
        except (OSError, ValueError) as problem:
            reason = f" ({problem})" if isinstance(problem, tomllib.TOMLDecodeError) else ""
            problems.append(_mistake(file.name, f"it cannot be read as TOML{reason}: fix or remove it."))
    problems += [
        _mistake(
            f"[{shortened(name, 40)}]", "Benchside does not use this section: write only [auth] and [access]."
        )
        for name, value in secrets.items()
        if _is_misnamed(name, value)
    ]
    if not problems and "auth" not in secrets and "access" not in secrets:
        if switch != REQUIRED:
            return None
        problems.append(_mistake(SWITCH, "a login is required, but the secrets have no [auth]: add it."))
    if problems:
        raise InputRefused(problems)
    if problems := _faults_of_auth(secrets.get("auth")):
        raise InputRefused([*problems, *_faults_of_access(secrets.get("access"))])
    return rules_of(secrets.get("access"))


def _is_misnamed(name: str, value: object) -> bool:
    """Return whether something in the secrets looks like `[auth]` or `[access]`, by its name or its keys."""
    keys = {name, *value} if isinstance(value, Mapping) else {name}
    names = ("auth", "access")
    is_close = get_close_matches(name.lower(), names, cutoff=0.75)
    return name not in names and bool(is_close or keys & {*AUTH, "organizers", "organizer_group"})


def rules_of(access: object) -> AccessRules:
    """Parse the section `[access]` of the secrets. Raises InputRefused with all mistakes in this section."""
    problems = _faults_of_access(access)
    if problems or not isinstance(access, Mapping):
        raise InputRefused(problems)
    values: dict[str, Any] = {name: access[name] for name in TEXTS if name in access}
    values["organizers"] = frozenset(address.strip().casefold() for address in access.get("organizers", ()))
    if "grace_hours" in access:
        values["grace"] = timedelta(hours=access["grace_hours"])
    return AccessRules(**values)


def _faults_of_auth(auth: object) -> list[Finding]:
    if not isinstance(auth, Mapping) or not auth:
        return [_mistake("[auth]", f"it is missing or empty: it needs {', '.join(AUTH)}.")]
    wrong = [name for name in AUTH if not isinstance(auth.get(name), str) or not auth[name].strip()]
    problems = [_mistake("[auth]", f"{name} is missing or empty.") for name in wrong]
    if "cookie_secret" not in wrong and len(auth["cookie_secret"]) < SHORTEST_SECRET:
        message = f"cookie_secret needs {SHORTEST_SECRET} random characters or more."
        problems.append(_mistake("[auth]", message))
    for name in ("redirect_uri", "server_metadata_url"):
        if name not in wrong and not _is_safe(auth[name]):
            problems.append(_mistake("[auth]", f"{name} needs an address that begins with https://."))
    return problems


def _faults_of_access(access: object) -> list[Finding]:
    known = {field.name for field in fields(AccessRules)} - {"grace"} | {"grace_hours"}
    if not isinstance(access, Mapping) or not access:
        return [_mistake("[access]", "it is missing or empty: name organizers or organizer_group.")]
    problems = [
        _mistake("[access]", f"{shortened(name, 40)} is unknown; known are {', '.join(sorted(known))}.")
        for name in access
        if name not in known
    ]
    problems += [
        _mistake("[access]", f"{name} needs a text that is not empty.")
        for name in TEXTS
        if name in access and not (isinstance(access[name], str) and access[name].strip())
    ]
    people = access.get("organizers", [])
    if not isinstance(people, list) or not all(isinstance(name, str) and "@" in name for name in people):
        problems.append(_mistake("[access]", "organizers needs a list of e-mail addresses."))
    elif not people and not access.get("organizer_group"):
        problems.append(
            _mistake("[access]", "nobody is named as organizer: add organizers or organizer_group.")
        )
    hours = access.get("grace_hours", 0)
    if isinstance(hours, bool) or not isinstance(hours, (int, float)) or not 0 <= hours <= 24 * 30:
        problems.append(_mistake("[access]", "grace_hours needs a number from 0 to 720."))
    return problems


def _is_safe(address: str) -> bool:
    """Return whether an address is encrypted, or of this machine."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and (
            parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
        )
    except ValueError:
        return False


def _mistake(where: str, message: str) -> Finding:
    return error("bad-secrets", where, message)
