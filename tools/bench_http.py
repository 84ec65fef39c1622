#!/usr/bin/env python3
"""The endpoint for remote assistants under load, beside the same server with one fixed answer.

usage: bench_http.py BENCH MEMORIES full|quick     with the two programs of the same build

get_user_context by a valid token over 64 connections that stay open (wrk), against 2 KiB of fixed JSON; how
much resident memory 10,000 idle connections cost, and a call among them; what logins cost other calls.
"""
import json
import os
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time

BENCH, MEMORIES, LENGTH = sys.argv[1:4]
os.environ["MEMORIES_BIN"] = MEMORIES
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "system"))
import harness  # noqa: E402
import http_client  # noqa: E402
from http_browser import Browser  # noqa: E402

SECONDS, ROUNDS = (2, 2) if LENGTH == "quick" else (5, 5)
CONNECTIONS = 64
IDLE = 10000
IDLE_MIB = 200
BODY = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_user_context", "arguments": {}}})


def wrk(url, token=None):
    """Requests a second, p50 and p99 in ms; every answer must be a 200."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        if token is not None:
            script.write('wrk.method = "POST"\n'
                         f"wrk.body = '{BODY}'\n"
                         'wrk.headers["Content-Type"] = "application/json"\n'
                         'wrk.headers["MCP-Protocol-Version"] = "2025-11-25"\n'
                         f'wrk.headers["Authorization"] = "Bearer {token}"\n')
            script.flush()
        words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency", *(["-s", script.name] if token else []), url]
        out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out or "Socket errors" in out:
        raise SystemExit(f"not every answer was good:\n{out}")
    unit = {"us": 1e-3, "ms": 1.0, "s": 1e3}
    at = {p: float(v) * unit[u] for p, v, u in re.findall(r"(\d\d)%\s+([\d.]+)(us|ms|s)", out)}
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), at["50"], at["99"]


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def throughput(home, token):
    fixed = subprocess.Popen([BENCH, "http-fixed"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    port = int(fixed.stdout.readline())
    bound, ours = [], []
    for _ in range(ROUNDS):
        bound.append(wrk(f"http://127.0.0.1:{port}/"))
        ours.append(wrk(home.origin + "/mcp", token))
    fixed.stdin.close()
    fixed.wait()
    for name, rows in (("2 KiB of fixed JSON", bound), ("get_user_context", ours)):
        print(f"{name:22} {median(r[0] for r in rows):8.0f} a second; p50 {median(r[1] for r in rows):.2f},"
              f" p99 {median(r[2] for r in rows):.2f} ms")
    print(f"ratio                  {median(o[0] / b[0] for o, b in zip(ours, bound)):8.3f}")


def resident_mib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return int(re.search(r"VmRSS:\s+(\d+) kB", f.read())[1]) / 1024


def one_call(mcp):
    began = time.monotonic()
    mcp.good("get_user_context")
    return (time.monotonic() - began) * 1e3


def idle(home, mcp, pid):
    before = resident_mib(pid)
    sockets = [socket.create_connection(("127.0.0.1", home.port)) for _ in range(IDLE)]
    # Each has had an answer, as one that is kept open has.
    for s in sockets:
        s.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{home.port}\r\n\r\n".encode())
    for s in sockets:
        if not s.recv(4096).startswith(b"HTTP/1.1 200 "):
            raise SystemExit("an idle connection was not answered")
    among = one_call(mcp)
    mib = resident_mib(pid)
    print(f"{IDLE} idle connections: {mib:.0f} MiB resident ({before:.0f} before; bound {IDLE_MIB}),"
          f" {(mib - before) * 1024 / IDLE:.1f} KiB each; a call among them {among:.1f} ms")
    for s in sockets:
        s.close()


def calls_for(mcp, seconds, until=lambda: False):
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end and not until():
        times.append(one_call(mcp))
    return sorted(times)


def logins(home, mcp):
    """Calls while wrong passwords are tried, one after the other, as fast as the throttle lets them."""
    alone = calls_for(mcp, SECONDS)
    over = threading.Event()

    def try_passwords():
        assistant = http_client.Assistant(home.origin)
        while not over.is_set():
            browser = Browser(home.origin)
            browser.open(assistant.authorize_url())
            if any(n == "password" for n, _ in browser.page.form.fields):
                browser.submit({"password": "not the password"})
            else:
                time.sleep(0.05)

    thread = threading.Thread(target=try_passwords)
    thread.start()
    beside = calls_for(mcp, SECONDS)
    over.set()
    thread.join()
    for name, times in (("alone", alone), ("beside logins", beside)):
        print(f"one client {name:14} {len(times)} calls; p50 {times[len(times) // 2]:.2f}, p99 {times[int(0.99 * (len(times) - 1))]:.2f},"
              f" longest {times[-1]:.1f} ms")


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < IDLE + 200:
        raise SystemExit(f"the limit of descriptors is {hard}: {IDLE} connections need more")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    home = http_client.endpoint(peer_connections_max=12000)
    try:
        assistant = http_client.connected(home)
        print("\nthe endpoint for remote assistants (wrk: 1 thread, 64 connections)")
        throughput(home, assistant.access)
        idle(home, assistant.mcp(), home.process("http"))
        logins(home, assistant.mcp())
    finally:
        harness.undo()


main()
