#!/usr/bin/env python3
"""m: the stdio MCP server, by raw lines. Foreign clients are in tests/peers."""
import json
import os
import shutil
import signal
import threading

from harness import (FILE, NO_ID, PATIENCE_S, case, check, data_of, equal, furnished, main, program, remove, shared, within)
from mcp_lines import LEGACY, MODERN, Server, bad, good, text_of

TOOLS = ["unattended_list", "unattended_history", "unattended_read", "unattended_credential_bytes"]
COMMAND_OF = dict(zip(TOOLS, ["list", "history", "read", "credential-bytes"]))


def _arguments(home, tool):
    asset = home.secret if tool == TOOLS[3] else home.big
    return {"vault": home.main} if tool == TOOLS[0] else {"vault": home.main, "asset": asset["asset"]}


@case
def all_five_revisions_are_spoken():
    home = shared(furnished)
    for revision in LEGACY:
        s = Server(home, revision=revision)
        equal(s.hello["result"]["protocolVersion"], revision, "agreed version")
        check("tools" in s.hello["result"]["capabilities"], "no tools announced")
        equal(good(s.call(TOOLS[0], vault=home.main))["vault"], home.main, f"list by {revision}")
        equal(s.end(), 0, "exit code")
    s = Server(home, revision=MODERN)
    check(MODERN in json.dumps(s.ask("server/discover")["result"]), "server/discover lacks the version")
    equal(good(s.call(TOOLS[0], vault=home.main))["vault"], home.main, f"list by {MODERN}")


@case
def an_unknown_version_gets_one_that_is_known():
    home = shared(furnished)
    for version in ("1999-01-01", "", "2026-07-28", "x" * 1000):
        s = Server(home)
        a = s.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        check(a["result"]["protocolVersion"] in LEGACY, f"{a!r:.200}")


@case
def exactly_four_tools_are_announced_and_all_only_read():
    home = shared(furnished)
    for revision in LEGACY + [MODERN]:
        tools = Server(home, revision=revision).ask("tools/list")["result"]["tools"]
        equal([t["name"] for t in tools], TOOLS, "tools")
        for t in tools:
            properties = set(t["inputSchema"]["properties"])
            wanted = {"vault", "offset", "limit"} | ({"asset"} if t["name"] != TOOLS[0] else set())
            wanted |= {"revision"} if t["name"] in TOOLS[2:] else set()
            equal(properties, wanted, f"arguments of {t['name']}")
            equal(sorted(t["inputSchema"]["required"]), sorted({"vault", "asset"} & wanted), "required")
            if revision >= "2025-03-26":
                equal((t["annotations"]["readOnlyHint"], t["annotations"].get("destructiveHint", False)), (True, False),
                      "annotations")
            equal("outputSchema" in t, revision >= "2025-06-18", f"outputSchema in {revision}")


@case
def nothing_but_tools_is_announced():
    home = shared(furnished)
    for revision in LEGACY:
        equal(set(Server(home, revision=revision).hello["result"]["capabilities"]), {"tools"}, "capabilities")


@case
def results_equal_the_answers_of_the_cli():
    home = shared(furnished)
    for revision in LEGACY + [MODERN]:
        s = Server(home, revision=revision)
        for tool in TOOLS:
            for more in ({}, {"offset": 1, "limit": 3}):
                args = _arguments(home, tool)
                result = s.call(tool, **args, **more)
                mine = good(result)
                options = [w for k, v in more.items() for w in (f"--{k}", v)]
                theirs = home.read(home.client, COMMAND_OF[tool], *args.values(), *options).given()
                check(theirs["audit"]["index"] > mine["audit"]["index"], "places in the log")
                theirs["audit"].pop("index")
                structured = result.get("structuredContent")
                if revision >= "2025-06-18":
                    equal(structured, mine, f"structuredContent of {tool}")
                else:
                    equal(structured, None, f"structuredContent of {tool} in {revision}")
                mine["audit"].pop("index")
                equal(mine, theirs, f"{tool} in {revision}")


@case
def the_record_of_a_read_names_its_surface():
    home = furnished()
    s = Server(home, revision=LEGACY[-1])
    a = good(s.call(TOOLS[2], vault=home.main, asset=home.big["asset"], offset=70000, limit=5))
    r = home.records()[a["audit"]["index"]]
    equal((r["type"], r["surface"], r["subject"], r["asset"], r["offset"], r["length"]),
          ("intent", "stdio", home.grant, home.big["asset"], 70000, 5), "record")


@case
def a_whole_file_comes_by_pages():
    home = shared(furnished)
    s = Server(home, revision=LEGACY[-1])
    got, offset, pin = b"", 0, {}
    while offset is not None:
        a = good(s.call(TOOLS[2], vault=home.main, asset=home.big["asset"], offset=offset, **pin))
        got += data_of(a)
        offset, pin = a["next"], {"revision": a["revision"]}
    equal(got == FILE, True, "bytes")


@case
def errors_come_as_results_with_the_clis_code():
    home = shared(furnished)
    for revision in (LEGACY[0], LEGACY[-1], MODERN):
        s = Server(home, revision=revision)
        bad(s.call(TOOLS[0], vault=home.other), "vault_not_granted")
        bad(s.call(TOOLS[2], vault=home.main, asset=NO_ID), "not_found")
        bad(s.call(TOOLS[2], vault=home.main, asset=home.secret["asset"]), "wrong_kind")
        bad(s.call(TOOLS[3], vault=home.main, asset=home.big["asset"]), "wrong_kind")
        bad(s.call(TOOLS[2], vault=home.main, asset=home.big["asset"], offset=10**9), "offset_out_of_range")
        bad(s.call(TOOLS[2], vault=home.main, asset=home.big["asset"], revision=home.memory["revision"]), "revision_mismatch")


@case
def arguments_that_do_not_fit_are_refused_and_harm_nothing():
    home = shared(furnished)
    s = Server(home, revision=LEGACY[-1])
    v, a = home.main, home.big["asset"]
    for tool, arguments in (
            (TOOLS[0], {}), (TOOLS[0], {"vault": "x"}), (TOOLS[0], {"vault": 7}), (TOOLS[0], {"vault": None}),
            (TOOLS[0], {"vault": v, "limit": 0}), (TOOLS[0], {"vault": v, "limit": 101}),
            (TOOLS[0], {"vault": v, "limit": -1}), (TOOLS[0], {"vault": v, "limit": 1.5}),
            (TOOLS[0], {"vault": v, "limit": "1"}), (TOOLS[0], {"vault": v, "offset": -1}),
            (TOOLS[0], {"vault": v, "offset": 2**64}), (TOOLS[0], {"vault": v, "offset": 1e300}),
            (TOOLS[0], {"vault": v, "asset": a}), (TOOLS[0], {"vault": v, "more": 1}),
            (TOOLS[1], {"vault": v}), (TOOLS[1], {"vault": v, "asset": a, "revision": home.big["revision"]}),
            (TOOLS[2], {"vault": v, "asset": a, "limit": 65537}), (TOOLS[2], {"vault": v, "asset": a, "revision": "x"}),
            (TOOLS[2], {"vault": [v], "asset": a}), (TOOLS[3], {"asset": a})):
        answer = s.ask("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            equal(answer["error"]["code"], -32602, f"error of {arguments}")
        else:
            check(answer["result"]["isError"] is True and "invalid_argument" in text_of(answer["result"]), f"{answer}")
    for params in ({"name": "nonsense", "arguments": {}}, {"name": "unattended_write", "arguments": {"vault": v}},
                   {"arguments": {}}, {"name": 7}):
        check("error" in s.ask("tools/call", params), f"{params} was taken")
    good(s.call(TOOLS[0], vault=v))


@case
def a_revoked_grant_is_refused_on_a_running_server():
    home = furnished()
    s = Server(home, revision=LEGACY[-1])
    good(s.call(TOOLS[0], vault=home.main))
    home.owner("unattended", "revoke", home.grant).done()
    bad(s.call(TOOLS[0], vault=home.main), "invalid_grant")


@case
def a_manual_lock_is_felt_on_a_running_server():
    home = furnished()
    s = Server(home, revision=LEGACY[-1])
    good(s.call(TOOLS[0], vault=home.main))
    home.owner("lock").done()
    bad(s.call(TOOLS[0], vault=home.main), "banned")


@case
def the_terminals_sudo_is_not_inherited():
    home = furnished()
    # The server starts inside the terminal that has sudo; its tools are the same four and no more.
    script = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": LEGACY[-1], "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}) + "\n"
    script += json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": TOOLS[0], "arguments": {"vault": home.other}}}) + "\n"
    r = home.owner("mcp", "serve-unattended", "--client-file", home.client, json=False, input=script.encode()).done()
    bad(json.loads(r.out.splitlines()[1])["result"], "vault_not_granted")


# Lines

@case
def a_daemon_restart_in_the_middle_is_survived():
    home = furnished()
    for revision in (LEGACY[-1], MODERN):
        s = Server(home, revision=revision)
        good(s.call(TOOLS[2], vault=home.main, asset=home.memory["asset"]))
        home.restart()
        within(10, lambda: not s.call(TOOLS[2], vault=home.main, asset=home.memory["asset"]).get("isError"), "a read again")
        home.kill()
        bad(s.call(TOOLS[0], vault=home.main), "daemon_not_running")
        home.start()
        within(10, lambda: not s.call(TOOLS[0], vault=home.main).get("isError"), "a list again")
        equal(s.end(), 0, "exit code")


@case
def a_server_may_start_before_the_daemon():
    home = furnished()
    home.stop()
    s = Server(home, revision=LEGACY[-1])
    equal([t["name"] for t in s.ask("tools/list")["result"]["tools"]], TOOLS, "tools without a daemon")
    bad(s.call(TOOLS[0], vault=home.main), "daemon_not_running")
    home.start()
    good(s.call(TOOLS[0], vault=home.main))


@case
def the_end_of_input_ends_it_with_0():
    home = shared(furnished)
    for revision in (None, LEGACY[0], MODERN):
        equal(Server(home, revision=revision).end(), 0, "exit code")
    s = Server(home)
    s.p.stdin.write(b'{"jsonrpc":"2.0","id":1,"meth')
    equal(s.end(), 0, "exit code after half a line")


@case
def a_signal_ends_it_clean():
    home = shared(furnished)
    for number in (signal.SIGTERM, signal.SIGINT):
        s = Server(home, revision=LEGACY[-1])
        s.p.send_signal(number)
        equal(s.p.wait(10), 0, f"exit code after {number!r}")


@case
def a_closed_pipe_ends_it_without_a_crash():
    home = shared(furnished)
    s = Server(home, revision=LEGACY[-1])
    s.p.stdout.close()
    s.write({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    code = s.p.wait(10)
    check(code >= 0, f"it died of signal {-code}")
    s.p.stdout = open(os.devnull)


@case
def garbage_is_answered_by_an_error_and_the_next_line_by_a_result():
    home = shared(furnished)
    s = Server(home, revision=LEGACY[-1])
    for line in (b"garbage", b"{", b'"text"', b"7", b"null", b"[]", b"[1]", b"{}", b"\xff\xfe\x00", b'{"jsonrpc":"1.0","id":1}',
                 b'{"jsonrpc":"2.0","id":1}', b'{"jsonrpc":"2.0","id":1,"method":7}', b"[" * 100000,
                 b'{"jsonrpc":"2.0","id":{},"method":"ping"}', b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
                 b'{"jsonrpc":"2.0","id":1,"method":"ping","params":7}', b'{"a":' * 3000, os.urandom(5000).replace(b"\n", b""),
                 b'{"jsonrpc":"2.0","id":1,"method":"nonsense"}', b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}'):
        s.write(line)
    s.last = 1000
    s.write({"jsonrpc": "2.0", "id": 1001, "method": "ping", "params": {}})
    seen = []
    while not seen or seen[-1].get("id") != 1001:
        seen.append(s.line())
        check(isinstance(seen[-1], (dict, list)) and len(seen) < 60, f"{seen[-1]!r:.200}")
    check("result" in seen[-1], "ping")
    for a in seen[:-1]:
        for one in a if isinstance(a, list) else [a]:
            check("error" in one or "result" in one, f"{one!r:.200}")
    check(sum("error" in a for a in seen[:-1] if isinstance(a, dict)) >= 8, f"errors: {seen!r:.500}")
    good(s.call(TOOLS[0], vault=home.main))


@case
def blank_lines_and_notifications_get_no_answer():
    home = shared(furnished)
    s = Server(home, revision=LEGACY[-1])
    for line in (b"", b"  ", b"\r", b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
                 b'{"jsonrpc":"2.0","method":"nonsense"}', b'{"jsonrpc":"2.0","id":9,"result":{}}'):
        s.write(line)
    check("result" in s.ask("ping"), "the next answer is another's")


@case
def a_line_of_a_mebibyte_is_taken_or_refused_and_the_next_one_served():
    home = shared(furnished)
    s = Server(home, revision=LEGACY[-1])
    for size in (1 << 20, (1 << 20) + 1, 5 << 20):
        s.write(b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"' + b"y" * (size - 58) + b'"}}')
        a = s.line()
        check("result" in a or "error" in a, f"{a!r:.200}")
        good(s.call(TOOLS[0], vault=home.main))


@case
def many_requests_at_once_are_answered_each_once():
    home = shared(furnished)
    s = Server(home, revision=LEGACY[-1])
    n = 200

    def write():
        for i in range(n):
            s.write({"jsonrpc": "2.0", "id": f"r{i}", "method": "tools/call", "params": {
                "name": TOOLS[2], "arguments": {"vault": home.main, "asset": home.big["asset"], "offset": i, "limit": 2000}}})
    t = threading.Thread(target=write)
    t.start()
    seen = {}
    for _ in range(n):
        a = s.line()
        check(a["id"] not in seen, "answered twice")
        seen[a["id"]] = good(a["result"])
    t.join()
    for i in range(n):
        equal(data_of(seen[f"r{i}"]) == FILE[i:i + 2000], True, f"bytes of request {i}")


@case
def stdout_holds_protocol_and_nothing_else():
    home = furnished()
    s = Server(home, revision=LEGACY[-1])
    bad(s.call(TOOLS[0], vault=home.other), "vault_not_granted")
    home.stop()
    s.call(TOOLS[0], vault=home.main)
    s.write(b"garbage")
    s.p.stdin.close()
    rest = s.p.stdout.read()
    for line in rest.splitlines():
        check(json.loads(line)["jsonrpc"] == "2.0", f"{line!r}")
    equal(s.p.wait(10), 0, "exit code")
    with open(home.side("mcp.err")) as f:
        equal(f.read(), "", "stderr")


@case
def a_bridge_refuses_a_log_that_was_put_back_behind_its_back():
    home = furnished()
    home.stop()
    early = home.side("early")
    shutil.copytree(home.path, early)
    home.start()
    s = Server(home, revision=LEGACY[-1])
    good(s.call(TOOLS[0], vault=home.main))
    home.stop()
    # The bridge stands in the home, so that stays.
    for name in os.listdir(home.path):
        remove(home.file(name))
    shutil.copytree(early, home.path, dirs_exist_ok=True)
    home.start()

    def refused():
        result = s.call(TOOLS[0], vault=home.main)
        # The lost connection is noticed first.
        return json.loads(text_of(result))["error"]["code"] not in ("interrupted", "daemon_not_running") and result
    bad(within(PATIENCE_S, refused, "an answer of the new daemon"), "audit_diverged")


@case
def a_client_file_that_cannot_be_used_is_said_at_once():
    home = shared(furnished)
    r = program("--home", home.path, "mcp", "serve-unattended", "--client-file", "/nonexistent/c", input=b"")
    r.refused("file_unreadable", 1, json=False)
    other = furnished()
    r = program("--home", home.path, "mcp", "serve-unattended", "--client-file", other.client, input=b"")
    r.refused("wrong_library", 77, json=False)


if __name__ == "__main__":
    main()
