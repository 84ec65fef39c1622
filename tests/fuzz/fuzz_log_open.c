/*
 * The folder of a log for its owner: recovery from whatever lies there. A log
 * that opens takes a record, and stays valid if it was: what a seal stands for
 * is not read again. One that does not open can be repaired, and then is valid.
 */
#include "store/log_read.h"
#include "store/log_repair.h"
#include "tests/fuzz/fuzz_log_dir.h"

static bool
valid(void)
{
	struct log_verify_options options = { .dir = fuzz_dir, .full = true };
	struct log_verdict v;

	return log_verify(&options, &v) == OK && v.valid;
}

static void
use(struct log **l)
{
	struct log_record r = { .type = LOG_REFUSAL, .outcome = LOG_REFUSED, .surface = SURFACE_CLI };
	const struct log_receipt *receipt;
	uint64_t index, size = log_size(*l);

	fuzz_must(log_append(*l, &r, &index) == OK);
	fuzz_must(index == size);
	fuzz_must(log_commit(*l, &receipt) == OK);
	log_close(l);
}

static void
repair(void)
{
	struct log_known known = { NULL, 0 };
	struct log_repaired repaired;
	struct log *l = NULL;

	if (log_repair_open(&fuzz_settings, known, &l, &repaired) != OK)
		return;
	fuzz_certify(l);
	fuzz_must(log_repair_finish(l, (struct uuid){ { 1 } }) == OK);
	use(&l);
	fuzz_must(valid());
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log *l = NULL;
	bool was_valid;

	fuzz_deploy((struct span){ data, size });
	was_valid = valid();
	if (log_open(&fuzz_settings, &l) == OK) {
		use(&l);
		fuzz_must(!was_valid || valid());
	} else {
		repair();
	}
	return 0;
}
