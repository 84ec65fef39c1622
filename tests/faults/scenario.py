"""About 200 operations of an owner and a client, one after the other, and what
the client then knows. The expectations are written for tests/faults/expect.h."""
import json
import os

from faults import SMALL_LOG, Recording
from harness import CARD, data_of

ZERO = "00000000-0000-0000-0000-000000000000"


class Op:
    """One operation: what it was, how it ended, and between which events of the recording."""

    def __init__(self, number, word, result, **about):
        self.number, self.word, self.result, self.about = number, word, result, about


class Scenario:
    """
    Runs operations on an unlocked library with unattended access. tolerate: an
    operation may fail; what it then says is kept for the oracle.
    """

    def __init__(self, home, tolerate=False):
        self.home, self.tolerate = home, tolerate
        self.ops, self.assets, self.grants = [], [], []
        self.contents = {}  # of each revision

    def run(self, word, what, **about):
        number = len(self.ops)
        if self.home.recording:
            self.home.recording.mark(f"begin {number}")
        result = what()
        if self.home.recording:
            self.home.recording.mark(f"end {number}")
        if not self.tolerate:
            result.done()
        self.ops.append(Op(number, word, result, **about))
        return result

    # Operations

    def add(self, kind, content, *options):
        home = self.home
        r = self.run("add", lambda: home.owner("asset", "add", home.main, "-", "--kind", kind, *options, input=content),
                     kind=kind, content=content)
        if r.code == 0:
            self.assets.append((r.json["asset"], r.json["revision"], kind, content))
            self.contents[r.json["revision"]] = content

    def edit(self, i):
        """A further revision of one of the memories."""
        memories = [n for n, asset in enumerate(self.assets) if asset[2] == "memory"]
        if not memories:
            return
        at = memories[i % len(memories)]
        home, asset, content = self.home, self.assets[at][0], f"edited {i:04} {'y' * (i % 9)}".encode()
        r = self.run("edit", lambda: home.owner("asset", "edit", home.main, asset, "-", input=content), content=content)
        if r.code == 0:
            self.assets[at] = (asset, r.json["revision"], "memory", content)
            self.contents[r.json["revision"]] = content

    def read(self, command, *args, client=None):
        return self.run(command, lambda: self.home.read(client or self.home.client, command, self.home.main, *args),
                        asset=args[0] if args else None)

    def mint(self):
        home, path = self.home, os.path.join(self.home.clients, f"m{len(self.ops)}")
        r = self.run("mint", lambda: home.owner("unattended", "mint", "--vault", home.main, "--client-file", path))
        if r.code == 0:
            self.grants.append((r.json["grant"], path))

    def revoke(self):
        if self.grants:
            grant, path = self.grants.pop(0)
            self.run("revoke", lambda: self.home.owner("unattended", "revoke", grant), grant=grant, path=path)

    def lock_and_resume(self):
        """A lock, a resume, and the start that loads the unattended key again."""
        self.run("lock", lambda: self.home.owner("lock"))
        self.run("unlock", self.home.terminal.unlock)
        self.run("sudo", self.home.terminal.sudo)
        self.run("resume", lambda: self.home.owner("unattended", "resume"))
        self.restart()

    def restart(self):
        self.home.restart(*SMALL_LOG)
        self.run("unlock", self.home.terminal.unlock)
        self.run("sudo", self.home.terminal.sudo)

    def _adds(self, i):
        mark = f"canary {i:04} {'x' * (i % 7)}"
        kind = ("memory", "card", "credential", "file")[i % 4]
        content = {"memory": mark, "card": json.dumps({**CARD, "title": mark}), "credential": mark,
                   "file": mark + "f" * (i * 997 % 150000)}[kind].encode()
        self.add(kind, content)

    def _reads(self, i):
        if not self.assets:
            return
        asset, _, kind, content = self.assets[i * 7 % len(self.assets)]
        if kind == "credential":
            self.read("credential-bytes", asset)
        elif kind == "file" and len(content) > 1000:
            self.read("read", asset, "--offset", i % 900, "--limit", 400 + i * 61 % 90000)
        else:
            self.read("read", asset)

    def all(self, n=200):
        """n operations or a few more."""
        i = 0
        while len(self.ops) < n:
            self._adds(i)
            self._reads(i)
            if i % 2:
                self.read("list")
            if i % 3 == 0 and self.assets:
                self.read("history", self.assets[i % len(self.assets)][0])
            self._reads(i + 3)
            if i % 5 == 1:
                self.edit(i)
            if i % 4 == 1:
                self.mint()
            if i % 5 == 3:
                self.revoke()
            if i % 10 == 7:
                self.run("checkpoint", lambda: self.home.owner("audit", "checkpoint"))
            if i % 16 == 9:
                self.lock_and_resume()
            i += 1
        return self


def delivered(op):
    """What the answer of a read says of its record: (index, offset, length, asset, revision)."""
    a = op.result.json
    if "audit" not in a:
        return None
    if op.word in ("read", "credential-bytes"):
        return a["audit"]["index"], a["offset"] if "offset" in a else 0, len(data_of(a)), op.about["asset"], a["revision"]
    return a["audit"]["index"], 0, 0, ZERO, ZERO


def facts(scenario):
    """The lines of expect.h, in the order of events."""
    begin, end, first_out, last_out = {}, {}, {}, {}
    now = None
    for i, (kind, _, data) in enumerate(scenario.home.recording.events()):
        if kind == Recording.MARK:
            word, number = data.decode().split()
            now = int(number) if word == "begin" else None
            (begin if word == "begin" else end)[int(number)] = i
        elif kind == Recording.OUT and now is not None:
            first_out.setdefault(now, i)
            last_out[now] = i
    lines = []

    def say(event, *words):
        lines.append((event, " ".join(map(str, (event, *words)))))
    for op in scenario.ops:
        n = op.number
        done = last_out.get(n, end[n])
        answer = op.result.json if op.result.code == 0 and op.result.out else {}
        if op.word in ("read", "credential-bytes", "list", "history"):
            say(first_out[n], "delivered", *delivered(op))
        elif op.word in ("add", "edit"):
            say(begin[n], "begun", answer["revision"])
            say(done, "added", scenario.home.main, answer["asset"], answer["revision"], len(op.about["content"]))
        elif op.word == "mint":
            say(done, "granted", answer["grant"])
        elif op.word == "revoke":
            say(begin[n], "revoking", op.about["grant"])
            say(done, "revoked", op.about["grant"])
        elif op.word in ("lock", "resume"):
            say(begin[n], {"lock": "locking", "resume": "resuming"}[op.word])
            say(done, {"lock": "locked", "resume": "resumed"}[op.word])
    return [line for _, line in sorted(lines, key=lambda x: x[0])]
