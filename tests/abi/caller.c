/*
 * caller.c - a program that was compiled with the headers of another version, and runs with the
 * libraries of this one. README.md says with which headers.
 */
#include <snug/agent.h>
#include <snug/library.h>
#include <snug/snug.h>
#include <snug/supervisor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *at = "the start";

static void give_up(int line, const char *what)
{
    fprintf(stderr, "caller.c:%d: %s: %s: %s\n", line, at, what, snug_error_message());
    exit(1);
}

#define CHECK(condition)                   \
    do {                                   \
        if (!(condition))                  \
            give_up(__LINE__, #condition); \
    } while (0)

/* ---- a session ------------------------------------------------------------ */

static char printed[64];

static void on_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    CHECK(strcmp(payload, "mine") == 0 && stream == SNUG_STREAM_STDOUT);
    if (strlen(printed) + len < sizeof printed)
        strncat(printed, text, len);
}

static void double_it(void *payload, snug_call *call, const char *arguments)
{
    CHECK(strcmp(snug_call_name(call), "double") == 0);
    snug_call_return(call, strstr(arguments, "21") ? "42" : "null",
                     strstr(arguments, "21") ? 2 : 4);
}

static snug_result *run(snug_session *session, const char *source, const snug_limits *limits)
{
    snug_result *result = NULL;
    CHECK(snug_session_run(&result, session, source, strlen(source), limits) == SNUG_OK);
    return result;
}

static void check_value(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, NULL);
    CHECK(strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value) == 0);
    snug_result_free(result);
}

static void use_session(snug_host *host)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT, short_limits = SNUG_LIMITS_INIT;
    snug_tool tool = SNUG_TOOL_INIT;
    snug_session *session = NULL;
    static char mine[] = "mine";
    at = "a session";
    limits.wall_ms = 20000;
    limits.output_bytes = 1000;
    options.name = "caller's";
    options.limits = &limits;
    options.on_output = on_output;
    options.payload = mine;
    CHECK(snug_session_open(&session, host, &options) == SNUG_OK);
    CHECK(strcmp(snug_session_name(session), "caller's") == 0);
    CHECK(snug_session_kind(session) == SNUG_KIND_RESTRICTED);

    tool.name = "double";
    tool.signature = "x: int";
    tool.fn = double_it;
    CHECK(snug_session_bind_tool(session, &tool) == SNUG_OK);
    check_value(session, "print('said'); kept = double(21); kept", "42");
    CHECK(strcmp(printed, "said\n") == 0);

    at = "limits";
    short_limits.wall_ms = 100;
    snug_result *result = run(session, "while True: pass", &short_limits);
    CHECK(snug_result_status(result) == SNUG_STATUS_TIMEOUT);
    CHECK(snug_result_state(result) == SNUG_STATE_KEPT);
    snug_result_free(result);
    result = run(session, "print('x' * 5000)", NULL);
    CHECK(snug_result_total_bytes(result, SNUG_STREAM_STDOUT) == 5001);
    size_t len;
    snug_result_text(result, SNUG_STREAM_STDOUT, &len);
    CHECK(len < 2000);
    snug_result_free(result);

    at = "lists";
    result = run(session, "import json; more = kept + 1; open('a.csv', 'w').write('1,2')", NULL);
    CHECK(snug_result_change_count(result) == 2);
    CHECK(strcmp(snug_result_change(result, 1)->name, "more") == 0);
    CHECK(strcmp(snug_result_change(result, 1)->op, "set") == 0);
    CHECK(!snug_result_change(result, 2));
    CHECK(snug_result_artifact_count(result) == 1);
    CHECK(strcmp(snug_result_artifact(result, 0)->path, "a.csv") == 0);
    CHECK(snug_result_artifact(result, 0)->bytes == 3);
    const snug_display *value = snug_result_display(result, 0);
    CHECK(value && value->is_main_result && strcmp(value->parts[0].data, "3") == 0);
    snug_result_free(result);
    snug_session_close(session);
}

/* ---- counters -------------------------------------------------------------- */

/* Whether what stands behind a struct is as it was. */
#define BEHIND 64

static void fill(unsigned char *behind)
{
    memset(behind, 0x5A, BEHIND);
}

static int is_untouched(const unsigned char *behind)
{
    for (size_t i = 0; i < BEHIND; i++)
        if (behind[i] != 0x5A)
            return 0;
    return 1;
}

static void read_counters(snug_host *host)
{
    struct {
        snug_health counters;
        unsigned char behind[BEHIND];
    } health = { SNUG_HEALTH_INIT, { 0 } };
    struct {
        snug_pool counters;
        unsigned char behind[BEHIND];
    } pool = { SNUG_POOL_INIT, { 0 } };
    struct {
        snug_parking counters;
        unsigned char behind[BEHIND];
    } parking = { SNUG_PARKING_INIT, { 0 } };
    at = "counters";
    fill(health.behind);
    fill(pool.behind);
    fill(parking.behind);
    memset((char *)&pool.counters + sizeof(size_t), 0xFF, sizeof(snug_pool) - sizeof(size_t));
    CHECK(snug_host_health(&health.counters, host) == SNUG_OK);
    CHECK(snug_host_pool(&pool.counters, host) == SNUG_OK);
    CHECK(snug_host_parking(&parking.counters, host) == SNUG_OK);
    CHECK(health.counters.size == sizeof(snug_health) && health.counters.hung_threads == 0);
    CHECK(pool.counters.size == sizeof(snug_pool) && pool.counters.wanted == 1);
    CHECK(pool.counters.hits + pool.counters.half_warm + pool.counters.misses == 1);
    CHECK(parking.counters.size == sizeof(snug_parking) && parking.counters.parked == 0);
    CHECK(is_untouched(health.behind) && is_untouched(pool.behind) && is_untouched(parking.behind));
#ifdef SETS_MORE
    CHECK(pool.counters.later_number == 0 && pool.counters.later_text == NULL);
#endif
}

/* ---- the others ------------------------------------------------------------ */

static void scan(snug_host *host)
{
    snug_scan_options options = SNUG_SCAN_OPTIONS_INIT;
    snug_scan *found = NULL;
    at = "a scan";
    options.profile = "strict";
    options.max_source_bytes = 1000;
    CHECK(snug_host_scan(&found, host, "import socket", 13, &options) == SNUG_OK);
    CHECK(snug_scan_finding_count(found) == 1);
    CHECK(strcmp(snug_scan_finding(found, 0)->subject, "socket") == 0);
    CHECK(!snug_scan_finding(found, 1));
    snug_scan_free(found);
}

static void read_limits(void)
{
    const snug_limit_description *row;
    size_t known = 0;
    at = "the table of limits";
    for (size_t i = 0; (row = snug_limit_info(i)); i++)
        known += row->offset < sizeof(snug_limits);
    CHECK(strcmp(snug_limit_info(0)->name, "wall_ms") == 0);
    CHECK(snug_limit_info(0)->offset == offsetof(snug_limits, wall_ms));
    CHECK(known > 10);
}

static void open_agent(snug_host *host)
{
    snug_agent_options options = SNUG_AGENT_OPTIONS_INIT;
    snug_agent_limits limits = SNUG_AGENT_LIMITS_INIT;
    snug_agent_ask_options asked = SNUG_AGENT_ASK_OPTIONS_INIT;
    snug_agent *agent = NULL;
    snug_reply *reply = NULL;
    at = "an agent";
    limits.question_bytes = 10;
    options.model = "ollama:none";
    options.limits = &limits;
    CHECK(snug_agent_open(&agent, host, &options) == SNUG_OK);
    asked.language = "en";
    CHECK(snug_agent_ask(&reply, agent, "longer than that", &asked) == SNUG_OK);
    CHECK(snug_reply_status(reply) == SNUG_AGENT_STATUS_REFUSED);
    snug_reply_free(reply);
    snug_agent_close(agent);
}

static void open_supervisor(const char *folder)
{
    snug_supervisor_options options = SNUG_SUPERVISOR_OPTIONS_INIT;
    snug_supervisor_limits limits = SNUG_SUPERVISOR_LIMITS_INIT;
    snug_host_options host = SNUG_HOST_OPTIONS_INIT;
    snug_session_options session = SNUG_SESSION_OPTIONS_INIT;
    snug_supervisor *supervisor = NULL;
    snug_served *served = NULL;
    at = "a supervisor";
    host.form = SNUG_FORM_LOCAL;
    limits.cells = 1;
    options.state_dir = folder;
    options.host = &host;
    options.limits = &limits;
    session.profile = "strict";
    CHECK(snug_supervisor_open(&supervisor, &options) == SNUG_OK);
    CHECK(snug_supervisor_run(&served, supervisor, "ada", "one", &session, "6 * 7", 5, NULL) ==
          SNUG_OK);
    CHECK(strcmp(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL), "42") == 0);
    CHECK(snug_served_arrival(served)->origin == SNUG_ORIGIN_NEW);
    snug_served_free(served);
    CHECK(snug_supervisor_drain(supervisor, 10000) == SNUG_OK);
    CHECK(snug_supervisor_close(supervisor) == SNUG_OK);
}

/* ---- what only a newer library knows ---------------------------------------- */

#ifdef SETS_MORE
#define REFUSED(call) \
    CHECK((call) == SNUG_EINVAL && strstr(snug_error_message(), "this version does not know"))

static void set_more(snug_host *host)
{
    snug_host_options more_host = SNUG_HOST_OPTIONS_INIT;
    snug_session_options more_session = SNUG_SESSION_OPTIONS_INIT,
                         session = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_tool tool = SNUG_TOOL_INIT;
    snug_scan_options scanned = SNUG_SCAN_OPTIONS_INIT;
    snug_agent_options agent = SNUG_AGENT_OPTIONS_INIT;
    snug_agent_limits budget = SNUG_AGENT_LIMITS_INIT;
    snug_supervisor_options supervisor = SNUG_SUPERVISOR_OPTIONS_INIT;
    snug_host *no_host = NULL;
    snug_session *open = NULL, *none = NULL;
    snug_scan *found = NULL;
    snug_result *result = NULL;
    snug_agent *no_agent = NULL;
    snug_supervisor *no_supervisor = NULL;
    at = "members of a newer version";
    more_host.later_number = 1;
    REFUSED(snug_host_open(&no_host, &more_host));
    more_session.later_text = "more";
    REFUSED(snug_session_open(&none, host, &more_session));
    limits.later_number = 1;
    session.limits = &limits;
    REFUSED(snug_session_open(&none, host, &session));
    CHECK(snug_session_open(&open, host, NULL) == SNUG_OK);
    REFUSED(snug_session_run(&result, open, "1", 1, &limits));
    tool.name = "f";
    tool.fn = double_it;
    tool.later_number = 1;
    REFUSED(snug_session_bind_tool(open, &tool));
    snug_session_close(open);
    scanned.later_number = 1;
    REFUSED(snug_host_scan(&found, host, "1", 1, &scanned));
    agent.model = "ollama:none";
    agent.later_number = 1;
    REFUSED(snug_agent_open(&no_agent, host, &agent));
    agent.later_number = 0;
    budget.later_number = 1;
    agent.limits = &budget;
    REFUSED(snug_agent_open(&no_agent, host, &agent));
    supervisor.state_dir = "/nowhere";
    supervisor.later_number = 1;
    REFUSED(snug_supervisor_open(&no_supervisor, &supervisor));
    CHECK(!no_host && !none && !found && !result && !no_agent && !no_supervisor);
}
#else
static void set_more(snug_host *host)
{
}
#endif

/* argv[1]: by how many bytes its snug_limits is larger than that of the library, "-8" if it is
 * smaller. */
int main(int argc, char **argv)
{
    char folder[] = "/tmp/snug-caller-XXXXXX", command[sizeof folder + 16];
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_host *host = NULL;
    size_t rows = 0;
    while (snug_limit_info(rows))
        rows++;
    CHECK(argc == 2);
    CHECK((long)sizeof(snug_limits) - (long)(sizeof(size_t) + rows * sizeof(uint64_t)) ==
          strtol(argv[1], NULL, 10));
    options.pool_sessions = 1;
    CHECK(snug_host_open(&host, &options) == SNUG_OK);
    use_session(host);
    read_counters(host);
    scan(host);
    read_limits();
    open_agent(host);
    set_more(host);
    CHECK(snug_host_close(host) == SNUG_OK);

    CHECK(mkdtemp(folder));
    open_supervisor(folder);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    puts("it runs");
    return 0;
}
