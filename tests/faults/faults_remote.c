/*
 * faults_remote make HOME              the home of remote_run, with no step done
 * faults_remote record HOME RECORDING  the run, under the shim that records it; each step is marked
 * faults_remote crashes BASE RECORDING WORK N SEED
 *
 * The last rebuilds N crashes of the recorded run below WORK and looks into
 * each: what was done is there, nothing is that was not begun, each step is
 * whole. One line a violation, then the sum; exit 1 when there was one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escrow/secret.h"
#include "tests/faults/image.h"
#include "tests/faults/remote_run.h"

static const unsigned keeps[] = { 0, 256, 128, 30, 226 };
#define N_KEEPS (sizeof keeps / sizeof *keeps)

static int recording_fd = -1;

/* The numbers of a run, as a mark of the recording. */
static void
mark(const struct remote_run *r)
{
	struct {
		struct event_head head;
		unsigned          begun[REMOTE__PARTS], done[REMOTE__PARTS];
	} m = { .head = { .magic = EVENT_MAGIC, .type = EVENT_MARK, .data_len = sizeof r->begun + sizeof r->done } };

	_Static_assert(sizeof m == sizeof m.head + sizeof m.begun + sizeof m.done, "padding");
	memcpy(m.begun, r->begun, sizeof m.begun);
	memcpy(m.done, r->done, sizeof m.done);
	if (write(recording_fd, &m, sizeof m) != sizeof m)
		abort();
}

static void
take_mark(struct remote_run *r, const struct event *e)
{
	memcpy(r->begun, e->data, sizeof r->begun);
	memcpy(r->done, e->data + sizeof r->begun, sizeof r->done);
}

static bool
check_one(const struct remote_run *r, const struct image *m, struct crash c, size_t event)
{
	char why[REMOTE_WHY_MAX] = "it cannot be built";

	if (image_build(m, c, r->home) && remote_run_check(r, why))
		return true;
	printf("event %zu, seed %u, keeps %u/%u: %s\n", event, c.seed, c.keep_data, c.keep_names, why);
	fflush(stdout);
	return false;
}

static int
crashes(struct remote_run *r, const char *base, const char *path, unsigned n, unsigned seed)
{
	struct image *m = image_new(base);
	struct recording rec;
	unsigned bad = 0, torn = 0, built = 0;

	if (m == NULL || !recording_read(path, &rec) || rec.n == 0)
		return 2;
	for (size_t i = 0; i < rec.n; i++) {
		if (rec.events[i].type == EVENT_MARK)
			take_mark(r, &rec.events[i]);
		if (!image_apply(m, &rec.events[i])) {
			printf("event %zu does not fit\n", i);
			return 2;
		}
		for (; built < n && built * rec.n / n <= i; built++) {
			unsigned s = seed * 2654435761u + built;
			struct crash c = { .keep_data = keeps[(unsigned)rand_r(&s) / 64 % N_KEEPS],
				.keep_names = keeps[(unsigned)rand_r(&s) / 64 % N_KEEPS], .seed = s };

			torn += image_n_pending(m) > 0;
			bad += !check_one(r, m, c, i);
		}
	}
	printf("%zu events, %u states, %u with something not synced, %u violations\n", rec.n, built, torn, bad);
	recording_free(&rec);
	image_free(m);
	return bad != 0;
}

int
main(int argc, char **argv)
{
	static struct remote_run r;
	enum err e = secret_init(true);

	if (e != OK || argc < 3)
		return 2;
	snprintf(r.home, sizeof r.home, "%s", argv[2]);
	if (argc == 3 && strcmp(argv[1], "make") == 0)
		return remote_run_make(&r) != OK;
	if (argc == 4 && strcmp(argv[1], "record") == 0) {
		r.step = mark;
		if ((recording_fd = open(argv[3], O_WRONLY | O_APPEND | O_CLOEXEC)) < 0)
			return 2;
		remote_run_go(&r);
		return r.done[REMOTE_PROFILE] == 0 || r.done[REMOTE_CONNECTION] != 6 || r.internal;
	}
	if (argc == 7 && strcmp(argv[1], "crashes") == 0) {
		snprintf(r.home, sizeof r.home, "%s", argv[4]);
		return crashes(&r, argv[2], argv[3], (unsigned)atoi(argv[5]), (unsigned)atoi(argv[6]));
	}
	return 2;
}
