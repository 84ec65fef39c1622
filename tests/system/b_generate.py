#!/usr/bin/env python3
"""b: `memories generate`: passwords and passphrases, without a home or a daemon."""
import math
import string

from harness import check, case, equal, library, main, program, temp_dir

CLASSES = {"upper": string.ascii_uppercase, "lower": string.ascii_lowercase, "digits": string.digits,
           "symbols": string.punctuation}


def generate(*options, **more):
    return program("generate", *options, **more)


def made(*options):
    return program("--json", "generate", *options).given()


@case
def a_password_has_its_length_and_each_class_and_needs_no_home():
    r = generate(env={"HOME": "/nonexistent", "XDG_DATA_HOME": None}).done()
    password = r.out.decode()
    check(password.endswith("\n") and len(password) == 21, f"not 20 characters: {r}")
    for name, characters in CLASSES.items():
        check(set(characters) & set(password), f"no {name} in {password!r}")
    equal(r.err, b"130 bits of entropy\n", "stderr")


@case
def options_choose_length_and_characters():
    equal(set(made("--length", 300, "--classes", "digits,lower", "--exclude", "abc123", "--no-ambiguous")["secret"]),
          set(string.digits + string.ascii_lowercase) - set("abc123" + "0o1l"), "characters")
    answer = made("--length", 64, "--classes", "digits")
    equal((len(answer["secret"]), answer["entropy_bits"]), (64, math.floor(64 * math.log2(10))), "digits")


@case
def words_come_from_the_list_with_the_separator_between():
    answer = made("--words", 5)
    equal(len(answer["secret"].split("-")), 5, "words")
    equal(answer["entropy_bits"], 64, "bits")
    equal(len(made("--words", 4, "--separator", " / ")["secret"].split(" / ")), 4, "words")
    folder = temp_dir()
    with open(f"{folder}/list", "w") as f:
        f.write("11\t钥匙\n12\t牛奶\n13\t牛奶\n")
    answer = program("--json", "generate", "--words", "9", "--word-list", "list", cwd=folder).given()
    equal(set(answer["secret"].split("-")), {"钥匙", "牛奶"}, "words")
    equal(answer["entropy_bits"], 9, "bits")
    answer = program("--json", "generate", "--words", "9", "--word-list", "-", input=b"a\nb\n").given()
    check(set(answer["secret"].split("-")) <= {"a", "b"}, f"words of {answer}")


@case
def what_makes_no_sense_is_refused():
    folder = temp_dir()
    for options in (["--length", "0"], ["--length", "1025"], ["--length", "3"], ["--classes", ""], ["--classes", "upper,upper"],
                    ["--classes", "letters"], ["--exclude", "é"], ["--exclude", "0123456789"], ["--words", "0"],
                    ["--words", "65"], ["--words", "3", "--length", "9"], ["--words", "3", "--classes", "upper"],
                    ["--words", "3", "--no-ambiguous"], ["--separator", "-"], ["--word-list", "x"],
                    ["--words", "3", "--separator", "s" * 17]):
        generate(*options).refused("invalid_argument", json=False)
    generate("positional").refused("usage", json=False)
    generate("--words", 3, "--word-list", "missing", cwd=folder).refused("file_unreadable", json=False)
    for text in ("", "one\n", "two words\nx\n"):
        generate("--words", 3, "--word-list", "-", input=text.encode()).refused("invalid_content", json=False)
    generate("--words", 3, "--word-list", "-", input=b"word\n" * 300000).refused("too_large", json=False)


@case
def what_was_generated_becomes_a_credential_through_a_pipe():
    home = library(unattended=False)
    vault = home.vault("main")
    password = generate().done().out
    credential = home.add(vault, "credential", password)["asset"]
    home.terminal.sudo().done()
    equal(home.owner("asset", "show", vault, credential).given()["secret"], password.decode()[:-1], "secret")


if __name__ == "__main__":
    main()
