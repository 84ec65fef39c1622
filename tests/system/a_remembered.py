#!/usr/bin/env python3
"""a: what clients remember of the log, and what they then refuse."""
import os
import shutil
import threading

from harness import PATIENCE_S, Failed, case, check, equal, furnished, main, program, state_dir, within


def _file(home, state):
    return os.path.join(state, "memories", home.status()["library"] + ".checkpoint")


def _home():
    """A home, and a place of its own to remember in."""
    home = furnished()
    state = home.side("state")
    os.mkdir(state, 0o700)
    return home, state, {"XDG_STATE_HOME": state}


def _put_back(home, change):
    """The home as it was, after `change` was done to it."""
    home.stop()
    early = home.side("early")
    shutil.copytree(home.path, early)
    home.start()
    change()
    home.stop()
    shutil.rmtree(home.path)
    shutil.copytree(early, home.path)
    home.start()


def _checkpoint(path):
    with open(path) as f:
        lines = f.read().splitlines()
    check(len(lines) == 4 and lines[0].startswith("memories/") and lines[3].startswith("segment 1 offset "), f"{lines}")
    return int(lines[1])


@case
def every_read_moves_the_remembered_checkpoint_on():
    home, state, env = _home()
    last = 0
    for _ in range(3):
        index = home.read(home.client, "list", home.main, env=env).given()["audit"]["index"]
        size = _checkpoint(_file(home, state))
        check(size > last and size > index, f"{size} after {last}, for record {index}")
        last = size
    equal(os.stat(_file(home, state)).st_mode & 0o777, 0o600, "mode")
    home.owner("asset", "list", home.main, env=env).done()
    check(_checkpoint(_file(home, state)) > last, "the owner's reads do not move it on")


@case
def clients_side_by_side_refuse_nothing():
    home, state, env = _home()
    failed = []

    def read():
        for _ in range(15):
            r = home.read(home.client, "list", home.main, env=env)
            if r.code != 0 or r.err:
                failed.append(r)
    threads = [threading.Thread(target=read) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    equal(failed, [], "reads that failed")
    _checkpoint(_file(home, state))


@case
def the_owner_refuses_a_log_that_was_put_back():
    home, _, env = _home()
    _put_back(home, lambda: home.read(home.client, "list", home.main).done())
    home.terminal.unlock().done()
    home.owner("asset", "show", home.main, home.memory["asset"]).refused("audit_diverged", 74)


@case
def the_owner_refuses_it_too_where_the_key_file_was_taken_away():
    home, _, env = _home()
    _put_back(home, lambda: home.read(home.client, "list", home.main).done())
    home.terminal.unlock().done()
    os.remove(home.file("audit", "key.pub"))
    home.owner("asset", "show", home.main, home.memory["asset"]).refused("audit_diverged", 74)


@case
def a_read_that_is_refused_leaves_no_word_of_content():
    home, _, env = _home()
    _put_back(home, lambda: home.read(home.client, "list", home.main, env=env).done())
    r = home.read(home.client, "read", home.main, home.memory["asset"], env=env)
    r.refused("audit_diverged", 74)
    equal(set(r.json), {"error"}, "what is on stdout")
    check(b".checkpoint" in r.err, f"the file is not named: {r}")


@case
def verify_says_that_the_log_diverged_from_what_was_remembered():
    home, _, env = _home()
    _put_back(home, lambda: home.read(home.client, "list", home.main, env=env).done())
    home.cli("audit", "verify", env={"XDG_STATE_HOME": home.side("nowhere")}).done()
    r = home.cli("audit", "verify", env=env)
    equal((r.code, r.error), (3, "audit_diverged"), f"{r}")
    program("--json", "audit", "verify", home.file("audit"), env=env).done()


@case
def verify_agrees_while_the_log_grows():
    home, _, env = _home()
    stop = threading.Event()

    def read():
        while not stop.is_set():
            home.read(home.client, "list", home.main, env=env)
    t = threading.Thread(target=read)
    t.start()
    try:
        for _ in range(8):
            home.cli("audit", "verify", env=env).done()
    finally:
        stop.set()
        t.join()


@case
def a_file_that_is_no_checkpoint_refuses_before_anything_is_asked():
    home, state, env = _home()
    home.read(home.client, "list", home.main, env=env).done()
    path = _file(home, state)
    with open(path, "w") as f:
        f.write("what is this\n")
    size = home.status()["audit"]["size"]
    r = home.read(home.client, "list", home.main, env=env)
    r.refused("audit_diverged", 74)
    check(path.encode() in r.err, f"the file is not named: {r}")
    equal(home.status()["audit"]["size"], size, "size of the log")
    # It stands in the way of nothing else.
    home.owner("lock", env=env).done()
    home.terminal.run("unlock", answers=[("Password: ", "correct horse 电池 staple")], env=env).done()
    os.unlink(path)
    home.owner("asset", "list", home.main, env=env).done()


@case
def a_place_that_cannot_be_written_is_one_warning():
    home, state, env = _home()
    os.rmdir(state)
    with open(state, "w"):
        pass
    r = home.read(home.client, "list", home.main, env=env).done()
    check(r.err.startswith(b"memories: warning: ") and r.err.count(b"\n") == 1, f"{r}")
    os.unlink(state)
    home.read(home.client, "list", home.main, env=env).done()
    _checkpoint(_file(home, state))


@case
def a_daemon_that_was_killed_has_not_diverged():
    home, _, env = _home()
    for _ in range(3):
        home.read(home.client, "list", home.main, env=env).done()
        home.kill()
        home.start()

        def read():
            r = home.read(home.client, "list", home.main, env=env)
            check(r.error != "audit_diverged", f"{r}")
            return r.code == 0
        within(PATIENCE_S, read, "a read after the kill")
    home.cli("audit", "verify", env=env).done()


@case
def tests_write_nothing_to_the_real_users_place():
    check(os.path.realpath(state_dir()) != os.path.realpath(os.path.expanduser("~/.local/state")), "the harness remembers there")
    home = furnished()
    home.read(home.client, "list", home.main).done()
    if not os.path.exists(_file(home, state_dir())):
        raise Failed("the harness's own place is not used")


if __name__ == "__main__":
    main()
