#include <string.h>

#include "gateway/web_sessions.h"

static bool
is_over(const struct web_session *s, struct mono_ms now)
{
	return now.ms - s->last.ms >= WEB_SESSION_IDLE_MS || now.ms - s->since.ms >= WEB_SESSION_MAX_MS;
}

void
web_sessions_add(struct web_sessions *s, const uint8_t cookie[SHA256_LEN], struct mono_ms now)
{
	struct web_session *place = &s->at[0];

	for (size_t i = 0; i < WEB_SESSIONS_MAX && place->lives; i++)
		if (!s->at[i].lives || s->at[i].last.ms < place->last.ms)
			place = &s->at[i];
	*place = (struct web_session){ .lives = true, .since = now, .last = now };
	memcpy(place->cookie, cookie, SHA256_LEN);
}

const struct web_session *
web_sessions_find(struct web_sessions *s, const uint8_t cookie[SHA256_LEN], struct mono_ms now)
{
	for (size_t i = 0; i < WEB_SESSIONS_MAX; i++) {
		struct web_session *one = &s->at[i];

		if (!one->lives || !same_bytes(one->cookie, cookie, SHA256_LEN))
			continue;
		if (is_over(one, now)) {
			wipe(one, sizeof *one);
			return NULL;
		}
		one->last = now;
		return one;
	}
	return NULL;
}

bool
web_session_is_fresh(const struct web_session *s, struct mono_ms now)
{
	return now.ms - s->since.ms <= WEB_SESSION_FRESH_MS;
}

void
web_sessions_end(struct web_sessions *s, const uint8_t cookie[SHA256_LEN])
{
	for (size_t i = 0; i < WEB_SESSIONS_MAX; i++)
		if (s->at[i].lives && same_bytes(s->at[i].cookie, cookie, SHA256_LEN))
			wipe(&s->at[i], sizeof s->at[i]);
}

void
web_sessions_end_all(struct web_sessions *s)
{
	wipe(s, sizeof *s);
}
