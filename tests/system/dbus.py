"""As much of D-Bus as the tests of the keyring and of suspending need: a connection that calls, owns a name and
answers, over raw sockets. What it cannot marshal it refuses.

    bus = Bus(address)                       # says Hello
    bus.call(name, path, interface, member, "ss", [a, b], timeout=5)   # the reply's arguments
"""
import os
import select
import socket
import struct
import time

CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
NO_AUTO_START = 2
DBUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
ALIGN = {**dict.fromkeys("ygv", 1), **dict.fromkeys("nq", 2), **dict.fromkeys("bihusoa", 4), **dict.fromkeys("xtd({", 8)}
PLAIN = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "h": "I", "x": "q", "t": "Q", "d": "d"}


class Refused(Exception):
    """The other side answered with an error: its name."""


def types_of(signature):
    """The single complete types of a signature."""
    out = []
    while signature:
        n = _one(signature)
        out.append(signature[:n])
        signature = signature[n:]
    return out


def _one(s):
    if s[0] == "a":
        return 1 + _one(s[1:])
    if s[0] in "({":
        depth = 0
        for i, c in enumerate(s):
            depth += (c in "({") - (c in ")}")
            if depth == 0:
                return i + 1
    return 1


class Variant:
    def __init__(self, signature, value):
        self.signature, self.value = signature, value


def put(out, t, value):
    out.extend(bytes(-len(out) % ALIGN[t[0]]))
    if t in PLAIN:
        out.extend(struct.pack("<" + PLAIN[t], value))
    elif t == "b":
        out.extend(struct.pack("<I", bool(value)))
    elif t in "so":
        raw = value.encode()
        out.extend(struct.pack("<I", len(raw)) + raw + b"\0")
    elif t == "g":
        out.extend(bytes([len(value)]) + value.encode() + b"\0")
    elif t == "v":
        put(out, "g", value.signature)
        put(out, value.signature, value.value)
    elif t[0] == "a":
        at = len(out)
        out.extend(bytes(4))
        out.extend(bytes(-len(out) % ALIGN[t[1]]))
        start = len(out)
        for v in (value.items() if t[1] == "{" else value):
            put(out, t[1:], v)
        out[at:at + 4] = struct.pack("<I", len(out) - start)
    else:
        for inner, v in zip(types_of(t[1:-1]), value):
            put(out, inner, v)


class Reader:
    def __init__(self, data, little):
        self.data, self.at, self.end = data, 0, "<" if little else ">"

    def take(self, t):
        self.at += -self.at % ALIGN[t[0]]
        if t in PLAIN or t == "b":
            f = self.end + PLAIN.get(t, "I")
            value, = struct.unpack_from(f, self.data, self.at)
            self.at += struct.calcsize(f)
            return bool(value) if t == "b" else value
        if t in "sog":
            n = self.take("y" if t == "g" else "u")
            value = bytes(self.data[self.at:self.at + n]).decode()
            self.at += n + 1
            return value
        if t == "v":
            return self.take(self.take("g"))
        if t[0] == "a":
            n = self.take("u")
            self.at += -self.at % ALIGN[t[1]]
            end, items = self.at + n, []
            while self.at < end:
                items.append(self.take(t[1:]))
            return dict(items) if t[1] == "{" else bytes(items) if t == "ay" else items
        return tuple(self.take(i) for i in types_of(t[1:-1]))


class Message:
    def __init__(self, kind, flags, serial, fields, body, raw):
        self.kind, self.flags, self.serial, self.body, self.raw = kind, flags, serial, body, raw
        self.signature = fields.get(8, "")
        self.path, self.interface, self.member = fields.get(1), fields.get(2), fields.get(3)
        self.error, self.reply_to, self.sender = fields.get(4), fields.get(5), fields.get(7)


class Bus:
    def __init__(self, address):
        words = dict(p.split("=", 1) for p in address.split(":", 1)[1].split(","))
        name = words.get("path") or "\0" + words["abstract"]
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(name)
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\n")
        self._line(b"OK ")
        self.socket.sendall(b"NEGOTIATE_UNIX_FD\r\n")
        self._line(b"AGREE_UNIX_FD")
        self.socket.sendall(b"BEGIN\r\n")
        self.serial, self.waiting, self.buffer = 0, [], b""
        self.name, = self.call(*DBUS, "Hello")

    def _line(self, start):
        line = b""
        while not line.endswith(b"\r\n"):
            c = self.socket.recv(1)
            if not c:
                raise ConnectionError("the bus closed")
            line += c
        if not line.startswith(start):
            raise ConnectionError(f"the bus said {line!r}")

    def close(self):
        self.socket.close()

    def send(self, kind, signature="", args=(), flags=0, fds=(), raw=None, **fields):
        """fields by their names in the specification, lower case; raw: the body as it came elsewhere."""
        self.serial += 1
        codes = {"path": (1, "o"), "interface": (2, "s"), "member": (3, "s"), "error_name": (4, "s"),
                 "reply_serial": (5, "u"), "destination": (6, "s")}
        rows = [(codes[k][0], Variant(codes[k][1], v)) for k, v in fields.items() if v is not None]
        if signature:
            rows.append((8, Variant("g", signature)))
        if fds:
            rows.append((9, Variant("u", len(fds))))
        body, out = bytearray(), bytearray()
        if raw is not None:
            body.extend(raw)
        else:
            for t, a in zip(types_of(signature), args):
                put(body, t, a)
        out.extend(struct.pack("<cBBBII", b"l", kind, flags, 1, len(body), self.serial))
        put(out, "a(yv)", rows)
        out.extend(bytes(-len(out) % 8))
        data = bytes(out + body)
        if fds:
            socket.send_fds(self.socket, [data], list(fds))
        else:
            self.socket.sendall(data)
        return self.serial

    def receive(self, timeout):
        """The next message, or None."""
        end = time.monotonic() + timeout
        while True:
            message = self._parse()
            if message is not None:
                return message
            if not select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]:
                return None
            chunk = self.socket.recv(65536)
            if not chunk:
                raise ConnectionError("the bus closed")
            self.buffer += chunk

    def _parse(self):
        if len(self.buffer) < 16:
            return None
        little = self.buffer[:1] == b"l"
        end = "<" if little else ">"
        body_len, serial, fields_len = struct.unpack_from(end + "III", self.buffer, 4)
        start = 16 + fields_len + (-fields_len % 8)
        if len(self.buffer) < start + body_len:
            return None
        head = Reader(self.buffer[:start], little)
        head.at = 12
        fields = dict(head.take("a(yv)"))
        body = Reader(self.buffer[start:start + body_len], little)
        args = [body.take(t) for t in types_of(fields.get(8, ""))]
        message = Message(self.buffer[1], self.buffer[2], serial, fields, args, self.buffer[start:start + body_len])
        self.buffer = self.buffer[start + body_len:]
        return message

    def call(self, destination, path, interface, member, signature="", args=(), timeout=5):
        serial = self.send(CALL, signature, args, flags=NO_AUTO_START, destination=destination, path=path,
                           interface=interface, member=member)
        end = time.monotonic() + timeout
        while True:
            m = self.receive(end - time.monotonic())
            if m is None:
                raise TimeoutError(f"{member} was not answered")
            if m.reply_to != serial:
                self.waiting.append(m)
                continue
            if m.kind == ERROR:
                raise Refused(m.error)
            return m.body

    def own(self, name):
        self.call(*DBUS, "RequestName", "su", [name, 4])

    def answer(self, m, signature="", args=(), fds=()):
        self.send(RETURN, signature, args, fds=fds, reply_serial=m.serial, destination=m.sender)

    def refuse(self, m, error):
        self.send(ERROR, "s", ["no"], error_name=error, reply_serial=m.serial, destination=m.sender)

    def next(self, timeout):
        """What came meanwhile, then what comes."""
        return self.waiting.pop(0) if self.waiting else self.receive(timeout)
