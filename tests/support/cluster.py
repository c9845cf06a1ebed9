"""A Dask cluster on this machine: a scheduler and workers, each a process of its own."""

import datetime
import ipaddress
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

ROOT = Path(__file__).parents[2]
START_SECONDS = 60


def free_port() -> int:
    """A port on loopback that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class LocalCluster:
    """A scheduler and workers of one thread; a context manager."""

    def __init__(
        self,
        workers: int = 2,
        protocol: str = "tcp",
        tls: Sequence[str] = (),
        worker_code: str = "",
        environment: dict[str, str] | None = None,
    ):
        self.folder = tempfile.TemporaryDirectory(prefix="cluster-")
        self.address = f"{protocol}://127.0.0.1:{free_port()}"
        self._tls = tuple(tls)
        self._worker_code = worker_code
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("BENCHSIDE_")},
            "PYTHONPATH": str(ROOT),
            "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
            **(environment or {}),
        }
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler: subprocess.Popen[bytes] | None = None
        self._wanted = workers

    def __enter__(self) -> "LocalCluster":
        try:
            port = self.address.rpartition(":")[2]
            where = ("--host", "127.0.0.1", "--port", port, "--protocol", self.address.partition(":")[0])
            self.scheduler = self._start("scheduler", *where, "--no-dashboard")
            for _ in range(self._wanted):
                self.add_worker()
            self.registered()
        except BaseException:
            self.__exit__()
            raise
        return self

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start one more worker."""
        preload = Path(self.folder.name) / "preload.py"
        preload.write_text(self._worker_code)
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--preload", str(preload))
        worker = self._start("worker", self.address, *options, "--host", "127.0.0.1")
        self.workers.append(worker)
        return worker

    def _start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = Path(self.folder.name) / f"{what}-{len(self.workers)}.log"
        with log.open("wb") as written:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments, *self._tls],
                cwd=self.folder.name,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=subprocess.STDOUT,
            )

    def registered(self) -> None:
        """Wait until the scheduler listens and every worker says in its log that it is registered."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            logs = [log.read_text("utf-8", "replace") for log in Path(self.folder.name).glob("worker-*.log")]
            if "Scheduler at" in self.log("scheduler-0") and all("Registered to" in log for log in logs):
                return
            for process in (self.scheduler, *self.workers):
                assert process is None or process.poll() is None, self.log("scheduler-0") + "".join(logs)
            time.sleep(0.05)
        raise TimeoutError("the cluster does not start")

    def log(self, name: str) -> str:
        return (Path(self.folder.name) / f"{name}.log").read_text("utf-8", "replace")

    def kill(self, process: subprocess.Popen[bytes] | None) -> None:
        assert process is not None
        process.send_signal(signal.SIGKILL)
        process.wait()

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self.scheduler):
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
        self.folder.cleanup()


def write_certificates(folder: Path) -> tuple[Path, Path, Path]:
    """Write an authority, a certificate that it signed for 127.0.0.1 and its key; return their paths."""
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]) for name in ("ca", "127.0.0.1")]
    paths = []
    for place, name in enumerate(("ca.pem", "cert.pem")):
        addresses = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        built = (
            x509.CertificateBuilder()
            .subject_name(names[place])
            .issuer_name(names[0])
            .public_key(keys[place].public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - day)
            .not_valid_after(now + day)
            .add_extension(x509.BasicConstraints(ca=not place, path_length=None), critical=True)
            .add_extension(addresses, critical=False)
            .sign(keys[0], hashes.SHA256())
        )
        paths.append(folder / name)
        paths[-1].write_bytes(built.public_bytes(serialization.Encoding.PEM))
    key = folder / "key.pem"
    key.write_bytes(
        keys[1].private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths[0], paths[1], key
