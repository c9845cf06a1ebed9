"""Roles from claims, and settings: a mistake never gives more than it should."""

import json

import pytest

from scoring.access.login_roles import AccessRules, actor_of, read, reduced, rules_of
from scoring.access.roles import NOBODY, Role
from scoring.common.findings import InputRefused

NOW = 1_000_000.0
RULES = AccessRules(frozenset({"olga@example.org"}), organizer_group="admins")
PAUL = {
    "is_logged_in": True,
    "iss": "https://idp",
    "sub": "paul",
    "iat": NOW - 60,
    "exp": NOW + 3600,
    "email": "Paul@example.org",
    "email_verified": True,
    "name": "Paul",
}
AUTH = """[auth]
redirect_uri = "http://localhost:1/oauth2callback"
cookie_secret = "0123456789012345678901234567890123456789"
client_id = "a"
client_secret = "b"
server_metadata_url = "https://idp.example.org/.well-known/openid-configuration"
"""
ACCESS = '[access]\norganizers = ["olga@example.org"]\n'


@pytest.mark.parametrize(
    ("more", "role"),
    [
        ({}, Role.PARTICIPANT),
        ({"email": "Olga@Example.org"}, Role.ORGANIZER),
        ({"email": "olga@example.org", "email_verified": False}, Role.PARTICIPANT),
        ({"email": "olga@example.org", "email_verified": "true"}, Role.PARTICIPANT),
        ({"groups": ["staff", "admins"]}, Role.ORGANIZER),
        ({"groups": "admins"}, Role.ORGANIZER),
        ({"groups": ["administrators", 7, None]}, Role.PARTICIPANT),
        ({"groups": {"admins": True}}, Role.PARTICIPANT),
        ({"is_logged_in": False}, Role.VISITOR),
        ({"is_logged_in": "yes"}, Role.VISITOR),
        ({"iss": None}, Role.VISITOR),
        ({"sub": ""}, Role.VISITOR),
        ({"exp": NOW - 8 * 3600 - 1}, Role.VISITOR),
        ({"exp": NOW - 8 * 3600 + 1}, Role.PARTICIPANT),
        ({"exp": None}, Role.VISITOR),
        ({"exp": float("nan")}, Role.VISITOR),
        ({"exp": float("inf")}, Role.VISITOR),
        ({"iat": None}, Role.VISITOR),
        ({"iat": NOW + 9_999}, Role.VISITOR),
        ({"role": "organizer"}, Role.PARTICIPANT),
    ],
)
def test_a_role_follows_from_verified_claims_alone(more, role):
    assert actor_of(PAUL | more, RULES, NOW).role == role


@pytest.mark.parametrize("groups", [[], ["a"], "admins", 7, [f"g{i}" for i in range(3000)], ["g" * 9999]])
def test_what_is_kept_of_claims_is_bounded_and_gives_the_same_role(groups):
    written = [groups] if isinstance(groups, str) else groups
    everything = [*written, "zz-admins", "zz-team"] if isinstance(written, list) else groups
    rules = AccessRules(frozenset(), organizer_group="zz-admins")
    claims = PAUL | {"groups": everything, "picture": "x" * 9999, "name": "P" * 9999}
    kept = reduced(claims, rules, ["zz-team", "another"])
    person, before = actor_of(kept, rules, NOW), actor_of(claims, rules, NOW)
    assert len(json.dumps(kept)) < 5000
    assert (person.role, person.key, person.email) == (before.role, before.key, before.email)
    assert before.groups & {"zz-admins", "zz-team", "a"} <= person.groups <= before.groups


def test_a_revoked_token_is_nobody_and_a_newer_one_is_somebody():
    assert actor_of(PAUL, RULES, NOW, not_before=NOW - 30) == NOBODY
    assert actor_of(PAUL | {"iat": NOW - 20}, RULES, NOW, not_before=NOW - 30).key == "https://idp|paul"


def test_with_a_group_of_participants_others_are_visitors():
    rules = AccessRules(organizer_group="admins", participant_group="teams")
    assert actor_of(PAUL, rules, NOW).role == Role.VISITOR
    assert actor_of(PAUL | {"groups": ["teams"]}, rules, NOW).role == Role.PARTICIPANT


def refused(tmp_path, text: str | None, **environment: str) -> str:
    file = tmp_path / "secrets.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputRefused) as problem:
        read([file], environment)
    return str(problem.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (AUTH.replace("[auth]", "[auth"), "cannot be read as TOML"),
        (AUTH + "\n[access\n" + ACCESS, "cannot be read as TOML"),
        ("[auth]\n" + ACCESS, "[auth]: it is missing or empty"),
        (ACCESS, "[auth]: it is missing or empty"),
        (AUTH, "[access]: it is missing or empty"),
        (AUTH + "[access]\n", "[access]: it is missing or empty"),
        (AUTH.replace("client_secret", "client_secert") + ACCESS, "client_secret is missing"),
        (AUTH.replace('"b"', '" "') + ACCESS, "client_secret is missing"),
        (AUTH.replace("0123456789", "") + ACCESS, "cookie_secret is missing"),
        (AUTH.replace("0123456789" * 4, "short") + ACCESS, "cookie_secret needs 32"),
        (AUTH.replace("https://idp", "http://idp") + ACCESS, "server_metadata_url needs an address"),
        (AUTH + '[access]\norganisers = ["a@b.c"]\n', "organisers is unknown"),
        (AUTH + '[access]\norganizers = "a@b.c"\n', "organizers needs a list"),
        (AUTH + "[access]\norganizers = []\n", "nobody is named as organizer"),
        (AUTH + '[access]\norganizer_group = ""\n', "organizer_group needs a text"),
        (AUTH + ACCESS + "grace_hours = -1\n", "grace_hours needs a number"),
        ("[Auth]\nx = 1\n", "[Auth]: Benchside does not use this section"),
        ("acess.organizers = []\n", "[acess]: Benchside does not use this section"),
        (AUTH.replace("[auth]", "[login]"), "[login]: Benchside does not use this section"),
        (AUTH.replace("[auth]", ""), "[cookie_secret]: Benchside does not use this section"),
    ],
)
def test_half_written_secrets_stop_the_start(tmp_path, text, words):
    assert words in refused(tmp_path, text)


def test_absence_is_local_unless_a_login_is_required(tmp_path):
    assert read([tmp_path / "none.toml"], {}) is None
    (tmp_path / "other.toml").write_text('key = "value"\n[connections.postgresql]\nurl = "x"\n')
    assert read([tmp_path / "other.toml"], {}) is None
    assert "a login is required" in refused(tmp_path, None, BENCHSIDE_LOGIN="required")
    assert "write required" in refused(tmp_path, None, BENCHSIDE_LOGIN="requird")


def test_secrets_that_link_to_nothing_stop_the_start(tmp_path):
    (tmp_path / "secrets.toml").symlink_to("missing")
    with pytest.raises(InputRefused, match="links to a file that does not exist"):
        read([tmp_path / "secrets.toml"], {})


def test_correct_secrets_are_rules(tmp_path):
    (tmp_path / "secrets.toml").write_text(
        AUTH + '[access]\norganizers = ["Olga@Example.org"]\ngrace_hours = 1\n'
    )
    found = read([tmp_path / "none.toml", tmp_path / "secrets.toml"], {"BENCHSIDE_LOGIN": "required"})
    assert found is not None
    assert found.organizers == {"olga@example.org"}
    assert found.grace.total_seconds() == 3600
    assert rules_of({"organizer_group": "admins"}).organizer_group == "admins"
