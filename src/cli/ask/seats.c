#include "cli/ask/seats.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/program/command.h"

static int is_shell_script(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".sh") == 0 || strcmp(dot, ".bash") == 0);
}

int seats_is_for_bash(const seats *s, int is_first)
{
    const options *o = s->options;

    if (is_first && o->code_path && options_may_be_bash(o))
        return is_shell_script(o->code_path);
    return o->session.kind == SNUG_KIND_BASH;
}

/* ---- sessions ---- */

/* Where nobody has asked for bash but the model, it is said how to do without. */
static int fail_open(const seats *s, int is_bash)
{
    if (!is_bash || s->options->session.kind == SNUG_KIND_BASH || signals_taken(s->signals))
        return command_fail_open(s->signals);
    return command_fail(EXIT_USAGE,
                        "the program is in bash: %s (--language python asks for Python)",
                        snug_error_message());
}

static int open_seat(seat *out, seats *s, const options *o)
{
    snug_session_options session = o->session;
    session.journal = s->tools->journal;
    snug_agent_options wanted = s->wanted;
    const int is_bash = session.kind == SNUG_KIND_BASH;
    text_list allowed = { 0 };
    int status = command_open_host(&out->host, o, s->signals);
    if (status)
        return status;

    if (!is_bash && usual_allow(&allowed, o, session.allow, snug_host_report(out->host)))
        return command_fail_memory();

    session.allow = is_bash ? session.allow : allowed.items;
    session.on_approval = s->on_approval;
    session.payload = s->payload;
    wanted.session = &session;
    wanted.conversation_file = s->conversation;
    int error = snug_agent_open(&out->agent, out->host, &wanted);
    free(allowed.items);
    if (!error)
        error = tools_bind_agent(s->tools, out->agent);
    if (error)
        return fail_open(s, is_bash);
    return EXIT_FINE;
}

int seats_open(seat **out, seats *s, int is_bash)
{
    options how = *s->options; /* what it points to stays theirs */

    *out = is_bash ? &s->bash : &s->python;
    if ((*out)->agent) {
        s->last = *out;
        return EXIT_FINE;
    }

    if (is_bash) {
        how = options_in_bash(s->options);
    } else if (s->allow.count > 0) {
        how.isolation = AS_FULL;
        how.session.kind = SNUG_KIND_FULL;
        how.session.allow = s->allow.items;
        if (s->packages)
            how.session.packages = s->packages;
    }

    int status = open_seat(*out, s, &how);
    if (!status)
        s->last = *out;
    return status;
}

static void close_seat(seat *at)
{
    snug_agent_close(at->agent);
    snug_host_close(at->host);
    *at = (seat){ 0 };
}

int seats_is_full(const seats *s)
{
    return s->options->session.kind == SNUG_KIND_FULL || s->allow.count > 0;
}

static int add_allowed(seats *s, const char *module)
{
    text_list *list = &s->allow;
    char *text = strdup(module);

    if (!text || array_reserve(&list->items, &list->cap, list->count + 2, sizeof *list->items)) {
        free(text);
        return command_fail_memory();
    }

    list->items[list->count++] = text;
    list->items[list->count] = NULL;
    return EXIT_FINE;
}

int seats_allow(seats *s, const missing *m, const char *folder)
{
    const text_list *given = &s->options->allow;
    const size_t first = s->allow.count ? 0 : given->count;
    int status = EXIT_FINE;

    close_seat(&s->python);
    for (size_t i = 0; i < first && !status; i++)
        status = add_allowed(s, given->items[i]);
    for (size_t i = 0; i < m->count && !status; i++)
        status = add_allowed(s, m->items[i].module);
    if (status || !folder)
        return status;

    free(s->packages);
    s->packages = strdup(folder);
    return s->packages ? EXIT_FINE : command_fail_memory();
}

void seats_close(seats *s)
{
    for (size_t i = 0; i < s->allow.count; i++)
        free((void *)(uintptr_t)s->allow.items[i]);
    free(s->allow.items);
    free(s->packages);
    s->allow = (text_list){ 0 };
    s->packages = NULL;
    close_seat(&s->bash);
    close_seat(&s->python);
}
