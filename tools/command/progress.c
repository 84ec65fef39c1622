#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/command/progress.h"

/* A transfer shorter than this shows nothing; after that it is drawn so often. */
#define DRAW_MS 200
#define WIDTH   30

struct progress
progress_start(bool wanted, uint64_t total)
{
	return (struct progress){ .on = wanted && isatty(STDERR_FILENO), .total = total, .drawn = clock_mono() };
}

void
progress_at(struct progress *p, uint64_t done)
{
	struct mono_ms now = clock_mono();
	char bar[WIDTH + 1];
	unsigned filled;

	if (!p->on || now.ms - p->drawn.ms < DRAW_MS)
		return;
	p->drawn = now;
	p->shown = true;
	if (p->total == 0) {
		fprintf(stderr, "\r%.1f MiB", (double)done / (1 << 20));
		return;
	}
	filled = (unsigned)((double)done / (double)p->total * WIDTH);
	memset(bar, '.', WIDTH);
	memset(bar, '#', filled < WIDTH ? filled : WIDTH);
	bar[WIDTH] = '\0';
	fprintf(stderr, "\r[%s] %3.0f%%  %.1f of %.1f MiB", bar, 100.0 * (double)done / (double)p->total,
	    (double)done / (1 << 20), (double)p->total / (1 << 20));
}

void
progress_end(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
}
