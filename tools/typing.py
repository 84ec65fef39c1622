#!/usr/bin/env python3
"""Plays a person at a terminal: typing.py 'PROMPT=ANSWER' ... -- COMMAND ...

Runs the command on a terminal of its own, types each answer when its prompt
shows, and ends with the command's exit code. What the command says on stdout
goes to our stdout.
"""
import os
import pty
import select
import sys


def main():
    split = sys.argv.index("--")
    answers = [argument.split("=", 1) for argument in sys.argv[1:split]]
    out = os.dup(1)
    pid, terminal = pty.fork()
    if pid == 0:
        os.dup2(out, 1)
        os.execvp(sys.argv[split + 1], sys.argv[split + 1:])
    os.close(out)
    shown = b""
    while True:
        if not select.select([terminal], [], [], 60)[0]:
            print(f"typing.py: nothing more was shown after {shown[-80:]!r}", file=sys.stderr)
            return 1
        try:
            new = os.read(terminal, 4096)
        except OSError:
            new = b""
        if not new:
            break
        shown += new
        sys.stderr.write(new.decode(errors="replace").replace("\r", ""))
        sys.stderr.flush()
        while answers and answers[0][0].encode() in shown:
            prompt, answer = answers.pop(0)
            shown = shown.split(prompt.encode(), 1)[1]
            os.write(terminal, answer.encode() + b"\n")
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


sys.exit(main())
