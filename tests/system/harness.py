"""Drives the real `memories` the way its owner and its clients do: the owner's
commands through a pty, clients' commands with no terminal at all.

    MEMORIES_BIN             the program under test (required)
    MEMORIES_DAEMON_OPTIONS  options for every daemon, for example --one-process

A test file marks its cases with @case and ends with `main()`. Nothing here
waits for time to pass: everything polls for a condition until a deadline.
"""
import atexit
import base64
import contextlib
import json as json_module
import os
import pty
import re
import resource
import selectors
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.abspath(os.environ.get("MEMORIES_BIN", os.path.join(TREE, "build", "bin", "memories")))
DAEMON_OPTIONS = shlex.split(os.environ.get("MEMORIES_DAEMON_OPTIONS", ""))
ONE_PROCESS = "--one-process" in DAEMON_OPTIONS
PROCESSES = ["core"] if ONE_PROCESS else ["audit", "core", "http", "keyring", "profile", "search"]

PASSWORD = "correct horse 电池 staple"
NO_ID = "01890000-0000-7000-8000-000000000000"
CASE_SECONDS = int(os.environ.get("FAULTS_CASE_SECONDS", 120))

# How long to wait for what must come but has no time in the contract: a slow machine is no failure.
PATIENCE_S = 30

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")

# product.md, section 1: the codes whose exit code the contract itself names.
EXIT_OF = {
    **dict.fromkeys(["usage", "invalid_argument"], 2),
    "daemon_not_running": 69,
    **dict.fromkeys(["audit_unavailable", "audit_full", "audit_tampered", "audit_timeout", "audit_diverged",
                     "storage_full", "storage_failed", "storage_corrupt", "lock_not_durable"], 74),
    **dict.fromkeys(["locked", "sudo_required", "terminal_required", "wrong_password", "throttled",
                     "password_mismatch", "not_confirmed", "banned", "unattended_not_loaded", "not_enabled",
                     "already_enabled", "center_managed", "device_removed", "invalid_grant", "wrong_library",
                     "vault_not_granted", "custody_locked", "custody_unavailable", "custody_unsafe",
                     "custody_missing", "custody_invalid", "custody_binding", "daemon_untrusted", "not_owner"], 77),
}


class Failed(Exception):
    """The program did not do what the contract says."""


class Skip(Exception):
    """This machine cannot run the case; the text says why."""


def check(condition, what):
    if not condition:
        raise Failed(what)


def equal(got, wanted, what):
    check(got == wanted, f"{what}: got {got!r:.300}, wanted {wanted!r:.300}")


def within(seconds, condition, what):
    """Polls until condition() is true, and gives what it gave."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        check(time.monotonic() < end, f"not within {seconds} s: {what}")
        time.sleep(0.004)


class Result:
    """How a command ended."""

    def __init__(self, argv, code, out, err, screen=b""):
        self.argv, self.code, self.out, self.err, self.screen = argv, code, out, err, screen

    def __repr__(self):
        words = " ".join(self.argv[1:])
        return f"`{words:.160}` ended with {self.code}, stdout {self.out[:200]!r}, stderr {self.err[:300]!r}"

    @property
    def error(self):
        """The code on stderr, or None."""
        found = re.match(rb"memories: ([a-z0-9_]+): \S", self.err)
        return found.group(1).decode() if found else None

    @property
    def json(self):
        text = self.out.decode()
        check(text.endswith("\n") and text.count("\n") == 1, f"not one line of JSON: {self}")
        return json_module.loads(text)

    def done(self):
        check(self.code == 0, f"not done: {self}")
        return self

    def given(self):
        """The JSON of a command that ended well."""
        return self.done().json

    def refused(self, code, exit_code=None, json=True):
        """Checks a refusal on stderr, its exit code, and the error's JSON form."""
        equal(self.error, code, f"error code of {self}")
        equal(self.code, EXIT_OF.get(code, 1) if exit_code is None else exit_code, f"exit code of {self}")
        lines = self.err.decode().splitlines()
        if code != "usage":
            check(len(lines) == 1, f"more than one line on stderr: {self}")
        if json:
            value = self.json
            equal(list(value), ["error"], f"members of {self}")
            equal(set(value["error"]), {"code", "message"}, f"members of the error of {self}")
            equal(value["error"]["code"], code, f"code in the JSON of {self}")
            check(value["error"]["message"] in lines[0], f"stderr and JSON differ: {self}")
        else:
            equal(self.out, b"", f"stdout of {self}")
        return self


_state = []


def state_dir():
    """Where the programs of this run remember checkpoints: never the real user's place."""
    if not _state:
        _state.append(os.path.join(os.path.realpath(os.environ.get("TMPDIR") or "/tmp"), f"memories-state-{os.getpid()}"))
        os.makedirs(_state[0], 0o700, exist_ok=True)
        atexit.register(remove, _state[0])
    return _state[0]


def environment(extra=None):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith("MEMORIES_") and k not in ("NOTIFY_SOCKET", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    env["MEMORIES_TEST_KDF"] = "1"
    env["XDG_STATE_HOME"] = state_dir()
    for key, value in (extra or {}).items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = value
    return env


def program(*args, input=None, env=None, timeout=30, cwd="/", **more):
    """Runs `memories` with no terminal: in a session of its own."""
    argv = [BIN, *map(str, args)]
    p = subprocess.Popen(argv, stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(env), cwd=cwd,
                         start_new_session=True, **more)
    try:
        out, err = p.communicate(input, timeout)
    except subprocess.TimeoutExpired:
        p.kill()
        p.communicate()
        raise Failed(f"`{' '.join(argv[1:])}` did not end within {timeout} s") from None
    return Result(argv, p.returncode, out, err)


# What stands for each argument that a command cannot do without; an id for all others.
_ARGUMENTS = {"NAME": "x", "QUERY": "x", "FILE|-": "-", "OUT": "/nonexistent/out", "INDEX": "0", "OLD": "1", "NEW": "1",
              "NONE|center": "center", "on|off": "on"}
_OPTIONS = {"asset add": ["--kind", "memory"], "asset resolve": ["--pick", NO_ID],
            "unattended enable": ["--backend", "owner-file"],
            "unattended mint": ["--vault", NO_ID, "--client-file", "/nonexistent/c"],
            "profile share": ["--connection", NO_ID], "profile unshare": ["--connection", NO_ID],
            "profile connection reduce": ["--category", "basic"],
            "grant mint": ["--vault", NO_ID, "--grant-file", "/nonexistent/g"], "mcp serve": ["--grant-file", "/nonexistent/g"],
            **dict.fromkeys(["unattended list", "unattended history", "unattended read", "unattended credential-bytes",
                             "mcp serve-unattended"], ["--client-file", "/nonexistent/c"])}


def commands():
    """Every command that `--help` lists, as it can be called: a dict of its words to its argv."""
    out = {}
    for line in program("--help").done().out.decode().splitlines():
        if not line.startswith("  "):
            continue
        words = re.split(" {2,}", line.strip())[0].split()
        n = next((i for i, w in enumerate(words) if w != w.lower() or w[0] == "[" or "|" in w), len(words))
        needed = [w for w in words[n:] if w.upper() == w or "|" in w]
        arguments = [_ARGUMENTS.get(w, NO_ID) for w in needed if w[0] != "["]
        name = " ".join(words[:n])
        out[name] = [*words[:n], *arguments, *_OPTIONS.get(name, [])]
    return out


class Terminal:
    """One terminal with one session, which runs several commands, one at a time."""

    def __init__(self, home=None):
        self.home = home
        self.master, self.slave = pty.openpty()
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.leader = subprocess.Popen(
            [sys.executable, "-SE", os.path.join(HERE, "session_leader.py"), str(theirs.fileno()),
             os.ttyname(self.slave)],
            pass_fds=[theirs.fileno()], start_new_session=True, stdin=subprocess.DEVNULL)
        theirs.close()
        os.set_blocking(self.master, False)
        self.pid = None
        at_end(self.close)

    def close(self):
        if self.control is None:
            return
        if self.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self.control.close()
        self.control = None
        self.leader.kill()
        self.leader.wait()
        os.close(self.master)
        os.close(self.slave)

    def command(self, *argv, answers=(), input=None, env=None, timeout=30, cwd="/", signal_at=None):
        """
        Runs any program. answers: (prompt, text) in their order; a text that is
        an int is a signal for the command instead. Every prompt must come.
        """
        argv = [str(a) for a in argv]
        out_r, out_w = os.pipe()
        err_r, err_w = os.pipe()
        if input is None:
            stdin = os.open("/dev/null", os.O_RDONLY)
        else:
            stdin = os.memfd_create("input")
            os.write(stdin, input)
            os.lseek(stdin, 0, os.SEEK_SET)
        job = json_module.dumps({"argv": argv, "env": environment(env), "cwd": cwd})
        socket.send_fds(self.control, [job.encode()], [stdin, out_w, err_w])
        for fd in (stdin, out_w, err_w):
            os.close(fd)
        try:
            return self._watch(argv, out_r, err_r, list(answers), timeout)
        finally:
            os.close(out_r)
            os.close(err_r)

    def _watch(self, argv, out_r, err_r, answers, timeout):
        got = {out_r: b"", err_r: b"", self.master: b""}
        seen, code, end = 0, None, time.monotonic() + timeout
        with selectors.DefaultSelector() as s:
            for fd in (*got, self.control.fileno()):
                s.register(fd, selectors.EVENT_READ)
            while code is None or len(s.get_map()) > 2:
                if time.monotonic() > end:
                    self._give_up(argv, got[self.master], answers, timeout)
                for key, _ in s.select(0.2):
                    if key.fd == self.control.fileno():
                        said = json_module.loads(self.control.recv(1000))
                        self.pid, code = said.get("pid"), said.get("code")
                        continue
                    chunk = os.read(key.fd, 65536)
                    got[key.fd] += chunk
                    if not chunk:
                        s.unregister(key.fd)
                # Its prompt may be seen before the leader has said its id, which a signal needs.
                while answers and self.pid is not None and (at := got[self.master].find(answers[0][0].encode(), seen)) >= 0:
                    seen = at + len(answers[0][0].encode())
                    self._answer(answers.pop(0)[1])
        with contextlib.suppress(BlockingIOError):
            got[self.master] += os.read(self.master, 65536)
        result = Result(argv, code, got[out_r], got[err_r], got[self.master])
        check(not answers, f"did not ask {[a[0] for a in answers]}: {result}")
        return result

    def _answer(self, text):
        if isinstance(text, int):
            os.kill(self.pid, text)
        else:
            os.write(self.master, text.encode() + b"\n")

    def _give_up(self, argv, screen, answers, timeout):
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
        self.close()
        raise Failed(f"`{' '.join(argv[1:])}` did not end within {timeout} s; on its screen {screen[-300:]!r}, "
                     f"not yet asked {[a[0] for a in answers]}")

    def run(self, *args, json=True, **more):
        """Runs `memories` on the home."""
        words = ["--home", self.home.path] if self.home is not None else []
        return self.command(BIN, *words, *(["--json"] if json else []), *args, **more)

    def unlock(self, password=PASSWORD):
        return self.run("unlock", answers=[("Password: ", password)])

    def unlock_soon(self):
        """After a start or a fault, when parts of the daemon may still be coming."""
        def unlocked():
            with contextlib.suppress(Failed):
                return self.unlock().code == 0
        within(PATIENCE_S, unlocked, "unlock")

    def sudo(self, password=PASSWORD):
        return self.run("sudo", answers=[("Sudo password: ", password)])

    def enable(self, backend="owner-file", more=(), word="ENABLE"):
        """more: the prompts after the word, each with its answer."""
        return self.run("unattended", "enable", "--backend", backend,
                        answers=[("Type ENABLE to go on: ", word), *more])


def cmdline(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().split(b"\0")
    except OSError:
        return [b""]


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as f:
            after_name = f.read().rpartition(b")")[2].split()
        return 0 if after_name[0] in b"ZX" else int(after_name[1])
    except OSError:
        return 0


def alive(pid):
    """Also of one whose first thread has ended before the others: its files are still open."""
    if parent_of(pid) != 0:
        return True
    try:
        return len(os.listdir(f"/proc/{pid}/task")) > 1
    except OSError:
        return False


class Home:
    """A home in a private folder of its own, its daemon, and its owner's terminal."""

    all = []

    def __init__(self, *below, home="home"):
        """below: folders between the private one and the home."""
        self.dir = temp_dir()
        self.path = os.path.join(self.dir, *below, home)
        os.makedirs(os.path.dirname(self.path), 0o700, exist_ok=True)
        self.daemon = self.pids = None
        self.out, self.log = os.path.join(self.dir, "daemon.out"), os.path.join(self.dir, "daemon.err")
        self.clients = os.path.join(self.dir, "clients")
        os.mkdir(self.clients, 0o700)
        self._terminal = None
        at_end(self.close)
        Home.all.append(self)

    def file(self, *names):
        return os.path.join(self.path, *names)

    def side(self, name, content=None):
        """A file beside the home."""
        path = os.path.join(self.dir, name)
        if content is not None:
            with open(path, "wb") as f:
                f.write(content if isinstance(content, bytes) else content.encode())
        return path

    # Commands

    def cli(self, *args, json=True, **more):
        return program("--home", self.path, *(["--json"] if json else []), *args, **more)

    @property
    def terminal(self):
        """The owner's terminal."""
        if self._terminal is None or self._terminal.control is None:
            self._terminal = Terminal(self)
        return self._terminal

    def owner(self, *args, **more):
        return self.terminal.run(*args, **more)

    def init(self, password=PASSWORD):
        return self.owner("init", answers=[("Password: ", password), ("Repeat password: ", password)])

    def status(self):
        return self.cli("status").given()

    def unattended_status(self):
        return self.owner("unattended", "status").given()

    def vault(self, name):
        return self.owner("vault", "create", name).given()["vault"]

    def add(self, vault, kind, content, *options):
        content = content if isinstance(content, bytes) else content.encode()
        return self.owner("asset", "add", vault, "-", "--kind", kind, *options, input=content).given()

    def mint(self, *vaults, name=None, terminal=None, options=()):
        """Gives the grant's id and its client file."""
        path = os.path.join(self.clients, name or f"client-{len(os.listdir(self.clients))}")
        words = [word for v in vaults for word in ("--vault", v)]
        made = (terminal or self.terminal).run("unattended", "mint", *words, "--client-file", path, *options).given()
        return made["grant"], path

    def mint_ordinary(self, *vaults, options=()):
        """The same of an ordinary grant and its grant file."""
        path = os.path.join(self.clients, f"grant-{len(os.listdir(self.clients))}")
        words = [word for v in vaults for word in ("--vault", v)]
        made = self.owner("grant", "mint", *words, "--grant-file", path, *options).given()
        return made["grant"], path

    def read(self, client, command, *args, **more):
        """One of the four unattended reads, with no terminal."""
        return program("--home", self.path, "unattended", command, *args, "--client-file", client, **more)

    def whole(self, client, command, vault, asset, *options):
        """All bytes of an asset, page by page with the revision pinned, and the answers."""
        answers, offset, pin = [], 0, []
        while offset is not None:
            a = self.read(client, command, vault, asset, "--offset", offset, *pin, *options).given()
            answers.append(a)
            pin, offset = ["--revision", a["revision"]], a["next"]
        return b"".join(data_of(a) for a in answers), answers

    def records(self):
        """Every record of the log, through `audit show`."""
        out, offset = [], 0
        while offset is not None:
            page = self.owner("audit", "show", "--offset", offset, "--limit", 1000).given()
            out += page["records"]
            offset = page["next"]
        return out

    def settle(self):
        """Waits until the search index of an unlocked library is built: then each vault's record stands in the log."""
        def settled():
            r = self.cli("status")
            s = r.json if r.code == 0 else None
            return s is None or not s["unlocked"] or s["audit"]["state"] != "ok" or s["search"]["state"] == "ready"
        within(PATIENCE_S, settled, "the search index is built")

    def verify(self, *options):
        """Of a log that nothing is added to by itself."""
        self.settle()
        return self.cli("audit", "verify", *options)

    # The daemon

    def spawn(self, *options, env=None, **more):
        """Starts a daemon and does not wait for it."""
        argv = [BIN, "--home", self.path, "daemon", "--test-kdf", *DAEMON_OPTIONS, *options]
        with open(self.out, "ab") as out, open(self.log, "ab") as log:
            self.daemon = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=log, cwd="/",
                                           env=environment({"MEMORIES_TEST_KDF": None, **(env or {})}),
                                           start_new_session=True, **more)
        return self.daemon

    def start(self, *options, **more):
        before = os.path.getsize(self.out) if os.path.exists(self.out) else 0
        self.spawn(*options, **more)

        def ready():
            check(self.daemon.poll() is None, f"the daemon ended with {self.daemon.returncode}: {self.tail()}")
            with open(self.out, "rb") as f:
                f.seek(before)
                return f.read() == b"ready\n"
        within(20, ready, f"ready of the daemon: {self.tail()}")
        self.pids = {name: self.process(name) for name in PROCESSES}
        return self

    def processes(self):
        """{pid: name} of the daemon's processes but the supervisor."""
        me = self.daemon.pid
        return {int(p): cmdline(p)[0].decode().removeprefix("memories-")
                for p in os.listdir("/proc") if p.isdigit() and parent_of(p) == me}

    def process(self, name):
        """The pid of a process of the daemon, once it has its name."""
        def found():
            return [p for p, n in self.processes().items() if n == name]
        return within(10, found, f"a process {name}")[0]

    def stop(self, number=signal.SIGTERM):
        """Stops the daemon, and checks that it ends well and whole."""
        pids = list(self.processes())
        self.daemon.send_signal(number)
        try:
            code = self.daemon.wait(15)
        except subprocess.TimeoutExpired:
            raise Failed(f"the daemon did not stop: {self.tail()}") from None
        equal(code, 0, f"exit code of the daemon; {self.tail()}")
        within(PATIENCE_S, lambda: not any(map(alive, pids)), "end of all processes")
        self.daemon = None

    def restart(self, *options):
        self.stop()
        return self.start(*options)

    def kill(self):
        """kill -9 of the supervisor, and all that follow it."""
        pids = list(self.processes())
        self.daemon.kill()
        self.daemon.wait()
        within(PATIENCE_S, lambda: not any(map(alive, pids)), "end of the processes of a killed supervisor")
        self.daemon = None

    def tail(self):
        """The end of what the daemon wrote besides its trace."""
        try:
            with open(self.log, "rb") as f:
                lines = [x for x in f.read().decode(errors="replace").splitlines() if not re.match(r"\d+ ", x)]
            return " | ".join(lines[-6:])
        except OSError:
            return ""

    def trace(self):
        with open(self.log) as f:
            return [x for x in f.read().splitlines() if re.match(r"\d+ ", x)]

    def close(self):
        if self.daemon is not None:
            pids = list(self.processes())
            self.daemon.kill()
            self.daemon.wait()
            for p in pids:
                with contextlib.suppress(ProcessLookupError):
                    if parent_of(p) == 1:
                        os.kill(p, signal.SIGKILL)
            within(PATIENCE_S, lambda: not any(map(alive, pids)), "end of the processes")
            self.daemon = None
        if self._terminal is not None:
            self._terminal.close()


BODY = "buy oat milk, 牛奶 and 🥛"
CARD = {"title": "Bank", "fields": [{"name": "Branch", "value": "Ottawa", "protected": False}], "tags": ["money"]}
SECRET = "p4ss\u00a0w\u00f6rd \u94a5\u5319 !"
FILE = bytes(range(256)) * 800  # 200 KiB, four chunks


def library(*options, unattended=True):
    """An unlocked library with a running daemon; with unattended access, a vault and a grant."""
    home = Home()
    home.init().done()
    home.start(*options)
    home.terminal.unlock().done()
    if unattended:
        home.terminal.enable(more=[("Sudo password: ", PASSWORD)]).done()
        home.main = home.vault("main")
    return home


def furnished(*options):
    """A library with one asset of each kind in one vault, another vault, and a grant for the first."""
    home = library(*options)
    home.other = home.vault("other")
    home.memory = home.add(home.main, "memory", BODY, "--title", "Shopping", "--tag", "food")
    home.private = home.add(home.main, "memory", "my diary", "--title", "Diary", "--private")
    home.card = home.add(home.main, "card", json_module.dumps(CARD))
    home.secret = home.add(home.main, "credential", SECRET + "\n", "--title", "Bank login")
    home.big = home.add(home.main, "file", FILE, "--title", "photo.raw", "--media-type", "image/x-raw")
    home.apart = home.add(home.other, "memory", "in the other vault", "--title", "Apart")
    home.grant, home.client = home.mint(home.main)
    return home


def data_of(answer):
    text = answer["data"]
    check(re.fullmatch(r"[A-Za-z0-9_-]*", text), f"not base64url without padding: {text:.60}")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# Types, for the shapes of answers

def shape(value, wanted, at="answer"):
    """
    Checks a JSON value against a pattern: a dict has exactly these members, a
    list is of the one pattern in it, a pattern or type or function must fit,
    a tuple holds alternatives, anything else is equal. With the member
    `...: True` a dict may have more members than these.
    """
    if isinstance(wanted, tuple):
        for one in wanted:
            with contextlib.suppress(Failed):
                return shape(value, one, at)
        raise Failed(f"{at} is {value!r:.200}")
    if isinstance(wanted, dict):
        check(isinstance(value, dict), f"{at} is no object: {value!r:.200}")
        members = {k: v for k, v in wanted.items() if k is not ...}
        equal(sorted(k for k in value if k in members or ... not in wanted), sorted(members), f"members of {at}")
        for k in members:
            shape(value[k], members[k], f"{at}.{k}")
    elif isinstance(wanted, list):
        check(isinstance(value, list), f"{at} is no array: {value!r:.200}")
        for i, v in enumerate(value):
            shape(v, wanted[0], f"{at}[{i}]")
    elif isinstance(wanted, re.Pattern):
        check(isinstance(value, str) and wanted.fullmatch(value), f"{at} is {value!r:.200}")
    elif isinstance(wanted, type):
        check(type(value) is wanted, f"{at} is {value!r:.200}")
    else:
        equal(value, wanted, at)


AUDIT = {"index": int, "log": re.compile(r"memories/[0-9a-f-]{36}")}
HEX_ROOT = re.compile(r"[0-9a-f]{64}")


# What must be undone, last first

_undo = []


def at_end(action):
    _undo.append(action)


def undo(down_to=0):
    while len(_undo) > down_to:
        try:
            _undo.pop()()
        except Exception:  # the rest must be undone all the same
            traceback.print_exc()


def remove(path):
    shutil.rmtree(path, ignore_errors=True)
    if os.path.lexists(path):
        for folder, _, _ in os.walk(path):
            with contextlib.suppress(OSError):
                os.chmod(folder, 0o700)
        shutil.rmtree(path, ignore_errors=True)


def temp_dir():
    """A private folder, under a path of no links."""
    base = os.path.realpath(os.environ.get("TMPDIR") or "/tmp")
    path = tempfile.mkdtemp(prefix="memories-system-", dir=base)
    at_end(lambda: remove(path))
    return path


atexit.register(undo)


# Cases

_cases = []


def case(function):
    _cases.append(function)
    return function


def process_only(function):
    """A case about the processes of the default placement."""
    def run():
        if ONE_PROCESS:
            raise Skip("all actors in one process")
        function()
    run.__name__ = function.__name__
    return case(run)


def needs_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


_shared = {}


def shared(make):
    """One home for all cases of a file that leave it as it was."""
    if make not in _shared:
        depth = len(_undo)
        _shared[make] = make()
        _keep.extend(_undo[depth:])
        del _undo[depth:]
    return _shared[make]


_keep = []


def _on_alarm(number, frame):
    raise Failed(f"the case took longer than {CASE_SECONDS} s")


def _where(error):
    frames = [f for f in traceback.extract_tb(error.__traceback__) if os.path.basename(f.filename) != "harness.py"]
    return f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "?"


def _said_by_daemons():
    """The last words of every daemon of this run, without its trace."""
    for home in Home.all:
        with contextlib.suppress(OSError), open(home.log, errors="replace") as log:
            for line in [line for line in log if line.startswith("memories:")][-5:]:
                print(f"        {home.path}: {line.rstrip()}", flush=True)


def main():
    """Runs the file's cases: all, or those whose name contains an argument."""
    signal.signal(signal.SIGALRM, _on_alarm)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    if not os.access(BIN, os.X_OK):
        sys.exit(f"MEMORIES_BIN names no program: {BIN}")
    count = {"ok": 0, "FAILED": 0, "skipped": 0}
    for function in _cases:
        if len(sys.argv) > 1 and not any(w in function.__name__ for w in sys.argv[1:]):
            continue
        began, what, verdict = time.monotonic(), "", "ok"
        signal.alarm(CASE_SECONDS)
        try:
            function()
        except Skip as e:
            verdict, what = "skipped", f": {e}"
        except Exception as e:
            text = str(e) if isinstance(e, Failed) else f"{type(e).__name__}: {e}"
            verdict, what = "FAILED", f": {text} ({_where(e)})"
            _said_by_daemons()
        signal.alarm(0)
        undo()
        count[verdict] += 1
        print(f"{verdict:8}{function.__name__.replace('_', ' ')} [{time.monotonic() - began:.1f} s]{what}", flush=True)
    _undo.extend(_keep)
    undo()
    print(f"{count['ok']} passed, {count['FAILED']} failed, {count['skipped']} skipped")
    sys.exit(1 if count["FAILED"] else 0)
