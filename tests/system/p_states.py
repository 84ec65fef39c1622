#!/usr/bin/env python3
"""p: the remote profile is opened, closed, locked and put into maintenance; what opens it after a restart, and what ends that."""
import json
import os
import signal
import socket
import stat
import urllib.error
import urllib.request

from harness import PASSWORD, PATIENCE_S, Home, case, check, equal, library, main, process_only, within
from http_raw import free_port

SUDO = [("Sudo password: ", PASSWORD)]
FIRST = [*SUDO, ("password: ", "pages 密码 1"), ("password: ", "pages 密码 1")]
MATERIAL = ("custody", "profile-owner-file")


def config(home, **more):
    with open(home.file("config.json"), "w", encoding="utf-8") as f:
        json.dump(more, f)


def profile_home(**more):
    """An unlocked library whose endpoint has a port, and is not enabled."""
    home = Home()
    home.init().done()
    home.port = free_port()
    config(home, http={"listen": f"127.0.0.1:{home.port}"}, **more)
    home.start()
    home.terminal.unlock().done()
    return home


def enabled(*options, **more):
    home = profile_home(**more)
    home.owner("profile", "enable", *options, answers=FIRST).done()
    return home


def state(home):
    return home.cli("profile", "status").given()


def phase(home):
    return state(home)["phase"]


def becomes(home, wanted):
    within(PATIENCE_S, lambda: phase(home) == wanted, f"phase {wanted}, not {state(home)}")


def get(home, path):
    """Status and text; 0 when nobody listens."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{home.port}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()
    except urllib.error.URLError:
        return 0, ""


def healthz(home):
    return get(home, "/healthz")[0]


def log_configs(home):
    return [r.get("config") for r in home.records() if r["type"] == "config"]


@case
def what_was_never_enabled_opens_no_port():
    home = profile_home()
    equal(phase(home), "never_enabled", "phase")
    equal(get(home, "/healthz"), (0, ""), "somebody listens")
    home.owner("profile", "maintenance", "on").refused("profile_off", 1)
    home.owner("profile", "disable", answers=SUDO).refused("profile_off", 1)
    home.restart()
    equal(get(home, "/healthz"), (0, ""), "somebody listens")


@case
def it_is_enabled_with_sudo_serves_while_unlocked_and_closes_at_a_lock():
    home = enabled()
    equal(phase(home), "serves", "phase")
    within(PATIENCE_S, lambda: healthz(home) == 200, "an endpoint that answers")
    home.owner("lock").done()
    # The lock was answered, so nobody has the key any more.
    equal(phase(home), "locked", "phase after a lock")
    equal(healthz(home), 503, "answer while locked")
    home.terminal.unlock().done()
    becomes(home, "serves")
    home.restart()
    equal(phase(home), "locked", "phase after a restart")
    within(PATIENCE_S, lambda: healthz(home) == 503, "an endpoint that says that it is locked")
    home.terminal.unlock().done()
    becomes(home, "serves")
    check("profile_enabled" in log_configs(home), "no record of it")


@case
def enabling_needs_the_password_again():
    home = profile_home()
    home.owner("profile", "enable", answers=[("Sudo password: ", "wrong")]).refused("wrong_password", 77)
    equal(phase(home), "never_enabled", "phase")
    check("profile_enabled" not in log_configs(home), "a record of what was not done")


@case
def a_first_password_that_is_not_good_leaves_it_as_it_was():
    home = profile_home()
    home.terminal.sudo().done()
    for one, other, code in (("long enough", "but another", "password_mismatch"), ("short", "short", "invalid_argument")):
        home.owner("profile", "enable", answers=[("password: ", one), ("password: ", other)]).refused(code)
        equal((phase(home), "profile_enabled" in log_configs(home)), ("never_enabled", False), "phase and record")
    home.owner("profile", "enable", answers=FIRST[-2:]).done()
    becomes(home, "serves")


@case
def disabled_it_says_so_and_is_enabled_again():
    home = enabled()
    home.owner("profile", "disable").done()
    equal(phase(home), "off", "phase")
    equal(healthz(home), 503, "answer when disabled")
    home.restart()
    equal(phase(home), "off", "phase after a restart")
    home.terminal.unlock().done()
    equal(phase(home), "off", "phase after an unlock")
    home.owner("profile", "enable", answers=SUDO).done()
    equal(phase(home), "serves", "phase")
    check("profile_disabled" in log_configs(home), "no record of it")


@case
def maintenance_says_the_owners_words_until_its_end():
    home = enabled()
    within(PATIENCE_S, lambda: healthz(home) == 200, "an endpoint that answers")
    home.owner("profile", "maintenance", "on", "--message", "back at 六").done()
    equal((phase(home), state(home)["message"]), ("maintenance", "back at 六"), "state")
    within(PATIENCE_S, lambda: healthz(home) == 503, "an endpoint in maintenance")
    status, text = get(home, "/mcp")
    check(status == 503 and "back at 六" in text, f"{status}: {text}")
    home.restart()
    equal(phase(home), "maintenance", "phase after a restart")
    home.terminal.unlock().done()
    home.owner("profile", "maintenance", "off").done()
    becomes(home, "serves")
    within(PATIENCE_S, lambda: healthz(home) == 200, "an endpoint that answers again")
    home.owner("profile", "maintenance", "on", "--message", "two\nlines").refused("invalid_argument", 2)
    home.owner("profile", "maintenance", "on", "--message", "x" * 1201).refused("invalid_argument", 2)
    home.owner("profile", "maintenance", "on", "--message", "\x9b31m").refused("invalid_argument", 2)
    configs = log_configs(home)
    check("profile_maintenance" in configs and "profile_no_maintenance" in configs, f"records {configs}")


@case
def a_custody_opens_it_after_a_restart_and_nothing_else():
    home = enabled("--backend", "owner-file")
    equal({k: state(home)[k] for k in ("phase", "backend", "custody_loaded", "banned")},
          {"phase": "serves", "backend": "owner-file", "custody_loaded": True, "banned": False}, "state")
    equal(stat.S_IMODE(os.stat(home.file(*MATERIAL)).st_mode), 0o600, "mode of the material")
    home.restart()
    becomes(home, "serves")
    within(PATIENCE_S, lambda: healthz(home) == 200, "an endpoint that answers")
    s = home.status()
    equal((s["unlocked"], s["unattended_loaded"]), (False, False), "what else is open")
    home.owner("vault", "list").refused("locked", 77)
    # Its log goes on in an epoch that the profile's delegate certifies.
    home.cli("audit", "verify").done()


@case
def a_manual_lock_bans_the_custody_until_resume():
    home = enabled("--backend", "owner-file")
    home.owner("lock").done()
    equal({k: state(home)[k] for k in ("phase", "custody_loaded", "banned")},
          {"phase": "locked", "custody_loaded": False, "banned": True}, "state after a lock")
    home.restart()
    equal((phase(home), state(home)["banned"]), ("locked", True), "state after a restart")
    # An unlock opens it by the password and lifts nothing.
    home.terminal.unlock().done()
    becomes(home, "serves")
    equal(state(home)["custody_loaded"], False, "custody after an unlock")
    home.restart()
    equal(phase(home), "locked", "phase after a further restart")
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("unattended", "resume").done()
    within(PATIENCE_S, lambda: state(home)["custody_loaded"], "custody after resume")
    home.restart()
    becomes(home, "serves")


@case
def the_idle_lock_leaves_what_custody_opened_and_takes_the_rest():
    home = enabled("--backend", "owner-file", idle_lock_seconds=2)
    within(20, lambda: not home.status()["unlocked"], "idle lock")
    equal(phase(home), "serves", "phase after an idle lock")
    equal(healthz(home), 200, "answer after an idle lock")
    home = enabled(idle_lock_seconds=2)
    within(20, lambda: not home.status()["unlocked"], "idle lock")
    becomes(home, "locked")


@case
def its_custody_and_that_of_unattended_access_are_two():
    home = library()
    home.port = free_port()
    config(home, http={"listen": f"127.0.0.1:{home.port}"})
    home.restart()
    home.terminal.unlock().done()
    home.owner("profile", "enable", "--backend", "owner-file", answers=FIRST).done()
    home.owner("unattended", "disable").done()
    check(not os.path.exists(home.file("custody", "owner-file")), "material of unattended access")
    home.restart()
    becomes(home, "serves")
    equal(home.status()["unattended_loaded"], False, "unattended access")
    home.terminal.unlock().done()
    home.terminal.enable(more=[("Sudo password: ", PASSWORD)]).done()
    home.owner("profile", "disable").done()
    check(not os.path.exists(home.file(*MATERIAL)), "material of the profile")
    home.restart()
    equal((home.status()["unattended_loaded"], phase(home)), (True, "off"), "state")


@case
def material_of_the_one_is_none_of_the_others():
    home = library()
    home.port = free_port()
    config(home, http={"listen": f"127.0.0.1:{home.port}"})
    home.restart()
    home.terminal.unlock().done()
    home.owner("profile", "enable", "--backend", "owner-file", answers=FIRST).done()
    home.stop()
    ours, theirs = home.file(*MATERIAL), home.file("custody", "owner-file")
    with open(ours, "rb") as a, open(theirs, "rb") as b:
        one, other = a.read(), b.read()
    for path, content in ((ours, other), (theirs, one)):
        with open(path, "wb") as f:
            f.write(content)
    home.start()
    within(PATIENCE_S, lambda: state(home)["custody_error"] == "custody_binding", f"custody's error, not {state(home)}")
    equal((phase(home), home.status()["unattended_error"]), ("locked", "custody_binding"), "state")


@case
def an_address_that_is_taken_is_said_and_tried_again():
    taken = socket.create_server(("127.0.0.1", 0))
    home = Home()
    home.init().done()
    home.port = taken.getsockname()[1]
    config(home, http={"listen": f"127.0.0.1:{home.port}"})
    home.start()
    home.terminal.unlock().done()
    home.owner("profile", "enable", answers=FIRST).done()
    within(PATIENCE_S, lambda: state(home)["http"]["error"] == "listen_failed", f"the error, not {state(home)}")
    taken.close()
    within(PATIENCE_S, lambda: state(home)["http"]["listening"], "an endpoint that listens")
    within(PATIENCE_S, lambda: healthz(home) == 200, "an endpoint that answers")


@case
def a_database_that_is_damaged_is_said_and_nothing_of_it_served():
    home = enabled()
    home.owner("profile", "fact", "add", "-", "--category", "basic", "--label", "x", input=b"y").done()
    home.stop()
    with open(home.file("profile", "data.mdb"), "r+b") as f:
        content = bytearray(f.read())
        for end in range(2 * 4096, len(content), 4096):
            content[end + 4096 - 40] ^= 1
        f.seek(0)
        f.write(content)
    home.start()
    home.terminal.unlock().done()
    within(PATIENCE_S, lambda: state(home)["error"] == "storage_corrupt", f"the reason, not {state(home)}")
    equal((phase(home), healthz(home), home.status()["profile"]), ("locked", 503, "locked"), "state")
    home.owner("profile", "fact", "list").refused("storage_corrupt", 74)
    check("profile: storage_corrupt" in home.tail(), f"the daemon's words: {home.tail()}")
    home.owner("lock").done()
    equal(state(home)["error"], None, "error while it is locked")


@process_only
def each_process_of_it_that_dies_comes_back_and_serves():
    home = enabled("--backend", "owner-file")
    within(PATIENCE_S, lambda: healthz(home) == 200, "an endpoint that answers")
    for name in ("profile", "http", "keyring", "audit"):
        pid = home.process(name)
        os.kill(pid, signal.SIGKILL)
        within(PATIENCE_S, lambda name=name, pid=pid: home.process(name) != pid, f"a new {name}")
        within(PATIENCE_S, lambda: phase(home) == "serves" and healthz(home) == 200, f"service after {name} was killed")


@process_only
def without_custody_a_new_keyring_needs_the_password():
    home = enabled()
    within(PATIENCE_S, lambda: healthz(home) == 200, "an endpoint that answers")
    os.kill(home.process("keyring"), signal.SIGKILL)
    within(PATIENCE_S, lambda: healthz(home) == 503, "an endpoint that says that it is locked")
    equal(phase(home), "locked", "phase")
    home.terminal.unlock_soon()
    becomes(home, "serves")
    within(PATIENCE_S, lambda: healthz(home) == 200, "an endpoint that answers again")


@process_only
def a_profile_that_hangs_is_ended_by_a_lock():
    home = enabled()
    pid = home.process("profile")
    os.kill(pid, signal.SIGSTOP)
    home.owner("lock").done()
    check(not os.path.exists(f"/proc/{pid}") or home.process("profile") != pid, "a process that may hold the key")
    equal(phase(home), "locked", "phase")


if __name__ == "__main__":
    main()
