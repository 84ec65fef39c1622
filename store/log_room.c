#include <string.h>

#include "store/log_room.h"

void
log_room_close(struct log_room *r)
{
	segment_make_stop(&r->maker, r->seg_fd);
	for (size_t i = 0; i < LOG_SPARES; i++)
		segment_close(&r->spares[i]);
	segment_close(&r->current);
}

/* The place of a spare that is missing; NULL when all are there. */
static struct segment *
missing_spare(struct log_room *r)
{
	for (size_t i = 0; i < LOG_SPARES; i++)
		if (r->spares[i].fd < 0)
			return &r->spares[i];
	return NULL;
}

static enum err
make_step(struct log_room *r, struct segment *spare, bool *finished)
{
	uint64_t bytes = r->next_number == 1 ? r->first_bytes : r->later_bytes;
	bool done = false;
	enum err e = OK;

	if (r->maker.fd < 0)
		e = segment_make(r->seg_fd, r->next_number, bytes, &r->maker);
	if (e == OK)
		e = segment_make_more(&r->maker, r->seg_fd, spare, &done);
	if (e == ERR_AUDIT_FULL)
		r->no_space = true;
	if (e != OK)
		return e;
	if (done) {
		r->next_number++;
		r->no_space = r->full = false;
	}
	*finished = done;
	return OK;
}

/* Ordinary records leave the reserve of a segment alone, also while a spare is there. */
static bool
fits_current(const struct log_room *r, size_t need, bool reserved)
{
	uint64_t limit;

	if (r->current.fd < 0)
		return false;
	limit = reserved ? r->current.bytes : r->current.bytes - segment_reserve(r->current.bytes);
	return r->end + need <= limit;
}

static bool
fits_spare(const struct log_room *r, size_t need)
{
	const struct segment *spare = &r->spares[0];

	return spare->fd >= 0 && SEGMENT_HEADER_LEN + need <= spare->bytes - segment_reserve(spare->bytes);
}

enum err
log_room_admit(struct log_room *r, size_t need, bool reserved)
{
	bool finished = false;
	enum err e = OK;

	if (r->full)
		return reserved && fits_current(r, need, true) ? OK : ERR_AUDIT_FULL;
	if (fits_current(r, need, false))
		return OK;
	while (r->spares[0].fd < 0 && e == OK && !finished)
		e = make_step(r, &r->spares[0], &finished);
	if (e == ERR_AUDIT_FULL) {
		r->full = true;
		return reserved && fits_current(r, need, true) ? OK : ERR_AUDIT_FULL;
	}
	if (e != OK)
		return e;
	return fits_spare(r, need) ? OK : ERR_BUSY;
}

bool
log_room_spot(const struct log_room *r, size_t need, struct log_spot *out)
{
	if (!fits_current(r, need, false) && fits_spare(r, need))
		*out = (struct log_spot){ &r->spares[0], 0, true };
	else if (fits_current(r, need, true))
		*out = (struct log_spot){ &r->current, r->end, false };
	else
		return false;
	return true;
}

void
log_room_written(struct log_room *r, const struct log_spot *spot, size_t len)
{
	if (spot->fresh) {
		segment_close(&r->current);
		r->current = r->spares[0];
		memmove(&r->spares[0], &r->spares[1], (LOG_SPARES - 1) * sizeof *r->spares);
		r->spares[LOG_SPARES - 1] = SEGMENT_NONE;
		r->end = 0;
	}
	r->end += len;
}

enum err
log_room_tend(struct log_room *r, bool *more)
{
	struct segment *spare = missing_spare(r);
	bool finished = false;
	enum err e = OK;

	if (spare != NULL)
		e = make_step(r, spare, &finished);
	if (e == OK)
		*more = missing_spare(r) != NULL;
	else if (e == ERR_AUDIT_FULL)
		*more = false;
	return e == ERR_AUDIT_FULL ? OK : e;
}
