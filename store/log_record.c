#include <string.h>

#include "store/log_record.h"

#define VERSION 1
#define REF_LEN (2 * UUID_LEN)

static const char *const type_names[LOG__COUNT] = {
	[LOG_INTENT] = "intent", [LOG_WRITE] = "write", [LOG_INDEX] = "index",
	[LOG_REFUSAL] = "refusal", [LOG_GRANT] = "grant", [LOG_REVOKE] = "revoke",
	[LOG_UNLOCK] = "unlock", [LOG_LOCK] = "lock", [LOG_RESUME] = "resume",
	[LOG_ENABLE] = "enable", [LOG_DISABLE] = "disable", [LOG_EPOCH] = "epoch",
	[LOG_REPAIR] = "repair", [LOG_CHECKPOINT] = "checkpoint", [LOG_CONFIG] = "config",
};

/* Stable codes are lower-case words with underscores. */
static bool
is_reason(const char *reason, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!(reason[i] >= 'a' && reason[i] <= 'z') &&
		    !(reason[i] >= '0' && reason[i] <= '9') && reason[i] != '_')
			return false;
	return len <= LOG_REASON_MAX;
}

/* What both ends demand of a record, so that there is one encoding of each. */
static bool
within_limits(const struct log_record *r, size_t reason_len)
{
	return (unsigned)r->type >= LOG_INTENT && (unsigned)r->type < LOG__COUNT &&
	    (unsigned)r->outcome <= LOG_REFUSED && (unsigned)r->surface < SURFACE__COUNT &&
	    (unsigned)r->subject_kind <= LOG_DAEMON && (unsigned)r->op < OP__COUNT &&
	    is_reason(r->reason, reason_len) && r->n_refs <= LOG_REFS_MAX &&
	    r->refs.len == (size_t)r->n_refs * REF_LEN && r->extra.len <= LOG_EXTRA_MAX &&
	    r->sealed.len <= LOG_SEALED_MAX;
}

static void
put_short_span(struct wire_out *o, struct span s)
{
	wire_put_u16(o, (uint16_t)s.len);
	wire_put_bytes(o, s.p, s.len);
}

static struct span
take_short_span(struct wire_in *in)
{
	return wire_take_raw(in, wire_take_u16(in));
}

static void
put_place(struct wire_out *o, const struct log_record *r)
{
	wire_put_u64(o, r->index);
	wire_put_id(o, r->epoch);
	wire_put_u64(o, r->wall.ms);
	wire_put_u64(o, r->boot.ms);
	wire_put_id(o, r->subject);
	wire_put_id(o, r->vault);
	wire_put_id(o, r->asset);
	wire_put_id(o, r->revision);
	wire_put_u64(o, r->offset);
	wire_put_u64(o, r->length);
	wire_put_u32(o, r->first_chunk);
	wire_put_u32(o, r->n_chunks);
	wire_put_u64(o, r->ask_id);
	wire_put_bytes(o, r->ticket_hash, sizeof r->ticket_hash);
}

void
log_record_put(struct wire_out *o, const struct log_record *r)
{
	size_t reason_len = strnlen(r->reason, sizeof r->reason);

	if (!within_limits(r, reason_len)) {
		o->failed = true;
		return;
	}
	wire_put_u8(o, VERSION);
	wire_put_u8(o, (uint8_t)r->type);
	wire_put_u8(o, (uint8_t)r->outcome);
	wire_put_u8(o, (uint8_t)r->surface);
	wire_put_u8(o, (uint8_t)r->subject_kind);
	wire_put_u8(o, (uint8_t)r->op);
	put_place(o, r);
	wire_put_u8(o, (uint8_t)reason_len);
	wire_put_bytes(o, r->reason, reason_len);
	wire_put_u16(o, r->n_refs);
	wire_put_bytes(o, r->refs.p, r->refs.len);
	put_short_span(o, r->extra);
	put_short_span(o, r->sealed);
}

static void
take_place(struct wire_in *in, struct log_record *r)
{
	r->index = wire_take_u64(in);
	r->epoch = wire_take_id(in);
	r->wall.ms = wire_take_u64(in);
	r->boot.ms = wire_take_u64(in);
	r->subject = wire_take_id(in);
	r->vault = wire_take_id(in);
	r->asset = wire_take_id(in);
	r->revision = wire_take_id(in);
	r->offset = wire_take_u64(in);
	r->length = wire_take_u64(in);
	r->first_chunk = wire_take_u32(in);
	r->n_chunks = wire_take_u32(in);
	r->ask_id = wire_take_u64(in);
	wire_take_bytes(in, r->ticket_hash, sizeof r->ticket_hash);
}

void
log_record_take(struct wire_in *in, struct log_record *out)
{
	uint8_t version, reason_len;

	memset(out, 0, sizeof *out);
	version = wire_take_u8(in);
	out->type = (enum log_type)wire_take_u8(in);
	out->outcome = (enum log_outcome)wire_take_u8(in);
	out->surface = (enum surface)wire_take_u8(in);
	out->subject_kind = (enum log_subject)wire_take_u8(in);
	out->op = (enum op)wire_take_u8(in);
	take_place(in, out);
	reason_len = wire_take_u8(in);
	if (reason_len > LOG_REASON_MAX)
		in->failed = true;
	else
		wire_take_bytes(in, out->reason, reason_len);
	out->n_refs = wire_take_u16(in);
	out->refs = wire_take_raw(in, (size_t)out->n_refs * REF_LEN);
	out->extra = take_short_span(in);
	out->sealed = take_short_span(in);
	if (version != VERSION || !wire_done(in) || !within_limits(out, reason_len)) {
		in->failed = true;
		memset(out, 0, sizeof *out);
	}
}

struct log_ref
log_record_ref(const struct log_record *r, size_t i)
{
	struct wire_in in = wire_in(r->refs.p + i * REF_LEN, REF_LEN);
	struct log_ref ref;

	ref.asset = wire_take_id(&in);
	ref.revision = wire_take_id(&in);
	return ref;
}

void
log_config_put(enum log_config what, struct uuid about, uint8_t out[LOG_CONFIG_LEN])
{
	out[0] = (uint8_t)what;
	memcpy(out + 1, about.b, UUID_LEN);
}

bool
log_config_take(struct span extra, enum log_config *what, struct uuid *about)
{
	if (extra.len != LOG_CONFIG_LEN || extra.p[0] == CONFIG_NONE || extra.p[0] >= CONFIG__COUNT)
		return false;
	*what = (enum log_config)extra.p[0];
	memcpy(about->b, extra.p + 1, UUID_LEN);
	return true;
}

const char *
log_config_name(enum log_config c)
{
	static const char *const names[] = {
		[CONFIG_PASSWORD] = "password", [CONFIG_CENTER] = "center", [CONFIG_NO_CENTER] = "no_center",
		[CONFIG_DEVICE_REMOVED] = "device_removed", [CONFIG_VAULT_REMOVED] = "vault_removed",
		[CONFIG_DEVICE_ADDED] = "device_added", [CONFIG_PROFILE_ENABLED] = "profile_enabled",
		[CONFIG_PROFILE_DISABLED] = "profile_disabled", [CONFIG_PROFILE_MAINTENANCE] = "profile_maintenance",
		[CONFIG_PROFILE_NO_MAINTENANCE] = "profile_no_maintenance", [CONFIG_CONNECTION_REDUCED] = "connection_reduced",
	};

	return (unsigned)c < CONFIG__COUNT && names[c] != NULL ? names[c] : "?";
}

const char *
log_type_name(enum log_type t)
{
	return (unsigned)t < LOG__COUNT && type_names[t] != NULL ? type_names[t] : "?";
}
