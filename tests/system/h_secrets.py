#!/usr/bin/env python3
"""h: tokens, the pages' password and facts: in whose memory they are, and in no file, log, argument or page."""
import json
import os
import secrets
import urllib.parse

from harness import PATIENCE_S, case, check, equal, main, needs_root, process_only, within
from http_browser import Browser
from http_client import FORM, PAGES_PASSWORD, Assistant, add_fact, connected, endpoint, set_password, share, visible
from http_raw import Connection, once, request
from marks import Scanner, fresh_mark, scan_memory


def _used(fact=None, password=None):
    """A home whose endpoint was used in every way, and the marks that it must not keep."""
    home = endpoint(facts=[])
    if password is not None:
        home.terminal.sudo().done()
        set_password(home, password).done()
    a = connected(home, shared=[])
    if fact is not None:
        share(home, a.connection, add_fact(home, "goal", "Marked", fact))
        for revision in ("2025-03-26", "2025-11-25", "2026-07-28"):
            check(fact in str(visible(a.mcp(revision))), "the fact is not delivered")
        a.mcp().good("search_user_context", query=fact)
    old = a.refresh_token
    a.refresh()
    other = Assistant(home.origin).connect()
    other.revoke_answer(other.refresh_token)
    check(not other.lives() and a.lives(), "tokens before the look")
    a.refresh_answer("mrt_" + old[:3:-1]).status_is(400)
    check(a.lives(), "a token that nobody has ended the connection")
    # Many at once, so that what one leaves is not written over by the next; some of them stay.
    m, call = a.mcp(), a.mcp().request("tools/call", {"name": "get_user_context", "arguments": {}})
    all = [Connection(home.port) for _ in range(24)]
    for c in all:
        c.send(request("POST", "/mcp", m.headers(call), json.dumps(call), host=f"127.0.0.1:{home.port}"))
    for c in all:
        c.answer().status_is(200)
    for c in all[::2]:
        c.close()
    home.idle = all[1::2]
    a.used = a.tokens + other.tokens + [a.verifier, other.verifier]
    home.assistant = a
    return home


def _words():
    """A mark that looks like no secret."""
    return " ".join("".join(secrets.choice("bdfgklmnprst") + secrets.choice("aeiou") for _ in range(3)) for _ in range(5))


def _marks(tokens):
    return {f"token {i}": t.removeprefix("mat_").removeprefix("mrt_").removeprefix("mac_").encode() for i, t in enumerate(tokens)}


@process_only
def tokens_are_in_the_memory_of_no_process():
    needs_root()
    home = _used()
    s = Scanner(_marks(home.assistant.used))
    for pid, name in {home.daemon.pid: "supervisor", **home.processes()}.items():
        found, n = scan_memory(pid, s)
        check(n > 500000, f"only {n} bytes of {name} could be read")
        check(not found, f"in the memory of {name}: {found}")


@process_only
def the_password_of_the_pages_is_in_the_memory_of_no_process():
    needs_root()
    password = fresh_mark()
    home = endpoint(facts=[])
    home.terminal.sudo().done()
    set_password(home, password).done()
    a = Assistant(home.origin)
    for tried in (password, password[:-1] + "!"):
        browser = Browser(a.origin)
        browser.open(a.authorize_url())
        page = browser.submit({"password": tried})
        equal("decision" in page.answer.text, tried == password, "a login")
    s = Scanner({"password": password.encode()})
    for pid, name in home.processes().items():
        found, _ = scan_memory(pid, s)
        check(not found, f"in the memory of {name}: {found}")


@process_only
def a_fact_is_in_the_memory_of_the_profile_alone_and_gone_after_a_lock():
    needs_root()
    fact = _words()
    home = _used(fact)
    s = Scanner({"fact": fact.encode()})
    for pid, name in {home.daemon.pid: "supervisor", **home.processes()}.items():
        found, _ = scan_memory(pid, s)
        equal(bool(found), name == "profile", f"in the memory of {name}: {found}")
    home.owner("lock").done()
    for pid, name in home.processes().items():
        found, _ = scan_memory(pid, s)
        check(not found, f"in the memory of {name} after a lock: {found}")


@case
def no_token_no_password_and_no_fact_is_in_a_file_a_log_or_an_argument():
    fact, password = _words(), fresh_mark()
    import http_client
    keep, http_client.PAGES_PASSWORD = http_client.PAGES_PASSWORD, password
    try:
        home = _used(fact, password)
    finally:
        http_client.PAGES_PASSWORD = keep
    s = Scanner({**_marks(home.assistant.used), "fact": fact.encode(), "password": password.encode()})
    home.owner("profile", "fact", "list").done()
    for pid in home.processes():
        for name in ("cmdline", "environ"):
            with open(f"/proc/{pid}/{name}", "rb") as f:
                s.check(f.read(), f"{name} of {pid}")
    home.settle()
    home.stop()
    n = 0
    for folder, _, files in os.walk(home.dir):
        for name in filter(lambda n: os.path.isfile(os.path.join(folder, n)), files):
            with open(os.path.join(folder, name), "rb") as f:
                s.check(f.read(), name)
            n += 1
    check(n > 5, f"only {n} files")


@case
def no_page_and_no_error_repeats_what_was_sent():
    home = endpoint(facts=[])
    a = Assistant(home.origin)
    mark = fresh_mark()
    seen = [once(home.port, "GET", f"/authorize?client_id={mark}&state={mark}"), once(home.port, "GET", f"/{mark}"),
            once(home.port, "POST", "/token", [FORM], urllib.parse.urlencode({"grant_type": mark, "code": mark, "client_id": mark})),
            once(home.port, "POST", "/token", [FORM], urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": mark,
                                                                              "client_id": a.client_id})),
            once(home.port, "POST", "/revoke", [FORM], f"token={mark}"), once(home.port, "POST", "/register", [], mark),
            once(home.port, "POST", "/login", [FORM], f"password={mark}&csrf={mark}&tx={mark}"),
            once(home.port, "POST", "/consent", [FORM], f"csrf={mark}&tx={mark}&decision={mark}"),
            once(home.port, "POST", "/mcp", [("Authorization", f"Bearer {mark}")], mark)]
    for answer in seen:
        check(answer.status >= 400 and mark not in str(answer), f"what was sent comes back: {answer}")
    browser = Browser(a.origin)
    browser.open(a.authorize_url())
    page = browser.submit({"password": mark})
    check(mark not in page.answer.text, "a wrong password is on the page")
    browser.submit({"password": PAGES_PASSWORD})
    within(PATIENCE_S, lambda: mark not in home.tail(), "the daemon's log")


if __name__ == "__main__":
    main()
