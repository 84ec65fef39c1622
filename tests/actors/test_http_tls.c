/* The server over TLS, with a certificate of its own making and OpenSSL's client. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "actors/http_server.h"
#include "actors/http_tls.h"
#include "tests/support/check.h"

struct rig {
	struct http_config   *config;
	struct http_server   *server;
	struct http_exchange *held;
	bool                  holds;
	unsigned              n_requests, n_secure;
	size_t                answer_len;
	int                   fd;
	SSL_CTX              *ctx;
	SSL                  *ssl;
	char                  heard[300000];
	size_t                heard_len;
	bool                  ended;
};

static struct secret *
text_of(BIO *bio)
{
	struct secret *s = NULL;
	char *p;
	long len = BIO_get_mem_data(bio, &p);

	assert_int_equal(secret_new((size_t)len, &s), OK);
	memcpy(secret_bytes(s), p, (size_t)len);
	BIO_free(bio);
	return s;
}

static void
make_certificate(struct http_config *c)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	BIO *key_bio = BIO_new(BIO_s_mem()), *cert_bio = BIO_new(BIO_s_mem());
	X509 *x = X509_new();

	assert_true(key != NULL && x != NULL);
	ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
	X509_gmtime_adj(X509_getm_notBefore(x), -3600);
	X509_gmtime_adj(X509_getm_notAfter(x), 3600);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0);
	X509_set_issuer_name(x, X509_get_subject_name(x));
	X509_set_pubkey(x, key);
	assert_true(X509_sign(x, key, EVP_sha256()) > 0);
	assert_int_equal(PEM_write_bio_PrivateKey(key_bio, key, NULL, NULL, 0, NULL, NULL), 1);
	assert_int_equal(PEM_write_bio_X509(cert_bio, x), 1);
	X509_free(x);
	EVP_PKEY_free(key);
	c->certificate = text_of(cert_bio);
	c->key = text_of(key_bio);
}

static void
answer(struct rig *r, struct http_exchange *x)
{
	struct secret *body = NULL;
	struct http_response response;

	assert_int_equal(secret_new(r->answer_len, &body), OK);
	memset(secret_bytes(body), 'z', r->answer_len);
	http_response_start(&response, 200);
	http_response_body(&response, "text/plain", secret_span(body));
	secret_free(&body);
	http_exchange_answer(x, &response);
}

static void
on_request(void *arg, struct http_exchange *x)
{
	struct rig *r = arg;

	r->n_requests++;
	r->n_secure += http_exchange_request(x)->is_secure;
	if (r->holds)
		r->held = x;
	else
		answer(r, x);
}

/* Leaf and issuer, whole, and with one that is damaged behind the leaf. */
static enum err
try_chain(struct http_config *c, const char *behind)
{
	struct http_server_config config = { .http = c, .connections_max = 1, .on_request = on_request };
	struct http_server *s = NULL;
	struct secret *leaf = c->certificate;
	size_t len = secret_len(leaf), n = strlen(behind);
	enum err e;

	assert_int_equal(secret_new(len + n, &c->certificate), OK);
	memcpy(secret_bytes(c->certificate), secret_view(leaf), len);
	memcpy(secret_bytes(c->certificate) + len, behind, n);
	e = http_server_new(&config, &s);
	http_server_free(&s);
	secret_free(&c->certificate);
	c->certificate = leaf;
	return e;
}

static void
a_chain_that_is_damaged_is_refused(void **state)
{
	struct http_config *c = NULL;
	char whole[4096];

	(void)state;
	assert_int_equal(http_config_default(&c), OK);
	make_certificate(c);
	snprintf(whole, sizeof whole, "%.*s", (int)secret_len(c->certificate), (const char *)secret_view(c->certificate));
	assert_int_equal(try_chain(c, whole), OK);
	assert_int_equal(try_chain(c, "\n"), OK);
	assert_int_equal(try_chain(c, "-----BEGIN CERTIFICATE-----\nTm9uZQ==\n-----END CERTIFICATE-----\n"), ERR_CONFIG_INVALID);
	assert_int_equal(try_chain(c, "-----BEGIN CERTIFICATE-----\nTm9uZQ"), ERR_CONFIG_INVALID);
	http_config_free(&c);
}

static int
start(void **state)
{
	struct rig *r = calloc(1, sizeof *r);
	struct http_server_config c = { .connections_max = 100, .on_request = on_request, .arg = r };

	signal(SIGPIPE, SIG_IGN);
	assert_non_null(r);
	r->fd = -1;
	r->answer_len = 2;
	assert_int_equal(secret_init(true), OK);
	assert_int_equal(http_config_default(&r->config), OK);
	make_certificate(r->config);
	r->config->port = 0;
	c.http = r->config;
	assert_int_equal(http_server_new(&c, &r->server), OK);
	assert_int_equal(http_server_listen(r->server), OK);
	r->ctx = SSL_CTX_new(TLS_client_method());
	*state = r;
	return 0;
}

static int
stop(void **state)
{
	struct rig *r = *state;

	SSL_free(r->ssl);
	SSL_CTX_free(r->ctx);
	if (r->fd >= 0)
		close(r->fd);
	http_server_free(&r->server);
	http_config_free(&r->config);
	free(r);
	return 0;
}

static void
dial(struct rig *r)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)http_server_port(r->server)) };

	r->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(r->fd, (struct sockaddr *)&to, sizeof to), 0);
	assert_int_equal(fcntl(r->fd, F_SETFL, O_NONBLOCK), 0);
}

static void
turn(struct rig *r)
{
	http_server_wake(r->server);
	http_server_wait(r->server);
}

/* Whether the handshake comes to its good end. */
static bool
shake_hands(struct rig *r)
{
	dial(r);
	r->ssl = SSL_new(r->ctx);
	SSL_set_fd(r->ssl, r->fd);
	for (int i = 0; i < 100; i++) {
		int rc = SSL_connect(r->ssl);

		if (rc == 1)
			return true;
		if (SSL_get_error(r->ssl, rc) != SSL_ERROR_WANT_READ)
			return false;
		turn(r);
	}
	return false;
}

static void
say(struct rig *r, const char *text)
{
	assert_int_equal(SSL_write(r->ssl, text, (int)strlen(text)), (int)strlen(text));
}

static void
hear(struct rig *r)
{
	r->heard_len = 0;
	for (int quiet = 0; quiet < 5 && !r->ended;) {
		int n;

		turn(r);
		n = SSL_read(r->ssl, r->heard + r->heard_len, (int)(sizeof r->heard - 1 - r->heard_len));
		if (n > 0)
			r->heard_len += (size_t)n;
		else
			r->ended = SSL_get_error(r->ssl, n) != SSL_ERROR_WANT_READ;
		quiet = n > 0 ? 0 : quiet + 1;
	}
	r->heard[r->heard_len] = '\0';
}

#define GET "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

static void
a_request_is_answered(void **state)
{
	struct rig *r = *state;

	assert_true(shake_hands(r));
	for (int i = 0; i < 3; i++) {
		say(r, GET);
		hear(r);
		assert_memory_equal(r->heard, "HTTP/1.1 200 OK\r\n", 17);
		assert_string_equal(r->heard + r->heard_len - 6, "\r\n\r\nzz");
	}
	assert_int_equal(r->n_secure, 3);
	assert_false(r->ended);
}

/* Both come in one record, of which the descriptor tells once. */
static void
pipelined_requests_are_not_forgotten_in_a_record(void **state)
{
	struct rig *r = *state;
	char many[100 * sizeof GET] = "";

	assert_true(shake_hands(r));
	for (int i = 0; i < 90; i++)
		strcat(many, GET);
	r->holds = true;
	say(r, many);
	for (int i = 0; i < 90; i++) {
		hear(r);
		assert_int_equal(r->n_requests, i + 1);
		answer(r, r->held);
	}
	hear(r);
	assert_memory_equal(r->heard, "HTTP/1.1 200 OK\r\n", 17);
}

static void
a_large_answer_arrives_whole(void **state)
{
	struct rig *r = *state;

	r->answer_len = 250000;
	assert_true(shake_hands(r));
	say(r, GET);
	hear(r);
	assert_true(r->heard_len > r->answer_len);
	assert_int_equal(strspn(strstr(r->heard, "\r\n\r\n") + 4, "z"), r->answer_len);
}

static void
the_end_is_said(void **state)
{
	struct rig *r = *state;

	assert_true(shake_hands(r));
	say(r, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	hear(r);
	assert_true(r->ended);
	/* close_notify, not a cut. */
	assert_int_equal(SSL_get_shutdown(r->ssl) & SSL_RECEIVED_SHUTDOWN, SSL_RECEIVED_SHUTDOWN);
}

static void
a_client_that_goes_is_noticed(void **state)
{
	struct rig *r = *state;

	r->holds = true;
	assert_true(shake_hands(r));
	say(r, GET);
	hear(r);
	assert_true(http_exchange_is_wanted(r->held));
	SSL_shutdown(r->ssl);
	turn(r);
	turn(r);
	assert_false(http_exchange_is_wanted(r->held));
	answer(r, r->held);
}

static void
older_versions_are_refused(void **state)
{
	struct rig *r = *state;

	SSL_CTX_set_security_level(r->ctx, 0);
	SSL_CTX_set_min_proto_version(r->ctx, TLS1_VERSION);
	SSL_CTX_set_max_proto_version(r->ctx, TLS1_1_VERSION);
	assert_false(shake_hands(r));
}

static void
tls_1_2_is_taken(void **state)
{
	struct rig *r = *state;

	SSL_CTX_set_max_proto_version(r->ctx, TLS1_2_VERSION);
	assert_true(shake_hands(r));
	say(r, GET);
	hear(r);
	assert_memory_equal(r->heard, "HTTP/1.1 200 OK\r\n", 17);
}

static void
of_protocols_it_chooses_its_own(void **state)
{
	static const unsigned char offered[] = "\x02h2\x08http/1.1";
	const unsigned char *chosen = NULL;
	struct rig *r = *state;
	unsigned len = 0;

	SSL_CTX_set_alpn_protos(r->ctx, offered, sizeof offered - 1);
	assert_true(shake_hands(r));
	SSL_get0_alpn_selected(r->ssl, &chosen, &len);
	assert_int_equal(len, 8);
	assert_memory_equal(chosen, "http/1.1", 8);
}

static void
plain_bytes_are_no_handshake(void **state)
{
	struct rig *r = *state;
	char got[64];

	dial(r);
	assert_true(send(r->fd, GET, sizeof GET - 1, 0) > 0);
	for (int i = 0; i < 5; i++)
		turn(r);
	while (recv(r->fd, got, sizeof got, MSG_DONTWAIT) > 0)
		;
	assert_int_equal(http_server_figures(r->server).connections, 0);
	assert_int_equal(r->n_requests, 0);
}

static void
a_key_of_another_certificate_is_refused(void **state)
{
	struct rig *r = *state;
	struct http_config other = { .port = 0 };
	struct http_tls *tls = NULL;

	make_certificate(&other);
	assert_int_equal(http_tls_new(secret_span(r->config->certificate), secret_span(other.key), &tls), ERR_CONFIG_INVALID);
	assert_int_equal(http_tls_new(secret_span(other.key), secret_span(other.key), &tls), ERR_CONFIG_INVALID);
	assert_int_equal(http_tls_new(secret_span(other.certificate), secret_span(other.certificate), &tls), ERR_CONFIG_INVALID);
	secret_free(&other.certificate);
	secret_free(&other.key);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		CASE(a_request_is_answered),
		CASE(pipelined_requests_are_not_forgotten_in_a_record),
		CASE(a_large_answer_arrives_whole),
		CASE(the_end_is_said),
		CASE(a_client_that_goes_is_noticed),
		CASE(older_versions_are_refused),
		CASE(tls_1_2_is_taken),
		CASE(of_protocols_it_chooses_its_own),
		CASE(plain_bytes_are_no_handshake),
		CASE(a_key_of_another_certificate_is_refused),
		cmocka_unit_test(a_chain_that_is_damaged_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
