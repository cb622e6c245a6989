// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Checks of what a call returned. Each frees the message.

#ifndef OUTCOME_H
#define OUTCOME_H

#include "check.h"

#include <interlock.h>

// Counts a call that must have succeeded.
static inline bool succeeded(interlock_error error, const char *what)
{
    bool ok = check(error.code == 0 && error.message == NULL, "%s: code %d: %s", what, error.code,
                    error.message != NULL ? error.message : "no message");
    free(error.message);
    return ok;
}

// Counts a call that must have failed with `code` and a message that has `fragment` in it.
static inline bool refused(interlock_error error, const char *what, int code, const char *fragment)
{
    bool told = error.message != NULL && strstr(error.message, fragment) != NULL;
    bool last = error.message != NULL && strcmp(interlock_last_error(), error.message) == 0;
    bool ok = check(error.code == code && told && last, "%s: expected code %d and \"%s\", got %d: %s%s", what, code,
                    fragment, error.code, error.message != NULL ? error.message : "no message",
                    told && !last ? "; interlock_last_error() says something else" : "");
    free(error.message);
    return ok;
}

#endif
