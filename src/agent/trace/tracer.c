#include "agent/trace/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

enum { SEND_MS = 2000, MOST_ANSWER_BYTES = 64 * 1024 };

/* ---- where to ---- */

static int is_hex_id(const char *text, size_t len)
{
    return strspn(text, "0123456789abcdef") >= len && strspn(text, "0") < len;
}

/* "00-<trace>-<span>-<flags>"; what is not of that form is as if it were not there. */
static void read_parent(tracer *t)
{
    const char *parent = getenv("TRACEPARENT");
    if (!parent || strlen(parent) < 55 || strncmp(parent, "ff", 2) == 0 || parent[2] != '-' ||
        strspn(parent, "0123456789abcdef") != 2 || !is_hex_id(parent + 3, TRACE_ID_DIGITS) ||
        parent[35] != '-' || !is_hex_id(parent + 36, SPAN_ID_DIGITS) || parent[52] != '-' ||
        strspn(parent + 53, "0123456789abcdef") < 2 ||
        (parent[55] && (strncmp(parent, "00", 2) == 0 || parent[55] != '-')))
        return;

    memcpy(t->trace_id, parent + 3, TRACE_ID_DIGITS);
    memcpy(t->parent_id, parent + 36, SPAN_ID_DIGITS);
    t->flags = (unsigned)strtoul(parent + 53, NULL, 16) & 0xff;
}

static int open_url(tracer *t, const snug_agent_options *o)
{
    size_t len = strlen(o->trace_url);
    int error = provider_read_url(&t->place, o->trace_url, "the address for traces");
    if (error)
        return error;

    while (!o->has_whole_trace_url && len > 0 && o->trace_url[len - 1] == '/')
        len--;
    if (str_append(&t->url, o->trace_url, len) ||
        str_add(&t->url, o->has_whole_trace_url ? "" : "/v1/traces"))
        return error_no_memory();

    return http_open(&t->http);
}

static int open_trace_file(int *fd, const tracer *t, const char *path)
{
    struct stat facts;
    if (t->has_content)
        return file_open_private(fd, path, &facts);
    *fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    return *fd < 0 ? error_system("the file for traces, %s", path) : SNUG_OK;
}

static int check_file(tracer *t, const char *path)
{
    int fd, error = open_trace_file(&fd, t, path);
    if (error)
        return error;

    close(fd);
    t->file = strdup(path);
    if (t->file)
        return SNUG_OK;
    return error_no_memory();
}

int tracer_open(tracer **out, const snug_agent_options *options)
{
    *out = NULL;
    if (!options->trace_file && !options->trace_url)
        return SNUG_OK;

    tracer *t = calloc(1, sizeof *t);
    if (!t)
        return error_no_memory();

    t->has_content = options->traces_content;
    int error = options->trace_file ? check_file(t, options->trace_file) : SNUG_OK;
    if (!error && options->trace_url)
        error = open_url(t, options);
    if (error) {
        tracer_close(t);
        return error;
    }

    read_parent(t);
    *out = t;
    return SNUG_OK;
}

void tracer_close(tracer *t)
{
    if (!t)
        return;
    http_close(t->http);
    provider_place_free(&t->place);
    str_free(&t->url);
    free(t->file);
    free(t);
}

/* ---- writing and sending ---- */

/* Another sentence; where memory runs out for it, it is left out. */
__attribute__((format(printf, 2, 3))) static void say(str *problem, const char *format, ...)
{
    char sentence[ERROR_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    str_printf(problem, "%s%s", problem->len ? "; " : "", sentence);
}

/* The next line would stand behind it, and both were lost. What another process has written behind
 * it meanwhile stays. */
static void cut_torn(int fd, size_t written)
{
    struct stat facts;
    const off_t end = lseek(fd, 0, SEEK_CUR);
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && end == facts.st_size &&
        end >= (off_t)written && ftruncate(fd, end - (off_t)written) != 0)
        return; /* there is no room, which was said */
}

/* In one write, so that two processes can share the file. */
static void write_line(str *problem, const tracer *t, const char *body, size_t len)
{
    str line = { 0 };
    int fd;
    ssize_t written = -1;

    if (open_trace_file(&fd, t, t->file)) {
        say(problem, "the trace could not be written: %s", error_message());
        return;
    }

    if (str_append(&line, body, len) == SNUG_OK && str_add(&line, "\n") == SNUG_OK)
        written = write(fd, line.data, line.len);
    if (written > 0 && (size_t)written != line.len)
        cut_torn(fd, (size_t)written);
    if (written < 0 || (size_t)written != line.len)
        say(problem, "the trace could not be written to %s: %s", t->file,
            written < 0 ? strerror(errno) : "there is not room for all of it");

    close(fd);
    str_free(&line);
}

static int on_answer(void *payload, const http_reply *reply, const char *data, size_t len)
{
    (void)payload, (void)reply, (void)data, (void)len;
    return HTTP_GO_ON;
}

static void send_body(str *problem, tracer *to, const char *body, size_t len)
{
    http_reply got = { 0 };
    const http_request request = {
        .url = str_text(&to->url),
        .body = body,
        .body_len = len,
        .is_direct = to->place.is_loopback,
        .total_ms = SEND_MS,
        .most_bytes = MOST_ANSWER_BYTES,
        .deadline_ns = UINT64_MAX,
        .on_data = on_answer,
    };
    if (http_post(&got, to->http, &request) != SNUG_OK) {
        say(problem, "the trace could not be sent: out of memory");
        return;
    }

    const int is_taken = got.fault == HTTP_FINE || got.fault == HTTP_TOO_LARGE;
    if (!is_taken)
        say(problem, "the trace could not be sent to %s: %.300s", str_text(&to->url),
            got.problem.len > 0 ? got.problem.data : "it took too long");
    else if (got.status < 200 || got.status > 299)
        say(problem, "the trace could not be sent to %s: it answers with status %d",
            str_text(&to->url), got.status);
    http_reply_free(&got);
}

void tracer_deliver(str *problem, tracer *t, const char *body, size_t len)
{
    if (t->file)
        write_line(problem, t, body, len);
    if (t->http)
        send_body(problem, t, body, len);
}
