#!/usr/bin/env python3
"""m: `mcp serve`, the ordinary grant's server, by raw lines: what it shows, what it hides, and how long its answers are."""
import json

from harness import NO_ID, PATIENCE_S, case, check, equal, furnished, main, program, shared, within
from mcp_lines import LEGACY, MODERN, Server, bad, good, text_of

READERS = ["memory_list", "memory_read", "memory_search"]
LONG = "起 line of a long note, 日本語も。\n" * 3000


def granted(*options):
    """A furnished library with an ordinary grant for its first vault."""
    home = furnished()
    home.long = home.add(home.main, "memory", LONG, "--title", "Long")
    home.grant_file = home.side("grant")
    made = home.owner("grant", "mint", "--vault", home.main, "--grant-file", home.grant_file, *options).given()
    home.ordinary = made["grant"]
    return home


def serve(home, *options, revision=LEGACY[-1]):
    return Server(home, revision=revision, words=["serve", "--grant-file", home.grant_file, *options])


def pages(s, tool, rows, **arguments):
    """All rows of a tool's pages, each within the cap."""
    out, more, cap = [], {}, s.cap
    while True:
        result = s.call(tool, **arguments, **more)
        check(len(text_of(result).encode()) <= cap, f"{len(text_of(result))} bytes")
        answer = good(result)
        out += answer[rows]
        if answer["next"] is None:
            return out
        more = {"cursor": answer["next"]}


def whole(s, vault, asset):
    """The text of a memory, joined from its parts."""
    text, more = "", {}
    while True:
        result = s.call("memory_read", vault=vault, asset=asset, **more)
        check(len(text_of(result).encode()) <= s.cap, f"{len(text_of(result))} bytes")
        answer = good(result)
        equal(answer["continued"], text != "", "continued")
        text += answer["text"]
        if answer["next"] is None:
            return text
        more = {"cursor": answer["next"]}


@case
def the_tools_are_those_of_the_grant_in_all_five_revisions():
    home = shared(granted)
    for revision in LEGACY + [MODERN]:
        s = serve(home, revision=revision)
        tools = s.ask("tools/list")["result"]["tools"]
        equal([t["name"] for t in tools], READERS, "tools")
        for t in tools:
            if revision >= "2025-03-26":
                equal((t["annotations"]["readOnlyHint"], t["annotations"]["destructiveHint"]), (True, False), "hints")
            equal("outputSchema" in t, revision >= "2025-06-18", "outputSchema")
        result = s.call("memory_list")
        equal(result.get("structuredContent"), good(result) if revision >= "2025-06-18" else None, "structuredContent")
        if revision in LEGACY:
            equal(set(s.hello["result"]["capabilities"]), {"tools", "resources"}, "capabilities")
        equal(s.end(), 0, "exit code")


@case
def memories_and_cards_of_the_granted_vault_are_all_it_shows():
    home = shared(granted)
    s = serve(home)
    listed = good(s.call("memory_list"))
    equal({r["asset"] for r in listed["assets"]}, {home.memory["asset"], home.card["asset"], home.long["asset"]}, "assets")
    equal({r["vault"] for r in listed["assets"]}, {home.main}, "vaults")
    equal([r["asset"] for r in good(s.call("memory_list", kind="card"))["assets"]], [home.card["asset"]], "cards")
    read = good(s.call("memory_read", vault=home.main, asset=home.memory["asset"]))
    equal((read["title"], read["tags"], read["next"]), ("Shopping", ["food"], None), "memory")
    card = good(s.call("memory_read", vault=home.main, asset=home.card["asset"]))
    equal(card["fields"], [{"protected": False, "name": "Branch", "value": "Ottawa"}], "fields")
    bad(s.call("memory_list", vault=home.other), "vault_not_granted")
    bad(s.call("memory_read", vault=home.other, asset=home.apart["asset"]), "vault_not_granted")
    records = [r for r in home.records() if r.get("subject") == home.ordinary and r["type"] == "intent"]
    equal({r["surface"] for r in records}, {"stdio"}, "surfaces")
    check(len(records) >= 4, "records of the reads")


def _without(value, asset):
    return json.loads(json.dumps(value).replace(asset, "ID"))


@case
def what_is_hidden_is_answered_like_an_id_that_was_never_there():
    home = shared(granted)
    s = serve(home)
    answers, records, resources = [], [], []
    for asset in (NO_ID, home.private["asset"], home.secret["asset"], home.big["asset"]):
        before = len(home.records())
        s.last = 100
        answers.append(_without(s.ask("tools/call", {"name": "memory_read", "arguments": {
            "vault": home.main, "asset": asset}}), asset))
        new = [r for r in home.records()[before:] if r.get("subject") == home.ordinary]
        records.append([{k: v for k, v in _without(r, asset).items() if k not in ("index", "time", "at", "ask", "hash")} for r in new])
        s.last = 200
        uri = f"memory://{home.main}/{asset}"
        resources.append(_without(s.ask("resources/read", {"uri": uri}), asset))
    equal([len(r) for r in records], [1] * 4, "one record each")
    for what, all_of_them in (("answers", answers), ("records", records), ("resources", resources)):
        for other in all_of_them[1:]:
            equal(other, all_of_them[0], what)
    bad(answers[0]["result"], "not_found")
    equal(resources[0]["error"]["code"], -32002, "code of a resource that is not there")


@case
def no_answer_is_longer_than_the_cap_and_nothing_is_lost():
    home = shared(granted)
    for cap, options in ((32768, ()), (4096, ("--max-bytes", "4096"))):
        s = serve(home, *options)
        s.cap = cap
        equal(len(pages(s, "memory_list", "assets", limit=2)), 3, "assets")
        equal(whole(s, home.main, home.long["asset"]), LONG, "text")
        uri, text = f"memory://{home.main}/{home.long['asset']}", ""
        while uri:
            contents = s.ask("resources/read", {"uri": uri})["result"]["contents"]
            check(len(json.dumps(contents, ensure_ascii=False).encode()) <= cap + 64, "contents")
            text += contents[0]["text"]
            uri = contents[1]["uri"] if len(contents) > 1 else None
        equal(text, LONG, "text of the resource")
    for n in (4095, 262145, 0):
        r = program("--home", home.path, "mcp", "serve", "--grant-file", home.grant_file, "--max-bytes", n, input=b"")
        r.refused("invalid_argument", 2, json=False)


@case
def a_cursor_of_something_else_is_refused():
    home = shared(granted)
    s = serve(home)
    cursor = good(s.call("memory_read", vault=home.main, asset=home.long["asset"]))["next"]
    for tool, arguments in (("memory_read", {"vault": home.main, "asset": home.memory["asset"]}), ("memory_list", {}),
                            ("memory_search", {"query": "milk"})):
        bad(s.call(tool, **arguments, cursor=cursor), "invalid_argument")
    bad(s.call("memory_read", vault=home.main, asset=home.long["asset"], cursor=cursor[:-1] + ("A" if cursor[-1] != "A" else "B")),
        "invalid_argument")
    equal(s.ask("resources/list", {"cursor": cursor})["error"]["code"], -32602, "code")
    # It is the grant's, not the process's.
    s = serve(home)
    good(s.call("memory_read", vault=home.main, asset=home.long["asset"], cursor=cursor))


def search(s, **arguments):
    """Once the index is there."""
    def found():
        result = s.call("memory_search", **arguments)
        return None if "search_warming" in text_of(result) else result
    return within(PATIENCE_S, found, "an index")


@case
def a_search_finds_what_the_grant_may_see_and_no_more():
    home = granted()
    home.add(home.main, "memory", "milk of the private kind", "--title", "Hidden milk", "--private")
    for i in range(12):
        home.add(home.main, "memory", f"walnut number {i} " + "und so weiter " * 30, "--title", f"Nut {i}")
    s = serve(home, "--max-bytes", "4096")
    s.cap = 4096
    for query in ("milk", "牛奶"):
        answer = good(search(s, query=query))
        equal([r["asset"] for r in answer["results"]], [home.memory["asset"]], query)
        equal(answer["results"][0]["uri"], f"memory://{home.main}/{home.memory['asset']}", "uri")
    def all_nuts():
        return len(good(search(s, query="walnut"))["results"]) > 0 and good(s.call("memory_search", query="walnut"))["total"] == 12
    within(PATIENCE_S, all_nuts, "all of them in the index")
    rows = pages(s, "memory_search", "results", query="walnut", limit=50)
    equal(len({r["asset"] for r in rows}), 12, "found")
    equal(len(rows), 12, "rows")
    for query in ("diary", "other vault", "Bank login"):
        found = good(search(s, query=query))["results"]
        check(not {r["asset"] for r in found} & {home.private["asset"], home.apart["asset"], home.secret["asset"]}, f"{query}: {found}")
    bad(s.call("memory_search", query="x", vault=home.other), "vault_not_granted")
    bad(s.call("memory_search", query="!?"), "query_empty")
    bad(s.call("memory_search", query="字" * 200), "query_too_long")


@case
def a_vault_that_was_removed_is_named_and_hides_no_other():
    home = furnished()
    home.grant_file = home.side("grant")
    home.owner("grant", "mint", "--vault", home.main, "--vault", home.other, "--grant-file", home.grant_file).done()
    s = serve(home)
    s.cap = 32768
    equal(len(pages(s, "memory_list", "assets", limit=1)), 3, "assets of both")
    home.terminal.run("vault", "remove", home.other, answers=[("Name of the vault: ", "other")]).done()
    answer = good(s.call("memory_list"))
    equal(len(answer["assets"]), 2, "assets of the one")
    equal(answer["skipped"], [{"vault": home.other, "code": "vault_not_active"}], "skipped")
    bad(s.call("memory_list", vault=home.other), "vault_not_active")
    bad(s.call("memory_search", query="apart", vault=home.other), "vault_not_active")
    uri = f"memory://{home.other}/{home.apart['asset']}"
    equal(s.ask("resources/read", {"uri": uri})["error"]["data"], {"uri": uri}, "a resource of it")


@case
def resources_are_listed_and_read():
    home = shared(granted)
    for revision in LEGACY + [MODERN]:
        s = serve(home, revision=revision)
        rows = s.ask("resources/list")["result"]["resources"]
        equal({r["uri"] for r in rows}, {f"memory://{home.main}/{a['asset']}" for a in (home.memory, home.card, home.long)}, "URIs")
        equal(s.ask("resources/templates/list")["result"]["resourceTemplates"][0]["uriTemplate"], "memory://{vault}/{asset}", "template")
        before = len(home.records())
        one = s.ask("resources/read", {"uri": f"memory://{home.main}/{home.memory['asset']}"})["result"]["contents"]
        equal([(r["type"], r["subject"], r["asset"]) for r in home.records()[before:]],
              [("intent", home.ordinary, home.memory["asset"])], "records of one read")
        equal([(c["mimeType"], c["text"]) for c in one], [("text/plain", "buy oat milk, 牛奶 and 🥛")], "contents")
        card = s.ask("resources/read", {"uri": f"memory://{home.main}/{home.card['asset']}"})["result"]["contents"]
        equal((card[0]["mimeType"], json.loads(card[0]["text"])["title"]), ("application/json", "Bank"), "card")
        for uri in ("", "x", "secret://a/b", f"memory://{home.main}", f"memory://{home.other}/{home.apart['asset']}"):
            check("error" in s.ask("resources/read", {"uri": uri}), f"{uri} was read")
        equal(s.ask("resources/subscribe", {"uri": one[0]["uri"]})["error"]["code"], -32601, "subscribe")


@case
def of_a_conflict_a_head_must_be_named():
    home = granted()
    words = [home.main, home.memory["asset"]]
    heads = sorted(home.owner("asset", "edit", *words, "-", "--base", home.memory["revision"], "--keep-both",
                              input=t).given()["revision"] for t in (b"left", b"right"))
    s = serve(home)
    row, = (r for r in good(s.call("memory_list"))["assets"] if r["asset"] == home.memory["asset"])
    equal((row["revision"], row["conflict"], row["heads"]), (None, True, heads), "row")
    arguments = {"vault": home.main, "asset": home.memory["asset"]}
    check(all(h in text_of(s.call("memory_read", **arguments)) for h in heads), "the heads are not named")
    bad(s.call("memory_read", **arguments), "revision_required")
    equal({good(s.call("memory_read", **arguments, revision=h))["text"] for h in heads}, {"left", "right"}, "both")
    bad(s.call("memory_read", **arguments, revision=home.memory["revision"]), "not_found")
    uri = f"memory://{home.main}/{home.memory['asset']}"
    equal(s.ask("resources/read", {"uri": uri})["error"]["data"]["code"], "revision_required", "as a resource")


@case
def locked_is_said_and_mended_by_an_unlock_alone():
    home = granted()
    s = serve(home)
    good(s.call("memory_list"))
    home.owner("lock").done()
    for _ in range(2):
        check("memories unlock" in text_of(s.call("memory_list")), "what to do")
        bad(s.call("memory_read", vault=home.main, asset=home.memory["asset"]), "locked")
        equal(s.ask("resources/list")["error"]["data"]["code"], "locked", "resources while locked")
    home.terminal.unlock().done()
    good(s.call("memory_list"))
    home.stop()
    bad(s.call("memory_list"), "daemon_not_running")
    home.start()
    bad(s.call("memory_list"), "locked")
    home.terminal.unlock().done()
    good(s.call("memory_list"))
    s.ask("resources/list")["result"]
    equal(s.end(), 0, "exit code")


@case
def a_revoked_grant_is_refused_on_a_running_server():
    home = granted()
    s = serve(home)
    good(s.call("memory_list"))
    home.owner("grant", "revoke", home.ordinary).done()
    bad(s.call("memory_list"), "invalid_grant")


@case
def neither_file_is_taken_for_the_other():
    home = shared(granted)
    r = program("--home", home.path, "mcp", "serve", "--grant-file", home.client, input=b"")
    r.refused("client_file_invalid", 1, json=False)
    r = program("--home", home.path, "mcp", "serve-unattended", "--client-file", home.grant_file, input=b"")
    r.refused("client_file_invalid", 1, json=False)
    home.cli("unattended", "list", home.main, "--client-file", home.grant_file).refused("client_file_invalid")
    r = program("--home", home.path, "mcp", "serve", "--grant-file", "/nonexistent/g", input=b"")
    r.refused("file_unreadable", 1, json=False)


@case
def arguments_that_do_not_fit_are_refused():
    home = shared(granted)
    s = serve(home)
    v, a = home.main, home.memory["asset"]
    for tool, arguments in (
            ("memory_list", {"vault": "x"}), ("memory_list", {"kind": "file"}), ("memory_list", {"limit": 0}),
            ("memory_list", {"limit": 101}), ("memory_list", {"cursor": ""}), ("memory_list", {"cursor": 7}),
            ("memory_list", {"asset": a}), ("memory_read", {"vault": v}), ("memory_read", {"asset": a}),
            ("memory_read", {"vault": v, "asset": a, "offset": 1}), ("memory_search", {}), ("memory_search", {"query": ""}),
            ("memory_search", {"query": 7}), ("memory_search", {"query": "x", "limit": 51}),
            ("memory_read", {"vault": v, "asset": a, "revision": "x"})):
        text = text_of(s.call(tool, **arguments))
        check("invalid_argument" in text, f"{tool} {arguments}: {text:.200}")
    check("error" in s.ask("tools/call", {"name": "memory_propose", "arguments": {}}), "a grant that may not propose has the tool")
    check("error" in s.ask("tools/call", {"name": "unattended_list", "arguments": {"vault": v}}), "a tool of the other server")
    good(s.call("memory_list"))


if __name__ == "__main__":
    main()
