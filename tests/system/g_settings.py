#!/usr/bin/env python3
"""g: what the owner sets for the whole library: password, Center, devices."""
import contextlib
import os
import signal
import threading

from harness import PASSWORD, TIME, UUID, Failed, case, check, equal, furnished, main, shape, within

NEW = "another horse 蓄電池 staple"
WITH_CENTER = {"unattended_loaded": False, "unattended_error": "center_managed"}


def _passwd(home, password=NEW, again=None):
    return home.owner("passwd", answers=[("Password: ", password), ("Repeat password: ", again or password)])


def _why(home):
    s = home.status()
    return {k: s[k] for k in ("unattended_loaded", "unattended_error")}


def _last_config(home):
    return [(r["config"], r.get("about")) for r in home.owner("audit", "show", "--type", "config").given()["records"]][-1]


@case
def a_new_password_unlocks_and_the_old_one_does_no_more():
    home = furnished()
    home.owner("sudo", "--end").done()
    home.owner("passwd").refused("sudo_required", 77)
    home.terminal.sudo().done()
    _passwd(home, NEW, "something else").refused("password_mismatch", 77)
    equal(_passwd(home).given(), {}, "answer")
    home.owner("unattended", "status").refused("sudo_required", 77)
    equal(_last_config(home), ("password", None), "record")
    home.terminal.sudo().refused("wrong_password", 77)
    home.terminal.sudo(NEW).done()
    home.owner("lock").done()
    home.terminal.unlock().refused("wrong_password", 77)
    home.terminal.unlock(NEW).done()
    home.restart()
    home.terminal.unlock(NEW).done()
    equal(home.owner("asset", "show", home.main, home.memory["asset"]).given()["title"], "Shopping", "what was stored before")


@case
def a_password_is_asked_for_on_a_terminal_alone():
    home = furnished()
    home.cli("passwd", input=b"x\nx\n").refused("sudo_required", 77)


def _passwd_under_a_kill(home, password, after_s):
    """True when the program said that it was done."""
    core = home.process("core")
    timer = threading.Timer(after_s, os.kill, (core, signal.SIGKILL))
    timer.start()
    done = False
    with contextlib.suppress(Failed):  # it may end before it asks
        done = _passwd(home, password).code == 0
    timer.join()
    within(30, lambda: home.process("core") != core, "a new core")
    return done


def _unlocks(home, password):
    """Right or wrong, once the daemon is there to say so."""
    said = []

    def known():
        with contextlib.suppress(Failed):
            r = home.terminal.unlock(password)
            said[:] = [r.code == 0]
            return r.code == 0 or r.error == "wrong_password"
    within(60, known, "an answer to unlock")
    return said[0]


@case
def a_daemon_killed_at_any_moment_of_it_knows_one_of_the_two_passwords():
    home = furnished()
    known = PASSWORD
    for i in range(10):
        within(30, lambda: _sudo(home, known), "sudo")
        fresh = f"password {i}"
        done = _passwd_under_a_kill(home, fresh, 0.02 + 0.012 * i)
        works = [p for p in (known, fresh) if _unlocks(home, p)]
        equal(len(works), 1, f"how many of the two passwords work in round {i}")
        check(not done or works == [fresh], f"the password that was said to be set does not work, round {i}")
        known = works[0]


def _sudo(home, password):
    with contextlib.suppress(Failed):
        return home.terminal.sudo(password).code == 0


@case
def while_a_center_manages_the_library_nothing_is_read_unattended():
    home = furnished()
    home.owner("library", "managed-by", "somebody").refused("invalid_argument", 2)
    equal(home.owner("library", "managed-by", "center").given(), {}, "answer")
    equal(_why(home), WITH_CENTER, "states")
    for command in (["list", home.main], ["read", home.main, home.memory["asset"]]):
        home.read(home.client, *command).refused("center_managed", 77)
    home.terminal.sudo().done()
    home.owner("unattended", "resume").refused("center_managed", 77)
    equal(_last_config(home), ("center", None), "record")
    home.restart()
    equal(_why(home), WITH_CENTER, "states after a restart")
    home.terminal.unlock().done()
    home.owner("asset", "list", home.main).done()
    home.owner("library", "managed-by", "NONE").done()
    equal(_last_config(home), ("no_center", None), "record")
    within(30, lambda: home.status()["unattended_loaded"], "the key is loaded again")
    home.read(home.client, "list", home.main).done()


@case
def a_device_that_is_removed_reads_nothing_unattended_until_it_is_added_again():
    home = furnished()
    home.owner("sudo", "--end").done()
    home.owner("device", "list").refused("sudo_required", 77)
    home.terminal.sudo().done()
    listed = home.owner("device", "list").given()
    shape(listed, {"devices": [{"device": UUID, "local": True, "member": True, "created_at": TIME}], "offset": 0, "next": None})
    device = listed["devices"][0]["device"]
    home.owner("device", "remove", home.grant).refused("not_found", 1)
    home.owner("device", "remove", "x").refused("invalid_argument", 2)
    home.owner("device", "remove", device).done()
    equal(_last_config(home), ("device_removed", device), "record")
    home.read(home.client, "read", home.main, home.memory["asset"]).refused("device_removed", 77)
    equal(home.owner("device", "list").given()["devices"][0]["member"], False, "member")
    home.restart()
    home.read(home.client, "list", home.main).refused("device_removed", 77)
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("device", "add", device).done()
    within(30, lambda: home.status()["unattended_loaded"], "the key is loaded again")
    home.read(home.client, "list", home.main).done()


@case
def a_locked_library_takes_no_settings():
    home = furnished()
    home.restart()
    for command in (["passwd"], ["library", "managed-by", "center"], ["device", "list"], ["device", "remove", home.grant]):
        home.owner(*command).refused("locked", 77)


if __name__ == "__main__":
    main()
