#!/usr/bin/env python3
"""k: kill -9 of each process while assistants ask over HTTP: what comes back, and that no answer lacks its record."""
import json
import os
import signal
import threading

from harness import PATIENCE_S, PROCESSES, case, check, equal, main, within
from http_client import connected, endpoint

CALLS = [("get_user_context", {}), ("search_user_context", {"query": "oat milk"})]


class Load:
    """Assistants that ask all the time; what they were given is counted by call, what else they heard is kept."""

    def __init__(self, home, assistant, n=4):
        self.given, self.others, self.over = [0] * len(CALLS), [], False
        self.facts = [list(home.facts.values()), [home.facts["Coffee"]]]
        self.threads = [threading.Thread(target=self._run, args=(assistant.mcp(), i)) for i in range(n)]
        for t in self.threads:
            t.start()

    def _run(self, m, i):
        while not self.over:
            i += 1
            which = i % len(CALLS)
            tool, arguments = CALLS[which]
            try:
                answer = m.post(m.request("tools/call", {"name": tool, "arguments": arguments}))
                result = answer.json["result"] if answer.status == 200 else {"isError": True}
            except Exception:  # the connection ended, or half of an answer came
                continue
            if result.get("isError"):
                self.others.append((answer.status, answer.body))
                continue
            shown = json.loads(result["content"][0]["text"])["facts"]
            if {f["id"] for f in shown} == set(self.facts[which]):
                self.given[which] += 1
            else:
                self.others.append((answer.status, b"flat white: other facts than asked for"))

    def total(self):
        return sum(self.given)

    def goes_on(self, home):
        """Ten more answers come, by whatever the owner does after such a kill."""
        had = self.total()

        def served():
            if not home.status()["unlocked"]:
                home.terminal.unlock_soon()
            return self.total() > had + 9
        within(2 * PATIENCE_S, served, "answers after the kill")

    def stop(self):
        self.over = True
        for t in self.threads:
            t.join()


def _check_recorded(home, connection, load):
    intents = [r for r in home.records() if r["type"] == "intent" and r.get("subject") == connection]
    for (tool, _), facts, given in zip(CALLS, load.facts, load.given):
        n = sum({x["asset"] for x in r.get("rows", [])} == set(facts) for r in intents)
        check(given > 0 and n >= given, f"{given} answers to {tool}, {n} records")
    for status, body in load.others:
        check(b"flat white" not in body, f"content in an answer of {status}: {body[:200]}")


def _under_load(*names):
    home = endpoint()
    assistant = connected(home)
    load = Load(home, assistant)
    try:
        within(2 * PATIENCE_S, lambda: load.total() > 20, "first answers")
        for name in names:
            pid = home.process(name)
            os.kill(pid, signal.SIGKILL)
            within(PATIENCE_S, lambda: home.process(name) != pid, f"another {name}")
            load.goes_on(home)
    finally:
        load.stop()
    home.terminal.unlock_soon()
    _check_recorded(home, assistant.connection, load)
    equal(sorted(home.processes().values()), PROCESSES, "processes")
    home.stop()
    home.verify("--full").done()


@case
def answers_over_http_have_their_records_while_http_and_the_profile_are_killed():
    _under_load(*(["core"] if PROCESSES == ["core"] else ["http", "profile", "http", "profile"]))


@case
def answers_over_http_have_their_records_while_audit_core_and_the_keyring_are_killed():
    _under_load(*[p for p in ("audit", "core", "keyring", "audit") if p in PROCESSES])


if __name__ == "__main__":
    main()
