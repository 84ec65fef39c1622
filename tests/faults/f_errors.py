#!/usr/bin/env python3
"""f: calls that fail: in the store, each in turn; in the running daemon, in each process, once and from then on.

FAULTS_STORE_STEP (2) tries every so-many-th call of the store, FAULTS_ROUNDS (120) faults go into daemons."""
import errno
import itertools
import os
import random
import signal
import subprocess
import tempfile

from faults import SHIM, STORE, Plan
from documented import exit_codes
from worker import Worker, all_go
from harness import at_end, case, check, equal, main, process_only, remove, within

STEP = os.environ.get("FAULTS_STORE_STEP", "2")
ROUNDS = int(os.environ.get("FAULTS_ROUNDS", 120))
SEED = int(os.environ.get("FAULTS_SEED", 1))
HOMES = 4


@case
def no_failed_call_of_the_store_loses_or_invents_anything():
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = os.path.realpath(tempfile.mkdtemp(prefix="memories-faults-", dir=base))
    at_end(lambda: remove(folder))
    plan = Plan(os.path.join(folder, "plan"))
    r = subprocess.run([STORE, folder], capture_output=True, text=True, env={
        **os.environ, "LD_PRELOAD": SHIM, "FAULTS_HOME": folder, "FAULTS_PLAN": plan.path, "FAULTS_STEP": STEP})
    print("        " + (r.stdout.splitlines() or [r.stderr])[-1], flush=True)
    equal(r.returncode, 0, f"faults_store: {r.stdout[-1500:]} {r.stderr[-300:]}")
    check(int(r.stdout.splitlines()[-1].split()[0]) > 1400 // int(STEP) // 2, "too few faults")


# What may go wrong in a daemon: (processes, calls, action, error).
KINDS = [(process, call, "error", error)
         for process in ("audit", "core")
         for call, errors in {"write": (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EINTR), "sync": (errno.EIO, errno.ENOSPC),
                              "open": (errno.EMFILE, errno.EIO), "mmap": (errno.ENOMEM,), "malloc": (errno.ENOMEM,),
                              "rename": (errno.EIO,), "fallocate": (errno.ENOSPC,), "read": (errno.EIO,)}.items()
         for error in errors]
KINDS += [(p, "write", "short", 0) for p in ("audit", "core")] + [(p, "sync", "late", errno.EIO) for p in ("audit", "core")]
KINDS += [("keyring", call, "error", errno.ENOMEM) for call in ("malloc", "mmap")]
KINDS += [("core", "write", "error", errno.EROFS), ("audit", "write", "error", errno.EROFS)]


def _round(w, i, kind):
    process, call, action, error = kind
    # What a process does only when it starts fails when it starts.
    starts = call not in ("write", "sync")
    w.home.plan.arm([process], [call], n=w.random.randint(1, 12 if starts else 4), action=action, error=error,
                    from_then=w.random.random() < 0.5 and error != errno.EINTR)
    try:
        if starts:
            os.kill(w.home.process(process), signal.SIGKILL)
        w.add(f"canary {w.n}-{i} of a memory".encode())
        w.read()
        w.read()
    finally:
        w.hits += w.home.plan.disarm() > 0
    check(w.home.daemon.poll() is None, f"{kind}: the daemon ended: {w.home.tail()}")
    w.back()


@process_only
def no_failed_call_of_a_process_loses_or_invents_anything():
    check(len(exit_codes()) > 5, "no documented codes")
    workers = [Worker(n, SEED) for n in range(HOMES)]
    order = random.Random(SEED).sample(KINDS, len(KINDS))
    rounds = list(enumerate(itertools.islice(itertools.cycle(order), ROUNDS)))
    all_go(workers, lambda w: [(kind, lambda i=i, kind=kind: _round(w, i, kind)) for i, kind in rounds[w.n::HOMES]])
    print(f"        {ROUNDS} rounds, in {sum(w.hits for w in workers)} of them a call failed, "
          f"{sum(len(w.answers) for w in workers)} answers", flush=True)
    check(sum(w.hits for w in workers) * 3 > ROUNDS, "most faults met no call")


@process_only
def a_database_whose_anchor_cannot_be_kept_is_opened_anew():
    w = Worker("anchor", SEED)
    for n in (1, 2):
        w.read()
        w.home.plan.arm(["core"], ["write"], n=n, error=errno.EIO)
        # What vault and grants keep of the log's end is written when nothing else is to do.
        within(10, lambda: w.home.plan.hits > 0, "a failed write of an idle daemon")
        w.home.plan.disarm()
        w.back()
    w.end()


if __name__ == "__main__":
    main()
