#include "cli/prompt/session_hooks.h"

#include <string.h>

#include "cli/program/limit_magic.h"
#include "cli/program/magic_order.h"
#include "cli/prompt/bash_words.h"
#include "cli/prompt/prompt.h"
#include "wire/json.h"

/* ---- completions ---- */

enum { OWN_MAGICS = 8 };

/* The prompt's own magics, in their order. */
static size_t find_own(const char *own[OWN_MAGICS], const char *text, size_t start, size_t cursor)
{
    const int has_limit = limit_magic_begins(text, start, cursor);
    const char *magic;
    size_t count = 0;
    int is_added = !has_limit;

    for (size_t i = 0; count + 1 < OWN_MAGICS && (magic = prompt_magic(i, text, start, cursor));
         i++) {
        if (!is_added && magic_order("%limit", magic) < 0) {
            own[count++] = "%limit";
            is_added = 1;
        }
        own[count++] = magic;
    }
    if (!is_added)
        own[count++] = "%limit";
    return count;
}

static void complete_python(shown_session *s, menu *out, const char *text, size_t cursor)
{
    snug_completion *completion = NULL;
    const char *match, *own[OWN_MAGICS];

    if (snug_session_complete(&completion, s->session, text, cursor, cursor))
        return;
    out->start = snug_completion_start(completion);
    size_t owned = find_own(own, text, out->start, cursor), added = 0;
    for (size_t i = 0; (match = snug_completion_match(completion, i)); i++) {
        while (added < owned && magic_order(own[added], match) < 0)
            menu_add(out, own[added++]);
        menu_add(out, match);
    }
    while (added < owned)
        menu_add(out, own[added++]);
    snug_completion_free(completion);
}

static void complete(void *payload, menu *out, const char *text, size_t len, size_t cursor)
{
    shown_session *s = payload;

    (void)len;
    signals_watch(&s->signals, s->session);
    if (s->options->isolation == AS_BASH)
        bash_words(s, out, text, cursor);
    else
        complete_python(s, out, text, cursor);
    signals_watch(&s->signals, NULL);
    signals_forgive(&s->signals);
}

/* ---- descriptions ---- */

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text ? text : "";
}

/* "name(a, b=2)  The first line of what it says of itself." */
static void put_description(str *out, const cJSON *found)
{
    const char *signature = text_of(found, "signature"), *doc = text_of(found, "docstring");
    size_t line;

    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(found, "found")))
        return;
    str_add(out, text_of(found, "name"));
    if (*signature) {
        for (; *signature; signature++)
            str_append(out, *signature == '\n' ? " " : signature, 1);
    } else {
        str_printf(out, ": %s", text_of(found, "type"));
    }

    doc += strspn(doc, " \t\n");
    line = strcspn(doc, "\n");
    if (line > 0 && *text_of(found, "signature")) {
        str_add(out, "  ");
        str_append(out, doc, line);
    }
}

static void describe(void *payload, str *out, const char *text, size_t len, size_t cursor)
{
    shown_session *s = payload;
    snug_description *description = NULL;
    cJSON *found = NULL;
    size_t json_len;

    signals_watch(&s->signals, s->session);
    int error = snug_session_inspect(&description, s->session, text, len, cursor);
    signals_watch(&s->signals, NULL);
    signals_forgive(&s->signals);
    if (error)
        return;

    const char *json = snug_description_json(description, &json_len);
    if (json_parse(&found, json, json_len) == SNUG_OK)
        put_description(out, found);
    cJSON_Delete(found);
    snug_description_free(description);
}

/* ---- whole cells ---- */

static int is_whole(void *payload, const char *text, size_t len)
{
    shown_session *s = payload;
    str lines = { 0 };

    /* A block is whole behind the end of its last line, a cell magic behind an empty one. Where the
     * session cannot say, the run says why. */
    const int is_magic = strncmp(text + strspn(text, " \t\n"), "%%", 2) == 0;
    int error = str_append(&lines, text, len);
    if (!error && !is_magic)
        error = str_add(&lines, "\n");
    int answer = error || snug_session_is_complete(s->session, lines.data, lines.len) != 0;
    str_free(&lines);
    return answer;
}

editor_hooks session_hooks(shown_session *s)
{
    return (editor_hooks){
        .complete = complete, .describe = describe, .is_whole = is_whole, .payload = s
    };
}
