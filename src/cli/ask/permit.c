#include "cli/ask/permit.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/ascii.h"
#include "cli/display/code_lines.h"
#include "cli/editor/reader.h"
#include "cli/program/command.h"
#include "cli/prompt/approve.h"
#include "cli/tools/call_text.h"

enum { LOOK_MS = 20 /* after so long it is noticed that the cell does not wait any more */ };

int permit_is_possible(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

int permit_check(const options *o)
{
    if (!o->asks_first || permit_is_possible())
        return EXIT_FINE;
    return command_fail(EXIT_USAGE, "--ask asks at a terminal, and %s is not one",
                        isatty(STDIN_FILENO) ? "stderr" : "stdin");
}

/* ---- reading ---- */

/* -1: the input has ended, or a signal has come that ends the question. */
static int next_byte(const permit *p)
{
    struct pollfd fds[] = { { STDIN_FILENO, POLLIN, 0 }, { signals_fd(p->signals), POLLIN, 0 } };
    unsigned char byte;
    int ahead = p->typed ? reader_take_ahead(p->typed) : -1;

    if (ahead >= 0)
        return ahead;
    for (;;) {
        if (signals_taken(p->signals))
            return -1;
        if (p->call && !snug_call_is_wanted(p->call))
            return -1;
        if (poll(fds, 2, p->call ? LOOK_MS : -1) < 0 && errno != EINTR)
            return -1;
        if (fds[1].revents)
            while (signals_next(p->signals))
                ;
        if (!fds[0].revents)
            continue;
        const ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got == 1) /* CR: of what came while keys did */
            return byte == '\r' && isatty(STDIN_FILENO) ? '\n' : byte;
        if (got == 0 || errno != EINTR)
            return -1;
    }
}

int permit_read_line(const permit *p, str *line)
{
    int byte;

    str_clear(line);
    while ((byte = next_byte(p)) >= 0 && byte != '\n') {
        const char c = (char)byte;
        if (line->len < 4096 && str_append(line, &c, 1))
            return 0;
    }
    return byte == '\n';
}

/* What was typed before a program was there is no answer to it. */
static void drop_typed(const permit *p)
{
    while (p->typed && reader_take_ahead(p->typed) >= 0)
        ;
    tcflush(STDIN_FILENO, TCIFLUSH);
}

/* ---- asking ---- */

typedef enum answer { ANSWER_NONE, ANSWER_YES, ANSWER_NO, ANSWER_ALWAYS } answer;

/* A word, or its first letter. */
static answer answer_of(const char *line)
{
    static const char *const words[] = {
        [ANSWER_YES] = "yes", [ANSWER_NO] = "no", [ANSWER_ALWAYS] = "always"
    };
    char word[16] = "";

    line += strspn(line, " \t");
    const size_t len = strcspn(line, " \t\r");
    if (line[len + strspn(line + len, " \t\r")]) /* as a question that was typed ahead */
        return ANSWER_NONE;
    for (size_t i = 0; i < len && i < sizeof word - 1; i++)
        word[i] = to_lower(line[i]);
    for (int i = ANSWER_YES; i <= ANSWER_ALWAYS; i++)
        if (strcmp(word, words[i]) == 0 || (word[0] == words[i][0] && !word[1]))
            return (answer)i;
    return ANSWER_NONE;
}

int permit_is_yes(const char *line)
{
    return answer_of(line) == ANSWER_YES;
}

static answer ask_once(const permit *p)
{
    str line = { 0 };
    answer said = ANSWER_NO;

    fputs("run this? [y]es, [n]o, [a]lways: ", stderr);
    fflush(stderr);
    if (permit_read_line(p, &line))
        said = answer_of(str_text(&line));
    else
        fputc('\n', stderr);
    str_free(&line);
    return said;
}

/* Where no step has. */
static void show_program(const permit *p, code_language language, const char *code, size_t len)
{
    const term *colors = &p->steps->colors;
    const code_look look = { .theme = p->steps->theme,
                             .language = language,
                             .on = term_on(colors, stderr, TERM_PLACE),
                             .off = term_on(colors, stderr, TERM_OFF) };

    if (!steps_have_shown(p->steps, code, len))
        code_lines_put(stderr, &look, code, len, 0, 1);
}

static snug_agent_consent ask(permit *p, snug_agent *agent, const char *code, size_t len)
{
    const int is_bash = snug_session_kind(snug_agent_session(agent)) == SNUG_KIND_BASH;
    const code_language language = is_bash ? CODE_BASH : CODE_PYTHON;

    drop_typed(p);
    show_program(p, language, code, len);
    for (;;) {
        switch (ask_once(p)) {
        case ANSWER_NONE:
            continue;
        case ANSWER_YES:
            return SNUG_AGENT_CONSENT_RUN;
        case ANSWER_NO:
            return SNUG_AGENT_CONSENT_REFUSE;
        case ANSWER_ALWAYS:
            p->is_always = 1;
            return SNUG_AGENT_CONSENT_RUN;
        }
    }
}

void permit_call(void *payload, snug_call *call)
{
    permit *p = payload;
    str text = { 0 }, line = { 0 };
    snug_approval said = SNUG_APPROVAL_REFUSE;

    steps_hold(p->steps);
    drop_typed(p);
    p->call = call;
    if (call_text_write(&text, call) == SNUG_OK) {
        fprintf(stderr, "Call %s" APPROVE_CHOICES, text.data);
        fflush(stderr);
        if (permit_read_line(p, &line))
            said = approve_answer(str_text(&line));
        else
            fputc('\n', stderr);
    }
    p->call = NULL;
    snug_call_approve(
        call, said, said == SNUG_APPROVAL_REFUSE ? "the person at the terminal refused it" : NULL);
    steps_let_go(p->steps);
    str_free(&text);
    str_free(&line);
}

snug_agent_consent permit_ask(permit *p, snug_agent *agent, const char *code, size_t len)
{
    if (p->is_always)
        return SNUG_AGENT_CONSENT_RUN;
    steps_hold(p->steps);
    const snug_agent_consent consent = ask(p, agent, code, len);
    steps_let_go(p->steps);
    if (signals_taken(p->signals)) /* whose own cancel may come later than the answer */
        snug_agent_cancel(agent);
    return consent;
}
