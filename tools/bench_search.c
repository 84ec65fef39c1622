#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/search_index.h"
#include "tools/bench_home.h"
#include "tools/bench_search.h"
#include "tools/bench_words.h"

#define N_DOCUMENTS 100000U
#define N_CHARS     500U
#define TITLE_CHARS 12U
#define TEXT_MAX    (4 * N_CHARS + 64)
#define N_QUERIES   1000U
#define N_SCANNED   20U
#define SEED        1

enum family { ONE_CHARACTER, FREQUENT, ANY, RARE, STRETCH, WORDS, FAMILIES };

static const char *const family_names[] = {
	"one character", "frequent words", "words by Zipf", "rare words", "stretches of a text", "2 to 5 words",
};

struct corpus {
	char  *text; /* titles and bodies, each ended by a NUL */
	size_t len;
	char  *titles[N_DOCUMENTS];
	char  *bodies[N_DOCUMENTS];
};

struct asked {
	char   text[SEARCH_QUERY_MAX + 1];
	double ms;
};

/* Its own processor time: what else runs on the machine is not its speed. */
static double
own_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct corpus *
make_corpus(struct bench_words *w)
{
	struct corpus *c = calloc(1, sizeof *c);

	bench_must(c == NULL || (c->text = malloc((size_t)N_DOCUMENTS * 2 * TEXT_MAX)) == NULL ? ERR_NO_MEMORY : OK, "corpus");
	for (uint32_t i = 0; i < N_DOCUMENTS; i++) {
		c->titles[i] = c->text + c->len;
		c->len += bench_words_text(w, TITLE_CHARS, c->titles[i], TEXT_MAX) + 1;
		c->text[c->len - 1] = '\0';
		c->bodies[i] = c->text + c->len;
		c->len += bench_words_text(w, N_CHARS - TITLE_CHARS, c->bodies[i], TEXT_MAX) + 1;
		c->text[c->len - 1] = '\0';
	}
	return c;
}

static void
put(struct search_index *ix, const struct corpus *c, struct uuid vault, uint32_t i)
{
	struct search_field fields[] = {
		{ SEARCH_TITLE, 0, { (const uint8_t *)c->titles[i], strlen(c->titles[i]) } },
		{ SEARCH_BODY, 0, { (const uint8_t *)c->bodies[i], strlen(c->bodies[i]) } },
	};
	struct search_document d = { .vault = vault, .asset = bench_asset(BENCH_NOTES, i), .kind = KIND_MEMORY, .updated = i,
		.fields = fields, .n_fields = 2 };

	bench_must(search_index_put(ix, &d), "put");
}

static void
add_word(struct bench_words *w, enum family f, char *out)
{
	enum bench_language l = bench_words_below(w, 2) == 0 ? BENCH_CHINESE : BENCH_ENGLISH;
	const char *word = f == ONE_CHARACTER ? w->words[BENCH_CHINESE][bench_words_below(w, 60)] :
	    f == FREQUENT ? w->words[l][bench_words_below(w, 20)] :
	    f == RARE ? w->words[l][BENCH_WORDS / 2 + bench_words_below(w, BENCH_WORDS / 2)] : bench_words_any(w, l);

	snprintf(out + strlen(out), SEARCH_QUERY_MAX + 1 - strlen(out), "%s%s", *out == '\0' ? "" : " ", word);
}

/* Up to eight characters of a body, from one of its characters on. */
static void
take_stretch(struct bench_words *w, const struct corpus *c, char *out)
{
	const char *body = c->bodies[bench_words_below(w, N_DOCUMENTS)];
	size_t at = bench_words_below(w, (uint32_t)strlen(body)), len = 0;
	unsigned n = 2 + bench_words_below(w, 7);

	while (at > 0 && (body[at] & 0xc0) == 0x80)
		at--;
	for (; body[at + len] != '\0' && n > 0; n--)
		for (len++; (body[at + len] & 0xc0) == 0x80; len++)
			;
	memcpy(out, body + at, len);
	out[len] = '\0';
}

static void
make_query(struct bench_words *w, const struct corpus *c, enum family f, struct asked *q)
{
	unsigned n = f == WORDS || f == FREQUENT ? 1 + bench_words_below(w, 5) : 1;

	q->text[0] = '\0';
	if (f == STRETCH) {
		take_stretch(w, c, q->text);
		return;
	}
	for (n += f == WORDS && n == 1; n > 0; n--)
		add_word(w, f, q->text);
}

static void
ask(struct search_index *ix, struct asked *q)
{
	static struct search_hit hits[20];
	struct search_query query = { .text = { (const uint8_t *)q->text, strlen(q->text) }, .limit = 20 };
	struct search_found found;
	double began = own_ms();

	bench_must(search_index_find(ix, &query, hits, &found), "find");
	q->ms = own_ms() - began;
}

static double
at_part(double *sorted, unsigned n, double part)
{
	return sorted[(unsigned)(part * (n - 1))];
}

struct figures {
	double build_s;
	double p50_ms;
	double p99_ms;
};

/* As many of each family; prints each. */
static void
measure_queries(struct search_index *ix, struct asked *queries, unsigned n, struct figures *figures)
{
	double *all = calloc(n, sizeof *all), *some = calloc(n, sizeof *some);

	bench_must(all == NULL || some == NULL ? ERR_NO_MEMORY : OK, "queries");
	printf("%-20s %8s %8s %8s ms\n", "queries", "p50", "p99", "worst");
	for (unsigned f = 0; f < FAMILIES; f++) {
		unsigned n_some = 0;

		for (unsigned i = f; i < n; i += FAMILIES) {
			ask(ix, &queries[i]);
			all[i] = some[n_some++] = queries[i].ms;
		}
		qsort(some, n_some, sizeof *some, bench_compare);
		printf("%-20s %8.2f %8.2f %8.2f\n", family_names[f], at_part(some, n_some, 0.5), at_part(some, n_some, 0.99),
		    some[n_some - 1]);
	}
	qsort(all, n, sizeof *all, bench_compare);
	figures->p50_ms = at_part(all, n, 0.5);
	figures->p99_ms = at_part(all, n, 0.99);
	printf("%-20s %8.2f %8.2f %8.2f\n", "all", figures->p50_ms, figures->p99_ms, all[n - 1]);
	free(all);
	free(some);
}

/* The bound: one pass over the same text with memmem, no folding, no ranking. */
static double
scan_ms(const struct corpus *c, const struct asked *queries, uint64_t *found)
{
	double ms[N_SCANNED];

	*found = 0;
	for (unsigned i = 0; i < N_SCANNED; i++) {
		double began = own_ms();

		for (uint32_t d = 0; d < N_DOCUMENTS; d++)
			*found += memmem(c->bodies[d], strlen(c->bodies[d]), queries[i].text, strlen(queries[i].text)) != NULL;
		ms[i] = own_ms() - began;
	}
	return bench_median(ms, N_SCANNED);
}

static FILE *
open_for_peer(const struct bench_plan *plan, const char *name)
{
	char path[BENCH_PATH_MAX];
	FILE *f;

	snprintf(path, sizeof path, "%s/search-%s", plan->dir, name);
	bench_must_not_fail((f = fopen(path, "w")) == NULL ? -1 : 0, path);
	return f;
}

static void
write_for_peer(const struct bench_plan *plan, const struct corpus *c, const struct asked *queries, unsigned n,
    const struct figures *figures)
{
	FILE *f = open_for_peer(plan, "corpus");

	for (uint32_t i = 0; i < N_DOCUMENTS; i++)
		fprintf(f, "%s\t%s\n", c->titles[i], c->bodies[i]);
	bench_must_not_fail(fclose(f), "corpus");
	f = open_for_peer(plan, "queries");
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%s\n", queries[i].text);
	bench_must_not_fail(fclose(f), "queries");
	f = open_for_peer(plan, "figures");
	fprintf(f, "%f %f %f\n", figures->build_s, figures->p50_ms, figures->p99_ms);
	bench_must_not_fail(fclose(f), "figures");
}

static void
print_memory(const struct search_index *ix)
{
	struct search_stats s;

	search_index_stats(ix, &s);
	printf("memory: %.0f MiB mapped, of that %.0f MiB text as given and %.1f MiB locked; %llu terms\n",
	    (double)s.bytes / 1048576, (double)s.text_bytes / 1048576, (double)s.locked_bytes / 1048576,
	    (unsigned long long)s.n_terms);
}

/* A tenth of the documents again, in other places. */
static void
measure_changes(struct search_index *ix, const struct corpus *c, struct uuid vault)
{
	double began = own_ms();

	for (uint32_t i = 0; i < N_DOCUMENTS; i += 10)
		put(ix, c, vault, i);
	printf("a document put again: %.3f ms\n", (own_ms() - began) / (N_DOCUMENTS / 10));
	began = own_ms();
	for (uint32_t i = 5; i < N_DOCUMENTS; i += 10)
		search_index_remove(ix, vault, bench_asset(BENCH_NOTES, i));
	printf("a document taken out: %.3f ms\n", (own_ms() - began) / (N_DOCUMENTS / 10));
}

static void
measure(const struct bench_plan *plan, const struct corpus *c, struct asked *queries, unsigned n)
{
	struct uuid vault = bench_asset(BENCH_LARGE, 0);
	struct search_index *ix;
	struct figures figures;
	double began, ms;
	uint64_t n_found;

	bench_must(search_index_new(0, &ix), "search");
	began = own_ms();
	for (uint32_t i = 0; i < N_DOCUMENTS; i++)
		put(ix, c, vault, i);
	figures.build_s = (own_ms() - began) / 1e3;
	bench_print_target("search: built in s", figures.build_s, 10, false);
	print_memory(ix);
	measure_queries(ix, queries, n, &figures);
	bench_print_target("search: a query's p99, ms", figures.p99_ms, 20, false);
	ms = scan_ms(c, queries, &n_found);
	printf("one memmem over the same text: %.1f ms for %.0f documents; to it p50 %.2f, p99 %.2f\n", ms, (double)n_found / N_SCANNED,
	    figures.p50_ms / ms, figures.p99_ms / ms);
	measure_changes(ix, c, vault);
	write_for_peer(plan, c, queries, n, &figures);
	began = own_ms();
	search_index_free(&ix);
	printf("wiped in %.0f ms\n", own_ms() - began);
}

void
bench_search(const struct bench_plan *plan)
{
	struct bench_words *w = calloc(1, sizeof *w);
	unsigned n = plan->quick ? N_QUERIES : 5 * N_QUERIES;
	struct asked *queries = calloc(n, sizeof *queries);
	struct corpus *c;

	bench_must(w == NULL || queries == NULL ? ERR_NO_MEMORY : OK, "search");
	bench_words_make(SEED, w);
	c = make_corpus(w);
	for (unsigned i = 0; i < n; i++)
		make_query(w, c, (enum family)(i % FAMILIES), &queries[i]);
	printf("\nsearch in %u memories of %u characters, %.0f MiB; processor time of one thread\n", N_DOCUMENTS, N_CHARS,
	    (double)c->len / 1048576);
	measure(plan, c, queries, n);
	free(c->text);
	free(c);
	free(queries);
	free(w);
}
