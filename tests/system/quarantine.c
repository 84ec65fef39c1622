/*
 * quarantine HOME VAULT ASSET REVISION NEW: files NEW as a child of an asset's
 * revision that failed its check, which no command can do: what takes revisions
 * in from elsewhere makes them. The home's daemon must not run.
 */
#include <stdio.h>
#include <unistd.h>

#include "store/vault_db.h"

static void
must(enum err e, const char *what)
{
	if (e == OK)
		return;
	fprintf(stderr, "quarantine: %s: %s\n", what, err_code(e));
	_exit(1);
}

static struct uuid
id(const char *text)
{
	struct uuid u;

	must(uuid_parse(text, &u), text);
	return u;
}

int
main(int argc, char **argv)
{
	static const uint8_t part[80] = { 1 };
	struct new_revision fresh = { .quarantined = true, .mode = PUBLISH_BESIDE };
	struct revision_record like;
	struct vault_db *db = NULL;

	if (argc != 6 || chdir(argv[1]) != 0)
		return 2;
	must(vault_db_open("vault", &db), "open");
	must(vault_db_revision(db, id(argv[2]), id(argv[3]), id(argv[4]), CLASSES_ALL, &like), "revision");
	fresh.row = like.row;
	fresh.row.revision = id(argv[5]);
	fresh.row.n_parents = 1;
	fresh.row.parents[0] = like.row.revision;
	fresh.sealed_title = fresh.sealed_meta = (struct span){ part, sizeof part };
	must(vault_db_publish(db, &fresh), "publish");
	must(vault_db_commit(db), "commit");
	vault_db_close(&db);
	return 0;
}
