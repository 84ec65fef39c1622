#!/usr/bin/env python3
"""g: grants of local assistants: minted, listed, revoked, over by themselves; what stops them and what does not."""
import json
import os
import stat

from harness import (NO_ID, TIME, UUID, case, check, equal, furnished, library, main, program, shape, shared, within)
from mcp_lines import LEGACY, Server, bad, good

ROW = {"grant": UUID, "vaults": [UUID], "label": (None, str), "classes": ["ordinary"], "may_propose": bool, "created_at": TIME,
       "expires_at": (None, TIME), "expired": bool, "last_used_at": (None, TIME), "reads": int}


def _rows(home):
    page = home.owner("grant", "list").given()
    shape(page, {"grants": [ROW], "offset": 0, "next": None})
    return {r["grant"]: r for r in page["grants"]}


def _serve(home, path):
    return Server(home, revision=LEGACY[-1], words=["serve", "--grant-file", path])


def _list(server, home):
    return server.call("memory_list", vault=home.main)


def _no_unattended():
    """A library in which nothing was ever enabled."""
    home = library(unattended=False)
    home.main = home.vault("main")
    home.terminal.sudo().done()
    home.memory = home.add(home.main, "memory", "milk", "--title", "Shopping")
    return home


# Minting

@case
def a_grant_needs_no_unattended_access_and_its_file_says_its_scope():
    home = _no_unattended()
    path = os.path.join(home.clients, "g")
    r = home.owner("grant", "mint", "--vault", "main", "--grant-file", path, "--allow-propose", "--label", "assistant")
    made = r.given()
    shape(made, {"grant": UUID, "grant_file": path, "vaults": [home.main], "expires_at": None})
    equal(stat.S_IMODE(os.stat(path).st_mode), 0o600, "mode")
    with open(path) as f:
        said = json.load(f)
    equal({k: said[k] for k in ("type", "version", "library", "home", "grant", "may_propose", "vaults")},
          {"type": "memories-ordinary-grant", "version": 1, "library": home.status()["library"], "home": home.path,
           "grant": made["grant"], "may_propose": True, "vaults": [home.main]}, "file")
    check(said["token"].encode() not in r.out + r.err + r.screen, "the token is said")
    row = _rows(home)[made["grant"]]
    equal((row["label"], row["may_propose"], row["vaults"], row["reads"]), ("assistant", True, [home.main], 0), "row")
    equal([x["asset"] for x in good(_list(_serve(home, path), home))["assets"]], [home.memory["asset"]], "list")
    home.owner("grant", "mint", "--vault", home.main, "--grant-file", path).refused("client_file_exists", 1)
    home.owner("grant", "mint", "--vault", NO_ID, "--grant-file", path + "2").refused("not_found", 1)
    equal(home.owner("grant", "mint", "--vault", home.main).code, 2, "exit without a file")
    r = home.owner("grant", "mint", "--vault", home.main, "--grant-file", home.side("none/g")).refused("client_file_unsafe", 1)
    check(b"its folder must be there" in r.err, f"{r.err!r}")
    equal(list(_rows(home)), [made["grant"]], "grants")


@case
def a_grant_is_for_64_vaults_at_most():
    home = library(unattended=False)
    vaults = [home.vault(f"v{i}") for i in range(65)]
    home.terminal.sudo().done()
    words = [word for v in vaults for word in ("--vault", v)]
    more = ["--grant-file", home.side("g"), "--allow-propose", "--label", "all", "--expires", "1h"]
    r = home.owner("grant", "mint", *words, *more).refused("invalid_argument", 2)
    check(b"at most 64 vaults a grant" in r.err, f"{r.err!r}")
    made = home.owner("grant", "mint", *words[2:], *more).given()
    equal(sorted(made["vaults"]), sorted(vaults[1:]), "vaults")
    check("skipped" in good(_serve(home, home.side("g")).call("memory_list")), "no list")


@case
def minting_listing_and_revoking_need_sudo_and_an_unlocked_library():
    home = _no_unattended()
    grant, _ = home.mint_ordinary(home.main)
    path = os.path.join(home.clients, "none")
    commands = (["grant", "mint", "--vault", home.main, "--grant-file", path], ["grant", "list"], ["grant", "revoke", grant],
                ["grant", "prune"])
    home.terminal.run("sudo", "--end").done()
    for c in commands:
        home.owner(*c).refused("sudo_required", 77)
    home.owner("lock").done()
    for c in commands:
        home.owner(*c).refused("locked", 77)
    check(not os.path.exists(path), "a file was made")


# Its own kind

@case
def each_kind_of_grant_has_its_own_list_file_and_end():
    home = furnished()
    grant, path = home.mint_ordinary(home.main)
    equal(list(_rows(home)), [grant], "ordinary ones")
    equal([r["grant"] for r in home.unattended_status()["grants"]], [home.grant], "unattended ones")
    home.owner("unattended", "revoke", grant).refused("not_found", 1)
    home.owner("grant", "revoke", home.grant).refused("not_found", 1)
    for command, asset in (("list", []), ("read", [home.memory["asset"]]), ("credential-bytes", [home.secret["asset"]])):
        r = home.read(path, command, home.main, *asset)
        r.refused("client_file_invalid", 1)
        check("mcp serve" in r.err.decode(), f"it says {r.err}")
    r = program("--home", home.path, "mcp", "serve", "--grant-file", home.client, input=b"")
    r.refused("client_file_invalid", 1, json=False)
    check("client file" in r.err.decode(), f"it says {r.err}")
    home.read(home.client, "list", home.main).given()
    good(_list(_serve(home, path), home))


@case
def a_token_in_the_other_kind_of_file_is_no_token():
    home = shared(furnished)
    _, path = home.mint_ordinary(home.main)
    with open(path) as f:
        ordinary = json.load(f)
    with open(home.client) as f:
        client = json.load(f)
    def forged(name, base, token):
        made = os.path.join(home.clients, name)
        with open(os.open(made, os.O_CREAT | os.O_WRONLY, 0o600), "w") as f:
            json.dump({**base, **token}, f)
        return made
    theirs = {"grant": ordinary["grant"], "token": ordinary["token"]}
    for command, asset in (("list", []), ("read", [home.memory["asset"]]), ("credential-bytes", [home.secret["asset"]])):
        home.read(forged("f" + command, client, theirs), command, home.main, *asset).refused("invalid_grant", 77)
    s = _serve(home, forged("g", ordinary, {"grant": client["grant"], "token": client["token"]}))
    bad(_list(s, home), "invalid_grant")
    bad(s.call("memory_read", vault=home.main, asset=home.memory["asset"]), "invalid_grant")


# What stops it

@case
def a_revoked_grant_ends_for_a_server_that_runs_and_one_that_starts():
    home = furnished()
    grant, path = home.mint_ordinary(home.main)
    other, other_path = home.mint_ordinary(home.main)
    s, t = _serve(home, path), _serve(home, other_path)
    good(_list(s, home)), good(_list(t, home))
    row = _rows(home)[grant]
    equal((row["reads"], row["last_used_at"] is None), (1, False), "use")
    for _ in range(2):
        home.owner("grant", "revoke", grant).done()
        bad(_list(s, home), "invalid_grant")
    bad(_list(_serve(home, path), home), "invalid_grant")
    equal(list(_rows(home)), [other], "grants")
    good(_list(t, home))
    home.owner("grant", "revoke", NO_ID).refused("not_found", 1)
    home.verify().done()


@case
def a_grant_that_is_over_is_so_for_good_and_is_pruned():
    home = furnished()
    grant, path = home.mint_ordinary(home.main, options=["--expires", "3s"])
    s = _serve(home, path)
    good(_list(s, home))
    within(20, lambda: _list(s, home).get("isError"), "the grant's end")
    bad(_list(s, home), "invalid_grant")
    equal(_rows(home)[grant]["expired"], True, "expired")
    home.restart()
    home.terminal.unlock_soon()
    home.terminal.sudo().done()
    bad(_list(_serve(home, path), home), "invalid_grant")
    equal(home.owner("unattended", "prune").given(), {"pruned": []}, "the other kind's prune")
    equal(home.owner("grant", "prune").given(), {"pruned": [grant]}, "pruned")
    equal(_rows(home), {}, "what is left")


@case
def disable_is_not_about_it_and_a_lock_only_until_the_unlock():
    home = furnished()
    _, path = home.mint_ordinary(home.main)
    s = _serve(home, path)
    good(_list(s, home))
    home.owner("unattended", "disable").done()
    home.read(home.client, "list", home.main).refused("banned", 77)
    good(_list(s, home))
    home.owner("lock").done()
    bad(_list(s, home), "locked")
    home.terminal.unlock().done()
    good(_list(s, home))
    # A key-only start, or none at all, opens nothing for it; and the log has not revoked it with the others.
    home.restart()
    bad(_list(s, home), "locked")
    home.terminal.unlock_soon()
    good(_list(s, home))
    home.terminal.sudo().done()
    equal(len(_rows(home)), 1, "grants")
    home.verify().done()


if __name__ == "__main__":
    main()
