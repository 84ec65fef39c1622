#!/usr/bin/env python3
"""a: earlier copies put back: of the log, the vault, grants, and each two of them; what is noticed and what is not.

The log alone, and the log with one of the two, are noticed: whoever was left
where it was has kept a newer head of the log. The vault and grants may be put
back without the log: their anchors are older than it, as after any crash. What
an old grants database would revive the log still refuses; what an old vault
lacks is missing, and shows as `write` records whose revisions are not there.
"""
import os
import shutil

from harness import case, check, equal, furnished, main

PARTS = ("audit", "vault", "grants")


def _lived():
    """
    A library, copies of its parts, and a later life: an asset written, one grant
    revoked, one minted. The daemon is stopped.
    """
    home = furnished()
    home.stop()
    home.early = home.side("early")
    os.mkdir(home.early)
    for part in PARTS:
        shutil.copytree(home.file(part), os.path.join(home.early, part))
    home.start()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.later = home.add(home.main, "memory", "written later")
    home.revoked = home.client
    _, home.client = home.mint(home.main)
    home.owner("unattended", "revoke", home.grant).done()
    home.read(home.client, "read", home.main, home.later["asset"]).done()
    home.stop()
    return home


def _put_back(home, *parts):
    for part in parts:
        shutil.rmtree(home.file(part))
        shutil.copytree(os.path.join(home.early, part), home.file(part))
    home.start()


def _expect_tampered(home):
    for client in (home.client, home.revoked):
        r = home.read(client, "read", home.main, home.memory["asset"])
        check(r.code != 0 and b'"data"' not in r.out, f"an exchanged log delivers: {r}")
    s = home.status()["audit"]
    equal((s["state"], s["healthy"], s["reason"]), ("failed", False, "audit_tampered"), "the log's state")
    home.terminal.unlock().done()
    home.owner("vault", "list").refused("audit_tampered")
    home.restart()
    equal(home.status()["audit"]["reason"], "audit_tampered", "the log's state after a restart")


@case
def the_log_alone_is_noticed():
    home = _lived()
    _put_back(home, "audit")
    _expect_tampered(home)


@case
def the_log_and_the_vault_are_noticed_by_grants():
    home = _lived()
    _put_back(home, "audit", "vault")
    _expect_tampered(home)


@case
def the_log_and_grants_are_noticed_by_the_vault():
    home = _lived()
    _put_back(home, "audit", "grants")
    _expect_tampered(home)


@case
def the_log_put_right_again_is_taken_again():
    home = _lived()
    shutil.copytree(home.file("audit"), home.side("real"))
    _put_back(home, "audit")
    equal(home.status()["audit"]["reason"], "audit_tampered", "the log's state")
    home.stop()
    shutil.rmtree(home.file("audit"))
    shutil.copytree(home.side("real"), home.file("audit"))
    home.start()
    home.read(home.client, "read", home.main, home.later["asset"]).done()


@case
def a_log_and_a_vault_that_are_gone_are_noticed_by_grants():
    home = _lived()
    shutil.rmtree(home.file("audit"))
    shutil.rmtree(home.file("vault"))
    home.start()
    _expect_tampered(home)


@case
def the_vault_alone_lacks_what_came_later_and_is_not_called_tampered():
    home = _lived()
    _put_back(home, "vault")
    home.read(home.client, "read", home.main, home.later["asset"]).refused("not_found")
    home.read(home.client, "read", home.main, home.memory["asset"]).done()
    equal(home.status()["audit"]["state"], "ok", "the log's state")
    home.terminal.unlock().done()
    written = [r["revision"] for r in home.records() if r["type"] == "write" and "revision" in r]
    equal(home.later["revision"] in written, True, "the log still has the record of the lost write")


@case
def grants_alone_revive_no_revoked_grant():
    home = _lived()
    _put_back(home, "grants")
    home.read(home.revoked, "read", home.main, home.memory["asset"]).refused("invalid_grant")
    home.read(home.client, "read", home.main, home.memory["asset"]).refused("invalid_grant")
    equal(home.status()["audit"]["state"], "ok", "the log's state")
    home.terminal.unlock().done()
    refusals = [r for r in home.records() if r["type"] == "refusal" and r.get("subject") == home.grant]
    equal([r["reason"] for r in refusals], ["invalid_grant"], "what the log says of the revived grant")


@case
def grants_revive_no_grant_that_was_revoked_while_the_log_had_failed():
    home = furnished()
    home.stop()
    home.early = home.side("early")
    os.mkdir(home.early)
    shutil.copytree(home.file("grants"), os.path.join(home.early, "grants"))
    # The log is away: another stands in its place, and the daemon notices.
    os.rename(home.file("audit"), home.side("real"))
    os.mkdir(home.file("audit"), 0o700)
    home.start()
    equal(home.status()["audit"]["state"], "failed", "the log's state")
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("unattended", "revoke", home.grant).done()
    home.stop()
    # And comes again.
    shutil.rmtree(home.file("audit"))
    os.rename(home.side("real"), home.file("audit"))
    home.start()
    home.read(home.client, "read", home.main, home.memory["asset"]).refused("invalid_grant")
    home.stop()
    _put_back(home, "grants")
    home.terminal.unlock().done()
    revoked = [r for r in home.records() if r["type"] == "revoke"]
    equal([r.get("subject") for r in revoked], [home.grant], "what the log says was revoked")
    home.read(home.client, "read", home.main, home.memory["asset"]).refused("invalid_grant")


@case
def the_vault_and_grants_revive_no_revoked_grant_and_lack_what_came_later():
    home = _lived()
    _put_back(home, "vault", "grants")
    home.read(home.revoked, "read", home.main, home.memory["asset"]).refused("invalid_grant")
    equal(home.status()["audit"]["state"], "ok", "the log's state")
    home.terminal.unlock().done()
    home.owner("asset", "show", home.main, home.later["asset"]).refused("not_found")


@case
def grants_of_before_a_lock_stay_locked():
    home = _lived()
    home.start()
    home.owner("lock").done()
    home.stop()
    _put_back(home, "grants")
    home.read(home.revoked, "read", home.main, home.memory["asset"]).refused("banned")


@case
def grants_of_before_a_disable_revive_nothing():
    home = furnished()
    home.stop()
    copies = {part: home.side(part) for part in ("grants", "custody")}
    for part, copy in copies.items():
        shutil.copytree(home.file(part), copy)
    home.start()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("unattended", "disable").done()
    home.stop()
    for part, copy in copies.items():
        shutil.rmtree(home.file(part))
        shutil.copytree(copy, home.file(part))
    home.start()
    home.read(home.client, "read", home.main, home.memory["asset"]).refused("invalid_grant")


if __name__ == "__main__":
    main()
