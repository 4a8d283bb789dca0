/*
 * form.h - the forms of a display. Pure.
 */
#ifndef SNUG_CLI_FORM_H
#define SNUG_CLI_FORM_H

#include <snug/snug.h>

/* Its form of that type, "text/html". NULL: it has none. */
const snug_mime *form_find(const snug_display *display, const char *type);

#endif
