/* oracle_log: the part of the oracle that is about the log. */
#ifndef TESTS_FAULTS_ORACLE_LOG_H
#define TESTS_FAULTS_ORACLE_LOG_H

#include "store/grants_db.h"
#include "tests/faults/oracle.h"

/* Verifies, recovers, verifies. *manual_lock is what the log says. */
bool oracle_log_check(const char *home, const struct library_record *library, const struct expect *x, size_t event,
    bool *manual_lock, char why[ORACLE_WHY_MAX]);

#endif
