#!/usr/bin/env python3
"""g: grants narrowed by class and by time, known by a label, seen before they are made."""
import os
import time

from harness import (NO_ID, TIME, UUID, case, check, data_of, equal, furnished, library, main, process_only, shape, shared,
                     within)

ROW = {"grant": UUID, "vaults": [UUID], "label": (None, str), "classes": [str], "created_at": TIME,
       "expires_at": (None, TIME), "expired": bool, "last_used_at": (None, TIME), "reads": int}
ALL = ["ordinary", "private", "file", "credential"]


def _rows(home):
    return {r["grant"]: r for r in home.unattended_status()["grants"]}


def _assets(home, client):
    return [r["asset"] for r in home.read(client, "list", home.main).given()["assets"]]


def _error(result):
    return result.code, result.json


# Classes

def _of_class(home):
    return {"ordinary": [home.memory, home.card], "private": [home.private], "file": [home.big],
            "credential": [home.secret]}


@case
def only_shows_its_classes_and_nothing_else_is_there():
    home = shared(furnished)
    for only in (["ordinary"], ["private"], ["file"], ["credential"], ["private", "file"]):
        _, client = home.mint(home.main, options=[w for c in only for w in ("--only", c)])
        wanted = sorted(a["asset"] for c in only for a in _of_class(home)[c])
        equal(_assets(home, client), wanted, f"list of {only}")
        for name, assets in _of_class(home).items():
            command = "credential-bytes" if name == "credential" else "read"
            for a in assets:
                r = home.read(client, command, home.main, a["asset"])
                h = home.read(client, "history", home.main, a["asset"])
                if name in only:
                    r.given(), h.given()
                    continue
                # As of an id that never was, to the byte.
                equal(_error(r), _error(home.read(client, command, home.main, NO_ID)), f"{name} by {only}")
                equal(_error(h), _error(home.read(client, "history", home.main, NO_ID)), f"history of {name} by {only}")
                equal(_error(home.read(client, command, home.main, a["asset"], "--revision", a["revision"])),
                      _error(home.read(client, command, home.main, NO_ID, "--revision", a["revision"])), "by revision")


@case
def status_says_classes_labels_and_ends():
    home = furnished()
    narrow, _ = home.mint(home.main, options=["--only", "file", "--label", "Backup of 相片 📷", "--expires", "2h"])
    rows = _rows(home)
    shape(rows[narrow], ROW)
    equal((rows[narrow]["classes"], rows[narrow]["label"], rows[narrow]["expired"]), (["file"], "Backup of 相片 📷", False), "narrow")
    wide = rows[home.grant]
    equal((wide["classes"], wide["label"], wide["expires_at"]), (ALL, None, None), "the other")
    text = home.owner("unattended", "status", json=False).done().out.decode()
    check("Backup of 相片 📷" in text and "only file" in text and "expires" in text, f"status says {text}")


@case
def what_is_no_class_label_or_duration_is_refused():
    home = shared(furnished)
    path = os.path.join(home.clients, "refused")
    before = _rows(home)
    for options in (["--only", "all"], ["--only", ""], ["--label", "x" * 65], ["--label", "a\nb"], ["--label", "a\x1b[0mb"],
                    ["--label", "😀" * 33], ["--expires", "0s"], ["--expires", "2"], ["--expires", "2y"],
                    ["--expires", "-2h"], ["--expires", "1.5h"], ["--expires", "3651d"], ["--expires", "99999999w"],
                    ["--expires", "2001-01-01T00:00:00Z"], ["--expires", "2099-01-01T00:00:00Z"], ["--expires", "tomorrow"]):
        home.owner("unattended", "mint", "--vault", home.main, "--client-file", path, *options).refused("invalid_argument", 2)
    equal(home.owner("unattended", "mint", "--vault", home.main).code, 2, "exit without a file")
    check(not os.path.exists(path), "a file was made")
    equal(list(_rows(home)), list(before), "grants")


@case
def labels_of_64_characters_and_times_are_taken():
    home = furnished()
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
    g, _ = home.mint(home.main, options=["--label", "é" * 64, "--expires", soon])
    row = _rows(home)[g]
    equal((row["label"], row["expires_at"]), ("é" * 64, soon), "row")
    for text, seconds in (("90s", 90), ("30m", 1800), ("7d", 604800), ("4w", 2419200)):
        g, _ = home.mint(home.main, options=["--expires", text])
        end = time.mktime(time.strptime(_rows(home)[g]["expires_at"], "%Y-%m-%dT%H:%M:%SZ")) - time.timezone
        check(abs(end - time.time() - seconds) < 60, f"{text} ends at {_rows(home)[g]['expires_at']}")


# Time

@case
def a_grant_ends_by_itself_for_good_and_is_pruned():
    home = furnished()
    used, client = home.mint(home.main, options=["--expires", "3s", "--label", "short"])
    unused, other = home.mint(home.main, options=["--expires", "3s"])
    equal(data_of(home.read(client, "read", home.main, home.big["asset"], "--limit", 5).given()), bytes(range(5)), "bytes")
    within(20, lambda: home.read(client, "list", home.main).code == 77, "the grant's end")
    home.read(client, "list", home.main).refused("invalid_grant", 77)
    within(20, lambda: _rows(home)[unused]["expired"], "the other's end")
    rows = _rows(home)
    equal((rows[used]["expired"], rows[used]["reads"] > 0, rows[used]["vaults"]), (True, True, [home.main]), "row")
    # Also with nobody who asks: the log says when.
    def told():
        said = [r["subject"] for r in home.records() if r["type"] == "revoke"]
        return set(said) >= {used, unused}
    within(20, told, "the records of both ends")
    home.restart()
    home.terminal.unlock_soon()
    home.terminal.sudo().done()
    home.read(client, "list", home.main).refused("invalid_grant", 77)
    home.read(other, "list", home.main).refused("invalid_grant", 77)
    home.read(home.client, "list", home.main).given()
    equal(sorted(home.owner("unattended", "prune").given()["pruned"]), sorted([used, unused]), "pruned")
    equal(list(_rows(home)), [home.grant], "what is left")
    equal(home.owner("unattended", "prune").given(), {"pruned": []}, "pruned again")
    home.owner("unattended", "revoke", used).done()
    home.read(home.client, "list", home.main).given()
    home.verify().done()


# Preview

def _preview(home, *options, verb=("unattended", "mint")):
    return home.owner(*verb, "--vault", home.main, *options, "--preview").given()


@case
def a_preview_shows_what_the_grant_will_and_makes_nothing():
    home = shared(furnished)
    before = _rows(home)
    for only in ([], ["ordinary"], ["private", "credential"], ["file"]):
        options = [w for c in only for w in ("--only", c)]
        p = _preview(home, *options)
        _, client = home.mint(home.main, options=options)
        wanted = home.read(client, "list", home.main).given()["assets"]
        equal(p, {"preview": True, "classes": [c for c in ALL if not only or c in only], "may_propose": False,
                  "expires_at": None, "vaults": [{"vault": home.main, "assets": wanted}], "assets": len(wanted)}, "preview")
    p = _preview(home, "--allow-propose", verb=("grant", "mint"))
    equal(([a["asset"] for a in p["vaults"][0]["assets"]], p["may_propose"], p["classes"]),
          (sorted([home.memory["asset"], home.card["asset"]]), True, ["ordinary"]), "ordinary preview")
    after = set(_rows(home)) - set(before)
    path = os.path.join(home.clients, "seen")
    _preview(home, "--client-file", path, "--expires", "2h", "--label", "x")
    equal(set(_rows(home)) - set(before), after, "grants")
    check(not os.path.exists(path), "a file was made")
    equal(home.owner("grant", "list").given()["grants"], [], "ordinary grants")
    last = [r for r in home.records() if r["type"] == "intent"][-1]
    equal((last["surface"], last["operation"], last["vault"]), ("owner", "list", home.main), "the record of the preview")
    text = home.owner("unattended", "mint", "--vault", home.main, "--only", "file", "--preview", json=False).done().out.decode()
    check("photo.raw" in text and "Shopping" not in text and "1 asset" in text, f"it says {text}")


@process_only
def a_preview_of_many_assets_is_that_of_all_pages():
    home = library()
    kept = [home.add(home.main, "memory", "x", *(["--private"] if i % 2 else []))["asset"] for i in range(103)]
    gone, split = home.add(home.main, "memory", "gone"), home.add(home.main, "memory", "one")
    home.owner("asset", "remove", home.main, gone["asset"]).done()
    for text in (b"left", b"right"):
        home.owner("asset", "edit", home.main, split["asset"], "-", "--base", split["revision"], "--keep-both", input=text).done()
    for only, wanted in (([], [*kept, split["asset"]]), (["--only", "private"], kept[1::2])):
        p = _preview(home, *only)
        _, client = home.mint(home.main, options=only)
        rows = home.read(client, "list", home.main).given()
        more = home.read(client, "list", home.main, "--offset", rows["next"]).given()["assets"] if rows["next"] else []
        equal(p["vaults"][0]["assets"], rows["assets"] + more, "rows")
        equal(([r["asset"] for r in p["vaults"][0]["assets"]], p["assets"]), (sorted(wanted), len(wanted)), "assets")


if __name__ == "__main__":
    main()
