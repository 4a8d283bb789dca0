#include "cli/batch/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/file.h"
#include "base/jsontext.h"
#include "base/str.h"
#include "cli/program/command.h"

static int fail_line(const results *r, size_t number)
{
    return command_fail(EXIT_USAGE,
                        "%s, line %zu is not a result of a task; name another file with "
                        "--out",
                        r->path, number);
}

typedef void take_line(void *payload, const char *id, const char *line, size_t len);

static int hand_line(const results *r, size_t number, const char *line, size_t len, take_line *take,
                     void *payload)
{
    const jsontext_span object = { line, len };
    size_t fault;

    if (len == 0 || line[0] != '{' || jsontext_check(line, len, &fault))
        return fail_line(r, number);

    str id = { 0 };
    int status = EXIT_FINE;
    if (!jsontext_member(object, "schema").text ||
        jsontext_string(&id, jsontext_member(object, "id")))
        status = fail_line(r, number);
    else
        take(payload, str_text(&id), line, len);

    str_free(&id);
    return status;
}

/* The beginning of a line of ours, or the zeros that a machine without power leaves. */
static int is_torn(const char *line, size_t len)
{
    static const char begin[] = RESULTS_BEGIN;
    size_t most = len < sizeof begin - 1 ? len : sizeof begin - 1;
    return line[0] == '\0' || memcmp(line, begin, most) == 0;
}

static int hand_lines(results *r, const str *text, take_line *take, void *payload)
{
    size_t at = 0, number = 0;
    int status = EXIT_FINE;

    while (at < text->len && !status) {
        const char *line = text->data + at, *end = memchr(line, '\n', text->len - at);
        number++;
        if (!end)
            break;
        status = hand_line(r, number, line, (size_t)(end - line), take, payload);
        at += (size_t)(end - line) + 1;
    }

    if (status || at == text->len) {
        r->bytes = (off_t)at;
        return status;
    }

    if (!is_torn(text->data + at, text->len - at))
        return fail_line(r, number);
    r->bytes = (off_t)at;
    if (ftruncate(r->fd, r->bytes) != 0)
        return command_fail(EXIT_USAGE, "%s: %s", r->path, strerror(errno));
    return EXIT_FINE;
}

static int read_results(str *out, const results *r)
{
    struct stat facts;

    if (fstat(r->fd, &facts) != 0)
        return error_system("%s", r->path);
    if (!S_ISREG(facts.st_mode))
        return error_set(SNUG_EINVAL, "%s exists and is not a file", r->path);

    size_t size = (size_t)facts.st_size;
    if (str_reserve(out, size))
        return error_no_memory();

    while (out->len < size) {
        ssize_t got = pread(r->fd, out->data + out->len, size - out->len, (off_t)out->len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_system("%s", r->path);
        if (got == 0)
            break;
        out->len += (size_t)got;
    }

    out->data[out->len] = '\0';
    return SNUG_OK;
}

int results_open(results *out, const char *path, take_line *take, void *payload)
{
    *out = (results){ .path = path };
    out->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (out->fd < 0)
        return command_fail(EXIT_USAGE, "%s: %s", path, strerror(errno));

    if (flock(out->fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return command_fail(EXIT_USAGE, "%s: another snug batch is writing it", path);
        return command_fail(EXIT_USAGE, "%s: %s", path, strerror(errno));
    }

    /* What is written into it later is there after a power cut, and so is the file. */
    file_sync_folder(path);

    str text = { 0 };
    int status;
    if (read_results(&text, out))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else
        status = hand_lines(out, &text, take, payload);

    str_free(&text);
    return status;
}

int results_add(results *r, const char *line, size_t len)
{
    str whole = { 0 };
    if (str_append(&whole, line, len) || str_add(&whole, "\n")) {
        str_free(&whole);
        return error_no_memory();
    }

    int error = SNUG_OK;
    if (file_write_all(r->fd, whole.data, whole.len) != 0 || fdatasync(r->fd) != 0) {
        error = error_system("%s", r->path);
        if (ftruncate(r->fd, r->bytes) != 0)
            error = error_system("%s", r->path);
    } else
        r->bytes += (off_t)whole.len;

    str_free(&whole);
    return error;
}

void results_close(results *r)
{
    if (r->path && r->fd >= 0)
        close(r->fd);
    *r = (results){ .fd = -1 };
}
