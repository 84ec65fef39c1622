#!/usr/bin/env python3
"""A thousand damaged logs: `audit verify` (store/log_read.c, through log_tool),
the second implementation (tests/system/verify_log.py) and, on checkpoints, Go's
note package must say the same of each; and of those that break one rule, what
docs/store-format.md says.

usage: log_mutants.py [SEED [N]]

    LOG_TOOL: tests/foreign/log_tool
"""
import copy
import os
import random
import shutil
import sys
import tempfile
import time

from foreign import Asker, build_go
from log_maker import (EPOCH, INTENT, LOCK, REFUSAL, REPAIR, RESUME, SEGMENT, UNLOCK, anchor, certificate, delegation,
                       group, key_pub, note, public, record, sign, write_groups)
import verify_log

LOG, DELEGATE, STRANGER = (bytes([i]) * 32 for i in (1, 2, 3))
EPOCH_KEYS = [bytes([16 + i]) * 32 for i in range(8)]
EPOCHS = [bytes([1, 0x98]) + bytes(13) + bytes([i]) for i in range(8)]
VALID, INVALID, DIVERGED = 0, 1, 3


def begin(i):
    return record(EPOCH, EPOCHS[i], b"\0" + public(EPOCH_KEYS[i]))


def certify(i, seed=LOG, by=None, **more):
    return record(EPOCH, EPOCHS[i], b"\1" + certificate(seed, EPOCHS[i], public(EPOCH_KEYS[i]), by, **more))


def rotate(i, certified=True, seal=bytes(32), key=None):
    key = public(EPOCH_KEYS[i + 1]) if key is None else key
    extra = b"\2" + EPOCHS[i + 1] + key + seal
    return record(EPOCH, EPOCHS[i], extra + (certificate(LOG, EPOCHS[i + 1], key) if certified else b""))


def read(i, n=1):
    return [record(INTENT, EPOCHS[i], rows=k % 3) for k in range(n)]


def base_groups():
    """Two lives of an owner: epochs that were certified in each way, or never; rotations; locks; three segments."""
    by = delegation(LOG, public(DELEGATE))
    of = lambda i, *records: group(EPOCH_KEYS[i], *records)
    groups = [
        of(0, begin(0)), of(0, certify(0), *read(0, 2)), of(0, *read(0, 5)), of(0, record(LOCK, EPOCHS[0])),
        of(1, begin(1), record(REFUSAL, EPOCHS[1], refused=True, reason=b"locked")),
        of(1, record(UNLOCK, EPOCHS[1], refused=True)),
        of(2, begin(2), certify(2, DELEGATE, by)), of(2, record(RESUME, EPOCHS[2])), of(2, *read(2, 4)),
        of(2, *read(2), rotate(2)), of(3, *read(3, 3)), of(3, rotate(3, False, seal=bytes(range(32)))),
        of(4, record(REFUSAL, EPOCHS[4], refused=True)), of(4, certify(4), *read(4)), of(4, *read(4, 7)),
        of(5, begin(5), certify(5)), of(5, *read(5, 2)),
    ]
    groups[6]["segment"] = groups[13]["segment"] = True
    return groups


class Mutant:
    """A log as files' bytes, with what was done to it and what must be said of it (None: that all agree)."""

    def __init__(self, what, files, wanted=None, full=False):
        self.what, self.files, self.wanted, self.full = what, files, wanted, full


def files_of(groups, size=None, checkpoint_by=(LOG,), anchored=True):
    w = write_groups(groups)
    size = max(w.roots) if size is None else size
    files = {f"seg/{i + 1:010}.seg": bytes(s) + bytes(64) for i, s in enumerate(w.segments)}
    files["key.pub"] = key_pub(public(LOG))
    if anchored:
        files["anchor"] = anchor(size, w.roots[size], EPOCHS[0])
    if checkpoint_by:
        files["checkpoint"] = note(size, w.roots[size], *checkpoint_by)
    return files


# One rule broken, everything else hashed and signed anew.

def places(groups, kind, first_byte=None):
    return [(g, k) for g, one in enumerate(groups) for k, r in enumerate(one["records"])
            if r["type"] == kind and (first_byte is None or r["extra"][:1] == first_byte)]


def rule_epoch_left_out(rng, groups):
    g, k = rng.choice(places(groups, EPOCH, b"\0"))
    del groups[g]["records"][k]
    if not groups[g]["records"]:
        groups[g + 1]["segment"] |= groups[g]["segment"]
        del groups[g]
    return INVALID


def rule_certificate_left_out(rng, groups):
    g, k = rng.choice(places(groups, EPOCH, b"\1"))
    del groups[g]["records"][k]
    return INVALID if groups[g]["records"] else None


def rule_certificate_altered(rng, groups):
    g, k = rng.choice(places(groups, EPOCH, b"\1"))
    r = groups[g]["records"][k]
    r["extra"] = flip(rng, r["extra"], 1)
    return INVALID


def rule_certificate_by_a_stranger(rng, groups):
    g, k = rng.choice(places(groups, EPOCH, b"\1"))
    i = EPOCHS.index(groups[g]["records"][k]["epoch"])
    groups[g]["records"][k] = rng.choice([certify(i, STRANGER), certify(i, purpose=1), certify(i, purpose=3),
                                          certify(i, STRANGER, delegation(STRANGER, public(STRANGER))),
                                          certify(i, STRANGER, delegation(LOG, public(DELEGATE)))])
    return INVALID


def rule_rotate_altered(rng, groups):
    g, k = rng.choice(places(groups, EPOCH, b"\2"))
    r = groups[g]["records"][k]
    way = rng.randrange(5)
    if way == 0:     # the next epoch's id or key
        r["extra"] = r["extra"][:1] + flip(rng, r["extra"][1:49]) + r["extra"][49:]
        return INVALID
    if way == 1:     # the seal's hash says nothing to a verifier
        r["extra"] = r["extra"][:49] + flip(rng, r["extra"][49:81]) + r["extra"][81:]
        return VALID
    if way == 2:     # a byte more, or fewer
        r["extra"] = rng.choice([r["extra"] + b"\0", r["extra"][:-1], r["extra"][:81] + bytes(226)])
        return INVALID
    if way == 3:     # to itself
        r["extra"] = r["extra"][:1] + r["epoch"] + r["extra"][17:]
        return INVALID
    if len(r["extra"]) > 81:
        r["extra"] = r["extra"][:81] + flip(rng, r["extra"][81:])
    else:
        r["extra"] += certificate(STRANGER, r["extra"][1:17], r["extra"][17:49])
    return INVALID


def rule_rotate_is_not_the_last(rng, groups):
    g, k = rng.choice(places(groups, EPOCH, b"\2"))
    groups[g]["records"].append(record(INTENT, groups[g]["records"][k]["epoch"]))
    return INVALID


def rule_rotate_left_out(rng, groups):
    g, k = rng.choice(places(groups, EPOCH, b"\2"))
    del groups[g]["records"][k]
    if not groups[g]["records"]:
        del groups[g]
    return INVALID


def rule_signed_by_a_neighbour(rng, groups):
    g = rng.randrange(len(groups))
    groups[g]["seed"] = rng.choice([s for s in EPOCH_KEYS + [LOG, DELEGATE] if s != groups[g]["seed"]])
    return INVALID


def rule_signed_anew_by_a_stranger(rng, groups):
    for g in range(rng.randrange(len(groups)), len(groups)):
        groups[g]["seed"] = STRANGER
    return INVALID


def rule_pending_epoch_does_more(rng, groups):
    g, k = rng.choice([p for p in places(groups, REFUSAL) + places(groups, UNLOCK)])
    r = groups[g]["records"][k]
    r.update(rng.choice([{"type": INTENT}, {"type": RESUME}, {"type": UNLOCK, "refused": False}, {"type": REPAIR}]))
    return INVALID


def rule_record_of_another_epoch(rng, groups):
    g = rng.randrange(len(groups))
    r = rng.choice(groups[g]["records"])
    r["epoch"] = rng.choice([e for e in EPOCHS if e != r["epoch"]])
    return INVALID


def rule_index_of_another(rng, groups):
    rng.choice(groups[rng.randrange(len(groups))]["records"])["index"] = rng.choice([0, 10 ** 6, 2 ** 64 - 1])
    return None if groups[0]["records"][0].get("index") == 0 else INVALID


def rule_leaf_without_its_form(rng, groups):
    r = rng.choice(groups[rng.randrange(len(groups))]["records"])
    at, value = rng.choice([(0, 0), (0, 2), (1, 0), (1, 16), (2, 2), (3, 5), (4, 5), (5, 20), (174, 33), (174, 1)])
    r["bytes"] = {at: value}
    return INVALID if (at, value) != (174, 1) else None


def rule_commit_says_otherwise(rng, groups):
    g = rng.randrange(len(groups))
    field = rng.choice(["first", "count", "flags", "size", "root", "previous", "bytes", "epoch", "version"])
    w = write_groups(groups[:g])
    value = {"first": w.n + 1, "count": len(groups[g]["records"]) + 1, "flags": 1 - w.lock, "size": w.n, "version": 2,
             "epoch": EPOCHS[7]}.get(field, bytes(range(32)))
    if field == "flags" and any(r["type"] in (LOCK, RESUME) for r in groups[g]["records"]):
        value = 2
    groups[g]["commit"][field] = value
    return INVALID


def rule_header_says_otherwise(rng, groups):
    g = rng.choice([g for g, one in enumerate(groups) if one["segment"]])
    groups[g]["header"] = rng.choice([{"library": bytes(16)}, {"first": 0}, {"first": 99}, {"previous": bytes(32)}])
    return INVALID


def rule_group_without_records(rng, groups):
    groups[rng.randrange(len(groups))]["records"] = []
    return INVALID


def rule_epoch_begins_twice(rng, groups):
    g, k = rng.choice(places(groups, EPOCH, b"\0"))
    groups.insert(g + 1, group(groups[g]["seed"], copy.deepcopy(groups[g]["records"][k])))
    return INVALID


def rule_groups_exchanged(rng, groups):
    """Where both are reads of one epoch, a log like any other comes out."""
    g = rng.randrange(len(groups) - 1)
    groups[g], groups[g + 1] = groups[g + 1], groups[g]
    groups[g]["segment"], groups[g + 1]["segment"] = groups[g + 1]["segment"], groups[g]["segment"]
    return None


def rule_group_repeated_or_left_out(rng, groups):
    g = rng.randrange(len(groups))
    if rng.random() < 0.5:
        groups.insert(g, copy.deepcopy(groups[g]))
        groups[g + 1]["segment"] = False
    else:
        del groups[g]
    return None


def rule_repair(rng, groups):
    """A repair that follows a start and says what it found is one; every other is not."""
    w = write_groups(groups)
    size = w.n
    found = size.to_bytes(8, "big") + w.roots[size]
    extra = b"\0\0\0\1" + found + (size + 5).to_bytes(8, "big") + bytes(32)
    way = rng.randrange(5)
    r = record(REPAIR, EPOCHS[6], extra)
    groups += [group(EPOCH_KEYS[6], begin(6)), group(EPOCH_KEYS[6], certify(6), r)]
    if way == 1:
        r["extra"] = flip(rng, extra[:44]) + extra[44:]
        return None if r["extra"][4:] == extra[4:] else INVALID
    if way == 2:
        r["extra"] = rng.choice([extra + b"\0", extra[:-1], b""])
    elif way == 3:
        groups[-1]["records"].append(copy.deepcopy(r))
    elif way == 4:
        r["refused"] = True
    return INVALID if way else VALID


RULES = [f for name, f in sorted(globals().items()) if name.startswith("rule_")]


def break_rule(rng):
    groups = base_groups()
    rule = rng.choice(RULES)
    wanted = rule(rng, groups)
    # Behind a group that does not hold: alone at the end, it would be a write that a crash tore.
    last = groups[-1]["records"][-1]["epoch"] if groups[-1]["records"] else EPOCHS[5]
    seed = STRANGER if rule is rule_signed_anew_by_a_stranger else EPOCH_KEYS[EPOCHS.index(last)]
    groups += [group(seed, record(INTENT, last)) for _ in range(2)]
    files = files_of(groups, rng.choice([0, None]) if wanted == VALID else 0, ())
    # Without --full a later signature of the same epoch vouches for this one.
    return Mutant(rule.__name__, files, wanted, rule is rule_signed_by_a_neighbour)


# Checkpoints and anchors that say other than the log.

# The same text in the eyes of a lenient reader, well signed.
SPELLINGS = [
    lambda t: t.replace(b"\n", b"\n0", 1), lambda t: t.replace(b"\n", b"\n+", 1), lambda t: t.replace(b"\n", b"\r\n"),
    lambda t: t.replace(b"=\n", b"\n"), lambda t: t.replace(b"=\n", b"=\n\n"), lambda t: t.replace(b"\n", b" \n", 2),
    lambda t: t[:-3] + bytes([t[-3] + 1 if t[-3:-2] not in b"Zz9/" else 0x2b]) + t[-2:], lambda t: b"\n" + t,
]


def break_mark(rng):
    groups = base_groups()
    w = write_groups(groups)
    size = rng.choice(sorted(w.roots))
    files = files_of(groups, size)
    way = rng.randrange(10)
    wanted = INVALID
    if way == 0:
        files["checkpoint"], wanted = note(size, w.roots[size], DELEGATE), VALID
    elif way == 1:
        files["checkpoint"] = note(size, w.roots[size], STRANGER)
    elif way == 2:
        files["checkpoint"], wanted = note(size, w.roots[size], STRANGER, LOG), VALID
    elif way == 3:
        files["checkpoint"], wanted = note(w.n + 1, w.roots[size], LOG), DIVERGED
    elif way == 4:
        files["checkpoint"], wanted = note(size, bytes(32), LOG), DIVERGED if size else VALID
    elif way == 5:
        files["checkpoint"] = note(size, w.roots[size], LOG, name="memories/other")
    elif way == 6:
        files["checkpoint"] = flip(rng, files["checkpoint"])
        wanted = None
    elif way == 7:
        cut = rng.randrange(len(files["checkpoint"]))
        files["checkpoint"] = rng.choice([files["checkpoint"][:cut], files["checkpoint"] + b"\n", b"",
                                          files["checkpoint"] * 2, files["checkpoint"].replace(b"\n", b"\r\n")])
    elif way == 8:
        files["checkpoint"] = note(size, w.roots[size], LOG, spell=rng.choice(SPELLINGS))
    else:
        files["anchor"], wanted = anchor(w.n + 1, w.roots[w.n], EPOCHS[0]), DIVERGED
    return Mutant(f"checkpoint or anchor, way {way}, size {size}", files, wanted)


# Bytes that were changed by no rule at all.

def flip(rng, b, start=0):
    at = rng.randrange(start, len(b))
    return b[:at] + bytes([b[at] ^ 1 << rng.randrange(8)]) + b[at + 1:]


def segments_of(files):
    return sorted(n for n in files if n.startswith("seg/"))


def damage_bit(rng, files):
    name = rng.choice(sorted(files))
    files[name] = flip(rng, files[name].rstrip(b"\0") + bytes(16))


def damage_cut(rng, files):
    name = rng.choice(segments_of(files))
    at = rng.randrange(len(files[name].rstrip(b"\0")) + 1)
    files[name] = files[name][:at] + rng.choice([b"", bytes(len(files[name]) - at)])


def damage_sector(rng, files):
    name = rng.choice(segments_of(files))
    at = rng.randrange(0, len(files[name].rstrip(b"\0")), 512)
    files[name] = files[name][:at] + bytes(512) + files[name][at + 512:]


def damage_moved(rng, files):
    name = rng.choice(segments_of(files))
    used = len(files[name].rstrip(b"\0"))
    start, to, n = rng.randrange(used), rng.randrange(used), rng.randrange(1, 3000)
    moved = files[name][start:start + n]
    files[name] = (files[name][:to] + moved + files[name][to + len(moved):])[:SEGMENT]


def damage_repeated(rng, files):
    """A stretch that begins and ends with a frame stands twice, or not at all."""
    name = rng.choice(segments_of(files))
    ends = [i for i in range(len(files[name])) if files[name].startswith((b"ARC1", b"ACM1"), i)] + \
        [len(files[name].rstrip(b"\0"))]
    if len(ends) < 3:
        return
    a, b = sorted(rng.sample(ends, 2))
    stretch = files[name][a:b]
    files[name] = (files[name][:a] + rng.choice([stretch * 2, b""]) + files[name][b:])[:SEGMENT]


def damage_files(rng, files):
    a, b = rng.sample(segments_of(files), 2)
    if rng.random() < 0.6:
        files[a], files[b] = files[b], files[a]
    else:
        del files[a]


def damage_torn(rng, files):
    """What a crash leaves: a beginning of the next group, or noise, behind the last one."""
    name = segments_of(files)[-1]
    used = files[name].rstrip(b"\0")
    noise = rng.choice([b"ARC1\0\0\0\xb5torn", rng.randbytes(200), b"ACM1" + bytes(300), used[-800:]])
    files[name] = used + noise + bytes(64)


DAMAGES = [f for name, f in sorted(globals().items()) if name.startswith("damage_")]


def damage(rng, bases):
    files = dict(rng.choice(bases))
    done = []
    for _ in range(rng.choice([1, 1, 1, 2])):
        d = rng.choice(DAMAGES + [damage_bit] * 4)
        if len(segments_of(files)) > 1 or d is not damage_files:
            d(rng, files)
            done.append(d.__name__)
    if rng.random() < 0.4:
        files.pop("anchor", None)
    if rng.random() < 0.4:
        files.pop("checkpoint", None)
    return Mutant(" ".join(done), files)


# Asking all of them

def load(folder):
    files = {}
    for name in ["key.pub", "anchor", "checkpoint", *(f"seg/{n}" for n in os.listdir(os.path.join(folder, "seg")))]:
        with open(os.path.join(folder, name), "rb") as f:
            files[name] = f.read()
    return {n: b for n, b in files.items() if any(b)}


def store(folder, files):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "seg"), 0o700)
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)


def second_opinion(folder, full):
    try:
        verdict, diverged = verify_log.verify(folder, None, full)
    except (OSError, verify_log.Unreadable):
        return ["2"]
    if not verdict["valid"]:
        return ["1", str(verdict["index"])]
    return ["3" if diverged else "0", str(verdict["size"]), verdict["root"]]


def judge_note(folder, m, tool, go):
    """Go's package on the checkpoint; it takes other spellings of base64, and knows no delegates."""
    ours = tool.ask("checkpoint", folder) == "ok"
    theirs = go.ask("note", os.path.join(folder, "key.pub"), os.path.join(folder, "checkpoint")) == "ok"
    if ours == theirs:
        return None
    taken = verify_log.take_note(m.files["checkpoint"])
    key_hash = bytes.fromhex(m.files["key.pub"].split(b"+")[1].decode())
    by_log_key = taken and any(blob[:4] == key_hash for _, blob in taken["signatures"])
    if (theirs and taken is None) or (ours and not by_log_key):
        return None
    return f"Go says {theirs} of the checkpoint, we say {ours}"


def judge(folder, m, full, tool, go):
    """The verdict, and what is wrong with it or None."""
    store(folder, m.files)
    ours = tool.ask("verify-full" if full else "verify", folder).split(" ", 2)
    theirs = second_opinion(folder, full)
    code = int(ours[0])
    if ours[:len(theirs)] != theirs:
        return code, f"verify says {ours}, the second implementation {theirs}"
    if m.wanted is not None and code != m.wanted:
        return code, f"verify says {ours}, not {m.wanted}"
    if go and "checkpoint" in m.files and "key.pub" in m.files:
        return code, judge_note(folder, m, tool, go)
    return code, None


def self_check(folder, bases, tool):
    for files in bases:
        code, wrong = judge(folder, Mutant("base", files, VALID), True, tool, None)
        if wrong:
            sys.exit(f"a whole log: {wrong}")


def main(seed=20251130, n=1000):
    rng, counts, failed, began = random.Random(seed), {}, 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="memories-mutants-") as top:
        checker, why = build_go(top)
        print(f"seed {seed}; {'Go too' if checker else why}", flush=True)
        tool, go = Asker(os.environ["LOG_TOOL"]), Asker(checker) if checker else None
        real, folder = os.path.join(top, "real"), os.path.join(top, "log")
        tool.ask("rich", real)
        bases = [load(real), files_of(base_groups()), files_of(base_groups(), checkpoint_by=(DELEGATE,))]
        self_check(folder, bases, tool)
        for i in range(n):
            m = rng.choice([break_rule, break_rule, break_mark, lambda r: damage(r, bases), lambda r: damage(r, bases)])(rng)
            code, wrong = judge(folder, m, m.full or i % 3 == 0, tool, go)
            counts[code] = counts.get(code, 0) + 1
            if wrong:
                failed += 1
                print(f"FAILED {i}: {m.what}: {wrong}", flush=True)
        tool.close()
    names = {0: "valid", 1: "invalid", 2: "unreadable", 3: "diverged"}
    said = ", ".join(f"{counts[c]} {names[c]}" for c in sorted(counts))
    print(f"{n} logs in {time.monotonic() - began:.0f} s: {said}; {failed} failures")
    enough = n < 1000 or all(counts.get(c, 0) >= least for c, least in ((0, 50), (1, 400), (3, 50)))
    return 1 if failed or not enough else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
