#!/usr/bin/env python3
"""g: which client files are taken."""
import base64
import json
import os
import shutil

from harness import NO_ID, Home, case, check, equal, furnished, library, main, needs_root, program, shared


def _content(home):
    with open(home.client) as f:
        return json.load(f)


def _put(home, name, content, mode=0o600):
    """A file beside the client file."""
    path = os.path.join(home.clients, name)
    data = content if isinstance(content, bytes) else (json.dumps(content) + "\n").encode()
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)
    return path


def _read(home, client):
    """Every read of it gives the same refusal, or none; no command waits for it."""
    results = [home.read(client, "read", home.main, home.memory["asset"], timeout=10),
               home.read(client, "list", home.main, timeout=10)]
    serve = program("--home", home.path, "mcp", "serve-unattended", "--client-file", client, input=b"", timeout=10)
    equal(len({r.error for r in results}), 1, f"the reads differ: {results}")
    if results[0].error in ("client_file_unsafe", "client_file_invalid", "file_unreadable"):
        equal(serve.error, results[0].error, f"the MCP server takes what reads refuse: {serve}")
    return results[0]


@case
def a_copy_of_the_client_file_is_as_good():
    home = shared(furnished)
    _read(home, _put(home, "copy", _content(home))).done()


@case
def a_client_file_that_others_can_read_or_write_is_refused():
    home = shared(furnished)
    path = _put(home, "modes", _content(home))
    for mode in (0o644, 0o640, 0o604, 0o660, 0o606, 0o620, 0o602, 0o610, 0o601, 0o777):
        os.chmod(path, mode)
        _read(home, path).refused("client_file_unsafe", 1)
    os.chmod(path, 0o400)
    _read(home, path).done()


@case
def a_client_file_of_another_user_is_refused():
    needs_root()
    home = shared(furnished)
    path = _put(home, "theirs", _content(home))
    os.chown(path, 65534, 65534)
    _read(home, path).refused("client_file_unsafe", 1)


@case
def a_client_file_with_two_names_is_refused():
    home = shared(furnished)
    path = _put(home, "one-name", _content(home))
    os.link(path, os.path.join(home.clients, "second-name"))
    _read(home, path).refused("client_file_unsafe", 1)
    os.unlink(os.path.join(home.clients, "second-name"))
    _read(home, path).done()


@case
def a_symlink_to_a_client_file_is_refused():
    home = shared(furnished)
    link = os.path.join(home.clients, "link")
    os.symlink(home.client, link)
    _read(home, link).refused("client_file_unsafe", 1)
    dangling = os.path.join(home.clients, "dangling-link")
    os.symlink("/nonexistent", dangling)
    _read(home, dangling).refused("client_file_unsafe", 1)


@case
def what_is_no_regular_file_is_refused_without_waiting():
    home = shared(furnished)
    fifo, folder = os.path.join(home.clients, "fifo"), os.path.join(home.clients, "folder")
    os.mkfifo(fifo, 0o600)
    os.mkdir(folder, 0o700)
    for path in (fifo, folder, home.file("service.sock")):
        _read(home, path).refused("client_file_unsafe", 1)
    for path in ("/dev/zero", "/dev/stdin", "/proc/self/mem", "/"):
        check(_read(home, path).code != 0, f"{path} was taken")


@case
def a_client_file_in_a_folder_that_others_can_change_is_refused():
    home = shared(furnished)
    folder = os.path.join(home.dir, "open")
    os.mkdir(folder, 0o700)
    path = os.path.join(folder, "c")
    shutil.copy(home.client, path)
    os.chmod(path, 0o600)
    _read(home, path).done()
    for mode in (0o777, 0o770, 0o722, 0o702):
        os.chmod(folder, mode)
        _read(home, path).refused("client_file_unsafe", 1)


@case
def a_missing_client_file_is_unreadable():
    home = shared(furnished)
    _read(home, os.path.join(home.clients, "missing")).refused("file_unreadable", 1)
    _read(home, "/nonexistent/folder/c").refused("file_unreadable", 1)


@case
def garbage_is_no_client_file():
    home = shared(furnished)
    good = json.dumps(_content(home)).encode()
    for content in (b"", b"\0", b"{}", b"[]", b"null", b"not json", good[:-1], good[:50], good + good, good + b"x",
                    b"\xff\xfe", b"[" * 5000, os.urandom(4096), b" " * 1000, b"\xef\xbb\xbf" + good):
        _read(home, _put(home, "garbage", content)).refused("client_file_invalid", 1)


@case
def a_huge_client_file_is_refused_at_once():
    home = shared(furnished)
    path = _put(home, "huge", b"")
    os.truncate(path, 1 << 40)
    _read(home, path).refused("client_file_invalid", 1)
    good = json.dumps(_content(home)).encode()
    _read(home, _put(home, "padded", good + b" " * (1 << 20))).refused("client_file_invalid", 1)


@case
def members_that_are_missing_added_doubled_or_of_another_type_are_refused():
    home = shared(furnished)
    good = _content(home)
    for member in good:
        less = {k: v for k, v in good.items() if k != member}
        _read(home, _put(home, "less", less)).refused("client_file_invalid", 1)
        for value in (None, 7, [], {}, True, ""):
            if value != good[member]:
                _read(home, _put(home, "type", {**good, member: value})).refused("client_file_invalid", 1)
        text = json.dumps(good)[:-1] + "," + json.dumps(member) + ":" + json.dumps(good[member]) + "}"
        _read(home, _put(home, "twice", text.encode())).refused("client_file_invalid", 1)
    _read(home, _put(home, "more", {**good, "more": 1})).refused("client_file_invalid", 1)
    for version in (0, 2, 1.5, "1"):
        _read(home, _put(home, "version", {**good, "version": version})).refused("client_file_invalid", 1)
    _read(home, _put(home, "type", {**good, "type": "memories-grant"})).refused("client_file_invalid", 1)


@case
def members_in_another_order_are_taken():
    home = shared(furnished)
    _read(home, _put(home, "order", dict(reversed(_content(home).items())))).done()


@case
def an_altered_token_is_an_invalid_grant():
    home = shared(furnished)
    good = _content(home)
    token = base64.urlsafe_b64decode(good["token"] + "=")
    for at in (0, 15, 31):
        changed = bytearray(token)
        changed[at] ^= 1
        text = base64.urlsafe_b64encode(changed).decode().rstrip("=")
        _read(home, _put(home, f"altered-{at}", {**good, "token": text})).refused("invalid_grant", 77)
    for text in ("A" * 43, base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")):
        _read(home, _put(home, "random", {**good, "token": text})).refused("invalid_grant", 77)


@case
def a_token_of_the_wrong_form_is_refused():
    home = shared(furnished)
    good = _content(home)
    for text in (good["token"] + "=", good["token"][:-1], good["token"] + "A", good["token"][:-1] + "+", "", "é" * 43):
        _read(home, _put(home, "form", {**good, "token": text})).refused("client_file_invalid", 1)


@case
def an_invalid_grant_never_says_whether_it_was_revoked_or_never_known():
    home = furnished()
    good = _content(home)
    unknown = _read(home, _put(home, "unknown", {**good, "token": "B" * 42 + "A"})).refused("invalid_grant", 77)
    home.owner("unattended", "revoke", home.grant).done()
    revoked = _read(home, home.client).refused("invalid_grant", 77)
    equal(revoked.out, unknown.out, "answer to a revoked and an unknown token")


@case
def the_grants_id_in_the_file_opens_nothing_by_itself():
    home = furnished()
    _, second = home.mint(home.other)
    with open(second) as f:
        other = json.load(f)
    mixed = {**_content(home), "token": other["token"]}
    _read(home, _put(home, "mixed", mixed)).refused("vault_not_granted", 77)


@case
def a_client_file_of_another_library_is_the_wrong_one():
    one, two = shared(furnished), furnished()
    r = two.read(one.client, "list", one.main).refused("wrong_library", 77)
    check(one.path not in r.err.decode(), f"the message names another home: {r}")
    path = _put(two, "moved", {**_content(one), "home": two.path})
    two.read(path, "list", one.main).refused("wrong_library", 77)
    path = _put(two, "relabelled", {**_content(one), "home": two.path, "library": _content(two)["library"]})
    r = two.read(path, "list", two.main)
    check(r.code == 77, f"a client file of another library was taken: {r}")


@case
def a_library_id_or_a_home_that_differs_is_the_wrong_library():
    home = shared(furnished)
    good = _content(home)
    _read(home, _put(home, "library", {**good, "library": NO_ID})).refused("wrong_library", 77)
    for path in (home.path + "/", home.path + "x", "/", home.path + "/.", "/" + home.path):
        _read(home, _put(home, "home", {**good, "home": path})).refused("wrong_library", 77)


@case
def a_client_file_used_on_a_copy_of_the_home_is_the_wrong_library():
    home = furnished()
    home.stop()
    copy = Home()
    shutil.copytree(home.path, copy.path)
    copy.start()
    copy.read(home.client, "list", home.main).refused("wrong_library", 77)
    path = _put(copy, "moved", {**_content(home), "home": copy.path})
    copy.read(path, "list", home.main).refused("unattended_not_loaded", 77)


@case
def a_log_key_that_is_not_the_librarys_is_not_trusted():
    home = shared(furnished)
    other = furnished()
    good = _content(home)
    key = _content(other)["log_key"]
    r = _read(home, _put(home, "key", {**good, "log_key": key}))
    check(r.code == 77 and r.error in ("daemon_untrusted", "wrong_library"), f"{r}")
    home.read(_put(home, "no-key", {**good, "log_key": "nonsense"}), "list", home.main).refused("client_file_invalid", 1)
    flipped = good["log_key"][:-6] + ("AAAAAA" if good["log_key"][-6:] != "AAAAAA" else "BBBBBB")
    r = home.read(_put(home, "flipped", {**good, "log_key": flipped}), "list", home.main)
    check(r.code != 0, "a changed log key was taken")


@case
def a_refused_client_file_is_left_as_it_was():
    home = shared(furnished)
    path = _put(home, "kept", b"mine", 0o644)
    before = os.stat(path)
    _read(home, path).refused("client_file_unsafe", 1)
    after = os.stat(path)
    equal((after.st_mode, after.st_mtime_ns, after.st_size), (before.st_mode, before.st_mtime_ns, before.st_size), "file")


if __name__ == "__main__":
    main()
