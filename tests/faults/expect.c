#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/faults/expect.h"

static const char *const words[FACT__COUNT] = { "delivered", "begun", "added", "granted", "revoking", "revoked",
	"locking", "locked", "resuming", "resumed" };

static bool
take_ids(struct uuid *const *ids, size_t n, char (*texts)[64])
{
	for (size_t i = 0; i < n; i++)
		if (uuid_parse(texts[i], ids[i]) != OK)
			return false;
	return true;
}

static bool
take_rest(struct fact *f, const char *rest)
{
	char t[3][64];

	switch (f->type) {
	case FACT_DELIVERED:
		return sscanf(rest, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %63s %63s", &f->index, &f->offset, &f->length,
		    t[0], t[1]) == 5 && take_ids((struct uuid *[]){ &f->asset, &f->revision }, 2, t);
	case FACT_BEGUN:
		return sscanf(rest, "%63s", t[0]) == 1 && take_ids((struct uuid *[]){ &f->revision }, 1, t);
	case FACT_ADDED:
		return sscanf(rest, "%63s %63s %63s %" SCNu64, t[0], t[1], t[2], &f->length) == 4 &&
		    take_ids((struct uuid *[]){ &f->vault, &f->asset, &f->revision }, 3, t);
	case FACT_GRANTED:
	case FACT_REVOKING:
	case FACT_REVOKED:
		return sscanf(rest, "%63s", t[0]) == 1 && take_ids((struct uuid *[]){ &f->grant }, 1, t);
	case FACT_LOCKING:
	case FACT_LOCKED:
	case FACT_RESUMING:
	case FACT_RESUMED:
	case FACT__COUNT:
		break;
	}
	return true;
}

static bool
take_line(const char *line, struct fact *f)
{
	char word[32];
	int used = 0;

	if (sscanf(line, "%zu %31s%n", &f->event, word, &used) != 2)
		return false;
	for (size_t i = 0; i < FACT__COUNT; i++)
		if (strcmp(word, words[i]) == 0) {
			f->type = (enum fact_type)i;
			return take_rest(f, line + used);
		}
	return false;
}

bool
expect_read(const char *path, struct expect *out)
{
	FILE *f = fopen(path, "r");
	struct expect x = { 0 };
	char line[512];
	size_t room = 0;
	bool fine = f != NULL;

	while (fine && fgets(line, sizeof line, f) != NULL) {
		if (x.n == room) {
			room = room * 2 + 64;
			x.facts = realloc(x.facts, room * sizeof *x.facts);
			if (x.facts == NULL)
				break;
		}
		memset(&x.facts[x.n], 0, sizeof *x.facts);
		fine = take_line(line, &x.facts[x.n++]);
	}
	if (f != NULL)
		fclose(f);
	if (!fine || x.facts == NULL) {
		free(x.facts);
		return false;
	}
	*out = x;
	return true;
}

void
expect_free(struct expect *x)
{
	free(x->facts);
	*x = (struct expect){ 0 };
}
