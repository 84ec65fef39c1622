#!/usr/bin/env python3
"""x: attacks on the OAuth server and its pages: thieves of cookies, floods, hasty fingers, names that lie."""
import json
import threading
import time
import urllib.parse

from harness import PATIENCE_S, case, check, equal, main, shared, within
from http_browser import Browser
from http_client import FORM, PAGES_PASSWORD, Assistant, connected, endpoint, labels, share, token_of_chance, visible
from http_raw import Connection, once, request


def _home():
    return shared(endpoint)


def _asks_for_the_password(page):
    return any(n == "password" for n, _ in page.form.fields)


def _tx(page):
    return page.form.value("tx")


def _log_in(browser, a, **changes):
    browser.open(a.authorize_url(**changes))
    return browser.submit({"password": PAGES_PASSWORD})


def _at_once(*what):
    """Does all of them at the same time."""
    answers = [None] * len(what)

    def run(i):
        answers[i] = what[i]()
    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(what))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return answers


# Cookies know no ports: the session's comes to every program that the browser visits on this host.

@case
def who_has_the_cookie_of_a_login_can_allow_nothing_with_it():
    a, thiefs = Assistant(_home().origin), Assistant(_home().origin)
    owner = a.consent_page()
    thief = Browser(_home().origin)
    thief.cookies = dict(owner.cookies)
    page = thief.open(thiefs.authorize_url())
    check(_asks_for_the_password(page), f"a request of the thief's own: {page}")
    own = _tx(page)
    page = thief.open(f"{_home().origin}/consent?tx={own}")
    check(_asks_for_the_password(page), f"its consent page: {page}")
    body = urllib.parse.urlencode({"tx": own, "csrf": page.form.value("csrf"), "scope": "profile:read", "category": "basic", "decision": "allow"})
    answer = thief.send("POST", "/consent", [FORM, ("Origin", _home().origin)], body).status_is(403)
    check(answer.header("location") is None, f"{answer}")
    # The owner, meanwhile, decides.
    check("code" in a.allow(owner), "the owner's own request")


@case
def no_session_is_left_for_the_assistant_to_see():
    for decision in ("allow", "deny"):
        a = Assistant(_home().origin)
        browser = a.consent_page()
        before, tx = dict(browser.cookies), _tx(browser.page)
        check("__Host-memories" in before, f"cookies: {list(before)}")
        page = browser.submit(None, ("decision", decision))
        check(hasattr(page, "left_for"), f"{page}")
        check("__Host-memories" not in browser.cookies, "the browser would send its session along")
        browser.cookies = before
        browser.open(f"{_home().origin}/consent?tx={tx}").answer.status_is(400)
        check(_asks_for_the_password(browser.open(a.authorize_url())), "the login outlived its decision")


@case
def a_cookie_that_was_planted_is_worth_nothing_after_the_login():
    a, planted = Assistant(_home().origin), Assistant(_home().origin)
    thief, owner = Browser(_home().origin), Browser(_home().origin)
    tx = _tx(thief.open(planted.authorize_url()))
    owner.cookies = dict(thief.cookies)
    _log_in(owner, a)
    check(owner.cookies["__Host-memories"] != thief.cookies["__Host-memories"], "the cookie of before is the session")
    check(_asks_for_the_password(thief.open(f"{_home().origin}/consent?tx={tx}")), "what was planted with it was logged in for")
    owner.open(f"{_home().origin}/consent?tx={tx}").answer.status_is(400)


@case
def two_cookies_of_one_name_are_no_cookie():
    a = Assistant(_home().origin)
    browser = a.consent_page()
    value, tx = browser.cookies["__Host-memories"], _tx(browser.page)
    for cookie in (f"__Host-memories={value}; __Host-memories={value}", f"__Host-memories=x; __Host-memories={value}",
                   f"__Host-memories-={value}", f"__host-memories={value}", f"memories={value}", f'__Host-memories="{value}"'):
        answer = once(a.port, "GET", f"/consent?tx={tx}", [("Cookie", cookie)]).status_is(400)
        check(b'name="decision"' not in answer.body, f"{cookie}")
    check("code" in a.allow(browser), "the one cookie")


# Hasty fingers

def _log_in_twice(a):
    """What comes of the second of two clicks; a browser that sends again gives the first up."""
    browser = Browser(_home().origin)
    browser.open(a.authorize_url())
    fields = browser.fields(browser.page.form, {"password": PAGES_PASSWORD})
    headers = [FORM, ("Origin", a.origin), ("Cookie", "; ".join(f"{k}={v}" for k, v in browser.cookies.items()))]
    with Connection(a.port) as first:
        first.send(request("POST", "/login", headers, urllib.parse.urlencode(fields), host=f"127.0.0.1:{a.port}"))
    return browser.submit({"password": PAGES_PASSWORD})


@case
def a_second_click_on_log_in_logs_in():
    a = Assistant(_home().origin)
    # With so cheap a hash the first may be tried before its connection is closed; never each time.
    within(PATIENCE_S, lambda: _log_in_twice(a).answer.status == 200, "a login by the second click")
    # And a click after the answer to the first came.
    a = Assistant(_home().origin)
    browser = Browser(_home().origin)
    login = browser.open(a.authorize_url())
    browser.submit({"password": PAGES_PASSWORD})
    page = browser.submit({"password": PAGES_PASSWORD}, page=login)
    check(any(n == "decision" for n, _ in page.form.buttons), f"{page}")
    check("code" in a.allow(browser), "it can be allowed")


@case
def of_two_decisions_at_once_one_is_taken():
    a = Assistant(_home().origin)
    browser = a.consent_page()
    body = urllib.parse.urlencode(browser.fields(browser.page.form, None, ("decision", "allow")))
    answers = _at_once(*[lambda: browser.send("POST", "/consent", [FORM, ("Origin", a.origin)], body)] * 4)
    codes = [x.header("location") for x in answers if "code=" in (x.header("location") or "")]
    equal(len(codes), 1, f"codes of {answers}")


# Floods

@case
def who_guesses_passwords_does_not_keep_the_owner_out():
    home = endpoint(facts=[])
    a = Assistant(home.origin)
    owner, stranger = Browser(home.origin), Browser(home.origin)
    _log_in(owner, a)
    owner.submit(None, ("decision", "deny"))
    stranger.open(a.authorize_url())
    statuses = [stranger.submit({"password": f"guess {i}"}).answer.status for i in range(8)]
    check(429 in statuses, f"{statuses}")
    # From the same address, in a browser that has logged in before.
    page = _log_in(owner, a)
    check(any(n == "decision" for n, _ in page.form.buttons), f"{page}")
    # And guesses in its name (its mark was stolen) are as slow.
    thief = Browser(home.origin)
    thief.cookies = {k: v for k, v in owner.cookies.items() if k.endswith("-known")}
    equal(len(thief.cookies), 1, "marks")
    thief.open(a.authorize_url())
    statuses = [thief.submit({"password": f"guess {i}"}).answer.status for i in range(8)]
    check(429 in statuses, f"{statuses}")


@case
def made_up_refresh_tokens_keep_no_refresh_out():
    a = Assistant(_home().origin).connect()
    stop = threading.Event()

    def flood():
        while not stop.is_set():
            body = urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": "mrt_" + token_of_chance(), "client_id": a.client_id})
            once(a.port, "POST", "/token", [FORM], body)
    threads = [threading.Thread(target=flood) for _ in range(100)]
    for t in threads:
        t.start()
    try:
        for _ in range(3):
            a.refresh()
    finally:
        stop.set()
        for t in threads:
            t.join()
    check(a.lives(), "lives")


@case
def requests_of_strangers_make_none_of_the_owners_go():
    a = Assistant(_home().origin)
    browser = a.consent_page()
    url = a.authorize_url().split("?", 1)[1]
    for _ in range(300):
        once(a.port, "GET", f"/authorize?{url}").status_is(200)
    check("code" in a.allow(browser), "what the owner had logged in for")


# What the page says

@case
def a_name_can_end_neither_its_box_nor_the_line():
    hidden = "\u202e\u2066\u200b\u2028\u061c\ufeff\u00ad\u3164"
    for name, shown in ((f"Cl{hidden}aude", "Claude"), ("A”</bdi></dd> verified <b>", "A”</bdi></dd> verified <b>"),
                        ("x" * 300, "x" * 80), ("\n\t ", None), (hidden, None), ("עוזר", "עוזר")):
        a = Assistant(_home().origin, name=name, redirect="https://assistant.example/cb")
        browser = a.consent_page()
        text = browser.page.answer.text
        check(not any(c in text for c in hidden), f"{name!r}: a hidden character is in the page")
        words = browser.page.words
        check("It gave no name." in words if shown is None else f"It calls itself {shown} Unverified: any program can take this name." in words,
              f"{name!r}: {words[:200]}")
        check("You will be sent back to assistant.example " in words, f"{words[:300]}")


@case
def what_was_shared_before_is_seen_again_as_the_page_says():
    a = connected(_home(), shared=[_home().facts["Coffee"], _home().facts["Name"]])
    equal(labels(visible(a.mcp())[0]), ["Name", "Coffee"] if labels(visible(a.mcp())[0])[0] == "Name" else ["Coffee", "Name"], "at first")
    _home().owner("profile", "connection", "reduce", a.connection, "--scope", "profile:read", "--category", "basic").done()
    equal(labels(visible(a.mcp())[0]), ["Name"], "narrowed")
    browser = a.consent_page()
    check("Facts that you shared with it before stay shared." in browser.page.words, f"{browser.page.words}")
    a.keep(a.redeem_answer(a.allow(browser)["code"]))
    equal(sorted(labels(visible(a.mcp())[0])), ["Coffee", "Name"], "after a new consent")
    new = Assistant(_home().origin).consent_page()
    check("stay shared" not in new.page.words, f"{new.page.words}")


# Injection

@case
def nothing_in_a_request_becomes_a_header_or_markup():
    for evil in ("x\r\nSet-Cookie: a=b\r\n\r\n<script>", "\"><script>alert(1)</script>", "a&code=mac_x&iss=https://evil.example#f", "\u2028\x7f\x01"):
        a = Assistant(_home().origin)
        browser = a.consent_page(state=evil)
        check(evil not in browser.page.answer.text, "the state is on the page")
        page = browser.submit(None, ("decision", "deny"))
        check(not any(v.startswith("a=b") for v in page.answer.all("set-cookie")), f"{page}")
        query = urllib.parse.urlsplit(page.left_for).query
        back = urllib.parse.parse_qsl(query, strict_parsing=True)
        equal(back, [("error", "access_denied"), ("state", evil), ("iss", a.origin)], "what came back")
        check(urllib.parse.urlsplit(page.left_for).fragment == "", "a fragment")


@case
def a_private_scheme_takes_its_code_and_no_script():
    a = Assistant(_home().origin, name="Editor", redirect="cursor://anysphere.cursor-mcp/oauth/callback")
    back = a.allow(a.consent_page())
    a.keep(a.redeem_answer(back["code"]))
    # Registrations are limited; of each of these it is seen that it is dropped.
    bad = ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "blob:x", "vbscript:x", "about:blank", "JavaScript:alert(1)//a.b",
           "https://user@host.example/", "https://host.example\\@evil.example/", "https://host.example/#f", "http://host.example/",
           "https://*.example/", "//host.example/", "https:/host.example/", "https:host.example", "http://localhost.example/", "http://[::ffff:127.0.0.1]/",
           "https://host.example/\r\nX: y", "https://host.example/ x", "https://ho\u0441t.example/"]
    answer = a.register_answer(redirect_uris=bad).status_is(400)
    equal(answer.json["error"], "invalid_redirect_uri", "all of them")
    equal(a.register(redirect_uris=[*bad, a.redirect])["redirect_uris"], [a.redirect], "what is kept")


# Races

@case
def a_revocation_beats_a_refresh_that_is_held():
    a = Assistant(_home().origin).connect()

    def revoke():
        time.sleep(0.05)
        return a.revoke_answer(a.access)
    refreshed, revoked = _at_once(a.refresh_answer, revoke)
    revoked.status_is(200)
    if refreshed.status == 200:
        # It was rotated before: what came of it is dead all the same.
        a.keep(refreshed)
    check(not a.lives(), "something outlived the revocation")
    a.refresh_answer().status_is(400)


@case
def a_code_of_one_client_is_nothing_in_another():
    a, b = Assistant(_home().origin), Assistant(_home().origin)
    stolen = a.allow(a.consent_page())["code"]
    b.allow(b.consent_page())
    # Put into the other's answer: its own verifier, client and redirect URI go with it.
    b.redeem_answer(stolen).status_is(400)
    b.redeem_answer(stolen, code_verifier=a.verifier).status_is(400)
    a.keep(a.redeem_answer(stolen))


@case
def sharing_goes_with_the_connection_and_not_with_the_name():
    first = connected(_home())
    other = Assistant(_home().origin, name=first.name, redirect=first.redirect + "/other").connect()
    equal(visible(other.mcp())[0], [], "facts that another of the same name sees")
    check(len(visible(first.mcp())[0]) > 0, "facts of the first")


if __name__ == "__main__":
    main()
