"""A browser without scripts: cookies, forms, and the origin headers that one sends; for h_*.py."""
import html.parser
import re
import urllib.parse

from harness import check
from http_raw import once


class Form:
    def __init__(self, attributes):
        self.method = attributes.get("method", "get").lower()
        self.action = attributes.get("action", "")
        self.fields = []   # (name, value) that are sent as the page stands
        self.boxes = {}    # (name, value): whether it is ticked
        self.buttons = []  # (name, value, text)

    def value(self, name):
        values = [v for n, v in self.fields if n == name]
        check(len(values) == 1, f"{name} is {len(values)} times in the form: {self.fields}")
        return values[0]


class _Forms(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.forms, self.tags, self.words, self.lang, self.button = [], [], [], None, None

    def handle_starttag(self, tag, attrs):
        a = {k: v if v is not None else "" for k, v in attrs}
        self.tags.append((tag, a))
        if tag == "html":
            self.lang = a.get("lang")
        if tag == "form":
            self.forms.append(Form(a))
        form = self.forms[-1] if self.forms else None
        if form is None:
            return
        kind = a.get("type", "submit" if tag == "button" else "text").lower()
        if tag == "input" and kind in ("checkbox", "radio"):
            form.boxes[(a.get("name"), a.get("value", "on"))] = "checked" in a
        elif tag == "button" or tag == "input" and kind == "submit":
            form.buttons.append((a.get("name"), a.get("value", "")))
        elif tag in ("input", "textarea", "select"):
            form.fields.append((a.get("name"), a.get("value", "")))

    def handle_data(self, data):
        self.words.append(data)


class Page:
    """An answer as a browser shows it."""

    def __init__(self, url, answer):
        self.url, self.answer = url, answer
        self.reader = _Forms()
        if (answer.header("content-type") or "").startswith("text/html"):
            self.reader.feed(answer.text)

    def __repr__(self):
        return f"{self.url.split('?')[0]} {self.answer}"

    @property
    def words(self):
        """The visible text, with single blanks."""
        return re.sub(r"\s+", " ", " ".join(self.reader.words)).strip()

    @property
    def lang(self):
        return self.reader.lang

    @property
    def form(self):
        check(len(self.reader.forms) == 1, f"{len(self.reader.forms)} forms on {self}")
        return self.reader.forms[0]


def origin_of(url):
    u = urllib.parse.urlsplit(url)
    return f"{u.scheme}://{u.netloc}"


class Browser:
    """Follows redirects within one origin, and stops at the door of any other."""

    def __init__(self, origin, language="en", port=None):
        self.origin, self.language = origin, language
        self.port = port or urllib.parse.urlsplit(origin).port
        self.cookies = {}
        self.page = None

    def send(self, method, target, headers=(), body=None):
        """One request with the cookies; no redirect is followed."""
        more = [("Cookie", "; ".join(f"{k}={v}" for k, v in self.cookies.items()))] if self.cookies else []
        answer = once(self.port, method, target, [("Accept-Language", self.language), *more, *headers], body,
                      host=urllib.parse.urlsplit(self.origin).netloc)
        for line in answer.all("set-cookie"):
            pair, *attributes = [p.strip() for p in line.split(";")]
            name, _, value = pair.partition("=")
            if any(a.lower() == "max-age=0" for a in attributes) or value == "":
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return answer

    def _go(self, method, url, headers, body):
        for _ in range(8):
            u = urllib.parse.urlsplit(url)
            answer = self.send(method, urllib.parse.urlunsplit(("", "", u.path or "/", u.query, "")), headers, body)
            self.page = Page(url, answer)
            where = answer.header("location")
            if answer.status not in (302, 303, 307) or where is None:
                return self.page
            url = urllib.parse.urljoin(url, where)
            if origin_of(url) != self.origin:
                self.page.left_for = url
                return self.page
            method, body, headers = "GET", None, [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate")]
        raise AssertionError(f"redirects without an end at {url}")

    def open(self, url):
        return self._go("GET", url, [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")], None)

    def fields(self, form, changes=None, button=None):
        """What a browser would send: changes ticks (True), unticks (False) or sets what the page holds."""
        out, boxes = list(form.fields), dict(form.boxes)
        for key, value in (changes or {}).items():
            if isinstance(key, tuple):
                check(key in boxes, f"no box {key} among {list(boxes)}")
                boxes[key] = value
            else:
                check(any(n == key for n, _ in out), f"no field {key} among {out}")
                out = [(n, value if n == key else v) for n, v in out]
        out += [k for k, ticked in boxes.items() if ticked]
        if button is not None:
            check(button in form.buttons, f"no button {button} among {form.buttons}")
            out.append(button)
        return out

    def submit(self, changes=None, button=None, headers=None, page=None):
        page = page or self.page
        form = page.form
        body = urllib.parse.urlencode([(n, v) for n, v in self.fields(form, changes, button) if n])
        if headers is None:
            headers = [("Origin", self.origin), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate")]
        return self._go(form.method.upper(), urllib.parse.urljoin(page.url, form.action),
                        [("Content-Type", "application/x-www-form-urlencoded"), *headers], body)
