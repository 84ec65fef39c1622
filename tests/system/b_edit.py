#!/usr/bin/env python3
"""b: changing assets by an editor, from files, and by title and tags alone."""
import atexit
import glob
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys

from harness import (BIN, CARD, FILE, NO_ID, UUID, Skip, at_end, case, check, environment, equal, furnished, library,
                     main, needs_root, program, remove, shape, shared, within)

# Drafts of this run alone, in memory.
OURS = f"/dev/shm/memories-test-{os.getpid()}"
os.mkdir(OURS, 0o700)
atexit.register(remove, OURS)
os.environ["XDG_RUNTIME_DIR"] = OURS


numbers = itertools.count(1)


def drafts():
    return set(glob.glob(OURS + "/memories-edit-*"))


def editor(home, name, body):
    """A program that edits `path`; `text` is what stands in it, `runs` how often it ran before."""
    count = home.side(name + ".runs")
    script = home.side(name, f"""#!{sys.executable} -SE
import os, sys
path = sys.argv[-1]
with open(path, encoding="utf-8", newline="") as f:
    text = f.read()
runs = os.path.getsize({count!r}) if os.path.exists({count!r}) else 0
with open({count!r}, "a") as f:
    f.write(".")
def save(new):
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(new)
""" + body)
    os.chmod(script, 0o700)
    return {"VISUAL": script, "EDITOR": "false"}


def runs(home, name):
    path = home.side(name + ".runs")
    return os.path.getsize(path) if os.path.exists(path) else 0


def edit(home, asset, *options, vault=None, **more):
    return home.owner("asset", "edit", vault or home.main, asset["asset"], *options, **more)


def content(home, asset, *options, vault=None):
    return home.owner("asset", "show", vault or home.main, asset["asset"], *options).given()["content"]


def history(home, asset, vault=None):
    return home.owner("asset", "history", vault or home.main, asset["asset"]).given()["revisions"]


def heads(home, asset):
    return [r["revision"] for r in history(home, asset) if r["head"]]


def one_memory():
    """A memory of its own for each case, in a vault of its own."""
    home = shared(library)
    home.main = home.vault(f"case {next(numbers)}")
    home.note = home.add(home.main, "memory", "first\nsecond", "--title", "Note", "--tag", "a", "--tag", "b")
    return home


@case
def an_editor_changes_body_title_and_tags_of_a_memory():
    home = one_memory()
    env = editor(home, "change", 'save(text.replace("second", "zweite 第二").replace("title: Note", "title: New")'
                                 '.replace("tag: a\\n", ""))')
    made = edit(home, home.note, env=env).given()
    shape(made, {"vault": home.main, "asset": home.note["asset"], "revision": UUID})
    check(made["revision"] != home.note["revision"], "a new revision")
    equal(content(home, home.note), {"title": "New", "body": "first\nzweite 第二", "tags": ["b"]}, "content")
    rows = history(home, home.note)
    equal([r["parents"] for r in rows], [[], [home.note["revision"]]], "parents")
    row = home.owner("asset", "list", home.main).given()["assets"][0]
    equal((row["title"], row["revision"], row["created_at"]), ("New", made["revision"], rows[0]["created_at"]), "row")
    equal(drafts(), set(), "drafts")


@case
def an_editor_changes_a_card():
    home = one_memory()
    card = home.add(home.main, "card", json.dumps(CARD))
    env = editor(home, "card", 'save(text.replace("Ottawa", "Toronto"))')
    edit(home, card, env=env).done()
    equal(content(home, card)["fields"][0]["value"], "Toronto", "field")
    env = editor(home, "break", 'save("# mine\\n" + text.replace("]", ""))' if False else 'save(text.replace("]", ""))')
    edit(home, card, env=env).refused("invalid_content")
    equal(len(history(home, card)), 2, "revisions")
    folder, = drafts()
    with open(os.path.join(folder, "card.json"), encoding="utf-8") as f:
        check(f.read().startswith("# Not stored: this is not a card"), "the reason")
    remove(folder)


@case
def an_unchanged_file_changes_nothing_and_says_so():
    home = one_memory()
    made = edit(home, home.note, env=editor(home, "look", "save(text)"))
    equal(made.given()["revision"], home.note["revision"], "revision")
    equal(made.err, b"nothing was changed\n", "what it says")
    equal(len(history(home, home.note)), 1, "revisions")
    edit(home, home.note, "-", input=b"first\nsecond").done()
    equal(len(history(home, home.note)), 1, "revisions, from a file")


@case
def text_of_the_wrong_form_comes_back_with_the_reason():
    home = one_memory()
    env = editor(home, "twice", """
if runs == 0:
    save(text.replace("tag: a", "Tag: a"))
else:
    n = next(i for i, line in enumerate(text.split("\\n"), 1) if line.startswith("Tag"))
    assert text.startswith(f"# Not stored: line {n}: "), text
    save(text.replace("Tag: a", "tag: c"))
""")
    edit(home, home.note, env=env).done()
    equal(content(home, home.note)["tags"], ["c", "b"], "tags")
    equal(runs(home, "twice"), 2, "runs")


@case
def text_that_stays_in_a_wrong_form_is_kept_and_taken_later():
    home = one_memory()
    env = editor(home, "stubborn", 'save(text.replace("title: Note", "titel: Note").replace("first\\n", "worth keeping\\n"))')
    r = edit(home, home.note, env=env).refused("invalid_content")
    kept = drafts()
    equal(len(kept), 1, "kept drafts")
    path = os.path.join(kept.pop(), "memory.md")
    check(path in r.err.decode(), f"the error says where it is: {r}")
    equal(os.listdir(os.path.dirname(path)), ["memory.md"], "what is kept")
    edit(home, home.note, "--draft", path).refused("invalid_content")
    with open(path, encoding="utf-8") as f:
        text = f.read().replace("titel", "title")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    edit(home, home.note, "--draft", path).done()
    equal(content(home, home.note)["body"], "worth keeping\nsecond", "body")
    equal(drafts(), set(), "drafts")


@case
def a_file_of_the_owners_own_in_the_form_of_a_draft_stays():
    home = one_memory()
    own = home.side("own.md", "title: Mine\n\nwritten elsewhere\n")
    edit(home, home.note, "--draft", own).done()
    equal(content(home, home.note)["body"], "written elsewhere", "body")
    with open(own, encoding="utf-8") as f:
        equal(f.read(), "title: Mine\n\nwritten elsewhere\n", "the file")


@case
def an_editor_that_writes_another_wrong_text_each_time_is_not_asked_for_ever():
    home = one_memory()
    edit(home, home.note, env=editor(home, "wild", 'save("titel: Note\\n" + text)')).refused("invalid_content")
    folder, = drafts()
    with open(os.path.join(folder, "memory.md"), encoding="utf-8") as f:
        check(f.read().count("titel: Note") > 1, "what it wrote is kept")
    remove(folder)


@case
def text_that_is_too_long_is_refused_as_that():
    home = one_memory()
    r = edit(home, home.note, env=editor(home, "long", 'save(text if len(text) > 1 << 20 else text + "a" * (1 << 20))'))
    folder, = drafts()
    check(folder in r.refused("too_large").err.decode(), f"the error says where it is: {r}")
    remove(folder)


@case
def an_editor_that_writes_the_same_wrong_text_each_time_is_not_asked_for_ever():
    home = one_memory()
    edit(home, home.note, env=editor(home, "deaf", 'save("titel: Note\\n\\nworth keeping")')).refused("invalid_content")
    equal(runs(home, "deaf"), 2, "runs")
    kept = drafts().pop()
    with open(os.path.join(kept, "memory.md"), encoding="utf-8") as f:
        check("worth keeping" in f.read(), "the draft is lost")
    shutil.rmtree(kept)


@case
def a_file_left_empty_changes_nothing():
    home = one_memory()
    before = content(home, home.note)
    edit(home, home.note, env=editor(home, "empties", 'save(" \\n\\n")')).refused("not_confirmed")
    equal(content(home, home.note), before, "content")


@case
def text_past_its_limit_is_kept_too():
    home = one_memory()
    for size in (1 << 20, 5 << 20):
        env = editor(home, f"grows{size}", f'save(text + "x" * {size})')
        r = home.cli("asset", "edit", home.main, home.note["asset"], env=env).refused("too_large")
        folder, = drafts()
        check(folder in r.err.decode(), f"the error says where it is: {r}")
        check(os.path.getsize(os.path.join(folder, "memory.md")) > size, "the whole text")
        remove(folder)
    equal(len(history(home, home.note)), 1, "revisions")


@case
def an_editor_that_fails_changes_nothing():
    home = one_memory()
    for env in (editor(home, "fails", 'save("x")\nsys.exit(1)'), editor(home, "removes", "os.unlink(path)")):
        edit(home, home.note, env=env).refused("editor_failed")
    r = edit(home, home.note, env={"VISUAL": "/nonexistent/editor"})
    check(r.code == 1 and b"memories: editor_failed: " in r.err, f"no such editor: {r}")
    equal(len(history(home, home.note)), 1, "revisions")
    equal(drafts(), set(), "drafts")


@case
def an_editor_may_be_a_piece_of_shell_and_editor_is_the_second_choice():
    home = one_memory()
    script = editor(home, "an editor", 'save(text.replace("first", sys.argv[1]))')["VISUAL"]
    edit(home, home.note, env={"VISUAL": None, "EDITOR": f"'{script}' 'two words'"}).done()
    equal(content(home, home.note)["body"], "two words\nsecond", "body")


@case
def vi_on_the_owners_terminal_is_what_is_left():
    if shutil.which("editor") is None and shutil.which("vi") is None:
        raise Skip("no vi here")
    home = one_memory()
    env = {"VISUAL": None, "EDITOR": None, "TERM": "xterm", "HOME": home.dir}
    edit(home, home.note, env=env, answers=[("second", ":%s/first/by vi/\r:wq\r")]).done()
    equal(content(home, home.note)["body"], "by vi\nsecond", "body")
    equal(drafts(), set(), "drafts")


@case
def without_a_terminal_an_editor_must_be_named():
    home = one_memory()
    home.cli("asset", "edit", home.main, home.note["asset"], env={"VISUAL": None, "EDITOR": ""}).refused("terminal_required")
    env = editor(home, "alone", 'save(text.replace("first", "1st"))')
    home.cli("asset", "edit", home.main, home.note["asset"], env=env).done()
    equal(content(home, home.note)["body"], "1st\nsecond", "body")


@case
def the_draft_is_the_owners_alone_and_in_memory():
    home = one_memory()
    report = home.side("report")
    env = editor(home, "report.py", f"""
import json
folder = os.path.dirname(path)
kind = os.popen("stat -f -c %T " + folder).read().strip()
with open({report!r}, "w") as f:
    json.dump([folder, os.stat(folder).st_mode & 0o777, os.stat(path).st_mode & 0o777, kind], f)
""")

    def seen(runtime):
        edit(home, home.note, env={**env, "XDG_RUNTIME_DIR": runtime}).done()
        with open(report) as f:
            folder, *rest = json.load(f)
        equal(rest, [0o700, 0o600, "tmpfs"], "modes, and where")
        check(not os.path.exists(folder), "the folder is gone")
        return os.path.dirname(folder)
    equal(seen(OURS), OURS, "a runtime folder of our own")
    os.chmod(OURS, 0o755)
    at_end(lambda: os.chmod(OURS, 0o700))
    equal(seen(OURS), "/dev/shm", "one that others can enter")
    equal(seen(home.dir), "/dev/shm", "one on a disk")
    equal(seen(None), "/dev/shm", "none")


@case
def what_the_editor_left_is_overwritten_and_removed():
    home = one_memory()
    link = f"/dev/shm/memories-link-{os.getpid()}"
    at_end(lambda: os.path.exists(link) and os.unlink(link))
    env = editor(home, "messy", f"""
folder = os.path.dirname(path)
os.mkdir(folder + "/undo")
for name in ("/.memory.md.swp", "/memory.md~", "/undo/deep"):
    with open(folder + name, "w") as f:
        f.write("first")
os.link(path, {link!r})
os.symlink({home.side("note-outside", "stays")!r}, folder + "/link")
save(text.replace("first", "mine"))
""")
    edit(home, home.note, env=env).done()
    equal(drafts(), set(), "drafts")
    equal(os.path.getsize(link), 0, "what another name of the draft still holds")
    with open(home.side("note-outside")) as f:
        equal(f.read(), "stays", "a file that a link points to")


def _sleeping(home):
    """An edit whose editor waits, in a session of its own; its process, and the editor's."""
    started = home.side(f"started {next(numbers)}")
    env = editor(home, "sleeps", f"""
save(text + "secret addition")
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
with open({started!r}, "w") as f:
    f.write(str(os.getpid()))
time.sleep(60)
""")
    p = subprocess.Popen([BIN, "--home", home.path, "asset", "edit", home.main, home.note["asset"]], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(env), start_new_session=True)
    at_end(lambda: p.poll() is not None or p.kill())
    within(20, lambda: os.path.exists(started) and os.path.getsize(started) > 0, "start of the editor")
    with open(started) as f:
        return p, int(f.read())


@case
def a_signal_wipes_the_draft_and_ends_the_command():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        home = one_memory()
        p, theirs = _sleeping(home)
        equal(len(drafts()), 1, "drafts")
        p.send_signal(number)
        equal(p.wait(20), -number, "how it ended")
        equal(drafts(), set(), "drafts")
        within(5, lambda: not os.path.exists(f"/proc/{theirs}"), "end of the editor")
        equal(len(history(home, home.note)), 1, "revisions")


@case
def an_interrupt_from_the_keyboard_is_the_editors():
    home = one_memory()
    env = editor(home, "keys", """
import signal
got = []
signal.signal(signal.SIGINT, lambda *_: got.append(1))
tty = open("/dev/tty", "w")
tty.write("ready: ")
tty.flush()
while not got:
    signal.pause()
save(text.replace("first", "after ^C"))
""")
    edit(home, home.note, env=env, answers=[("ready: ", "\x03")]).done()
    equal(content(home, home.note)["body"], "after ^C\nsecond", "body")


# Bases

def _meanwhile(home, text="theirs"):
    """Python that changes the note while the editor is open."""
    argv = [BIN, "--home", home.path, "asset", "edit", home.main, home.note["asset"], "-"]
    return f"""
import subprocess
if runs == 0:
    subprocess.run({argv!r}, input={text.encode()!r}, check=True, stdout=subprocess.DEVNULL)
"""


@case
def a_base_that_went_stale_in_the_editor_loses_nothing():
    home = one_memory()
    env = editor(home, "late", _meanwhile(home) + 'save(text.replace("first", "mine"))')
    r = home.cli("asset", "edit", home.main, home.note["asset"], env=env).refused("stale_base")
    equal(content(home, home.note)["body"], "theirs", "body")
    folder, = drafts()
    path = os.path.join(folder, "memory.md")
    check(path in r.err.decode(), f"the error says where the text is: {r}")
    edit(home, home.note, "--draft", path, "--base", home.note["revision"], "--keep-both").done()
    both = heads(home, home.note)
    equal(sorted(content(home, home.note, "--revision", h)["body"] for h in both), ["mine\nsecond", "theirs"], "heads")
    equal(drafts(), set(), "drafts")


@case
def on_a_terminal_the_owner_keeps_both():
    home = one_memory()
    env = editor(home, "both", _meanwhile(home) + 'save(text.replace("first", "mine"))')
    edit(home, home.note, env=env, answers=[("[k/e/l/d] ", "what?"), ("[k/e/l/d] ", "k")]).done()
    equal(len(heads(home, home.note)), 2, "heads")
    equal(drafts(), set(), "drafts")


@case
def on_a_terminal_the_owner_edits_again_on_what_is_newest():
    home = one_memory()
    env = editor(home, "again", _meanwhile(home) + """
if runs == 0:
    save(text.replace("first", "mine"))
else:
    assert "newest.md" in text.split("\\n")[0] and "mine" in text, text
    with open(os.path.dirname(path) + "/newest.md") as f:
        save(text + f.read().split("\\n")[-2] + "\\n")
""")
    edit(home, home.note, env=env, answers=[("[k/e/l/d] ", "e")]).done()
    equal(content(home, home.note)["body"], "mine\nsecond\ntheirs", "body")
    equal(len(heads(home, home.note)), 1, "heads")
    equal(drafts(), set(), "drafts")


@case
def an_editor_that_fails_when_it_is_opened_again_loses_nothing():
    home = one_memory()
    env = editor(home, "tires", _meanwhile(home) + """
if runs == 1:
    sys.exit(1)
save(text.replace("first", "mine"))
""")
    edit(home, home.note, env=env, answers=[("[k/e/l/d] ", "e")]).refused("editor_failed")
    folder, = drafts()
    edit(home, home.note, "--draft", os.path.join(folder, "memory.md")).done()
    equal(content(home, home.note)["body"], "mine\nsecond", "body")


@case
def without_a_folder_in_memory_no_editor_is_opened():
    needs_root()
    home = one_memory()
    words = [BIN, "--home", home.path, "asset", "edit", home.main, home.note["asset"]]
    script = f"mount --bind {home.dir} /dev/shm && exec " + " ".join(f"'{w}'" for w in words)
    r = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, timeout=30, stdin=subprocess.DEVNULL,
                       env=environment({"XDG_RUNTIME_DIR": home.dir, "VISUAL": "touch"}), start_new_session=True)
    if b"unshare" in r.stderr or b"mount" in r.stderr:
        raise Skip("mounts are not allowed here")
    check(r.returncode == 1 and r.stderr.startswith(b"memories: no_tmpfs: "), f"{r}")


@case
def on_a_terminal_the_owner_drops_or_leaves_the_draft():
    home = one_memory()
    env = editor(home, "drop", _meanwhile(home) + 'save(text.replace("first", "mine"))')
    edit(home, home.note, env=env, answers=[("[k/e/l/d] ", "d")]).refused("not_confirmed")
    equal(drafts(), set(), "drafts")
    env = editor(home, "leave", _meanwhile(home, "theirs again") + 'save(text.replace("theirs", "mine"))')
    edit(home, home.note, env=env, answers=[("[k/e/l/d] ", "l")]).refused("stale_base")
    folder, = drafts()
    with open(os.path.join(folder, "memory.md")) as f:
        check("mine" in f.read(), "the draft is left")
    edit(home, home.note, "--draft", os.path.join(folder, "memory.md")).done()
    equal(drafts(), set(), "drafts")


@case
def a_signal_at_the_question_ends_the_command():
    home = one_memory()
    env = editor(home, "question", _meanwhile(home) + 'save(text.replace("first", "mine"))')
    r = edit(home, home.note, env=env, answers=[("[k/e/l/d] ", signal.SIGINT)])
    equal((r.code, drafts()), (-signal.SIGINT, set()), "how it ended, and drafts")


@case
def what_cannot_be_stored_is_tried_again_once_it_can():
    home = one_memory()
    lock = [BIN, "--home", home.path, "lock"]
    env = editor(home, "locks", f"""
import subprocess
if runs == 0:
    subprocess.run({lock!r}, check=True, stdout=subprocess.DEVNULL)
save(text.replace("first", "mine"))
""")
    edit(home, home.note, env=env, answers=[("[t/e/l/d] ", "l")]).refused("locked")
    home.terminal.unlock().done()
    folder, = drafts()
    edit(home, home.note, "--draft", os.path.join(folder, "memory.md")).done()
    equal(content(home, home.note)["body"], "mine\nsecond", "body")


@case
def a_stale_base_is_refused_or_makes_a_conflict():
    home = one_memory()
    first = home.note["revision"]
    second = edit(home, home.note, "-", "--base", first, input=b"two").given()["revision"]
    edit(home, home.note, "-", "--base", first, input=b"three").refused("stale_base")
    edit(home, home.note, "-", "--base", NO_ID, input=b"three").refused("not_found")
    third = edit(home, home.note, "-", "--base", first, "--keep-both", input=b"three").given()["revision"]
    equal(heads(home, home.note), sorted([second, third]), "heads")
    row = home.owner("asset", "list", home.main).given()["assets"][0]
    equal((row["revision"], row["conflict"], row["heads"]), (None, True, sorted([second, third])), "row")


@case
def under_conflict_an_edit_names_its_base():
    home = one_memory()
    two = edit(home, home.note, "-", input=b"two").given()["revision"]
    three = edit(home, home.note, "-", "--base", home.note["revision"], "--keep-both", input=b"three").given()["revision"]
    r = edit(home, home.note, "-", input=b"x").refused("revision_required")
    check(two in r.err.decode() and three in r.err.decode(), f"the heads are named: {r}")
    four = edit(home, home.note, "-", "--base", two, input=b"four").given()["revision"]
    equal(heads(home, home.note), sorted([three, four]), "the other head stays")


# Files, and labels alone

@case
def a_memory_is_edited_from_a_file_and_keeps_its_labels():
    home = one_memory()
    edit(home, home.note, home.side("new.txt", "from a file\n")).done()
    equal(content(home, home.note), {"title": "Note", "body": "from a file\n", "tags": ["a", "b"]}, "content")
    edit(home, home.note, "-", "--title", "T", "--tag", "c", input=b"x").done()
    equal(content(home, home.note), {"title": "T", "body": "x", "tags": ["c"]}, "content")
    edit(home, home.note, "-", input=b"\xff").refused("invalid_content")


@case
def a_title_and_tags_change_without_an_editor():
    home = one_memory()
    none = {"VISUAL": "false"}
    edit(home, home.note, "--title", "新", env=none).done()
    equal(content(home, home.note), {"title": "新", "body": "first\nsecond", "tags": ["a", "b"]}, "title")
    edit(home, home.note, "--tag", "", env=none).done()
    equal(content(home, home.note), {"title": "新", "body": "first\nsecond", "tags": []}, "no tags")
    equal(home.owner("asset", "show", home.main, home.note["asset"]).given()["meta"], {"tags": []}, "meta")
    card = home.add(home.main, "card", json.dumps(CARD))
    edit(home, card, "--tag", "x", env=none).done()
    equal(content(home, card), {**CARD, "tags": ["x"]}, "card")
    equal(home.owner("asset", "show", home.main, card["asset"]).given()["meta"], {"tags": ["x"]}, "meta of the card")
    edit(home, home.note, "--media-type", "a/b").refused("invalid_argument")


@case
def a_file_is_edited_from_a_file_only():
    home = shared(furnished)
    edit(home, home.big, env={"VISUAL": "true"}).refused("invalid_argument")
    edit(home, home.big, home.side("new.raw", FILE[::-1])).done()
    r = home.owner("asset", "show", home.main, home.big["asset"], json=False).done()
    check(r.out == FILE[::-1], "the new bytes")
    shown = home.owner("asset", "show", home.main, home.big["asset"]).given()
    equal((shown["title"], shown["meta"]), ("photo.raw", {"name": "new.raw", "media_type": "image/x-raw", "tags": []}), "labels")
    edit(home, home.big, "--title", "sun.raw", "--media-type", "image/raw", "--tag", "sun").done()
    shown = home.owner("asset", "show", home.main, home.big["asset"]).given()
    equal((shown["title"], shown["meta"]["media_type"], shown["meta"]["tags"]), ("sun.raw", "image/raw", ["sun"]), "labels")
    r = home.owner("asset", "show", home.main, home.big["asset"], json=False).done()
    check(r.out == FILE[::-1], "the same bytes")


@case
def a_credential_is_edited_from_stdin_with_sudo():
    home = shared(furnished)
    edit(home, home.secret, env={"VISUAL": "true"}).refused("invalid_argument")
    edit(home, home.secret, "-", input=b"new secret\n").done()
    shown = home.owner("asset", "show", home.main, home.secret["asset"]).given()
    equal((shown["secret"], shown["title"]), ("new secret", "Bank login"), "credential")
    edit(home, home.secret, "-", input=b"x" * 65537).refused("too_large")


@case
def an_edit_keeps_an_assets_class():
    home = shared(furnished)
    edit(home, home.private, "-", input=b"dearer diary").done()
    shown = home.owner("asset", "show", home.main, home.private["asset"]).given()
    equal((shown["private"], shown["content"]["body"]), (True, "dearer diary"), "private memory")


@case
def wrong_usage_of_edit_is_refused():
    home = shared(furnished)
    edit(home, home.memory, "-", "--draft", "x", input=b"").refused("invalid_argument")
    edit(home, home.memory, "--base", "nonsense").refused("invalid_argument")
    edit(home, home.memory, home.side("not there")).refused("file_unreadable")
    edit(home, home.big, "--draft", home.side("d", "x")).refused("wrong_kind")
    home.owner("asset", "edit", home.main, NO_ID, "-", input=b"").refused("not_found")
    check(b".viminfo" in program("asset", "edit", "--help").done().out, "the limits are in the help")


if __name__ == "__main__":
    main()
