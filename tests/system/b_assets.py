#!/usr/bin/env python3
"""b: vaults and assets, by the owner's commands."""
import hashlib
import json
import os
import subprocess

from harness import (BIN, BODY, CARD, FILE, NO_ID, SECRET, UUID, case, check, environment, equal, furnished,
                     library, main, shape, shared)


def _show(home, vault, asset, *options):
    return home.owner("asset", "show", vault, asset, *options).given()


@case
def asset_add_prints_the_contracts_object_for_each_kind():
    home = shared(furnished)
    for made in (home.memory, home.private, home.card, home.secret, home.big):
        shape(made, {"vault": home.main, "asset": UUID, "revision": UUID})


@case
def a_memory_comes_back_as_content_json():
    home = shared(furnished)
    shown = _show(home, home.main, home.memory["asset"])
    equal((shown["kind"], shown["private"], shown["title"]), ("memory", False, "Shopping"), "memory")
    equal(shown["content"], {"title": "Shopping", "body": BODY, "tags": ["food"]}, "content")


@case
def a_card_comes_back_as_content_json():
    home = shared(furnished)
    equal(_show(home, home.main, home.card["asset"])["content"], CARD, "content")


@case
def a_private_memory_is_marked():
    home = shared(furnished)
    equal(_show(home, home.main, home.private["asset"])["private"], True, "private")


@case
def one_newline_at_the_end_of_a_credential_is_dropped():
    home = shared(furnished)
    equal(_show(home, home.main, home.secret["asset"])["secret"], SECRET, "secret")
    vault = home.vault("newlines")
    two = home.add(vault, "credential", "a\n\n")
    equal(_show(home, vault, two["asset"])["secret"], "a\n", "secret")


@case
def a_file_is_written_as_it_is():
    home = shared(furnished)
    r = home.owner("asset", "show", home.main, home.big["asset"], json=False).done()
    equal(hashlib.sha256(r.out).hexdigest(), hashlib.sha256(FILE).hexdigest(), "bytes of the file")


@case
def a_file_is_added_by_path_and_keeps_its_name():
    home = shared(furnished)
    vault = home.vault("paths")
    path = home.side("holiday 假期.txt", "sun")
    made = home.owner("asset", "add", vault, path, "--kind", "file").given()
    row = home.owner("asset", "list", vault).given()["assets"][0]
    equal((row["asset"], row["title"], row["bytes"]), (made["asset"], "holiday 假期.txt", 3), "row")


@case
def a_path_is_relative_to_the_callers_folder():
    home = shared(furnished)
    home.side("note.txt", "here")
    home.owner("asset", "add", home.other, "note.txt", "--kind", "file", cwd=home.dir).done()


@case
def a_vault_may_be_named_by_its_name():
    home = shared(furnished)
    equal(home.owner("asset", "list", "main").given()["vault"], home.main, "vault")
    home.owner("asset", "list", "no such vault").refused("not_found")


@case
def an_empty_file_and_one_of_exact_chunks_work():
    home = shared(furnished)
    vault = home.vault("sizes")
    for size in (0, 1, 65535, 65536, 65537, 131072):
        content = os.urandom(size)
        made = home.add(vault, "file", content)
        r = home.owner("asset", "show", vault, made["asset"], json=False).done()
        equal(r.out == content, True, f"a file of {size} bytes comes back")


@case
def content_past_its_limit_is_refused():
    home = shared(furnished)
    vault = home.vault("limits")
    home.owner("asset", "add", vault, "-", "--kind", "credential", input=b"x" * 65537).refused("too_large")
    home.owner("asset", "add", vault, "-", "--kind", "memory", input=b"x" * (1 << 20)).refused("too_large")
    home.add(vault, "credential", "x" * 65536)
    home.add(vault, "memory", "x" * ((1 << 20) - 100))
    equal(len(home.owner("asset", "list", vault).given()["assets"]), 2, "assets")


@case
def content_of_the_wrong_form_is_refused():
    home = shared(furnished)
    vault = home.vault("forms")
    for kind, content in (("memory", b"\xff\xfe"), ("credential", b"\xc3\x28"), ("card", b"no json"), ("card", b"[]"),
                          ("card", b'{"title":"x"}'), ("card", b'{"title":"x","fields":[{"name":"a"}],"tags":[]}'),
                          ("card", b'{"title":"x","fields":[],"tags":[],"more":1}'),
                          ("card", json.dumps({"title": "x", "tags": [], "fields": [
                              {"name": "pin", "value": "1234", "protected": True}]}).encode())):
        r = home.owner("asset", "add", vault, "-", "--kind", kind, input=content)
        check(r.error in ("invalid_content", "invalid_argument"), f"{kind} {content!r}: {r}")
        check(content not in r.err or len(content) < 4, f"the message holds the content: {r}")
    equal(home.owner("asset", "list", vault).given()["assets"], [], "assets")


@case
def a_protected_field_holds_a_reference():
    home = shared(furnished)
    vault = home.vault("references")
    secret = home.add(vault, "credential", "hunter2")
    card = {"title": "Login", "tags": [], "fields": [
        {"name": "password", "value": f"secret://{vault}/{secret['asset']}", "protected": True}]}
    made = home.add(vault, "card", json.dumps(card))
    equal(_show(home, vault, made["asset"])["content"], card, "content")


@case
def kinds_and_flags_that_do_not_fit_are_refused():
    home = shared(furnished)
    for options in (["--kind", "nonsense"], ["--kind", "file", "--private"], ["--kind", "credential", "--private"]):
        home.owner("asset", "add", home.main, "-", *options, input=b"x").refused("invalid_argument")


@case
def a_file_that_cannot_be_read_is_refused():
    home = shared(furnished)
    for path in (home.side("nothing"), home.dir):
        home.owner("asset", "add", home.main, path, "--kind", "file").refused("file_unreadable")


@case
def unknown_assets_and_revisions_are_not_found():
    home = shared(furnished)
    home.owner("asset", "show", home.main, NO_ID).refused("not_found")
    home.owner("asset", "history", home.main, NO_ID).refused("not_found")
    home.owner("asset", "show", NO_ID, home.memory["asset"]).refused("not_found")
    home.owner("asset", "show", home.other, home.memory["asset"]).refused("not_found")
    home.owner("asset", "show", home.main, home.memory["asset"], "--revision", NO_ID).refused("not_found")
    home.owner("asset", "show", home.main, home.memory["asset"], "--revision",
               home.card["revision"]).refused("revision_mismatch")
    home.owner("asset", "show", home.main, "nonsense").refused("invalid_argument")


@case
def titles_with_controls_are_shown_and_not_obeyed():
    home = shared(furnished)
    vault = home.vault("controls")
    title = "red \x1b[31m bell \x07"
    r = home.owner("asset", "add", vault, "-", "--kind", "memory", "--title", title, input=b"x")
    if r.code == 0:
        text = home.owner("asset", "list", vault, json=False).done().out
        check(b"\x1b" not in text and b"\x07" not in text, f"controls reach the terminal: {text!r}")
        equal(home.owner("asset", "list", vault).given()["assets"][0]["title"], title, "title")
    home.owner("asset", "add", vault, "-", "--kind", "memory", "--title", "ä \x9b31m \u202egnp.exe", input=b"x").done()
    text = home.owner("asset", "list", vault, json=False).done().out.decode()
    check("ä ⟨U+009B⟩31m ⟨U+202E⟩gnp.exe" in text, f"controls of C1 or of direction reach the terminal: {text!r}")


@case
def a_list_of_a_hundred_and_five_assets_is_paged_without_a_gap():
    home = library()
    made = {home.add(home.main, "credential", f"s{i}")["asset"] for i in range(105)}
    seen, offset = [], 0
    while offset is not None:
        page = home.owner("asset", "list", home.main, "--offset", offset).given()
        check(len(page["assets"]) <= 100, "page is too long")
        seen += [a["asset"] for a in page["assets"]]
        offset = page["next"]
    equal(seen, sorted(made), "assets in order")
    grant, client = home.mint(home.main)
    first = home.read(client, "list", home.main).given()
    equal((len(first["assets"]), first["next"]), (100, 100), "first page")
    second = home.read(client, "list", home.main, "--offset", 100).given()
    equal([a["asset"] for a in first["assets"] + second["assets"]], sorted(made), "assets in order")
    equal(second["next"], None, "next")


@case
def a_write_is_recorded():
    home = library()
    before = len(home.records())
    made = home.add(home.main, "file", FILE)
    writes = [r for r in home.records()[before:] if r["type"] == "write" and r.get("asset") == made["asset"]]
    equal(len(writes) >= 1, True, "a write record of the new asset")
    equal(writes[0]["revision"], made["revision"], "revision")


@case
def an_interrupted_add_leaves_no_asset():
    home = library()
    r, w = os.pipe()
    argv = [BIN, "--home", home.path, "--json", "asset", "add", home.main, "-", "--kind", "file"]
    p = subprocess.Popen(argv, stdin=r, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())
    os.close(r)
    os.write(w, b"x" * 60000)
    os.write(w, b"x" * 60000)
    p.kill()
    p.wait()
    os.close(w)
    p.stdout.close()
    equal(home.owner("asset", "list", home.main).given()["assets"], [], "assets")
    home.restart()
    home.terminal.unlock().done()
    equal(home.owner("asset", "list", home.main).given()["assets"], [], "assets")
    home.add(home.main, "file", b"y")


@case
def a_body_on_a_terminal_obeys_nothing_and_in_a_pipe_is_as_it_is():
    home = library()
    body = "one\ttab\n\x1b]0;title\x07 \u202eback\n"
    made = home.add(home.main, "memory", body, "--title", "a note")
    show = [BIN, "--home", home.path, "asset", "show", home.main, made["asset"]]
    equal(home.terminal.command(*show).out.decode(), body, "in a pipe")
    on_screen = home.terminal.command("sh", "-c", '"$@" > /dev/tty', "sh", *show).screen.decode()
    check("\x1b" not in on_screen and "\u202e" not in on_screen, on_screen)
    check("one\ttab\r\n" in on_screen and "U+001B" in on_screen and "U+202E" in on_screen, on_screen)


if __name__ == "__main__":
    main()
