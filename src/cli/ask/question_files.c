#include "cli/ask/question_files.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/utf8.h"
#include "cli/ask/named_files.h"
#include "cli/ask/stdin_data.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "cli/program/quantity.h"

enum { MOST_MOUNTS = 16, STDIN_WAIT_MS = 10000 };
#define MOST_INPUT_BYTES (UINT64_C(256) << 20) /* as the library has it */

/* Text of that size on stdin is a variable; longer text is a file. */
enum { MOST_VARIABLE_BYTES = 16 << 20 };

/* ---- the list ---- */

static int has_input_file(const question_data *data, const char *name)
{
    for (size_t i = 0; i < data->count; i++)
        if (!strcmp(data->items[i].name, name))
            return 1;
    return 0;
}

/* Takes text, malloc'ed or NULL. */
static int keep_text(question_data *data, char *text)
{
    if (!text ||
        array_reserve(&data->texts, &data->text_cap, data->text_count + 1, sizeof *data->texts)) {
        free(text);
        return command_fail_memory();
    }

    data->texts[data->text_count++] = text;
    return EXIT_FINE;
}

static int add_item(question_data *data, snug_agent_input item)
{
    if (array_reserve(&data->items, &data->cap, data->count + 1, sizeof *data->items))
        return command_fail_memory();
    data->items[data->count++] = item;
    return EXIT_FINE;
}

/* ---- large files ---- */

/* Of a limit of cells, disk_bytes. */
static uint64_t disk_default(void)
{
    const snug_limit_description *info;
    for (size_t i = 0; (info = snug_limit_info(i)); i++)
        if (info->offset == offsetof(snug_limits, disk_bytes))
            return info->default_value;
    return SNUG_UNLIMITED;
}

/* Of a question, wall_ms. */
static uint64_t wall_default(void)
{
    const snug_limit_description *info;
    for (size_t i = 0; (info = snug_agent_limit_info(i)); i++)
        if (info->offset == offsetof(snug_agent_limits, wall_ms))
            return info->default_value;
    return SNUG_UNLIMITED;
}

/* What a session takes a copy of. */
static uint64_t most_copied(const options *o)
{
    uint64_t disk = o->limits.disk_bytes ? o->limits.disk_bytes : disk_default();
    const uint64_t most = o->input_bytes ? o->input_bytes : MOST_INPUT_BYTES;
    if (disk == SNUG_NONE)
        disk = 0;
    return disk < most ? disk : most;
}

static int is_large(const options *o, const char *path)
{
    struct stat facts;
    return !stat(path, &facts) && S_ISREG(facts.st_mode) &&
           (uint64_t)facts.st_size > most_copied(o);
}

/* A mount has a name without a slash. */
static const char *mount_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static int has_mount(const question_data *data, const options *o, const char *name)
{
    for (size_t i = 0; i < data->mount_count; i++)
        if (!strcmp(data->mounts[i].name, name))
            return 1;
    for (size_t i = 0; i < o->mount_count; i++)
        if (!strcmp(o->mounts[i].name, name))
            return 1;
    return 0;
}

/* Whether the session that is opened next can have it where it is. */
static int can_mount(const question_data *data, const question_place *place, const char *name)
{
    const options *o = place->options;
    return place->can_mount && !o->worker_command &&
           data->mount_count + o->mount_count < MOST_MOUNTS &&
           !has_mount(data, o, mount_name(name)) && !has_input_file(data, mount_name(name));
}

/* The texts stay the caller's. */
static int add_mounted(question_data *data, const char *name, const char *path)
{
    if (array_reserve(&data->mounts, &data->mount_cap, data->mount_count + 1, sizeof *data->mounts))
        return command_fail_memory();
    data->mounts[data->mount_count++] = (snug_mount){ .path = path, .name = mount_name(name) };
    return add_item(data, (snug_agent_input){ .name = mount_name(name), .path = path });
}

/* The sentence about a file that is neither copied nor mounted. */
static int explain_large(str *out, const options *o, const char *name, const char *path)
{
    char amount[32];
    quantity_text(amount, sizeof amount, most_copied(o), "bytes");
    return str_printf(
        out,
        "%.300s has more than the %s that are copied into a session: --mount %.300s:%.100s "
        "gives it as it is",
        path, amount, path, mount_name(name));
}

/* ---- --input ---- */

static int add_option_file(question_data *data, const question_place *place, const char *name,
                           const char *path)
{
    const options *o = place->options;
    const int is_file = strpbrk(name, "./") != NULL;

    if (!is_large(o, path))
        return add_item(data, (snug_agent_input){ .name = name, .path = path });
    if (is_file && can_mount(data, place, name))
        return add_mounted(data, name, path);

    str why = { 0 };
    int status = EXIT_USAGE;
    if (explain_large(&why, o, is_file ? name : path, path))
        status = command_fail_memory();
    else
        command_fail(EXIT_USAGE, "--input %s: %s", name, why.data);
    str_free(&why);
    return status;
}

/* Its lines, or all of it as one. */
static int has_stdin_questions(const options *o)
{
    for (size_t i = 0; i < o->input_count; i++)
        if (!strcmp(o->inputs[i].text, "-"))
            return 1;
    return o->input_count == 0 && !o->code_path;
}

static int has_stdin_option(const options *o)
{
    for (size_t i = 0; i < o->data.count; i++)
        if (stdin_is_meant(strchr(o->data.items[i], '=') + 1))
            return 1;
    return 0;
}

static int read_stdin(question_data *data, const question_place *place, int is_asked_for,
                      int *is_silent)
{
    const options *o = place->options;
    stdin_limits limits = { .wait_ms = o->stdin_wait_ms ? o->stdin_wait_ms : STDIN_WAIT_MS,
                            .most_ms = o->budget.wall_ms ? o->budget.wall_ms : wall_default(),
                            .most_bytes = most_copied(o),
                            .is_asked_for = is_asked_for,
                            .is_quiet = o->is_quiet };

    if (is_asked_for)
        limits.most_ms = SNUG_UNLIMITED;
    if (is_asked_for && !o->stdin_wait_ms)
        limits.wait_ms = SNUG_UNLIMITED;
    return stdin_read(&data->piped, is_silent, &limits, place->signals);
}

static int add_piped(question_data *data, const char *name)
{
    return add_item(
        data,
        (snug_agent_input){ .name = name, .data = str_text(&data->piped), .len = data->piped.len });
}

/* stdin as the data of that name; is_used: another one had it. */
static int add_option_stdin(question_data *data, const question_place *place, const char *name,
                            int *is_used)
{
    int is_silent;

    if (*is_used)
        return command_fail(EXIT_USAGE, "--input %s: stdin is the data of another name already",
                            name);
    *is_used = 1;
    int status = read_stdin(data, place, 1, &is_silent);
    if (!status && is_silent)
        return command_fail(EXIT_USAGE, "--input %s: nothing has come on stdin (--stdin-wait)",
                            name);
    if (!status)
        status = add_piped(data, name);
    return status;
}

static int add_option_files(question_data *data, const question_place *place)
{
    const options *o = place->options;
    int status = EXIT_FINE, is_stdin_used = 0;

    for (size_t i = 0; i < o->data.count && !status; i++) {
        const char *spec = o->data.items[i];
        const size_t len = strcspn(spec, "=");
        const char *path = spec + len + 1;
        char *name = strndup(spec, len);

        status = keep_text(data, name);
        if (status)
            break;
        if (has_input_file(data, name))
            status = command_fail(EXIT_USAGE, "--input names %s twice", name);
        else if (stdin_is_meant(path))
            status = add_option_stdin(data, place, name, &is_stdin_used);
        else
            status = add_option_file(data, place, name, path);
    }

    return status;
}

/* ---- stdin ---- */

static int is_plain_text(const str *bytes)
{
    size_t at;
    return utf8_check(str_text(bytes), bytes->len, &at) == UTF8_FINE &&
           !memchr(str_text(bytes), '\0', bytes->len);
}

/* Programs of bash read files. */
static const char *stdin_name(const question_data *data, const question_place *place)
{
    if (!is_plain_text(&data->piped))
        return "stdin.bin";
    if (place->is_in_bash || data->piped.len > MOST_VARIABLE_BYTES)
        return "stdin.txt";
    return "stdin";
}

static int add_stdin(question_data *data, const question_place *place)
{
    const options *o = place->options;
    int is_silent;

    if (has_stdin_questions(o) || has_stdin_option(o) || has_input_file(data, "stdin") ||
        !stdin_may_be_data())
        return EXIT_FINE;

    int status = read_stdin(data, place, 0, &is_silent);
    if (status || data->piped.len == 0) {
        if (!status && is_silent)
            steps_without(place->steps, "data on stdin",
                          "nothing has come; --stdin-wait waits longer");
        return status;
    }

    return add_piped(data, stdin_name(data, place));
}

/* ---- files that the question names ---- */

static void tell_left_out(const question_place *place, const char *path, const char *why)
{
    str about = { 0 };
    if (str_printf(&about, "file %s", path) == SNUG_OK)
        steps_without(place->steps, about.data, why);
    str_free(&about);
}

static int add_large(question_data *data, const question_place *place, const named_file *file)
{
    str why = { 0 };

    if (can_mount(data, place, file->name))
        return add_mounted(data, file->name, file->path);
    if (explain_large(&why, place->options, file->name, file->path))
        return command_fail_memory();
    tell_left_out(place, file->path, why.data);
    str_free(&why);
    return EXIT_FINE;
}

/* Its texts become the data's. */
static int add_named_file(question_data *data, const question_place *place, named_file *file)
{
    if (file->reason) {
        tell_left_out(place, file->path, file->reason);
        return EXIT_FINE;
    }

    if (has_input_file(data, file->name))
        return EXIT_FINE;

    char *name = file->name, *path = file->path;
    file->name = file->path = NULL;
    int status = keep_text(data, name);
    if (status)
        free(path);
    else
        status = keep_text(data, path);
    if (status)
        return status;

    const named_file kept = { .name = name, .path = path, .bytes = file->bytes };
    if (kept.bytes > most_copied(place->options))
        return add_large(data, place, &kept);
    return add_item(data, (snug_agent_input){ .name = name, .path = path });
}

static int add_named_files(question_data *data, const question_place *place, const char *question)
{
    named_files files;
    int status = EXIT_FINE;

    if (named_files_find(&files, question))
        status = command_fail_memory();
    for (size_t i = 0; i < files.count && !status; i++)
        status = add_named_file(data, place, &files.items[i]);
    named_files_free(&files);
    return status;
}

int question_check_stdin(const options *o)
{
    if (!has_stdin_questions(o) || !has_stdin_option(o))
        return EXIT_FINE;
    return command_fail(EXIT_USAGE, "--input: stdin has the question; give that as an argument");
}

/* Of a question; a longer one is refused. */
static uint64_t most_bytes(const options *o)
{
    const option_row *row = option_find("--max-question", strlen("--max-question"));
    return o->budget.question_bytes ? o->budget.question_bytes : option_limit(row)->default_value;
}

int question_collect(question_data *out, const question_place *place, const char *question)
{
    const int takes_more = !place->options->has_no_data;
    int status = EXIT_FINE;

    *out = (question_data){ 0 };
    if (place->is_first)
        status = add_option_files(out, place);
    if (!status && place->is_first && takes_more)
        status = add_stdin(out, place);
    if (!status && takes_more && strlen(question) <= most_bytes(place->options))
        status = add_named_files(out, place, question);
    return status;
}

void question_make_files(question_data *data)
{
    for (size_t i = 0; i < data->count; i++)
        if (!strcmp(data->items[i].name, "stdin"))
            data->items[i].name = "stdin.txt";
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
    free(data->mounts);
    str_free(&data->piped);
    *data = (question_data){ 0 };
}
