#!/usr/bin/env python3
"""a: checkpoints: made on demand, before a lock takes the keys, and at the end; signed by the log key or its delegate."""
import base64
import os
import shutil
import time

from harness import PATIENCE_S, TIME, case, check, equal, furnished, library, main, process_only, within


def _note(home):
    """(size, root) of audit/checkpoint; None without one."""
    try:
        with open(home.file("audit", "checkpoint"), encoding="utf-8") as f:
            lines = f.read().split("\n")
    except FileNotFoundError:
        return None
    return int(lines[1]), base64.b64decode(lines[2]).hex()


def _records(home):
    return [r for r in home.records() if r["type"] == "checkpoint"]


@case
def one_is_made_on_demand_published_and_recorded():
    home = furnished()
    before = home.status()["audit"]
    made = home.owner("audit", "checkpoint").given()
    check(made["size"] >= before["size"], f"a checkpoint of less than the log had: {made}")
    text = home.owner("audit", "checkpoint", json=False).done().out.decode()
    lines = text.splitlines()
    check(lines[0].startswith("memories/") and lines[3] == "" and lines[4].startswith("— memories/"), f"note: {text!r}")
    equal(_note(home)[0], int(lines[1]), "size of the published one")
    within(PATIENCE_S, lambda: [r["length"] for r in _records(home)] == [made["size"], int(lines[1])], "a record of each")
    check(not os.path.exists(home.file("audit", "delegate.pub")), "a delegate's key beside a note of the log key")
    home.verify("--full").done()


@case
def it_needs_an_unlocked_library():
    home = furnished()
    home.restart()
    home.owner("audit", "checkpoint").refused("locked")


@case
def a_lock_leaves_one_that_covers_its_own_record():
    home = furnished()
    began = time.monotonic()
    home.owner("lock").done()
    check(time.monotonic() - began < 4, "the lock took long")
    size, _ = _note(home)
    home.terminal.unlock().done()
    records = home.records()
    lock = [r["index"] for r in records if r["type"] == "lock"]
    check(lock and lock[0] < size, f"lock at {lock}, checkpoint of {size}")
    # The log key is gone with the lock, and was there for the checkpoint.
    equal([r["length"] for r in records if r["type"] == "checkpoint"], [size], "checkpoints in the log")


@case
def a_stop_leaves_one_of_all_that_there_is():
    home = furnished()
    home.read(home.client, "list", home.main).done()
    home.stop()
    v = home.verify("--full").given()
    equal(_note(home), (v["size"], v["root"]), "the checkpoint after a clean stop")


@case
def a_key_only_daemon_has_its_delegate_sign_and_publishes_its_key():
    home = furnished()
    home.restart()
    home.read(home.client, "list", home.main).done()
    home.stop()
    v = home.verify("--full").given()
    equal(_note(home), (v["size"], v["root"]), "the checkpoint after a clean stop")
    check(os.path.exists(home.file("audit", "delegate.pub")), "no key of the delegate")
    with open(home.file("audit", "key.pub")) as a, open(home.file("audit", "delegate.pub")) as b:
        key, delegate = a.read(), b.read()
    equal(key.split("+")[0], delegate.split("+")[0], "names of the keys")
    check(key != delegate, "the delegate has the log's key")


@case
def a_locked_daemon_stops_without_one_and_keeps_the_older():
    home = library(unattended=False)
    home.owner("lock").done()
    before = _note(home)
    home.restart()
    began = time.monotonic()
    home.stop()
    check(time.monotonic() - began < 4, "the stop took long")
    equal(_note(home), before, "the checkpoint of the lock")


def _words(home):
    return home.cli("status", json=False).done().out.decode()


@case
def status_says_in_words_how_the_log_is_and_what_to_do():
    home = furnished()
    check("log        ok, " in _words(home), _words(home))
    made = home.owner("audit", "checkpoint").given()
    s = home.status()["audit"]
    equal((s["checkpoint"]["size"], TIME.fullmatch(s["checkpoint"]["time"]) is not None), (made["size"], True), "checkpoint")
    check(f"newest checkpoint: {made['size']} records, {s['checkpoint']['time']}" in _words(home), _words(home))
    equal(s["file_system"] is None, "promised on ext4 and XFS only" not in _words(home), "a file system that is named")
    home.stop()
    shutil.rmtree(home.file("audit"))
    home.start()
    words = _words(home)
    for part in ("log        failed: the log's files were changed from outside", "audit verify", "audit repair"):
        check(part in words, f"{part!r} is not in {words!r}")


@process_only
def a_lock_without_a_log_waits_for_none():
    home = furnished()
    os.kill(home.pids["audit"], 19)  # SIGSTOP: it answers nobody
    try:
        began = time.monotonic()
        home.owner("lock").done()
        took = time.monotonic() - began
        check(0.4 < took < 4, f"the lock took {took:.2f} s, and the keys wait half a second for a checkpoint")
        equal(home.cli("status").code in (0, 1), True, "the front door")
    finally:
        os.kill(home.pids["audit"], 18)


if __name__ == "__main__":
    main()
