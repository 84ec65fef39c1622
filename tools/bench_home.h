/*
 * bench_home: homes to measure on, made straight through the store: a library
 * with one vault, a grant for it and its client file. What is sealed is
 * sealed as the product does it, so the product's own clients open it.
 *
 * A place is a folder with the home in it and, beside it, the client file and
 * the keys, so that another process of the benchmark can take the home up.
 */
#ifndef TOOLS_BENCH_HOME_H
#define TOOLS_BENCH_HOME_H

#include "escrow/cert.h"
#include "escrow/keys.h"

/* The vault's assets, in the order of their ids. */
enum bench_group {
	BENCH_NOTES, /* memories of 256 bytes, as many as are wanted */
	BENCH_SMALL, /* memories of 1 KiB */
	BENCH_LARGE, /* files of 64 KiB */
	BENCH_FILE,  /* one file of as many MiB as are wanted, if any */
	BENCH_GROUP__COUNT
};

#define BENCH_N_EACH   256 /* of SMALL and of LARGE */
#define BENCH_PATH_MAX 512

struct bench_want {
	uint64_t n_notes;
	uint32_t file_mib;
};

struct bench_home {
	char               path[BENCH_PATH_MAX];        /* canonical, of the home */
	char               client_file[BENCH_PATH_MAX];
	struct uuid        library, enrolment, grant, vault;
	struct key        *root, *unattended, *token;
	struct key        *classes[CLASS__COUNT];
	struct signer     *log_key, *delegate;
	struct delegation  delegation;
	struct bench_want  want;
};

/* Ends the program with a line that says what failed; OK does nothing. */
void bench_must(enum err e, const char *what);
void bench_must_not_fail(long result, const char *what); /* a system call's, with errno */

/* Makes a home in a new folder. */
void bench_home_make(const char *place, const struct bench_want *want, struct bench_home *out);

/* Takes up what bench_home_make made. */
void bench_home_load(const char *place, struct bench_home *out);

struct uuid bench_asset(enum bench_group g, uint64_t i);
uint64_t    bench_asset_bytes(enum bench_group g, const struct bench_want *want);
uint64_t    bench_group_size(enum bench_group g, const struct bench_want *want);

#endif
