/*
 * figures.h - whether the numbers of an answer come from what the program gave.
 */
#ifndef SNUG_AGENT_FIGURES_H
#define SNUG_AGENT_FIGURES_H

#include <stddef.h>

#include "base/str.h"

/* Appends the numbers of the answer that follow from no number in the sources, separated by
 * ", " and as they stand in the answer, each once; nothing where all do. Follow: the same
 * number however it is written (1,234.5 and 1.234,5; 1.2 million; 12.5% and 0.125; five for 5),
 * and one with fewer digits that a source's number rounds to. A sign is not told apart: "fell by
 * 3" follows from -3. Where a number can be read in two ways (1,234), each counts. What is no
 * figure is passed over: numbering at the start of a line, numbers within names (gpt-4, Q3,
 * x2), what stands within a link. Sources may be NULL or empty.
 *
 * Only a number is compared, never what it is the number of. Takes time in proportion to the
 * lengths, with a logarithm. SNUG_OK or SNUG_ENOMEM. */
int figures_unsupported(str *out, const char *answer, const char *const *sources, size_t count);

#endif
