#!/usr/bin/env python3
"""d: disks that are full, broken or read-only. Needs root: each case mounts a small file system of its own."""
import ctypes
import fcntl
import os
import resource
import struct
import subprocess

from harness import (FILE, PASSWORD, PATIENCE_S, Failed, Home, Skip, at_end, case, check, equal, library, main, needs_root,
                     process_only, within)

FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_IMMUTABLE = 0x80086601, 0x40086602, 0x10
EXT4_IOC_SHUTDOWN = 0x8004587D

_libc = ctypes.CDLL(None, use_errno=True)


def _mount(source, target, kind, options):
    flags = 0
    if _libc.mount(source.encode(), target.encode(), kind.encode(), flags, options.encode()) != 0:
        raise Skip(f"cannot mount {kind}: {os.strerror(ctypes.get_errno())}")
    at_end(lambda: _libc.umount2(target.encode(), 2))


class Disk(Home):
    """A home on a file system of its own."""

    def __init__(self, kind="tmpfs", mib=24):
        needs_root()
        super().__init__("disk")
        self.mountpoint = os.path.dirname(self.path)
        self.kind = kind
        if kind == "tmpfs":
            _mount("none", self.mountpoint, "tmpfs", f"size={mib}m,mode=0700")
        else:
            self.image = self.side("image")
            with open(self.image, "wb") as f:
                f.truncate(mib << 20)
            self._run("mkfs.ext4", "-q", "-F", "-m", "0", self.image)
            self.mount()
        at_end(self.close)  # before the file system goes

    def _run(self, *argv):
        try:
            r = subprocess.run(argv, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        except FileNotFoundError:
            raise Skip(f"no {argv[0]} here") from None
        if r.returncode != 0:
            raise Skip(f"{argv[0]}: {r.stderr.decode()[-150:]}")
        return r.stdout.decode().strip()

    def mount(self):
        self.loop = self._run("losetup", "--find", "--show", self.image)
        loop = self.loop
        at_end(lambda: subprocess.run(["losetup", "-d", loop], capture_output=True))
        _mount(self.loop, self.mountpoint, "ext4", "")
        os.chmod(self.mountpoint, 0o700)
        at_end(self.close)

    def remount(self):
        """Takes the file system down and brings it up again."""
        within(PATIENCE_S, lambda: _libc.umount2(self.mountpoint.encode(), 0) == 0, "umount")
        subprocess.run(["losetup", "-d", self.loop], capture_output=True)
        self.mount()

    def break_down(self):
        """From now on every write of it fails, as on a disk that has died."""
        fd = os.open(self.mountpoint, os.O_RDONLY)
        try:
            fcntl.ioctl(fd, EXT4_IOC_SHUTDOWN, struct.pack("I", 2))
        except OSError as e:
            raise Skip(f"the file system cannot be shut down: {e.strerror}") from None
        finally:
            os.close(fd)

    def fill(self):
        """Leaves no room at all."""
        path = os.path.join(self.mountpoint, "filler")
        fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        for size in (1 << 20, 4096, 1):
            try:
                while True:
                    os.write(fd, b"\xaa" * size)
            except OSError:
                continue
        os.close(fd)
        s = os.statvfs(self.mountpoint)
        check(s.f_bavail * s.f_bsize < 65536, f"{s.f_bavail} blocks are still free")
        return path

    def furnish(self, *options):
        self.init().done()
        # Two spares of the usual length have no room here, and without them nothing new is stored.
        self.start(*(options or ("--test-log-segment", "1048576")))
        self.terminal.unlock().done()
        self.terminal.enable(more=[("Sudo password: ", PASSWORD)]).done()
        self.main = self.vault("main")
        self.memory = self.add(self.main, "memory", "hello")
        self.big = self.add(self.main, "file", FILE)
        self.grant, self.client = self.mint(self.main)
        return self

    def read_big(self):
        return self.read(self.client, "read", self.main, self.big["asset"])


def _spare(home):
    """Waits for the two segments that are made in the background."""
    within(PATIENCE_S, lambda: sum(n.endswith(".seg") for n in os.listdir(home.file("audit", "seg"))) > 2, "two spares")


def _locked(home):
    s = home.status()
    equal((s["unlocked"], s["unattended_loaded"], s["manual_lock"]), (False, False, True), "states")
    r = home.read(home.client, "list", home.main)
    check(r.code == 77 and r.error == "banned" or r.code == 74 and r.error.startswith("audit_"), f"{r}")


# Full

@case
def a_lock_on_a_full_disk_is_durable():
    home = Disk().furnish()
    filler = home.fill()
    home.owner("lock").done()
    _locked(home)
    home.kill()
    os.unlink(filler)
    home.start()
    _locked(home)


@case
def a_lock_on_a_full_disk_is_felt_by_a_start_on_it():
    home = Disk("ext4", 40).furnish()
    home.fill()
    home.owner("lock").done()
    home.kill()
    home.start()
    _locked(home)


@case
def a_revocation_and_a_disable_on_a_full_disk_hold_or_say_that_they_do_not():
    home = Disk().furnish()
    filler = home.fill()
    r = home.owner("unattended", "revoke", home.grant)
    if r.code == 0:
        home.read(home.client, "list", home.main).refused("invalid_grant", 77)
    else:
        check(r.code == 74, f"{r}")
    r = home.owner("unattended", "disable")
    check(r.code in (0, 74), f"{r}")
    if r.code == 0:
        home.read(home.client, "list", home.main).refused("banned", 77)
    home.kill()
    os.unlink(filler)
    home.start()
    if r.code == 0:
        home.read(home.client, "list", home.main).refused("banned", 77)


@case
def adding_on_a_full_disk_is_refused_and_nothing_is_half_there():
    home = Disk().furnish()
    filler = home.fill()
    r = home.owner("asset", "add", home.main, "-", "--kind", "file", input=os.urandom(1 << 20))
    check(r.code == 74 and r.error in ("storage_full", "storage_failed", "audit_full"), f"{r}")
    r = home.owner("vault", "create", "more")
    check(r.code in (0, 74), f"{r}")
    os.unlink(filler)
    before = {a["asset"] for a in home.owner("asset", "list", home.main).given()["assets"]}
    equal(before, {home.memory["asset"], home.big["asset"]}, "assets")
    made = within(PATIENCE_S, lambda: (lambda r: r.json if r.code == 0 else None)(
        home.owner("asset", "add", home.main, "-", "--kind", "file", input=b"y" * 100000)), "an add once there is room")
    equal(len(home.owner("asset", "show", home.main, made["asset"], json=False).done().out), 100000, "bytes")
    home.stop()
    home.verify("--full").done()


@case
def reads_go_on_on_a_full_disk_until_the_log_is_full_and_then_stop():
    home = Disk(mib=16).furnish("--test-log-segment", "65536")
    _spare(home)
    home.fill()
    delivered, codes = 0, []
    for _ in range(1500):
        r = home.read(home.client, "history", home.main, home.big["asset"])
        if r.code != 0:
            codes.append(r.error)
            if len(codes) == 3:
                break
            continue
        equal(codes, [], "a read after the log was full")
        delivered += 1
    check(delivered > 20, f"only {delivered} reads")
    equal(set(codes), {"audit_full"}, f"codes after {delivered} reads")
    s = home.status()["audit"]
    equal((s["state"], s["healthy"]), ("full", False), "state of the log")
    home.owner("lock").done()
    _locked(home)
    home.kill()
    home.start("--test-log-segment", "65536")
    _locked(home)
    home.verify("--full").done()


@case
def the_state_of_a_full_disk_is_shown_before_reads_stop():
    home = Disk(mib=16).furnish("--test-log-segment", "65536")
    equal(home.status()["audit"]["state"], "ok", "state")
    _spare(home)
    home.fill()
    seen = set()
    for _ in range(600):
        r = home.read(home.client, "history", home.main, home.big["asset"])
        seen.add(home.status()["audit"]["state"])
        if r.code != 0:
            break
    check({"low", "full"} <= seen, f"states seen: {seen}")
    for words in ("no room for a spare segment of the log", "no room for the log"):
        within(PATIENCE_S, lambda: words in home.tail(), f"what the daemon says: {words}")


@case
def reads_come_back_when_there_is_room_again():
    home = Disk(mib=16).furnish("--test-log-segment", "65536")
    _spare(home)
    filler = home.fill()
    for _ in range(1500):
        if home.read(home.client, "history", home.main, home.big["asset"]).code != 0:
            break
    os.unlink(filler)
    within(20, lambda: home.read_big().code == 0, "a read with room again")
    equal(home.status()["audit"]["state"], "ok", "state")
    home.stop()
    home.verify("--full").done()


@case
def a_client_file_on_a_full_disk_is_absent_and_its_grant_revoked():
    home = library()
    disk = Disk(mib=1)
    full = os.path.join(disk.mountpoint, "filler")
    disk.fill()
    path = os.path.join(disk.mountpoint, "c")
    r = home.owner("unattended", "mint", "--vault", home.main, "--client-file", path)
    check(r.code != 0 and r.error in ("storage_full", "file_unwritable"), f"{r}")
    equal(os.listdir(disk.mountpoint), ["filler"], "files")
    equal(home.unattended_status()["grants"], [], "grants")
    os.unlink(full)
    home.owner("unattended", "mint", "--vault", home.main, "--client-file", path).done()


@case
def init_on_a_full_disk_makes_nothing_that_counts():
    home = Disk(mib=4)
    filler = home.fill()
    r = home.owner("init")
    if r.code == 0 or b"Password" in r.screen:
        raise Failed(f"{r}")
    check(r.code == 74, f"{r}")
    os.unlink(filler)
    home.init().done()
    home.start()
    equal(home.status()["initialized"], True, "initialized")


@case
def a_start_on_a_full_disk_says_so_or_serves():
    home = Disk(mib=24).furnish()
    home.stop()
    filler = home.fill()
    home.spawn()
    within(20, lambda: home.daemon.poll() is not None or b"ready\n" * 2 in open(home.out, "rb").read(), "ready or the end")
    if home.daemon.poll() is not None:
        equal(home.daemon.returncode, 74, f"exit code; {home.tail()}")
        home.daemon = None
    else:
        r = home.read_big()
        check(r.code in (0, 74, 77), f"{r}")
        home.owner("lock").done()
        home.kill()
    os.unlink(filler)
    home.start()
    home.verify("--full").done()


# Broken

@process_only
def on_a_disk_that_died_nothing_is_delivered():
    home = Disk("ext4", 40).furnish()
    home.read_big().done()
    home.break_down()
    for _ in range(3):
        r = home.read_big()
        check(r.code == 74 or r.error in ("unattended_not_loaded", "daemon_not_running", "interrupted"), f"{r}")
        check(b'"data"' not in r.out, "bytes were delivered")
    check(home.daemon.poll() is not None or not home.cli("status").given()["audit"]["healthy"], "the log is called healthy")
    home.kill()
    home.remount()
    home.start()
    home.read_big().done()
    home.stop()
    home.verify("--full").done()


@process_only
def a_lock_on_a_disk_that_died_clears_memory_and_says_that_it_is_not_durable():
    home = Disk("ext4", 40).furnish()
    home.break_down()
    home.owner("lock").refused("lock_not_durable", 74)
    s = home.status()
    equal((s["unlocked"], s["unattended_loaded"]), (False, False), "states")
    check(home.read_big().code != 0, "a read after the lock")


@case
def a_disable_on_a_disk_that_died_is_no_success():
    home = Disk("ext4", 40).furnish()
    home.break_down()
    r = home.owner("unattended", "disable")
    check(r.code not in (0, 2), f"{r}")
    r = home.owner("unattended", "revoke", home.grant)
    check(r.code not in (0, 2), f"{r}")
    home.kill()
    home.remount()
    home.start()
    home.read_big().done()


def _immutable(path, on):
    fd = os.open(path, os.O_RDONLY)
    try:
        flags = struct.unpack("l", fcntl.ioctl(fd, FS_IOC_GETFLAGS, b"\0" * 8))[0]
        flags = flags | FS_IMMUTABLE if on else flags & ~FS_IMMUTABLE
        fcntl.ioctl(fd, FS_IOC_SETFLAGS, struct.pack("l", flags))
    except OSError as e:
        raise Skip(f"no immutable files here: {e.strerror}") from None
    finally:
        os.close(fd)


def _freeze(home, *paths):
    for path in paths:
        _immutable(path, True)
        at_end(lambda p=path: os.path.exists(p) and _immutable(p, False))


def _segments(home):
    return [home.file("audit", "seg", s) for s in sorted(os.listdir(home.file("audit", "seg")))]


def _freeze_log(home):
    """The folder first: in a spare that is made afterwards the log would go on."""
    _freeze(home, home.file("audit", "seg"))
    _freeze(home, *_segments(home))


def _thaw_log(home):
    for path in (home.file("audit", "seg"), *_segments(home)):
        _immutable(path, False)


@case
def a_ban_file_that_cannot_be_written_leaves_the_lock_to_the_log():
    home = Disk("ext4", 40).furnish()
    ban = home.file("grants", "ban")
    _freeze(home, ban)
    home.owner("lock").done()
    _locked(home)
    _immutable(ban, False)
    home.kill()
    home.start()
    _locked(home)


@process_only
def a_log_that_cannot_be_written_leaves_the_lock_to_the_ban_file():
    home = Disk("ext4", 40).furnish()
    _freeze_log(home)
    home.owner("lock").done()
    _locked(home)
    _thaw_log(home)
    home.kill()
    home.start()
    _locked(home)


@process_only
def a_lock_that_neither_file_nor_log_can_keep_is_not_durable():
    home = Disk("ext4", 40).furnish()
    _freeze(home, home.file("grants", "ban"))
    _freeze_log(home)
    home.owner("lock").refused("lock_not_durable", 74)
    s = home.status()
    equal((s["unlocked"], s["unattended_loaded"], s["manual_lock"]), (False, False, True), "states")
    check(home.read_big().code != 0, "a read after the lock")


@process_only
def a_log_that_cannot_be_written_stops_reads():
    home = Disk("ext4", 40).furnish()
    _freeze_log(home)
    for _ in range(3):
        r = home.read_big()
        check(r.code == 74 or r.error == "unattended_not_loaded", f"{r}")
    _thaw_log(home)
    within(10, lambda: home.read_big().code == 0, "a read once the log can be written")
    home.stop()
    home.verify("--full").done()


@process_only
def a_limit_on_the_size_of_files_stops_reads_and_kills_nothing():
    home = library()
    asset = home.add(home.main, "memory", "kept")["asset"]
    _, client = home.mint(home.main)
    # A process that is started anew has it, too, and meets it where it makes a segment.
    for pid in (home.daemon.pid, home.process("audit"), home.process("core")):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (65536, resource.RLIM_INFINITY))
    told = []
    while (r := home.read(client, "read", home.main, asset)).code == 0:
        told.append(r.given()["audit"]["index"])
        check(len(told) < 500, "the limit stops nothing")
    equal(r.code, 74, "exit")
    def said():
        with open(home.log) as log:
            return [line for line in log if "ended" in line]
    within(PATIENCE_S, said, "an end of the log's process")
    for _ in range(40):
        home.status()
    check(not any("by signal" in line for line in said()), f"{said()}")
    home.kill()
    home.start()
    home.terminal.unlock().done()
    recorded = [x["index"] for x in home.records() if x["operation"] == "read"]
    equal([i for i in told if i not in recorded], [], "reads that the log does not have")


@process_only
def a_segment_that_cannot_be_written_is_left_for_a_spare():
    home = Disk("ext4", 40).furnish()
    _spare(home)
    _freeze(home, _segments(home)[0])
    equal(home.read_big().code, 74, "a read that the segment cannot take")
    within(PATIENCE_S, lambda: home.read_big().code == 0, "a read that is recorded in a spare")
    check(os.path.exists(home.file("audit", "seg", "0000000001.failed")), "no mark of the segment that was left")
    home.stop()
    home.verify("--full").done()


# Read-only

@case
def a_daemon_on_a_read_only_home_is_refused():
    home = Disk("ext4", 40).furnish()
    home.stop()
    MS_REMOUNT, MS_RDONLY = 32, 1
    if _libc.mount(b"none", home.mountpoint.encode(), None, MS_REMOUNT | MS_RDONLY, None) != 0:
        raise Skip(f"cannot remount: {os.strerror(ctypes.get_errno())}")
    r = home.cli("daemon", "--test-kdf").refused("storage_failed", 74)
    check(b"ready\n" not in r.out, f"{r}")
    home.owner("lock").refused("daemon_not_running", 69)
    home.verify("--full").done()
    _libc.mount(b"none", home.mountpoint.encode(), None, MS_REMOUNT, None)
    home.start()
    home.read_big().done()


if __name__ == "__main__":
    main()
