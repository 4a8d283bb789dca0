/*
 * content.h - the content of a message, written piece by piece as JSON text. Where memory runs out
 * for a piece the whole has failed, and is not sent.
 */
#ifndef SNUG_CLI_CONTENT_H
#define SNUG_CLI_CONTENT_H

#include <snug/snug.h>

#include "base/str.h"

typedef struct content {
    str text;
    int has_failed;
} content;

/* Zeroed is empty. */
void content_free(content *c);
/* Forgets the text, keeps the room for it. */
void content_clear(content *c);
/* JSON as it is. */
void content_add(content *c, const char *json);
__attribute__((format(printf, 2, 3))) void content_printf(content *c, const char *format, ...);
/* A string. */
void content_quote(content *c, const char *text, size_t len);
/* The comma before an item of an array or an object, but the first. */
void content_next(content *c);
/* A member with its name, behind a comma where it is not the first: "name":"text". */
void content_text(content *c, const char *name, const char *text);
/* The same with JSON. */
void content_member(content *c, const char *name, const char *json);
/* The members "data" and "metadata" of a display, or of a value. A picture that is there as PNG is
 * left out as SVG, as in the notebooks of snug_notebook. */
void content_bundle(content *c, const snug_display *display);

#endif
