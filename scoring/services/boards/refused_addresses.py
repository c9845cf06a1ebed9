"""Pages and tabs that were refused to somebody, and logins that were not accepted, for organizers to know."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sqlalchemy import delete, select

from scoring.common.findings import Finding, note
from scoring.common.text import shortened
from scoring.services.access.roles import Role
from scoring.services.boards.phases import DAY
from scoring.services.store import tables
from scoring.services.store.access_tables import RefusedAddress
from scoring.services.store.database import Store

KEPT = timedelta(days=90)
"""How long a record stays."""
SEPARATOR = ", "


class Reason(StrEnum):
    """Why an address was refused."""

    ROLE = "role"
    ENDED = "ended"
    FORGED = "forged"


def record(store: Store, person: str, address: str, reason: Reason) -> None:
    """Record that an address was refused: once for a person, an address, a day and a reason.

    Args:
        store: With the program's own rights.
        person: Key of the person: issuer and subject; empty where nobody is known.
        address: One of the addresses of this server, never a text that came from outside.
        reason: Why it was refused.

    Raises:
        InputRefused: Where the store cannot be written.
    """
    now = tables.now()[:DAY]
    key = (person[: 2 * tables.NAME], address[: tables.NAME], now, str(reason))
    with store.read() as session:
        if session.get(RefusedAddress, key) is not None:
            return
    oldest = tables.written(datetime.now(UTC) - KEPT)[:DAY]
    with store.write() as session:
        session.execute(delete(RefusedAddress).where(RefusedAddress.day < oldest))
        session.merge(RefusedAddress(person=key[0], address=key[1], day=now, reason=str(reason)))


def notices(store: Store) -> list[Finding]:
    """Return what an organizer should know of refused addresses. Raises InputRefused for others."""
    store.actor.require(Role.ORGANIZER)
    with store.read() as session:
        query = select(RefusedAddress).order_by(RefusedAddress.day, RefusedAddress.address)
        rows = session.scalars(query).all()
    by_person: dict[str, list[RefusedAddress]] = {}
    for row in rows:
        if row.reason == Reason.ROLE:
            by_person.setdefault(row.person, []).append(row)
    ended = [row for row in rows if row.reason == Reason.ENDED]
    forged = [row for row in rows if row.reason == Reason.FORGED]
    found = [_of_person(person, own) for person, own in sorted(by_person.items())]
    if ended:
        people = _count(len({row.person for row in ended}), "person", "people")
        words = f"{people} came with a login that had ended, last on {ended[-1].day}: nothing was opened."
        found.append(note("ended-login", "login", words))
    if forged:
        days = _count(len({row.day for row in forged}), "day", "days")
        words = (
            f"on {days}, last on {forged[-1].day}, somebody came with a login cookie that is forged or from "
            "elsewhere: nothing was opened."
        )
        found.append(note("forged-login", "login", words))
    return found


def _of_person(person: str, rows: list[RefusedAddress]) -> Finding:
    addresses = SEPARATOR.join(dict.fromkeys(row.address for row in rows))
    words = f"{shortened(person)} tried to open this, last on {rows[-1].day}, and was refused."
    return note("refused-address", shortened(addresses, 120), words)


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
