#include "py/report/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void report_init(report *r, size_t max_bytes)
{
    /* What the line has that stands for the bytes left out. */
    const size_t cut_bytes = 64;
    *r = (report){ .max_bytes = max_bytes, .margin = '|' };
    stream_init(&r->text, max_bytes > cut_bytes ? max_bytes - cut_bytes : 0);
}

void report_free(report *r)
{
    stream_free(&r->text);
}

int report_text(const report *r, str *out)
{
    size_t before = out->len;
    int error = r->error ? r->error : stream_text(&r->text, out);

    /* A limit that is shorter than the line about the cut. */
    if (!error && out->len - before > r->max_bytes) {
        out->len = before + utf8_floor(out->data + before, out->len - before, r->max_bytes);
        out->data[out->len] = '\0';
    }

    return error;
}

void report_fail(report *r, int error)
{
    if (!r->error)
        r->error = error;
}

void report_begin(report *r, char margin)
{
    r->margin = margin;
    r->is_line_start = 1;
    r->is_after_cr = 0;
}

static void write_span(report *r, span text)
{
    report_fail(r, stream_write(&r->text, text.at, text.len));
}

static void write_indentation(report *r)
{
    for (unsigned i = 0; i < r->depth; i++)
        write_span(r, (span){ "  ", 2 });
}

static void write_margin(report *r)
{
    const char margin[2] = { r->margin, ' ' };
    write_indentation(r);
    write_span(r, (span){ margin, sizeof margin });
}

void report_put(report *r, span text)
{
    size_t content;

    if (!r->depth) {
        write_span(r, text);
        return;
    }

    while (text.len) {
        size_t len = span_line(text, &content);

        /* "\r" and "\n" of two calls are one end of a line. */
        int ends_before = r->is_after_cr && text.at[0] == '\n';
        if (r->is_line_start && !ends_before)
            write_margin(r);

        write_span(r, span_cut(text, len));
        r->is_line_start = content < len;
        r->is_after_cr = text.at[len - 1] == '\r';
        text = span_from(text, len);
    }
}

void report_add(report *r, const char *text)
{
    report_put(r, (span){ text, strlen(text) });
}

void report_printf(report *r, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    report_add(r, line);
}

void report_add_object(report *r, PyObject *text)
{
    PyObject *holder;
    report_put(r, pytext_of(&holder, text));
    Py_XDECREF(holder);
}

void report_rule(report *r, const char *line)
{
    write_indentation(r);
    write_span(r, (span){ line, strlen(line) });
}
