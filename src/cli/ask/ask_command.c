/* snug ask: questions to a model, whose programs run in one session. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <snug/agent.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/ask/question_files.h"
#include "cli/ask/steps.h"
#include "cli/program/command.h"
#include "cli/program/signals.h"
#include "cli/program/state_folder.h"
#include "cli/tools/user_tools.h"

enum { MOST_CONTEXT_BYTES = 4 * 1024 * 1024 };

typedef struct asker {
    const options *options;
    snug_host *host;
    snug_agent *agent;
    signals signals;
    tools tools;
    steps steps;
    str context, code;
    str conversation, library, cache; /* paths */
    size_t asked;
    int is_done;
} asker;

static void cancel_agent(void *target)
{
    snug_agent_cancel(target);
}

/* What the reply says besides its text. */
static void tell_faults(snug_reply *reply)
{
    if (snug_reply_error(reply)[0])
        command_fail(EXIT_FAILED, "%s: %s", snug_agent_status_name(snug_reply_status(reply)),
                     snug_reply_error(reply));
    else if (!snug_reply_is_supported(reply))
        command_fail(EXIT_FINE, "some numbers of this answer do not come from the run");
}

static int print_reply(const asker *a, snug_reply *reply)
{
    const options *o = a->options;
    snug_reply_format format = o->is_json ? SNUG_REPLY_JSON : (snug_reply_format)o->format;
    size_t len;
    const char *text = snug_reply_text(reply, format, &len);
    if (!text)
        return command_fail_memory();

    if (format != SNUG_REPLY_PLAIN || snug_reply_answer(reply)[0]) {
        if (isatty(STDOUT_FILENO))
            term_put(stdout, text, len);
        else
            fwrite(text, 1, len, stdout);
        if (len == 0 || text[len - 1] != '\n')
            putchar('\n');
    }

    if (fflush(stdout)) {
        if (errno == EPIPE)
            return EXIT_FAILED;
        return command_fail(EXIT_FAILED, "stdout: %s", strerror(errno));
    }

    if (format != SNUG_REPLY_JSON)
        tell_faults(reply);
    return EXIT_FINE;
}

/* The question's exit status. */
static int ask_question(asker *a, const char *question)
{
    const options *o = a->options;
    const int is_first = a->asked++ == 0;
    snug_agent_ask_options how = SNUG_AGENT_ASK_OPTIONS_INIT;
    question_data data;
    snug_reply *reply = NULL;
    int status = question_collect(&data, o, question, is_first);
    if (status)
        goto done;

    how.inputs = data.items;
    how.input_count = data.count;
    how.checks = o->checks.items;
    how.expect = o->expect;
    how.language = o->language;
    how.program_language = question_program_language(o);
    how.is_explained = o->is_explained;
    if (o->code_path && is_first)
        how.code = str_text(&a->code);
    if (a->context.len > 0)
        how.context = a->context.data;

    int taken = signals_watch_call(&a->signals, cancel_agent, a->agent);
    int error = taken ? SNUG_OK : snug_agent_ask(&reply, a->agent, question, &how);
    signals_watch(&a->signals, NULL);
    steps_end(&a->steps);
    if (taken) {
        status = 128 + taken;
        goto done;
    }

    if (error) {
        status = command_fail_host();
        goto done;
    }

    status = print_reply(a, reply);
    if (!status && snug_reply_status(reply) != SNUG_AGENT_STATUS_ANSWERED)
        status = EXIT_FAILED;
    taken = signals_taken(&a->signals);
    if (taken)
        status = 128 + taken;

done:
    snug_reply_free(reply);
    question_free(&data);
    return status;
}

/* All of stdin is one question. */
static int ask_stdin(asker *a)
{
    str text = { 0 };
    char buffer[8192];
    size_t len;
    int status = EXIT_FINE;

    while ((len = fread(buffer, 1, sizeof buffer, stdin)) > 0)
        if (text.len > 16u << 20 || str_append(&text, buffer, len)) {
            status = command_fail(EXIT_USAGE, "the question on stdin is too long");
            break;
        }

    if (!status && memchr(str_text(&text), '\0', text.len))
        status = command_fail(EXIT_USAGE, "the question on stdin has a NUL byte");
    if (!status)
        status = ask_question(a, str_text(&text));
    str_free(&text);
    return status;
}

/* Each line of stdin is a question, the first that fails decides the exit status. */
static int ask_lines(asker *a)
{
    const int is_terminal = isatty(STDIN_FILENO);
    char *line = NULL;
    size_t cap = 0;
    int status = EXIT_FINE;

    for (;;) {
        if (is_terminal)
            fputs("ask> ", stderr);
        ssize_t len = getline(&line, &cap, stdin);
        if (len < 0 || signals_taken(&a->signals))
            break;

        int ended;
        if (memchr(line, '\0', (size_t)len)) {
            ended = command_fail(EXIT_USAGE, "a question on stdin has a NUL byte");
        } else {
            line[strcspn(line, "\r\n")] = '\0';
            if (!line[strspn(line, " \t")])
                continue;
            ended = ask_question(a, line);
        }

        if (!status || ended >= 128)
            status = ended;
        if (ended > 128 && !(is_terminal && signals_forgive(&a->signals)))
            break;
    }

    if (is_terminal)
        fputc('\n', stderr);
    free(line);
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
        if (status)
            return status;
        wanted->conversation_file = a->conversation.data;
    }

    return state_set_material(&a->library, &a->cache, wanted, o);
}

/* One that is not there is forgotten already. */
static int forget_conversation(const asker *a)
{
    if (!a->options->conversation)
        return command_fail(EXIT_USAGE, "--forget needs --session NAME");
    int error = snug_agent_remove_conversation(a->conversation.data);
    if (error && error != SNUG_ENOTFOUND)
        return command_fail_host();
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

static int open_asker(asker *a)
{
    const options *o = a->options;
    snug_agent_options wanted = o->agent;

    wanted.session = &o->session;
    wanted.on_event = steps_show;
    wanted.tells_prompts = o->is_verbose;
    wanted.payload = &a->steps;
    int status = find_files(a, &wanted);
    if (!status && o->forgets)
        status = forget_conversation(a);

    /* Nothing else is asked for. */
    if (status || (o->forgets && o->input_count == 0)) {
        a->is_done = 1;
        return status;
    }

    status = read_text_file(&a->context, o->context_path);
    if (!status)
        status = read_text_file(&a->code, o->code_path);
    if (!status)
        status = command_open_host(&a->host, o);
    if (status)
        return status;
    if (snug_agent_open(&a->agent, a->host, &wanted) || tools_bind_agent(&a->tools, a->agent))
        return command_fail_host();
    return EXIT_FINE;
}

int command_ask(const options *o)
{
    asker a = { .options = o };
    int status;

    a.steps = (steps){ .colors = term_open((term_mode)o->color),
                       .is_json = o->is_json,
                       .is_quiet = o->is_quiet,
                       .is_verbose = o->is_verbose };
    if (signals_start(&a.signals))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else
        status = tools_open(&a.tools, o);

    if (!status)
        status = open_asker(&a);
    if (!status && !a.is_done)
        status = ask_each(&a);

    snug_agent_close(a.agent);
    tools_close(&a.tools);
    snug_host_close(a.host);
    signals_stop(&a.signals);
    str_free(&a.context);
    str_free(&a.conversation);
    str_free(&a.library);
    str_free(&a.cache);
    str_free(&a.code);
    return status;
}
