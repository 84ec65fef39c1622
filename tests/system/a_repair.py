#!/usr/bin/env python3
"""a: a log that was changed from outside stops reads until its owner repairs it, and says so for good."""
import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading

from harness import HERE, PATIENCE_S, PROCESSES, Failed, case, check, equal, furnished, main, within

WORD = [("Type REPAIR to go on: ", "REPAIR")]


def _segments(home):
    return sorted(s for s in os.listdir(home.file("audit", "seg")) if s.endswith(".seg"))


def _flip(home, segment, at):
    with open(home.file("audit", "seg", segment), "r+b") as f:
        f.seek(at)
        b = f.read(1)[0]
        f.seek(at)
        f.write(bytes([b ^ 0x10]))


def _used(home, segment):
    with open(home.file("audit", "seg", segment), "rb") as f:
        return len(f.read().rstrip(b"\0"))


def _many(segments=3):
    """A home whose log has so many small segments, stopped."""
    home = furnished("--test-log-segment", "65536")

    def read():
        while sum(_used(home, s) > 0 for s in _segments(home)) < segments:
            home.read(home.client, "list", home.main).done()
    threads = [threading.Thread(target=read) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    home.stop()
    return home


def _start(home):
    home.start("--test-log-segment", "65536")
    home.terminal.unlock_soon()


def _failed(home):
    equal(home.status()["audit"]["state"], "failed", "state of the log")
    r = home.read(home.client, "list", home.main)
    check(r.code != 0 and not r.out.startswith(b'{"vault"'), f"a failed log delivers: {r}")
    r = home.owner("asset", "list", home.main)
    check(r.code == 74, f"a failed log delivers to its owner: {r}")


def _repair(home):
    home.terminal.sudo().done()
    r = home.owner("audit", "repair", answers=WORD)
    return r.given()


def _accept(home):
    home.owner("audit", "checkpoint", "--accept", answers=[("Type ACCEPT to go on: ", "ACCEPT")]).done()


def _readable(home, repairs):
    within(PATIENCE_S, lambda: home.status()["audit"]["state"] == "ok", "a log that is ok")
    within(PATIENCE_S, lambda: os.path.exists(home.file("audit", "checkpoint")), "a checkpoint of the repaired log")
    _accept(home)
    home.owner("asset", "show", home.main, home.memory["asset"]).done()
    within(PATIENCE_S, lambda: home.status()["unattended_loaded"], "the unattended key")
    home.read(home.client, "read", home.main, home.memory["asset"]).done()
    for _ in range(2):
        v = home.verify("--full").given()
        equal((v["valid"], v["repairs"]), (True, repairs), "verdict")
        p = subprocess.run([sys.executable, os.path.join(HERE, "verify_log.py"), "--full", home.file("audit")],
                           capture_output=True, timeout=60)
        other = json.loads(p.stdout)
        equal((p.returncode, {k: other[k] for k in ("valid", "size", "root", "repairs", "lost")}),
              (0, {k: v[k] for k in ("valid", "size", "root", "repairs", "lost")}), "the independent verdict")
        home.stop()
        _start(home)
        equal(home.status()["audit"]["state"], "ok", "state of the log after a restart")
        home.read(home.client, "read", home.main, home.memory["asset"]).done()
        home.stop()
        home.verify("--full").done()
        _start(home)
        home.terminal.sudo().done()


def _damage(change, segments=3):
    home = _many(segments)
    before = home.verify().given()
    change(home)
    _start(home)
    _failed(home)
    done = _repair(home)
    equal(done["repairs"], 1, "count of repairs")
    _readable(home, 1)
    return home, done, before


@case
def a_bit_flipped_in_the_middle():
    def change(home):
        _flip(home, _segments(home)[1], _used(home, _segments(home)[1]) // 2)
    home, done, before = _damage(change)
    check(0 < done["found"]["size"] < before["size"] <= done["lost"]["size"], f"{done} of {before}")
    names = os.listdir(home.file("audit", "quarantine"))
    check(any(n.startswith("repair-1-0000000002.seg") for n in names), f"{names}")


@case
def a_bit_flipped_in_the_first_header():
    _, done, _ = _damage(lambda home: _flip(home, _segments(home)[0], 60))
    equal(done["found"]["size"], 0, "found")


@case
def a_segment_removed_from_the_middle():
    _, done, _ = _damage(lambda home: os.unlink(home.file("audit", "seg", _segments(home)[1])))
    check(done["found"]["size"] > 0, f"{done}")


@case
def the_last_segment_removed():
    def change(home):
        used = [s for s in _segments(home) if _used(home, s)]
        os.unlink(home.file("audit", "seg", used[-1]))
    _damage(change)


@case
def all_segments_removed():
    def change(home):
        for s in _segments(home):
            os.unlink(home.file("audit", "seg", s))
    _, done, _ = _damage(change)
    equal(done["found"]["size"], 0, "found")


@case
def the_whole_folder_removed():
    _, done, _ = _damage(lambda home: shutil.rmtree(home.file("audit")), 1)
    check(done["found"]["size"] < done["lost"]["size"], f"{done}")


@case
def an_old_log_put_back():
    home = _many(1)
    old = home.side("old")
    shutil.copytree(home.file("audit"), old)
    _start(home)
    home.add(home.main, "memory", "written later")
    for _ in range(10):
        home.read(home.client, "list", home.main).done()
    home.stop()
    shutil.rmtree(home.file("audit"))
    shutil.copytree(old, home.file("audit"))
    _start(home)
    _failed(home)
    done = _repair(home)
    check(done["lost"]["size"] > 0, f"{done}")
    _readable(home, 1)


@case
def a_changed_mode():
    def change(home):
        os.chmod(home.file("audit"), 0o755)
        for s in _segments(home):
            os.chmod(home.file("audit", "seg", s), 0o666)
    _, done, before = _damage(change)
    equal(done["found"]["size"] >= before["size"], True, f"{done} of {before}")


@case
def a_pipe_in_the_place_of_a_segment():
    _damage(lambda home: os.mkfifo(home.file("audit", "seg", "0000000009.seg"), 0o600), segments=1)


@case
def a_second_repair():
    home, _, _ = _damage(lambda home: _flip(home, _segments(home)[0], _used(home, _segments(home)[0]) // 2))

    def last_used():
        return [s for s in _segments(home) if _used(home, s)][-1]
    for _ in range(20):
        home.read(home.client, "list", home.main).done()
    while _used(home, last_used()) < 6000:
        home.read(home.client, "list", home.main).done()
    home.stop()
    last = last_used()
    _flip(home, last, _used(home, last) - 3000)
    _start(home)
    _failed(home)
    done = _repair(home)
    equal(done["repairs"], 2, "count of repairs")
    _readable(home, 2)


@case
def a_repair_that_is_killed_can_be_done_again():
    home = _many(2)
    before = home.verify().given()
    _flip(home, _segments(home)[1], _used(home, _segments(home)[1]) // 2)
    _start(home)
    home.terminal.sudo().done()

    def repair():
        with contextlib.suppress(Failed):
            home.owner("audit", "repair", answers=WORD)
    t = threading.Thread(target=repair)
    t.start()
    within(10, lambda: any(n.startswith("repair-1-") for n in os.listdir(home.file("audit", "quarantine"))), "a first step")
    os.kill(home.process(PROCESSES[0]), 9)
    t.join()
    with contextlib.suppress(Failed):
        home.stop()
    home.daemon = None
    _start(home)
    home.terminal.sudo().done()
    # It was over already, or nothing is lost but time.
    if home.status()["audit"]["state"] == "failed":
        _failed(home)
        done = _repair(home)
        check(done["lost"]["size"] >= before["size"], f"{done} of {before}")
    else:
        # Killed between its record and its checkpoint: the next one comes at the next occasion.
        home.owner("audit", "checkpoint").done()
    _readable(home, 1)


@case
def clients_refuse_the_repaired_log_until_it_is_accepted():
    home = _many()
    _flip(home, _segments(home)[1], 300)
    _start(home)
    _repair(home)
    within(PATIENCE_S, lambda: home.status()["unattended_loaded"], "the unattended key")
    home.read(home.client, "list", home.main).refused("audit_diverged", 74)
    home.owner("asset", "list", home.main).refused("audit_diverged", 74)
    r = home.verify()
    equal((r.code, r.error), (3, "audit_diverged"), f"{r}")
    home.owner("audit", "checkpoint", "--accept", answers=[("Type ACCEPT to go on: ", "yes")]).refused("not_confirmed", 77)
    home.read(home.client, "list", home.main).refused("audit_diverged", 74)
    _accept(home)
    home.read(home.client, "list", home.main).done()
    home.verify().done()


@case
def a_repair_is_the_owners_with_sudo_at_a_terminal_of_a_failed_log():
    home = _many(1)
    _start(home)
    home.owner("audit", "repair").refused("sudo_required", 77)
    home.owner("audit", "checkpoint", "--accept").refused("sudo_required", 77)
    home.cli("audit", "repair").refused("sudo_required", 77)
    home.terminal.sudo().done()
    home.owner("audit", "repair").refused("not_failed", 1)
    home.owner("lock").done()
    home.owner("audit", "repair").refused("locked", 77)
    home.stop()
    _flip(home, _segments(home)[0], 60)
    _start(home)
    home.terminal.sudo().done()
    home.owner("audit", "repair", answers=[("Type REPAIR to go on: ", "repair")]).refused("not_confirmed", 77)
    _failed(home)


@case
def the_record_of_a_repair_is_shown():
    home, done, _ = _damage(lambda home: _flip(home, _segments(home)[0], 60))
    home.owner("audit", "show").done()
    records = [r for r in home.records() if r["type"] == "repair"]
    equal(len(records), 1, "repair records")
    equal((records[0]["subject_kind"], records[0]["surface"]), ("terminal", "owner"), "by whom")
    equal({k: records[0][k] for k in ("repairs", "found", "lost")}, done, "what the record says")
    table = home.owner("audit", "show", "--type", "repair", json=False).done()
    check(f"{done['found']['size']} records held, a log of {done['lost']['size']} was given up".encode() in table.out,
          f"{table}")


if __name__ == "__main__":
    main()
