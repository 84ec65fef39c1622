#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escrow/sd_bus.h"
#include "escrow/sleep.h"
#include "mailbox/clock.h"

#define LOGIND     "org.freedesktop.login1"
#define PATH       "/org/freedesktop/login1"
#define MANAGER    LOGIND ".Manager"
#define DBUS       "org.freedesktop.DBus"
#define SYSTEM_BUS "/run/dbus/system_bus_socket"

#define CALL_US 2000000

struct sleep_watch {
	struct sd_bus_calls bus_calls;
	sd_bus *bus;
	int     delay_fd;  /* logind waits until it is closed; -1: it does not wait */
	bool    heard;
	bool    begins, ended, changed; /* what the last messages said */
};

bool
sleep_bus_expected(void)
{
	const char *address = getenv("DBUS_SYSTEM_BUS_ADDRESS");

	return address != NULL ? *address != '\0' : access(SYSTEM_BUS, F_OK) == 0;
}

static int
on_prepare(sd_bus_message *m, void *arg, sd_bus_error *error)
{
	struct sleep_watch *w = arg;
	int begins = 0;

	(void)error;
	if (w->bus_calls.sd_bus_message_read(m, "b", &begins) < 0)
		return 0;
	w->begins = begins;
	w->ended = !begins;
	return 0;
}

static int
on_owner(sd_bus_message *m, void *arg, sd_bus_error *error)
{
	struct sleep_watch *w = arg;
	const char *name = NULL, *before = NULL, *after = NULL;

	(void)error;
	if (w->bus_calls.sd_bus_message_read(m, "sss", &name, &before, &after) >= 0 && strcmp(name, LOGIND) == 0)
		w->changed = true;
	return 0;
}

static sd_bus_message *
call(struct sleep_watch *w, const char *destination, const char *path, const char *interface, const char *member,
    const char *const text[])
{
	struct sd_bus_calls *c = &w->bus_calls;
	sd_bus_message *m = NULL, *reply = NULL;
	int r = c->sd_bus_message_new_method_call(w->bus, &m, destination, path, interface, member);

	if (r >= 0)
		r = c->sd_bus_message_set_auto_start(m, 0);
	for (size_t i = 0; r >= 0 && text[i] != NULL; i++)
		r = c->sd_bus_message_append(m, "s", text[i]);
	if (r >= 0)
		r = c->sd_bus_call(w->bus, m, CALL_US, NULL, &reply);
	c->sd_bus_message_unref(m);
	return r >= 0 ? reply : NULL;
}

static bool
has_logind(struct sleep_watch *w)
{
	static const char *const name[] = { LOGIND, NULL };
	sd_bus_message *reply = call(w, DBUS, "/org/freedesktop/DBus", DBUS, "NameHasOwner", name);
	int has = 0;

	if (reply == NULL || w->bus_calls.sd_bus_message_read(reply, "b", &has) < 0)
		has = 0;
	w->bus_calls.sd_bus_message_unref(reply);
	return has;
}

static void
take_delay(struct sleep_watch *w)
{
	static const char *const words[] = { "sleep", "memories", "locks the library", "delay", NULL };
	sd_bus_message *reply;
	int fd = -1;

	sleep_watch_release(w);
	if (!w->heard || (reply = call(w, LOGIND, PATH, MANAGER, "Inhibit", words)) == NULL)
		return;
	if (w->bus_calls.sd_bus_message_read(reply, "h", &fd) >= 0 && fd >= 0)
		w->delay_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	w->bus_calls.sd_bus_message_unref(reply);
}

static void
meet_logind(struct sleep_watch *w)
{
	w->heard = has_logind(w);
	take_delay(w);
}

enum err
sleep_watch_open(struct sleep_watch **out)
{
	struct sleep_watch *w = calloc(1, sizeof *w);

	if (w == NULL)
		return ERR_NO_MEMORY;
	w->delay_fd = -1;
	/* Listening comes first: what happens while it is asked who is there must not be missed. */
	if (sd_bus_load(&w->bus_calls) != OK || w->bus_calls.sd_bus_open_system(&w->bus) < 0 ||
	    w->bus_calls.sd_bus_match_signal(w->bus, NULL, DBUS, NULL, DBUS, "NameOwnerChanged", on_owner, w) < 0 ||
	    w->bus_calls.sd_bus_match_signal(w->bus, NULL, LOGIND, PATH, MANAGER, "PrepareForSleep", on_prepare, w) < 0) {
		sleep_watch_close(&w);
		return ERR_UNSUPPORTED;
	}
	meet_logind(w);
	*out = w;
	return OK;
}

void
sleep_watch_close(struct sleep_watch **w)
{
	if (*w == NULL)
		return;
	sleep_watch_release(*w);
	if ((*w)->bus != NULL)
		(*w)->bus_calls.sd_bus_close_unref((*w)->bus);
	free(*w);
	*w = NULL;
}

bool
sleep_watch_heard(const struct sleep_watch *w)
{
	return w->heard;
}

bool
sleep_watch_waits(const struct sleep_watch *w)
{
	return w->delay_fd >= 0;
}

void
sleep_watch_release(struct sleep_watch *w)
{
	if (w->delay_fd >= 0)
		close(w->delay_fd);
	w->delay_fd = -1;
}

/* What the messages said, one at a time; the beginning of a sleep before all else. */
static enum sleep_event
take_event(struct sleep_watch *w)
{
	if (w->begins) {
		w->begins = false;
		return SLEEP_BEGINS;
	}
	if (w->changed) {
		w->changed = false;
		meet_logind(w);
		return SLEEP_LOGIND;
	}
	if (w->ended) {
		w->ended = false;
		take_delay(w);
		return SLEEP_ENDED;
	}
	return SLEEP_NOTHING;
}

enum err
sleep_watch_next(struct sleep_watch *w, unsigned ms, enum sleep_event *out)
{
	struct mono_ms now, until = { clock_mono().ms + ms };
	enum sleep_event event;
	int r;

	for (;;) {
		while ((r = w->bus_calls.sd_bus_process(w->bus, NULL)) > 0)
			;
		if (r < 0)
			return ERR_INTERRUPTED;
		event = take_event(w);
		now = clock_mono();
		if (event != SLEEP_NOTHING || now.ms >= until.ms) {
			*out = event;
			return OK;
		}
		if (w->bus_calls.sd_bus_wait(w->bus, (until.ms - now.ms) * 1000) < 0)
			return ERR_INTERRUPTED;
	}
}
