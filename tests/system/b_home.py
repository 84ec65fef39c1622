#!/usr/bin/env python3
"""b: which home is taken, which is refused untouched; remotes."""
import json
import os
import socket

from harness import (NO_ID, Home, at_end, case, check, commands, equal, furnished, main, needs_root, program, shared,
                     temp_dir)

COMMANDS = [["status"], ["init"], ["daemon", "--test-kdf"], ["unlock"], ["vault", "list"],
            ["unattended", "list", NO_ID, "--client-file", "/nonexistent/c"]]


def _snapshot(folder):
    out = {}
    for at, dirs, files in os.walk(folder):
        for name in ["."] + dirs + files:
            s = os.lstat(os.path.join(at, name))
            out[os.path.join(at, name)] = (s.st_mode, s.st_uid, s.st_size, s.st_mtime_ns, s.st_ino)
    return out


def _refused(path, below=None):
    """Every command refuses the home and changes nothing in it."""
    before = _snapshot(below or path)
    for command in COMMANDS:
        program("--home", path, "--json", *command).refused("home_not_private", 1)
    equal(_snapshot(below or path), before, "what is in the refused home")


@case
def a_home_that_others_can_enter_is_refused_untouched():
    home = Home()
    home.init().done()
    for mode in (0o750, 0o701, 0o710, 0o707, 0o770, 0o777, 0o1777, 0o740, 0o704):
        os.chmod(home.path, mode)
        _refused(home.path)
    os.chmod(home.path, 0o700)
    home.start()


@case
def an_empty_home_that_others_can_enter_stays_empty():
    path = os.path.join(temp_dir(), "home")
    os.mkdir(path)
    os.chmod(path, 0o755)
    _refused(path)
    equal(os.listdir(path), [], "what is in it")


@case
def a_home_under_a_folder_that_others_can_write_is_refused():
    home = Home("open")
    home.init().done()
    for mode in (0o777, 0o722, 0o770, 0o702):
        os.chmod(os.path.dirname(home.path), mode)
        _refused(home.path)
    os.chmod(os.path.dirname(home.path), 0o755)
    home.start()


@case
def a_sticky_folder_of_root_on_the_way_is_safe():
    needs_root()
    home = Home("sticky")
    os.chmod(os.path.dirname(home.path), 0o1777)
    home.init().done()
    home.start()


@case
def a_sticky_folder_of_another_on_the_way_is_refused():
    needs_root()
    home = Home("sticky")
    home.init().done()
    os.chown(os.path.dirname(home.path), 65534, 65534)
    os.chmod(os.path.dirname(home.path), 0o1777)
    _refused(home.path)


@case
def a_home_of_another_user_is_refused():
    needs_root()
    home = Home()
    home.init().done()
    os.chown(home.path, 65534, 65534)
    _refused(home.path)


@case
def a_home_under_a_folder_of_another_user_is_refused():
    needs_root()
    home = Home("theirs")
    home.init().done()
    os.chown(os.path.dirname(home.path), 65534, 65534)
    _refused(home.path)


@case
def a_link_of_another_user_on_the_way_is_refused():
    needs_root()
    home = Home()
    home.init().done()
    link = home.side("link")
    os.symlink(home.path, link)
    os.lchown(link, 65534, 65534)
    _refused(link, home.path)
    _refused(os.path.join(link, "..", "home"), home.path)


@case
def a_link_through_an_unsafe_folder_is_refused():
    home = Home("open")
    home.init().done()
    os.chmod(os.path.dirname(home.path), 0o777)
    link = home.side("link")
    os.symlink(home.path, link)
    _refused(link, home.path)


@case
def a_relative_home_is_refused():
    home = Home()
    home.init().done()
    for path in ("home", "./home", "../" + os.path.basename(home.dir) + "/home", ""):
        before = _snapshot(home.path)
        for command in COMMANDS:
            program("--home", path, "--json", *command, cwd=home.dir).refused("home_not_private", 1)
        equal(_snapshot(home.path), before, "what is in the home")
    program("--json", "status", cwd=home.dir, env={"MEMORIES_HOME": "home"}).refused("home_not_private", 1)


@case
def a_file_or_a_socket_is_no_home():
    folder = temp_dir()
    path = os.path.join(folder, "file")
    open(path, "w").close()
    os.chmod(path, 0o600)
    for p in (path, path + "/home", os.path.join(folder, "x" * 300), "/" + "d/" * 3000):
        for command in (["daemon", "--test-kdf"], ["init"]):
            program("--home", p, "--json", *command).refused("home_not_private", 1)


@case
def a_home_whose_parent_is_missing_is_not_made():
    folder = temp_dir()
    r = program("--home", os.path.join(folder, "a", "b"), "--json", "init")
    check(r.code != 0, f"{r}")
    equal(os.listdir(folder), [], "what was made")


@case
def a_loop_of_links_ends():
    folder = temp_dir()
    os.symlink("b", os.path.join(folder, "a"))
    os.symlink("a", os.path.join(folder, "b"))
    program("--home", os.path.join(folder, "a"), "--json", "status").refused("home_not_private", 1)


@case
def a_read_of_an_unsafe_home_answers_nothing():
    home = furnished()
    os.chmod(home.path, 0o755)
    home.read(home.client, "read", home.main, home.memory["asset"]).refused("home_not_private", 1)
    os.chmod(home.path, 0o700)
    home.read(home.client, "read", home.main, home.memory["asset"]).done()


# Remotes

# Which commands never run on a remote: the contract's list.
NEVER = ("unattended ", "mcp serve", "unlock", "sudo", "lock")


class _Listener:
    """Stands at the socket's place and notices who comes."""

    def __init__(self, home):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(home.file("service.sock"))
        self.socket.listen(64)
        self.socket.setblocking(False)
        at_end(self.socket.close)

    def visited(self):
        try:
            self.socket.accept()
        except BlockingIOError:
            return False
        return True


def _check_remote(home, listener, options=(), env=None):
    seen = {"remote_refused": 0, "remote_unsupported": 0}
    for name, argv in commands().items():
        if name == "generate" and not (options or env):
            continue  # it looks into no home
        code = "remote_refused" if name.startswith(NEVER) else "remote_unsupported"
        for path in (home.path, home.side("none")) if listener is None else (home.path,):
            program("--home", path, "--json", *options, *argv, env=env).refused(code, 1)
        check(listener is None or not listener.visited(), f"`{name}` contacted the daemon")
        seen[code] += 1
    check(seen["remote_refused"] >= 15 and seen["remote_unsupported"] >= 30, f"too few commands: {seen}")
    check(not os.path.exists(home.side("none")), "a home was made")


@case
def a_remote_by_option_is_refused_and_nothing_is_contacted():
    home = Home()
    home.init().done()
    _check_remote(home, _Listener(home), ["--remote", "https://127.0.0.1:1/"])


@case
def a_remote_by_environment_is_refused_and_nothing_is_contacted():
    home = Home()
    home.init().done()
    _check_remote(home, _Listener(home), env={"MEMORIES_REMOTE": "https://127.0.0.1:1/"})


@case
def a_remote_is_refused_before_a_home_is_looked_for_or_made():
    home = Home()
    _check_remote(home, None, ["--remote", "https://127.0.0.1:1/"])
    equal(os.listdir(home.path) if os.path.exists(home.path) else [], [], "what was made")


@case
def a_remote_in_the_configuration_is_refused_and_nothing_is_contacted():
    home = Home()
    home.init().done()
    with open(home.file("config.json"), "w") as f:
        json.dump({"remote": "https://127.0.0.1:1/", "other": 1}, f)
    _check_remote(home, _Listener(home))


@case
def an_empty_remote_is_none():
    home = Home()
    home.init().done()
    home.start()
    home.cli("status", env={"MEMORIES_REMOTE": ""}).done()
    for value in ({"remote": None}, {"remote": ""}, {}):
        with open(home.file("config.json"), "w") as f:
            json.dump(value, f)
        home.cli("status").done()


@case
def a_configuration_that_cannot_be_read_is_refused():
    home = Home()
    home.init().done()
    home.start()
    for content in (b"{", b"[]", b'{"remote":7}', b"\xff", b"{}" + b" " * 70000, b'{"remote":"a","remote":null}'):
        with open(home.file("config.json"), "wb") as f:
            f.write(content)
        home.cli("status").refused("config_invalid")
        home.cli("unattended", "list", NO_ID, "--client-file", "/x").refused("config_invalid")


@case
def the_remote_of_one_home_is_not_that_of_another():
    one, two = Home(), Home()
    for h in (one, two):
        h.init().done()
    with open(one.file("config.json"), "w") as f:
        json.dump({"remote": "https://127.0.0.1:1/"}, f)
    two.start()
    two.cli("status").done()


# Other users

@case
def another_user_cannot_talk_to_the_daemon():
    needs_root()
    home = shared(furnished)
    nobody = {"user": 65534, "group": 65534, "extra_groups": []}
    r = program("--home", home.path, "--json", "status", env={"HOME": "/"}, **nobody)
    r.refused("home_not_private", 1)
    r = program("--home", home.path, "unattended", "list", home.main, "--client-file", home.client, **nobody)
    check(r.code != 0 and home.main not in r.out.decode(), f"{r}")


@case
def root_is_not_the_owner_of_anothers_home():
    needs_root()
    folder = temp_dir()
    os.chmod(folder, 0o755)
    path = os.path.join(folder, "home")
    os.mkdir(path, 0o700)
    os.chown(path, 65534, 65534)
    program("--home", path, "--json", "status").refused("home_not_private", 1)


if __name__ == "__main__":
    main()
