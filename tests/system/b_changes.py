#!/usr/bin/env python3
"""b: resolving, removing and restoring assets, and what an owner sees of it."""
import itertools
import json
import os
import sys

from harness import BODY, CARD, FILE, NO_ID, PASSWORD, UUID, case, check, equal, furnished, library, main, shape, shared

numbers = itertools.count(1)


def conflict():
    """A memory with two heads, in a vault of its own."""
    home = shared(library)
    home.main = home.vault(f"case {next(numbers)}")
    home.note = home.add(home.main, "memory", "one\n", "--title", "Note", "--tag", "a")
    base = ["--base", home.note["revision"]]
    home.left = change(home, "edit", home.note, "-", *base, "--title", "Left", input=b"left\n")
    home.right = change(home, "edit", home.note, "-", *base, "--keep-both", "--title", "Right", input=b"right\n")
    return home


def change(home, command, asset, *options, **more):
    made = home.owner("asset", command, home.main, asset["asset"], *options, **more).given()
    shape(made, {"vault": home.main, "asset": asset["asset"], "revision": UUID})
    return made["revision"]


def history(home, asset):
    return home.owner("asset", "history", home.main, asset["asset"]).given()["revisions"]


def head(home, asset):
    one, = [r for r in history(home, asset) if r["head"]]
    return one


def content(home, asset, *options):
    return home.owner("asset", "show", home.main, asset["asset"], *options).given()["content"]


def listed(home):
    return [a["asset"] for a in home.owner("asset", "list", home.main).given()["assets"]]


@case
def a_conflict_is_resolved_by_picking_a_head():
    home = conflict()
    home.owner("asset", "show", home.main, home.note["asset"]).refused("revision_required")
    made = change(home, "resolve", home.note, "--pick", home.left)
    equal(content(home, home.note), {"title": "Left", "body": "left\n", "tags": ["a"]}, "content")
    row = head(home, home.note)
    equal((row["revision"], sorted(row["parents"])), (made, sorted([home.left, home.right])), "the one head")


@case
def a_conflict_is_resolved_by_merged_content():
    home = conflict()
    change(home, "resolve", home.note, "-", input=b"left\nright\n")
    equal(content(home, home.note), {"title": "Right", "body": "left\nright\n", "tags": ["a"]}, "labels of the newest head")
    equal(sorted(head(home, home.note)["parents"]), sorted([home.left, home.right]), "parents")
    home = conflict()
    change(home, "resolve", home.note, "-", "--title", "Both", "--tag", "b", input=b"x")
    equal(content(home, home.note), {"title": "Both", "body": "x", "tags": ["b"]}, "labels that are given")


@case
def a_head_that_is_a_tombstone_can_be_picked():
    home = shared(library)
    home.main = home.vault(f"case {next(numbers)}")
    note = home.add(home.main, "memory", "one")
    gone = change(home, "remove", note)
    kept = change(home, "edit", note, "-", "--base", note["revision"], "--keep-both", input=b"two")
    equal(listed(home), [note["asset"]], "an asset with a head that lives is listed")
    change(home, "resolve", note, "--pick", gone)
    equal(listed(home), [], "assets")
    change(home, "restore", note, kept)
    equal(content(home, note)["body"], "two", "body")


@case
def what_does_not_resolve_is_refused():
    home = conflict()
    asset = home.note["asset"]
    home.owner("asset", "resolve", home.main, asset).refused("invalid_argument")
    home.owner("asset", "resolve", home.main, asset, "-", "--pick", home.left, input=b"").refused("invalid_argument")
    home.owner("asset", "resolve", home.main, asset, "--pick", home.note["revision"]).refused("invalid_argument")
    home.owner("asset", "resolve", home.main, asset, "--pick", home.left, "--title", "x").refused("invalid_argument")
    home.owner("asset", "resolve", home.main, NO_ID, "--pick", home.left).refused("not_found")
    change(home, "resolve", home.note, "--pick", home.left)
    home.owner("asset", "resolve", home.main, asset, "--pick", home.left).refused("no_conflict")
    equal(len(history(home, home.note)), 4, "revisions")


@case
def a_removed_asset_is_gone_from_lists_and_stays_in_its_history():
    home = shared(library)
    home.main = home.vault(f"case {next(numbers)}")
    note = home.add(home.main, "memory", "one", "--title", "Note")
    other = home.add(home.main, "memory", "other")
    gone = change(home, "remove", note)
    equal(listed(home), [other["asset"]], "assets")
    equal([v["assets"] for v in home.owner("vault", "list").given()["vaults"] if v["vault"] == home.main], [1], "count")
    home.owner("asset", "show", home.main, note["asset"]).refused("asset_deleted")
    home.owner("asset", "edit", home.main, note["asset"], "-", input=b"").refused("asset_deleted")
    home.owner("asset", "remove", home.main, note["asset"]).refused("asset_deleted")
    equal([(r["revision"], r["deleted"], r["bytes"]) for r in history(home, note)][1:], [(gone, True, 0)], "history")
    equal(content(home, note, "--revision", note["revision"])["body"], "one", "a past revision, by name")


@case
def a_tombstone_is_shown_as_what_it_is():
    home = shared(library)
    home.main = home.vault(f"case {next(numbers)}")
    home.terminal.sudo().done()
    fields = {"memory": "body", "card": "Branch", "file": "name", "credential": "secret"}
    for kind, field in fields.items():
        made = home.add(home.main, kind, json.dumps(CARD) if kind == "card" else "x", "--tag", "t")
        gone = change(home, "remove", made)
        show = ["asset", "show", home.main, made["asset"], "--revision", gone]
        for options in ([], ["--resolve"] if kind in ("memory", "card") else []):
            shape(home.owner(*show, *options).given(),
                  {"vault": home.main, "asset": made["asset"], "revision": gone, "kind": kind, "private": False,
                   "title": "", "bytes": 0, "deleted": True})
        equal(home.owner(*show, json=False).done().out, b"", f"content of a {kind}")
        for name in (field, "title", "tags"):
            home.owner(*show, "--field", name).refused("asset_deleted")


@case
def no_more_than_sixteen_heads_and_the_owner_is_told():
    home = conflict()
    base = ["--base", home.note["revision"], "--keep-both"]
    for i in range(14):
        change(home, "edit", home.note, "-", *base, input=b"%d" % i)
    r = home.owner("asset", "edit", home.main, home.note["asset"], "-", *base, input=b"more")
    check(b"asset resolve" in r.refused("invalid_argument").err, f"what to do: {r}")
    change(home, "resolve", home.note, "-", input=b"all")
    equal(len(head(home, home.note)["parents"]), 16, "parents")


@case
def a_conflict_is_removed_whole():
    home = conflict()
    change(home, "remove", home.note)
    row = head(home, home.note)
    equal((row["deleted"], sorted(row["parents"])), (True, sorted([home.left, home.right])), "tombstone")


@case
def every_kind_is_restored_as_it_was():
    home = furnished()
    home.terminal.sudo().done()
    for asset in (home.memory, home.private, home.card, home.secret, home.big):
        before = home.owner("asset", "show", home.main, asset["asset"]).given()
        change(home, "remove", asset)
        made = change(home, "restore", asset, asset["revision"])
        after = home.owner("asset", "show", home.main, asset["asset"]).given()
        equal(after.pop("revision"), made, "revision")
        before.pop("revision")
        equal(after, before, "what is shown")
    r = home.owner("asset", "show", home.main, home.big["asset"], json=False).done()
    check(r.out == FILE, "the file's bytes")


@case
def a_past_revision_is_restored_over_the_present_and_under_conflict():
    home = conflict()
    change(home, "restore", home.note, home.note["revision"])
    equal(content(home, home.note), {"title": "Note", "body": "one\n", "tags": ["a"]}, "content")
    equal(sorted(head(home, home.note)["parents"]), sorted([home.left, home.right]), "parents")
    home.owner("asset", "restore", home.main, home.note["asset"], NO_ID).refused("not_found")
    other = home.add(home.main, "memory", "other")
    home.owner("asset", "restore", home.main, home.note["asset"], other["revision"]).refused("revision_mismatch")
    gone = change(home, "remove", home.note)
    home.owner("asset", "restore", home.main, home.note["asset"], gone).refused("asset_deleted")
    home.owner("asset", "restore", home.main, home.note["asset"], "nonsense").refused("invalid_argument")


@case
def restoring_what_is_there_changes_nothing_and_says_so():
    home = shared(library)
    home.main = home.vault(f"case {next(numbers)}")
    note = home.add(home.main, "memory", "one")
    r = home.owner("asset", "restore", home.main, note["asset"], note["revision"])
    equal((r.given()["revision"], r.err), (note["revision"], b"nothing was changed\n"), "what it says")
    equal(len(history(home, note)), 1, "revisions")


@case
def differences_are_shown_against_each_parent():
    home = conflict()
    made = change(home, "resolve", home.note, "-", input=b"left\nright\n")
    page = home.owner("asset", "history", home.main, home.note["asset"], "--diff").given()
    equal(sorted((d["revision"], d["parent"] or "") for d in page["diffs"]), sorted([
        (home.note["revision"], ""), (home.left, home.note["revision"]), (home.right, home.note["revision"]),
        (made, home.left), (made, home.right)]), "what is compared")
    diff = {(d["revision"], d["parent"]): d["diff"] for d in page["diffs"]}
    equal(diff[home.left, home.note["revision"]],
          f"--- {home.note['revision']}\n+++ {home.left}\n@@ -1,5 +1,5 @@\n-title: Note\n+title: Left\n tag: a\n \n-one\n+left\n \n",
          "a diff")
    check("+left\n right\n" in diff[made, home.right], f"against the other parent: {diff}")
    text = home.owner("asset", "history", home.main, home.note["asset"], "--diff", json=False).done().out.decode()
    check(f"against {home.left}, one of its 2 parents:\n--- {home.left}\n+++ {made}\n" in text, f"for people: {text}")


@case
def a_tombstone_differs_by_all_and_a_picked_head_by_nothing():
    home = conflict()
    made = change(home, "resolve", home.note, "--pick", home.left)
    gone = change(home, "remove", home.note)
    back = change(home, "restore", home.note, made)
    diffs = home.owner("asset", "history", home.main, home.note["asset"], "--diff").given()["diffs"]
    diff = {(d["revision"], d["parent"]): d["diff"] for d in diffs}
    equal(diff[made, home.left], "", "against the head that was picked")
    check("-left\n" in diff[gone, made] and "+left\n" in diff[back, gone], f"tombstone: {diff}")


@case
def controls_in_a_difference_are_shown_and_not_obeyed():
    home = shared(library)
    home.main = home.vault(f"case {next(numbers)}")
    note = home.add(home.main, "memory", "red \x1b[31m\ttab")
    text = home.owner("asset", "history", home.main, note["asset"], "--diff", json=False).done().out
    check(b"\x1b" not in text and "red ⟨U+001B⟩[31m\ttab\n".encode() in text, f"controls reach the terminal: {text!r}")


@case
def the_texts_of_a_difference_are_nowhere_but_in_memory():
    home = shared(library)
    home.main = home.vault(f"case {next(numbers)}")
    note = home.add(home.main, "memory", "planted mark")
    folder, report = home.side(f"bin {next(numbers)}"), home.side("report")
    os.mkdir(folder)
    fake = os.path.join(folder, "diff")
    with open(fake, "w") as f:
        f.write(f"""#!{sys.executable} -SE
import json, os, sys
with open({report!r}, "w") as f:
    json.dump([sys.argv, dict(os.environ), [os.readlink("/proc/self/fd/" + p.split("/")[-1]) for p in sys.argv[-2:]],
               [open(p).read() for p in sys.argv[-2:]]], f)
""")
    os.chmod(fake, 0o700)
    env = {"PATH": folder + ":" + os.environ["PATH"]}
    home.owner("asset", "history", home.main, note["asset"], "--diff", env=env).done()
    with open(report) as f:
        arguments, environment, files, texts = json.load(f)
    check("planted mark" in texts[1], "control: the text is what is compared")
    equal([f.split(" ")[0] for f in files], ["/memfd:memories"] * 2, "files")
    check("planted" not in str(arguments) + str(environment), f"arguments and environment: {arguments} {environment}")
    with open(fake, "w") as f:
        f.write("#!/bin/sh\nexit 2\n")
    home.owner("asset", "history", home.main, note["asset"], "--diff", env=env).refused("unsupported")
    r = home.owner("asset", "history", home.main, note["asset"], "--diff", env={"PATH": home.side("none")})
    check(b"`diff`" in r.refused("unsupported").err, f"it says what is missing: {r}")


@case
def changes_are_recorded_and_need_an_unlocked_library():
    home = conflict()
    before = len(home.records())
    made = change(home, "resolve", home.note, "--pick", home.left)
    gone = change(home, "remove", home.note)
    writes = [r["revision"] for r in home.records()[before:] if r["type"] == "write"]
    equal(writes, [made, gone], "write records")
    home.owner("lock").done()
    for words in (("resolve", "--pick", home.left), ("remove",), ("restore", home.left)):
        home.owner("asset", words[0], home.main, home.note["asset"], *words[1:]).refused("locked")
    home.terminal.unlock(PASSWORD).done()


@case
def a_card_is_merged_as_a_card():
    home = shared(library)
    home.main = home.vault(f"case {next(numbers)}")
    card = home.add(home.main, "card", json.dumps(CARD))
    base = ["--base", card["revision"], "--keep-both"]
    for title in ("One", "Two"):
        change(home, "edit", card, "-", *base, input=json.dumps({**CARD, "title": title}).encode())
    home.owner("asset", "resolve", home.main, card["asset"], "-", input=BODY.encode()).refused("invalid_content")
    change(home, "resolve", card, "-", input=json.dumps({**CARD, "title": "Three"}).encode())
    equal(content(home, card), {**CARD, "title": "Three"}, "content")


if __name__ == "__main__":
    main()
