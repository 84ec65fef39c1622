#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escrow/custody.h"
#include "escrow/hash.h"
#include "escrow/password.h"
#include "escrow/random.h"
#include "gateway/client_file.h"
#include "store/grants_db.h"
#include "store/log_key.h"
#include "tools/bench_fill.h"
#include "tools/bench_home.h"

#define BACKEND   "owner-file"
#define KEYS_FILE "keys"
#define SEEDS     5

void
bench_must(enum err e, const char *what)
{
	if (e == OK)
		return;
	fprintf(stderr, "bench: %s: %s\n", what, err_code(e));
	exit(1);
}

void
bench_must_not_fail(long result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "bench: ");
	perror(what);
	exit(1);
}

/* What is kept in the keys file, in its order. */
struct kept {
	uint8_t           seeds[SEEDS][KEY_LEN]; /* root, unattended, token, log key, delegate */
	struct uuid       library, enrolment, grant, vault;
	struct bench_want want;
};

static void
take_signer(const uint8_t seed[KEY_LEN], struct signer **out)
{
	struct key *k = NULL;

	bench_must(key_of(seed, &k), "key");
	bench_must(signer_of_seed(k, out), "signer");
	key_free(&k);
}

/* All that follows from what is kept. */
static void
take_kept(const char *place, const struct kept *kept, struct bench_home *h)
{
	*h = (struct bench_home){ .library = kept->library, .enrolment = kept->enrolment, .grant = kept->grant,
		.vault = kept->vault, .want = kept->want };
	snprintf(h->path, sizeof h->path, "%s/home", place);
	snprintf(h->client_file, sizeof h->client_file, "%s/client.json", place);
	bench_must(key_of(kept->seeds[0], &h->root), "key");
	bench_must(key_of(kept->seeds[1], &h->unattended), "key");
	bench_must(key_of(kept->seeds[2], &h->token), "key");
	take_signer(kept->seeds[3], &h->log_key);
	take_signer(kept->seeds[4], &h->delegate);
	delegation_make(h->log_key, h->enrolment, signer_public(h->delegate), &h->delegation);
	for (unsigned c = 0; c < CLASS__COUNT; c++) {
		const uint8_t number = (uint8_t)c;

		bench_must(key_new(&h->classes[c]), "key");
		derive(h->root, "memories/bench-class/v1", (struct span){ &number, 1 }, h->classes[c]);
	}
}

static void
put_library(const struct bench_home *h, struct grants_db *db)
{
	static const uint8_t password[] = "bench";
	struct password_terms terms = { .passes = PASSWORD_PASSES_TEST, .memory_kib = PASSWORD_MEMORY_KIB_TEST };
	struct library_record r = { .library = h->library, .device = uuid_make(clock_wall()), .created = clock_wall(),
		.device_member = true, .envelope = { .passes = terms.passes, .memory_kib = terms.memory_kib } };
	struct key_binding log = bind_log_key(h->library), root;
	struct key *kek = NULL, *seed = NULL;
	struct secret *p = NULL;

	bench_must(secret_new(sizeof password - 1, &p), "password");
	memcpy(secret_bytes(p), password, sizeof password - 1);
	memset(terms.salt, 7, sizeof terms.salt);
	root = bind_root(h->library, terms.passes, terms.memory_kib, terms.salt);
	memcpy(r.envelope.salt, terms.salt, sizeof r.envelope.salt);
	bench_must(key_new(&kek), "key");
	bench_must(key_new(&seed), "key");
	bench_must(password_kek(p, &terms, kek), "password");
	key_seal(kek, key_binding_span(&root), h->root, r.envelope.sealed_root);
	signer_seed(h->log_key, seed);
	key_seal(h->root, key_binding_span(&log), seed, r.sealed_log_key);
	memcpy(r.log_public, signer_public(h->log_key), sizeof r.log_public);
	bench_must(grants_db_init_library(db, &r), "library");
	key_free(&kek);
	key_free(&seed);
	secret_free(&p);
}

static void
put_enrolment(const struct bench_home *h, struct grants_db *db)
{
	struct custody_binding binding = { .library = h->library, .enrolment = h->enrolment, .home = h->path, .backend = BACKEND };
	struct enrolment_record r = { .enrolment = h->enrolment, .backend = BACKEND, .created = clock_wall(),
		.delegation = h->delegation };
	struct key_binding delegate = bind_delegate(h->enrolment);
	struct key *material = NULL, *envelope = NULL, *seed = NULL;
	enum custody_detail why;
	uint8_t context[CUSTODY_CONTEXT_MAX];
	struct wire_out o = wire_out(context, sizeof context);

	bench_must(key_random(&material), "key");
	bench_must(key_new(&envelope), "key");
	bench_must(key_new(&seed), "key");
	custody_context(&binding, &o);
	custody_envelope_key(material, wire_written(&o), envelope);
	key_seal(envelope, (struct span){ NULL, 0 }, h->unattended, r.sealed_unattended);
	signer_seed(h->delegate, seed);
	key_seal(h->unattended, key_binding_span(&delegate), seed, r.sealed_delegate);
	bench_must(custody_store(&binding, material, &why), "custody");
	bench_must(grants_db_put_enrolment(db, CUSTODY_UNATTENDED, &r), "enrolment");
	key_free(&material);
	key_free(&envelope);
	key_free(&seed);
}

static void
put_grant(const struct bench_home *h, struct grants_db *db)
{
	static struct grant_record g;
	struct vault_keys keys = { .vault = h->vault };
	struct key *half = NULL, *under = NULL;
	uint8_t id[32];

	g = (struct grant_record){ .grant = h->grant, .type = GRANT_UNATTENDED, .revision = 1,
		.life = { .created = clock_wall() }, .classes = (1u << CLASS__COUNT) - 1, .n_vaults = 1,
		.vaults = { { .vault = h->vault, .classes = (1u << CLASS__COUNT) - 1 } } };
	bench_must(key_new(&half), "key");
	bench_must(key_new(&under), "key");
	token_half(h->token, half);
	grant_key(h->unattended, half, h->grant, under);
	for (unsigned c = 0; c < CLASS__COUNT; c++) {
		struct key_binding own = bind_class(h->vault, (enum key_class)c);
		struct key_binding granted = bind_grant_class(h->grant, h->vault, (enum key_class)c);

		key_seal(h->root, key_binding_span(&own), h->classes[c], keys.sealed[c]);
		key_seal(under, key_binding_span(&granted), h->classes[c], g.vaults[0].sealed[c]);
	}
	token_id(h->token, id);
	sha256(id, sizeof id, g.token_hash);
	bench_must(grants_db_put_vault_keys(db, &keys), "vault keys");
	bench_must(grants_db_add_grant(db, &g), "grant");
	key_free(&half);
	key_free(&under);
}

static void
put_client_file(const struct bench_home *h)
{
	char origin[LOG_ORIGIN_MAX + 1], line[LOG_KEY_TEXT_MAX + 1], home[BENCH_PATH_MAX];
	struct client_file f = { .type = GRANT_UNATTENDED, .library = h->library, .grant = h->grant, .home = home, .log_key = line };

	memcpy(home, h->path, strlen(h->path) + 1);
	log_key_origin(h->library, origin);
	log_key_text(origin, signer_public(h->log_key), line);
	line[strcspn(line, "\n")] = '\0';
	f.token = h->token;
	bench_must(client_file_publish(h->client_file, &f), "client file");
}

static void
keep(const char *place, struct kept *kept)
{
	char path[BENCH_PATH_MAX + 8];
	int fd;

	snprintf(path, sizeof path, "%s/" KEYS_FILE, place);
	bench_must_not_fail(fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600), path);
	bench_must_not_fail(write(fd, kept, sizeof *kept) == sizeof *kept ? 0 : -1, path);
	close(fd);
}

static void
make_folders(const struct bench_home *h)
{
	static const char *const names[] = { "", "/audit", "/vault", "/grants", "/custody", "/run" };
	char path[BENCH_PATH_MAX + 16];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s%s", h->path, names[i]);
		bench_must_not_fail(mkdir(path, 0700), path);
	}
}

void
bench_home_make(const char *place, const struct bench_want *want, struct bench_home *out)
{
	struct kept kept = { .library = uuid_make(clock_wall()), .enrolment = uuid_make(clock_wall()),
		.grant = uuid_make(clock_wall()), .vault = uuid_make(clock_wall()), .want = *want };
	struct grants_db *db = NULL;

	random_bytes(kept.seeds, sizeof kept.seeds);
	bench_must_not_fail(mkdir(place, 0700), place);
	take_kept(place, &kept, out);
	make_folders(out);
	bench_must_not_fail(chdir(out->path), out->path);
	bench_must(grants_db_open("grants", &db), "grants");
	put_library(out, db);
	put_enrolment(out, db);
	put_grant(out, db);
	grants_db_close(&db);
	put_client_file(out);
	bench_fill(out);
	keep(place, &kept);
	wipe(&kept, sizeof kept);
}

void
bench_home_load(const char *place, struct bench_home *out)
{
	char path[BENCH_PATH_MAX + 8];
	struct kept kept;
	int fd;

	snprintf(path, sizeof path, "%s/" KEYS_FILE, place);
	bench_must_not_fail(fd = open(path, O_RDONLY), path);
	bench_must_not_fail(read(fd, &kept, sizeof kept) == sizeof kept ? 0 : -1, path);
	close(fd);
	take_kept(place, &kept, out);
	wipe(&kept, sizeof kept);
	bench_must_not_fail(chdir(out->path), out->path);
}
