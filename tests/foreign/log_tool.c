/*
 * log_tool: makes logs and judges them, many in one process, for tests that are
 * not in C. Answers each line of its input with one line:
 *
 *   make DIR SIZE        a log of so many records with a checkpoint; "ok"
 *   rich DIR             a small one with all that a log can hold; "ok"
 *   verify DIR           as `audit verify --json` says it, and its exit code
 *   verify-full DIR
 *   checkpoint DIR       "ok" when the newest one is signed, otherwise the error's code
 */
#include <inttypes.h>

#include "tests/store/proof_rig.h"

static void
start_in(struct log_rig *rig, const char *dir, uint64_t segment_bytes)
{
	log_rig_start(rig, segment_bytes, segment_bytes);
	log_rig_remove(rig->dir);
	snprintf(rig->dir, sizeof rig->dir, "%s", dir);
	assert_int_equal(mkdir(dir, 0700), 0);
}

/* The log stays; only what holds it goes. */
static void
leave(struct log_rig *rig)
{
	log_close(&rig->log);
	signer_free(&rig->log_key);
}

static void
make(const char *dir, uint64_t size)
{
	struct log_rig rig;

	start_in(&rig, dir, 0);
	assert_int_equal(log_rig_open(&rig), OK);
	if (size > 1)
		log_rig_certify(&rig);
	for (uint64_t left = size > 2 ? size - 2 : 0; left > 0;) {
		size_t n = left < 500 ? (size_t)left : 500;

		log_rig_group(&rig, n);
		left -= n;
	}
	proof_rig_sign(&rig, rig.log_key);
	leave(&rig);
}

static void
append_one(struct log_rig *rig, enum log_type type)
{
	assert_int_equal(log_rig_append(rig, type), OK);
	assert_int_equal(log_rig_commit(rig), OK);
}

/* Starts, certified by key and delegate and not at all; rotations of both kinds; locks; several segments. */
static void
rich(const char *dir)
{
	struct signer *delegate;
	struct log_rig rig;
	char path[192];

	start_in(&rig, dir, 64 << 10);
	log_rig_ready(&rig);
	for (size_t i = 0; i < 6; i++)
		log_rig_group(&rig, i % 4 + 1);
	append_one(&rig, LOG_LOCK);
	log_close(&rig.log);
	assert_int_equal(log_rig_open(&rig), OK);
	append_one(&rig, LOG_REFUSAL);
	log_close(&rig.log);
	assert_int_equal(log_rig_open(&rig), OK);
	delegate = proof_rig_delegate(&rig, rig.log_key);
	append_one(&rig, LOG_RESUME);
	log_rig_group(&rig, 3);
	log_rig_rotate(&rig, true);
	log_rig_group(&rig, 5);
	log_rig_rotate(&rig, false);
	append_one(&rig, LOG_REFUSAL);
	log_rig_certify(&rig);
	log_rig_segment_path(&rig, 2, path);
	for (size_t i = 0; access(path, F_OK) != 0; i++)
		log_rig_group(&rig, i % 30 + 1);
	log_rig_group(&rig, 4);
	proof_rig_sign(&rig, delegate);
	log_rig_group(&rig, 2);
	signer_free(&delegate);
	leave(&rig);
}

static void
verify(const char *dir, bool full)
{
	struct log_verify_options o = { .dir = dir, .full = full };
	struct log_verdict v = { .size = 0 };
	enum err e = log_verify(&o, &v);

	if (e != OK && e != ERR_AUDIT_DIVERGED) {
		printf("2 %s\n", err_code(e));
	} else if (!v.valid) {
		printf("1 %" PRIu64 " %s\n", v.bad_index, v.reason);
	} else {
		printf("%d %" PRIu64 " ", e == OK ? 0 : 3, v.size);
		for (size_t i = 0; i < SHA256_LEN; i++)
			printf("%02x", v.root[i]);
		printf("\n");
	}
}

static void
checkpoint(const char *dir)
{
	uint8_t log_public[SIGN_PUBLIC_LEN];
	struct log_checkpoint c = { .len = 0 };
	enum err e = log_checkpoint_newest(dir, NULL, &c, log_public);

	printf("%s\n", e == OK ? "ok" : err_code(e));
	log_checkpoint_free(&c);
}

int
main(void)
{
	char line[512], what[32], dir[256];
	unsigned long long size = 0;

	if (secret_init(true) != OK)
		return 1;
	while (fgets(line, sizeof line, stdin) != NULL) {
		int n = sscanf(line, "%31s %255s %llu", what, dir, &size);

		if (n == 3 && strcmp(what, "make") == 0) {
			make(dir, size);
			printf("ok\n");
		} else if (n == 2 && strcmp(what, "rich") == 0) {
			rich(dir);
			printf("ok\n");
		} else if (n == 2 && strncmp(what, "verify", 6) == 0) {
			verify(dir, strcmp(what, "verify-full") == 0);
		} else if (n == 2 && strcmp(what, "checkpoint") == 0) {
			checkpoint(dir);
		} else {
			return 2;
		}
		fflush(stdout);
	}
	return 0;
}
