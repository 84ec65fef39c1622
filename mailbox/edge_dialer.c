#include <string.h>

#include "mailbox/edge_dialer.h"
#include "mailbox/host.h"
#include "mailbox/log_line.h"

#define REDIAL_MIN_MS 10
#define REDIAL_MAX_MS 200

/* Without a connection for so long. It is nothing wrong: mostly the other end is not there. */
#define WAITS_MIN_MS 500
#define WAITS_MAX_MS 4000

/* nng that does not close a dialer has stopped. */
#define CLOSED_WITHIN_MS 10000
#define CLOSE_LOOK_MS    2

static bool
dial_now(struct edge_dialer *d)
{
	if (nng_dialer_create(&d->dialer, d->socket, d->url) != 0)
		return false;
	if (nng_dialer_set_ms(d->dialer, NNG_OPT_RECONNMINT, REDIAL_MIN_MS) == 0 &&
	    nng_dialer_set_ms(d->dialer, NNG_OPT_RECONNMAXT, REDIAL_MAX_MS) == 0 &&
	    nng_dialer_start(d->dialer, NNG_FLAG_NONBLOCK) == 0)
		return true;
	nng_dialer_close(d->dialer);
	return false;
}

static void
wait_for_one(struct edge_dialer *d, struct mono_ms now, uint64_t ms)
{
	d->waits_ms = ms;
	d->gives_up.ms = now.ms + ms;
}

enum err
edge_dialer_open(struct edge_dialer *d, nng_socket socket, const char *url)
{
	*d = (struct edge_dialer){ .socket = socket };
	if (strlen(url) >= sizeof d->url)
		return ERR_UNSUPPORTED;
	memcpy(d->url, url, strlen(url) + 1);
	wait_for_one(d, clock_mono(), WAITS_MIN_MS);
	d->dialing = dial_now(d);
	return d->dialing ? OK : ERR_UNSUPPORTED;
}

void
edge_dialer_close(struct edge_dialer *d)
{
	edge_closing_leave(&d->closing);
}

/* Closes the one, then dials with another. */
static struct mono_ms
dial_anew(struct edge_dialer *d, struct mono_ms now)
{
	uint64_t longer_ms = d->waits_ms * 2 < WAITS_MAX_MS ? d->waits_ms * 2 : WAITS_MAX_MS;

	if (d->dialing) {
		d->dialing = false;
		d->closing = edge_closing_dialer(d->dialer);
		d->closing_ends.ms = now.ms + CLOSED_WITHIN_MS;
	}
	if (edge_closing_done(&d->closing)) {
		d->dialing = dial_now(d);
		wait_for_one(d, now, longer_ms);
		return d->gives_up;
	}
	if (now.ms >= d->closing_ends.ms) {
		log_line_say(d->url, "nng has stopped, milliseconds", CLOSED_WITHIN_MS);
		host_fail(ERR_INTERNAL);
	}
	return (struct mono_ms){ now.ms + CLOSE_LOOK_MS };
}

struct mono_ms
edge_dialer_tick(struct edge_dialer *d, struct mono_ms now, bool connected)
{
	if (d->was_connected && !connected)
		wait_for_one(d, now, WAITS_MIN_MS);
	d->was_connected = connected;
	/* Once begun it is ended: nothing dials meanwhile. */
	if (d->closing != NULL || (!connected && now.ms >= d->gives_up.ms))
		return dial_anew(d, now);
	return connected ? (struct mono_ms){ now.ms + WAITS_MAX_MS } : d->gives_up;
}
