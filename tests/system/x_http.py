#!/usr/bin/env python3
"""x: strangers at the endpoint of the remote profile: what is no request, who is slow, who is many, TLS."""
import contextlib
import json
import os
import resource
import signal
import socket
import ssl
import subprocess
import time

from harness import (ONE_PROCESS, PATIENCE_S, Failed, Home, Skip, at_end, case, check, equal, main, needs_root, process_only, within)
from http_client import PAGES_PASSWORD, configure
from http_raw import Connection, free_port, listens, once, request

MIB = 1 << 20


def open_home(enable=True, **config):
    """A home whose endpoint listens; whether it serves does not matter here."""
    home = Home()
    home.init().done()
    home.port = config.pop("port", None) or free_port()
    configure(home, home.port, **config)
    home.start()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    if enable:
        turn_on(home)
        within(PATIENCE_S, lambda: listens(home.port), "a listener")
    return home


def turn_on(home):
    home.owner("profile", "enable", answers=[("password: ", PAGES_PASSWORD), ("password: ", PAGES_PASSWORD)]).done()


def serves(home):
    """Also asked while it comes and goes."""
    with contextlib.suppress(OSError, Failed):
        return once(home.port, "GET", "/healthz").status == 200
    return False


def http_process(home):
    return home.process("core" if ONE_PROCESS else "http")


def resident(pid):
    with open(f"/proc/{pid}/status") as f:
        return int(next(line for line in f if line.startswith("VmRSS")).split()[1]) * 1024


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@case
def a_home_that_never_enabled_opens_no_port():
    home = open_home(enable=False)
    check(not listens(home.port), "it listens before it was enabled")
    turn_on(home)
    within(PATIENCE_S, lambda: listens(home.port), "a listener")


@case
def an_answer_says_nothing_of_who_made_it():
    home = open_home()
    answer = once(home.port, "GET", "/healthz").status_is(200, 503)
    equal(answer.header("server"), None, "Server")
    equal(answer.header("x-content-type-options"), "nosniff", "X-Content-Type-Options")
    equal(answer.header("cache-control"), "no-store", "Cache-Control")
    check("frame-ancestors 'none'" in answer.header("content-security-policy"), f"framing: {answer}")
    # HEAD says the same without its body, and the connection goes on.
    with Connection(home.port) as c:
        head = c.ask("HEAD", "/healthz")
        equal(head.header("content-length"), answer.header("content-length"), "length of HEAD")
        c.ask("GET", "/healthz").status_is(answer.status)


@case
def what_two_servers_could_read_differently_is_refused_and_ends_the_connection():
    home = open_home()
    host = f"Host: 127.0.0.1:{home.port}\r\n"
    behind = f"GET /healthz HTTP/1.1\r\n{host}\r\n"
    shapes = {
        "two lengths": f"POST /mcp HTTP/1.1\r\n{host}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
        "the same length twice": f"POST /mcp HTTP/1.1\r\n{host}Content-Length: 4\r\nContent-Length: 4\r\n\r\nabcd",
        "a length and chunks": f"POST /mcp HTTP/1.1\r\n{host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "a length with a sign": f"POST /mcp HTTP/1.1\r\n{host}Content-Length: +4\r\n\r\nabcd",
        "a blank before the colon": f"POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "another coding": f"POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "a chunk with a sign": f"POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n+2\r\nab\r\n0\r\n\r\n",
        "a chunk in 0x": f"POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n",
        "a trailer": f"POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: Bearer x\r\n\r\n",
        "a bare LF": f"GET /healthz HTTP/1.1\n{host}\r\n",
        "a folded line": f"GET /healthz HTTP/1.1\r\n{host}A: b\r\n c\r\n\r\n",
        "no host": "GET /healthz HTTP/1.1\r\n\r\n",
        "two hosts": f"GET /healthz HTTP/1.1\r\n{host}{host}\r\n",
        "another form of the target": f"GET http://127.0.0.1:{home.port}/healthz HTTP/1.1\r\n{host}\r\n",
        "a NUL": f"GET /healthz HTTP/1.1\r\n{host}A: b\0c\r\n\r\n",
    }
    for what, text in shapes.items():
        with Connection(home.port) as c:
            c.send((text + behind).encode("latin-1"))
            answer = c.answer()
            check(answer is not None and 400 <= answer.status < 600, f"{what}: {answer}")
            c.ended()
            equal(c.seen.count(b"HTTP/1.1 "), 1, f"answers to {what}")
    # And the server lives.
    once(home.port, "GET", "/healthz").status_is(200, 503)


@case
def another_name_is_not_served():
    home = open_home()
    for host in ("evil.example", f"evil.example:{home.port}", "127.0.0.1", f"localhost.evil.example:{home.port}"):
        once(home.port, "GET", "/healthz", host=host).status_is(421)
    for host in (f"127.0.0.1:{home.port}", f"localhost:{home.port}", f"[::1]:{home.port}"):
        once(home.port, "GET", "/healthz", host=host).status_is(200, 503)


@case
def who_is_silent_is_left_and_holds_nobody_up():
    home = open_home()
    begun = time.monotonic()
    silent, slow = Connection(home.port, 30), Connection(home.port, 30)
    slow.send(b"GET /healthz HTTP/1.1\r\n")
    while time.monotonic() < begun + 9:
        once(home.port, "GET", "/healthz").status_is(200, 503)
        slow.send(b"A")
        time.sleep(1)
    silent.ended()
    equal(silent.seen, b"", "what a silent client hears")
    slow.answer().status_is(408)
    check(time.monotonic() - begun < 15, "they were left too late")


def _many(home, n):
    """So many connections, each of which has asked once and stays."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < n + 200:
        raise Skip(f"only {hard} descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    at_end(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
    one = request("GET", "/healthz", host=f"127.0.0.1:{home.port}")
    all_of_them = []
    for _ in range(n):
        s = socket.create_connection(("127.0.0.1", home.port), 30)
        s.sendall(one)
        all_of_them.append(s)
    for s in all_of_them:
        check(s.recv(65536).startswith(b"HTTP/1.1 "), "one of many was not answered")
    return all_of_them


@process_only
def a_killed_endpoint_is_back_and_serves():
    home = open_home()
    within(PATIENCE_S, lambda: serves(home), "serving")
    os.kill(http_process(home), signal.SIGKILL)
    within(PATIENCE_S, lambda: serves(home), "serving anew")
    home.cli("status").done()


@case
def ten_thousand_idle_connections_cost_little():
    home = open_home()
    pid = http_process(home)
    before = resident(pid)
    many = _many(home, 10000)
    taken = resident(pid) - before
    print(f"        10,000 idle connections: {taken / MIB:.1f} MiB more, {taken // 10000} bytes each")
    check(taken < 200 * MIB, f"10,000 idle connections take {taken // MIB} MiB")
    within(PATIENCE_S, lambda: once(home.port, "GET", "/healthz").status in (200, 503), "another one")
    for s in many:
        s.close()


@process_only
def without_descriptors_it_neither_spins_nor_ends():
    needs_root()
    home = open_home()
    pid = http_process(home)
    used = len(os.listdir(f"/proc/{pid}/fd"))
    try:
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 20, hard))
    except (PermissionError, ValueError) as e:
        raise Skip(f"its limit cannot be changed: {e}") from None
    early = Connection(home.port)
    early.ask("GET", "/healthz")
    waiting = [Connection(home.port) for _ in range(60)]
    began, begun_cpu = time.monotonic(), cpu_seconds(pid)
    log = os.path.getsize(home.log)
    while time.monotonic() < began + 2:
        early.ask("GET", "/healthz").status_is(200, 503)
        time.sleep(0.05)
    check(cpu_seconds(pid) - begun_cpu < 0.5, f"it used {cpu_seconds(pid) - begun_cpu} s of 2")
    check(os.path.getsize(home.log) - log < 4096, "it fills the log")
    for c in waiting:
        c.close()
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
    within(PATIENCE_S, lambda: serves(home), "an answer")


def _certificate(home, mode=0o600):
    cert, key = home.file("cert.pem"), home.file("key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert],
                   check=True, capture_output=True)
    os.chmod(key, mode)
    return cert, key


def _library_with_certificate(mode):
    home = Home()
    home.init().done()
    home.port = free_port()
    cert, key = _certificate(home, mode)
    configure(home, home.port, tls={"certificate": cert, "key": key})
    home.start()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    turn_on(home)
    return home, cert


@case
def with_a_certificate_it_speaks_tls():
    home, cert = _library_with_certificate(0o600)
    within(PATIENCE_S, lambda: listens(home.port), "a listener")
    context = ssl.create_default_context(cafile=cert)
    with socket.create_connection(("127.0.0.1", home.port), 20) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as s:
            check(s.version() in ("TLSv1.2", "TLSv1.3"), s.version())
            for _ in range(3):
                s.sendall(request("GET", "/healthz", host=f"localhost:{home.port}"))
                check(s.recv(65536).startswith(b"HTTP/1.1 "), "no answer over TLS")
    status = home.owner("profile", "status").given()["http"]
    equal(status["tls"], True, "tls in the status")
    equal(status["origin"], f"https://127.0.0.1:{home.port}", "origin in the status")


@case
def a_key_that_others_can_read_is_not_used():
    home, _ = _library_with_certificate(0o640)
    status = within(PATIENCE_S, lambda: home.owner("profile", "status").given()["http"], "a status")
    equal(status["listening"], False, "listening")
    equal(status["error"], "config_invalid", "why")
    check(not listens(home.port), "it listens all the same")
    home.cli("status").done()


@case
def an_address_that_is_taken_is_tried_again():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        home = open_home(enable=False, port=other.getsockname()[1])
        turn_on(home)
        within(PATIENCE_S, lambda: home.owner("profile", "status").given()["http"]["error"] == "listen_failed", "why it does not")
    # Closed by the other: what it left in the kernel does not hinder us.
    within(PATIENCE_S, lambda: home.owner("profile", "status").given()["http"]["listening"], "a listener")
    once(home.port, "GET", "/healthz").status_is(200, 503)


@case
def a_config_that_cannot_be_used_stops_nothing_else():
    home = Home()
    home.init().done()
    home.port = free_port()
    configure(home, home.port, lisen="127.0.0.1:1")
    with open(home.file("config.json"), encoding="utf-8") as f:
        check("lisen" in json.load(f)["http"], "the config of this test")
    home.start()
    home.terminal.unlock().done()
    home.cli("status").done()
    check(not listens(home.port), "it listens")


if __name__ == "__main__":
    main()
