/* A line of snug cells is refused with a reason, or understood as what it says. One that JSON's
 * reader refuses may be understood if an escape in it, of a NUL or half of a pair, is all. */
#include "fuzz.h"
#include "same_json.h"

#include <snug/snug.h>

#include "base/utf8.h"
#include "cli/cells/cell_request.h"
#include "wire/json.h"

static int is_utf8(const char *text)
{
    size_t at;
    return utf8_check(text, strlen(text), &at) == UTF8_FINE;
}

static void check_refusal(const request *r)
{
    HOLDS(r->why && *r->why && is_utf8(r->why));
    HOLDS(!r->session || is_utf8(r->session));
    if (r->id && !strstr(r->id, "\\u")) {
        cJSON *id = NULL;
        HOLDS(json_parse(&id, r->id, strlen(r->id)) == SNUG_OK);
        cJSON_Delete(id);
    }
}

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void check_id(const request *r, const cJSON *object, input line)
{
    HOLDS(!r->id == !member(object, "id"));
    if (!r->id)
        return;
    cJSON *id = NULL;
    HOLDS(memmem(line.at, line.left, r->id, strlen(r->id)));
    HOLDS(*r->id && !strchr(" \t\r\n", r->id[0]) && !strchr(" \t\r\n", r->id[strlen(r->id) - 1]));
    HOLDS(json_parse(&id, r->id, strlen(r->id)) == SNUG_OK);
    HOLDS(same_json(id, member(object, "id")));
    cJSON_Delete(id);
}

static void check_code(const request *r, const cJSON *object)
{
    const cJSON *cursor = member(object, "cursor");
    HOLDS(r->code && !strcmp(r->code, member(object, "code")->valuestring));
    HOLDS(r->code_bytes == strlen(r->code) && is_utf8(r->code));
    HOLDS(r->cursor <= r->code_bytes);
    HOLDS(utf8_floor(r->code, r->code_bytes, r->cursor) == r->cursor);
    if (cursor)
        HOLDS((double)utf8_length(r->code, r->cursor) == cursor->valuedouble);
    else if (r->op == REQUEST_COMPLETE)
        HOLDS(r->cursor == r->code_bytes);
}

static void check_request(const request *r, input line)
{
    cJSON *object = NULL;
    HOLDS(!r->why);
    HOLDS(r->session && is_utf8(r->session) && (!r->id || is_utf8(r->id)));
    if (json_parse(&object, line.at, line.left)) {
        size_t at;
        HOLDS(memmem(line.at, line.left, "\\u", 2));
        HOLDS(!r->code || utf8_check(r->code, r->code_bytes, &at) == UTF8_FINE);
        HOLDS(!r->id || memmem(line.at, line.left, r->id, strlen(r->id)));
        return;
    }
    HOLDS(cJSON_IsObject(object));
    HOLDS(r->session && !strcmp(r->session, member(object, "session")->valuestring));
    HOLDS(*r->session && strlen(r->session) <= 256);
    check_id(r, object, line);
    if (r->op == REQUEST_CODE || r->op == REQUEST_COMPLETE || r->op == REQUEST_IS_COMPLETE)
        check_code(r, object);
    else
        HOLDS(!r->code && !member(object, "code"));
    HOLDS(!r->resets == !cJSON_IsTrue(member(object, "reset")));
    const cJSON *timeout = member(object, "timeout");
    HOLDS(!r->timeout_ms == !timeout);
    if (timeout) {
        double ms = timeout->valuedouble * 1000;
        HOLDS((double)r->timeout_ms >= ms && (double)r->timeout_ms < ms + 1);
    }
    cJSON_Delete(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input line = input_of(data, size);
    request *r = request_parse(line.at, line.left);
    HOLDS(r);
    HOLDS(r->line_bytes == line.left);
    if (r->op == REQUEST_REFUSED)
        check_refusal(r);
    else
        check_request(r, line);
    request_free(r);
    return 0;
}
