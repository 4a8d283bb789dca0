#include "cli/batch/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "cli/program/command.h"

enum { MOST_FILE_BYTES = 256 << 20, MOST_ATTEMPTS = 1000 };

/* Where a line is read: for sentences, and for the paths in it. */
typedef struct place {
    const char *path;
    size_t line;
} place;

static int fail_task(const place *at, const char *fact)
{
    return command_fail(EXIT_USAGE, "%s, line %zu: %s", at->path, at->line, fact);
}

static int fail_field(const place *at, const char *name, const char *expected)
{
    return command_fail(EXIT_USAGE, "%s, line %zu: \"%s\" must be %s", at->path, at->line, name,
                        expected);
}

/* ---- fields ---- */

static int take_task_text(const char **out, const place *at, const cJSON *value,
                          const char *expected)
{
    if (!cJSON_IsString(value) || !*value->valuestring)
        return fail_field(at, value->string, expected);
    *out = value->valuestring;
    return EXIT_FINE;
}

static int take_task_id(task *t, const place *at, const cJSON *value)
{
    return take_task_text(&t->id, at, value, "a text that is not empty");
}

static int take_question(task *t, const place *at, const cJSON *value)
{
    return take_task_text(&t->question, at, value, "a text that is not empty");
}

/* The path as it is seen from here; malloc'ed. */
static char *path_from_here(const place *at, const char *path)
{
    const char *slash = strrchr(at->path, '/');
    str whole = { 0 };
    if (*path != '/' && slash && str_append(&whole, at->path, (size_t)(slash - at->path) + 1))
        return NULL;

    if (str_add(&whole, path)) {
        str_free(&whole);
        return NULL;
    }
    return whole.data;
}

static int take_inputs(task *t, const place *at, const cJSON *value)
{
    static const char expected[] = "an object of names and paths";
    const cJSON *item;

    if (!cJSON_IsObject(value))
        return fail_field(at, value->string, expected);
    if (!(t->inputs = calloc((size_t)cJSON_GetArraySize(value) + 1, sizeof *t->inputs)))
        return fail_task(at, "out of memory");

    cJSON_ArrayForEach(item, value)
    {
        if (!cJSON_IsString(item) || !*item->valuestring || !*item->string)
            return fail_field(at, value->string, expected);
        char *path = path_from_here(at, item->valuestring);
        if (!path)
            return fail_task(at, "out of memory");
        t->inputs[t->input_count++] = (snug_agent_input){ .name = item->string, .path = path };
    }
    return EXIT_FINE;
}

static int take_checks(task *t, const place *at, const cJSON *value)
{
    static const char expected[] = "a list of texts";
    const cJSON *item;
    size_t count = 0;

    if (!cJSON_IsArray(value))
        return fail_field(at, value->string, expected);
    if (!(t->checks = calloc((size_t)cJSON_GetArraySize(value) + 1, sizeof *t->checks)))
        return fail_task(at, "out of memory");

    cJSON_ArrayForEach(item, value)
    {
        if (!cJSON_IsString(item))
            return fail_field(at, value->string, expected);
        t->checks[count++] = item->valuestring;
    }
    return EXIT_FINE;
}

static int take_max_attempts(task *t, const place *at, const cJSON *value)
{
    double number = cJSON_IsNumber(value) ? value->valuedouble : 0;
    if (!(number >= 1) || number > MOST_ATTEMPTS || number != (double)(uint64_t)number)
        return fail_field(at, value->string, "a whole number from 1 to 1000");
    t->max_attempts = (uint64_t)number;
    return EXIT_FINE;
}

static const struct field {
    const char *name;
    int (*take)(task *t, const place *at, const cJSON *value);
} fields[] = {
    { "id", take_task_id },    { "question", take_question },         { "inputs", take_inputs },
    { "checks", take_checks }, { "max_attempts", take_max_attempts },
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static int fail_unknown_field(const place *at, const char *name)
{
    const char *names[FIELDS];

    for (size_t i = 0; i < FIELDS; i++)
        names[i] = fields[i].name;

    const char *near = nearest_name(name, names, FIELDS);
    if (near)
        return command_fail(EXIT_USAGE,
                            "%s, line %zu: unknown field \"%.100s\"; did you mean \"%s\"?",
                            at->path, at->line, name, near);

    return command_fail(EXIT_USAGE, "%s, line %zu: unknown field \"%.100s\"", at->path, at->line,
                        name);
}

static int take_field(task *t, const place *at, const cJSON *value)
{
    for (size_t i = 0; i < FIELDS; i++) {
        if (strcmp(fields[i].name, value->string) != 0)
            continue;
        for (const cJSON *before = t->json->child; before != value; before = before->next)
            if (!strcmp(before->string, value->string))
                return fail_field(at, value->string, "there once");
        return fields[i].take(t, at, value);
    }
    return fail_unknown_field(at, value->string);
}

/* ---- lines ---- */

static int read_task(task *t, const place *at, const char *text, size_t len)
{
    const cJSON *value;
    int status = EXIT_FINE;

    if (json_parse(&t->json, text, len))
        return fail_task(at, error_message());
    if (!cJSON_IsObject(t->json))
        return fail_task(at, "a task is an object, as {\"id\": \"t1\", \"question\": \"...\"}");

    for (value = t->json->child; value && !status; value = value->next)
        status = take_field(t, at, value);
    if (!status && !t->id)
        return fail_task(at, "the task has no \"id\"");
    if (!status && !t->question)
        return fail_task(at, "the task has no \"question\"");
    return status;
}

static int read_task_line(tasks *out, const place *at, const char *text, size_t len)
{
    if (array_reserve(&out->items, &out->cap, out->count + 1, sizeof *out->items))
        return fail_task(at, "out of memory");

    task *t = &out->items[out->count++];
    *t = (task){ .line = at->line };
    return read_task(t, at, text, len);
}

static int compare_tasks(const void *left, const void *right)
{
    const task *a = *(task *const *)left, *b = *(task *const *)right;
    int order = strcmp(a->id, b->id);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int sort_tasks(tasks *t, const char *path)
{
    if (!(t->by_id = calloc(t->count, sizeof *t->by_id)))
        return command_fail_memory();
    for (size_t i = 0; i < t->count; i++)
        t->by_id[i] = &t->items[i];
    qsort(t->by_id, t->count, sizeof *t->by_id, compare_tasks);
    for (size_t i = 1; i < t->count; i++)
        if (!strcmp(t->by_id[i - 1]->id, t->by_id[i]->id))
            return command_fail(EXIT_USAGE, "%s, line %zu: the id \"%.100s\" is that of line %zu",
                                path, t->by_id[i]->line, t->by_id[i]->id, t->by_id[i - 1]->line);

    return EXIT_FINE;
}

int tasks_read(tasks *out, const char *path)
{
    str text = { 0 };
    int status = EXIT_FINE;
    place at = { path, 0 };

    *out = (tasks){ 0 };
    if (file_read(&text, path, MOST_FILE_BYTES))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    for (size_t begin = 0; begin < text.len && !status;) {
        const char *line = text.data + begin, *end = memchr(line, '\n', text.len - begin);
        size_t len = end ? (size_t)(end - line) : text.len - begin;
        at.line++;
        if (strspn(line, " \t\r") < len)
            status = read_task_line(out, &at, line, len);
        begin += len + 1;
    }

    str_free(&text);
    if (!status && out->count == 0)
        return command_fail(EXIT_USAGE, "%s has no task", path);
    if (status)
        return status;
    return sort_tasks(out, path);
}

static int compare_id(const void *id, const void *item)
{
    return strcmp(id, (*(task *const *)item)->id);
}

task *tasks_find(const tasks *t, const char *id)
{
    task **found = bsearch(id, t->by_id, t->count, sizeof *t->by_id, compare_id);
    return found ? *found : NULL;
}

void tasks_free(tasks *t)
{
    for (size_t i = 0; i < t->count; i++) {
        task *one = &t->items[i];
        for (size_t k = 0; k < one->input_count; k++)
            free((void *)(uintptr_t)one->inputs[k].path);
        free(one->inputs);
        free(one->checks);
        cJSON_Delete(one->json);
    }

    free(t->items);
    free(t->by_id);
    *t = (tasks){ 0 };
}
