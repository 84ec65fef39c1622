/* audit checkpoint: has the daemon sign the log's size and root now, and prints the note. */
#include <string.h>

#include "store/log_note.h"
#include "store/log_read.h"
#include "tools/command/command.h"

/* The owner is unlocked, so it is the log key itself that must have signed. */
static enum err
check_note(const struct client *c, struct span bytes, struct log_note *note)
{
	char origin[LOG_ORIGIN_MAX + 1];

	log_key_origin(client_welcome(c)->library, origin);
	return log_note_take(bytes, note) == OK && strcmp(note->origin, origin) == 0 &&
	    log_note_vouched(note, origin, client_welcome(c)->log_public) == LOG_NOTE_SIGNED ? OK : ERR_DAEMON_UNTRUSTED;
}

static enum err
print_note(const struct invocation *in, const struct log_note *note, struct span bytes)
{
	struct json_writer w = { 0 };

	if (!in->json)
		return print_bytes(bytes);
	json_write_object(&w);
	json_member_u64(&w, "size", note->size);
	member_hash(&w, "root", note->root);
	json_member_string(&w, "checkpoint", bytes);
	json_write_end(&w);
	return print_json(&w);
}

enum err
run_audit_checkpoint(struct invocation *in)
{
	struct client *c = NULL;
	struct log_note note;
	union any_body answer;
	enum err e;

	if (option_given(in, "--accept"))
		return audit_accept(in);
	if ((e = owner_open(in, &c)) == OK &&
	    (e = owner_call(in, c, MSG_CHECKPOINT_ASK, &(struct owner_ask_body){ { 0 } }, MSG_CHECKPOINT, &answer)) == OK &&
	    (e = check_note(c, answer.checkpoint.note, &note)) == OK)
		e = print_note(in, &note, answer.checkpoint.note);
	client_close(&c);
	return e;
}
