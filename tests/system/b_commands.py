#!/usr/bin/env python3
"""b: every command's JSON, its exit codes, its help, its prompts."""
import json
import os
import signal

from harness import (BIN, EXIT_OF, HEX_ROOT, NO_ID, PASSWORD, TIME, TREE, UUID, Home, Terminal, case, check, commands,
                     equal, furnished, library, main, program, shape, shared, within)

COMMANDS = ["init", "daemon", "status", "unlock", "lock", "sudo", "passwd", "library managed-by", "device list",
            "device remove", "device add", "vault create", "vault list", "vault rename", "vault remove", "asset add",
            "asset list", "asset show", "asset edit", "asset resolve", "asset remove", "asset restore", "asset history",
            "generate", "search", "unattended enable", "unattended mint", "unattended status", "unattended list",
            "unattended history", "unattended read", "unattended credential-bytes", "unattended resume",
            "unattended revoke", "unattended prune", "unattended disable", "grant mint", "grant list", "grant revoke",
            "grant prune", "mcp serve-unattended", "mcp serve", "proposal list", "proposal show", "proposal confirm",
            "proposal edit", "proposal dismiss", "profile enable", "profile disable", "profile status", "profile maintenance",
            "profile passwd", "profile fact add", "profile fact list", "profile fact edit",
            "profile fact archive", "profile share", "profile unshare", "profile proposal list", "profile proposal show",
            "profile proposal confirm", "profile proposal edit", "profile proposal dismiss", "profile connection list",
            "profile connection show", "profile connection reduce", "profile connection revoke", "audit verify", "audit prove", "audit consistency", "audit export",
            "audit checkpoint", "audit repair", "audit show"]

# What an owner's command needs. Those of a client's file and those that look at the log's files alone need none of it.
NO_DAEMON = {"init", "daemon", "generate", "audit verify", "audit prove", "audit consistency", "audit export"}
NOT_UNLOCKED = NO_DAEMON | {"status", "unlock", "lock", "audit checkpoint", "audit repair"}
# They ask for the password where it is missing.
ASKS = {"unattended enable", "profile enable", "profile disable", "profile maintenance"}
SUDO = ("unattended ", "grant ", "device ", "passwd", "profile passwd")


def _owners(without):
    """The owner's commands, as they can be called."""
    return {k: v for k, v in commands().items() if k not in without and not {"--client-file", "--grant-file"} & set(v)
            or k.endswith(" mint")}


STATUS = {
    "initialized": bool, "unlocked": bool, "unattended_loaded": bool, "unattended_error": (None, str),
    "manual_lock": bool, "library": (None, UUID), "version": str, "weakened": [str],
    "suspend": {"locks": bool, "words": str},
    "custody": (None, {"backend": str, "kept": str, "protects": str, "does_not_protect": str, "detail": (None, str)}),
    "search": {"state": ("off", "warming", "ready"), "documents": int, "bytes": int, "locked_bytes": int},
    "profile": ("never_enabled", "off", "locked", "maintenance", "serves"),
    "audit": {"size": int, "root": HEX_ROOT, "state": ("ok", "low", "full", "failed"), "healthy": bool, ...: True},
}


# Help, version and wrong usage

@case
def every_command_answers_help():
    for command in COMMANDS:
        words = command.split()
        for argv in ([*words, "--help"], ["--home", "/nonexistent", *words, "--help"], ["--json", *words, "--help"]):
            r = program(*argv).done()
            text = r.out.decode()
            check(text.startswith("usage: memories") and command in text.splitlines()[0], f"no help: {r}")
            equal(r.err, b"", "stderr of help")


@case
def the_help_of_a_command_names_its_options():
    for command, options in {
        "unattended mint": ["--vault", "--client-file"], "unattended enable": ["--backend"],
        "unattended read": ["--revision", "--offset", "--limit", "--client-file"],
        "asset add": ["--kind", "--private", "--title", "--tag", "--media-type"],
        "daemon": ["--trace", "--test-kdf"], "sudo": ["--end"], "audit verify": ["--key", "--full"],
    }.items():
        text = program(*command.split(), "--help").done().out.decode()
        for option in options:
            check(option in text, f"`{command} --help` lacks {option}")


@case
def the_help_of_a_group_lists_its_commands_alone():
    for group in ("vault", "profile", "profile fact", "profile fact nonsense"):
        lines = program(*group.split(), "--help").done().out.decode().splitlines()
        listed = [x.strip() for x in lines if x.startswith("  ")]
        wanted = group.removesuffix(" nonsense") + " "
        check(len(listed) > 1 and all(x.startswith(wanted) for x in listed), f"help of {group}: {listed}")


@case
def the_general_help_lists_every_command():
    equal(sorted(commands()), sorted(COMMANDS), "commands")
    text = program("--help").done().out.decode()
    for command in COMMANDS:
        check(f"  {command}" in text, f"--help lacks {command}")
    for option in ["--home", "--json", "--remote", "--version", "--help"]:
        check(option in text, f"--help lacks {option}")


@case
def a_group_of_commands_answers_help():
    for group in ["vault", "asset", "device", "unattended", "grant", "mcp", "proposal", "audit"]:
        text = program(group, "--help").done().out.decode()
        check(f"  {group} " in text and "  init" not in text, f"`{group} --help` says {text:.200}")


@case
def the_version_is_told():
    r = program("--version").done()
    check(r.out.decode().startswith("memories ") and r.out.endswith(b"\n"), f"{r}")


@case
def wrong_usage_exits_with_2():
    for argv in ([], ["nonsense"], ["vault"], ["unattended"], ["asset", "nonsense"], ["status", "more"],
                 ["status", "--nonsense"], ["vault", "create"], ["vault", "create", "a", "b"],
                 ["asset", "add", "v", "-"], ["unattended", "list", "v"], ["unattended", "mint"],
                 ["unattended", "enable"], ["unattended", "mint", "--vault"], ["asset", "list", "v", "--limit"],
                 ["mcp", "serve-unattended"], ["status", "--json=yes"],
                 ["asset", "list", "v", "--limit", "1", "--limit", "2"], ["sudo", "--end=now"]):
        r = program(*argv)
        equal(r.code, 2, f"exit code of {r}")
        check(r.error in ("usage", "invalid_argument"), f"{r}")


@case
def wrong_usage_is_json_too_with_json():
    program("--json", "nonsense").refused("usage")
    program("nonsense").refused("usage", json=False)
    program("unattended", "read", "x", "y").refused("usage")


@case
def a_word_that_begins_commands_names_what_can_follow_it():
    for argv in (["vault"], ["vault", "nonsense"], ["--home", "/", "vault"]):
        r = program("--json", *argv).refused("usage")
        check("vault is followed by create, list, rename, remove" in r.err.decode(), f"{r}")
    check(b"no such command: vaul\n" in program("--json", "vaul").refused("usage").err, "a word that begins none")


@case
def what_was_typed_moves_no_cursor_and_ends_no_line():
    typed = "a\x1b[31m\nmemories: \u202eb"
    shown = "a⟨U+001B⟩[31m⟨U+000A⟩memories: ⟨U+202E⟩b"
    home = shared(library)
    for argv, code in (([typed], "usage"), (["asset", "list", f"--{typed}"], "usage"),
                       (["asset", "add", home.main, typed, "--kind", "memory"], "file_unreadable"),
                       (["generate", "--words", "3", "--word-list", typed], "file_unreadable")):
        r = home.owner(*argv).refused(code)
        check(shown in r.err.decode().splitlines()[0], f"it is shown: {r}")
        check(b"\x1b" not in r.err and shown in r.json["error"]["message"], f"nor obeyed: {r}")


@case
def every_code_that_the_contract_names_is_in_the_page_of_errors():
    with open(os.path.join(TREE, "docs", "errors.md")) as f:
        rows = dict(line.split("|")[1:3] for line in f if line.startswith("| `"))
    exits = {code.strip(" `"): int(n) for code, n in rows.items()}
    ones = ["not_initialized", "busy", "remote_refused", "remote_unsupported", "already_running", "home_not_private",
            "not_found", "vault_not_active", "asset_deleted", "revision_required", "revision_mismatch", "quarantined",
            "wrong_kind", "offset_out_of_range", "stale_base", "client_file_exists", "client_file_unsafe",
            "custody_unsupported"]
    for code, wanted in {**EXIT_OF, **dict.fromkeys(ones, 1)}.items():
        equal(exits.get(code), wanted, f"exit code of {code} in docs/errors.md")


# Shapes

@case
def init_prints_library_and_device():
    home = Home()
    shape(home.init().given(), {"library": UUID, "device": UUID})


@case
def init_makes_a_private_home():
    home = Home()
    home.init().done()
    equal(os.stat(home.path).st_mode & 0o777, 0o700, "mode of the home")
    for folder, dirs, files in os.walk(home.path):
        for name in dirs + files:
            mode = os.lstat(os.path.join(folder, name)).st_mode & 0o777
            check(mode & 0o077 == 0, f"{name} has mode {mode:o}")


@case
def a_second_init_is_refused_without_a_daemon():
    home = Home()
    first = home.init().given()["library"]
    home.cli("init").refused("already_initialized")
    home.start()
    equal(home.status()["library"], first, "library")


@case
def init_works_beside_a_running_daemon_and_only_once():
    home = Home()
    home.start()
    made = home.init().given()
    shape(made, {"library": UUID, "device": UUID})
    equal(home.status()["library"], made["library"], "library")
    home.cli("init").refused("already_initialized")
    home.terminal.unlock().done()
    home.restart()
    equal(home.status()["library"], made["library"], "library after a restart")


@case
def init_refuses_two_different_passwords_and_makes_nothing():
    home = Home()
    home.owner("init", answers=[("Password: ", "one"), ("Repeat password: ", "two")]).refused("password_mismatch")
    home.init().done()


@case
def init_refuses_an_empty_password():
    home = Home()
    r = home.owner("init", answers=[("Password: ", "")])
    check(r.code != 0, f"{r}")
    home.init().done()


@case
def status_of_an_empty_home_says_not_initialized():
    home = Home()
    home.start()
    s = home.status()
    shape(s, STATUS)
    equal((s["initialized"], s["unlocked"], s["library"]), (False, False, None), "status")


@case
def status_of_a_library_has_the_contracts_shape():
    home = shared(furnished)
    s = home.status()
    shape(s, STATUS)
    equal([s[k] for k in ("initialized", "unlocked", "unattended_loaded", "unattended_error", "manual_lock")],
          [True, True, True, None, False], "status")
    equal((s["audit"]["state"], s["audit"]["healthy"]), ("ok", True), "state of the log")


@case
def status_names_the_test_settings_in_force():
    home = shared(furnished)
    check("test_kdf" in home.status()["weakened"], f"weakened: {home.status()['weakened']}")


@case
def status_names_a_test_setting_of_the_log():
    home = Home()
    home.start("--test-log-segment", "65536")
    check(any("log" in w for w in home.status()["weakened"]), f"weakened: {home.status()['weakened']}")


@case
def status_names_what_protection_is_off():
    home = Home()
    home.start("--no-sandbox", "--debuggable")
    check(len(home.status()["weakened"]) >= 3, f"weakened: {home.status()['weakened']}")


@case
def vault_create_and_list_have_the_contracts_shape():
    home = shared(furnished)
    made = home.owner("vault", "create", "Ünï \"code\" 保险库").given()
    shape(made, {"vault": UUID, "name": "Ünï \"code\" 保险库"})
    page = home.owner("vault", "list").given()
    shape(page, {"vaults": [{"vault": UUID, "name": str, "assets": int}], "offset": 0, "next": None})
    ids = [v["vault"] for v in page["vaults"]]
    equal(ids, sorted(ids), "order of vaults")
    counts = {v["vault"]: v["assets"] for v in page["vaults"]}
    equal((counts[home.main], counts[home.other], counts[made["vault"]]), (5, 1, 0), "assets of vaults")


@case
def a_vault_name_is_taken_once():
    home = shared(furnished)
    check(home.owner("vault", "create", "main").code == 1, "a second vault of the same name was made")


@case
def a_list_of_vaults_is_paged():
    home = library()
    ids = {home.vault(f"v{i}") for i in range(4)} | {home.main}
    got, offset = [], 0
    while offset is not None:
        page = home.owner("vault", "list", "--offset", offset, "--limit", 2).given()
        check(len(page["vaults"]) <= 2, "page is too long")
        equal(page["offset"], offset, "offset")
        got += [v["vault"] for v in page["vaults"]]
        offset = page["next"]
    equal(got, sorted(ids), "vaults")


@case
def vault_names_that_cannot_be_are_refused():
    home = shared(furnished)
    for name in ["", "x" * 257, home.main]:
        home.owner("vault", "create", name).refused("invalid_argument")


@case
def asset_list_and_history_have_the_contracts_rows():
    home = shared(furnished)
    page = home.owner("asset", "list", home.main).given()
    row = {"asset": UUID, "kind": ("memory", "card", "file", "credential"), "private": bool, "title": str,
           "revision": UUID, "bytes": int, "created_at": TIME, "updated_at": TIME, "conflict": False,
           "heads": [UUID], ...: True}
    shape(page, {"vault": home.main, "assets": [row], "offset": 0, "next": None})
    equal(len(page["assets"]), 5, "assets")
    page = home.owner("asset", "history", home.main, home.memory["asset"]).given()
    shape(page, {"vault": home.main, "asset": home.memory["asset"], "offset": 0, "next": None, "revisions": [
        {"revision": home.memory["revision"], "parents": [], "created_at": TIME, "bytes": int, "head": True,
         "deleted": False, "quarantine": False, ...: True}]})


@case
def unattended_status_has_the_contracts_shape():
    home = furnished()
    s = home.unattended_status()
    grant = {"grant": UUID, "vaults": [UUID], "label": None, "created_at": TIME, "last_used_at": None, "reads": 0,
             ...: True}
    shape(s, {"enabled": True, "inhibited": False, "backend": "owner-file", "loaded": True, "grants": [grant],
              "offset": 0, "next": None})
    home.read(home.client, "list", home.main).done()
    home.read(home.client, "read", home.main, home.memory["asset"]).done()
    g = home.unattended_status()["grants"][0]
    equal(g["reads"], 2, "reads")
    shape(g["last_used_at"], TIME)
    equal((g["grant"], g["vaults"]), (home.grant, [home.main]), "grant")


@case
def audit_verify_and_show_have_the_contracts_shape():
    home = shared(furnished)
    shape(home.verify().given(), {"valid": True, "size": int, "root": HEX_ROOT})
    page = home.owner("audit", "show", "--offset", 0, "--limit", 2).given()
    equal([r["index"] for r in page["records"]], [0, 1], "records")
    equal((page["offset"], page["next"]), (0, 2), "paging")


@case
def every_command_for_people_prints_text_and_no_json():
    home = shared(furnished)
    for argv in (["status"], ["vault", "list"], ["asset", "list", home.main], ["audit", "verify"],
                 ["asset", "history", home.main, home.memory["asset"]], ["unattended", "status"], ["audit", "show"],
                 ["asset", "show", home.main, home.memory["asset"]]):
        r = home.owner(*argv, json=False).done()
        check(r.out and r.out[:1] not in b"{[", f"JSON without --json: {r}")


@case
def json_may_stand_after_the_command():
    home = shared(furnished)
    shape(home.cli("status", "--json", json=False).given(), STATUS)


# Which state a command needs

@case
def every_command_without_a_daemon_exits_with_69():
    home = Home()
    home.init().done()
    for argv in _owners(NO_DAEMON).values():
        home.owner(*argv, input=b"{}").refused("daemon_not_running", 69)


@case
def a_daemon_on_an_empty_home_answers_not_initialized():
    home = Home()
    home.start()
    for argv in _owners(NO_DAEMON | {"status"}).values():
        home.owner(*argv, input=b"{}").refused("not_initialized", 1)


@case
def a_locked_library_refuses_the_owners_commands():
    home = Home()
    home.init().done()
    home.start()
    for argv in _owners(NOT_UNLOCKED | ASKS | {"sudo", "profile status"}).values():
        home.owner(*argv, input=b"{}").refused("locked", 77)


@case
def status_lock_and_audit_verify_work_while_locked():
    home = Home()
    home.init().done()
    home.start()
    equal(home.status()["unlocked"], False, "unlocked")
    home.owner("lock").done()
    home.verify().done()


@case
def management_needs_sudo():
    home = Home()
    home.init().done()
    home.start()
    home.terminal.unlock().done()
    v = home.vault("v")
    for name, argv in _owners(ASKS).items():
        if name.startswith(SUDO):
            home.owner(*[v if w == NO_ID else w for w in argv]).refused("sudo_required", 77)
    credential = home.add(v, "credential", "secret")["asset"]
    home.owner("asset", "show", v, credential).refused("sudo_required", 77)
    home.terminal.sudo().done()
    equal(home.owner("asset", "show", v, credential).given()["secret"], "secret", "secret")


@case
def sudo_belongs_to_one_terminal():
    home = library()
    other = Terminal(home)
    other.run("unattended", "status").refused("sudo_required")
    home.cli("unattended", "status").refused("sudo_required")
    home.unattended_status()
    other.sudo().done()
    other.run("unattended", "status").done()


@case
def sudo_ends_when_asked_and_at_lock():
    home = library()
    home.owner("sudo", "--end").done()
    home.owner("unattended", "status").refused("sudo_required")
    home.terminal.sudo().done()
    home.unattended_status()
    home.owner("lock").done()
    home.terminal.unlock().done()
    home.owner("unattended", "status").refused("sudo_required")


@case
def sudo_of_a_terminal_is_no_sudo_of_the_next_session_on_it():
    home = library()
    home.terminal.close()
    home.owner("unattended", "status").refused("sudo_required")


@case
def sudo_does_not_outlive_the_daemon():
    home = library()
    home.restart()
    home.terminal.unlock().done()
    home.owner("unattended", "status").refused("sudo_required")


# Passwords and terminals

@case
def a_command_that_asks_needs_a_terminal():
    home = Home()
    home.cli("init").refused("terminal_required", 77)
    home.init().done()
    home.start()
    home.cli("unlock").refused("terminal_required", 77)
    home.terminal.unlock().done()
    home.cli("sudo").refused("terminal_required", 77)
    home.cli("unattended", "enable", "--backend", "owner-file").refused("terminal_required", 77)


@case
def a_password_is_never_read_from_stdin_or_the_environment():
    home = Home()
    home.init().done()
    home.start()
    env = dict.fromkeys(["MEMORIES_PASSWORD", "PASSWORD"], PASSWORD)
    home.cli("unlock", input=(PASSWORD + "\n").encode(), env=env).refused("terminal_required", 77)
    equal(home.status()["unlocked"], False, "unlocked")


@case
def a_password_is_not_echoed_and_echo_comes_back():
    home = Home()
    home.init().done()
    home.start()
    home.terminal.unlock().done()
    r = home.terminal.sudo()
    check(b"Sudo password: " in r.screen, f"no prompt on {r.screen!r}")
    for part in PASSWORD.encode().split():
        check(part not in r.screen, "the password was echoed")
    r = home.terminal.command("stty", "-a", "-F", "/dev/tty").done()
    check(b" echo " in r.out.replace(b"\n", b" "), f"echo is off: {r}")


@case
def echo_comes_back_after_an_interrupt_at_the_prompt():
    home = Home()
    home.init().done()
    home.start()
    home.terminal.unlock().done()
    home.terminal.run("sudo", answers=[("Sudo password: ", signal.SIGINT)])
    r = home.terminal.command("stty", "-a", "-F", "/dev/tty").done()
    check(b" echo " in r.out.replace(b"\n", b" "), f"echo is off: {r}")


@case
def a_wrong_password_is_refused_for_unlock_and_sudo():
    home = Home()
    home.init().done()
    home.start()
    home.terminal.unlock().done()
    home.terminal.sudo("wrong").refused("wrong_password", 77)
    home.owner("lock").done()
    home.terminal.unlock("wrong").refused("wrong_password", 77)
    equal(home.status()["unlocked"], False, "unlocked")
    home.terminal.unlock("").refused("wrong_password", 77)


@case
def wrong_passwords_are_throttled_and_that_passes():
    home = Home()
    home.init().done()
    home.start()
    home.terminal.unlock().done()
    home.owner("lock").done()
    codes = [home.terminal.unlock("wrong").error for _ in range(12)]
    check(set(codes) == {"wrong_password", "throttled"}, f"codes of wrong passwords: {codes}")
    within(70, lambda: home.terminal.unlock().code == 0, "the end of throttling")


@case
def a_message_never_holds_a_password():
    home = Home()
    home.init().done()
    home.start()
    home.terminal.unlock().done()
    wrong = "wr0ng-pAssw0rd-of-mine"
    for r in (home.terminal.sudo(wrong), home.terminal.unlock(wrong)):
        check(wrong.encode() not in r.out + r.err + r.screen, f"{r}")


@case
def output_that_cannot_be_written_is_no_success():
    home = shared(furnished)
    r = home.terminal.command("sh", "-c", f'{BIN} --home {home.path} --json status > /dev/full')
    check(r.code != 0, "status into a full device ended well")


@case
def a_closed_stdout_is_no_crash():
    home = shared(furnished)
    r = home.terminal.command("sh", "-c", f'{BIN} --home {home.path} --json status >&-')
    check(0 <= r.code < 128, f"{r}")
    home.status()


if __name__ == "__main__":
    main()
