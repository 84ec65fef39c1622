/* The receipt in an ack: what a client believes of the log, and what it remembers of it. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gateway/client_inside.h"
#include "store/log_commit.h"

/* How long a receipt of an epoch that the gate has not heard of may wait for it, and how often it is asked. */
#define EPOCH_MS       500
#define EPOCH_PAUSE_MS 10

static enum err
say_remembered(struct client *c, enum err e)
{
	if (e == ERR_AUDIT_DIVERGED && c->remembered != NULL)
		snprintf(c->detail, sizeof c->detail, "%s", remembered_detail(c->remembered));
	return e;
}

enum err
client_receipt_ready(struct client *c)
{
	enum err e;

	if (!c->remembers || c->remembered != NULL || !c->welcome.initialized)
		return OK;
	if ((e = say_remembered(c, remembered_open(c->welcome.library, &c->remembered))) != OK)
		remembered_close(&c->remembered);
	return e;
}

/* The log goes over to another epoch now and then; who stands behind it comes over another edge than the receipt. */
static enum err
meet_epoch(struct client *c, struct uuid epoch, const uint8_t **key)
{
	const struct timespec pause = { 0, EPOCH_PAUSE_MS * 1000000L };
	struct mono_ms until = { clock_mono().ms + EPOCH_MS };
	enum err e = OK;

	if ((*key = believed_epoch(&c->believed, epoch)) != NULL)
		return OK;
	while ((e = client_greet(c)) == OK && (*key = believed_epoch(&c->believed, epoch)) == NULL) {
		if (clock_mono().ms >= until.ms)
			return ERR_AUDIT_UNAVAILABLE;
		nanosleep(&pause, NULL);
	}
	return e;
}

/* A group that was verified already is not verified again. */
enum err
client_receipt_check(struct client *c, const struct ack_body *ack)
{
	struct log_commit commit;
	uint8_t hash[SHA256_LEN];
	const uint8_t *key;
	enum err e;

	if (!c->trusts)
		return OK;
	if ((e = receipt_commit(ack, &commit)) != OK)
		return e;
	sha256(ack->commit, sizeof ack->commit, hash);
	if (memcmp(hash, c->seen_commit, sizeof hash) == 0)
		return OK;
	if ((e = meet_epoch(c, commit.epoch, &key)) != OK)
		return e;
	if (!log_commit_valid(&commit, key))
		return ERR_AUDIT_UNAVAILABLE;
	if (c->remembered != NULL && (e = say_remembered(c, remembered_extend(c->remembered, ack->commit))) != OK)
		return e;
	memcpy(c->seen_commit, hash, sizeof hash);
	return OK;
}
