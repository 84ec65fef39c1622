/*
 * protocol: the enum, the routes, the bodies and their codecs, all made from
 * protocol.tbl.h and bodies.tbl.h.
 *
 * BODY(ask, ...) of the table is struct ask_body here, with ask_body_put and
 * ask_body_take. Spans in a taken body point into the frame.
 */
#ifndef MAILBOX_PROTOCOL_H
#define MAILBOX_PROTOCOL_H

#include "mailbox/wire.h"

/* The longest message, body included. */
#define MESSAGE_MAX (256u * 1024)

/* Set in the ids of asks that begin inside the daemon, and in no other. */
#define ASK_INSIDE ((uint64_t)1 << 63)

enum actor {
	ACTOR_CLIENT, /* an asking process, outside */
	ACTOR_GATE,
	ACTOR_GRANTS,
	ACTOR_VAULT,
	ACTOR_KEYRING,
	ACTOR_AUDIT,
	ACTOR_CUSTODY,
	ACTOR_SEARCH,
	ACTOR_PROFILE,
	ACTOR_HTTP,
	ACTOR__COUNT
};

enum msg {
	MSG_NONE,
#define MSG(name, from, to, ask, body, carries) MSG_##name,
#include "mailbox/protocol.tbl.h"
#undef MSG
	MSG__COUNT
};

enum ask_effect { ASK_TELLS, ASK_OPENS, ASK_KEEPS, ASK_ENDS };
enum carries { CARRIES_NOTHING, CARRIES_SEALED, CARRIES_TICKET, CARRIES_BOXED };

#define U8(name)         uint8_t name;
#define U16(name)        uint16_t name;
#define U32(name)        uint32_t name;
#define U64(name)        uint64_t name;
#define ID(name)         struct uuid name;
#define BYTES(name, n)   uint8_t name[n];
#define SPAN(name, max)  struct span name;
#define SUB(body, name)  struct body##_body name;
#define BODY(name, fields) struct name##_body { fields };
#include "mailbox/bodies.tbl.h"

#define BODY(name, fields) \
	void name##_body_put(struct wire_out *o, const struct name##_body *b); \
	void name##_body_take(struct wire_in *in, struct name##_body *b);
#include "mailbox/bodies.tbl.h"

enum body {
#define BODY(name, fields) BODY_##name,
#include "mailbox/bodies.tbl.h"
	BODY__COUNT
};

/* Room for any body. */
union any_body {
#define BODY(name, fields) struct name##_body name;
#include "mailbox/bodies.tbl.h"
};

struct msg_row {
	const char     *name;
	enum actor      from;
	enum actor      to;
	enum ask_effect effect;
	enum body       body;
	enum carries    carries;
};

/* A row for MSG_NONE < type < MSG__COUNT; NULL otherwise. */
const struct msg_row *msg_row(unsigned type);

const char *msg_name(unsigned type);       /* "?" out of range */
const char *actor_name(unsigned actor);    /* "gate"; "?" out of range */
const char *body_name(unsigned body);
const char *carries_name(enum carries c);

/* True if a row joins the two, either way. */
bool actors_joined(enum actor a, enum actor b);

/* Any body by its row. */
void body_put(struct wire_out *o, enum body body, const void *b);
void body_take(struct wire_in *in, enum body body, union any_body *b);

/*
 * One message: u16 type, u64 ask id, body. put fails the writer on an unknown
 * type. take fails the reader on an unknown type, a type that does not go from
 * `from` to `to`, a body that is too short, too long, or out of its limits.
 */
void message_put(struct wire_out *o, enum msg type, uint64_t ask_id, const void *body);
void message_take(struct wire_in *in, enum actor from, enum actor to,
    enum msg *type, uint64_t *ask_id, union any_body *body);

/* Of both tables: differs between builds that do not understand each other. */
uint64_t protocol_fingerprint(void);

#endif
