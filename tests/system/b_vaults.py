#!/usr/bin/env python3
"""b: renaming and removing vaults."""
import os

from harness import BODY, NO_ID, UUID, case, check, equal, furnished, library, main, program, shape

NAME = "Name of the vault: "


def names(home):
    return {v["vault"]: v["name"] for v in home.owner("vault", "list").given()["vaults"]}


@case
def a_vault_is_renamed_and_keeps_what_is_in_it():
    home = furnished()
    shape(home.owner("vault", "rename", "main", "主 vault").given(), {"vault": home.main, "name": "主 vault"})
    equal(names(home)[home.main], "主 vault", "name")
    home.owner("asset", "list", "main").refused("not_found")
    equal(len(home.owner("asset", "list", "主 vault").given()["assets"]), 5, "assets")
    check(home.read(home.client, "list", home.main).code == 0, "the grant holds")
    home.restart()
    home.terminal.unlock().done()
    equal(names(home)[home.main], "主 vault", "name after a restart")


@case
def names_that_cannot_be_are_refused():
    home = library()
    other = home.vault("other")
    home.owner("vault", "rename", "main", "other").refused("name_taken")
    home.owner("vault", "rename", "main", "").refused("invalid_argument")
    home.owner("vault", "rename", "main", "x" * 257).refused("invalid_argument")
    home.owner("vault", "rename", "main", NO_ID).refused("invalid_argument")
    home.owner("vault", "rename", NO_ID, "third").refused("not_found")
    home.owner("vault", "rename", "main", "main").done()
    equal(names(home), {home.main: "main", other: "other"}, "names")


@case
def a_vault_is_removed_once_its_name_is_typed():
    home = furnished()
    home.owner("vault", "remove", home.main, answers=[(NAME, "other")]).refused("not_confirmed")
    check(home.main in names(home), "another name removes nothing")
    program("--home", home.path, "--json", "vault", "remove", home.main).refused("terminal_required")
    r = home.owner("vault", "remove", "main", answers=[(NAME, "main")])
    shape(r.given(), {"vault": UUID, "removed": True})
    check(b"This hides 5 assets" in r.screen, f"it says what it hides: {r.screen!r}")
    equal(names(home), {home.other: "other"}, "names")


@case
def a_removed_vault_is_not_active_for_anybody():
    home = furnished()
    home.owner("vault", "remove", home.main, answers=[(NAME, "main")]).done()
    for restarted in (False, True):
        if restarted:
            home.restart()
            home.terminal.unlock().done()
        note = home.memory["asset"]
        for args in (["list", home.main], ["history", home.main, note], ["read", home.main, note],
                     ["read", home.main, note, "--revision", home.memory["revision"]],
                     ["credential-bytes", home.main, home.secret["asset"]]):
            home.read(home.client, *args).refused("vault_not_active")
        home.terminal.sudo().done()
        for args in (["list", home.main], ["show", home.main, note], ["history", home.main, note],
                     ["edit", home.main, note, "--title", "x"], ["remove", home.main, note],
                     ["restore", home.main, note, home.memory["revision"]]):
            home.owner("asset", *args).refused("vault_not_active")
        home.owner("asset", "add", home.main, "-", "--kind", "memory", input=BODY.encode()).refused("vault_not_active")
        home.owner("asset", "list", home.main, "--kind", "file").refused("vault_not_active")
        home.owner("search", "oat", "--vault", home.main).refused("vault_not_active")
        for command, option in (("unattended", "--client-file"), ("grant", "--grant-file")):
            where = ["--vault", home.other, "--vault", home.main]
            home.owner(command, "mint", *where, option, home.side("none")).refused("vault_not_active")
            home.owner(command, "mint", *where, "--preview").refused("vault_not_active")
        check(not os.path.exists(home.side("none")), "a grant of a removed vault was made")
        home.owner("vault", "rename", home.main, "again").refused("vault_not_active")
        home.owner("vault", "remove", home.main).refused("vault_not_active")


@case
def the_name_of_a_removed_vault_is_free():
    home = library()
    home.owner("vault", "remove", "main", answers=[(NAME, "main")]).done()
    again = home.vault("main")
    check(again != home.main, "another vault")
    equal(names(home), {again: "main"}, "names")
    home.add("main", "memory", "x")


@case
def a_removal_is_recorded():
    home = library()
    before = len(home.records())
    home.owner("vault", "remove", "main", answers=[(NAME, "main")]).done()
    records = [(r["type"], r.get("config"), r.get("about")) for r in home.records()[before:] if r["type"] == "config"]
    equal(records, [("config", "vault_removed", home.main)], "records")


@case
def no_grant_is_minted_over_a_removed_vault():
    home = furnished()
    home.owner("vault", "remove", home.other, answers=[("Name of the vault: ", "other")]).done()
    for words, file in ((["unattended", "mint"], "--client-file"), (["grant", "mint"], "--grant-file")):
        path = os.path.join(home.clients, "over-it")
        for vaults in ([home.other], [home.main, home.other]):
            options = [w for v in vaults for w in ("--vault", v)]
            home.owner(*words, *options, file, path).refused("vault_not_active", 1)
            home.owner(*words, *options, "--preview").refused("vault_not_active", 1)
        check(not os.path.exists(path), "a file was made")


if __name__ == "__main__":
    main()
