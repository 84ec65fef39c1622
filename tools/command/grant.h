/* grant: what `unattended mint|status|revoke|prune` and `grant mint|list|revoke|prune` share. */
#ifndef TOOLS_COMMAND_GRANT_H
#define TOOLS_COMMAND_GRANT_H

#include "tools/command/command.h"

/* What is to be minted, as the command line says it. */
struct grant_wish {
	enum grant_type type;
	uint8_t         classes; /* bit (1 << enum key_class) */
	bool            may_propose;
	uint64_t        expires_wall_ms; /* 0: never */
	const char     *label;   /* "" for none */
	struct span     vaults;  /* 16 bytes each */
};

/* grant_mint.c */
enum err grant_mint(struct invocation *in, enum grant_type type);

/* grant_preview.c: the rows that the grant's own list would have, of each of its vaults. */
enum err grant_preview(struct invocation *in, struct client *c, const struct grant_wish *wish);

/* grant_list.c */
enum err grant_page(struct invocation *in, struct client *c, enum grant_type type, uint64_t offset,
    uint32_t limit, union any_body *answer);
void     grant_write_classes(struct json_writer *w, uint8_t classes);
void     grant_write_ids(struct json_writer *w, const char *key, struct span ids);

#endif
