/* What a prompt asks of a kernel: names that could stand here, what one means, whether a cell is
 * whole. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/kernel/kernel.h"

static void reply(kernel *k, const kernel_message *request, const char *type, content *c)
{
    kernel_reply(k, CHANNEL_SHELL, k->signer, request, type, c);
    content_free(c);
}

/* The byte at which character number `at` begins; the end, where there are fewer. */
static size_t byte_of(const str *code, long at)
{
    size_t byte = 0;

    for (; at > 0 && byte < code->len; at--)
        byte = utf8_ceil(code->data, code->len, byte + 1);
    return byte;
}

/* Front ends ask while somebody types: properties of the session's that take longer are left. */
enum { MOST_MS = 2000 };

/* A source, and a place in it. */
typedef struct place {
    str code;
    size_t cursor;
} place;

static int read_place(place *out, const kernel_message *request)
{
    *out = (place){ 0 };
    int error = kernel_message_text(&out->code, request, "code");
    long cursor = kernel_message_number(request, "cursor_pos", -1);

    out->cursor = cursor < 0 ? out->code.len : byte_of(&out->code, cursor);
    return error;
}

/* ---- names ---- */

/* What front ends show beside a match, by a name that is still experimental there. */
static void add_types(content *c, const snug_completion *found, size_t start, size_t end)
{
    const char *match;

    content_add(c, "{\"_jupyter_types_experimental\":[");
    for (size_t i = 0; found && (match = snug_completion_match(found, i)); i++) {
        const char *type = snug_completion_type(found, i);
        content_next(c);
        content_printf(c, "{\"start\":%zu,\"end\":%zu", start, end);
        content_text(c, "text", match);
        content_text(c, "type", *type ? type : "<unknown>");
        content_add(c, "}");
    }
    content_add(c, "]}");
}

/* Places are in characters. found NULL: nothing is. */
static void add_matches(content *c, const snug_completion *found, const place *p)
{
    const char *code = str_text(&p->code), *match;
    const size_t end = utf8_length(code, p->cursor);
    const size_t start = found ? utf8_length(code, snug_completion_start(found)) : end;

    content_add(c, "{\"status\":\"ok\",\"matches\":[");
    for (size_t i = 0; found && (match = snug_completion_match(found, i)); i++) {
        content_next(c);
        content_quote(c, match, strlen(match));
    }
    content_printf(c, "],\"cursor_start\":%zu,\"cursor_end\":%zu,\"metadata\":", start, end);
    add_types(c, found, start, end);
    content_add(c, "}");
}

void kernel_complete(kernel *k, const kernel_message *request)
{
    content c = { 0 };
    place p;
    snug_completion *completion = NULL;
    int error = read_place(&p, request);

    attendant_hurry(&k->attendant, MOST_MS);
    if (!error)
        error =
            snug_session_complete(&completion, k->session, str_text(&p.code), p.code.len, p.cursor);
    attendant_hurry(&k->attendant, 0);
    if (error && error != SNUG_EDEAD)
        content_error(&c, snug_error_name(error), error_message());
    else
        add_matches(&c, completion, &p);
    reply(k, request, "complete_reply", &c);
    snug_completion_free(completion);
    str_free(&p.code);
}

/* ---- one name ---- */

/* "Signature: f(a)" and so on, as IPython has it. */
static int add_row(str *out, const char *label, const char *name, jsontext_span value)
{
    str text = { 0 };
    int error = SNUG_OK;

    if (!value.text || jsontext_is(value, "null"))
        return SNUG_OK;
    if (jsontext_string(&text, value) == SNUG_EINVAL)
        error = str_append(&text, value.text, value.len);
    const char *space = strchr(str_text(&text), '\n') ? "\n" : " ";
    error = error || str_printf(out, "\x1b[0;31m%s:\x1b[0m%s%s", label, space, name) ||
            str_add_str(out, &text) || str_add(out, "\n");
    str_free(&text);
    return error;
}

static int write_page(str *out, jsontext_span found, int is_long)
{
    static const struct {
        const char *label, *member;
        int is_long;
    } rows[] = {
        { "Signature", "signature", 0 }, { "Type", "type", 0 },     { "String form", "text", 0 },
        { "Length", "length", 0 },       { "Source", "source", 1 }, { "Docstring", "docstring", 0 },
    };
    str name = { 0 };
    int error = jsontext_string(&name, jsontext_member(found, "name"));

    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !error; i++) {
        const char *dot = strrchr(str_text(&name), '.');
        const char *last = dot ? dot + 1 : str_text(&name);
        if (!rows[i].is_long || is_long)
            error = add_row(out, rows[i].label, i == 0 ? last : "",
                            jsontext_member(found, rows[i].member));
    }
    str_free(&name);
    return error;
}

static void add_inspection(content *c, const snug_description *description, int is_long)
{
    size_t len = 0;
    const char *json = description ? snug_description_json(description, &len) : "{}";
    jsontext_span found = { json, len };
    str page = { 0 };

    if (!jsontext_is(jsontext_member(found, "found"), "true")) {
        content_add(c, "{\"status\":\"ok\",\"found\":false,\"data\":{},\"metadata\":{}}");
        return;
    }

    c->has_failed |= write_page(&page, found, is_long) != SNUG_OK;
    content_add(c, "{\"status\":\"ok\",\"found\":true,\"data\":{");
    content_text(c, "text/plain", str_text(&page));
    content_add(c, "},\"metadata\":{}}");
    str_free(&page);
}

void kernel_inspect(kernel *k, const kernel_message *request)
{
    content c = { 0 };
    place p;
    snug_description *description = NULL;
    int error = read_place(&p, request);

    attendant_hurry(&k->attendant, MOST_MS);
    if (!error && k->options->session.kind != SNUG_KIND_BASH)
        error =
            snug_session_inspect(&description, k->session, str_text(&p.code), p.code.len, p.cursor);
    attendant_hurry(&k->attendant, 0);
    if (error && error != SNUG_EDEAD)
        content_error(&c, snug_error_name(error), error_message());
    else
        add_inspection(&c, description, kernel_message_number(request, "detail_level", 0) > 0);
    reply(k, request, "inspect_reply", &c);
    snug_description_free(description);
    str_free(&p.code);
}

/* ---- whether a cell is whole ---- */

/* How far the line that follows is indented: as the last one, and further behind a colon. */
static size_t next_indent(const str *code)
{
    const char *text = str_text(code), *last = text;
    for (const char *at = text; *at; at++)
        if (*at == '\n' && at[1])
            last = at + 1;

    size_t indent = strspn(last, " "), len = strlen(last);
    while (len > 0 && strchr(" \t\r\n", last[len - 1]))
        len--;
    return indent + (len > 0 && last[len - 1] == ':' ? 4 : 0);
}

void kernel_is_complete(kernel *k, const kernel_message *request)
{
    static const char *const words[] = { [SNUG_COMPLETENESS_INCOMPLETE] = "incomplete",
                                         [SNUG_COMPLETENESS_COMPLETE] = "complete",
                                         [SNUG_COMPLETENESS_INVALID] = "invalid" };
    content c = { 0 };
    str code = { 0 };
    int answer = kernel_message_text(&code, request, "code");

    if (!answer)
        answer = snug_session_completeness(k->session, str_text(&code), code.len);
    content_add(&c, "{");
    content_text(&c, "status", answer < 0 ? "unknown" : words[answer]);
    if (answer == SNUG_COMPLETENESS_INCOMPLETE)
        content_printf(&c, ",\"indent\":\"%*s\"", (int)(next_indent(&code) % 200), "");
    content_add(&c, "}");
    reply(k, request, "is_complete_reply", &c);
    str_free(&code);
}
