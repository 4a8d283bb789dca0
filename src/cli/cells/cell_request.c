#include "cli/cells/cell_request.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/utf8.h"
#include "wire/json.h"

#include <snug/snug.h>

enum { SESSION_NAME_BYTES = 256, SHOWN_NAME_BYTES = 64 };

typedef enum value_type { TYPE_ANY, TYPE_TEXT, TYPE_NUMBER, TYPE_BOOL, TYPE_TRUE } value_type;

/* The fields, and which of them each form of a line has. */
enum {
    SESSION = 1 << 0,
    ID = 1 << 1,
    CODE = 1 << 2,
    TIMEOUT = 1 << 3,
    RESET = 1 << 4,
    CLOSE = 1 << 5,
    OP = 1 << 6,
    CURSOR = 1 << 7,
    PATH = 1 << 8,
    RECORD = 1 << 9,
    DATA = 1 << 10,
    DATA_BASE64 = 1 << 11,
    MAX_BYTES = 1 << 12,
    CALL = 1 << 13,
    ANSWER = 1 << 14,
    REASON = 1 << 15
};

typedef struct line_field {
    const char *name;
    unsigned bit;
    value_type type;
} line_field;

static const line_field fields[] = {
    { "session", SESSION, TYPE_TEXT },
    { "id", ID, TYPE_ANY },
    { "code", CODE, TYPE_TEXT },
    { "timeout", TIMEOUT, TYPE_NUMBER },
    { "reset", RESET, TYPE_BOOL },
    { "close", CLOSE, TYPE_TRUE },
    { "op", OP, TYPE_TEXT },
    { "cursor", CURSOR, TYPE_NUMBER },
    { "path", PATH, TYPE_TEXT },
    { "record", RECORD, TYPE_BOOL },
    { "data", DATA, TYPE_TEXT },
    { "data_base64", DATA_BASE64, TYPE_TEXT },
    { "max_bytes", MAX_BYTES, TYPE_NUMBER },
    { "call", CALL, TYPE_NUMBER },
    { "answer", ANSWER, TYPE_TEXT },
    { "reason", REASON, TYPE_TEXT },
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static const char *const type_names[] = {
    [TYPE_ANY] = "a value",        [TYPE_TEXT] = "a text", [TYPE_NUMBER] = "a number",
    [TYPE_BOOL] = "true or false", [TYPE_TRUE] = "true",
};

typedef struct line_form {
    const char *name;
    request_op op;
    unsigned required, optional;
} line_form;

static const line_form code_form = { "code", REQUEST_CODE, SESSION | CODE,
                                     ID | TIMEOUT | RESET | RECORD };
static const line_form close_form = { "close", REQUEST_CLOSE, SESSION | CLOSE, ID };

static const line_form ops[] = {
    { "interrupt", REQUEST_INTERRUPT, SESSION | OP, ID },
    { "reset", REQUEST_RESET, SESSION | OP, ID },
    { "complete", REQUEST_COMPLETE, SESSION | OP | CODE, ID | CURSOR },
    { "is_complete", REQUEST_IS_COMPLETE, SESSION | OP | CODE, ID },
    { "vars", REQUEST_VARS, SESSION | OP, ID },
    { "inspect", REQUEST_INSPECT, SESSION | OP | CODE, ID | CURSOR },
    { "save", REQUEST_SAVE, SESSION | OP | PATH, ID },
    { "restore", REQUEST_RESTORE, SESSION | OP | PATH, ID },
    { "export", REQUEST_EXPORT, SESSION | OP | PATH, ID },
    { "put", REQUEST_PUT, SESSION | OP | PATH, ID | DATA | DATA_BASE64 },
    { "get", REQUEST_GET, SESSION | OP | PATH, ID | MAX_BYTES },
    { "files", REQUEST_FILES, SESSION | OP, ID },
    { "remove", REQUEST_REMOVE, SESSION | OP | PATH, ID },
    { "approve", REQUEST_APPROVE, SESSION | OP | CALL | ANSWER, ID | REASON },
};
enum { OPS = sizeof ops / sizeof ops[0] };

/* A line while it is understood. A step answers 1, or 0 after refuse_line, or 0 where memory ran
 * out. */
typedef struct reading {
    request *request;
    jsontext_span line, code; /* code: within it, where there is one */
    char *copy;               /* what is parsed */
    cJSON *object;
    const cJSON *members[FIELDS];
    unsigned present;
} reading;

__attribute__((format(printf, 2, 3))) static int refuse_line(reading *r, const char *format, ...)
{
    char why[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    r->request->op = REQUEST_REFUSED;
    free(r->request->why); /* the last reason counts */
    r->request->why = strdup(why);
    return 0;
}

/* ---- members ---- */

static int has_type(const cJSON *value, value_type type)
{
    switch (type) {
    case TYPE_ANY:
        return 1;
    case TYPE_TEXT:
        return cJSON_IsString(value);
    case TYPE_NUMBER:
        return cJSON_IsNumber(value);
    case TYPE_BOOL:
        return cJSON_IsBool(value);
    case TYPE_TRUE:
        return cJSON_IsTrue(value);
    }
    return 0;
}

/* How many bytes of a name from the line a refusal shows. */
static int shown_bytes(const char *name)
{
    size_t len = strlen(name);
    return (int)utf8_floor(name, len, len < SHOWN_NAME_BYTES ? len : SHOWN_NAME_BYTES);
}

static int refuse_unknown(reading *r, const char *name)
{
    const char *names[FIELDS];

    for (size_t i = 0; i < FIELDS; i++)
        names[i] = fields[i].name;
    const char *near = nearest_name(name, names, FIELDS);
    if (near)
        return refuse_line(r, "unknown field \"%.*s\"; did you mean \"%s\"?", shown_bytes(name),
                           name, near);

    return refuse_line(r, "unknown field \"%.*s\"", shown_bytes(name), name);
}

static int take_line_field(reading *r, const cJSON *member)
{
    size_t i = 0;

    while (i < FIELDS && strcmp(fields[i].name, member->string) != 0)
        i++;
    if (i == FIELDS)
        return refuse_unknown(r, member->string);
    if (r->present & fields[i].bit)
        return refuse_line(r, "\"%s\" is given twice", fields[i].name);
    if (!has_type(member, fields[i].type))
        return refuse_line(r, "\"%s\" must be %s", fields[i].name, type_names[fields[i].type]);

    r->members[i] = member;
    r->present |= fields[i].bit;
    return 1;
}

static const cJSON *field_value(const reading *r, unsigned bit)
{
    size_t i = 0;
    while (fields[i].bit != bit)
        i++;
    return r->members[i];
}

/* Kept first, so that a refusal of the rest still names session and id. */
static int take_session_name(reading *r)
{
    const cJSON *session = cJSON_GetObjectItemCaseSensitive(r->object, "session");
    if (!cJSON_IsString(session))
        return 1; /* said later */

    size_t len = strlen(session->valuestring);
    if (len == 0 || len > SESSION_NAME_BYTES)
        return refuse_line(r, "\"session\" must have 1 to %d bytes, and has %zu",
                           SESSION_NAME_BYTES, len);

    r->request->session = strdup(session->valuestring);
    return r->request->session != NULL;
}

/* ---- forms ---- */

static const line_form *form_of(reading *r)
{
    const cJSON *op = field_value(r, OP);

    if (!op && (r->present & CLOSE))
        return &close_form;

    if (!op && (r->present & CODE))
        return &code_form;
    if (!op) {
        refuse_line(r, "nothing to do: \"code\", \"op\" or \"close\" is missing");
        return NULL;
    }

    const char *given = op->valuestring, *names[OPS];
    for (size_t i = 0; i < OPS; i++) {
        names[i] = ops[i].name;
        if (strcmp(ops[i].name, given) == 0)
            return &ops[i];
    }

    const char *near = nearest_name(given, names, OPS);
    if (near)
        refuse_line(r, "unknown op \"%.*s\"; did you mean \"%s\"?", shown_bytes(given), given,
                    near);
    else
        refuse_line(r, "unknown op \"%.*s\"", shown_bytes(given), given);

    return NULL;
}

static int check_form(reading *r, const line_form *form)
{
    for (size_t i = 0; i < FIELDS; i++) {
        unsigned bit = fields[i].bit;
        if ((form->required & bit) && !(r->present & bit))
            return refuse_line(r, "\"%s\" is missing", fields[i].name);
        if ((r->present & bit) && !((form->required | form->optional) & bit))
            return refuse_line(r, "\"%s\" does not go with \"%s\"", fields[i].name, form->name);
    }
    return 1;
}

static int take_timeout(reading *r)
{
    const cJSON *timeout = field_value(r, TIMEOUT);
    if (!timeout)
        return 1;

    double ms = ceil(timeout->valuedouble * 1000);
    if (!(ms > 0 && ms <= 1e15))
        return refuse_line(r, "\"timeout\" must be a number of seconds above 0");
    r->request->timeout_ms = (uint64_t)ms;
    return 1;
}

static int take_path(reading *r)
{
    const cJSON *path = field_value(r, PATH);
    if (!path)
        return 1;
    if (!*path->valuestring)
        return refuse_line(r, "\"path\" must not be empty");
    return (r->request->path = strdup(path->valuestring)) != NULL;
}

/* In characters on the line, as in Jupyter; in bytes in the library. */
static int take_cursor(reading *r)
{
    request *q = r->request;
    const cJSON *cursor = field_value(r, CURSOR);

    q->cursor = q->code_bytes;
    if (!cursor)
        return 1;

    double wanted = cursor->valuedouble;
    if (!(wanted >= 0 && wanted <= (double)utf8_length(q->code, q->code_bytes)) ||
        wanted != floor(wanted))
        return refuse_line(r, "\"cursor\" must be a character of the code, from 0 to its length");

    q->cursor = 0;
    for (size_t n = (size_t)wanted; n > 0; n--)
        q->cursor = utf8_ceil(q->code, q->code_bytes, q->cursor + 1);
    return 1;
}

static int take_code(reading *r)
{
    request *q = r->request;
    str text = { 0 };

    if (!r->code.text)
        return 1;

    int error = json_unquote(&text, r->code.text, r->code.len);
    q->code_bytes = text.len;
    q->code = str_take(&text);
    if (error == SNUG_EINVAL)
        return refuse_line(r, "\"code\" has half of a surrogate pair");
    if (error || !q->code)
        return 0;

    if (q->op == REQUEST_COMPLETE || q->op == REQUEST_INSPECT)
        return take_cursor(r);
    return 1;
}

static int take_max_bytes(reading *r)
{
    const cJSON *most = field_value(r, MAX_BYTES);
    if (!most)
        return 1;
    if (!(most->valuedouble >= 1 && most->valuedouble <= 1e15))
        return refuse_line(r, "\"max_bytes\" must be a number of bytes above 0");
    r->request->max_bytes = (size_t)most->valuedouble;
    return 1;
}

/* As it stands, or as base64. */
static int take_data(reading *r)
{
    const cJSON *plain = field_value(r, DATA), *encoded = field_value(r, DATA_BASE64);
    str data = { 0 };
    int error;

    if (r->request->op != REQUEST_PUT)
        return 1;
    if (plain && encoded)
        return refuse_line(r, "\"data\" and \"data_base64\" do not go together");
    if (!plain && !encoded)
        return refuse_line(r, "\"data\" or \"data_base64\" is missing");

    if (plain)
        error = str_add(&data, plain->valuestring);
    else
        error = base64_decode(&data, encoded->valuestring, strlen(encoded->valuestring));

    r->request->data_bytes = data.len;
    r->request->data = str_take(&data);
    if (error == SNUG_EINVAL)
        return refuse_line(r, "\"data_base64\" is not base64");
    return !error && r->request->data;
}

/* A name that is kept; there may be none. */
static int take_name(reading *r, char **out, unsigned bit)
{
    const cJSON *name = field_value(r, bit);
    if (!name)
        return 1;
    if (!*name->valuestring)
        return refuse_line(r, "\"%s\" must not be empty", name->string);
    return (*out = strdup(name->valuestring)) != NULL;
}

static int take_approval(reading *r)
{
    static const struct {
        const char *word;
        snug_approval answer;
    } words[] = { { "once", SNUG_APPROVAL_ONCE },
                  { "always", SNUG_APPROVAL_ALWAYS },
                  { "refuse", SNUG_APPROVAL_REFUSE } };
    const cJSON *answer = field_value(r, ANSWER), *call = field_value(r, CALL);

    if (!answer)
        return 1;
    if (!(call->valuedouble >= 1 && call->valuedouble <= 1e15))
        return refuse_line(r, "\"call\" must be the number of a call that waits");
    r->request->call = (uint64_t)call->valuedouble;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, answer->valuestring)) {
            r->request->approval = words[i].answer;
            return take_name(r, &r->request->reason, REASON);
        }
    return refuse_line(r, "\"answer\" must be once, always or refuse");
}

/* ---- texts that cJSON does not keep ---- */

/* The name may be written with escapes. */
static jsontext_span find_value(jsontext_span line, const char *name)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value, found = { NULL, 0 };

    if (!jsontext_enter(&j, line) || j.open[0] != '{')
        return found;
    while (jsontext_item(&j, &key, &value)) {
        str text = { 0 };
        if (!jsontext_token_string(&text, &key) && !strcmp(str_text(&text), name))
            found = value;
        str_free(&text);
    }
    return found;
}

/* Puts a value of no meaning in the place of one. */
static void blank_value(reading *r, jsontext_span value, const char *with)
{
    char *at = r->copy + (value.text - r->line.text);

    memset(at, ' ', value.len);
    memcpy(at, with, strlen(with));
}

/* The line as an object. Its id and its code are read from the line itself, because numbers past
 * 2^53, the order of members and NULs would not survive cJSON. */
static int parse_line(reading *r)
{
    size_t at;
    const char *fault = jsontext_check(r->line.text, r->line.len, &at);
    if (fault)
        return refuse_line(r, "not JSON: %s at byte %zu", fault, at + 1);

    jsontext_span id = find_value(r->line, "id");
    r->code = find_value(r->line, "code");
    if (id.text) {
        r->request->id = strndup(id.text, id.len);
        if (!r->request->id)
            return 0;
        blank_value(r, id, "0");
    }
    if (r->code.text && *r->code.text == '"')
        blank_value(r, r->code, "\"\"");

    if (json_parse(&r->object, r->copy, r->line.len))
        return refuse_line(r, "%s", error_message());
    return cJSON_IsObject(r->object) || refuse_line(r, "a line must be a JSON object");
}

static int understand_line(reading *r)
{
    if (!parse_line(r) || !take_session_name(r))
        return 0;
    for (const cJSON *m = r->object->child; m; m = m->next)
        if (!take_line_field(r, m))
            return 0;

    const line_form *form = form_of(r);
    if (!form || !check_form(r, form))
        return 0;

    r->request->op = form->op;
    r->request->resets = cJSON_IsTrue(field_value(r, RESET));
    r->request->records = cJSON_IsTrue(field_value(r, RECORD));
    return take_timeout(r) && take_path(r) && take_code(r) && take_max_bytes(r) && take_data(r) &&
           take_approval(r);
}

/* ---- lines ---- */

static const char *nearest_op(const char *given)
{
    const char *names[OPS];

    for (size_t i = 0; i < OPS; i++) {
        if (!strcmp(ops[i].name, given))
            return ops[i].name;
        names[i] = ops[i].name;
    }
    return nearest_name(given, names, OPS);
}

/* Whether the line was to reach a cell that runs. */
static int is_for_running_cell(const reading *r)
{
    const cJSON *op = cJSON_GetObjectItemCaseSensitive(r->object, "op");
    const char *meant = cJSON_IsString(op) ? nearest_op(op->valuestring) : NULL;

    if (meant)
        return !strcmp(meant, "approve") || !strcmp(meant, "interrupt");
    return !cJSON_HasObjectItem(r->object, "code") &&
           (cJSON_HasObjectItem(r->object, "call") || cJSON_HasObjectItem(r->object, "answer"));
}

request *request_parse(const char *line, size_t len)
{
    request *q = calloc(1, sizeof *q);
    /* A copy with a NUL behind it. */
    char *copy = strndup(line, len);
    reading r = { .request = q, .line = { line, len }, .copy = copy };
    if (!q || !copy)
        goto fail;

    q->line_bytes = len;
    if (strlen(copy) < len)
        refuse_line(&r, "no JSON: a NUL byte at byte %zu", strlen(copy) + 1);
    else if (!understand_line(&r) && !q->why)
        goto fail;

    if (q->op == REQUEST_REFUSED && !q->why)
        goto fail;
    q->is_urgent = q->op == REQUEST_REFUSED && is_for_running_cell(&r);
    cJSON_Delete(r.object);
    free(copy);
    return q;

fail:
    cJSON_Delete(r.object);
    free(copy);
    request_free(q);
    return NULL;
}

request *request_refuse(const char *why)
{
    request *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;

    q->op = REQUEST_REFUSED;
    q->why = strdup(why);
    if (!q->why) {
        free(q);
        return NULL;
    }

    return q;
}

void request_free(request *r)
{
    if (!r)
        return;
    free(r->session);
    free(r->id);
    free(r->code);
    free(r->path);
    free(r->data);
    free(r->reason);
    free(r->why);
    free(r);
}
