#include <string.h>

#include "escrow/custody.h"
#include "tools/command/command.h"
#include "tools/command/status_custody.h"

struct words {
	const char *backend;
	const char *kept, *protects, *does_not;
};

/* docs/threat-model.md says the same at more length. */
static const struct words known[] = {
	{ "linux-secret-service", "the desktop's keyring keeps the unattended key",
	  "at rest: without the keyring's password a copy of the disk, the home and every client file opens nothing",
	  "against programs of your own account: while the keyring is unlocked they can ask it as this daemon does" },
	{ "owner-file", "a file in the home keeps the unattended key in clear",
	  "against other users of this machine, who cannot read the file",
	  "at rest: a copy of the home and of a client file opens that grant's vaults; nor against programs of your own account" },
};

static const struct words *
words_of(const struct state_body *s)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (s->backend.len == strlen(known[i].backend) &&
		    memcmp(s->backend.p, known[i].backend, s->backend.len) == 0)
			return &known[i];
	return NULL;
}

void
status_custody_json(struct json_writer *w, const struct state_body *s)
{
	const struct words *k = words_of(s);
	const char *detail = custody_detail_text(s->unattended_detail);

	json_write_key(w, "custody");
	if (!s->enrolled || k == NULL) {
		json_write_null(w);
		return;
	}
	json_write_object(w);
	json_member_text(w, "backend", k->backend);
	json_member_text(w, "kept", k->kept);
	json_member_text(w, "protects", k->protects);
	json_member_text(w, "does_not_protect", k->does_not);
	json_write_key(w, "detail");
	if (*detail == '\0')
		json_write_null(w);
	else
		json_write_text(w, detail);
	json_write_end(w);
}

void
status_custody_text(const struct state_body *s)
{
	const struct words *k = words_of(s);
	const char *detail = custody_detail_text(s->unattended_detail);

	if (!s->enrolled || k == NULL)
		return;
	if (*detail != '\0')
		print_line("           %s\n", detail);
	print_line("custody    %s: %s\n", k->backend, k->kept);
	print_line("           it protects %s\n", k->protects);
	print_line("           it does not protect %s\n", k->does_not);
}
