/*
 * programlanguage.h - which programming language a question wants its program in, by its words.
 */
#ifndef SNUG_AGENT_PROGRAMLANGUAGE_H
#define SNUG_AGENT_PROGRAMLANGUAGE_H

#include <stddef.h>

/* Where it asks for a program in plain words ("write a bash script", "with a shell one-liner", "use
 * R to ...", "plot it in Julia"): "bash", "R", "Julia", "C++" ...; static. NULL: it asks for none,
 * or for Python, or speaks of a language only ("count the Ruby scripts"). */
const char *language_of_program(const char *question);
int language_wants_bash(const char *question);

/* The bytes of what stands in quotes at text, with them; 0: no quote begins there. */
size_t language_quoted_len(const char *at);

#endif
