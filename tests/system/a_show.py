#!/usr/bin/env python3
"""a: `audit show`: what it shows, from where, of what, and what comes while it waits."""
import json
import os
import re
import select
import shutil
import signal
import subprocess
import time

from harness import (BIN, NO_ID, PATIENCE_S, TIME, UUID, case, check, environment, equal, furnished, library, main, program,
                     shape, shared, within)

RECORD = {"index": int, "time": TIME, "type": str, "outcome": ("done", "refused"), "surface": str,
          "subject_kind": str, "operation": str, "offset": int, "length": int, "ask": str, "epoch": UUID, ...: True}
SMALL = ["--test-log-segment", "65536"]


def busy():
    """A home with reads of two grants over several segments, and a copy of its log's folder."""
    home = library(*SMALL)
    home.other = home.vault("other")
    home.assets = [home.add(v, "memory", "hello")["asset"] for v in (home.main, home.other)]
    made = [home.mint(home.main), home.mint(home.other)]
    home.grants, home.clients_of = [g for g, _ in made], [c for _, c in made]
    for n in range(240):
        which = n % 3 == 0
        home.read(home.clients_of[which], "read", home.other if which else home.main, home.assets[which]).done()
    home.read(home.clients_of[0], "list", home.main).done()
    home.read(home.clients_of[0], "read", home.main, NO_ID)
    check(len(os.listdir(home.file("audit", "seg"))) > 2, "the log has one segment")
    home.all = home.records()
    home.copy = home.side("copy-of-log")
    shutil.copytree(home.file("audit"), home.copy)
    return home


def show(home, *options):
    return program("--json", "audit", "show", home.copy, *options).given()


def indices(page):
    return [r["index"] for r in page["records"]]


@case
def the_newest_records_come_oldest_first():
    home = shared(busy)
    size = len(home.all)
    page = show(home)
    shape(page, {"records": [RECORD], "offset": int, "next": None, "before": int})
    equal(indices(page), list(range(size - 100, size)), "the last hundred")
    equal(page["records"], home.all[-100:], "they are what paging through all gives")
    equal(page["offset"], size - 100, "where they begin")


@case
def the_whole_log_can_be_paged_in_both_directions():
    home = shared(busy)
    back, before = [], []
    while before is not None:
        page = show(home, "--limit", "37", *([] if before == [] else ["--before", str(before)]))
        back = page["records"] + back
        before = page["before"]
    equal(back, home.all, "all records, from the end")
    on, at = [], 0
    while at is not None:
        page = show(home, "--limit", "41", "--offset", str(at))
        equal(page["offset"], at, "the offset is said again")
        on += page["records"]
        at = page["next"]
    equal(on, home.all, "all records, from the beginning")


@case
def a_page_beyond_the_end_is_empty():
    home = shared(busy)
    equal(show(home, "--offset", "100000"), {"records": [], "offset": 100000, "next": None, "before": len(home.all)}, "")
    equal(show(home, "--before", "0"), {"records": [], "offset": 0, "next": None, "before": None}, "")


def _of(home, *options):
    return [r["index"] for r in show(home, "--limit", "1000", *options)["records"]]


def _all(home, passes):
    return [r["index"] for r in home.all if passes(r)]


@case
def filters_show_what_they_name_and_nothing_else():
    home = shared(busy)
    grant, vault, asset = home.grants[1], home.other, home.assets[1]
    cases = {
        ("--grant", grant): lambda r: r.get("subject") == grant and r["subject_kind"] == "grant",
        ("--vault", vault): lambda r: vault in [r.get("vault"), *(x["asset"] for x in r.get("rows", []))],
        ("--asset", asset): lambda r: r.get("asset") == asset or asset in [x.get("asset") for x in r.get("rows", [])],
        ("--asset", home.assets[0]): lambda r: home.assets[0] in [r.get("asset"), *(x["asset"] for x in r.get("rows", []))],
        ("--surface", "owner"): lambda r: r["surface"] == "owner",
        ("--surface", "owner", "--surface", "cli"): lambda r: r["surface"] in ("owner", "cli"),
        ("--type", "refusal"): lambda r: r["type"] == "refusal",
        ("--type", "intent", "--type", "write"): lambda r: r["type"] in ("intent", "write"),
        ("--type", "intent", "--grant", grant, "--surface", "cli"):
            lambda r: r["type"] == "intent" and r.get("subject") == grant,
    }
    for options, passes in cases.items():
        wanted = _all(home, passes)
        check(0 < len(wanted) < len(home.all), f"{options} decides nothing")
        equal(_of(home, *options), wanted, str(options))
    check(any(r.get("rows") for r in home.all if r["index"] in _of(home, "--asset", home.assets[0])),
          "a page that names an asset is about it")


@case
def a_search_over_several_vaults_is_about_each_of_them():
    home = library(unattended=False)
    vaults = [home.vault(name) for name in ("one", "two", "three")]
    home.add(vaults[1], "memory", "walnut")
    def found():
        return home.owner("search", "walnut").given()["total"] == 1
    within(PATIENCE_S, lambda: b"search_warming" not in home.owner("search", "walnut").out and found(), "an index")
    home.owner("search", "walnut", "--vault", vaults[1]).done()
    def searches(vault):
        page = home.owner("audit", "show", "--vault", vault, "--type", "intent", "--limit", "1000").given()
        return [r for r in page["records"] if r["operation"] == "search"]
    of_all = [r["index"] for r in searches(vaults[0])]
    check(len(of_all) > 0, "the search over all vaults is not shown")
    equal([r["index"] for r in searches(vaults[2])], of_all, "searches of another vault")
    own = [r for r in searches(vaults[1]) if r["index"] not in of_all]
    equal([r["vault"] for r in own], [vaults[1]], "searches of that vault alone")
    home.owner("vault", "list").done()
    shown = home.owner("audit", "show", "--vault", vaults[2], "--limit", "1000").given()["records"]
    check("vault_list" in [r["operation"] for r in shown], "the list that names it is not shown")


@case
def times_cut_the_log_at_either_end():
    home = shared(busy)
    times = sorted({r["time"] for r in home.all})
    middle = times[len(times) // 2]
    late = _all(home, lambda r: r["time"] >= middle)
    check(0 < len(late) < len(home.all), "the records are all of one second")
    equal(_of(home, "--since", middle), late, "since")
    equal(_of(home, "--until", middle), _all(home, lambda r: r["time"] < middle), "until")
    equal(_of(home, "--since", middle.replace("Z", "+00:00"), "--until", middle), [], "none")
    equal(_of(home, "--since", "1h"), _all(home, lambda r: True), "of the last hour")
    equal(_of(home, "--until", "1h"), [], "older than an hour")


@case
def a_filter_pages_too():
    home = shared(busy)
    grant = home.grants[1]
    wanted = _all(home, lambda r: r.get("subject") == grant)
    on, at = [], 0
    while at is not None:
        page = show(home, "--grant", grant, "--limit", "7", "--offset", str(at))
        on, at = on + indices(page), page["next"]
    equal(on, wanted, "from the beginning")
    back, options = [], []
    while options is not None:
        page = show(home, "--grant", grant, "--limit", "7", *options)
        back = indices(page) + back
        options = None if page["before"] is None else ["--before", str(page["before"])]
    equal(back, wanted, "from the end")


@case
def a_copied_folder_needs_neither_home_nor_daemon():
    home = shared(busy)
    r = program("--home", "/nonexistent", "audit", "show", home.copy, "--limit", "2").done()
    lines = r.out.decode().splitlines()
    equal(len(lines), 3, "a heading and two records")
    check(re.match(r"\s+record\s+time\s+type\s+surface\s+by whom\s+what", lines[0]), lines[0])
    check(str(len(home.all) - 1) in lines[2] and "T" in lines[2], lines[2])


@case
def a_home_shows_its_log_to_who_opened_it():
    home = library()
    home.owner("audit", "show").done()
    home.owner("lock").done()
    home.owner("audit", "show").refused("locked")
    program("--json", "audit", "show", home.file("audit")).done()
    home.stop()
    home.cli("audit", "show").refused("daemon_not_running")


@case
def a_changed_record_ends_what_is_shown():
    home = shared(busy)
    copy = home.side("changed-log")
    shutil.copytree(home.copy, copy)
    with open(os.path.join(copy, "seg", "0000000001.seg"), "r+b") as f:
        f.seek(20000)
        byte = f.read(1)
        f.seek(20000)
        f.write(bytes([byte[0] ^ 4]))
    r = program("audit", "show", copy, "--limit", "1000")
    equal(r.code, 74, "exit code")
    check(b"audit_tampered" in r.err, str(r))
    shown = [int(line.split()[0]) for line in r.out.decode().splitlines()[1:]]
    check(shown and shown == list(range(shown[0], len(home.all))), "what is newer than the change is shown")
    program("--json", "audit", "show", copy, "--limit", "1000").refused("audit_tampered")
    equal(indices(program("--json", "audit", "show", copy, "--limit", "5").given()),
          list(range(len(home.all) - 5, len(home.all))), "the newest are not touched by it")


@case
def what_makes_no_sense_is_refused():
    home = shared(busy)
    for options in (["--surface", "nowhere"], ["--type", "reading"], ["--since", "yesterday"], ["--until", "2h30"],
                    ["--grant", "x"], ["--limit", "0"], ["--limit", "1001"], ["--before", "-1"],
                    ["--before", "5", "--offset", "5"], ["--before", "5", "-f"]):
        program("--json", "audit", "show", home.copy, *options).refused("invalid_argument", 2)
    program("--json", "audit", "show", home.side("nothing")).refused("not_found")


class Follower:
    def __init__(self, *argv):
        self.process = subprocess.Popen([BIN, *map(str, argv)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment(), cwd="/")
        self.rest = b""

    def line(self, seconds=10):
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            left = end - time.monotonic()
            check(left > 0 and select.select([self.process.stdout], [], [], left)[0], f"no line within {seconds} s")
            more = os.read(self.process.stdout.fileno(), 65536)
            check(more, "it ended")
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def ended(self):
        self.process.wait(10)
        return self.process.returncode, self.process.stderr.read()


@case
def it_follows_the_log_into_new_segments():
    home = furnished(*SMALL)
    f = Follower("--home", home.path, "--json", "audit", "show", "-f", "--limit", "1")
    last = json.loads(f.line())["index"]
    segments = len(os.listdir(home.file("audit", "seg")))
    while len(os.listdir(home.file("audit", "seg"))) < segments + 3:
        for _ in range(40):
            index = home.read(home.client, "read", home.main, home.memory["asset"]).given()["audit"]["index"]
        began = time.monotonic()
        while last < index:
            equal(json.loads(f.line())["index"], last + 1, "no record is left out")
            last += 1
        late = time.monotonic() - began
        check(late < 3, f"a record came {late:.1f} s late")
    f.process.send_signal(signal.SIGINT)
    equal(f.ended(), (0, b""), "interrupted")


@case
def it_follows_with_a_filter_and_in_lines_for_people():
    home = furnished()
    f = Follower("--home", home.path, "audit", "show", "-f", "--type", "refusal", "--limit", "1")
    check("by whom" in f.line(), "no heading")
    for _ in range(3):
        home.read(home.client, "read", home.main, home.memory["asset"]).done()
    home.read(home.client, "read", home.main, NO_ID)
    line = f.line()
    check(" refusal " in line and "not_found" in line, line)
    f.process.send_signal(signal.SIGTERM)
    equal(f.ended(), (0, b""), "terminated")


def _flip(home, segment, at):
    with open(home.file("audit", "seg", f"{segment:010}.seg"), "r+b") as f:
        f.seek(at)
        byte = f.read(1)[0]
        f.seek(at)
        f.write(bytes([byte ^ 1]))


@case
def a_log_that_failed_is_shown_as_far_as_it_holds_and_where_it_ends_is_said():
    home = furnished(*SMALL)
    for _ in range(160):
        home.read(home.client, "read", home.main, home.memory["asset"]).done()
    last = home.read(home.client, "read", home.main, home.memory["asset"]).given()["audit"]["index"]
    home.stop()
    segments = len(os.listdir(home.file("audit", "seg")))
    copy = home.side("whole")
    shutil.copytree(home.file("audit"), copy)
    _flip(home, 1, 5000)
    shutil.rmtree(home.file("audit", "seal"), ignore_errors=True)
    home.start()
    home.terminal.unlock().done()
    equal(home.status()["audit"]["reason"], "audit_tampered", "the log's state")
    bad = json.loads(home.verify().out)["index"]
    check(0 < bad < last, f"first record that does not hold: {bad}")
    def shown(*args):
        r = home.owner("audit", "show", *args, "--limit", 1000, json=False)
        return r, [int(line.split()[0]) for line in r.out.decode().splitlines()[1:] if line.split()[0].isdigit()]
    r, on = shown("--offset", 1)
    equal((r.code, on), (74, list(range(1, on[-1] + 1))), "forwards")
    check(f"up to record {on[-1] + 1} and not there".encode() in r.err and on[-1] < bad + 1, f"{r.err} {bad}")
    r, back = shown()
    equal((r.code, back), (74, list(range(back[0], last + 1))), "backwards")
    check(f"from record {back[0]} on and not before".encode() in r.err, f"{r.err} {back[0]}")
    r = home.owner("audit", "show", "--limit", 2)
    equal([x["index"] for x in json.loads(r.out)["records"]], [last - 1, last], "a page that holds")
    check(r.code == 0 and f"state failed; what is left of it ends before record {last + 1}".encode() in r.err, r)
    # And one that ends before its end.
    home.stop()
    shutil.rmtree(home.file("audit"))
    shutil.copytree(copy, home.file("audit"))
    for n in range(2, segments + 1):
        os.unlink(home.file("audit", "seg", f"{n:010}.seg"))
    home.start()
    home.terminal.unlock().done()
    equal(home.status()["audit"]["reason"], "audit_tampered", "the log's state")
    r, held = shown()
    check(held, f"nothing is shown: {r}")
    equal((r.code, held), (74, list(range(held[0], held[-1] + 1))), "what is left")
    check(f"up to record {held[-1] + 1} and not there".encode() in r.err, f"{r.err} {held[-1]}")


@case
def following_ends_and_says_so_when_the_log_has_failed():
    home = furnished()
    f = Follower("--home", home.path, "--json", "audit", "show", "-f", "--limit", "1")
    f.line()
    home.stop()
    _flip(home, 1, 5000)
    shutil.rmtree(home.file("audit", "seal"), ignore_errors=True)
    home.start()
    code, said = f.ended()
    equal(code, 74, "exit code")
    check(b"audit_tampered" in said and b"state failed, and shown up to record" in said, said)
    # One that begins then shows what there is, and ends.
    home.terminal.unlock().done()
    f = Follower("--home", home.path, "--json", "audit", "show", "-f", "--limit", "1")
    f.line()
    equal(f.ended()[0], 74, "exit code")
    home.terminal.sudo().done()
    home.owner("audit", "repair", answers=[("Type REPAIR to go on: ", "REPAIR")]).done()


@case
def a_reader_that_goes_away_ends_it_without_a_word():
    home = shared(busy)
    f = Follower("audit", "show", home.copy, "-f", "--limit", "3")
    f.line()
    f.process.stdout.close()
    code, said = f.ended()
    check(code in (0, -signal.SIGPIPE) and said == b"", f"{code} {said}")


if __name__ == "__main__":
    main()
