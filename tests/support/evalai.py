"""Stand-in of EvalAI's programming interface, as far as a remote worker sees it.

Cloud-CV/EvalAI at 0f04039290846fcdff7aeb86fe219a173bd70072: `apps/jobs/urls.py` has the addresses;
`apps/jobs/views.py` what `get_submission_message_from_queue`, `get_submission_by_pk`, `update_submission` and
`delete_submission_message_from_queue` take and refuse; `apps/challenges/views.py` `challenge_phase_detail`;
`settings/common.py` (`SIMPLE_JWT`) the header of the token. Files lie in S3, whose signed addresses have a
query and refuse a second authorization.
"""

import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

TOKEN, QUEUE, CHALLENGE, PHASE = "t0ken", "lesions-2026.fifo", 7, 11


@dataclass
class EvalAi:
    """What the platform has: a challenge with one phase, submissions and their messages."""

    schema: dict
    codename: str
    files: dict[int, Path]
    status: dict[int, str] = field(default_factory=dict)
    seen: dict[int, list[str]] = field(default_factory=dict)
    results: dict[int, dict] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    address: str = ""
    said: str = ""

    def __post_init__(self):
        self.status = dict.fromkeys(self.files, "submitted")
        self.seen = {number: [] for number in self.files}
        self.waiting = list(self.files)

    def answer(self, method: str, path: str, data: dict[str, str]) -> tuple[int, dict]:
        """Return status and JSON of an answer."""
        if found := re.fullmatch(r"/api/jobs/challenge/queues/([\w.-]+)/", path):
            if found[1] != QUEUE:
                return 400, {"error": f"Challenge with queue name {found[1]} does not exist"}
            number = next(iter(self.waiting), None)
            body = number and {"challenge_pk": CHALLENGE, "phase_pk": PHASE, "submission_pk": number}
            return 200, {"body": body, "receipt_handle": number and f"receipt-{number}"}
        if found := re.fullmatch(r"/api/jobs/queues/([\w.-]+)/", path):
            self.waiting.remove(int(data["receipt_handle"].removeprefix("receipt-")))
            return 200, {"success": "Message deleted successfully from the queue"}
        if found := re.fullmatch(r"/api/jobs/submission/([0-9]+)", path):
            number = int(found[1])
            name = self.files[number].name
            place = f"{self.address}/media/{number}/{name}?X-Amz-Signature=1"
            return 200, {"id": number, "status": self.status[number], "input_file": place}
        if path == f"/api/challenges/challenge/{CHALLENGE}/challenge_phase/{PHASE}":
            return 200, {"id": PHASE, "codename": self.codename}
        if path == f"/api/jobs/challenge/{CHALLENGE}/update_submission/":
            return self.updated(method, data)
        return 404, {"detail": "Not found."}

    def updated(self, method: str, data: dict[str, str]) -> tuple[int, dict]:
        number, status = int(data["submission"]), data.get("submission_status", "").lower()
        allowed = {"PATCH": ("queued", "running"), "PUT": ("failed", "cancelled", "finished")}[method]
        if status not in allowed:
            return 400, {"error": "Sorry, submission status is invalid"}
        if status == "finished":
            for result in json.loads(data["result"]):
                if result["split"] != self.codename or int(data["challenge_phase"]) != PHASE:
                    return 400, {"error": "Challenge Phase Split does not exist"}
                if missing := [name for name in result["accuracies"] if name not in self.schema["labels"]]:
                    return 400, {"error": f"Following metrics are missing in the leaderboard data: {missing}"}
                if not all(isinstance(value, float | int) for value in result["accuracies"].values()):
                    return 400, {"error": "Values for following metrics are not of float/int"}
                self.results[number] = result
        self.status[number] = status
        self.seen[number].append(status)
        self.errors[number] = data.get("stderr", "")
        return 200, {"success": "Submission result has been successfully updated"}


def leaderboard(config: dict, results: list[dict], order_by: str) -> list[dict]:
    """Return the rows that participants see, as `calculate_distinct_sorted_leaderboard_data` of
    `apps/jobs/utils.py` sorts them; `apps/jobs/views.py` makes a submission as public as its phase says."""
    (phase,), (split,) = config["challenge_phases"], config["challenge_phase_splits"]
    schema = config["leaderboard"][0]["schema"]
    name = order_by if order_by in schema["labels"] else schema["default_order_by"]
    is_descending = split["is_leaderboard_order_descending"]
    if (schema.get("metadata") or {}).get(name) is not None:
        is_descending = schema["metadata"][name].get("sort_ascending") is False
    shown = [row for row in results if phase["is_submission_public"]]
    return sorted(shown, key=lambda row: float(row[name]), reverse=is_descending)


@contextmanager
def served(platform: EvalAi):
    """Serve the platform on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self):
            path, token = urlsplit(self.path).path, self.headers.get("Authorization")
            length = int(self.headers.get("Content-Length") or 0)
            pairs = parse_qs(self.rfile.read(length).decode(), keep_blank_values=True)
            if path.startswith("/media/"):
                data = platform.files[int(path.split("/")[2])].read_bytes()
                status = 400 if token else 200
            elif token != f"Bearer {TOKEN}":
                status, data = 401, b'{"detail": "Authentication credentials were not provided."}'
            else:
                flat = {name: values[0] for name, values in pairs.items()}
                status, value = platform.answer(self.command, path, flat)
                data = json.dumps(value).encode()
            if status != 200:
                platform.refused.append(f"{self.command} {path}: {status}")
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_PATCH = handle_one

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    platform.address = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield platform
    finally:
        server.shutdown()
        server.server_close()
