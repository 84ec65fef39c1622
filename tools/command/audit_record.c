#include <stdio.h>
#include <string.h>

#include "store/log_head.h"
#include "tools/command/audit_record.h"
#include "tools/command/command.h"

static void
write_id(struct json_writer *w, const char *key, struct uuid id)
{
	if (!uuid_is_zero(id))
		json_member_id(w, key, id);
}

static const char *
subject_name(enum log_subject s)
{
	switch (s) {
	case LOG_GRANT_ID:
		return "grant";
	case LOG_CONNECTION_ID:
		return "connection";
	case LOG_TERMINAL:
		return "terminal";
	case LOG_DAEMON:
		return "daemon";
	case LOG_NOBODY:
		break;
	}
	return "nobody";
}

/* What an epoch record does to its epoch; NULL for others. */
static const char *
epoch_step(const struct log_record *r)
{
	static const char *const steps[] = { "begins", "is certified", "ends for the next" };

	if (r->type != LOG_EPOCH || r->extra.len == 0 || r->extra.p[0] >= sizeof steps / sizeof *steps)
		return NULL;
	return steps[r->extra.p[0]];
}

/* What a repair found and what it gave up. */
static void
write_repair(struct json_writer *w, const struct log_record *r)
{
	struct log_repaired repaired;

	if (r->type != LOG_REPAIR || !log_repaired_take(r->extra, &repaired))
		return;
	json_member_u64(w, "repairs", repaired.repairs);
	member_head(w, "found", repaired.found.size, repaired.found.root);
	member_head(w, "lost", repaired.lost.size, repaired.lost.root);
}

/* Which setting was changed. */
static void
write_config(struct json_writer *w, const struct log_record *r)
{
	enum log_config what;
	struct uuid about;

	if (r->type != LOG_CONFIG || !log_config_take(r->extra, &what, &about))
		return;
	json_member_text(w, "config", log_config_name(what));
	write_id(w, "about", about);
}

/* What sort of grant was made; NULL for what is no such record. */
static const char *
grant_made(const struct log_record *r)
{
	if (r->type != LOG_GRANT || r->extra.len != 1 || !grant_type_known(r->extra.p[0]))
		return NULL;
	return grant_type_name((enum grant_type)r->extra.p[0]);
}

static void
write_rows(struct json_writer *w, const struct log_record *r)
{
	json_write_key(w, "rows");
	json_write_array(w);
	for (size_t i = 0; i < r->n_refs; i++) {
		struct log_ref ref = log_record_ref(r, i);

		json_write_object(w);
		write_id(w, "asset", ref.asset);
		write_id(w, "revision", ref.revision);
		json_write_end(w);
	}
	json_write_end(w);
}

/* What was delivered, or would have been. */
static void
write_delivery(struct json_writer *w, const struct log_record *r)
{
	static const uint8_t none[SHA256_LEN];

	write_id(w, "vault", r->vault);
	write_id(w, "asset", r->asset);
	write_id(w, "revision", r->revision);
	json_member_u64(w, "offset", r->offset);
	json_member_u64(w, "length", r->length);
	if (r->n_chunks > 0) {
		json_member_u64(w, "first_chunk", r->first_chunk);
		json_member_u64(w, "chunks", r->n_chunks);
	}
	if (r->n_refs > 0)
		write_rows(w, r);
	if (r->reason[0] != '\0')
		json_member_text(w, "reason", r->reason);
	if (memcmp(r->ticket_hash, none, sizeof none) != 0)
		member_hash(w, "ticket_sha256", r->ticket_hash);
}

void
audit_record_json(struct json_writer *w, const struct log_record *r)
{
	char time[CLOCK_TEXT_LEN + 1], ask[24];

	clock_text(r->wall, time);
	json_write_object(w);
	json_member_u64(w, "index", r->index);
	json_member_text(w, "time", time);
	json_member_text(w, "type", log_type_name(r->type));
	json_member_text(w, "outcome", r->outcome == LOG_DONE ? "done" : "refused");
	json_member_text(w, "surface", surface_name(r->surface));
	json_member_text(w, "subject_kind", subject_name(r->subject_kind));
	write_id(w, "subject", r->subject);
	json_member_text(w, "operation", op_name(r->op));
	write_delivery(w, r);
	/* Past 2^53, which is more than every JSON reader keeps. */
	snprintf(ask, sizeof ask, "%llu", (unsigned long long)r->ask_id);
	json_member_text(w, "ask", ask);
	write_id(w, "epoch", r->epoch);
	if (epoch_step(r) != NULL)
		json_member_text(w, "epoch_step", epoch_step(r));
	write_repair(w, r);
	write_config(w, r);
	if (grant_made(r) != NULL)
		json_member_text(w, "grant_type", grant_made(r));
	json_write_end(w);
}

/* What was done, to what: "read  01a2…  bytes 0+66", "list  01a2…  3 rows". */
static void
print_what(const struct log_record *r)
{
	struct log_repaired repaired;
	enum log_config what;
	struct uuid about;
	char id[UUID_TEXT_LEN + 1];

	if (r->type == LOG_CONFIG && log_config_take(r->extra, &what, &about)) {
		uuid_text(about, id);
		print_line("%-16s  %s  %s", "config", log_config_name(what), uuid_is_zero(about) ? "" : id);
		return;
	}
	if (r->type == LOG_REPAIR && log_repaired_take(r->extra, &repaired)) {
		print_line("%-16s  %llu records held, a log of %llu was given up", "repair",
		    (unsigned long long)repaired.found.size, (unsigned long long)repaired.lost.size);
		return;
	}
	if (epoch_step(r) != NULL) {
		uuid_text(r->epoch, id);
		print_line("%-16s  %s %s", "epoch", id, epoch_step(r));
		return;
	}
	if (grant_made(r) != NULL) {
		print_line("%-16s  %s", "grant", grant_made(r));
		return;
	}
	print_line("%-16s", r->op != OP_NONE ? op_name(r->op) : log_type_name(r->type));
	if (!uuid_is_zero(r->asset) || !uuid_is_zero(r->vault)) {
		uuid_text(uuid_is_zero(r->asset) ? r->vault : r->asset, id);
		print_line("  %s", id);
	}
	if (r->type == LOG_INTENT && op_lists(r->op))
		print_line("  %llu rows", (unsigned long long)r->length);
	else if (r->type == LOG_INTENT)
		print_line("  bytes %llu+%llu", (unsigned long long)r->offset, (unsigned long long)r->length);
}

void
audit_record_heading(void)
{
	print_line("%8s  %-20s  %-10s  %-7s  %-47s  %s\n", "record", "time", "type", "surface", "by whom", "what");
}

void
audit_record_row(const struct log_record *r)
{
	char time[CLOCK_TEXT_LEN + 1], subject[UUID_TEXT_LEN + 1] = "";

	clock_text(r->wall, time);
	if (!uuid_is_zero(r->subject))
		uuid_text(r->subject, subject);
	print_line("%8llu  %s  %-10s  %-7s  %-10s %-36s  ", (unsigned long long)r->index, time, log_type_name(r->type),
	    surface_name(r->surface), subject_name(r->subject_kind), subject);
	print_what(r);
	print_line("%s%s\n", r->reason[0] != '\0' ? "  refused: " : "", r->reason);
}
