/* audit repair: shows what holds and what is given up, has the word typed, and lets the daemon do it. */
#include <stdio.h>
#include <string.h>

#include "escrow/terminal.h"
#include "tools/command/command.h"

#define REPAIR_MS 610000 /* longer than the daemon takes for it at most */

static const char warning[] =
    "\n"
    "The files of the log were changed from outside. Find out who did it before you go on.\n"
    "\n"
    "  what holds          %llu records\n"
    "                      root %s\n"
    "  what was known      %llu records\n"
    "                      root %s\n"
    "\n"
    "A repair keeps what holds. Everything behind it moves to audit/quarantine/ in the home,\n"
    "and a record in the log names both for good. Your clients will refuse the log until\n"
    "`memories audit checkpoint --accept`.\n"
    "\n";

static enum err
confirm(const struct repaired_body *b)
{
	char found[HASH_TEXT_LEN + 1], lost[HASH_TEXT_LEN + 1], text[sizeof warning + 200];
	char line[TERMINAL_LINE_MAX + 1];
	enum err e;

	hash_text(b->found_root, found);
	hash_text(b->lost_root, lost);
	snprintf(text, sizeof text, warning, (unsigned long long)b->found_size, found,
	    (unsigned long long)b->lost_size, lost);
	if ((e = terminal_warn(text)) != OK || (e = terminal_line(PROMPT_REPAIR, line)) != OK)
		return e;
	return strcmp(line, "REPAIR") == 0 ? OK : ERR_NOT_CONFIRMED;
}

static enum err
repair(struct invocation *in, struct client *c, struct repaired_body *out)
{
	struct repair_ask_body ask = { .look = 1 };
	union any_body answer;
	enum err e;

	client_be_patient(c, REPAIR_MS);
	if ((e = owner_call(in, c, MSG_REPAIR_ASK, &ask, MSG_REPAIRED, &answer)) != OK)
		return e;
	if (!answer.repaired.failed)
		return ERR_NOT_FAILED;
	if ((e = confirm(&answer.repaired)) != OK)
		return e;
	ask.look = 0;
	if ((e = owner_call(in, c, MSG_REPAIR_ASK, &ask, MSG_REPAIRED, &answer)) == OK)
		*out = answer.repaired;
	return e;
}

enum err
run_audit_repair(struct invocation *in)
{
	struct repaired_body b = { .error = OK };
	struct json_writer w = { 0 };
	struct client *c = NULL;
	enum err e;

	if ((e = owner_open(in, &c)) == OK)
		e = repair(in, c, &b);
	client_close(&c);
	if (e != OK)
		return e;
	if (!in->json)
		return print_line("repaired: %llu records hold; what was behind them is in audit/quarantine/\n",
		    (unsigned long long)b.found_size);
	json_write_object(&w);
	json_member_u64(&w, "repairs", b.repairs);
	member_head(&w, "found", b.found_size, b.found_root);
	member_head(&w, "lost", b.lost_size, b.lost_root);
	json_write_end(&w);
	return print_json(&w);
}
