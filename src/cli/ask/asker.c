#include "cli/ask/asker.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/jsontext.h"
#include "cli/ask/asker_hooks.h"
#include "cli/ask/member.h"
#include "cli/packages/install.h"
#include "cli/program/command.h"
#include "cli/terminal/term.h"

/* ---- a reply ---- */

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

/* EXIT_FINE, or the status of what went wrong. The answer is there before the first file is
 * written, where it does not say where that is. */
static int asker_give_reply(asker *a, snug_agent *agent, const char *question, snug_reply *reply)
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

/* ---- cancelling ---- */

typedef struct canceller {
    snug_agent *agent;
    pthread_t thread;
    int is_begun;
} canceller;

static void *cancel_agent(void *agent)
{
    snug_agent_cancel(agent);
    return NULL;
}

/* For signals_watch_call. On a thread, for it waits until a cell has ended, and that of the signals
 * takes the next one meanwhile. Where there is no thread, it does not. */
static void begin_cancel(void *target)
{
    canceller *c = target;

    if (c->is_begun)
        return;
    c->is_begun = pthread_create(&c->thread, NULL, cancel_agent, c->agent) == 0;
    if (!c->is_begun)
        snug_agent_cancel(c->agent);
}

/* Nothing is watched any more: it must not reach the next question. */
static void end_cancel(canceller *c)
{
    if (c->is_begun)
        pthread_join(c->thread, NULL);
}

/* ---- modules that are missing ---- */

/* A module of the standard library is another profile's, and no package. */
static int is_of_python(const char *message)
{
    return strstr(message, "is not allowed in this session (profile ") != NULL;
}

static int hear_scan(missing *m, jsontext_span event, const options *o, const char *report)
{
    jsontext j;
    jsontext_span finding;
    int count = 0, added = 0;

    if (!jsontext_enter(&j, jsontext_member(event, "findings")))
        return 0;
    while (added >= 0 && jsontext_item(&j, NULL, &finding)) {
        str subject = member_text(finding, "subject"), message = member_text(finding, "message");
        const int is_import = jsontext_is(jsontext_member(finding, "rule"), "\"import\"");
        added = 0;
        if (is_import && !is_of_python(str_text(&message)))
            added = missing_add(m, str_text(&subject), o, report);
        count += added;
        str_free(&subject);
        str_free(&message);
    }

    return added < 0 ? -1 : count;
}

static int hear_result(missing *m, jsontext_span event, const options *o, const char *report)
{
    jsontext_span error = jsontext_member(jsontext_member(event, "result"), "error");

    if (!error.text)
        return 0;
    str name = member_text(error, "name"), value = member_text(error, "value");
    int added = missing_add_error(m, str_text(&name), str_text(&value), o, report);
    str_free(&name);
    str_free(&value);
    return added;
}

/* Takes the modules from an event, "scan" or "executed", each once. report: of the host whose
 * sessions they are missing in. How many are new, or -1 after one sentence. */
static int hear_missing(missing *m, const snug_agent_event *event, const options *o,
                        const char *report)
{
    const jsontext_span json = { event->json, event->json_len };
    int added = 0;

    if (strcmp(event->name, "scan") == 0)
        added = hear_scan(m, json, o, report);
    else if (strcmp(event->name, "executed") == 0)
        added = hear_result(m, json, o, report);
    if (added < 0)
        command_fail_memory();
    return added;
}

static void tell_missing(asker *a, size_t first)
{
    for (size_t i = first; i < a->missing.count; i++) {
        char *hint = missing_hint(&a->missing.items[i], seats_is_full(&a->seats));
        if (hint)
            steps_hint(&a->steps, a->missing.items[i].module, hint);
        free(hint);
    }
}

void asker_hear(void *payload, const snug_agent_event *event)
{
    asker *a = payload;
    const size_t first = a->missing.count;

    steps_show(&a->steps, event);
    if (a->seats.python.host &&
        hear_missing(&a->missing, event, a->options, snug_host_report(a->seats.python.host)) > 0)
        tell_missing(a, first);
}

snug_agent_consent asker_permit(void *payload, const char *code, size_t len)
{
    asker *a = payload;
    return permit_ask(&a->permit, a->seats.last->agent, code, len);
}

/* The program that wanted them is not repaired: it, or another one, may have them in a new session.
 */
snug_agent_step asker_route(void *payload, snug_agent_step from, snug_agent_step to)
{
    asker *a = payload;
    const int is_next_program = to == SNUG_AGENT_STEP_REPAIR || to == SNUG_AGENT_STEP_GENERATE;
    const int is_after_program = from == SNUG_AGENT_STEP_SCAN || from == SNUG_AGENT_STEP_EXECUTE;

    if (!a->can_install || a->missing.count <= a->offered || !is_next_program || !is_after_program)
        return to;
    a->is_stopped = 1;
    return SNUG_AGENT_STEP_END;
}

/* ---- a question ---- */

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
    int status = asker_give_reply(a, agent, question, reply);
    if (!status && snug_reply_status(reply) != SNUG_AGENT_STATUS_ANSWERED)
        status = EXIT_FAILED;

    const int taken = signals_taken(&a->signals);
    return taken ? 128 + taken : status;
}

static int ask_agent(asker *a, snug_agent *agent, const char *question,
                     const snug_agent_ask_options *how)
{
    snug_reply *reply = NULL;
    int error = SNUG_OK, status = EXIT_FINE;
    canceller c = { .agent = agent };
    const int taken = signals_watch_call(&a->signals, begin_cancel, &c);

    if (!taken)
        error = snug_agent_ask(&reply, agent, question, how);
    signals_watch(&a->signals, NULL);
    end_cancel(&c);
    steps_end(&a->steps);

    if (taken)
        status = 128 + taken;
    else if (error)
        status = command_fail_host();
    else if (snug_reply_wants_bash(reply) && options_may_be_bash(a->options) &&
             !a->seats.conversation)
        a->wants_bash = 1;
    else if (!a->is_stopped)
        status = take_reply(a, agent, question, reply);
    snug_reply_free(reply);
    return status;
}

static int ask_with_data(asker *a, const char *question, const question_data *data, int is_bash,
                         int is_first)
{
    seat *at;
    int status = seats_open(&at, &a->seats, is_bash);
    if (status)
        return status;

    const snug_agent_ask_options how = make_ask_options(a, data, is_first);
    a->is_stopped = a->wants_bash = 0;
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
                     (a->install == INSTALL_YES || (a->install == INSTALL_ASKED && can_ask));
}

/* Where no option says that packages may be installed, somebody is asked. */
static int is_wanted(asker *a)
{
    str line = { 0 };

    if (a->install == INSTALL_YES)
        return 1;
    fputs("The program wants", stderr);
    for (size_t i = 0; i < a->missing.count; i++) {
        const missing_module *item = &a->missing.items[i];
        term_printf(stderr, "%s %s", i ? "," : "", item->module);
        if (!item->is_installed)
            term_printf(stderr, " (the package %s)", item->package);
    }
    fputs(": go on in a full session that has it, installed where it is not? [y]es, [n]o: ",
          stderr);
    fflush(stderr);
    const int is_yes = permit_read_line(&a->permit, &line) && permit_is_yes(str_text(&line));
    str_free(&line);
    return is_yes;
}

/* All of them where one is not there, for a session has one folder. */
static int install_modules(str *folder, const options *o, const missing *m)
{
    int is_complete = 1;
    const char **names = calloc(m->count + 1, sizeof *names);
    if (!names)
        return command_fail_memory();

    for (size_t i = 0; i < m->count; i++) {
        names[i] = m->items[i].package;
        is_complete &= m->items[i].is_installed;
    }

    int status = EXIT_FINE;
    if (!is_complete && o->package_folder)
        status = command_fail(EXIT_FAILED, "nothing is installed into the folder of --packages");
    else if (!is_complete)
        status = packages_install(folder, o, names, m->count);
    free(names);
    return status;
}

/* And makes the seats' next session of Python one that has them. EXIT_FINE; EXIT_FAILED where
 * nothing was installed; or another exit status. */
static int install_missing(seats *s, const missing *m)
{
    str folder = { 0 };
    int status = install_modules(&folder, s->options, m);

    if (!status && folder.len > 0)
        term_printf(stderr, "installed into %s\n", folder.data);
    if (!status)
        status = seats_allow(s, m, folder.data);
    str_free(&folder);
    return status;
}

/* The question is asked without them. */
static int give_up_install(asker *a)
{
    a->can_install = 0;
    if (a->seats.python.agent && snug_agent_reset(a->seats.python.agent))
        return command_fail_host();
    return EXIT_FINE;
}

/* Where nobody agrees, or pip does not, the question is asked without them. */
static int offer_install(asker *a)
{
    a->offered = a->missing.count;
    if (!is_wanted(a))
        return give_up_install(a);
    signals_stop(&a->signals); /* the installer takes them */
    int status = install_missing(&a->seats, &a->missing);
    if (signals_start(&a->signals))
        return command_fail_host();

    signals_end_unread(&a->signals);
    if (status == EXIT_FINE || status >= 128)
        return status;
    return give_up_install(a);
}

/* The model writes bash for it: the session of Python stays, for the next one. */
static int ask_in_bash(asker *a, const char *question, question_data *data, int is_first)
{
    if (!is_first)
        steps_without(&a->steps, "variables and answers of questions in Python",
                      "each language has a session of its own; --workdir DIR gives both the same "
                      "files, --language keeps to one");
    question_make_files(data);
    return ask_with_data(a, question, data, 1, is_first);
}

int asker_ask(asker *a, const char *question)
{
    const int is_first = a->asked++ == 0;
    const int is_bash = seats_is_for_bash(&a->seats, is_first);
    const question_place place = { .options = a->options,
                                   .signals = &a->signals,
                                   .steps = &a->steps,
                                   .is_first = is_first,
                                   .is_in_bash = is_bash };
    question_data data;

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
    if (!status && a->wants_bash)
        status = ask_in_bash(a, question, &data, is_first);

    free(a->images);
    a->images = NULL;
    question_free(&data);
    return status;
}
