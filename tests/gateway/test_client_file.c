#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gateway/client_file.h"
#include "tests/support/check.h"
#include "tests/support/format_page.h"
#include "tests/support/temp_dir.h"

/* The example of docs/store-format.md. */
#define LIBRARY "0198c0de-0000-7000-8000-000000000001"
#define GRANT   "0198c0de-0000-7000-8000-000000000003"
#define HOME    "/home/ada/.local/share/memories"
#define LOG_KEY "memories/0198c0de+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define TOKEN   "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

#define MEMBERS_BUT_TOKEN \
	"\"type\":\"memories-unattended-client\",\"version\":1,\"library\":\"" LIBRARY "\"," \
	"\"home\":\"" HOME "\",\"grant\":\"" GRANT "\",\"log_key\":\"" LOG_KEY "\""

static const char example[] = "{" MEMBERS_BUT_TOKEN ",\"token\":\"" TOKEN "\"}\n";

#define VAULT "0198c0de-0000-7000-8000-000000000004"
#define OTHER "0198c0de-0000-7000-8000-000000000005"

#define GRANT_MEMBERS \
	"\"type\":\"memories-ordinary-grant\",\"version\":1,\"library\":\"" LIBRARY "\"," \
	"\"home\":\"" HOME "\",\"grant\":\"" GRANT "\",\"log_key\":\"" LOG_KEY "\""
#define GRANT_FILE(propose, vaults) \
	"{" GRANT_MEMBERS ",\"may_propose\":" propose ",\"vaults\":" vaults ",\"token\":\"" TOKEN "\"}"

static const char grant_example[] = GRANT_FILE("true", "[\"" VAULT "\"]") "\n";

static struct client_file
example_parts(void)
{
	struct client_file f = { .type = GRANT_UNATTENDED, .home = strdup(HOME), .log_key = strdup(LOG_KEY) };

	assert_int_equal(uuid_parse(LIBRARY, &f.library), OK);
	assert_int_equal(uuid_parse(GRANT, &f.grant), OK);
	assert_int_equal(key_new(&f.token), OK);
	for (size_t i = 0; i < KEY_LEN; i++)
		f.token->b[i] = (uint8_t)i;
	return f;
}

static void
expect_example(struct client_file *f)
{
	struct client_file want = example_parts();

	assert_true(uuid_equal(f->library, want.library));
	assert_true(uuid_equal(f->grant, want.grant));
	assert_string_equal(f->home, HOME);
	assert_string_equal(f->log_key, LOG_KEY);
	assert_memory_equal(f->token->b, want.token->b, sizeof f->token->b);
	client_file_free(&want);
	client_file_free(f);
	assert_null(f->token);
}

static enum err
parse(const char *text, struct client_file *out)
{
	const char *why = NULL;
	enum err e = client_file_parse((struct span){ (const uint8_t *)text, strlen(text) }, GRANT_UNATTENDED, out, &why);

	assert_string_equal(why, "");
	return e;
}

static enum err
parse_grant(const char *text, struct client_file *out, const char **why)
{
	return client_file_parse((struct span){ (const uint8_t *)text, strlen(text) }, GRANT_ORDINARY, out, why);
}

static void
expect_invalid(const char *text)
{
	struct client_file f;

	if (parse(text, &f) != ERR_CLIENT_FILE_INVALID)
		fail_msg("taken: %s", text);
}

static enum err
publish(const char *path)
{
	struct client_file f = example_parts();
	enum err e = client_file_publish(path, &f);

	client_file_free(&f);
	return e;
}

static void
expect_read(const char *path, enum err expected)
{
	struct client_file f = { .home = NULL };

	assert_int_equal(client_file_read(path, GRANT_UNATTENDED, &f, &(const char *){ NULL }), expected);
	if (expected == OK)
		expect_example(&f);
	assert_null(f.home);
	assert_null(f.token);
}

static char *
contents(const char *path)
{
	char *text = calloc(1, 4096);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(read(fd, text, 4095) > 0);
	close(fd);
	return text;
}

static void
what_is_published_is_the_documented_line_and_reads_back(void **state)
{
	struct temp_dir *d = *state;
	struct stat st;
	char *text;

	assert_int_equal(publish(temp_dir_at(d, "client.json")), OK);
	assert_int_equal(lstat(d->joined, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	text = contents(d->joined);
	assert_string_equal(text, example);
	free(text);
	expect_read(d->joined, OK);
}

static void
the_page_shows_these_lines(void **state)
{
	char *page = format_page();

	(void)state;
	assert_non_null(strstr(page, example));
	assert_non_null(strstr(page, grant_example));
	free(page);
}

static void
an_existing_file_is_never_overwritten(void **state)
{
	struct temp_dir *d = *state;
	char *text;

	temp_dir_put(d, "client.json", "mine", 4, 0600);
	assert_int_equal(publish(d->joined), ERR_CLIENT_FILE_EXISTS);
	text = contents(d->joined);
	assert_string_equal(text, "mine");
	free(text);
	assert_int_equal(symlink("nowhere", temp_dir_at(d, "link")), 0);
	assert_int_equal(publish(d->joined), ERR_CLIENT_FILE_EXISTS);
	assert_int_equal(access(temp_dir_at(d, "nowhere"), F_OK), -1);
}

static void
the_folder_must_be_there_and_the_owners_alone(void **state)
{
	struct temp_dir *d = *state;
	char path[TEMP_PATH_MAX];

	assert_int_equal(publish(temp_dir_at(d, "none/client.json")), ERR_CLIENT_FILE_UNSAFE);
	assert_int_equal(publish("client.json"), ERR_CLIENT_FILE_UNSAFE);
	temp_dir_mkdir(d, "open", 0755);
	strcpy(path, temp_dir_at(d, "open/client.json"));
	assert_int_equal(publish(path), ERR_CLIENT_FILE_UNSAFE);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(publish(temp_dir_at(d, "")), ERR_CLIENT_FILE_UNSAFE);
	temp_dir_put(d, "file", "x", 1, 0600);
	assert_int_equal(publish(temp_dir_at(d, "file/client.json")), ERR_CLIENT_FILE_UNSAFE);
}

static void
a_home_that_json_cannot_hold_publishes_nothing(void **state)
{
	struct temp_dir *d = *state;
	struct client_file f = example_parts();

	strcpy(f.home, "/\xff");
	assert_int_equal(client_file_publish(temp_dir_at(d, "client.json"), &f), ERR_INVALID_ARGUMENT);
	strcpy(f.home, "relative");
	assert_int_equal(client_file_publish(d->joined, &f), ERR_INVALID_ARGUMENT);
	strcpy(f.home, "/ok");
	strcpy(f.log_key, "two\nlines");
	assert_int_equal(client_file_publish(d->joined, &f), ERR_INVALID_ARGUMENT);
	assert_int_equal(access(d->joined, F_OK), -1);
	client_file_free(&f);
}

static void
an_odd_home_survives_the_way_there_and_back(void **state)
{
	struct temp_dir *d = *state;
	struct client_file f = example_parts(), back;

	strcpy(f.home, "/\"q\\\x01\n \xc3\xa4\xf0\x9f\x92\xbe");
	assert_int_equal(client_file_publish(temp_dir_at(d, "client.json"), &f), OK);
	assert_int_equal(client_file_read(d->joined, GRANT_UNATTENDED, &back, &(const char *){ NULL }), OK);
	assert_string_equal(back.home, f.home);
	client_file_free(&back);
	client_file_free(&f);
}

static void
the_longest_home_of_the_worst_characters_fits(void **state)
{
	struct temp_dir *d = *state;
	struct client_file f = example_parts(), back;

	free(f.home);
	f.home = calloc(1, 16385);
	memset(f.home, '\x01', 16384);
	f.home[0] = '/';
	assert_int_equal(client_file_publish(temp_dir_at(d, "client.json"), &f), OK);
	assert_int_equal(client_file_read(d->joined, GRANT_UNATTENDED, &back, &(const char *){ NULL }), OK);
	assert_string_equal(back.home, f.home);
	client_file_free(&back);
	client_file_free(&f);
}

static void
an_unsafe_file_is_not_read(void **state)
{
	struct temp_dir *d = *state;
	char path[TEMP_PATH_MAX], other[TEMP_PATH_MAX];

	strcpy(path, temp_dir_at(d, "client.json"));
	strcpy(other, temp_dir_at(d, "other"));
	assert_int_equal(publish(path), OK);
	assert_int_equal(chmod(path, 0604), 0);
	expect_read(path, ERR_CLIENT_FILE_UNSAFE);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(link(path, other), 0);
	expect_read(path, ERR_CLIENT_FILE_UNSAFE);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(symlink("client.json", other), 0);
	expect_read(other, ERR_CLIENT_FILE_UNSAFE);
	expect_read(path, OK);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(mkfifo(other, 0600), 0);
	expect_read(other, ERR_CLIENT_FILE_UNSAFE);
	expect_read(d->path, ERR_CLIENT_FILE_UNSAFE);
}

static void
the_folder_may_be_entered_but_not_changed_by_others_when_reading(void **state)
{
	struct temp_dir *d = *state;
	char path[TEMP_PATH_MAX];

	temp_dir_mkdir(d, "sub", 0700);
	strcpy(path, temp_dir_at(d, "sub/client.json"));
	assert_int_equal(publish(path), OK);
	assert_int_equal(chmod(temp_dir_at(d, "sub"), 0755), 0);
	expect_read(path, OK);
	assert_int_equal(chmod(temp_dir_at(d, "sub"), 0775), 0);
	expect_read(path, ERR_CLIENT_FILE_UNSAFE);
	assert_int_equal(chmod(temp_dir_at(d, "sub"), 0777), 0);
	expect_read(path, ERR_CLIENT_FILE_UNSAFE);
}

static void
a_missing_file_is_unreadable_and_a_long_one_invalid(void **state)
{
	struct temp_dir *d = *state;

	expect_read(temp_dir_at(d, "none"), ERR_FILE_UNREADABLE);
	expect_read(temp_dir_at(d, "none/client.json"), ERR_FILE_UNREADABLE);
	temp_dir_put(d, "empty", "", 0, 0600);
	expect_read(d->joined, ERR_CLIENT_FILE_INVALID);
	temp_dir_put(d, "long", example, sizeof example - 1, 0600);
	expect_read(d->joined, OK);
	assert_int_equal(truncate(d->joined, CLIENT_FILE_MAX + 1), 0);
	expect_read(d->joined, ERR_CLIENT_FILE_INVALID);
}

static void
another_type_or_version_is_invalid(void **state)
{
	(void)state;
	expect_invalid("{\"type\":\"memories-grant\",\"version\":1,\"library\":\"" LIBRARY
	    "\",\"home\":\"/h\",\"grant\":\"" GRANT "\",\"log_key\":\"k\",\"token\":\"" TOKEN "\"}");
	expect_invalid("{\"type\":\"memories-unattended-client\",\"version\":2,\"library\":\"" LIBRARY
	    "\",\"home\":\"/h\",\"grant\":\"" GRANT "\",\"log_key\":\"k\",\"token\":\"" TOKEN "\"}");
	expect_invalid("{\"type\":\"memories-unattended-client\",\"version\":\"1\",\"library\":\"" LIBRARY
	    "\",\"home\":\"/h\",\"grant\":\"" GRANT "\",\"log_key\":\"k\",\"token\":\"" TOKEN "\"}");
	expect_invalid("{}");
	expect_invalid("[]");
	expect_invalid("null");
	expect_invalid("");
}

static void
a_member_that_lacks_is_extra_or_double_is_invalid(void **state)
{
	(void)state;
	expect_invalid("{" MEMBERS_BUT_TOKEN "}");
	expect_invalid("{" MEMBERS_BUT_TOKEN ",\"token\":\"" TOKEN "\",\"more\":1}");
	expect_invalid("{" MEMBERS_BUT_TOKEN ",\"Token\":\"" TOKEN "\"}");
	expect_invalid("{" MEMBERS_BUT_TOKEN ",\"token\":\"" TOKEN "\",\"token\":\"" TOKEN "\"}");
	expect_invalid("{" MEMBERS_BUT_TOKEN ",\"token\":\"" TOKEN "\"}x");
}

static void
a_token_that_is_not_exactly_32_bytes_is_invalid(void **state)
{
	(void)state;
	expect_invalid("{" MEMBERS_BUT_TOKEN ",\"token\":\"\"}");
	expect_invalid("{" MEMBERS_BUT_TOKEN ",\"token\":null}");
	expect_invalid("{" MEMBERS_BUT_TOKEN ",\"token\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg\"}");
	expect_invalid("{" MEMBERS_BUT_TOKEN ",\"token\":\"" TOKEN "A\"}");
	expect_invalid("{" MEMBERS_BUT_TOKEN ",\"token\":\"" TOKEN "=\"}");
	expect_invalid("{" MEMBERS_BUT_TOKEN ",\"token\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9\"}");
}

static void
a_text_cut_anywhere_is_invalid(void **state)
{
	struct client_file f;

	(void)state;
	for (size_t len = 0; len < sizeof example - 2; len++) {
		char *cut = strndup(example, len);

		expect_invalid(cut);
		free(cut);
	}
	assert_int_equal(parse(example, &f), OK);
	expect_example(&f);
}

static int
ready(void **state)
{
	(void)state;
	return secret_init(true) != OK;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_setup, temp_dir_teardown)

static void
a_grant_file_says_its_scope_and_reads_back(void **state)
{
	struct temp_dir *d = *state;
	struct client_file f = example_parts(), back;
	const char *why;
	char *text;

	f.type = GRANT_ORDINARY;
	f.may_propose = true;
	f.n_vaults = 1;
	assert_int_equal(uuid_parse(VAULT, &f.vaults[0]), OK);
	assert_int_equal(client_file_publish(temp_dir_at(d, "grant.json"), &f), OK);
	text = contents(d->joined);
	assert_string_equal(text, grant_example);
	free(text);
	assert_int_equal(client_file_read(d->joined, GRANT_ORDINARY, &back, &why), OK);
	assert_int_equal(back.type, GRANT_ORDINARY);
	assert_true(back.may_propose);
	assert_int_equal(back.n_vaults, 1);
	assert_true(uuid_equal(back.vaults[0], f.vaults[0]));
	expect_example(&back);
	f.n_vaults = 0;
	assert_int_equal(client_file_publish(temp_dir_at(d, "none.json"), &f), ERR_INVALID_ARGUMENT);
	f.n_vaults = 2;
	f.vaults[1] = f.vaults[0];
	assert_int_equal(client_file_publish(d->joined, &f), ERR_INVALID_ARGUMENT);
	f.n_vaults = CLIENT_VAULTS_MAX + 1;
	assert_int_equal(client_file_publish(d->joined, &f), ERR_INVALID_ARGUMENT);
	client_file_free(&f);
}

static void
either_file_given_to_the_other_says_where_it_belongs(void **state)
{
	struct client_file f;
	const char *why = NULL;

	(void)state;
	assert_int_equal(parse_grant(example, &f, &why), ERR_CLIENT_FILE_INVALID);
	assert_non_null(strstr(why, "mcp serve-unattended"));
	assert_int_equal(client_file_parse((struct span){ (const uint8_t *)grant_example, strlen(grant_example) },
	    GRANT_UNATTENDED, &f, &why), ERR_CLIENT_FILE_INVALID);
	assert_non_null(strstr(why, "grant file"));
	/* Of neither there is nothing to say. */
	assert_int_equal(parse_grant("{\"type\":\"another\"}", &f, &why), ERR_CLIENT_FILE_INVALID);
	assert_string_equal(why, "");
}

static void
a_grant_file_without_its_scope_is_invalid(void **state)
{
	static const char *const bad[] = {
		GRANT_FILE("true", "[]"), GRANT_FILE("1", "[\"" VAULT "\"]"), GRANT_FILE("null", "[\"" VAULT "\"]"),
		GRANT_FILE("true", "\"" VAULT "\""), GRANT_FILE("true", "[\"x\"]"), GRANT_FILE("true", "[1]"),
		GRANT_FILE("true", "[\"" VAULT "\",\"" VAULT "\"]"), GRANT_FILE("true", "{\"a\":\"" VAULT "\"}"),
		"{" GRANT_MEMBERS ",\"token\":\"" TOKEN "\"}",
	};
	struct client_file f;
	const char *why;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (parse_grant(bad[i], &f, &why) != ERR_CLIENT_FILE_INVALID)
			fail_msg("taken: %s", bad[i]);
	assert_int_equal(parse_grant(GRANT_FILE("false", "[\"" VAULT "\",\"" OTHER "\"]"), &f, &why), OK);
	assert_int_equal(f.n_vaults, 2);
	assert_false(f.may_propose);
	client_file_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_published_is_the_documented_line_and_reads_back),
		cmocka_unit_test(the_page_shows_these_lines),
		TEST(a_grant_file_says_its_scope_and_reads_back),
		cmocka_unit_test(either_file_given_to_the_other_says_where_it_belongs),
		cmocka_unit_test(a_grant_file_without_its_scope_is_invalid),
		TEST(an_existing_file_is_never_overwritten),
		TEST(the_folder_must_be_there_and_the_owners_alone),
		TEST(a_home_that_json_cannot_hold_publishes_nothing),
		TEST(an_odd_home_survives_the_way_there_and_back),
		TEST(the_longest_home_of_the_worst_characters_fits),
		TEST(an_unsafe_file_is_not_read),
		TEST(the_folder_may_be_entered_but_not_changed_by_others_when_reading),
		TEST(a_missing_file_is_unreadable_and_a_long_one_invalid),
		cmocka_unit_test(another_type_or_version_is_invalid),
		cmocka_unit_test(a_member_that_lacks_is_extra_or_double_is_invalid),
		cmocka_unit_test(a_token_that_is_not_exactly_32_bytes_is_invalid),
		cmocka_unit_test(a_text_cut_anywhere_is_invalid),
	};

	umask(022);
	return cmocka_run_group_tests(tests, ready, NULL) != 0;
}
