#include "cli/kernel/content.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"

void content_free(content *c)
{
    str_free(&c->text);
    c->has_failed = 0;
}

void content_clear(content *c)
{
    str_clear(&c->text);
    c->has_failed = 0;
}

void content_add(content *c, const char *json)
{
    c->has_failed |= str_add(&c->text, json) != SNUG_OK;
}

void content_printf(content *c, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len < 0 || (size_t)len >= sizeof text)
        c->has_failed = 1;
    else
        content_add(c, text);
}

void content_quote(content *c, const char *text, size_t len)
{
    c->has_failed |= jsontext_quote(&c->text, text, len) != SNUG_OK;
}

void content_next(content *c)
{
    const char *end = c->text.len > 0 ? c->text.data + c->text.len - 1 : "{";
    if (*end != '{' && *end != '[')
        content_add(c, ",");
}

static void begin_member(content *c, const char *name)
{
    content_next(c);
    content_printf(c, "\"%s\":", name);
}

void content_text(content *c, const char *name, const char *text)
{
    begin_member(c, name);
    content_quote(c, text, strlen(text));
}

void content_member(content *c, const char *name, const char *json)
{
    begin_member(c, name);
    content_add(c, json);
}

static int has_part(const snug_display *display, const char *type)
{
    for (size_t i = 0; i < display->part_count; i++)
        if (strcmp(display->parts[i].type, type) == 0)
            return 1;
    return 0;
}

/* nbconvert prefers SVG to PNG, and its HTML has nothing left of what matplotlib draws. */
void content_bundle(content *c, const snug_display *display)
{
    const char *left_out = has_part(display, "image/png") ? "image/svg+xml" : "";

    begin_member(c, "data");
    content_add(c, "{");
    for (size_t i = 0; i < display->part_count; i++) {
        const snug_mime *part = &display->parts[i];
        if (strcmp(part->type, left_out) == 0)
            continue;
        content_next(c);
        content_quote(c, part->type, strlen(part->type));
        content_add(c, ":");
        if (part->is_json)
            c->has_failed |= str_append(&c->text, part->data, part->len) != SNUG_OK;
        else
            content_quote(c, part->data, part->len);
    }

    content_add(c, "}");
    content_member(c, "metadata", display->metadata_json);
}
