#include "cli/ask/question_files.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/ask/named_files.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "cli/program/quantity.h"

enum { STDIN_WAIT_MS = 10000, TOLD_AFTER_MS = 1000, READ_BYTES = 65536 };
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
static int store_text(question_data *data, char *text)
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

/* What a session takes a copy of. */
static uint64_t most_copied(const options *o)
{
    return o->input_bytes ? o->input_bytes : MOST_INPUT_BYTES;
}

/* ---- stdin ---- */

/* The end of a wait for stdin that began then, in ms for poll. */
static int wait_ms(uint64_t begun_ns, uint64_t most_ms)
{
    const uint64_t end_ns = clock_deadline_ns(begun_ns, most_ms), now_ns = clock_now_ns();
    return now_ns < end_ns ? (int)((end_ns - now_ns) / NS_PER_MS) + 1 : 0;
}

/* Data that was not asked for may be silent for ten seconds, and no longer than the question may
 * take. */
static uint64_t silence_ms(const options *o)
{
    return o->budget.wall_ms && o->budget.wall_ms < STDIN_WAIT_MS ? o->budget.wall_ms
                                                                  : STDIN_WAIT_MS;
}

/* 1: there is something to read, or the end; 0: nothing has come in time; -1: a signal has ended
 * the wait. Where it takes a second that is said. */
static int await_stdin(const question_place *place, int is_asked_for, int *is_told)
{
    const uint64_t most_ms = is_asked_for ? UINT64_MAX : silence_ms(place->options);
    struct pollfd waited[] = { { STDIN_FILENO, POLLIN, 0 },
                               { signals_fd(place->signals), POLLIN, 0 } };
    const uint64_t begun_ns = clock_now_ns();

    for (;;) {
        if (signals_taken(place->signals))
            return -1;
        const uint64_t told_ms = *is_told || most_ms < TOLD_AFTER_MS ? most_ms : TOLD_AFTER_MS;
        const int left_ms = told_ms == UINT64_MAX ? -1 : wait_ms(begun_ns, told_ms);
        const int ready = poll(waited, 2, left_ms);
        while (ready > 0 && waited[1].revents && signals_next(place->signals))
            ;
        if (ready > 0 && waited[0].revents)
            return 1;
        if (ready == 0 && told_ms == most_ms)
            return 0;
        if (ready == 0 && !place->options->is_quiet)
            command_fail(EXIT_FINE, is_asked_for ? "reading stdin, which has not ended yet"
                                                 : "reading data from stdin, which has not ended "
                                                   "yet; --no-auto-input, or </dev/null, does "
                                                   "without");
        *is_told |= ready == 0;
    }
}

/* All that comes. *is_silent: nothing has, and the question goes on without. EXIT_FINE; 128 and the
 * signal that has ended it; or EXIT_USAGE after one sentence. */
static int read_stdin(question_data *data, const question_place *place, int is_asked_for,
                      int *is_silent)
{
    char bytes[READ_BYTES], amount[32];
    const uint64_t most = most_copied(place->options);
    int is_told = 0;

    *is_silent = 0;
    for (;;) {
        const int is_there = await_stdin(place, is_asked_for, &is_told);
        if (is_there < 0)
            return 128 + signals_taken(place->signals);
        if (!is_there && data->piped.len > 0)
            return command_fail(
                EXIT_USAGE, "stdin began, and has not ended: nothing more has come for %s",
                quantity_text(amount, sizeof amount, silence_ms(place->options), "ms"));
        *is_silent = !is_there;
        if (!is_there)
            return EXIT_FINE;

        const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got < 0)
            return command_fail(EXIT_USAGE, "stdin: %s", strerror(errno));
        if (got == 0)
            return EXIT_FINE;
        if (data->piped.len + (size_t)got > most)
            return command_fail(EXIT_USAGE,
                                "stdin has more than %s: put it into a file and give that by "
                                "--mount",
                                quantity_text(amount, sizeof amount, most, "bytes"));
        if (str_append(&data->piped, bytes, (size_t)got))
            return command_fail_memory();
    }
}

/* Without being asked for, it is data where it is a pipe, a socket, or a file from its beginning
 * on: a terminal, /dev/null and a closed stdin are left alone, and a file that somebody has read
 * from belongs to a loop of the caller's shell. */
static int may_be_data(void)
{
    struct stat facts;

    if (fstat(STDIN_FILENO, &facts))
        return 0;
    if (S_ISREG(facts.st_mode))
        return facts.st_size > 0 && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
    return S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode);
}

/* Whether a path of --input means it. */
static int is_stdin(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0;
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
        if (is_stdin(strchr(o->data.items[i], '=') + 1))
            return 1;
    return 0;
}

static int add_piped(question_data *data, const char *name)
{
    return add_item(
        data,
        (snug_agent_input){ .name = name, .data = str_text(&data->piped), .len = data->piped.len });
}

/* ---- --input ---- */

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

        status = store_text(data, name);
        if (status)
            break;
        if (has_input_file(data, name))
            status = command_fail(EXIT_USAGE, "--input names %s twice", name);
        else if (is_stdin(path))
            status = add_option_stdin(data, place, name, &is_stdin_used);
        else
            status = add_item(data, (snug_agent_input){ .name = name, .path = path });
    }

    return status;
}

/* ---- what is piped in ---- */

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
        !may_be_data())
        return EXIT_FINE;

    int status = read_stdin(data, place, 0, &is_silent);
    if (status || data->piped.len == 0) {
        if (!status && is_silent)
            steps_without(place->steps, "data on stdin",
                          "nothing has come; --input stdin=- waits longer");
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

static int tell_large(const question_place *place, const named_file *file)
{
    str why = { 0 };
    char amount[32];

    quantity_text(amount, sizeof amount, most_copied(place->options), "bytes");
    if (str_printf(&why,
                   "it has more than the %s that are copied into a session: --mount %s:NAME gives "
                   "it as it is",
                   amount, file->path))
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
    if (file->bytes > most_copied(place->options))
        return tell_large(place, file);

    char *name = file->name, *path = file->path;
    file->name = file->path = NULL;
    int status = store_text(data, name);
    if (status)
        free(path);
    else
        status = store_text(data, path);
    if (status)
        return status;
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
    str_free(&data->piped);
    *data = (question_data){ 0 };
}
