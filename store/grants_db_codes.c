/* Codes: redeemed once. */
#include "store/grants_db_tokens_inside.h"

static enum err
put_code(struct grants_db *db, const uint8_t hash[SHA256_LEN], const struct db_code *c)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);

	db_records_put_code(&o, c);
	return grants_db_put(db, DB_CODE, hash_span(hash), &o);
}

static bool
offer_fits(const struct code_offer *offer, const struct db_code *code, const struct connection_record *c)
{
	return same(offer->client, c->client) && same(offer->challenge, code->challenge) &&
	    (!offer->has_redirect || same(offer->redirect_given, code->redirect_given));
}

static enum err
use_code(struct grants_db *db, const struct code_offer *offer, struct db_code *code, struct connection_record *c,
    const struct moment *at, struct token_outcome *out)
{
	struct token_pair p = { offer->access, offer->refresh, code->scopes, code->scopes };
	enum err e;

	if ((code->scopes & c->scopes) == 0)
		return ERR_INSUFFICIENT_SCOPE;
	code->used = true;
	if ((e = tokens_issue(db, c, &p, at, &out->use)) != OK)
		return e;
	return put_code(db, offer->code, code);
}

/* It is counted, and kept for others than who guesses: it is no sign that the code was stolen. */
static enum err
wrong(struct grants_db *db, const struct code_offer *offer, struct db_code *code, struct token_outcome *out)
{
	code->n_wrong++;
	out->error = ERR_INVALID_TOKEN;
	return put_code(db, offer->code, code);
}

static enum err
redeem(struct grants_db *db, const struct code_offer *offer, const struct moment *at, struct token_outcome *out)
{
	struct connection_record c;
	struct db_code code;
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_CODE, hash_span(offer->code), &value)) != OK)
		return e == ERR_NOT_FOUND ? ERR_INVALID_TOKEN : e;
	if (!db_records_take_code(value, &code))
		return ERR_STORAGE_CORRUPT;
	if ((e = tokens_get_living(db, &code.family, &c)) != OK)
		return e;
	if (code.n_wrong == CODE_WRONG_MAX)
		return ERR_INVALID_TOKEN;
	if (!offer_fits(offer, &code, &c))
		return code.used ? ERR_INVALID_TOKEN : wrong(db, offer, &code, out);
	if (code.used)
		return tokens_replayed(db, &c, at, out);
	return moment_left(at, code.ends) == 0 ? ERR_INVALID_TOKEN : use_code(db, offer, &code, &c, at, out);
}

enum err
grants_db_redeem(struct grants_db *db, const struct code_offer *offer, const struct moment *at, struct token_outcome *out)
{
	enum err e;

	*out = (struct token_outcome){ .error = OK };
	if ((e = env_begin(db->env)) != OK)
		return e;
	return tokens_end_offer(db, redeem(db, offer, at, out), at, out);
}
