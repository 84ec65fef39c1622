"""A library whose daemon meets one fault after another, and what its client knows of it: the oracle of the
scripts that hurt a running daemon."""
import contextlib
import os
import random
import threading

from faults import SMALL_LOG, FaultHome
from documented import check_documented
from harness import PASSWORD, Failed, check, data_of, within

# After these an add may have been done, or not.
UNKNOWN = {"interrupted", "timeout", "storage_failed", "audit_timeout", "daemon_not_running", "no_memory", "internal"}


class Worker:
    """n is its name. Operations are checked as they end, and all of them again at the end."""

    def __init__(self, n, seed=1, home=None):
        self.n, self.random = n, random.Random(f"{seed}-{n}")
        home = self.home = home or FaultHome()
        home.init().done()
        home.start(*SMALL_LOG)
        home.terminal.unlock().done()
        home.terminal.enable(more=[("Sudo password: ", PASSWORD)]).done()
        home.main = home.vault("main")
        home.grant, home.client = home.mint(home.main)
        self.content = {}    # of assets whose add was acknowledged
        self.doubtful = set()  # contents of adds that may have been done
        self.answers, self.hits, self.problem = [], 0, None
        self.revoked, self.granted = [], []
        self.add(b"the first")

    def add(self, content):
        r = self.home.owner("asset", "add", self.home.main, "-", "--kind", "memory", input=content)
        check_documented(r)
        if r.code == 0:
            self.content[r.json["asset"]] = content
        elif r.error in UNKNOWN:
            self.doubtful.add(content)
        return r

    def read(self, asset=None):
        asset = asset or self.random.choice(sorted(self.content))
        r = self.home.read(self.home.client, "read", self.home.main, asset)
        check_documented(r)
        if r.code == 0:
            check(self.content[asset] in data_of(r.json), f"other bytes: {r}")
            self.answers.append((asset, r.json))
        else:
            check(self.content[asset] not in r.out + r.err, f"bytes in a refusal: {r}")
        return r

    def back(self):
        """Nothing goes wrong any more: the daemon serves again by itself."""
        within(15, lambda: self.read().code == 0, f"a read after the fault; {self.home.tail()}")
        if not self.home.status()["unlocked"]:
            self.home.terminal.unlock_soon()
        self._sudo_within(10)

    def _sudo_within(self, seconds):
        """While parts of the daemon may still be coming, when it may end before it asks."""
        def granted():
            with contextlib.suppress(Failed):
                return self.home.terminal.sudo().code == 0
        within(seconds, granted, "sudo")

    def mint_and_revoke(self, name):
        """A grant that is given and taken: once that was acknowledged it opens nothing."""
        path = os.path.join(self.home.clients, name)
        r = self.home.owner("unattended", "mint", "--vault", self.home.main, "--client-file", path)
        check_documented(r)
        check((r.code == 0) == os.path.exists(path), f"a client file, or none, beside {r}")
        if r.code != 0:
            return
        grant = r.json["grant"]
        r = self.home.owner("unattended", "revoke", grant)
        check_documented(r)
        if r.code == 0:
            self.revoked.append(path)

    def lock(self):
        """A lock that was acknowledged ends reads at once, whatever happens meanwhile."""
        r = self.home.owner("lock")
        check_documented(r)
        if r.code == 0:
            r = self.home.read(self.home.client, "list", self.home.main)
            check(r.code != 0, f"a read after the lock: {r}")
        return r.code == 0

    def resume(self):
        """Nothing goes wrong any more: out of a lock."""
        self.home.terminal.unlock_soon()
        self._sudo_within(15)
        within(15, lambda: self.home.owner("unattended", "resume").code == 0, "resume")
        self.home.restart(*SMALL_LOG)
        self.home.terminal.unlock_soon()
        self.home.terminal.sudo().done()

    def end(self):
        home = self.home
        shown, offset = {}, 0
        while offset is not None:
            page = home.owner("asset", "list", home.main, "--offset", offset).given()
            shown.update({a["asset"]: a for a in page["assets"]})
            offset = page["next"]
        check(set(self.content) <= set(shown), f"acknowledged and lost: {set(self.content) - set(shown)}")
        for asset in set(shown) - set(self.content):
            body = home.owner("asset", "show", home.main, asset, json=False).done().out
            check(any(c in body for c in self.doubtful), f"an asset that nobody was told of: {body[:60]}")
        for asset, content in self.content.items():
            check(content in home.owner("asset", "show", home.main, asset, json=False).done().out, f"content of {asset}")
        records = {r["index"]: r for r in home.records()}
        for asset, a in self.answers:
            r = records.get(a["audit"]["index"])
            check(r and (r["type"], r["asset"], r["revision"]) == ("intent", asset, a["revision"]),
                  f"an answer without its record: {a['audit']}, {r}")
        check(len({a["audit"]["index"] for _, a in self.answers}) == len(self.answers), "a record for two answers")
        for path in self.revoked:
            r = home.read(path, "list", home.main)
            check(r.code != 0, f"a revoked grant reads: {r}")
        home.stop()
        home.verify("--full").done()
        self.no_canaries()

    def no_canaries(self):
        """What was stored stands nowhere outside the processes that asked."""
        for folder, _, names in os.walk(self.home.dir):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    with open(path, "rb") as f:
                        check(b"canary" not in f.read(), f"plaintext in {path}")

    def go(self, rounds):
        """Does all rounds and the last checks; what was wrong is kept in problem, for this runs in threads."""
        try:
            for name, what in rounds:
                self.now = name
                what()
            self.now = "the end"
            self.end()
        except Exception as e:  # of whatever kind: it is reported by the main thread
            self.problem = f"{self.n}, {getattr(self, 'now', '')}: {type(e).__name__}: {e}"


def all_go(workers, rounds):
    """rounds(worker) gives the rounds of one; all workers side by side."""
    threads = [threading.Thread(target=w.go, args=(rounds(w),)) for w in workers]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for w in workers:
        if w.problem:
            raise Failed(w.problem)
