/* The test vectors of docs/store-format.md, "The log", made anew and compared. */
#include "store/log_anchor.h"
#include "store/log_check.h"
#include "store/log_key.h"
#include "store/log_seal.h"
#include "store/log_note.h"
#include "store/merkle.h"
#include "tests/store/log_rig.h"
#include "tests/support/format_page.h"

#define VECTOR_MAX 8192

/* Everything that the vectors are made of. */
struct sample {
	struct signer        *log_key;
	struct signer        *epoch_key;
	struct signer        *next_key;  /* of the epoch after it */
	struct uuid           library;
	struct uuid           epoch;     /* of the next records */
	struct segment_header header;
	uint8_t               segment[VECTOR_MAX];
	struct wire_out       out;       /* the segment */
	struct log_record     intent;
	struct log_commit     commit;    /* of the second group */
	struct cert           certificate; /* of the first epoch */
	struct log_seal       seal;
	uint8_t              *seal_bytes;
	size_t                seal_len;
	struct log_chain      chain;
};

static struct signer *
signer_of(uint8_t byte)
{
	struct signer *s = NULL;
	struct key *seed;

	assert_int_equal(key_new(&seed), OK);
	memset(seed->b, byte, KEY_LEN);
	assert_int_equal(signer_of_seed(seed, &s), OK);
	key_free(&seed);
	return s;
}

static void
put_record(struct sample *s, struct log_record *r)
{
	struct span leaf;
	struct wire_in in;
	uint8_t hash[SHA256_LEN];
	size_t from = s->out.len;

	r->index = s->chain.size++;
	r->epoch = s->epoch;
	r->wall.ms = 1767225600000 + r->index;
	r->boot.ms = 60000 + r->index;
	log_frame_put_record(&s->out, r);
	in = wire_in(s->out.p + from, s->out.len - from);
	leaf = log_frame_take_record(&in);
	merkle_leaf(leaf, hash);
	merkle_add(&s->chain.tree, hash);
}

static struct log_commit
put_commit(struct sample *s, uint64_t first, size_t from, const struct signer *key)
{
	struct log_commit c = { .first = first, .count = (uint32_t)(s->chain.size - first),
	    .size = s->chain.size, .wall = { 1767225600100 }, .epoch = s->epoch };
	size_t at;

	merkle_root(&s->chain.tree, c.root);
	memcpy(c.previous, s->chain.previous, sizeof c.previous);
	sha256(s->out.p + from, s->out.len - from, c.bytes_hash);
	log_commit_sign(&c, key);
	at = s->out.len + 4;
	log_frame_put_commit(&s->out, &c);
	sha256(s->out.p + at, LOG_COMMIT_LEN, s->chain.previous);
	return c;
}

static void
put_groups(struct sample *s)
{
	struct log_record begin = { .type = LOG_EPOCH, .subject_kind = LOG_DAEMON };
	struct log_record certify = begin;
	uint8_t extra[LOG_EPOCH_EXTRA_MAX];
	size_t from = s->out.len;

	begin.extra = log_check_put_begin(signer_public(s->epoch_key), extra);
	put_record(s, &begin);
	(void)put_commit(s, 0, from, s->epoch_key);

	from = s->out.len;
	cert_make(s->log_key, NULL, CERT_EPOCH, s->epoch, signer_public(s->epoch_key), &s->certificate);
	certify.extra = log_check_put_cert(&s->certificate, extra);
	put_record(s, &certify);
	s->intent = log_rig_record(LOG_INTENT);
	put_record(s, &s->intent);
	s->commit = put_commit(s, 1, from, s->epoch_key);
}

/* What the log is after two groups. */
static void
make_seal(struct sample *s)
{
	uint8_t header[8 + SEGMENT_HEADER_LEN];
	struct wire_out o = wire_out(header, sizeof header);

	wire_put_u64(&o, s->header.bytes);
	segment_header_put(&o, &s->header);
	s->seal = (struct log_seal){ .chain = s->chain, .certificate = s->certificate, .segment = 1, .end = s->out.len };
	sha256(header, sizeof header, s->seal.segments);
	s->seal.chain.n_epochs = 1;
	s->seal.chain.epoch = (struct log_epoch){ .begun = true, .certified = true, .id = s->epoch };
	memcpy(s->seal.chain.epoch.public_key, signer_public(s->epoch_key), SIGN_PUBLIC_LEN);
	assert_int_equal(log_seal_put(&s->seal, &s->seal_bytes, &s->seal_len), OK);
}

/* The next epoch, and an intent in it. */
static void
put_rotation(struct sample *s)
{
	struct log_record rotate = { .type = LOG_EPOCH, .subject_kind = LOG_DAEMON }, intent;
	struct log_rotation rotation = { .seal_hash = { 0 } };
	uint8_t extra[LOG_EPOCH_EXTRA_MAX];
	struct cert c;
	size_t from = s->out.len;

	assert_int_equal(uuid_parse("0198a000-0000-7000-8000-000000000003", &rotation.next), OK);
	sha256(s->seal_bytes, s->seal_len, rotation.seal_hash);
	memcpy(rotation.next_public, signer_public(s->next_key), SIGN_PUBLIC_LEN);
	cert_make(s->log_key, NULL, CERT_EPOCH, rotation.next, rotation.next_public, &c);
	rotation.certificate = &c;
	rotate.extra = log_check_put_rotation(&rotation, extra);
	put_record(s, &rotate);
	(void)put_commit(s, 3, from, s->epoch_key);

	from = s->out.len;
	s->epoch = rotation.next;
	intent = log_rig_record(LOG_INTENT);
	put_record(s, &intent);
	(void)put_commit(s, 4, from, s->next_key);
}

static int
start(void **state)
{
	struct sample *s = calloc(1, sizeof *s);

	assert_int_equal(secret_init(true), OK);
	s->log_key = signer_of(1);
	s->epoch_key = signer_of(2);
	s->next_key = signer_of(3);
	assert_int_equal(uuid_parse("0198a000-0000-7000-8000-000000000001", &s->library), OK);
	assert_int_equal(uuid_parse("0198a000-0000-7000-8000-000000000002", &s->epoch), OK);
	s->header = (struct segment_header){ .library = s->library, .number = 1, .bytes = 65536 };
	s->out = wire_out(s->segment, sizeof s->segment);
	segment_header_put(&s->out, &s->header);
	put_groups(s);
	make_seal(s);
	put_rotation(s);
	assert_false(s->out.failed);
	*state = s;
	return 0;
}

static int
end(void **state)
{
	struct sample *s = *state;

	signer_free(&s->log_key);
	signer_free(&s->epoch_key);
	signer_free(&s->next_key);
	free(s->seal_bytes);
	free(s);
	return 0;
}

/* The lines of a vector, joined. */
static void
find_vector(const char *name, char out[2 * VECTOR_MAX + 1])
{
	char *page = format_page(), mark[64];
	const char *p;
	size_t n = 0;

	snprintf(mark, sizeof mark, "```vector %s\n", name);
	p = strstr(page, mark);
	assert_non_null(p);
	for (p += strlen(mark); strncmp(p, "```", 3) != 0; p++)
		if (*p != '\n')
			out[n++] = *p;
	out[n] = '\0';
	free(page);
}

static void
assert_vector(const char *name, const void *bytes, size_t len)
{
	static char expected[2 * VECTOR_MAX + 1], found[2 * VECTOR_MAX + 1];

	for (size_t i = 0; i < len; i++)
		snprintf(found + 2 * i, 3, "%02x", ((const uint8_t *)bytes)[i]);
	find_vector(name, expected);
	if (strcmp(found, expected) != 0) {
		/* Longer than what cmocka prints. */
		fprintf(stderr, "vector %s is %s\n", name, found);
		fail();
	}
}

static void
the_verifier_key_is_as_written(void **state)
{
	struct sample *s = *state;
	char origin[LOG_ORIGIN_MAX + 1], text[LOG_KEY_TEXT_MAX + 1], expected[2 * VECTOR_MAX + 1];

	log_key_origin(s->library, origin);
	log_key_text(origin, signer_public(s->log_key), text);
	find_vector("key.pub", expected);
	assert_int_equal(strcspn(text, "\n"), strlen(text) - 1);
	text[strlen(text) - 1] = '\0';
	assert_string_equal(text, expected);
}

static void
the_segment_header_is_as_written(void **state)
{
	struct sample *s = *state;

	assert_vector("header", s->segment, SEGMENT_HEADER_LEN);
}

static void
the_leaf_is_as_written(void **state)
{
	struct sample *s = *state;
	uint8_t leaf[LOG_LEAF_MAX], hash[SHA256_LEN];
	struct wire_out o = wire_out(leaf, sizeof leaf);

	log_record_put(&o, &s->intent);
	assert_vector("leaf", leaf, o.len);
	merkle_leaf(wire_written(&o), hash);
	assert_vector("leaf-hash", hash, sizeof hash);
}

static void
the_commit_is_as_written(void **state)
{
	struct sample *s = *state;
	uint8_t buf[LOG_COMMIT_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);

	log_commit_put(&o, &s->commit);
	assert_vector("commit", buf, o.len);
}

static void
the_anchor_is_as_written(void **state)
{
	struct sample *s = *state;
	struct log_anchor a = { .size = s->chain.size, .epoch = s->epoch };
	uint8_t buf[LOG_ANCHOR_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);

	merkle_root(&s->chain.tree, a.root);
	log_anchor_put(&o, &a);
	assert_vector("anchor", buf, o.len);
}

static void
the_checkpoint_is_as_written(void **state)
{
	struct sample *s = *state;
	struct log_note n = { .size = s->chain.size };
	char text[LOG_NOTE_MADE_MAX + 1], expected[2 * VECTOR_MAX + 1];
	size_t len = 0;

	merkle_root(&s->chain.tree, n.root);
	log_key_origin(s->library, n.origin);
	log_note_sign(&n, s->log_key, text);
	find_vector("checkpoint", expected);
	for (const char *p = text; *p != '\0'; p++)
		if (*p != '\n')
			text[len++] = *p;
	text[len] = '\0';
	assert_string_equal(text, expected);
}

static void
the_seal_is_as_written(void **state)
{
	struct sample *s = *state;

	assert_vector("seal", s->seal_bytes, s->seal_len);
}

static void
the_whole_log_is_as_written(void **state)
{
	struct sample *s = *state;

	assert_vector("segment", s->segment, s->out.len);
}

static void
the_log_as_written_is_valid(void **state)
{
	struct sample *s = *state;
	char text[LOG_KEY_TEXT_MAX + 1], origin[LOG_ORIGIN_MAX + 1], path[192];
	static uint8_t image[65536];
	struct log_rig rig;

	log_rig_start(&rig, 0, 0);
	log_key_origin(s->library, origin);
	log_key_text(origin, signer_public(s->log_key), text);
	log_rig_path(&rig, "key.pub", path);
	log_rig_write_file(path, text, strlen(text));
	log_rig_path(&rig, "seg", path);
	assert_int_equal(mkdir(path, 0700), 0);
	memcpy(image, s->segment, s->out.len);
	log_rig_path(&rig, "seg/0000000001.seg", path);
	log_rig_write_file(path, image, sizeof image);
	log_rig_assert_valid(rig.dir, 5);
	log_rig_end(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_verifier_key_is_as_written),
		cmocka_unit_test(the_segment_header_is_as_written),
		cmocka_unit_test(the_leaf_is_as_written),
		cmocka_unit_test(the_commit_is_as_written),
		cmocka_unit_test(the_anchor_is_as_written),
		cmocka_unit_test(the_checkpoint_is_as_written),
		cmocka_unit_test(the_seal_is_as_written),
		cmocka_unit_test(the_whole_log_is_as_written),
		cmocka_unit_test(the_log_as_written_is_valid),
	};

	return cmocka_run_group_tests(tests, start, end) != 0;
}
