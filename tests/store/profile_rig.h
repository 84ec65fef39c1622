/* profile_rig: a profile's database in a folder of its own, and facts for it. */
#ifndef TESTS_STORE_PROFILE_RIG_H
#define TESTS_STORE_PROFILE_RIG_H

#include <string.h>

#include "escrow/random.h"
#include "store/env.h"
#include "store/profile_db.h"
#include "tests/support/check.h"
#include "tests/support/fake_clock.h"
#include "tests/support/hex.h"
#include "tests/support/temp_dir.h"

struct profile_rig {
	void              *dir;
	struct key        *key;
	struct profile_db *db;
};

static const char *const profile_tables[] = { "fact", "share", "proposal", "ended", "meta", "gone" };

static inline bool
says_secret(const struct profile_fact *f)
{
	return f->value.len >= 6 && memcmp(f->value.p, "secret", 6) == 0;
}

static inline const char *
profile_path(const struct profile_rig *r)
{
	return ((struct temp_dir *)r->dir)->path;
}

static inline enum err
profile_rig_try_open(struct profile_rig *r)
{
	return profile_db_open(profile_path(r), r->key, says_secret, &r->db);
}

static inline void
profile_rig_reopen(struct profile_rig *r)
{
	profile_db_close(&r->db);
	assert_int_equal(profile_rig_try_open(r), OK);
}

static inline int
profile_rig_setup(void **state)
{
	static struct profile_rig r;

	r = (struct profile_rig){ NULL, NULL, NULL };
	fake_clock_set(1764496800000, 100000);
	if (temp_dir_setup(&r.dir) != 0 || key_random(&r.key) != OK || profile_rig_try_open(&r) != OK)
		return -1;
	*state = &r;
	return 0;
}

static inline int
profile_rig_teardown(void **state)
{
	struct profile_rig *r = *state;

	profile_db_close(&r->db);
	key_free(&r->key);
	fake_clock_off();
	return temp_dir_teardown(&r->dir);
}

static inline struct uuid
an_id(uint8_t what)
{
	struct uuid u;

	memset(u.b, what, UUID_LEN);
	return u;
}

static inline struct span
text_span(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

static inline struct profile_fact
a_fact(uint8_t id, uint64_t version, const char *value)
{
	return (struct profile_fact){ .fact = an_id(id), .revision = an_id((uint8_t)(0x80 + version)), .version = version,
		.category = CATEGORY_HABIT, .created = { 1000 }, .updated = { 1000 + version }, .label = text_span("label"),
		.value = text_span(value), .evidence = text_span("evidence") };
}

static inline struct profile_proposal
a_proposal(uint8_t id, uint8_t connection, const char *value)
{
	return (struct profile_proposal){ .proposal = an_id(id), .connection = an_id(connection), .op = PROFILE_ADD,
		.category = CATEGORY_GOAL, .label = text_span("label"), .value = text_span(value), .created = { 5 }, .expires = { 6 } };
}

#endif
