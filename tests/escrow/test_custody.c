#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escrow/custody.h"
#include "escrow/custody_form.h"
#include "escrow/hash.h"
#include "tests/support/check.h"
#include "tests/support/format_page.h"
#include "tests/support/temp_dir.h"

/* The example of docs/store-format.md; the material is 00 01 .. 1f. */
static const struct custody_binding example = {
	.library = { { 0x01, 0x98, 0xc0, 0xde, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1 } },
	.enrolment = { { 0x01, 0x98, 0xc0, 0xde, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 2 } },
	.home = "/home/ada/.local/share/memories",
	.backend = "owner-file",
};

static const char example_context[] =
    "    0000000a6f776e65722d66696c6545a695e54be59f53612d8e50cc563aefbe12\n"
    "    ad4e3a742739ab2c59c83ee4d9da0198c0de0000700080000000000000010198\n"
    "    c0de000070008000000000000002\n";

static const char example_file[] =
    "    6d656d6f7269657320637573746f647900010198c0de00007000800000000000\n"
    "    00010198c0de000070008000000000000002af2e199e1e9b5d35cd499881b712\n"
    "    dee954079744b87c04b567eb344865bd57a0000102030405060708090a0b0c0d\n"
    "    0e0f101112131415161718191a1b1c1d1e1fb9a7d4954cc61f00805a126c0dea\n"
    "    ec6be7bc06b90863b4f93bc7ab2f8be03aba\n";

static const char profile_context[] =
    "    0000000a6f776e65722d66696c6545a695e54be59f53612d8e50cc563aefbe12\n"
    "    ad4e3a742739ab2c59c83ee4d9da0198c0de0000700080000000000000010198\n"
    "    c0de0000700080000000000000020000000770726f66696c65\n";

static const char profile_file[] =
    "    6d656d6f7269657320637573746f647900010198c0de00007000800000000000\n"
    "    00010198c0de0000700080000000000000028f3afc930e7741fe946a26cf4171\n"
    "    88478cbf8d1eb72942759b087fc5d27f492c000102030405060708090a0b0c0d\n"
    "    0e0f101112131415161718191a1b1c1d1e1f9d050c8eb99aa38e862757bf86b4\n"
    "    edd2679af516c92e60050616ccde308264b2\n";

static const char example_text[] =
    "    bWVtb3JpZXMgY3VzdG9keQABAZjA3gAAcACAAAAAAAAAAQGYwN4AAHAAgAAAAAAA\n"
    "    AAInWHGUL5EEhVjQ4-Zfx3yQ5sTaa49WPhYv4ogCaToD2gABAgMEBQYHCAkKCwwN\n"
    "    Dg8QERITFBUWFxgZGhscHR4fwFJyJNbD_h05A-wdwFhkoZP8yV5IqFOz8MrHKScK\n"
    "    EUM\n";

/* What nobody looks at: this backend has no more to say than the error. */
static enum custody_detail why;

static struct key
example_material(void)
{
	struct key k = { { 0 } };

	for (size_t i = 0; i < KEY_LEN; i++)
		k.b[i] = (uint8_t)i;
	return k;
}

static struct custody_binding
bound_to(const struct temp_dir *d)
{
	struct custody_binding b = example;

	b.home = d->path;
	return b;
}

/* Hex in lines of 32 bytes, as the page has it. */
static char *
hex_lines(struct span s)
{
	char *out = calloc(1, s.len * 2 + (s.len / 32 + 1) * 5 + 1), *at = out;

	for (size_t i = 0; i < s.len; i++) {
		at += sprintf(at, "%s%02x", i % 32 == 0 ? "    " : "", s.p[i]);
		if (i % 32 == 31 || i + 1 == s.len)
			at += sprintf(at, "\n");
	}
	return out;
}

static void
the_context_is_the_documented_one(void **state)
{
	uint8_t buf[CUSTODY_CONTEXT_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	char *hex;

	(void)state;
	custody_context(&example, &o);
	assert_false(o.failed);
	hex = hex_lines(wire_written(&o));
	assert_string_equal(hex, example_context);
	free(hex);
}

static void
the_form_is_the_documented_one(void **state)
{
	struct key material = example_material(), back = { { 0 } };
	uint8_t bytes[CUSTODY_FORM_LEN];
	char *hex;

	(void)state;
	assert_int_equal(custody_form_put(&example, &material, bytes), OK);
	hex = hex_lines((struct span){ bytes, sizeof bytes });
	assert_string_equal(hex, example_file);
	free(hex);
	assert_int_equal(custody_form_take((struct span){ bytes, sizeof bytes }, &example, &back), OK);
	assert_memory_equal(back.b, material.b, sizeof back.b);
}

/* What opens the profile is bound to that, and the form of the one is none of the other. */
static void
another_purpose_has_another_context_and_another_form(void **state)
{
	struct key material = example_material(), back = { { 0 } };
	struct custody_binding profile = example;
	uint8_t buf[CUSTODY_CONTEXT_MAX], bytes[CUSTODY_FORM_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);
	char *hex;

	(void)state;
	profile.purpose = CUSTODY_PROFILE;
	custody_context(&profile, &o);
	assert_false(o.failed);
	hex = hex_lines(wire_written(&o));
	assert_string_equal(hex, profile_context);
	free(hex);
	assert_int_equal(custody_form_put(&profile, &material, bytes), OK);
	hex = hex_lines((struct span){ bytes, sizeof bytes });
	assert_string_equal(hex, profile_file);
	free(hex);
	assert_int_equal(custody_form_take((struct span){ bytes, sizeof bytes }, &profile, &back), OK);
	assert_int_equal(custody_form_take((struct span){ bytes, sizeof bytes }, &example, &back), ERR_CUSTODY_BINDING);
}

static void
without_blanks(const char *text, char *out)
{
	for (; *text != '\0'; text++)
		if (*text != ' ' && *text != '\n')
			*out++ = *text;
	*out = '\0';
}

static void
the_text_is_the_documented_one_and_no_other_is_taken(void **state)
{
	struct custody_binding b = example, elsewhere;
	struct key material = example_material(), back = { { 0 } };
	uint8_t text[CUSTODY_TEXT_LEN + 1] = { 0 };
	char expected[sizeof example_text];

	(void)state;
	b.backend = "linux-secret-service";
	elsewhere = b;
	elsewhere.home = "/home/eve";
	without_blanks(example_text, expected);
	assert_int_equal(custody_text_put(&b, &material, text), OK);
	assert_string_equal(text, expected);
	assert_int_equal(custody_text_take((struct span){ text, CUSTODY_TEXT_LEN }, &b, &back), OK);
	assert_memory_equal(back.b, material.b, sizeof back.b);
	assert_int_equal(custody_text_take((struct span){ text, CUSTODY_TEXT_LEN }, &elsewhere, &back), ERR_CUSTODY_BINDING);
	for (size_t len = 0; len < CUSTODY_TEXT_LEN; len++)
		assert_int_equal(custody_text_take((struct span){ text, len }, &b, &back), ERR_CUSTODY_INVALID);
	for (size_t i = 0; i < CUSTODY_TEXT_LEN; i++) {
		uint8_t was = text[i];

		for (unsigned c = 0; c < 256; c++) {
			text[i] = (uint8_t)c;
			assert_int_equal(custody_text_take((struct span){ text, CUSTODY_TEXT_LEN }, &b, &back),
			    c == was ? OK : ERR_CUSTODY_INVALID);
		}
		text[i] = was;
	}
}

static void
the_page_shows_these_bytes(void **state)
{
	char *page = format_page();

	(void)state;
	assert_non_null(strstr(page, example_context));
	assert_non_null(strstr(page, example_file));
	assert_non_null(strstr(page, example_text));
	free(page);
}

static void
every_part_of_the_binding_changes_the_context(void **state)
{
	struct custody_binding others[4] = { example, example, example, example };
	uint8_t a[CUSTODY_CONTEXT_MAX], b[CUSTODY_CONTEXT_MAX];
	struct wire_out oa = wire_out(a, sizeof a);

	(void)state;
	others[0].library.b[15]++;
	others[1].enrolment.b[15]++;
	others[2].home = "/home/ada/.local/share/memoriez";
	others[3].backend = "owner-filf";
	custody_context(&example, &oa);
	for (size_t i = 0; i < 4; i++) {
		struct wire_out ob = wire_out(b, sizeof b);

		custody_context(&others[i], &ob);
		assert_false(ob.failed);
		assert_int_equal(oa.len, ob.len);
		assert_memory_not_equal(a, b, oa.len);
	}
}

static void
four_names_are_known_and_two_work_here(void **state)
{
	(void)state;
	assert_int_equal(custody_supported("owner-file"), OK);
	assert_int_equal(custody_supported("linux-secret-service"), OK);
	assert_int_equal(custody_supported("macos-keychain"), ERR_CUSTODY_UNSUPPORTED);
	assert_int_equal(custody_supported("windows-dpapi"), ERR_CUSTODY_UNSUPPORTED);
	assert_int_equal(custody_supported("owner-file "), ERR_INVALID_ARGUMENT);
	assert_int_equal(custody_supported(""), ERR_INVALID_ARGUMENT);
}

static void
a_backend_that_is_not_built_does_nothing(void **state)
{
	struct custody_binding b = bound_to(*state);
	struct key k = example_material();

	b.backend = "macos-keychain";
	assert_int_equal(custody_store(&b, &k, &why), ERR_CUSTODY_UNSUPPORTED);
	assert_int_equal(custody_load(&b, &k, &why), ERR_CUSTODY_UNSUPPORTED);
	assert_int_equal(custody_remove(&b, &why), ERR_CUSTODY_UNSUPPORTED);
	b.backend = "none";
	assert_int_equal(custody_store(&b, &k, &why), ERR_INVALID_ARGUMENT);
	assert_int_equal(access(temp_dir_at(*state, "custody"), F_OK), -1);
}

static void
expect_load(const struct custody_binding *b, enum err expected)
{
	struct key k = { { 0 } }, zero = { { 0 } }, material = example_material();

	assert_int_equal(custody_load(b, &k, &why), expected);
	assert_memory_equal(k.b, expected == OK ? material.b : zero.b, sizeof k.b);
}

static void
what_is_stored_is_loaded_until_it_is_removed(void **state)
{
	struct temp_dir *d = *state;
	struct custody_binding b = bound_to(d);
	struct key k = example_material();
	struct stat st;

	expect_load(&b, ERR_CUSTODY_MISSING);
	assert_int_equal(custody_remove(&b, &why), OK);
	assert_int_equal(custody_store(&b, &k, &why), OK);
	expect_load(&b, OK);
	assert_int_equal(lstat(temp_dir_at(d, "custody"), &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
	assert_int_equal(lstat(temp_dir_at(d, "custody/owner-file"), &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_size, CUSTODY_FORM_LEN);
	assert_int_equal(custody_remove(&b, &why), OK);
	expect_load(&b, ERR_CUSTODY_MISSING);
	assert_int_equal(access(temp_dir_at(d, "custody/owner-file"), F_OK), -1);
	assert_int_equal(custody_remove(&b, &why), OK);
}

static void
a_new_enrolment_replaces_the_old_material(void **state)
{
	struct custody_binding old = bound_to(*state), fresh = old;
	struct key k = { { 9 } }, material = example_material();

	fresh.enrolment.b[0]++;
	assert_int_equal(custody_store(&old, &k, &why), OK);
	assert_int_equal(custody_store(&fresh, &material, &why), OK);
	expect_load(&fresh, OK);
	expect_load(&old, ERR_CUSTODY_BINDING);
}

static void
material_copied_to_another_home_is_bound_elsewhere(void **state)
{
	struct temp_dir *d = *state;
	struct custody_binding here = bound_to(d), there = here;
	struct key k = example_material();
	char copy[TEMP_PATH_MAX + 16], command[4 * TEMP_PATH_MAX];

	assert_int_equal(custody_store(&here, &k, &why), OK);
	snprintf(copy, sizeof copy, "%s/copy", d->path);
	temp_dir_mkdir(d, "copy", 0700);
	snprintf(command, sizeof command, "cp -a '%s/custody' '%s'", d->path, copy);
	assert_int_equal(system(command), 0);
	there.home = copy;
	expect_load(&there, ERR_CUSTODY_BINDING);
	expect_load(&here, OK);
}

static void
another_library_is_refused(void **state)
{
	struct custody_binding b = bound_to(*state);
	struct key k = example_material();

	assert_int_equal(custody_store(&b, &k, &why), OK);
	b.library.b[3]++;
	expect_load(&b, ERR_CUSTODY_BINDING);
}

static void
an_unsafe_file_or_folder_is_not_read(void **state)
{
	struct temp_dir *d = *state;
	struct custody_binding b = bound_to(d);
	struct key k = example_material();
	char file[TEMP_PATH_MAX], other[TEMP_PATH_MAX], folder[TEMP_PATH_MAX];

	strcpy(file, temp_dir_at(d, "custody/owner-file"));
	strcpy(other, temp_dir_at(d, "custody/other"));
	strcpy(folder, temp_dir_at(d, "custody"));
	assert_int_equal(custody_store(&b, &k, &why), OK);

	assert_int_equal(chmod(file, 0640), 0);
	expect_load(&b, ERR_CUSTODY_UNSAFE);
	assert_int_equal(chmod(file, 0600), 0);
	assert_int_equal(link(file, other), 0);
	expect_load(&b, ERR_CUSTODY_UNSAFE);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink("other", file), 0);
	expect_load(&b, ERR_CUSTODY_UNSAFE);
	assert_int_equal(rename(other, file), 0);
	expect_load(&b, OK);
	assert_int_equal(chmod(folder, 0750), 0);
	expect_load(&b, ERR_CUSTODY_UNSAFE);
	assert_int_equal(custody_store(&b, &k, &why), ERR_CUSTODY_UNSAFE);
	assert_int_equal(custody_remove(&b, &why), ERR_CUSTODY_UNSAFE);
	assert_int_equal(chmod(folder, 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(file, OTHER_UID, OTHER_UID), 0);
		expect_load(&b, ERR_CUSTODY_UNSAFE);
	}
}

static void
a_damaged_file_is_invalid_whichever_bit_it_is(void **state)
{
	struct key material = example_material(), k = { { 0 } };
	uint8_t bytes[CUSTODY_FORM_LEN + 1] = { 0 };

	(void)state;
	assert_int_equal(custody_form_put(&example, &material, bytes), OK);
	for (size_t bit = 0; bit < CUSTODY_FORM_LEN * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(custody_form_take((struct span){ bytes, CUSTODY_FORM_LEN }, &example, &k),
		    ERR_CUSTODY_INVALID);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t len = 0; len <= sizeof bytes; len++)
		assert_int_equal(custody_form_take((struct span){ bytes, len }, &example, &k),
		    len == CUSTODY_FORM_LEN ? OK : ERR_CUSTODY_INVALID);
}

static void
another_version_with_a_right_checksum_is_invalid(void **state)
{
	struct key material = example_material();
	uint8_t bytes[CUSTODY_FORM_LEN];

	(void)state;
	assert_int_equal(custody_form_put(&example, &material, bytes), OK);
	bytes[17] = 2;
	sha256(bytes, sizeof bytes - SHA256_LEN, bytes + sizeof bytes - SHA256_LEN);
	assert_int_equal(custody_form_take((struct span){ bytes, sizeof bytes }, &example, &material),
	    ERR_CUSTODY_INVALID);
}

static void
a_file_of_another_size_is_invalid(void **state)
{
	struct temp_dir *d = *state;
	struct custody_binding b = bound_to(d);
	struct key k = example_material();
	static const off_t sizes[] = { 0, CUSTODY_FORM_LEN - 1, CUSTODY_FORM_LEN + 1, 1 << 20 };

	assert_int_equal(custody_store(&b, &k, &why), OK);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(truncate(temp_dir_at(d, "custody/owner-file"), sizes[i]), 0);
		expect_load(&b, ERR_CUSTODY_INVALID);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_setup, temp_dir_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_context_is_the_documented_one),
		cmocka_unit_test(the_form_is_the_documented_one),
		cmocka_unit_test(another_purpose_has_another_context_and_another_form),
		cmocka_unit_test(the_text_is_the_documented_one_and_no_other_is_taken),
		cmocka_unit_test(the_page_shows_these_bytes),
		cmocka_unit_test(every_part_of_the_binding_changes_the_context),
		cmocka_unit_test(four_names_are_known_and_two_work_here),
		TEST(a_backend_that_is_not_built_does_nothing),
		TEST(what_is_stored_is_loaded_until_it_is_removed),
		TEST(a_new_enrolment_replaces_the_old_material),
		TEST(material_copied_to_another_home_is_bound_elsewhere),
		TEST(another_library_is_refused),
		TEST(an_unsafe_file_or_folder_is_not_read),
		cmocka_unit_test(a_damaged_file_is_invalid_whichever_bit_it_is),
		cmocka_unit_test(another_version_with_a_right_checksum_is_invalid),
		TEST(a_file_of_another_size_is_invalid),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
