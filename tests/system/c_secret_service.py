#!/usr/bin/env python3
"""c: the unattended key in the desktop's keyring: a real gnome-keyring-daemon in every state, and what no service may do."""
import base64
import contextlib
import json
import os
import shutil
import signal
import threading
import time

from harness import (BODY, PASSWORD, PATIENCE_S, Failed, Home, case, check, cmdline, equal, main, needs_root, parent_of,
                     process_only, program, within)
from dbus import Variant
from http_raw import free_port
from keyring import LOGIN, NAME, ROOT, Keyring, Relay, SessionBus
from marks import Scanner, scan_memory

BACKEND = "linux-secret-service"
NOWHERE = {"DBUS_SESSION_BUS_ADDRESS": None, "XDG_RUNTIME_DIR": "/nonexistent"}


def _unlocked(env):
    """An unlocked library with sudo, not enrolled, whose daemon has that environment."""
    home = Home()
    home.init().done()
    home.start(env=env)
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    return home


def _enable(home):
    return home.terminal.enable(BACKEND)


def _enrolled(env):
    home = _unlocked(env)
    _enable(home).done()
    home.main = home.vault("main")
    home.memory = home.add(home.main, "memory", BODY)
    home.grant, home.client = home.mint(home.main)
    return home


def _restart(home, env):
    home.stop()
    home.start(env=env)


def _error(home):
    s = home.status()
    return s["unattended_loaded"], s["unattended_error"], (s["custody"] or {}).get("detail")


def _reads(home):
    return home.read(home.client, "read", home.main, home.memory["asset"])


def _refuses(home, code, word=None):
    """It is not loaded, says why, nobody reads; and the owner still can."""
    loaded, error, detail = _error(home)
    equal((loaded, error), (False, code), "state")
    check(word is None or word in (detail or ""), f"detail {detail!r}")
    _reads(home).refused("unattended_not_loaded")
    home.terminal.unlock().done()
    home.owner("vault", "list").done()


def _children(home):
    """The processes that talk to a bus, now."""
    return [int(p) for p in os.listdir("/proc") if p.isdigit() and cmdline(p)[:2] == [b"memories-custody", b"custody-process"]
            and parent_of(p) in (home.daemon.pid, *home.processes())]


# With a keyring that is open

@case
def the_key_comes_out_of_an_open_keyring_at_every_start():
    relay = Relay(Keyring())
    home = _enrolled(relay.env())
    _reads(home).done()
    _restart(home, relay.env())
    equal(_error(home), (True, None, None), "state")
    equal(home.status()["unlocked"], False, "unlocked")
    _reads(home).done()
    equal(os.listdir(home.file("custody")), [], "files of custody")
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("unattended", "disable").done()
    equal(relay.keyring.items(), [], "items")
    home.owner("unattended", "disable").refused("not_enabled")
    _enable(home).done()
    equal(len(relay.keyring.items()), 1, "items")
    relay.check()


@case
def the_profile_has_an_item_of_its_own_and_each_goes_alone():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    home.stop()
    with open(home.file("config.json"), "w", encoding="ascii") as f:
        json.dump({"http": {"listen": f"127.0.0.1:{free_port()}"}}, f)
    home.start(env=keyring.bus.env())
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    words = [("password: ", PASSWORD)] * 2
    home.owner("profile", "enable", "--backend", BACKEND, answers=words).done()
    ours, theirs = keyring.items("memories-profile"), keyring.items()
    equal((len(ours), len(theirs)), (1, 1), "items of the profile and of unattended access")

    def profile():
        return home.cli("profile", "status").given()
    # Locked, it stays so and asks nobody; unlocked, it opens at the next start.
    keyring.lock()
    _restart(home, keyring.bus.env())
    within(PATIENCE_S, lambda: profile()["custody_error"] == "custody_locked", f"custody's error, not {profile()}")
    equal(profile()["phase"], "locked", "phase")
    keyring.restart()
    home.kill()
    home.start(env=keyring.bus.env())
    within(PATIENCE_S, lambda: profile()["phase"] == "serves", f"the profile, not {profile()}")
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("unattended", "disable").done()
    equal((len(keyring.items("memories-profile")), keyring.items()), (1, []), "items")
    _enable(home).done()
    home.owner("profile", "disable").done()
    equal((keyring.items("memories-profile"), len(keyring.items())), ([], 1), "items")


@process_only
def the_item_is_named_by_what_is_no_secret_and_holds_the_documented_text():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    item, = keyring.items()
    attributes = {k: v for k, v in keyring.attributes(item).items() if k != "xdg:schema"}
    equal(sorted(attributes), ["application", "enrolment", "home", "library"], "attributes")
    equal((attributes["application"], attributes["library"]), ("memories", home.status()["library"]), "attributes")
    text = keyring.secret(item)
    equal(len(text), 195, "length of the text")
    form = base64.urlsafe_b64decode(text + b"=")
    equal((form[:18], len(form)), (b"memories custody\0\1", 146), "form")
    material = form[82:114]
    for folder, _, names in os.walk(home.path):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    data = f.read()
                check(material not in data and text not in data, f"the material lies in {path}")


@process_only
def status_says_in_words_what_the_custody_protects_against():
    keyring = Keyring()
    home = _unlocked(keyring.bus.env())
    equal(home.status()["custody"], None, "custody before enrolment")
    _enable(home).done()
    c = home.status()["custody"]
    equal((c["backend"], c["detail"]), (BACKEND, None), "custody")
    check("at rest" in c["protects"] and "your own account" in c["does_not_protect"], f"words: {c}")
    words = home.cli("status", json=False).done().out.decode()
    check(c["protects"] in words and c["does_not_protect"] in words, f"for people: {words}")
    home.owner("unattended", "disable").done()
    home.terminal.enable("owner-file").done()
    c = home.status()["custody"]
    equal(c["backend"], "owner-file", "custody")
    check("at rest" in c["does_not_protect"], f"words: {c}")


@process_only
def no_process_that_stays_has_the_library_of_the_bus():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    _restart(home, keyring.bus.env())
    for pid in (home.daemon.pid, *home.processes()):
        with open(f"/proc/{pid}/maps") as f:
            check("libsystemd" not in f.read(), f"{cmdline(pid)} has libsystemd")


@process_only
def what_a_keyring_holds_is_in_no_memory_no_file_and_no_word_of_the_daemon_that_loaded_it():
    needs_root()
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    text = keyring.secret(keyring.items()[0])
    scanner = Scanner({"material": base64.urlsafe_b64decode(text + b"=")[82:114], "text": text})
    home.stop()
    home.start("--trace", env=keyring.bus.env())
    _reads(home).done()
    for pid, name in home.processes().items():
        found, n = scan_memory(pid, scanner)
        check(n > 0, f"nothing of {name} was read")
        equal(found, [], f"material in the memory of {name}")
    for folder, _, names in os.walk(home.dir):
        for path in (os.path.join(folder, name) for name in names):
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    scanner.check(f.read(), path)


# Locked

@case
def a_locked_keyring_is_said_to_be_locked_and_nobody_is_asked():
    relay = Relay(Keyring())
    home = _enrolled(relay.env())
    relay.keyring.lock()
    _restart(home, relay.env())
    _refuses(home, "custody_locked")
    home.terminal.sudo().done()
    # The ban and the revocations stand; the removal is reported, and works once it is open.
    home.owner("unattended", "disable").refused("custody_locked")
    equal(home.unattended_status()["inhibited"], True, "inhibited")
    equal(home.unattended_status()["grants"], [], "grants")
    equal(home.unattended_status()["enabled"], True, "enabled")
    _reads(home).refused("banned")
    relay.keyring.restart()
    equal(len(relay.keyring.items()), 1, "items")
    home.owner("unattended", "disable").done()
    equal(relay.keyring.items(), [], "items")
    equal(home.unattended_status()["enabled"], False, "enabled")
    relay.check()


@process_only
def enabling_with_a_locked_keyring_makes_nothing():
    relay = Relay(Keyring())
    home = _unlocked(relay.env())
    relay.keyring.lock()
    _enable(home).refused("custody_locked")
    equal(home.status()["unattended_loaded"], False, "loaded")
    equal(home.unattended_status()["enabled"], False, "enabled")
    relay.keyring.restart()
    equal(relay.keyring.items(), [], "items")
    _enable(home).done()
    relay.check()


@process_only
def a_keyring_that_is_opened_later_gives_the_key_at_the_next_start():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    keyring.restart(unlock=False)
    _restart(home, keyring.bus.env())
    equal(_error(home)[:2], (False, "custody_locked"), "state")
    keyring.restart()
    _restart(home, keyring.bus.env())
    equal(_error(home), (True, None, None), "state")
    _reads(home).done()


@process_only
def a_keyring_locked_between_two_calls_is_locked():
    relay = Relay(Keyring())
    home = _enrolled(relay.env())
    for member in ("ReadAlias", "Get", "SearchItems", "GetSecret"):
        relay.before = {member: lambda r, m: r.keyring.lock()}
        _restart(home, relay.env())
        equal(_error(home)[:2], (False, "custody_locked"), f"locked before {member}")
        relay.before = {}
        relay.keyring.restart()
    _restart(home, relay.env())
    equal(_error(home), (True, None, None), "state")
    relay.check()


@process_only
def a_service_that_says_that_a_part_of_it_is_locked_is_not_asked_for_more():
    # KeePassXC gives an item that it would ask for, and a locked database that answers as an empty one.
    relay = Relay(Keyring())
    home = _enrolled(relay.env())
    item, = relay.keyring.items()
    for path, last in ((LOGIN, "Get"), (item, "Get")):
        relay.before = {"Get": lambda r, m, path=path: ("v", [Variant("b", True)]) if m.path == path else None}
        relay.calls.clear()
        _restart(home, relay.env())
        equal(_error(home)[:2], (False, "custody_locked"), f"{path} says that it is locked")
        equal(relay.members()[-1], last, f"the last call to {relay.members()}")
    equal(relay.members().count("Get"), 2, "collection and item")
    relay.check()


@process_only
def a_keyring_locked_while_enabling_makes_nothing():
    relay = Relay(Keyring())
    home = _unlocked(relay.env())
    for member in ("CreateItem", "SearchItems", "GetSecret"):
        relay.before = {member: lambda r, m: r.keyring.lock()}
        _enable(home).refused("custody_locked")
        equal(home.unattended_status()["enabled"], False, f"enabled, locked before {member}")
        relay.before = {}
        relay.keyring.restart()
    _enable(home).done()
    equal(len(relay.keyring.items()), 1, "what the failed ones left is gone")
    relay.check()


# Not there

@process_only
def no_bus_is_said_to_be_unavailable():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    for env in (NOWHERE, {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus", "XDG_RUNTIME_DIR": None}):
        _restart(home, env)
        _refuses(home, "custody_unavailable", "no session bus")
    home.terminal.sudo().done()
    home.owner("unattended", "disable").refused("custody_unavailable")
    equal(home.unattended_status()["inhibited"], True, "inhibited")
    # For a keyring that is gone for good: what it holds stays there, and another backend can be chosen.
    home.owner("unattended", "disable", "--leave-material").done()
    equal(home.unattended_status()["enabled"], False, "enabled")
    equal(len(keyring.items()), 1, "items")
    home.terminal.enable("owner-file").done()
    home.stop()
    home.start(env=NOWHERE)
    equal(_error(home), (True, None, None), "state with another backend")


@process_only
def no_service_is_said_to_be_unavailable_and_none_is_started():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    keyring.kill()
    _restart(home, keyring.bus.env())
    _refuses(home, "custody_unavailable", NAME)
    home = _unlocked(SessionBus().env())
    _enable(home).refused("custody_unavailable")
    equal(home.status()["unattended_loaded"], False, "loaded")


@process_only
def a_service_without_a_default_collection_is_unavailable():
    relay = Relay(Keyring())
    home = _enrolled(relay.env())
    for path in ("/", ROOT + "/collection/session"):
        relay.before = {"ReadAlias": lambda r, m, path=path: ("o", [path])}
        _restart(home, relay.env())
        _refuses(home, "custody_unavailable", "default collection")
    home.terminal.sudo().done()
    relay.check()


# Gone, changed, twice

@process_only
def an_item_that_was_removed_is_missing_and_no_new_key_is_made():
    relay = Relay(Keyring())
    home = _enrolled(relay.env())
    relay.keyring.call(relay.keyring.items()[0], "Item", "Delete")
    relay.calls.clear()
    _restart(home, relay.env())
    _refuses(home, "custody_missing")
    equal(relay.keyring.items(), [], "items")
    check("CreateItem" not in relay.members(), "an item was made")
    home.terminal.sudo().done()
    home.owner("unattended", "disable").done()
    _enable(home).done()
    relay.check()


@process_only
def an_item_removed_between_two_calls_is_missing():
    relay = Relay(Keyring())
    home = _enrolled(relay.env())
    relay.before = {"GetSecret": lambda r, m: r.keyring.call(m.path, "Item", "Delete") and None}
    _restart(home, relay.env())
    _refuses(home, "custody_missing")
    relay.check()


@process_only
def an_item_that_was_altered_is_invalid_and_one_of_elsewhere_does_not_bind():
    keyring, other = Keyring(), Keyring()
    home, stranger = _enrolled(keyring.bus.env()), _unlocked(other.bus.env())
    _enable(stranger).done()
    item, = keyring.items()
    good = keyring.secret(item)
    theirs = other.secret(other.items()[0])
    for value, code in ((b"", "custody_invalid"), (b"x" * 195, "custody_invalid"), (good[:-1], "custody_invalid"),
                        (good[:100] + (b"A" if good[100:101] != b"A" else b"B") + good[101:], "custody_invalid"),
                        (b"y" * 5000, "custody_invalid"), (theirs, "custody_binding")):
        keyring.set_secret(item, value)
        _restart(home, keyring.bus.env())
        equal(_error(home)[:2], (False, code), f"with {value[:20]!r}")
    keyring.set_secret(item, good)
    _restart(home, keyring.bus.env())
    equal(_error(home), (True, None, None), "state")


@process_only
def two_items_are_invalid_and_it_says_that_there_are_two():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    item, = keyring.items()
    keyring.add({**keyring.attributes(item), "more": "1"}, keyring.secret(item))
    equal(len(keyring.items()), 2, "items")
    _restart(home, keyring.bus.env())
    _refuses(home, "custody_invalid", "more than one item")
    home.terminal.sudo().done()
    home.owner("unattended", "disable").done()
    equal(keyring.items(), [], "both are gone")


@process_only
def a_copy_of_the_home_opens_nothing_and_its_end_leaves_the_item_of_another_enrolment():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    home.stop()
    copy = Home()
    shutil.copytree(home.path, copy.path, symlinks=True)
    copy.start(env=keyring.bus.env())
    equal(_error(copy)[:2], (False, "custody_binding"), "state of the copy")
    home.start(env=keyring.bus.env())
    equal(_error(home), (True, None, None), "state")
    for each in (home, copy):
        each.terminal.unlock().done()
        each.terminal.sudo().done()
    # The home's enrolment is another now; the copy's old one is over, and its new one is its own.
    home.owner("unattended", "disable").done()
    _enable(home).done()
    copy.owner("unattended", "disable").done()
    equal(len(keyring.items()), 1, "items")
    _enable(copy).done()
    equal(len(keyring.items()), 2, "items")
    home.owner("unattended", "disable").done()
    _restart(copy, keyring.bus.env())
    equal(_error(copy), (True, None, None), "state of the copy")


@process_only
def a_damaged_keyring_file_looks_empty_and_no_new_key_is_made():
    relay = Relay(Keyring())
    home = _enrolled(relay.env())
    relay.keyring.kill()
    size = os.path.getsize(relay.keyring.file())
    os.truncate(relay.keyring.file(), size // 2)
    relay.keyring.start()
    relay.calls.clear()
    _restart(home, relay.env())
    _refuses(home, "custody_missing")
    check("CreateItem" not in relay.members(), "an item was made")
    relay.check()


@process_only
def a_keyring_that_takes_and_does_not_keep_enables_nothing():
    relay = Relay(Keyring())
    home = _unlocked(relay.env())
    relay.before = {"CreateItem": lambda r, m: ("oo", [LOGIN + "/77", "/"])}
    r = _enable(home).refused("custody_invalid")
    check(b"did not give back" in r.err, f"detail: {r}")
    equal(home.status()["unattended_loaded"], False, "loaded")
    equal(home.unattended_status()["enabled"], False, "enabled")
    relay.before = {}
    _enable(home).done()


# What would ask somebody, and what breaks the protocol

@process_only
def a_service_that_wants_to_prompt_is_refused_and_not_prompted():
    relay = Relay(Keyring())
    home = _unlocked(relay.env())
    prompt = ROOT + "/prompt/p1"
    relay.before = {"CreateItem": lambda r, m: ("oo", ["/", prompt])}
    r = _enable(home).refused("custody_locked")
    check(b"wants to ask" in r.err, f"detail: {r}")
    relay.before = {}
    _enable(home).done()
    relay.before = {"Delete": lambda r, m: ("o", [prompt])}
    home.owner("unattended", "disable").refused("custody_locked")
    relay.before = {}
    home.owner("unattended", "disable").done()
    relay.check()


@process_only
def a_service_that_answers_what_it_should_not_is_invalid_and_nothing_breaks():
    relay = Relay(Keyring())
    home = _enrolled(relay.env())
    good = relay.keyring.secret(relay.keyring.items()[0])
    answers = [("ReadAlias", ("s", ["/not/a/path"])), ("OpenSession", ("s", ["?"])), ("Get", ("s", ["no variant"])),
               ("SearchItems", ("as", [["x"]])), ("SearchItems", ("ao", [[f"{LOGIN}/{i}" for i in range(3000)]])),
               ("GetSecret", ("s", ["x"])), ("GetSecret", ("(oayays)", [(ROOT + "/session/other", b"", good, "text/plain")])),
               ("GetSecret", ("(oayays)", [("/", b"", b"x" * 1000000, "")]))]
    for member, answer in answers:
        relay.before = {member: lambda r, m, answer=answer: answer}
        _restart(home, relay.env())
        equal(_error(home)[:2], (False, "custody_invalid"), f"with {member} {answer[0]}")
    relay.check()


# Slow, dead, and what goes on meanwhile

@process_only
def a_service_killed_in_mid_call_is_unavailable_at_once():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    home.stop()
    keyring.stop()
    began = time.monotonic()
    home.spawn(env=keyring.bus.env())
    within(PATIENCE_S, lambda: _children(home), "the process that talks to the bus")
    time.sleep(0.2)
    keyring.kill()
    loaded = within(PATIENCE_S, lambda: _state_or_none(home), "an answer of the daemon")
    equal(loaded[:2], (False, "custody_unavailable"), "state")
    check(time.monotonic() - began < 10, "it took long")
    within(PATIENCE_S, lambda: not _children(home), "end of the process")


def _state_or_none(home):
    with contextlib.suppress(Failed, ValueError):
        s = _error(home)
        return s if s[1] not in (None, "unattended_not_loaded") else None


@case
def an_answer_that_never_comes_ends_after_two_seconds_and_others_are_served_meanwhile():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    home.owner("unattended", "disable").done()
    keyring.stop()
    done = {}

    def enable():
        began = time.monotonic()
        done["result"] = _enable(home)
        done["took"] = time.monotonic() - began
    thread = threading.Thread(target=enable)
    thread.start()
    child = within(PATIENCE_S, lambda: _children(home), "the process that talks to the bus")[0]
    _look_at(child, keyring)
    served = 0
    while parent_of(child) != 0:
        home.status()
        home.cli("vault", "list").done()
        served += 1
    thread.join(30)
    done["result"].refused("custody_unavailable")
    check(b"no answer" in done["result"].err, f"detail: {done['result']}")
    check(1.5 < done["took"] < 10, f"it took {done['took']:.1f} s")
    check(served >= 3, f"served {served} times meanwhile")
    equal(home.unattended_status()["enabled"], False, "enabled")
    equal(_children(home), [], "processes left")


def _links(child):
    links = []
    for fd in os.listdir(f"/proc/{child}/fd"):
        with contextlib.suppress(FileNotFoundError):
            links.append(os.readlink(f"/proc/{child}/fd/{fd}"))
    return links


def _look_at(child, keyring):
    """No argument, no variable but two, no descriptor but its socket and the bus; and it would not be dumped."""
    equal(cmdline(child), [b"memories-custody", b"custody-process", b""], "arguments")
    if os.geteuid() == 0:
        with open(f"/proc/{child}/environ", "rb") as f:
            names = sorted(v.split(b"=")[0] for v in f.read().split(b"\0") if v)
        equal(names, [b"DBUS_SESSION_BUS_ADDRESS", b"XDG_RUNTIME_DIR"], "environment")
        # The loader has a library open for a moment, while it maps it.
        within(1, lambda: not any(".so" in t for t in _links(child)), "the libraries are loaded")
        links = _links(child)
        check(all(t == "/dev/null" or t.startswith(("socket:", "anon_inode:")) for t in links), f"descriptors {links}")
    with open(f"/proc/{child}/limits") as f:
        core = [line.split() for line in f if line.startswith("Max core file size")][0]
    equal(core[4:6], ["0", "0"], "core limit")


@process_only
def a_start_with_a_service_that_hangs_is_ready_all_the_same():
    relay = Relay(Keyring())
    home = _enrolled(relay.env())
    for member in ("OpenSession", "GetSecret"):
        relay.before = {member: lambda r, m: "never"}
        began = time.monotonic()
        _restart(home, relay.env())
        check(time.monotonic() - began < 15, "it took long")
        equal(_error(home), (False, "custody_unavailable", "the keyring gave no answer"), f"{member} never answered")
        equal(_children(home), [], "processes left")
    relay.check()


@case
def the_process_that_talks_dies_with_the_one_that_started_it():
    keyring = Keyring()
    home = _enrolled(keyring.bus.env())
    home.stop()
    keyring.stop()
    home.spawn(env=keyring.bus.env())
    child = within(PATIENCE_S, lambda: _children(home), "the process that talks to the bus")[0]
    home.daemon.send_signal(signal.SIGKILL)
    home.daemon.wait()
    within(1.5, lambda: parent_of(child) == 0, "its end")
    home.daemon = None


@case
def who_starts_that_process_by_hand_gets_nothing_from_it():
    r = program("custody-process")
    equal((r.code, r.error), (2, "usage"), f"{r}")


if __name__ == "__main__":
    main()
