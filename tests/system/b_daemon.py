#!/usr/bin/env python3
"""b: the daemon's life: start, ready, a second one, stale sockets, stop."""
import os
import signal
import socket
import stat
import subprocess

from harness import (BIN, DAEMON_OPTIONS, ONE_PROCESS, PASSWORD, PATIENCE_S, PROCESSES, Failed, Home, alive, case, check, cmdline,
                     environment, equal, furnished, main, parent_of, process_only, program, within)


@case
def the_daemon_says_ready_once_on_stdout():
    home = Home()
    home.start()
    home.status()
    with open(home.out, "rb") as f:
        equal(f.read(), b"ready\n", "stdout of the daemon")
    home.stop()
    with open(home.out, "rb") as f:
        equal(f.read(), b"ready\n", "stdout of the daemon")


@case
def the_first_commands_after_ready_are_served():
    for _ in range(4):
        home = Home()
        home.init().done()
        home.start()
        home.terminal.unlock().done()
        home.terminal.enable(more=[("Sudo password: ", PASSWORD)]).done()
        home.vault("main")
        home.close()


@case
def the_first_command_of_the_log_after_ready_is_served():
    for _ in range(4):
        home = Home()
        home.init().done()
        home.start()
        home.terminal.unlock().done()
        vault = home.vault("main")
        home.add(vault, "memory", "x")
        equal(home.status()["audit"]["state"], "ok", "state of the log")
        home.close()


@case
def the_first_read_after_a_key_only_start_is_served():
    home = furnished()
    for _ in range(4):
        home.restart()
        home.read(home.client, "read", home.main, home.memory["asset"]).done()


@case
def the_first_status_after_ready_shows_the_log():
    home = furnished()
    size = home.status()["audit"]["size"]
    for _ in range(4):
        home.restart()
        s = home.status()
        equal(s["audit"]["state"], "ok", "state of the log")
        check(s["audit"]["size"] >= size, f"size of the log: {s}")


@case
def a_start_after_init_beside_the_daemon_serves():
    home = Home()
    home.start()
    home.init().done()
    home.terminal.unlock().done()
    vault = home.vault("v")
    home.add(vault, "memory", "hello")


@case
def systemd_is_told_when_it_is_ready_and_when_it_stops():
    home = Home()
    path = home.side("notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(path)
        s.settimeout(10)
        home.spawn(env={"NOTIFY_SOCKET": path})
        check(b"READY=1" in s.recv(4096).split(b"\n"), "no READY=1")
        with open(home.out, "rb") as f:
            equal(f.read(), b"ready\n", "stdout by then")
        home.status()
        home.stop()
        check(b"STOPPING=1" in s.recv(4096).split(b"\n"), "no STOPPING=1")


@case
def systemd_is_told_through_an_abstract_socket_too():
    home = Home()
    name = f"memories-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind("\0" + name)
        s.settimeout(10)
        home.spawn(env={"NOTIFY_SOCKET": "@" + name})
        check(b"READY=1" in s.recv(4096).split(b"\n"), "no READY=1")


@case
def systemd_is_not_told_before_the_key_only_start_has_ended():
    home = furnished()
    home.stop()
    path = home.side("notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(path)
        s.settimeout(10)
        home.spawn(env={"NOTIFY_SOCKET": path})
        s.recv(4096)
        equal(home.status()["unattended_loaded"], True, "unattended_loaded")


@case
def ready_comes_although_the_key_only_start_fails():
    home = furnished()
    home.stop()
    os.unlink(home.file("custody", "owner-file"))
    home.start()
    equal(home.status()["unattended_loaded"], False, "unattended_loaded")


@case
def the_default_placement_is_a_supervisor_and_its_processes():
    home = Home()
    home.start()
    equal(sorted(home.processes().values()), PROCESSES, "processes")


@case
def a_second_daemon_is_refused_and_the_first_is_not_disturbed():
    home = furnished()
    before = home.processes()
    for _ in range(3):
        r = home.cli("daemon", "--test-kdf").refused("already_running", 1)
        check(b"ready\n" not in r.out, f"{r}")
    equal(home.processes(), before, "processes of the first")
    home.read(home.client, "read", home.main, home.memory["asset"]).done()
    equal(home.status()["unlocked"], True, "unlocked")
    check(os.path.exists(home.file("service.sock")), "the socket is gone")


@case
def of_two_daemons_started_at_once_one_serves():
    home = Home()
    home.init().done()
    first = home.spawn()
    second = home.spawn()
    ended = within(10, lambda: [p for p in (first, second) if p.poll() is not None], "the end of one")
    equal(len(ended), 1, "daemons that ended")
    equal(ended[0].returncode, 1, "exit code of the second")
    home.daemon = second if ended[0] is first else first
    within(10, lambda: open(home.out).read() == "ready\n", "ready")
    home.status()


@case
def a_socket_left_by_a_killed_daemon_is_replaced():
    home = Home()
    home.init().done()
    home.start()
    # All at once: nobody is left to tidy up.
    for pid in [home.daemon.pid, *home.processes()]:
        os.kill(pid, signal.SIGSTOP)
    home.kill()
    check(stat.S_ISSOCK(os.lstat(home.file("service.sock")).st_mode), "no stale socket is left: the case tests nothing")
    home.cli("status").refused("daemon_not_running")
    home.start()
    equal(home.status()["initialized"], True, "initialized")


@case
def anything_at_the_place_of_the_socket_of_ours_is_replaced():
    home = Home()
    home.init().done()
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(home.file("service.sock"))
    home.start()
    home.status()


@case
def the_socket_and_the_lock_are_the_owners_alone():
    home = Home()
    home.start()
    for name in ("service.sock", "daemon.lock"):
        mode = os.lstat(home.file(name)).st_mode
        equal(mode & 0o077, 0, f"mode of {name} for others")
    for folder, _, files in os.walk(home.path):
        equal(os.stat(folder).st_mode & 0o777, 0o700, f"mode of {folder}")


def _stops_clean(number):
    home = furnished()
    pids = [home.daemon.pid, *home.processes()]
    home.stop(number)
    check(not any(map(alive, pids)), "a process is left")
    check(not os.path.exists(home.file("service.sock")), "the socket is left")
    named = [p for p in os.listdir("/proc") if p.isdigit() and home.path.encode() in cmdline(p)]
    equal(named, [], "processes that name the home")
    home.cli("status").refused("daemon_not_running")
    home.verify().done()
    home.start()


@case
def sigterm_stops_it_clean():
    _stops_clean(signal.SIGTERM)


@case
def sigint_stops_it_clean():
    _stops_clean(signal.SIGINT)


@case
def a_stop_during_the_start_leaves_nothing():
    for number in (signal.SIGTERM, signal.SIGINT):
        home = Home()
        home.init().done()
        home.spawn()
        within(10, home.processes, "a first process")
        pids = list(home.processes())
        home.daemon.send_signal(number)
        home.daemon.wait(15)
        within(PATIENCE_S, lambda: not any(map(alive, pids)), "end of all processes")
        home.daemon = None
        home.start().stop()


@case
def an_interrupt_of_the_whole_terminal_stops_it_clean():
    home = Home()
    home.init().done()
    home.start()
    pids = list(home.processes())
    os.killpg(home.daemon.pid, signal.SIGINT)
    equal(home.daemon.wait(15), 0, "exit code")
    within(PATIENCE_S, lambda: not any(map(alive, pids)), "end of all processes")
    home.daemon = None


@case
def a_hangup_does_not_stop_it():
    home = Home()
    home.start()
    home.daemon.send_signal(signal.SIGHUP)
    for pid in home.processes():
        os.kill(pid, signal.SIGHUP)
    home.status()


@process_only
def a_killed_supervisor_leaves_no_process():
    home = furnished()
    pids = list(home.processes())
    equal(len(pids), len(PROCESSES), "processes")
    home.daemon.kill()
    home.daemon.wait()
    within(PATIENCE_S, lambda: not any(map(alive, pids)), "end of the processes")
    home.daemon = None
    home.start()
    home.read(home.client, "list", home.main).done()


@case
def restarts_keep_everything():
    home = furnished()
    before = home.read(home.client, "list", home.main).given()["assets"]
    for _ in range(3):
        home.restart()
    equal(home.read(home.client, "list", home.main).given()["assets"], before, "assets")
    home.verify().done()


def _long_home(length):
    home = Home()
    while len(home.path) < length:
        home.path = os.path.join(home.path, "d" * min(60, max(1, length - len(home.path))))
    os.makedirs(home.path, 0o700)
    return home


def _serves(home):
    home.init().done()
    home.start()
    home.terminal.unlock().done()
    home.terminal.enable(more=[("Sudo password: ", PASSWORD)]).done()
    vault = home.vault("v")
    asset = home.add(vault, "memory", "hello")["asset"]
    grant, client = home.mint(vault)
    home.read(client, "read", vault, asset).done()
    home.restart()
    home.read(client, "read", vault, asset).done()
    home.stop()


@case
def a_home_longer_than_a_socket_address_works():
    home = _long_home(150)
    check(len(home.path) > 108, "path is too short")
    _serves(home)


@case
def a_home_of_more_than_300_bytes_works():
    home = _long_home(340)
    check(len(home.path) > 300, "path is too short")
    _serves(home)


@case
def a_home_with_odd_characters_works():
    home = Home("with blanks, \"quotes\" and 记忆")
    _serves(home)


@case
def the_home_comes_from_the_environment_when_no_option_names_it():
    home = Home()
    home.init().done()
    home.start()
    data = home.side("data")
    user = home.side("user")
    os.mkdir(data, 0o700)
    os.mkdir(user, 0o700)
    none = {"MEMORIES_HOME": None, "XDG_DATA_HOME": None, "HOME": user}
    equal(program("--json", "status", env={**none, "MEMORIES_HOME": home.path}).given()["initialized"], True, "status")
    os.symlink(home.path, os.path.join(data, "memories"))
    equal(program("--json", "status", env={**none, "XDG_DATA_HOME": data}).given()["initialized"], True, "status")
    os.makedirs(os.path.join(user, ".local", "share"), 0o700)
    os.symlink(home.path, os.path.join(user, ".local", "share", "memories"))
    equal(program("--json", "status", env=none).given()["initialized"], True, "status")
    other = Home()
    equal(program("--home", home.path, "--json", "status", env={**none, "MEMORIES_HOME": other.path})
          .given()["initialized"], True, "status with --home and MEMORIES_HOME")


@case
def a_home_named_through_a_symlink_is_the_same_home():
    home = furnished()
    link = home.side("link")
    os.symlink(home.path, link)
    program("--home", link, "--json", "status").done()
    program("--home", link, "unattended", "list", home.main, "--client-file", home.client).done()
    program("--home", home.path + "/../home/.//", "unattended", "list", home.main, "--client-file", home.client).done()


@case
def the_daemon_takes_no_password_from_the_environment():
    home = furnished()
    home.owner("lock").done()
    home.stop()
    home.start(env=dict.fromkeys(["MEMORIES_PASSWORD", "PASSWORD", "MEMORIES_KEY"], PASSWORD))
    s = home.status()
    equal((s["unlocked"], s["unattended_loaded"]), (False, False), "states")


@case
def a_library_of_the_full_kdf_needs_no_test_setting():
    home = Home()
    home.owner("init", answers=[("Password: ", PASSWORD), ("Repeat password: ", PASSWORD)],
               env={"MEMORIES_TEST_KDF": None}).done()
    home.start()
    home.terminal.run("unlock", answers=[("Password: ", PASSWORD)], env={"MEMORIES_TEST_KDF": None}).done()


@case
def a_cheap_kdf_is_refused_without_the_test_setting():
    home = Home()
    home.init().done()
    with open(home.out, "ab") as out, open(home.log, "ab") as log:
        home.daemon = subprocess.Popen([BIN, "--home", home.path, "daemon", *DAEMON_OPTIONS], stdout=out, stderr=log,
                                       stdin=subprocess.DEVNULL, env=environment(), start_new_session=True)
    within(10, lambda: open(home.out).read() == "ready\n", "ready")
    r = home.terminal.unlock()
    check(r.code != 0, "a cheap KDF was accepted")
    equal(home.status()["unlocked"], False, "unlocked")


@case
def the_harness_notices_a_process_that_is_left():
    home = Home()
    home.start()
    check(parent_of(list(home.processes())[0]) == home.daemon.pid, "parent")
    check(alive(os.getpid()) and not alive(2**22 + 1), "alive() is wrong")
    try:
        within(0.05, lambda: False, "never")
    except Failed:
        return
    raise Failed("within() never ends")


if __name__ == "__main__":
    main()
