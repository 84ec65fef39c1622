/* The forms of docs/store-format.md, byte by byte, and what is done with other bytes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz_db_records.c"
#include "tests/support/check.h"
#include "tests/support/format_page.h"

static struct uuid
uuid_from(uint8_t first)
{
	struct uuid u;

	for (size_t i = 0; i < UUID_LEN; i++)
		u.b[i] = (uint8_t)(first + i);
	return u;
}

static void
put_vault(struct wire_out *o)
{
	struct vault_row v = { .active = true, .created = { 1764496800000 },
		.name_revision = uuid_from(0x30), .n_assets = 3, .name_len = 4, .sealed_name = "name" };

	db_records_put_vault(o, &v);
}

static void
put_asset(struct wire_out *o)
{
	struct db_asset a = { .row = { .kind = KIND_CARD, .key_class = CLASS_PRIVATE,
	    .created = { 1764496800000 }, .n_heads = 2, .heads = { uuid_from(0x30), uuid_from(0x40) } },
	    .tombstone = { true, false } };

	db_records_put_asset(o, &a);
}

static void
put_block(struct wire_out *o)
{
	db_records_put_block(o, &(struct db_block){ .n_rows = 512, .n_live = { 500, 8, 2, 1 } });
}

static struct revision_row
row_sample(void)
{
	return (struct revision_row){ .vault = uuid_from(0x10), .asset = uuid_from(0x20),
	    .revision = uuid_from(0x30), .kind = KIND_FILE, .key_class = CLASS_FILE, .bytes = 131072,
	    .created = { 1764496800000 }, .asset_created = { 1764496700000 }, .n_parents = 1,
	    .parents = { uuid_from(0x40) } };
}

static void
put_row(struct wire_out *o)
{
	struct revision_row r = row_sample();

	revision_row_put(o, &r);
}

static void
put_revision(struct wire_out *o)
{
	uint8_t head[SEALED_HEAD_LEN];

	memset(head, 0xaa, sizeof head);
	db_records_put_revision(o, &(struct new_revision){ .row = row_sample(),
	    .sealed_head = { head, sizeof head }, .sealed_title = { (const uint8_t *)"title", 5 },
	    .sealed_meta = { (const uint8_t *)"meta", 4 } });
}

static void
put_staging(struct wire_out *o)
{
	db_records_put_staging(o, &(struct db_staging){ .dropped = true, .n_chunks = 7, .end = 262144 });
}

static void
put_library(struct wire_out *o)
{
	struct library_record r = { .library = uuid_from(0x50), .device = uuid_from(0x60),
		.created = { 1764496800000 }, .device_member = true,
		.envelope = { .passes = 3, .memory_kib = 262144 } };

	memset(r.log_public, 0xa1, sizeof r.log_public);
	memset(r.sealed_log_key, 0xa2, sizeof r.sealed_log_key);
	memset(r.envelope.salt, 0xa3, sizeof r.envelope.salt);
	memset(r.envelope.sealed_root, 0xa4, sizeof r.envelope.sealed_root);
	db_records_put_library(o, &r);
}

static void
put_vault_keys(struct wire_out *o)
{
	struct vault_keys k = { .vault = uuid_from(0x10) };

	for (unsigned c = 0; c < CLASS__COUNT; c++)
		memset(k.sealed[c], (int)(0xb0 + c), SEALED_KEY_LEN);
	db_records_put_vault_keys(o, &k);
}

static void
put_grant(struct wire_out *o)
{
	struct db_grant g = { .type = GRANT_ORDINARY, .revision = 1, .classes = 1, .may_propose = true, .label = "notes",
		.life = { .created = { 1764496800000 }, .expires = { 1764500400000 }, .boot = uuid_from(0xb0), .minted = { 86400000 } },
		.n_vaults = 2 };

	memset(g.token_hash, 0xc1, sizeof g.token_hash);
	db_records_put_grant(o, &g);
}

static void
put_wrap(struct wire_out *o)
{
	struct grant_vault w = { .classes = 1u << CLASS_ORDINARY | 1u << CLASS_CREDENTIAL };

	memset(w.sealed[CLASS_ORDINARY], 0xd0, SEALED_KEY_LEN);
	memset(w.sealed[CLASS_CREDENTIAL], 0xd3, SEALED_KEY_LEN);
	db_records_put_wrap(o, &w);
}

static void
put_token(struct wire_out *o)
{
	db_records_put_token(o, uuid_from(0x70));
}

static void
put_enrolment(struct wire_out *o)
{
	struct enrolment_record r = { .enrolment = uuid_from(0x80), .backend = "owner-file",
		.created = { 1764496800000 }, .delegation = { .enrolment = uuid_from(0x80) } };

	memset(r.sealed_unattended, 0xe1, sizeof r.sealed_unattended);
	memset(r.sealed_delegate, 0xe2, sizeof r.sealed_delegate);
	memset(r.delegation.delegate, 0xe3, sizeof r.delegation.delegate);
	memset(r.delegation.signature, 0xe4, sizeof r.delegation.signature);
	db_records_put_enrolment(o, &r);
}

static void
put_unrecorded(struct wire_out *o)
{
	db_records_put_unrecorded(o, &(struct unrecorded){ .number = 3, .id = uuid_from(0x70) });
}

static void
put_proposal(struct wire_out *o)
{
	uint8_t head[SEALED_HEAD_LEN];
	struct proposal p = { .grant = uuid_from(0x70), .row = row_sample(), .sealed_head = { head, sizeof head },
		.sealed_title = { (const uint8_t *)"title", 5 }, .sealed_meta = { (const uint8_t *)"meta", 4 } };

	memset(head, 0xaa, sizeof head);
	p.row.kind = KIND_MEMORY;
	p.row.key_class = CLASS_ORDINARY;
	p.row.bytes = 10;
	db_records_put_proposal(o, &p);
}

static void
put_connection(struct wire_out *o)
{
	struct connection_record c = { .created = { 1764496800000 }, .revision = 2, .generation = 1,
		.scopes = 1u << SCOPE_READ | 1u << SCOPE_PROPOSE, .categories = 1u << CATEGORY_BASIC | 1u << CATEGORY_GOAL,
		.refresh_ends = { 1767088800000 }, .n_refreshes = 3, .name_len = 5, .name = "notes", .redirect_len = 19,
		.redirect = "http://127.0.0.1/cb", .n_access = 1 };

	memset(c.client, 0xf1, sizeof c.client);
	memset(c.redirect_hash, 0xf2, sizeof c.redirect_hash);
	memset(c.access[0], 0xf3, sizeof c.access[0]);
	db_records_put_connection(o, &c);
}

static struct db_family
family_sample(void)
{
	return (struct db_family){ uuid_from(0x70), 1 };
}

static void
put_code(struct wire_out *o)
{
	struct db_code c = { .family = family_sample(), .scopes = 3, .ends = { 1764496920000 }, .n_wrong = 1 };

	memset(c.redirect_given, 0xf4, sizeof c.redirect_given);
	memset(c.challenge, 0xf5, sizeof c.challenge);
	db_records_put_code(o, &c);
}

static void
put_access(struct wire_out *o)
{
	db_records_put_access(o, &(struct db_access){ family_sample(), 3, { 1764497400000 } });
}

static void
put_refresh(struct wire_out *o)
{
	db_records_put_refresh(o, &(struct db_refresh){ family_sample(), 3, true });
}

static void
put_moment(struct wire_out *o)
{
	db_records_put_moment(o, &(struct moment){ { 1764496800000 }, uuid_from(0xb0), { 86400000 } });
}

/* In the order of recode[]. Those with a vector are in the format's page. */
static const struct sample {
	void      (*put)(struct wire_out *o);
	const char *hex;
} samples[] = {
	{ put_vault,
	    "01010000019ad4347900303132333435363738393a3b3c3d3e3f0000000000000003000000046e616d65" },
	{ put_asset,
	    "0102010000019ad434790002303132333435363738393a3b3c3d3e3f01404142434445464748494a4b4c4d4e"
	    "4f00" },
	{ put_block, "02020001f4000800020001" },
	{ put_revision,
	    "010001101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738"
	    "393a3b3c3d3e3f03020000000000000200000000019ad43479000000019ad432f26000014041424344454647"
	    "48494a4b4c4d4e4f00000030aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa000000057469746c65000000046d657461" },
	{ put_staging, "01010000000700040000" },
	{ put_library, NULL },
	{ put_vault_keys, NULL },
	{ put_grant,
	    "020200000000000000010000019ad43479000000019ad46b6780b0b1b2b3b4b5b6b7b8b9babbbcbdbebf0000"
	    "000005265c0000010100c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c10002"
	    "000000056e6f746573" },
	{ put_wrap,
	    "0109d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0"
	    "d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d3d3d3d3d3d3d3d3d3d3d3d3d3d3"
	    "d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3"
	    "d3d3d3d3d3d3d3d3d3d3d3d3d3d3" },
	{ put_token, "01707172737475767778797a7b7c7d7e7f" },
	{ put_enrolment, NULL },
	{ put_row,
	    "01101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a"
	    "3b3c3d3e3f03020000000000000200000000019ad43479000000019ad432f260000140414243444546474849"
	    "4a4b4c4d4e4f" },
	{ put_unrecorded, "0100707172737475767778797a7b7c7d7e7f" },
	{ put_proposal,
	    "01707172737475767778797a7b7c7d7e7f01101112131415161718191a1b1c1d1e1f20212223242526272829"
	    "2a2b2c2d2e2f303132333435363738393a3b3c3d3e3f010000000000000000000a0000019ad4347900000001"
	    "9ad432f2600001404142434445464748494a4b4c4d4e4f00000030aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa000000057469746c6500000004"
	    "6d657461" },
	{ put_connection,
	    "01f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f2f2f2f2f2f2f2f2f2f2f2"
	    "f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f20000019ad4347900000000000000000200000001030900"
	    "00019b6eb3410000000003000000000000000000000000056e6f74657300000013687474703a2f2f3132372e"
	    "302e302e312f636201f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3" },
	{ put_code,
	    "01707172737475767778797a7b7c7d7e7f00000001f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4"
	    "f4f4f4f4f4f4f4f4f4f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5030000"
	    "019ad4364dc00100" },
	{ put_access,
	    "01707172737475767778797a7b7c7d7e7f00000001030000019ad43da0c0" },
	{ put_refresh,
	    "01707172737475767778797a7b7c7d7e7f000000010301" },
	{ put_moment,
	    "010000019ad4347900b0b1b2b3b4b5b6b7b8b9babbbcbdbebf0000000005265c00" },
};

#define N_SAMPLES (sizeof samples / sizeof *samples)

static size_t
sample_bytes(size_t i, uint8_t buf[DB_RECORD_MAX])
{
	struct wire_out o = wire_out(buf, DB_RECORD_MAX);

	samples[i].put(&o);
	assert_false(o.failed);
	return o.len;
}

static void
hex_of(const uint8_t *p, size_t len, char *out)
{
	for (size_t i = 0; i < len; i++)
		snprintf(out + 2 * i, 3, "%02x", p[i]);
}

static void
records_have_the_bytes_of_the_format(void **state)
{
	uint8_t buf[DB_RECORD_MAX];
	char hex[2 * DB_RECORD_MAX + 1];

	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++) {
		hex_of(buf, sample_bytes(i, buf), hex);
		if (samples[i].hex != NULL)
			assert_string_equal(hex, samples[i].hex);
	}
}

/* The format's page without white space. */
static char *
read_page(void)
{
	char *page = format_page();
	size_t n = 0;

	for (const char *p = page; *p != '\0'; p++)
		if (!isspace((unsigned char)*p))
			page[n++] = *p;
	page[n] = '\0';
	return page;
}

static void
the_format_page_shows_these_vectors(void **state)
{
	char *page = read_page();

	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++)
		assert_true(samples[i].hex == NULL || strstr(page, samples[i].hex) != NULL);
	free(page);
}

static void
a_decoder_takes_what_its_encoder_wrote(void **state)
{
	uint8_t buf[DB_RECORD_MAX], again[DB_RECORD_MAX];
	struct wire_out o;
	size_t len;

	(void)state;
	assert_int_equal(N_SAMPLES, sizeof recode / sizeof *recode);
	for (size_t i = 0; i < N_SAMPLES; i++) {
		len = sample_bytes(i, buf);
		o = wire_out(again, sizeof again);
		assert_true(recode[i]((struct span){ buf, len }, &o));
		assert_int_equal(o.len, len);
		assert_memory_equal(again, buf, len);
	}
}

/* Exactly sized, so that a read past the end is seen by a sanitizer. */
static bool
takes(size_t i, const uint8_t *p, size_t len)
{
	uint8_t again[DB_RECORD_MAX], *exact = malloc(len + 1);
	struct wire_out o = wire_out(again, sizeof again);
	bool taken;

	assert_non_null(exact);
	memcpy(exact + 1, p, len);
	taken = recode[i]((struct span){ exact + 1, len }, &o);
	if (taken) {
		assert_int_equal(o.len, len);
		assert_memory_equal(again, p, len);
	}
	free(exact);
	return taken;
}

static void
a_record_cut_or_with_a_byte_more_is_refused(void **state)
{
	uint8_t buf[DB_RECORD_MAX];
	size_t len;

	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++) {
		len = sample_bytes(i, buf);
		for (size_t cut = 0; cut < len; cut++)
			assert_false(takes(i, buf, cut));
		buf[len] = 0;
		assert_false(takes(i, buf, len + 1));
	}
}

static void
a_changed_byte_is_refused_or_encoded_again(void **state)
{
	uint8_t buf[DB_RECORD_MAX], was;
	size_t len;

	(void)state;
	for (size_t i = 0; i < N_SAMPLES; i++) {
		len = sample_bytes(i, buf);
		for (size_t at = 0; at < len; at++) {
			was = buf[at];
			for (unsigned v = 0; v < 256; v++) {
				buf[at] = (uint8_t)v;
				if (takes(i, buf, len))
					assert_true(at != 0 || v == was);
			}
			buf[at] = was;
		}
	}
}

static void
a_record_that_contradicts_itself_is_refused(void **state)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_asset a = { .row = { .kind = KIND_MEMORY, .n_heads = 2,
	    .heads = { uuid_from(0x40), uuid_from(0x30) } } };
	struct db_block b;
	struct db_staging s;
	struct db_grant g;
	struct grant_vault w;

	(void)state;
	db_records_put_asset(&o, &a);
	assert_false(db_records_take_asset(wire_written(&o), id, id, &a));
	o = wire_out(buf, sizeof buf);
	db_records_put_block(&o, &(struct db_block){ .n_rows = 3, .n_live = { 1, 1, 1, 1 } });
	assert_false(db_records_take_block(wire_written(&o), &b));
	o = wire_out(buf, sizeof buf);
	db_records_put_staging(&o, &(struct db_staging){ .n_chunks = 4, .end = 3 });
	assert_false(db_records_take_staging(wire_written(&o), &s));
	o = wire_out(buf, sizeof buf);
	put_grant(&o);
	assert_true(db_records_take_grant(wire_written(&o), id, &g));
	for (int i = 0; i < 6; i++) {
		struct db_grant bad = g;

		o = wire_out(buf, sizeof buf);
		bad.revoked = i == 0;
		bad.life.expired = i == 1;
		bad.type = i == 2 ? GRANT_UNATTENDED : i == 3 ? (enum grant_type)3 : GRANT_ORDINARY;
		bad.classes = i == 4 ? 0 : i == 5 ? 0x10 : 1;
		db_records_put_grant(&o, &bad);
		assert_false(db_records_take_grant(wire_written(&o), id, &g));
	}
	o = wire_out(buf, sizeof buf);
	db_records_put_wrap(&o, &(struct grant_vault){ .classes = 0x10 });
	assert_false(db_records_take_wrap(wire_written(&o), id, &w));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_have_the_bytes_of_the_format),
		cmocka_unit_test(the_format_page_shows_these_vectors),
		cmocka_unit_test(a_decoder_takes_what_its_encoder_wrote),
		cmocka_unit_test(a_record_cut_or_with_a_byte_more_is_refused),
		cmocka_unit_test(a_changed_byte_is_refused_or_encoded_again),
		cmocka_unit_test(a_record_that_contradicts_itself_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
