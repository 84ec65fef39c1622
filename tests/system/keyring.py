"""A session bus of one's own with a real gnome-keyring-daemon on it, and what may stand between it and a client."""
import os
import shutil
import signal
import subprocess
import threading
import time

from dbus import CALL, DBUS, ERROR, RETURN, Bus, Refused, Variant
from harness import Skip, at_end, check, temp_dir, within

NAME, ROOT = "org.freedesktop.secrets", "/org/freedesktop/secrets"
LOGIN = ROOT + "/collection/login"
SECRET = "org.freedesktop.Secret."

# What a client that never asks anybody does not call. Service.SearchItems opens a dialog in KeePassXC.
FORBIDDEN = {("Service", "Unlock"), ("Service", "LockService"), ("Service", "SearchItems"), ("Service", "GetSecrets"),
             ("Prompt", "Prompt"), ("Prompt", "Dismiss"), ("Service", "CreateCollection"),
             ("Service", "ChangeLock"), ("Service", "SetAlias")}


def needs(*programs):
    for p in programs:
        if shutil.which(p) is None:
            raise Skip(f"no {p} here (tools/packages-test)")


class SessionBus:
    """dbus-daemon, with nothing that it could start by itself."""

    CONFIG = """<busconfig><type>session</type><listen>unix:path={dir}/bus</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
    </policy></busconfig>"""

    def __init__(self):
        needs("dbus-daemon")
        self.dir = temp_dir()
        self.address = f"unix:path={self.dir}/bus"
        config = os.path.join(self.dir, "bus.conf")
        with open(config, "w") as f:
            f.write(self.CONFIG.format(dir=self.dir))
        self.process = subprocess.Popen(["dbus-daemon", "--config-file", config, "--nofork", "--nopidfile",
                                         "--print-address=1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        at_end(self.close)
        check(self.process.stdout.readline(), "dbus-daemon did not start")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def env(self):
        """For a daemon that is to use this bus."""
        return {"DBUS_SESSION_BUS_ADDRESS": self.address, "XDG_RUNTIME_DIR": self.dir}


class Keyring:
    """gnome-keyring-daemon on a session bus, with a folder of its own."""

    def __init__(self, bus=None, password="open sesame"):
        needs("gnome-keyring-daemon")
        self.bus = bus or SessionBus()
        self.password, self.home, self.process = password, temp_dir(), None
        at_end(self.kill)
        self.start()

    def start(self, unlock=True):
        env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        env |= {"HOME": self.home, "XDG_DATA_HOME": os.path.join(self.home, "data"), **self.bus.env()}
        self.process = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets", *(["--unlock"] if unlock else [])],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        self.process.stdin.write(self.password.encode() if unlock else b"")
        self.process.stdin.close()
        within(20, self._serves, "the keyring's name on the bus")
        return self

    def _serves(self):
        with_bus = Bus(self.bus.address)
        try:
            return with_bus.call(*DBUS, "NameHasOwner", "s", [NAME])[0]
        finally:
            with_bus.close()

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self):
        """It holds still, and answers nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def restart(self, unlock=True):
        self.kill()
        return self.start(unlock)

    def call(self, path, interface, member, signature="", args=()):
        bus = Bus(self.bus.address)
        try:
            return bus.call(NAME, path, SECRET + interface, member, signature, args)
        finally:
            bus.close()

    def lock(self):
        self.call(ROOT, "Service", "Lock", "ao", [[LOGIN]])

    def file(self):
        return os.path.join(self.home, "data", "keyrings", "login.keyring")

    def items(self, application="memories"):
        return self.call(LOGIN, "Collection", "SearchItems", "a{ss}", [{"application": application}])[0]

    def attributes(self, item):
        bus = Bus(self.bus.address)
        try:
            return bus.call(NAME, item, "org.freedesktop.DBus.Properties", "Get", "ss", [SECRET + "Item", "Attributes"])[0]
        finally:
            bus.close()

    def _session(self, bus):
        return bus.call(NAME, ROOT, SECRET + "Service", "OpenSession", "sv", ["plain", Variant("s", "")])[1]

    def secret(self, item):
        bus = Bus(self.bus.address)
        try:
            return bus.call(NAME, item, SECRET + "Item", "GetSecret", "o", [self._session(bus)])[0][2]
        finally:
            bus.close()

    def set_secret(self, item, value):
        bus = Bus(self.bus.address)
        try:
            bus.call(NAME, item, SECRET + "Item", "SetSecret", "(oayays)",
                     [(self._session(bus), b"", value, "text/plain")])
        finally:
            bus.close()

    def add(self, attributes, value):
        bus = Bus(self.bus.address)
        try:
            properties = {SECRET + "Item.Label": Variant("s", "second"),
                          SECRET + "Item.Attributes": Variant("a{ss}", attributes)}
            bus.call(NAME, LOGIN, SECRET + "Collection", "CreateItem", "a{sv}(oayays)b",
                     [properties, (self._session(bus), b"", value, "text/plain"), False])
        finally:
            bus.close()


class Relay:
    """
    Stands on a bus of its own as the Secret Service and passes every call on to
    a real one. Keeps what was called. before: {member: function(relay, message)}
    runs first; what is true then is the answer, as (signature, arguments), or
    an error's name.
    """

    def __init__(self, keyring=None):
        self.keyring, self.bus = keyring, SessionBus()
        self.calls, self.before, self.stopping = [], {}, False
        self.front = Bus(self.bus.address)
        self.back = Bus(keyring.bus.address) if keyring is not None else None
        self.front.own(NAME)
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()
        at_end(self.close)

    def close(self):
        self.stopping = True
        self.thread.join(5)
        self.front.close()
        if self.back is not None:
            self.back.close()

    def env(self):
        return self.bus.env()

    def members(self):
        return [m for _, m in self.calls]

    def check(self):
        """Nothing was called that could ask somebody, and something was called at all."""
        bad = [c for c in self.calls if c in FORBIDDEN]
        check(not bad, f"called {bad}")
        check(("Service", "OpenSession") in self.calls, f"nothing was asked: {self.calls}")

    def _serve(self):
        while not self.stopping:
            try:
                m = self.front.next(0.05)
            except ConnectionError:
                return
            if m is None or m.kind != CALL:
                continue
            self.calls.append(((m.interface or "").removeprefix(SECRET), m.member))
            hook = self.before.get(m.member)
            answer = hook(self, m) if hook is not None else None
            if answer == "never":
                continue
            if isinstance(answer, str):
                self.front.refuse(m, answer)
            elif answer is not None:
                self.front.answer(m, *answer)
            else:
                self._pass_on(m)

    def _pass_on(self, m):
        serial = self.back.send(CALL, m.signature, raw=m.raw, destination=NAME, path=m.path, interface=m.interface,
                                member=m.member)
        end = time.monotonic() + 10
        while time.monotonic() < end:
            r = self.back.receive(0.5)
            if r is None or r.reply_to != serial:
                continue
            if r.kind == ERROR:
                self.front.refuse(m, r.error)
            else:
                self.front.send(RETURN, r.signature, raw=r.raw, reply_serial=m.serial, destination=m.sender)
            return


__all__ = ["Keyring", "Relay", "SessionBus", "Refused", "LOGIN", "ROOT", "SECRET", "NAME", "FORBIDDEN"]
