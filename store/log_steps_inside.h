/* log_steps_inside: what the files of log_steps share. Private to store/. */
#ifndef STORE_LOG_STEPS_INSIDE_H
#define STORE_LOG_STEPS_INSIDE_H

#include "store/log_folder.h"
#include "store/log_steps.h"
#include "store/log_window.h"
#include "store/segment.h"

struct log_steps {
	struct log_folder         folder;
	struct log_window         w;
	uint64_t                  number; /* of the segment in w, which is open; 0: none */
	enum segment_header_state state;
	struct segment_header     header;
};

/* So many bytes hold a group and the commit frame before it. */
#define LOG_STEPS_STRIDE (LOG_GROUP_BYTES_MAX + 2 * LOG_COMMIT_FRAME_LEN)

/* Where a look back from `end` of a segment begins. */
uint64_t log_steps_floor(uint64_t end);

/* Opens a segment that must be there, and takes its header. ERR_AUDIT_TAMPERED, ERR_FILE_UNREADABLE, ERR_NO_MEMORY. */
enum err log_steps_enter(struct log_steps *s, uint64_t number);

/* The hash of the commit frame that ends at `end` of bytes, as the next commit names it; or whether that is it. */
void log_steps_hash(struct span bytes, size_t end, uint8_t out[SHA256_LEN]);
bool log_steps_is_hash(struct span bytes, size_t end, const uint8_t hash[SHA256_LEN]);

/* log_steps_back, log_steps_on in the mark's segment; for the first it is open. */
enum err log_steps_back_inside(struct log_steps *s, struct log_mark *m, struct log_frame_group *g);
enum err log_steps_on_inside(struct log_steps *s, struct log_mark *m, struct log_frame_group *g);

/* The mark before the first group of the open segment. */
struct log_mark log_steps_at_header(const struct log_steps *s);

/*
 * Where the last commit frame of the open segment ends whose first index is
 * below `before`; 0: there is none. It has its form, and may be what a crash left.
 */
enum err log_steps_find_last(struct log_steps *s, uint64_t before, uint64_t *end);

/* Where the commit frame with that hash ends, at `end` or within a group before it; 0: nowhere. */
enum err log_steps_find_hashed(struct log_steps *s, uint64_t end, const uint8_t hash[SHA256_LEN], uint64_t *out);

/* ERR_AUDIT_TAMPERED when a later group lies behind the mark, where one does not hold. */
enum err log_steps_look_behind(struct log_steps *s, const struct log_mark *m);

#endif
