/* The small files beside the segments, each taken as its reader takes it; what is taken is made again, the same. */
#include <stdlib.h>
#include <string.h>

#include "gateway/remembered_form.h"
#include "store/log_anchor.h"
#include "store/log_head.h"
#include "store/log_key.h"
#include "store/log_note.h"
#include "store/log_seal.h"
#include "tests/fuzz/fuzz_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct signer *log_key;

static void
ready(void)
{
	/* The key of docs/store-format.md, from which the seeds are. */
	if (log_key == NULL)
		log_key = fuzz_signer(KEY_LEN);
}

static void
expect_same(struct span was, const void *is, size_t len)
{
	must(len == was.len && memcmp(is, was.p, len) == 0);
}

/* The certificate in it can be no input's work, so it is put in, with one of the key that is believed. */
static void
take_seal(struct span file)
{
	static const uint8_t epoch_public[SIGN_PUBLIC_LEN] = { 7 };
	struct log_seal s = { .segment = 1, .end = 200, .state = file }, again;
	uint8_t *bytes = NULL;
	size_t len;

	(void)log_seal_take(file, signer_public(log_key), &again);
	s.chain.epoch = (struct log_epoch){ .begun = true, .certified = true };
	memcpy(s.chain.epoch.public_key, epoch_public, sizeof epoch_public);
	cert_make(log_key, NULL, CERT_EPOCH, s.chain.epoch.id, epoch_public, &s.certificate);
	if (log_seal_put(&s, &bytes, &len) == OK) {
		for (size_t i = 0; i + 3 <= file.len && i < 60; i += 3)
			bytes[(size_t)(file.p[i] << 8 | file.p[i + 1]) % len] ^= file.p[i + 2];
		(void)log_seal_take((struct span){ bytes, len }, signer_public(log_key), &again);
	}
	free(bytes);
}

static void
take_note(struct span file)
{
	char text[LOG_NOTE_TEXT_MAX + 1], origin[LOG_ORIGIN_MAX + 1];
	struct log_note n;

	log_key_origin((struct uuid){ { 1 } }, origin);
	if (log_note_take(file, &n) == OK)
		(void)log_note_vouched(&n, origin, signer_public(log_key));
	if (log_note_text_take(file, &n) == OK && n.extensions.len == 0)
		expect_same(file, text, log_note_text(&n, text));
}

static void
take_key(struct span file)
{
	char origin[LOG_ORIGIN_MAX + 1], text[LOG_KEY_TEXT_MAX + 1];
	uint8_t key[SIGN_PUBLIC_LEN];
	struct uuid library;

	if (log_key_parse(file, origin, key) != OK)
		return;
	(void)log_key_library(origin, &library);
	log_key_text(origin, key, text);
	must(strlen(text) >= file.len && memcmp(text, file.p, file.len) == 0);
}

static void
take_binary(struct span file)
{
	uint8_t buf[256];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct wire_in in = wire_in(file.p, file.len);
	struct log_repaired repaired;
	struct log_anchor a;

	log_anchor_take(&in, &a);
	if (wire_done(&in)) {
		log_anchor_put(&o, &a);
		expect_same(file, o.p, o.len);
	}
	o = wire_out(buf, sizeof buf);
	if (log_repaired_take(file, &repaired)) {
		log_repaired_put(&o, &repaired);
		expect_same(file, o.p, o.len);
	}
}

static void
take_remembered(struct span file)
{
	const struct uuid library = { { 1 } };
	char text[REMEMBERED_TEXT_MAX + 1];
	struct log_point place;

	if (remembered_form_take(file, library, &place) == OK)
		expect_same(file, text, remembered_form_put(library, &place, text));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const takers[])(struct span file) = { take_seal, take_note, take_key, take_binary, take_remembered };
	uint8_t *copy;

	ready();
	if (size == 0)
		return 0;
	/* A copy of its own length, so that a byte too far is seen. */
	must((copy = malloc(size)) != NULL);
	memcpy(copy, data + 1, size - 1);
	takers[data[0] % 5]((struct span){ copy, size - 1 });
	free(copy);
	return 0;
}
