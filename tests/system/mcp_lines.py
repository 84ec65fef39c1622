"""A running stdio MCP server, spoken to in lines; for m_*.py."""
import json
import os
import select
import subprocess

from harness import BIN, at_end, check, environment, equal

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}


class Server:
    """A running `mcp serve-unattended`, or another command of that kind, spoken to in lines."""

    def __init__(self, home, client=None, revision=None, words=None):
        self.revision = revision
        self.last = 0
        self.errors = open(home.side("mcp.err"), "ab")
        words = words or ["serve-unattended", "--client-file", client or home.client]
        self.p = subprocess.Popen([BIN, "--home", home.path, "mcp", *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=self.errors, env=environment(), start_new_session=True, bufsize=0)
        self.pending = b""
        at_end(self.close)
        if revision in LEGACY:
            self.hello = self.ask("initialize", {"protocolVersion": revision, "capabilities": {},
                                                 "clientInfo": {"name": "tests", "version": "1"}})
            self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def close(self):
        self.p.kill()
        self.p.wait()
        for f in (self.p.stdin, self.p.stdout, self.errors):
            f.close()

    def write(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.p.stdin.write(data + b"\n")

    def line(self, seconds=20):
        """The next line as JSON."""
        while b"\n" not in self.pending:
            ready, _, _ = select.select([self.p.stdout], [], [], seconds)
            check(ready, "the server says nothing")
            chunk = os.read(self.p.stdout.fileno(), 1 << 20)
            check(chunk, "the server has ended")
            self.pending += chunk
        text, _, self.pending = self.pending.partition(b"\n")
        return json.loads(text)

    def ask(self, method, params=None):
        """The whole answer to a request."""
        self.last += 1
        params = dict(params or {})
        if self.revision == MODERN:
            params["_meta"] = META
        self.write({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        answer = self.line()
        equal((answer.get("jsonrpc"), answer.get("id")), ("2.0", self.last), f"head of {answer!r:.200}")
        return answer

    def call(self, tool, **arguments):
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        check("result" in answer, f"no result: {answer!r:.300}")
        return answer["result"]

    def end(self):
        self.p.stdin.close()
        return self.p.wait(10)


def text_of(result):
    equal([c["type"] for c in result["content"]], ["text"], "content")
    return result["content"][0]["text"]


def good(result):
    check(not result.get("isError"), f"{result!r:.300}")
    return json.loads(text_of(result))


def bad(result, code):
    check(result.get("isError") is True, f"no error: {result!r:.300}")
    check(text_of(result).startswith("{"), f"no JSON: {text_of(result)!r:.300}")
    value = json.loads(text_of(result))
    equal(value["error"]["code"], code, "code")
    check("structuredContent" not in result, "an error has structuredContent")
    return value
