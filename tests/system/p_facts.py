#!/usr/bin/env python3
"""p: facts of the profile: added, listed, changed and put away by their owner, and the password of its pages."""
import atexit
import glob
import os
import sys

from harness import (NO_ID, PATIENCE_S, TIME, UUID, Home, Terminal, case, check, equal, main, program, remove, shape, shared,
                     within)
from http_client import PAGES_PASSWORD, configure, free_port

# Drafts of this run alone, in memory.
OURS = f"/dev/shm/memories-test-{os.getpid()}"
os.mkdir(OURS, 0o700)
atexit.register(remove, OURS)
os.environ["XDG_RUNTIME_DIR"] = OURS

TWICE = [("password: ", PAGES_PASSWORD), ("password: ", PAGES_PASSWORD)]

FACT = {"id": UUID, "category": str, "label": str, "value": str, "evidence": str, "version": int, "updated_at": TIME, "created_at": TIME,
        "revision": UUID, "uncertain": bool, "sensitive": bool, "archived": bool, "shared_with": [{"connection": UUID, "confirmed": bool}]}


def closed():
    """An unlocked library whose profile was never enabled."""
    home = Home()
    home.init().done()
    configure(home, free_port())
    home.start()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    return home


def opened():
    home = closed()
    home.owner("profile", "enable", answers=TWICE).done()
    return home


def add(home, label, value, *options, category="preference", **more):
    return home.owner("profile", "fact", "add", "-", "--category", category, "--label", label, *options, input=value.encode(), **more)


def facts(home, *options):
    return home.owner("profile", "fact", "list", *options).given()["facts"]


def fact(home, id):
    """The fact of that id, which must be listed."""
    return next(f for f in facts(home) + facts(home, "--archived") if f["id"] == id)


def editor(home, name, body):
    """A program that edits: `text` is what stands in the file, save() writes it anew."""
    script = home.side(name, f"""#!{sys.executable} -SE
import sys
path = sys.argv[-1]
with open(path, encoding="utf-8", newline="") as f:
    text = f.read()
def save(new):
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(new)
""" + body)
    os.chmod(script, 0o700)
    return {"VISUAL": script, "EDITOR": "false"}


def drafts():
    return glob.glob(OURS + "/memories-edit-*")


@case
def a_profile_that_was_never_enabled_has_no_facts_and_takes_none():
    home = shared(closed)
    add(home, "x", "y").refused("profile_off")
    home.owner("profile", "fact", "list").refused("profile_off")
    home.owner("profile", "passwd").refused("profile_off")


@case
def a_fact_is_listed_as_it_was_added():
    home = shared(opened)
    made = add(home, "茶", "green, 不加糖\n", "--evidence", "said so in spring").given()
    shape(made, {"fact": UUID, "version": 1})
    row = fact(home, made["fact"])
    shape(row, FACT)
    equal((row["category"], row["label"], row["value"], row["evidence"], row["version"], row["shared_with"]),
          ("preference", "茶", "green, 不加糖", "said so in spring", 1, []), "the fact")
    equal((row["uncertain"], row["sensitive"], row["archived"]), (False, False, False), "what it is not")
    text = home.owner("profile", "fact", "list", json=False).done().out.decode()
    check(f"{made['fact']}  preference  version 1  " in text and "  茶: green, 不加糖\n  evidence: said so in spring\n" in text, text)


@case
def the_value_comes_from_a_file_or_stdin():
    home = shared(opened)
    home.side("value", "a flat in Ottawa\n")
    made = home.owner("profile", "fact", "add", "value", "--category", "basic", "--label", "Home", cwd=home.dir).given()
    equal(fact(home, made["fact"])["value"], "a flat in Ottawa", "value")
    home.owner("profile", "fact", "add", "nothing", "--category", "basic", "--label", "Home", cwd=home.dir).refused("file_unreadable")
    equal(add(home, "x", "y", json=False).done().out.decode().strip() in [f["id"] for f in facts(home)], True, "the id alone, for people")


@case
def what_has_not_its_form_is_refused():
    home = shared(opened)
    before = facts(home)
    for label, value, options in (("x" * 41, "v", []), ("", "v", []), ("a\nb", "v", []), ("x", "茶" * 301, []), ("x", "", []),
                                  ("x", "a\nb", []), ("x", "a\x07b", []), ("x", "v", ["--evidence", "e" * 301]),
                                  ("x", "v", ["--evidence", "one\ntwo"]), ("x", "v", ["--uncertain", "--certain"])):
        r = add(home, label, value, *options)
        equal(r.code, 2, f"exit code of {r}")
    add(home, "x", "v", category="weather").refused("invalid_argument")
    home.owner("profile", "fact", "add", "-", "--label", "x", input=b"v").refused("invalid_argument")
    home.owner("profile", "fact", "add", "-", "--category", "basic", input=b"v").refused("invalid_argument")
    home.owner("profile", "fact", "add", "-", "--category", "basic", "--label", "x", input=b"\xff\xfe").refused("invalid_argument")
    equal(facts(home), before, "facts")
    longest = add(home, "标" * 40, "茶" * 300, "--evidence", "证" * 300).given()["fact"]
    equal(len(fact(home, longest)["value"]), 300, "the longest value")


@case
def every_category_can_be_kept_and_listed():
    home = shared(opened)
    for c in ("basic", "preference", "habit", "goal", "work_study", "health", "relationship", "uncategorized"):
        made = add(home, "of its own", c, category=c).given()["fact"]
        rows = facts(home, "--category", c)
        check(made in [f["id"] for f in rows] and {f["category"] for f in rows} == {c}, f"facts of {c}")
    home.owner("profile", "fact", "list", "--category", "weather").refused("invalid_argument")


@case
def pages_are_the_whole_list():
    home = shared(opened)
    while len(facts(home, "--category", "goal")) < 7:
        add(home, "one", "of several", category="goal").done()
    whole = facts(home, "--category", "goal")
    got, offset = [], 0
    while offset is not None:
        page = home.owner("profile", "fact", "list", "--category", "goal", "--offset", offset, "--limit", 3).given()
        equal(page["offset"], offset, "offset")
        check(1 <= len(page["facts"]) <= 3, "rows of a page")
        got, offset = got + page["facts"], page["next"]
    equal(got, whole, "all pages")
    equal(facts(home, "--offset", 100000), [], "behind the end")


@case
def an_edit_changes_what_is_given():
    home = shared(opened)
    made = add(home, "Coffee", "flat white", "--evidence", "often").given()["fact"]
    first = fact(home, made)
    equal(home.owner("profile", "fact", "edit", made, "-", input=b"espresso\n").given(), {"fact": made, "version": 2}, "an edit")
    home.owner("profile", "fact", "edit", made, "--label", "Espresso", "--category", "habit", "--evidence", "", "--uncertain").done()
    row = fact(home, made)
    equal((row["version"], row["label"], row["value"], row["category"], row["evidence"], row["uncertain"]),
          (3, "Espresso", "espresso", "habit", "", True), "the fact")
    check(row["revision"] != first["revision"] and row["created_at"] == first["created_at"], "its revision is new, its creation is not")
    home.owner("profile", "fact", "edit", made, "--certain").done()
    equal(fact(home, made)["uncertain"], False, "uncertain")
    home.owner("profile", "fact", "edit", made, "-", "--base", 2, input=b"late").refused("conflict")
    home.owner("profile", "fact", "edit", made, "-", "--base", 4, input=b"in time").done()
    home.owner("profile", "fact", "edit", NO_ID, "-", input=b"x").refused("not_found")


@case
def an_editor_writes_a_fact():
    home = shared(opened)
    env = editor(home, "adds", "save('category: goal\\nlabel: Marathon\\nevidence:\\nuncertain: yes\\n\\nfinish one\\n')")
    made = home.owner("profile", "fact", "add", env=env).given()["fact"]
    row = fact(home, made)
    equal((row["category"], row["label"], row["value"], row["uncertain"]), ("goal", "Marathon", "finish one", True), "the fact")
    home.owner("profile", "fact", "add", env=editor(home, "drops", "save('')")).refused("not_confirmed")
    env = editor(home, "options", "assert 'category: habit\\nlabel: Run\\n' in text; save(text + 'at six')")
    made = home.owner("profile", "fact", "add", "--category", "habit", "--label", "Run", env=env).given()["fact"]
    equal(fact(home, made)["value"], "at six", "value")
    equal(drafts(), [], "drafts")


@case
def an_editor_changes_a_fact_and_unchanged_changes_nothing():
    home = shared(opened)
    made = add(home, "Tea", "green", "--evidence", "e").given()["fact"]
    same = home.owner("profile", "fact", "edit", made, env=editor(home, "same", "")).given()
    equal(same, {"fact": made, "version": 1}, "an edit that changes nothing")
    env = editor(home, "changes", "save(text.replace('green', 'black').replace('label: Tea', 'label: Tee'))")
    equal(home.owner("profile", "fact", "edit", made, env=env).given()["version"], 2, "version")
    row = fact(home, made)
    equal((row["label"], row["value"], row["evidence"]), ("Tee", "black", "e"), "the fact")
    equal(drafts(), [], "drafts")


@case
def a_wrong_form_comes_back_with_the_reason_and_is_given_up_when_it_stays():
    home = shared(opened)
    made = add(home, "Tea", "green").given()["fact"]
    env = editor(home, "mends", "save(text.replace('category: preference', 'category: weather') if 'Not taken' not in text\n"
                                "     else text.replace('weather', 'habit'))")
    home.owner("profile", "fact", "edit", made, env=env).done()
    equal(fact(home, made)["category"], "habit", "category")
    env = editor(home, "insists", "save(text if 'Not taken' in text else text.replace('category: habit', 'category: weather'))")
    home.owner("profile", "fact", "edit", made, env=env).refused("invalid_argument")
    equal(fact(home, made)["version"], 2, "version")
    equal(drafts(), [], "drafts")


@case
def what_cannot_be_stored_stays_where_the_error_says():
    home = shared(opened)
    made = add(home, "Tea", "green").given()["fact"]
    inner = f"{os.environ.get('MEMORIES_BIN')}"
    env = editor(home, "late", "import subprocess\n"
                 f"subprocess.run([{os.path.abspath(inner)!r}, '--home', {home.path!r}, 'profile', 'fact', 'edit', {made!r}, '--label', 'Other'],"
                 " check=True, stdout=subprocess.DEVNULL)\nsave(text.replace('green', 'too late'))")
    r = home.owner("profile", "fact", "edit", made, env=env).refused("conflict")
    (draft,) = drafts()
    check(draft.encode() in r.err, f"the error does not say where: {r}")
    with open(os.path.join(draft, "fact.txt"), encoding="utf-8") as f:
        check("too late" in f.read(), "the draft does not hold what was written")
    remove(draft)
    equal(fact(home, made)["value"], "green", "value")


@case
def an_archived_fact_is_put_away():
    home = shared(opened)
    made = add(home, "Old", "address").given()["fact"]
    home.owner("profile", "fact", "archive", made).done()
    check(made not in [f["id"] for f in facts(home)], "it is still listed")
    row = next(f for f in facts(home, "--archived") if f["id"] == made)
    equal((row["archived"], row["value"]), (True, "address"), "the archived fact")
    home.owner("profile", "fact", "archive", NO_ID).refused("not_found")
    check("  archived\n" in home.owner("profile", "fact", "list", "--archived", json=False).done().out.decode(), "people are not told")


@case
def what_looks_like_a_secret_is_kept_and_said_so():
    home = shared(opened)
    made = add(home, "Wi-Fi password", "sunflowers").given()["fact"]
    equal(fact(home, made)["sensitive"], True, "sensitive")
    r = add(home, "card", "4111 1111 1111 1111", json=False).done()
    check(b"looks like a card's number" in r.err and b"4111" not in r.err, f"people are not told: {r}")
    equal(add(home, "Tea", "green", json=False).done().err, b"", "stderr")


@case
def hidden_characters_are_shown_by_their_numbers():
    home = shared(opened)
    add(home, "Pay", "10\u200b to \u202eBob").done()
    text = home.owner("profile", "fact", "list", json=False).done().out.decode()
    check("Pay: 10⟨U+200B⟩ to ⟨U+202E⟩Bob" in text, f"they are not: {text!r:.300}")


@case
def a_fact_is_shared_with_a_connection_that_there_is():
    home = shared(opened)
    made = add(home, "Tea", "green").given()["fact"]
    for command in ("share", "unshare"):
        home.owner("profile", command, made, "--connection", NO_ID).refused("not_found")
        home.owner("profile", command, made, "--connection", "x").refused("invalid_argument")
        equal(home.owner("profile", command, made).error, "usage", "without a connection")
    equal(home.owner("profile", "connection", "list").given(), {"connections": [], "offset": 0, "next": None}, "connections")
    for command in (["show"], ["reduce", "--category", "basic"], ["revoke"]):
        home.owner("profile", "connection", command[0], NO_ID, *command[1:]).refused("not_found")
    equal(home.owner("profile", "proposal", "list").given(), {"proposals": [], "offset": 0, "next": None}, "proposals")
    for command in ("show", "confirm", "edit", "dismiss"):
        home.owner("profile", "proposal", command, NO_ID).refused("not_found")


@case
def facts_outlive_the_daemon():
    home = opened()
    made = add(home, "Tea", "green").given()["fact"]
    home.restart()
    home.owner("profile", "fact", "list").refused("locked")
    home.terminal.unlock().done()
    within(PATIENCE_S, lambda: home.owner("profile", "fact", "list").code == 0, "the profile is open")
    equal(fact(home, made)["value"], "green", "value")
    home.kill()
    home.start()
    home.terminal.unlock().done()
    within(PATIENCE_S, lambda: home.owner("profile", "fact", "list").code == 0, "the profile is open")
    equal(fact(home, made)["value"], "green", "value")


@case
def a_locked_library_shows_no_fact():
    home = opened()
    made = add(home, "Tea", "green").given()["fact"]
    home.owner("lock").done()
    for argv in (["fact", "list"], ["fact", "archive", made], ["proposal", "list"], ["connection", "list"]):
        home.owner("profile", *argv).refused("locked")
    add(home, "x", "y").refused("locked")
    home.terminal.unlock().done()
    within(PATIENCE_S, lambda: home.owner("profile", "fact", "list").code == 0, "the profile is open again")
    equal([f["id"] for f in facts(home)], [made], "facts")


@case
def each_look_and_each_change_has_its_record():
    home = shared(opened)
    made = add(home, "Tea", "green").given()["fact"]
    before = len(home.records())
    row = fact(home, made)
    home.owner("profile", "fact", "edit", made, "-", input=b"black").done()
    new = home.records()[before:]
    looks = [r for r in new if r.get("operation") == "profile_list"]
    changes = [r for r in new if r.get("operation") == "profile_change"]
    check(looks and len(changes) == 1, f"records {[r.get('operation') for r in new]}")
    check(all(r["type"] == "intent" and r["surface"] == "owner" for r in looks + changes), "their types")
    shown = {(x["asset"], x["revision"]) for r in looks for x in r["rows"]}
    check((made, row["revision"]) in shown, f"what was shown is not in the record: {looks[0]!r:.400}")
    check("green" not in str(new) and "Tea" not in str(new), "content in the log")


# The password of the pages

@case
def the_pages_get_their_password_at_the_first_enable_only():
    home = closed()
    r = home.owner("profile", "enable", answers=TWICE).done()
    check(b"Pages password: " in r.screen and PAGES_PASSWORD.encode() not in r.screen, "what is on the screen")
    home.owner("profile", "disable").done()
    home.owner("profile", "enable").done()


@case
def a_password_that_is_too_short_or_not_repeated_is_refused():
    home = shared(opened)
    home.terminal.sudo().done()
    home.owner("profile", "passwd", answers=[("password: ", "1234567"), ("password: ", "1234567")]).refused("invalid_argument")
    home.owner("profile", "passwd", answers=[("password: ", "12345678"), ("password: ", "12345679")]).refused("password_mismatch")
    home.owner("profile", "passwd", answers=[("password: ", "x" * 1024), ("password: ", "x" * 1024)]).done()
    equal(home.owner("profile", "passwd", answers=TWICE).given(), {}, "what it prints")
    equal(home.owner("profile", "passwd", json=False, answers=TWICE).done().out, b"", "for people")


@case
def a_new_password_needs_sudo_and_a_terminal():
    home = shared(opened)
    Terminal(home).run("profile", "passwd").refused("sudo_required")
    r = program("--home", home.path, "--json", "profile", "passwd", input=PAGES_PASSWORD.encode() * 2)
    check(r.error in ("sudo_required", "terminal_required") and r.code == 77, f"not refused: {r}")


main()
