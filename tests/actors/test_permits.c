#include "tests/support/check.h"

#include <string.h>

#include "actors/permits.h"
#include "mailbox/words.h"
#include "store/revision.h"

static const struct mono_ms now = { 1000000 };

static struct uuid
id(uint8_t first)
{
	return (struct uuid){ { first, 0, 0, 0, 0, 0, 0x70, 0, 0x80 } };
}

static struct permits
with_one(uint8_t op)
{
	static struct permits p;

	permits_clear(&p);
	permits_add(&p, &(struct permit){ .revision = id(3), .asset = id(2), .vault = id(1), .grant = id(8),
	    .op = op, .kind = KIND_MEMORY, .is_private = op != OP_PROPOSE, .pid = 77, .used = now });
	return p;
}

static enum err
publish(struct permits *p, struct revision_row row, uint32_t pid)
{
	uint8_t buf[REVISION_ROW_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	union any_body body;

	revision_row_put(&o, &row);
	body.revision_put = (struct revision_put_body){ .row = wire_written(&o) };
	return permits_check(p, MSG_REVISION_PUT, &body, pid, now);
}

static enum err
propose(struct permits *p, struct revision_row row, uint32_t pid, struct uuid *grant)
{
	uint8_t buf[REVISION_ROW_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	union any_body body;
	enum err e;

	revision_row_put(&o, &row);
	body.proposal_put = (struct proposal_put_body){ .grant = id(9), .row = wire_written(&o) };
	e = permits_check(p, MSG_PROPOSAL_PUT, &body, pid, now);
	*grant = body.proposal_put.grant;
	return e;
}

static struct revision_row
fitting(void)
{
	return (struct revision_row){ .vault = id(1), .asset = id(2), .revision = id(3), .kind = KIND_MEMORY,
		.key_class = CLASS_PRIVATE, .bytes = 5 };
}

static void
a_row_that_differs_from_what_was_asked_is_refused(void **state)
{
	struct permits p = with_one(OP_WRITE_ASSET);
	struct revision_row row = fitting();

	(void)state;
	assert_int_equal(publish(&p, row, 77), OK);
	row.vault = id(9);
	assert_int_equal(publish(&p, row, 77), ERR_INVALID_ARGUMENT);
	row = fitting();
	row.asset = id(9);
	assert_int_equal(publish(&p, row, 77), ERR_INVALID_ARGUMENT);
	row = fitting();
	row.key_class = CLASS_ORDINARY;
	assert_int_equal(publish(&p, row, 77), ERR_INVALID_ARGUMENT);
	row = fitting();
	row.revision = id(9);
	assert_int_equal(publish(&p, row, 77), ERR_NOT_FOUND);
	assert_int_equal(publish(&p, fitting(), 78), ERR_NOT_FOUND);
}

static void
a_row_of_bad_bytes_is_refused(void **state)
{
	struct permits p = with_one(OP_WRITE_ASSET);
	union any_body body = { .revision_put = { .row = { (const uint8_t *)"xyz", 3 } } };

	(void)state;
	assert_int_equal(permits_check(&p, MSG_REVISION_PUT, &body, 77, now), ERR_INVALID_ARGUMENT);
}

static void
a_name_goes_with_its_own_ask_only(void **state)
{
	struct permits name = with_one(OP_WRITE_NAME);
	union any_body body = { .name_put = { .vault = id(1), .revision = id(3) } };
	union any_body chunk = { .chunk_put = { .revision = id(3) } };

	(void)state;
	assert_int_equal(permits_check(&name, MSG_NAME_PUT, &body, 77, now), OK);
	assert_int_equal(permits_check(&name, MSG_CHUNK_PUT, &chunk, 77, now), ERR_INVALID_ARGUMENT);
	assert_int_equal(publish(&name, fitting(), 77), ERR_INVALID_ARGUMENT);
	body.name_put.vault = id(4);
	assert_int_equal(permits_check(&name, MSG_NAME_PUT, &body, 77, now), ERR_INVALID_ARGUMENT);
}

static void
a_proposal_is_its_askers_and_no_revision(void **state)
{
	struct permits p = with_one(OP_PROPOSE), w = with_one(OP_WRITE_ASSET);
	struct revision_row row = fitting();
	union any_body chunk = { .chunk_put = { .revision = id(3), .index = 15 } };
	struct uuid grant;

	(void)state;
	assert_int_equal(propose(&w, row, 77, &grant), ERR_INVALID_ARGUMENT);
	assert_int_equal(propose(&p, row, 77, &grant), ERR_INVALID_ARGUMENT);
	row.key_class = CLASS_ORDINARY;
	assert_int_equal(propose(&p, row, 78, &grant), ERR_NOT_FOUND);
	assert_int_equal(publish(&p, row, 77), ERR_INVALID_ARGUMENT);
	assert_int_equal(propose(&p, row, 77, &grant), OK);
	assert_true(uuid_equal(grant, id(8)));
	row.asset = id(7);
	assert_int_equal(propose(&p, row, 77, &grant), ERR_INVALID_ARGUMENT);
	assert_int_equal(permits_check(&p, MSG_CHUNK_PUT, &chunk, 77, now), OK);
	chunk.chunk_put.index = 16;
	assert_int_equal(permits_check(&p, MSG_CHUNK_PUT, &chunk, 77, now), ERR_INVALID_ARGUMENT);
	assert_int_equal(permits_check(&w, MSG_CHUNK_PUT, &chunk, 77, now), OK);
}

static void
an_unused_permit_ends_and_use_keeps_it(void **state)
{
	struct permits p = with_one(OP_WRITE_ASSET);
	union any_body chunk = { .chunk_put = { .revision = id(3) } };
	struct mono_ms later = { now.ms + PERMIT_MS - 1 }, too_late = { now.ms + 2 * PERMIT_MS };

	(void)state;
	assert_int_equal(permits_check(&p, MSG_CHUNK_PUT, &chunk, 77, later), OK);
	later.ms += PERMIT_MS - 1;
	assert_int_equal(permits_check(&p, MSG_CHUNK_PUT, &chunk, 77, later), OK);
	too_late.ms = later.ms + PERMIT_MS;
	assert_int_equal(permits_check(&p, MSG_CHUNK_PUT, &chunk, 77, too_late), ERR_NOT_FOUND);
}

static void
the_zero_revision_is_nobodys(void **state)
{
	struct permits p;
	union any_body chunk = { .chunk_put = { .index = 0 } };

	(void)state;
	permits_clear(&p);
	assert_int_equal(permits_check(&p, MSG_CHUNK_PUT, &chunk, 0, now), ERR_NOT_FOUND);
	assert_int_equal(permits_check(&p, MSG_DISCARD_PUT, &chunk, 0, now), ERR_NOT_FOUND);
}

static void
past_the_bound_the_longest_unused_goes(void **state)
{
	struct permits p = with_one(OP_WRITE_ASSET);
	union any_body body;

	(void)state;
	for (uint32_t i = 0; i < PERMITS_MAX; i++) {
		struct permit one = { .revision = id(5), .op = OP_WRITE_ASSET, .pid = 77, .used = { now.ms + 1 + i } };

		memcpy(one.revision.b + 1, &i, sizeof i);
		permits_add(&p, &one);
		body.one_id.id = one.revision;
		assert_int_equal(permits_check(&p, MSG_DISCARD_PUT, &body, 77, now), OK);
	}
	body.one_id.id = id(3);
	assert_int_equal(permits_check(&p, MSG_DISCARD_PUT, &body, 77, now), ERR_NOT_FOUND);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_that_differs_from_what_was_asked_is_refused),
		cmocka_unit_test(a_row_of_bad_bytes_is_refused),
		cmocka_unit_test(a_name_goes_with_its_own_ask_only),
		cmocka_unit_test(a_proposal_is_its_askers_and_no_revision),
		cmocka_unit_test(an_unused_permit_ends_and_use_keeps_it),
		cmocka_unit_test(the_zero_revision_is_nobodys),
		cmocka_unit_test(past_the_bound_the_longest_unused_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
