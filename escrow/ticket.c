#include <stdlib.h>

#include "escrow/ack.h"
#include "escrow/seal.h"

#define TERMS_MAX 4200

static struct span
terms_bytes(const struct ticket_terms *t, uint8_t buf[TERMS_MAX])
{
	static const char word[] = "ticket/v1";
	struct wire_out o = wire_out(buf, TERMS_MAX);

	wire_put_bytes(&o, word, sizeof word);
	wire_put_id(&o, t->boot);
	wire_put_u64(&o, t->client_ask);
	wire_put_u8(&o, (uint8_t)t->op);
	wire_put_id(&o, t->vault);
	wire_put_id(&o, t->asset);
	wire_put_id(&o, t->revision);
	wire_put_u64(&o, t->offset);
	wire_put_u32(&o, t->limit);
	wire_put_span(&o, t->refs);
	return o.failed ? (struct span){ NULL, 0 } : wire_written(&o);
}

enum err
ticket_seal(const struct channel *c, const struct ticket_terms *terms,
    const struct secret *keys, uint8_t *out, size_t *len)
{
	uint8_t buf[TERMS_MAX];
	struct span ad = terms_bytes(terms, buf);

	if (ad.p == NULL || secret_len(keys) > TICKET_KEYS_MAX * KEY_LEN)
		return ERR_INTERNAL;
	seal(c->down->b, ad, secret_span(keys), out);
	*len = secret_len(keys) + SEAL_OVERHEAD;
	return OK;
}

struct audit_ack {
	struct secret *keys;
};

enum err
ack_accept(const struct channel *c, const struct ticket_terms *terms, struct span ticket,
    struct audit_ack **out)
{
	uint8_t buf[TERMS_MAX];
	struct span ad = terms_bytes(terms, buf);
	struct audit_ack *ack;

	if (ad.p == NULL || ticket.len < SEAL_OVERHEAD || ticket.len > TICKET_MAX ||
	    (ticket.len - SEAL_OVERHEAD) % KEY_LEN != 0)
		return ERR_AUDIT_UNAVAILABLE;
	if ((ack = calloc(1, sizeof *ack)) == NULL)
		return ERR_NO_MEMORY;
	if (secret_new(ticket.len - SEAL_OVERHEAD, &ack->keys) != OK) {
		free(ack);
		return ERR_NO_MEMORY;
	}
	if (seal_open(c->down->b, ad, ticket, secret_bytes(ack->keys)) != OK) {
		ack_free(&ack);
		return ERR_AUDIT_UNAVAILABLE;
	}
	*out = ack;
	return OK;
}

void
ack_free(struct audit_ack **ack)
{
	if (*ack == NULL)
		return;
	secret_free(&(*ack)->keys);
	free(*ack);
	*ack = NULL;
}

size_t
ack_n_keys(const struct audit_ack *ack)
{
	return secret_len(ack->keys) / KEY_LEN;
}

enum err
escrow_open(const struct audit_ack *ack, size_t i, struct span ad, struct span sealed,
    struct secret **plain)
{
	struct secret *s;
	enum err e;

	if (i >= ack_n_keys(ack) || sealed.len < SEAL_OVERHEAD)
		return ERR_STORAGE_CORRUPT;
	if ((e = secret_new(sealed.len - SEAL_OVERHEAD, &s)) != OK)
		return e;
	if ((e = seal_open(secret_view(ack->keys) + i * KEY_LEN, ad, sealed, secret_bytes(s))) != OK) {
		secret_free(&s);
		return e;
	}
	*plain = s;
	return OK;
}

enum err
ack_revision_key(const struct audit_ack *ack, struct key **out)
{
	if (ack_n_keys(ack) != 1)
		return ERR_AUDIT_UNAVAILABLE;
	return key_of(secret_view(ack->keys), out);
}
