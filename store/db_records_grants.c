#include <string.h>

#include "store/db_records.h"

static void
put_envelope(struct wire_out *o, const struct envelope *e)
{
	wire_put_u32(o, e->passes);
	wire_put_u32(o, e->memory_kib);
	wire_put_bytes(o, e->salt, KDF_SALT_LEN);
	wire_put_bytes(o, e->sealed_root, SEALED_KEY_LEN);
}

static void
take_envelope(struct wire_in *in, struct envelope *e)
{
	e->passes = wire_take_u32(in);
	e->memory_kib = wire_take_u32(in);
	wire_take_bytes(in, e->salt, KDF_SALT_LEN);
	wire_take_bytes(in, e->sealed_root, SEALED_KEY_LEN);
}

void
db_records_put_library(struct wire_out *o, const struct library_record *r)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_id(o, r->library);
	wire_put_id(o, r->device);
	wire_put_u64(o, r->created.ms);
	wire_put_u8(o, r->device_member);
	wire_put_u8(o, r->center_managed);
	wire_put_bytes(o, r->log_public, SIGN_PUBLIC_LEN);
	wire_put_bytes(o, r->sealed_log_key, SEALED_KEY_LEN);
	put_envelope(o, &r->envelope);
}

bool
db_records_take_library(struct span value, struct library_record *out)
{
	struct wire_in in = db_records_start(value);
	struct library_record r;

	r.library = wire_take_id(&in);
	r.device = wire_take_id(&in);
	r.created.ms = wire_take_u64(&in);
	r.device_member = db_records_take_bool(&in);
	r.center_managed = db_records_take_bool(&in);
	wire_take_bytes(&in, r.log_public, SIGN_PUBLIC_LEN);
	wire_take_bytes(&in, r.sealed_log_key, SEALED_KEY_LEN);
	take_envelope(&in, &r.envelope);
	if (!wire_done(&in))
		return false;
	*out = r;
	return true;
}

void
db_records_put_vault_keys(struct wire_out *o, const struct vault_keys *k)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	for (size_t c = 0; c < CLASS__COUNT; c++)
		wire_put_bytes(o, k->sealed[c], SEALED_KEY_LEN);
}

bool
db_records_take_vault_keys(struct span value, struct uuid vault, struct vault_keys *out)
{
	struct wire_in in = db_records_start(value);
	struct vault_keys k = { .vault = vault };

	for (size_t c = 0; c < CLASS__COUNT; c++)
		wire_take_bytes(&in, k.sealed[c], SEALED_KEY_LEN);
	if (!wire_done(&in))
		return false;
	*out = k;
	return true;
}

static void
put_life(struct wire_out *o, const struct grant_life *l)
{
	wire_put_u64(o, l->created.ms);
	wire_put_u64(o, l->expires.ms);
	wire_put_id(o, l->boot);
	wire_put_u64(o, l->minted.ms);
	wire_put_u8(o, l->expired);
}

static struct grant_life
take_life(struct wire_in *in)
{
	struct grant_life l;

	l.created.ms = wire_take_u64(in);
	l.expires.ms = wire_take_u64(in);
	l.boot = wire_take_id(in);
	l.minted.ms = wire_take_u64(in);
	l.expired = db_records_take_bool(in);
	return l;
}

void
db_records_put_grant(struct wire_out *o, const struct db_grant *g)
{
	wire_put_u8(o, DB_GRANT_VERSION);
	wire_put_u8(o, (uint8_t)g->type);
	wire_put_u64(o, g->revision);
	put_life(o, &g->life);
	wire_put_u8(o, g->classes);
	wire_put_u8(o, g->may_propose);
	wire_put_u8(o, g->revoked);
	wire_put_bytes(o, g->token_hash, sizeof g->token_hash);
	wire_put_u16(o, g->n_vaults);
	wire_put_span(o, (struct span){ (const uint8_t *)g->label, strnlen(g->label, GRANT_LABEL_MAX) });
}

static void
take_label(struct wire_in *in, char out[GRANT_LABEL_MAX + 1])
{
	struct span label = wire_take_span(in, GRANT_LABEL_MAX);

	if (in->failed || (label.len > 0 && memchr(label.p, '\0', label.len) != NULL)) {
		in->failed = true;
		return;
	}
	memset(out, 0, GRANT_LABEL_MAX + 1);
	if (label.len > 0)
		memcpy(out, label.p, label.len);
}

static bool
is_grant(const struct db_grant *g)
{
	static const uint8_t no_hash[32];

	if (!grant_type_known(g->type) || g->classes == 0 || g->classes >> CLASS__COUNT != 0 ||
	    (g->may_propose && g->type != GRANT_ORDINARY))
		return false;
	if (g->n_vaults > GRANT_VAULTS_MAX || g->revoked != (g->n_vaults == 0))
		return false;
	return !(g->revoked || g->life.expired) || memcmp(g->token_hash, no_hash, sizeof no_hash) == 0;
}

bool
db_records_take_grant(struct span value, struct uuid grant, struct db_grant *out)
{
	struct wire_in in = db_records_start_of(DB_GRANT_VERSION, value);
	struct db_grant g = { .grant = grant };

	g.type = (enum grant_type)wire_take_u8(&in);
	g.revision = wire_take_u64(&in);
	g.life = take_life(&in);
	g.classes = wire_take_u8(&in);
	g.may_propose = db_records_take_bool(&in);
	g.revoked = db_records_take_bool(&in);
	wire_take_bytes(&in, g.token_hash, sizeof g.token_hash);
	g.n_vaults = wire_take_u16(&in);
	take_label(&in, g.label);
	if (!wire_done(&in) || !is_grant(&g))
		return false;
	*out = g;
	return true;
}

/* Only the granted classes are stored, in their order. */
void
db_records_put_wrap(struct wire_out *o, const struct grant_vault *w)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_u8(o, w->classes);
	for (unsigned c = 0; c < CLASS__COUNT; c++)
		if (w->classes & 1u << c)
			wire_put_bytes(o, w->sealed[c], SEALED_KEY_LEN);
}

bool
db_records_take_wrap(struct span value, struct uuid vault, struct grant_vault *out)
{
	struct wire_in in = db_records_start(value);
	struct grant_vault w = { .vault = vault };

	w.classes = wire_take_u8(&in);
	for (unsigned c = 0; c < CLASS__COUNT; c++)
		if (w.classes & 1u << c)
			wire_take_bytes(&in, w.sealed[c], SEALED_KEY_LEN);
	if (!wire_done(&in) || w.classes >> CLASS__COUNT != 0)
		return false;
	*out = w;
	return true;
}

void
db_records_put_token(struct wire_out *o, struct uuid grant)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_id(o, grant);
}

bool
db_records_take_token(struct span value, struct uuid *grant)
{
	struct wire_in in = db_records_start(value);
	struct uuid id = wire_take_id(&in);

	if (!wire_done(&in))
		return false;
	*grant = id;
	return true;
}

/* Of what it is; stored. */
enum { OF_GRANT, OF_ALL, OF_CONNECTION };

void
db_records_put_unrecorded(struct wire_out *o, const struct unrecorded *u)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_u8(o, u->all ? OF_ALL : u->connection ? OF_CONNECTION : OF_GRANT);
	wire_put_id(o, u->id);
}

bool
db_records_take_unrecorded(struct span value, struct unrecorded *out)
{
	struct wire_in in = db_records_start(value);
	uint8_t of = wire_take_u8(&in);
	struct uuid id = wire_take_id(&in);

	if (!wire_done(&in) || of > OF_CONNECTION)
		return false;
	out->all = of == OF_ALL;
	out->connection = of == OF_CONNECTION;
	out->id = id;
	return true;
}

/* The name fills its field with zeros, so that the record has one length. */
void
db_records_put_enrolment(struct wire_out *o, const struct enrolment_record *r)
{
	uint8_t name[BACKEND_NAME_MAX + 1] = { 0 };

	memcpy(name, r->backend, strnlen(r->backend, BACKEND_NAME_MAX));
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_id(o, r->enrolment);
	wire_put_bytes(o, name, sizeof name);
	wire_put_u64(o, r->created.ms);
	wire_put_bytes(o, r->sealed_unattended, SEALED_KEY_LEN);
	wire_put_bytes(o, r->sealed_delegate, SEALED_KEY_LEN);
	delegation_put(o, &r->delegation);
}

static void
take_name(struct wire_in *in, char name[BACKEND_NAME_MAX + 1])
{
	size_t len;

	wire_take_bytes(in, name, BACKEND_NAME_MAX + 1);
	len = strnlen(name, BACKEND_NAME_MAX + 1);
	if (len == 0 || len > BACKEND_NAME_MAX)
		in->failed = true;
	for (size_t i = len; i <= BACKEND_NAME_MAX; i++)
		if (name[i] != '\0')
			in->failed = true;
}

bool
db_records_take_enrolment(struct span value, struct enrolment_record *out)
{
	struct wire_in in = db_records_start(value);
	struct enrolment_record r;

	r.enrolment = wire_take_id(&in);
	take_name(&in, r.backend);
	r.created.ms = wire_take_u64(&in);
	wire_take_bytes(&in, r.sealed_unattended, SEALED_KEY_LEN);
	wire_take_bytes(&in, r.sealed_delegate, SEALED_KEY_LEN);
	delegation_take(&in, &r.delegation);
	if (!wire_done(&in))
		return false;
	*out = r;
	return true;
}
