/*
 * language.h - which language a question is in.
 *
 * By libexttextcat, which is loaded when the first question is asked. Where it is not installed, or
 * not sure, the language is not known, and the model decides.
 */
#ifndef SNUG_AGENT_LANGUAGE_H
#define SNUG_AGENT_LANGUAGE_H

typedef struct language {
    const char *code; /* "es", "zh-Hant"; static */
    const char *name; /* "Spanish" */
} language;

/* NULL: short, mixed or in no language that is known here. text is valid UTF-8. What stands in
 * quotes, names of files and code count for nothing. */
const language *language_of(const char *text);
/* By name or code, in any case; NULL for another one. */
const language *language_named(const char *text);

#endif
