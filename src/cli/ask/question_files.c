#include "cli/ask/question_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "cli/program/command.h"

enum { MOST_NAMED = 16 };

static int has_input_file(const question_data *data, const char *name)
{
    for (size_t i = 0; i < data->count; i++)
        if (!strcmp(data->items[i].name, name))
            return 1;
    return 0;
}

/* Takes name and path, both malloc'ed or NULL. */
static int add_input_file(question_data *data, char *name, char *path)
{
    if (!name || !path ||
        array_reserve(&data->items, &data->cap, data->count + 1, sizeof *data->items) ||
        array_reserve(&data->texts, &data->text_cap, data->text_count + 2, sizeof *data->texts)) {
        free(name);
        free(path);
        return command_fail_memory();
    }

    data->texts[data->text_count++] = name;
    data->texts[data->text_count++] = path;
    data->items[data->count++] = (snug_agent_input){ .name = name, .path = path };
    return EXIT_FINE;
}

static int add_option_files(question_data *data, const options *o)
{
    int status = EXIT_FINE;

    for (size_t i = 0; i < o->data.count && !status; i++) {
        const char *spec = o->data.items[i];
        size_t len = strcspn(spec, "=");
        char *name = strndup(spec, len);
        if (name && has_input_file(data, name))
            status = command_fail(EXIT_USAGE, "--input names %s twice", name);
        if (status)
            free(name);
        else
            status = add_input_file(data, name, strdup(spec + len + 1));
    }

    return status;
}

/* A name of letters, digits and ._- with a dot within, and no path. */
static size_t file_name_len(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    while (len > 0 && strchr(".-", text[len - 1]))
        len--;
    return len;
}

static int is_regular_file(const char *path)
{
    struct stat facts;
    return !lstat(path, &facts) && S_ISREG(facts.st_mode);
}

/* Words such as staff.csv. Links are not followed, and hidden files are not taken: who asks
 * has named a file of this folder, and means no other. */
static int add_named_files(question_data *data, const char *question)
{
    int status = EXIT_FINE;
    size_t named = 0;

    for (const char *at = question; *at && !status && named < MOST_NAMED;) {
        size_t len = file_name_len(at);
        int is_path = at[len] == '/' || (at > question && at[-1] == '/');
        int is_name = len > 0 && len < 256 && *at != '.' && !is_path && memchr(at, '.', len);

        char *name = is_name ? strndup(at, len) : NULL;
        if (name && is_regular_file(name) && !has_input_file(data, name)) {
            status = add_input_file(data, name, strdup(name));
            named++;
        } else {
            free(name);
        }

        at += len ? len : 1;
    }

    return status;
}

int question_collect(question_data *out, const options *o, const char *question, int takes_options)
{
    *out = (question_data){ 0 };
    int status = EXIT_FINE;
    if (takes_options)
        status = add_option_files(out, o);
    if (!status && !o->has_no_data)
        status = add_named_files(out, question);
    return status;
}

static const char *const program_languages[] = {
    [BY_QUESTION] = NULL, [IN_PYTHON] = "python", [IN_BASH] = "bash"
};

const char *question_program_language(const options *o)
{
    return program_languages[o->program_language];
}

void question_free(question_data *data)
{
    for (size_t i = 0; i < data->text_count; i++)
        free(data->texts[i]);
    free(data->texts);
    free(data->items);
    *data = (question_data){ 0 };
}
