/* fake_clock: time that stands still until a test moves it. For the whole process. */
#ifndef TESTS_SUPPORT_FAKE_CLOCK_H
#define TESTS_SUPPORT_FAKE_CLOCK_H

#include "mailbox/clock.h"

/* From now on clock_wall and clock_mono say this. */
void fake_clock_set(uint64_t wall_ms, uint64_t mono_ms);

/* Moves both. */
void fake_clock_advance(uint64_t ms);

/* Puts the system's clock back. */
void fake_clock_off(void);

#endif
