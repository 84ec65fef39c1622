#!/usr/bin/env python3
"""a: the log's epochs end while reads go on, and a log of many epochs opens from its seal."""
import os
import signal
import threading

from harness import PATIENCE_S, check, case, equal, furnished, main, process_only, within

SHORT = ("--test-log-epoch", "5")


def _read_at_once(home, threads=3, each=40):
    """Reads from several askers; none may be refused."""
    failed = []

    def reads():
        for _ in range(each):
            r = home.read(home.client, "list", home.main)
            if r.code != 0:
                failed.append(r)
    workers = [threading.Thread(target=reads) for _ in range(threads)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    equal(failed, [], "reads while epochs end")


def _epochs(home):
    """Records of the log that begin, certify or end an epoch."""
    return sum(r["type"] == "epoch" for r in home.records())


def _reads(home):
    row = home.unattended_status()["grants"][0]
    return row["reads"], row["last_used_at"]


@case
def no_read_is_refused_while_epochs_end():
    home = furnished(*SHORT)
    before = _epochs(home)
    _read_at_once(home)
    after = _epochs(home)
    check(after > before + 15, f"{after} epochs after {before}: the case tests nothing")
    # By the unattended key's delegate, too.
    home.restart(*SHORT)
    before = after
    _read_at_once(home)
    home.terminal.unlock().done()
    after = _epochs(home)
    check(after > before + 15, f"{after} epochs after {before} with the delegate")
    home.stop()
    home.verify("--full").done()


@case
def a_log_of_many_epochs_opens_from_its_seal():
    home = furnished(*SHORT)
    home.terminal.sudo().done()
    _read_at_once(home, threads=1, each=30)
    reads = _reads(home)
    check(reads[0] >= 30, f"{reads} reads")
    home.stop()
    seals = sorted(os.listdir(home.file("audit", "seal")))
    equal(len(seals), 2, "seals")
    # Damage before the seal is not met when it opens, and verify still finds it.
    with open(home.file("audit", "seg", "0000000001.seg"), "r+b") as f:
        f.seek(300)
        old = f.read(1)
        f.seek(300)
        f.write(bytes([old[0] ^ 1]))
        f.flush()
        home.start(*SHORT)
        home.terminal.unlock().done()
        home.terminal.sudo().done()
        equal(_reads(home), reads, "reads of the grant")
        equal(home.verify().code, 1, "exit code of verify")
        f.seek(300)
        f.write(old)
        f.flush()
    home.verify("--full").done()
    # Without its seals it is the same.
    home.stop()
    for name in os.listdir(home.file("audit", "seal")):
        os.unlink(home.file("audit", "seal", name))
    home.start(*SHORT)
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    equal(_reads(home), reads, "reads of the grant, counted from the first record")


def _use_by_log(home):
    """{grant: (reads, time of the last)} as the log's records say."""
    use = {}
    for r in home.records():
        if r["type"] == "intent" and r["subject_kind"] == "grant":
            use[r["subject"]] = (use.get(r["subject"], (0, None))[0] + 1, r["time"])
    return use


def _use_by_status(home):
    return {g["grant"]: (g["reads"], g["last_used_at"]) for g in home.unattended_status()["grants"] if g["reads"]}


@case
def each_grant_keeps_its_own_count_over_epochs_restarts_and_kills():
    home = furnished(*SHORT)
    _, other = home.mint(home.main, home.other)
    home.mint(home.other)
    for round_ in range(3):
        for n in range(8):
            home.read(home.client, "list", home.main).done()
            if n % 3 == round_:
                home.read(other, "read", home.main, home.memory["asset"]).done()
        by_log = _use_by_log(home)
        equal(len(by_log), 2, "grants that read")
        equal(_use_by_status(home), by_log, f"round {round_}")
        if round_ == 1:
            home.kill()
            home.start(*SHORT)
        else:
            home.restart(*SHORT)
        home.terminal.unlock().done()
        home.terminal.sudo().done()
        equal(_use_by_status(home), by_log, f"round {round_}, after it began anew")


@process_only
def an_audit_killed_while_epochs_end_comes_back_whole():
    home = furnished(*SHORT)
    for _ in range(4):
        stop = threading.Event()

        def reads():
            while not stop.is_set():
                home.read(home.client, "list", home.main)
        worker = threading.Thread(target=reads)
        worker.start()
        try:
            before = _epochs(home)
            within(PATIENCE_S, lambda: _epochs(home) > before + 1, "epochs")
            os.kill(home.process("audit"), signal.SIGKILL)
        finally:
            stop.set()
            worker.join()
        within(PATIENCE_S, lambda: home.read(home.client, "list", home.main).code == 0, "a read")
    home.stop()
    home.verify("--full").done()


if __name__ == "__main__":
    main()
