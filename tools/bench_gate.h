/*
 * bench_gate: the bound with the product's front door before it: the same
 * thread, the same socket, and one actor, the gate, that does all by itself.
 * Its group is whatever has come while the last one was written.
 */
#ifndef TOOLS_BENCH_GATE_H
#define TOOLS_BENCH_GATE_H

#include <stdbool.h>

/*
 * The process of its own that it needs: says "ready" on stdout and serves the
 * home of that place until stdin ends. own_thread: handed over from the front door's thread.
 */
int bench_gate_run(const char *place, bool own_thread);

#endif
