/*
 * figures.h - whether the numbers of an answer come from what the program gave.
 */
#ifndef SNUG_AGENT_FIGURES_H
#define SNUG_AGENT_FIGURES_H

#include <stddef.h>

#include "base/str.h"

/* More are not listed. */
enum { FIGURES_MOST = 20 };

/* Appends the numbers of the answer that follow from no number in the sources, separated by
 * ", ", each once and FIGURES_MOST of them at most, as they stand in the answer but with the
 * digits of ASCII; nothing where all follow.
 *
 * A number follows from
 * - the same number however it is written: 1,234.5 and 1.234,5 and 1 234,5; 1.2 million and
 *   1200000; 12.5% and 0.125; five and 5; 2 pm and 14,
 * - one that it is rounded from, to the digits that it has: 3.14 from 3.14159. From three digits on
 *   it may be cut off instead. Zeros at the end of a whole number are digits, but not behind
 * "about" and the like, and "over", "nearly" and the like allow for one more or less of the last
 * digit,
 * - how many items a list in brackets has in a source, or how many lines the source has (with
 *   and without a heading); a rank (3rd) may be any up to that.
 * A sign is not told apart: "fell by 3" follows from -3. Where a number can be read in two ways
 * (1,234), each counts, and a date or list is several numbers.
 *
 * What is not a figure is passed over: the numbering of lines, numbers within names (gpt-4, Q3, x2)
 * and links.
 *
 * Only a number is compared, never what it is the number of. Sources may be NULL or empty. Takes
 * time in proportion to the lengths, with a logarithm. SNUG_OK or SNUG_ENOMEM. */
int figures_unsupported(str *out, const char *answer, const char *const *sources, size_t count);

#endif
