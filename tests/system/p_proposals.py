#!/usr/bin/env python3
"""p: what a connection proposes for the profile, and what its owner makes of it."""
import atexit
import os
import re
import sys

from harness import NO_ID, TIME, UUID, Terminal, case, check, equal, main, remove, shape, shared
from http_client import add_fact, connected, edit_fact, endpoint, share

# Drafts of this run alone, in memory.
OURS = f"/dev/shm/memories-test-{os.getpid()}"
os.mkdir(OURS, 0o700)
atexit.register(remove, OURS)
os.environ["XDG_RUNTIME_DIR"] = OURS

EVIL = "pay \u202e01 to\u200b Bob\u2066"

ROW = {"id": UUID, "connection": UUID, "op": ("add", "update", "archive"), "category": str, "label": str, "value": str, "evidence": str,
       "target_fact_id": (None, UUID), "created_at": TIME, "expires_at": TIME, "status": "pending", "sensitive": bool, ...: True}
NOW = {"category": str, "label": str, "value": str, "version": int}


def served():
    home = endpoint(facts=[])
    home.assistant = connected(home, name="Helper")
    return home


def fresh(home, label="Coffee", value="flat white"):
    """A fact of its own for each case, shared with the assistant."""
    fact = add_fact(home, "preference", label, value, "--evidence", "often")
    share(home, home.assistant.connection, fact)
    return fact


def propose(home, **arguments):
    answer = home.assistant.mcp().good("propose_memory", **arguments)
    equal(answer["status"], "pending", "status")
    return answer["id"]


def waiting(home, *options):
    return home.owner("profile", "proposal", "list", *options).given()["proposals"]


def row_of(home, id):
    return next(p for p in waiting(home) if p["id"] == id)


def facts(home):
    return home.owner("profile", "fact", "list").given()["facts"]


def fact(home, id):
    return next(f for f in facts(home) if f["id"] == id)


def decide(home, command, id, *options, answer="y", **more):
    return home.owner("profile", "proposal", command, id, *options, answers=[("Confirm? [y/N] ", answer)], **more)


def editor(home, name, body):
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


@case
def an_addition_is_no_fact_until_it_is_confirmed_and_then_shared_with_nobody():
    home = shared(served)
    before = facts(home)
    id = propose(home, op="add", category="basic", label="City", value="Ottawa", evidence="you told me")
    row = row_of(home, id)
    shape(row, ROW)
    equal((row["op"], row["category"], row["label"], row["value"], row["evidence"], row["target_fact_id"], row["connection"]),
          ("add", "basic", "City", "Ottawa", "you told me", None, home.assistant.connection), "row")
    equal(facts(home), before, "facts")
    r = decide(home, "confirm", id)
    done = r.given()
    shape(done, {"proposal": UUID, "fact": UUID})
    made = fact(home, done["fact"])
    equal((made["label"], made["value"], made["category"], made["version"], made["shared_with"]), ("City", "Ottawa", "basic", 1, []), "the fact")
    check("Ottawa" not in str(home.assistant.mcp().good("get_user_context")), "the connection sees what is not shared with it")
    check(id not in [p["id"] for p in waiting(home)], "it still waits")
    decide_again = home.owner("profile", "proposal", "confirm", id, "--yes")
    check(decide_again.code != 0, f"confirmed twice: {decide_again}")


@case
def old_and_new_are_shown_beside_each_other_before_anything_is_asked():
    home = shared(served)
    f = fresh(home)
    id = propose(home, op="update", target_fact_id=f, category="habit", label="Coffee", value="espresso", evidence="said today")
    r = decide(home, "confirm", id, json=False, answer="n")
    equal(r.error, "not_confirmed", f"{r}")
    text = r.out.decode()
    for line in (f"proposal {id}: update fact {f}", 'which calls itself "Helper"', "evidence: said today", "- category   preference",
                 "+ category   habit", "  label      Coffee", "- value      flat white", "+ value      espresso"):
        check(line in text, f"{line!r} is not in {text!r}")
    equal(fact(home, f)["value"], "flat white", "value")
    # With --json it is shown on the terminal, for stdout takes one value.
    r = decide(home, "confirm", id)
    check("+ value      espresso" in r.screen.decode().replace("\r", ""), f"not on the terminal: {r.screen!r:.500}")
    equal(r.given(), {"proposal": id, "fact": f}, "answer")
    now = fact(home, f)
    equal((now["value"], now["category"], now["version"], now["evidence"]), ("espresso", "habit", 2, "said today"), "the fact")
    equal([s["confirmed"] for s in now["shared_with"]], [False], "its sharing is void until confirmed again")


@case
def an_archival_shows_what_would_go():
    home = shared(served)
    f = fresh(home, "Tea", "green")
    id = propose(home, op="archive", target_fact_id=f)
    text = home.owner("profile", "proposal", "show", id, json=False).done().out.decode()
    check(f"archive fact {f}" in text and "- label      Tea" in text and "- value      green" in text, text)
    home.owner("profile", "proposal", "edit", id, "--label", "x").refused("invalid_argument")
    equal(home.owner("profile", "proposal", "confirm", id, "--yes").given(), {"proposal": id, "fact": f}, "answer")
    check(f not in [x["id"] for x in facts(home)], "it is still there")


@case
def hidden_characters_are_shown_and_counted():
    home = shared(served)
    id = propose(home, op="add", category="basic", label="Debt", value=EVIL)
    text = home.owner("profile", "proposal", "show", id, json=False).done().out.decode()
    check("pay ⟨U+202E⟩01 to⟨U+200B⟩ Bob⟨U+2066⟩" in text and "3 characters that hide" in text, text)
    equal(home.owner("profile", "proposal", "show", id).given()["hidden_characters"], 3, "hidden_characters")
    home.owner("profile", "proposal", "dismiss", id).done()


@case
def show_gives_the_target_as_it_is_now():
    home = shared(served)
    f = fresh(home, "Tea", "green")
    id = propose(home, op="update", target_fact_id=f, category="preference", label="Tea", value="black")
    p = home.owner("profile", "proposal", "show", id).given()
    shape(p["now"], NOW)
    equal((p["now"]["value"], p["now"]["version"], p["conflict"], p["client"], p["hidden_characters"]), ("green", 1, False, "Helper", 0),
          "the proposal")
    edit_fact(home, f, "white")
    p = home.owner("profile", "proposal", "show", id).given()
    equal((p["now"]["value"], p["conflict"]), ("white", True), "after an edit")
    check("The fact was changed since this was proposed" in home.owner("profile", "proposal", "show", id, json=False).done().out.decode(),
          "people are not told")
    home.owner("profile", "proposal", "dismiss", id).done()


@case
def a_conflict_overwrites_nothing():
    home = shared(served)
    f = fresh(home, "Tea", "green")
    id = propose(home, op="update", target_fact_id=f, category="preference", label="Tea", value="black")
    edit_fact(home, f, "white")
    home.owner("profile", "proposal", "confirm", id, "--yes").refused("conflict")
    home.owner("profile", "proposal", "confirm", id).refused("conflict")
    home.owner("profile", "proposal", "edit", id, "--label", "x", "--yes").refused("conflict")
    equal((fact(home, f)["value"], fact(home, f)["version"]), ("white", 2), "the fact")
    home.owner("profile", "proposal", "dismiss", id).done()


@case
def an_edit_confirms_with_the_owners_values():
    home = shared(served)
    id = propose(home, op="add", category="basic", label="City", value="Otawa")
    done = decide(home, "edit", id, "-", "--category", "work_study", "--label", "Office", input=b"Ottawa\n").given()
    made = fact(home, done["fact"])
    equal((made["category"], made["label"], made["value"]), ("work_study", "Office", "Ottawa"), "the fact")
    id = propose(home, op="add", category="basic", label="Pet", value="dog")
    env = editor(home, "pet", "assert 'label: Pet\\n' in text; save(text.replace('dog', 'cat'))")
    r = decide(home, "edit", id, env=env)
    check("+ value      cat" in r.screen.decode().replace("\r", ""), "what is confirmed is not what is shown")
    equal(fact(home, r.given()["fact"])["value"], "cat", "value")
    id = propose(home, op="add", category="basic", label="Pet", value="bird")
    home.owner("profile", "proposal", "edit", id, env=editor(home, "nothing", "save('')")).refused("not_confirmed")
    decide(home, "edit", id, env=editor(home, "no", "save(text.replace('bird', 'fish'))"), answer="n").refused("not_confirmed")
    equal(row_of(home, id)["value"], "bird", "what waits")
    home.owner("profile", "proposal", "edit", id, "-", "--yes", input="茶".encode() * 301).refused("invalid_argument")
    home.owner("profile", "proposal", "dismiss", id).done()
    equal(os.listdir(OURS), [], "drafts")


@case
def a_dismissed_one_is_gone_and_its_like_is_a_conflict():
    home = shared(served)
    id = propose(home, op="add", category="basic", label="Shoe size", value="42")
    equal(propose(home, op="add", category="basic", label="Shoe size", value="42"), id, "the same pending proposal")
    home.owner("profile", "proposal", "dismiss", id).done()
    check(id not in [p["id"] for p in waiting(home)], "it still waits")
    home.assistant.mcp().bad("conflict", "propose_memory", op="add", category="basic", label="Shoe size", value="42")
    for command in ("show", "dismiss", "confirm"):
        r = home.owner("profile", "proposal", command, id)
        check(r.error in ("not_found", "conflict"), f"{r}")
    for command in ("show", "dismiss", "confirm"):
        home.owner("profile", "proposal", command, NO_ID).refused("not_found")


@case
def pages_are_the_whole_list():
    home = shared(served)
    ids = [propose(home, op="add", category="goal", label=f"Goal {i}", value="reach it") for i in range(5)]
    whole = waiting(home)
    check(set(ids) <= {p["id"] for p in whole}, "all of them wait")
    got, offset = [], 0
    while offset is not None:
        page = home.owner("profile", "proposal", "list", "--offset", offset, "--limit", 2).given()
        got, offset = got + page["proposals"], page["next"]
    equal(got, whole, "all pages")
    text = home.owner("profile", "proposal", "list", json=False).done().out.decode()
    check(re.search(rf"^{ids[0]}  \S+  add      goal  Goal 0$", text, re.M), f"for people: {text}")
    for id in ids:
        home.owner("profile", "proposal", "dismiss", id).done()


@case
def the_word_is_asked_for_on_a_terminal():
    home = shared(served)
    id = propose(home, op="add", category="basic", label="City", value="Toronto")
    home.cli("profile", "proposal", "confirm", id).refused("terminal_required")
    for answer in ("n", "", "Y E S"):
        decide(home, "confirm", id, answer=answer).refused("not_confirmed")
    check(home.cli("profile", "proposal", "confirm", id, "--yes").given()["fact"], "without a terminal, by --yes")
    check(Terminal(home).run("profile", "proposal", "list").code == 0, "no sudo is needed")


@case
def what_looks_like_a_secret_never_becomes_a_proposal():
    home = shared(served)
    m = home.assistant.mcp()
    before = waiting(home)
    for label, value in (("Card", "4111 1111 1111 1111"), ("Wi-Fi password", "sunflowers"), ("验证码", "884812"),
                         ("Key", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"), ("身份证", "11010519491231002X")):
        e = m.bad("sensitive_content", "propose_memory", op="add", category="basic", label=label, value=value)
        check(value not in str(e), "the refusal quotes it")
    equal(waiting(home), before, "what waits")


main()
