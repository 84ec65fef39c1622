#!/usr/bin/env python3
"""g: the library locks by itself when its owner is away; what that leaves alone."""
import json
import os

from harness import case, check, equal, furnished, main, within

KEY_ONLY = {"unlocked": False, "unattended_loaded": True, "unattended_error": None, "manual_lock": False}


def _states(home):
    s = home.status()
    return {k: s[k] for k in KEY_ONLY}


def _with_idle_lock(seconds):
    home = furnished()
    with open(os.path.join(home.path, "config.json"), "w", encoding="ascii") as f:
        json.dump({"idle_lock_seconds": seconds}, f)
    home.restart()
    home.terminal.unlock().done()
    return home


@case
def without_its_owner_the_library_locks_and_grants_read_on():
    home = _with_idle_lock(2)
    home.owner("vault", "list").done()
    home.terminal.sudo().done()
    within(20, lambda: not home.status()["unlocked"], "idle lock")
    equal(_states(home), KEY_ONLY, "states after an idle lock")
    home.owner("vault", "list").refused("locked", 77)
    home.read(home.client, "read", home.main, home.memory["asset"]).done()
    home.terminal.unlock().done()
    home.owner("unattended", "status").refused("sudo_required", 77)
    home.restart()
    equal(_states(home), KEY_ONLY, "states after a restart: an idle lock is no ban")


@case
def reads_of_a_grant_do_not_hold_the_lock_off_and_those_of_the_owner_do():
    home = _with_idle_lock(3)
    for _ in range(8):
        home.owner("asset", "list", home.main).done()
        check(home.status()["unlocked"], "locked although its owner was here")

    def locked():
        home.read(home.client, "list", home.main).done()
        return not home.status()["unlocked"]
    within(20, locked, "idle lock under a grant's reads")


@case
def a_setting_that_is_none_stops_the_daemon_with_a_word():
    home = furnished()
    home.stop()
    with open(os.path.join(home.path, "config.json"), "w", encoding="ascii") as f:
        f.write('{"idle_lock_seconds":"soon"}')
    home.cli("daemon", json=False).refused("config_invalid", 1, json=False)


if __name__ == "__main__":
    main()
