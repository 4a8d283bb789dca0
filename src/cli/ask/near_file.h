/*
 * near_file.h - which file was probably meant by a name that is not there.
 */
#ifndef SNUG_CLI_NEAR_FILE_H
#define SNUG_CLI_NEAR_FILE_H

#include "base/str.h"

/* Appends its path: of a file in the same folder, which is not hidden; nothing where none is near.
 * SNUG_OK or SNUG_ENOMEM. */
int near_file_find(str *out, const char *path);

#endif
