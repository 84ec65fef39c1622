/* The keyring signs checkpoints of the log: no text but the one that it makes itself. */
#include <string.h>

#include "actors/keyring_state.h"
#include "store/log_note.h"

enum err
keyring_on_checkpoint_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	const struct keyring *k = self;
	const struct checkpoint_wanted_body *b = &in->body->checkpoint_wanted;
	const struct custody_keys *d = keyring_delegate(k);
	const struct signer *signer = k->log_key != NULL ? k->log_key : d != NULL ? d->delegate : NULL;
	struct checkpoint_signed_body answer = { .error = ERR_LOCKED };
	struct log_note note = { .size = b->size };
	char text[LOG_NOTE_MADE_MAX + 1];

	if (signer != NULL) {
		log_key_origin(b->library, note.origin);
		memcpy(note.root, b->root, sizeof note.root);
		answer.error = OK;
		answer.note = (struct span){ (const uint8_t *)text, log_note_sign(&note, signer, text) };
		memcpy(answer.public_key, signer_public(signer), sizeof answer.public_key);
	}
	return outbox_put(out, MSG_CHECKPOINT_SIGNED, in->ask_id, &answer);
}
