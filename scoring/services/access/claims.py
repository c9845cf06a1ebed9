"""From what an identity provider claims about a person, and the organizer's settings, to a role."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from scoring.common.text import shortened
from scoring.services.access.roles import NOBODY, Actor, Role

GRACE = timedelta(hours=8)
"""So long after its token expired a person stays logged in: providers give tokens of an hour."""
CLOCKS_DIFFER = 300
"""Seconds by which a provider's clock may be ahead."""


@dataclass(frozen=True)
class AccessRules:
    """Who has which role: the part `[access]` of the secrets.

    Attributes:
        organizers: E-mail addresses of organizers, in small letters.
        organizer_group: The group whose members are organizers; empty for none.
        participant_group: The group whose members are participants; empty: everybody who is logged in.
        claim: Where the provider names groups.
        grace: How long after its token expired a person stays logged in.
    """

    organizers: frozenset[str] = frozenset()
    organizer_group: str = ""
    participant_group: str = ""
    claim: str = "groups"
    grace: timedelta = GRACE


def actor_of(claims: Mapping[str, Any], rules: AccessRules, now: float, not_before: float = 0) -> Actor:
    """Return the person of verified claims.

    Args:
        claims: Of the token, with `is_logged_in`.
        rules: Who has which role.
        now: Seconds since 1970.
        not_before: Tokens that were issued earlier are revoked; seconds since 1970.

    Returns:
        The person; `NOBODY` where the claims are not of somebody logged in, name no issuer, subject or end,
        or have expired or been revoked.
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


def key_of(issuer: str, subject: str) -> str:
    """Return the unchanging key of a person."""
    return f"{issuer}|{subject}"


def _role(email: str, groups: frozenset[str], rules: AccessRules) -> Role:
    if (rules.organizer_group and rules.organizer_group in groups) or (email and email in rules.organizers):
        return Role.ORGANIZER
    if rules.participant_group and rules.participant_group not in groups:
        return Role.VISITOR
    return Role.PARTICIPANT


def _verified_email(claims: Mapping[str, Any]) -> str:
    """Return the address in small letters; nothing where the provider has not verified it."""
    email = claims.get("email")
    return email.strip().casefold() if claims.get("email_verified") is True and isinstance(email, str) else ""


def _groups(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset([value])
    if isinstance(value, Sequence):
        return frozenset(one for one in value if isinstance(one, str))
    return frozenset()


def _seconds(value: object) -> float | None:
    """Return a time of a claim; None where it is no finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)
