#!/usr/bin/env python3
"""a: nothing leaves before its record is durable; what the log then says."""
import base64
import json
import os
import shutil
import subprocess
import sys
import threading

from harness import (FILE, HERE, NO_ID, ONE_PROCESS, PATIENCE_S, Failed, Skip, case, check, data_of, equal, furnished,
                     library, main, program, within)
from traces import check_order, events


def _audited(body):
    """Runs body on a traced library, then checks the order and the log."""
    home = furnished("--trace")
    body(home)
    home.stop()
    answers = check_order(home.trace())
    size = home.verify("--full").given()["size"]
    with open(home.file("audit", "checkpoint"), encoding="utf-8") as note:
        equal(int(note.read().split("\n")[1]), size, "what the checkpoint of a clean stop covers")
    return home, answers


def _every_read(home):
    home.read(home.client, "list", home.main).done()
    home.read(home.client, "history", home.main, home.memory["asset"]).done()
    home.read(home.client, "read", home.main, home.memory["asset"]).done()
    home.read(home.client, "credential-bytes", home.main, home.secret["asset"]).done()
    home.whole(home.client, "read", home.main, home.big["asset"])


@case
def every_answer_follows_its_durable_mark():
    home, answers = _audited(_every_read)
    check(len(answers) >= 8, f"only {len(answers)} answers in the trace")


@case
def every_owners_read_follows_its_durable_mark_too():
    def body(home):
        home.owner("asset", "list", home.main).done()
        home.owner("asset", "show", home.main, home.big["asset"], json=False).done()
        home.owner("asset", "show", home.main, home.secret["asset"]).done()
        home.owner("vault", "list").done()
    home, answers = _audited(body)
    check(len(answers) >= 10, f"only {len(answers)} answers in the trace")


@case
def answers_follow_their_marks_under_parallel_reads():
    def body(home):
        def read(n):
            for i in range(12):
                home.read(home.client, "read", home.main, home.big["asset"], "--offset", (n * 12 + i) * 1000)
        threads = [threading.Thread(target=read, args=(n,)) for n in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    home, answers = _audited(body)
    check(len(answers) >= 96, f"only {len(answers)} answers in the trace")
    equal(len(set(answers.values())), len(answers), "places in the log")


@case
def a_ticket_goes_by_no_other_way_than_through_audit():
    home, _ = _audited(_every_read)
    hops = {(e[1], e[2], e[3]) for e in events(home.trace()) if e[0] == "sent"}
    check(("keyring", "audit", "AUDIT_INTENT") in hops and ("audit", "gate", "AUDIT_ACK") in hops, f"hops: {hops}")
    from_keyring = {h[2] for h in hops if h[0] == "keyring" and h[1] in ("gate", "client", "vault")}
    equal(from_keyring - {"BOOT", "KEYS_REFUSED"}, set(), "what the keyring says to those who must not hear tickets")


@case
def the_check_of_the_order_finds_a_missing_and_a_late_mark():
    home, _ = _audited(lambda home: home.read(home.client, "list", home.main).done())
    trace = home.trace()
    marks = [i for i, line in enumerate(trace) if " DURABLE " in line]
    late = trace[:marks[-1]] + trace[marks[-1] + 1:] + [trace[marks[-1]]]
    for bad in ([line for i, line in enumerate(trace) if i != marks[-1]], late):
        try:
            check_order(bad)
        except Failed:
            continue
        raise Failed("a trace without its mark passed")


@case
def a_trace_names_no_title_and_no_content():
    home, _ = _audited(_every_read)
    text = "\n".join(home.trace())
    for word in ("Shopping", "Bank", "photo", "main"):
        check(word not in text, f"{word!r} is in the trace")


# What the log says

def _record_of(answer, records):
    return records[answer["audit"]["index"]]


@case
def every_read_has_its_record():
    home = furnished()
    _, client = home.mint(home.other)
    asks = [(home.client, "list", [home.main], [], 0, 5), (home.client, "history", [home.main, home.memory["asset"]], [], 0, 1),
            (home.client, "list", [home.main], ["--offset", 1, "--limit", 2], 1, 2),
            (home.client, "read", [home.main, home.card["asset"]], [], 0, None),
            (home.client, "read", [home.main, home.big["asset"]], [], 0, 65536),
            (home.client, "read", [home.main, home.big["asset"]], ["--offset", 65530, "--limit", 100], 65530, 100),
            (home.client, "read", [home.main, home.big["asset"]], ["--offset", len(FILE) - 7], len(FILE) - 7, 7),
            (home.client, "credential-bytes", [home.main, home.secret["asset"]], [], 0, None),
            (client, "read", [home.other, home.apart["asset"]], [], 0, None)]
    answers = [home.read(c, op, *args, *map(str, options)).given() for c, op, args, options, _, _ in asks]
    records = home.records()
    equal([r["index"] for r in records], list(range(len(records))), "places in the log")
    grants = {home.client: home.grant}
    for a, (c, op, args, options, offset, length) in zip(answers, asks):
        r = _record_of(a, records)
        equal((r["type"], r["outcome"], r["surface"], r["subject_kind"]), ("intent", "done", "cli", "grant"), f"{r}")
        equal(r["operation"].replace("_", "-"), op, f"operation of {r}")
        if c in grants:
            equal(r["subject"], grants[c], f"grant of {r}")
        equal(r["vault"], args[0], f"vault of {r}")
        if op != "list":
            equal(r["asset"], args[1], f"asset of {r}")
        equal(r["offset"], offset, f"offset of {r}")
        equal(r["length"], len(data_of(a)) if length is None else length, f"length of {r}")
        if op in ("read", "credential-bytes"):
            equal(r["revision"], a["revision"], f"revision of {r}")


@case
def the_record_of_a_range_names_the_chunks_that_it_opened():
    home = furnished()
    for offset, limit, first, n in ((0, 1, 0, 1), (65535, 2, 0, 2), (65536, 65536, 1, 1), (131071, 65536, 1, 2)):
        a = home.read(home.client, "read", home.main, home.big["asset"], "--offset", offset, "--limit", limit).given()
        r = _record_of(a, home.records())
        equal((r["first_chunk"], r["chunks"]), (first, n), f"chunks of {offset}+{limit}")


@case
def the_record_of_a_page_names_every_asset_and_revision_on_it():
    home = furnished()
    a = home.read(home.client, "list", home.main).given()
    r = _record_of(a, home.records())
    equal(sorted((x["asset"], x["revision"]) for x in r["rows"]), sorted((x["asset"], x["revision"]) for x in a["assets"]),
          "rows of the record")


@case
def the_status_counts_what_the_log_says():
    home = furnished()
    _every_read(home)
    reads = [r for r in home.records() if r["type"] == "intent" and r.get("subject") == home.grant]
    g = home.unattended_status()["grants"][0]
    equal(g["reads"], len(reads), "reads")
    home.restart()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    equal(home.unattended_status()["grants"][0]["reads"], len(reads), "reads after a restart")


@case
def a_refusal_is_recorded_for_those_who_had_a_right_to_ask():
    home = furnished()
    before = len(home.records())
    home.read(home.client, "list", home.other).refused("vault_not_granted")
    home.read(home.client, "read", home.main, NO_ID).refused("not_found")
    home.read(home.client, "read", home.main, home.secret["asset"]).refused("wrong_kind")
    home.read(home.client, "read", home.main, home.big["asset"], "--offset", 10**9).refused("offset_out_of_range")

    def reasons():
        new = [r for r in home.records()[before:] if r["type"] == "refusal"]
        return len(new) >= 4 and new
    new = within(PATIENCE_S, reasons, "four refusals in the log")
    equal([r["reason"] for r in new], ["vault_not_granted", "not_found", "wrong_kind", "offset_out_of_range"], "reasons")
    for r in new:
        equal((r["outcome"], r["subject"], r["surface"]), ("refused", home.grant, "cli"), f"{r}")
    home.verify("--full").done()


@case
def strangers_cannot_fill_the_log():
    home = furnished()
    with open(home.client) as f:
        content = json.load(f)
    path = os.path.join(home.clients, "stranger")
    with open(path, "w") as f:
        json.dump({**content, "token": "C" * 42 + "A"}, f)
    os.chmod(path, 0o600)
    before = len(home.records())
    for _ in range(60):
        home.read(path, "list", home.main).refused("invalid_grant")
    after = home.records()[before:]
    equal([r for r in after if r["type"] == "refusal"], [], "refusals of strangers in the log")
    check(len(after) < 10, f"{len(after)} new records")


@case
def bad_arguments_reach_no_log():
    home = furnished()
    size = home.status()["audit"]["size"]
    for _ in range(5):
        home.read(home.client, "list", "nonsense").refused("invalid_argument")
        home.read(home.client, "list", home.main, "--limit", 0).refused("invalid_argument")
    equal(home.status()["audit"]["size"], size, "size of the log")


@case
def no_name_no_title_and_no_content_is_in_the_records():
    home = furnished()
    _every_read(home)
    home.read(home.client, "read", home.main, NO_ID).refused("not_found")
    text = json.dumps(home.records(), ensure_ascii=False) + home.owner("audit", "show", json=False).done().out.decode()
    for word in ("Shopping", "Bank", "photo", "Diary", "milk", "Ottawa", "food", "x-raw"):
        check(word not in text, f"{word!r} is in the records")


# The log's own files

@case
def the_log_has_the_files_of_its_form_and_they_are_the_owners_alone():
    home = furnished()
    home.read(home.client, "list", home.main).done()
    home.stop()
    for name in ("seg", "key.pub", "anchor"):
        check(os.path.exists(home.file("audit", name)), f"audit/{name} is missing")
    for folder, _, files in os.walk(home.file("audit")):
        equal(os.stat(folder).st_mode & 0o777, 0o700, f"mode of {folder}")
        for name in files:
            equal(os.stat(os.path.join(folder, name)).st_mode & 0o077, 0, f"mode of {name}")


@case
def the_checkpoint_names_the_log_its_size_and_its_root():
    home = furnished()
    home.read(home.client, "list", home.main).done()
    home.stop()
    v = home.verify("--full").given()
    check(os.path.exists(home.file("audit", "checkpoint")), "there is no audit/checkpoint")
    with open(home.file("audit", "checkpoint"), encoding="utf-8") as f:
        lines = f.read().split("\n")
    equal(lines[0], "memories/" + v_library(home), "origin")
    equal((int(lines[1]), base64.b64decode(lines[2]).hex()), (v["size"], v["root"]), "size and root after a clean stop")
    equal(lines[3], "", "blank line")
    check(lines[4].startswith("— memories/"), f"signature line: {lines[4]!r}")


def v_library(home):
    with open(home.client) as f:
        return json.load(f)["library"]


@case
def status_and_verify_agree():
    home = furnished()
    _every_read(home)
    s, v = home.status()["audit"], home.verify().given()
    equal((s["size"], s["root"]), (v["size"], v["root"]), "size and root")


@case
def verify_needs_no_daemon_no_home_and_no_password():
    home = furnished()
    home.stop()
    v = home.verify().given()
    copy = home.side("copy")
    shutil.copytree(home.file("audit"), copy)
    equal(program("--json", "audit", "verify", copy).given(), v, "verdict on a copy")
    equal(program("--json", "audit", "verify", copy, "--full", "--key", home.file("audit", "key.pub")).given(), v,
          "verdict with the key named")


@case
def verify_finds_any_changed_byte_of_a_record():
    home = furnished()
    _every_read(home)
    home.stop()
    size = home.verify().given()["size"]
    seg = sorted(os.listdir(home.file("audit", "seg")))[0]
    with open(home.file("audit", "seg", seg), "rb") as f:
        data = f.read()
    used = len(data.rstrip(b"\0"))
    for at in range(120, used, max(1, used // 25)):
        copy = home.side(f"copy-{at}")
        shutil.copytree(home.file("audit"), copy)
        with open(os.path.join(copy, "seg", seg), "r+b") as f:
            f.seek(at)
            f.write(bytes([data[at] ^ 1]))
        r = program("--json", "audit", "verify", copy, "--full")
        check(r.code in (1, 3), f"byte {at} changed: {r}")
        if r.code == 1:
            equal(set(r.json), {"valid", "index", "reason"}, "members")
            check(r.json["valid"] is False and r.json["index"] <= size, f"{r}")
        shutil.rmtree(copy)


@case
def verify_finds_a_log_that_was_cut():
    home = furnished()
    _every_read(home)
    home.stop()
    copy = home.side("copy")
    shutil.copytree(home.file("audit"), copy)
    seg = sorted(os.listdir(os.path.join(copy, "seg")))[0]
    with open(os.path.join(copy, "seg", seg), "r+b") as f:
        data = f.read()
        used = len(data.rstrip(b"\0"))
        f.seek(used - 1500)
        f.write(b"\0" * 1500)
    r = program("--json", "audit", "verify", copy)
    check(r.code in (1, 3), f"{r}")


@case
def verify_of_an_earlier_copy_beside_its_later_anchor_has_diverged():
    home = furnished()
    home.stop()
    early = home.side("early")
    shutil.copytree(home.file("audit"), early)
    home.start()
    _every_read(home)
    home.stop()
    shutil.copy2(home.file("audit", "anchor"), os.path.join(early, "anchor"))
    r = program("--json", "audit", "verify", early)
    equal(r.code, 3, f"exit code of {r}")
    equal(r.error, "audit_diverged", f"{r}")


@case
def an_earlier_log_put_back_is_noticed_and_nothing_is_delivered():
    home = furnished()
    home.stop()
    early = home.side("early")
    shutil.copytree(home.file("audit"), early)
    home.start()
    home.terminal.unlock().done()
    home.add(home.main, "memory", "written later")
    home.stop()
    shutil.rmtree(home.file("audit"))
    shutil.copytree(early, home.file("audit"))
    home.start()
    r = home.read(home.client, "read", home.main, home.memory["asset"])
    equal((r.error in ("audit_tampered", "audit_diverged", "audit_unavailable"), r.code), (True, 74),
          f"a log that was rolled back alone delivers: {r}")


@case
def a_client_refuses_a_log_that_does_not_extend_the_one_it_saw():
    home = furnished()
    state = home.side("state")
    os.mkdir(state, 0o700)
    env = {"XDG_STATE_HOME": state}
    home.stop()
    early = home.side("early")
    shutil.copytree(home.path, early)
    home.start()
    for _ in range(3):
        home.read(home.client, "list", home.main, env=env).done()
    check(os.path.exists(os.path.join(state, "memories", v_library(home) + ".checkpoint")), "no checkpoint is remembered")
    home.stop()
    shutil.rmtree(home.path)
    shutil.copytree(early, home.path)
    home.start()
    home.read(home.client, "list", home.main, env=env).refused("audit_diverged", 74)


def _tampered(change):
    """A log changed from outside, under the running daemon: it is noticed, by the next read at the latest."""
    home = furnished()
    home.read(home.client, "list", home.main).done()
    change(home)
    r = home.read(home.client, "read", home.main, home.memory["asset"])
    # It may be noticed, and recovered from, before that read; in one process all ends and begins with the log.
    noticed = "audit_tampered" in home.tail()
    check(noticed or r.code == 74 and r.error.startswith("audit_") or r.code != 0 and ONE_PROCESS, f"{r}; {home.tail()}")
    return home


def _stays_refused(home):
    """Also once the log's process is back, and after a restart of all."""
    within(PATIENCE_S, lambda: home.status()["audit"]["state"] == "failed", "state of the log")
    for _ in range(2):
        r = home.read(home.client, "read", home.main, home.memory["asset"])
        check(r.error == "unattended_not_loaded" or r.error.startswith("audit_"), f"{r}")
        s = home.status()["audit"]
        equal((s["state"], s["healthy"]), ("failed", False), "state of the log")
        home.restart()


def _segment(home):
    return home.file("audit", "seg", sorted(os.listdir(home.file("audit", "seg")))[0])


@case
def a_deleted_segment_stops_reads():
    _stays_refused(_tampered(lambda home: os.unlink(_segment(home))))


@case
def a_segment_that_lost_records_stops_reads():
    def change(home):
        size = home.status()["audit"]["size"]

        def anchored():
            with open(home.file("audit", "anchor"), "rb") as f:
                return int.from_bytes(f.read()[4:12], "big") == size
        # It follows within a second or so.
        within(PATIENCE_S, anchored, "an anchor of the log's size")
        os.truncate(_segment(home), 900)
    _stays_refused(_tampered(change))


@case
def a_segment_that_lost_only_room_stops_one_read_and_is_recovered_from():
    home = _tampered(lambda home: os.truncate(_segment(home), 65536))
    within(PATIENCE_S, lambda: home.read(home.client, "list", home.main).code == 0, "a read after the recovery")
    home.stop()
    home.verify("--full").done()


@case
def a_replaced_segment_stops_reads():
    def change(home):
        path = _segment(home)
        with open(path, "rb") as f:
            data = f.read()
        os.unlink(path)
        with open(path, "wb", opener=lambda p, fl: os.open(p, fl, 0o600)) as f:
            f.write(data)
    _tampered(change)


@case
def a_chmod_of_a_segment_stops_reads():
    _tampered(lambda home: os.chmod(_segment(home), 0o644))


@case
def a_segment_moved_away_stops_reads():
    _tampered(lambda home: os.rename(_segment(home), home.side("moved.seg")))


@case
def a_log_that_is_gone_at_the_start_is_noticed_and_nothing_is_delivered():
    home = furnished()
    home.read(home.client, "list", home.main).done()
    home.stop()
    shutil.rmtree(home.file("audit"))
    home.start()
    r = home.read(home.client, "read", home.main, home.memory["asset"])
    check(r.code != 0, f"a log that was deleted as a whole is begun anew, and delivers: {r}")


# The other verifier

def _both(path):
    other = os.path.join(HERE, "verify_log.py")
    if not os.path.exists(other):
        raise Skip("tests/system/verify_log.py is not there")
    ours = program("--json", "audit", "verify", path, "--full")
    p = subprocess.run([sys.executable, other, "--full", path], capture_output=True, timeout=60)
    return ours, p


@case
def the_independent_verifier_agrees_on_a_whole_log():
    home = furnished()
    _every_read(home)
    home.owner("lock").done()
    home.restart()
    home.terminal.unlock().done()
    home.kill()
    home.start()
    home.stop()
    ours, p = _both(home.file("audit"))
    equal((p.returncode, json.loads(p.stdout)), (0, ours.given()), "verdict")


@case
def the_independent_verifier_agrees_on_a_damaged_log():
    home = furnished()
    _every_read(home)
    home.stop()
    seg = os.path.basename(_segment(home))
    with open(_segment(home), "rb") as f:
        used = len(f.read().rstrip(b"\0"))
    for at in (200, used // 3, used // 2, used - 100):
        copy = home.side(f"copy-{at}")
        shutil.copytree(home.file("audit"), copy)
        with open(os.path.join(copy, "seg", seg), "r+b") as f:
            f.seek(at)
            b = f.read(1)[0]
            f.seek(at)
            f.write(bytes([b ^ 0x80]))
        ours, p = _both(copy)
        equal(p.returncode, ours.code, f"exit codes on byte {at}: {ours} and {p.stdout!r}")
        if ours.code == 1:
            equal(json.loads(p.stdout)["index"], ours.json["index"], "first bad index")


@case
def a_log_over_many_small_segments_holds():
    home = furnished("--test-log-segment", "65536")
    for _ in range(3):
        home.restart("--test-log-segment", "65536")
    home.terminal.unlock().done()
    for i in range(400):
        home.read(home.client, "history", home.main, home.memory["asset"]).done()
    home.stop()
    check(len(os.listdir(home.file("audit", "seg"))) > 2, "too few segments: the case tests nothing")
    home.verify("--full").done()
    ours, p = _both(home.file("audit"))
    equal((p.returncode, json.loads(p.stdout)), (0, ours.given()), "verdict of the independent verifier")


if __name__ == "__main__":
    main()
