/*
 * list_files.h - what there is in a work directory: a part of local_form, and its answer as bytes.
 *
 * What is unpacked is checked as packed.h says.
 */
#ifndef SNUG_SESSION_LIST_FILES_H
#define SNUG_SESSION_LIST_FILES_H

#include <snug/snug.h>

#include "wire/pack.h"

int local_list(snug_listing **out, snug_session *session);

void listing_pack(packer *p, const snug_listing *listing);
int listing_unpack(snug_listing **out, unpacker *u);

/* A path as text, malloc'ed: what is not UTF-8 is U+FFFD. NULL without memory. */
char *files_text(const char *path);

#endif
