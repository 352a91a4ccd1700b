"""The server under readers who are rude, slow, many, gone, or there while it ends or the site is built anew."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from build.folders import ROOT
from build.publish import adding_to, replacing

pytestmark = pytest.mark.fault("server")
RecordFault = Callable[..., None]

_SERVE = "import sys; sys.path.insert(0, sys.argv[1])\nfrom pathlib import Path\nfrom build.serve import serve\n"
_SERVE += "serve(Path(sys.argv[2]), int(sys.argv[3]), lambda text: print(text, flush=True))"
_ANSWER_S = 20
READERS, READING_S = 20, 10
END_S = 5


class Server:
    """The real server in a process of its own, over one folder."""

    def __init__(self, site: Path, said: Path, port: int = 0) -> None:
        self._said = said
        with said.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _SERVE, str(ROOT / "site"), str(site), str(port)],
                stdout=subprocess.PIPE, stderr=errors, text=True,
            )  # fmt: skip
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().rstrip("/\n").rpartition(":")[2])

    @property
    def complaints(self) -> str:
        """What it wrote to standard error."""
        return self._said.read_text()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=_ANSWER_S)

    def ask(self, target: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_ANSWER_S)
        try:
            connection.request("GET", target)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def end(self, how: signal.Signals = signal.SIGTERM) -> str:
        """What it says last."""
        self.process.send_signal(how)
        try:
            rest, _ = self.process.communicate(timeout=END_S)
        finally:
            self.process.kill()
        return rest


@contextlib.contextmanager
def running(site: Path, said: Path) -> Iterator[Server]:
    server = Server(site, said)
    try:
        yield server
    finally:
        server.end()


@pytest.fixture(scope="module")
def server(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all the rude readers; it must not have complained in the end."""
    with running(dist, tmp_path_factory.mktemp("server") / "said") as server:
        yield server
        assert server.complaints == ""


@pytest.fixture(scope="module")
def large(build_folder: Path) -> tuple[str, Path]:
    """The address and the place of a large file."""
    file = build_folder / "runtime" / "pyodide.asm.wasm"
    return f"/b/{build_folder.name}/runtime/{file.name}", file


GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
RUDE: dict[str, tuple[bytes, str]] = {
    "garbage": (bytes(range(256)) * 8 + b"\r\n\r\n", "400"),
    "a TLS greeting": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x9a" * 200 + b"\n", "400"),
    "nothing at all": (b"", ""),
    "a request that never ends its line": (b"GET / HTTP/1.1", "400"),
    "a request without an end": (GET, "200"),
    "an endless request line": (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", "414"),
    "an overlong path": (b"GET /" + b"a" * 60_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
    "one huge header": (GET + b"X: " + b"a" * 70_000 + b"\r\n\r\n", "431"),
    "a thousand headers": (GET + b"X: a\r\n" * 1000 + b"\r\n", "431"),
    "a header that is none": (GET + b"\xff\xfe no colon\r\n\r\n", "200"),
    "no Host": (b"GET / HTTP/1.1\r\n\r\n", "400"),
    "two hosts in one": (b"GET / HTTP/1.1\r\nHost: localhost, elsewhere.example\r\n\r\n", "421"),
    "HTTP/0.9": (b"GET /\r\n", "400"),
    "HTTP/1.0": (b"GET / HTTP/1.0\r\n\r\n", "200"),
    "HTTP/2 by surprise": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"),
    "HTTP/9": (b"GET / HTTP/9\r\n\r\n", "505"),
    "a method that nobody knows": (b"BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", "501"),
    "POST with a body": (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody", "405"),
    "PUT with a wrong length": (b"PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\nbody", "405"),
    "OPTIONS of everything": (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
    "a proxy's CONNECT": (b"CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
    "GET that carries another request": (GET + b"Content-Length: 36\r\n\r\nGET /missing HTTP/1.1\r\nHost: localhost\r\n\r\n", "200"),
    "a length that is no number": (GET + b"Content-Length: many\r\n\r\n", "200"),
    "chunks": (GET + b"Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n", "200"),
    "a path with NUL": (b"GET /%00\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
    "a bare line feed": (b"GET / HTTP/1.1\nHost: localhost\n\n", "200"),
}  # fmt: skip


@pytest.mark.parametrize("fault", RUDE)
def test_a_rude_request_gets_one_answer_and_the_next_reader_is_served(
    server: Server, fault: str, record_fault: RecordFault
) -> None:
    sent, expected = RUDE[fault]
    with server.connect() as connection:
        # A server that has answered already may have closed: what remains to be sent is refused then.
        with contextlib.suppress(ConnectionError):
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: _receive(connection), b""))
    statuses = re.findall(rb"^HTTP/1\.1 (\d+)", answer, re.MULTILINE)
    assert statuses == ([expected.encode()] if expected else []), answer[:500]
    assert server.ask("/")[0] == 200
    record_fault(fault, f"answered {expected}" if expected else "closed without a word", tried=1)


def _receive(connection: socket.socket) -> bytes:
    """More of an answer; nothing once the other side has closed, however rudely."""
    try:
        return connection.recv(1 << 16)
    except ConnectionResetError:
        return b""


def test_a_reader_that_sends_byte_by_byte_holds_nobody_up(server: Server, record_fault: RecordFault) -> None:
    with server.connect() as slow:
        slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in GET + b"\r\n":
            slow.sendall(bytes([byte]))
            if byte == ord("\n"):
                assert server.ask("/")[0] == 200
        assert slow.recv(12) == b"HTTP/1.1 200"
    record_fault("a request sent byte by byte", "answered; others were served meanwhile", tried=1)


def test_a_connection_serves_many_requests_even_sent_at_once(server: Server, dist: Path, record_fault: RecordFault) -> None:
    page = (dist / "index.html").read_bytes()
    count = 50
    with server.connect() as connection:
        connection.sendall((GET + b"\r\n") * (count - 1) + GET + b"Connection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(1 << 20), b""))
    assert answer.count(b"HTTP/1.1 200") == answer.count(page) == count
    record_fault("50 requests sent at once over one connection", "each answered whole, in order", tried=count)


def test_readers_who_vanish_leave_no_trace(server: Server, large: tuple[str, Path], record_fault: RecordFault) -> None:
    target, file = large
    times = 20
    for number in range(times):
        with server.connect() as connection:
            # Closed with most of the answer unread, every other time with a reset.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", number % 2, 0))
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")
    assert server.ask(target) == (200, file.read_bytes())
    assert server.complaints == ""
    record_fault("a reader that vanishes in the middle of 10 MB", "nothing said, next reader served whole", tried=times)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ended_in_the_middle_of_a_download_it_breaks_nothing(
    dist: Path, large: tuple[str, Path], tmp_path: Path, how: signal.Signals, record_fault: RecordFault
) -> None:
    target, file = large
    before = hashlib.sha256(file.read_bytes()).digest()
    server = Server(dist, tmp_path / "said")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_ANSWER_S)
    connection.request("GET", target)
    answer = connection.getresponse()
    answer.read(1000)
    began = time.monotonic()
    assert server.end(how) == "Stopped.\n"
    took = time.monotonic() - began
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        answer.read()
    connection.close()
    assert (server.process.returncode, server.complaints) == (0, "")
    again = Server(dist, tmp_path / "said again", server.port)
    assert hashlib.sha256(again.ask(target)[1]).digest() == before
    again.end()
    record_fault(f"{how.name} in the middle of a download", f"ended within {END_S} s; the same port served on", tried=1)
    print(f"{how.name}: {took:.2f} s")


def test_a_site_built_anew_is_never_mixed_with_the_old_one(tmp_path: Path, record_fault: RecordFault) -> None:
    site, loads, builds = tmp_path / "dist", 0, 120
    seen: list[str] = []
    stop = threading.Event()

    def write(folder: Path, number: int) -> None:
        digest = f"{number:016x}"
        (folder / "b" / digest).mkdir(parents=True)
        for name in ("first.js", "second.js"):
            (folder / "b" / digest / name).write_text(digest * 5000, encoding="utf-8")
        (folder / "index.html").write_text(f"b/{digest}/", encoding="utf-8")

    def read() -> None:
        """Load the page again and again; nothing at all is allowed while folders change places, a mixture is not."""
        while not stop.is_set():
            status, page = server.ask("/")
            if status != 200:
                seen.append("gone")
                continue
            digest = page.decode()[2:-1]
            parts = [server.ask(f"/b/{digest}/{name}") for name in ("first.js", "second.js")]
            whole = {(200, (digest * 5000).encode()), (404, b"There is no such file in this site.\n")}
            seen.append("mixed" if set(parts) - whole else "whole" if parts[0][0] == parts[1][0] == 200 else "gone")

    site.mkdir()
    write(site, 0)
    with running(site, tmp_path / "said") as server:
        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for number in range(1, builds + 1):
            with (adding_to if number % 2 else replacing)(site) as fresh:
                write(fresh, number)
            while len(seen) < number * 4:
                assert all(reader.is_alive() for reader in readers)
                stop.wait(0.001)
        stop.set()
        for reader in readers:
            reader.join()
        assert server.complaints == ""
    loads = len(seen)
    assert seen.count("mixed") == 0 and seen.count("whole") > builds
    record_fault(
        f"the site built anew {builds} times while it is read",
        "each load whole from one build, or its missing file said so", tried=loads,
    )  # fmt: skip


def test_many_readers_at_once_are_all_served(server: Server, dist: Path, record_fault: RecordFault) -> None:
    files = [path for path in dist.rglob("*") if path.is_file() and not path.name.startswith(".")]
    digests = {path: hashlib.sha256(path.read_bytes()).digest() for path in files}
    requests: list[int] = [0] * READERS
    sizes: list[int] = [0] * READERS
    wrong: list[str] = []
    end = time.monotonic() + READING_S

    def read(reader: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_ANSWER_S)
        try:
            while time.monotonic() < end:
                path = files[(reader * 7 + requests[reader]) % len(files)]
                connection.request("GET", "/" + path.relative_to(dist).as_posix())
                answer = connection.getresponse()
                body = answer.read()
                if answer.status != 200 or hashlib.sha256(body).digest() != digests[path]:
                    wrong.append(f"{path.name}: {answer.status}, {len(body)} bytes")
                requests[reader] += 1
                sizes[reader] += len(body)
        except (OSError, http.client.HTTPException) as error:
            wrong.append(f"{type(error).__name__}: {error}")
        finally:
            connection.close()

    readers = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert wrong == [] and min(requests) > 0
    print(f"{sum(requests)} requests, {sum(sizes) / 1e6:.0f} MB")
    record_fault(f"{READERS} readers at once for {READING_S} s", "every file whole, no error", tried=sum(requests))
