#!/usr/bin/env python3
"""g: unattended reads of what was changed: conflicts, tombstones, past revisions, removed vaults."""
import json
import os
import subprocess

from harness import BIN, NO_ID, case, check, data_of, equal, library, main, shared
from mcp_lines import LEGACY, Server, bad as bad_answer, good


def changed():
    """
    In one granted vault: a note with two heads, a note and a credential that were
    edited, a note, a file and a credential that were removed.
    """
    home = library()
    home.split = home.add(home.main, "memory", "one", "--title", "Split")
    base = ["--base", home.split["revision"], "--keep-both"]
    home.split_heads = sorted(revision(home, "edit", home.split, "-", *base, input=t) for t in (b"left", b"right"))
    home.note = home.add(home.main, "memory", "old", "--title", "Note")
    home.note_head = revision(home, "edit", home.note, "-", input=b"new")
    home.secret = home.add(home.main, "credential", "old secret", "--title", "Login")
    home.terminal.sudo().done()
    home.secret_head = revision(home, "edit", home.secret, "-", input=b"new secret")
    home.gone = [(home.add(home.main, kind, f"gone {kind}"), kind) for kind in ("memory", "file", "credential")]
    home.tombstones = [revision(home, "remove", asset) for asset, _ in home.gone]
    home.grant, home.client = home.mint(home.main)
    home.owner("sudo", "--end").done()
    return home


def revision(home, command, asset, *options, **more):
    return home.owner("asset", command, home.main, asset["asset"], *options, **more).given()["revision"]


def read(home, asset, *options, command="read"):
    return home.read(home.client, command, home.main, asset["asset"], *options)


def command_of(kind):
    return "credential-bytes" if kind == "credential" else "read"


@case
def a_conflict_must_be_read_by_a_named_revision():
    home = shared(changed)
    r = read(home, home.split).refused("revision_required")
    for h in home.split_heads:
        check(h in r.err.decode(), f"the heads are named: {r}")
    bodies = {json.loads(data_of(read(home, home.split, "--revision", h).given()))["body"] for h in home.split_heads}
    equal(bodies, {"left", "right"}, "both heads")
    old = read(home, home.split, "--revision", home.split["revision"]).given()
    equal(json.loads(data_of(old))["body"], "one", "the base of both")


@case
def a_conflict_is_listed_with_its_heads():
    home = shared(changed)
    rows = {a["asset"]: a for a in home.read(home.client, "list", home.main).given()["assets"]}
    row = rows[home.split["asset"]]
    equal((row["revision"], row["conflict"], row["heads"]), (None, True, home.split_heads), "row")
    row = rows[home.note["asset"]]
    equal((row["revision"], row["conflict"], row["heads"]), (home.note_head, False, [home.note_head]), "row of another")


@case
def past_revisions_are_read_by_name():
    home = shared(changed)
    equal(json.loads(data_of(read(home, home.note).given()))["body"], "new", "the head")
    old = read(home, home.note, "--revision", home.note["revision"]).given()
    equal((json.loads(data_of(old))["body"], old["revision"]), ("old", home.note["revision"]), "the past")
    equal(data_of(read(home, home.secret, command="credential-bytes").given()), b"new secret", "the head")
    old = read(home, home.secret, "--revision", home.secret["revision"], command="credential-bytes").given()
    equal(data_of(old), b"old secret", "the past")


@case
def removed_assets_are_left_out_of_lists():
    home = shared(changed)
    listed = {a["asset"] for a in home.read(home.client, "list", home.main).given()["assets"]}
    equal(listed, {home.split["asset"], home.note["asset"], home.secret["asset"]}, "assets")


@case
def a_removed_asset_is_deleted_and_its_past_is_read_by_name():
    home = shared(changed)
    for (asset, kind), tombstone in zip(home.gone, home.tombstones):
        command = command_of(kind)
        read(home, asset, command=command).refused("asset_deleted")
        past = data_of(read(home, asset, "--revision", asset["revision"], command=command).given())
        wanted = f"gone {kind}".encode()
        check(past == wanted or json.loads(past)["body"].encode() == wanted, f"the past of a {kind}: {past!r}")
        a = read(home, asset, "--revision", tombstone, command=command).given()
        equal((data_of(a), a["total"], a["next"], a["revision"]), (b"", 0, None, tombstone), f"the tombstone of a {kind}")
        read(home, asset, "--revision", tombstone, "--offset", 1, command=command).refused("offset_out_of_range")


@case
def the_history_of_a_removed_asset_is_read():
    home = shared(changed)
    (asset, _), tombstone = home.gone[0], home.tombstones[0]
    rows = home.read(home.client, "history", home.main, asset["asset"]).given()["revisions"]
    equal([(r["revision"], r["parents"], r["head"], r["deleted"], r["quarantine"]) for r in rows],
          [(asset["revision"], [], False, False, False), (tombstone, [asset["revision"]], True, True, False)], "history")
    equal(rows[1]["bytes"], 0, "bytes of the tombstone")


@case
def a_revision_of_another_asset_or_of_none_is_refused():
    home = shared(changed)
    read(home, home.note, "--revision", home.split_heads[0]).refused("revision_mismatch")
    read(home, home.note, "--revision", NO_ID).refused("not_found")
    read(home, home.gone[0][0], "--revision", home.note_head).refused("revision_mismatch")


@case
def an_asset_of_one_tombstone_and_one_head_is_no_conflict_to_forget():
    home = library()
    note = home.add(home.main, "memory", "one")
    gone = revision(home, "remove", note)
    kept = revision(home, "edit", note, "-", "--base", note["revision"], "--keep-both", input=b"two")
    _, home.client = home.mint(home.main)
    row, = home.read(home.client, "list", home.main).given()["assets"]
    equal((row["revision"], row["conflict"], row["heads"]), (None, True, sorted([gone, kept])), "row")
    read(home, note).refused("revision_required")
    equal(json.loads(data_of(read(home, note, "--revision", kept).given()))["body"], "two", "the head that lives")


# Quarantine

def quarantined():
    """A note and a credential, each with a revision that failed its check beside its head; both grants."""
    home = library()
    home.note = home.add(home.main, "memory", "good", "--title", "Note")
    home.secret = home.add(home.main, "credential", "good secret", "--title", "Login")
    home.grant, home.client = home.mint(home.main)
    _, home.grant_file = home.mint_ordinary(home.main)
    home.stop()
    home.bad = []
    for i, a in enumerate((home.note, home.secret)):
        home.bad.append(NO_ID[:-2] + f"b{i}")
        subprocess.run([os.path.join(os.path.dirname(BIN), "quarantine"), home.path, home.main, a["asset"], a["revision"], home.bad[i]],
                       check=True)
    home.start()
    home.terminal.unlock().done()
    return home


@case
def a_quarantined_revision_is_listed_in_history_and_is_no_head():
    home = shared(quarantined)
    for asset, bad in zip((home.note, home.secret), home.bad):
        rows = home.read(home.client, "history", home.main, asset["asset"]).given()["revisions"]
        equal({r["revision"]: (r["parents"], r["head"], r["quarantine"]) for r in rows},
              {asset["revision"]: ([], True, False), bad: ([asset["revision"]], False, True)}, "history")
        owners = home.owner("asset", "history", home.main, asset["asset"], "--diff" if asset is home.note else "--limit=9").given()
        equal([r["quarantine"] for r in owners["revisions"]], [r["quarantine"] for r in rows], "the owner's history")
    rows = {a["asset"]: a for a in home.read(home.client, "list", home.main).given()["assets"]}
    equal([(rows[a["asset"]]["revision"], rows[a["asset"]]["conflict"]) for a in (home.note, home.secret)],
          [(home.note["revision"], False), (home.secret["revision"], False)], "heads")


@case
def a_quarantined_revision_is_never_readable():
    home = shared(quarantined)
    home.terminal.sudo().done()
    for asset, bad, command in ((home.note, home.bad[0], "read"), (home.secret, home.bad[1], "credential-bytes")):
        before = len(home.records())
        read(home, asset, "--revision", bad, command=command).refused("quarantined", 1)
        equal([r["type"] for r in home.records()[before:]], ["refusal"], "records")
        check(b"good" in data_of(read(home, asset, command=command).given()), "the head")
        words = [home.main, asset["asset"]]
        home.owner("asset", "show", *words, "--revision", bad).refused("quarantined")
        home.owner("asset", "restore", *words, bad).refused("quarantined")
        home.owner("asset", "show", *words).done()
    check(b"quarantined" in home.owner("asset", "history", home.main, home.note["asset"], json=False).done().out, "for people")
    s = Server(home, revision=LEGACY[-1], words=["serve", "--grant-file", home.grant_file])
    bad_answer(s.call("memory_read", vault=home.main, asset=home.note["asset"], revision=home.bad[0]), "not_found")
    good(s.call("memory_read", vault=home.main, asset=home.note["asset"], revision=home.note["revision"]))
    equal(s.end(), 0, "exit code")


@case
def each_read_of_the_past_is_recorded_with_its_revision():
    home = shared(changed)
    before = len(home.records())
    read(home, home.note, "--revision", home.note["revision"]).done()
    last = [r for r in home.records()[before:] if r["type"] == "intent" and r["surface"] == "cli"]
    equal([(r["asset"], r["revision"]) for r in last], [(home.note["asset"], home.note["revision"])], "records")


if __name__ == "__main__":
    main()
