#!/usr/bin/env python3
"""x: bad input to the daemon's front door."""
import os
import random
import select
import socket
import struct
import subprocess
import threading

from harness import FILE, PATIENCE_S, Skip, case, check, data_of, equal, furnished, main, needs_root, shared, within

REQ = b"\0SP\0\0\x30\0\0"
REP = b"\0SP\0\0\x31\0\0"


def _connect(home, hello=None, seconds=5):
    # A path longer than a socket address would not fit: the homes of this file are short.
    def connected():
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(seconds)
        try:
            s.connect(home.file("service.sock"))
            return s
        except (BlockingIOError, ConnectionRefusedError, FileNotFoundError):
            s.close()  # its queue is full, or it listens anew
            return None
    s = within(10, connected, "a place in the queue of the door")
    if hello is not None:
        s.sendall(hello)
    return s


def _read_exactly(s, n):
    out = b""
    while len(out) < n:
        chunk = s.recv(n - len(out))
        if not chunk:
            return None
        out += chunk
    return out


def _frame(body, request=1, length=None):
    """An SP message over IPC: a byte 1, a length, and the message: the request's id and the body."""
    data = struct.pack(">I", 0x80000000 | request) + body
    return b"\1" + struct.pack(">Q", len(data) if length is None else length) + data


def _talk(home, body, seconds=5):
    """Sends one request on a connection of its own; the answer's body, or None when the door hangs up or is silent."""
    with _connect(home, REQ, seconds) as s:
        try:
            equal(_read_exactly(s, 8), REP, "the listener's hello")
            s.sendall(_frame(body))
            head = _read_exactly(s, 9)
            if head is None:
                return None
            return _read_exactly(s, struct.unpack(">Q", head[1:])[0])[4:]
        except (TimeoutError, ConnectionError):
            return None


def _pids(home):
    return {home.daemon.pid, *home.processes()}


def _serves(home, before=None):
    """A read works soon, and no process of the daemon was replaced."""
    def read():
        r = home.read(home.client, "read", home.main, home.big["asset"])
        return r if r.code == 0 else None
    a = within(PATIENCE_S, read, "a read").given()
    equal(data_of(a) == FILE[:65536], True, "bytes")
    if before is not None:
        equal(_pids(home), before, f"processes of the daemon ({home.tail()})")


def _recorded(home):
    """What the CLI says to the daemon for one read: the bodies of its requests."""
    real, moved = home.file("service.sock"), home.file("real.sock")
    os.rename(real, moved)
    bodies = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(real)
    listener.listen(4)

    def relay():
        client, _ = listener.accept()
        server = socket.socket(socket.AF_UNIX)
        server.connect(moved)
        said = b""
        with client, server:
            while True:
                ready, _, _ = select.select([client, server], [], [], 10)
                for s in ready:
                    data = s.recv(1 << 18)
                    if not data:
                        at = 8
                        while len(said) >= at + 9:
                            n = struct.unpack(">Q", said[at + 1:at + 9])[0]
                            bodies.append(said[at + 13:at + 9 + n])
                            at += 9 + n
                        return
                    if s is client:
                        said += data
                    (server if s is client else client).sendall(data)
                if not ready:
                    return
    t = threading.Thread(target=relay)
    t.start()
    try:
        # The relay is of the same user, so the client cannot tell.
        home.read(home.client, "read", home.main, home.memory["asset"]).done()
    finally:
        t.join()
        listener.close()
        os.unlink(real)
        os.rename(moved, real)
    check(len(bodies) >= 2, f"recorded {len(bodies)} requests")
    return bodies


def _fresh():
    home = furnished()
    home.bodies = _recorded(home)
    return home


# Handshakes and frames

@case
def a_recorded_hello_is_answered_and_a_recorded_ask_is_no_pass():
    home = shared(_fresh)
    hello, ask = home.bodies[0], home.bodies[-1]
    check(_talk(home, hello) is not None, "a recorded hello gets no answer")
    answer = _talk(home, ask)
    # Replayed, it is a new ask with a record of its own, sealed to the first asker's key.
    check(answer is None or b"oat milk" not in answer, "content came back in clear")
    _serves(home)


@case
def handshakes_that_are_short_or_wrong_harm_nothing():
    home = shared(_fresh)
    before = _pids(home)
    for hello in (b"", b"\0", b"\0SP", REQ[:7], b"\0SP\0\0\x10\0\0", b"\0SP\0\xff\xff\0\0", b"\0SP\1\0\x30\0\0",
                  b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 8, REQ + REQ, b"\0" * 4096, os.urandom(8), os.urandom(100000)):
        for _ in range(3):
            with _connect(home) as s:
                try:
                    s.sendall(hello)
                except (BrokenPipeError, ConnectionResetError):
                    pass
    _serves(home, before)


@case
def a_read_after_wrong_handshakes_needs_no_second_try():
    home = shared(_fresh)
    for hello in (b"\0SP", b"\xff" * 8, None, REQ[:7]) * 4:
        with _connect(home, hello):
            pass
        home.read(home.client, "list", home.main).done()


@case
def lengths_that_are_huge_or_wrong_harm_nothing():
    home = shared(_fresh)
    before = _pids(home)
    for length in (2**64 - 1, 2**63, 2**63 - 1, 2**40, 2**32, 2**31, 1 << 20, 262145, 0, 1, 2, 3, 4, 5):
        for kind in (b"\1", b"\0", b"\2", b"\xff"):
            with _connect(home, REQ) as s:
                _read_exactly(s, 8)
                try:
                    s.sendall(kind + struct.pack(">Q", length) + b"\x80\0\0\1" + os.urandom(200))
                except (BrokenPipeError, ConnectionResetError):
                    pass
    _serves(home, before)
    for pid in before:
        with open(f"/proc/{pid}/status") as f:
            rss = next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))
        check(rss < 200 * 1024, f"process {pid} has grown to {rss} kB")


@case
def frames_without_a_request_id_or_with_many_harm_nothing():
    home = shared(_fresh)
    before = _pids(home)
    hello = home.bodies[0]
    for ids in (b"", b"\0\0\0\1", b"\0" * 4 + b"\x80\0\0\1", b"\1\2\3\4" * 200 + b"\x80\0\0\1", b"\x7f\xff\xff\xff" * 10):
        with _connect(home, REQ) as s:
            _read_exactly(s, 8)
            data = ids + hello
            s.sendall(b"\1" + struct.pack(">Q", len(data)) + data)
    _serves(home, before)


@case
def random_bodies_are_refused_or_dropped():
    home = shared(_fresh)
    before = _pids(home)
    rng = random.Random(11)
    for size in (0, 1, 2, 9, 10, 11, 18, 100, 266, 4096, 65536, 262000):
        for _ in range(4):
            with _connect(home, REQ) as s:
                _read_exactly(s, 8)
                try:
                    s.sendall(_frame(rng.randbytes(size)))
                except (BrokenPipeError, ConnectionResetError):
                    pass
    _serves(home, before)


@case
def every_message_number_with_any_body_harms_nothing():
    home = shared(_fresh)
    before = _pids(home)
    rng = random.Random(12)
    with _connect(home, REQ) as s:
        _read_exactly(s, 8)
        for number in [*range(0, 100), 255, 256, 32767, 65535]:
            for size in (0, 1, 60, 200):
                try:
                    s.sendall(_frame(struct.pack(">HQ", number, rng.getrandbits(64)) + rng.randbytes(size), number * 10 + size))
                except (BrokenPipeError, ConnectionResetError):
                    s.close()
                    s = _connect(home, REQ)
                    _read_exactly(s, 8)
        s.close()
    _serves(home, before)


def _mutants(body, n, rng):
    for _ in range(n):
        b = bytearray(body)
        how = rng.randrange(5)
        if how == 0:
            b[rng.randrange(len(b))] ^= 1 << rng.randrange(8)
        elif how == 1:
            for _ in range(rng.randrange(1, 9)):
                b[rng.randrange(len(b))] = rng.randrange(256)
        elif how == 2:
            del b[rng.randrange(len(b)):]
        elif how == 3:
            b += rng.randbytes(rng.randrange(1, 300))
        else:
            at = rng.randrange(len(b) - 4)
            b[at:at + 4] = struct.pack(">I", rng.choice([0, 1, 0x7fffffff, 0x80000000, 0xffffffff, len(b)]))
        yield bytes(b)


@case
def well_formed_requests_with_changed_bodies_harm_nothing_and_open_nothing():
    home = shared(_fresh)
    before = _pids(home)
    rng = random.Random(13)
    answers = 0
    for body in home.bodies:
        with _connect(home, REQ) as s:
            _read_exactly(s, 8)
            for i, mutant in enumerate(_mutants(body, 300, rng)):
                try:
                    s.sendall(_frame(mutant, i + 1))
                    ready, _, _ = select.select([s], [], [], 0)
                    if ready:
                        data = s.recv(1 << 20)
                        check(b"oat milk" not in data, "content came back in clear")
                        answers += len(data) > 0
                        if not data:
                            raise ConnectionResetError
                except (BrokenPipeError, ConnectionResetError):
                    s.close()
                    s = _connect(home, REQ)
                    _read_exactly(s, 8)
            s.close()
    check(answers > 20, f"only {answers} answers: the case tests nothing")
    _serves(home, before)


@case
def every_single_byte_of_an_ask_may_be_wrong():
    home = shared(_fresh)
    before = _pids(home)
    ask = home.bodies[-1]
    with _connect(home, REQ) as s:
        _read_exactly(s, 8)
        for at in range(len(ask)):
            b = bytearray(ask)
            b[at] ^= 0xff
            s.sendall(_frame(bytes(b), at + 1))
            ready, _, _ = select.select([s], [], [], 0)
            if ready:
                s.recv(1 << 20)
    _serves(home, before)
    home.verify().done()


# Crowds

@case
def a_thousand_connects_and_closes_harm_nothing():
    home = shared(_fresh)
    before = _pids(home)
    for i in range(1000):
        _connect(home, (None, REQ, REQ[:3])[i % 3]).close()
    _serves(home, before)


@case
def connections_that_say_nothing_do_not_keep_others_out():
    home = shared(_fresh)
    before = _pids(home)
    held = [_connect(home, (None, REQ)[i % 2]) for i in range(200)]
    try:
        within(5, lambda: home.read(home.client, "list", home.main).code == 0, "a read beside 200 silent connections")
    finally:
        for s in held:
            s.close()
    _serves(home, before)


@case
def half_a_request_keeps_nobody_out():
    home = shared(_fresh)
    before = _pids(home)
    held = []
    for i in range(100):
        s = _connect(home, REQ)
        _read_exactly(s, 8)
        s.sendall(_frame(home.bodies[0])[:12 + i % 10])
        held.append(s)
    try:
        within(5, lambda: home.read(home.client, "list", home.main).code == 0, "a read beside 100 half requests")
    finally:
        for s in held:
            s.close()
    _serves(home, before)


@case
def an_asker_that_reads_no_answers_keeps_nobody_out():
    home = shared(_fresh)
    before = _pids(home)
    held = []
    for _ in range(4):
        s = _connect(home, REQ)
        _read_exactly(s, 8)
        s.settimeout(0.5)
        try:
            for i in range(400):
                s.sendall(_frame(home.bodies[-1], i + 1))
        except (TimeoutError, BrokenPipeError, ConnectionResetError):
            pass
        held.append(s)
    try:
        within(15, lambda: home.read(home.client, "list", home.main).code == 0, "a read beside askers that read nothing")
    finally:
        for s in held:
            s.close()
    within(PATIENCE_S, lambda: home.read(home.client, "list", home.main).code == 0, "a read after them")
    _serves(home, before)
    home.verify().done()


@case
def askers_that_leave_before_the_answer_are_recorded_and_forgotten():
    home = shared(_fresh)
    before = _pids(home)
    for _ in range(200):
        with _connect(home, REQ) as s:
            _read_exactly(s, 8)
            s.sendall(_frame(home.bodies[-1]))
    within(PATIENCE_S, lambda: home.read(home.client, "list", home.main).code == 0, "a read")
    _serves(home, before)
    home.verify().done()


@case
def random_bytes_from_many_sides_at_once_harm_nothing():
    home = shared(_fresh)
    before = _pids(home)

    over = threading.Event()

    def noise(seed):
        rng = random.Random(seed)
        while not over.is_set():
            try:
                with socket.socket(socket.AF_UNIX) as s:
                    s.settimeout(1)
                    s.connect(home.file("service.sock"))
                    s.sendall((REQ if rng.random() < 0.7 else b"") + rng.randbytes(rng.randrange(1, 5000)))
            except OSError:
                pass
            # As fast as a program that tries again politely, not as fast as the machine can.
            over.wait(0.01)
    threads = [threading.Thread(target=noise, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    try:
        for _ in range(3):
            within(10, lambda: home.read(home.client, "list", home.main).code == 0, "a read meanwhile")
    finally:
        over.set()
        for t in threads:
            t.join()
    _serves(home, before)


# Other doors

@case
def the_inner_doors_take_no_stranger():
    home = shared(_fresh)
    before = _pids(home)
    for name in os.listdir(home.file("run")):
        path = home.file("run", name)
        for hello in (None, b"\0SP\0\0\x10\0\0", REQ, os.urandom(64)):
            for _ in range(5):
                s = socket.socket(socket.AF_UNIX)
                s.settimeout(1)
                try:
                    s.connect(path)
                    if hello is not None:
                        s.sendall(hello + b"\1" + struct.pack(">Q", 100) + os.urandom(100))
                except OSError:
                    pass
                s.close()
    within(PATIENCE_S, lambda: home.read(home.client, "list", home.main).code == 0, "a read")
    _serves(home, before)


@case
def another_user_is_shown_out_before_it_can_say_anything():
    needs_root()
    home = shared(_fresh)
    before = _pids(home)
    # The modes are the first wall; they are taken away, so that the second is seen.
    r, w = os.pipe()
    folder_fd = os.open(home.path, os.O_PATH)
    hello = home.bodies[0]
    os.chmod(home.file("service.sock"), 0o777)
    os.chmod(home.path, 0o711)
    pid = os.fork()
    if pid == 0:
        verdict = b"error"
        try:
            os.fchdir(folder_fd)
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(5)
            s.connect("service.sock")
            s.sendall(REQ)
            got = s.recv(8)
            if got:
                s.sendall(_frame(hello))
                rest = s.recv(1000)
                verdict = b"answered" if len(rest) > 9 else b"shown out"
            else:
                verdict = b"shown out"
        except PermissionError:
            verdict = b"no permission"
        except (ConnectionError, TimeoutError):
            verdict = b"shown out"
        finally:
            os.write(w, verdict)
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(w)
    verdict = os.read(r, 100)
    os.close(r)
    os.close(folder_fd)
    os.chmod(home.path, 0o700)
    os.chmod(home.file("service.sock"), 0o600)
    if verdict == b"no permission":
        raise Skip("the folders' modes cannot be gone around here")
    equal(verdict, b"shown out", "what another user gets")
    _serves(home, before)


@case
def the_modes_alone_keep_another_user_out():
    needs_root()
    home = shared(_fresh)
    r = subprocess.run(["/bin/sh", "-c", f"cat {home.path}/daemon.lock; ls {home.path}"], user=65534, group=65534, extra_groups=[],
                       capture_output=True, cwd="/")
    check(r.returncode != 0 and not r.stdout, f"another user sees {r.stdout!r}")


if __name__ == "__main__":
    main()
