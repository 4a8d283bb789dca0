/*
 * code_languages.h - what code.c knows of each language.
 */
#ifndef SNUG_CLI_CODE_LANGUAGES_H
#define SNUG_CLI_CODE_LANGUAGES_H

#include <stddef.h>

#include "cli/editor/style.h"

void code_style_python(unsigned char *styles, const char *text, size_t len);
void code_style_bash(unsigned char *styles, const char *text, size_t len);

/* words: each between two spaces. */
int code_is_one_of(const char *words, const char *word, size_t len);
void code_mark(unsigned char *styles, size_t from, size_t to, style s);

#endif
