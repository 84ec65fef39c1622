/* Sessions of the pages, and authorizations that wait. */
#include <stdio.h>
#include <string.h>

#include "gateway/oauth_waiting.h"
#include "gateway/span.h"
#include "gateway/web_sessions.h"
#include "tests/support/check.h"

static struct web_sessions sessions;
static struct oauth_waitings waitings;
static struct mono_ms now;

static int
reset(void **state)
{
	(void)state;
	web_sessions_end_all(&sessions);
	oauth_waiting_end_all(&waitings);
	now.ms = 50000000;
	return 0;
}

/* The hash of a made-up cookie. */
static const uint8_t *
cookie(unsigned n)
{
	static uint8_t hashes[4][SHA256_LEN];
	static unsigned turn;
	uint8_t *hash = hashes[turn++ % 4];

	sha256(&n, sizeof n, hash);
	return hash;
}

static void
a_session_ends_when_nobody_uses_it(void **state)
{
	(void)state;
	assert_null(web_sessions_find(&sessions, cookie(1), now));
	web_sessions_add(&sessions, cookie(1), now);
	assert_non_null(web_sessions_find(&sessions, cookie(1), now));
	assert_null(web_sessions_find(&sessions, cookie(2), now));
	now.ms += WEB_SESSION_IDLE_MS - 1;
	assert_non_null(web_sessions_find(&sessions, cookie(1), now));
	now.ms += WEB_SESSION_IDLE_MS - 1;
	assert_non_null(web_sessions_find(&sessions, cookie(1), now));
	now.ms += WEB_SESSION_IDLE_MS;
	assert_null(web_sessions_find(&sessions, cookie(1), now));
}

static void
a_session_ends_after_half_a_day(void **state)
{
	uint64_t end = now.ms + WEB_SESSION_MAX_MS;

	(void)state;
	web_sessions_add(&sessions, cookie(1), now);
	for (; now.ms < end; now.ms += 600000)
		assert_non_null(web_sessions_find(&sessions, cookie(1), now));
	assert_null(web_sessions_find(&sessions, cookie(1), now));
}

static void
consent_needs_a_fresh_login(void **state)
{
	const struct web_session *s;

	(void)state;
	web_sessions_add(&sessions, cookie(1), now);
	s = web_sessions_find(&sessions, cookie(1), now);
	now.ms += WEB_SESSION_FRESH_MS;
	assert_true(web_session_is_fresh(s, now));
	now.ms++;
	assert_false(web_session_is_fresh(s, now));
	web_sessions_end(&sessions, cookie(1));
	assert_null(web_sessions_find(&sessions, cookie(1), now));
}

static void
too_many_sessions_push_the_oldest_out(void **state)
{
	(void)state;
	for (unsigned i = 0; i <= WEB_SESSIONS_MAX; i++, now.ms++)
		web_sessions_add(&sessions, cookie(i), now);
	assert_null(web_sessions_find(&sessions, cookie(0), now));
	assert_non_null(web_sessions_find(&sessions, cookie(1), now));
	assert_non_null(web_sessions_find(&sessions, cookie(WEB_SESSIONS_MAX), now));
}

static struct oauth_waiting *
begin_of(unsigned browser, const char *peer, bool is_owners)
{
	struct oauth_request r = { .redirect = span_of("http://127.0.0.1:9/cb"),
	    .redirect_registered = span_of("http://127.0.0.1/cb"),
		.state = span_of("s"), .scopes = 3 };
	struct oauth_waiting *out;

	r.client.name = span_of("Name");
	assert_int_equal(oauth_waiting_add(&waitings, &r, cookie(browser), span_of(peer), is_owners, now, &out), OK);
	return out;
}

static struct oauth_waiting *
begin(unsigned browser, const char *peer)
{
	return begin_of(browser, peer, false);
}

static void
a_request_waits_in_its_browser(void **state)
{
	struct oauth_waiting *one = begin(1, "a"), *other;
	char tx[OAUTH_TX_LEN + 1];

	(void)state;
	memcpy(tx, one->tx, sizeof tx);
	assert_int_equal(strlen(tx), OAUTH_TX_LEN);
	assert_ptr_equal(oauth_waiting_find(&waitings, span_of(tx), cookie(1), now), one);
	assert_true(span_is(one->name, "Name"));
	assert_true(span_is(one->state, "s"));
	assert_true(span_is(one->redirect, "http://127.0.0.1:9/cb"));
	assert_null(oauth_waiting_find(&waitings, span_of(tx), cookie(2), now));
	assert_null(oauth_waiting_find(&waitings, span_of("x"), cookie(1), now));
	other = begin(1, "a");
	assert_false(one->is_logged_in);
	oauth_waiting_logged_in(one, cookie(2));
	assert_true(one->is_logged_in);
	/* A login is for one request: another that waits in that browser stays where it is. */
	assert_ptr_equal(oauth_waiting_find(&waitings, span_of(other->tx), cookie(1), now), other);
	assert_false(other->is_logged_in);
	assert_null(oauth_waiting_find(&waitings, span_of(tx), cookie(1), now));
	assert_ptr_equal(oauth_waiting_find(&waitings, span_of(tx), cookie(2), now), one);
	oauth_waiting_end(&waitings, one);
	assert_null(oauth_waiting_find(&waitings, span_of(tx), cookie(2), now));
}

static void
a_request_waits_ten_minutes(void **state)
{
	struct oauth_waiting *one = begin(1, "a");
	char tx[OAUTH_TX_LEN + 1];

	(void)state;
	memcpy(tx, one->tx, sizeof tx);
	now.ms += OAUTH_WAITING_MS - 1;
	assert_non_null(oauth_waiting_find(&waitings, span_of(tx), cookie(1), now));
	now.ms++;
	assert_null(oauth_waiting_find(&waitings, span_of(tx), cookie(1), now));
}

static void
one_address_pushes_out_only_its_own(void **state)
{
	char theirs[OAUTH_TX_LEN + 1], first[OAUTH_TX_LEN + 1];

	(void)state;
	memcpy(theirs, begin(1, "owner")->tx, sizeof theirs);
	memcpy(first, begin(2, "stranger")->tx, sizeof first);
	for (unsigned i = 0; i < 1000; i++, now.ms++)
		begin(2, "stranger");
	assert_non_null(oauth_waiting_find(&waitings, span_of(theirs), cookie(1), now));
	assert_null(oauth_waiting_find(&waitings, span_of(first), cookie(2), now));
}

static void
the_table_is_bounded(void **state)
{
	char peer[20], first[OAUTH_TX_LEN + 1] = "";

	(void)state;
	for (unsigned i = 0; i <= OAUTH_WAITING_MAX; i++, now.ms++) {
		struct oauth_waiting *one;

		snprintf(peer, sizeof peer, "%u", i);
		one = begin(1, peer);
		if (i == 0)
			memcpy(first, one->tx, sizeof first);
	}
	assert_null(oauth_waiting_find(&waitings, span_of(first), cookie(1), now));
}

/* From as many addresses as they like. */
static void
strangers_push_out_none_of_the_owners(void **state)
{
	char peer[20], first[OAUTH_TX_LEN + 1], of_login[OAUTH_TX_LEN + 1];
	struct oauth_waiting *one;

	(void)state;
	memcpy(first, begin_of(1, "owner", true)->tx, sizeof first);
	one = begin(2, "new browser");
	oauth_waiting_logged_in(one, cookie(3));
	memcpy(of_login, one->tx, sizeof of_login);
	for (unsigned i = 0; i < 1000; i++, now.ms++) {
		snprintf(peer, sizeof peer, "%u", i);
		begin(4, peer);
	}
	assert_non_null(oauth_waiting_find(&waitings, span_of(first), cookie(1), now));
	assert_non_null(oauth_waiting_find(&waitings, span_of(of_login), cookie(3), now));
	for (unsigned i = 0; i < OAUTH_WAITING_OWN; i++, now.ms++)
		begin_of(1, "owner", true);
	assert_null(oauth_waiting_find(&waitings, span_of(first), cookie(1), now));
}

/* More than have room: each was a login of its own. */
static void
what_was_logged_in_for_takes_any_place(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * OAUTH_WAITING_MAX; i++, now.ms++)
		oauth_waiting_logged_in(begin(i, i % 2 == 0 ? "a" : "b"), cookie(i));
	begin(1, "c");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_session_ends_when_nobody_uses_it, reset),
		cmocka_unit_test_setup(a_session_ends_after_half_a_day, reset),
		cmocka_unit_test_setup(consent_needs_a_fresh_login, reset),
		cmocka_unit_test_setup(too_many_sessions_push_the_oldest_out, reset),
		cmocka_unit_test_setup(a_request_waits_in_its_browser, reset),
		cmocka_unit_test_setup(a_request_waits_ten_minutes, reset),
		cmocka_unit_test_setup(one_address_pushes_out_only_its_own, reset),
		cmocka_unit_test_setup(the_table_is_bounded, reset),
		cmocka_unit_test_setup(strangers_push_out_none_of_the_owners, reset),
		cmocka_unit_test_setup(what_was_logged_in_for_takes_any_place, reset),
	};

	if (secret_init(true) != OK)
		return 1;
	return cmocka_run_group_tests(tests, reset, reset) != 0;
}
