/*
 * query: what the keyring says of an ask to search or to the profile, and the
 * seal over what was found.
 *
 * The result key is the keyring's, made from its boot key for one ruling and
 * one ask, so it need not be kept: asked for again, it is the same.
 * Source: docs/store-format.md, "Search results".
 */
#ifndef ESCROW_QUERY_H
#define ESCROW_QUERY_H

#include "escrow/channel.h"
#include "escrow/seal.h"

#define QUERY_TEXT_MAX   512  /* the words of a search */
#define PROFILE_TEXT_MAX 8192 /* a request to the profile */
#define QUERY_SEALED_MAX (KEY_LEN + PROFILE_TEXT_MAX + SEAL_OVERHEAD)

enum err query_result_key(const struct key_pair *boot, const uint8_t ruling_mac[32], uint64_t ask_id, struct key **out);

/* Result key and words, sealed for that ask and ruling. out: QUERY_SEALED_MAX bytes of room. text.len <= PROFILE_TEXT_MAX. */
enum err query_seal(const struct key *shared, uint64_t ask_id, const uint8_t ruling_mac[32], const struct key *result,
    struct span text, uint8_t *out, size_t *len);

/* *result, *text are new. ERR_STORAGE_CORRUPT: it is not for that ask and ruling. */
enum err query_open(const struct key *shared, uint64_t ask_id, const uint8_t ruling_mac[32], struct span sealed,
    struct key **result, struct secret **text);

/* out: plain.len + SEAL_OVERHEAD bytes. Opened as a deposit's piece of PART_FOUND. */
void query_found_seal(const struct key *result, struct span plain, uint8_t *out);

#endif
