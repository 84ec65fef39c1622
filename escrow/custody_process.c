/* The process itself, and the form of what it is asked and answers. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "escrow/custody_process.h"

void
custody_request_put(struct wire_out *o, const struct custody_request *r)
{
	wire_put_u8(o, (uint8_t)r->task);
	wire_put_u32(o, r->parent_pid);
	wire_put_u8(o, (uint8_t)r->key.purpose);
	wire_put_id(o, r->key.library);
	wire_put_id(o, r->key.enrolment);
	wire_put_bytes(o, r->key.home, sizeof r->key.home);
	wire_put_span(o, r->text);
}

bool
custody_request_take(struct span bytes, struct custody_request *r)
{
	struct wire_in in = wire_in(bytes.p, bytes.len);

	r->task = (enum custody_task)wire_take_u8(&in);
	r->parent_pid = wire_take_u32(&in);
	r->key.purpose = (enum custody_purpose)wire_take_u8(&in);
	r->key.library = wire_take_id(&in);
	r->key.enrolment = wire_take_id(&in);
	wire_take_bytes(&in, r->key.home, sizeof r->key.home);
	r->text = wire_take_span(&in, SECRET_SERVICE_MAX);
	return wire_done(&in) && r->task >= CUSTODY_STORE && r->task <= CUSTODY_REMOVE &&
	    r->key.purpose < CUSTODY_PURPOSE__COUNT;
}

void
custody_reply_put(struct wire_out *o, const struct custody_reply *r)
{
	wire_put_u16(o, (uint16_t)r->e);
	wire_put_u8(o, (uint8_t)r->why);
	wire_put_span(o, r->text != NULL ? secret_span(r->text) : (struct span){ NULL, 0 });
}

bool
custody_reply_take(struct span bytes, struct custody_reply *r)
{
	struct wire_in in = wire_in(bytes.p, bytes.len);
	unsigned e = wire_take_u16(&in), why = wire_take_u8(&in);
	struct span text = wire_take_span(&in, SECRET_SERVICE_MAX);

	if (!wire_done(&in) || e >= ERR__COUNT || why >= CUSTODY_DETAIL__COUNT)
		return false;
	*r = (struct custody_reply){ .e = (enum err)e, .why = (enum custody_detail)why };
	if (text.len == 0)
		return true;
	if (secret_new(text.len, &r->text) != OK)
		return false;
	memcpy(secret_bytes(r->text), text.p, text.len);
	return true;
}

/* Before anything secret is here: no core, no debugger of the same account, and the parent's death is ours. */
static bool
guard(void)
{
	struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_CORE, &none) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0;
}

static size_t
read_request(uint8_t *buf, size_t cap)
{
	size_t len = 0;
	ssize_t n;

	while (len < cap && ((n = read(STDIN_FILENO, buf + len, cap - len)) > 0 || (n < 0 && errno == EINTR)))
		len += n > 0 ? (size_t)n : 0;
	return len;
}

static void
carry_out(const struct custody_request *r, struct custody_reply *reply)
{
	struct mono_ms until = { clock_mono().ms + CUSTODY_TALK_MS };

	switch (r->task) {
	case CUSTODY_STORE:
		reply->e = secret_service_store(&r->key, r->text, until, &reply->why);
		return;
	case CUSTODY_LOAD:
		reply->e = secret_service_load(&r->key, until, &reply->text, &reply->why);
		return;
	case CUSTODY_REMOVE:
		reply->e = secret_service_remove(&r->key, until, &reply->why);
		return;
	}
}

int
custody_process_run(void)
{
	uint8_t in[CUSTODY_REQUEST_MAX + 1], out[CUSTODY_REPLY_MAX];
	struct wire_out o = wire_out(out, sizeof out);
	struct custody_request r;
	struct custody_reply reply = { .e = OK };
	int code = 1;

	if (!guard() || secret_init(true) != OK)
		return 1;
	if (custody_request_take((struct span){ in, read_request(in, sizeof in) }, &r) &&
	    getppid() == (pid_t)r.parent_pid) {
		carry_out(&r, &reply);
		custody_reply_put(&o, &reply);
		if (send(STDIN_FILENO, out, o.len, MSG_NOSIGNAL) == (ssize_t)o.len)
			code = 0;
	}
	secret_free(&reply.text);
	wipe(in, sizeof in);
	wipe(out, sizeof out);
	return code;
}
