#include "cli/tools/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsontext.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"

#define JOURNAL_FILE_BEGINNING "{\"schema\": \"snug.journal/1\""

typedef struct replayed_tool {
    snug_tool tool;
    char *name, *signature, *doc, *stub;
} replayed_tool;

struct journal_file {
    snug_journal *journal;
    pthread_mutex_t lock; /* of what is written */
    const char *path;     /* NULL: nothing is */
    int fd, is_regular, is_pipe, has_failed;
    uint64_t bytes, most_bytes; /* of the file */

    const char *replay_path; /* NULL: it is not a replay */
    replayed_tool *tools;
    size_t tool_count, tool_cap;
};

/* ---- lines ---- */

/* Past the process's own limit of a file a write would raise SIGXFSZ, which ends it. */
static int is_past_file_limit(uint64_t bytes)
{
    struct rlimit most;
    return !getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY &&
           bytes > most.rlim_cur;
}

/* Says it once; the cells go on without a journal. The lock is held. */
static void give_up(journal_file *j, const char *why)
{
    j->has_failed = 1;
    command_fail(EXIT_FINE, "--journal %s: %s; further calls are not written", j->path, why);
}

/* So long a pipe may take nothing. */
enum { PIPE_MS = 10000 };

/* 0, or -1 with errno. */
static int write_pipe(int fd, const char *text, size_t len)
{
    while (len > 0) {
        struct pollfd ready = { fd, POLLOUT, 0 };
        const ssize_t written = write(fd, text, len);
        if (written >= 0) {
            text += written;
            len -= (size_t)written;
        } else if (errno == EAGAIN) {
            if (poll(&ready, 1, PIPE_MS) == 0) {
                errno = ETIMEDOUT;
                return -1;
            }
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

static int write_all(const journal_file *j, const char *text, size_t len)
{
    return j->is_pipe ? write_pipe(j->fd, text, len) : file_write_all(j->fd, text, len);
}

/* A file keeps its whole lines. The lock is held. */
static void write_whole(journal_file *j, const char *line, size_t len)
{
    if (j->has_failed)
        return;
    if (j->is_regular && len > j->most_bytes - j->bytes) {
        give_up(j, "it has as many bytes as it may have (--journal-size)");
        return;
    }
    if (j->is_regular && is_past_file_limit(j->bytes + len)) {
        give_up(j, strerror(EFBIG));
        return;
    }

    if (write_all(j, line, len) == 0) {
        j->bytes += len;
        return;
    }
    const int number = errno;
    if (j->is_regular && ftruncate(j->fd, (off_t)j->bytes) != 0)
        give_up(j, "it cannot be written, and has a line that is cut");
    else if (number == ETIMEDOUT)
        give_up(j, "it is a pipe that nobody has read for 10 s");
    else
        give_up(j, strerror(number));
}

static void write_line(void *payload, const char *line, size_t len)
{
    journal_file *j = payload;

    pthread_mutex_lock(&j->lock);
    write_whole(j, line, len);
    pthread_mutex_unlock(&j->lock);
}

static size_t hide(void *payload, char *text, size_t len)
{
    (void)payload;
    return secrets_hide_json(text, len);
}

/* With its end. */
static void write_hidden(journal_file *j, str *line)
{
    line->len = secrets_hide_json(line->data, line->len);
    if (str_add(line, "}\n") == SNUG_OK)
        write_line(j, line->data, line->len);
}

static int write_beginning(journal_file *j)
{
    char date[32];
    const time_t now = time(NULL);
    struct tm parts;
    str line = { 0 };

    gmtime_r(&now, &parts);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    int error = str_printf(&line, JOURNAL_FILE_BEGINNING ", \"snug\": \"%s\", \"time\": \"%s\"",
                           snug_version(), date);
    if (!error)
        write_hidden(j, &line);
    str_free(&line);
    return error ? command_fail_memory() : EXIT_FINE;
}

/* ---- an earlier run ---- */

/* *out: NULL where the member is not there. SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL for what is not
 * text. */
static int read_text(char **out, jsontext_span line, const char *member)
{
    str text = { 0 };
    const jsontext_span value = jsontext_member(line, member);

    *out = NULL;
    if (!value.text)
        return SNUG_OK;
    int error = jsontext_string(&text, value);
    if (!error && strlen(str_text(&text)) != text.len)
        error = SNUG_EINVAL;
    if (!error && !(*out = strdup(str_text(&text))))
        error = SNUG_ENOMEM;
    str_free(&text);
    return error;
}

static int is_true(jsontext_span line, const char *member)
{
    return jsontext_is(jsontext_member(line, member), "true");
}

/* How it is called. */
static int read_way(jsontext_span value)
{
    if (jsontext_is(value, "2"))
        return SNUG_TOOL_EITHER;
    return jsontext_is(value, "1") ? SNUG_TOOL_AWAITED : 0;
}

/* No call of a replay comes here. */
static void answer_nothing(void *payload, snug_call *call, const char *arguments)
{
    (void)payload;
    (void)arguments;
    snug_call_fail(call, "a replay calls no tools");
}

static int add_tool(journal_file *j, jsontext_span line)
{
    if (array_reserve(&j->tools, &j->tool_cap, j->tool_count + 1, sizeof *j->tools))
        return SNUG_ENOMEM;
    replayed_tool *t = &j->tools[j->tool_count++];
    *t = (replayed_tool){ .tool = SNUG_TOOL_INIT };

    int error;
    if ((error = read_text(&t->name, line, "name")) ||
        (error = read_text(&t->signature, line, "signature")) ||
        (error = read_text(&t->doc, line, "doc")) || (error = read_text(&t->stub, line, "stub")))
        return error;
    if (!t->name)
        return SNUG_EINVAL;
    t->tool.name = t->name;
    t->tool.signature = t->signature;
    t->tool.doc = t->doc;
    t->tool.stub = t->stub;
    t->tool.is_async = read_way(jsontext_member(line, "is_async"));
    t->tool.takes_any = is_true(line, "takes_any");
    t->tool.is_read_only = (uint64_t)is_true(line, "is_read_only");
    t->tool.fn = answer_nothing;
    return error;
}

/* Faults of JSON are the library's to find. */
static int read_replayed(journal_file *j, jsontext_span line, size_t number)
{
    size_t at;

    if (line.len == 0 || *line.text != '{' || jsontext_check(line.text, line.len, &at))
        return EXIT_FINE;
    const jsontext_span schema = jsontext_member(line, "schema");
    int error = SNUG_OK;
    if (jsontext_is(schema, "\"snug.tool/1\""))
        error = add_tool(j, line);
    if (error == SNUG_EINVAL)
        return command_fail(EXIT_USAGE, "--replay %s: line %zu is damaged", j->replay_path, number);
    return error ? command_fail_memory() : EXIT_FINE;
}

static void forget_run(journal_file *j)
{
    for (size_t i = 0; i < j->tool_count; i++) {
        free(j->tools[i].name);
        free(j->tools[i].signature);
        free(j->tools[i].doc);
        free(j->tools[i].stub);
    }
    j->tool_count = 0;
}

/* Reads the file into text, with the tools of its last run. EXIT_FINE, or EXIT_USAGE
 * after one sentence. */
static int read_replay(str *text, journal_file *j)
{
    static const char beginning[] = JOURNAL_FILE_BEGINNING;
    size_t number = 0;
    int status = EXIT_FINE;

    if (file_read(text, j->replay_path, j->most_bytes))
        return command_fail(EXIT_USAGE, "--replay %s", error_message());
    for (size_t at = 0; at < text->len && !status;) {
        const char *line = text->data + at;
        const char *end = memchr(line, '\n', text->len - at);
        const size_t len = end ? (size_t)(end - line) : text->len - at;
        if (len >= sizeof beginning - 1 && !memcmp(line, beginning, sizeof beginning - 1))
            forget_run(j);
        status = read_replayed(j, (jsontext_span){ line, len }, ++number);
        at += len + 1;
    }
    return status;
}

/* ---- opening ---- */

/* A run that was killed may have left a line that is cut. */
static int end_last_line(const journal_file *j)
{
    char last;

    if (j->bytes == 0 || pread(j->fd, &last, 1, (off_t)j->bytes - 1) != 1 || last == '\n')
        return 0;
    return 1;
}

static int open_file(journal_file *j)
{
    struct stat facts;

    if (file_open_private(&j->fd, j->path, &facts))
        return command_fail(EXIT_USAGE, "--journal %s", error_message());
    j->is_regular = S_ISREG(facts.st_mode);
    j->is_pipe = S_ISFIFO(facts.st_mode);
    if (!j->is_regular)
        return EXIT_FINE;
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0)
        return command_fail(EXIT_USAGE, "--journal %s: another snug writes to it", j->path);
    if (fstat(j->fd, &facts) == 0)
        j->bytes = (uint64_t)facts.st_size;
    if (j->bytes > j->most_bytes)
        return command_fail(EXIT_USAGE,
                            "--journal %s has %llu bytes, more than it may have (--journal-size)",
                            j->path, (unsigned long long)j->bytes);
    if (end_last_line(j))
        write_line(j, "\n", 1);
    return EXIT_FINE;
}

static int open_journal(journal_file *j)
{
    snug_journal_options wanted = SNUG_JOURNAL_OPTIONS_INIT;
    str text = { 0 };
    int status = EXIT_FINE;

    wanted.payload = j;
    wanted.write = j->path ? write_line : NULL;
    wanted.hide = hide;
    if (j->replay_path) {
        status = read_replay(&text, j);
        wanted.replay = str_text(&text);
        wanted.replay_len = text.len;
    }
    if (!status && j->path)
        status = open_file(j);
    if (!status && snug_journal_open(&j->journal, &wanted))
        status = command_fail(EXIT_USAGE, "--replay %s: %s", j->replay_path ? j->replay_path : "",
                              snug_error_message());
    if (!status && j->path)
        status = write_beginning(j);
    str_free(&text);
    return status;
}

int journal_file_open(journal_file **out, const options *o)
{
    *out = NULL;
    if (!o->journal_path && !o->replay_path)
        return EXIT_FINE;

    journal_file *j = calloc(1, sizeof *j);
    if (!j)
        return command_fail_memory();
    pthread_mutex_init(&j->lock, NULL);
    j->path = o->journal_path;
    j->replay_path = o->replay_path;
    j->most_bytes = o->journal_bytes ? o->journal_bytes : JOURNAL_FILE_BYTES;
    j->fd = -1;
    *out = j;
    return open_journal(j);
}

snug_journal *journal_file_journal(const journal_file *j)
{
    return j ? j->journal : NULL;
}

/* ---- the end ---- */

static int tell_replay(journal_file *j)
{
    char first[1000];
    const char *difference = snug_journal_difference(j->journal);

    if (difference)
        return command_fail(EXIT_FAILED, "--replay %s: %s", j->replay_path, difference);
    const size_t left = snug_journal_left(j->journal, first, sizeof first);
    if (left == 0)
        return EXIT_FINE;
    return command_fail(EXIT_FAILED, "--replay %s: %zu call%s of the journal %s left: %s",
                        j->replay_path, left, left == 1 ? "" : "s", left == 1 ? "is" : "are",
                        first);
}

int journal_file_close(journal_file *j)
{
    int status = EXIT_FINE;

    if (!j)
        return EXIT_FINE;
    if (j->journal && j->replay_path)
        status = tell_replay(j);
    snug_journal_close(j->journal);
    if (j->fd >= 0)
        close(j->fd);
    forget_run(j);
    free(j->tools);
    pthread_mutex_destroy(&j->lock);
    free(j);
    return status;
}

/* ---- tools ---- */

static int add_text(str *out, const char *name, const char *text)
{
    if (!text)
        return SNUG_OK;
    int error = str_printf(out, ", \"%s\": ", name);
    return error ? error : jsontext_quote(out, text, strlen(text));
}

static int add_flag(str *out, const char *name, int is_so)
{
    return is_so ? str_printf(out, ", \"%s\": true", name) : SNUG_OK;
}

int journal_file_add_tool(void *journal, const snug_tool *tool)
{
    journal_file *j = journal;
    str line = { 0 };
    int error = str_add(&line, "{\"schema\": \"snug.tool/1\"");
    error |= add_text(&line, "name", tool->name);
    error |= add_text(&line, "signature", tool->signature);
    error |= add_text(&line, "stub", tool->stub);
    error |= add_text(&line, "doc", tool->doc);
    error |= str_printf(&line, ", \"is_async\": %d", tool->is_async);
    error |= add_flag(&line, "takes_any", tool->takes_any);
    error |= add_flag(&line, "is_read_only", tool->is_read_only != 0);
    if (!error && j->path)
        write_hidden(j, &line);
    str_free(&line);
    return error ? error_no_memory() : SNUG_OK;
}

const snug_tool *journal_file_tool(const journal_file *j, size_t index)
{
    return j && index < j->tool_count ? &j->tools[index].tool : NULL;
}
