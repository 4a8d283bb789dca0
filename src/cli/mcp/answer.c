#include "cli/mcp/answer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/program/secrets.h"
#include "cli/terminal/clean.h"

/* ---- text ---- */

static void say(answer *a, const char *format, va_list args)
{
    char line[2048];
    utf8_format(line, sizeof line, format, args);
    str_add(&a->text, line);
}

void answer_say(answer *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(a, format, args);
    va_end(args);
}

void answer_name(answer *a, const char *name)
{
    str shown = { 0 };
    clean c = { .held_len = 0 };

    clean_text(&shown, &c, name, strlen(name), 0);
    clean_end(&shown, &c);
    for (size_t i = 0; i < shown.len; i++) {
        const char byte = shown.data[i];
        byte == '\n' || byte == '\t' ? str_printf(&a->text, "^%c", byte ^ 0x40)
                                     : str_append(&a->text, &byte, 1);
    }
    a->failed |= str_error(&shown);
    str_free(&shown);
}

void answer_note(answer *a, const char *format, ...)
{
    const size_t before = a->text.len;
    va_list args;

    va_start(args, format);
    say(a, format, args);
    va_end(args);
    str_append(&a->note, str_text(&a->text) + before, a->text.len - before);
}

void answer_fail(answer *a, const char *format, ...)
{
    va_list args;

    str_clear(&a->text);
    str_clear(&a->items);
    str_clear(&a->structured);
    str_clear(&a->note);
    a->is_error = 1;
    va_start(args, format);
    say(a, format, args);
    va_end(args);
}

void answer_fail_library(answer *a)
{
    answer_fail(a, "%s", secrets_error_message());
}

static void end_line(answer *a)
{
    if (a->text.len > 0 && a->text.data[a->text.len - 1] != '\n')
        str_add(&a->text, "\n");
}

static void say_whole(answer *a, const char *title, const char *text, size_t len)
{
    if (len == 0)
        return;
    end_line(a);
    str_add(&a->text, title);
    str_append(&a->text, text, len);
    end_line(a);
}

void answer_trouble(answer *a, const snug_arrival *arrival)
{
    if (*arrival->not_saved)
        answer_note(a, "Note: %s.\n", arrival->not_saved);
    if (!*arrival->reason)
        return;

    answer_note(a, "The session is not as it was: %s", arrival->reason);
    if (arrival->cells_lost != UINT64_MAX)
        answer_note(a, "; cells lost: %llu", (unsigned long long)arrival->cells_lost);
    answer_note(a, ".%s\n",
                a->has_save ? " restore_session brings back what save_session has saved." : "");
}

void answer_arrival(answer *a, const snug_arrival *arrival)
{
    enum { SHOWN = 20 };
    const snug_binding *entry;
    int gone = 0;

    if (arrival->origin == SNUG_ORIGIN_RESTORED) {
        answer_note(a, "The session has been restored from its save.");
        for (size_t i = 0; (entry = snug_saved_binding(arrival->restored, i)); i++)
            if (!entry->how && gone++ < SHOWN)
                answer_note(a, "%s %s (%s)", gone == 1 ? " Not saved, and gone:" : ",", entry->name,
                            entry->reason);
        answer_note(a, "%s%s\n", gone > SHOWN ? ", and more" : "", gone > 0 ? "." : "");
    }
    answer_trouble(a, arrival);
}

/* ---- pictures and files ---- */

static const char *const pictures[] = { "image/png", "image/jpeg", "image/gif", "image/webp" };

static void add_picture(answer *a, const snug_mime *part)
{
    str_printf(&a->items, ",{\"type\":\"image\",\"mimeType\":\"%s\",\"data\":", part->type);
    /* Base64, in which Jupyter's kernels leave line ends. */
    str plain = { 0 };
    for (size_t i = 0; i < part->len; i++)
        if (!isspace((unsigned char)part->data[i]))
            str_append(&plain, part->data + i, 1);
    jsontext_quote(&a->items, str_text(&plain), plain.len);
    str_add(&a->items, "}");
    a->failed |= str_error(&plain);
    str_free(&plain);
}

static const snug_mime *find_part(const snug_display *display, const char *type)
{
    for (size_t i = 0; i < display->part_count; i++)
        if (!strcasecmp(display->parts[i].type, type))
            return &display->parts[i];
    return NULL;
}

static const snug_mime *find_picture(const snug_display *display)
{
    const snug_mime *part = NULL;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && !part; i++)
        part = find_part(display, pictures[i]);
    return part;
}

/* What is shown of it as text; NULL: nothing. */
static const snug_mime *find_text(const snug_display *display)
{
    const snug_mime *text = find_part(display, "text/markdown");

    if (display->is_main_result || find_picture(display))
        return NULL;
    return text ? text : find_part(display, "text/plain");
}

static void add_display(answer *a, const snug_display *display)
{
    const snug_mime *picture = find_picture(display), *text = find_text(display);

    if (picture)
        add_picture(a, picture);
    if (text)
        say_whole(a, "", text->data, text->len);
}

/* ---- a cell ---- */

static void say_cut(answer *a, const snug_result *result, snug_stream stream, const char *name)
{
    size_t len;
    snug_result_text(result, stream, &len);
    const uint64_t total = snug_result_total_bytes(result, stream);
    const char *spill = snug_result_spill(result, stream);

    if (total <= len)
        return;
    end_line(a);
    answer_note(a, "(%s is cut: it has %llu bytes in all%s%s%s)\n", name, (unsigned long long)total,
                spill ? "; the whole is in the file " : "", spill ? spill : "",
                spill ? ", for read_file" : "");
}

static void say_error(answer *a, const snug_result *result, uint64_t limit_ms)
{
    size_t len;
    const snug_status status = snug_result_status(result);
    const char *traceback = snug_result_text(result, SNUG_STREAM_TRACEBACK, &len);
    const char *hint = snug_result_error_hint(result);

    if (status == SNUG_STATUS_OK)
        return;
    a->is_error = 1;
    if (len > 0)
        say_whole(a, "", traceback, len);
    else if (*snug_result_error_name(result))
        answer_say(a, "%s: %s\n", snug_result_error_name(result), snug_result_error_value(result));
    if (*hint)
        answer_say(a, "Hint: %s\n", hint);
    answer_say(a, "The cell ended with status %s; ", snug_status_name(status));
    if (snug_result_state(result) == SNUG_STATE_KEPT)
        answer_say(a, "the session is kept, with its names.\n");
    else
        answer_note(a, "the session's names are lost, and the next call finds its last save, or "
                       "none.\n");
    if (status == SNUG_STATUS_TIMEOUT && limit_ms > 0)
        answer_note(a, "No call has more than %g s here.\n", (double)limit_ms / 1000);
}

static void say_files(answer *a, const snug_result *result)
{
    const snug_artifact *file;
    size_t count = snug_result_artifact_count(result);

    for (size_t i = 0; (file = snug_result_artifact(result, i)); i++) {
        answer_say(a, i == 0 ? "Files made or changed: " : ", ");
        answer_name(a, file->path);
        answer_say(a, " (%s, %llu bytes)%s", file->mime, (unsigned long long)file->bytes,
                   i + 1 == count ? "\n" : "");
    }
    if (snug_result_artifacts_left_out(result) > 0)
        answer_say(a, "and %llu more files\n",
                   (unsigned long long)snug_result_artifacts_left_out(result));
}

/* The member of snug_served_json, for a lease. */
static void add_opened(answer *a, const snug_arrival *arrival)
{
    str *out = &a->structured;
    str_printf(out, ",\"opened\":{\"how\":\"%s\",\"state\":\"%s\",\"reason\":",
               snug_origin_name(arrival->origin), *arrival->reason ? "lost" : "kept");
    jsontext_quote(out, arrival->reason, strlen(arrival->reason));
    if (arrival->cells_lost == UINT64_MAX)
        str_add(out, ",\"cells_lost\":null}}");
    else
        str_printf(out, ",\"cells_lost\":%llu}}", (unsigned long long)arrival->cells_lost);
}

static void add_member(answer *a, const char *name, const char *text, size_t len)
{
    if (len == 0)
        return;
    str_printf(&a->structured, ",\"%s\":", name);
    jsontext_quote(&a->structured, text, len);
}

static void add_stream(answer *a, const char *name, const snug_result *result, snug_stream stream)
{
    size_t len;
    const char *text = snug_result_text(result, stream, &len);
    add_member(a, name, text, len);
}

/* What a model needs; what is empty is left out. */
static void add_brief(answer *a, const snug_result *result, const handle *h)
{
    const snug_display *display;
    const snug_artifact *file;
    const snug_mime *text;
    str output = { 0 };
    size_t len;

    str_printf(&a->structured, "{\"session\":\"%s\",\"status\":\"%s\"", h->name,
               snug_status_name(snug_result_status(result)));
    const char *printed = snug_result_text(result, SNUG_STREAM_STDOUT, &len);
    str_append(&output, printed, len);
    for (size_t i = 0; (display = snug_result_display(result, i)); i++)
        if ((text = find_text(display))) {
            str_append(&output, text->data, text->len);
            str_add(&output, "\n");
        }
    add_member(a, "output", str_text(&output), output.len);
    a->failed |= str_error(&output);
    str_free(&output);
    add_stream(a, "stderr", result, SNUG_STREAM_STDERR);
    add_stream(a, "value", result, SNUG_STREAM_VALUE);

    snug_result_text(result, SNUG_STREAM_TRACEBACK, &len);
    if (len > 0)
        add_stream(a, "error", result, SNUG_STREAM_TRACEBACK);
    else
        add_member(a, "error", snug_result_error_value(result),
                   strlen(snug_result_error_value(result)));
    add_member(a, "hint", snug_result_error_hint(result), strlen(snug_result_error_hint(result)));
    add_member(a, "note", str_text(&a->note), a->note.len);

    for (size_t i = 0; (file = snug_result_artifact(result, i)); i++) {
        str_add(&a->structured, i == 0 ? ",\"files\":[" : ",");
        jsontext_quote(&a->structured, file->path, strlen(file->path));
    }
    str_add(&a->structured, snug_result_artifact_count(result) > 0 ? "]}" : "}");
}

void answer_cell(answer *a, const snug_result *result, const snug_arrival *arrival, const handle *h,
                 structured_choice form, uint64_t limit_ms)
{
    const snug_display *display;
    size_t len;
    const char *text;

    answer_arrival(a, arrival);
    text = snug_result_text(result, SNUG_STREAM_STDOUT, &len);
    say_whole(a, "", text, len);
    say_cut(a, result, SNUG_STREAM_STDOUT, "stdout");
    text = snug_result_text(result, SNUG_STREAM_STDERR, &len);
    say_whole(a, "stderr:\n", text, len);
    say_cut(a, result, SNUG_STREAM_STDERR, "stderr");
    for (size_t i = 0; (display = snug_result_display(result, i)); i++)
        add_display(a, display);
    text = snug_result_text(result, SNUG_STREAM_VALUE, &len);
    say_whole(a, "Value: ", text, len);
    say_error(a, result, limit_ms);
    say_files(a, result);
    end_line(a);
    answer_say(a, "Session: %s\n", h->name);
    if (form != STRUCTURED_FULL) {
        add_brief(a, result, h);
        return;
    }

    const char *json = snug_result_json(result, &len);
    if (!json) {
        a->failed = 1;
        return;
    }
    str_append(&a->structured, json, len - 1);
    add_opened(a, arrival);
}

/* ---- the whole ---- */

int answer_write(str *out, const answer *a)
{
    if (a->failed || str_error(&a->text) || str_error(&a->items) || str_error(&a->structured) ||
        str_error(&a->note))
        return SNUG_ENOMEM;

    str text = { 0 };
    const int error = str_append(&text, str_text(&a->text), a->text.len);
    secrets_hide_str(&text);
    str_add(out, "\"content\":[{\"type\":\"text\",\"text\":");
    jsontext_quote(out, str_text(&text), text.len);
    str_add(out, "}");
    str_append(out, str_text(&a->items), a->items.len);
    str_printf(out, "],\"isError\":%s", a->is_error ? "true" : "false");
    if (a->structured.len > 0) {
        str_add(out, ",\"structuredContent\":");
        str_append(out, a->structured.data, a->structured.len);
    }
    str_free(&text);
    return error ? error : str_add(out, "}");
}

void answer_free(answer *a)
{
    str_free(&a->text);
    str_free(&a->items);
    str_free(&a->structured);
    str_free(&a->note);
}
