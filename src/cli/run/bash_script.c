#include "cli/run/bash_script.h"

#include <string.h>
#include <strings.h>

#include "base/bashread.h"
#include "cli/program/command.h"

/* ---- which they are ---- */

static int ends_with(const char *text, const char *end)
{
    const size_t len = strlen(text), end_len = strlen(end);
    return len > end_len && strcasecmp(text + len - end_len, end) == 0;
}

static int is_one_of(const char *name, const char *const *ends)
{
    for (; *ends; ends++)
        if (ends_with(name, *ends))
            return 1;
    return 0;
}

/* "#!/bin/sh", "#! /usr/bin/env -S bash -eu": a word of the line is a shell. */
static int begins_for_shell(const str *text)
{
    static const char *const shells[] = { "sh", "bash", "dash" };
    const char *at = str_text(text), *end = at + strcspn(at, "\r\n");

    if (strncmp(at, "#!", 2) != 0)
        return 0;
    for (at += 2; at < end; at += strspn(at, " \t")) {
        const char *word = at;
        at += strcspn(at, " \t\r\n");
        const char *slash = memrchr(word, '/', (size_t)(at - word));
        if (slash)
            word = slash + 1;
        for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
            if (strlen(shells[i]) == (size_t)(at - word) &&
                memcmp(shells[i], word, (size_t)(at - word)) == 0)
                return 1;
    }
    return 0;
}

int bash_script_is_one(const options *o, const input *in, const str *text)
{
    static const char *const scripts[] = { ".sh", ".bash", NULL };
    static const char *const others[] = { ".py", ".ipynb", NULL };

    if (o->program_language != BY_QUESTION)
        return o->program_language == IN_BASH;
    if (!in->is_code && is_one_of(in->text, scripts))
        return 1;
    if (!in->is_code && is_one_of(in->text, others))
        return 0;
    return begins_for_shell(text);
}

/* ---- what bash finds ---- */

int bash_reader_open(bash_reader *r, const options *o)
{
    snug_session_options session = SNUG_SESSION_OPTIONS_INIT;
    int status = EXIT_FINE;

    r->options = options_in_bash(o);
    session.kind = SNUG_KIND_BASH;
    session.limits = &r->options.limits;
    if (!r->host)
        status = command_open_host(&r->host, &r->options, NULL);
    if (!status && snug_session_open(&r->session, r->host, &session))
        status = command_fail_host();
    return status;
}

/* EXIT_USAGE where bash did not come to its end. */
static int read_result(str *message, unsigned *line, const char *name, const snug_result *result)
{
    switch (snug_result_status(result)) {
    case SNUG_STATUS_OK:
        return EXIT_FINE;
    case SNUG_STATUS_ERROR:
        if (bashread_complaint(message, line, snug_result_error_value(result)))
            return command_fail_memory();
        return EXIT_FINE;
    case SNUG_STATUS_DENIED:
    case SNUG_STATUS_TIMEOUT:
    case SNUG_STATUS_INTERRUPTED:
    case SNUG_STATUS_MEMORY:
    case SNUG_STATUS_CRASHED:
    case SNUG_STATUS_STALLED:
        break;
    }
    return command_fail(EXIT_USAGE, "%s: bash could not read it: %s", name,
                        snug_result_error_value(result));
}

static int read_by_bash(str *message, unsigned *line, bash_reader *r, const char *name,
                        const str *script)
{
    str commands = { 0 };
    snug_result *result = NULL;
    int status;

    if (bashread_write(&commands, str_text(script), script->len))
        status = command_fail_memory();
    else if (snug_session_run_aside(&result, r->session, commands.data, commands.len, NULL))
        status = command_fail_host();
    else
        status = read_result(message, line, name, result);
    snug_result_free(result);
    str_free(&commands);
    return status;
}

int bash_reader_check(str *message, unsigned *line, bash_reader *r, const char *name,
                      const str *script)
{
    *line = 0;
    if (memchr(str_text(script), '\0', script->len))
        return str_add(message, "a NUL byte, which no script may have") ? command_fail_memory()
                                                                        : EXIT_FINE;

    const int whole = snug_session_is_complete(r->session, str_text(script), script->len);
    if (whole < 0)
        return command_fail_host();
    if (whole > 0)
        return read_by_bash(message, line, r, name, script);
    if (str_add(message, "the script ends within a quote, a here-document or a command"))
        return command_fail_memory();
    return EXIT_FINE;
}

void bash_reader_close(bash_reader *r)
{
    snug_session_close(r->session);
    snug_host_close(r->host);
    r->session = NULL;
    r->host = NULL;
}
