/* fake_clock: time that stands still until a test moves it. For the whole process. */
#ifndef TESTS_SUPPORT_FAKE_CLOCK_H
#define TESTS_SUPPORT_FAKE_CLOCK_H

#include "mailbox/clock.h"

/* From now on clock_wall and clock_mono say this. */
void fake_clock_set(uint64_t wall_ms, uint64_t mono_ms);

/* Moves both; or the wall clock alone, as somebody who sets it. */
void fake_clock_advance(uint64_t ms);
void fake_clock_set_wall(uint64_t wall_ms);

/* The machine starts anew, that long after its last moment: monotonic time begins again, under another id. */
void fake_clock_reboot(uint64_t ms_later);

/* Puts the system's clock back. */
void fake_clock_off(void);

#endif
