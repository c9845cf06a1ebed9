"""An identity provider on this machine, and secrets that name it."""

import contextlib
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

PEOPLE = {
    "olga": {"email": "Olga@example.org", "email_verified": True, "name": "Olga"},
    "paul": {"email": "paul@example.org", "email_verified": True, "name": "Paul"},
    "fake": {"email": "olga@example.org", "email_verified": False, "name": "Not Olga"},
}
PROGRAM = """
import base64, json, logging, sys
from oidc_provider_mock import User, app
logging.getLogger("werkzeug").setLevel("ERROR")
port, is_unsigned = sys.argv[1:]
provider = app(user_claims=[User(sub=sub, claims=claims) for sub, claims in json.load(sys.stdin).items()])

@provider.after_request
def unsigned(answer):
    content = answer.get_json(silent=True) if is_unsigned == "True" else None
    if isinstance(content, dict) and "id_token" in content:
        claims = json.loads(base64.urlsafe_b64decode(content["id_token"].split(".")[1] + "=="))
        del claims["at_hash"]
        parts = (base64.urlsafe_b64encode(json.dumps(p).encode()) for p in ({"alg": "none"}, claims))
        content["id_token"] = b".".join([*(p.rstrip(b"=") for p in parts), b""]).decode()
        answer.set_data(json.dumps(content))
    elif isinstance(content, dict) and "id_token_signing_alg_values_supported" in content:
        content["id_token_signing_alg_values_supported"].append("none")
        answer.set_data(json.dumps(content))
    return answer

provider.run(host="localhost", port=int(port), use_reloader=False)
"""
COOKIE = "c0" * 20


@contextlib.contextmanager
def provided(
    port: int, people: Mapping[str, Mapping[str, object]] = PEOPLE, is_unsigned: bool = False
) -> Iterator[str]:
    """The provider in a process of its own, ended with the block; gives its address. is_unsigned: whether it
    announces and gives tokens without a signature."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(port), str(is_unsigned)],
        env=os.environ | {"AUTHLIB_INSECURE_TRANSPORT": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    with process.stdin as claims:
        claims.write(json.dumps(people).encode())
    address = f"http://localhost:{port}"
    try:
        while not _answers(f"{address}/.well-known/openid-configuration"):
            if process.poll() is not None:
                raise RuntimeError("the provider ended")
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


def secrets(folder: Path, app_port: int, provider: str, cookie: str = COOKIE) -> Path:
    """Write the secrets of an app on a port; gives the file."""
    file = folder / "secrets.toml"
    file.write_text(
        f"""[auth]
redirect_uri = "http://localhost:{app_port}/oauth2callback"
cookie_secret = "{cookie}"
client_id = "benchside"
client_secret = "any"
server_metadata_url = "{provider}/.well-known/openid-configuration"
[access]
organizers = ["olga@example.org"]
"""
    )
    return file


def cookie_of(claims: Mapping[str, object], address: str, cookie: str = COOKIE) -> str:
    """Return the cookie that an app at an address would write for somebody with these claims."""
    value = json.dumps({"origin": address, "is_logged_in": True, "provider": "default", **claims})
    return create_signed_value(cookie, "_streamlit_user", value).decode()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False
