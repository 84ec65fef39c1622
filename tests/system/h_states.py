#!/usr/bin/env python3
"""h: when the endpoint serves, when it does not, and what it then says; restarts and kills in the middle of things."""
import json
import os
import re
import signal
import socket
import urllib.parse

from harness import PATIENCE_S, case, check, equal, main, process_only, within
from http_browser import Browser
from http_client import (Askers, FORM, JSON, PAGES_PASSWORD, Assistant, add_fact, configure, connected, edit_fact, endpoint, healthz, labels, serving, share,
                         turn_on, visible)
from http_raw import listens, once


def _says(home, code, word=None):
    """All that a client may ask says the reason, each in its form."""
    health = healthz(home).status_is(503)
    equal(health.json["status"], {"profile_off": "off"}.get(code, code), "status of /healthz")
    for method, target, headers, body in (("POST", "/mcp", [JSON], b"{}"), ("POST", "/token", [FORM], b"grant_type=x"), ("POST", "/register", [JSON], b"{}"),
                                          ("POST", "/revoke", [FORM], b"token=x")):
        answer = once(home.port, method, target, headers, body).status_is(503)
        equal(answer.json["error"]["code"], code, f"code at {target}")
        check(int(answer.header("retry-after")) >= 1, f"Retry-After at {target}")
        check(word is None or word in answer.json["error"]["message"], f"{word!r} is not in {answer}")
    for language in ("en", "zh-CN"):
        page = Browser(home.origin, language).open(f"{home.origin}/authorize?client_id=x")
        page.answer.status_is(503)
        check((page.answer.header("content-type") or "").startswith("text/html"), f"no page: {page}")
        check(word is None or word in page.words, f"{word!r} is not on the page: {page.words}")
        words = page.words.replace(word or "", "")
        check(re.search("[\u4e00-\u9fff]{4}" if language != "en" else "[a-z]{4} [a-z]", words), f"not in {language}: {words}")


@case
def a_home_that_never_enabled_its_profile_opens_no_port():
    home = endpoint(facts=[], enable=False)
    check(not listens(home.port), "a port is open")
    equal(home.owner("profile", "status").given()["enabled"], False, "enabled")
    turn_on(home)
    equal(healthz(home).json["status"], "serving", "status")


@case
def off_means_off_and_says_so():
    home = endpoint()
    a = connected(home)
    home.terminal.sudo().done()
    home.owner("profile", "disable").done()
    within(PATIENCE_S, lambda: healthz(home).status == 503, "off")
    _says(home, "profile_off")
    answer = a.mcp().post(a.mcp().request("tools/list")).status_is(503)
    check(not answer.all("www-authenticate"), "a challenge of what is off")
    turn_again(home)
    check(a.lives(), "a connection outlives being off")
    equal(len(visible(a.mcp())[0]), 5, "what it sees")


def turn_again(home):
    home.terminal.sudo().done()
    home.owner("profile", "enable").done()
    serving(home)


@case
def locked_means_locked_and_a_connection_outlives_it():
    home = endpoint()
    a = connected(home)
    browser = a.consent_page()
    home.owner("lock").done()
    _says(home, "locked")
    check(not a.lives(), "a locked profile answers")
    within(PATIENCE_S, lambda: home.terminal.unlock().code == 0, "unlock")
    serving(home)
    equal(len(visible(a.mcp())[0]), 5, "what it sees")
    # A session of the pages does not outlive the key.
    page = browser.open(a.authorize_url())
    check(any(n == "password" for n, _ in page.form.fields), f"still logged in: {page}")


def _none_after(home, command):
    a = connected(home)
    askers = Askers(a)
    home.owner(*command).done()
    after = askers.end()
    check(after, "nobody asked afterwards")
    equal({x.status for x in after}, {503}, f"answers after {command[0]}")
    check(not any(b"oat milk" in x.body for x in after), "content afterwards")
    check({x.status for x in askers.before} <= {200, 503}, f"answers before and during: { {x.status for x in askers.before} }")


@case
def when_a_lock_has_answered_no_request_is_served():
    _none_after(endpoint(), ["lock"])


@case
def when_a_disable_has_answered_no_request_is_served():
    home = endpoint()
    home.terminal.sudo().done()
    _none_after(home, ["profile", "disable"])


@case
def behind_a_proxy_the_configured_origin_is_what_counts():
    origin = "https://memories.example"
    home = endpoint(origin=origin)
    for path in ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"):
        text = once(home.port, "GET", path, host="memories.example").status_is(200).text
        check(origin in text and "127.0.0.1" not in text, f"{path}: {text}")
    equal(once(home.port, "GET", "/.well-known/oauth-authorization-server").json["issuer"], origin, "issuer, asked by another name")
    a = Assistant(origin, port=home.port)
    browser = Browser(origin, port=home.port)
    browser.open(a.authorize_url())
    page = browser.submit({"password": PAGES_PASSWORD}, headers=[("Origin", f"http://127.0.0.1:{home.port}")])
    check(page.answer.status in (400, 403), f"a login from the listener's own address: {page}")
    a.connect(resource=origin + "/mcp")
    m = a.mcp()
    m.good("get_user_context")
    request = m.request("tools/list")
    m.post(request, Origin=origin).status_is(200)
    m.post(request, Origin="https://memories.example.evil.example").status_is(403)
    once(home.port, "POST", "/mcp", m.headers(request), json.dumps(request), host="other.example").status_is(400, 403, 421)


@case
def maintenance_has_the_owners_words():
    home = endpoint()
    a = connected(home)
    home.terminal.sudo().done()
    home.owner("profile", "maintenance", "on", "--message", "back at <b>9</b> 九点").done()
    within(PATIENCE_S, lambda: healthz(home).status == 503, "maintenance")
    _says(home, "maintenance", "back at <b>9</b> 九点")
    check(not a.lives(), "it serves during maintenance")
    home.terminal.sudo().done()
    home.owner("profile", "maintenance", "off").done()
    serving(home)
    check(a.lives(), "after maintenance")


@case
def maintenance_and_off_are_remembered_over_a_restart():
    home = endpoint(facts=[])
    home.terminal.sudo().done()
    home.owner("profile", "maintenance", "on", "--message", "moving house").done()
    home.restart()
    home.terminal.unlock_soon()
    within(PATIENCE_S, lambda: listens(home.port) and healthz(home).json["status"] == "maintenance", "maintenance after a restart")
    home.terminal.sudo().done()
    home.owner("profile", "maintenance", "off").done()
    home.terminal.sudo().done()
    home.owner("profile", "disable").done()
    home.restart()
    home.terminal.unlock_soon()
    within(PATIENCE_S, lambda: listens(home.port) and healthz(home).json["status"] == "off", "off after a restart")


@case
def what_is_public_is_there_in_every_state():
    home = endpoint(facts=[])
    documents = ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"]
    before = [once(home.port, "GET", d).status_is(200).body for d in documents]
    home.owner("lock").done()
    equal([once(home.port, "GET", d).status_is(200).body for d in documents], before, "metadata while locked")


@case
def a_restart_in_the_middle_of_an_authorization_gives_nothing_away():
    home = endpoint(facts=[])
    a = Assistant(home.origin)
    at_login, at_consent = Browser(a.origin), a.consent_page()
    at_login.open(a.authorize_url())
    home.restart()
    home.terminal.unlock_soon()
    serving(home)
    for browser, changes, button in ((at_login, {"password": PAGES_PASSWORD}, None), (at_consent, None, ("decision", "allow"))):
        page = browser.submit(changes, button)
        check("code=" not in (page.answer.header("location") or ""), f"a code after a restart: {page}")
        check(page.answer.status in (400, 403) or any(n == "password" for n, _ in page.form.fields), f"neither refused nor begun anew: {page}")
    check(a.connect().lives(), "the same client id is good afterwards")


@process_only
def a_killed_http_process_comes_back_and_forgets_no_token():
    home = endpoint()
    a = connected(home)
    code = Assistant(home.origin)
    back = code.allow(code.consent_page())["code"]
    for name in ("http", "profile"):
        os.kill(home.process(name), signal.SIGKILL)

        def served():
            try:
                # A call of a part that is still coming is answered, with an error.
                return healthz(home).status == 200 and len(visible(a.mcp())[0]) == 5
            except Exception:
                return False
        within(PATIENCE_S, served, f"served after a kill of {name}")

    def redeemed():
        # Until it has its keys again it asks for patience.
        answer = code.redeem_answer(back)
        return answer.status not in (429, 503) and answer
    code.keep(within(PATIENCE_S, redeemed, "a redemption after the kills"))
    equal(len(visible(a.mcp())[0]), 5, "what it sees")


@case
def a_crash_between_a_code_and_its_tokens_leaves_one_or_the_other():
    home = endpoint(facts=[])
    a = Assistant(home.origin)
    code = a.allow(a.consent_page())["code"]
    body = urllib.parse.urlencode({"grant_type": "authorization_code", "code": code, "client_id": a.client_id, "redirect_uri": a.redirect,
                                   "code_verifier": a.verifier})
    with socket.create_connection(("127.0.0.1", home.port)) as s:
        s.sendall(f"POST /token HTTP/1.1\r\nHost: 127.0.0.1:{home.port}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                  f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        home.kill()
        try:
            got = s.recv(65536)
        except OSError:
            got = b""
    home.start()
    home.terminal.unlock_soon()
    serving(home)
    again = a.redeem_answer(code)
    # Used or not: never both, and an answer that came is then worth nothing.
    check(again.status in (200, 400), f"{again}")
    if b"200 OK" in got:
        equal(again.status, 400, "a code that was answered before the crash")
    if again.status == 200:
        check(a.keep(again) and a.lives(), "tokens after the crash")


@case
def a_taken_address_is_tried_again():
    taken = socket.create_server(("127.0.0.1", 0))
    home = endpoint(facts=[], enable=False)
    home.stop()
    home.port = taken.getsockname()[1]
    home.origin = f"http://127.0.0.1:{home.port}"
    configure(home, home.port)
    home.start()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("profile", "enable", answers=[("password: ", PAGES_PASSWORD), ("password: ", PAGES_PASSWORD)])

    def complains():
        return "listen_failed" in json.dumps(home.owner("profile", "status").given())
    within(PATIENCE_S, complains, "status says that the address is taken")
    taken.close()
    serving(home)


@case
def the_pages_need_a_password_of_their_own():
    home = endpoint(facts=[])
    a = Assistant(home.origin)
    browser = Browser(a.origin)

    def asks():
        # The verifier of a first password comes to HTTP a moment after it was stored.
        browser.open(a.authorize_url())
        return 'name="password"' in browser.page.answer.text
    within(PATIENCE_S, asks, "a login page with a password")
    from harness import PASSWORD
    page = browser.submit({"password": PASSWORD})
    check("decision" not in page.answer.text, "the library's password logs in")


@case
def sharing_and_versions_outlive_a_restart():
    home = endpoint()
    a = connected(home)
    before = a.mcp().good("get_user_context")
    proposal = a.mcp().good("propose_memory", op="add", category="goal", label="Oboe", value="learn it", evidence="said so")
    home.restart()
    home.terminal.unlock_soon()
    serving(home)
    equal(a.mcp().good("get_user_context"), before, "the overview")
    again = a.mcp().good("propose_memory", op="add", category="goal", label="Oboe", value="learn it", evidence="said so")
    equal(again, proposal, "a pending proposal")
    fact = add_fact(home, "goal", "Tuba", "no")
    share(home, a.connection, fact)
    edit_fact(home, fact, "yes")
    home.restart()
    home.terminal.unlock_soon()
    serving(home)
    check("Tuba" not in labels(visible(a.mcp())[0]), "a share that an edit ended is back")


if __name__ == "__main__":
    main()
