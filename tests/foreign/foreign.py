#!/usr/bin/env python3
"""Go's note and tlog packages on what we hand out: checkpoints, exports and
proofs of logs of several sizes. Skipped where Go or its packages are missing.

    MEMORIES_BIN, LOG_TOOL: the program under test, tests/foreign/log_tool
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
SIZES = [1, 2, 3, 255, 256, 257, 600, 65537]


class Asker:
    """A process that answers each line with one line."""

    def __init__(self, *argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{self.process.args[0]} ended at {words}")
        return answer.rstrip("\n")

    def close(self):
        self.process.stdin.close()
        if self.process.wait():
            sys.exit(f"{self.process.args[0]} ended with {self.process.returncode}")


def build_go(folder):
    """The checker, or why it cannot be had."""
    if not shutil.which("go"):
        return None, "no go here"
    env = dict(os.environ, GO111MODULE="off", GOPATH=os.environ.get("GOPATH", "/usr/share/gocode"),
               GOCACHE=os.path.join(folder, "go-cache"), GOFLAGS="")
    checker = os.path.join(folder, "check")
    p = subprocess.run(["go", "build", "-o", checker, os.path.join(HERE, "check.go")], env=env, cwd=folder,
                       capture_output=True, text=True)
    missing = "cannot find package" in p.stderr
    if p.returncode and not missing:
        sys.exit(p.stderr)
    return (None, "no golang.org/x/mod here") if missing else (checker, None)


def memories(*args):
    p = subprocess.run([os.environ["MEMORIES_BIN"], *map(str, args)], capture_output=True, cwd="/")
    if p.returncode:
        sys.exit(f"{args}: {p.stderr.decode()}")
    return p.stdout


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(content)
    return path


class Foreign:
    def __init__(self, folder, go):
        self.folder, self.go, self.failed = folder, go, 0

    def expect(self, what, wanted, *question):
        got = self.go.ask(*question)
        if (got == "ok") != wanted:
            self.failed += 1
            print(f"FAILED {what}: {got}", flush=True)

    def size(self, log, size):
        out, key = f"{log}-out", os.path.join(log, "key.pub")
        self.expect(f"checkpoint of {size}", True, "note", key, os.path.join(log, "checkpoint"))
        memories("audit", "export", out, log)
        self.expect(f"export of {size}", True, "export", out)
        for i in sorted({0, 1, 255, 256, size // 2, size - 2, size - 1}):
            if 0 <= i < size:
                proof = memories("audit", "prove", i, log)
                self.expect(f"record {i} of {size}", True, "proof", key, write(self.folder, "proof", proof))
                other = proof.replace(b"\nindex %d\n" % i, b"\nindex %d\n" % (i ^ 1))
                self.expect(f"record {i} of {size} elsewhere", False, "proof", key, write(self.folder, "proof", other))
        for old in sorted({1, 2, 255, 256, size // 2, size - 1, size}):
            if 1 <= old <= size:
                self.growth(log, key, old, size)

    def growth(self, log, key, old, size):
        proof = write(self.folder, "proof", memories("audit", "consistency", old, size, log))
        root = json.loads(memories("--json", "audit", "consistency", old, size, log))["old_root"]
        self.expect(f"{old} to {size}", True, "consistency", key, proof, root)
        other = ("0" if root[0] != "0" else "1") + root[1:]
        self.expect(f"{old} to {size} from another root", False, "consistency", key, proof, other)

    def damaged(self, out):
        """The checker must be able to say no to an export."""
        for name in ("checkpoint", "key.pub", "tile/0/000", "tile/entries/001", "tile/1/000.p/2"):
            path = os.path.join(out, name)
            with open(path, "r+b") as f:
                whole = f.read()
                f.seek(len(whole) // 2)
                f.write(bytes([whole[len(whole) // 2] ^ 1]))
            self.expect(f"export with another {name}", False, "export", out)
            write(out, name, whole)


def main():
    with tempfile.TemporaryDirectory(prefix="memories-foreign-") as folder:
        checker, why = build_go(folder)
        if why:
            print(f"skipped: {why}")
            return SKIPPED
        tool, foreign = Asker(os.environ["LOG_TOOL"]), Foreign(folder, Asker(checker))
        for size in SIZES:
            log = os.path.join(folder, f"log-{size}")
            if tool.ask("make", log, size) != "ok":
                sys.exit("no log was made")
            foreign.size(log, size)
        foreign.damaged(os.path.join(folder, "log-600-out"))
        tool.close()
        print(f"{len(SIZES)} logs, {foreign.failed} failures")
        return 1 if foreign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
