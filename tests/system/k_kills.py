#!/usr/bin/env python3
"""k: kill -9, at rest and under load: what comes back, and that no delivery lacks its record."""
import json
import os
import signal
import threading
import time

from harness import (FILE, PATIENCE_S, PROCESSES, Failed, alive, case, check, data_of, equal, furnished, main, process_only,
                     within)

BACK_SECONDS = 2


def _read(home):
    return home.read(home.client, "read", home.main, home.memory["asset"])


def _kill(home, name):
    """Kills that process and waits until its successor has begun."""
    pid = home.process(name)
    os.kill(pid, signal.SIGKILL)
    within(BACK_SECONDS, lambda: not alive(pid), f"the end of {name}")
    return pid


def _back(home, since):
    """A read works again within the time."""
    within(max(0.1, since + BACK_SECONDS - time.monotonic()), lambda: _read(home).code == 0, "a read after the kill")


def _verified(home):
    """After a clean stop the log holds."""
    home.stop()
    home.verify("--full").done()
    home.start()


def _at_rest(name):
    home = furnished()
    _read(home).done()
    supervisor = home.daemon.pid
    for _ in range(2):
        old = _kill(home, name)
        _back(home, time.monotonic())
        check(home.process(name) != old, "the same process")
        equal(sorted(home.processes().values()), PROCESSES, "processes")
    check(home.daemon.poll() is None and home.daemon.pid == supervisor, "the supervisor has ended")
    _verified(home)
    return home


@process_only
def a_killed_keyring_is_back_within_two_seconds():
    _at_rest("keyring")


@process_only
def a_killed_audit_is_back_within_two_seconds():
    _at_rest("audit")


@case
def a_killed_core_is_back_within_two_seconds():
    _at_rest("core")


@process_only
def a_killed_keyring_leaves_the_library_locked_and_the_unattended_key_loaded_anew():
    home = furnished()
    equal(home.status()["unlocked"], True, "unlocked")
    _kill(home, "keyring")
    _back(home, time.monotonic())
    s = home.status()
    equal((s["unlocked"], s["unattended_loaded"], s["manual_lock"]), (False, True, False), "states")
    home.owner("vault", "list").refused("locked", 77)
    home.terminal.unlock().done()
    home.owner("unattended", "status").refused("sudo_required", 77)


@process_only
def a_killed_keyring_does_not_come_back_loaded_under_a_ban():
    home = furnished()
    home.owner("lock").done()
    _kill(home, "keyring")
    within(PATIENCE_S, lambda: home.status()["unattended_error"] == "banned", "status")
    home.process("keyring")
    home.read(home.client, "list", home.main).refused("banned", 77)


@case
def a_killed_core_forgets_sudo():
    home = furnished()
    _kill(home, "core")
    _back(home, time.monotonic())

    def refused():
        r = home.owner("unattended", "status")
        check(r.code != 0, "sudo outlived the process that kept it")
        return r.error in ("sudo_required", "locked")
    within(PATIENCE_S, refused, "the refusal")


@process_only
def a_killed_audit_lets_nothing_out_until_it_is_back():
    home = furnished("--trace")
    pid = home.process("audit")
    os.kill(pid, signal.SIGSTOP)
    try:
        r = _read(home)
        check(r.code == 74 and r.error in ("audit_timeout", "audit_unavailable"), f"with audit stopped: {r}")
    finally:
        os.kill(pid, signal.SIGKILL)
    _back(home, time.monotonic())


@process_only
def a_stopped_keyring_lets_nothing_out():
    home = furnished()
    pid = home.process("keyring")
    os.kill(pid, signal.SIGSTOP)
    r = _read(home)
    os.kill(pid, signal.SIGCONT)
    check(r.code != 0 and r.error in ("audit_timeout", "timeout", "interrupted", "unattended_not_loaded"), f"{r}")
    within(BACK_SECONDS, lambda: _read(home).code == 0, "a read after it goes on")


class Load:
    """Eight readers, which keep every answer that they got."""

    def __init__(self, home, n=8):
        self.home, self.answers, self.errors, self.over = home, [], {}, False
        self.threads = [threading.Thread(target=self._run, args=(i,)) for i in range(n)]
        for t in self.threads:
            t.start()

    def _run(self, n):
        i = 0
        while not self.over:
            offset = (n * 7919 + i * 4099) % len(FILE)
            i += 1
            try:
                r = self.home.read(self.home.client, "read", self.home.main, self.home.big["asset"], "--offset", offset,
                                   "--limit", "3000")
            except Failed as e:
                self.errors[str(e)] = 1
                continue
            if r.code == 0:
                self.answers.append((offset, r.json))
            else:
                self.errors[r.error] = self.errors.get(r.error, 0) + 1

    def stop(self):
        self.over = True
        for t in self.threads:
            t.join()


def check_recorded(home, answers):
    """Each answer's bytes are right, and its record stands at its place in the log; no place is used twice."""
    records = home.records()
    places = [a["audit"]["index"] for _, a in answers]
    equal(len(set(places)), len(places), "places in the log")
    for offset, a in answers:
        equal(data_of(a) == FILE[offset:offset + 3000], True, f"bytes at {offset}")
        check(a["audit"]["index"] < len(records), f"the log ends before record {a['audit']['index']}")
        r = records[a["audit"]["index"]]
        equal((r["type"], r.get("subject"), r.get("asset"), r["offset"], r["length"]),
              ("intent", home.grant, home.big["asset"], offset, len(data_of(a))), f"record of the answer at {offset}")
    intents = [r for r in records if r["type"] == "intent" and r.get("subject") == home.grant]
    check(len(intents) >= len(answers), f"{len(answers)} answers, {len(intents)} intents")


def _under_load(*names):
    home = furnished()
    load = Load(home)
    try:
        within(10, lambda: len(load.answers) > 20, "a first answer")
        for name in names:
            had = len(load.answers)
            _kill(home, name)
            since = time.monotonic()
            within(max(0.1, BACK_SECONDS), lambda: len(load.answers) > had + 9, f"answers after the kill of {name}")
    finally:
        load.stop()
    codes = set(load.errors)
    check(codes <= {"interrupted", "audit_unavailable", "audit_timeout", "unattended_not_loaded", "daemon_not_running",
                    "timeout", "busy", "daemon_untrusted"}, f"errors: {load.errors}")
    # The supervisor goes as well: what counts is what is on the disk.
    home.kill()
    home.start()
    home.terminal.unlock().done()
    check_recorded(home, load.answers)
    home.stop()
    home.verify("--full").done()


@process_only
def a_keyring_killed_under_load_loses_no_record():
    _under_load("keyring", "keyring")


@process_only
def an_audit_killed_under_load_loses_no_record():
    _under_load("audit", "audit", "audit")


@case
def a_core_killed_under_load_loses_no_record():
    _under_load("core", "core")


@case
def a_supervisor_killed_under_load_loses_no_record_and_leaves_no_process():
    home = furnished()
    for _ in range(2):
        load = Load(home)
        try:
            within(10, lambda: len(load.answers) > 20, "a first answer")
            pids = [home.daemon.pid, *home.processes()]
            home.kill()
            check(not any(map(alive, pids)), "a process is left")
        finally:
            load.stop()
        home.start()
        home.terminal.unlock().done()
        check_recorded(home, load.answers)
        home.verify("--full").done()


@case
def the_check_of_records_finds_an_answer_without_one():
    home = furnished()
    a = home.read(home.client, "read", home.main, home.big["asset"], "--limit", 3000).given()
    check_recorded(home, [(0, a)])
    size = home.status()["audit"]["size"]
    for change in ({"index": size + 5}, {"index": a["audit"]["index"] - 1}):
        try:
            check_recorded(home, [(0, {**a, "audit": {**a["audit"], **change}})])
        except Failed:
            continue
        raise Failed("an answer with no record passed")


@process_only
def every_process_killed_at_once_is_back():
    home = furnished()
    for name in PROCESSES:
        os.kill(home.process(name), signal.SIGKILL)
    within(PATIENCE_S, lambda: _read(home).code == 0, "a read")
    _verified(home)


@process_only
def kills_in_a_row_end_well():
    home = furnished()
    for name in ["core", "keyring", "audit", "search"] * 2:
        os.kill(home.process(name), signal.SIGKILL)
    within(10, lambda: _read(home).code == 0, "a read")
    within(10, lambda: sorted(home.processes().values()) == PROCESSES, "processes")
    _verified(home)


@process_only
def a_good_grant_is_never_called_invalid_while_the_keyring_comes_back():
    home = furnished()
    load = Load(home)
    try:
        for _ in range(5):
            had = len(load.answers)
            _kill(home, "keyring")
            within(PATIENCE_S, lambda: len(load.answers) > had + 9, "answers after the kill")
    finally:
        load.stop()
    check("invalid_grant" not in load.errors and "vault_not_granted" not in load.errors, f"errors: {load.errors}")


# Disable, killed at each step

def _disabled(home):
    s = home.unattended_status()
    return not s["enabled"]


@case
def a_disable_that_is_killed_can_be_run_again():
    home = furnished("--trace")
    home.mint(home.main)
    # The moments: the ban, each revocation and the removal all lie within a few milliseconds of the ask.
    for delay_ms in (0, 1, 2, 3, 5, 8, 12, 20):
        started = threading.Event()
        core = home.process("core")

        def kill():
            started.wait()
            end = time.monotonic() + delay_ms / 1000
            while time.monotonic() < end:
                time.sleep(0.0003)
            os.kill(core, signal.SIGKILL)
        t = threading.Thread(target=kill)
        t.start()
        started.set()
        r = home.owner("unattended", "disable")
        t.join()
        within(PATIENCE_S, lambda: home.cli("status").code == 0, "status")
        # Whatever was reached: a ban, once it is there, stays; a grant that is gone stays gone.
        if home.read(home.client, "list", home.main).error == "banned":
            home.restart("--trace")
            home.read(home.client, "list", home.main).refused("banned", 77)
        home.terminal.unlock_soon()
        home.terminal.sudo().done()
        r = home.owner("unattended", "disable")
        check(r.code == 0 or r.error == "not_enabled", f"disable again: {r}")
        # What was read is in the log, which core may still be looking for; disable has not waited for it.
        within(PATIENCE_S, lambda: home.owner("unattended", "status").error != "audit_unavailable", "the log")
        s = home.unattended_status()
        equal((s["enabled"], s["inhibited"], s["loaded"], s["grants"]), (False, True, False, []), "status")
        equal(os.listdir(home.file("custody")), [], "files of custody")
        home.read(home.client, "list", home.main).refused("banned", 77)
        within(20, lambda: home.terminal.enable().code == 0, "enable")
        home.grant, home.client = home.mint(home.main)
        home.read(home.client, "list", home.main).done()
    home.stop()
    home.verify("--full").done()


@case
def a_lock_that_is_killed_is_a_lock_once_it_was_answered():
    home = furnished()
    for delay_ms in (0, 1, 2, 4, 8):
        core = home.process("core")
        timer = threading.Timer(delay_ms / 1000, os.kill, (core, signal.SIGKILL))
        timer.start()
        r = home.owner("lock")
        timer.join()
        within(PATIENCE_S, lambda: home.cli("status").code == 0, "status")
        if r.code == 0:
            check(home.status()["manual_lock"], "a lock that was answered is gone")
            home.restart()
            home.read(home.client, "list", home.main).refused("banned", 77)
        home.terminal.unlock_soon()
        home.terminal.sudo().done()
        within(BACK_SECONDS, lambda: home.owner("unattended", "resume").code == 0, "resume")
        home.restart()
        home.terminal.unlock_soon()


@case
def a_revocation_that_was_answered_survives_kill_9():
    home = furnished()
    grants = [home.mint(home.main) for _ in range(4)]
    for grant, client in grants:
        home.owner("unattended", "revoke", grant).done()
        home.kill()
        home.start()
        home.read(client, "list", home.main).refused("invalid_grant", 77)
        home.terminal.unlock().done()
        home.terminal.sudo().done()
    home.read(home.client, "list", home.main).done()


@case
def an_asset_whose_add_was_answered_survives_kill_9():
    home = furnished()
    for i in range(3):
        made = home.add(home.main, "file", FILE[:70000 + i])
        home.kill()
        home.start()
        home.terminal.unlock().done()
        r = home.owner("asset", "show", home.main, made["asset"], json=False).done()
        equal(r.out == FILE[:70000 + i], True, "bytes")


@case
def a_mint_that_is_killed_leaves_no_usable_half():
    home = furnished()
    for delay_ms in (0, 2, 5, 10):
        path = os.path.join(home.clients, f"half-{delay_ms}")
        core = home.process("core")
        timer = threading.Timer(delay_ms / 1000, os.kill, (core, signal.SIGKILL))
        timer.start()
        r = home.owner("unattended", "mint", "--vault", home.main, "--client-file", path)
        timer.join()
        within(PATIENCE_S, lambda: _read(home).code == 0, "a read by another grant")
        if r.code == 0:
            home.read(path, "list", home.main).done()
        else:
            check(not os.path.exists(path), f"a client file of a failed mint: {r}")
        home.terminal.unlock_soon()
        home.terminal.sudo().done()


if __name__ == "__main__":
    main()
