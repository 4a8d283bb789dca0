/*
 * program.h - the inside of a program: a text that does not change.
 *
 * Sessions hold it while they are at a call, and until the next call of another one: so it may be
 * freed while a thread that was given up still reads it.
 */
#ifndef SNUG_SESSION_PROGRAM_H
#define SNUG_SESSION_PROGRAM_H

#include <snug/program.h>

#include "py/core/program.h"

struct snug_program {
    _Atomic size_t holders;
    const snug_host *host;
    program_text text; /* of which the texts are the program's */
};

/* Makes one without a scan. SNUG_EINVAL with a message for options that cannot be. */
int program_make(snug_program **out, const snug_host *host, const char *source, size_t len,
                 const snug_program_options *options);
snug_program *program_hold(snug_program *program);
/* NULL is fine. */
void program_drop(snug_program *program);

#endif
