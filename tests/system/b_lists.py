#!/usr/bin/env python3
"""b: an owner's lists of assets and revisions: filters, orders, pages, differences."""

from harness import BODY, UUID, case, check, equal, furnished, library, main, shared


def _listed(home, vault, *options):
    """Titles of all pages."""
    titles, offset = [], 0
    while offset is not None:
        page = home.owner("asset", "list", vault, "--offset", offset, *options).given()
        titles += [a["title"] for a in page["assets"]]
        offset = page["next"]
    return titles


def shelf():
    """One asset after the other, with names that sort otherwise than their ids."""
    home = library()
    home.shelf = home.vault("shelf")
    for kind, title, *options in (
            ("memory", "beta", "--tag", "food"), ("memory", "Alpha", "--tag", "food", "--tag", "red"),
            ("memory", "買い物 牛奶", "--private", "--tag", "food"), ("file", "ALPHABET.txt", "--tag", "red"),
            ("memory", "gamma")):
        home.add(home.shelf, kind, "x" * len(title), "--title", title, *options)
    return home


@case
def a_list_is_narrowed_by_kind():
    home = shared(shelf)
    equal(_listed(home, home.shelf, "--kind", "file"), ["ALPHABET.txt"], "files")
    equal(_listed(home, home.shelf, "--kind", "credential"), [], "credentials")
    equal(_listed(home, home.shelf, "--kind", "file", "--kind", "memory"),
          ["beta", "Alpha", "買い物 牛奶", "ALPHABET.txt", "gamma"], "both")
    home.owner("asset", "list", home.shelf, "--kind", "nonsense").refused("invalid_argument")


@case
def a_list_is_narrowed_to_what_is_private_or_is_not():
    home = shared(shelf)
    equal(_listed(home, home.shelf, "--private"), ["買い物 牛奶"], "private")
    equal(_listed(home, home.shelf, "--ordinary"), ["beta", "Alpha", "gamma"], "ordinary")
    equal(len(_listed(home, home.shelf, "--ordinary", "--private")), 4, "either")


@case
def a_list_is_narrowed_by_text_in_the_title_whatever_its_case():
    home = shared(shelf)
    equal(_listed(home, home.shelf, "--title", "alpha"), ["Alpha", "ALPHABET.txt"], "Latin")
    equal(_listed(home, home.shelf, "--title", "牛"), ["買い物 牛奶"], "Chinese")
    equal(_listed(home, home.shelf, "--title", "ａｌｐｈａ"), ["Alpha", "ALPHABET.txt"], "full width")
    equal(_listed(home, home.shelf, "--title", "nothing like it"), [], "nothing")


@case
def a_list_is_narrowed_by_tags_that_must_all_be_there():
    home = shared(shelf)
    equal(_listed(home, home.shelf, "--tag", "food"), ["beta", "Alpha", "買い物 牛奶"], "one tag")
    equal(_listed(home, home.shelf, "--tag", "food", "--tag", "red"), ["Alpha"], "two tags")
    equal(_listed(home, home.shelf, "--tag", "FOOD"), [], "tags are compared as they are")
    equal(_listed(home, home.shelf, "--tag", "red", "--kind", "file"), ["ALPHABET.txt"], "tag and kind")


@case
def a_list_is_sorted():
    home = shared(shelf)
    by_id = _listed(home, home.shelf)
    equal(_listed(home, home.shelf, "--sort", "title"), ["Alpha", "ALPHABET.txt", "beta", "gamma", "買い物 牛奶"], "title")
    equal(_listed(home, home.shelf, "--sort", "created"), by_id, "created")
    equal(_listed(home, home.shelf, "--sort", "id", "--reverse"), by_id[::-1], "the last first")
    home.owner("asset", "list", home.shelf, "--sort", "size").refused("invalid_argument")


@case
def pages_are_of_what_is_left_and_in_order():
    home = shared(shelf)
    whole = _listed(home, home.shelf, "--sort", "title", "--ordinary")
    equal(_listed(home, home.shelf, "--sort", "title", "--ordinary", "--limit", 1), whole, "pages of one")
    page = home.owner("asset", "list", home.shelf, "--sort", "title", "--limit", 2, "--offset", 1).given()
    equal(([a["title"] for a in page["assets"]], page["offset"], page["next"]), (["ALPHABET.txt", "beta"], 1, 3), "page")
    page = home.owner("asset", "list", home.shelf, "--sort", "title", "--offset", 99).given()
    equal((page["assets"], page["offset"], page["next"]), ([], 99, None), "past the end")


@case
def the_columns_of_the_table_stand_under_each_other():
    home = shared(shelf)
    lines = home.owner("asset", "list", home.shelf, json=False).done().out.decode().splitlines()
    equal(len(lines), 6, "lines")
    head = lines[0]
    private = next(x for x in lines if "買い物" in x)
    # Five characters are two columns wide, so the word starts five characters earlier.
    equal(private.index("private"), head.index("STATE") - 5, "place of the state")
    for line in lines[1:]:
        check(UUID.fullmatch(line[:36]), f"starts with the id: {line!r}")


@case
def every_page_that_was_looked_at_is_recorded():
    home = shared(shelf)
    before = len(home.records())
    _listed(home, home.shelf, "--title", "alpha", "--limit", 1)
    reads = [r for r in home.records()[before:] if r["type"] == "intent" and r["operation"] == "list"]
    equal(len(reads), 2, "a record for each look at the vault")


@case
def the_first_revision_differs_from_nothing():
    home = shared(furnished)
    r = home.owner("asset", "history", home.main, home.memory["asset"], "--diff", json=False).done().out.decode()
    check(f"--- /dev/null\n+++ {home.memory['revision']}\n" in r, f"labels: {r}")
    check(f"+title: Shopping\n+tag: food\n+\n+{BODY}\n" in r, f"lines: {r}")
    page = home.owner("asset", "history", home.main, home.card["asset"], "--diff").given()
    equal([(d["revision"], d["parent"]) for d in page["diffs"]], [(home.card["revision"], None)], "diffs")
    check('+    {"name": "Branch", "value": "Ottawa", "protected": false}\n' in page["diffs"][0]["diff"], f"card: {page}")
    check("diffs" not in home.owner("asset", "history", home.main, home.card["asset"]).given(), "not asked for")


@case
def what_a_diff_reads_is_recorded():
    home = shared(furnished)
    before = len(home.records())
    home.owner("asset", "history", home.main, home.memory["asset"], "--diff").done()
    ops = [r["operation"] for r in home.records()[before:] if r["type"] == "intent" and r.get("asset") == home.memory["asset"]]
    check("read" in ops, f"the reads of a diff: {ops}")


@case
def files_and_credentials_have_no_diff():
    home = shared(furnished)
    for asset in (home.big, home.secret):
        home.owner("asset", "history", home.main, asset["asset"], "--diff").refused("wrong_kind")


if __name__ == "__main__":
    main()
