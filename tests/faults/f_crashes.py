#!/usr/bin/env python3
"""f: crashes: a recorded run is rebuilt at each of its syncs with what was not synced dropped at random.

FAULTS_STATES (1000) states are checked by the replayer, FAULTS_DAEMONS (6) of them by starting the real daemon. As many
of the remote profile's databases alone are checked by faults_remote.
FAULTS_SEED (1) chooses which sectors are lost."""
import os
import subprocess
import tempfile

from faults import REMOTE, REPLAY, SHIM, SMALL_LOG, FaultHome, copy_home
from harness import PASSWORD, at_end, case, check, equal, main, process_only, remove
from scenario import Scenario, facts

STATES = int(os.environ.get("FAULTS_STATES", 1000))
DAEMONS = int(os.environ.get("FAULTS_DAEMONS", 6))
JOBS = os.cpu_count() or 1
SEED = os.environ.get("FAULTS_SEED", "1")


class Recorded:
    """A recorded run of the scenario: its home before and after, and what its client knows."""

    def __init__(self):
        home = self.home = FaultHome(clients=True, record=True)
        home.init().done()
        home.start(*SMALL_LOG)
        home.terminal.unlock().done()
        home.terminal.enable(more=[("Sudo password: ", PASSWORD)]).done()
        home.main = home.vault("main")
        home.grant, home.client = home.mint(home.main)
        home.stop()
        self.base, self.final = home.side("base"), home.side("final")
        copy_home(home.path, self.base)
        self.recording = home.recording.path
        os.truncate(self.recording, 0)
        home.plan.slow_syncs(4000)
        home.start(*SMALL_LOG)
        home.terminal.unlock().done()
        home.terminal.sudo().done()
        self.scenario = Scenario(home).all(200)
        home.stop()
        copy_home(home.path, self.final)
        self.expect = home.side("expect", "\n".join(facts(self.scenario)) + "\n")

    def replay(self, work, *what):
        return subprocess.Popen([REPLAY, self.base, self.recording, self.expect, self.final, work, str(STATES), SEED,
                                 *map(str, what)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _in_memory(name):
    """A folder where states are built: in memory if there is such a place."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    path = tempfile.mkdtemp(prefix="memories-faults-", dir=base)
    at_end(lambda: remove(path))
    return os.path.join(path, name)


@process_only
def every_crash_of_a_recorded_run_keeps_what_was_acknowledged():
    run = Recorded()
    parts = [run.replay(_in_memory("home"), "check", i, JOBS) for i in range(JOBS)]
    for p in parts:
        said = p.communicate()[0]
        print("        " + (said.splitlines() or ["nothing said"])[-1], flush=True)
        equal(p.returncode, 0, f"replay: {said[-1500:]}")
    _daemons(run)


def _daemons(run):
    """The real daemon starts on some of those states, and delivers what was acknowledged."""
    home = run.home
    home.plan.slow_syncs(0)
    home.under.pop("FAULTS_RECORD")
    home.recording = None
    for i in range(DAEMONS):
        number = (2 * i + 1) * STATES // (2 * DAEMONS)
        remove(home.path)
        p = run.replay(home.path, "build", number)
        said = p.communicate()[0]
        check(p.returncode == 0 and said.startswith("built"), f"state {number}: {said}")
        event = int(said.splitlines()[0].split()[-1])
        _serves(run, number, event)


def _known_at(run, event):
    known = [line.split() for line in open(run.expect)]
    return [k for k in known if int(k[0]) <= event]


def _serves(run, number, event):
    home, known = run.home, _known_at(run, event)
    # What the client remembers of the log's end is of a later time than this crash.
    home.under["XDG_STATE_HOME"] = home.side(f"state-{number}")
    home.start(*SMALL_LOG)
    home.terminal.unlock_soon()
    home.terminal.sudo().done()
    home.owner("unattended", "resume")
    added = {k[3]: k[4] for k in known if k[1] == "added"}
    begun = {k[2] for k in known if k[1] == "begun"}
    listed, offset = [], 0
    while offset is not None:
        page = home.owner("asset", "list", home.main, "--offset", offset).given()
        listed += page["assets"]
        offset = page["next"]
    shown = {a["asset"]: a["revision"] for a in listed}
    check(set(added) <= set(shown), f"state {number}: acknowledged and lost: {set(added) - set(shown)}")
    check(set(shown.values()) <= begun, f"state {number}: shown and never asked for")
    for asset, _, kind, _ in run.scenario.assets:
        content = run.scenario.contents.get(shown.get(asset))
        if asset in shown and int(asset[-1], 16) % 4 == 0:
            r = home.owner("asset", "show", home.main, asset, json=False)
            check(r.code == 0 and (b"Ottawa" if kind == "card" else content) in r.out, f"state {number}: {kind} {asset}: {r}")
    records = {r["index"]: r for r in home.records()}
    for k in known:
        if k[1] == "delivered":
            r = records.get(int(k[2]))
            check(r and r["type"] == "intent", f"state {number}: record {k[2]} of a delivery: {r}")
    home.stop()
    home.verify("--full").done()


@case
def every_crash_of_the_profile_and_of_a_connection_keeps_whole_steps():
    folder = _in_memory("")
    home, base, recording = (os.path.join(folder, name) for name in ("home", "base", "recording"))
    subprocess.run([REMOTE, "make", home], check=True)
    copy_home(home, base)
    open(recording, "wb").close()
    subprocess.run([REMOTE, "record", home, recording], check=True, env={
        **os.environ, "LD_PRELOAD": SHIM, "FAULTS_HOME": os.path.realpath(home), "FAULTS_RECORD": recording})
    r = subprocess.run([REMOTE, "crashes", base, recording, os.path.join(folder, "work"), str(STATES), SEED],
                       capture_output=True, text=True)
    print("        " + (r.stdout.splitlines() or ["nothing said"])[-1], flush=True)
    equal(r.returncode, 0, f"faults_remote: {r.stdout[-1500:]}")
    check(int(r.stdout.split()[-7]) * 3 > STATES, "hardly a state with something not synced")


if __name__ == "__main__":
    main()
