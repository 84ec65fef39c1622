#!/usr/bin/env python3
"""f: calls that fail, and kills before them, in the processes of the remote profile while its owner and an assistant use it.

FAULTS_REMOTE (20) faults are tried."""
import errno
import itertools
import json
import os
import random
import signal

from faults import CALL, SMALL_LOG, FaultHome
from documented import check_documented
from worker import UNKNOWN
from harness import PATIENCE_S, Failed, check, equal, main, process_only, within
from http_client import FACTS, add_fact, configure, connected, turn_on
from http_raw import free_port

ROUNDS = int(os.environ.get("FAULTS_REMOTE", 20))
SEED = int(os.environ.get("FAULTS_SEED", 1))

# (process, calls, action, error, whether it is what the process does when it starts)
KINDS = [("profile", [call], "error", error, False) for call in ("write", "sync") for error in (errno.EIO, errno.ENOSPC, errno.EROFS)]
KINDS += [("profile", ["write"], "short", 0, False), ("profile", ["sync"], "late", errno.EIO, False)]
KINDS += [("profile", [call], "error", error, True) for call, error in
          (("open", errno.EMFILE), ("read", errno.EIO), ("mmap", errno.ENOMEM), ("malloc", errno.ENOMEM))]
KINDS += [("http", ["malloc"], "error", errno.ENOMEM, starts) for starts in (False, True)]
KINDS += [(p, [c for c in CALL if c not in ("malloc", "mmap")], "kill", 0, False) for p in ("profile", "http")]


class Remote:
    """A home whose profile serves; what was acknowledged and given is checked at the end."""

    def __init__(self):
        home = self.home = FaultHome()
        home.init().done()
        home.port = free_port()
        home.origin = f"http://127.0.0.1:{home.port}"
        configure(home, home.port)
        home.start(*SMALL_LOG)
        home.terminal.unlock().done()
        home.terminal.sudo().done()
        turn_on(home)
        home.facts = {label: add_fact(home, category, label, value) for category, label, value in FACTS}
        self.assistant = connected(home)
        self.mcp = self.assistant.mcp()
        self.known = {fact: value for fact, (_, _, value) in zip(home.facts.values(), FACTS)}
        self.doubtful, self.given, self.hits = set(), 0, 0

    def add(self, value):
        r = self.home.owner("profile", "fact", "add", "-", "--category", "habit", "--label", "canary", input=value.encode())
        check_documented(r)
        if r.code == 0:
            self.known[r.json["fact"]] = value
        elif r.error in UNKNOWN:
            self.doubtful.add(value)
        return r.code == 0

    def read(self):
        """The overview by the assistant: all that is shared with it, or no content at all."""
        m = self.mcp
        try:
            answer = m.post(m.request("tools/call", {"name": "get_user_context", "arguments": {}}))
        # The connection ended, or half of an answer came.
        except (OSError, Failed, ValueError):
            return False
        result = answer.json.get("result", {"isError": True}) if answer.status == 200 else {"isError": True}
        if not result.get("isError"):
            shown = json.loads(result["content"][0]["text"])["facts"]
            equal({f["id"]: f["value"] for f in shown}, {f: self.known[f] for f in self.home.facts.values()}, "facts shown")
            self.given += 1
            return True
        check(b"flat white" not in answer.body, f"content in a refusal: {answer}")
        return False

    def back(self):
        """Nothing goes wrong any more: both are served again by themselves."""
        within(2 * PATIENCE_S, self.read, f"an overview after the fault; {self.home.tail()}")
        within(PATIENCE_S, lambda: self.add(f"canary after {len(self.known)}"), "a fact after the fault")

    def end(self):
        home, listed, offset = self.home, {}, 0
        while offset is not None:
            page = home.owner("profile", "fact", "list", "--offset", offset).given()
            listed.update({f["id"]: f["value"] for f in page["facts"]})
            offset = page["next"]
        equal({f: listed.get(f) for f in self.known}, self.known, "facts that were acknowledged")
        more = {value for fact, value in listed.items() if fact not in self.known}
        check(more <= self.doubtful, f"facts that nobody was told of: {more - self.doubtful}")
        n = sum(r["type"] == "intent" and r.get("subject") == self.assistant.connection for r in home.records())
        check(n >= self.given, f"{self.given} answers, {n} records")
        home.stop()
        home.verify("--full").done()


def _round(w, i, kind, rng):
    process, calls, action, error, starts = kind
    w.home.plan.arm([process], calls, n=rng.randint(1, 6 if not starts else 12), action=action, error=error,
                    from_then=action != "kill" and rng.random() < 0.5)
    try:
        if starts:
            os.kill(w.home.process(process), signal.SIGKILL)
        w.add(f"canary {i}")
        w.read()
        w.read()
    finally:
        w.hits += w.home.plan.disarm() > 0
    check(w.home.daemon.poll() is None, f"{kind}: the daemon ended: {w.home.tail()}")
    w.back()


@process_only
def no_fault_of_the_profile_or_of_http_loses_invents_or_leaks_anything():
    w, rng = Remote(), random.Random(SEED)
    order = rng.sample(KINDS, len(KINDS))
    for i, kind in enumerate(itertools.islice(itertools.cycle(order), ROUNDS)):
        try:
            _round(w, i, kind, rng)
        except Failed as e:
            raise Failed(f"round {i}, {kind}: {e}") from e
    w.end()
    print(f"        {ROUNDS} rounds, in {w.hits} of them a call failed, {w.given} overviews", flush=True)
    check(w.hits * 3 > ROUNDS, "most faults met no call")


if __name__ == "__main__":
    main()
