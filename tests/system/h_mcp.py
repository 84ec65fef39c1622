#!/usr/bin/env python3
"""h: MCP of the remote profile, from outside: five revisions, four tools, one resource, and what a connection may see of the facts."""
import base64
import hashlib
import json
import re
import socket
import threading

from harness import Skip, TIME, UUID, case, check, equal, main, shape, shared
from http_client import (Askers, FACTS, LEGACY, META, MODERN, SCOPES, add_fact, challenge_header, connected, edit_fact, endpoint, good, labels, share,
                         text_of, visible)
from http_raw import Connection, once, request
from mcp_schema_check import check_answer, load_schemas

REVISIONS = [*LEGACY, MODERN]
SUMMARY = "lifeos://profile/summary"
HEX = re.compile(r"[0-9a-f]{64}")
FACT = {"id": UUID, "category": str, "label": str, "value": str, "version": int, "updated_at": TIME}
OVERVIEW = {"summary": str, "facts": [FACT], "version": HEX, "updated_at": TIME, "has_more": bool, "offset": int, "next_offset": (int, None),
            "next_uri": (str, None)}


def _furnished():
    home = endpoint()
    home.assistant = connected(home)
    return home


def _home():
    return shared(_furnished)


def _mcp(revision=MODERN, **more):
    return _home().assistant.mcp(revision, **more)


def _fresh_token():
    """Access tokens live ten minutes; a file may take longer on a slow machine."""
    _home().assistant.refresh()


# Every method in every revision, by the published schemas

def _asked(m):
    """(method, answer) of everything that a revision has."""
    calls = [("tools/list", {}), ("resources/list", {}), ("resources/templates/list", {}), ("resources/read", {"uri": SUMMARY}),
             ("resources/read", {"uri": "lifeos://profile/nothing"}), ("resources/read", {}), ("tools/call", {"name": "get_user_context", "arguments": {}}),
             ("tools/call", {"name": "get_user_context"}), ("tools/call", {"name": "get_user_context", "arguments": {"x": 1}}),
             ("tools/call", {"name": "search_user_context", "arguments": {"query": "coffee"}}),
             ("tools/call", {"name": "search_user_context", "arguments": {"query": "coffee", "limit": 11}}),
             ("tools/call", {"name": "read_user_context_page", "arguments": {"offset": 0, "version": "0" * 64}}),
             ("tools/call", {"name": "propose_memory", "arguments": {"op": "add", "category": "habit", "label": "Reading",
                                                                    "value": f"reads in {m.revision}", "evidence": "Said so."}}),
             ("tools/call", {"name": "nothing", "arguments": {}}), ("tools/call", {"name": "get_user_context", "arguments": []}), ("tools/call", {}),
             ("no/such/method", {}), ("completion/complete", {}), ("resources/subscribe", {"uri": SUMMARY})]
    calls += [("server/discover", {})] if m.revision == MODERN else [("ping", {}), ("prompts/list", {})]
    for method, params in calls:
        message = m.request(method, params)
        yield method, message, m.post(message)


@case
def every_answer_fits_the_schema_of_its_revision():
    try:
        schemas = load_schemas()
    except SystemExit:
        raise Skip("MCP's schemas are not here") from None
    _fresh_token()
    for revision in REVISIONS:
        tools, m = [], _mcp(revision, hello=True)
        if revision in LEGACY:
            wrong = list(check_answer(schemas[revision], schemas[MODERN], tools, "initialize",
                                      {"jsonrpc": "2.0", "id": 1, "result": m.hello}))
            equal(wrong, [], f"initialize in {revision}")
        for method, message, answer in _asked(m):
            check(answer.status in (200, 404), f"{method}: {answer}")
            value = answer.json
            equal(value.get("id"), message["id"], f"id of {method}")
            equal(answer.header("cache-control"), "no-store", f"Cache-Control of {method}")
            wrong = list(check_answer(schemas[revision], schemas[MODERN], tools, method, value))
            equal(wrong, [], f"{method} in {revision}: {value!r:.300}")


@case
def an_old_revision_gets_no_newer_members():
    for revision in REVISIONS:
        m = _mcp(revision, hello=True)
        tool = m.ask("tools/list")["result"]["tools"][0]
        equal("annotations" in tool, revision >= "2025-03-26", f"annotations in {revision}")
        equal("outputSchema" in tool and "title" in tool, revision >= "2025-06-18", f"outputSchema in {revision}")
        result = m.call("get_user_context")
        equal("structuredContent" in result, revision >= "2025-06-18", f"structuredContent in {revision}")
        equal("resultType" in result, revision == MODERN, f"resultType in {revision}")


@case
def the_handshake_agrees_on_a_revision_and_never_fails_over_it():
    m = _mcp("2025-11-25")
    for asked, agreed in [(r, r) for r in LEGACY] + [("2026-07-28", "2025-11-25"), ("2099-01-01", "2025-11-25"), ("x", "2025-11-25"), ("", "2025-11-25")]:
        message = m.request("initialize", {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        answer = m.post(message, MCP_Protocol_Version=None).status_is(200)
        equal(answer.json["result"]["protocolVersion"], agreed, f"asked for {asked!r}")
        equal(answer.json["result"]["capabilities"], {"tools": {}, "resources": {}}, "capabilities")
        check(not answer.all("mcp-session-id"), "a session")


@case
def the_four_tools_are_listed_whatever_the_scopes():
    a = connected(_home(), scopes=["profile:read"])
    for m in (_mcp(), a.mcp()):
        tools = m.ask("tools/list")["result"]["tools"]
        equal({t["name"] for t in tools}, {"get_user_context", "read_user_context_page", "search_user_context", "propose_memory"}, "names")
        for t in tools:
            equal((t["inputSchema"]["type"], t["inputSchema"].get("additionalProperties")), ("object", False), f"schema of {t['name']}")
            equal(set(t["annotations"]) >= {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}, True, f"hints of {t['name']}")
            equal(t["annotations"]["readOnlyHint"], t["name"] != "propose_memory", f"readOnlyHint of {t['name']}")
        check("not the whole profile" in next(t for t in tools if t["name"] == "search_user_context")["description"], "what search says of its pages")


# Envelopes, headers, batches

def _error(answer, status, code, id=None):
    answer.status_is(status)
    value = answer.json
    equal((value.get("jsonrpc"), value["error"]["code"], "result" in value), ("2.0", code, False), f"{answer}")
    if id is None:
        check(value.get("id", None) is None, f"an id: {answer}")
    else:
        equal(value.get("id"), id, f"id of {answer}")
    return value["error"]


@case
def a_modern_request_says_everything_of_itself():
    m = _mcp()
    good_one = m.request("tools/list", id=7)
    m.post(good_one).status_is(200)
    meta = lambda **changes: {**good_one, "params": {"_meta": {k: v for k, v in {**META, **{  # noqa: E731
        f"io.modelcontextprotocol/{n}": v for n, v in changes.items()}}.items() if v is not None}}}
    _error(m.post({**good_one, "params": {}}), 400, -32602, 7)
    _error(m.post({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}), 400, -32602, 7)
    _error(m.post(meta(protocolVersion=None)), 400, -32602, 7)
    _error(m.post(meta(protocolVersion=5)), 400, -32602, 7)
    _error(m.post(meta(clientCapabilities=None)), 400, -32602, 7)
    _error(m.post(meta(clientCapabilities=[])), 400, -32602, 7)
    m.post(meta(clientInfo=None)).status_is(200)
    _error(m.post(good_one, MCP_Protocol_Version=None), 400, -32020, 7)
    _error(m.post(good_one, MCP_Protocol_Version="2025-11-25"), 400, -32020, 7)
    _error(m.post(good_one, Mcp_Method=None), 400, -32020, 7)
    _error(m.post(good_one, Mcp_Method="tools/call"), 400, -32020, 7)
    _error(m.post(good_one, Mcp_Method="TOOLS/LIST"), 400, -32020, 7)
    m.post(good_one, Mcp_Method=" tools/list\t").status_is(200)
    error = _error(m.post(meta(protocolVersion="2099-01-01"), MCP_Protocol_Version="2099-01-01"), 400, -32022, 7)
    check(MODERN in error["data"]["supported"] and error["data"]["requested"] == "2099-01-01", f"{error}")
    error = _error(m.post(meta(protocolVersion="2025-11-25"), MCP_Protocol_Version="2025-11-25"), 400, -32022, 7)
    for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "prompts/list", "no/such"):
        _error(m.post(m.request(method, id=8)), 404, -32601, 8)
    discovered = m.ask("server/discover")["result"]
    equal(discovered["capabilities"], {"tools": {}, "resources": {}}, "capabilities")
    check(set(error["data"]["supported"]) <= set(discovered["supportedVersions"]), "versions")


@case
def the_name_in_the_header_is_that_of_the_body():
    m = _mcp()
    call = m.request("tools/call", {"name": "get_user_context", "arguments": {}}, id=3)
    read = m.request("resources/read", {"uri": SUMMARY}, id=3)
    wrapped = lambda s: "=?base64?" + base64.b64encode(s.encode()).decode() + "?="  # noqa: E731
    m.post(call).status_is(200)
    m.post(call, Mcp_Name=wrapped("get_user_context")).status_is(200)
    m.post(read, Mcp_Name=wrapped(SUMMARY)).status_is(200)
    for name in (None, "", "search_user_context", "Get_user_context", wrapped("search_user_context"), "=?base64?%%%?=", "=?base64?Z2V0?"):
        _error(m.post(call, Mcp_Name=name), 400, -32020, 3)
    _error(m.post(read, Mcp_Name=SUMMARY + "/"), 400, -32020, 3)


@case
def a_header_that_comes_twice_is_refused():
    m = _mcp()
    call = m.request("tools/call", {"name": "get_user_context", "arguments": {}})
    for name in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Host", "Content-Length", "Authorization", "Content-Type", "Origin"):
        headers = [("Host", f"127.0.0.1:{m.port}"), ("Content-Length", str(len(json.dumps(call)))), *m.headers(call).items()]
        values = [v for n, v in headers if n.lower() == name.lower()] or [_home().origin]
        answer = once(m.port, "POST", "/mcp", [*headers, (name, values[0])] + ([(name, values[0])] if name == "Origin" else []), json.dumps(call))
        check(answer.status in ({"Content-Type": (400, 415), "Origin": (400, 403)}.get(name, (400,))), f"{name} twice: {answer}")
        check(b"facts" not in answer.body, f"{name} twice gives content")


@case
def a_legacy_request_is_served_at_its_headers_version():
    for version in (None, *LEGACY):
        m = _mcp("2025-11-25")
        m.post(m.request("ping"), MCP_Protocol_Version=version).status_is(200)
    for version in ("2024-01-01", "1.0", "x", ""):
        answer = m.post(m.request("ping"), MCP_Protocol_Version=version)
        check(answer.status == 400, f"version {version!r}: {answer}")
    m.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Mcp_Session_Id="anything").status_is(200)


@case
def notifications_and_responses_get_an_empty_202():
    for revision in REVISIONS:
        m = _mcp(revision)
        for message in ({"jsonrpc": "2.0", "method": "notifications/initialized"},
                        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
                        {"jsonrpc": "2.0", "method": "notifications/unknown"}):
            answer = m.post(message).status_is(202)
            equal((answer.body, answer.header("content-type")), (b"", None), f"202 in {revision}")
        answer = m.post({"jsonrpc": "2.0", "id": 4, "result": {}})
        equal(answer.status, 400 if revision == MODERN else 202, f"a response in {revision}")


@case
def a_legacy_client_that_says_no_more_is_answered_all_the_same():
    home = _home()
    _fresh_token()  # which has to be looked at first
    m = _mcp("2025-06-18")
    message = m.request("tools/call", {"name": "get_user_context", "arguments": {}})
    with Connection(home.port) as c:
        c.send(request("POST", "/mcp", m.headers(message), json.dumps(message), f"127.0.0.1:{home.port}"))
        c.socket.shutdown(socket.SHUT_WR)
        equal(len(good(c.answer().status_is(200).json["result"])["facts"]), len(FACTS), "facts")


@case
def what_is_no_request_is_refused_with_the_id_that_it_has():
    m = _mcp("2025-11-25")
    for body in (b"", b"{", b"nonsense", b"\xff\xfe", b'{"a":1} x', b'{"jsonrpc":"2.0","method":"ping"}}', b'"\x01"'):
        _error(m.post(body), 400, -32700)
    for body in (b"1", b"null", b'"x"', b"{}", b'{"id":1}'):
        answer = m.post(body)
        check(answer.status == 400 and answer.json["error"]["code"] == -32600, f"{body}: {answer}")
    for id in ("null", "true", "1.5", "1e3", "{}", "[]"):
        answer = m.post(f'{{"jsonrpc":"2.0","id":{id},"method":"ping"}}')
        check(answer.status == 400 and answer.json["error"]["code"] == -32600, f"id {id}: {answer}")
    for id in ('"1"', "1", "0", "-1", '""', "9007199254740993", '"\\u00e9"'):
        answer = m.post(f'{{"jsonrpc":"2.0","id":{id},"method":"ping"}}').status_is(200)
        check(f'"id":{id}'.encode() in answer.body or json.loads(id) == answer.json["id"], f"id {id}: {answer}")
    _error(m.post('{"jsonrpc":"1.0","id":5,"method":"ping"}'), 400, -32600, 5)
    deep = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 5000 + b"1" + b"}" * 5001
    check(m.post(deep).status == 400, "deep JSON")
    check(m.post(b"[" * 30000).status == 400, "deep arrays")


@case
def batches_are_for_one_revision():
    m = _mcp("2025-03-26")
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    call = {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "get_user_context", "arguments": {}}}
    answer = m.post([ping, note, call, {"jsonrpc": "2.0", "id": 3, "method": "no/such"}, 5]).status_is(200).json
    by_id = {a.get("id"): a for a in answer}
    equal(len(answer), 4, "answers")
    equal((by_id[1]["result"], by_id[3]["error"]["code"], by_id[None]["error"]["code"]), ({}, -32601, -32600), "answers")
    equal(labels(good(by_id["c"]["result"])["facts"]) != [], True, "facts in a batch")
    m.post([note, note]).status_is(202)
    equal(m.post([note]).body, b"", "body of a 202")
    init = m.request("initialize", {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
    for body in ([], [ping, init], [ping, {**ping, "params": {"_meta": META}}], [ping] * 1000):
        answer = m.post(body)
        check(answer.status == 400 and answer.json["error"]["code"] == -32600, f"{body!r:.60}: {answer}")
    for revision in ("2025-06-18", "2025-11-25", MODERN):
        answer = _mcp(revision).post([ping])
        check(answer.status == 400 and answer.json["error"]["code"] == -32600, f"a batch in {revision}: {answer}")


@case
def other_methods_and_types_are_named():
    m = _mcp()
    auth = [("Authorization", f"Bearer {m.token}")]
    for method in ("GET", "DELETE", "HEAD"):
        answer = once(m.port, method, "/mcp", auth).status_is(405)
        equal(answer.header("allow"), "POST", f"Allow of {method}")
    for method in ("PUT", "PATCH", "TRACE", "BREW"):
        check(once(m.port, method, "/mcp", auth, b"").status in (405, 501), method)
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""):
        once(m.port, "POST", "/mcp", [*auth, ("Content-Type", kind)], ping).status_is(415)
    once(m.port, "POST", "/mcp", auth, ping).status_is(415)
    for kind in ("application/json", "application/json; charset=utf-8", "Application/JSON"):
        once(m.port, "POST", "/mcp", [*auth, ("Content-Type", kind)], ping).status_is(200)
    for accept in (None, "*/*", "application/json", "text/html"):
        m.post(m.request("tools/list"), Accept=accept).status_is(200)
    once(m.port, "POST", "/mcp", [*auth, ("Content-Type", "application/json")], b" " * (65 << 10)).status_is(413)
    m.post(m.request("tools/list"), target="/mcp/").status_is(200)
    for target in ("/mcp//", "/MCP", "/mcp/x", "//mcp", "/x/../mcp", "/mcp%2f", "/"):
        check(m.post(m.request("tools/list"), target=target).status in (400, 404), target)


@case
def hosts_and_origins_of_others_are_refused():
    m = _mcp()
    request = m.request("tools/call", {"name": "get_user_context", "arguments": {}})
    for host in ("evil.example", f"evil.example:{m.port}", f"127.0.0.1.evil.example:{m.port}", "10.0.0.1"):
        answer = once(m.port, "POST", "/mcp", m.headers(request), json.dumps(request), host=host)
        check(answer.status in (400, 403, 421) and b"facts" not in answer.body, f"Host {host}: {answer}")
    for host in (f"127.0.0.1:{m.port}", f"localhost:{m.port}"):
        once(m.port, "POST", "/mcp", m.headers(request), json.dumps(request), host=host).status_is(200)
    for origin in ("https://evil.example", "null", f"http://127.0.0.1.evil.example:{m.port}", "https://127.0.0.1:1@evil.example"):
        answer = m.post(request, Origin=origin).status_is(403)
        check(b"facts" not in answer.body, f"Origin {origin} gets content")
    answer = m.post(request, Origin=_home().origin).status_is(200)
    check(answer.header("access-control-allow-credentials") is None, "credentials")


# The profile

@case
def an_overview_has_its_members_and_nothing_of_evidence():
    home = _home()
    fact = home.owner("profile", "fact", "add", "-", "--category", "goal", "--label", "Piano", "--evidence", "heard in EVIDENCEMARK",
                      input=b"learn a nocturne").given()["fact"]
    share(home, home.assistant.connection, fact)
    m = _mcp()
    page = m.good("get_user_context")
    shape(page, OVERVIEW)
    equal(sorted(labels(page["facts"])), sorted([f[1] for f in FACTS] + ["Piano"]), "labels")
    equal(m.read(SUMMARY), page, "the resource")
    text = m.post(m.request("resources/read", {"uri": SUMMARY})).body
    check(b"EVIDENCEMARK" not in text, "evidence is served")
    equal(m.good("get_user_context"), page, "the same again")
    home.owner("profile", "fact", "archive", fact).done()
    after = m.good("get_user_context")
    check(after["version"] != page["version"] and "Piano" not in labels(after["facts"]) and "nocturne" not in json.dumps(after), "an archived fact")


@case
def only_what_the_owner_shared_with_this_connection_is_there():
    home = _home()
    a = connected(home, shared=[home.facts["Coffee"]])
    b = connected(home, shared=[])
    m, n = a.mcp(), b.mcp()
    equal(labels(m.good("get_user_context")["facts"]), ["Coffee"], "one fact is shared")
    empty = n.good("get_user_context")
    equal((empty["facts"], empty["has_more"], empty["updated_at"], empty["next_uri"]), ([], False, None, None), "nothing is shared")
    for word in ("Coffee", "oat", "小明", "Ottawa"):
        check(word not in json.dumps(empty, ensure_ascii=False), f"{word} in what a connection with nothing sees")
    equal(m.good("search_user_context", query="Ottawa")["facts"], [], "search finds what is not shared")
    equal(labels(m.good("search_user_context", query="oat milk")["facts"]), ["Coffee"], "search")
    n.bad("not_found", "propose_memory", op="archive", target_fact_id=home.facts["Coffee"])
    c = connected(home, categories=["goal"], shared=[home.facts["Half marathon"]])
    home.owner("profile", "share", home.facts["Coffee"], "--connection", c.connection).refused("not_shareable")
    equal(labels(c.mcp().good("get_user_context")["facts"]), ["Half marathon"], "within the categories")
    home.owner("profile", "unshare", home.facts["Coffee"], "--connection", a.connection).done()
    equal(m.good("get_user_context")["facts"], [], "after unsharing")


@case
def an_edit_takes_a_fact_out_until_it_is_shared_again():
    home = _home()
    fact = add_fact(home, "habit", "Tea", "green tea at four")
    a = connected(home, shared=[fact])
    m = a.mcp()
    first = m.good("get_user_context")
    edit_fact(home, fact, "black tea at five")
    between = m.good("get_user_context")
    equal(between["facts"], [], "after an edit")
    check(between["version"] != first["version"], "the version is the same")
    equal(m.good("search_user_context", query="tea")["facts"], [], "search after an edit")
    share(home, a.connection, fact)
    again = m.good("get_user_context")["facts"]
    equal([(f["value"], f["version"]) for f in again], [("black tea at five", 2)], "shared again")


@case
def when_an_edit_has_answered_nobody_gets_what_was_there_before():
    home = _home()
    fact = add_fact(home, "habit", "Tea", "green tea at four")
    a = connected(home, shared=[fact])
    askers = Askers(a)
    edit_fact(home, fact, "black tea at five")
    after = askers.end()
    equal({x.status for x in after}, {200}, "answers")
    check(not any(b"at four" in x.body or b"at five" in x.body for x in after), "a value that is not shared")
    check(any(b"at four" in x.body for x in askers.before), "nobody saw it before")


@case
def what_is_never_shared_is_refused():
    home = _home()
    for category in ("health", "relationship", "uncategorized"):
        fact = add_fact(home, category, "Private", "a private matter")
        home.owner("profile", "share", fact, "--connection", home.assistant.connection).refused("not_shareable")
    unsure = add_fact(home, "habit", "Maybe", "perhaps likes rain", "--uncertain")
    home.owner("profile", "share", unsure, "--connection", home.assistant.connection).refused("not_shareable")
    check("Private" not in labels(visible(_mcp())[0]), "it is visible")


def _full():
    home = endpoint(facts=[])
    home.assistant = connected(home)
    home.wanted = set()
    for i in range(52):
        home.wanted.add((f"short {i}", f"value {i}"))
        share(home, home.assistant.connection, add_fact(home, "habit", f"short {i}", f"value {i}"))
    for i in range(24):
        value = f"{i:03} " + "长" * 296
        home.wanted.add((f"long {i}", value))
        share(home, home.assistant.connection, add_fact(home, "goal", f"long {i}", value))
    return home


@case
def pages_are_limited_and_together_are_the_whole():
    home = shared(_full)
    home.assistant.refresh()
    m = home.assistant.mcp()
    for way in ("tool", "resource"):
        page = m.good("get_user_context") if way == "tool" else m.read(SUMMARY)
        version, facts, n = page["version"], [], 0
        while True:
            shape(page, OVERVIEW)
            size = len(json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode())
            check(size <= 16384, f"a page of {size} bytes")
            check(0 < len(page["facts"]) <= 50, f"a page of {len(page['facts'])} facts")
            equal((page["version"], page["offset"]), (version, len(facts)), "head of a page")
            facts += page["facts"]
            n += 1
            if not page["has_more"]:
                break
            equal(page["next_uri"], f"{SUMMARY}?version={version}&offset={page['next_offset']}", "next_uri")
            page = m.good("read_user_context_page", offset=page["next_offset"], version=version) if way == "tool" else m.read(page["next_uri"])
        equal((page["next_offset"], page["next_uri"]), (None, None), "the end")
        equal(len(facts), 76, "facts of all pages")
        equal({(f["label"], f["value"]) for f in facts}, home.wanted, "facts of all pages")
        check(n >= 3, f"only {n} pages")
        equal(len({f["id"] for f in facts}), 76, "facts that come once")


@case
def a_page_of_what_has_changed_is_a_conflict():
    home = shared(_full)
    home.assistant.refresh()
    m = home.assistant.mcp()
    page = m.good("get_user_context")
    extra = add_fact(home, "basic", "New", "something new")
    m.good("read_user_context_page", offset=page["next_offset"], version=page["version"])  # not shared: nothing visible has changed
    share(home, home.assistant.connection, extra)
    m.bad("conflict", "read_user_context_page", offset=page["next_offset"], version=page["version"])
    value = m.ask("resources/read", {"uri": page["next_uri"]})
    check("error" in value and "conflict" in value["error"]["message"], f"{value}")
    home.owner("profile", "fact", "archive", extra).done()
    equal(m.good("get_user_context")["version"], page["version"], "the same content has the same version")
    m.bad("offset_out_of_range", "read_user_context_page", offset=5000, version=page["version"])
    m.bad("conflict", "read_user_context_page", offset=0, version="f" * 64)


@case
def search_finds_both_languages_page_by_page():
    m = _mcp()
    for query, label in (("跑步", "晨跑"), ("机器学习", "数据库"), ("LMDB", "数据库"), ("oat milk", "Coffee"), ("MARATHON", "Half marathon"), ("小明", "Name")):
        page = m.good("search_user_context", query=query)
        shape(page, {"facts": [FACT], "version": HEX, "offset": 0, "next_offset": (int, None), "window_exhausted": False})
        equal(page["facts"][0]["label"], label, f"first for {query}")
    equal(m.good("search_user_context", query="学习机器")["facts"][:1] != [{}], True, "another order")
    equal(m.good("search_user_context", query="xylophone")["facts"], [], "nothing")
    n = shared(_full).assistant
    n.refresh()
    found, offset = [], 0
    while offset is not None:
        page = n.mcp().good("search_user_context", query="value", limit=10, offset=offset)
        check(len(page["facts"]) <= 10, "limit")
        found += page["facts"]
        offset = page["next_offset"]
    equal({f["label"] for f in found}, {f"short {i}" for i in range(52)}, "all pages of a search")
    long = n.mcp().good("search_user_context", query="长长", limit=10)
    check(len(json.dumps(long, ensure_ascii=False).encode()) <= 16384, "16 KiB")


@case
def arguments_are_checked_in_characters():
    m = _mcp()
    m.good("search_user_context", query="中" * 200)
    propose = {"op": "add", "category": "goal", "label": "中" * 40, "value": "值" * 300, "evidence": "证" * 300}
    m.good("propose_memory", **propose)
    tools = {"search_user_context": [{"query": "中" * 201}, {"query": ""}, {}, {"query": "x", "offset": -1}, {"query": "x", "offset": 10001},
                                     {"query": "x", "limit": 0}, {"query": "x", "limit": 11}, {"query": "x", "limit": "5"}, {"query": 5},
                                     {"query": "x", "more": 1}],
             "get_user_context": [{"x": 1}],
             "read_user_context_page": [{}, {"offset": 0}, {"version": "0" * 64}, {"offset": 0, "version": "x"}, {"offset": -1, "version": "0" * 64}],
             "propose_memory": [{**propose, "label": "中" * 41}, {**propose, "value": "值" * 301}, {**propose, "evidence": "证" * 301},
                                {**propose, "label": ""}, {**propose, "evidence": "two\nlines"}, {**propose, "more": "x"}, {**propose, "op": "remove"},
                                {**propose, "category": "money"}, {"op": "add", "category": "goal", "label": "no value"}, {"op": "add"},
                                {"op": "update", "label": "x", "value": "y"}, {"op": "archive"}, {"op": "archive", "target_fact_id": "x"}]}
    for tool, all in tools.items():
        for arguments in all:
            message = m.bad("invalid_argument", tool, **arguments)["message"]
            check("值值" not in message and "two" not in message, f"the message repeats its input: {message}")


@case
def a_fourth_try_of_what_failed_three_times_is_blocked_until_it_changes():
    a, b = connected(_home()), connected(_home())
    m = a.mcp()
    wrong = {"offset": 0, "version": "a" * 64}
    for _ in range(3):
        m.bad("conflict", "read_user_context_page", **wrong)
    for _ in range(2):
        m.bad("repeated_failure", "read_user_context_page", **wrong)
    a.mcp("2025-06-18").bad("repeated_failure", "read_user_context_page", **wrong)
    b.mcp().bad("conflict", "read_user_context_page", **wrong)
    m.bad("conflict", "read_user_context_page", offset=1, version="a" * 64)
    m.good("get_user_context")
    m.bad("conflict", "read_user_context_page", **{**wrong, "version": "b" * 64})


# Proposals

def _proposals(home):
    return home.owner("profile", "proposal", "list").given()["proposals"]


@case
def a_proposal_waits_for_the_owner_and_is_then_a_fact():
    home = _home()
    m = _mcp()
    before = labels(visible(m)[0])
    given = {"op": "add", "category": "preference", "label": "Music", "value": "Chopin 夜曲", "evidence": "said so today"}
    one = m.good("propose_memory", **given)
    shape(one, {"id": UUID, "status": "pending"})
    equal(m.good("propose_memory", **given), one, "the same proposal")
    other = connected(home).mcp().good("propose_memory", **given)
    check(other["id"] != one["id"], "another connection's proposal is another")
    equal(labels(visible(m)[0]), before, "a proposal is visible")
    row = next(p for p in _proposals(home) if p["id"] == one["id"])
    equal((row["op"], row["label"], row["value"], row["evidence"]), ("add", "Music", "Chopin 夜曲", "said so today"), "what the owner sees")
    fact = home.owner("profile", "proposal", "confirm", one["id"], "--yes").given()["fact"]
    check("Music" not in labels(visible(m)[0]), "a confirmed proposal is shared by itself")
    share(home, home.assistant.connection, fact)
    check("Music" in labels(visible(m)[0]), "a confirmed and shared one is not visible")
    m.bad("conflict", "propose_memory", **given)
    home.owner("profile", "proposal", "dismiss", other["id"]).done()
    home.owner("profile", "fact", "archive", fact).done()


@case
def a_dismissed_proposal_is_a_conflict_when_it_comes_again():
    m = _mcp()
    given = {"op": "add", "category": "habit", "label": "Naps", "value": "takes naps", "evidence": "guess"}
    one = m.good("propose_memory", **given)
    _home().owner("profile", "proposal", "dismiss", one["id"]).done()
    m.bad("conflict", "propose_memory", **given)
    m.good("propose_memory", **{**given, "value": "takes naps at noon"})


@case
def an_update_is_checked_against_the_fact_as_it_was():
    home = _home()
    fact = add_fact(home, "goal", "Language", "learn French")
    share(home, home.assistant.connection, fact)
    m = _mcp()
    update = m.good("propose_memory", op="update", target_fact_id=fact, category="goal", label="Language", value="learn Italian", evidence="said so")
    edit_fact(home, fact, "learn Spanish")
    home.owner("profile", "proposal", "confirm", update["id"], "--yes").refused("conflict")
    share(home, home.assistant.connection, fact)
    equal([f["value"] for f in visible(m)[0] if f["id"] == fact], ["learn Spanish"], "what was not overwritten")
    second = m.good("propose_memory", op="update", target_fact_id=fact, category="goal", label="Language", value="learn Greek", evidence="said so")
    home.owner("profile", "proposal", "confirm", second["id"], "--yes").done()
    check(fact not in [f["id"] for f in visible(m)[0]], "an updated fact is visible before it was shared again")
    share(home, home.assistant.connection, fact)
    equal([f["value"] for f in visible(m)[0] if f["id"] == fact], ["learn Greek"], "the update")
    archive = m.good("propose_memory", op="archive", target_fact_id=fact, evidence="no longer")
    home.owner("profile", "proposal", "confirm", archive["id"], "--yes").done()
    check(fact not in [f["id"] for f in visible(m)[0]], "an archived fact is visible")
    m.bad("not_found", "propose_memory", op="update", target_fact_id=fact, category="goal", label="Language", value="x", evidence="y")


@case
def an_edited_proposal_is_what_the_owner_wrote():
    home = _home()
    one = _mcp().good("propose_memory", op="add", category="habit", label="Sleep", value="sleeps at two", evidence="guess")
    fact = home.owner("profile", "proposal", "edit", one["id"], "-", "--yes", input="sleeps at eleven".encode()).given()["fact"]
    rows = home.owner("profile", "fact", "list").given()["facts"]
    equal([(f["label"], f["value"]) for f in rows if f["id"] == fact], [("Sleep", "sleeps at eleven")], "the fact")


@case
def secrets_are_refused_wherever_they_stand():
    m = _mcp()
    plain = {"op": "add", "category": "basic", "label": "Note", "value": "likes rain", "evidence": "said so"}
    for field, text in (("value", "password: hunter2-Zebra!9"), ("value", "验证码 493021"), ("value", "card 4111 1111 1111 1111"),
                        ("evidence", "-----BEGIN PRIVATE KEY-----"), ("value", "11010519491231002X"), ("label", "密码是 abc12345")):
        message = m.bad("sensitive_content", "propose_memory", **{**plain, field: text})["message"]
        check(text not in message, f"the message repeats it: {message}")
    equal([p for p in _proposals(_home()) if p["label"] == "Note"], [], "proposals that were refused")


@case
def who_proposes_too_much_must_wait():
    home = endpoint(facts=[])
    m, n = connected(home).mcp(), connected(home).mcp()
    given = lambda i: {"op": "add", "category": "goal", "label": "Plan", "value": f"plan {i}", "evidence": "said so"}  # noqa: E731
    first = m.good("propose_memory", **given(0))
    for i in range(1, 64):
        m.good("propose_memory", **given(i))
    m.bad("profile_full", "propose_memory", **given(64))
    equal(m.good("propose_memory", **given(0)), first, "one that is there already")
    n.good("propose_memory", **given(64))
    home.owner("profile", "proposal", "dismiss", first["id"]).done()
    m.good("propose_memory", **given(64))


# Scopes

@case
def a_call_needs_its_scopes_and_says_which():
    home = _home()
    calls = {("get_user_context", ()): {"profile:read"},
             ("read_user_context_page", (("offset", 0), ("version", "0" * 64))): {"profile:read"},
             ("search_user_context", (("query", "coffee"),)): {"profile:read", "context:search"},
             ("propose_memory", (("op", "add"), ("category", "goal"), ("label", "a"), ("value", "b"))): {"profile:propose"},
             ("propose_memory", (("op", "archive"), ("target_fact_id", home.facts["Coffee"]))): {"profile:correct"}}
    for scopes in (["profile:read"], ["profile:propose"], ["profile:read", "context:search"], ["profile:correct"]):
        a = connected(home, scopes=scopes)
        equal(set(a.granted), set(scopes), "scopes")
        for (tool, arguments), needs in calls.items():
            for revision in (MODERN, "2025-06-18"):
                m = a.mcp(revision)
                message = m.request("tools/call", {"name": tool, "arguments": dict(arguments)}, id=9)
                answer = m.post(message)
                if needs <= set(scopes):
                    answer.status_is(200)
                    continue
                answer.status_is(403)
                _, parts = challenge_header(answer)
                equal(parts["error"], "insufficient_scope", "error")
                check(needs <= set(parts["scope"].split()) <= set(SCOPES), f"{tool} needs {needs}: {parts}")
                check(parts["resource_metadata"].endswith("/.well-known/oauth-protected-resource/mcp"), f"{parts}")
        m = a.mcp("2025-03-26")
        batch = [{"jsonrpc": "2.0", "id": 1, "method": "ping"},
                 {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "search_user_context", "arguments": {"query": "x"}}}]
        equal(m.post(batch).status, 200 if {"profile:read", "context:search"} <= set(scopes) else 403, f"a batch with {scopes}")
        check(a.mcp().post(a.mcp().request("tools/list")).status == 200, "lists need no scope")


@case
def a_resource_needs_reading():
    a = connected(_home(), scopes=["profile:propose"])
    m = a.mcp()
    m.post(m.request("resources/read", {"uri": SUMMARY})).status_is(403)
    for revision, code in (("2025-11-25", -32002), (MODERN, -32602)):
        for uri in ("lifeos://profile/other", SUMMARY + "/", SUMMARY + "?offset=0", SUMMARY + f"?version={'0' * 64}&offset=x", "memory://x", "file:///etc/passwd",
                    SUMMARY + f"?offset=0&version={'0' * 64}", ""):
            value = _mcp(revision).ask("resources/read", {"uri": uri})
            equal((value["error"]["code"], value["error"]["data"]["uri"]), (code, uri), f"{uri} in {revision}")


@case
def many_at_once_each_get_their_own():
    home = _home()
    people = [connected(home, shared=[home.facts[label]]) for label in ("Coffee", "晨跑", "Name")]
    wrong = []

    def ask(a, label):
        m = a.mcp()
        with Connection(a.port) as c:
            for i in range(60):
                message = m.request("tools/call", {"name": "get_user_context", "arguments": {}}, id=i)
                value = c.ask("POST", "/mcp", m.headers(message), json.dumps(message)).json
                if value["id"] != i or labels(json.loads(text_of(value["result"]))["facts"]) != [label]:
                    wrong.append(value)
    threads = [threading.Thread(target=ask, args=(a, label)) for a, label in zip(people, ("Coffee", "晨跑", "Name")) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    equal(wrong, [], "answers that are another's")


@case
def a_version_is_the_hash_of_what_is_seen():
    home = _home()
    a, b = (connected(home, shared=[home.facts["Coffee"], home.facts["Name"]]) for _ in range(2))
    one, two = a.mcp().good("get_user_context"), b.mcp().good("get_user_context")
    equal(one["version"], two["version"], "versions of the same content")
    check(one["version"] != _mcp().good("get_user_context")["version"], "versions of different content")
    check(one["version"] != hashlib.sha256(b"").hexdigest(), "the hash of nothing")


if __name__ == "__main__":
    main()
