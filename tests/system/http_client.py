"""An assistant's side of the remote profile: OAuth in a browser of the tests' own, MCP in five revisions; and a home that serves."""
import base64
import contextlib
import hashlib
import json
import os
import secrets
import threading
import urllib.parse

from harness import PATIENCE_S, Home, check, equal, within
from http_browser import Browser
from http_raw import Connection, free_port, listens, once, request

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}

PAGES_PASSWORD = "页面 password 5"
SCOPES = ["profile:read", "profile:propose", "profile:correct", "context:search"]
CATEGORIES = ["basic", "preference", "habit", "goal", "work_study"]
REDIRECT = "http://127.0.0.1:7/callback"
FORM = ("Content-Type", "application/x-www-form-urlencoded")
JSON = ("Content-Type", "application/json")


def token_of_chance(n=32):
    return base64.urlsafe_b64encode(secrets.token_bytes(n)).rstrip(b"=").decode()


def challenge_of(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def challenge_header(answer):
    """(scheme, {name: value}) of the one WWW-Authenticate."""
    value = answer.header("www-authenticate")
    check(value is not None, f"no WWW-Authenticate: {answer}")
    scheme, _, rest = value.partition(" ")
    out = {}
    while rest:
        name, _, rest = rest.partition('="')
        text, _, rest = rest.partition('"')
        out[name.strip(", ")] = text
    return scheme, out


class Assistant:
    """A public client: registered, with a redirect URI, and the tokens that it got."""

    pool = {}  # {origin: [(client_id, name, redirect URI)]}

    def __init__(self, origin, name=None, redirect=None, port=None):
        """
        port: where it is, of an origin that is somebody else's.
        With neither a name nor a redirect URI it may share its client id with
        other assistants, and has a redirect URI that none of them has: so it is a
        connection of its own, and registrations, which are limited, are few.
        """
        self.origin, self.port = origin, port or urllib.parse.urlsplit(origin).port
        self.resource = origin + "/mcp"
        self.verifier = self.code = self.access = self.refresh_token = self.granted = None
        self.tokens = []  # every token string that was ever seen
        if name is None and redirect is None:
            self.client_id, self.name, self.redirect = self._from_pool()
        else:
            self.name, self.redirect = name or "Assistant", redirect or REDIRECT
            self.client_id = self.register()["client_id"]

    def _from_pool(self):
        mine = self.pool.setdefault(self.origin, [])
        if not mine:
            self.name, self.redirect = f"Assistants {token_of_chance(6)}", REDIRECT
            uris = [f"{REDIRECT}/{i}" for i in range(10)]
            client = self.register(redirect_uris=uris)["client_id"]
            mine += [(client, self.name, uri) for uri in uris]
        return mine.pop()

    def post(self, target, body, headers=(FORM,)):
        return once(self.port, "POST", target, headers, body, host=urllib.parse.urlsplit(self.origin).netloc)

    def register_answer(self, **more):
        """A member of None is left out."""
        body = {"client_name": self.name, "redirect_uris": [self.redirect], "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"], "token_endpoint_auth_method": "none", **more}
        return self.post("/register", json.dumps({k: v for k, v in body.items() if v is not None}), (JSON,))

    def register(self, **more):
        def registered():
            # Registrations are limited, for all clients together.
            answer = self.register_answer(**more)
            return answer.status != 429 and answer
        return within(PATIENCE_S, registered, "a registration").status_is(201).json

    def query(self, **changes):
        """The parameters of an authorization request; a change of None leaves one out."""
        self.verifier = token_of_chance()
        out = {"response_type": "code", "client_id": self.client_id, "redirect_uri": self.redirect,
               "code_challenge": challenge_of(self.verifier), "code_challenge_method": "S256", "state": token_of_chance(12),
               "scope": " ".join(SCOPES), "resource": self.resource, **changes}
        return {k: v for k, v in out.items() if v is not None}

    def authorize_url(self, **changes):
        return f"{self.origin}/authorize?{urllib.parse.urlencode(self.query(**changes))}"

    def consent_page(self, browser=None, **changes):
        """A browser that stands on the consent page, logged in."""
        browser = browser or Browser(self.origin, port=self.port)
        browser.open(self.authorize_url(**changes))
        if any(n == "password" for n, _ in browser.page.form.fields):
            browser.submit({"password": PAGES_PASSWORD})
        check(any(n == "decision" for n, _ in browser.page.form.buttons), f"no consent page: {browser.page}")
        return browser

    def ticks(self, form, scopes, categories):
        """Changes that tick exactly these boxes."""
        wanted = {("scope", s) for s in scopes} | {("category", c) for c in categories}
        check(wanted <= set(form.boxes), f"no box for {wanted - set(form.boxes)}")
        return {box: box in wanted for box in form.boxes}

    def allow(self, browser, scopes=SCOPES, categories=CATEGORIES):
        """Ticks, allows, and gives the parameters that came back to the redirect URI."""
        form = browser.page.form
        page = browser.submit(self.ticks(form, scopes, categories), ("decision", "allow"))
        return self.returned(page)

    def returned(self, page):
        check(hasattr(page, "left_for"), f"no way back to the client: {page}")
        equal(page.answer.status, 303, "status of the way back")
        base, _, query = page.left_for.partition("?")
        equal(base, self.redirect.partition("?")[0], "where the browser is sent")
        return dict(urllib.parse.parse_qsl(query, strict_parsing=True))

    def redeem_answer(self, code, **changes):
        body = {"grant_type": "authorization_code", "code": code, "client_id": self.client_id, "redirect_uri": self.redirect,
                "code_verifier": self.verifier, "resource": self.resource, **changes}
        return self.post("/token", urllib.parse.urlencode({k: v for k, v in body.items() if v is not None}))

    def refresh_answer(self, token=None, **changes):
        body = {"grant_type": "refresh_token", "refresh_token": token or self.refresh_token, "client_id": self.client_id, **changes}
        return self.post("/token", urllib.parse.urlencode({k: v for k, v in body.items() if v is not None}))

    def revoke_answer(self, token, **changes):
        body = {"token": token, "client_id": self.client_id, **changes}
        return self.post("/revoke", urllib.parse.urlencode({k: v for k, v in body.items() if v is not None}))

    def keep(self, answer):
        """Takes the tokens of an answer that must hold some."""
        t = answer.status_is(200).json
        equal(set(t), {"access_token", "token_type", "expires_in", "refresh_token", "scope"}, "members of the token answer")
        # What is left of it when the answer is written.
        check(t["token_type"] == "Bearer" and 540 < t["expires_in"] <= 600, f"token_type and expires_in: {t['token_type']}, {t['expires_in']}")
        self.access, self.refresh_token, self.granted = t["access_token"], t["refresh_token"], t["scope"].split()
        self.tokens += [self.access, self.refresh_token]
        return t

    def lives(self):
        """Whether the access token is good for a call."""
        return self.mcp().post(self.mcp().request("tools/call", {"name": "get_user_context", "arguments": {}})).status == 200

    def refresh(self, **changes):
        return self.keep(self.refresh_answer(**changes))

    def connect(self, scopes=SCOPES, categories=CATEGORIES, browser=None, **changes):
        """The whole way to an access token."""
        url_state = changes.setdefault("state", token_of_chance(12))
        back = self.allow(self.consent_page(browser, **changes), scopes, categories)
        equal(back.get("state"), url_state, "state")
        equal(back.get("iss"), self.origin, "iss")
        self.code = back["code"]
        self.tokens.append(self.code)
        self.keep(self.redeem_answer(self.code))
        return self

    def mcp(self, revision=MODERN, **more):
        return Mcp(self.origin, self.access, revision, port=self.port, **more)


class Mcp:
    """One assistant's MCP over HTTP, in one revision."""

    def __init__(self, origin, token, revision=MODERN, hello=False, port=None):
        self.origin, self.token, self.revision = origin, token, revision
        self.port = port or urllib.parse.urlsplit(origin).port
        self.last = 0
        if hello and revision in LEGACY:
            self.hello = self.ask("initialize", {"protocolVersion": revision, "capabilities": {},
                                                 "clientInfo": {"name": "tests", "version": "1"}})["result"]
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status_is(202)

    def headers(self, message=None):
        out = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.token is not None:
            out["Authorization"] = f"Bearer {self.token}"
        if self.revision != "2025-03-26":
            out["MCP-Protocol-Version"] = self.revision
        if self.revision == MODERN and isinstance(message, dict) and "method" in message:
            out["Mcp-Method"] = message["method"]
            name = message.get("params", {}).get({"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
                                                 .get(message["method"]))
            if isinstance(name, str):
                out["Mcp-Name"] = name
        return out

    def request(self, method, params=None, id=None):
        self.last += 1
        params = dict(params or {})
        if self.revision == MODERN:
            params["_meta"] = META
        return {"jsonrpc": "2.0", "id": self.last if id is None else id, "method": method, "params": params}

    def post(self, message, headers=None, target="/mcp", **changes):
        """changes: headers by name with underscores; None leaves one out."""
        h = self.headers(message) if headers is None else dict(headers)
        for name, value in changes.items():
            name = name.replace("_", "-")
            h = {k: v for k, v in h.items() if k.lower() != name.lower()}
            if value is not None:
                h[name] = value
        body = message if isinstance(message, (bytes, str)) else json.dumps(message)
        return once(self.port, "POST", target, h, body, host=urllib.parse.urlsplit(self.origin).netloc)

    def ask(self, method, params=None):
        """The JSON-RPC answer of a request that HTTP lets through."""
        message = self.request(method, params)
        answer = self.post(message).status_is(200)
        value = answer.json
        equal((value.get("jsonrpc"), value.get("id")), ("2.0", message["id"]), f"head of {value!r:.200}")
        return value

    def call(self, tool, **arguments):
        value = self.ask("tools/call", {"name": tool, "arguments": arguments})
        check("result" in value, f"no result: {value!r:.300}")
        return value["result"]

    def good(self, tool, **arguments):
        return good(self.call(tool, **arguments))

    def bad(self, code, tool, **arguments):
        return bad(self.call(tool, **arguments), code)

    def read(self, uri):
        """The JSON of a resource."""
        value = self.ask("resources/read", {"uri": uri})
        check("result" in value, f"no result: {value!r:.300}")
        (content,) = value["result"]["contents"]
        equal((content["uri"], content["mimeType"]), (uri, "application/json"), "head of the resource")
        return json.loads(content["text"])


def text_of(result):
    equal([c["type"] for c in result["content"]], ["text"], "content")
    return result["content"][0]["text"]


def good(result):
    check(not result.get("isError"), f"{result!r:.300}")
    value = json.loads(text_of(result))
    if "structuredContent" in result:
        equal(result["structuredContent"], value, "structuredContent")
    return value


def bad(result, code):
    check(result.get("isError") is True, f"no error: {result!r:.300}")
    value = json.loads(text_of(result))
    equal(set(value), {"error"}, "members of an error")
    equal(value["error"]["code"], code, "code")
    check("structuredContent" not in result, "an error has structuredContent")
    return value["error"]


# A home that serves

# Facts that may be shared, in both languages.
FACTS = [("basic", "Name", "Lin Xiaoming, called 小明"),
         ("preference", "Coffee", "flat white with oat milk"),
         ("habit", "晨跑", "每天早上六点跑步五公里"),
         ("goal", "Half marathon", "finish one in Ottawa next spring"),
         ("work_study", "数据库", "在学习 LMDB 与机器学习")]


def configure(home, port, **more):
    path = home.file("config.json")
    config = {}
    with contextlib.suppress(OSError), open(path, encoding="utf-8") as f:
        config = json.load(f)
    config["http"] = {"listen": f"127.0.0.1:{port}", **more}
    with open(path, "w", encoding="utf-8") as f:
        json.dump(config, f)
    os.chmod(path, 0o600)


def set_password(home, password=PAGES_PASSWORD, **more):
    return home.owner("profile", "passwd", answers=[("password: ", password), ("password: ", password)], **more)


def endpoint(*options, facts=FACTS, enable=True, **config):
    """An unlocked library whose profile serves on a port of its own: home.port, home.origin, home.facts {label: id}."""
    home = Home()
    home.init().done()
    home.port = free_port()
    home.origin = f"http://127.0.0.1:{home.port}"
    # Another home may have had that port.
    Assistant.pool.pop(config.get("origin", home.origin), None)
    configure(home, home.port, **config)
    home.start(*options)
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    if enable:
        turn_on(home)
    home.facts = {label: add_fact(home, category, label, value) for category, label, value in facts}
    return home


def turn_on(home):
    home.owner("profile", "enable", answers=[("password: ", PAGES_PASSWORD), ("password: ", PAGES_PASSWORD)]).done()
    serving(home)


def healthz(home):
    return once(home.port, "GET", "/healthz")


def serving(home):
    within(PATIENCE_S, lambda: listens(home.port) and healthz(home).status == 200, "the endpoint serves")


def add_fact(home, category, label, value, *options):
    return home.owner("profile", "fact", "add", "-", "--category", category, "--label", label, *options,
                      input=value.encode()).given()["fact"]


def edit_fact(home, fact, value, *options):
    return home.owner("profile", "fact", "edit", fact, "-", *options, input=value.encode()).given()


def connections(home):
    """Every connection, page by page."""
    out, offset = [], 0
    while offset is not None:
        page = home.owner("profile", "connection", "list", "--offset", offset).given()
        out, offset = out + page["connections"], page["next"]
    return out


def share(home, connection, *facts):
    for fact in facts:
        home.owner("profile", "share", fact, "--connection", connection).done()


def connected(home, scopes=SCOPES, categories=CATEGORIES, shared=None, **more):
    """An assistant with a connection, and what it may see; its id is .connection."""
    before = {c["connection"] for c in connections(home)}
    a = Assistant(home.origin, **more).connect(scopes, categories)
    new = [c["connection"] for c in connections(home) if c["connection"] not in before]
    equal(len(new), 1, "new connections")
    a.connection = new[0]
    category_of = {label: category for category, label, _ in FACTS}
    share(home, a.connection, *([fact for label, fact in home.facts.items() if category_of.get(label, categories[0]) in categories]
                                if shared is None else shared))
    return a


def labels(facts):
    return [f["label"] for f in facts]


def visible(mcp):
    """All facts that a connection sees, page by page, and how many pages it took."""
    page = mcp.good("get_user_context")
    facts, n, version = page["facts"], 1, page["version"]
    while page["has_more"]:
        page = mcp.good("read_user_context_page", offset=page["next_offset"], version=version)
        equal(page["version"], version, "version of a page")
        facts, n = facts + page["facts"], n + 1
    check(page["next_offset"] is None and page["next_uri"] is None, f"an end with a next: {page!r:.200}")
    return facts, n


class Askers:
    """Threads that ask for the overview without a pause, each on one connection; what they get after marked() was told."""

    def __init__(self, assistant, n=4):
        self.mcp, self.stop, self.mark = assistant.mcp(), threading.Event(), threading.Event()
        self.before, self.after = [], []
        self.threads = [threading.Thread(target=self._ask) for _ in range(n)]
        for t in self.threads:
            t.start()
        within(PATIENCE_S, lambda: any(a.status == 200 for a in self.before), "calls go well")

    def _ask(self):
        with Connection(self.mcp.port) as c:
            while not self.stop.is_set():
                late = self.mark.is_set()
                message = self.mcp.request("tools/call", {"name": "get_user_context", "arguments": {}})
                c.send(request("POST", "/mcp", self.mcp.headers(message), json.dumps(message), host=f"127.0.0.1:{self.mcp.port}"))
                answer = c.answer()
                if answer is None:
                    return
                (self.after if late else self.before).append(answer)

    def end(self):
        """From now on what is asked counts as after; gives these answers, once there are some."""
        self.mark.set()
        within(PATIENCE_S, lambda: len(self.after) >= 8 or not any(t.is_alive() for t in self.threads), "calls afterwards")
        self.stop.set()
        for t in self.threads:
            t.join()
        return self.after


def refused_as_unknown(answer, origin):
    """A 401 that says no more than of a token that nobody ever made."""
    answer.status_is(401)
    scheme, parts = challenge_header(answer)
    equal(scheme, "Bearer", "scheme")
    equal(parts.get("error"), "invalid_token", "error of the challenge")
    equal(parts.get("resource_metadata"), f"{origin}/.well-known/oauth-protected-resource/mcp", "resource_metadata")
    return parts
