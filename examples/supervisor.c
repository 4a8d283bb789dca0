/*
 * supervisor.c - what a server stands on: tenants with sessions that are found by name, and that
 * outlive the server. The same conversation goes on under a second supervisor.
 */
#include <snug/supervisor.h>
#include <stdio.h>
#include <string.h>

static int run(snug_supervisor *supervisor, const char *tenant, const char *session,
               const char *source)
{
    snug_served *served;
    const snug_arrival *arrival;
    int error = snug_supervisor_run(&served, supervisor, tenant, session, NULL, source,
                                    strlen(source), NULL);

    if (error)
        return error;
    arrival = snug_served_arrival(served);
    printf("%s/%s is %s: %s\n", tenant, session, snug_origin_name(arrival->origin),
           snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL));
    if (*arrival->reason)
        printf("  %lu cells are lost: %s\n", (unsigned long)arrival->cells_lost, arrival->reason);
    snug_served_free(served);
    return SNUG_OK;
}

/* What a server does with each of its requests, and when it is told to end. */
static int serve(const char *folder, const char *const requests[][3])
{
    snug_supervisor_options options = SNUG_SUPERVISOR_OPTIONS_INIT;
    snug_supervisor_limits limits = SNUG_SUPERVISOR_LIMITS_INIT;
    snug_supervisor *supervisor;
    size_t i;
    int error;

    options.state_dir = folder;
    options.limits = &limits;
    limits.cells = 2;
    if ((error = snug_supervisor_open(&supervisor, &options)) != SNUG_OK)
        return error;
    for (i = 0; !error && requests[i][0]; i++)
        error = run(supervisor, requests[i][0], requests[i][1], requests[i][2]);
    if (!error)
        error = snug_supervisor_drain(supervisor, 1000);
    snug_supervisor_close(supervisor);
    return error;
}

int main(int argc, char **argv)
{
    static const char *const first[][3] = {
        { "ada", "talk 1", "prices = {'tea': 4.5}\nprices" },
        { "bob", "talk 1", "'prices' in globals()" },
        { "ada", "talk 1", "prices['milk'] = 1.25\nlen(prices)" },
        { NULL, NULL, NULL },
    };
    static const char *const second[][3] = {
        { "ada", "talk 1", "sum(prices.values())" },
        { "ada", "talk 2", "'prices' in globals()" },
        { NULL, NULL, NULL },
    };
    const char *folder = argc > 1 ? argv[1] : "supervisor-state";

    if (serve(folder, first) || serve(folder, second)) {
        fprintf(stderr, "%s\n", snug_error_message());
        return 1;
    }
    return 0;
}
