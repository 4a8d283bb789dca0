/*
 * out_name.h - names of folders and files for what programs have made. Pure.
 */
#ifndef SNUG_CLI_OUT_NAME_H
#define SNUG_CLI_OUT_NAME_H

#include <stdint.h>

#include "base/str.h"

/* Appends the name of a folder: the first words of the question in small letters,
 * "plot-sales-by-month", of 40 bytes at most; "answer" where it has none. SNUG_OK or SNUG_ENOMEM.
 */
int out_name_of_question(str *out, const char *question);
/* Appends a path of a work directory as others may meet it: bytes that are not text, what moves a
 * cursor or turns the direction of writing become "_", and so does a "-" in front, which would be
 * an option. SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL for a path that is not below its folder. */
int out_name_of_path(str *out, const char *path);
/* Whether a name of the path begins with a dot. */
int out_name_is_hidden(const char *path);
/* Appends the path with a number in front of its ending: "a/plot-2.png", cut to what a
 * file's name may have. SNUG_OK or SNUG_ENOMEM. */
int out_name_numbered(str *out, const char *path, unsigned number);
/* Appends "6 bytes", "12 KiB", "1.5 MiB". SNUG_OK or SNUG_ENOMEM. */
int out_name_size(str *out, uint64_t bytes);

#endif
