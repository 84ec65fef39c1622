"""What a daemon with --trace writes, and the order that it must have."""
import re

from harness import check

LINE = re.compile(r"(\d+) (?:(\w+)>(\w+) (\w+) ask=(\d+) len=(\d+)|(\w+) DURABLE ask=(\d+) index=(\d+))")


def events(trace):
    """("sent", from, to, name, ask) and ("durable", ask, index), in the order in which they were written."""
    out = []
    for line in trace:
        m = LINE.fullmatch(line)
        check(m, f"a line of the trace has another form: {line!r}")
        out.append(("durable", int(m[8]), int(m[9])) if m[7] else ("sent", m[2], m[3], m[4], int(m[5])))
    return out


def check_order(trace):
    """
    No ticket reaches the gate, and no answer leaves it, before the mark that its
    ask is durable. Gives {ask: index} of the answers.
    """
    durable, answers = {}, {}
    for e in events(trace):
        if e[0] == "durable":
            check(e[1] not in durable, f"ask {e[1]} became durable twice")
            durable[e[1]] = e[2]
        elif e[3] in ("AUDIT_ACK", "ANSWER"):
            check(e[4] in durable, f"{e[1]}>{e[2]} {e[3]} of ask {e[4]} before it was durable")
            if e[3] == "ANSWER":
                check(e[4] not in answers, f"ask {e[4]} was answered twice")
                answers[e[4]] = durable[e[4]]
    return answers
