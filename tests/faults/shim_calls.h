/* shim_calls: those of libc's own names that its headers do not declare. */
#ifndef TESTS_FAULTS_SHIM_CALLS_H
#define TESTS_FAULTS_SHIM_CALLS_H

#include <stddef.h>

int   __open_2(const char *name, int flags);
int   __open64_2(const char *name, int flags);
int   __openat_2(int dir_fd, const char *name, int flags);
int   __openat64_2(int dir_fd, const char *name, int flags);
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

#endif
