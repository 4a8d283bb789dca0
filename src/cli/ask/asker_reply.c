#include "cli/ask/asker_reply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "cli/program/command.h"

enum { MOST_PICTURES = 8, MOST_PICTURE_BYTES = 16 << 20 };

/* At the end, where the steps may be far above, or were not shown and there is no answer. */
static void tell_missing_again(const asker *a, const snug_reply *reply)
{
    const int is_answered = snug_reply_status(reply) == SNUG_AGENT_STATUS_ANSWERED;

    if (a->options->is_json || (a->options->is_quiet && is_answered))
        return;
    for (size_t i = 0; i < a->missing.count; i++) {
        char *hint = missing_hint(&a->missing.items[i], seats_is_full(&a->seats));
        if (hint)
            command_fail(EXIT_FINE, "%s", hint);
        free(hint);
    }
}

/* What the reply says besides its text. */
static void tell_faults(snug_reply *reply)
{
    if (snug_reply_error(reply)[0])
        command_fail(EXIT_FAILED, "%s: %s", snug_agent_status_name(snug_reply_status(reply)),
                     snug_reply_error(reply));
    if (strstr(snug_reply_error(reply), " answered 404"))
        command_fail(EXIT_FAILED, "\"snug models\" lists the models that can be asked here");
    if (!snug_reply_error(reply)[0] && !snug_reply_is_supported(reply))
        command_fail(EXIT_FINE, "some numbers of this answer do not come from the run");

    if (!snug_reply_has_program(reply))
        command_fail(EXIT_FINE, "this answer was made without a program");
    if (snug_reply_doubt(reply)[0])
        command_fail(EXIT_FINE, "%s", snug_reply_doubt(reply));
}

static snug_reply_format format_of_reply(const asker *a)
{
    return a->options->is_json ? SNUG_REPLY_JSON : (snug_reply_format)a->options->format;
}

static void put_text(const char *text, size_t len)
{
    /* What is behind a pipe is a terminal in the end, or a file that somebody shows there. */
    term_put(stdout, text, len);
    if (len == 0 || text[len - 1] != '\n')
        putchar('\n');
}

/* Appends its bytes, if it is one in PNG. 1: it is. */
static int read_picture(str *out, const snug_agent_output *output, snug_session *session)
{
    const snug_mime *form = output->display ? form_find(output->display, "image/png") : NULL;
    snug_file *file;
    size_t len;

    if (form)
        return base64_decode(out, form->data, form->len) == SNUG_OK;
    if (output->display || strcmp(output->mime, "image/png") != 0 ||
        snug_session_get_file(&file, session, output->path, MOST_PICTURE_BYTES))
        return 0;
    const char *data = snug_file_data(file, &len);
    const int error = str_append(out, data, len);
    snug_file_free(file);
    return error == SNUG_OK;
}

/* Those that the terminal can show; of files of the session too. */
static void put_pictures(const pictures *p, const snug_reply *reply, snug_session *session)
{
    const snug_agent_output *output;
    int count = 0;

    if (p->mode != PICTURES_KITTY && p->mode != PICTURES_ITERM)
        return;
    for (size_t i = 0; count < MOST_PICTURES && (output = snug_reply_output(reply, i)); i++) {
        str bytes = { 0 };
        if (read_picture(&bytes, output, session) && pictures_show_png(p, &bytes)) {
            putchar('\n');
            count++;
        }
        str_free(&bytes);
    }
}

/* On stdout. */
static int put_reply(asker *a, snug_agent *agent, const snug_reply *reply)
{
    const int is_plain = format_of_reply(a) == SNUG_REPLY_PLAIN;
    size_t len;
    const char *text = snug_reply_text(reply, format_of_reply(a), &len);
    if (!text)
        return command_fail_memory();

    if (!is_plain || snug_reply_answer(reply)[0])
        put_text(text, len);
    if (is_plain)
        put_pictures(&a->pictures, reply, snug_agent_session(agent));

    if (fflush(stdout)) {
        if (errno == EPIPE)
            return EXIT_FAILED;
        return command_fail(EXIT_FAILED, "stdout: %s", strerror(errno));
    }
    return EXIT_FINE;
}

/* On stderr, what was handed over too. */
static int tell_reply(asker *a, snug_reply *reply, int is_handed_over)
{
    if (format_of_reply(a) != SNUG_REPLY_JSON)
        tell_faults(reply);
    if (format_of_reply(a) != SNUG_REPLY_JSON && !a->options->is_quiet)
        closing_tell(&a->closing, reply, is_handed_over);
    const int status = is_handed_over ? handing_tell(&a->handing) : EXIT_FINE;
    tell_missing_again(a, reply);
    return status;
}

/* The answer is there before the first file is written, where it does not say where that is. */
int asker_give_reply(asker *a, snug_agent *agent, const char *question, snug_reply *reply)
{
    const int is_handed_over = handing_is_wanted(&a->handing) && !signals_taken(&a->signals);
    const int is_plain = format_of_reply(a) == SNUG_REPLY_PLAIN;
    int status = EXIT_FINE;

    if (is_plain)
        status = put_reply(a, agent, reply);
    if (is_handed_over)
        handing_do(&a->handing, reply, snug_agent_session(agent), question);
    if (!is_plain)
        status = put_reply(a, agent, reply);

    const int told = tell_reply(a, reply, is_handed_over);
    return status ? status : told;
}
