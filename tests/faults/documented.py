"""The codes that docs/errors.md promises: what a command may say, and how it may end."""
import functools
import os
import re

from harness import TREE, check


@functools.cache
def exit_codes():
    """{code: exit code}"""
    with open(os.path.join(TREE, "docs", "errors.md")) as f:
        return {m[1]: int(m[2]) for m in re.finditer(r"^\| `([a-z0-9_]+)` \| (\d+) \|", f.read(), re.M)}


def check_documented(result):
    """A command that failed says a documented code and ends with that code's exit code."""
    if result.code == 0:
        return
    check(result.error in exit_codes(), f"no documented code: {result}")
    check(result.code == exit_codes()[result.error], f"another exit code than documented: {result}")
