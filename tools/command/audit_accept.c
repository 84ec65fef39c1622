/* audit checkpoint --accept: the log as it is becomes what this user's clients remember. */
#include <stdio.h>
#include <string.h>

#include "escrow/terminal.h"
#include "gateway/remembered.h"
#include "tools/command/command.h"

static const char explanation[] =
    "\n"
    "Your clients remember a log that this one does not have to extend any more.\n"
    "\n"
    "  remembered          %s\n"
    "  now                 %llu records, root %s\n"
    "  repairs             %s\n"
    "\n"
    "Accept it only if you know why the log is another one.\n"
    "\n";

/* What the log is now, by a daemon that was asked with sudo. */
static enum err
look(struct invocation *in, struct repaired_body *now, struct uuid *library)
{
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = owner_open(in, &c)) == OK &&
	    (e = owner_call(in, c, MSG_REPAIR_ASK, &(struct repair_ask_body){ .look = 1 }, MSG_REPAIRED, &answer)) == OK) {
		*now = answer.repaired;
		*library = client_welcome(c)->library;
	}
	client_close(&c);
	return e == OK && now->failed ? ERR_AUDIT_TAMPERED : e;
}

static enum err
confirm(const struct remembered *r, const struct repaired_body *now)
{
	char text[sizeof explanation + 500], was[120] = "nothing", repairs[120] = "none", root[HASH_TEXT_LEN + 1];
	char line[TERMINAL_LINE_MAX + 1];
	struct log_point last;
	enum err e;

	if (remembered_last(r, &last)) {
		hash_text(last.root, root);
		snprintf(was, sizeof was, "%llu records, root %s", (unsigned long long)last.size, root);
	} else if (remembered_detail(r)[0] != '\0') {
		snprintf(was, sizeof was, "a file that cannot be used");
	}
	if (now->repairs > 0)
		snprintf(repairs, sizeof repairs, "the last, of count %lu, gave up a log of %llu records",
		    (unsigned long)now->repairs, (unsigned long long)now->lost_size);
	hash_text(now->found_root, root);
	snprintf(text, sizeof text, explanation, was, (unsigned long long)now->found_size, root, repairs);
	if ((e = terminal_warn(text)) != OK || (e = terminal_line(PROMPT_ACCEPT, line)) != OK)
		return e;
	return strcmp(line, "ACCEPT") == 0 ? OK : ERR_NOT_CONFIRMED;
}

static enum err
accept_log(struct invocation *in)
{
	struct repaired_body now = { .failed = 0 };
	struct remembered *r = NULL;
	struct uuid library;
	enum err e;

	if ((e = look(in, &now, &library)) != OK)
		return e;
	e = remembered_open(library, &r);
	/* A file that cannot be used is replaced like any other. */
	if (e == OK || (e == ERR_AUDIT_DIVERGED && r != NULL))
		e = confirm(r, &now);
	if (e == OK && (e = remembered_accept(r, now.found_size)) != OK)
		explain(in, remembered_detail(r));
	remembered_close(&r);
	return e;
}

enum err
audit_accept(struct invocation *in)
{
	struct json_writer w = { 0 };
	enum err e = accept_log(in);

	if (e != OK || !in->json)
		return e;
	json_write_object(&w);
	json_member_bool(&w, "accepted", true);
	json_write_end(&w);
	return print_json(&w);
}
