/* snug conversations: what snug ask --session has kept. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/array.h"
#include "base/error.h"
#include "base/nearest.h"
#include "cli/ask/conversation_export.h"
#include "cli/program/command.h"
#include "cli/program/jsonline.h"
#include "cli/program/state_folder.h"
#include "cli/terminal/term.h"
#include "wire/json.h"

static const char end_of_files[] = ".db";

/* ---- which there are ---- */

typedef struct names {
    char **items;
    size_t count, cap;
} names;

static void free_names(names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->items[i]);
    free(n->items);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(names *n, const char *file)
{
    const size_t len = strlen(file), end_len = sizeof end_of_files - 1;

    if (*file == '.' || len <= end_len || strcmp(file + len - end_len, end_of_files) != 0)
        return SNUG_OK;
    if (array_reserve(&n->items, &n->cap, n->count + 1, sizeof *n->items) ||
        !(n->items[n->count] = strndup(file, len - end_len)))
        return SNUG_ENOMEM;
    n->count++;
    return SNUG_OK;
}

/* EXIT_FINE, also where the folder is not there. */
static int find_names(names *n)
{
    str folder = { 0 };
    struct dirent *entry;
    int status = state_sessions_folder(&folder), failed = 0;
    DIR *dir = status ? NULL : opendir(folder.data);

    if (!status && !dir && errno != ENOENT)
        status = command_fail(EXIT_USAGE, "%s: %s", folder.data, strerror(errno));
    while (dir && !failed && (entry = readdir(dir)))
        failed = add_name(n, entry->d_name);
    if (dir)
        closedir(dir);
    str_free(&folder);
    if (failed)
        return command_fail_memory();
    if (n->count > 0)
        qsort(n->items, n->count, sizeof *n->items, compare_names);
    return status;
}

/* SNUG_ENOTFOUND with its sentence said. */
static int open_named(snug_agent_conversation **out, str *path, const char *name)
{
    names n = { 0 };
    int status = state_session_path(path, name);
    if (status)
        return status;

    int error = snug_agent_conversation_open(out, path->data);
    if (!error)
        return EXIT_FINE;
    if (error != SNUG_ENOTFOUND)
        return command_fail_host();

    status = find_names(&n);
    const char *near = status ? NULL : nearest_name(name, (const char *const *)n.items, n.count);
    if (!status)
        status = near
                     ? command_fail(EXIT_FAILED,
                                    "there is no conversation \"%s\"; did you mean %s?", name, near)
                     : command_fail(EXIT_FAILED,
                                    "there is no conversation \"%s\"; \"snug conversations list\" "
                                    "shows what there is",
                                    name);
    free_names(&n);
    return status;
}

static const char *language_of(const char *name)
{
    static const char end[] = ".bash";
    const size_t len = strlen(name);
    return len > 5 && strcmp(name + len - 5, end) == 0 ? "bash" : "python";
}

/* ---- list ---- */

static int print_json(const char *name, const char *date, const snug_agent_conversation *c,
                      const snug_agent_turn *last)
{
    cJSON *object = cJSON_CreateObject();
    int failed =
        !object || json_add_text(object, "schema", "snug.conversation/1") ||
        json_add_text(object, "name", name) || json_add_text(object, "stored", date) ||
        json_add_number(object, "questions", (double)snug_agent_conversation_turn_count(c)) ||
        json_add_text(object, "last", last ? last->question : "");
    return jsonline_print(object, failed);
}

static int list_one(const options *o, const char *name)
{
    snug_agent_conversation *c = NULL;
    str path = { 0 };
    struct stat facts;
    struct tm parts;
    char date[32] = "";
    int status = open_named(&c, &path, name);

    if (!status) {
        const size_t count = snug_agent_conversation_turn_count(c);
        const snug_agent_turn *last = count ? snug_agent_conversation_turn(c, count - 1) : NULL;
        const char *question = last ? last->question : "";
        if (stat(path.data, &facts) == 0 && localtime_r(&facts.st_mtim.tv_sec, &parts))
            strftime(date, sizeof date, "%Y-%m-%d %H:%M", &parts);
        if (o->is_json)
            status = print_json(name, date, c, last);
        else
            term_printf(stdout, "%-20s %s  %3zu question%s  %.*s\n", name, date, count,
                        count == 1 ? " " : "s", (int)strcspn(question, "\n"), question);
    }

    snug_agent_conversation_close(c);
    str_free(&path);
    return status;
}

/* One that cannot be read does not keep the others away. */
static int list_all(const options *o)
{
    names n = { 0 };
    int status = find_names(&n);

    if (!status && n.count == 0)
        status = command_fail(EXIT_FAILED, "no conversation is kept; snug ask --session NAME "
                                           "keeps one");
    for (size_t i = 0; i < n.count; i++) {
        const int one = list_one(o, n.items[i]);
        status = status ? status : one;
    }
    free_names(&n);
    return status;
}

/* ---- the others ---- */

static int show_one(const options *o)
{
    snug_agent_conversation *c = NULL;
    str path = { 0 }, text = { 0 };
    int status = EXIT_USAGE;

    if (o->input_count != 2)
        return command_fail(EXIT_USAGE, "conversations show: one name is wanted");
    const char *name = o->inputs[1].text;
    status = open_named(&c, &path, name);
    if (!status && conversation_write_markdown(&text, c, language_of(name)))
        status = command_fail_memory();
    if (!status)
        term_put(stdout, str_text(&text), text.len);
    snug_agent_conversation_close(c);
    str_free(&path);
    str_free(&text);
    return status;
}

static int export_one(const options *o)
{
    snug_agent_conversation *c = NULL;
    str path = { 0 };

    if (o->input_count != 3)
        return command_fail(EXIT_USAGE, "conversations export: a name and a file are wanted");
    int status = open_named(&c, &path, o->inputs[1].text);
    if (!status)
        status = conversation_save(o->inputs[2].text, "conversations export", c,
                                   language_of(o->inputs[1].text));
    snug_agent_conversation_close(c);
    str_free(&path);
    return status;
}

static int remove_one(const char *name)
{
    snug_agent_conversation *c = NULL;
    str path = { 0 };
    int status = open_named(&c, &path, name);

    snug_agent_conversation_close(c);
    if (!status && snug_agent_remove_conversation(path.data))
        status = command_fail_host();
    str_free(&path);
    return status;
}

static int remove_all(const options *o)
{
    int status = EXIT_FINE;

    if (o->input_count < 2)
        return command_fail(EXIT_USAGE, "conversations remove: nothing is named");
    for (size_t i = 1; !status && i < o->input_count; i++)
        status = remove_one(o->inputs[i].text);
    return status;
}

int command_conversations(const options *o)
{
    static const struct {
        const char *name;
        int (*run)(const options *o);
    } verbs[] = {
        { "list", list_all },
        { "show", show_one },
        { "export", export_one },
        { "remove", remove_all },
    };
    const char *given = o->input_count > 0 ? o->inputs[0].text : "list";

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, given) == 0)
            return verbs[i].run(o);
    return command_fail(EXIT_USAGE, "conversations: \"%s\" is not list, show, export or remove",
                        given);
}
