#include "cli/cells/cell_programs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cells/cell_values.h"
#include "wire/json.h"

enum { MOST_INPUTS = 64 };

typedef struct named_program {
    char *name;
    snug_program *program;
    snug_input inputs[MOST_INPUTS]; /* whose names are ours */
    size_t count;
    size_t users; /* the table is one; guarded by its lock */
    struct named_program *next;
} named_program;

typedef struct named_template {
    char *name;
    snug_template *made;
    struct named_template *next;
} named_template;

/* ---- the tables ---- */

static void free_program(named_program *one)
{
    for (size_t i = 0; i < one->count; i++)
        free((void *)(uintptr_t)one->inputs[i].name);
    snug_program_free(one->program);
    free(one->name);
    free(one);
}

/* The lock is held. */
static void drop_user(named_program *one)
{
    if (--one->users == 0)
        free_program(one);
}

/* Where that of its name is, or the end of the list. The lock is held. */
static named_program **find_place(cell_programs *p, const char *name)
{
    named_program **at = &p->first;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

/* In the place of one of the same name, which calls under way keep. */
static void put_program(cell_programs *p, named_program *one)
{
    pthread_mutex_lock(&p->lock);
    named_program **at = find_place(p, one->name), *old = *at;
    one->users = 1;
    one->next = old ? old->next : NULL;
    *at = one;
    if (old)
        drop_user(old);
    pthread_mutex_unlock(&p->lock);
}

/* NULL with a message. */
static named_program *take_program(cell_programs *p, const char *name)
{
    pthread_mutex_lock(&p->lock);
    named_program *one = *find_place(p, name);
    if (one)
        one->users++;
    pthread_mutex_unlock(&p->lock);
    if (!one)
        error_set(SNUG_ENOTFOUND, "there is no program \"%.64s\": \"op\": \"prepare\" makes one",
                  name);
    return one;
}

static void leave_program(cell_programs *p, named_program *one)
{
    pthread_mutex_lock(&p->lock);
    drop_user(one);
    pthread_mutex_unlock(&p->lock);
}

void programs_free(cell_programs *p)
{
    while (p->first) {
        named_program *one = p->first;
        p->first = one->next;
        free_program(one);
    }

    while (p->templates) {
        named_template *one = p->templates;
        p->templates = one->next;
        snug_template_free(one->made);
        free(one->name);
        free(one);
    }
}

/* ---- preparing ---- */

static int read_inputs(named_program *one, const cJSON *inputs)
{
    const cJSON *item;

    if (inputs && !cJSON_IsObject(inputs))
        return error_set(SNUG_EINVAL, "\"inputs\" must be an object: {\"name\": \"type\"}");
    cJSON_ArrayForEach(item, inputs)
    {
        const int type = cJSON_IsString(item) ? cell_type_named(item->valuestring) : -1;
        if (type < 0)
            return error_set(SNUG_EINVAL, "the type of input \"%.64s\" is not known", item->string);
        if (one->count == MOST_INPUTS)
            return error_set(SNUG_EINVAL, "a program has at most %d inputs", MOST_INPUTS);
        snug_input *input = &one->inputs[one->count];
        *input = (snug_input){ strdup(item->string), (snug_type)type };
        if (!input->name)
            return error_no_memory();
        one->count++;
    }

    return SNUG_OK;
}

static int make_program(named_program *one, snug_scan **findings, snug_host *host,
                        const snug_session_options *options, const request *r)
{
    snug_program_options how = SNUG_PROGRAM_OPTIONS_INIT;
    const int output = r->output ? cell_type_named(r->output) : SNUG_TYPE_ANY;

    one->name = strdup(r->program);
    if (!one->name)
        return error_no_memory();
    if (output < 0)
        return error_set(SNUG_EINVAL, "the type of \"output\" is not known");
    int error = read_inputs(one, r->given);
    if (error)
        return error;

    how.name = one->name;
    how.inputs = one->inputs;
    how.input_count = one->count;
    how.output = (snug_type)output;
    how.profile = options->profile;
    how.allow = options->allow;
    return snug_program_prepare(&one->program, findings, host, r->code, r->code_bytes, &how);
}

int programs_prepare(cell_programs *p, snug_host *host, const snug_session_options *options,
                     answers *a, const request *r)
{
    snug_scan *findings = NULL;
    named_program *one = calloc(1, sizeof *one);
    if (!one)
        return error_no_memory();

    int error = make_program(one, &findings, host, options, r);
    if (error)
        free_program(one);
    else
        put_program(p, one);

    if (error && !findings)
        return error;
    answer_prepared(a, r, findings);
    snug_scan_free(findings);
    return SNUG_OK;
}

/* ---- what it is called with ---- */

static int refuse_count(const named_program *one, const char *what, int given)
{
    return error_set(SNUG_EINVAL, "program \"%.64s\" has %zu inputs, and \"%s\" has %d", one->name,
                     one->count, what, given);
}

/* What is given for that input: by name in an object, by place in a list. NULL with a message. */
static const cJSON *find_given(const named_program *one, const cJSON *given, size_t index,
                               const char *what)
{
    const cJSON *found;

    if (cJSON_IsObject(given))
        found = cJSON_GetObjectItemCaseSensitive(given, one->inputs[index].name);
    else
        found = cJSON_GetArrayItem(given, (int)index);
    if (!found)
        error_set(SNUG_EINVAL, "\"%s\" lacks \"%.64s\"", what, one->inputs[index].name);
    return found;
}

/* Whether there is neither too much of it, nor anything else than an object or a list. */
static int check_given(const named_program *one, const cJSON *given, const char *what)
{
    if (!given && one->count == 0)
        return SNUG_OK;
    if (!cJSON_IsObject(given) && !cJSON_IsArray(given))
        return error_set(SNUG_EINVAL, "\"%s\" must be an object or a list", what);
    if (cJSON_GetArraySize(given) > (int)one->count)
        return refuse_count(one, what, cJSON_GetArraySize(given));
    return SNUG_OK;
}

/* Says of which input the message is. */
static int name_input(const named_program *one, size_t index, int error)
{
    char why[ERROR_MESSAGE_BYTES];
    if (error != SNUG_EINVAL)
        return error;
    strcpy(why, error_message());
    return error_set(error, "\"%.64s\" %s", one->inputs[index].name, why);
}

/* ---- calls ---- */

typedef struct arguments {
    snug_value values[MOST_INPUTS];
    snug_column columns[MOST_INPUTS];
    str texts[MOST_INPUTS];
    cell_column held[MOST_INPUTS];
    uint64_t rows;
} arguments;

static void free_arguments(arguments *all)
{
    for (size_t i = 0; i < MOST_INPUTS; i++) {
        str_free(&all->texts[i]);
        cell_column_free(&all->held[i]);
    }
    free(all);
}

static int read_arguments(arguments *all, const named_program *one, const cJSON *given)
{
    int error = check_given(one, given, "arguments");

    for (size_t i = 0; i < one->count && !error; i++) {
        const cJSON *item = find_given(one, given, i, "arguments");
        if (!item)
            return SNUG_EINVAL;
        error = name_input(
            one, i, cell_value_read(&all->values[i], &all->texts[i], item, one->inputs[i].type));
    }

    return error;
}

static int read_columns(arguments *all, const named_program *one, const cJSON *given)
{
    int error = check_given(one, given, "columns");

    for (size_t i = 0; i < one->count && !error; i++) {
        const cJSON *list = find_given(one, given, i, "columns");
        if (!list)
            return SNUG_EINVAL;
        error = name_input(
            one, i, cell_column_read(&all->columns[i], &all->held[i], list, one->inputs[i].type));
        if (error)
            return error;
        const uint64_t rows = (uint64_t)cJSON_GetArraySize(list);
        if (i > 0 && rows != all->rows)
            return error_set(SNUG_EINVAL, "the columns do not have the same number of rows");
        all->rows = rows;
    }

    return error;
}

/* The program and what it is called with, which the caller gives back. */
static int begin_request(named_program **one, arguments **all, cell_programs *p, const request *r)
{
    *all = calloc(1, sizeof **all);
    if (!*all)
        return error_no_memory();

    *one = take_program(p, r->program);
    int error = SNUG_ENOTFOUND;
    if (*one)
        error = r->op == REQUEST_MAP ? read_columns(*all, *one, r->given)
                                     : read_arguments(*all, *one, r->given);
    if (!error)
        return SNUG_OK;
    if (*one)
        leave_program(p, *one);
    free_arguments(*all);
    return error;
}

int programs_call(cell_programs *p, snug_session *session, answers *a, const request *r,
                  void (*ended)(void *payload), void *payload)
{
    snug_answer answer = SNUG_ANSWER_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    named_program *one;
    arguments *all;

    int error = begin_request(&one, &all, p, r);
    if (!error) {
        limits.wall_ms = r->timeout_ms;
        error = snug_program_call(&answer, session, one->program, all->values, one->count, &limits);
        leave_program(p, one);
        free_arguments(all);
    }

    ended(payload);
    if (error)
        return error;
    answer_program(a, r, &answer);
    snug_answer_free(&answer);
    return SNUG_OK;
}

int programs_map(cell_programs *p, snug_session *session, answers *a, const request *r,
                 void (*ended)(void *payload), void *payload)
{
    snug_mapped mapped = SNUG_MAPPED_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    named_program *one;
    arguments *all;

    int error = begin_request(&one, &all, p, r);
    if (!error) {
        limits.wall_ms = r->timeout_ms;
        error = snug_program_map(&mapped, session, one->program, all->columns, one->count,
                                 all->rows, &limits);
        leave_program(p, one);
        free_arguments(all);
    }

    ended(payload);
    if (error)
        return error;
    answer_mapped(a, r, &mapped);
    snug_mapped_free(&mapped);
    return SNUG_OK;
}

/* ---- templates ---- */

/* Takes the template. */
static int put_template(cell_programs *p, const char *name, snug_template *made)
{
    named_template *one = calloc(1, sizeof *one);
    char *copy = strdup(name);
    if (!one || !copy) {
        free(one);
        free(copy);
        snug_template_free(made);
        return error_no_memory();
    }

    *one = (named_template){ .name = copy, .made = made };
    pthread_mutex_lock(&p->lock);
    named_template **at = &p->templates;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    named_template *old = *at;
    one->next = old ? old->next : NULL;
    *at = one;
    pthread_mutex_unlock(&p->lock);
    if (!old)
        return SNUG_OK;

    snug_template_free(old->made);
    free(old->name);
    free(old);
    return SNUG_OK;
}

int programs_keep_template(cell_programs *p, snug_session *session, answers *a, const request *r)
{
    snug_template *made;
    snug_saved *saved;

    int error = snug_template_make(&made, &saved, session);
    if (error)
        return error;
    error = put_template(p, r->template_name, made);
    if (!error)
        answer_saved(a, r, saved);
    snug_saved_free(saved);
    return error;
}

/* The lock is held meanwhile: another of the same name takes its place when the session is open. */
int programs_open_from(snug_session **out, snug_saved **saved, cell_programs *p, snug_host *host,
                       const char *name, const snug_session_options *options)
{
    pthread_mutex_lock(&p->lock);
    const named_template *one = p->templates;
    while (one && strcmp(one->name, name) != 0)
        one = one->next;

    int error;
    if (one)
        error = snug_session_open_from(out, saved, host, one->made, options);
    else
        error = error_set(SNUG_ENOTFOUND,
                          "there is no template \"%.64s\": \"op\": \"template\" makes one", name);
    pthread_mutex_unlock(&p->lock);
    return error;
}
