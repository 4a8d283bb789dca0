/*
 * requirements.h - which packages are wanted: names of the command line, and requirements files
 * of pip's.
 *
 * What pip reads is written afresh from what was understood here, a requirement a line. So an
 * option, a path, an address or a variable in a name or a file never gets to pip.
 */
#ifndef SNUG_CLI_REQUIREMENTS_H
#define SNUG_CLI_REQUIREMENTS_H

#include <stddef.h>

#include "base/str.h"

typedef struct requirements {
    str lines;       /* for pip; ASCII */
    str constraints; /* the same; may be empty */
    size_t count;    /* of lines */
    int has_hashes;  /* of some line, or asked for by a file */
} requirements;

/* NAME, NAME[EXTRA], with versions: NAME==1.2, NAME>=1,<2. EXIT_FINE, or EXIT_USAGE after one
 * sentence; so do the next. */
int requirements_add(requirements *r, const char *text);
/* The same a line, with markers ("; python_version < '3.13'") and hashes (--hash=sha256:...),
 * remarks, and backslashes before the end of a line. Lines that are options: -r FILE and -c FILE,
 * beside the file that names them, and --require-hashes. */
int requirements_add_file(requirements *r, const char *path);
/* The same of a text, which is changed; path: where it is said to be from. */
int requirements_add_text(requirements *r, const char *path, char *text);
void requirements_free(requirements *r);

/* A name as PEP 508 has it; the bytes it has at the beginning of text, 0: none. */
size_t requirements_name(const char *text);
/* Whether text is a version, nothing behind it. */
int requirements_is_version(const char *text);
/* Whether two names are of the same package: case does not matter, and -, _ and . are one. */
int requirements_is_same(const char *a, const char *b);

#endif
