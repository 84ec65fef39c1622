#!/usr/bin/env python3
"""b: credentials: their fields, one-time codes, and the references to them."""
import json
import shutil
import subprocess
import threading
import time
import uuid

from harness import BIN, NO_ID, Terminal, Skip, case, check, equal, library, main, program, shared
from mcp_lines import Server, bad, text_of

SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
TOTP = f"otpauth://totp/Example:alice?secret={SEED}&issuer=Example&algorithm=SHA256&digits=8&period=60"
HOTP = f"otpauth://hotp/x?secret={SEED}&counter="


def home_with_sudo():
    home = library()
    home.agent = home.mint(home.main)[1]
    home.secret = home.add(home.main, "credential", "hunter2", "--title", "Bank", "--tag", "money", "--tag", "home",
                           "--username", "alice", "--url", "https://bank.example/", "--notes-file",
                           home.side("notes", "first line\nsecond, 第二\n"), "--otp-file", home.side("seed", TOTP + "\n"))["asset"]
    home.bare = home.add(home.main, "credential", "bare")["asset"]
    return home


def show(home, asset, *options, **more):
    return home.owner("asset", "show", home.main, asset, *options, **more)


def field(home, asset, name, *options):
    """What is on stdout, byte for byte."""
    return show(home, asset, "--field", name, *options, json=False).done().out


def hotp(home, counter, *options):
    return home.add(home.main, "credential", "s", "--otp-file", home.side("hotp", f"{HOTP}{counter}"), *options)["asset"]


def revisions(home, asset):
    return home.owner("asset", "history", home.main, asset).given()["revisions"]


def tool(*options):
    """oathtool's codes, or what to say without it."""
    if shutil.which("oathtool") is None:
        raise Skip("no oathtool")
    return subprocess.run(["oathtool", "-b", *map(str, options), SEED], capture_output=True, text=True, check=True).stdout.split()


# Fields

@case
def a_credential_shows_its_fields_its_secret_and_a_code():
    home = shared(home_with_sudo)
    shown = show(home, home.secret).given()
    equal((shown["kind"], shown["title"], shown["secret"]), ("credential", "Bank", "hunter2"), "credential")
    equal(shown["meta"], {"username": "alice", "url": "https://bank.example/", "notes": "first line\nsecond, 第二",
                          "otp": TOTP, "tags": ["money", "home"]}, "meta")
    otp = shown["otp"]
    equal((otp["type"], otp["period"], len(otp["code"])), ("totp", 60, 8), "one-time code")
    check(1 <= otp["seconds_left"] <= 60, f"seconds left: {otp}")
    lines = show(home, home.secret, json=False).done().out.decode().splitlines()
    for line in ("title:    Bank", "tag:      money", "tag:      home", "username: alice", "url:      https://bank.example/",
                 "secret:   hunter2", "notes:    first line", "          second, 第二"):
        check(line in lines, f"no line {line!r} in {lines}")
    check(any(line.startswith("otp:      ") and line.endswith(" s left)") for line in lines), f"no code in {lines}")
    equal(set(show(home, home.bare).given()["meta"]), {"tags"}, "meta of one without fields")
    check("otp" not in show(home, home.bare).given(), "a code without a seed")


@case
def a_field_is_one_value_and_nothing_else():
    home = shared(home_with_sudo)
    for name, value in (("title", "Bank"), ("username", "alice"), ("url", "https://bank.example/"), ("secret", "hunter2"),
                        ("notes", "first line\nsecond, 第二"), ("tags", "money\nhome")):
        equal(field(home, home.secret, name), value.encode(), name)
        equal(show(home, home.secret, "--field", name).given(), {"field": name, "value": value}, name)
    for name in ("username", "url", "notes", "tags", "otp"):
        show(home, home.bare, "--field", name).refused("not_found")
    show(home, home.bare, "--field", "password").refused("invalid_argument")
    equal(field(home, home.bare, "title"), b"", "empty title")


@case
def a_field_of_a_memory_a_card_and_a_file():
    home = shared(home_with_sudo)
    memory = home.add(home.main, "memory", "the body\n", "--title", "T", "--tag", "x")["asset"]
    for name, value in (("title", b"T"), ("body", b"the body\n"), ("tags", b"x")):
        equal(field(home, memory, name), value, name)
    show(home, memory, "--field", "secret").refused("invalid_argument")
    card = home.add(home.main, "card", json.dumps({"title": "C", "tags": ["t"], "fields": [
        {"name": "Branch", "value": "Ottawa", "protected": False}, {"name": "tags", "value": "own", "protected": False},
        {"name": "twice", "value": "1", "protected": False}, {"name": "twice", "value": "2", "protected": False}]}))["asset"]
    for name, value in (("title", b"C"), ("Branch", b"Ottawa"), ("tags", b"own")):
        equal(field(home, card, name), value, name)
    show(home, card, "--field", "branch").refused("not_found")
    show(home, card, "--field", "twice").refused("invalid_argument")
    path = home.side("a.bin", b"\0\1")
    file = home.owner("asset", "add", home.main, path, "--kind", "file", "--media-type", "x/y").given()["asset"]
    for name, value in (("name", b"a.bin"), ("media_type", b"x/y"), ("title", b"a.bin")):
        equal(field(home, file, name), value, name)


@case
def a_newline_follows_a_field_on_a_terminal_only():
    home = shared(home_with_sudo)
    r = home.terminal.command("sh", "-c", 'exec "$0" "$@" >/dev/tty', BIN, "--home", home.path, "asset", "show",
                              home.main, home.secret, "--field", "username")
    equal((r.code, r.out), (0, b""), f"{r}")
    check(b"alice\r\n" in r.screen, f"on the screen: {r.screen!r}")


@case
def everything_of_a_credential_but_its_place_in_lists_needs_sudo():
    home = shared(home_with_sudo)
    other = Terminal(home)
    for options in ([], ["--field", "title"], ["--field", "secret"], ["--field", "otp"], ["--revision",
                    revisions(home, home.secret)[0]["revision"]]):
        other.run("asset", "show", home.main, home.secret, *options).refused("sudo_required", 77)
    titles = [a["title"] for a in other.run("asset", "list", home.main).given()["assets"]]
    check("Bank" in titles, f"titles {titles}")
    other.run("asset", "history", home.main, home.secret).given()
    other.sudo().done()
    equal(other.run("asset", "show", home.main, home.secret, "--field", "username", json=False).done().out, b"alice", "username")


@case
def what_is_no_field_is_refused_and_nothing_is_stored():
    home = shared(home_with_sudo)
    before = home.owner("asset", "list", home.main).given()

    def add(*options, **more):
        return home.owner("asset", "add", home.main, "-", "--kind", more.pop("kind", "credential"), *options, input=b"s", **more)

    for kind in ("memory", "file"):
        add("--username", "u", kind=kind).refused("invalid_argument")
    add("--username", "two\nlines").refused("invalid_argument")
    add("--username", "u" * 1025).refused("invalid_argument")
    add("--notes-file", "-").refused("invalid_argument")
    add("--notes-file", home.side("missing")).refused("file_unreadable")
    add("--notes-file", home.side("bad", b"\xff")).refused("invalid_content")
    add("--notes-file", home.side("long", "n" * 5000)).refused("too_large")
    add("--notes-file", home.side("long", "n" * 4000), "--username", "u" * 100).refused("too_large")
    add("--otp-file", home.side("empty", "")).refused("invalid_content")
    for seed in ("not base32!", "AAAA", TOTP + "&encoder=steam", HOTP):
        r = add("--otp-file", home.side("seed", seed)).refused("invalid_content")
        check(seed not in r.err.decode(), f"a seed in an error: {r}")
    equal(home.owner("asset", "list", home.main).given(), before, "assets")


@case
def a_seed_comes_through_a_pipe_and_is_kept_in_one_form():
    home = shared(home_with_sudo)
    r = home.owner("asset", "add", home.main, home.side("secret", "pw"), "--kind", "credential", "--otp-file", "-",
                   input=b"jbsw y3dp-ehpk 3pxp\n").given()
    equal(show(home, r["asset"]).given()["meta"]["otp"],
          "otpauth://totp/?secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30", "otp")


@case
def on_a_terminal_secrets_are_asked_for_without_echo():
    home = shared(home_with_sudo)
    r = home.terminal.command("sh", "-c", 'exec "$0" "$@" </dev/tty', BIN, "--home", home.path, "--json", "asset", "add",
                              home.main, "-", "--kind", "credential", "--notes-file", "-", "--otp-file", "-",
                              answers=[("Secret: ", "typed secret"), ("Notes: ", "typed notes"), ("Seed of the one-time codes: ", SEED)])
    for typed in (b"typed", SEED.encode()):
        check(typed not in r.screen, f"on the screen: {r.screen!r}")
    shown = show(home, r.given()["asset"]).given()
    equal((shown["secret"], shown["meta"]["notes"]), ("typed secret", "typed notes"), "what was typed")
    check(SEED in shown["meta"]["otp"], "the seed")


@case
def an_edit_changes_the_fields_that_are_given_and_no_others():
    home = shared(home_with_sudo)
    asset = home.add(home.main, "credential", "pw", "--title", "T", "--tag", "t", "--username", "u", "--url", "v", "--notes-file",
                     home.side("notes", "n"), "--otp-file", home.side("seed", TOTP))["asset"]

    def edit(*options, **more):
        home.owner("asset", "edit", home.main, asset, *options, **more).given()
        s = show(home, asset).given()
        return {**s["meta"], "title": s["title"], "secret": s["secret"]}
    wanted = {"title": "T", "secret": "pw", "tags": ["t"], "username": "u", "url": "v", "notes": "n", "otp": TOTP}
    for options, input, change in (
            (["--username", "bob"], None, {"username": "bob"}), (["--url", ""], None, {"url": None}),
            (["-"], b"new\n", {"secret": "new"}), (["--notes-file", "-"], b"other\n", {"notes": "other"}),
            (["--otp-file", home.side("hotp", HOTP + "1")], None, {"otp": HOTP + "1"}), (["--title", "U"], None, {"title": "U"}),
            (["--otp-file", home.side("none", "")], None, {"otp": None}),
            (["-", "--url", "w", "--tag", ""], b"newer", {"secret": "newer", "url": "w", "tags": []})):
        wanted = {k: v for k, v in {**wanted, **change}.items() if v is not None}
        got = edit(*options, input=input)
        if "otp" in wanted and wanted["otp"].startswith(HOTP):
            got["otp"] = got["otp"].replace("&algorithm=SHA1&digits=6", "")
        equal(got, wanted, f"after {options}")
    memory = home.add(home.main, "memory", "m")["asset"]
    for options in (["--username", "u"], ["-", "--url", "u"]):
        home.owner("asset", "edit", home.main, memory, *options, input=b"x").refused("invalid_argument")
    home.owner("asset", "edit", home.main, asset, "-", "--notes-file", "-", input=b"x").refused("invalid_argument")
    home.owner("asset", "edit", home.main, asset, "--username", "u" * 1000, "--url", "u" * 1000, "--notes-file",
               home.side("long", "n" * 3000)).refused("too_large")
    home.owner("asset", "edit", home.main, asset, "--otp-file", home.side("bad", "?")).refused("invalid_content")


# One-time codes

@case
def totp_codes_are_those_of_another_implementation():
    home = shared(home_with_sudo)
    for _ in range(3):
        at = int(time.time())
        code = field(home, home.secret, "otp").decode()
        after = int(time.time())
        wanted = {tool("--totp=SHA256", "-d", 8, "-s", "60s", f"-N@{t}")[0] for t in (at, after)}
        check(code in wanted, f"{code} is none of {wanted}")


@case
def hotp_codes_are_those_of_another_implementation_and_each_comes_once():
    home = shared(home_with_sudo)
    asset = hotp(home, 7)
    equal(show(home, asset).given()["otp"], {"type": "hotp", "counter": 7}, "before")
    codes = [field(home, asset, "otp").decode() for _ in range(3)]
    equal(codes, tool("--hotp", "-c", 7, "-w", 2), "codes")
    equal(show(home, asset).given()["otp"], {"type": "hotp", "counter": 10}, "after")
    history = revisions(home, asset)
    equal(len(history), 4, "revisions")
    equal([r["head"] for r in history].count(True), 1, "heads")
    equal(field(home, asset, "secret"), b"s", "the secret")


@case
def a_hotp_code_keeps_the_other_fields():
    home = shared(home_with_sudo)
    asset = hotp(home, 0, "--title", "T", "--tag", "a", "--tag", "b", "--username", "u", "--url", "v",
                 "--notes-file", home.side("notes", "n\n\"m\""))
    before = show(home, asset).given()
    field(home, asset, "otp")
    after = show(home, asset).given()
    for s in (before, after):
        s["meta"].pop("otp"), s.pop("otp"), s.pop("revision")
    equal(after, before, "credential")


@case
def a_counter_lives_in_its_revision():
    home = shared(home_with_sudo)
    asset = hotp(home, 41)
    first = revisions(home, asset)[0]["revision"]
    field(home, asset, "otp")
    show(home, asset, "--field", "otp", "--revision", first).refused("stale_base")
    equal(show(home, asset, "--revision", first).given()["otp"]["counter"], 41, "the past")
    equal(show(home, asset).given()["otp"]["counter"], 42, "the present")
    home.owner("asset", "edit", home.main, asset, "--username", "u", "--base", first, "--keep-both").given()
    show(home, asset, "--field", "otp").refused("revision_required")
    show(home, asset, "--field", "otp", "--revision", first).refused("stale_base")
    last = hotp(home, 2 ** 64 - 2)
    show(home, last, "--field", "otp").refused("invalid_content")
    equal(len(revisions(home, last)), 1, "revisions")


@case
def codes_that_are_asked_for_at_once_are_all_different():
    home = shared(home_with_sudo)
    asset = hotp(home, 100)
    terminals, codes = [Terminal(home) for _ in range(4)], []
    for t in terminals:
        t.sudo().done()

    def ask(t):
        codes.append(t.run("asset", "show", home.main, asset, "--field", "otp", json=False).done().out.decode())
    threads = [threading.Thread(target=ask, args=(t,)) for t in terminals]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    equal(sorted(codes), sorted(tool("--hotp", "-c", 100, "-w", 3)), "codes")
    equal(show(home, asset).given()["otp"]["counter"], 104, "counter")


@case
def no_agent_reads_a_field_or_advances_a_counter():
    home = shared(home_with_sudo)
    asset = hotp(home, 5, "--username", "nobody-else")
    before = revisions(home, asset)
    seen = b""
    for command, *args in (["list", home.main], ["history", home.main, asset], ["credential-bytes", home.main, asset]):
        seen += home.read(home.agent, command, *args).done().out
    home.read(home.agent, "read", home.main, asset).refused("wrong_kind")
    for option in (["--field", "otp"], ["--resolve"]):
        home.read(home.agent, "credential-bytes", home.main, asset, *option).refused("usage", 2)
    for hidden in ("nobody-else", SEED, "otpauth", "username"):
        check(hidden.encode() not in seen, f"{hidden} in what an agent reads: {seen!r}")
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                                           "clientInfo": {"name": "t", "version": "1"}}},
             {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]
    r = program("--home", home.path, "mcp", "serve-unattended", "--client-file", home.agent,
                input="".join(json.dumps(x) + "\n" for x in lines).encode()).done()
    tools = json.loads(r.out.decode().splitlines()[-1])["result"]["tools"]
    equal({t["name"] for t in tools}, {"unattended_list", "unattended_history", "unattended_read", "unattended_credential_bytes"}, "tools")
    for t in tools:
        check(set(t["inputSchema"]["properties"]) <= {"vault", "asset", "revision", "offset", "limit"}, f"arguments of {t}")
    equal(revisions(home, asset), before, "revisions")


@case
def no_ordinary_grant_knows_of_a_credential():
    home = shared(home_with_sudo)
    s = ordinary(home)
    for tool_, arguments in (("memory_list", {}), ("memory_list", {"kind": "card"})):
        text = text_of(s.call(tool_, **arguments))
        for hidden in (home.secret, "hunter2", "alice", SEED):
            check(hidden not in text, f"{hidden} in {text:.300}")
    names = [t["name"] for t in s.ask("tools/list")["result"]["tools"]]
    equal(names, ["memory_list", "memory_read", "memory_search"], "tools")
    bad(s.call("memory_read", vault=home.main, asset=home.secret), "not_found")


# References

def ordinary(home):
    """A server for an ordinary grant of the first vault."""
    path = home.side(f"grant-{uuid.uuid4()}")
    home.owner("grant", "mint", "--vault", home.main, "--grant-file", path).given()
    return Server(home, revision="2025-06-18", words=["serve", "--grant-file", path])


def reference(home, asset):
    return f"secret://{home.main}/{asset}"


def two_with_references(home):
    body = f"用密码{reference(home, home.secret)}。Or {reference(home, home.bare)}, again {reference(home, home.bare)}!"
    card = {"title": reference(home, home.bare), "tags": [], "fields": [
        {"name": "Password", "value": reference(home, home.secret), "protected": True},
        {"name": "Where", "value": "at the bank", "protected": False}]}
    return body, home.add(home.main, "memory", body, "--title", "R")["asset"], card, home.add(home.main, "card", json.dumps(card))["asset"]


@case
def a_reference_stays_as_it_is_on_every_read_path():
    home = shared(home_with_sudo)
    body, memory, card, card_asset = two_with_references(home)
    equal(show(home, memory).given()["content"]["body"], body, "show --json")
    equal(show(home, memory, json=False).done().out.decode(), body + "\n", "show")
    equal(field(home, memory, "body").decode(), body, "show --field")
    equal(show(home, card_asset).given()["content"], card, "show of a card")
    equal(field(home, card_asset, "Password").decode(), reference(home, home.secret), "show --field of a card")
    for asset in (memory, card_asset):
        data = home.whole(home.agent, "read", home.main, asset)[0].decode()
        check(reference(home, home.secret) in data and "hunter2" not in data, f"unattended read: {data}")
    s = ordinary(home)
    for asset in (memory, card_asset):
        text = text_of(s.call("memory_read", vault=home.main, asset=asset))
        check(reference(home, home.secret) in text and "hunter2" not in text, f"memory_read: {text}")


@case
def resolve_shows_what_references_stand_for_and_records_each_read():
    home = shared(home_with_sudo)
    body, memory, card, card_asset = two_with_references(home)
    wanted = "用密码hunter2。Or bare, again bare!"
    before = home.status()["audit"]["size"]
    equal(show(home, memory, "--resolve").given()["content"], {"title": "R", "body": wanted, "tags": []}, "--json")
    new = [r for r in home.records() if r["index"] >= before and r["type"] == "intent"]
    for asset in (home.secret, home.bare):
        equal(len([r for r in new if r.get("asset") == asset]), 1, f"records of {asset}")
    equal(show(home, memory, "--resolve", json=False).done().out.decode(), wanted + "\n", "for people")
    equal(field(home, memory, "body", "--resolve").decode(), wanted, "--field")
    content = show(home, card_asset, "--resolve").given()["content"]
    equal(content["fields"][0], {"name": "Password", "value": "hunter2", "protected": True}, "field")
    equal(content["title"], card["title"], "title")
    equal(field(home, card_asset, "Password", "--resolve"), b"hunter2", "--field")
    other = Terminal(home)
    other.run("asset", "show", home.main, memory, "--resolve").refused("sudo_required", 77)
    show(home, home.secret, "--resolve").refused("invalid_argument")


@case
def a_vault_may_be_named_if_only_one_has_the_name():
    home = shared(home_with_sudo)
    vault = home.vault("私人 keys")
    asset = home.add(vault, "credential", "by name")["asset"]
    memory = home.add(home.main, "memory", f"secret://私人%20keys/{asset}。 SECRET://main/{home.bare}")["asset"]
    equal(show(home, memory, "--resolve", json=False).done().out.decode(), "by name。 bare\n", "resolved")
    nowhere = home.add(home.main, "memory", f"secret://nowhere/{asset}")["asset"]
    show(home, nowhere, "--resolve").refused("not_found")


@case
def a_reference_that_cannot_be_resolved_is_its_error_and_prints_nothing():
    home = shared(home_with_sudo)
    memory = home.add(home.main, "memory", "m")["asset"]
    deleted, conflict = home.add(home.main, "credential", "d")["asset"], home.add(home.main, "credential", "c")
    home.owner("asset", "remove", home.main, deleted).given()
    for secret in (b"c1", b"c2"):
        home.owner("asset", "edit", home.main, conflict["asset"], "-", "--base", conflict["revision"], "--keep-both", input=secret).given()
    for target, code in ((NO_ID, "not_found"), (memory, "wrong_kind"), (deleted, "asset_deleted"),
                         (conflict["asset"], "revision_required")):
        text = f"{reference(home, home.bare)} and {reference(home, target)}"
        asset = home.add(home.main, "memory", text)["asset"]
        r = show(home, asset, "--resolve", json=False).refused(code, json=False)
        check(target in r.err.decode(), f"does not say which: {r}")
        show(home, asset, "--resolve").refused(code)
        show(home, asset, "--field", "body", "--resolve", json=False).refused(code, json=False)


if __name__ == "__main__":
    main()
