#!/usr/bin/env python3
"""s: planted secrets are found in no output, no file, no argument, no environment and no memory of the daemon."""
import base64
import json
import os
import random
import re
import string
import subprocess
import sys
import threading

from harness import (NO_ID, PATIENCE_S, PROCESSES, Failed, Home, at_end, case, check, cmdline, environment, equal, furnished,
                     library, main, needs_root, program, remove, within)
from marks import Scanner, fresh_mark, scan_memory

# The library with marks in it

class Marked:
    """A library whose every secret is a mark, and a scanner for them."""

    def __init__(self, *options):
        texts = {k: "q" + fresh_mark() for k in ("vault name", "title", "body", "tag", "card value", "file", "file title", "credential",
                                           "credential title", "password", "wrong password", "username", "notes", "query")}
        # What makes one-time codes: its letters, and the bytes that they stand for.
        texts["seed"] = "".join(random.SystemRandom().choices(string.ascii_uppercase + "234567", k=32))
        self.t = texts
        self.home = home = Home()
        home.init(texts["password"]).done()
        home.start("--trace", *options)
        home.terminal.unlock(texts["password"]).done()
        home.terminal.enable(more=[("Sudo password: ", texts["password"])]).done()
        self.vault = home.vault(texts["vault name"])
        self.memory = home.add(self.vault, "memory", texts["body"] * 40, "--title", texts["title"], "--tag", texts["tag"])["asset"]
        self.card = home.add(self.vault, "card", json.dumps({"title": texts["title"], "tags": [], "fields": [
            {"name": "n", "value": texts["card value"], "protected": False}]}))["asset"]
        self.file = home.add(self.vault, "file", texts["file"].encode() * 6000, "--title", texts["file title"])["asset"]
        seed = f"otpauth://hotp/x?secret={texts['seed']}&counter=0"
        self.credential = home.add(self.vault, "credential", texts["credential"], "--title", texts["credential title"],
                                   "--username", texts["username"], "--notes-file", home.side("notes", texts["notes"]),
                                   "--otp-file", home.side("seed", seed))["asset"]
        self.pointer = home.add(self.vault, "memory", f"secret://{self.vault}/{self.credential}")["asset"]
        self.grant, self.client = home.mint(self.vault)
        self.grant_file = None
        with open(self.client) as f:
            self.token_text = json.load(f)["token"]
        self.ordinary, self.grant_file = home.mint_ordinary(self.vault, options=["--allow-propose", "--expires", "2h"])
        with open(self.grant_file) as f:
            self.grant_token_text = json.load(f)["token"]
        marks = {k: v.encode() for k, v in texts.items()}
        marks["seed bytes"] = base64.b32decode(texts["seed"])
        marks["token"] = base64.urlsafe_b64decode(self.token_text + "=")
        marks["grant token"] = base64.urlsafe_b64decode(self.grant_token_text + "=")
        self.scanner = Scanner(marks)
        self.marks = marks

    def reads(self):
        home = self.home
        for command, args in (("list", [self.vault]), ("history", [self.vault, self.memory]),
                              ("read", [self.vault, self.memory]), ("read", [self.vault, self.card]),
                              ("read", [self.vault, self.file]), ("credential-bytes", [self.vault, self.credential])):
            home.read(self.client, command, *args).done()

    def converse(self):
        """An assistant reads and proposes over `mcp serve`; gives how that ended."""
        if self.grant_file is None:
            self.grant_file = self.home.side("grant")
            self.home.owner("grant", "mint", "--vault", self.vault, "--allow-propose", "--grant-file", self.grant_file).done()
        calls = [("memory_list", {}), ("memory_read", {"vault": self.vault, "asset": self.memory}),
                 ("memory_read", {"vault": self.vault, "asset": self.credential}), ("memory_read", {"vault": self.t["body"]}),
                 ("memory_propose", {"op": "add", "vault": self.vault, "title": self.t["title"], "body": self.t["body"]}),
                 ("memory_propose", {"op": "update", "vault": self.vault, "asset": self.card, "title": self.t["title"], "body": self.t["body"]})]
        calls += [("memory_search", {"query": q}) for q in (self.t["query"], self.t["body"])]
        lines = [{"method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}]
        lines += [{"method": "tools/call", "params": {"name": n, "arguments": a}} for n, a in calls]
        lines += [{"method": "resources/list", "params": {}}]
        text = "".join(json.dumps({"jsonrpc": "2.0", "id": i, **m}) + "\n" for i, m in enumerate(lines))
        r = program("--home", self.home.path, "mcp", "serve", "--grant-file", self.grant_file, input=text.encode()).done()
        check(self.t["body"].encode() in r.out and r.out.count(b"\n") == len(lines), f"no conversation: {r}")
        for p in self.home.owner("proposal", "list").given()["proposals"]:
            self.home.owner("proposal", "dismiss", p["proposal"]).done()
        return r

    def everything(self):
        """All commands, with their errors too; gives what the commands said on stderr."""
        home, said = self.home, []
        self.reads()
        said.append(("mcp serve", self.converse().err))
        t = self.t
        for r in (home.terminal.unlock(t["wrong password"]), home.terminal.sudo(t["wrong password"]),
                  home.read(self.client, "read", self.vault, self.credential),
                  home.read(self.client, "credential-bytes", self.vault, self.file),
                  home.read(self.client, "read", self.vault, NO_ID),
                  home.read(self.client, "read", self.vault, self.file, "--offset", 10**9),
                  home.read(self.client, "list", NO_ID),
                  home.read(self.grant_file, "list", self.vault),
                  home.owner("grant", "mint", "--vault", self.vault, "--grant-file", self.grant_file),
                  home.owner("vault", "create", t["vault name"]),
                  home.owner("asset", "add", self.vault, "-", "--kind", "card", input=t["body"].encode()),
                  home.owner("asset", "add", self.vault, "-", "--kind", "credential", input=t["credential"].encode() * 3000),
                  home.owner("asset", "add", self.vault, "-", "--kind", "credential", "--otp-file", home.side("bad", t["seed"] + "!"),
                             input=t["credential"].encode()),
                  home.owner("asset", "edit", self.vault, self.credential, "--notes-file", home.side("long", t["notes"] * 200)),
                  home.owner("asset", "show", self.vault, self.credential, "--field", t["notes"]),
                  home.owner("unattended", "mint", "--vault", self.vault, "--client-file", self.client)):
            said.append((" ".join(r.argv[3:5]), r.err + r.screen + (r.out if r.code else b"")))
            check(r.code != 0, f"{r}")
        within(PATIENCE_S, lambda: home.status()["search"]["state"] == "ready", "an index")
        equal(home.owner("search", t["query"]).given()["total"], 0, "what is found of words that are nowhere")
        check(home.owner("search", t["body"]).given()["total"] > 0, "the index finds nothing: the case tests nothing")
        home.owner("grant", "list").done()
        home.owner("unattended", "mint", "--vault", self.vault, "--preview").done()
        home.owner("asset", "list", self.vault).done()
        home.owner("asset", "show", self.vault, self.memory).done()
        home.owner("asset", "show", self.vault, self.file, json=False).done()
        for options in ([], ["--field", "otp"], ["--field", "notes"]):
            home.owner("asset", "show", self.vault, self.credential, *options).done()
        home.owner("asset", "show", self.vault, self.pointer, "--resolve").done()
        return said + self._changes()

    def _changes(self):
        """What an owner does to assets, by an editor too; what failed."""
        home, t = self.home, self.t
        asset = home.add(self.vault, "memory", t["body"], "--title", t["title"], "--tag", t["tag"])
        words = [self.vault, asset["asset"]]
        home.owner("asset", "edit", *words, env={"VISUAL": "sed -i 's/^tag: .*/tag: x/'"}).done()
        home.owner("asset", "edit", *words, "-", input=t["body"].encode() * 2).done()
        home.owner("asset", "history", *words, "--diff").done()
        home.owner("asset", "list", self.vault, "--sort", "title", "--tag", "x").done()
        home.owner("asset", "remove", *words).done()
        home.owner("asset", "restore", *words, asset["revision"]).done()
        wrong = home.owner("asset", "edit", *words, env={"VISUAL": "sed -i 's/^title:/Title:/'"})
        remove(re.search(rb"/\S*/memories-edit-[0-9a-f]+", wrong.err).group().decode())
        failed = (wrong, home.owner("asset", "edit", *words, "-", "--base", asset["revision"], input=t["body"].encode()),
                  home.owner("asset", "edit", self.vault, self.card, "-", input=t["body"].encode()),
                  home.owner("asset", "resolve", *words, "-", input=t["body"].encode()),
                  home.owner("vault", "rename", self.vault, "x" * 300),
                  home.owner("vault", "remove", self.vault, answers=[("Name of the vault: ", t["title"])]))
        for r in failed:
            check(r.code != 0, f"{r}")
        # What was typed at the last question stands on its screen.
        return [(" ".join(r.argv[3:5]), r.err + r.out) for r in failed]


def _files(folder):
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as f:
                    yield path, f.read()


# The scanner itself

@case
def the_scanner_finds_every_form_of_a_mark():
    mark = ("q" + fresh_mark()).encode()
    s = Scanner({"m": mark})
    for hidden in (mark, mark.hex().encode(), mark.decode().encode("utf-16-le"), mark[::-1],
                   *(base64.b64encode(os.urandom(k) + mark + b"tail") for k in range(7)),
                   *(base64.urlsafe_b64encode(os.urandom(k) + mark + b"tail") for k in range(7))):
        check(s.find(os.urandom(500) + hidden + os.urandom(500)), f"not found: {hidden!r}")
    check(not s.find(os.urandom(100000)), "found in noise")


@case
def the_scanner_finds_a_mark_in_the_memory_of_a_process():
    needs_root()
    code = ("import sys, mmap\n"
            "line = sys.stdin.buffer.readline().strip()\n"
            "kept = [bytearray(line[::-1])[::-1], mmap.mmap(-1, 1 << 20)]\n"
            "kept[1][70000:70000 + len(line)] = line\n"
            "print('kept', flush=True); sys.stdin.read()\n")
    p = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    at_end(p.wait)
    at_end(p.kill)
    mark = ("q" + fresh_mark()).encode()
    p.stdin.write(mark + b"\n")
    p.stdin.flush()
    equal(p.stdout.readline(), b"kept\n", "helper")
    found, n = scan_memory(p.pid, Scanner({"m": mark}))
    check(found and n > 1 << 20, f"found {found} in {n} bytes")
    p.stdin.close()
    p.stdout.close()


@case
def the_scanner_finds_a_mark_that_a_daemon_may_know():
    needs_root()
    # Control on the daemon's own memory: the path of the home is no secret and is there.
    home = furnished()
    s = Scanner({"home": os.path.basename(home.dir).encode() + b"/home"})
    found = [name for pid, name in home.processes().items() if scan_memory(pid, s)[0]]
    check(found, "the home's path is in no process of the daemon")


# The daemon

@case
def no_secret_is_in_what_the_daemon_and_failing_commands_print():
    m = Marked()
    for what, said in m.everything():
        m.scanner.check(said, f"what `{what}` printed")
    m.home.stop()
    m.home.start("--trace")
    m.reads()
    m.home.kill()
    for path in (m.home.out, m.home.log):
        with open(path, "rb") as f:
            data = f.read()
        m.scanner.check(data, path)
    check(len(data) > 10000, "no trace was written: the case tests nothing")


@case
def no_secret_is_in_any_file_of_the_home():
    m = Marked()
    m.everything()
    n = 0
    for running in (True, False):
        for path, data in _files(m.home.path):
            n += len(data)
            m.scanner.check(data, path)
        if running:
            m.home.stop()
    check(n > 1 << 20, "too few bytes: the case tests nothing")


@case
def no_secret_is_left_in_a_temporary_folder():
    m = Marked()
    tmp = m.home.side("tmp")
    os.mkdir(tmp, 0o700)
    env = {"TMPDIR": tmp}
    m.home.owner("asset", "add", m.vault, "-", "--kind", "file", input=m.t["file"].encode() * 9000, env=env).done()
    m.home.read(m.client, "read", m.vault, m.file, env=env).done()
    equal(os.listdir(tmp), [], "files in TMPDIR")


def _arguments_and_environments(m, seen):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) == os.getpid():
            continue
        for name in ("cmdline", "environ"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as f:
                    data = f.read()
            except OSError:
                continue
            seen.add((pid, name))
            m.scanner.check(data, f"{name} of process {pid}: {cmdline(pid)[:4]}")


@case
def no_secret_is_in_an_argument_or_environment_of_any_process():
    m = Marked()
    seen, found, over = set(), [], threading.Event()

    def watch():
        while not over.is_set():
            try:
                _arguments_and_environments(m, seen)
            except Failed as e:
                found.append(str(e))
                return
    # What the case itself must put into arguments is not looked for.
    m.scanner = Scanner({k: v for k, v in m.marks.items() if "title" not in k and k not in ("tag", "vault name", "username")})
    t = threading.Thread(target=watch)
    t.start()
    try:
        for _ in range(3):
            m.reads()
            m.home.terminal.unlock(m.t["password"]).done()
            m.home.terminal.sudo(m.t["password"]).done()
            m.home.mint(m.vault)
            m.home.add(m.vault, "credential", m.t["credential"], "--notes-file", m.home.side("notes"), "--otp-file", m.home.side("seed"))
            m.home.owner("asset", "show", m.vault, m.pointer, "--resolve").done()
    finally:
        over.set()
        t.join()
    equal(found, [], "secrets in arguments or environments")
    daemons = {str(m.home.daemon.pid), *map(str, m.home.processes())}
    check({p for p, _ in seen} >= daemons, "the daemon's processes were not looked at")


def _check_memory(m):
    pids = {m.home.daemon.pid: "supervisor", **m.home.processes()}
    # While unlocked the index holds ordinary memories and cards, and nothing else does.
    indexed = {"title", "body", "tag", "card value"} if m.home.status()["unlocked"] else set()
    others = Scanner({k: v for k, v in m.marks.items() if k not in indexed})
    for pid, name in pids.items():
        found, n = scan_memory(pid, others if name == PROCESSES[-1] else m.scanner)
        check(n > 500000, f"only {n} bytes of {name} could be read")
        check(not found, f"in the memory of {name}: {found}")


@case
def no_secret_is_in_the_memory_of_the_daemon_after_everything():
    needs_root()
    m = Marked()
    m.everything()
    m.reads()
    _check_memory(m)
    # And once it is locked, it is gone from there as well.
    m.home.owner("lock").done()
    _check_memory(m)


@case
def no_secret_is_in_the_memory_of_the_daemon_after_a_key_only_start():
    needs_root()
    m = Marked()
    m.home.restart("--trace")
    m.reads()
    _check_memory(m)


@case
def no_secret_is_in_the_memory_of_the_daemon_during_a_stream_of_reads_and_writes():
    needs_root()
    m = Marked()
    over, failures = threading.Event(), []

    def read(n):
        while not over.is_set():
            for command, asset in (("read", m.file), ("credential-bytes", m.credential), ("read", m.memory)):
                r = m.home.read(m.client, command, m.vault, asset)
                if r.code != 0:
                    failures.append(r)
    threads = [threading.Thread(target=read, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    try:
        for i in range(4):
            m.home.add(m.vault, "file", m.t["file"].encode() * 4000)
            m.home.add(m.vault, "credential", m.t["credential"])
            _check_memory(m)
    finally:
        over.set()
        for t in threads:
            t.join()
    equal(failures, [], "reads that failed")


@case
def after_a_lock_the_custody_material_is_in_no_memory_of_the_daemon():
    needs_root()
    m = Marked()
    with open(m.home.file("custody", "owner-file"), "rb") as f:
        material = f.read()[82:114]
    s = Scanner({"material": material})
    m.reads()
    m.home.owner("lock").done()
    for pid, name in m.home.processes().items():
        found, _ = scan_memory(pid, s)
        equal(found, [], f"material in the memory of {name}")


@case
def the_files_of_grants_hold_their_token_and_nothing_of_the_content():
    m = Marked()
    for path, text_of_token, mark in ((m.client, m.token_text, "token"), (m.grant_file, m.grant_token_text, "grant token")):
        with open(path, "rb") as f:
            text = f.read()
        check(text_of_token.encode() in text, "no token")
        Scanner({k: v for k, v in m.marks.items() if k != mark}).check(text, path)


@case
def the_readers_own_environment_and_arguments_reach_no_file():
    m = Marked()
    before = dict(_files(m.home.path))
    m.home.read(m.client, "list", m.vault, env={"SECRET_OF_MINE": m.t["body"]}).done()
    for path, data in _files(m.home.path):
        if before.get(path) != data:
            m.scanner.check(data, path)


if __name__ == "__main__":
    main()
