/* A log that was changed from outside is repaired: what holds stays, the rest is kept aside, and the record says so. */
#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>

#include "store/log_anchor.h"
#include "store/log_check.h"
#include "store/log_checkpoint.h"
#include "store/log_repair.h"
#include "store/log_seal.h"
#include "tests/store/log_rig.h"

#define SMALL ((uint64_t)64 << 10)

static struct log_rig rig;
static struct log_repaired last;
static const struct uuid terminal = { { 9 } };
static const struct log_known nobody = { NULL, 0 };

static int
setup(void **state)
{
	(void)state;
	log_rig_start(&rig, SMALL, SMALL);
	log_rig_ready(&rig);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	log_rig_end(&rig);
	return 0;
}

/* Groups over several segments, each with `per` intents. */
static void
grow(size_t groups, size_t per)
{
	for (size_t i = 0; i < groups; i++)
		log_rig_group(&rig, per);
}

static struct log_head
head_now(void)
{
	struct log_head h = { .size = log_size(rig.log) };

	memcpy(h.root, log_root(rig.log), sizeof h.root);
	return h;
}

static void
flip(size_t segment, size_t at)
{
	char path[192];
	uint8_t *bytes;
	size_t len;

	log_rig_segment_path(&rig, segment, path);
	bytes = log_rig_read_file(path, &len);
	bytes[at] ^= 1;
	log_rig_write_file(path, bytes, len);
	free(bytes);
}

static size_t
set_aside(const char *part)
{
	char path[192];
	struct dirent *entry;
	size_t n = 0;
	DIR *d;

	log_rig_path(&rig, "quarantine", path);
	d = opendir(path);
	assert_non_null(d);
	while ((entry = readdir(d)) != NULL)
		n += strncmp(entry->d_name, "repair-", 7) == 0 && strstr(entry->d_name, part) != NULL;
	closedir(d);
	return n;
}

static void
assert_failed(void)
{
	assert_int_equal(log_rig_open(&rig), ERR_AUDIT_TAMPERED);
	assert_null(rig.log);
}

static void
repair(struct log_known known)
{
	assert_int_equal(log_repair_open(&rig.settings, known, &rig.log, &last), OK);
	assert_true(log_repairing(rig.log));
	assert_int_equal(log_state(rig.log), LOG_FAILED);
	assert_int_equal(log_rig_append(&rig, LOG_INTENT), ERR_AUDIT_TAMPERED);
	assert_int_equal(log_repair_finish(rig.log, terminal), ERR_LOCKED);
	log_rig_certify(&rig);
	assert_int_equal(log_repair_finish(rig.log, terminal), OK);
	assert_int_equal(log_state(rig.log), LOG_OK);
}

/* After the repair it is a log like any other, also for who only reads it. */
static void
assert_repaired(uint64_t n_repairs, uint64_t found)
{
	struct log_verdict v;
	uint64_t size = log_size(rig.log);

	assert_int_equal(last.found.size, found);
	assert_int_equal(log_rig_verify(rig.dir, &v), OK);
	if (!v.valid)
		fail_msg("not valid at %llu: %s", (unsigned long long)v.bad_index, v.reason);
	assert_int_equal(v.n_repairs, n_repairs);
	assert_int_equal(v.size, found + 3);
	log_rig_group(&rig, 3);
	log_close(&rig.log);
	log_rig_ready(&rig);
	assert_int_equal(log_size(rig.log), size + 3 + 2);
	log_rig_assert_valid(rig.dir, size + 5);
}

static void
a_bit_in_the_middle_costs_what_stands_behind_it(void **state)
{
	struct log_head lost;
	struct log_verdict v;

	(void)state;
	grow(40, 20);
	lost = head_now();
	log_close(&rig.log);
	flip(1, 20000);
	assert_int_equal(log_rig_verify(rig.dir, &v), OK);
	assert_false(v.valid);
	assert_failed();
	repair(nobody);
	assert_int_equal(last.lost.size, lost.size);
	assert_memory_equal(last.lost.root, lost.root, SHA256_LEN);
	assert_true(set_aside("0000000002.seg") == 1 && set_aside("0000000003.seg") == 1);
	assert_int_equal(set_aside("0000000001.seg"), 0);
	assert_repaired(1, v.bad_index);
}

static void
a_bit_in_the_first_header_costs_all(void **state)
{
	(void)state;
	grow(10, 20);
	log_close(&rig.log);
	flip(0, 60);
	assert_failed();
	repair(nobody);
	assert_int_equal(set_aside("0000000001.seg"), 1);
	assert_repaired(1, 0);
}

static void
a_segment_that_is_missing_costs_it_and_what_stands_behind_it(void **state)
{
	char path[192];

	(void)state;
	grow(60, 20);
	log_close(&rig.log);
	log_rig_segment_path(&rig, 1, path);
	assert_int_equal(unlink(path), 0);
	assert_failed();
	repair(nobody);
	assert_true(last.found.size > 0 && last.lost.size > last.found.size);
	assert_int_equal(set_aside("0000000003.seg"), 1);
	assert_repaired(1, last.found.size);
}

static void
a_log_of_which_only_the_anchor_is_left_begins_anew(void **state)
{
	struct log_head lost;
	char path[192];

	(void)state;
	grow(3, 2);
	lost = head_now();
	log_close(&rig.log);
	log_rig_path(&rig, "seg", path);
	log_rig_remove(path);
	assert_failed();
	repair(nobody);
	assert_int_equal(last.lost.size, lost.size);
	assert_repaired(1, 0);
}

static void
what_others_know_counts_more_than_what_is_left(void **state)
{
	struct log_head lost, older, heads[3] = { { .size = 0 } };
	char path[192];

	(void)state;
	older = head_now();
	grow(3, 2);
	lost = head_now();
	log_close(&rig.log);
	log_rig_remove(rig.dir);
	assert_int_equal(mkdir(rig.dir, 0700), 0);
	heads[1] = older;
	heads[2] = lost;
	repair((struct log_known){ heads, 3 });
	assert_int_equal(last.lost.size, lost.size);
	assert_int_equal(last.repairs, 1);
	assert_repaired(1, 0);
	/* Somebody has even heard of a repair that this log has not. */
	heads[0] = (struct log_head){ .repairs = 7, .size = 2 };
	log_close(&rig.log);
	log_rig_path(&rig, "anchor", path);
	assert_int_equal(unlink(path), 0);
	repair((struct log_known){ heads, 3 });
	assert_int_equal(last.repairs, 8);
	assert_int_equal(last.lost.size, 2);
	log_rig_assert_valid(rig.dir, last.found.size + 3);
}

static void
a_log_can_be_repaired_again(void **state)
{
	uint64_t first;

	(void)state;
	grow(10, 20);
	log_close(&rig.log);
	flip(0, 30000);
	repair(nobody);
	first = last.found.size;
	assert_repaired(1, first);
	grow(5, 5);
	log_close(&rig.log);
	flip(0, 20000);
	assert_failed();
	repair(nobody);
	assert_int_equal(last.repairs, 1);
	assert_true(last.found.size < first);
	assert_int_equal(set_aside("0000000001.seg"), 2);
	grow(40, 20);
	log_close(&rig.log);
	flip(1, 200);
	repair(nobody);
	assert_int_equal(last.repairs, 2);
	assert_repaired(2, last.found.size);
}

/* The seal knows of the repair: what stands in front of it is not walked again. */
static void
a_repaired_log_opens_from_its_seal_and_can_be_repaired_again(void **state)
{
	char name[40], path[192];
	struct log_seal seal;
	uint8_t *bytes;
	uint64_t size;
	size_t len;

	(void)state;
	grow(20, 20);
	log_close(&rig.log);
	flip(0, 20000);
	assert_failed();
	repair(nobody);
	grow(3, 5);
	log_rig_rotate(&rig, true);
	size = log_size(rig.log);
	log_close(&rig.log);
	snprintf(name, sizeof name, "seal/%020llu", (unsigned long long)size - 1);
	log_rig_path(&rig, name, path);
	bytes = log_rig_read_file(path, &len);
	assert_true(log_seal_take((struct span){ bytes, len }, rig.settings.log_public, &seal));
	assert_int_equal(seal.chain.n_repairs, 1);
	assert_int_equal(seal.chain.repaired, 1);
	free(bytes);
	assert_int_equal(log_rig_open(&rig), OK);
	assert_int_equal(rig.n_walked, 1);
	assert_int_equal(rig.n_seen, size);
	log_rig_certify(&rig);
	grow(40, 20);
	log_rig_rotate(&rig, true);
	log_close(&rig.log);
	flip(1, 200);
	/* In front of the seal it is not met, until somebody looks. */
	assert_int_equal(log_rig_open(&rig), OK);
	log_close(&rig.log);
	repair(nobody);
	assert_int_equal(last.repairs, 2);
	assert_repaired(2, last.found.size);
}

static void
what_was_put_behind_a_segment_or_changed_in_its_mode_costs_nothing(void **state)
{
	char path[192];
	uint64_t size;
	uint8_t *bytes;
	size_t len;

	(void)state;
	grow(40, 20);
	size = log_size(rig.log);
	log_close(&rig.log);
	log_rig_segment_path(&rig, 0, path);
	bytes = log_rig_read_file(path, &len);
	bytes = realloc(bytes, len + 100);
	memset(bytes + len, 7, 100);
	log_rig_write_file(path, bytes, len + 100);
	free(bytes);
	assert_failed();
	log_rig_segment_path(&rig, 1, path);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(chmod(rig.dir, 0755), 0);
	repair(nobody);
	assert_int_equal(set_aside("0000000001.seg"), 1);
	assert_repaired(1, size);
}

static void
a_spare_that_was_cut_needs_no_repair_but_is_cleared_away_by_one(void **state)
{
	char path[192];
	uint64_t size;

	(void)state;
	size = log_size(rig.log);
	log_close(&rig.log);
	log_rig_segment_path(&rig, 1, path);
	log_rig_write_file(path, "", 0);
	assert_int_equal(log_rig_open(&rig), OK);
	log_close(&rig.log);
	assert_int_equal(access(path, F_OK), 0);
	repair(nobody);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_repaired(1, size + 1);
}

/* Reads of a segment fail from here on, as over a bad block; a copy, being a file of its own, can be read. */
static struct {
	off_t from;
	ino_t inode;
} unreadable;

static ssize_t
bad_pread(int fd, void *p, size_t len, off_t at)
{
	struct stat st;

	if (unreadable.from != 0 && at + (off_t)len > unreadable.from && fstat(fd, &st) == 0 &&
	    st.st_ino == unreadable.inode) {
		errno = EIO;
		return -1;
	}
	return pread(fd, p, len, at);
}

static void
a_block_that_cannot_be_read_costs_only_what_lies_around_and_behind_it(void **state)
{
	static const struct log_io io = { bad_pread, pwrite, fdatasync, fsync, fallocate };
	struct stat st;
	char path[192];
	uint64_t size;

	(void)state;
	for (size_t i = 0; i < 2000 && log_rig_append(&rig, LOG_INTENT) == OK; i++)
		assert_int_equal(log_rig_commit(&rig), OK);
	size = log_size(rig.log);
	log_close(&rig.log);
	log_rig_segment_path(&rig, 1, path);
	assert_int_equal(stat(path, &st), 0);
	unreadable.inode = st.st_ino;
	unreadable.from = 40960;
	log_io_replace(&io);
	assert_int_equal(log_rig_open(&rig), ERR_AUDIT_UNAVAILABLE);
	repair(nobody);
	assert_in_range(last.found.size, 100, size - 1);
	assert_int_equal(last.lost.size, size);
	assert_repaired(1, last.found.size);
	unreadable.from = 0;
	log_io_replace(NULL);
}

static void
what_is_no_file_of_ours_is_moved_away(void **state)
{
	char path[192], key[192], anchor[192];

	(void)state;
	grow(40, 20);
	log_close(&rig.log);
	log_rig_segment_path(&rig, 1, path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0);
	log_rig_path(&rig, "key.pub", key);
	log_rig_write_file(key, "nobody's\n", 9);
	log_rig_path(&rig, "anchor", anchor);
	assert_int_equal(unlink(anchor), 0);
	assert_int_equal(mkfifo(anchor, 0600), 0);
	repair(nobody);
	assert_int_equal(set_aside("0000000002.seg"), 1);
	assert_int_equal(set_aside("key.pub"), 1);
	assert_int_equal(set_aside("anchor"), 1);
	assert_repaired(1, last.found.size);
}

static void
what_stands_in_the_place_of_a_folder_or_the_lock_does_not_hinder_a_repair(void **state)
{
	static const char *const folders[] = { "seal", "quarantine" };
	char path[192];

	(void)state;
	log_rig_group(&rig, 3);
	log_close(&rig.log);
	for (size_t i = 0; i < 2; i++) {
		log_rig_path(&rig, folders[i], path);
		assert_int_equal(rmdir(path), 0);
		log_rig_write_file(path, "x", 1);
		assert_failed();
	}
	log_rig_path(&rig, "lock", path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_failed();
	repair(nobody);
	assert_true(set_aside("seal") >= 1 && set_aside("lock") == 1);
	/* It could not move into itself. */
	log_rig_path(&rig, "quarantine.1", path);
	assert_int_equal(access(path, F_OK), 0);
	assert_repaired(1, last.found.size);
}

static void
a_folder_in_the_place_of_a_checkpoint_is_moved_away(void **state)
{
	const struct span note = { (const uint8_t *)"x", 1 };
	const uint8_t delegate[SIGN_PUBLIC_LEN] = { 1 };
	char path[192];

	(void)state;
	log_rig_path(&rig, "checkpoint", path);
	assert_int_equal(mkdir(path, 0700), 0);
	log_rig_path(&rig, "checkpoint/full", path);
	log_rig_write_file(path, "x", 1);
	log_rig_path(&rig, "delegate.pub", path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(log_checkpoint_publish(rig.dir, note, "memories/x", delegate), OK);
	assert_true(set_aside("checkpoint") == 1 && set_aside("delegate.pub") == 1);
}

/* The anchor names what is given up until the record is there, and nothing else can end that. */
static void
a_repair_that_is_not_finished_is_begun_again(void **state)
{
	struct log_repaired first;

	(void)state;
	grow(40, 20);
	log_close(&rig.log);
	flip(1, 20000);
	assert_int_equal(log_repair_open(&rig.settings, nobody, &rig.log, &first), OK);
	log_close(&rig.log);
	assert_failed();
	assert_int_equal(log_repair_open(&rig.settings, nobody, &rig.log, &last), OK);
	log_rig_certify(&rig);
	log_close(&rig.log);
	assert_failed();
	repair(nobody);
	assert_int_equal(last.repairs, 1);
	assert_int_equal(last.lost.size, first.lost.size);
	/* What the two that went wrong wrote belongs to the log. */
	assert_int_equal(last.found.size, first.found.size + 3);
	assert_repaired(1, last.found.size);
}

/* When the anchor is gone too, what commits behind the damage claim is anchored before they are moved. */
static void
a_repair_that_is_not_finished_is_refused_also_where_no_anchor_was(void **state)
{
	struct log_repaired first;
	char path[192];

	(void)state;
	grow(40, 20);
	log_close(&rig.log);
	flip(1, 20000);
	log_rig_path(&rig, "anchor", path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(log_repair_open(&rig.settings, nobody, &rig.log, &first), OK);
	assert_true(first.lost.size > first.found.size);
	log_close(&rig.log);
	assert_failed();
	repair(nobody);
	assert_int_equal(last.lost.size, first.lost.size);
}

static unsigned steps_left;

static int
count_fsync(int fd)
{
	if (--steps_left == 0)
		_exit(77);
	return fsync(fd);
}

static int
count_fdatasync(int fd)
{
	if (--steps_left == 0)
		_exit(77);
	return fdatasync(fd);
}

static ssize_t
count_pwrite(int fd, const void *p, size_t len, off_t at)
{
	if (--steps_left == 0)
		_exit(77);
	return pwrite(fd, p, len, at);
}

/* A child is killed at the n-th write or sync of a repair, until one comes through. */
static void
a_crash_at_any_step_leaves_a_log_that_can_be_repaired(void **state)
{
	const struct log_io counting = { .pread = pread, .pwrite = count_pwrite, .fdatasync = count_fdatasync,
		.fsync = count_fsync, .fallocate = fallocate };
	unsigned n_crashes = 0;
	uint64_t found = 0, lost;
	int status = 0;

	(void)state;
	grow(60, 20);
	lost = log_size(rig.log);
	log_close(&rig.log);
	flip(1, 20000);
	for (unsigned n = 1; n_crashes < 200; n++) {
		pid_t pid = fork();

		if (pid == 0) {
			struct log_repaired r;
			struct log *l = NULL;

			steps_left = n;
			log_io_replace(&counting);
			_exit(log_repair_open(&rig.settings, nobody, &l, &r) == OK && r.lost.size == lost ? 0 : 1);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) != 77)
			break;
		n_crashes++;
		assert_failed();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(n_crashes > 10);
	repair(nobody);
	found = last.found.size;
	assert_int_equal(last.lost.size, lost);
	assert_repaired(1, found);
}

static int
cut_fdatasync(int fd)
{
	if (steps_left > 0 && --steps_left > 0)
		return fdatasync(fd);
	errno = EIO;
	return -1;
}

static ssize_t
cut_pwrite(int fd, const void *p, size_t len, off_t at)
{
	if (steps_left > 0 && --steps_left > 0)
		return pwrite(fd, p, len, at);
	errno = EIO;
	return -1;
}

/* A repair of which nothing from the n-th write or sync of its end on reaches the disk. */
static void
repair_until(unsigned n)
{
	const struct log_io cut = { .pread = pread, .pwrite = cut_pwrite, .fdatasync = cut_fdatasync, .fsync = cut_fdatasync,
		.fallocate = fallocate };

	assert_int_equal(log_repair_open(&rig.settings, nobody, &rig.log, &last), OK);
	log_rig_certify(&rig);
	steps_left = n;
	log_io_replace(&cut);
	assert_int_not_equal(log_repair_finish(rig.log, terminal), OK);
	log_close(&rig.log);
	log_io_replace(NULL);
}

/* Behind the record there is only the anchor, which names what the record gives up: the repair is over. */
static void
a_repair_that_is_cut_off_behind_its_record_is_over(void **state)
{
	struct log_verdict v = { .n_repairs = 0 };
	unsigned n_before = 0;

	(void)state;
	grow(40, 20);
	log_close(&rig.log);
	flip(1, 20000);
	for (unsigned n = 1; v.n_repairs == 0; n++) {
		repair_until(n);
		(void)log_rig_verify(rig.dir, &v);
		if (v.n_repairs > 0)
			break;
		assert_failed();
		n_before++;
	}
	assert_true(n_before > 0);
	assert_true(v.valid);
	assert_int_equal(v.n_repairs, 1);
	log_rig_ready(&rig);
	/* What comes then reaches past what was given up. */
	while (log_size(rig.log) <= last.lost.size)
		log_rig_group(&rig, 3);
	log_close(&rig.log);
	log_rig_ready(&rig);
	assert_int_equal(log_rig_verify(rig.dir, &v), OK);
	assert_true(v.valid);
	assert_int_equal(v.n_repairs, 1);
}

static void
looking_changes_nothing(void **state)
{
	struct log_repaired seen;
	uint8_t *before, *after;
	size_t len;
	char path[192];

	(void)state;
	grow(40, 20);
	log_close(&rig.log);
	flip(1, 20000);
	log_rig_segment_path(&rig, 1, path);
	before = log_rig_read_file(path, &len);
	assert_int_equal(log_repair_look(&rig.settings, nobody, &seen), OK);
	after = log_rig_read_file(path, &len);
	assert_memory_equal(before, after, len);
	assert_int_equal(set_aside(""), 0);
	repair(nobody);
	assert_int_equal(seen.found.size, last.found.size);
	assert_int_equal(seen.lost.size, last.lost.size);
	free(before);
	free(after);
}

static void
a_repair_record_that_does_not_fit_is_refused(void **state)
{
	struct log_record r = log_rig_record(LOG_REPAIR);
	struct log_repaired says = { .repairs = 1, .found = { .size = 10 } };
	struct log_chain chain = { .has_found = true, .found = { .size = 10 } }, c;
	uint8_t extra[LOG_REPAIRED_LEN];
	struct wire_out o = wire_out(extra, sizeof extra);
	uint64_t index;

	(void)state;
	assert_int_equal(log_append(rig.log, &r, &index), ERR_INVALID_ARGUMENT);
	log_repaired_put(&o, &says);
	r.extra = wire_written(&o);
	c = chain;
	assert_null(log_check_repair_rule(&r, &c));
	assert_int_equal(c.n_repairs, 1);
	/* Not twice in an epoch. */
	assert_non_null(log_check_repair_rule(&r, &c));
	c = chain;
	c.repaired = 1;
	assert_non_null(log_check_repair_rule(&r, &c));
	c = chain;
	c.found.size = 9;
	assert_non_null(log_check_repair_rule(&r, &c));
	c = chain;
	c.found.root[31] = 1;
	assert_non_null(log_check_repair_rule(&r, &c));
	r.extra.len--;
	c = chain;
	assert_non_null(log_check_repair_rule(&r, &c));
	r.extra.len++;
	r.outcome = LOG_REFUSED;
	assert_non_null(log_check_repair_rule(&r, &c));
	r.type = LOG_CONFIG;
	assert_null(log_check_repair_rule(&r, &c));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_bit_in_the_middle_costs_what_stands_behind_it, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bit_in_the_first_header_costs_all, setup, teardown),
		cmocka_unit_test_setup_teardown(a_segment_that_is_missing_costs_it_and_what_stands_behind_it, setup, teardown),
		cmocka_unit_test_setup_teardown(a_log_of_which_only_the_anchor_is_left_begins_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(what_others_know_counts_more_than_what_is_left, setup, teardown),
		cmocka_unit_test_setup_teardown(a_log_can_be_repaired_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_repaired_log_opens_from_its_seal_and_can_be_repaired_again, setup, teardown),
		cmocka_unit_test_setup_teardown(what_was_put_behind_a_segment_or_changed_in_its_mode_costs_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(a_spare_that_was_cut_needs_no_repair_but_is_cleared_away_by_one, setup, teardown),
		cmocka_unit_test_setup_teardown(a_block_that_cannot_be_read_costs_only_what_lies_around_and_behind_it, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_file_of_ours_is_moved_away, setup, teardown),
		cmocka_unit_test_setup_teardown(what_stands_in_the_place_of_a_folder_or_the_lock_does_not_hinder_a_repair, setup, teardown),
		cmocka_unit_test_setup_teardown(a_folder_in_the_place_of_a_checkpoint_is_moved_away, setup, teardown),
		cmocka_unit_test_setup_teardown(a_repair_that_is_not_finished_is_begun_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_repair_that_is_not_finished_is_refused_also_where_no_anchor_was, setup, teardown),
		cmocka_unit_test_setup_teardown(a_crash_at_any_step_leaves_a_log_that_can_be_repaired, setup, teardown),
		cmocka_unit_test_setup_teardown(a_repair_that_is_cut_off_behind_its_record_is_over, setup, teardown),
		cmocka_unit_test_setup_teardown(looking_changes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(a_repair_record_that_does_not_fit_is_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
