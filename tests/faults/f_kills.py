#!/usr/bin/env python3
"""f: kill -9 of each process before one of its calls, at every place of a round of operations.

FAULTS_KILLS (14) places are tried in each process; 0 tries every one of them."""
import os

from faults import CALL
from harness import check, main, process_only
from worker import Worker, all_go

KILLS = int(os.environ.get("FAULTS_KILLS", 14))
SEED = int(os.environ.get("FAULTS_SEED", 1))
# Memory is asked for too often to be worth a kill each time.
CALLS = [c for c in CALL if c not in ("malloc", "mmap")]


def _operations(w, name):
    w.add(f"canary {w.n} {name}".encode())
    w.read()
    w.read()
    w.home.read(w.home.client, "list", w.home.main)
    w.mint_and_revoke(f"g{name}")
    w.add(b"canary of " + b"x" * (len(name) * 1000))


def _places(w):
    """How many calls of the process one round has."""
    before = w.home.plan.count(w.n, *CALLS)
    _operations(w, "counted")
    return w.home.plan.count(w.n, *CALLS) - before


def _round(w, place):
    locks = w.random.random() < 0.15
    w.home.plan.arm([w.n], CALLS, n=place + 1, action="kill")
    try:
        _operations(w, f"at{place}")
        if locks:
            w.lock()
    finally:
        w.hits += w.home.plan.disarm() > 0
    if locks:
        # One that was killed may hold all the same.
        w.resume()
    check(w.home.daemon.poll() is None, f"the daemon ended: {w.home.tail()}")
    w.back()


def _rounds(w):
    places = _places(w)
    w.places = places
    step = max(1, places // KILLS) if KILLS else 1
    # Another SEED tries the places in between.
    return [(f"killed at {p} of {places}", lambda p=p: _round(w, p)) for p in range(SEED % step, places, step)]


@process_only
def a_process_killed_at_any_of_its_calls_loses_and_invents_nothing():
    workers = [Worker(name, SEED) for name in ("audit", "core", "keyring")]
    rounds = {w.n: _rounds(w) for w in workers}
    all_go(workers, lambda w: rounds[w.n])
    for w in workers:
        print(f"        {w.n}: {w.hits} kills at {len(rounds[w.n])} of {w.places} places, {len(w.answers)} answers", flush=True)
        check(w.hits * 2 > len(rounds[w.n]), f"most kills of {w.n} met no call")


if __name__ == "__main__":
    main()
