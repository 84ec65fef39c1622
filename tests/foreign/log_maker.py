"""Makes logs from docs/store-format.md, with keys that the caller knows, so
that what is altered can be hashed and signed anew and only the rule under test
is broken. A third hand beside store/log.c and tests/system/verify_log.py, of
which it uses the arithmetic only.
"""
import base64
import functools
import hashlib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
from verify_log import BASE, L, P, mul, num, root, sha  # noqa: E402

INTENT, REFUSAL, UNLOCK, LOCK, RESUME, EPOCH, REPAIR = 1, 4, 7, 8, 9, 12, 13
LIBRARY = bytes.fromhex("0198a000000070008000000000000001")
NAME = "memories/0198a000-0000-7000-8000-000000000001"
SEGMENT = 65536


def _compress(a):
    inverse = pow(a[2], P - 2, P)
    x, y = a[0] * inverse % P, a[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


@functools.lru_cache(None)
def _expand(seed):
    h = hashlib.sha512(seed).digest()
    scalar = num(h[31::-1]) & (1 << 254) - 8 | 1 << 254
    return scalar, h[32:], _compress(mul(scalar, BASE))


def public(seed):
    return _expand(seed)[2]


@functools.lru_cache(None)
def sign(seed, label, message):
    """Ed25519 (RFC 8032) over the label, a zero byte and the message; a label of None: the message alone."""
    scalar, prefix, key = _expand(seed)
    message = message if label is None else label + b"\0" + message
    r = num(hashlib.sha512(prefix + message).digest()[::-1]) % L
    point = _compress(mul(r, BASE))
    h = num(hashlib.sha512(point + key + message).digest()[::-1]) % L
    return point + ((r + h * scalar) % L).to_bytes(32, "little")


def certificate(seed, epoch, key, delegation=None, purpose=2):
    statement = bytes([purpose]) + epoch + key
    return statement + (b"\1" + delegation if delegation else bytes(113)) + sign(seed, b"memories/cert/v1", statement)


def delegation(log_seed, delegate):
    statement = bytes(range(16)) + delegate
    return statement + sign(log_seed, b"memories/cert/v1", b"\3" + statement)


def record(kind, epoch, extra=b"", refused=False, reason=b"", rows=0):
    """Everything of a record but its index, which its place gives."""
    return {"type": kind, "epoch": epoch, "extra": extra, "refused": refused, "reason": reason, "rows": rows, "bytes": {}}


def leaf(r, index):
    b = bytearray([1, r["type"], r["refused"], 4, 4, 0]) + r.get("index", index).to_bytes(8, "big") + r["epoch"]
    b += (1767225600000 + index).to_bytes(8, "big") + bytes(8 + 16 * 4 + 8 + 8 + 4 + 4 + 8 + 32)
    b += bytes([len(r["reason"])]) + r["reason"] + r["rows"].to_bytes(2, "big") + bytes(range(32)) * r["rows"]
    b += len(r["extra"]).to_bytes(2, "big") + r["extra"] + bytes(2)
    for at, value in r["bytes"].items():
        b[at] = value
    return bytes(b)


def group(seed, *records):
    """Signed by that seed. `commit` overrides what follows from the records; `segment`: it begins one."""
    return {"seed": seed, "records": list(records), "commit": {}, "segment": False}


class Writer:
    """The segments of a list of groups."""

    def __init__(self):
        self.n, self.last, self.peaks, self.lock = 0, bytes(32), [], 0
        self.segments, self.roots, self.ends = [], {0: sha()}, []

    def header(self, number, override):
        h = b"ASG1\0\1" + override.get("library", LIBRARY) + number.to_bytes(8, "big") + \
            override.get("first", self.n).to_bytes(8, "big") + SEGMENT.to_bytes(8, "big") + \
            override.get("previous", self.last)
        self.segments.append(bytearray(h + sha(h)))

    def add_leaf(self, text):
        h, bit = sha(b"\0", text), 0
        while self.n >> bit & 1:
            h, bit = sha(b"\1", self.peaks.pop(), h), bit + 1
        self.peaks.append(h)
        self.n += 1

    def add(self, g):
        if g["segment"] or not self.segments:
            self.header(len(self.segments) + 1, g.get("header", {}))
        first, frames = self.n, b""
        for r in g["records"]:
            text = leaf(r, self.n)
            frames += b"ARC1" + len(text).to_bytes(4, "big") + text
            self.add_leaf(text)
            if r["type"] in (LOCK, RESUME) and not r["refused"]:
                self.lock = int(r["type"] == LOCK)
        epoch = g["records"][0]["epoch"] if g["records"] else bytes(16)
        c = {"version": 1, "first": first, "count": self.n - first, "flags": self.lock, "epoch": epoch,
             "root": root(self.peaks), "previous": self.last, "bytes": sha(frames), **g["commit"]}
        c = {"size": c["first"] + c["count"], **c}
        body = bytes([c["version"]]) + c["first"].to_bytes(8, "big") + c["count"].to_bytes(4, "big") + \
            c["flags"].to_bytes(2, "big") + c["size"].to_bytes(8, "big") + (1767225600100).to_bytes(8, "big") + \
            c["epoch"] + c["root"] + c["previous"] + c["bytes"]
        signature = sign(g["seed"], b"memories/commit/v1", body)
        self.segments[-1] += frames + b"ACM1" + body + signature
        self.last = sha(body, signature)
        self.roots[self.n] = c["root"]
        self.ends.append((len(self.segments), len(self.segments[-1])))


def write_groups(groups):
    w = Writer()
    for g in groups:
        w.add(g)
    return w


def key_id(key):
    return sha(NAME.encode() + b"\n\1" + key)[:4]


def key_pub(key):
    return f"{NAME}+{key_id(key).hex()}+{base64.b64encode(bytes([1]) + key).decode()}\n".encode()


def note(size, root_hash, *seeds, name=NAME, spell=lambda text: text):
    """A checkpoint, whose text may be spelled in another way before it is signed."""
    text = spell(f"{name}\n{size}\n{base64.b64encode(root_hash).decode()}\n".encode())
    lines = b"".join("\u2014 {} {}\n".format(NAME, base64.b64encode(
        key_id(public(s)) + sign(s, None, text)).decode()).encode() for s in seeds)
    return text + b"\n" + lines


def anchor(size, root_hash, epoch):
    b = b"AAN1" + size.to_bytes(8, "big") + root_hash + epoch
    return b + sha(b)
