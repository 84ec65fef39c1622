#!/usr/bin/env python3
"""p: what the profile knows, the password of its pages and the tokens for it stand in no file, output, argument or memory."""
import os
import random
import string
import threading

from harness import PROCESSES, case, check, cmdline, equal, main, needs_root, process_only
from http_client import PAGES_PASSWORD, Assistant, add_fact, connected, endpoint
from marks import Scanner, scan_memory


def letters(n=30):
    """A mark that is no secret by its looks, so that it may be a fact."""
    return "".join(random.SystemRandom().choices(string.ascii_lowercase, k=n))


class Marked:
    """A profile whose every text is a mark, and an assistant that has read, searched and proposed."""

    def __init__(self):
        self.t = t = {k: letters() for k in ("label", "value", "evidence", "edited", "archived", "private", "proposed", "proposed evidence",
                                             "dismissed", "wrong")}
        self.home = home = endpoint("--trace", facts=[])
        self.fact = add_fact(home, "basic", t["label"], t["value"], "--evidence", t["evidence"])
        self.edited = add_fact(home, "goal", "x", t["edited"])
        home.owner("profile", "fact", "edit", self.edited, "-", input=t["edited"].encode() + b" again").done()
        home.owner("profile", "fact", "archive", add_fact(home, "habit", "x", t["archived"])).done()
        add_fact(home, "health", "x", t["private"])
        self.assistant = a = connected(home, name="m", shared=[self.fact, self.edited])
        self.asks()
        self.proposes()
        a.refresh()
        self.marks = {k: v.encode() for k, v in t.items()}
        self.marks["pages password"] = PAGES_PASSWORD.encode()
        # The words before and behind the prefix, and what they stand for.
        self.marks |= {f"token {i}": token[4:].encode() for i, token in enumerate(a.tokens)}
        self.scanner = Scanner(self.marks)

    def asks(self):
        t, m = self.t, self.assistant.mcp()
        equal(len(m.good("get_user_context")["facts"]), 2, "facts that the assistant sees")
        m.good("search_user_context", query=t["value"])

    def proposes(self):
        home, t, m = self.home, self.t, self.assistant.mcp()
        for key in ("proposed", "dismissed"):
            m.good("propose_memory", op="add", category="basic", label="p", value=t[key], evidence=t["proposed evidence"])
        for p in home.owner("profile", "proposal", "list").given()["proposals"]:
            home.owner("profile", "proposal", "dismiss" if p["value"] == t["dismissed"] else "confirm", p["id"],
                       *([] if p["value"] == t["dismissed"] else ["--yes"])).done()

    def failures(self):
        """What fails with such a text in it, and what it said."""
        home, t = self.home, self.t
        wrong = Assistant(home.origin)
        out = [home.owner("profile", "fact", "add", "-", "--category", "basic", "--label", "x", input=t["wrong"].encode() * 30),
               home.owner("profile", "fact", "add", "-", "--category", "basic", "--label", "x", input=b"\xff" + t["wrong"].encode()),
               home.owner("profile", "fact", "edit", self.fact, "-", "--base", 99, input=t["wrong"].encode()),
               home.owner("profile", "passwd", answers=[("password: ", t["wrong"]), ("password: ", t["value"])])]
        check(all(r.code != 0 for r in out), f"{[r for r in out if r.code == 0]}")
        said = [(" ".join(r.argv[4:7]), r.err + r.out + r.screen) for r in out]
        m = self.assistant.mcp()
        for arguments in ({"op": "add", "category": "basic", "label": "x", "value": t["wrong"] * 20},
                          {"op": "add", "category": "basic", "label": "x", "value": "password: " + t["wrong"]},
                          {"op": "add", "category": t["wrong"], "label": "x", "value": "x"}):
            r = m.call("propose_memory", **arguments)
            check(r.get("isError"), f"no error: {r}")
            said.append(("propose_memory", str(r).encode()))
        wrong.access = "mat_" + t["wrong"] + "0123456789012"
        said.append(("a wrong token", wrong.mcp().post(m.request("tools/list")).body))
        return said


def files(folder):
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as f:
                    # Of the log's segment most is room that nothing was written to yet.
                    yield path, f.read().rstrip(b"\0")


@case
def no_fact_password_or_token_is_in_a_file_of_the_home():
    m = Marked()
    n = 0
    for running in (True, False):
        for path, data in files(m.home.path):
            n += len(data)
            m.scanner.check(data, path)
            check(b"$argon2id$" not in data, f"a verifier in clear in {path}")
        if running:
            m.home.stop()
    check(n > 1 << 18, "too few bytes: the case tests nothing")


@case
def no_fact_password_or_token_is_in_what_the_daemon_and_failing_commands_print():
    m = Marked()
    for what, said in m.failures():
        m.scanner.check(said, f"what `{what}` printed")
    m.home.owner("lock").done()
    m.home.restart("--trace")
    for path in (m.home.out, m.home.log):
        with open(path, "rb") as f:
            data = f.read()
        m.scanner.check(data, path)
    check(len(data) > 10000, "no trace was written: the case tests nothing")


@case
def nothing_is_left_in_a_temporary_folder():
    m = Marked()
    tmp = m.home.side("tmp")
    os.mkdir(tmp, 0o700)
    env = {"TMPDIR": tmp}
    m.home.owner("profile", "fact", "add", "-", "--category", "basic", "--label", "x", input=m.t["value"].encode(), env=env).done()
    m.home.owner("profile", "fact", "list", env=env).done()
    m.home.owner("profile", "connection", "show", m.assistant.connection, env=env).done()
    equal(os.listdir(tmp), [], "files in TMPDIR")


@case
def no_value_password_or_token_is_in_an_argument_or_environment():
    m = Marked()
    found, seen, over = [], set(), threading.Event()
    # A label and evidence are given as options; the value of a fact never is.
    scanner = Scanner({k: v for k, v in m.marks.items() if "label" not in k and "evidence" not in k})

    def watch():
        while not over.is_set():
            for pid in filter(str.isdigit, os.listdir("/proc")):
                for name in ("cmdline", "environ"):
                    try:
                        with open(f"/proc/{pid}/{name}", "rb") as f:
                            data = f.read()
                    except OSError:
                        continue
                    seen.add(int(pid))
                    if int(pid) != os.getpid() and scanner.find(data):
                        found.append((scanner.find(data), cmdline(pid)[:4]))
    t = threading.Thread(target=watch)
    t.start()
    try:
        for _ in range(3):
            add_fact(m.home, "basic", "x", m.t["value"])
            m.home.owner("profile", "fact", "edit", m.fact, "-", input=m.t["value"].encode()).done()
            m.home.owner("profile", "passwd", answers=[("password: ", PAGES_PASSWORD), ("password: ", PAGES_PASSWORD)]).done()
            m.home.owner("profile", "fact", "list").done()
    finally:
        over.set()
        t.join()
    equal(found, [], "in arguments or environments")
    check(seen >= {m.home.daemon.pid, *m.home.processes()}, "the daemon's processes were not looked at")


def check_memory(m, may):
    """may: the marks that a process may hold, by its name."""
    for pid, name in {m.home.daemon.pid: "supervisor", **m.home.processes()}.items():
        found, n = scan_memory(pid, Scanner({k: v for k, v in m.marks.items() if k not in may.get(name, ())}))
        check(n > 500000, f"only {n} bytes of {name} could be read")
        check(not found, f"in the memory of {name}: {found}")


@process_only
def facts_are_in_the_memory_of_the_profile_alone_and_after_a_lock_in_none():
    needs_root()
    m = Marked()
    m.failures()
    m.asks()
    texts = [k for k in m.marks if "token" not in k and k not in ("pages password", "wrong")]
    check(scan_memory(m.home.process("profile"), m.scanner)[0], "the profile holds no fact: the case tests nothing")
    check_memory(m, {"profile": texts})
    m.home.owner("lock").done()
    check_memory(m, {})


@process_only
def no_process_of_the_profile_leaves_a_core_file():
    m = Marked()
    check({"profile", "http"} <= set(PROCESSES), "their names")
    for name in ("profile", "http"):
        with open(f"/proc/{m.home.process(name)}/limits", encoding="ascii") as f:
            (line,) = (x for x in f if x.startswith("Max core file size"))
        equal(line.split()[4:6], ["0", "0"], f"core files of {name}")


main()
