/*
 * index_page: what search reads of the vault: ordinary memories and cards,
 * sealed as they lie on disk. Nothing of another class ever is in a page.
 *
 * A page is small, so that the reads of others go on between two of them.
 */
#ifndef ACTORS_INDEX_PAGE_H
#define ACTORS_INDEX_PAGE_H

#include "mailbox/protocol.h"
#include "store/vault_db.h"

struct index_page;

enum err index_page_new(struct index_page **out); /* ERR_NO_MEMORY */
void     index_page_free(struct index_page **p);

/*
 * The page from where that says; valid until the next one. Its error is one of
 * ERR_NOT_FOUND, ERR_VAULT_NOT_ACTIVE, or the database's.
 */
struct index_page_body index_page_make(struct index_page *p, struct vault_db *db, const struct index_page_wanted_body *wanted);

#endif
