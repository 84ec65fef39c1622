/* Two verifiers, written apart, must say the same of every log: store/log_read.c and tests/system/verify_log.py. */
#include <sys/wait.h>

#include "tests/store/log_rig.h"

#define N_SEGMENTS 3
#define N_MUTANTS  100

struct sample {
	struct log_rig rig;
	uint8_t       *bytes[N_SEGMENTS];
	size_t         len[N_SEGMENTS];
	uint8_t       *anchor;
	size_t         anchor_len;
	unsigned       seed;
};

/* Epochs that were certified, rotated, and one that was not, a lock, and a write that a crash tore. */
static void
make_log(struct log_rig *rig, struct sample *s)
{
	char path[192];
	int fd;

	log_rig_ready(rig);
	for (size_t i = 0; i < 12; i++) {
		log_rig_group(rig, i % 5 + 1);
		if (i % 5 == 4)
			log_rig_rotate(rig, true);
	}
	log_close(&rig->log);
	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(log_rig_append(rig, LOG_LOCK), OK);
	assert_int_equal(log_rig_commit(rig), OK);
	log_rig_rotate(rig, false);
	assert_int_equal(log_rig_append(rig, LOG_REFUSAL), OK);
	assert_int_equal(log_rig_commit(rig), OK);
	log_rig_rotate(rig, true);
	log_close(&rig->log);
	log_rig_segment_path(&s->rig, 0, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "torn", 4, 40000), 4);
	close(fd);
	log_rig_ready(rig);
	log_rig_segment_path(&s->rig, 2, path);
	for (size_t i = 0; access(path, F_OK) != 0; i++)
		log_rig_group(rig, i % 30 + 1);
	log_rig_group(rig, 4);
	log_close(&rig->log);
	log_rig_ready(rig);
	log_rig_group(rig, 3);
	log_close(&rig->log);
}

static int
start(void **state)
{
	struct sample *s = calloc(1, sizeof *s);
	char path[192];

	log_rig_start(&s->rig, 64 << 10, 64 << 10);
	make_log(&s->rig, s);
	for (size_t i = 0; i < N_SEGMENTS; i++) {
		log_rig_segment_path(&s->rig, i, path);
		s->bytes[i] = log_rig_read_file(path, &s->len[i]);
	}
	log_rig_path(&s->rig, "anchor", path);
	s->anchor = log_rig_read_file(path, &s->anchor_len);
	s->seed = 23;
	*state = s;
	return 0;
}

static int
end(void **state)
{
	struct sample *s = *state;

	log_rig_end(&s->rig);
	for (size_t i = 0; i < N_SEGMENTS; i++)
		free(s->bytes[i]);
	free(s->anchor);
	free(s);
	return 0;
}

static void
put_back(const struct sample *s)
{
	char path[192];

	for (size_t i = 0; i < N_SEGMENTS; i++) {
		log_rig_segment_path(&s->rig, i, path);
		log_rig_write_file(path, s->bytes[i], s->len[i]);
	}
	log_rig_path(&s->rig, "anchor", path);
	log_rig_write_file(path, s->anchor, s->anchor_len);
}

/* The start of the line that the verdict makes, and the exit code. */
static int
expected_line(enum err e, const struct log_verdict *v, char line[160])
{
	int n;

	if (!v->valid) {
		snprintf(line, 160, "{\"valid\":false,\"index\":%llu,\"reason\":", (unsigned long long)v->bad_index);
		return 1;
	}
	n = snprintf(line, 160, "{\"valid\":true,\"size\":%llu,\"root\":\"", (unsigned long long)v->size);
	for (size_t i = 0; i < SHA256_LEN; i++)
		n += snprintf(line + n, 160 - (size_t)n, "%02x", v->root[i]);
	snprintf(line + n, 160 - (size_t)n, "\"}\n");
	return e == ERR_AUDIT_DIVERGED ? 3 : 0;
}

static int
run_script(const char *dir, const char *options, char line[256])
{
	const char *tests = strstr(__FILE__, "store/test_log_agree.c");
	char command[1024];
	FILE *out;

	assert_non_null(tests);
	snprintf(command, sizeof command, "python3 %.*ssystem/verify_log.py %s %s",
	    (int)(tests - __FILE__), __FILE__, options, dir);
	out = popen(command, "r");
	assert_non_null(out);
	if (fgets(line, 256, out) == NULL)
		line[0] = '\0';
	return WEXITSTATUS(pclose(out));
}

/* 0 valid, 1 invalid, 3 diverged. */
static int
assert_agreed(const struct sample *s, bool full)
{
	struct log_verify_options o = { .dir = s->rig.dir, .full = full };
	char expected[160], found[256];
	struct log_verdict v;
	enum err e = log_verify(&o, &v);
	int code, other;

	assert_true(e == OK || e == ERR_AUDIT_DIVERGED);
	code = expected_line(e, &v, expected);
	other = run_script(s->rig.dir, full ? "--full" : "", found);
	if (other != code || strncmp(found, expected, strlen(expected)) != 0)
		fail_msg("%d %s%s; the script: %d %s", code, expected, v.reason, other, found);
	return code;
}

static void
mutate(struct sample *s, unsigned how)
{
	size_t i = (size_t)rand_r(&s->seed) % N_SEGMENTS;
	size_t at = (size_t)rand_r(&s->seed) % (how % 2 == 0 ? s->len[i] : 20000);
	char path[192], other[192], aside[192];
	uint8_t byte = (uint8_t)(1 << rand_r(&s->seed) % 8), zeros[512] = { 0 };
	int fd;

	log_rig_segment_path(&s->rig, i, path);
	log_rig_segment_path(&s->rig, (i + 1) % N_SEGMENTS, other);
	log_rig_path(&s->rig, "seg/aside", aside);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	switch (how % 8) {
	case 0:
	case 1:
	case 2: /* a flipped bit */
		byte ^= s->bytes[i][at];
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
		break;
	case 3: /* a lost sector */
		assert_int_equal(pwrite(fd, zeros, 512, (off_t)(at - at % 512)), 512);
		break;
	case 4: /* a cut file */
		assert_int_equal(ftruncate(fd, (off_t)at), 0);
		break;
	case 5: /* everything behind a point gone */
		assert_int_equal(ftruncate(fd, (off_t)at), 0);
		assert_int_equal(ftruncate(fd, (off_t)s->len[i]), 0);
		break;
	case 6: /* bytes moved */
		assert_int_equal(pwrite(fd, s->bytes[i] + at / 2, 3000, (off_t)at), 3000);
		break;
	case 7: /* files exchanged, or one too few */
		if (byte < 16) {
			assert_int_equal(rename(path, aside), 0);
			assert_int_equal(rename(other, path), 0);
			assert_int_equal(rename(aside, other), 0);
		} else {
			assert_int_equal(unlink(path), 0);
		}
		break;
	}
	close(fd);
}

static void
both_find_a_whole_log_valid(void **state)
{
	struct sample *s = *state;

	put_back(s);
	assert_int_equal(assert_agreed(s, false), 0);
	assert_int_equal(assert_agreed(s, true), 0);
}

static void
both_say_the_same_of_damaged_logs(void **state)
{
	struct sample *s = *state;
	size_t n_of[4] = { 0 };
	char path[192];

	log_rig_path(&s->rig, "anchor", path);
	for (unsigned i = 0; i < N_MUTANTS; i++) {
		put_back(s);
		mutate(s, i);
		if (i % 3 == 0)
			assert_int_equal(unlink(path), 0);
		if (i % 9 == 1)
			assert_int_equal(truncate(path, 50), 0);
		n_of[assert_agreed(s, i % 10 == 0)]++;
	}
	print_message("%zu valid, %zu invalid, %zu diverged\n", n_of[0], n_of[1], n_of[3]);
	assert_true(n_of[0] > 0 && n_of[1] > 20 && n_of[3] > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_find_a_whole_log_valid, start, end),
		cmocka_unit_test_setup_teardown(both_say_the_same_of_damaged_logs, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
