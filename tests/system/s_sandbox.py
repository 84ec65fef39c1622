#!/usr/bin/env python3
"""s: what keeps others out of the daemon's processes."""
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys

from harness import (BIN, HERE, ONE_PROCESS, Failed, Skip, case, check, equal, furnished, main, process_only,
                     temp_dir, undo, within)

PTRACE_SEIZE, PTRACE_DETACH, PTRACE_ATTACH = 0x4206, 17, 16


def _status(pid):
    with open(f"/proc/{pid}/status") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


def _all(home):
    return {home.daemon.pid: "supervisor", **home.processes()}


@case
def every_process_has_a_core_limit_of_0():
    home = furnished()
    # The supervisor too: it holds the keys of every edge.
    for pid, name in _all(home).items():
        with open(f"/proc/{pid}/limits") as f:
            line = next(x for x in f if x.startswith("Max core file size"))
        equal(line.split()[4:6], ["0", "0"], f"core limit of {name}")


def _sandboxed():
    home = furnished()
    if "sanitized" in home.status()["weakened"]:
        raise Skip("a build with sanitizers has no sandbox, and says so")
    return home


@case
def no_process_can_gain_privileges():
    home = _sandboxed()
    for pid, name in home.processes().items():
        equal(_status(pid)["NoNewPrivs"], "1", f"no_new_privs of {name}")


@process_only
def all_but_core_run_under_a_filter_on_every_thread():
    home = _sandboxed()
    for name in ("keyring", "audit", "search", "profile", "http"):
        pid = home.process(name)
        for thread in os.listdir(f"/proc/{pid}/task"):
            equal(_status(f"{pid}/task/{thread}")["Seccomp"], "2", f"filter of a thread of {name}")


@process_only
def the_option_that_drops_the_filters_is_said_in_the_status():
    home = furnished("--no-sandbox")
    equal(_status(home.process("keyring"))["Seccomp"], "0", "filter of keyring")
    check("no_sandbox" in home.status()["weakened"], f"{home.status()}")


@process_only
def keyring_holds_no_file_and_no_listener():
    home = furnished()
    home.read(home.client, "list", home.main).done()
    pid = home.process("keyring")
    listening = set()
    with open("/proc/net/unix") as f:
        for line in f:
            words = line.split()
            if len(words) > 6 and words[3] == "00010000":
                listening.add(words[6])
    for fd in os.listdir(f"/proc/{pid}/fd"):
        target = os.readlink(f"/proc/{pid}/fd/{fd}")
        if target.startswith("socket:["):
            check(target[8:-1] not in listening, f"keyring listens at fd {fd}")
        else:
            allowed = target in ("/dev/null",) or target.startswith(("pipe:", "anon_inode:")) or int(fd) == 2 or \
                target == home.log
            check(allowed, f"keyring holds {target}")


@process_only
def only_the_owning_process_holds_its_files():
    home = furnished()
    home.read(home.client, "list", home.main).done()
    owner = {"audit": "audit", "vault": "core", "grants": "core", "custody": "core"}
    for pid, name in _all(home).items():
        for fd in os.listdir(f"/proc/{pid}/fd"):
            target = os.readlink(f"/proc/{pid}/fd/{fd}")
            if target.startswith(home.path + "/"):
                top = target[len(home.path) + 1:].split("/")[0]
                if top in owner:
                    equal(name, owner[top], f"who holds {top}")


@process_only
def keyring_has_no_home_as_a_file_to_open():
    # The filter refuses what opens files; a process that tried would be told EACCES or die.
    home = furnished()
    pid = home.process("keyring")
    check(not any("/" + d + "/" in os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")
                  for d in ("vault", "grants", "custody")), "keyring holds a file of the home")


# As a user who is not root

def _attach(pid, request):
    """None when it could be attached, else the error."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if libc.ptrace(request, pid, None, None) != 0:
        return os.strerror(ctypes.get_errno())
    if request == PTRACE_ATTACH:
        os.waitpid(pid, 0)
    else:
        os.kill(pid, signal.SIGSTOP)
        os.waitpid(pid, 0)
    libc.ptrace(PTRACE_DETACH, pid, None, None)
    os.kill(pid, signal.SIGCONT)
    return None


def _try_open(path):
    try:
        with open(path, "rb") as f:
            f.read(1)
        return None
    except OSError as e:
        return e.strerror


def as_user():
    """Runs as an ordinary user: what that user can do to its own daemon, as JSON."""
    out = {"uid": os.getuid(), "processes": {}}
    control = subprocess.Popen(["sleep", "1000"])
    try:
        out["control"] = {"attach": _attach(control.pid, PTRACE_ATTACH), "environ": _try_open(f"/proc/{control.pid}/environ")}
        home = furnished()
        for pid, name in _all(home).items():
            out["processes"][name] = {
                "attach": _attach(pid, PTRACE_ATTACH), "seize": _attach(pid, PTRACE_SEIZE),
                "mem": _try_open(f"/proc/{pid}/mem"), "environ": _try_open(f"/proc/{pid}/environ"),
                "maps": _try_open(f"/proc/{pid}/maps"),
                "fd": "open" if os.access(f"/proc/{pid}/fd", os.R_OK) else "denied"}
        home.read(home.client, "list", home.main).done()
        dump = subprocess.run(["sh", "-c", "command -v gdb"], capture_output=True)
        if dump.returncode == 0:
            pid = home.process("core")
            r = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "info threads"], capture_output=True, timeout=60,
                               stdin=subprocess.DEVNULL)
            out["gdb"] = (r.stdout + r.stderr).decode(errors="replace")
        home.stop()
    finally:
        control.kill()
        control.wait()
        undo()
    print(json.dumps(out))


def _python(how):
    """A Python that the user may run: one in root's own folder is none."""
    for path in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            if subprocess.run([path, "-c", "import socket; socket.send_fds"], stdin=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, cwd="/", **how).returncode == 0:
                return path
        except OSError:
            continue
    raise Skip("no Python that an ordinary user may run")


def _run_as_user():
    user = os.geteuid() or 65534
    base = temp_dir()
    os.chmod(base, 0o711)
    place = os.path.join(base, "theirs")
    os.mkdir(place, 0o700)
    os.chown(place, user, user if os.geteuid() == 0 else -1)
    # The program and the scripts must be within that user's reach.
    program = os.path.join(base, "memories")
    with open(BIN, "rb") as f, open(program, "wb") as g:
        g.write(f.read())
    os.chmod(program, 0o755)
    scripts = os.path.join(base, "scripts")
    os.mkdir(scripts)
    for name in ("harness.py", "session_leader.py", "s_sandbox.py"):
        with open(os.path.join(HERE, name), "rb") as f, open(os.path.join(scripts, name), "wb") as g:
            g.write(f.read())
        os.chmod(os.path.join(scripts, name), 0o644)
    os.chmod(scripts, 0o755)
    how = {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}
    env = {**os.environ, "TMPDIR": place, "HOME": place, "MEMORIES_BIN": program, "PYTHONDONTWRITEBYTECODE": "1"}
    r = subprocess.run([_python(how), os.path.join(scripts, "s_sandbox.py"), "as-user"], capture_output=True,
                       timeout=100, env=env, cwd="/", **how)
    if r.returncode != 0:
        raise Failed(f"as an ordinary user: {r.stderr.decode()[-600:]}")
    return json.loads(r.stdout.splitlines()[-1])


_seen = []


def _as_seen_by_the_user():
    if not _seen:
        _seen.append(_run_as_user())
    return _seen[0]


@case
def the_owner_cannot_attach_a_debugger_to_the_daemon():
    seen = _as_seen_by_the_user()
    if seen["uid"] == 0:
        raise Skip("cannot become an ordinary user")
    equal(seen["control"]["attach"], None, "control: attaching to an ordinary process of the same user")
    for name, got in seen["processes"].items():
        for how in ("attach", "seize"):
            check(got[how] is not None, f"{how} to {name} succeeded")


@case
def the_owner_cannot_read_the_daemons_memory_or_environment():
    seen = _as_seen_by_the_user()
    equal(seen["control"]["environ"], None, "control: environment of an ordinary process of the same user")
    for name, got in seen["processes"].items():
        for what in ("mem", "environ", "maps"):
            check(got[what] is not None, f"{what} of {name} can be read")
        equal(got["fd"], "denied", f"descriptors of {name}")


@case
def gdb_cannot_attach():
    seen = _as_seen_by_the_user()
    if "gdb" not in seen:
        raise Skip("no gdb here")
    check("ptrace" in seen["gdb"].lower() or "could not attach" in seen["gdb"].lower(), f"gdb says {seen['gdb']!r:.400}")


@case
def everything_works_for_an_ordinary_user():
    equal(set(_as_seen_by_the_user()["processes"]), {"supervisor", "core"} | (set() if ONE_PROCESS else {"keyring", "audit", "search", "profile", "http"}),
          "processes of an ordinary user's daemon")


if __name__ == "__main__":
    if sys.argv[1:] == ["as-user"]:
        as_user()
    else:
        main()
