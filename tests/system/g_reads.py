#!/usr/bin/env python3
"""g: the four unattended reads: shapes, pages, limits, refusals."""
import json
import os
import random
import subprocess

from harness import (AUDIT, BIN, BODY, CARD, FILE, NO_ID, SECRET, TIME, UUID, Terminal, case, check, data_of,
                     environment, equal, furnished, library, main, program, shape, shared)

READS = ["list", "history", "read", "credential-bytes"]
ROW = {"asset": UUID, "kind": ("memory", "card", "file", "credential"), "private": bool, "title": str,
       "revision": UUID, "bytes": int, "created_at": TIME, "updated_at": TIME, "conflict": False, "heads": [UUID]}
BYTES = {"data": str, "offset": int, "total": int, "next": (None, int), "revision": UUID,
         "encoding": ("content_json", "raw_bytes"), "audit": AUDIT}


def _args(home, command):
    asset = home.secret if command == "credential-bytes" else home.memory
    return [home.main] if command == "list" else [home.main, asset["asset"]]


# Shapes

@case
def list_has_the_contracts_shape():
    home = shared(furnished)
    page = home.read(home.client, "list", home.main).given()
    shape(page, {"vault": home.main, "assets": [ROW], "offset": 0, "next": None, "audit": AUDIT})
    equal(page["audit"]["log"], "memories/" + home.status()["library"], "log")
    rows = {r["asset"]: r for r in page["assets"]}
    equal(list(rows), sorted(rows), "order")
    for made, kind, private, title, size in (
            (home.memory, "memory", False, "Shopping", None), (home.private, "memory", True, "Diary", None),
            (home.card, "card", False, "Bank", None), (home.big, "file", False, "photo.raw", len(FILE)),
            (home.secret, "credential", False, "Bank login", len(SECRET.encode()))):
        row = rows.pop(made["asset"])
        equal((row["kind"], row["title"], row["revision"], row["heads"]),
              (kind, title, made["revision"], [made["revision"]]), "row")
        if kind in ("memory", "card"):
            equal(row["private"], private, "private")
        if size is not None:
            equal(row["bytes"], size, "bytes")
    equal(rows, {}, "other rows")


@case
def list_holds_no_content():
    home = shared(furnished)
    text = home.read(home.client, "list", home.main).done().out.decode()
    for content in (BODY, "my diary", "Ottawa", SECRET):
        check(json.dumps(content)[1:-1] not in text and content not in text, f"{content!r} is in the list")


@case
def history_has_the_contracts_shape():
    home = shared(furnished)
    page = home.read(home.client, "history", home.main, home.memory["asset"]).given()
    shape(page, {"vault": home.main, "asset": home.memory["asset"], "offset": 0, "next": None, "audit": AUDIT,
                 "revisions": [{"revision": home.memory["revision"], "parents": [], "created_at": TIME, "bytes": int,
                                "head": True, "deleted": False, "quarantine": False}]})
    equal(len(page["revisions"]), 1, "revisions")


@case
def a_memory_is_read_as_content_json():
    home = shared(furnished)
    a = home.read(home.client, "read", home.main, home.memory["asset"]).given()
    shape(a, BYTES)
    equal((a["encoding"], a["offset"], a["next"], a["revision"]), ("content_json", 0, None, home.memory["revision"]), "answer")
    equal(json.loads(data_of(a)), {"title": "Shopping", "body": BODY, "tags": ["food"]}, "content")
    equal(a["total"], len(data_of(a)), "total")


@case
def a_private_memory_and_a_card_are_read_too():
    home = shared(furnished)
    a = home.read(home.client, "read", home.main, home.private["asset"]).given()
    equal((a["encoding"], json.loads(data_of(a))["body"]), ("content_json", "my diary"), "private memory")
    a = home.read(home.client, "read", home.main, home.card["asset"]).given()
    equal((a["encoding"], json.loads(data_of(a))), ("content_json", CARD), "card")


@case
def a_file_is_read_as_raw_bytes():
    home = shared(furnished)
    a = home.read(home.client, "read", home.main, home.big["asset"]).given()
    shape(a, BYTES)
    equal((a["encoding"], a["offset"], a["total"], a["next"]), ("raw_bytes", 0, len(FILE), 65536), "answer")
    equal(data_of(a) == FILE[:65536], True, "bytes are right")


@case
def a_credential_is_read_as_raw_bytes():
    home = shared(furnished)
    a = home.read(home.client, "credential-bytes", home.main, home.secret["asset"]).given()
    shape(a, BYTES)
    equal((a["encoding"], data_of(a).decode(), a["next"]), ("raw_bytes", SECRET, None), "answer")


@case
def references_stay_references():
    home = furnished()
    text = f"log in with secret://{home.main}/{home.secret['asset']} please"
    made = home.add(home.main, "memory", text)
    got = json.loads(data_of(home.read(home.client, "read", home.main, made["asset"]).given()))
    equal(got["body"], text, "body")


@case
def an_empty_file_is_read_as_no_bytes():
    home = furnished()
    made = home.add(home.main, "file", b"")
    a = home.read(home.client, "read", home.main, made["asset"]).given()
    shape(a, BYTES)
    equal((a["data"], a["total"], a["next"], a["offset"]), ("", 0, None, 0), "answer")
    home.read(home.client, "read", home.main, made["asset"], "--offset", 1).refused("offset_out_of_range", 1)


@case
def each_answer_has_its_own_place_in_the_log():
    home = shared(furnished)
    seen = [home.read(home.client, c, *_args(home, c)).given()["audit"]["index"] for c in READS * 2]
    equal(seen, sorted(set(seen)), "places in the log")


@case
def reads_are_answered_with_and_without_json_alike():
    home = shared(furnished)
    for c in READS:
        a = home.read(home.client, c, *_args(home, c)).given()
        b = program("--json", "--home", home.path, "unattended", c, *_args(home, c), "--client-file", home.client).given()
        a.pop("audit"), b.pop("audit")
        equal(a, b, f"answer of {c}")


# Where it runs

@case
def a_read_works_without_a_terminal_and_with_one():
    home = shared(furnished)
    args = ["unattended", "read", home.main, home.memory["asset"], "--client-file", home.client]
    without = program("--home", home.path, *args).given()["data"]
    other = Terminal(home)
    equal(other.run(*args, json=False).given()["data"], without, "data")


@case
def a_read_works_from_any_folder_and_with_a_bare_environment():
    home = shared(furnished)
    args = ["unattended", "read", home.main, home.memory["asset"], "--client-file"]
    program("--home", home.path, *args, os.path.basename(home.client), cwd=home.clients).given()
    program("--home", home.path, *args, home.client, cwd="/proc").given()
    bare = dict.fromkeys(environment(), None)
    program("--home", home.path, *args, home.client, env=bare).given()


@case
def a_read_asks_for_nothing_even_on_a_terminal():
    home = shared(furnished)
    r = Terminal(home).run("unattended", "list", home.main, "--client-file", home.client).done()
    equal(r.screen, b"", "what stands on the terminal")


@case
def a_failed_read_always_has_json_on_stdout():
    home = shared(furnished)
    home.read(home.client, "read", home.main, NO_ID).refused("not_found", 1)
    program("--home", home.path, "unattended", "read", home.main).refused("usage", 2)
    program("--home", home.path, "unattended", "list", home.main, "--client-file", "/nonexistent/file").refused(
        "file_unreadable", 1)


# Pages of bytes

@case
def the_pages_of_a_file_are_the_file():
    home = shared(furnished)
    for limit in (65536, 65535, 50001):
        got, answers = home.whole(home.client, "read", home.main, home.big["asset"], "--limit", limit)
        equal(got == FILE, True, f"bytes by pages of {limit}")
        equal({a["total"] for a in answers}, {len(FILE)}, "totals")
        equal({a["revision"] for a in answers}, {home.big["revision"]}, "revisions")
        equal(len(answers), -(-len(FILE) // limit), "pages")


@case
def any_range_of_a_file_is_that_range():
    home = shared(furnished)
    rng = random.Random(7)
    ranges = [(0, 1), (65535, 1), (65535, 2), (65536, 1), (65530, 65536), (131071, 3), (len(FILE) - 1, 1),
              (len(FILE) - 1, 65536), (len(FILE) - 65536, 65536), (len(FILE) - 65537, 65536)]
    ranges += [(rng.randrange(len(FILE)), rng.randrange(1, 65537)) for _ in range(15)]
    for offset, limit in ranges:
        a = home.read(home.client, "read", home.main, home.big["asset"], "--offset", offset, "--limit", limit).given()
        wanted = FILE[offset:offset + limit]
        equal(data_of(a) == wanted, True, f"bytes of {offset}+{limit}")
        end = offset + len(wanted)
        equal((a["offset"], a["next"]), (offset, None if end == len(FILE) else end), f"paging of {offset}+{limit}")


@case
def a_credential_is_read_byte_by_byte():
    home = shared(furnished)
    got, answers = home.whole(home.client, "credential-bytes", home.main, home.secret["asset"], "--limit", 1)
    equal(got.decode(), SECRET, "secret")
    equal(len(answers), len(SECRET.encode()), "pages")


@case
def the_end_as_offset_gives_no_bytes_and_past_it_is_out_of_range():
    home = shared(furnished)
    for command, made, total in (("read", home.big, len(FILE)), ("credential-bytes", home.secret, len(SECRET.encode()))):
        a = home.read(home.client, command, home.main, made["asset"], "--offset", total).given()
        shape(a, BYTES)
        equal((a["data"], a["offset"], a["total"], a["next"]), ("", total, total, None), "answer at the end")
        for past in (total + 1, total + 65536, 2**32, 2**53, 2**63 - 1):
            home.read(home.client, command, home.main, made["asset"], "--offset", past).refused("offset_out_of_range", 1)


@case
def a_large_memory_is_read_in_pages():
    home = furnished()
    body = "".join(random.Random(3).choices("abcdef 漢字🥛", k=70000))
    made = home.add(home.main, "memory", body)
    got, answers = home.whole(home.client, "read", home.main, made["asset"])
    equal(json.loads(got)["body"] == body, True, "body")
    check(len(answers) > 1, "it took one page: the case tests nothing")


# Limits

@case
def pages_of_rows_respect_limit_and_offset():
    home = shared(furnished)
    everything = [r["asset"] for r in home.read(home.client, "list", home.main).given()["assets"]]
    for limit in (1, 2, 3, 100):
        got, offset = [], 0
        while offset is not None:
            page = home.read(home.client, "list", home.main, "--offset", offset, "--limit", limit).given()
            equal((page["offset"], len(page["assets"]) <= limit), (offset, True), "page")
            got += [r["asset"] for r in page["assets"]]
            offset = page["next"]
        equal(got, everything, f"rows by pages of {limit}")
    page = home.read(home.client, "list", home.main, "--offset", len(everything)).given()
    equal((page["assets"], page["next"]), ([], None), "page at the end")


@case
def a_limit_outside_its_range_is_an_invalid_argument():
    home = shared(furnished)
    for command in READS:
        most = 100 if command in ("list", "history") else 65536
        for limit in (0, most + 1, -1, 2**31, 2**32, 2**32 + 1, 2**63, 2**64, 2**64 + 5, 10**40, "", "x", "1x", "0x10",
                      "1e1", " 5", "+5", "5 ", "١", "1.0", "-0"):
            r = home.read(home.client, command, *_args(home, command), f"--limit={limit}")
            r.refused("invalid_argument", 2)
        home.read(home.client, command, *_args(home, command), f"--limit={most}").done()
        home.read(home.client, command, *_args(home, command), "--limit=1").done()


@case
def an_offset_that_is_no_number_is_an_invalid_argument():
    home = shared(furnished)
    for command in READS:
        for offset in (-1, 2**64, 10**40, "", "x", "0x0", "1e1", " 0", "+0"):
            home.read(home.client, command, *_args(home, command), f"--offset={offset}").refused("invalid_argument", 2)
        r = home.read(home.client, command, *_args(home, command), f"--offset={2**64 - 1}")
        check(r.code != 0 or not (r.json.get("assets") or r.json.get("revisions")), f"{r}")


@case
def malformed_ids_are_invalid_arguments():
    home = shared(furnished)
    good = home.memory["asset"]
    for bad in ("", "x", good[:-1], good + "0", "{" + good + "}", good.replace("-", ""), good.replace("-", "_"),
                " " + good, good + "\n", "g" + good[1:], "00000000-0000-0000-0000-000000000000", "*", "../x", "漢" * 12):
        home.read(home.client, "list", bad).refused("invalid_argument", 2)
        home.read(home.client, "read", home.main, bad).refused("invalid_argument", 2)
        home.read(home.client, "history", home.main, bad).refused("invalid_argument", 2)
        home.read(home.client, "credential-bytes", home.main, bad).refused("invalid_argument", 2)
        home.read(home.client, "read", home.main, good, "--revision=" + bad).refused("invalid_argument", 2)


@case
def pages_take_no_revision():
    home = shared(furnished)
    for command in ("list", "history"):
        home.read(home.client, command, *_args(home, command), "--revision", home.memory["revision"]).refused("usage", 2)


# What is not there, or not for this

@case
def unknown_ids_are_not_found():
    home = shared(furnished)
    for command in ("history", "read", "credential-bytes"):
        home.read(home.client, command, home.main, NO_ID).refused("not_found", 1)
        home.read(home.client, command, home.main, home.apart["asset"]).refused("not_found", 1)
    home.read(home.client, "read", home.main, home.memory["asset"], "--revision", NO_ID).refused("not_found", 1)


@case
def each_read_refuses_the_other_kind():
    home = shared(furnished)
    home.read(home.client, "read", home.main, home.secret["asset"]).refused("wrong_kind", 1)
    home.read(home.client, "read", home.main, home.secret["asset"], "--revision", home.secret["revision"]).refused(
        "wrong_kind", 1)
    for made in (home.memory, home.private, home.card, home.big):
        home.read(home.client, "credential-bytes", home.main, made["asset"]).refused("wrong_kind", 1)


@case
def a_revision_is_read_by_name_and_one_of_another_asset_is_a_mismatch():
    home = shared(furnished)
    a = home.read(home.client, "read", home.main, home.memory["asset"], "--revision", home.memory["revision"]).given()
    equal(a["revision"], home.memory["revision"], "revision")
    home.read(home.client, "read", home.main, home.memory["asset"], "--revision", home.card["revision"]).refused(
        "revision_mismatch", 1)
    home.read(home.client, "credential-bytes", home.main, home.secret["asset"], "--revision",
              home.memory["revision"]).refused("revision_mismatch", 1)


@case
def a_vault_that_is_not_granted_is_the_same_as_one_that_is_not_there():
    home = shared(furnished)
    for command in READS:
        for vault in (home.other, NO_ID):
            args = [vault] if command == "list" else [vault, home.apart["asset"]]
            home.read(home.client, command, *args).refused("vault_not_granted", 77)


@case
def a_message_of_a_refusal_holds_no_content():
    home = shared(furnished)
    for args in (["read", home.main, home.secret["asset"]], ["credential-bytes", home.main, home.memory["asset"]],
                 ["read", home.main, home.big["asset"], "--offset", 2**40], ["list", home.other]):
        r = home.read(home.client, *args)
        with open(home.client) as f:
            token = json.load(f)["token"]
        for secret in (SECRET, BODY, "Shopping", "Bank login", "photo.raw", token):
            check(secret.encode() not in r.out + r.err, f"{secret!r} in {r}")


@case
def parallel_reads_all_get_their_own_bytes():
    home = shared(furnished)
    jobs = []
    for i in range(16):
        offset = i * 12345
        argv = [BIN, "--home", home.path, "unattended", "read", home.main, home.big["asset"], "--client-file",
                home.client, "--offset", str(offset), "--limit", "9999"]
        jobs.append((offset, subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())))
    places = []
    for offset, p in jobs:
        out, err = p.communicate(timeout=30)
        equal(p.returncode, 0, f"exit code: {err!r}")
        a = json.loads(out)
        equal(data_of(a) == FILE[offset:offset + 9999], True, f"bytes at {offset}")
        places.append(a["audit"]["index"])
    equal(len(set(places)), 16, "places in the log")


if __name__ == "__main__":
    main()
