#!/usr/bin/env python3
"""a: proofs for others: prove, consistency, export, from a home and from a copy of its log alone."""
import base64
import hashlib
import json
import os
import shutil
import sys
import tempfile

from harness import HERE, Skip, at_end, case, check, equal, furnished, main, program

sys.path.insert(0, os.path.join(HERE, "..", "foreign"))
from foreign import Asker, build_go  # noqa: E402


def _hash(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def _root(index, size, node, proof):
    """The root that follows from a leaf's hash (RFC 9162, 2.1.3.2)."""
    last = size - 1
    for p in proof:
        check(last > 0, "the proof is too long")
        if index & 1 or index == last:
            node = _hash(b"\1", p, node)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            node = _hash(b"\1", node, p)
        index, last = index >> 1, last >> 1
    equal(last, 0, "what is left of a proof")
    return node


def _check_proof(text, index):
    """Takes a tlog-proof apart by hand, and gives the size of its checkpoint."""
    head, _, checkpoint = text.decode().partition("\n\n")
    lines, note = head.split("\n"), checkpoint.split("\n")
    equal((lines[0], lines[2]), ("c2sp.org/tlog-proof@v1", f"index {index}"), "first lines")
    leaf = base64.b64decode(lines[1].removeprefix("extra "))
    equal(int.from_bytes(leaf[6:14], "big"), index, "index in the leaf")
    root = _root(index, int(note[1]), _hash(b"\0", leaf), [base64.b64decode(x) for x in lines[3:]])
    equal(base64.b64encode(root).decode(), note[2], "root")
    return int(note[1])


def _library():
    home = furnished()
    for _ in range(3):
        home.read(home.client, "list", home.main).done()
    home.owner("audit", "checkpoint").done()
    return home


@case
def every_record_of_the_checkpoint_is_proven():
    home = _library()
    size = home.owner("audit", "checkpoint").given()["size"]
    for index in (0, 1, size // 2, size - 1):
        equal(_check_proof(home.cli("audit", "prove", index, json=False).done().out, index), size, "size")
    made = home.cli("audit", "prove", 3).given()
    equal(set(made), {"index", "leaf", "size", "root", "proof", "checkpoint"}, "members")
    check(os.path.exists(home.file("audit", "tile", "checkpoint")), "no cache was kept")
    home.verify("--full").done()


@case
def what_is_newer_says_how_a_newer_checkpoint_is_made():
    home = _library()
    size = home.owner("audit", "checkpoint").given()["size"]
    home.read(home.client, "list", home.main).done()
    r = home.cli("audit", "prove", size).refused("offset_out_of_range")
    check(b"memories audit checkpoint" in r.err, f"no word of a newer checkpoint: {r}")
    home.cli("audit", "consistency", 1, size + 1).refused("offset_out_of_range")
    home.owner("audit", "checkpoint").done()
    home.cli("audit", "prove", size).done()


@case
def a_copy_of_the_log_is_enough_and_stays_as_it_is():
    home = _library()
    copy = home.side("copy")
    shutil.copytree(home.file("audit"), copy, ignore=shutil.ignore_patterns("tile", "*.tmp"))
    before = sorted(os.listdir(copy))
    text = program("audit", "prove", 2, copy).done().out
    equal(text, home.cli("audit", "prove", 2, json=False).done().out, "proof")
    size = _check_proof(text, 2)
    program("audit", "consistency", 1, size, copy).done()
    program("audit", "export", home.side("out"), copy).done()
    other = _library()
    program("audit", "prove", 2, copy, "--key", home.file("audit", "key.pub")).done()
    program("audit", "prove", 2, copy, "--key", other.file("audit", "key.pub")).refused("audit_tampered", json=False)
    equal(sorted(os.listdir(copy)), before, "names in the copy")


@case
def growth_is_proven_in_the_form_that_witnesses_take():
    home = _library()
    old = home.owner("audit", "checkpoint").given()
    home.read(home.client, "list", home.main).done()
    new = home.owner("audit", "checkpoint").given()
    made = home.cli("audit", "consistency", old["size"], new["size"]).given()
    equal((made["old_root"], made["root"]), (old["root"], new["root"]), "roots")
    text = home.cli("audit", "consistency", old["size"], new["size"], json=False).done().out.decode()
    head, _, note = text.partition("\n\n")
    equal(head.split("\n")[0], f"old {old['size']}", "first line")
    equal([base64.b64decode(x).hex() for x in head.split("\n")[1:]], made["proof"], "proof")
    equal(note, new["checkpoint"], "checkpoint")
    home.cli("audit", "consistency", 5, 4).refused("invalid_argument")
    home.cli("audit", "consistency", 0, 4).refused("invalid_argument")


@case
def of_a_log_that_failed_behind_its_checkpoint_all_is_proven_and_before_it_the_place_is_said():
    home = _library()
    made = home.owner("audit", "checkpoint").given()
    for _ in range(20):
        home.read(home.client, "list", home.main).done()
    home.kill()
    segment = home.file("audit", "seg", "0000000001.seg")
    with open(segment, "rb") as f:
        whole = f.read()
    end = len(whole.rstrip(b"\0"))
    for at, code in ((end - 1500, 0), (5000, 74)):
        with open(segment, "wb") as f:
            f.write(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        shutil.rmtree(home.file("audit", "seal"), ignore_errors=True)
        home.start()
        equal(home.status()["audit"]["reason"], "audit_tampered", "the log's state")
        bad = json.loads(home.verify().out)["index"]
        equal(bad >= made["size"], code == 0, "the damage is behind the checkpoint")
        # From the tiles that the first left, the second would be proven all the same.
        shutil.rmtree(home.file("audit", "tile"), ignore_errors=True)
        for args in (("prove", 2), ("consistency", 1, made["size"]), ("export", home.side(f"out{code}"))):
            r = home.cli("audit", *args, json=False)
            equal(r.code, code, f"{args}: {r}")
            check(code == 0 or f"up to record {bad} and not there".encode() in r.err, f"{args}: {r}")
        home.stop()


@case
def an_export_grows_and_leaves_what_is_not_its_own():
    home, out = _library(), tempfile.mkdtemp()
    at_end(lambda: shutil.rmtree(out))
    first = home.cli("audit", "export", out).given()
    equal(first["old_size"], 0, "size before")
    equal(home.cli("audit", "export", out).given(), {"size": first["size"], "old_size": first["size"], "files": 0}, "again")
    home.read(home.client, "list", home.main).done()
    home.owner("audit", "checkpoint").done()
    second = home.cli("audit", "export", out).given()
    equal(second["old_size"], first["size"], "size before")
    with open(os.path.join(out, "checkpoint"), "rb") as f, open(home.file("audit", "checkpoint"), "rb") as g:
        equal(f.read(), g.read(), "checkpoint")
    equal(os.stat(os.path.join(out, "tile", "0")).st_mode & 0o777, 0o755, "mode of a folder for a web server")
    other = _library()
    other.cli("audit", "export", out).refused("export_foreign")
    other.cli("audit", "export", "/dev/null").refused("file_unwritable")


@case
def nothing_is_exported_into_the_home():
    home = _library()
    link = home.side("link")
    os.symlink(home.path, link)
    before = sorted(os.listdir(home.path))
    for out in (home.path, home.file("audit"), home.file("audit", "tile"), home.file("new", "below"),
                os.path.join(link, "new"), home.path + "/../home/new", ""):
        home.cli("audit", "export", out).refused("invalid_argument")
    home.cli("audit", "export", "", cwd=home.dir).refused("invalid_argument")
    equal(sorted(os.listdir(home.path)), before, "what is in the home")
    copy = home.side("copy")
    shutil.copytree(home.file("audit"), copy, ignore=shutil.ignore_patterns("*.tmp"))
    program("--json", "audit", "export", os.path.join(copy, "new"), copy).refused("invalid_argument")
    program("--json", "audit", "export", home.side("beside"), copy).given()


@case
def go_agrees_with_what_a_running_library_hands_out():
    home = _library()
    checker, why = build_go(home.dir)
    if why:
        raise Skip(why)
    go, key, out = Asker(checker), home.file("audit", "key.pub"), home.side("out")
    size = home.cli("audit", "export", out).given()["size"]
    equal(go.ask("export", out), "ok", "export")
    equal(go.ask("note", key, home.file("audit", "checkpoint")), "ok", "checkpoint")
    for i in (0, size - 1):
        proof = home.side("proof", home.cli("audit", "prove", i, json=False).done().out)
        equal(go.ask("proof", key, proof), "ok", f"record {i}")
    made = home.cli("audit", "consistency", 2, size).given()
    proof = home.side("growth", home.cli("audit", "consistency", 2, size, json=False).done().out)
    equal(go.ask("consistency", key, proof, made["old_root"]), "ok", "growth")
    go.close()


@case
def an_export_names_the_delegate_that_signed():
    home = furnished()
    home.restart()
    home.read(home.client, "list", home.main).done()
    home.stop()
    out = home.side("out")
    home.cli("audit", "export", out).done()
    with open(os.path.join(out, "delegate.pub"), "rb") as f, open(home.file("audit", "delegate.pub"), "rb") as g:
        equal(f.read(), g.read(), "delegate.pub")
    _check_proof(home.cli("audit", "prove", 1, json=False).done().out, 1)
    checker, why = build_go(home.dir)
    if why:
        raise Skip(why)
    go = Asker(checker)
    equal(go.ask("export", out), "ok", "export")
    check(go.ask("note", home.file("audit", "key.pub"), os.path.join(out, "checkpoint")) != "ok", "the log key signed")
    go.close()


@case
def without_a_checkpoint_it_says_how_one_is_made():
    home = furnished()
    if os.path.exists(home.file("audit", "checkpoint")):
        os.unlink(home.file("audit", "checkpoint"))
    r = home.cli("audit", "prove", 0).refused("not_found")
    check(b"memories audit checkpoint" in r.err, f"no word of a checkpoint: {r}")
    home.cli("audit", "export", home.side("out")).refused("not_found")
    home.cli("audit", "prove", "x").refused("invalid_argument")
    equal(json.loads(home.verify().done().out)["valid"], True, "verdict of a log without a checkpoint")


if __name__ == "__main__":
    main()
