/* The folder of a log for those who only read it: verify, show, heads. */
#include "store/log_head.h"
#include "store/log_read.h"
#include "store/log_steps.h"
#include "tests/fuzz/fuzz_log_dir.h"

static bool
next_index(void *arg, const struct log_record *r)
{
	uint64_t *next = arg;

	fuzz_must(r->index == *next);
	(*next)++;
	return true;
}

/* Each step is over one group that ends or begins at the mark. Returns why it ended. */
static enum err
step(struct log_steps *s, struct log_mark *m, bool back)
{
	struct log_frame_group g;
	enum err e;

	for (;;) {
		uint64_t size = m->size;

		if ((e = back ? log_steps_back(s, m, &g) : log_steps_on(s, m, &g)) != OK) {
			fuzz_must(m->size == size);
			return e;
		}
		fuzz_must(g.n_records > 0 && (back ? m->size + g.n_records == size : size + g.n_records == m->size));
	}
}

/* What verify vouches for can be walked. */
static void
walk(uint64_t vouched)
{
	struct log_steps *s = NULL;
	struct log_mark m;
	enum err e;

	if (log_steps_open(fuzz_dir, &s) != OK)
		return;
	if (log_steps_find(s, UINT64_MAX, &m) == OK)
		(void)step(s, &m, true);
	if (log_steps_find(s, vouched / 2, &m) == OK)
		(void)step(s, &m, true);
	e = log_steps_find(s, 0, &m);
	fuzz_must(vouched == 0 || e == OK);
	if (e == OK)
		(void)step(s, &m, false);
	fuzz_must(vouched == 0 || m.size >= vouched);
	log_steps_close(&s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t root[SHA256_LEN];
	uint64_t vouched = 0, next = 0;

	fuzz_deploy((struct span){ data, size });
	for (int full = 0; full < 2; full++) {
		struct log_verify_options options = { .dir = fuzz_dir, .full = full };
		struct log_verdict v;
		enum err e = log_verify(&options, &v);

		if (e == OK && v.valid)
			vouched = v.size;
	}
	walk(vouched);
	(void)log_walk(fuzz_dir, 0, next_index, &next);
	fuzz_must(next >= vouched);
	(void)log_head_find(fuzz_dir, vouched / 2 + 1, root);
	return 0;
}
