#!/usr/bin/env python3
"""h: OAuth of the remote profile, from outside: metadata, registration, the pages, tokens.

Ends of lives (a code's five minutes, a token's ten, thirty days, a clock that is set back) are not waited for here: store/ and actors/
have unit tests with a clock of their own for them. Real browsers and foreign clients: http_peers.py.
"""
import json
import os
import re
import threading
import time
import urllib.parse

from harness import case, check, equal, main, shared, within
from http_browser import Browser
from http_client import (Askers, CATEGORIES, FORM, JSON, PAGES_PASSWORD, SCOPES, Assistant, challenge_header, challenge_of,
                         connected, connections, endpoint, labels, refused_as_unknown, serving, set_password, token_of_chance, visible)
from http_raw import Connection, once, request


def _home():
    return shared(endpoint)


def _assistant(**more):
    return Assistant(_home().origin, **more)


def _post(target, form, *headers):
    return once(_home().port, "POST", target, [FORM, *headers], urllib.parse.urlencode(form))


def _oauth_error(answer, status, error):
    answer.status_is(status)
    equal(answer.json["error"], error, f"error of {answer}")
    equal(answer.header("cache-control"), "no-store", "Cache-Control")


# 1, 2: the challenge and the metadata

LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})


def _list(*headers, target="/mcp"):
    return once(_home().port, "POST", target, [JSON, *headers], LIST)


@case
def without_a_token_the_challenge_says_where_to_get_one_and_names_no_error():
    metadata = f"{_home().origin}/.well-known/oauth-protected-resource/mcp"
    a = connected(_home())
    for answer in (_list(), _list(("Authorization", "Bearer ")), _list(("Authorization", "Bearer")), _list(target="/mcp/"),
                   _list(target=f"/mcp?access_token={a.access}"), _list(("Cookie", f"__Host-session={a.access}")),
                   once(_home().port, "GET", "/mcp"), once(_home().port, "DELETE", "/mcp")):
        scheme, parts = challenge_header(answer.status_is(401))
        equal(scheme, "Bearer", "scheme")
        equal(parts, {"resource_metadata": metadata, "scope": " ".join(SCOPES)}, f"challenge of {answer}")


@case
def a_token_that_is_not_good_is_refused_the_same_way_whatever_is_wrong_with_it():
    a, b = connected(_home()), connected(_home())
    old = a.access
    a.refresh()
    a.revoke_answer(a.access).status_is(200)
    answers = {}
    for what, token in {"made up": "mat_" + token_of_chance(), "of no form": "x", "of a revoked connection": a.access,
                        "of a revoked connection, older": old, "a refresh token": b.refresh_token, "a code": b.code,
                        "long": "mat_" + "A" * 4000}.items():
        answers[what] = _list(("Authorization", f"Bearer {token}"))
        parts = refused_as_unknown(answers[what], _home().origin)
        equal(set(parts["scope"].split()), set(SCOPES), f"scope for {what}")
    for what, answer in answers.items():
        equal((answer.header("www-authenticate"), answer.body), (answers["made up"].header("www-authenticate"), answers["made up"].body),
              f"a token that is {what}")
    check(b.lives(), "the other connection goes on")


@case
def the_scheme_may_be_written_in_any_case_but_a_header_comes_once():
    a = connected(_home())
    for scheme in ("bearer", "BEARER", "Bearer"):
        _list(("Authorization", f"{scheme} {a.access}")).status_is(200)
    _list(("Authorization", f"Bearer {a.access}"), ("Authorization", f"Bearer {a.access}")).status_is(400)
    _list(("Authorization", f"Basic {a.access}")).status_is(401)


@case
def the_metadata_say_exactly_what_is_served():
    origin = _home().origin
    documents = {}
    for path in ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource",
                 "/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp",
                 "/mcp/.well-known/oauth-authorization-server"):
        answer = once(_home().port, "GET", path).status_is(200)
        equal(answer.header("access-control-allow-origin"), "*", f"CORS of {path}")
        documents[path] = answer
    resource = documents["/.well-known/oauth-protected-resource/mcp"]
    equal(resource.body, documents["/.well-known/oauth-protected-resource"].body, "the two places of the resource's metadata")
    shown = resource.json
    equal((shown["resource"], shown["authorization_servers"], shown["bearer_methods_supported"], shown["scopes_supported"]),
          (f"{origin}/mcp", [origin], ["header"], ["profile:read"]), "resource metadata")
    server = documents["/.well-known/oauth-authorization-server"]
    for path in ("/.well-known/oauth-authorization-server/mcp", "/mcp/.well-known/oauth-authorization-server"):
        equal(documents[path].body, server.body, f"alias {path}")
    s = server.json
    wanted = {"issuer": origin, "authorization_endpoint": f"{origin}/authorize", "token_endpoint": f"{origin}/token",
              "registration_endpoint": f"{origin}/register", "revocation_endpoint": f"{origin}/revoke", "response_types_supported": ["code"],
              "grant_types_supported": ["authorization_code", "refresh_token"], "token_endpoint_auth_methods_supported": ["none"],
              "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": True}
    equal({k: s.get(k) for k in wanted}, wanted, "server metadata")
    check(None not in s.values() and "" not in s.values(), f"a null or an empty string: {s}")


@case
def other_well_known_names_are_a_404_of_json():
    for path in ("/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp", "/.well-known/x", "/.well-known/"):
        once(_home().port, "GET", path).status_is(404).json


@case
def the_host_of_a_request_changes_no_metadata():
    for path in ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"):
        plain = once(_home().port, "GET", path)
        other = once(_home().port, "GET", path, [("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Proto", "https"),
                                                 ("Forwarded", "host=evil.example")], host=f"localhost:{_home().port}")
        equal(other.body, plain.body, path)


# 3: PKCE

def _sent_back(a, **changes):
    """What comes back to the client of a request that is at fault; None: the browser stays on a page of ours with status 400."""
    browser = Browser(a.origin)
    page = browser.open(a.authorize_url(**changes))
    if page.answer.status == 200 and page.reader.forms and any(n == "password" for n, _ in page.form.fields):
        page = browser.submit({"password": PAGES_PASSWORD})
    if hasattr(page, "left_for"):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page.left_for).query))
    # The way back may be a link that the user must choose.
    for tag, attributes in page.reader.tags:
        where = attributes.get("href", "")
        if tag == "a" and "error=" in where:
            return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(where).query))
    check(page.answer.status == 400 and page.answer.header("location") is None, f"neither a page nor the way back: {page}")
    return None


@case
def a_request_without_a_good_challenge_goes_back_with_invalid_request():
    a = _assistant()
    good = challenge_of("a" * 43)
    for changes in ({"code_challenge": None}, {"code_challenge": ""}, {"code_challenge_method": None}, {"code_challenge_method": "plain"},
                    {"code_challenge": good[:42]}, {"code_challenge": good + "A"}, {"code_challenge": good[:42] + "+"},
                    {"code_challenge": good[:42] + "="}):
        state = token_of_chance(9)
        back = _sent_back(a, state=state, **changes)
        check(back is not None, f"{changes}: no way back")
        equal((back["error"], back["state"], back["iss"]), ("invalid_request", state, a.origin), f"{changes}")
        check("code" not in back, f"{changes} gave a code")


@case
def other_faults_go_back_with_their_names():
    a = _assistant()
    for changes, error in (({"response_type": "token"}, "unsupported_response_type"), ({"response_type": None}, None),
                           ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"), ({"request": "x.y.z"}, "request_not_supported"),
                           ({"request_uri": "https://x.example/r"}, "request_uri_not_supported"),
                           ({"response_mode": "fragment"}, "invalid_request"), ({"prompt": "none"}, None)):
        back = _sent_back(a, state="s", **changes)
        check(back is not None and "code" not in back, f"{changes}: {back}")
        if error is not None:
            equal(back["error"], error, f"{changes}")
        equal((back["state"], back["iss"]), ("s", a.origin), f"{changes}")


@case
def a_code_needs_the_verifier_of_its_challenge():
    a = _assistant()
    for verifier in ("b" * 43, "", None, "b" * 42, "b" * 129):
        code = a.allow(a.consent_page())["code"]
        answer = a.redeem_answer(code, code_verifier=verifier).status_is(400)
        check(answer.json["error"] in ("invalid_grant", "invalid_request"), f"{answer}")


@case
def the_vector_of_rfc_7636_is_taken():
    a = _assistant()
    code = a.allow(a.consent_page(code_challenge="E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"))["code"]
    a.keep(a.redeem_answer(code, code_verifier="dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))


# 4, 5, 6: redirects, and requests that must not lead anywhere

def _stays(a, **changes):
    """The request ends on a page of ours."""
    page = Browser(a.origin).open(a.authorize_url(**changes))
    page.answer.status_is(400)
    check(page.answer.header("location") is None, f"redirects: {page}")
    check((page.answer.header("content-type") or "").startswith("text/html"), f"no page: {page}")
    for value in changes.values():
        check(not value or value not in page.answer.text, "the page repeats what came in")
    return page


@case
def a_redirect_uri_must_be_a_registered_one_but_for_a_loopback_port():
    a = _assistant()
    a.client_id = a.register(redirect_uris=["http://127.0.0.1:7/callback", "http://localhost/cb?x=1", "https://app.example/cb"])["client_id"]
    for uri in ("http://127.0.0.1:7/callback", "http://127.0.0.1:61234/callback", "http://127.0.0.1/callback", "http://localhost:9/cb?x=1",
                "https://app.example/cb"):
        page = Browser(a.origin).open(a.authorize_url(redirect_uri=uri))
        page.answer.status_is(200)
    for uri in ("http://localhost:7/callback", "http://[::1]:7/callback", "http://127.0.0.1:7/callback/", "http://127.0.0.1:7/Callback",
                "http://127.0.0.1:7/callback?x=1", "http://127.0.0.1:7/callback#f", "http://u@127.0.0.1:7/callback",
                "https://127.0.0.1:7/callback", "http://127.0.0.1:7/call%62ack", "http://127.0.0.1:7/%2fcallback", "http://127.0.0.1:70000/callback",
                "http://127.0.0.1:0/callback", "http://127.0.0.1:/callback", "http://127.0.0.2:7/callback", "http://127.0.0.1.evil.example/callback",
                "http://localhost:9/cb", "http://localhost:9/cb?x=2", "https://app.example:444/cb", "https://app.example/cb/", "https://APP.example/cb",
                "https://sub.app.example/cb", "https://app.example/cb?x", "https://*.example/cb", "javascript:alert(1)", ""):
        _stays(a, redirect_uri=uri)


@case
def an_unknown_client_or_redirect_uri_ends_on_a_page():
    a = _assistant()
    for client in ("unknown", "", None, "https://client.example/metadata.json", a.client_id[:-1], a.client_id + "A", "mc1.e30.AAAA"):
        _stays(a, client_id=client)
    _stays(a, redirect_uri=None)
    _stays(a, redirect_uri="https://evil.example/")


@case
def a_client_id_is_worth_nothing_when_one_character_of_it_differs():
    a = _assistant()
    for i in range(4, len(a.client_id), max(1, len(a.client_id) // 12)):
        other = "A" if a.client_id[i] != "A" else "B"
        _stays(a, client_id=a.client_id[:i] + other + a.client_id[i + 1:])
        _oauth_error(_post("/token", {"grant_type": "refresh_token", "refresh_token": "mrt_x", "client_id": a.client_id[:i] + other + a.client_id[i + 1:]}),
                     401, "invalid_client")


@case
def a_parameter_that_comes_twice_or_broken_ends_the_request():
    a = _assistant()
    good = urllib.parse.urlencode(a.query())
    for name in ("client_id", "redirect_uri", "state", "scope", "code_challenge", "response_type"):
        value = urllib.parse.quote(a.query()[name])
        answer = once(a.port, "GET", f"/authorize?{good}&{name}={value}")
        check(answer.status in (400, 302, 303) and "code=" not in (answer.header("location") or ""), f"{name} twice: {answer}")
    for tail in ("%00", "&x=%00", "&x=%zz", "&x=%", "&x=%ff%fe"):
        answer = once(a.port, "GET", f"/authorize?{good}{tail}").status_is(400)
        check(answer.header("location") is None, f"{tail}: {answer}")
    # Several resources are legal; one that is not ours is not.
    resource = urllib.parse.quote(a.resource)
    once(a.port, "GET", f"/authorize?{good}&resource={resource}").status_is(200)
    form = [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", a.client_id), ("client_id", a.client_id)]
    _oauth_error(_post("/token", form), 400, "invalid_request")


@case
def the_resource_may_be_spelt_as_clients_spell_it():
    for spelling in (None, _home().origin, _home().origin + "/", _home().origin + "/mcp", _home().origin + "/mcp/"):
        a = _assistant()
        check(a.connect(resource=spelling).lives(), f"resource {spelling}")


@case
def a_long_state_comes_back_as_it_was():
    a = _assistant()
    state = "é中 &=%/+~" + "x" * 3000
    equal(a.allow(a.consent_page(state=state))["state"], state, "state")
    back = a.allow(a.consent_page(state=None))
    check("state" not in back, "a state that was not sent")


@case
def a_query_in_the_redirect_uri_is_kept():
    a = _assistant(redirect="http://127.0.0.1:7/callback?k=v")
    back = a.allow(a.consent_page())
    equal(back["k"], "v", "the registered query")
    check("code" in back, f"{back}")


# 7: codes

@case
def a_second_redemption_ends_the_connection():
    a = _assistant().connect()
    check(a.lives(), "lives")
    _oauth_error(a.redeem_answer(a.code), 400, "invalid_grant")
    refused_as_unknown(_list(("Authorization", f"Bearer {a.access}")), a.origin)
    _oauth_error(a.refresh_answer(), 400, "invalid_grant")


@case
def who_stole_a_used_code_cannot_end_the_connection_with_it():
    a, b = _assistant().connect(), _assistant(name="Another")
    for changes in ({"code_verifier": "b" * 43}, {"client_id": b.client_id}, {"redirect_uri": "http://127.0.0.1:9/other"}):
        _oauth_error(a.redeem_answer(a.code, **changes), 400, "invalid_grant")
    check(a.lives(), "the connection goes on")


@case
def a_code_is_its_clients_alone_and_is_burnt_by_wrong_tries():
    a, b = _assistant(), _assistant(name="Another")
    code = a.allow(a.consent_page())["code"]
    _oauth_error(a.redeem_answer(code, client_id=b.client_id), 400, "invalid_grant")
    for _ in range(3):
        a.redeem_answer(code, code_verifier="b" * 43).status_is(400)
    _oauth_error(a.redeem_answer(code), 400, "invalid_grant")


@case
def two_redemptions_at_once_give_tokens_to_at_most_one():
    a = _assistant()
    code = a.allow(a.consent_page())["code"]
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(a.redeem_answer(code))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    equal(sorted(x.status for x in answers)[1:], [400, 400, 400], "all but one are refused")


@case
def the_token_endpoint_names_what_is_wrong():
    a = _assistant().connect()
    for form, status, error in (({}, 400, "invalid_request"), ({"grant_type": "password", "client_id": a.client_id}, 400, "unsupported_grant_type"),
                                ({"grant_type": "authorization_code", "client_id": a.client_id}, 400, "invalid_request"),
                                ({"grant_type": "refresh_token", "client_id": a.client_id}, 400, "invalid_request"),
                                ({"grant_type": "refresh_token", "client_id": "nobody", "refresh_token": "x"}, 401, "invalid_client"),
                                ({"grant_type": "refresh_token", "client_id": a.client_id, "refresh_token": "mrt_x"}, 400, "invalid_grant"),
                                ({"grant_type": "refresh_token", "client_id": a.client_id, "refresh_token": a.access}, 400, "invalid_grant")):
        answer = _post("/token", form)
        if not form:
            check(answer.status in (400, 401), f"{answer}")
            continue
        _oauth_error(answer, status, error)
        equal(answer.header("access-control-allow-origin"), "*", "CORS")
    _oauth_error(a.refresh_answer(resource="https://elsewhere.example/mcp"), 400, "invalid_target")
    check(a.lives() and a.refresh(), "a refused refresh costs nothing")
    basic = _post("/token", {"grant_type": "refresh_token", "client_id": a.client_id, "refresh_token": a.refresh_token},
                  ("Authorization", "Basic eDp5"))
    _oauth_error(basic, 401, "invalid_client")
    once(a.port, "POST", "/token", [JSON], json.dumps({"grant_type": "refresh_token"})).status_is(400, 415)
    check(a.refresh(), "the refresh token is still good")


# 10, 12: refresh and revocation

@case
def a_refresh_token_is_good_once_and_its_replay_ends_everything():
    a = _assistant().connect()
    first, old_access = a.refresh_token, a.access
    a.refresh()
    check(a.refresh_token != first and a.access != old_access, "nothing was rotated")
    check(a.lives(), "the new access token")
    _oauth_error(a.refresh_answer(first), 400, "invalid_grant")
    check(not a.lives(), "the access token outlived a replay")
    _oauth_error(a.refresh_answer(), 400, "invalid_grant")


@case
def a_refresh_token_of_long_ago_is_found_out_too():
    a = _assistant().connect()
    first = a.refresh_token
    for _ in range(3):
        a.refresh()
    _oauth_error(a.refresh_answer(first), 400, "invalid_grant")
    _oauth_error(a.refresh_answer(), 400, "invalid_grant")
    check(not a.lives(), "the access token outlived a replay")


@case
def a_replay_by_another_client_ends_the_connection_too():
    a, b = _assistant().connect(), _assistant(name="Another").connect()
    first = a.refresh_token
    a.refresh()
    _oauth_error(a.refresh_answer(first, client_id=b.client_id), 400, "invalid_grant")
    check(not a.lives(), "a replayed token, by whomever, ends its family")
    check(b.lives(), "the other client goes on")


@case
def refreshes_at_the_same_moment_get_one_successor():
    a = _assistant().connect()
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(a.refresh_answer())) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    equal([x.status for x in answers], [200, 200, 200], f"{answers}")
    equal(len({x.json["refresh_token"] for x in answers}), 1, "successors")
    a.keep(answers[0])
    check(a.lives(), "lives")
    a.refresh()


@case
def a_refresh_that_nobody_waits_for_any_more_spends_nothing():
    a = _assistant().connect()
    body = urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": a.refresh_token, "client_id": a.client_id})
    with Connection(a.port) as c:
        c.send(request("POST", "/token", [FORM], body, host=f"127.0.0.1:{a.port}"))
    # Once it would have been answered.
    time.sleep(0.5)
    a.refresh()
    check(a.lives(), "lives")


@case
def a_refresh_may_ask_for_less_and_never_for_more():
    a = _assistant().connect(scopes=["profile:read", "profile:propose"])
    a.refresh(scope="profile:read")
    equal(a.granted, ["profile:read"], "scope")
    m = a.mcp()
    proposal = {"op": "add", "category": "goal", "label": "a", "value": "b", "evidence": "c"}
    m.post(m.request("tools/call", {"name": "propose_memory", "arguments": proposal})).status_is(403)
    _oauth_error(a.refresh_answer(scope="profile:read context:search"), 400, "invalid_scope")


@case
def revocation_ends_the_connection_and_says_200_to_anything():
    for which in ("refresh_token", "access"):
        a = _assistant().connect()
        answer = a.revoke_answer(getattr(a, which)).status_is(200)
        equal(answer.body, b"", "body")
        check(not a.lives(), f"lives after its {which} was revoked")
        _oauth_error(a.refresh_answer(), 400, "invalid_grant")
    a, b = _assistant().connect(), _assistant(name="Another").connect()
    for token in ("junk", "mat_" + token_of_chance(), b.access):
        a.revoke_answer(token, token_type_hint="refresh_token").status_is(200)
    check(a.lives() and b.lives(), "a client revoked what is not its own")
    _oauth_error(_post("/revoke", {"client_id": a.client_id}), 400, "invalid_request")


# 13, 14, 15: what the owner takes away

@case
def after_a_revocation_no_request_is_served():
    a = connected(_home())
    askers = Askers(a)
    _home().owner("profile", "connection", "revoke", a.connection).done()
    after = askers.end()
    equal({x.status for x in after}, {401}, "answers to requests after the revocation")
    check({x.status for x in askers.before} <= {200, 401}, "answers before and during it")
    check(not any(label.encode() in x.body for x in after for label in _home().facts), "content after a revocation")
    again = a.connect()
    equal(visible(again.mcp())[0], [], "what the same client sees on a new connection")


@case
def what_the_owner_narrows_bites_on_the_same_token():
    a = connected(_home())
    m = a.mcp()
    equal(len(visible(m)[0]), 5, "facts at first")
    m.good("search_user_context", query="coffee")
    _reduce(a, ["profile:read", "profile:propose"], ["preference", "goal"])
    equal(sorted(labels(visible(m)[0])), ["Coffee", "Half marathon"], "facts of two categories")
    answer = m.post(m.request("tools/call", {"name": "search_user_context", "arguments": {"query": "coffee"}})).status_is(403)
    _, parts = challenge_header(answer)
    equal(parts["error"], "insufficient_scope", "error")
    a.refresh()
    equal(set(a.granted), {"profile:read", "profile:propose"}, "scope of a refreshed token")


def _reduce(a, scopes, categories):
    words = [w for s in scopes for w in ("--scope", s)] + [w for c in categories for w in ("--category", c)]
    return _home().owner("profile", "connection", "reduce", a.connection, *words).done()


@case
def the_owner_can_only_take_away():
    a = connected(_home(), scopes=["profile:read"], categories=["basic"])
    for words in (["--scope", "profile:read", "--scope", "context:search", "--category", "basic"],
                  ["--scope", "profile:read", "--category", "basic", "--category", "goal"]):
        _home().owner("profile", "connection", "reduce", a.connection, *words).refused("invalid_argument")
    equal(labels(visible(a.mcp())[0]), ["Name"], "what it sees")


@case
def more_needs_a_new_authorization_that_goes_on_with_the_connection():
    a = connected(_home(), scopes=["profile:read"], categories=["preference"])
    before, n = a.access, len(connections(_home()))
    a.connect()
    equal(len(connections(_home())), n, "connections")
    equal(set(a.granted), set(SCOPES), "scope")
    refused_as_unknown(_list(("Authorization", f"Bearer {before}")), a.origin)
    a.mcp().good("search_user_context", query="coffee")


@case
def search_is_never_given_by_itself():
    a = _assistant()
    browser = a.consent_page()
    boxes = browser.page.form.boxes
    equal(boxes[("scope", "context:search")], False, "the box of search")
    equal(boxes[("scope", "profile:read")], True, "the box of reading")
    equal({k[1] for k in boxes if k[0] == "category"}, set(CATEGORIES), "categories")
    back = a.returned(browser.submit(None, ("decision", "allow")))
    a.keep(a.redeem_answer(back["code"]))
    check("context:search" not in a.granted, f"granted {a.granted}")
    # Without reading it is dropped, or the owner is asked again; it is never given alone.
    b = _assistant()
    browser = b.consent_page()
    page = browser.submit(b.ticks(browser.page.form, ["context:search"], CATEGORIES), ("decision", "allow"))
    if hasattr(page, "left_for"):
        back = b.returned(page)
        if "code" in back:
            b.keep(b.redeem_answer(back["code"]))
            check("context:search" not in b.granted or "profile:read" in b.granted, f"granted {b.granted}")


@case
def a_consent_to_nothing_gives_nothing():
    a = _assistant()
    for scopes, categories in (([], CATEGORIES), (["profile:read"], [])):
        browser = a.consent_page()
        page = browser.submit(a.ticks(browser.page.form, scopes, categories), ("decision", "allow"))
        if hasattr(page, "left_for"):
            check("code" not in a.returned(page), "a code for nothing")
            continue
        # The page comes again, and is good for another try.
        check("decision" in page.answer.text, f"no page: {page}")
        a.keep(a.redeem_answer(a.allow(browser)["code"]))


@case
def who_has_as_many_connections_as_there_may_be_is_told():
    home = endpoint(facts=[])
    browser, page, n = Browser(home.origin), None, 0
    while page is None or hasattr(page, "left_for"):
        check(n <= 256, "more connections than there may be")
        a = Assistant(home.origin)
        page = a.consent_page(browser).submit(a.ticks(browser.page.form, ["profile:read"], CATEGORIES), ("decision", "allow"))
        n += 1
    equal(n, 257, "the first that is refused")
    page.answer.status_is(503)
    check("profile connection revoke" in page.words, f"what the owner is told: {page.words}")
    home.owner("profile", "connection", "revoke", connections(home)[0]["connection"]).done()
    check(a.connect(browser=browser).lives(), "another once one is gone")


@case
def a_scope_that_was_not_asked_for_is_not_offered():
    a = _assistant()
    browser = a.consent_page(scope="profile:read")
    equal({k[1] for k in browser.page.form.boxes if k[0] == "scope"} | {"profile:read"}, {"profile:read"}, "boxes of scopes")
    form = browser.fields(browser.page.form, None, ("decision", "allow")) + [("scope", "context:search"), ("scope", "profile:correct")]
    answer = browser.send("POST", urllib.parse.urlsplit(urllib.parse.urljoin(browser.page.url, browser.page.form.action)).path,
                          [FORM, ("Origin", a.origin)], urllib.parse.urlencode(form))
    if answer.status == 303:
        back = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.header("location")).query))
        if "code" in back:
            a.keep(a.redeem_answer(back["code"]))
            equal(a.granted, ["profile:read"], "scope")


@case
def without_a_scope_the_default_is_asked_for():
    a = _assistant()
    for scope in (None, "", "offline_access claudeai"):
        browser = a.consent_page(scope=scope)
        check({k[1] for k in browser.page.form.boxes if k[0] == "scope"} <= {"profile:read"}, f"{browser.page.form.boxes}")
        back = a.returned(browser.submit(None, ("decision", "allow")))
        a.keep(a.redeem_answer(back["code"]))
        equal(a.granted, ["profile:read"], f"scope of {scope!r}")


# 16, 17: the pages

def _consent_post(browser, fields=None, headers=None, method="POST"):
    page = browser.page
    fields = browser.fields(page.form, None, ("decision", "allow")) if fields is None else fields
    target = urllib.parse.urlsplit(urllib.parse.urljoin(page.url, page.form.action))
    headers = [("Origin", browser.origin), ("Sec-Fetch-Site", "same-origin")] if headers is None else headers
    body = urllib.parse.urlencode(fields)
    if method == "GET":
        return browser.send("GET", f"{target.path}?{body}", headers)
    return browser.send("POST", target.path, [FORM, *headers], body)


def _gave_nothing(answer, what):
    where = answer.header("location") or ""
    check("code=" not in where, f"{what} gave a code")
    check(not where.startswith("http://127.0.0.1:7/"), f"{what} led to the client: {answer}")


@case
def a_consent_counts_only_from_the_page_that_was_shown():
    a = _assistant()
    browser = a.consent_page()
    fields = browser.fields(browser.page.form, None, ("decision", "allow"))
    other = a.consent_page()
    theirs = dict(other.page.form.fields)
    attempts = {
        "no CSRF token": ([f for f in fields if f[0] != "csrf"], None),
        "an empty CSRF token": ([(n, "" if n == "csrf" else v) for n, v in fields], None),
        "another session's CSRF token": ([(n, theirs["csrf"] if n == "csrf" else v) for n, v in fields], None),
        "another session's transaction": ([(n, theirs["tx"] if n == "tx" else v) for n, v in fields], None),
        "no transaction": ([f for f in fields if f[0] != "tx"], None),
        "no decision": ([f for f in fields if f[0] != "decision"], None),
        "two decisions": (fields + [("decision", "deny")], None),
        "a foreign Origin": (fields, [("Origin", "https://evil.example")]),
        "Origin null": (fields, [("Origin", "null")]),
        "no Origin, cross-site": (fields, [("Sec-Fetch-Site", "cross-site")]),
        "no Origin at all": (fields, []),
    }
    for what, (sent, headers) in attempts.items():
        answer = _consent_post(browser, sent, headers)
        _gave_nothing(answer, what)
        check(answer.status in (400, 403), f"{what}: {answer}")
    _gave_nothing(_consent_post(browser, method="GET"), "GET")
    cookies, browser.cookies = browser.cookies, {}
    _gave_nothing(_consent_post(browser), "no cookie")
    browser.cookies = cookies
    # None of that has used the transaction up, unless a page was asked for anew.
    browser = a.consent_page()
    good = _consent_post(browser)
    equal(good.status, 303, "a good consent")
    check("code=" in good.header("location"), "a good consent gives a code")
    _gave_nothing(_consent_post(browser), "the same consent again")


@case
def a_login_counts_only_from_the_page_that_was_shown():
    a = _assistant()
    for what, change, headers in (("no CSRF token", {"csrf": ""}, None), ("a foreign Origin", {}, [("Origin", "https://evil.example")]),
                                  ("Origin null", {}, [("Origin", "null")])):
        browser = Browser(a.origin)
        browser.open(a.authorize_url())
        page = browser.submit({"password": PAGES_PASSWORD, **change}, headers=headers)
        check(page.answer.status in (400, 403), f"{what}: {page}")
        check("decision" not in page.answer.text, f"{what} logged in")


@case
def a_login_makes_a_new_session():
    a = _assistant()
    browser = Browser(a.origin)
    browser.open(a.authorize_url())
    before = dict(browser.cookies)
    browser.submit({"password": PAGES_PASSWORD})
    check(browser.cookies and all(before.get(k) != v for k, v in browser.cookies.items()), "the cookie of before the login goes on")
    for name in browser.cookies:
        check(name.startswith("__Host-"), f"cookie {name}")


@case
def pages_cannot_be_framed_cached_or_scripted():
    a = _assistant()
    browser = Browser(a.origin)
    login = browser.open(a.authorize_url())
    raw = login.answer.all("set-cookie")
    consent = browser.submit({"password": PAGES_PASSWORD})
    error = Browser(a.origin).open(a.authorize_url(client_id="nobody"))
    for name, page in (("login", login), ("consent", consent), ("error", error)):
        h = page.answer.header
        csp = {d.split()[0]: d.split()[1:] for d in h("content-security-policy").split(";") if d.strip()}
        equal((csp["default-src"], csp["frame-ancestors"], csp["base-uri"]), (["'none'"],) * 3, f"policy of the {name} page")
        check("script-src" not in csp or csp["script-src"] == ["'none'"], f"scripts on the {name} page")
        for values in csp.values():
            check(not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "http:", "data:"} & set(values), f"policy of the {name} page: {csp}")
        if name != "error":
            equal("form-action" in csp, name == "login", f"form-action of the {name} page")
        equal((h("x-frame-options"), h("x-content-type-options"), h("referrer-policy"), h("cache-control")),
              ("DENY", "nosniff", "same-origin", "no-store"), f"headers of the {name} page")
        check(h("cross-origin-opener-policy") is None, f"an opener policy on the {name} page")
        check(h("access-control-allow-origin") is None, f"CORS on the {name} page")
        check(not any(t in ("script", "style", "iframe") or any(k.startswith("on") or k == "style" for k in at) for t, at in page.reader.tags),
              f"something inline on the {name} page")
    for line in raw + consent.answer.all("set-cookie"):
        parts = {p.strip().lower() for p in line.split(";")[1:]}
        check({"secure", "httponly", "samesite=lax", "path=/"} <= parts and not any(p.startswith("domain") for p in parts), f"cookie: {line}")


@case
def the_consent_page_says_who_asks_and_for_what_in_both_languages():
    a = _assistant(name="<i>Eve</i> \"&amp;'")
    seen = {}
    for language in ("en", "zh-CN,zh;q=0.9", "fr"):
        browser = a.consent_page(Browser(a.origin, language))
        page = browser.page
        check("127.0.0.1" in page.words, f"no redirect host: {page.words}")
        check(a.name in page.words, f"not the name as it is: {page.words}")
        check(not any(t == "i" for t, _ in page.reader.tags), "the name is markup")
        equal({b[1] for b in page.form.buttons}, {"allow", "deny"}, "buttons")
        seen[language] = page
    equal((seen["en"].lang or "")[:2], "en", "language")
    equal((seen["zh-CN,zh;q=0.9"].lang or "")[:2], "zh", "language")
    check(re.search(r"[\u4e00-\u9fff]{4}", seen["zh-CN,zh;q=0.9"].words), "no Chinese")
    check(not re.search(r"[\u4e00-\u9fff]", seen["en"].words), "Chinese on an English page")


@case
def a_hidden_character_in_a_name_does_not_reach_the_page():
    a = _assistant(name="Good\u202eevil\u0007\u200b")
    text = a.consent_page().page.answer.text
    check(not re.search("[\u202e\u0007\u200b]", text), "a control or direction character is on the page")


# 19: iss

@case
def iss_comes_with_a_denial_too():
    a = _assistant()
    browser = a.consent_page(state="s")
    back = a.returned(browser.submit(None, ("decision", "deny")))
    equal((back.get("error"), back.get("state"), back.get("iss"), "code" in back), ("access_denied", "s", a.origin, False), "a denial")


# 20: registration

@case
def a_registration_answers_with_what_was_taken_and_nothing_empty():
    a = _assistant()
    r = a.register(client_uri=None, logo_uri="", scope="x", software_id="s", token_endpoint_auth_method="client_secret_basic",
                   grant_types=["authorization_code"], response_types=None)
    for name, value in r.items():
        check(value is not None and value != "" and value != [], f"{name} is {value!r}")
    equal((r["token_endpoint_auth_method"], r["grant_types"], r["response_types"], r["redirect_uris"]),
          ("none", ["authorization_code", "refresh_token"], ["code"], [a.redirect]), f"{r}")
    check("client_secret" not in r and "client_secret_expires_at" not in r and "registration_access_token" not in r, f"a secret: {r}")
    check(not r["client_id"].startswith("https://") and len(r["client_id"]) <= 1536, f"client_id {r['client_id']}")


@case
def redirect_uris_are_taken_one_by_one():
    a = Assistant(endpoint(facts=[]).origin)
    mixed = ["cursor://anysphere.cursor-mcp/oauth/callback", "https://www.cursor.com/cb", "http://localhost:8787/callback", "javascript:alert(1)",
             "http://app.example/cb"]
    r = a.register(redirect_uris=mixed)
    equal(sorted(r["redirect_uris"]), sorted(mixed[:3]), "what is kept")
    for bad in ([], ["javascript:alert(1)"], ["data:text/html,x"], ["http://app.example/cb"], ["https://app.example/cb#f"], ["https://u@app.example/"],
                ["https://*.app.example/cb"], ["file:///etc/passwd"], ["ftp://x.example/"], ["https://"], ["not a uri"], [7], "https://app.example/cb"):
        answer = a.register_answer(redirect_uris=bad).status_is(400)
        check(answer.json["error"] in ("invalid_redirect_uri", "invalid_client_metadata"), f"{bad}: {answer}")


@case
def what_is_no_registration_is_refused():
    a = Assistant(endpoint(facts=[]).origin)
    for body in (b"", b"{", b"[]", b"null", b"\xff", b'{"redirect_uris":["https://a.example/"]', b'{"redirect_uris":null}'):
        check(once(a.port, "POST", "/register", [JSON], body).status_is(400).json["error"] in ("invalid_client_metadata", "invalid_redirect_uri"), "error")
    once(a.port, "POST", "/register", [("Content-Type", "text/plain")], b"{}").status_is(400, 415)
    once(a.port, "POST", "/register", [JSON], b'{"client_name":"' + b"x" * 20000 + b'"}').status_is(400, 413)


def _bytes_of(path):
    return sum(os.stat(os.path.join(d, f)).st_blocks for d, _, files in os.walk(path) for f in files)


@case
def registrations_store_nothing():
    home = endpoint(facts=[])
    a = Assistant(home.origin)
    before, statuses = _bytes_of(home.path), []
    with Connection(home.port) as c:
        for i in range(300):
            body = json.dumps({"client_name": f"flood {i}", "redirect_uris": [f"https://x{i}.example/cb"]})
            statuses.append(c.ask("POST", "/register", [JSON], body).status)
    check(set(statuses) <= {201, 429} and 201 in statuses, f"statuses {set(statuses)}")
    equal(_bytes_of(home.path), before, "blocks of the home after a flood")
    # Who has a client id is not kept out by the flood.
    check(a.connect().lives(), "an assistant that was registered before")


# 21: where tokens are

@case
def no_token_is_in_a_file_a_log_or_a_page():
    home = _home()
    a = connected(home)
    a.refresh()
    a.lives()
    home.verify().done()
    needles = [t.encode() for t in a.tokens] + [t[4:].encode() for t in a.tokens]
    for folder, _, files in os.walk(home.dir):
        for name in filter(lambda n: os.path.isfile(os.path.join(folder, n)), files):
            with open(os.path.join(folder, name), "rb") as f:
                data = f.read()
            check(not any(n in data for n in needles), f"a token in {name}")
    shown = home.owner("profile", "connection", "show", a.connection).done().out
    check(not any(n in shown for n in needles), "a token in what the owner is shown")


# 23: OPTIONS

@case
def preflights_are_answered_before_anything_else():
    home = _home()
    for target in ("/mcp", "/token", "/register", "/revoke", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"):
        answer = once(home.port, "OPTIONS", target, [("Origin", f"http://localhost:{home.port}"), ("Access-Control-Request-Method", "POST"),
                                                    ("Access-Control-Request-Headers", "authorization,content-type,mcp-protocol-version")])
        answer.status_is(204, 200)
        check(answer.header("access-control-allow-origin") in ("*", f"http://localhost:{home.port}"), f"{target}: {answer}")
        allowed = {h.strip().lower() for h in (answer.header("access-control-allow-headers") or "").split(",")}
        check("*" in allowed or {"content-type", "mcp-protocol-version"} <= allowed, f"{target}: {answer}")
        check(answer.header("access-control-allow-credentials") is None, f"{target} allows credentials")
    for target in ("/authorize", "/login", "/consent"):
        answer = once(home.port, "OPTIONS", target, [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")])
        check(answer.header("access-control-allow-origin") is None, f"{target}: {answer}")


# 24: the password of the pages

def _try_password(browser, a, password):
    browser.open(a.authorize_url())
    return browser.submit({"password": password})


@case
def wrong_passwords_are_slowed_and_never_lock_the_owner_out_for_good():
    home = endpoint(facts=[])
    a = Assistant(home.origin)
    seen = []
    for _ in range(12):
        page = _try_password(Browser(a.origin), a, "wrong password")
        seen.append(page.answer.status)
        check("decision" not in page.answer.text, "a wrong password logs in")
        if page.answer.status == 429:
            check(int(page.answer.header("retry-after")) >= 1, "Retry-After")
            break
    equal(seen[-1], 429, f"statuses of wrong passwords: {seen}")
    check(len(seen) > 3, f"slowed after {len(seen)} tries")

    def in_again():
        page = _try_password(Browser(a.origin), a, PAGES_PASSWORD)
        return any(n == "decision" for n, _ in page.form.buttons) if page.reader.forms else False
    within(60, in_again, "the right password is taken again")


@case
def what_is_no_password_is_refused_like_a_wrong_one():
    a = _assistant()
    pages = [_try_password(Browser(a.origin), a, word) for word in ("wrong password", "x" * 1500, "")]
    equal(len({p.answer.status for p in pages}), 1, f"{[p.answer.status for p in pages]}")


@case
def logins_stall_no_other_request():
    home = endpoint()
    home.terminal.sudo().done()
    # One that is stretched as much as any owner's.
    set_password(home, env={"MEMORIES_TEST_KDF": None}).done()
    a = connected(home)
    m = a.mcp()
    stop, n = threading.Event(), [0]

    def log_in():
        while not stop.is_set():
            _try_password(Browser(a.origin), a, PAGES_PASSWORD)
            n[0] += 1
    threads = [threading.Thread(target=log_in) for _ in range(2)]
    for t in threads:
        t.start()
    times = []
    while len(times) < 200 or n[0] < 2:
        began = time.monotonic()
        m.good("get_user_context")
        times.append(time.monotonic() - began)
    stop.set()
    for t in threads:
        t.join()
    check(n[0] > 0, "nobody logged in meanwhile")
    # A login takes some tenths of a second, and there was always one.
    check(sorted(times)[100] < 0.1, f"the median of a call during logins is {sorted(times)[100]:.2f} s")


@case
def a_new_password_ends_the_sessions_of_the_old_one():
    home = endpoint(facts=[])
    a = Assistant(home.origin).connect()
    browser = a.consent_page()
    home.terminal.sudo().done()
    set_password(home, "another password 7").done()
    page = browser.open(a.authorize_url())
    check(any(n == "password" for n, _ in page.form.fields), f"still logged in: {page}")
    check("decision" not in browser.submit({"password": PAGES_PASSWORD}).answer.text, "the old password logs in")
    browser.open(a.authorize_url())
    check("decision" in browser.submit({"password": "another password 7"}).answer.text, "the new password does not log in")
    check(a.lives(), "a connection outlives a new password")


# 25: restarts

@case
def tokens_outlive_a_restart_and_spent_ones_are_still_found_out():
    home = endpoint(facts=[])
    a, b = connected(home), connected(home)
    first = b.refresh_token
    b.refresh()
    waiting = Assistant(home.origin)
    code = waiting.allow(waiting.consent_page())["code"]
    home.restart()
    home.terminal.unlock_soon()
    serving(home)
    check(a.lives() and b.lives(), "access tokens are gone")
    a.refresh()
    _oauth_error(b.refresh_answer(first), 400, "invalid_grant")
    check(not b.lives(), "a spent token was forgotten")
    # A client id and a code are still good.
    waiting.keep(waiting.redeem_answer(code))
    check(waiting.lives(), "a code from before the restart")


# Tokens of others

@case
def grants_of_the_library_mean_nothing_over_http():
    home = _home()
    vault = home.vault(f"v{time.monotonic_ns()}")
    tokens = []
    home.terminal.enable(more=[]).code
    _, path = home.mint_ordinary(vault)
    with open(path, encoding="utf-8") as f:
        tokens += re.findall(r"[A-Za-z0-9_\-]{20,}", f.read())
    check(tokens, "no token in a grant file")
    for token in tokens:
        refused_as_unknown(_list(("Authorization", f"Bearer {token}")), home.origin)


if __name__ == "__main__":
    main()
