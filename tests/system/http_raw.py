"""HTTP/1.1 by hand, so that a request may be as wrong as a test wants it; for h_*.py."""
import json
import socket
import time

from harness import Failed, check


class Answer:
    """What came back: a status, headers in their order, and a body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __repr__(self):
        return f"{self.status} {dict(self.headers)!r:.400} {self.body[:300]!r}"

    def all(self, name):
        return [v for n, v in self.headers if n == name.lower()]

    def header(self, name):
        """The only value of that header, or None."""
        values = self.all(name)
        check(len(values) <= 1, f"{name} comes {len(values)} times: {self}")
        return values[0] if values else None

    @property
    def json(self):
        check((self.header("content-type") or "").split(";")[0] == "application/json", f"no JSON: {self}")
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()

    def status_is(self, *wanted):
        check(self.status in wanted, f"status is not {wanted}: {self}")
        return self


class Connection:
    """One connection, on which requests follow each other."""

    def __init__(self, port, seconds=20):
        self.socket = socket.create_connection(("127.0.0.1", port), seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pending = b""
        self.seen = b""  # everything that was ever received

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def _more(self):
        try:
            chunk = self.socket.recv(65536)
        except socket.timeout:
            raise Failed("the server says nothing") from None
        except ConnectionError:
            chunk = b""
        self.pending += chunk
        self.seen += chunk
        return chunk

    def ended(self):
        """True when the server closes; what it still sends stays in pending."""
        while self._more():
            pass
        return True

    def answer(self, method="POST"):
        """The next answer, or None when the server has closed."""
        while b"\r\n\r\n" not in self.pending:
            if not self._more():
                check(not self.pending, f"closed within an answer: {self.pending[:200]!r}")
                return None
        head, _, self.pending = self.pending.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ", 2)
        check(words[0] == "HTTP/1.1" and words[1].isdigit(), f"status line {lines[0]!r}")
        headers = [(n.lower(), v.strip()) for n, _, v in (line.partition(":") for line in lines[1:])]
        status = int(words[1])
        if status == 100:
            return self.answer(method)
        lengths = [v for n, v in headers if n == "content-length"]
        check(len(lengths) <= 1 and not any(n == "transfer-encoding" for n, _ in headers), f"framing of {lines}")
        bodiless = method == "HEAD" or status in (204, 304) or status < 200
        length = 0 if bodiless else int(lengths[0]) if lengths else None
        check(length is not None, f"an answer without a length: {lines}")
        while len(self.pending) < length:
            check(self._more(), f"closed within a body: {lines}")
        body, self.pending = self.pending[:length], self.pending[length:]
        return Answer(status, headers, body)

    def ask(self, method, target, headers=(), body=None, host=None, port=None):
        self.send(request(method, target, headers, body, host or f"127.0.0.1:{port or self.socket.getpeername()[1]}"))
        answer = self.answer(method)
        check(answer is not None, f"{method} {target}: closed without an answer")
        return answer


def pairs(headers):
    return list(headers.items()) if isinstance(headers, dict) else list(headers)


def request(method, target, headers=(), body=None, host="127.0.0.1"):
    """The bytes of a request; a Host and a Content-Length are added unless headers have their own."""
    headers = pairs(headers)
    names = {n.lower() for n, _ in headers}
    if body is not None and not isinstance(body, bytes):
        body = body.encode()
    if "host" not in names:
        headers.insert(0, ("Host", host))
    if (body is not None or method == "POST") and not names & {"content-length", "transfer-encoding"}:
        headers.append(("Content-Length", str(len(body or b""))))
    head = "".join(f"{n}: {v}\r\n" for n, v in headers if v is not None)
    return f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + (body or b"")


def once(port, method, target, headers=(), body=None, host=None):
    """One request on a connection of its own."""
    with Connection(port) as c:
        return c.ask(method, target, headers, body, host)


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def later(seconds):
    """A moment, for deadlines."""
    return time.monotonic() + seconds
