/* The keyring's half of a read: what it gives out, and everything that it does not. */
#include "tests/actors/keyring_rig.h"

static int
setup(void **state)
{
	int rc = keyring_rig_setup(state);

	keyring_rig_meet_audit(*state);
	return rc;
}

/* The owner's read of the head and of two chunks. */
static struct keys_wanted_body
a_read(struct keyring_rig *k)
{
	struct key_ref_body refs[] = { keyring_rig_ref(k, CLASS_ORDINARY, PART_HEAD, 0),
		keyring_rig_ref(k, CLASS_ORDINARY, PART_CONTENT, 4), keyring_rig_ref(k, CLASS_ORDINARY, PART_CONTENT, 5) };
	struct keys_wanted_body w = keyring_rig_wanted(k, OP_READ);

	w.ruling.ask.offset = 4 * 65536 + 10;
	w.ruling.ask.limit = 65536;
	w.length = 65536;
	keyring_rig_refs(k, &w, refs, 3);
	return w;
}

static void
a_reads_intent_says_what_its_ticket_opens(void **state)
{
	struct keyring_rig *k = *state;
	struct key_ref_body head = keyring_rig_ref(k, CLASS_ORDINARY, PART_HEAD, 0), at4 = head, at5 = head, at6 = head;
	struct keys_wanted_body w;
	struct audit_ack *ack = NULL;
	const struct intent_body *i;
	const union any_body *b;

	at4.part = at5.part = at6.part = PART_CONTENT;
	at4.index = 4;
	at5.index = 5;
	at6.index = 6;
	keyring_rig_unlock(k);
	w = a_read(k);
	keyring_rig_ask(k, &w);
	assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
	assert_int_equal(rig_ask_id(k->r), 7);
	assert_true(rig_silent(k->r));
	i = &b->intent;
	assert_int_equal(i->type, LOG_INTENT);
	assert_int_equal(i->surface, SURFACE_OWNER);
	assert_int_equal(i->subject_kind, LOG_TERMINAL);
	assert_true(uuid_equal(i->subject, keyring_rig_id(0x77)));
	assert_int_equal(i->op, OP_READ);
	assert_true(uuid_equal(i->vault, k->vault));
	assert_true(uuid_equal(i->asset, k->asset));
	assert_true(uuid_equal(i->revision, k->revision));
	assert_int_equal(i->offset, 4 * 65536 + 10);
	assert_int_equal(i->length, 65536);
	assert_int_equal(i->first_chunk, 4);
	assert_int_equal(i->n_chunks, 2);
	assert_int_equal(i->n_rows, 0);
	assert_int_equal(keyring_rig_open(k, &w, w.refs, i->ticket, &ack), OK);
	assert_int_equal(ack_n_keys(ack), 3);
	assert_true(keyring_rig_opens(ack, 0, k->classes[CLASS_ORDINARY], &head));
	assert_true(keyring_rig_opens(ack, 1, k->classes[CLASS_ORDINARY], &at4));
	assert_true(keyring_rig_opens(ack, 2, k->classes[CLASS_ORDINARY], &at5));
	for (size_t n = 0; n < 3; n++) {
		assert_false(keyring_rig_opens(ack, n, k->classes[CLASS_ORDINARY], &at6));
		assert_false(keyring_rig_opens(ack, n, k->classes[CLASS_PRIVATE], &head));
	}
	ack_free(&ack);
}

static void
a_ticket_is_for_its_opener_alone(void **state)
{
	struct keyring_rig *k = *state;
	struct key_pair other = { .secret = NULL };
	struct keys_wanted_body w;
	struct audit_ack *ack = NULL;
	const union any_body *b;

	keyring_rig_unlock(k);
	w = a_read(k);
	keyring_rig_ask(k, &w);
	assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
	assert_int_equal(key_pair_new(&other), OK);
	channel_free(&k->channel);
	assert_int_equal(channel_of_opener(&other, k->boot_public, &k->channel), OK);
	assert_int_equal(keyring_rig_open(k, &w, w.refs, b->intent.ticket, &ack), ERR_AUDIT_UNAVAILABLE);
	key_pair_free(&other);
}

static void
a_ruling_that_grants_did_not_make_is_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;

	keyring_rig_unlock(k);
	for (size_t i = 0; i < 32; i++) {
		w = a_read(k);
		ruling_mac(k->ruling_key, &w.ruling, w.ruling.mac);
		w.ruling.mac[i] ^= 1;
		assert_int_equal(rig_deliver(k->r, MSG_KEYS_WANTED, ACTOR_VAULT, 7, &w), OK);
		assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	}
	w = a_read(k);
	ruling_mac(k->custody_box, &w.ruling, w.ruling.mac);
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_WANTED, ACTOR_VAULT, 7, &w), OK);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
}

static void
a_ruling_changed_after_it_was_made_is_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w[9];

	keyring_rig_unlock(k);
	for (size_t i = 0; i < 9; i++) {
		w[i] = a_read(k);
		ruling_mac(k->ruling_key, &w[i].ruling, w[i].ruling.mac);
	}
	w[0].ruling.ask.op = OP_HISTORY;
	w[1].ruling.ask.vault.b[0] ^= 1;
	w[2].ruling.ask.asset.b[0] ^= 1;
	w[3].ruling.ask.opener[0] ^= 1;
	w[4].ruling.classes ^= 1u << CLASS_CREDENTIAL;
	w[5].ruling.deadline_boot_ms++;
	w[6].ruling.subject.b[3] ^= 1;
	w[7].ruling.grant_revision++;
	w[8].ruling.sudo ^= 1;
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(rig_deliver(k->r, MSG_KEYS_WANTED, ACTOR_VAULT, 7, &w[i]), OK);
		assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	}
}

static void
a_ruling_past_its_deadline_is_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;

	keyring_rig_unlock(k);
	w = a_read(k);
	fake_clock_advance(2000);
	keyring_rig_ask(k, &w);
	assert_non_null(rig_expect(k->r, MSG_AUDIT_INTENT));
	fake_clock_advance(1);
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_AUDIT_TIMEOUT);
}

static void
an_ask_to_another_start_of_the_keyring_is_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;

	keyring_rig_unlock(k);
	w = a_read(k);
	w.ruling.ask.boot.b[9] ^= 1;
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERRUPTED);
}

static void
a_locked_keyring_answers_neither_owner_nor_grant(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w = a_read(k);

	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_LOCKED);
	w.ruling.grant = keyring_rig_id(0x41);
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	w.ruling.grant_type = GRANT_ORDINARY;
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_LOCKED);
	w.ruling.grant_type = GRANT_UNATTENDED;
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_UNATTENDED_NOT_LOADED);
	keyring_rig_unlock(k);
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_UNATTENDED_NOT_LOADED);
}

static void
a_refusal_names_who_asked_unless_the_ruling_was_false(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w = a_read(k);
	const union any_body *b;

	keyring_rig_ask(k, &w);
	assert_non_null(b = rig_expect(k->r, MSG_KEYS_REFUSED));
	assert_int_equal(b->refusal.authenticated, 1);
	assert_int_equal(b->refusal.subject_kind, LOG_TERMINAL);
	assert_true(uuid_equal(b->refusal.subject, keyring_rig_id(0x77)));
	w.ruling.mac[0] ^= 1;
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_WANTED, ACTOR_VAULT, 7, &w), OK);
	assert_non_null(b = rig_expect(k->r, MSG_KEYS_REFUSED));
	assert_int_equal(b->refusal.authenticated, 0);
}

/* Every operation against every part, for this revision, another one, and another asset. */
static bool
may_name(enum op op, enum part part, enum key_class c, bool same_asset, bool same_revision)
{
	bool one = same_asset && same_revision, bytes = part == PART_HEAD || part == PART_CONTENT;

	switch (op) {
	case OP_LIST:
	case OP_LIST_DETAILS: /* a meta comes behind its title only */
		return part == PART_TITLE;
	case OP_HISTORY:
		return part == PART_HEAD && same_asset;
	case OP_READ:
		return one && bytes && c != CLASS_CREDENTIAL;
	case OP_CREDENTIAL_BYTES:
		return one && bytes && c == CLASS_CREDENTIAL;
	case OP_PROPOSAL_LIST:
		return part == PART_TITLE && c == CLASS_ORDINARY;
	case OP_PROPOSAL_READ:
		return one && bytes && c == CLASS_ORDINARY;
	case OP_VAULT_LIST:
		return part == PART_NAME;
	case OP_DETAILS:
		return one && (part == PART_TITLE || part == PART_META);
	case OP_NONE:
	case OP_WRITE_ASSET:
	case OP_WRITE_NAME:
	case OP_SEARCH:
	case OP_PROPOSE:
	case OP_PROFILE_READ:
	case OP_PROFILE_SEARCH:
	case OP_PROFILE_PROPOSE:
	case OP_PROFILE_CORRECT:
	case OP_PROFILE_LIST:
	case OP_PROFILE_CHANGE:
	case OP__COUNT:
		break;
	}
	return false;
}

static void
try_ref(struct keyring_rig *k, enum op op, enum part part, enum key_class c, bool same_asset, bool same_revision)
{
	struct keys_wanted_body w = keyring_rig_wanted(k, op);
	struct key_ref_body ref = keyring_rig_ref(k, c, part, 0);
	enum err e;

	w.ruling.sudo = 1;
	if (!same_asset)
		ref.asset = keyring_rig_id(0x29);
	if (!same_revision)
		ref.revision = keyring_rig_id(0x39);
	keyring_rig_refs(k, &w, &ref, 1);
	keyring_rig_ask(k, &w);
	if (may_name(op, part, c, same_asset, same_revision)) {
		if (rig_expect(k->r, MSG_AUDIT_INTENT) == NULL)
			fail_msg("%s, part %d, class %d: refused", op_name(op), part, (int)c);
		return;
	}
	e = keyring_rig_refused(k);
	assert_int_equal(e, ERR_INTERNAL);
}

static void
an_operation_names_its_own_pieces_and_no_others(void **state)
{
	struct keyring_rig *k = *state;

	keyring_rig_unlock(k);
	for (unsigned op = OP_NONE; op <= OP__COUNT; op++) {
		if (op == OP_WRITE_ASSET || op == OP_WRITE_NAME)
			continue;
		for (unsigned part = 0; part <= PART_NAME + 1; part++)
			for (unsigned c = 0; c < CLASS__COUNT; c++)
				for (unsigned same = 0; same < 4; same++)
					try_ref(k, (enum op)op, (enum part)part, (enum key_class)c, same & 1, same & 2);
	}
}

/* A vault that names them all the same changes nothing; a title is for lists, a head for histories. */
static void
what_a_credential_holds_beside_its_title_needs_sudo(void **state)
{
	static const struct { enum op op; enum part part; } tries[] = {
		{ OP_CREDENTIAL_BYTES, PART_HEAD }, { OP_CREDENTIAL_BYTES, PART_CONTENT }, { OP_DETAILS, PART_TITLE },
		{ OP_DETAILS, PART_META }, { OP_LIST_DETAILS, PART_TITLE }, { OP_LIST_DETAILS, PART_META }, { OP_LIST, PART_TITLE },
		{ OP_HISTORY, PART_HEAD },
	};
	struct keyring_rig *k = *state;

	keyring_rig_unlock(k);
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
		for (uint8_t sudo = 0; sudo < 2; sudo++) {
			struct keys_wanted_body w = keyring_rig_wanted(k, tries[i].op);
			struct key_ref_body refs[2] = { keyring_rig_ref(k, CLASS_CREDENTIAL, PART_TITLE, 0),
				keyring_rig_ref(k, CLASS_CREDENTIAL, tries[i].part, 0) };
			bool behind = tries[i].op == OP_LIST_DETAILS && tries[i].part == PART_META;
			bool secret = tries[i].part == PART_META || tries[i].part == PART_CONTENT;

			w.ruling.sudo = sudo;
			keyring_rig_refs(k, &w, behind ? refs : refs + 1, behind ? 2 : 1);
			keyring_rig_ask(k, &w);
			if (secret && !sudo)
				assert_int_equal(keyring_rig_refused(k), ERR_SUDO_REQUIRED);
			else if (rig_expect(k->r, MSG_AUDIT_INTENT) == NULL)
				fail_msg("%s, part %d: refused", op_name(tries[i].op), (int)tries[i].part);
		}
}

static void
a_grant_names_neither_vaults_nor_details(void **state)
{
	struct keyring_rig *k = *state;
	struct keyring *self = rig_self(k->r);
	static const enum op ops[] = { OP_VAULT_LIST, OP_DETAILS, OP_LIST_DETAILS, OP_PROPOSAL_LIST };

	keyring_rig_unlock(k);
	assert_int_equal(key_random(&self->custody[CUSTODY_UNATTENDED].key), OK);
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		struct keys_wanted_body w = keyring_rig_wanted(k, ops[i]);
		struct key_ref_body ref = keyring_rig_ref(k, CLASS_ORDINARY, i == 0 ? PART_NAME : PART_TITLE, 0);
		uint8_t boxed[SEALED_KEY_LEN], buf[BINDING_MAX];

		w.ruling.grant = keyring_rig_id(0x41);
		key_seal(k->channel.up, ask_binding(&w.ruling.ask, buf), k->root, boxed);
		w.ruling.ask.boxed_half = (struct span){ boxed, sizeof boxed };
		keyring_rig_refs(k, &w, &ref, 1);
		keyring_rig_ask(k, &w);
		assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	}
}

static void
a_class_outside_the_ruling_is_refused_whatever_the_wraps_hold(void **state)
{
	struct keyring_rig *k = *state;

	keyring_rig_unlock(k);
	for (unsigned c = 0; c < CLASS__COUNT; c++) {
		struct keys_wanted_body w = keyring_rig_wanted(k, OP_LIST);
		struct key_ref_body ref = keyring_rig_ref(k, (enum key_class)c, PART_TITLE, 0);

		keyring_rig_refs(k, &w, &ref, 1);
		w.ruling.classes = (uint8_t)(KEYRING_CLASSES & ~(1u << c));
		keyring_rig_ask(k, &w);
		assert_int_equal(keyring_rig_refused(k), ERR_VAULT_NOT_GRANTED);
		w.ruling.classes = (uint8_t)(1u << c);
		w.ruling.wraps = keyring_rig_wraps(k, KEYRING_CLASSES & ~(1u << c));
		keyring_rig_ask(k, &w);
		assert_int_equal(keyring_rig_refused(k), ERR_VAULT_NOT_GRANTED);
	}
}

static void
a_class_that_is_none_or_a_wrap_of_another_vault_is_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;
	struct key_ref_body ref;

	keyring_rig_unlock(k);
	w = keyring_rig_wanted(k, OP_LIST);
	ref = keyring_rig_ref(k, CLASS__COUNT, PART_TITLE, 0);
	keyring_rig_refs(k, &w, &ref, 1);
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	ref.key_class = CLASS_FILE;
	keyring_rig_refs(k, &w, &ref, 1);
	w.ruling.ask.vault.b[0] ^= 1;
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_STORAGE_CORRUPT);
}

/* A key that was derived for one place is not given again for a name that only looks like it. */
static void
refs_that_share_a_revision_still_need_their_own_class(void **state)
{
	struct keyring_rig *k = *state;
	struct key_ref_body refs[2] = { keyring_rig_ref(k, CLASS_ORDINARY, PART_TITLE, 0),
		keyring_rig_ref(k, CLASS_CREDENTIAL, PART_TITLE, 0) };
	struct keys_wanted_body w;
	struct audit_ack *ack = NULL;
	const union any_body *b;

	keyring_rig_unlock(k);
	w = keyring_rig_wanted(k, OP_LIST);
	keyring_rig_refs(k, &w, refs, 2);
	w.ruling.classes = 1u << CLASS_ORDINARY;
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_VAULT_NOT_GRANTED);
	w.ruling.classes = KEYRING_CLASSES;
	keyring_rig_ask(k, &w);
	assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
	assert_int_equal(keyring_rig_open(k, &w, w.refs, b->intent.ticket, &ack), OK);
	assert_true(keyring_rig_opens(ack, 0, k->classes[CLASS_ORDINARY], &refs[0]));
	assert_true(keyring_rig_opens(ack, 1, k->classes[CLASS_CREDENTIAL], &refs[1]));
	ack_free(&ack);
}

/* The record holds a first chunk and a number: what it cannot say is not given. */
static void
chunks_that_do_not_follow_each_other_are_refused(void **state)
{
	static const uint32_t apart[][2] = { { 4, 6 }, { 5, 4 }, { 4, 4 }, { UINT32_MAX, 0 } };
	struct keyring_rig *k = *state;

	keyring_rig_unlock(k);
	for (size_t i = 0; i < 4; i++) {
		struct key_ref_body refs[2] = { keyring_rig_ref(k, CLASS_FILE, PART_CONTENT, apart[i][0]),
			keyring_rig_ref(k, CLASS_FILE, PART_CONTENT, apart[i][1]) };
		struct keys_wanted_body w = keyring_rig_wanted(k, OP_READ);

		keyring_rig_refs(k, &w, refs, 2);
		keyring_rig_ask(k, &w);
		assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	}
}

static void
a_pages_intent_lists_each_row_and_a_page_of_none_is_recorded_too(void **state)
{
	struct keyring_rig *k = *state;
	struct key_ref_body refs[100];
	struct keys_wanted_body w;
	struct audit_ack *ack = NULL;
	const union any_body *b;

	keyring_rig_unlock(k);
	for (size_t i = 0; i < 100; i++) {
		refs[i] = keyring_rig_ref(k, (enum key_class)(i % CLASS__COUNT), PART_TITLE, 0);
		refs[i].asset.b[15] = (uint8_t)i;
		refs[i].revision.b[15] = (uint8_t)(i + 1);
	}
	for (size_t n = 0; n <= 100; n += 50) {
		w = keyring_rig_wanted(k, OP_LIST);
		w.length = n;
		keyring_rig_refs(k, &w, refs, n);
		keyring_rig_ask(k, &w);
		assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
		assert_int_equal(b->intent.n_rows, n);
		assert_int_equal(b->intent.length, n);
		assert_int_equal(b->intent.n_chunks, 0);
		assert_int_equal(b->intent.rows.len, n * 32);
		for (size_t i = 0; i < n; i++) {
			assert_memory_equal(b->intent.rows.p + 32 * i, refs[i].asset.b, 16);
			assert_memory_equal(b->intent.rows.p + 32 * i + 16, refs[i].revision.b, 16);
		}
		assert_int_equal(keyring_rig_open(k, &w, w.refs, b->intent.ticket, &ack), OK);
		assert_int_equal(ack_n_keys(ack), n);
		for (size_t i = 0; i < n; i++)
			assert_true(keyring_rig_opens(ack, i, k->classes[i % CLASS__COUNT], &refs[i]));
		ack_free(&ack);
	}
}

static void
a_page_of_details_is_noted_by_its_titles_and_a_meta_goes_behind_its_own(void **state)
{
	struct keyring_rig *k = *state;
	struct key_ref_body refs[64];
	struct keys_wanted_body w;
	struct audit_ack *ack = NULL;
	const union any_body *b;

	keyring_rig_unlock(k);
	for (size_t i = 0; i < 64; i++) {
		refs[i] = keyring_rig_ref(k, CLASS_ORDINARY, i % 2 == 0 ? PART_TITLE : PART_META, 0);
		refs[i].asset.b[15] = (uint8_t)(i / 2);
		refs[i].revision.b[15] = (uint8_t)(i / 2 + 1);
	}
	w = keyring_rig_wanted(k, OP_LIST_DETAILS);
	keyring_rig_refs(k, &w, refs, 64);
	keyring_rig_ask(k, &w);
	assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
	assert_int_equal(b->intent.n_rows, 32);
	for (size_t i = 0; i < 32; i++) {
		assert_memory_equal(b->intent.rows.p + 32 * i, refs[2 * i].asset.b, 16);
		assert_memory_equal(b->intent.rows.p + 32 * i + 16, refs[2 * i].revision.b, 16);
	}
	assert_int_equal(keyring_rig_open(k, &w, w.refs, b->intent.ticket, &ack), OK);
	assert_int_equal(ack_n_keys(ack), 64);
	assert_true(keyring_rig_opens(ack, 63, k->classes[CLASS_ORDINARY], &refs[63]));
	ack_free(&ack);
	for (int other = 0; other < 2; other++) {
		w = keyring_rig_wanted(k, OP_LIST_DETAILS);
		(other == 0 ? &refs[1].revision : &refs[1].asset)->b[15] ^= 0x40;
		keyring_rig_refs(k, &w, refs, 2);
		keyring_rig_ask(k, &w);
		assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
		refs[1] = refs[0];
		refs[1].part = PART_META;
	}
}

static void
refs_that_do_not_match_their_number_are_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;
	struct span refs;

	keyring_rig_unlock(k);
	for (int i = 0; i < 4; i++) {
		w = a_read(k);
		refs = w.refs;
		w.n_refs = (uint16_t)(i == 0 ? 2 : i == 1 ? 4 : i == 2 ? TICKET_KEYS_MAX + 1 : 3);
		w.refs.len = i == 3 ? refs.len - 1 : refs.len;
		keyring_rig_ask(k, &w);
		assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	}
}

static void
an_opener_of_low_order_is_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;

	keyring_rig_unlock(k);
	w = a_read(k);
	memset(w.ruling.ask.opener, 0, 32);
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_INVALID_ARGUMENT);
}

static void
a_write_gets_the_key_of_a_revision_that_the_keyring_names(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;
	const union any_body *b;
	struct key *revision = NULL, *want = NULL;
	struct uuid last = { { 0 } };

	keyring_rig_unlock(k);
	assert_int_equal(key_new(&want), OK);
	for (int i = 0; i < 3; i++) {
		struct key_ref_body fresh = { .key_class = CLASS_PRIVATE };
		struct audit_ack *ack = NULL;
		uint8_t buf[64];
		struct wire_out o = wire_out(buf, sizeof buf);

		w = keyring_rig_wanted(k, OP_WRITE_ASSET);
		w.ruling.ask.kind = KIND_CARD;
		w.ruling.ask.is_private = 1;
		w.revision = k->revision; /* what the vault says is no matter */
		if (i == 0)
			w.ruling.ask.asset = (struct uuid){ { 0 } };
		keyring_rig_ask(k, &w);
		assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
		assert_int_equal(b->intent.type, LOG_WRITE);
		assert_true(uuid_equal(b->intent.asset, k->asset) == (i > 0));
		assert_false(uuid_is_zero(b->intent.asset));
		assert_int_equal(b->intent.revision.b[6] >> 4, 7);
		assert_true(uuid_compare(last, b->intent.revision) < 0);
		last = fresh.revision = b->intent.revision;
		fresh.asset = b->intent.asset;
		key_ref_body_put(&o, &fresh);
		assert_int_equal(keyring_rig_open(k, &w, wire_written(&o), b->intent.ticket, &ack), OK);
		assert_int_equal(ack_revision_key(ack, &revision), OK);
		revision_key(k->classes[CLASS_PRIVATE], fresh.asset, fresh.revision, want);
		assert_memory_equal(revision->b, want->b, KEY_LEN);
		key_free(&revision);
		ack_free(&ack);
	}
	key_free(&want);
}

static void
no_key_of_an_existing_revision_is_given_for_writing(void **state)
{
	static const enum op ops[] = { OP_WRITE_ASSET, OP_WRITE_NAME };
	struct keyring_rig *k = *state;

	keyring_rig_unlock(k);
	for (size_t i = 0; i < 2; i++) {
		struct keys_wanted_body w = keyring_rig_wanted(k, ops[i]);
		struct key_ref_body ref = keyring_rig_ref(k, CLASS_ORDINARY, PART_CONTENT, 0);

		w.ruling.ask.kind = KIND_MEMORY;
		keyring_rig_refs(k, &w, &ref, 1);
		keyring_rig_ask(k, &w);
		assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	}
}

static void
a_write_of_a_kind_that_is_none_or_of_a_grant_is_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct keyring *self = rig_self(k->r);
	uint8_t boxed[SEALED_KEY_LEN], buf[BINDING_MAX];
	struct keys_wanted_body w;

	keyring_rig_unlock(k);
	for (unsigned kind = 0; kind < 256; kind += 5) {
		w = keyring_rig_wanted(k, OP_WRITE_ASSET);
		w.ruling.ask.kind = (uint8_t)kind;
		if (!kind_known(kind)) {
			keyring_rig_ask(k, &w);
			assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
		}
	}
	assert_int_equal(key_random(&self->custody[CUSTODY_UNATTENDED].key), OK);
	w = keyring_rig_wanted(k, OP_WRITE_ASSET);
	w.ruling.ask.kind = KIND_MEMORY;
	w.ruling.grant = keyring_rig_id(0x41);
	key_seal(k->channel.up, ask_binding(&w.ruling.ask, buf), k->root, boxed);
	w.ruling.ask.boxed_half = (struct span){ boxed, sizeof boxed };
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
}

static void
vaults_names_come_from_the_root_key(void **state)
{
	struct keyring_rig *k = *state;
	struct key_ref_body refs[2];
	struct keys_wanted_body w;
	struct audit_ack *ack = NULL;
	struct key *names = NULL;
	const union any_body *b;

	keyring_rig_unlock(k);
	w = keyring_rig_wanted(k, OP_VAULT_LIST);
	for (size_t i = 0; i < 2; i++) {
		refs[i] = keyring_rig_ref(k, CLASS_ORDINARY, PART_NAME, 0);
		refs[i].asset.b[0] = (uint8_t)i;
	}
	keyring_rig_refs(k, &w, refs, 2);
	keyring_rig_ask(k, &w);
	assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
	assert_int_equal(b->intent.n_rows, 2);
	assert_int_equal(keyring_rig_open(k, &w, w.refs, b->intent.ticket, &ack), OK);
	assert_int_equal(key_new(&names), OK);
	names_key(k->root, names);
	assert_true(keyring_rig_opens(ack, 0, names, &refs[0]));
	assert_true(keyring_rig_opens(ack, 1, names, &refs[1]));
	key_free(&names);
	ack_free(&ack);
}

static void
no_ask_leaves_a_key_behind_answered_or_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;
	size_t left;

	keyring_rig_unlock(k);
	w = a_read(k);
	keyring_rig_ask(k, &w);
	left = keys_left();
	for (int i = 0; i < 20; i++) {
		w = a_read(k);
		if (i % 2 == 1)
			w.ruling.classes = 0;
		keyring_rig_ask(k, &w);
	}
	rig_forget(k->r);
	assert_int_equal(keys_left(), left);
}

static void
nothing_is_released_while_audit_is_away(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;

	keyring_rig_unlock(k);
	rig_edge(k->r, ACTOR_AUDIT, false);
	w = a_read(k);
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_AUDIT_UNAVAILABLE);
}

/* Audit refuses it, and says that the log was changed, or what else it is. */
static void
without_an_epoch_the_log_itself_says_why_it_takes_nothing(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;

	keyring_rig_unlock(k);
	rig_edge(k->r, ACTOR_AUDIT, false);
	rig_edge(k->r, ACTOR_AUDIT, true);
	rig_forget(k->r);
	w = a_read(k);
	keyring_rig_ask(k, &w);
	assert_non_null(rig_expect(k->r, MSG_AUDIT_INTENT));
}

#define ASK_TEST(f) cmocka_unit_test_setup_teardown(f, setup, keyring_rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ASK_TEST(a_reads_intent_says_what_its_ticket_opens),
		ASK_TEST(a_ticket_is_for_its_opener_alone),
		ASK_TEST(a_ruling_that_grants_did_not_make_is_refused),
		ASK_TEST(a_ruling_changed_after_it_was_made_is_refused),
		ASK_TEST(a_ruling_past_its_deadline_is_refused),
		ASK_TEST(an_ask_to_another_start_of_the_keyring_is_refused),
		ASK_TEST(a_locked_keyring_answers_neither_owner_nor_grant),
		ASK_TEST(a_refusal_names_who_asked_unless_the_ruling_was_false),
		ASK_TEST(an_operation_names_its_own_pieces_and_no_others),
		ASK_TEST(what_a_credential_holds_beside_its_title_needs_sudo),
		ASK_TEST(a_grant_names_neither_vaults_nor_details),
		ASK_TEST(a_class_outside_the_ruling_is_refused_whatever_the_wraps_hold),
		ASK_TEST(a_class_that_is_none_or_a_wrap_of_another_vault_is_refused),
		ASK_TEST(refs_that_share_a_revision_still_need_their_own_class),
		ASK_TEST(chunks_that_do_not_follow_each_other_are_refused),
		ASK_TEST(a_page_of_details_is_noted_by_its_titles_and_a_meta_goes_behind_its_own),
		ASK_TEST(a_pages_intent_lists_each_row_and_a_page_of_none_is_recorded_too),
		ASK_TEST(refs_that_do_not_match_their_number_are_refused),
		ASK_TEST(an_opener_of_low_order_is_refused),
		ASK_TEST(a_write_gets_the_key_of_a_revision_that_the_keyring_names),
		ASK_TEST(no_key_of_an_existing_revision_is_given_for_writing),
		ASK_TEST(a_write_of_a_kind_that_is_none_or_of_a_grant_is_refused),
		ASK_TEST(vaults_names_come_from_the_root_key),
		ASK_TEST(no_ask_leaves_a_key_behind_answered_or_refused),
		ASK_TEST(nothing_is_released_while_audit_is_away),
		ASK_TEST(without_an_epoch_the_log_itself_says_why_it_takes_nothing),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
