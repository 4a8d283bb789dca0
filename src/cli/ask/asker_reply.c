#include "cli/ask/asker_reply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program/command.h"

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

/* On stdout. */
static int put_reply(asker *a, snug_agent *agent, const snug_reply *reply)
{
    const int is_plain = format_of_reply(a) == SNUG_REPLY_PLAIN;
    const int has_table = is_plain && shown_has_table(reply);
    size_t len;
    const char *text = snug_reply_text(reply, format_of_reply(a), &len);
    if (!text)
        return command_fail_memory();

    if (!is_plain || (snug_reply_answer(reply)[0] && !(has_table && shown_is_value(reply, text))))
        put_text(text, len);
    if (has_table)
        shown_put_table(reply);
    if (is_plain)
        shown_put_pictures(&a->shown, reply, snug_agent_session(agent));

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
