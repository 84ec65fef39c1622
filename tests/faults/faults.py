"""What the scripts of this folder share: a home whose processes run under the
preloaded shim, the page by which calls are made to go wrong, and the recording.

    MEMORIES_BIN     the program under test
    FAULTS_SHIM      the shim; beside the program unless set
"""
import mmap
import os
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "system"))
from harness import BIN, Home, Terminal, check  # noqa: E402

SHIM = os.environ.get("FAULTS_SHIM", os.path.join(os.path.dirname(BIN), "libfaults_shim.so"))
REPLAY = os.path.join(os.path.dirname(BIN), "faults_replay")
STORE = os.path.join(os.path.dirname(BIN), "faults_store")
REMOTE = os.path.join(os.path.dirname(BIN), "faults_remote")

# As in shim_plan.h.
PROCESS = {"audit": 0, "core": 1, "keyring": 2, "supervisor": 3, "client": 4, "profile": 5, "http": 6}
CALL = {"write": 0, "sync": 1, "open": 2, "rename": 3, "unlink": 4, "mkdir": 5, "fallocate": 6, "truncate": 7,
        "read": 8, "mmap": 9, "malloc": 10, "send": 11, "receive": 12}
ACTION = {"error": 0, "short": 1, "kill": 2, "late": 3}
ARMED, PROCESSES, CALLS, DO, ERROR, FROM, LEFT, HITS, SYNC_US, ROOM_ON, ROOM, COUNTS = (
    0, 4, 8, 12, 16, 20, 24, 32, 36, 40, 48, 56)
PLAN_BYTES = COUNTS + 8 * len(PROCESS) * len(CALL)


class Plan:
    """The page of shim_plan.h."""

    def __init__(self, path):
        self.path = path
        with open(path, "w+b") as f:
            f.truncate(PLAN_BYTES)
            self.page = mmap.mmap(f.fileno(), PLAN_BYTES)

    def _put(self, at, form, value):
        struct.pack_into(form, self.page, at, value)

    def _get(self, at, form):
        return struct.unpack_from(form, self.page, at)[0]

    def arm(self, processes, calls, n=1, action="error", error=0, from_then=False):
        """From now on the n-th such call goes wrong, or all from the n-th on."""
        self.disarm()
        self._put(PROCESSES, "I", sum(1 << PROCESS[p] for p in processes))
        self._put(CALLS, "I", sum(1 << CALL[c] for c in calls))
        self._put(DO, "I", ACTION[action])
        self._put(ERROR, "I", error)
        self._put(FROM, "I", int(from_then))
        self._put(LEFT, "q", n - 1)
        self._put(HITS, "I", 0)
        self._put(ARMED, "I", 1)

    def disarm(self):
        """Gives how many calls went wrong."""
        self._put(ARMED, "I", 0)
        self._put(ROOM_ON, "Q", 0)
        return self.hits

    @property
    def hits(self):
        return self._get(HITS, "I")

    def room(self, n_bytes):
        """The home may grow by so many bytes, then its disk is full."""
        self._put(ROOM, "q", n_bytes)
        self._put(ROOM_ON, "Q", 1)

    def slow_syncs(self, us):
        self._put(SYNC_US, "I", us)

    def count(self, process, *calls):
        """How many such calls there have been."""
        row = COUNTS + 8 * len(CALL) * PROCESS[process]
        return sum(self._get(row + 8 * CALL[c], "Q") for c in calls)


class Recording:
    """The file of shim_record.h."""

    HEAD = struct.Struct("=IBBHHHIQII")
    MAGIC, OUT, MARK = 0x46415631, 11, 12

    def __init__(self, path):
        self.path = path
        self.file = open(path, "ab", buffering=0)

    def mark(self, text):
        data = text.encode()
        self.file.write(self.HEAD.pack(self.MAGIC, self.MARK, PROCESS["client"], 0, 0, 0, len(data), 0, os.getpid(), 0) + data)

    def events(self):
        """(type, path, data of output and marks) of each event."""
        with open(self.path, "rb") as f:
            b = f.read()
        out, at = [], 0
        while at < len(b):
            magic, kind, _, path_len, path2_len, _, data_len, _, _, _ = self.HEAD.unpack_from(b, at)
            check(magic == self.MAGIC, f"the recording is broken at {at}")
            path = at + self.HEAD.size
            data = path + path_len + path2_len
            out.append((kind, b[path:path + path_len].decode(), b[data:data + data_len] if kind in (self.OUT, self.MARK) else b""))
            at = data + data_len
        return out


class ShimTerminal(Terminal):
    def command(self, *argv, env=None, **more):
        return super().command(*argv, env={**self.home.shim, **(env or {})}, **more)


class FaultHome(Home):
    """A home whose daemon, and whose commands when `clients`, run under the shim."""

    def __init__(self, *below, clients=False, record=False):
        super().__init__(*below)
        check(os.path.exists(SHIM), f"no shim at {SHIM}")
        self.path = os.path.realpath(os.path.dirname(self.path)) + "/" + os.path.basename(self.path)
        self.plan = Plan(self.side("plan"))
        self.under = {"LD_PRELOAD": SHIM, "FAULTS_HOME": self.path, "FAULTS_PLAN": self.plan.path}
        self.recording = None
        if record:
            self.recording = Recording(self.side("recording"))
            self.under["FAULTS_RECORD"] = self.recording.path
        self.shim = self.under if clients else {}

    def cli(self, *args, env=None, **more):
        return super().cli(*args, env={**self.shim, **(env or {})}, **more)

    def read(self, client, command, *args, env=None, **more):
        return super().read(client, command, *args, env={**self.shim, **(env or {})}, **more)

    @property
    def terminal(self):
        if self._terminal is None or self._terminal.control is None:
            self._terminal = ShimTerminal(self)
        return self._terminal

    def spawn(self, *options, env=None, **more):
        return super().spawn(*options, env={**self.under, **(env or {})}, **more)


# Segments and epochs end often, so that what happens then is among what goes wrong.
SMALL_LOG = ("--test-log-segment", "65536", "--test-log-epoch", "32")


def copy_home(source, target):
    """The files of a home whose daemon is stopped."""
    def sockets(folder, names):
        return [n for n in names if not os.path.isdir(os.path.join(folder, n)) and not os.path.isfile(os.path.join(folder, n))]
    shutil.copytree(source, target, ignore=sockets)


def put_back(source, target):
    shutil.rmtree(target, ignore_errors=True)
    copy_home(source, target)
