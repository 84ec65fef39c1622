#include "store/log_room.h"

void
log_room_close(struct log_room *r)
{
	segment_make_stop(&r->maker, r->seg_fd);
	segment_close(&r->spare);
	segment_close(&r->current);
}

static enum err
make_step(struct log_room *r, bool *finished)
{
	uint64_t bytes = r->next_number == 1 ? r->first_bytes : r->later_bytes;
	bool done = false;
	enum err e = OK;

	if (r->maker.fd < 0)
		e = segment_make(r->seg_fd, r->next_number, bytes, &r->maker);
	if (e == OK)
		e = segment_make_more(&r->maker, r->seg_fd, &r->spare, &done);
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
	return r->spare.fd >= 0 &&
	    SEGMENT_HEADER_LEN + need <= r->spare.bytes - segment_reserve(r->spare.bytes);
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
	while (r->spare.fd < 0 && e == OK && !finished)
		e = make_step(r, &finished);
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
		*out = (struct log_spot){ &r->spare, 0, true };
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
		r->current = r->spare;
		r->spare = SEGMENT_NONE;
		r->end = 0;
	}
	r->end += len;
}

enum err
log_room_tend(struct log_room *r, bool *more)
{
	bool finished = true;
	enum err e = OK;

	if (r->spare.fd < 0)
		e = make_step(r, &finished);
	if (e == ERR_AUDIT_FULL) {
		finished = true;
		e = OK;
	}
	if (e == OK)
		*more = !finished;
	return e;
}
