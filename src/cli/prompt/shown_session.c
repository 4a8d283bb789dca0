#include "cli/prompt/shown_session.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/packages/modules.h"
#include "cli/program/command.h"
#include "cli/prompt/approve.h"
#include "cli/prompt/read_line.h"

int shown_session_start(shown_session *s, const options *o)
{
    *s = (shown_session){ .options = o };
    s->show.colors = term_open((term_mode)o->color);
    s->show.is_verbose = o->is_verbose;
    if (signals_start(&s->signals))
        return command_fail(EXIT_USAGE, "%s", error_message());
    signals_end_unread(&s->signals);
    return tools_open(&s->tools, o, &s->signals);
}

int shown_session_open(shown_session *s, int asks)
{
    snug_session_options wanted = s->options->session;
    wanted.journal = s->tools.journal;
    text_list allowed = { 0 };

    if (!s->options->is_json) {
        wanted.on_output = show_output;
        wanted.on_display = show_display;
        wanted.on_input = asks ? read_line : NULL;
        wanted.on_approval = asks && isatty(STDIN_FILENO) ? approve_call : NULL;
        wanted.payload = &s->show;
    }

    int status = command_open_host(&s->host, s->options, &s->signals);
    if (status)
        return status;
    if (usual_allow(&allowed, s->options, wanted.allow, snug_host_report(s->host)))
        return command_fail_memory();
    wanted.allow = allowed.items;
    int error = snug_session_open(&s->session, s->host, &wanted);
    free(allowed.items);
    if (error || tools_bind(&s->tools, s->session))
        return command_fail_open(&s->signals);

    s->show.session = s->session;
    return session_files_begin(&s->files, s->options, s->session);
}

int shown_session_end(shown_session *s, int status)
{
    int kept = session_files_end(&s->files, s->session);
    return status ? status : kept;
}

int shown_session_close(shown_session *s)
{
    snug_session_close(s->session);
    s->replayed = tools_close(&s->tools);
    snug_host_close(s->host);

    int taken = signals_taken(&s->signals);
    signals_stop(&s->signals);
    return taken;
}
