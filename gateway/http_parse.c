#include <stdlib.h>
#include <string.h>

#include "gateway/hex.h"
#include "gateway/http_head.h"
#include "gateway/http_parse.h"

#define FIRST_SIZE ((size_t)2 << 10)
#define SIZE_MAX_  (HTTP_HEAD_MAX + HTTP_BODY_MAX + 2 * HTTP_READ_MAX)

/* "ffffffff": more is no size that we could take. */
#define CHUNK_DIGITS 8

enum stage {
	STAGE_HEAD,
	STAGE_BODY,
	STAGE_CHUNK_SIZE,
	STAGE_CHUNK,
	STAGE_CHUNK_END,
	STAGE_LAST_END,
	STAGE_DONE,
	STAGE_REFUSED,
};

/* The buffer holds head, decoded body, and what has come behind them, which begins at `at`. */
struct http_parser {
	uint8_t            *buf;
	size_t              len, cap;
	size_t              at;
	size_t              line;      /* where the head's last line begins */
	size_t              head, body; /* lengths so far */
	size_t              chunk;     /* bytes of it to come */
	size_t              overhead;  /* bytes of the chunks' framing */
	struct http_framing framing;
	enum stage          stage;
	int                 status;
};

enum err
http_parser_new(struct http_parser **out)
{
	*out = calloc(1, sizeof **out);
	return *out == NULL ? ERR_NO_MEMORY : OK;
}

void
http_parser_free(struct http_parser **p)
{
	if (*p == NULL)
		return;
	if ((*p)->buf != NULL)
		wipe((*p)->buf, (*p)->cap);
	free((*p)->buf);
	free(*p);
	*p = NULL;
}

static enum err
grow(struct http_parser *p)
{
	size_t cap = p->cap == 0 ? FIRST_SIZE : 2 * p->cap;
	uint8_t *buf;

	if (cap > SIZE_MAX_)
		cap = SIZE_MAX_;
	if (cap == p->cap || (buf = malloc(cap)) == NULL)
		return ERR_NO_MEMORY;
	if (p->buf != NULL) {
		memcpy(buf, p->buf, p->len);
		wipe(p->buf, p->len);
	}
	free(p->buf);
	p->buf = buf;
	p->cap = cap;
	return OK;
}

enum err
http_parser_room(struct http_parser *p, uint8_t **at, size_t *room)
{
	enum err e = p->len < p->cap ? OK : grow(p);

	if (e != OK)
		return e;
	*at = p->buf + p->len;
	*room = p->cap - p->len < HTTP_READ_MAX ? p->cap - p->len : HTTP_READ_MAX;
	return OK;
}

static void
refuse(struct http_parser *p, int status)
{
	p->stage = STAGE_REFUSED;
	p->status = status;
}

static bool
may_stand(uint8_t c, uint8_t before)
{
	if (c == '\n')
		return before == '\r';
	return before != '\r' && (c >= 0x20 || c == '\r' || c == '\t') && c != 0x7f;
}

static void
end_head(struct http_parser *p)
{
	struct http_request r;
	int status = http_head_parse((struct span){ p->buf, p->at }, &r, &p->framing);

	p->head = p->at;
	if (status != 0)
		refuse(p, status);
	else if (p->framing.is_chunked)
		p->stage = STAGE_CHUNK_SIZE;
	else
		p->stage = STAGE_BODY;
}

/* Byte by byte to the empty line: what cannot stand in a head is refused where it stands. */
static bool
take_head(struct http_parser *p)
{
	while (p->at < p->len) {
		uint8_t c = p->buf[p->at];

		if (p->at == HTTP_HEAD_MAX) {
			refuse(p, p->line == 0 ? 414 : 431);
			return true;
		}
		if (!may_stand(c, p->at == 0 ? ' ' : p->buf[p->at - 1])) {
			refuse(p, 400);
			return true;
		}
		p->at++;
		if (c != '\n')
			continue;
		if (p->at - p->line == 2) {
			end_head(p);
			return true;
		}
		p->line = p->at;
	}
	return false;
}

static bool
take_body(struct http_parser *p)
{
	size_t wanted = p->framing.length - p->body, there = p->len - p->at;
	size_t n = there < wanted ? there : wanted;

	p->body += n;
	p->at += n;
	if (n == wanted)
		p->stage = STAGE_DONE;
	return n == wanted;
}

/* Takes CRLF at offset i of what is left. False: refused, or not there yet. */
static bool
take_crlf(struct http_parser *p, size_t i)
{
	static const char wanted[2] = { '\r', '\n' };

	for (size_t k = 0; k < 2; k++) {
		if (p->at + i + k == p->len)
			return false;
		if (p->buf[p->at + i + k] != wanted[k]) {
			refuse(p, 400);
			return false;
		}
	}
	p->at += i + 2;
	if ((p->overhead += i + 2) > HTTP_BODY_MAX)
		refuse(p, 413);
	return p->stage != STAGE_REFUSED;
}

/* True when the stage has changed. */
static bool
take_chunk_size(struct http_parser *p)
{
	size_t size = 0, i = 0;
	int digit = -1;

	while (p->at + i < p->len && (digit = hex_digit(p->buf[p->at + i])) >= 0) {
		if (++i > CHUNK_DIGITS) {
			refuse(p, 400);
			return true;
		}
		size = size << 4 | (size_t)digit;
	}
	if (p->at + i == p->len)
		return false;
	if (i == 0)
		refuse(p, 400);
	else if (take_crlf(p, i)) {
		p->chunk = size;
		p->stage = size == 0 ? STAGE_LAST_END : STAGE_CHUNK;
		if (size > HTTP_BODY_MAX - p->body)
			refuse(p, 413);
		return true;
	}
	return p->stage == STAGE_REFUSED;
}

static bool
take_chunk(struct http_parser *p)
{
	size_t there = p->len - p->at, n = there < p->chunk ? there : p->chunk;

	memmove(p->buf + p->head + p->body, p->buf + p->at, n);
	p->body += n;
	p->at += n;
	if ((p->chunk -= n) == 0)
		p->stage = STAGE_CHUNK_END;
	return p->chunk == 0;
}

static bool
take_end(struct http_parser *p, enum stage then)
{
	if (take_crlf(p, 0))
		p->stage = then;
	return p->stage == then || p->stage == STAGE_REFUSED;
}

/* True when it may go on. */
static bool
step(struct http_parser *p)
{
	switch (p->stage) {
	case STAGE_HEAD:
		return take_head(p);
	case STAGE_BODY:
		return take_body(p);
	case STAGE_CHUNK_SIZE:
		return take_chunk_size(p);
	case STAGE_CHUNK:
		return take_chunk(p);
	case STAGE_CHUNK_END:
		return take_end(p, STAGE_CHUNK_SIZE);
	case STAGE_LAST_END:
		return take_end(p, STAGE_DONE);
	case STAGE_DONE:
	case STAGE_REFUSED:
		break;
	}
	return false;
}

/* The framing of chunks goes: what is left begins where the body ends. */
static void
close_gap(struct http_parser *p)
{
	size_t end = p->head + p->body, gap = p->at - end;

	if (p->head == 0 || gap == 0)
		return;
	memmove(p->buf + end, p->buf + p->at, p->len - p->at);
	wipe(p->buf + p->len - gap, gap);
	p->at = end;
	p->len -= gap;
}

static enum http_parse
advance(struct http_parser *p)
{
	while (step(p))
		;
	if (p->stage == STAGE_REFUSED)
		return HTTP_PARSE_REFUSED;
	close_gap(p);
	return p->stage == STAGE_DONE ? HTTP_PARSE_DONE : HTTP_PARSE_MORE;
}

enum http_parse
http_parser_took(struct http_parser *p, size_t n)
{
	p->len += n;
	return advance(p);
}

int
http_parser_status(const struct http_parser *p)
{
	return p->status;
}

bool
http_parser_in_body(const struct http_parser *p)
{
	return p->stage > STAGE_HEAD && p->stage < STAGE_DONE;
}

bool
http_parser_wants_continue(struct http_parser *p)
{
	bool wants = http_parser_in_body(p) && p->framing.wants_continue && p->body == 0 && p->chunk == 0;

	if (http_parser_in_body(p))
		p->framing.wants_continue = false;
	return wants;
}

void
http_parser_request(const struct http_parser *p, struct http_request *out)
{
	struct http_framing framing;

	(void)http_head_parse((struct span){ p->buf, p->head }, out, &framing);
	out->body = (struct span){ p->buf + p->head, p->body };
}

bool
http_parser_closes(const struct http_parser *p)
{
	return p->framing.closes;
}

enum http_parse
http_parser_next(struct http_parser *p)
{
	size_t used = p->head + p->body, rest = p->len - used;

	memmove(p->buf, p->buf + used, rest);
	wipe(p->buf + rest, p->len - rest);
	p->len = rest;
	p->at = p->line = p->head = p->body = p->chunk = p->overhead = 0;
	p->framing = (struct http_framing){ .length = 0 };
	p->stage = STAGE_HEAD;
	return advance(p);
}

bool
http_parser_is_empty(const struct http_parser *p)
{
	return p->len == 0;
}

size_t
http_parser_size(const struct http_parser *p)
{
	return sizeof *p + p->cap;
}
