/* disk: writes that fail as on a bad disk, by the limit on file sizes; the whole process is under it. */
#ifndef TESTS_SUPPORT_DISK_H
#define TESTS_SUPPORT_DISK_H

#include <sys/resource.h>

/* No file grows past so many bytes, and no write reaches past them, until disk_unlimit. Not twice in a row. */
void disk_limit(rlim_t bytes);
void disk_unlimit(void);

#endif
