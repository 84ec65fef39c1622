#include <stdlib.h>
#include <string.h>

#include "store/env.h"
#include "store/grants_db.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

struct rig {
	void             *dir;
	struct grants_db *db;
};

static const struct uuid grant = { { 0x91 } }, other = { { 0x92 } };

static int
setup(void **state)
{
	static struct rig r;

	r = (struct rig){ NULL, NULL };
	if (temp_dir_setup(&r.dir) != 0 ||
	    grants_db_open(((struct temp_dir *)r.dir)->path, &r.db) != OK)
		return -1;
	*state = &r;
	return 0;
}

static int
teardown(void **state)
{
	struct rig *r = *state;

	grants_db_close(&r->db);
	return temp_dir_teardown(&r->dir);
}

static void
reopen(struct rig *r)
{
	grants_db_close(&r->db);
	assert_int_equal(grants_db_open(((struct temp_dir *)r->dir)->path, &r->db), OK);
}

static struct uuid
id_of(uint8_t what, unsigned n)
{
	return (struct uuid){ { what, (uint8_t)(n >> 8), (uint8_t)n } };
}

static struct library_record
library(void)
{
	struct library_record l = { .library = { { 1 } }, .device = { { 2 } }, .created = { 5 },
		.device_member = true, .envelope = { .passes = 3, .memory_kib = 262144 } };

	memset(l.sealed_log_key, 7, sizeof l.sealed_log_key);
	return l;
}

/* With n vaults, in falling order; of classes 1 .. 15 in turn of n. */
static struct grant_record
grant_of(struct uuid id, uint8_t token, uint16_t n)
{
	struct grant_record g = { .grant = id, .type = GRANT_UNATTENDED, .revision = 1,
		.life = { .created = { 10 }, .expires = { 20 }, .boot = { { 0xb0 } }, .minted = { 5 } },
		.classes = (uint8_t)(1 + n % 15), .label = "label", .token_hash = { token, id.b[1], id.b[2] }, .n_vaults = n };

	for (unsigned i = 0; i < n; i++) {
		g.vaults[i].vault = id_of(0x10, n - i);
		g.vaults[i].classes = g.classes;
		for (unsigned c = 0; c < CLASS__COUNT; c++)
			if (g.vaults[i].classes & 1u << c)
				memset(g.vaults[i].sealed[c], (int)(i + c + 1), SEALED_KEY_LEN);
	}
	return g;
}

static void
expect_same_vault(const struct grant_vault *a, const struct grant_vault *b)
{
	assert_true(uuid_equal(a->vault, b->vault));
	assert_int_equal(a->classes, b->classes);
	assert_memory_equal(a->sealed, b->sealed, sizeof a->sealed);
}

static void
expect_same_grant(const struct grant_record *got, const struct grant_record *put)
{
	assert_true(uuid_equal(got->grant, put->grant));
	assert_int_equal(got->revision, put->revision);
	assert_int_equal(got->type, put->type);
	assert_memory_equal(&got->life, &put->life, offsetof(struct grant_life, expired));
	assert_int_equal(got->life.expired, put->life.expired);
	assert_int_equal(got->classes, put->classes);
	assert_string_equal(got->label, put->label);
	assert_false(got->revoked);
	assert_memory_equal(got->token_hash, put->token_hash, 32);
	assert_int_equal(got->n_vaults, put->n_vaults);
	for (unsigned i = 0; i < got->n_vaults; i++)
		expect_same_vault(&got->vaults[i], &put->vaults[put->n_vaults - 1 - i]);
}

static void
a_library_is_made_once(void **state)
{
	struct rig *r = *state;
	struct library_record l = library(), got;

	assert_int_equal(grants_db_library(r->db, &got), ERR_NOT_INITIALIZED);
	assert_int_equal(grants_db_put_library(r->db, &l), ERR_NOT_INITIALIZED);
	assert_int_equal(grants_db_init_library(r->db, &l), OK);
	assert_int_equal(grants_db_init_library(r->db, &l), ERR_ALREADY_INITIALIZED);
	reopen(r);
	assert_int_equal(grants_db_library(r->db, &got), OK);
	assert_true(uuid_equal(got.library, l.library) && uuid_equal(got.device, l.device));
	assert_true(got.device_member);
	assert_false(got.center_managed);
	assert_int_equal(got.envelope.memory_kib, 262144);
	assert_memory_equal(got.sealed_log_key, l.sealed_log_key, SEALED_KEY_LEN);
}

static void
a_library_is_replaced_under_its_own_id_only(void **state)
{
	struct rig *r = *state;
	struct library_record l = library(), got;

	assert_int_equal(grants_db_init_library(r->db, &l), OK);
	l.center_managed = true;
	assert_int_equal(grants_db_put_library(r->db, &l), OK);
	assert_int_equal(grants_db_library(r->db, &got), OK);
	assert_true(got.center_managed);
	l.library.b[3] = 9;
	assert_int_equal(grants_db_put_library(r->db, &l), ERR_INVALID_ARGUMENT);
}

static void
vault_keys_come_back_and_are_replaced(void **state)
{
	struct rig *r = *state;
	struct vault_keys k = { .vault = id_of(0x10, 1) }, got;

	memset(k.sealed, 4, sizeof k.sealed);
	assert_int_equal(grants_db_vault_keys(r->db, k.vault, &got), ERR_NOT_FOUND);
	assert_int_equal(grants_db_put_vault_keys(r->db, &k), OK);
	k.sealed[CLASS_FILE][3] = 5;
	assert_int_equal(grants_db_put_vault_keys(r->db, &k), OK);
	reopen(r);
	assert_int_equal(grants_db_vault_keys(r->db, k.vault, &got), OK);
	assert_true(uuid_equal(got.vault, k.vault));
	assert_memory_equal(got.sealed, k.sealed, sizeof k.sealed);
	assert_int_equal(grants_db_vault_keys(r->db, id_of(0x10, 2), &got), ERR_NOT_FOUND);
}

static void
a_grant_of_64_vaults_comes_back_in_the_order_of_ids(void **state)
{
	struct rig *r = *state;
	struct grant_record g = grant_of(grant, 1, GRANT_VAULTS_MAX), small = grant_of(other, 2, 1), got;
	struct grant_use use;

	assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	assert_int_equal(grants_db_add_grant(r->db, &small), OK);
	reopen(r);
	assert_int_equal(grants_db_grant(r->db, grant, &got), OK);
	expect_same_grant(&got, &g);
	assert_int_equal(grants_db_use(r->db, g.token_hash, g.vaults[3].vault, &use), OK);
	assert_true(uuid_equal(use.grant, grant));
	assert_int_equal(grants_db_grant(r->db, other, &got), OK);
	expect_same_grant(&got, &small);
	assert_int_equal(grants_db_grant(r->db, id_of(0x91, 3), &got), ERR_NOT_FOUND);
	assert_int_equal(grants_db_use(r->db, (uint8_t[32]){ 9 }, g.vaults[3].vault, &use), ERR_NOT_FOUND);
}

static void
a_grant_without_its_form_is_refused(void **state)
{
	struct rig *r = *state;
	struct grant_record g = grant_of(grant, 1, 2);

	g.n_vaults = 0;
	assert_int_equal(grants_db_add_grant(r->db, &g), ERR_INVALID_ARGUMENT);
	g.n_vaults = GRANT_VAULTS_MAX + 1;
	assert_int_equal(grants_db_add_grant(r->db, &g), ERR_INVALID_ARGUMENT);
	g = grant_of(grant, 1, 2);
	g.vaults[1].vault = g.vaults[0].vault;
	assert_int_equal(grants_db_add_grant(r->db, &g), ERR_INVALID_ARGUMENT);
	g = grant_of(grant, 1, 2);
	g.vaults[1].classes = 0;
	assert_int_equal(grants_db_add_grant(r->db, &g), ERR_INVALID_ARGUMENT);
	g.vaults[1].classes = 1u << CLASS__COUNT;
	assert_int_equal(grants_db_add_grant(r->db, &g), ERR_INVALID_ARGUMENT);
	g = grant_of(grant, 1, 2);
	g.revoked = true;
	assert_int_equal(grants_db_add_grant(r->db, &g), ERR_INVALID_ARGUMENT);
}

static void
ids_and_token_hashes_are_not_taken_twice(void **state)
{
	struct rig *r = *state;
	struct grant_record g = grant_of(grant, 1, 2), got;

	assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	g.token_hash[0] = 2;
	assert_int_equal(grants_db_add_grant(r->db, &g), ERR_INVALID_ARGUMENT);
	g = grant_of(grant, 1, 2);
	g.grant = other;
	assert_int_equal(grants_db_add_grant(r->db, &g), ERR_INVALID_ARGUMENT);
	assert_int_equal(grants_db_grant(r->db, other, &got), ERR_NOT_FOUND);
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, grant), OK);
	g.grant = grant;
	assert_int_equal(grants_db_add_grant(r->db, &g), ERR_INVALID_ARGUMENT);
}

static void
a_use_names_the_grant_and_one_vault(void **state)
{
	struct rig *r = *state;
	struct grant_record g = grant_of(grant, 1, 5);
	struct grant_use use;

	assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	assert_int_equal(grants_db_use(r->db, g.token_hash, g.vaults[3].vault, &use), OK);
	assert_true(uuid_equal(use.grant, grant));
	assert_int_equal(use.revision, 1);
	assert_int_equal(use.life.expires.ms, 20);
	expect_same_vault(&use.vault, &g.vaults[3]);
	assert_int_equal(grants_db_use(r->db, g.token_hash, id_of(0x10, 6), &use), ERR_VAULT_NOT_GRANTED);
	assert_int_equal(grants_db_use(r->db, (uint8_t[32]){ 9 }, g.vaults[3].vault, &use), ERR_NOT_FOUND);
}

static void
revoking_removes_wraps_and_token_for_good(void **state)
{
	struct rig *r = *state;
	struct grant_record g = grant_of(grant, 1, 5), kept = grant_of(other, 2, 3), got;
	struct grant_use use;

	assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	assert_int_equal(grants_db_add_grant(r->db, &kept), OK);
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, id_of(0x91, 3)), ERR_NOT_FOUND);
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, grant), OK);
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, grant), OK);
	reopen(r);
	assert_int_equal(grants_db_use(r->db, g.token_hash, g.vaults[0].vault, &use), ERR_NOT_FOUND);
	assert_int_equal(grants_db_grant(r->db, grant, &got), OK);
	assert_true(got.revoked);
	assert_int_equal(got.revision, 2);
	assert_int_equal(got.n_vaults, 0);
	assert_int_equal(grants_db_grant(r->db, other, &got), OK);
	expect_same_grant(&got, &kept);
}

static void
a_revocation_is_noted_as_unrecorded_until_the_log_holds_it(void **state)
{
	struct rig *r = *state;
	struct grant_record g = grant_of(grant, 1, 1), h = grant_of(other, 2, 1);
	struct uuid by = { { 7 } };
	struct unrecorded u;

	assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	assert_int_equal(grants_db_add_grant(r->db, &h), OK);
	assert_int_equal(grants_db_unrecorded(r->db, 0, &u), ERR_NOT_FOUND);
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, id_of(0x91, 3)), ERR_NOT_FOUND);
	assert_int_equal(grants_db_unrecorded_end(r->db), 0);
	/* In their order, each once. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, other), OK);
		assert_int_equal(grants_db_revoke_all(r->db, by), OK);
		assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, grant), OK);
		reopen(r);
		assert_int_equal(grants_db_unrecorded_end(r->db), 3);
	}
	assert_int_equal(grants_db_unrecorded(r->db, 0, &u), OK);
	assert_true(u.number == 0 && !u.all && uuid_equal(u.id, other));
	assert_int_equal(grants_db_unrecorded(r->db, 1, &u), OK);
	assert_true(u.number == 1 && u.all && uuid_equal(u.id, by));
	assert_int_equal(grants_db_unrecorded(r->db, 2, &u), OK);
	assert_true(u.number == 2 && !u.all && uuid_equal(u.id, grant));
	/* One that is recorded is gone, and noted anew when it is done anew. */
	assert_int_equal(grants_db_recorded(r->db, 0), OK);
	assert_int_equal(grants_db_recorded(r->db, 0), OK);
	reopen(r);
	assert_int_equal(grants_db_unrecorded(r->db, 0, &u), OK);
	assert_int_equal(u.number, 1);
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, other), OK);
	assert_int_equal(grants_db_unrecorded(r->db, 3, &u), OK);
	assert_true(u.number == 3 && uuid_equal(u.id, other));
}

static void
an_expired_grant_keeps_its_vaults_and_loses_keys_and_token(void **state)
{
	struct rig *r = *state;
	struct grant_record g = grant_of(grant, 1, 5), kept = grant_of(other, 2, 3), got;
	struct uuid mortal = { { 0 } };
	struct grant_life life;
	struct grant_use use;
	struct unrecorded u;

	assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	assert_int_equal(grants_db_add_grant(r->db, &kept), OK);
	assert_int_equal(grants_db_expire(r->db, id_of(0x91, 3)), ERR_NOT_FOUND);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(grants_db_expire(r->db, grant), OK);
		reopen(r);
		assert_int_equal(grants_db_unrecorded_end(r->db), 1);
		assert_int_equal(grants_db_use(r->db, g.token_hash, g.vaults[0].vault, &use), ERR_NOT_FOUND);
		assert_int_equal(grants_db_grant(r->db, grant, &got), OK);
		assert_true(got.life.expired && !got.revoked);
		assert_int_equal(got.revision, 2);
		assert_int_equal(got.n_vaults, 5);
		assert_int_equal(got.classes, g.classes);
		for (int v = 0; v < 5; v++)
			assert_int_equal(got.vaults[v].classes, 0);
	}
	assert_int_equal(grants_db_unrecorded(r->db, 0, &u), OK);
	assert_true(!u.all && uuid_equal(u.id, grant));
	/* Of the two only one can end yet. */
	assert_int_equal(grants_db_next_mortal(r->db, mortal, &mortal, &life), OK);
	assert_true(uuid_equal(mortal, other));
	assert_int_equal(life.expires.ms, 20);
	assert_int_equal(grants_db_next_mortal(r->db, mortal, &mortal, &life), ERR_NOT_FOUND);
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, grant), OK);
	assert_int_equal(grants_db_grant(r->db, grant, &got), OK);
	assert_true(got.revoked && got.n_vaults == 0);
	assert_int_equal(grants_db_expire(r->db, grant), OK);
	assert_int_equal(grants_db_grant(r->db, other, &got), OK);
	expect_same_grant(&got, &kept);
}

static void
types_are_listed_and_revoked_apart(void **state)
{
	struct rig *r = *state;
	struct grant_record g = grant_of(grant, 1, 2), ordinary = grant_of(other, 2, 15), got[2];
	size_t n;
	bool more;

	ordinary.type = GRANT_ORDINARY;
	ordinary.may_propose = true;
	assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	assert_int_equal(grants_db_add_grant(r->db, &ordinary), OK);
	assert_int_equal(grants_db_list(r->db, GRANT_ORDINARY, 0, 2, got, &n, &more), OK);
	assert_int_equal(n, 1);
	expect_same_grant(&got[0], &ordinary);
	assert_true(got[0].may_propose);
	assert_int_equal(grants_db_revoke(r->db, GRANT_ORDINARY, grant), ERR_NOT_FOUND);
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, other), ERR_NOT_FOUND);
	assert_int_equal(grants_db_revoke_all(r->db, (struct uuid){ { 7 } }), OK);
	assert_int_equal(grants_db_list(r->db, GRANT_UNATTENDED, 0, 2, got, &n, &more), OK);
	assert_int_equal(n, 0);
	assert_int_equal(grants_db_list(r->db, GRANT_ORDINARY, 0, 2, got, &n, &more), OK);
	assert_int_equal(n, 1);
	assert_int_equal(grants_db_revoke(r->db, GRANT_ORDINARY, other), OK);
	/* Only an ordinary one proposes. */
	g = grant_of(id_of(0x93, 1), 3, 2);
	g.may_propose = true;
	assert_int_equal(grants_db_add_grant(r->db, &g), ERR_INVALID_ARGUMENT);
}

/* Any wrap or token, of anybody. */
static size_t
count_secrets(struct rig *r)
{
	static const char *const names[] = { "wrap", "token" };
	static const uint8_t zero;
	struct env_row row;
	struct env *e;
	size_t n = 0;
	enum err rc;

	grants_db_close(&r->db);
	assert_int_equal(env_open(((struct temp_dir *)r->dir)->path, names, 2, &e), OK);
	assert_int_equal(env_look(e), OK);
	for (size_t db = 0; db < 2; db++)
		for (rc = env_seek(e, db, (struct span){ &zero, 1 }, &row); rc == OK; rc = env_next(e, db, &row))
			n++;
	env_close(&e);
	assert_int_equal(grants_db_open(((struct temp_dir *)r->dir)->path, &r->db), OK);
	return n;
}

static void
revoking_all_leaves_no_wrap_and_no_token(void **state)
{
	struct rig *r = *state;
	struct grant_record g, *rows = calloc(40, sizeof *rows);
	size_t n;
	bool more;

	assert_non_null(rows);
	assert_int_equal(grants_db_revoke_all(r->db, (struct uuid){ { 7 } }), OK);
	for (unsigned i = 0; i < 30; i++) {
		g = grant_of(id_of(0x90, i), 1, (uint16_t)(1 + i % 7));
		assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	}
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, id_of(0x90, 7)), OK);
	assert_true(count_secrets(r) > 30);
	assert_int_equal(grants_db_revoke_all(r->db, (struct uuid){ { 7 } }), OK);
	assert_int_equal(count_secrets(r), 0);
	assert_int_equal(grants_db_list(r->db, GRANT_UNATTENDED, 0, 40, rows, &n, &more), OK);
	assert_int_equal(n, 0);
	assert_false(more);
	assert_int_equal(grants_db_revoke_all(r->db, (struct uuid){ { 7 } }), OK);
	assert_int_equal(grants_db_grant(r->db, id_of(0x90, 7), rows), OK);
	assert_int_equal(rows[0].revision, 2);
	free(rows);
}

static void
a_list_is_paged_by_id_and_leaves_revoked_grants_out(void **state)
{
	struct rig *r = *state;
	struct grant_record g, *rows = calloc(3, sizeof *rows);
	size_t n;
	bool more;

	assert_non_null(rows);
	for (unsigned i = 0; i < 6; i++) {
		g = grant_of(id_of(0x90, 5 - i), 1, 2);
		assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	}
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, id_of(0x90, 1)), OK);
	assert_int_equal(grants_db_list(r->db, GRANT_UNATTENDED, 0, 3, rows, &n, &more), OK);
	assert_int_equal(n, 3);
	assert_true(more);
	assert_true(uuid_equal(rows[0].grant, id_of(0x90, 0)));
	assert_true(uuid_equal(rows[1].grant, id_of(0x90, 2)));
	g = grant_of(id_of(0x90, 3), 1, 2);
	expect_same_grant(&rows[2], &g);
	assert_int_equal(grants_db_list(r->db, GRANT_UNATTENDED, 3, 3, rows, &n, &more), OK);
	assert_int_equal(n, 2);
	assert_false(more);
	assert_true(uuid_equal(rows[1].grant, id_of(0x90, 5)));
	assert_int_equal(grants_db_list(r->db, GRANT_UNATTENDED, 2, 3, rows, &n, &more), OK);
	assert_int_equal(n, 3);
	assert_false(more);
	free(rows);
}

static void
an_enrolment_comes_goes_and_is_replaced(void **state)
{
	struct rig *r = *state;
	struct enrolment_record e = { .enrolment = { { 3 } }, .backend = "owner-file", .created = { 8 } }, got;

	memset(e.sealed_unattended, 1, sizeof e.sealed_unattended);
	memset(e.delegation.signature, 2, sizeof e.delegation.signature);
	assert_int_equal(grants_db_enrolment(r->db, CUSTODY_UNATTENDED, &got), ERR_NOT_ENABLED);
	assert_int_equal(grants_db_drop_enrolment(r->db, CUSTODY_UNATTENDED), OK);
	assert_int_equal(grants_db_put_enrolment(r->db, CUSTODY_UNATTENDED, &e), OK);
	e.created.ms = 9;
	assert_int_equal(grants_db_put_enrolment(r->db, CUSTODY_UNATTENDED, &e), OK);
	reopen(r);
	assert_int_equal(grants_db_enrolment(r->db, CUSTODY_UNATTENDED, &got), OK);
	assert_string_equal(got.backend, "owner-file");
	assert_int_equal(got.created.ms, 9);
	assert_memory_equal(got.sealed_unattended, e.sealed_unattended, SEALED_KEY_LEN);
	assert_memory_equal(got.delegation.signature, e.delegation.signature, SIGNATURE_LEN);
	assert_int_equal(grants_db_drop_enrolment(r->db, CUSTODY_UNATTENDED), OK);
	assert_int_equal(grants_db_enrolment(r->db, CUSTODY_UNATTENDED, &got), ERR_NOT_ENABLED);
}

static void
a_backend_without_a_proper_name_is_refused(void **state)
{
	struct rig *r = *state;
	struct enrolment_record e = { .enrolment = { { 3 } } };

	assert_int_equal(grants_db_put_enrolment(r->db, CUSTODY_UNATTENDED, &e), ERR_INVALID_ARGUMENT);
	memset(e.backend, 'x', sizeof e.backend);
	assert_int_equal(grants_db_put_enrolment(r->db, CUSTODY_UNATTENDED, &e), ERR_INVALID_ARGUMENT);
	e.backend[BACKEND_NAME_MAX] = '\0';
	assert_int_equal(grants_db_put_enrolment(r->db, CUSTODY_UNATTENDED, &e), OK);
}

#define MODEL_MAX 40

/* By number: made, and then revoked. */
struct model {
	bool made[MODEL_MAX], revoked[MODEL_MAX];
};

static struct grant_record
model_grant(unsigned i)
{
	return grant_of(id_of(0x90, i), 1, (uint16_t)(1 + i % 3));
}

static void
random_turn(struct rig *r, struct model *m, unsigned roll)
{
	unsigned i = roll / 64 % MODEL_MAX;
	struct grant_record g = model_grant(i);

	if (roll % 64 == 0) {
		assert_int_equal(grants_db_revoke_all(r->db, (struct uuid){ { 7 } }), OK);
		memcpy(m->revoked, m->made, sizeof m->made);
	} else if (roll % 64 < 40) {
		assert_int_equal(grants_db_add_grant(r->db, &g), m->made[i] ? ERR_INVALID_ARGUMENT : OK);
		m->made[i] = true;
	} else {
		assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, g.grant), m->made[i] ? OK : ERR_NOT_FOUND);
		m->revoked[i] = m->made[i];
	}
}

static void
check_model(struct rig *r, const struct model *m)
{
	static struct grant_record rows[MODEL_MAX];
	struct grant_record want;
	struct grant_use use;
	size_t n, n_alive = 0;
	bool more;

	assert_int_equal(grants_db_list(r->db, GRANT_UNATTENDED, 0, MODEL_MAX, rows, &n, &more), OK);
	for (unsigned i = 0; i < MODEL_MAX; i++) {
		bool alive = m->made[i] && !m->revoked[i];

		want = model_grant(i);
		assert_int_equal(grants_db_use(r->db, want.token_hash, want.vaults[0].vault, &use),
		    alive ? OK : ERR_NOT_FOUND);
		if (!alive)
			continue;
		assert_true(n_alive < n);
		expect_same_grant(&rows[n_alive++], &want);
	}
	assert_int_equal(n, n_alive);
	assert_false(more);
}

static void
grants_are_those_of_a_naive_model(void **state)
{
	struct rig *r = *state;
	struct model m = { { false }, { false } };
	uint32_t seed = 12345;

	for (unsigned turn = 0; turn < 300; turn++) {
		seed = seed * 1664525u + 1013904223u;
		random_turn(r, &m, seed >> 8);
		if (turn % 20 == 0)
			check_model(r, &m);
		if (turn % 100 == 50)
			reopen(r);
	}
	check_model(r, &m);
}

/* Puts a record behind the database's back. */
static void
smear(struct rig *r, const char *name, struct span key, struct span value)
{
	struct env *e;

	grants_db_close(&r->db);
	assert_int_equal(env_open(((struct temp_dir *)r->dir)->path, &name, 1, &e), OK);
	assert_int_equal(env_begin(e), OK);
	assert_int_equal(env_put(e, 0, key, value, NULL), OK);
	assert_int_equal(env_commit(e), OK);
	env_close(&e);
	assert_int_equal(grants_db_open(((struct temp_dir *)r->dir)->path, &r->db), OK);
}

static void
damaged_records_are_corrupt_and_give_nothing(void **state)
{
	struct rig *r = *state;
	struct grant_record g = grant_of(grant, 1, 2), got;
	struct grant_use use;
	uint8_t wrap_key[32] = { 0x91 }, token[17] = { 1, 0x92 };

	assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	memcpy(wrap_key + 16, g.vaults[0].vault.b, UUID_LEN);
	smear(r, "wrap", (struct span){ wrap_key, 32 }, (struct span){ token, 2 });
	assert_int_equal(grants_db_use(r->db, g.token_hash, g.vaults[0].vault, &use), ERR_STORAGE_CORRUPT);
	assert_int_equal(grants_db_grant(r->db, grant, &got), ERR_STORAGE_CORRUPT);
	assert_int_equal(grants_db_use(r->db, g.token_hash, g.vaults[1].vault, &use), OK);
	smear(r, "token", (struct span){ g.token_hash, 32 }, (struct span){ token, 17 });
	assert_int_equal(grants_db_use(r->db, g.token_hash, g.vaults[1].vault, &use), ERR_STORAGE_CORRUPT);
	assert_int_equal(grants_db_revoke(r->db, GRANT_UNATTENDED, grant), OK);
	smear(r, "library", (struct span){ (uint8_t[16]){ 0 }, 16 }, (struct span){ token, 17 });
	assert_int_equal(grants_db_library(r->db, &(struct library_record){ 0 }), ERR_STORAGE_CORRUPT);
	assert_int_equal(grants_db_init_library(r->db, &(struct library_record){ 0 }), ERR_STORAGE_CORRUPT);
}

/* A token of one grant must not open another one, whatever the index says. */
static void
a_token_that_points_to_another_grant_is_corrupt(void **state)
{
	struct rig *r = *state;
	struct grant_record g = grant_of(grant, 1, 2), wide = grant_of(other, 2, 9);
	struct grant_use use;
	uint8_t token[17] = { 1, 0x92 };

	assert_int_equal(grants_db_add_grant(r->db, &g), OK);
	assert_int_equal(grants_db_add_grant(r->db, &wide), OK);
	smear(r, "token", (struct span){ g.token_hash, 32 }, (struct span){ token, 17 });
	assert_int_equal(grants_db_use(r->db, g.token_hash, wide.vaults[0].vault, &use), ERR_STORAGE_CORRUPT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_library_is_made_once),
		TEST(a_library_is_replaced_under_its_own_id_only),
		TEST(vault_keys_come_back_and_are_replaced),
		TEST(a_grant_of_64_vaults_comes_back_in_the_order_of_ids),
		TEST(a_grant_without_its_form_is_refused),
		TEST(ids_and_token_hashes_are_not_taken_twice),
		TEST(a_use_names_the_grant_and_one_vault),
		TEST(revoking_removes_wraps_and_token_for_good),
		TEST(a_revocation_is_noted_as_unrecorded_until_the_log_holds_it),
		TEST(an_expired_grant_keeps_its_vaults_and_loses_keys_and_token),
		TEST(types_are_listed_and_revoked_apart),
		TEST(revoking_all_leaves_no_wrap_and_no_token),
		TEST(a_list_is_paged_by_id_and_leaves_revoked_grants_out),
		TEST(grants_are_those_of_a_naive_model),
		TEST(an_enrolment_comes_goes_and_is_replaced),
		TEST(a_backend_without_a_proper_name_is_refused),
		TEST(damaged_records_are_corrupt_and_give_nothing),
		TEST(a_token_that_points_to_another_grant_is_corrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
