#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/hash.h"
#include "gateway/profile_view.h"

bool
profile_fact_shareable(const struct profile_fact *f, unsigned categories)
{
	return (1u << f->category & CATEGORIES_SHAREABLE & categories) != 0 && !f->uncertain && !f->sensitive && !f->archived;
}

bool
profile_fact_visible(const struct profile_book *b, const struct profile_fact *f, struct uuid connection, unsigned categories)
{
	const struct profile_share *s = profile_book_share(b, connection, f->fact);

	return s != NULL && uuid_equal(s->revision, f->revision) && profile_fact_shareable(f, categories);
}

/* The visible ones in the order of their making, into room for all that are shared. */
static size_t
collect(const struct profile_book *b, struct uuid connection, unsigned categories, const struct profile_fact **out)
{
	size_t n_shares, n = 0;
	const struct profile_share *shares = profile_book_shares_of(b, connection, &n_shares);

	for (size_t i = 0; i < n_shares; i++) {
		const struct profile_fact *f = profile_book_fact(b, shares[i].fact);

		if (f != NULL && uuid_equal(f->revision, shares[i].revision) && profile_fact_shareable(f, categories))
			out[n++] = f;
	}
	return n;
}

static void
add_text(struct sha256 *h, struct span s)
{
	uint8_t len[4];
	struct wire_out o = wire_out(len, sizeof len);

	wire_put_u32(&o, (uint32_t)s.len);
	sha256_add(h, len, sizeof len);
	if (s.len > 0)
		sha256_add(h, s.p, s.len);
}

static void
find_version(struct profile_view *v)
{
	static const char word[] = "profile-version/v1";
	uint8_t buf[64];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct sha256 h;

	wire_put_bytes(&o, word, sizeof word);
	wire_put_u32(&o, (uint32_t)v->n);
	sha256_start(&h);
	sha256_add(&h, buf, o.len);
	for (size_t i = 0; i < v->n; i++) {
		const struct profile_fact *f = v->facts[i];

		o = wire_out(buf, sizeof buf);
		wire_put_id(&o, f->fact);
		wire_put_u64(&o, f->version);
		wire_put_u8(&o, (uint8_t)f->category);
		wire_put_u64(&o, f->updated.ms);
		sha256_add(&h, buf, o.len);
		add_text(&h, f->label);
		add_text(&h, f->value);
	}
	sha256_end(&h, v->version);
}

enum err
profile_view_make(const struct profile_book *b, struct uuid connection, unsigned categories, struct profile_view *out)
{
	const struct profile_fact **found;
	size_t n_shares, n;

	memset(out, 0, sizeof *out);
	(void)profile_book_shares_of(b, connection, &n_shares);
	if ((found = calloc(n_shares + 1, sizeof *found)) == NULL)
		return ERR_NO_MEMORY;
	if ((out->facts = calloc(n_shares + 1, sizeof *found)) == NULL) {
		free(found);
		return ERR_NO_MEMORY;
	}
	n = collect(b, connection, categories, found);
	for (unsigned c = 0; c < CATEGORY__COUNT; c++)
		for (size_t i = 0; i < n; i++)
			if (found[i]->category == (enum category)c) {
				out->facts[out->n++] = found[i];
				if (found[i]->updated.ms > out->updated.ms)
					out->updated = found[i]->updated;
			}
	free(found);
	find_version(out);
	return OK;
}

void
profile_view_free(struct profile_view *v)
{
	free(v->facts);
	memset(v, 0, sizeof *v);
}

void
profile_summary(const struct profile_view *v, char out[PROFILE_SUMMARY_MAX])
{
	size_t n_of[CATEGORY__COUNT] = { 0 }, len;
	char when[CLOCK_TEXT_LEN + 1];
	const char *before = ": ";

	if (v->n == 0) {
		(void)snprintf(out, PROFILE_SUMMARY_MAX, "No facts are shared with you yet.");
		return;
	}
	for (size_t i = 0; i < v->n; i++)
		n_of[v->facts[i]->category]++;
	len = (size_t)snprintf(out, PROFILE_SUMMARY_MAX, "%zu fact%s shared with you", v->n, v->n == 1 ? " is" : "s are");
	for (unsigned c = 0; c < CATEGORY__COUNT; c++)
		if (n_of[c] > 0) {
			len += (size_t)snprintf(out + len, PROFILE_SUMMARY_MAX - len, "%s%zu %s", before, n_of[c], category_name((enum category)c));
			before = ", ";
		}
	clock_text(v->updated, when);
	(void)snprintf(out + len, PROFILE_SUMMARY_MAX - len, ". Last changed %s.", when);
}
