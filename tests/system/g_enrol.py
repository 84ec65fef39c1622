#!/usr/bin/env python3
"""g: enable, mint, revoke, disable."""
import json
import os
import stat

from harness import (BIN, NO_ID, PASSWORD, UUID, Home, case, check, equal, furnished, library, main, needs_root,
                     shape, shared)

SUDO = ("Sudo password: ", PASSWORD)
OPEN = ("Password: ", PASSWORD)


def _bare():
    """A library with a daemon, locked, not enrolled."""
    home = Home()
    home.init().done()
    home.start()
    return home


# enable

@case
def enable_asks_for_the_word_and_for_both_passwords_when_none_is_given():
    home = _bare()
    r = home.terminal.enable(more=[OPEN, SUDO]).done()
    screen = r.screen.decode()
    check(screen.find("ENABLE") < screen.find("Password: ") < screen.find("Sudo password: "), f"order: {screen!r}")
    s = home.status()
    equal((s["unlocked"], s["unattended_loaded"], s["unattended_error"]), (True, True, None), "states")
    home.owner("vault", "create", "x").done()
    home.unattended_status()


@case
def enable_asks_for_no_password_that_is_given_already():
    home = _bare()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    r = home.terminal.enable().done()
    check(b"assword" not in r.screen.split(b"to go on: ")[1], f"asked for a password: {r.screen!r}")


@case
def enable_asks_for_sudo_alone_when_unlocked():
    home = _bare()
    home.terminal.unlock().done()
    r = home.terminal.enable(more=[SUDO]).done()
    equal(r.screen.count(b"assword: "), 1, "password prompts")


@case
def enable_warns_that_stored_passwords_can_be_read():
    home = _bare()
    r = home.terminal.enable(word="no")
    warning = r.screen.split(b"Type ENABLE")[0].lower()
    check(b"password" in warning and b"read" in warning, f"warning: {warning!r}")


@case
def any_other_word_enables_nothing():
    home = _bare()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    for word in ("", "enable", "ENABLE ", " ENABLE", "yes", "ENABLED", "Enable"):
        home.terminal.enable(word=word).refused("not_confirmed", 77)
    s = home.unattended_status()
    equal((s["enabled"], s["loaded"], s["backend"]), (False, False, None), "status")
    check(not os.path.exists(home.file("custody", "owner-file")), "a custody file was made")


@case
def a_wrong_password_enables_nothing():
    home = _bare()
    home.terminal.enable(more=[("Password: ", "wrong")]).refused("wrong_password", 77)
    home.terminal.unlock().done()
    home.terminal.enable(more=[("Sudo password: ", "wrong")]).refused("wrong_password", 77)
    equal(home.status()["unattended_loaded"], False, "loaded")
    check(not os.path.exists(home.file("custody", "owner-file")), "a custody file was made")
    home.terminal.enable(more=[SUDO]).done()


@case
def enable_twice_is_refused():
    home = library()
    with open(home.file("custody", "owner-file"), "rb") as f:
        before = f.read()
    # Before anything is asked.
    home.terminal.command(*_enable_argv(home, "owner-file")).refused("already_enabled", 77)
    with open(home.file("custody", "owner-file"), "rb") as f:
        equal(f.read() == before, True, "the custody file is as it was")
    equal(home.status()["unattended_loaded"], True, "loaded")


@case
def backends_of_other_platforms_are_unsupported():
    home = _bare()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    for backend in ("macos-keychain", "windows-dpapi"):
        home.terminal.command(*_enable_argv(home, backend)).refused("custody_unsupported", 1)
    s = home.unattended_status()
    equal((s["enabled"], s["backend"]), (False, None), "status")
    home.terminal.enable().done()


@case
def a_backend_of_no_such_name_is_refused():
    home = _bare()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    for backend in ("", "nonsense", "owner-file ", "OWNER-FILE", "x" * 300):
        r = home.terminal.command(*_enable_argv(home, backend))
        check(r.error in ("invalid_argument", "usage"), f"{backend!r}: {r}")
    equal(home.unattended_status()["enabled"], False, "enabled")


def _enable_argv(home, backend):
    return [BIN, "--home", home.path, "--json", "unattended", "enable", "--backend", backend]


@case
def the_custody_file_is_the_owners_alone():
    home = library()
    for path, mode in ((home.file("custody"), 0o700), (home.file("custody", "owner-file"), 0o600)):
        s = os.lstat(path)
        equal((stat.S_IMODE(s.st_mode), s.st_uid), (mode, os.geteuid()), f"mode and owner of {path}")
    equal(os.listdir(home.file("custody")), ["owner-file"], "files of custody")


@case
def the_password_still_opens_after_enable_and_after_disable():
    home = library()
    home.restart()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("unattended", "disable").done()
    home.restart()
    home.terminal.unlock().done()


# mint

@case
def mint_prints_the_contracts_object_and_never_the_token():
    home = library()
    other = home.vault("other")
    path = os.path.join(home.clients, "c")
    r = home.owner("unattended", "mint", "--vault", home.main, "--vault", other, "--client-file", path)
    shape(r.given(), {"grant": UUID, "client_file": path, "vaults": [UUID], "expires_at": None})
    equal(sorted(r.json["vaults"]), sorted([home.main, other]), "vaults")
    with open(path) as f:
        token = json.load(f)["token"]
    check(token.encode() not in r.out + r.err + r.screen, "the token was printed")


@case
def the_client_file_is_the_owners_alone_and_whole():
    home = library()
    _, path = home.mint(home.main)
    s = os.lstat(path)
    equal((stat.S_IMODE(s.st_mode), s.st_nlink, s.st_uid, stat.S_ISREG(s.st_mode)), (0o600, 1, os.geteuid(), True),
          "the client file")
    equal(os.listdir(home.clients), [os.path.basename(path)], "what is in its folder")


@case
def mint_takes_a_vault_by_name_and_a_path_from_the_callers_folder():
    home = library()
    made = home.owner("unattended", "mint", "--vault", "main", "--client-file", "c", cwd=home.clients).given()
    equal((made["client_file"], made["vaults"]), (os.path.join(home.clients, "c"), [home.main]), "what was made")
    home.read(made["client_file"], "list", home.main).done()


def _mint(home, path, *vaults):
    options = [w for v in vaults or [home.main] for w in ("--vault", v)]
    return home.owner("unattended", "mint", *options, "--client-file", path)


def _grants(home):
    return [g["grant"] for g in home.unattended_status()["grants"]]


@case
def mint_never_overwrites():
    home = library()
    _, path = home.mint(home.main)
    with open(path, "rb") as f:
        before = f.read()
    grants = _grants(home)
    _mint(home, path).refused("client_file_exists", 1)
    with open(path, "rb") as f:
        equal(f.read() == before, True, "the file is as it was")
    folder = os.path.join(home.clients, "folder")
    os.mkdir(folder)
    dangling = os.path.join(home.clients, "dangling")
    os.symlink(os.path.join(home.clients, "target"), dangling)
    fifo = os.path.join(home.clients, "fifo")
    os.mkfifo(fifo)
    for taken in (folder, dangling, fifo):
        r = _mint(home, taken)
        check(r.error in ("client_file_exists", "client_file_unsafe"), f"{taken}: {r}")
    check(not os.path.exists(os.path.join(home.clients, "target")), "went through a link")
    equal(_grants(home), grants, "the grants whose files could not be published are revoked")


@case
def mint_refuses_a_folder_that_is_not_the_owners_alone():
    home = library()
    grants = _grants(home)
    folder = os.path.join(home.dir, "shared")
    os.mkdir(folder, 0o700)
    for mode in (0o755, 0o750, 0o777, 0o1777, 0o711, 0o702):
        os.chmod(folder, mode)
        _mint(home, os.path.join(folder, "c")).refused("client_file_unsafe", 1)
        equal(os.listdir(folder), [], "what is in the folder")
    os.chmod(folder, 0o700)
    os.mkdir(os.path.join(folder, "inner"), 0o700)
    os.chmod(folder, 0o777)
    _mint(home, os.path.join(folder, "inner", "c")).refused("client_file_unsafe", 1)
    equal(_grants(home), grants, "grants")
    os.chmod(folder, 0o700)
    _mint(home, os.path.join(folder, "inner", "c")).done()


@case
def mint_refuses_a_folder_of_another_user():
    needs_root()
    home = library()
    folder = os.path.join(home.dir, "theirs")
    os.mkdir(folder, 0o700)
    os.chown(folder, 65534, 65534)
    _mint(home, os.path.join(folder, "c")).refused("client_file_unsafe", 1)
    link = os.path.join(home.dir, "link")
    os.symlink(home.clients, link)
    os.lchown(link, 65534, 65534)
    _mint(home, os.path.join(link, "c")).refused("client_file_unsafe", 1)
    equal(_grants(home), [], "grants")


@case
def mint_refuses_a_folder_that_is_missing_or_none():
    home = library()
    home.side("file", "x")
    for path in (os.path.join(home.dir, "missing", "c"), os.path.join(home.dir, "file", "c")):
        _mint(home, path).refused("client_file_unsafe", 1)
    for path in (home.clients + "/", home.clients, "", "/", os.path.join(home.clients, "x" * 300)):
        check(_mint(home, path).code != 0, f"minted at {path!r:.80}")
    equal(_grants(home), [], "grants")
    equal(os.listdir(home.clients), [], "files")


@case
def mint_refuses_vaults_that_are_none():
    home = library()
    path = os.path.join(home.clients, "c")
    _mint(home, path, NO_ID).refused("not_found", 1)
    _mint(home, path, "no such vault").refused("not_found", 1)
    _mint(home, path, home.main, home.main).refused("invalid_argument", 2)
    equal((_grants(home), os.listdir(home.clients)), ([], []), "what was made")


@case
def mint_needs_the_loaded_key():
    home = _bare()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.main = home.vault("main")
    path = os.path.join(home.clients, "c")
    _mint(home, path).refused("not_enabled", 77)
    home.terminal.enable().done()
    home.owner("lock").done()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    r = _mint(home, path)
    check(r.error in ("unattended_not_loaded", "banned"), f"{r}")
    equal(r.code, 77, "exit code")
    check(not os.path.exists(path), "a file was made")


# Grants

@case
def two_grants_are_independent():
    home = furnished()
    g2, c2 = home.mint(home.other)
    home.read(home.client, "list", home.other).refused("vault_not_granted", 77)
    home.read(c2, "list", home.main).refused("vault_not_granted", 77)
    home.read(c2, "read", home.other, home.apart["asset"]).done()
    home.owner("unattended", "revoke", home.grant).done()
    home.read(home.client, "list", home.main).refused("invalid_grant", 77)
    home.read(c2, "read", home.other, home.apart["asset"]).done()


@case
def one_grant_may_cover_several_vaults():
    home = furnished()
    _, both = home.mint(home.main, home.other)
    home.read(both, "read", home.main, home.memory["asset"]).done()
    home.read(both, "read", home.other, home.apart["asset"]).done()
    home.read(both, "read", home.main, home.apart["asset"]).refused("not_found", 1)


@case
def a_vault_made_later_is_not_covered():
    home = furnished()
    later = home.vault("later")
    home.read(home.client, "list", later).refused("vault_not_granted", 77)


@case
def an_asset_added_later_to_a_granted_vault_is_covered():
    home = furnished()
    made = home.add(home.main, "credential", "new one")
    home.read(home.client, "credential-bytes", home.main, made["asset"]).done()


@case
def revoke_is_durable_and_idempotent():
    home = furnished()
    equal(_grants(home), [home.grant], "grants")
    for _ in range(3):
        home.owner("unattended", "revoke", home.grant).done()
        home.read(home.client, "list", home.main).refused("invalid_grant", 77)
    home.restart()
    home.read(home.client, "list", home.main).refused("invalid_grant", 77)
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("unattended", "revoke", home.grant).done()
    equal(_grants(home), [], "grants")


@case
def revoking_what_never_was_is_not_found():
    home = shared(furnished)
    home.owner("unattended", "revoke", NO_ID).refused("not_found", 1)
    home.owner("unattended", "revoke", home.main).refused("not_found", 1)
    home.owner("unattended", "revoke", "nonsense").refused("invalid_argument", 2)
    equal(len(_grants(home)), 1, "grants")


@case
def a_revoked_grant_is_known_by_its_records():
    home = furnished()
    home.owner("unattended", "revoke", home.grant).done()
    types = [(r["type"], r.get("subject")) for r in home.records()]
    check(("grant", home.grant) in types and ("revoke", home.grant) in types, f"records: {types}")


@case
def grants_are_listed_by_id_and_in_pages():
    home = library()
    made = sorted(home.mint(home.main)[0] for _ in range(5))
    equal(_grants(home), made, "grants")
    page = home.owner("unattended", "status", "--offset", 1, "--limit", 2).given()
    equal(([g["grant"] for g in page["grants"]], page["offset"], page["next"]), (made[1:3], 1, 3), "page")
    page = home.owner("unattended", "status", "--offset", 3, "--limit", 2).given()
    equal(([g["grant"] for g in page["grants"]], page["next"]), (made[3:], None), "last page")


@case
def deleting_a_client_file_is_no_revocation():
    home = furnished()
    with open(home.client) as f:
        text = f.read()
    os.unlink(home.client)
    copy = os.path.join(home.clients, "copy")
    with open(copy, "w", opener=lambda p, flags: os.open(p, flags, 0o600)) as f:
        f.write(text)
    home.read(copy, "list", home.main).done()


# disable

@case
def disable_ends_everything():
    home = furnished()
    g2, c2 = home.mint(home.other)
    home.owner("unattended", "disable").done()
    for client, vault in ((home.client, home.main), (c2, home.other)):
        home.read(client, "list", vault).refused("banned", 77)
    s = home.unattended_status()
    equal((s["enabled"], s["inhibited"], s["loaded"], s["grants"]), (False, True, False, []), "status")
    check(not os.path.exists(home.file("custody", "owner-file")), "the custody file is there")
    equal(os.listdir(home.file("custody")), [], "files of custody")
    equal(home.status()["manual_lock"], False, "manual_lock")
    home.restart()
    home.read(home.client, "list", home.main).refused("banned", 77)
    equal(home.status()["unattended_loaded"], False, "loaded")


@case
def enable_after_disable_lifts_its_ban_and_revives_no_grant():
    home = furnished()
    home.owner("unattended", "disable").done()
    home.terminal.enable().done()
    s = home.unattended_status()
    equal((s["enabled"], s["inhibited"], s["loaded"], s["grants"]), (True, False, True, []), "status")
    home.read(home.client, "list", home.main).refused("invalid_grant", 77)
    _, client = home.mint(home.main)
    home.read(client, "read", home.main, home.memory["asset"]).done()
    home.restart()
    home.read(client, "read", home.main, home.memory["asset"]).done()
    home.read(home.client, "list", home.main).refused("invalid_grant", 77)


@case
def a_custody_file_of_before_disable_opens_nothing_after_enabling_anew():
    home = furnished()
    with open(home.file("custody", "owner-file"), "rb") as f:
        old = f.read()
    home.owner("unattended", "disable").done()
    home.terminal.enable().done()
    home.stop()
    with open(home.file("custody", "owner-file"), "wb") as f:
        f.write(old)
    home.start()
    s = home.status()
    equal((s["unattended_loaded"], s["unattended_error"]), (False, "custody_binding"), "status")


@case
def disable_without_enable_is_refused():
    home = _bare()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("unattended", "disable").refused("not_enabled", 77)
    home.owner("unattended", "resume").refused("not_enabled", 77)


@case
def disable_and_resume_do_not_lift_each_others_ban():
    home = furnished()
    home.owner("unattended", "disable").done()
    r = home.owner("unattended", "resume")
    equal(r.error, "not_enabled", f"resume after disable: {r}")
    home.read(home.client, "list", home.main).refused("banned", 77)


@case
def enable_never_lifts_the_ban_of_a_manual_lock():
    home = furnished()
    home.owner("lock").done()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("unattended", "disable").done()
    home.terminal.enable().done()
    s = home.status()
    equal(s["manual_lock"], True, "manual_lock")
    equal(home.unattended_status()["inhibited"], True, "inhibited")
    home.read(home.client, "list", home.main).refused("banned", 77)
    home.restart()
    equal(home.status()["unattended_loaded"], False, "loaded after a restart")


@case
def every_step_of_management_is_recorded():
    home = furnished()
    home.owner("unattended", "revoke", home.grant).done()
    home.owner("unattended", "disable").done()
    home.owner("lock").done()
    home.terminal.unlock().done()
    types = [r["type"] for r in home.records()]
    for wanted in ("unlock", "enable", "grant", "revoke", "disable", "lock"):
        check(wanted in types, f"no `{wanted}` record in {types}")
    home.verify().done()


if __name__ == "__main__":
    main()
