#!/usr/bin/env python3
"""f: what the owner finds, what is never found, and what search leaves behind."""
import contextlib
import json
import os
import signal
import time

from harness import (ONE_PROCESS, case, check, equal, furnished, library, main, needs_root, process_only, shared,
                     within)
from marks import Scanner, fresh_mark, scan_memory
from traces import check_order, events

NOTES = {
    "北京": ("周末去北京看展览", "旅行计划"),
    "機械学習": ("機械学習の本を読む", "読書"),
    "database": ("Back up the database before Friday", "Server"),
    "mixed": ("用 Rust 重写数据库引擎, see RFC 6962", "隐私 plan"),
    "wide": ("型号 ＡＢＣ１２３ 的说明书", "手册"),
}
CARD = {"title": "Passport", "tags": ["旅行"], "fields": [
    {"name": "number", "value": "E12345678", "protected": False}, {"name": "国籍", "value": "中国", "protected": False}]}


def _library():
    home = library(unattended=False)
    home.main = home.vault("main")
    return home


def _notes():
    home = _library()
    home.other = home.vault("other")
    home.ids = {name: home.add(home.main, "memory", body, "--title", title)["asset"] for name, (body, title) in NOTES.items()}
    home.ids["card"] = home.add(home.main, "card", json.dumps(CARD))["asset"]
    home.ids["other"] = home.add(home.other, "memory", "the database of birds", "--title", "Elsewhere")["asset"]
    return home


def _search(home, query, *options):
    return home.owner("search", query, *options)


def _found(home, query, *options):
    return [h["asset"] for h in _search(home, query, *options).given()["hits"]]


def _ready(home):
    within(30, lambda: home.status()["search"]["state"] == "ready", "a built index")


# What is found

@case
def chinese_japanese_english_and_mixed_words_are_found():
    home = shared(_notes)
    for query, name in (("北京", "北京"), ("展览", "北京"), ("機械学習", "機械学習"), ("database friday", "database"), ("DATABASE back", "database"),
                        ("数据库", "mixed"), ("隐私 plan", "mixed"), ("rust", "mixed"), ("库", "mixed"), ("abc123", "wide"),
                        ("ＡＢＣ123", "wide"), ("e12345678", "card"), ("国籍", "card"), ("number", "card")):
        found = _found(home, query)
        check(found and found[0] == home.ids[name], f"first of {query!r}: {found}, not {name}")


@case
def a_hit_says_where_the_match_stands():
    home = shared(_notes)
    hit = _search(home, "展览").given()["hits"][0]
    body = NOTES["北京"][0].encode()
    equal((hit["match"]["field"], hit["match"]["number"], hit["kind"], hit["title"]), ("body", None, "memory", "旅行计划"), "hit")
    at = hit["match"]["offset"]
    equal(body[at:at + hit["match"]["length"]].decode(), "展览", "the match in the text")
    check("展览" in hit["excerpt"], f"excerpt {hit['excerpt']!r}")
    for query, field, number in (("passport", "title", None), ("国籍", "field_name", 1), ("e12345678", "field_value", 0), ("旅行", "tag", 0)):
        hits = [h for h in _search(home, query).given()["hits"] if h["asset"] == home.ids["card"]]
        equal((hits[0]["match"]["field"], hits[0]["match"]["number"]), (field, number), f"place of {query!r}")


@case
def vault_and_kind_narrow_a_search():
    home = shared(_notes)
    equal(sorted(_found(home, "database")), sorted([home.ids["database"], home.ids["other"]]), "in all vaults")
    equal(_found(home, "database", "--vault", "other"), [home.ids["other"]], "in one vault")
    equal(_found(home, "旅行", "--kind", "card"), [home.ids["card"]], "cards")
    check(home.ids["card"] not in _found(home, "旅行", "--kind", "memory"), "a card among memories")
    _search(home, "database", "--kind", "file").refused("invalid_argument")
    _search(home, "database", "--vault", "nowhere").refused("not_found", 1)


@case
def pages_follow_each_other_without_gap():
    home = _library()
    all_ids = {home.add(home.main, "memory", f"apple number {i}", "--title", f"T{i}")["asset"] for i in range(7)}
    got, offset = [], 0
    while offset is not None:
        page = _search(home, "apple", "--limit", 3, "--offset", offset).given()
        equal(page["total"], 7, "total")
        got += [h["asset"] for h in page["hits"]]
        offset = page["next"]
    equal((len(got), set(got)), (7, all_ids), "what the pages hold")
    equal(_search(home, "apple", "--offset", 7).given()["hits"], [], "past the end")


@case
def what_cannot_be_searched_for_has_codes():
    home = shared(_notes)
    for query, code in (("", "query_empty"), ("… — !!", "query_empty"), ("x" * 513, "query_too_long"), ("字" * 171, "query_too_long")):
        _search(home, query).refused(code, 1)
    equal(_search(home, "字" * 170).given()["hits"], [], "the longest query")
    for option in (("--limit", 0), ("--limit", 51), ("--offset", -1)):
        _search(home, "x", *option).refused("invalid_argument")
    last = home.records()[-1]
    equal((last["type"], last["operation"]), ("intent", "search"), "the last record")
    check(any(r["type"] == "refusal" and r.get("operation") == "search" for r in home.records()), "no refusal was recorded")


@case
def what_people_see_obeys_no_control_character():
    home = shared(_notes)
    home.add(home.main, "memory", "zebra \x1b[31mred\u202e evil", "--title", "a\x1bb")
    out = _search(home, "zebra").done()
    text = home.owner("search", "zebra", json=False).done().out
    check(b"\x1b" not in text and "\u202e".encode() not in text and b"zebra" in text, f"shown: {text!r}")
    check(b"zebra" in out.out, "nothing found")


# What changes

@case
def edits_removals_and_new_vaults_are_seen_at_once():
    home = _library()
    made = home.add(home.main, "memory", "first walrus", "--title", "T")
    for i in range(5):
        equal(_found(home, "walrus"), [made["asset"]], f"before edit {i}")
        home.owner("asset", "edit", home.main, made["asset"], "-", input=b"then a dolphin").done()
        equal((_found(home, "walrus"), _found(home, "dolphin")), ([], [made["asset"]]), f"after edit {i}")
        home.owner("asset", "edit", home.main, made["asset"], "-", input=b"again a walrus").done()
    home.owner("asset", "remove", home.main, made["asset"]).done()
    equal(_found(home, "walrus"), [], "after the removal")
    home.owner("asset", "restore", home.main, made["asset"], made["revision"]).done()
    equal(_found(home, "walrus"), [made["asset"]], "after restoring")
    fresh = home.vault("fresh")
    equal(_found(home, "walrus", "--vault", fresh), [], "in a new vault")
    home.add(fresh, "memory", "walrus of the new vault", "--title", "N")
    equal(len(_found(home, "walrus")), 2, "in both")


@case
def of_a_conflict_the_head_that_a_list_shows_is_found():
    home = _library()
    made = home.add(home.main, "memory", "original heron", "--title", "T")
    edit = ("asset", "edit", home.main, made["asset"], "-", "--base", made["revision"])
    home.owner(*edit, input=b"left heron").done()
    home.owner(*edit, "--keep-both", input=b"right heron").done()
    hits = _search(home, "heron").given()["hits"]
    equal(len(hits), 1, "hits")
    heads = home.owner("asset", "list", home.main).given()["assets"][0]["heads"]
    equal(hits[0]["revision"], sorted(heads)[0], "the head that is found")


@case
def a_long_text_is_found_to_its_end():
    home = _library()
    body = "filler word " * 30000 + "hippopotamus"
    a = home.add(home.main, "memory", body, "--title", "Long")["asset"]
    hit = _search(home, "hippopotamus").given()["hits"][0]
    equal((hit["asset"], hit["match"]["offset"]), (a, len(body) - 12), "place")


# What is never found

@case
def private_assets_files_and_credentials_are_never_found():
    home = _library()
    word = "Pangolin"
    home.add(home.main, "memory", f"{word} body", "--title", f"{word} diary", "--private", "--tag", word)
    home.add(home.main, "card", json.dumps({"title": word, "tags": [word], "fields": [
        {"name": word, "value": word, "protected": False}]}), "--private")
    home.add(home.main, "file", word * 10, "--title", f"{word}.txt", "--media-type", "text/plain")
    home.add(home.main, "credential", word, "--title", f"{word} login", "--tag", word)
    equal(_found(home, word), [], "with nothing ordinary there")
    equal(home.status()["search"]["documents"], 0, "documents in the index")
    a = home.add(home.main, "memory", f"an ordinary {word}", "--title", "x")["asset"]
    equal(_found(home, word), [a], "control")


# What is recorded

@case
def every_result_is_recorded_before_it_leaves():
    home = furnished("--trace")
    _ready(home)
    answers = [_search(home, q).given() for q in ("other", "milk", "nothing at all like it")]
    records = home.records()
    for a in answers:
        r = records[a["audit"]["index"]]
        equal((r["type"], r["operation"], r["surface"]), ("intent", "search", "owner"), "the record")
        equal([(x["asset"], x["revision"]) for x in r.get("rows", [])], [(h["asset"], h["revision"]) for h in a["hits"]], "rows")
    home.stop()
    check_order(home.trace())
    hops = {(e[1], e[2], e[3]) for e in events(home.trace()) if e[0] == "sent"}
    check({("search", "gate", "FOUND"), ("keyring", "search", "QUERY"), ("audit", "search", "INDEX_ACK")} <= hops, f"hops: {hops}")
    equal({h for h in hops if h[0] == "search" and h[1] in ("gate", "client")} -
          {("search", "gate", "FOUND"), ("search", "gate", "SEARCH_STATE"), ("search", "gate", "QUERY_REFUSED")}, set(), "what search says")


@case
def a_vault_is_indexed_under_one_record_an_unlock():
    home = _notes()
    _ready(home)

    def indexed():
        return sorted(r["vault"] for r in home.records() if r["type"] == "index")
    equal(indexed(), sorted([home.main, home.other]), "vaults of index records")
    for _ in range(3):
        _found(home, "database")
    home.owner("lock").done()
    home.terminal.unlock().done()
    _ready(home)
    equal(indexed(), sorted([home.main, home.other] * 2), "after another unlock")


@process_only
def a_log_that_does_not_answer_lets_no_result_out():
    home = _notes()
    _ready(home)
    audit = home.process("audit")
    os.kill(audit, signal.SIGSTOP)
    try:
        r = _search(home, "database")
        r.refused("audit_timeout")
        check(b"Server" not in r.out + r.err, "a title came out")
    finally:
        os.kill(audit, signal.SIGCONT)
    within(30, lambda: _search(home, "database").code == 0, "a search once the log is back")


# States

@case
def status_says_how_much_is_indexed_and_how_much_of_it_is_never_in_swap():
    home = _notes()
    _ready(home)
    s = home.status()["search"]
    equal((s["state"], s["documents"]), ("ready", len(NOTES) + 2), "state")
    check(0 <= s["locked_bytes"] <= s["bytes"] and s["bytes"] > 10000, f"bytes: {s}")
    with open(f"/proc/{_holder(home)}/status") as f:
        locked_kib = next(int(line.split()[1]) for line in f if line.startswith("VmLck:"))
    check(s["locked_bytes"] <= locked_kib * 1024, f"{s} and {locked_kib} KiB are locked")
    words = home.cli("status", json=False).done().out.decode()
    check(f"search     ready, {s['documents']} documents" in words and "never in swap" in words, f"for people: {words}")


@case
def a_locked_library_is_not_searched():
    home = _notes()
    home.owner("lock").done()
    _search(home, "database").refused("locked")
    equal(home.status()["search"]["state"], "off", "state")
    home.terminal.unlock().done()
    within(30, lambda: _search(home, "database").code == 0, "a search after unlocking")
    equal(len(_found(home, "database")), 2, "results")


def _kill(home, name):
    """False when the process that was found is the last one, which has just died."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(home.process(name), signal.SIGKILL)
        return True
    return False


@process_only
def while_search_is_away_a_search_is_warming_and_reads_go_on():
    home = furnished()
    _ready(home)
    # Each death within its first seconds is answered by a longer wait.
    for _ in range(5):
        within(10, lambda: _kill(home, "search"), "its death")
    r = _search(home, "other")
    r.refused("search_warming", 1)
    equal(home.status()["search"]["state"], "warming", "state")
    home.read(home.client, "list", home.main).done()
    home.owner("asset", "show", home.main, home.memory["asset"]).done()
    within(30, lambda: _search(home, "other").code == 0, "a search once it is back")
    equal(len(_found(home, "other")), 1, "what it finds")


@process_only
def a_lock_does_not_wait_for_a_search_that_hangs():
    home = _notes()
    _ready(home)
    pid = home.process("search")
    os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic()
    home.owner("lock").done()
    took = time.monotonic() - begun
    check(took < 6, f"lock took {took:.1f} s")
    within(10, lambda: home.process("search") != pid, "another search process")
    home.terminal.unlock().done()
    within(30, lambda: _search(home, "database").code == 0, "a search after unlocking")
    equal(len(_found(home, "database")), 2, "results")


def _holder(home):
    return home.process("core" if ONE_PROCESS else "search")


def _writing(home, path, scanner):
    for at, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError), open(os.path.join(at, name), "rb") as f:
                scanner.check(f.read(), os.path.join(at, name))


@case
def a_lock_leaves_nothing_of_the_index_in_memory_and_none_is_ever_on_disk():
    needs_root()
    home = _library()
    marks = {name: ("q" + fresh_mark()).encode() for name in ("body", "title", "tag", "query")}
    scanner = Scanner(marks)
    text = {k: v.decode() for k, v in marks.items()}
    for i in range(20):
        home.add(home.main, "memory", f"{text['body']} {i} " * 30, "--title", text["title"], "--tag", text["tag"])
    # A query that is never found: its words are nowhere but in it.
    for _ in range(5):
        equal(_found(home, text["query"]), [], "hits")
        check(len(_found(home, text["body"])) == 20, "the mark is not found")
    found, _ = scan_memory(_holder(home), scanner)
    check(any("body" in f for f in found), "control: the index is not seen by the scan while it is there")
    _writing(home, home.path, scanner)
    home.owner("lock").done()
    found, n = scan_memory(_holder(home), scanner)
    check(n > 1 << 20, f"only {n} bytes were scanned")
    equal(found, [], "marks in memory after a lock")
    _writing(home, home.path, scanner)


if __name__ == "__main__":
    main()
