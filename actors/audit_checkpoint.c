/*
 * Checkpoints: the log's size and root, signed by keyring and published beside
 * the log. One is made when the owner asks, before a lock takes the keys away,
 * when the process stops, and after ten minutes in which something happened.
 * Who asks while keyring is asked already waits for the next one.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actors/audit_state.h"
#include "mailbox/host.h"
#include "mailbox/log_line.h"
#include "store/log_checkpoint.h"

#define ANSWER_MS 500
#define EVERY_MS  (10u * 60 * 1000)

/* True when the log holds more than the newest checkpoint covers. */
static bool
is_behind(const struct audit *a)
{
	return log_size(a->log) != a->checkpoint.newest_size || log_waiting(a->log) > 0;
}

/* Says to all who waited for it that a checkpoint was made, or why not. */
static enum err
end(struct audit *a, const struct checkpoint_body *made, struct outbox *out)
{
	struct checkpoint_waiters *w = &a->checkpoint.served;
	enum err e = OK;

	a->checkpoint.asked = false;
	if (w->lock_ask != 0)
		e = outbox_put(out, MSG_CHECKPOINT_OVER, w->lock_ask, &(struct result_body){ .error = made->error });
	for (size_t i = 0; i < w->n_asks && e == OK; i++)
		e = outbox_put(out, MSG_CHECKPOINT_MADE, w->asks[i], made);
	if (w->leaving && made->error == OK && is_behind(a))
		a->checkpoint.waiting.leaving = a->checkpoint.due = true;
	else if (w->leaving)
		host_stop();
	*w = (struct checkpoint_waiters){ .n_asks = 0 };
	return e;
}

static enum err
give_up(struct audit *a, enum err why, struct outbox *out)
{
	return end(a, &(struct checkpoint_body){ .error = (uint16_t)why }, out);
}

enum err
audit_checkpoint_batch(struct audit *a, struct outbox *out)
{
	struct audit_checkpoint *c = &a->checkpoint;
	struct checkpoint_wanted_body wanted = { .library = a->library };

	if (!c->due || c->asked)
		return OK;
	c->due = false;
	c->served = c->waiting;
	c->waiting = (struct checkpoint_waiters){ .n_asks = 0 };
	c->next.ms = clock_mono().ms + EVERY_MS;
	if (a->log == NULL || log_failure(a->log) != OK || log_repairing(a->log))
		return give_up(a, a->failure == ERR_AUDIT_TAMPERED ? a->failure : ERR_AUDIT_UNAVAILABLE, out);
	c->asked = true;
	c->active = false;
	c->by.ms = clock_mono().ms + ANSWER_MS;
	c->size = wanted.size = log_size(a->log);
	memcpy(c->root, log_root(a->log), sizeof c->root);
	memcpy(wanted.root, c->root, sizeof wanted.root);
	return outbox_put(out, MSG_CHECKPOINT_WANTED, ++c->n_own | ASK_INSIDE, &wanted);
}

/* Is it the note that was asked for, and does its key stand behind it? */
static bool
is_wanted(const struct audit *a, const struct checkpoint_signed_body *b)
{
	char origin[LOG_ORIGIN_MAX + 1];
	struct log_note note;

	log_key_origin(a->library, origin);
	return log_note_take(b->note, &note) == OK && strcmp(note.origin, origin) == 0 &&
	    note.size == a->checkpoint.size && memcmp(note.root, a->checkpoint.root, sizeof note.root) == 0 &&
	    log_note_vouched(&note, origin, b->public_key) == LOG_NOTE_SIGNED;
}

static enum err
publish(struct audit *a, const struct checkpoint_signed_body *b)
{
	bool by_log_key = memcmp(b->public_key, a->log_public, sizeof b->public_key) == 0;
	const uint8_t *delegate = log_epoch_delegate(a->log);
	char origin[LOG_ORIGIN_MAX + 1];
	enum err e;

	/* Who checks it looks for the delegate in the log. */
	if (!by_log_key && (delegate == NULL || memcmp(delegate, b->public_key, sizeof b->public_key) != 0))
		return ERR_INTERNAL;
	log_key_origin(a->library, origin);
	if ((e = log_checkpoint_publish(HOME_LOG, b->note, origin, by_log_key ? NULL : b->public_key)) != OK)
		return e;
	a->checkpoint.newest_size = a->checkpoint.size;
	a->checkpoint.newest_wall = clock_wall();
	return OK;
}

/* The one at the end has no record: it covers all that there is. */
static void
record(struct audit *a, struct span note, struct outbox *out)
{
	struct log_record r = { .type = LOG_CHECKPOINT, .subject_kind = LOG_DAEMON, .length = a->checkpoint.size };
	uint8_t extra[2 * SHA256_LEN];
	uint64_t index;

	memcpy(extra, a->checkpoint.root, SHA256_LEN);
	sha256(note.p, note.len, extra + SHA256_LEN);
	r.extra = (struct span){ extra, sizeof extra };
	if (!a->checkpoint.served.leaving)
		(void)audit_append(a, &r, &index, out);
}

enum err
audit_on_checkpoint_signed(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	const struct checkpoint_signed_body *b = &in->body->checkpoint_signed;
	enum err e = b->error == OK && a->log == NULL ? ERR_AUDIT_UNAVAILABLE : (enum err)b->error;

	if (!a->checkpoint.asked || in->ask_id != (a->checkpoint.n_own | ASK_INSIDE))
		return OK;
	if (e == OK && (e = is_wanted(a, b) ? publish(a, b) : ERR_INTERNAL) != OK)
		log_line_error(ACTOR_AUDIT, e, 0);
	if (e != OK)
		return give_up(a, e, out);
	record(a, b->note, out);
	return end(a, &(struct checkpoint_body){ .note = b->note }, out);
}

enum err
audit_on_checkpoint_due(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;

	(void)out;
	a->checkpoint.waiting.lock_ask = in->ask_id;
	a->checkpoint.due = true;
	return OK;
}

enum err
audit_on_checkpoint_allowed(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	struct checkpoint_waiters *w = &a->checkpoint.waiting;

	if (w->n_asks == sizeof w->asks / sizeof *w->asks)
		return outbox_put(out, MSG_CHECKPOINT_MADE, in->ask_id, &(struct checkpoint_body){ .error = ERR_BUSY });
	w->asks[w->n_asks++] = in->ask_id;
	a->checkpoint.due = true;
	return OK;
}

/* The process is to stop; keyring still lives. */
void
audit_checkpoint_leave(void *self, struct outbox *out)
{
	struct audit *a = self;

	(void)out;
	a->leaving = true;
	if (a->log == NULL || !log_epoch_certified(a->log) || !is_behind(a)) {
		host_stop();
		return;
	}
	a->checkpoint.waiting.leaving = true;
	a->checkpoint.due = true;
}

enum err
audit_checkpoint_tick(struct audit *a, struct mono_ms now, struct outbox *out)
{
	struct audit_checkpoint *c = &a->checkpoint;

	if (c->active && now.ms >= c->next.ms)
		c->due = true;
	return c->asked && now.ms >= c->by.ms ? give_up(a, ERR_TIMEOUT, out) : OK;
}

void
audit_checkpoint_load(struct audit *a)
{
	struct log_checkpoint found = { .len = 0 };
	int fd = open(HOME_LOG, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	a->checkpoint.next.ms = clock_mono().ms + EVERY_MS;
	if (fd < 0)
		return;
	if (fstatat(fd, "checkpoint", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    log_checkpoint_read_at(fd, "checkpoint", &found) == OK) {
		a->checkpoint.newest_size = found.note.size;
		a->checkpoint.newest_wall.ms = (uint64_t)st.st_mtime * 1000;
		log_checkpoint_free(&found);
	}
	close(fd);
}
