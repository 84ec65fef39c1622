#!/usr/bin/env python3
"""g: locked, loaded, banned: states and what they let through, over restarts and faults of custody."""
import os
import shutil
import threading

from harness import PASSWORD, Home, case, equal, furnished, main, needs_root, within


def _states(home):
    s = home.status()
    return {k: s[k] for k in ("unlocked", "unattended_loaded", "unattended_error", "manual_lock")}


KEY_ONLY = {"unlocked": False, "unattended_loaded": True, "unattended_error": None, "manual_lock": False}
BANNED = {"unlocked": False, "unattended_loaded": False, "unattended_error": "banned", "manual_lock": True}


def _list(home):
    return home.read(home.client, "list", home.main)


# Key-only

@case
def after_a_restart_reads_work_with_nobody_there():
    home = furnished()
    home.restart()
    equal(_states(home), KEY_ONLY, "states")
    _list(home).done()
    for command, made in (("history", home.memory), ("read", home.private), ("read", home.card), ("read", home.big),
                          ("credential-bytes", home.secret)):
        home.read(home.client, command, home.main, made["asset"]).done()
    equal(_states(home), KEY_ONLY, "states after reads")


@case
def after_a_key_only_start_everything_else_stays_locked():
    home = furnished()
    home.restart()
    a = home.memory["asset"]
    for argv in (["vault", "list"], ["vault", "create", "x"], ["asset", "list", home.main],
                 ["asset", "show", home.main, a], ["asset", "history", home.main, a], ["audit", "show"],
                 ["unattended", "status"], ["unattended", "resume"], ["unattended", "disable"],
                 ["unattended", "revoke", home.grant],
                 ["unattended", "mint", "--vault", home.main, "--client-file", os.path.join(home.clients, "x")]):
        home.owner(*argv).refused("locked", 77)
    home.owner("asset", "add", home.main, "-", "--kind", "memory", input=b"x").refused("locked", 77)
    _list(home).done()


@case
def sudo_on_a_key_only_start_is_locked():
    home = furnished()
    home.restart()
    r = home.terminal.run("sudo", answers=[("Sudo password: ", PASSWORD)])
    r.refused("locked", 77)
    home.owner("unattended", "status").refused("locked", 77)


@case
def unlock_after_a_key_only_start_adds_and_takes_nothing_away():
    home = furnished()
    home.restart()
    home.terminal.unlock().done()
    equal(_states(home), {**KEY_ONLY, "unlocked": True}, "states")
    _list(home).done()
    home.owner("vault", "list").done()


@case
def unlocking_needs_no_custody_and_loads_no_key():
    home = furnished()
    home.stop()
    os.unlink(home.file("custody", "owner-file"))
    home.start()
    home.terminal.unlock().done()
    equal(_states(home)["unattended_loaded"], False, "loaded")
    _list(home).refused("unattended_not_loaded", 77)


@case
def a_library_without_enrolment_says_not_enabled():
    home = Home()
    home.init().done()
    home.start()
    equal(_states(home), {"unlocked": False, "unattended_loaded": False, "unattended_error": "not_enabled",
                          "manual_lock": False}, "states")


# Lock

@case
def a_manual_lock_clears_and_bans_over_restarts():
    home = furnished()
    home.owner("lock").done()
    equal(_states(home), BANNED, "states")
    _list(home).refused("banned", 77)
    for _ in range(2):
        home.restart()
        equal(_states(home), BANNED, "states after a restart")
        _list(home).refused("banned", 77)


@case
def a_manual_lock_survives_kill_9():
    home = furnished()
    home.owner("lock").done()
    home.kill()
    home.start()
    equal(_states(home), BANNED, "states")
    _list(home).refused("banned", 77)


@case
def a_lock_needs_no_terminal_no_sudo_and_no_unlocked_library():
    home = furnished()
    home.restart()
    home.cli("lock").done()
    equal(_states(home), BANNED, "states")
    home.cli("lock").done()
    equal(_states(home), BANNED, "states of a second lock")


@case
def unlocking_does_not_restore_unattended_access():
    home = furnished()
    home.owner("lock").done()
    home.terminal.unlock().done()
    s = _states(home)
    equal((s["unlocked"], s["unattended_loaded"], s["manual_lock"]), (True, False, True), "states")
    _list(home).refused("banned", 77)
    home.restart()
    equal(_states(home), BANNED, "states after a restart")
    home.terminal.unlock().done()
    _list(home).refused("banned", 77)


@case
def resume_lifts_the_ban_and_the_next_start_loads_the_key():
    home = furnished()
    home.owner("lock").done()
    home.terminal.unlock().done()
    home.owner("unattended", "resume").refused("sudo_required", 77)
    home.terminal.sudo().done()
    equal(home.unattended_status()["inhibited"], True, "inhibited")
    home.owner("unattended", "resume").done()
    s = home.unattended_status()
    equal((s["enabled"], s["inhibited"], [g["grant"] for g in s["grants"]]), (True, False, [home.grant]), "status")
    equal(_states(home)["manual_lock"], False, "manual_lock")
    home.restart()
    equal(_states(home), KEY_ONLY, "states after a restart")
    _list(home).done()


@case
def resume_without_a_ban_changes_nothing():
    home = furnished()
    home.owner("unattended", "resume").done()
    _list(home).done()
    home.restart()
    equal(_states(home), KEY_ONLY, "states")


@case
def resume_alone_loads_no_key_before_the_next_start():
    home = furnished()
    home.owner("lock").done()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("unattended", "resume").done()
    equal(_states(home)["unattended_loaded"], False, "loaded")
    _list(home).refused("unattended_not_loaded", 77)


@case
def after_lock_has_answered_no_read_is_delivered():
    home = furnished()
    stop, after, locked = threading.Event(), [], threading.Event()

    def read():
        while not stop.is_set():
            was = locked.is_set()
            r = home.read(home.client, "read", home.main, home.memory["asset"])
            if was:
                after.append(r)
    threads = [threading.Thread(target=read) for _ in range(4)]
    for t in threads:
        t.start()
    home.owner("lock").done()
    locked.set()
    try:
        within(20, lambda: len(after) >= 12, "reads after the lock")
    finally:
        stop.set()
        for t in threads:
            t.join()
    equal({r.error for r in after}, {"banned"}, "what reads after the lock got")


@case
def after_revoke_has_answered_no_read_is_delivered():
    home = furnished()
    stop, after, revoked = threading.Event(), [], threading.Event()

    def read():
        while not stop.is_set():
            was = revoked.is_set()
            r = home.read(home.client, "read", home.main, home.big["asset"])
            if was:
                after.append(r)
    threads = [threading.Thread(target=read) for _ in range(4)]
    for t in threads:
        t.start()
    home.owner("unattended", "revoke", home.grant).done()
    revoked.set()
    try:
        within(20, lambda: len(after) >= 12, "reads after the revocation")
    finally:
        stop.set()
        for t in threads:
            t.join()
    equal({r.error for r in after}, {"invalid_grant"}, "what reads after the revocation got")


# Faults of custody

def _with_custody(change, code):
    """A start with a changed custody file loads nothing and says why; mended, the next one loads."""
    home = furnished()
    home.stop()
    path = home.file("custody", "owner-file")
    kept = home.side("kept")
    shutil.copy2(path, kept)
    change(home, path)
    home.start()
    equal(_states(home), {"unlocked": False, "unattended_loaded": False, "unattended_error": code,
                          "manual_lock": False}, "states")
    _list(home).refused("unattended_not_loaded", 77)
    home.terminal.unlock().done()
    _list(home).refused("unattended_not_loaded", 77)
    home.stop()
    for name in os.listdir(home.file("custody")):
        os.unlink(home.file("custody", name))
    os.chmod(home.file("custody"), 0o700)
    shutil.copy2(kept, path)
    os.chmod(path, 0o600)
    home.start()
    equal(_states(home), KEY_ONLY, "states with the custody file mended")
    _list(home).done()


@case
def a_custody_file_that_others_can_read_is_unsafe():
    _with_custody(lambda home, path: os.chmod(path, 0o640), "custody_unsafe")


@case
def a_custody_file_that_others_can_write_is_unsafe():
    _with_custody(lambda home, path: os.chmod(path, 0o602), "custody_unsafe")


@case
def a_custody_file_with_two_names_is_unsafe():
    _with_custody(lambda home, path: os.link(path, home.side("second")), "custody_unsafe")


@case
def a_custody_file_that_is_a_symlink_is_unsafe():
    def change(home, path):
        os.rename(path, home.side("real"))
        os.symlink(home.side("real"), path)
    _with_custody(change, "custody_unsafe")


@case
def a_custody_file_that_is_a_fifo_is_unsafe_and_nobody_waits():
    def change(home, path):
        os.unlink(path)
        os.mkfifo(path, 0o600)
    _with_custody(change, "custody_unsafe")


@case
def a_custody_file_of_another_user_is_unsafe():
    needs_root()
    _with_custody(lambda home, path: os.chown(path, 65534, 65534), "custody_unsafe")


@case
def a_custody_folder_that_others_can_enter_is_unsafe():
    _with_custody(lambda home, path: os.chmod(os.path.dirname(path), 0o755), "custody_unsafe")


@case
def a_missing_custody_file_is_said_to_be_missing():
    _with_custody(lambda home, path: os.unlink(path), "custody_missing")


def _rewrite(change):
    def run(home, path):
        with open(path, "rb") as f:
            data = bytearray(f.read())
        with open(path, "wb") as f:
            f.write(change(data))
    return run


def _flip(at):
    def change(data):
        data[at] ^= 0x40
        return data
    return change


@case
def a_damaged_custody_file_is_invalid():
    _with_custody(_rewrite(_flip(90)), "custody_invalid")


@case
def a_cut_custody_file_is_invalid():
    _with_custody(_rewrite(lambda d: d[:-1]), "custody_invalid")


@case
def an_empty_custody_file_is_invalid():
    _with_custody(_rewrite(lambda d: b""), "custody_invalid")


@case
def a_grown_custody_file_is_invalid():
    _with_custody(_rewrite(lambda d: d + b"\0" * 100000), "custody_invalid")


@case
def a_custody_file_of_another_library_does_not_bind():
    other = furnished()
    with open(other.file("custody", "owner-file"), "rb") as f:
        theirs = f.read()
    _with_custody(_rewrite(lambda d: theirs), "custody_binding")


@case
def a_home_that_is_copied_elsewhere_does_not_bind():
    home = furnished()
    home.stop()
    copy = Home()
    shutil.copytree(home.path, copy.path)
    copy.main, copy.client = home.main, home.client
    copy.start()
    equal(_states(copy)["unattended_error"], "custody_binding", "unattended_error")
    equal(_states(copy)["unattended_loaded"], False, "loaded")
    copy.terminal.unlock().done()
    copy.owner("asset", "show", home.main, home.memory["asset"]).done()
    copy.terminal.sudo().done()
    copy.owner("unattended", "disable").done()
    copy.terminal.enable().done()
    _, client = copy.mint(home.main)
    copy.read(client, "read", home.main, home.memory["asset"]).done()
    home.start()
    # Two logs of one library are two histories: who has seen the one does not believe the other.
    home.read(home.client, "read", home.main, home.memory["asset"]).refused("audit_diverged", 74)
    home.read(home.client, "read", home.main, home.memory["asset"], env={"XDG_STATE_HOME": home.side("state")}).done()


@case
def a_home_that_is_moved_does_not_bind_until_it_is_back():
    home = furnished()
    home.stop()
    before, after = home.path, home.side("moved")
    os.rename(before, after)
    home.path = after
    home.start()
    equal(_states(home)["unattended_error"], "custody_binding", "unattended_error")
    home.stop()
    os.rename(after, before)
    home.path = before
    home.start()
    equal(_states(home), KEY_ONLY, "states")


@case
def a_custody_file_of_a_copy_that_was_enrolled_anew_opens_nothing_at_home():
    home = furnished()
    home.stop()
    copy = Home()
    shutil.copytree(home.path, copy.path)
    copy.start()
    copy.terminal.unlock().done()
    copy.terminal.sudo().done()
    copy.owner("unattended", "disable").done()
    copy.terminal.enable().done()
    shutil.copy2(copy.file("custody", "owner-file"), home.file("custody", "owner-file"))
    home.start()
    equal(_states(home)["unattended_error"], "custody_binding", "unattended_error")


@case
def a_failed_backend_falls_back_to_nothing():
    home = furnished()
    home.stop()
    os.unlink(home.file("custody", "owner-file"))
    home.start(env={"MEMORIES_PASSWORD": PASSWORD, "MEMORIES_UNATTENDED_KEY": "x" * 43})
    equal((_states(home)["unlocked"], _states(home)["unattended_loaded"]), (False, False), "states")


@case
def disable_works_although_the_custody_file_is_gone_or_unsafe():
    for change in (os.unlink, lambda p: os.chmod(p, 0o644)):
        home = furnished()
        change(home.file("custody", "owner-file"))
        home.owner("unattended", "disable").done()
        equal(os.listdir(home.file("custody")), [], "files of custody")
        home.terminal.enable().done()


@case
def a_custody_file_taken_away_while_running_changes_nothing_until_the_next_start():
    home = furnished()
    os.unlink(home.file("custody", "owner-file"))
    _list(home).done()
    home.restart()
    equal(_states(home)["unattended_error"], "custody_missing", "unattended_error")


@case
def the_ban_file_going_bad_bans():
    home = furnished()
    home.stop()
    ban = home.file("grants", "ban")
    size = os.path.getsize(ban)
    with open(ban, "wb") as f:
        f.write(os.urandom(size))
    home.start()
    s = _states(home)
    equal((s["unattended_loaded"], s["unattended_error"]), (False, "banned"), "states")
    _list(home).refused("banned", 77)


if __name__ == "__main__":
    main()
