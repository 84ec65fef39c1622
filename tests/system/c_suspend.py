#!/usr/bin/env python3
"""c: locking before the machine sleeps, with a logind of our own on a private system bus."""
import os
import signal
import socket
import threading
import time

from dbus import CALL, SIGNAL, Bus
from harness import PATIENCE_S, case, check, equal, furnished, main, parent_of, process_only, program, within
from http_client import Askers, connected, endpoint, healthz, serving
from keyring import SessionBus

LOGIND, PATH, MANAGER = "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"
NO_BUS = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"}


class Logind:
    """As much of logind as inhibitors of a suspend need. delays: whether it grants them."""

    def __init__(self, bus=None, delays=True):
        self.bus, self.delays = bus or SessionBus(), delays
        self.asked, self.held, self.stopping = [], [], False
        self.connection = Bus(self.bus.address)
        self.connection.own(LOGIND)
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def env(self):
        return {"DBUS_SYSTEM_BUS_ADDRESS": self.bus.address}

    def close(self):
        self.stopping = True
        self.thread.join(5)
        self.connection.close()
        for s in self.held:
            s.close()

    def _serve(self):
        while not self.stopping:
            with self.lock:
                try:
                    m = self.connection.next(0.02)
                except ConnectionError:
                    return
                if m is not None and m.kind == CALL:
                    self._answer(m)
            time.sleep(0.002)

    def _answer(self, m):
        self.asked.append((m.member, tuple(m.body)))
        if m.member != "Inhibit" or not self.delays:
            self.connection.refuse(m, "org.freedesktop.DBus.Error.AccessDenied")
            return
        ours, theirs = socket.socketpair()
        self.connection.answer(m, "h", [0], fds=[theirs.fileno()])
        theirs.close()
        self.held.append(ours)

    def waits(self):
        """How many inhibitors are held: their other ends are open."""
        def is_open(s):
            s.setblocking(False)
            try:
                return s.recv(1) != b""
            except BlockingIOError:
                return True
        return sum(is_open(s) for s in self.held)

    def says(self, begins):
        with self.lock:
            self.connection.send(SIGNAL, "b", [begins], path=PATH, interface=MANAGER, member="PrepareForSleep")

    def sleep(self):
        """Says that the machine sleeps now, and gives when the last inhibitor was gone, in seconds."""
        began = time.monotonic()
        self.says(True)
        within(PATIENCE_S, lambda: self.waits() == 0, "the machine may sleep")
        return time.monotonic() - began


def _watched(logind, locks=True, word="before the machine sleeps"):
    home = furnished()
    home.stop()
    home.start(env=logind.env())
    within(PATIENCE_S, lambda: word in home.status()["suspend"]["words"], f"status says {word}")
    equal(home.status()["suspend"]["locks"], locks, "locks")
    return home


@case
def the_library_is_locked_before_the_machine_sleeps_and_unattended_reads_go_on():
    logind = Logind()
    home = _watched(logind)
    equal(logind.asked[0], ("Inhibit", ("sleep", "memories", "locks the library", "delay")), "what logind was asked")
    for _ in range(2):
        within(PATIENCE_S, lambda: logind.waits() == 1, "an inhibitor")
        home.terminal.unlock().done()
        home.terminal.sudo().done()
        home.owner("unattended", "status").done()
        took = logind.sleep()
        # It was let go only after the keys were gone.
        s = home.status()
        equal((s["unlocked"], s["unattended_loaded"], s["manual_lock"]), (False, True, False), "state")
        check(took < 4, f"the machine waited {took:.1f} s")
        home.read(home.client, "read", home.main, home.memory["asset"]).done()
        home.owner("vault", "list").refused("locked")
        logind.says(False)
    within(PATIENCE_S, lambda: logind.waits() == 1, "an inhibitor for the next time")
    home.terminal.unlock().done()
    home.owner("unattended", "status").refused("sudo_required")
    home.stop()
    equal(logind.waits(), 0, "inhibitors after the daemon's end")
    logind.close()


@case
def where_there_is_no_bus_nothing_is_done_and_status_says_so():
    home = furnished()
    home.stop()
    home.start(env=NO_BUS)
    equal(home.status()["suspend"]["locks"], False, "locks")
    check("does not lock" in home.status()["suspend"]["words"], f"{home.status()['suspend']}")
    within(PATIENCE_S, lambda: not _watchers(home), "end of the watcher")
    check("suspend    the library does not lock" in home.cli("status", json=False).done().out.decode(), "for people")


def _watchers(home):
    return [p for p, name in home.processes().items() if name == "sleep"]


@process_only
def where_there_is_a_bus_and_no_logind_status_says_so_until_it_comes():
    bus = SessionBus()
    home = furnished()
    home.stop()
    home.start(env={"DBUS_SYSTEM_BUS_ADDRESS": bus.address})
    within(PATIENCE_S, lambda: "no logind" in home.status()["suspend"]["words"], "status says so")
    logind = Logind(bus)
    within(PATIENCE_S, lambda: home.status()["suspend"]["locks"], "it locks")
    home.terminal.unlock().done()
    logind.sleep()
    equal(home.status()["unlocked"], False, "unlocked")
    logind.close()
    within(PATIENCE_S, lambda: not home.status()["suspend"]["locks"], "it says that logind is gone")
    logind = Logind(bus)
    within(PATIENCE_S, lambda: logind.waits() == 1, "an inhibitor of the new one")
    logind.close()


@process_only
def a_logind_that_does_not_let_it_wait_is_heard_all_the_same():
    logind = Logind(delays=False)
    home = _watched(logind, word="does not let it wait")
    home.terminal.unlock().done()
    logind.says(True)
    within(PATIENCE_S, lambda: not home.status()["unlocked"], "locked")
    logind.close()


@process_only
def a_watcher_that_dies_comes_again():
    logind = Logind()
    home = _watched(logind)
    home.terminal.unlock().done()
    pid, = _watchers(home)
    os.kill(pid, signal.SIGKILL)
    within(PATIENCE_S, lambda: len(logind.held) == 2 and logind.waits() == 1, "an inhibitor of the next one")
    logind.sleep()
    equal(home.status()["unlocked"], False, "unlocked")
    pid, = _watchers(home)
    home.kill()
    within(PATIENCE_S, lambda: parent_of(pid) == 0, "its end with the supervisor")
    equal(logind.waits(), 0, "inhibitors")
    logind.close()


@process_only
def a_core_that_is_gone_holds_the_machine_up_for_a_few_seconds_at_most():
    logind = Logind()
    home = _watched(logind)
    os.kill(home.process("core"), signal.SIGSTOP)
    took = logind.sleep()
    check(1 < took < 12, f"the machine waited {took:.1f} s")
    os.kill(home.process("core"), signal.SIGKILL)
    logind.close()


@process_only
def who_starts_the_watcher_by_hand_gets_nothing_from_it():
    for argv in (["sleep-process"], ["sleep-process", "1"]):
        r = program(*argv)
        equal((r.code, r.error), (2, "usage"), f"{r}")


@case
def no_assistant_is_answered_once_the_machine_may_sleep():
    logind = Logind()
    home = endpoint()
    a = connected(home)
    home.stop()
    home.start(env=logind.env())
    within(PATIENCE_S, lambda: home.status()["suspend"]["locks"], "a watch on sleep")
    home.terminal.unlock().done()
    serving(home)
    askers = Askers(a)
    logind.sleep()
    equal({x.status for x in askers.end()}, {503}, "what is answered after that")
    equal((home.status()["profile"], healthz(home).status), ("locked", 503), "state")
    logind.says(False)
    home.terminal.unlock_soon()
    serving(home)
    check(a.lives(), "the token lives on")
    logind.close()


if __name__ == "__main__":
    main()
