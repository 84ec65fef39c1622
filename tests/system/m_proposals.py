#!/usr/bin/env python3
"""m: what an assistant proposes: filed by `mcp serve`, decided on by its owner, and in the vault only then."""
import json

from harness import NO_ID, Terminal, case, check, equal, furnished, main, shared
from mcp_lines import LEGACY, MODERN, Server, bad, good

EVIL = "pay \u202e01 to\u200b Bob\u2066\x07"


def proposing(*options):
    """A furnished library with an ordinary grant that may propose, and its running server."""
    home = furnished()
    home.grant_file = home.side("grant")
    home.ordinary = home.owner("grant", "mint", "--vault", home.main, "--allow-propose", "--grant-file", home.grant_file,
                               *options).given()["grant"]
    return home


def serve(home, revision=LEGACY[-1]):
    return Server(home, revision=revision, words=["serve", "--grant-file", home.grant_file])


def propose(s, **arguments):
    answer = good(s.call("memory_propose", **arguments))
    equal(answer["status"], "pending", "status")
    return answer["proposal"]


def waiting(home):
    return home.owner("proposal", "list").given()["proposals"]


def content(home, asset):
    return home.owner("asset", "show", home.main, asset).given()["content"]


@case
def only_a_grant_that_may_propose_has_the_tool_and_it_says_that_it_writes():
    home = shared(proposing)
    for revision in (LEGACY[1], LEGACY[-1], MODERN):
        tools = serve(home, revision).ask("tools/list")["result"]["tools"]
        equal([t["name"] for t in tools], ["memory_list", "memory_read", "memory_search", "memory_propose"], "tools")
        hints = tools[3]["annotations"]
        equal((hints["readOnlyHint"], hints["destructiveHint"], hints["idempotentHint"]), (False, False, False), "hints")


@case
def an_addition_is_seen_nowhere_until_it_is_confirmed():
    home = shared(proposing)
    s = serve(home)
    before = home.owner("asset", "list", home.main).given()["assets"]
    id_ = propose(s, op="add", vault=home.main, title="Dentist", body="Tuesday 9:00\nbring card", tags=["health"], reason="you said so")
    row = [p for p in waiting(home) if p["proposal"] == id_][0]
    equal((row["op"], row["title"], row["reason"], row["grant"], row["asset"]),
          ("add", "Dentist", "you said so", home.ordinary, None), "row")
    equal(home.owner("asset", "list", home.main).given()["assets"], before, "assets")
    check(id_ not in json.dumps(good(s.call("memory_list"))) and "Dentist" not in json.dumps(good(s.call("memory_list"))), "it is listed")
    for asset in (id_, NO_ID):
        bad(s.call("memory_read", vault=home.main, asset=asset), "not_found")
    r = home.terminal.run("proposal", "confirm", id_, json=False, answers=[("Confirm? [y/N] ", "")])
    equal((r.error, r.code), ("not_confirmed", 77), "end")
    equal(home.owner("asset", "list", home.main).given()["assets"], before, "assets after N")
    r = home.terminal.run("proposal", "confirm", id_, json=False, answers=[("Confirm? [y/N] ", "y")]).done()
    check(b"+ title: Dentist" in r.out and b"+ Tuesday 9:00" in r.out and b"reason: you said so" in r.out, f"{r.out!r}")
    new = [a for a in home.owner("asset", "list", home.main).given()["assets"] if a not in before]
    equal([a["title"] for a in new], ["Dentist"], "new assets")
    equal(content(home, new[0]["asset"]), {"title": "Dentist", "body": "Tuesday 9:00\nbring card", "tags": ["health"]}, "content")
    equal([p for p in waiting(home) if p["proposal"] == id_], [], "it waits still")
    home.owner("proposal", "confirm", id_, "--yes").refused("not_found")


@case
def an_update_is_shown_beside_what_is_stored():
    home = proposing()
    s = serve(home)
    id_ = propose(s, op="update", vault=home.main, asset=home.memory["asset"], title="Shopping", body="buy soy milk", tags=[])
    shown = home.owner("proposal", "show", id_).given()
    equal((shown["op"], shown["stale"], shown["old"]["body"], shown["new"]["body"]),
          ("update", False, "buy oat milk, 牛奶 and 🥛", "buy soy milk"), "shown")
    text = home.owner("proposal", "show", id_, json=False).done().out.decode()
    check("-buy oat milk, 牛奶 and 🥛" in text and "+buy soy milk" in text and "-tag: food" in text, text)
    equal(content(home, home.memory["asset"])["body"], "buy oat milk, 牛奶 and 🥛", "before")
    made = home.owner("proposal", "confirm", id_, "--yes").given()
    equal(made["asset"], home.memory["asset"], "asset")
    equal(content(home, home.memory["asset"]), {"title": "Shopping", "body": "buy soy milk", "tags": []}, "after")
    history = home.owner("asset", "history", home.main, home.memory["asset"]).given()["revisions"]
    equal([r["parents"] for r in history if r["revision"] == made["revision"]], [[home.memory["revision"]]], "parents")


@case
def a_card_is_updated_and_a_memory_removed():
    home = proposing()
    s = serve(home)
    id_ = propose(s, op="update", vault=home.main, asset=home.card["asset"], title="Bank",
                  fields=[{"name": "Branch", "value": "Gatineau"}])
    home.owner("proposal", "confirm", id_, "--yes").done()
    equal(content(home, home.card["asset"])["fields"], [{"name": "Branch", "value": "Gatineau", "protected": False}], "card")
    id_ = propose(s, op="remove", vault=home.main, asset=home.memory["asset"], reason="done")
    equal(content(home, home.memory["asset"])["title"], "Shopping", "before")
    text = home.owner("proposal", "show", id_, json=False).done().out.decode()
    check("- title: Shopping" in text and "remove a memory" in text, text)
    home.owner("proposal", "confirm", id_, "--yes").done()
    home.owner("asset", "show", home.main, home.memory["asset"]).refused("asset_deleted")


@case
def hidden_characters_are_shown_by_their_numbers():
    home = shared(proposing)
    id_ = propose(serve(home), op="add", vault=home.main, title=EVIL, body=EVIL, tags=["x\u2060y"], reason=EVIL)
    for how in ("show", "list"):
        text = home.owner("proposal", how, *([id_] if how == "show" else []), json=False).done().out.decode()
        for c in ("\u202e", "\u200b", "\u2066", "\x07", "\u2060"):
            check(c not in text, f"{c!r} in {text!r}")
        check("⟨U+202E⟩01 to⟨U+200B⟩ Bob⟨U+2066⟩" in text, text)
    equal(home.owner("proposal", "show", id_).given()["hidden_characters"] > 0, True, "hidden characters")
    check("characters that hide" in home.owner("proposal", "show", id_, json=False).done().out.decode(), "no warning")
    home.owner("proposal", "dismiss", id_).done()


@case
def a_target_that_changed_is_shown_anew_or_refused():
    home = proposing()
    s = serve(home)
    v, a = home.main, home.memory["asset"]
    id_ = propose(s, op="update", vault=v, asset=a, title="Shopping", body="theirs")
    home.owner("asset", "edit", v, a, "-", input=b"mine").done()
    r = home.owner("proposal", "confirm", id_, "--yes").refused("stale_base", 1)
    check(b"without --yes" in r.err, f"{r.err!r}")
    equal(content(home, a)["body"], "mine", "body")
    r = home.terminal.run("proposal", "confirm", id_, json=False, answers=[("Confirm? [y/N] ", "y")]).done()
    check(b"was changed since" in r.out and b"-mine" in r.out, f"{r.out!r}")
    equal(content(home, a)["body"], "theirs", "body")
    id_ = propose(s, op="update", vault=v, asset=a, title="Shopping", body="again")
    home.owner("asset", "remove", v, a).done()
    for options in (["--yes"], []):
        r = home.owner("proposal", "confirm", id_, *options, json=False)
        equal((r.error, r.code), ("stale_base", 1), "of what was deleted")
        check(b"the asset is deleted; dismiss" in r.err, f"{r.err!r}")
    said = bad(s.call("memory_propose", op="update", vault=v, asset=a, title="t", body="b"), "asset_deleted")
    check("revision" not in said["error"]["message"], "it points to the past, which no assistant may read")


@case
def dismissing_forgets_it():
    home = shared(proposing)
    id_ = propose(serve(home), op="add", vault=home.main, title="no", body="no")
    equal(home.owner("proposal", "dismiss", id_).given(), {"proposal": id_}, "answer")
    for words in (["show", id_], ["dismiss", id_], ["confirm", id_, "--yes"]):
        home.owner("proposal", *words).refused("not_found")


@case
def an_edited_proposal_is_what_is_stored():
    home = shared(proposing)
    id_ = propose(serve(home), op="add", vault=home.main, title="Draft", body="theirs")
    r = home.terminal.run("proposal", "edit", id_, "--yes", env={"EDITOR": "sed -i s/theirs/ours/", "VISUAL": None}).given()
    equal(content(home, r["asset"])["body"], "ours", "body")
    id_ = propose(serve(home), op="add", vault=home.main, title="Draft", body="theirs")
    before = home.owner("asset", "list", home.main).given()["assets"]
    for script, code in (("truncate -s 0", "not_confirmed"), ("rm", "editor_failed"), ("cp /etc/hostname", "invalid_content")):
        home.terminal.run("proposal", "edit", id_, "--yes", env={"EDITOR": script, "VISUAL": None}).refused(code)
    equal(home.owner("asset", "list", home.main).given()["assets"], before, "assets")
    equal([p["title"] for p in waiting(home) if p["proposal"] == id_], ["Draft"], "what waits")


@case
def what_cannot_be_proposed_is_refused_and_leaves_nothing():
    home = shared(proposing)
    s = serve(home)
    v, a = home.main, home.memory["asset"]
    n = len(waiting(home))
    for arguments, code in (
            ({"op": "add", "vault": v, "title": "t"}, "invalid_argument"),
            ({"op": "add", "vault": v, "body": "b"}, "invalid_argument"),
            ({"op": "add", "vault": v, "title": "t", "body": "b", "fields": []}, "invalid_argument"),
            ({"op": "add", "vault": v, "title": "t", "body": "b", "asset": a}, "invalid_argument"),
            ({"op": "update", "vault": v, "title": "t", "body": "b"}, "invalid_argument"),
            ({"op": "remove", "vault": v, "asset": a, "body": "b"}, "invalid_argument"),
            ({"op": "add", "vault": v, "title": "t", "body": "b", "tags": [1]}, "invalid_argument"),
            ({"op": "add", "vault": v, "title": "t", "body": "b", "tags": [""]}, "invalid_argument"),
            ({"op": "add", "vault": v, "title": "t", "fields": [{"name": "n"}]}, "invalid_argument"),
            ({"op": "add", "vault": v, "title": "t", "fields": [{"name": "n", "value": "p4ss", "protected": True}]}, "invalid_argument"),
            ({"op": "update", "vault": v, "asset": a, "title": "t", "fields": []}, "wrong_kind"),
            ({"op": "add", "vault": home.other, "title": "t", "body": "b"}, "vault_not_granted")):
        bad(s.call("memory_propose", **arguments), code)
    hidden = [s.call("memory_propose", op="update", vault=v, asset=x, title="t", body="b")
              for x in (NO_ID, home.private["asset"], home.secret["asset"], home.big["asset"])]
    for result in hidden:
        equal(result, hidden[0], "answer for what is hidden")
    bad(hidden[0], "not_found")
    equal(len(waiting(home)), n, "proposals")


@case
def a_hundred_of_a_grant_wait_over_a_crash_and_its_end():
    home = proposing()
    s = serve(home)
    one = {"op": "add", "vault": home.main, "title": "t"}
    ids = [propose(s, **one, body=f"number {i}") for i in range(100)]
    bad(s.call("memory_propose", **one, body="one too many"), "too_many_proposals")
    home.owner("proposal", "dismiss", ids[50]).done()
    ids[50] = propose(s, **one, body="in its place")
    home.kill()
    home.start()
    home.terminal.unlock_soon()
    home.terminal.sudo().done()
    home.owner("grant", "revoke", home.ordinary).done()
    equal([p["proposal"] for p in waiting(home)], sorted(ids), "what waits after a crash")
    asset = home.owner("proposal", "confirm", ids[50], "--yes").given()["asset"]
    equal(content(home, asset)["body"], "in its place", "body")
    equal(len(waiting(home)), 99, "what waits")


@case
def what_waits_for_a_removed_vault_can_be_dismissed_by_its_id():
    home = proposing()
    id_ = propose(serve(home), op="add", vault=home.main, title="t", body="b")
    home.terminal.run("vault", "remove", home.main, answers=[("Name of the vault: ", "main")]).done()
    equal(waiting(home), [], "what waits")
    home.owner("proposal", "confirm", id_, "--yes").refused("not_found")
    home.owner("proposal", "dismiss", id_).done()
    home.owner("proposal", "dismiss", id_).refused("not_found")


@case
def the_owner_decides_unlocked_and_without_sudo():
    home = proposing()
    id_ = propose(serve(home), op="add", vault=home.main, title="t", body="b")
    other = Terminal(home)
    other.run("proposal", "list").done()
    other.run("proposal", "confirm", id_, "--yes").done()
    home.owner("lock").done()
    for words in (["list"], ["show", id_], ["confirm", id_, "--yes"], ["dismiss", id_]):
        home.owner("proposal", *words).refused("locked", 77)


if __name__ == "__main__":
    main()
