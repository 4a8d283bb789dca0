/* snug kernel: a kernel for Jupyter's front ends, and what makes it known to them. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/kernel/kernel.h"
#include "cli/kernel/kernelspec.h"
#include "cli/kernel/taken.h"
#include "cli/program/command.h"

/* ---- a kernel ---- */

/* What tools ask about signals: there are none. The attendant has them. */
static signals no_signals = { .lock = PTHREAD_MUTEX_INITIALIZER, .pipe = { -1, -1 } };

/* "3.11.2", of the report's line about Python. */
static void learn_python(kernel *k)
{
    static const char key[] = "\npython: ";
    const char *python = strstr(snug_host_report(k->host), key);

    if (!python)
        return;
    python += strlen(key);
    snprintf(k->python_text, sizeof k->python_text, "%.*s", (int)strcspn(python, " \n"), python);
    atomic_store(&k->python, k->python_text);
}

static int open_session(kernel *k)
{
    snug_session_options wanted = k->options->session;

    wanted.on_output = kernel_on_output;
    wanted.on_display = kernel_on_display;
    wanted.on_input = kernel_on_input;
    wanted.on_approval = kernel_on_approval;
    wanted.payload = k;
    int status = tools_open(&k->tools, k->options, &no_signals);
    if (!status)
        status = command_open_host(&k->host, k->options, &no_signals);
    if (status)
        return status;

    wanted.journal = k->tools.journal;
    learn_python(k);
    if (snug_session_open(&k->session, k->host, &wanted) || tools_bind(&k->tools, k->session))
        return command_fail_host();
    attendant_set_session(&k->attendant, k->session);
    return EXIT_FINE;
}

/* Sockets first: who asks what the kernel is has an answer while Python starts. */
static int open_kernel(kernel *k, const char *path)
{
    int error = connection_read(&k->where, path);
    if (!error)
        error = taken_check(&k->where);
    if (!error)
        error = zmq_library_load();
    if (!error)
        error = attendant_prepare(&k->attendant, k);
    if (!error)
        error = channels_open(&k->channels, &k->where, &k->bounds);
    if (!error)
        error = publisher_open(&k->publisher, &k->channels, &k->where);
    if (!error)
        error = signer_open(&k->signer, &k->where.key, &k->where.digest);
    if (!error)
        error = attendant_start(&k->attendant);
    if (error)
        return command_fail(EXIT_USAGE, "%s", error_message());

    iopub_status(&k->publisher, NULL, "starting");
    int status = open_session(k);
    if (!status)
        iopub_status(&k->publisher, NULL, "idle");
    return status;
}

/* Its end has been announced: finalizers have little time. */
enum { CLOSE_MS = 1000 };

static void close_kernel(kernel *k)
{
    attendant_set_session(&k->attendant, NULL);
    snug_session_close_within(k->session, CLOSE_MS);
    tools_close(&k->tools);
    snug_host_close(k->host);
    attendant_close(&k->attendant);
    publisher_close(&k->publisher);
    signer_close(k->signer);
    if (k->channels.context)
        channels_close(&k->channels);
    connection_free(&k->where);
    history_free(&k->history);
}

static int run_kernel(const options *o, const char *path)
{
    kernel k = { .options = o,
                 .limits = SNUG_LIMITS_INIT,
                 .bounds = kernel_limits_resolve(&o->kernel.limits),
                 .python = SNUG_PYTHON_NUMBER,
                 .publisher = { .timer_fd = -1 } };

    history_bound(&k.history, k.bounds.history_cells, k.bounds.history_bytes);
    int status = open_kernel(&k, path);
    if (!status) {
        kernel_serve(&k);
        status = k.attendant.status;
    }
    close_kernel(&k);
    return status;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    int (*run)(const options *o);
} verbs[] = {
    { "install", kernelspec_install },
    { "list", kernelspec_list },
    { "uninstall", kernelspec_uninstall },
};

int command_kernel(const options *o)
{
    const char *verb = o->input_count > 0 ? o->inputs[0].text : NULL;

    if (!verb && o->kernel.connection_file)
        return run_kernel(o, o->kernel.connection_file);
    if (!verb)
        return command_fail(EXIT_USAGE,
                            "kernel: -f CONNECTION_FILE is missing; front ends give it, "
                            "once snug kernel install has told them of the kernel");

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (!strcmp(verbs[i].name, verb))
            return verbs[i].run(o);
    return command_fail(EXIT_USAGE,
                        "kernel: unknown verb \"%s\"; there are install, list and "
                        "uninstall",
                        verb);
}
