/*
 * prelude.h - what a shell reads before the first cell: prelude.sh and, where the host answers
 * lines, reading.sh.
 */
#ifndef SNUG_BASH_PRELUDE_H
#define SNUG_BASH_PRELUDE_H

extern const char bash_prelude[];
extern const char bash_reading[];

#endif
