#!/usr/bin/env python3
"""f: a disk that fills up, block by block, and a file system that turns read-only under the running daemon.

FAULTS_DISK_STEP (5): how many blocks of the last 64 lie between two tries. FAULTS_SEED (1)."""
import ctypes
import errno
import os

from faults import FaultHome
from documented import check_documented
from harness import Skip, at_end, check, main, needs_root, process_only
from worker import Worker, all_go

STEP = int(os.environ.get("FAULTS_DISK_STEP", 5))
SEED = int(os.environ.get("FAULTS_SEED", 1))
BLOCK = 4096

_libc = ctypes.CDLL(None, use_errno=True)


class SmallDisk(FaultHome):
    """A home on a tmpfs of its own."""

    def __init__(self, mib):
        needs_root()
        super().__init__("disk")
        self.disk = os.path.dirname(self.path)
        if _libc.mount(b"none", self.disk.encode(), b"tmpfs", 0, f"size={mib}m,mode=0700".encode()) != 0:
            raise Skip(f"cannot mount: {os.strerror(ctypes.get_errno())}")
        at_end(lambda: _libc.umount2(self.disk.encode(), 2))
        at_end(self.close)

    def fill(self, but):
        """Leaves so many blocks."""
        fd = os.open(os.path.join(self.disk, "filler"), os.O_WRONLY | os.O_CREAT, 0o600)
        s = os.fstatvfs(fd)
        os.posix_fallocate(fd, 0, max(1, s.f_bavail - but) * s.f_frsize)
        os.close(fd)

    def free(self):
        os.unlink(os.path.join(self.disk, "filler"))


def _operations(w, name, size):
    w.add(b"canary of a disk " + name.encode() + b"z" * size)
    w.read()
    w.mint_and_revoke(f"g{name}")
    r = w.home.owner("asset", "add", w.home.main, "-", "--kind", "file", input=os.urandom(size))
    check_documented(r)
    if r.code == 0:
        w.content[r.json["asset"]] = w.files[r.json["asset"]] = b""
    else:
        w.doubtful.add(b"")
    w.read()


def _full(w, fill, free, left):
    fill(left)
    try:
        _operations(w, f"b{left}", min(left * BLOCK // 3, 40000))
    finally:
        free()
    w.hits += 1
    check(w.home.daemon.poll() is None, f"the daemon ended: {w.home.tail()}")
    w.back()


def _rounds(w, fill, free):
    w.files = {}
    return [(f"{left} blocks left", lambda left=left: _full(w, fill, free, left)) for left in range(SEED % STEP, 64, STEP)]


@process_only
def a_disk_that_is_filled_block_by_block_loses_and_invents_nothing():
    home = SmallDisk(24)
    w = Worker("tmpfs", SEED, home)
    all_go([w], lambda w: _rounds(w, home.fill, home.free))
    print(f"        {w.hits} fillings, {len(w.answers)} answers", flush=True)


@process_only
def a_disk_with_no_room_after_so_many_bytes_loses_and_invents_nothing():
    w = Worker("room", SEED)
    all_go([w], lambda w: _rounds(w, lambda left: w.home.plan.room(left * BLOCK), w.home.plan.disarm))
    print(f"        {w.hits} fillings, {len(w.answers)} answers", flush=True)


def _read_only(w, name):
    w.home.plan.arm(["audit", "core"], ["write", "open", "rename", "unlink", "mkdir", "fallocate", "truncate"], n=1,
                    error=errno.EROFS, from_then=True)
    try:
        r = w.read()
        check(r.code != 0, f"a read with no record: {r}")
        _operations(w, name, 3000)
        locked = w.home.owner("lock")
        check_documented(locked)
        check(locked.code != 0, f"a lock that nothing holds: {locked}")
    finally:
        w.hits += w.home.plan.disarm() > 0
    w.resume()
    w.back()


@process_only
def a_file_system_that_turns_read_only_stops_reads_and_promises_nothing():
    w = Worker("read-only", SEED)
    w.files = {}
    all_go([w], lambda w: [("read-only", lambda i=i: _read_only(w, f"r{i}")) for i in range(2)])
    check(w.hits == 2, "it did not turn read-only")


if __name__ == "__main__":
    main()
