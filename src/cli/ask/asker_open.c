#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/ask/asker.h"
#include "cli/ask/asker_hooks.h"
#include "cli/ask/model_choice.h"
#include "cli/program/command.h"
#include "cli/program/state_folder.h"

enum { MOST_CONTEXT_BYTES = 4 * 1024 * 1024 };

/* The files that outlive the program. */
static int find_files(asker *a, snug_agent_options *wanted)
{
    const options *o = a->options;

    if (o->conversation) {
        int status = state_session_path(&a->conversation, o->conversation);
        if (status)
            return status;
        a->seats.conversation = a->conversation.data;
    }

    return state_set_material(&a->library, &a->cache, wanted, o);
}

/* One that is not there is forgotten already. */
static int forget_conversation(const asker *a)
{
    if (!a->options->conversation)
        return command_fail(EXIT_USAGE, "--forget needs --session NAME");
    const int error = snug_agent_remove_conversation(a->seats.conversation);
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

/* A question that comes later finds the agent open, and what is wrong with the options was said
 * before it. */
static int open_seat_for_lines(asker *a)
{
    const options *o = a->options;
    seat *at;

    if (o->input_count > 0 || o->code_path)
        return EXIT_FINE;
    return seats_open(&at, &a->seats, seats_is_for_bash(&a->seats, 0));
}

static int prepare(asker *a, const options *o)
{
    snug_agent_options *wanted = &a->seats.wanted;

    *wanted = o->agent;
    wanted->on_event = asker_hear;
    wanted->tells_prompts = o->is_verbose;
    wanted->keeps_way_back = a->is_talk ? 1 : 0;
    if (o->asks_first)
        wanted->on_program = asker_permit;
    wanted->payload = a;
    a->install = (install_choice)o->install;
    if (a->is_talk && !options_given(o, "--install"))
        a->install = a->install == INSTALL_NOTHING ? INSTALL_ASKED : a->install;
    if (a->install != INSTALL_NOTHING)
        wanted->on_route = asker_route;
    a->seats.options = o;
    a->seats.tools = &a->tools;
    a->seats.signals = &a->signals;
    a->seats.on_approval = permit_is_possible() ? permit_call : NULL;
    a->seats.payload = &a->permit;
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

/* In the order in which they are closed, the other way round. */
static int open_parts(asker *a, const options *o)
{
    int status = EXIT_FINE;

    steps_open(&a->steps, o);
    if (signals_start(&a->signals))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else
        signals_end_unread(&a->signals);
    a->permit = (permit){ .steps = &a->steps, .signals = &a->signals };
    if (!status)
        status = permit_check(o);
    if (!status)
        status = tools_open(&a->tools, o, &a->signals);
    pictures_open(&a->pictures, (picture_mode)o->pictures);
    if (!status)
        status = handing_open(&a->handing, o, &a->signals);
    return status;
}

int asker_open(asker *a, const options *o, int is_talk)
{
    *a = (asker){ .options = o,
                  .is_talk = is_talk,
                  .closing = { .keeps_files = o->conversation != NULL },
                  .handing = { .folder = -1 } };
    const int status = open_parts(a, o);
    return status ? status : prepare(a, o);
}

int asker_close(asker *a)
{
    seats_close(&a->seats);
    steps_close(&a->steps);
    handing_close(&a->handing);
    pictures_close(&a->pictures);
    const int replayed = tools_close(&a->tools);
    signals_stop(&a->signals);
    missing_free(&a->missing);
    str_free(&a->context);
    str_free(&a->model);
    str_free(&a->conversation);
    str_free(&a->library);
    str_free(&a->cache);
    str_free(&a->code);
    return replayed;
}
