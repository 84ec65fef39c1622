/*
 * bench_http: the product's HTTP server with nothing behind it: the same event
 * loop, parser and writer, and one fixed answer of 2 KiB of JSON.
 */
#ifndef TOOLS_BENCH_HTTP_H
#define TOOLS_BENCH_HTTP_H

/* Listens on 127.0.0.1 at a port of its choice, prints it, and answers until standard input ends. */
int bench_http_run(void);

#endif
