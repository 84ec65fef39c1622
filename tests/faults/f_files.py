#!/usr/bin/env python3
"""f: the log's files removed, moved, cut, opened to others, exchanged or flipped in one bit, while the daemon
runs and at rest; old copies put back. What each is to lead to stands in two tables."""
import base64
import hashlib
import os
import random
import shutil
from concurrent.futures import ThreadPoolExecutor

from faults import SMALL_LOG, FaultHome, copy_home, put_back
from harness import FILE, PASSWORD, Failed, case, check, equal, main, process_only

SEED = int(os.environ.get("FAULTS_SEED", 1))
# A daemon that starts on a log that it cannot use loads no key either.
REFUSED = {"audit_tampered": 74, "audit_unavailable": 74, "unattended_not_loaded": 77}


def _furnished(n_reads=3):
    home = FaultHome()
    home.init().done()
    home.start(*SMALL_LOG)
    home.terminal.unlock().done()
    home.terminal.enable(more=[("Sudo password: ", PASSWORD)]).done()
    home.main = home.vault("main")
    home.asset = home.add(home.main, "memory", "canary of the files")["asset"]
    home.grant, home.client = home.mint(home.main)
    for _ in range(n_reads):
        _read(home).done()
    return home


def _read(home):
    return home.read(home.client, "read", home.main, home.asset)


def _segment(home, number=1):
    return home.file("audit", "seg", f"{number:010}.seg")


def _remove(home):
    os.unlink(_segment(home))


def _move(home):
    os.rename(_segment(home), home.side("elsewhere"))


def _cut(home):
    os.truncate(_segment(home), 2000)


def _cut_by_one(home):
    os.truncate(_segment(home), os.path.getsize(_segment(home)) - 1)


def _open_to_others(home):
    os.chmod(_segment(home), 0o644)


def _exchange(home):
    """Another file with the same bytes."""
    shutil.copy2(_segment(home), home.side("copy"))
    os.chmod(home.side("copy"), 0o600)
    os.rename(home.side("copy"), _segment(home))


def _link(home):
    os.link(_segment(home), home.side("link"))


def _symlink(home):
    os.rename(_segment(home), home.side("elsewhere"))
    os.symlink(home.side("elsewhere"), _segment(home))


def _flip(home):
    """One bit of what counts."""
    at = random.Random(SEED).randrange(200, 2000)
    with open(_segment(home), "r+b") as f:
        f.seek(at)
        b = f.read(1)[0]
        f.seek(at)
        f.write(bytes([b ^ 1 << SEED % 8]))


def _fill_with_zeros(home):
    with open(_segment(home), "r+b") as f:
        f.write(bytes(1500))


def _remove_all(home):
    shutil.rmtree(home.file("audit", "seg"))


def _remove_folder(home):
    os.rename(home.file("audit"), home.side("audit-elsewhere"))


def _open_folder(home):
    os.chmod(home.file("audit", "seg"), 0o755)


def _remove_anchor(home):
    os.unlink(home.file("audit", "anchor"))


def _flip_key(home):
    with open(home.file("audit", "key.pub"), "r+b") as f:
        f.seek(70)
        b = f.read(1)
        f.seek(70)
        f.write(b"A" if b != b"A" else b"B")


def _exchange_key(home):
    """The key file of another log key, in its right form."""
    origin = open(home.file("audit", "key.pub")).read().split("+")[0]
    key = b"\x01" + os.urandom(32)
    name = hashlib.sha256(origin.encode() + b"\n" + key).digest()[:4].hex()
    with open(home.file("audit", "key.pub"), "w") as f:
        f.write(f"{origin}+{name}+{base64.b64encode(key).decode()}\n")


# What is done; may a read still be served by the running daemon; by one that starts on it; the exit codes of `audit
# verify` on it. A read that is not served ends with one of REFUSED.
FILES = [
    (_remove, False, False, {1, 2, 3}),
    (_move, False, False, {1, 2, 3}),
    (_cut, False, False, {1, 3}),
    (_cut_by_one, False, True, {0}),
    (_open_to_others, False, False, {0}),
    (_exchange, False, True, {0}),
    (_link, True, True, {0}),
    (_symlink, False, False, {1, 2, 3}),
    (_flip, True, False, {1}),
    (_fill_with_zeros, True, False, {1, 3}),
    (_remove_all, False, False, {1, 2, 3}),
    (_remove_folder, False, False, {1, 2, 3}),
    (_open_folder, False, False, {0}),
    (_remove_anchor, True, True, {0}),
    (_flip_key, True, False, {1, 2, 3}),
    (_exchange_key, True, False, {1}),
]


def _problems(rows, one):
    """Runs one for each row, several at once; all that were wrong, in words."""
    def run(row):
        try:
            one(*row)
        except Failed as e:
            return f"{row[0].__name__.strip('_')}: {e}"
        return None
    with ThreadPoolExecutor(4) as pool:
        wrong = [w for w in pool.map(run, rows) if w]
    check(not wrong, " || ".join(w[:250] for w in wrong))


def _check_read(home, served, where):
    r = _read(home)
    if served:
        equal(r.code, 0, f"read {where}: {r}")
    else:
        check(REFUSED.get(r.error) == r.code, f"read {where}: {r}")
        check(b"canary" not in r.out and b'"data"' not in r.out, f"bytes {where}")


def _while_running(what, served, _, verdicts):
    home = _furnished()
    what(home)
    _check_read(home, served, "after it")
    # Nor does a new audit process go on as if nothing had been.
    if not served and what not in (_cut_by_one, _open_to_others, _exchange, _link):
        for _ in range(3):
            _check_read(home, False, "once more")
    home.kill()


@process_only
def a_log_that_is_meddled_with_while_it_runs_stops_reads():
    _problems(FILES, _while_running)


def _at_rest(what, _, served, verdicts):
    home = _furnished()
    home.stop()
    what(home)
    code = home.cli("audit", "verify", "--full").code
    check(code in verdicts, f"audit verify ended with {code}")
    home.start(*SMALL_LOG)
    _check_read(home, served, "after a start on it")
    home.kill()


@case
def a_log_that_was_meddled_with_at_rest_stops_reads_or_holds():
    _problems(FILES, _at_rest)


# Old copies. What is put back; is a read served; what a client says that remembers the newer log; is a grant that was
# revoked since then refused.
SERVED, REFUSES = True, False
COPIES = [
    ({"audit"}, REFUSES),
    ({"vault"}, SERVED),   # of the newest assets nothing is left but their records: a loss that the log declares
    ({"grants"}, SERVED),  # what was revoked stays revoked: the log says so
    ({"audit", "vault"}, REFUSES),
    ({"audit", "grants"}, REFUSES),
    ({"vault", "grants"}, SERVED),
    ({"audit", "vault", "grants"}, None),  # nobody here can know, but a client that remembers
]


def _copied(parts, served, old, new, home, clients):
    put_back(new, home.path)
    for part in parts:
        put_back(os.path.join(old, part), home.file(part))
    home.start(*SMALL_LOG)
    name = " and ".join(sorted(parts))
    shutil.copytree(home.side("remembers"), home.side("remembers-" + "-".join(sorted(parts))))
    remembers = {"XDG_STATE_HOME": home.side("remembers-" + "-".join(sorted(parts)))}
    fresh = {"XDG_STATE_HOME": home.side("fresh-" + name.replace(" ", "-"))}
    r = home.read(home.client, "read", home.main, home.asset, env=fresh)
    if served is None:
        equal(r.code, 0, f"a read, {name} put back: {r}")
        r = home.read(home.client, "read", home.main, home.asset, env=remembers)
        check(r.code == 74 and r.error == "audit_diverged", f"a client that remembers, {name} put back: {r}")
        check(b"canary" not in r.out and b'"data"' not in r.out, "bytes")
    elif served:
        equal(r.code, 0, f"a read, {name} put back: {r}")
        r = home.read(home.client, "read", home.main, home.asset, env=remembers)
        equal(r.code, 0, f"a client that remembers, {name} put back: {r}")
        r = home.read(clients["revoked"], "list", home.main, env=fresh)
        check(r.code != 0 and b'"assets"' not in r.out, f"a revoked grant, {name} put back: {r}")
    else:
        check(REFUSED.get(r.error) == r.code, f"a read, {name} put back: {r}")
        check(b"canary" not in r.out and b'"data"' not in r.out, "bytes")
    home.kill()


@process_only
def old_copies_that_are_put_back_are_noticed_or_open_nothing_anew():
    home = _furnished()
    clients = {"revoked": home.mint(home.main)}
    grant, clients["revoked"] = clients["revoked"]
    home.stop()
    old, new = home.side("old"), home.side("new")
    copy_home(home.path, old)
    home.start(*SMALL_LOG)
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    remembers = {"XDG_STATE_HOME": home.side("remembers")}
    home.add(home.main, "file", FILE)
    home.owner("unattended", "revoke", grant).done()
    home.read(home.client, "read", home.main, home.asset, env=remembers).done()
    home.stop()
    copy_home(home.path, new)
    wrong = []
    for parts, served in COPIES:
        try:
            _copied(parts, served, old, new, home, clients)
        except Failed as e:
            wrong.append(str(e))
            if home.daemon is not None:
                home.kill()
    check(not wrong, " || ".join(wrong)[:1500])


if __name__ == "__main__":
    main()
