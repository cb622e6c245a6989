// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Counting what passes. Standard output belongs to the program under test: it is taken away from the library while
// the checks run, and anything written there is a failure.

#ifndef CHECK_H
#define CHECK_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    const char *program;
    FILE *report, *standard_output;
    unsigned passed, failed;
} checks = {PTHREAD_MUTEX_INITIALIZER, "", NULL, NULL, 0, 0};

// Starts counting. Everything written to standard output from here on goes to a file that must stay empty.
static inline void checks_begin(const char *program)
{
    const char *slash = strrchr(program, '/');
    checks.program = slash != NULL ? slash + 1 : program;
    fflush(stdout);
    checks.report = fdopen(dup(STDOUT_FILENO), "w");
    checks.standard_output = tmpfile();
    if (checks.report == NULL || checks.standard_output == NULL
        || dup2(fileno(checks.standard_output), STDOUT_FILENO) < 0) {
        perror("cannot take standard output away");
        exit(2);
    }
}

// Counts one check; says what failed. Returns `ok`. Any thread may call.
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static inline bool
check(bool ok, const char *what, ...)
{
    pthread_mutex_lock(&checks.lock);
    if (ok) {
        checks.passed++;
    } else {
        va_list arguments;
        checks.failed++;
        fprintf(checks.report, "%s: FAILED: ", checks.program);
        va_start(arguments, what);
        vfprintf(checks.report, what, arguments);
        va_end(arguments);
        fputc('\n', checks.report);
        fflush(checks.report);
    }
    pthread_mutex_unlock(&checks.lock);
    return ok;
}

// Ends the counting, prints the counts and returns the program's exit status.
static inline int checks_end(void)
{
    bool failed;
    fflush(stdout);
    check(lseek(STDOUT_FILENO, 0, SEEK_END) == 0, "the library wrote to standard output");
    fprintf(checks.report, "%s: %u passed, %u failed\n", checks.program, checks.passed, checks.failed);
    failed = checks.failed != 0;
    fclose(checks.report);
    fclose(checks.standard_output);
    return failed ? 1 : 0;
}

#endif
