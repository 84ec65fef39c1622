#include <pthread.h>
#include <sodium.h>
#include <string.h>

#include "escrow/random.h"

void
random_bytes(void *p, size_t len)
{
	randombytes_buf(p, len);
}

uint32_t
random_below(uint32_t bound)
{
	return randombytes_uniform(bound);
}

enum err
key_random(struct key **out)
{
	enum err e = key_new(out);

	if (e == OK)
		random_bytes((*out)->b, KEY_LEN);
	return e;
}

/*
 * 48 bits of time, then 12 bits of a counter that restarts at a random value
 * each millisecond (RFC 9562, 6.2, method 1), then 62 random bits.
 */
struct uuid
uuid_make(struct wall_ms now)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static uint64_t last_ms;
	static uint16_t counter;
	struct uuid id;
	uint64_t ms;
	uint16_t count;

	random_bytes(id.b, sizeof id.b);
	pthread_mutex_lock(&lock);
	if (now.ms > last_ms) {
		last_ms = now.ms;
		counter = (uint16_t)(randombytes_random() & 0x7ff);
	} else if (++counter > 0xfff) {
		last_ms++;
		counter = 0;
	}
	ms = last_ms;
	count = counter;
	pthread_mutex_unlock(&lock);

	for (size_t i = 0; i < 6; i++)
		id.b[i] = (uint8_t)(ms >> (40 - 8 * i));
	id.b[6] = (uint8_t)(0x70 | count >> 8);
	id.b[7] = (uint8_t)count;
	id.b[8] = (uint8_t)((id.b[8] & 0x3f) | 0x80);
	return id;
}
