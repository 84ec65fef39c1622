#!/usr/bin/env python3
"""h: nothing leaves over HTTP before its record is durable; what the log and the owner's page then say of it."""
import json
import os
import re
import shutil
import signal
import subprocess
import threading

from harness import PATIENCE_S, PROCESSES, Skip, case, check, equal, main, process_only, within
from http_client import FACTS, add_fact, connected, endpoint, healthz, share, visible
from http_raw import Connection, once
from traces import events

SUMMARY = "lifeos://profile/summary"
MARK = "Zanzibar-Mark"


def _home(*options):
    home = endpoint(*options, facts=[*FACTS, ("goal", "Journey", f"sail to {MARK}")])
    home.assistant = connected(home)
    return home


def _every_call(home):
    m = home.assistant.mcp()
    n = 0
    for call in (lambda: m.good("get_user_context"), lambda: m.read(SUMMARY), lambda: m.good("search_user_context", query="sail"),
                 lambda: m.good("read_user_context_page", offset=0, version=m.good("get_user_context")["version"]),
                 lambda: m.good("propose_memory", op="add", category="habit", label="Boats", value="looks at boats", evidence="said so")):
        call()
        n += 1
    return n + 1


# The order of messages, and of system calls

@case
def every_answer_follows_its_durable_mark():
    home = _home("--trace")
    calls = _every_call(home)
    a = home.assistant

    def many():
        for _ in range(25):
            a.mcp().good("get_user_context")
    threads = [threading.Thread(target=many) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    home.stop()
    durable, acks, intents = set(), 0, 0
    for e in events(home.trace()):
        if e[0] == "durable":
            durable.add(e[1])
        elif e[3] == "HTTP_INTENT":
            equal(e[1:3], ("keyring", "audit"), "the way of an intent")
            check(e[4] not in durable, "an intent of an ask that was recorded before")
            intents += 1
        elif e[3] == "HTTP_ACK":
            equal(e[1:3], ("audit", "http"), "the way of a key")
            check(e[4] in durable, f"the key of ask {e[4]} came before its record was durable")
            acks += 1
    check(acks >= calls + 150, f"only {acks} keys in the trace")
    check(intents >= acks, f"{intents} intents, {acks} keys")
    text = "\n".join(home.trace())
    check(MARK not in text and "Journey" not in text, "content in the trace")


def _attached(pids, path):
    """strace on the processes, once it says that it is there."""
    if shutil.which("strace") is None:
        raise Skip("strace is not here")
    words = [w for p in pids for w in ("-p", str(p))]
    p = subprocess.Popen(["strace", "-f", "-s", "40000", "-e", "trace=recvfrom,recvmsg,read,readv,write,writev,sendto,sendmsg,fdatasync,fsync,"
                          "sync_file_range,pwrite64,pwritev", "-o", path, *words], stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in pids:
        line = p.stderr.readline()
        if "attached" not in line:
            p.kill()
            raise Skip(f"strace: {line.strip()}")
    return p


@process_only
def no_byte_of_a_fact_is_in_a_socket_before_the_log_is_synced():
    home = _home("--debuggable")
    path, http = home.side("strace"), home.process("http")
    p = _attached([home.process("audit"), http], path)
    m = home.assistant.mcp()
    try:
        with Connection(home.port) as c:
            for i in range(8):
                message = m.request("tools/call", {"name": "get_user_context", "arguments": {}}, id=f"ASK-{i}-ASK")
                check(MARK.encode() in c.ask("POST", "/mcp", m.headers(message), json.dumps(message)).body, "no mark in an answer")
        threads = set(os.listdir(f"/proc/{http}/task"))
    finally:
        p.send_signal(signal.SIGINT)
        p.wait(10)
    with open(path, encoding="latin-1") as f:
        lines = f.read().splitlines()
    # For each ask: it comes in, the log is synced, the mark goes out; a sync counts when it has returned.
    synced, asked, order = 0, None, []
    for line in lines:
        of_http = line.split()[0] in threads
        came = re.search(r"ASK-(\d+)-ASK", line)
        if MARK in line:
            check(of_http and re.search(r" (send\w+|writev?)\(", line), f"the mark in another call: {line:.100}")
            check(asked is not None and synced > 0, f"ask {asked} is answered with no sync since it came")
            order.append(asked)
            asked = None
        elif came and of_http and asked is None:
            asked, synced = came[1], 0
        elif not of_http and re.search(r"fdatasync.*= 0$", line):
            synced += 1
    equal(order, [str(i) for i in range(8)], "asks that were answered with the mark")


# A log that does not record

def _nothing_of_it(home, answer):
    check(MARK.encode() not in answer.body and b"Journey" not in answer.body, f"content without a record: {answer}")


@process_only
def while_the_log_stands_still_there_is_an_error_and_no_content():
    home = _home()
    m = home.assistant.mcp()
    call = m.request("tools/call", {"name": "get_user_context", "arguments": {}})
    audit = home.process("audit")
    os.kill(audit, signal.SIGSTOP)
    try:
        answer = m.post(call)
        _nothing_of_it(home, answer)
        if answer.status == 200:
            m2 = answer.json["result"]
            check(m2.get("isError") and re.search(r'"code":"(audit_\w+|timeout|busy)"', m2["content"][0]["text"]), f"{m2}")
        else:
            check(answer.status in (503, 504), f"{answer}")
        check(healthz(home).status in (200, 503), "the endpoint stands still, too")
    finally:
        os.kill(audit, signal.SIGCONT)
    within(PATIENCE_S, lambda: _goes(m), "calls go on when the log does")


def _goes(m):
    answer = m.post(m.request("tools/call", {"name": "get_user_context", "arguments": {}}))
    return answer.status == 200 and not answer.json["result"].get("isError")


@case
def a_log_that_was_tampered_with_stops_every_answer():
    home = _home()
    m = home.assistant.mcp()
    m.good("get_user_context")
    os.unlink(home.file("audit", "seg", sorted(os.listdir(home.file("audit", "seg")))[0]))

    def refused():
        try:
            answer = m.post(m.request("tools/call", {"name": "get_user_context", "arguments": {}}))
        except Exception:  # in one process all ends with the log
            return True
        _nothing_of_it(home, answer)
        return True
    # The first is refused already, and so is every later one.
    for _ in range(5):
        refused()


@process_only
def a_killed_process_costs_an_error_and_never_content_without_a_record():
    home = _home()
    m = home.assistant.mcp()
    for name in [p for p in PROCESSES if p in ("audit", "keyring", "profile", "http")]:
        os.kill(home.process(name), signal.SIGKILL)
        for _ in range(3):
            try:
                answer = m.post(m.request("tools/call", {"name": "get_user_context", "arguments": {}}))
            except Exception:
                continue
            if answer.status == 200 and not answer.json["result"].get("isError"):
                continue
            _nothing_of_it(home, answer)

        def back():
            try:
                if home.status()["unlocked"] is False:
                    home.terminal.unlock()
                return _goes(m)
            except Exception:
                return False
        within(PATIENCE_S, back, f"calls after a kill of {name}")
    home.verify("--full").done()


# What the log says

def _records(home):
    return [r for r in home.records() if r.get("surface") == "http" and r["type"] == "intent"]


@case
def the_record_of_a_call_names_the_connection_and_what_was_shown():
    home = _home()
    a, m = home.assistant, home.assistant.mcp()
    before = len(_records(home))
    m.good("get_user_context")
    m.good("search_user_context", query="oat milk")
    m.good("propose_memory", op="add", category="habit", label="Kites", value="flies kites", evidence="said so")
    new = _records(home)[before:]
    equal(len(new), 3, "records")
    for r in new:
        equal((r["outcome"], r["subject_kind"], r["subject"]), ("done", "connection", a.connection), f"{r}")
    equal({x["asset"] for x in new[0].get("rows", [])}, set(home.facts.values()), "facts of the overview")
    equal({x["asset"] for x in new[1].get("rows", [])}, {home.facts["Coffee"]}, "facts of a search")
    text = json.dumps(home.records(), ensure_ascii=False)
    for word in (MARK, "Journey", "oat", "kites", a.name, "小明"):
        check(word not in text, f"{word} is in the log")
    home.verify("--full").done()


@case
def the_owner_sees_what_a_connection_has_seen():
    home = _home()
    a = connected(home, shared=[home.facts["Coffee"], home.facts["晨跑"]])
    other = connected(home, shared=[home.facts["Journey"]])
    shown = lambda c: home.owner("profile", "connection", "show", c.connection).given()  # noqa: E731
    equal([f for f in _seen(shown(a))], [], "seen before anything was delivered")
    a.mcp().good("search_user_context", query="oat milk")
    equal(_seen(shown(a)), {home.facts["Coffee"]}, "seen after a search")
    delivered = {f["id"] for f in visible(a.mcp())[0]}
    equal(_seen(shown(a)), delivered, "seen after an overview")
    equal(_seen(shown(other)), set(), "seen by another")
    text = json.dumps(shown(a), ensure_ascii=False)
    check("Coffee" in text and a.name in text, f"labels of what was seen: {text:.300}")
    fact = add_fact(home, "goal", "Later", "came later")
    share(home, a.connection, fact)
    check(fact not in _seen(shown(a)), "what is shared but not read counts as seen")


def _seen(page):
    return {s["fact"] for s in page["seen"]}


@case
def refusals_of_a_connection_are_recorded_and_strangers_fill_no_log():
    home = _home()
    m = home.assistant.mcp()
    before = len(home.records())
    m.bad("conflict", "read_user_context_page", offset=0, version="e" * 64)
    narrow = connected(home, scopes=["profile:read"], shared=[])
    mark = len(home.records())
    stranger = narrow.mcp()
    stranger.token = "mat_" + "A" * 43
    for _ in range(40):
        stranger.post(stranger.request("tools/call", {"name": "get_user_context", "arguments": {}})).status_is(401)
    once(home.port, "POST", "/mcp", [("Content-Type", "application/json")], b"{}").status_is(401)
    new = home.records()[mark:]
    equal([r for r in new if r["type"] == "refusal"], [], "refusals of strangers")
    check(len(new) < 10, f"{len(new)} new records")
    refusals = [r for r in home.records()[before:] if r["type"] == "refusal"]
    check(any(r["reason"] == "conflict" and r["subject"] == home.assistant.connection for r in refusals), f"{refusals}")


if __name__ == "__main__":
    main()
