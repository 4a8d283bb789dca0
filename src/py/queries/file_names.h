/*
 * file_names.h - the names of files that a literal could be going to be a path of: in the work
 * directory and in what is mounted there, as far as the session may read.
 *
 * On the session's thread, which the kernel's rules hold for.
 */
#ifndef SNUG_PY_FILE_NAMES_H
#define SNUG_PY_FILE_NAMES_H

#include "py/core/state.h"
#include "py/queries/collector.h"

/* As what is written begins. Folders end with a slash; names with a dot in front are for who has
 * written that. */
void offer_files(collector *to, interp *in, literal_style style);

#endif
