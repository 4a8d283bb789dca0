#include "agent/store/retrieve_command.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "agent/text/clip.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/child.h"
#include "base/process/sigpipe.h"
#include "base/utf8.h"
#include "wire/json.h"

enum {
    MOST_OUTPUT_BYTES = 1 << 20,
    MOST_TEXT_BYTES = 16 << 10, /* of a match: as much as a passage of the library's */
    MOST_NAME_BYTES = 200,
    STDERR_BYTES = 64 << 10,
    LOOK_MS = 20 /* after so long a cancel is noticed */
};

/* ---- the command ---- */

typedef enum command_end {
    COMMAND_ENDED,
    COMMAND_LATE,
    COMMAND_LONG,
    COMMAND_CANCELLED
} command_end;

static command_end talk_to_command(child *c, const run *r, str *out, str *err, uint64_t deadline_ns)
{
    const size_t len = strlen(r->question);
    size_t written = 0;

    for (int has_ended = 0;;) {
        child_write(c, r->question, len, &written, 1);
        child_read(&c->out, out, MOST_OUTPUT_BYTES + 1);
        child_read(&c->err, err, STDERR_BYTES);
        if (out->len > MOST_OUTPUT_BYTES)
            return COMMAND_LONG;
        /* What it had written when it ended was read after that. */
        if (has_ended)
            return COMMAND_ENDED;
        if (atomic_load(&r->agent->is_cancelled))
            return COMMAND_CANCELLED;
        if (clock_now_ns() >= deadline_ns)
            return COMMAND_LATE;

        has_ended = child_has_ended(c);
        struct pollfd fds[] = { { c->in, POLLOUT, 0 },
                                { c->out, POLLIN, 0 },
                                { c->err, POLLIN, 0 } };
        if (!has_ended)
            poll(fds, 3, c->out < 0 && c->err < 0 ? 1 : LOOK_MS);
    }
}

/* Why a command that has ended gives nothing: the last line that it wrote to stderr, or how it
 * ended. SNUG_OK or SNUG_ENOMEM. */
static int explain_status(str *fault, const child *c, const str *err)
{
    const char *line;
    const size_t len = child_last_line(&line, str_text(err), err->len);
    const size_t begin = fault->len;

    if (len == 0 && WIFSIGNALED(c->status))
        return str_printf(fault, "signal %d", WTERMSIG(c->status));
    if (len == 0)
        return str_printf(fault, "exit status %d", WEXITSTATUS(c->status));
    if (str_append(fault, line, len < 300 ? len : 300))
        return SNUG_ENOMEM;
    fault->len = begin + clip_line(fault->data + begin, fault->len - begin);
    fault->data[fault->len] = '\0';
    return SNUG_OK;
}

static int explain_end(str *fault, child *c, command_end end, const run *r, const str *err)
{
    switch (end) {
    case COMMAND_LATE:
        child_kill(c);
        return str_printf(fault, "it took longer than %g s; --retrieve-timeout allows more",
                          (double)r->limits.retrieve_ms / 1000);
    case COMMAND_LONG:
        child_kill(c);
        return str_add(fault, "it wrote more than 1 MiB");
    case COMMAND_CANCELLED:
        child_kill(c);
        return SNUG_OK; /* the question says so */
    case COMMAND_ENDED:
        child_wait(c);
        return c->status ? explain_status(fault, c, err) : SNUG_OK;
    }
    return SNUG_OK;
}

/* Of the question's time it has half at most: the answer needs its time too. */
static uint64_t command_deadline_ns(const run *r)
{
    const uint64_t now_ns = clock_now_ns();
    const uint64_t own_ns = clock_deadline_ns(now_ns, r->limits.retrieve_ms);
    const uint64_t middle_ns = clock_middle_ns(now_ns, r->deadline_ns);

    return own_ns < middle_ns ? own_ns : middle_ns;
}

/* What it wrote. SNUG_OK, also with a fault, or SNUG_ENOMEM. */
static int run_command(str *out, str *fault, const run *r, size_t most)
{
    str command = { 0 }, err = { 0 };
    sigpipe_hold hold;
    child c;
    int error = str_printf(&command, "SNUG_RETRIEVED=%zu; export SNUG_RETRIEVED\n%s", most,
                           r->agent->retrieve_command);

    if (!error) {
        sigpipe_block(&hold);
        if (child_start(&c, command.data)) {
            error = str_add(fault, "it could not be started");
        } else {
            const command_end end = talk_to_command(&c, r, out, &err, command_deadline_ns(r));
            error = explain_end(fault, &c, end, r, &err);
            if (end != COMMAND_ENDED)
                str_clear(out);
            child_free(&c);
        }
        sigpipe_release(&hold);
    }

    str_free(&command);
    str_free(&err);
    return error;
}

/* ---- what it wrote ---- */

static const char *member_text(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(member) && *member->valuestring ? member->valuestring : NULL;
}

/* The names of files have anything in them, and the prompts have this one in a line. */
static int copy_match(found_text *out, const char *name, const char *text, const cJSON *score)
{
    size_t len = strlen(name);

    if (len > MOST_NAME_BYTES)
        len = utf8_floor(name, len, MOST_NAME_BYTES);
    *out = (found_text){ .score = cJSON_IsNumber(score) ? score->valuedouble : 0 };
    if (str_append(&out->name, name, len) ||
        clip_append(&out->text, text, strlen(text), MOST_TEXT_BYTES, 0))
        return SNUG_ENOMEM;

    out->name.len = clip_line(out->name.data, out->name.len);
    out->name.data[out->name.len] = '\0';
    return SNUG_OK;
}

/* SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL for a line that is none. */
static int add_found(found_texts *out, const char *line, size_t len)
{
    cJSON *object;
    int error = SNUG_EINVAL;

    if (json_parse(&object, line, len))
        return SNUG_EINVAL;

    const char *name = member_text(object, "name"), *text = member_text(object, "text");
    const cJSON *score = cJSON_GetObjectItemCaseSensitive(object, "score");
    if (name && text)
        error = array_reserve(&out->items, &out->cap, out->count + 1, sizeof *out->items);
    if (!error)
        error = copy_match(&out->items[out->count++], name, text, score);
    cJSON_Delete(object);
    return error;
}

/* Lines that are none are left out, and the fault names the first of them. */
static int read_lines(found_texts *out, str *fault, const str *text, size_t most)
{
    size_t number = 0, bad = 0, first_bad = 0;
    int error = SNUG_OK;

    for (const char *at = str_text(text); !error && *at && out->count < most;) {
        const size_t len = strcspn(at, "\n");
        number++;
        if (strspn(at, " \t\r") < len)
            error = add_found(out, at, len);
        if (error == SNUG_EINVAL) {
            error = SNUG_OK;
            if (bad++ == 0)
                first_bad = number;
        }
        at += len + (at[len] == '\n');
    }

    if (!error && bad > 0)
        error = str_printf(fault,
                           "line %zu of what it wrote has no JSON object with a name and a text%s",
                           first_bad, bad > 1 ? " (and more)" : "");
    return error;
}

int retrieve_command_run(found_texts *out, str *fault, const run *r, size_t most)
{
    str text = { 0 };
    int error = run_command(&text, fault, r, most);

    if (!error && fault->len == 0)
        error = read_lines(out, fault, &text, most);
    str_free(&text);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

void found_texts_free(found_texts *found)
{
    for (size_t i = 0; i < found->count; i++) {
        str_free(&found->items[i].name);
        str_free(&found->items[i].text);
    }
    free(found->items);
    *found = (found_texts){ 0 };
}
