#!/usr/bin/env python3
"""k: kill -9 while codes and tokens change hands: a code or token is used with what it became, or not at all."""
import contextlib
import os
import signal
import threading

from harness import PATIENCE_S, Failed, case, check, equal, main, process_only, within
from http_client import Assistant, connections, endpoint, healthz

ROUNDS = 6


def _serving(home):
    def serves():
        with contextlib.suppress(OSError, Failed):
            return home.owner("profile", "status").given()["phase"] == "serves" and healthz(home).status == 200
    within(PATIENCE_S, serves, "the endpoint serves")


def _back(home):
    """It serves again, and the log is there: keyring may have gone with core."""
    def listed():
        with contextlib.suppress(Failed):
            return connections(home) is not None
    home.terminal.unlock_soon()
    _serving(home)
    within(PATIENCE_S, listed, "the list of connections")


def _lives(assistant):
    m = assistant.mcp()
    answer = m.post(m.request("tools/call", {"name": "get_user_context", "arguments": {}}))
    check(answer.status == 200, f"the tokens are none: {answer}")


def _killed_meanwhile(home, delay_ms, ask):
    """The answer of ask, whose core is killed so soon after it began; None: there was none."""
    timer = threading.Timer(delay_ms / 1000, os.kill, (home.process("core"), signal.SIGKILL))
    timer.start()
    try:
        answer = ask()
    except (OSError, Failed):
        answer = None
    timer.join()
    _back(home)
    return answer if answer is not None and answer.status == 200 else None


def _state(home, assistant):
    return next(c["state"] for c in connections(home) if (c["name"], c["redirect"]) == (assistant.name, assistant.redirect))


def _shown_again(ask):
    """What comes of it, once HTTP has the keys of its pages."""
    answers = []

    def judged():
        answers[:] = [ask()]
        return answers[0].status != 429
    within(PATIENCE_S, judged, "an answer other than 429")
    return answers[0]


def _after(home, assistant, answer, again, what):
    """What was answered holds. What was not is unused, or was used and is known so when it is shown again."""
    if answer is not None:
        assistant.keep(answer)
        _lives(assistant)
        return "answered"
    second = _shown_again(again)
    if second.status == 200:
        assistant.keep(second)
        _lives(assistant)
        equal(_state(home, assistant), "live", "state")
        return "unused"
    equal(second.status, 400, f"status of {what}, shown again")
    equal(_state(home, assistant), "replayed", f"state after {what} was used and shown again")
    return "used"


@case
def a_code_is_used_with_its_tokens_or_not_at_all():
    home = endpoint(facts=[])
    for i in range(ROUNDS):
        a = Assistant(home.origin)
        code = a.allow(a.consent_page())["code"]
        answer = _killed_meanwhile(home, 2 * i, lambda: a.redeem_answer(code))
        _after(home, a, answer, lambda: a.redeem_answer(code), "a code")


@case
def a_refresh_token_is_spent_with_its_successor_or_not_at_all():
    home = endpoint(facts=[])
    for i in range(ROUNDS):
        a = Assistant(home.origin).connect()
        # HTTP holds it for 250 ms before grants hears of it.
        answer = _killed_meanwhile(home, 244 + 3 * i, a.refresh_answer)
        old = a.refresh_token
        if _after(home, a, answer, a.refresh_answer, "a refresh token") == "answered":
            equal(_shown_again(lambda: a.refresh_answer(old)).status, 400, "status of the spent token")
            equal(_state(home, a), "replayed", "state")


@case
def tokens_survive_and_spent_ones_are_known_after_a_kill_of_all():
    home = endpoint(facts=[])
    a, b, c = (Assistant(home.origin).connect() for _ in range(3))
    spent = b.refresh_token
    b.refresh()
    home.kill()
    home.start()
    _back(home)
    check(a.lives() and b.lives(), "tokens are dead after a start")
    a.refresh()
    check(a.lives(), "a refreshed token is dead")
    equal(b.refresh_answer(spent).status, 400, "status of the spent token")
    check(not b.lives(), "a connection outlives its replay")
    equal(c.redeem_answer(c.code).status, 400, "status of the used code")
    check(not c.lives(), "a connection outlives the second use of its code")
    equal([_state(home, x) for x in (a, b, c)], ["live", "replayed", "replayed"], "states")


@process_only
def tokens_are_none_of_http_s_own():
    home = endpoint(facts=[])
    a = Assistant(home.origin).connect()
    spent = a.refresh_token
    a.refresh()
    os.kill(home.process("http"), signal.SIGKILL)
    _serving(home)
    check(a.lives(), "a token is dead after HTTP's end")
    equal(_shown_again(lambda: a.refresh_answer(spent)).status, 400, "status of the spent token")
    check(not a.lives(), "a connection outlives its replay")


if __name__ == "__main__":
    main()
