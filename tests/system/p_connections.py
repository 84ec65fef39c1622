#!/usr/bin/env python3
"""p: connections as their owner sees and narrows them: what each may see, and what the log says that it has seen."""
import os

from harness import NO_ID, PATIENCE_S, TIME, UUID, case, check, equal, main, shape, shared, within
from http_client import SCOPES, add_fact, connected, edit_fact, endpoint, share, visible

CONNECTION = {"connection": UUID, "name": str, "redirect": str, "redirect_host": str, "state": ("live", "revoked", "left", "replayed"),
              "scopes": [str], "categories": [str], "created_at": TIME, "last_used_at": (None, TIME), "expires_at": (None, TIME),
              "reads": int}
SHOWN = {**CONNECTION, "sees": [{"fact": UUID, "category": str, "label": str, "version": int}],
         "seen": [{"fact": UUID, "revision": UUID, "label": (None, str), "current": bool, "archived": bool, "first_at": TIME,
                   "last_at": TIME, "times": int}],
         "records": [{"index": int, "time": TIME, "operation": str, "facts": int}], "n_records": int}


def show(home, a, *options):
    shown = home.owner("profile", "connection", "show", a.connection, *options).given()
    shape(shown, SHOWN)
    return shown


def listed(home, a):
    return next(c for c in home.owner("profile", "connection", "list").given()["connections"] if c["connection"] == a.connection)


@case
def a_connection_is_listed_with_its_rights_and_its_use():
    home = shared(endpoint)
    a = connected(home, name="Desk 助手", scopes=["profile:read", "profile:propose"], categories=["basic", "goal"], shared=[])
    row = listed(home, a)
    shape(row, CONNECTION)
    equal((row["name"], row["state"], row["scopes"], row["categories"], row["reads"], row["last_used_at"]),
          ("Desk 助手", "live", ["profile:read", "profile:propose"], ["basic", "goal"], 0, None), "the row")
    check(row["redirect"].startswith("http://127.0.0.1") and "/" not in row["redirect_host"], f"its redirect: {row}")
    a.mcp().good("get_user_context")
    row = listed(home, a)
    equal(row["reads"], 1, "reads")
    check(row["last_used_at"] is not None, "last_used_at")
    text = home.owner("profile", "connection", "list", json=False).done().out.decode()
    check(f'{a.connection}  live  {row["redirect_host"]}  "Desk 助手"' in text and "may       profile:read, profile:propose" in text, text)


@case
def show_equals_what_was_delivered():
    home = endpoint()
    a, b = connected(home, name="a", shared=[]), connected(home, name="b")
    share(home, a.connection, home.facts["Name"], home.facts["Coffee"])
    shown = show(home, a)
    equal([f["label"] for f in shown["sees"]], ["Name", "Coffee"], "what it may see")
    equal((shown["seen"], shown["records"], shown["n_records"]), ([], [], 0), "what it has seen before it asked")
    given = visible(a.mcp())[0]
    a.mcp().good("search_user_context", query="oat")
    shown = show(home, a)
    equal({f["fact"]: (f["label"], f["times"]) for f in shown["seen"]},
          {f["id"]: (f["label"], 2 if f["label"] == "Coffee" else 1) for f in given}, "what it has seen")
    equal([(r["operation"], r["facts"]) for r in shown["records"]], [("profile_read", 2), ("profile_search", 1)], "records")
    check(all(f["current"] for f in shown["seen"]), "all of it is as it was")
    equal(show(home, b)["seen"], [], "what the other has seen")
    records = [r for r in home.records() if r.get("subject") == a.connection and r["type"] == "intent"]
    equal([r["index"] for r in shown["records"]], [r["index"] for r in records], "places in the log")
    equal(len(show(home, a, "--limit", 1)["records"]), 1, "with a limit")
    equal(show(home, a, "--limit", 1)["n_records"], 2, "of all")


@case
def what_was_seen_stays_said_when_the_fact_is_changed_or_put_away():
    home = shared(endpoint)
    a = connected(home, name="later", shared=[])
    kept, changed, gone = (add_fact(home, "habit", label, "v") for label in ("Kept", "Changed", "Gone"))
    share(home, a.connection, kept, changed, gone)
    a.mcp().good("get_user_context")
    edit_fact(home, changed, "another value")
    home.owner("profile", "fact", "archive", gone).done()
    shown = show(home, a)
    equal([f["label"] for f in shown["sees"]], ["Kept"], "what it may see now")
    equal({f["label"]: (f["current"], f["archived"]) for f in shown["seen"]},
          {"Kept": (True, False), "Changed": (False, False), "Gone": (shown["seen"][2]["current"], True)}, "what it has seen")
    text = home.owner("profile", "connection", "show", a.connection, json=False).done().out.decode()
    check("Changed  changed since" in text and "Gone  archived since" in text, text)
    share(home, a.connection, changed)
    a.mcp().good("get_user_context")
    equal([f["times"] for f in show(home, a)["seen"] if f["fact"] == changed], [1, 1], "each version by itself")


@case
def an_edit_voids_a_share_until_it_is_confirmed_again():
    home = shared(endpoint)
    a = connected(home, name="voids", shared=[])
    f = add_fact(home, "goal", "Run", "a marathon")
    share(home, a.connection, f)
    row = next(x for x in home.owner("profile", "fact", "list").given()["facts"] if x["id"] == f)
    equal(row["shared_with"], [{"connection": a.connection, "confirmed": True}], "shared_with")
    edit_fact(home, f, "half a marathon")
    row = next(x for x in home.owner("profile", "fact", "list").given()["facts"] if x["id"] == f)
    equal(row["shared_with"], [{"connection": a.connection, "confirmed": False}], "shared_with")
    check("share it again to confirm" in home.owner("profile", "fact", "list", json=False).done().out.decode(), "people are not told")
    equal(visible(a.mcp())[0], [], "what it sees")
    share(home, a.connection, f)
    equal([x["value"] for x in visible(a.mcp())[0]], ["half a marathon"], "what it sees once it is shared again")
    home.owner("profile", "unshare", f, "--connection", a.connection).done()
    equal(visible(a.mcp())[0], [], "what it sees once it is not shared any more")


@case
def what_may_not_be_shared_is_not():
    home = shared(endpoint)
    a = connected(home, name="narrow", categories=["basic"], shared=[])
    for category, value, options in (("health", "asthma", []), ("relationship", "a sister", []), ("uncategorized", "x", []),
                                     ("basic", "4111 1111 1111 1111", []), ("basic", "maybe", ["--uncertain"]), ("goal", "run", [])):
        f = add_fact(home, category, "x", value, *options)
        home.owner("profile", "share", f, "--connection", a.connection).refused("not_shareable")
    f = add_fact(home, "basic", "Name", "Lin")
    home.owner("profile", "share", f, "--connection", a.connection).done()
    home.owner("profile", "fact", "archive", f).done()
    r = home.owner("profile", "share", f, "--connection", a.connection)
    check(r.error in ("not_shareable", "not_found"), f"an archived fact: {r}")
    equal(visible(a.mcp())[0], [], "what it sees")


@case
def a_reduction_leaves_what_is_named_and_the_rest_of_a_kind_that_is_not():
    home = shared(endpoint)
    a = connected(home, name="reduced")
    home.owner("profile", "connection", "reduce", a.connection, "--category", "basic", "--category", "goal").done()
    row = listed(home, a)
    equal((row["scopes"], row["categories"]), (SCOPES, ["basic", "goal"]), "after categories")
    equal(sorted(f["label"] for f in show(home, a)["sees"]), ["Half marathon", "Name"], "what it may see")
    home.owner("profile", "connection", "reduce", a.connection, "--scope", "profile:read").done()
    row = listed(home, a)
    equal((row["scopes"], row["categories"]), (["profile:read"], ["basic", "goal"]), "after scopes")
    for words in (["--category", "habit"], ["--scope", "profile:propose"], ["--scope", "context:search"], ["--scope", "x"],
                  ["--category", "x"], []):
        home.owner("profile", "connection", "reduce", a.connection, *words).refused("invalid_argument")
    equal(listed(home, a)["scopes"], ["profile:read"], "after what was refused")


@case
def a_revoked_connection_is_refused_and_still_shown():
    home = shared(endpoint)
    a = connected(home, name="revoked")
    check(a.lives(), "it works")
    home.owner("profile", "connection", "revoke", a.connection).done()
    check(not a.lives(), "it still works")
    equal(listed(home, a)["state"], "revoked", "state")
    shown = show(home, a)
    equal((shown["sees"], len(shown["seen"])), ([], 5), "what it may see, and has seen")
    r = home.owner("profile", "share", home.facts["Name"], "--connection", a.connection)
    check(r.code != 0, f"shared with what has ended: {r}")
    home.owner("profile", "connection", "show", NO_ID).refused("not_found")


@case
def the_log_is_shown_of_one_connection():
    home = shared(endpoint)
    a, other = connected(home), connected(home)
    for one in (a, other):
        one.mcp().good("get_user_context")
    home.owner("profile", "connection", "reduce", a.connection, "--scope", "profile:read").done()
    home.owner("profile", "connection", "revoke", a.connection).done()
    wanted = [r["index"] for r in home.records() if a.connection in (r.get("subject"), r.get("vault"), r.get("about"))]
    got = home.owner("audit", "show", "--grant", a.connection, "--limit", "1000").given()["records"]
    equal([r["index"] for r in got], wanted, "records")
    check({"grant", "intent", "config", "revoke"} <= {r["type"] for r in got}, f"types of {got!r:.300}")
    text = home.owner("audit", "show", "--grant", a.connection, json=False).done().out.decode()
    check("connection_reduced" in text and other.connection not in text, text)


@case
def a_profile_that_is_off_still_shows_what_was_seen():
    home = endpoint()
    a = connected(home)
    a.mcp().good("get_user_context")
    home.owner("profile", "disable").done()
    shown = home.owner("profile", "connection", "show", a.connection).given()
    equal((shown["sees"], len(shown["seen"])), (None, 5), "what it may see, and has seen")
    check(all(f["label"] is None for f in shown["seen"]), "labels of a profile that is not open")
    home.owner("profile", "connection", "revoke", a.connection).done()
    home.owner("profile", "enable").done()
    within(PATIENCE_S, lambda: home.owner("profile", "fact", "list").code == 0, "the profile is open")
    equal(listed(home, a)["state"], "revoked", "state")


@case
def of_a_log_that_was_changed_what_holds_is_shown_and_that_the_rest_does_not():
    home = endpoint()
    a = connected(home)
    m = a.mcp()
    for _ in range(30):
        m.good("get_user_context")
    # What is remembered of the log is newer than what is changed in it.
    home.owner("profile", "fact", "list").done()
    path = home.file("audit", "seg", sorted(os.listdir(home.file("audit", "seg")))[0])
    with open(path, "r+b") as f:
        at = len(f.read().rstrip(b"\0")) * 2 // 3
        f.seek(at)
        byte = f.read(1)[0]
        f.seek(at)
        f.write(bytes([byte ^ 1]))
    home.owner("profile", "connection", "show", a.connection).refused("audit_tampered")
    r = home.owner("profile", "connection", "show", a.connection, json=False)
    equal(r.error, "audit_tampered", f"{r}")
    n = r.out.decode().count("profile_read")
    check(0 < n < 30, f"{n} records are shown")


main()
