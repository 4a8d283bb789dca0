/* snug ask: questions to a model, whose programs run in one session. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <snug/agent.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/ask/closing.h"
#include "cli/ask/handing_over.h"
#include "cli/ask/installing.h"
#include "cli/ask/missing_events.h"
#include "cli/ask/model_choice.h"
#include "cli/ask/question_files.h"
#include "cli/ask/seats.h"
#include "cli/ask/shown_answer.h"
#include "cli/ask/steps.h"
#include "cli/program/command.h"
#include "cli/program/signals.h"
#include "cli/program/state_folder.h"
#include "cli/tools/user_tools.h"

enum { MOST_CONTEXT_BYTES = 4 * 1024 * 1024 };

typedef struct asker {
    const options *options;
    seats seats;
    signals signals;
    tools tools;
    steps steps;
    snug_agent_image *images; /* of the question */
    missing missing;          /* modules that programs of the question wanted */
    size_t offered;           /* of those: somebody was asked about them */
    int can_install;          /* the question may begin again in another session */
    int is_stopped;           /* it was, for that */
    str context, code;
    str conversation, library, cache; /* paths */
    str model;                        /* where nobody has named one */
    closing closing;
    handing handing;
    shown_answer shown;
    size_t asked;
    int is_done;
} asker;

static void cancel_agent(void *target)
{
    snug_agent_cancel(target);
}

/* ---- modules that are missing ---- */

static void tell_missing(asker *a, size_t first)
{
    for (size_t i = first; i < a->missing.count; i++) {
        char *hint = missing_hint(&a->missing.items[i], seats_is_full(&a->seats));
        if (hint)
            steps_hint(&a->steps, a->missing.items[i].module, hint);
        free(hint);
    }
}

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

static void hear_event(void *payload, const snug_agent_event *event)
{
    asker *a = payload;
    const size_t first = a->missing.count;

    steps_show(&a->steps, event);
    if (a->seats.python.host &&
        missing_hear(&a->missing, event, a->options, snug_host_report(a->seats.python.host)) > 0)
        tell_missing(a, first);
}

/* The program that wanted them is not repaired: it, or another one, may have them in a new session.
 */
static snug_agent_step stop_for_install(void *payload, snug_agent_step from, snug_agent_step to)
{
    asker *a = payload;
    const int is_next_program = to == SNUG_AGENT_STEP_REPAIR || to == SNUG_AGENT_STEP_GENERATE;
    const int is_after_program = from == SNUG_AGENT_STEP_SCAN || from == SNUG_AGENT_STEP_EXECUTE;

    if (!a->can_install || a->missing.count <= a->offered || !is_next_program || !is_after_program)
        return to;
    a->is_stopped = 1;
    return SNUG_AGENT_STEP_END;
}

/* ---- the reply ---- */

/* What the reply says besides its text. */
static void tell_faults(snug_reply *reply)
{
    if (snug_reply_error(reply)[0])
        command_fail(EXIT_FAILED, "%s: %s", snug_agent_status_name(snug_reply_status(reply)),
                     snug_reply_error(reply));
    else if (!snug_reply_is_supported(reply))
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
static int give_reply(asker *a, snug_agent *agent, const char *question, snug_reply *reply)
{
    const int is_handed_over = a->handing.is_on && !signals_taken(&a->signals);
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

/* NULL: there are none. */
static int list_images(snug_agent_image **out, const text_list *paths)
{
    if (paths->count == 0)
        return EXIT_FINE;
    *out = calloc(paths->count, sizeof **out);
    if (!*out)
        return command_fail_memory();
    for (size_t i = 0; i < paths->count; i++)
        (*out)[i].path = paths->items[i];
    return EXIT_FINE;
}

/* Of the question, from all that was given. */
static snug_agent_ask_options make_ask_options(const asker *a, const question_data *data,
                                               int is_first)
{
    const options *o = a->options;
    snug_agent_ask_options how = SNUG_AGENT_ASK_OPTIONS_INIT;

    how.inputs = data->items;
    how.input_count = data->count;
    how.images = a->images;
    how.image_count = a->images ? o->images.count : 0;
    how.checks = o->checks.items;
    how.expect = o->expect;
    how.language = o->language;
    how.program_language = question_program_language(o);
    how.is_explained = o->is_explained;
    if (o->code_path && is_first)
        how.code = str_text(&a->code);
    if (a->context.len > 0)
        how.context = a->context.data;
    return how;
}

/* The exit status of a reply. */
static int take_reply(asker *a, snug_agent *agent, const char *question, snug_reply *reply)
{
    int status = give_reply(a, agent, question, reply);
    if (!status && snug_reply_status(reply) != SNUG_AGENT_STATUS_ANSWERED)
        status = EXIT_FAILED;

    const int taken = signals_taken(&a->signals);
    return taken ? 128 + taken : status;
}

static int ask_agent(asker *a, snug_agent *agent, const char *question,
                     const snug_agent_ask_options *how)
{
    snug_reply *reply = NULL;
    int error = SNUG_OK, status;
    const int taken = signals_watch_call(&a->signals, cancel_agent, agent);

    if (!taken)
        error = snug_agent_ask(&reply, agent, question, how);
    signals_watch(&a->signals, NULL);
    steps_end(&a->steps);

    if (taken)
        status = 128 + taken;
    else if (error)
        status = command_fail_host();
    else if (!a->is_stopped)
        status = take_reply(a, agent, question, reply);
    else
        status = EXIT_FINE;
    snug_reply_free(reply);
    return status;
}

static int ask_with_data(asker *a, const char *question, const question_data *data, int is_bash,
                         int is_first)
{
    seat *at;
    int status = seats_open(&at, &a->seats, is_bash, data);
    if (status)
        return status;

    const snug_agent_ask_options how = make_ask_options(a, data, is_first);
    a->is_stopped = 0;
    at->was_asked = 1;
    return ask_agent(a, at->agent, question, &how);
}

/* Only where nothing is lost with the session: before the first question was answered. */
static void begin_missing(asker *a, int is_new)
{
    const options *o = a->options;
    const int can_ask = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);

    missing_free(&a->missing);
    a->offered = 0;
    a->can_install = is_new && !o->conversation && !o->worker_command &&
                     (o->install == INSTALL_YES || (o->install == INSTALL_ASKED && can_ask));
}

/* Where nobody agrees, or pip does not, the question is asked without them. */
static int offer_install(asker *a)
{
    a->offered = a->missing.count;
    signals_stop(&a->signals); /* the installer takes them */
    int status = installing_do(&a->seats, &a->missing);
    if (signals_start(&a->signals))
        return command_fail_host();

    if (status == EXIT_FINE || status >= 128)
        return status;
    a->can_install = 0;
    if (a->seats.python.agent && snug_agent_reset(a->seats.python.agent))
        return command_fail_host();
    return EXIT_FINE;
}

/* The languages have sessions of their own; said where the second one of the two begins. */
static void tell_apart(asker *a, int is_bash)
{
    const int shares_files = a->options->workdir != NULL;

    if (!seats_begins_apart(&a->seats, is_bash))
        return;
    steps_without(&a->steps,
                  is_bash ? "variables and answers of questions in Python"
                          : "variables and answers of questions in bash",
                  shares_files ? "each language has a session of its own, and both have the files "
                                 "of --workdir; --language keeps to one"
                               : "each language has a session of its own; --workdir DIR gives both "
                                 "the same files, --language keeps to one");
}

/* The question's exit status. */
static int ask_question(asker *a, const char *question)
{
    const int is_first = a->asked++ == 0;
    const int is_bash = seats_is_for_bash(&a->seats, question, is_first);
    const seat *wanted = is_bash ? &a->seats.bash : &a->seats.python;
    const question_place place = { .options = a->options,
                                   .signals = &a->signals,
                                   .steps = &a->steps,
                                   .is_first = is_first,
                                   .is_in_bash = is_bash,
                                   .can_mount = !wanted->agent };
    question_data data;

    tell_apart(a, is_bash);
    int status = question_collect(&data, &place, question);

    if (!status && is_first)
        status = list_images(&a->images, &a->options->images);
    begin_missing(a, is_first && !is_bash);
    if (!status)
        status = ask_with_data(a, question, &data, is_bash, is_first);
    while (!status && a->is_stopped) {
        status = offer_install(a);
        if (!status)
            status = ask_with_data(a, question, &data, is_bash, is_first);
    }

    free(a->images);
    a->images = NULL;
    question_free(&data);
    return status;
}

/* Of a question; the agent has a limit of its own, which is lower. */
enum { MOST_STDIN_BYTES = 16 << 20 };

/* Whether it ended otherwise than by its end or a signal. */
static int check_stdin_end(asker *a)
{
    if (!ferror(stdin) || signals_taken(&a->signals))
        return EXIT_FINE;
    if (errno == EBADF)
        return command_fail(EXIT_USAGE, "stdin is closed, and there is no question: give it as an "
                                        "argument");
    return command_fail(EXIT_USAGE, "stdin: %s", strerror(errno));
}

/* All of stdin is one question. */
static int ask_stdin(asker *a)
{
    str text = { 0 };
    char buffer[8192];
    size_t len;
    int status = EXIT_FINE;

    while ((len = fread(buffer, 1, sizeof buffer, stdin)) > 0)
        if (text.len > MOST_STDIN_BYTES || str_append(&text, buffer, len)) {
            status = command_fail(EXIT_USAGE, "the question on stdin is too long");
            break;
        }

    if (!status)
        status = check_stdin_end(a);
    if (!status && memchr(str_text(&text), '\0', text.len))
        status = command_fail(EXIT_USAGE, "the question on stdin has a NUL byte");
    if (!status)
        status = ask_question(a, str_text(&text));
    str_free(&text);
    return status;
}

/* A line of stdin without its end: 1; 0 at the end of the input, also where it cannot be read. One
 * that is too long goes no further: it may have no end. */
static int read_line(str *line)
{
    int c;

    str_clear(line);
    while ((c = getc_unlocked(stdin)) != EOF && c != '\n' && line->len <= MOST_STDIN_BYTES) {
        char byte = (char)c;
        if (str_append(line, &byte, 1))
            return 0;
    }
    return c != EOF || (line->len > 0 && !ferror(stdin));
}

/* One question of a line. */
static int ask_line(asker *a, str *line)
{
    if (memchr(str_text(line), '\0', line->len))
        return command_fail(EXIT_USAGE, "a question on stdin has a NUL byte");

    char *text = line->data;
    text[strcspn(text, "\r")] = '\0';
    return ask_question(a, text);
}

/* Each line of stdin is a question, the first that fails decides the exit status. */
static int ask_lines(asker *a)
{
    const int is_terminal = isatty(STDIN_FILENO);
    str line = { 0 };
    int status = EXIT_FINE;

    for (;;) {
        if (is_terminal)
            fputs("ask> ", stderr);
        if (!read_line(&line) || signals_taken(&a->signals))
            break;
        if (line.len > MOST_STDIN_BYTES) {
            status = command_fail(EXIT_USAGE, "a question on stdin is too long");
            break;
        }
        if (strspn(str_text(&line), " \t\r") == line.len)
            continue;

        int ended = ask_line(a, &line);
        if (!status || ended >= 128)
            status = ended;
        if (ended > 128 && !(is_terminal && signals_forgive(&a->signals)))
            break;
    }

    if (!status)
        status = check_stdin_end(a);
    if (is_terminal)
        fputc('\n', stderr);
    str_free(&line);
    return status;
}

static int ask_each(asker *a)
{
    const options *o = a->options;
    int status = EXIT_FINE;

    if (o->input_count == 0) {
        if (o->code_path)
            return ask_question(a, "");
        return ask_lines(a);
    }

    for (size_t i = 0; i < o->input_count; i++) {
        const char *question = o->inputs[i].text;
        int ended = strcmp(question, "-") ? ask_question(a, question) : ask_stdin(a);
        if (!status || ended >= 128)
            status = ended;
        if (ended == EXIT_USAGE || ended > 128)
            break;
    }

    return status;
}

/* The files that outlive the program. */
static int find_files(asker *a, snug_agent_options *wanted)
{
    const options *o = a->options;

    if (o->conversation) {
        int status = state_session_path(&a->conversation, o->conversation);
        if (!status)
            status = seats_name_conversations(&a->seats, a->conversation.data);
        if (status)
            return status;
    }

    return state_set_material(&a->library, &a->cache, wanted, o);
}

/* One that is not there is forgotten already. */
static int forget_conversation(const asker *a)
{
    if (!a->options->conversation)
        return command_fail(EXIT_USAGE, "--forget needs --session NAME");
    const str *parts[] = { &a->seats.python_conversation, &a->seats.bash_conversation };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int error = snug_agent_remove_conversation(parts[i]->data);
        if (error && error != SNUG_ENOTFOUND)
            return command_fail_host();
    }
    return EXIT_FINE;
}

/* path may be NULL. */
static int read_text_file(str *out, const char *path)
{
    if (path && file_read(out, path, MOST_CONTEXT_BYTES))
        return command_fail(EXIT_USAGE, "%s", error_message());
    if (memchr(str_text(out), '\0', out->len))
        return command_fail(EXIT_USAGE, "%s has a NUL byte, and is not text", path);
    return EXIT_FINE;
}

/* A question that comes later finds the agent open, and what is wrong with the options was said
 * before it. */
static int open_seat_for_lines(asker *a)
{
    const options *o = a->options;
    seat *at;

    if (o->input_count > 0 || o->code_path)
        return EXIT_FINE;
    return seats_open(&at, &a->seats, seats_is_for_bash(&a->seats, "", 0), NULL);
}

static int open_asker(asker *a)
{
    const options *o = a->options;
    snug_agent_options *wanted = &a->seats.wanted;

    *wanted = o->agent;
    wanted->on_event = hear_event;
    wanted->tells_prompts = o->is_verbose;
    wanted->payload = a;
    if (o->install != INSTALL_NOTHING)
        wanted->on_route = stop_for_install;
    a->seats.options = o;
    a->seats.tools = &a->tools;
    a->seats.signals = &a->signals;
    int status = find_files(a, wanted);
    if (!status && o->forgets)
        status = forget_conversation(a);

    /* Nothing else is asked for. */
    if (status || (o->forgets && o->input_count == 0)) {
        a->is_done = 1;
        return status;
    }

    status = model_choice_make(&a->model, wanted, o);
    if (!status)
        status = question_check_stdin(o);
    if (!status)
        status = read_text_file(&a->context, o->context_path);
    if (!status)
        status = read_text_file(&a->code, o->code_path);
    if (!status)
        status = open_seat_for_lines(a);
    return status;
}

int command_ask(const options *o)
{
    asker a = { .options = o,
                .closing = { .keeps_files = o->conversation != NULL },
                .handing = { .folder = OUT_FOLDER_INIT } };
    int status;

    steps_open(&a.steps, o);
    if (signals_start(&a.signals))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else
        status = tools_open(&a.tools, o, &a.signals);
    shown_open(&a.shown, o, &a.signals);
    if (!status)
        status = handing_open(&a.handing, o, &a.signals);

    if (!status)
        status = open_asker(&a);
    if (!status && !a.is_done)
        status = ask_each(&a);

    seats_close(&a.seats);
    steps_close(&a.steps);
    handing_close(&a.handing);
    shown_close(&a.shown);
    tools_close(&a.tools);
    signals_stop(&a.signals);
    missing_free(&a.missing);
    str_free(&a.context);
    str_free(&a.model);
    str_free(&a.conversation);
    str_free(&a.library);
    str_free(&a.cache);
    str_free(&a.code);
    return status;
}
