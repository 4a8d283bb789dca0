/*
 * level.h - which of the distribution's fixes the Python in this program has.
 *
 * A static libpython stays as it was when snug was built, whatever is installed later. Debian's
 * packages of one Python version differ by such fixes only, so the version of the package tells.
 */
#ifndef SNUG_CLI_LEVEL_H
#define SNUG_CLI_LEVEL_H

#include "base/str.h"

typedef enum level_state {
    LEVEL_SAME,
    LEVEL_DIFFERS, /* build snug again */
    LEVEL_UNKNOWN, /* of no package, or none is installed */
    LEVEL_SHARED   /* it is the shared library's, and always the one that is installed */
} level_state;

/* Of the package that the archive was of; "" where it is not known. */
const char *level_built_in(void);
/* What dpkg says is installed now ("": nothing), and how the two compare. */
level_state level_compare(str *installed);
/* The same as a line for people. */
void level_tell(str *out);

#endif
