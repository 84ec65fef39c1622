#include "gateway/found.h"
#include "mailbox/utf8.h"

#define VERSION 1

void
found_page_put(struct wire_out *o, const struct found_page *p)
{
	wire_put_u8(o, VERSION);
	wire_put_u64(o, p->offset);
	wire_put_u64(o, p->total);
	wire_put_u8(o, p->relaxed);
	wire_put_u16(o, p->n_rows);
}

void
found_row_put(struct wire_out *o, const struct found_row *r)
{
	wire_put_id(o, r->vault);
	wire_put_id(o, r->asset);
	wire_put_id(o, r->revision);
	wire_put_u8(o, (uint8_t)r->kind);
	wire_put_u64(o, r->created.ms);
	wire_put_u64(o, r->updated.ms);
	wire_put_u32(o, r->score);
	wire_put_u8(o, (uint8_t)r->part);
	wire_put_u16(o, r->number);
	wire_put_u32(o, r->match_offset);
	wire_put_u32(o, r->match_len);
	wire_put_u32(o, r->excerpt_offset);
	wire_put_span(o, r->title);
	wire_put_span(o, r->excerpt);
}

static bool
row_valid(const struct found_row *r)
{
	return (r->kind == KIND_MEMORY || r->kind == KIND_CARD) && utf8_valid(r->title) && utf8_valid(r->excerpt) &&
	    r->part >= SEARCH_TITLE && r->part <= SEARCH_TAG;
}

static bool
take_row(struct wire_in *in, struct found_row *r)
{
	r->vault = wire_take_id(in);
	r->asset = wire_take_id(in);
	r->revision = wire_take_id(in);
	r->kind = (enum kind)wire_take_u8(in);
	r->created.ms = wire_take_u64(in);
	r->updated.ms = wire_take_u64(in);
	r->score = wire_take_u32(in);
	r->part = (enum search_part)wire_take_u8(in);
	r->number = wire_take_u16(in);
	r->match_offset = wire_take_u32(in);
	r->match_len = wire_take_u32(in);
	r->excerpt_offset = wire_take_u32(in);
	r->title = wire_take_span(in, FOUND_TITLE_MAX);
	r->excerpt = wire_take_span(in, SEARCH_EXCERPT_MAX);
	return !in->failed && row_valid(r);
}

enum err
found_take(struct span bytes, struct found_page *page, struct found_row rows[FOUND_ROWS_MAX])
{
	struct wire_in in = wire_in(bytes.p, bytes.len);
	struct found_page p;
	uint8_t relaxed;

	if (wire_take_u8(&in) != VERSION)
		return ERR_STORAGE_CORRUPT;
	p.offset = wire_take_u64(&in);
	p.total = wire_take_u64(&in);
	relaxed = wire_take_u8(&in);
	p.relaxed = relaxed;
	p.n_rows = wire_take_u16(&in);
	if (in.failed || relaxed > 1 || p.n_rows > FOUND_ROWS_MAX)
		return ERR_STORAGE_CORRUPT;
	for (size_t i = 0; i < p.n_rows; i++)
		if (!take_row(&in, &rows[i]))
			return ERR_STORAGE_CORRUPT;
	if (!wire_done(&in))
		return ERR_STORAGE_CORRUPT;
	*page = p;
	return OK;
}

const char *
found_part_name(enum search_part part)
{
	switch (part) {
	case SEARCH_TITLE:
		return "title";
	case SEARCH_BODY:
		return "body";
	case SEARCH_FIELD_NAME:
		return "field_name";
	case SEARCH_FIELD_VALUE:
		return "field_value";
	case SEARCH_TAG:
		return "tag";
	}
	return "?";
}
