#!/usr/bin/env python3
"""Checks a signed log from its files alone, written from docs/store-format.md.

usage: verify_log.py [--full] [--key FILE] DIR...

Prints one line of JSON a directory, as `memories audit verify --json` does.
Exit: 0 valid, 1 invalid, 2 usage, 3 diverged from the anchor or the checkpoint
(the worst of all directories). A second implementation beside store/log_read.c: the two must
agree on every log, whole or damaged.
"""
import base64
import functools
import hashlib
import json
import os
import re
import stat
import sys

HEADER, COMMIT, FRAME = 110, 143, 4 + 143 + 64
GROUP_RECORDS, GROUP_BYTES, LEAF = 512, 256 << 10, 8192
EPOCH, LOCK, RESUME, REFUSAL, UNLOCK, REPAIR = 12, 8, 9, 4, 7, 13
ZERO = bytes(32)


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def num(b):
    return int.from_bytes(b, "big")


# Ed25519, RFC 8032 section 5.1, extended coordinates.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(a, b):
    p, q = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    r, s = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = q - p, s - r, s + r, q + p
    return e * f % P, g * h % P, f * g % P, e * h % P


@functools.lru_cache(64)
def doubles(a):
    """a, 2a, 4a, ...: keys are few, and used often."""
    out = [a]
    while len(out) < 256:
        out.append(add(out[-1], out[-1]))
    return out


def mul(n, a):
    out = (0, 1, 1, 0)
    for bit, b in enumerate(doubles(a)):
        if n >> bit & 1:
            out = add(out, b)
    return out


def point(b):
    """A point that is encoded canonically and not of small order, or None."""
    y, sign = num(b[::-1]) & (1 << 255) - 1, b[31] >> 7
    if y >= P:
        return None
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if v * x * x % P != u:
        x = x * ROOT % P
    if v * x * x % P != u or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    a = (x, y, 1, x * y % P)
    small = a
    for _ in range(3):
        small = add(small, small)
    return None if small[0] == 0 and small[1] == small[2] else a


BASE = point(bytes([0x58]) + bytes([0x66]) * 31)


@functools.lru_cache(None)
def signed(key, label, message, signature):
    """With a label of None, over the message alone."""
    a, r, s = point(key), point(signature[:32]), num(signature[:31:-1])
    if a is None or r is None or s >= L:
        return False
    h = num(hashlib.sha512(signature[:32] + key + (b"" if label is None else label + b"\0") + message).digest()[::-1]) % L
    x, y, z, _ = add(mul(s, BASE), mul(h, (P - a[0], a[1], 1, P - a[3])))
    inverse = pow(z, P - 2, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


class Broken(Exception):
    """The log does not hold from this record on."""


class Unreadable(Exception):
    """Not a log, or one that cannot be read."""


def read(path, limit, flags=os.O_NOFOLLOW):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | flags)
    try:
        st = os.fstat(fd)
        if not stat.S_ISREG(st.st_mode) or st.st_size > limit:
            raise Unreadable(path)
        data = b""
        while len(data) < st.st_size:
            data += os.pread(fd, 16 << 20, len(data)) or bytes(st.st_size - len(data))
        return data
    finally:
        os.close(fd)


def take_key(text):
    m = re.fullmatch(rb"(memories/([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}))\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})\n?", text)
    key = base64.b64decode(m[4]) if m else b""
    if not m or key[0] != 1 or sha(m[1], b"\n", key)[:4].hex() != m[3].decode():
        raise Unreadable("key")
    return bytes.fromhex(m[2].replace(b"-", b"").decode()), key[1:]


def unbase64(text):
    """What canonical, padded base64 stands for, or None."""
    try:
        b = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return b if base64.b64encode(b) == text else None


def take_note(b):
    """The origin, size, root, text and signature lines of a checkpoint, or None."""
    end = b.find(b"\n\n") + 1
    text, tail = b[:end], b[end + 1:]
    try:
        b.decode()
    except UnicodeDecodeError:
        return None
    m = re.fullmatch(rb"([^\n]{1,63})\n(0|[1-9][0-9]*)\n([A-Za-z0-9+/]{43}=)\n([^\n]+\n)*", text)
    root = m and unbase64(m[3])
    if not root or len(b) > 128 << 10 or int(m[2]) >> 64 or any(c < 32 and c != 10 for c in b):
        return None
    lines = [re.fullmatch("\u2014 ([^\\s+]+) ([A-Za-z0-9+/=]{1,8192})", line) for line in tail.decode().split("\n")[:-1]]
    if not lines or not tail.endswith(b"\n") or not all(lines):
        return None
    blobs = [(line[1].encode(), unbase64(line[2].encode())) for line in lines]
    if any(blob is None or len(blob) < 5 for _, blob in blobs):
        return None
    return {"origin": m[1], "size": int(m[2]), "root": root, "text": text, "signatures": blobs}


def note_signed(note, origin, keys):
    """By the first of the keys that has a line in it."""
    for key in keys:
        key_id = sha(origin, b"\n\1", key)[:4]
        for name, blob in note["signatures"]:
            if name == origin and blob[:4] == key_id:
                return len(blob) == 68 and signed(key, None, note["text"], blob[4:])
    return False


def take_leaf(b):
    """The fields of a leaf that the rules look at, or None."""
    limits = ((1, 1), (1, 15), (0, 1), (0, 4), (0, 4), (0, 19))
    if len(b) < 181 or any(not low <= b[i] <= high for i, (low, high) in enumerate(limits)):
        return None
    at = 175 + b[174]
    if b[174] > 32 or not re.fullmatch(rb"[a-z0-9_]*", b[175:at]):
        return None
    rows = num(b[at:at + 2])
    at += 2 + 32 * rows
    n_extra = num(b[at:at + 2])
    extra = b[at + 2:at + 2 + n_extra]
    at += 2 + n_extra
    n_sealed = num(b[at:at + 2])
    if rows > 100 or n_extra > 512 or n_sealed > 1024 or at + 2 + n_sealed != len(b):
        return None
    return {"type": b[1], "done": b[2] == 0, "index": num(b[6:14]), "epoch": b[14:30], "extra": extra}


def take_commit(b):
    """A commit and its signature, or None."""
    if len(b) < COMMIT + 64:
        return None
    c = {"first": num(b[1:9]), "count": num(b[9:13]), "flags": num(b[13:15]), "size": num(b[15:23]),
         "epoch": b[31:47], "root": b[47:79], "previous": b[79:111], "bytes": b[111:143],
         "body": b[:143], "signature": b[143:207]}
    fits = b[0] == 1 and 1 <= c["count"] <= GROUP_RECORDS and c["flags"] <= 1
    return c if fits and c["size"] == c["first"] + c["count"] else None


def take_group(b, at):
    """(leaves, bytes of the record frames, commit, end), or None."""
    start, leaves = at, []
    while b[at:at + 4] == b"ARC1":
        n = num(b[at + 4:at + 8])
        if n > LEAF or at + 8 + n > len(b) or len(leaves) == GROUP_RECORDS:
            return None
        leaves.append(b[at + 8:at + 8 + n])
        at += 8 + n
    c = take_commit(b[at + 4:at + FRAME]) if b[at:at + 4] == b"ACM1" else None
    if not leaves or at - start > GROUP_BYTES or c is None:
        return None
    return leaves, b[start:at], c, at + FRAME


class Log:
    def __init__(self, library, key, full):
        self.library, self.key, self.full = library, key, full
        self.n, self.last, self.peaks, self.lock = 0, ZERO, [], False
        self.epoch, self.epoch_key, self.certified = None, None, False
        self.owed = None     # a commit whose signature was left to a later one
        self.roots = {0: sha()}
        self.found = None    # the size before the running epoch, if that is its process's first
        self.count, self.repairs, self.lost = 0, 0, 0
        self.delegates = []
        self.given_up = []  # heads that repairs name as lost

    def broken(self):
        self.check_owed()
        raise Broken(self.n)

    def check_owed(self):
        c, self.owed = self.owed, None
        if c and not signed(self.epoch_key, b"memories/commit/v1", c["body"], c["signature"]):
            raise Broken(c["first"])

    def certifies(self, b, epoch, key):
        if len(b) != 226 or b[0] != 2 or b[49] > 1 or b[1:17] != epoch or b[17:49] != key:
            return False
        if not b[49] and any(b[50:162]):
            return False
        label, signer = b"memories/cert/v1", self.key
        if b[49]:
            if not signed(signer, label, b"\3" + b[50:98], b[98:162]):
                return False
            signer = b[66:98]
        return signed(signer, label, b[:49], b[162:])

    def group(self, leaves, frames, c, followed):
        """True when the group counts."""
        if (c["first"], c["count"], c["previous"]) != (self.n, len(leaves), self.last) or c["bytes"] != sha(frames):
            return False
        n, peaks, lock = self.n, list(self.peaks), self.lock
        epoch, key, certified = self.epoch, self.epoch_key, self.certified
        after = None          # the epoch that runs from the next group on
        found, repairs = self.found, (self.count, self.repairs, self.lost)
        delegates, given_up = [], []
        for leaf in leaves:
            r = take_leaf(leaf)
            if after or r is None or r["index"] != n or r["epoch"] != c["epoch"]:
                return False
            extra = r["extra"]
            if r["type"] == EPOCH and len(extra) > 226 and extra[-177]:
                delegates.append(extra[-160:-128])
            if r["type"] == EPOCH and extra[:1] == b"\0":
                if len(extra) != 33 or r["epoch"] == epoch:
                    return False
                epoch, key, certified = r["epoch"], extra[1:], False
                found = n
            elif r["epoch"] != epoch:
                return False
            elif r["type"] == EPOCH and extra[:1] == b"\2":
                after = extra[1:17], extra[17:49], len(extra) > 81
                if len(extra) < 81 or after[0] == epoch or after[2] and not self.certifies(extra[81:], *after[:2]):
                    return False
            elif r["type"] == EPOCH:
                if extra[:1] != b"\1" or not self.certifies(extra[1:], epoch, key):
                    return False
                certified = True
            elif not (certified or r["type"] in (REFUSAL, LOCK) or r["type"] == UNLOCK and not r["done"]):
                return False
            if r["type"] == REPAIR:
                if not r["done"] or len(extra) != 84 or found is None or num(extra[4:12]) != found or \
                        self.roots[found] != extra[12:44] or num(extra[:4]) <= repairs[0]:
                    return False
                repairs = num(extra[:4]), repairs[1] + 1, repairs[2] + max(0, num(extra[44:52]) - found)
                given_up.append((num(extra[44:52]), extra[52:84]))
                found = None
            if r["type"] in (LOCK, RESUME) and r["done"]:
                lock = r["type"] == LOCK
            h, bit = sha(b"\0", leaf), 0
            while n >> bit & 1:
                h, bit = sha(b"\1", peaks.pop(), h), bit + 1
            peaks.append(h)
            n += 1
        due = self.full or not followed or after
        if c["root"] != root(peaks) or c["flags"] != int(lock) or \
                due and not signed(key, b"memories/commit/v1", c["body"], c["signature"]):
            return False
        if epoch != self.epoch:
            self.check_owed()
        self.n, self.peaks, self.lock = n, peaks, lock
        self.epoch, self.epoch_key, self.certified = after or (epoch, key, certified)
        self.found, (self.count, self.repairs, self.lost) = None if after else found, repairs
        self.last, self.owed = sha(c["body"], c["signature"]), None if due else c
        self.roots[n] = c["root"]
        self.delegates += delegates
        self.given_up += given_up
        return True

    def segment(self, number, b):
        """Where the tail of the segment begins; 0 when its header does not hold."""
        h, at = b[:HEADER], 0
        if len(h) == HEADER and h[:6] == b"ASG1\0\1" and sha(h[:78]) == h[78:]:
            if h[6:22] != self.library or num(h[22:30]) != number or num(h[38:46]) < len(b) or \
                    num(h[30:38]) != self.n or h[46:78] != self.last:
                self.broken()
            at = HEADER
        while at and (g := take_group(b, at)) and self.group(*g[:3], b[g[3]:g[3] + 4] == b"ARC1"):
            at = g[3]
        found = b.find(b"ACM1", at)
        while found >= 0:
            c = take_commit(b[found + 4:found + FRAME])
            if c and c["first"] > self.n:
                self.broken()
            found = b.find(b"ACM1", found + 1)
        return at


def root(peaks):
    if not peaks:
        return sha()
    h = peaks[-1]
    for left in reversed(peaks[:-1]):
        h = sha(b"\1", left, h)
    return h


def take_anchor(path):
    """(damaged, size and root or None)"""
    try:
        b = read(os.path.join(path, "anchor"), 92)
    except FileNotFoundError:
        return False, None
    except (OSError, Unreadable):
        return True, None
    fits = len(b) == 92 and b[:4] == b"AAN1" and sha(b[:60]) == b[60:]
    return not fits and b.strip(b"\0") != b"", (num(b[4:12]), b[12:44]) if fits else None


def take_checkpoint(path):
    """(has one, the note or None)"""
    try:
        return True, take_note(read(os.path.join(path, "checkpoint"), 1 << 30))
    except FileNotFoundError:
        return False, None


def walk(path, log, anchor, marks):
    """Reads the segments; raises Broken."""
    where = os.path.join(path, "seg")
    numbers = {int(n[:10]) for n in os.listdir(where) if re.fullmatch(r"[0-9]{10}\.seg", n)} - {0}
    if not numbers:
        raise Unreadable("no segment")
    segment = lambda n: read(os.path.join(where, "%010d.seg" % n), 1 << 30)
    used = max((n for n in numbers if any(segment(n)[:HEADER])), default=0)
    loose = False
    for n in range(1, used + 1):
        if n not in numbers:
            log.broken()
        b = segment(n)
        at = log.segment(n, b)
        loose = any(b[at:]) or (loose and not at)
    log.check_owed()
    if loose and any(m[0] > log.n for m in marks if m is not anchor or m not in log.given_up):
        raise Broken(log.n)


def verify(path, key_file, full):
    """(verdict, diverged)"""
    library, key = take_key(read(key_file or os.path.join(path, "key.pub"), 200, 0))
    log = Log(library, key, full)
    (damaged, anchor), (has_note, note) = take_anchor(path), take_checkpoint(path)
    marks = [anchor] if anchor else []
    marks += [(note["size"], note["root"])] if note else []
    try:
        walk(path, log, anchor, marks)
        if has_note:
            h = library.hex()
            origin = "memories/{}-{}-{}-{}-{}".format(h[:8], h[8:12], h[12:16], h[16:20], h[20:]).encode()
            if not note or note["origin"] != origin or not note_signed(note, origin, [key, *log.delegates]):
                raise Broken(log.n)
    except Broken as e:
        return {"valid": False, "index": e.args[0], "reason": "a record, a commit or a segment does not hold"}, False
    # A repair that was cut off behind its record left the anchor at what it gave up.
    marks = [m for m in marks if m is not anchor or m not in log.given_up]
    diverged = damaged or any(size and log.roots.get(size) != want for size, want in marks)
    verdict = {"valid": True, "size": log.n, "root": root(log.peaks).hex()}
    if log.repairs:
        verdict.update(repairs=log.repairs, lost=log.lost)
    return verdict, diverged


def main(args):
    full, key, dirs, worst = False, None, [], 0
    while args:
        a = args.pop(0)
        if a == "--full":
            full = True
        elif a == "--key" and args:
            key = args.pop(0)
        else:
            dirs.append(a)
    if not dirs:
        sys.stderr.write(__doc__)
        return 2
    for d in dirs:
        try:
            verdict, diverged = verify(d, key, full)
        except (OSError, Unreadable) as e:
            sys.stderr.write("verify_log: %s: %s\n" % (d, e))
            return 2
        print(json.dumps(verdict, separators=(",", ":")), flush=True)
        worst = max(worst, 3 if diverged else 0 if verdict["valid"] else 1)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
