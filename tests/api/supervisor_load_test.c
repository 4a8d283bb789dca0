/* A supervisor with its own threads and the machine's clock: load, workers that are killed, and its
 * own process killed. */
#include "../descriptors.h"
#include "supervised.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "moment.h"
#include "processes.h"
#include "wire/json.h"

extern char **environ;

static void open_real(rig *r)
{
    if (snug_supervisor_open(&r->supervisor, &r->options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
}

/* The workers, which are the zygote's children. */
static size_t workers(pid_t *pids, size_t most)
{
    pid_t zygote;
    return children(getpid(), &zygote, 1) ? children(zygote, pids, most) : 0;
}

/* Its process, as the report has it. */
static pid_t worker_of(rig *r, const char *tenant_name)
{
    snug_supervisor_state *state = NULL;
    cJSON *root = NULL, *item;
    pid_t pid = 0;
    size_t len;
    assert_int_equal(snug_supervisor_report(&state, r->supervisor), SNUG_OK);
    const char *text = snug_supervisor_state_json(state, &len);
    assert_int_equal(json_parse(&root, text, len), SNUG_OK);
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "tenants"))
    {
        if (strcmp(cJSON_GetObjectItemCaseSensitive(item, "tenant")->valuestring, tenant_name) == 0)
            pid = (pid_t)cJSON_GetObjectItemCaseSensitive(item, "process")->valuedouble;
    }
    cJSON_Delete(root);
    snug_supervisor_state_free(state);
    return pid;
}

/* It has ended when this returns. */
static void kill_and_wait(pid_t pid)
{
    struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
    assert_true(end.fd >= 0);
    kill(pid, SIGKILL);
    assert_int_equal(poll(&end, 1, 10000), 1);
    close(end.fd);
}

/* ---- workers ---- */

static void tenants_never_share_a_worker(void **state)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "a", "one", "1", "1", SNUG_ORIGIN_NEW);
    check_run(&r, "a", "two", "1", "1", SNUG_ORIGIN_NEW);
    check_run(&r, "b", "one", "1", "1", SNUG_ORIGIN_NEW);
    pid_t pids[4];
    assert_int_equal(workers(pids, 4), 2);
    assert_int_not_equal(worker_of(&r, "a"), worker_of(&r, "b"));
    rig_end(&r);
    assert_int_equal(workers(pids, 4), 0);
}

static void a_dead_worker_costs_its_tenant_what_was_not_saved(void **state)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "a", "saved", "x = 1", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, 900000);
    check_run(&r, "a", "saved", "x += 1", "", SNUG_ORIGIN_RESTORED);
    check_run(&r, "a", "new", "x = open('f', 'w').write('kept')", "", SNUG_ORIGIN_NEW);
    check_run(&r, "b", "other", "x = 1", "", SNUG_ORIGIN_NEW);
    kill_and_wait(worker_of(&r, "a"));
    snug_served *served = rig_run(&r, "a", "saved", "x");
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL), "1");
    assert_int_equal(snug_served_arrival(served)->origin, SNUG_ORIGIN_RESTORED);
    assert_int_equal(snug_served_arrival(served)->cells_lost, 1);
    assert_string_equal(snug_served_arrival(served)->reason, "its worker has died");
    assert_non_null(
        strstr(snug_served_json(served, NULL), "\"how\":\"restored\",\"state\":\"lost\""));
    snug_served_free(served);
    served = rig_run(&r, "a", "new", "'x' in globals(), open('f').read()");
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL),
                        "(False, 'kept')");
    assert_int_equal(snug_served_arrival(served)->origin, SNUG_ORIGIN_LOST);
    snug_served_free(served);
    check_run(&r, "a", "new", "1", "1", SNUG_ORIGIN_OPEN);
    check_run(&r, "b", "other", "x", "1", SNUG_ORIGIN_OPEN);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_WORKER_DIED]), 1);
    assert_true(reports(&r, "\"workers_died\":1"));
    rig_end(&r);
}

static void a_dead_worker_costs_nothing_that_was_saved(void **state)
{
    rig r;
    rig_init(&r);
    r.limits.save_idle_ms = 1000;
    rig_open(&r);
    check_run(&r, "a", "called", "x = 1", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, 1000);
    check_run(&r, "a", "idle", "x = 2", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, 1000);
    kill_and_wait(worker_of(&r, "a"));
    static const char *const sessions[] = { "called", "idle" };
    for (int i = 0; i < 2; i++) {
        snug_served *served = rig_run(&r, "a", sessions[i], "x");
        assert_string_equal(snug_served_arrival(served)->reason, "");
        assert_int_equal(snug_served_arrival(served)->origin, SNUG_ORIGIN_RESTORED);
        snug_served_free(served);
        rig_pass_ms(&r, 900000);
    }
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_LOST]), 0);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_OK);
    rig_end(&r);
}

typedef struct drain {
    snug_supervisor *supervisor;
    _Atomic pid_t tid;
    int answer;
} drain;

static void *drain_all(void *arg)
{
    drain *d = arg;
    atomic_store(&d->tid, (pid_t)syscall(SYS_gettid));
    d->answer = snug_supervisor_drain(d->supervisor, 0);
    return NULL;
}

static int sleeps(pid_t tid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
    fclose(file);
    return state == 'S';
}

/* The worker stands still, so that the drain's save waits for it. */
static void a_worker_that_dies_of_a_drain_s_save_does_not_keep_the_drain(void **state)
{
    pthread_t drainer;
    rig r;
    rig_init(&r);
    open_real(&r);
    check_run(&r, "a", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    pid_t pid = worker_of(&r, "a");
    assert_true(pid > 0);
    assert_int_equal(kill(pid, SIGSTOP), 0);

    drain d = { .supervisor = r.supervisor };
    assert_int_equal(pthread_create(&drainer, NULL, drain_all, &d), 0);
    while (atomic_load(&d.tid) == 0)
        wait_a_moment();
    while (!sleeps(atomic_load(&d.tid)))
        wait_a_moment();
    kill_and_wait(pid);
    pthread_join(drainer, NULL);

    assert_int_equal(d.answer, SNUG_ESTOPPED);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_LOST]), 1);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 0);
    assert_true(reports(&r, "\"sessions\":{\"open\":0"));
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_OK); /* nothing is left */
    rig_end(&r);
}

static void after_drain_ms_a_worker_that_does_not_answer_is_killed(void **state)
{
    rig r;
    rig_init(&r);
    r.limits.drain_ms = 50;
    open_real(&r);
    check_run(&r, "a", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    const pid_t pid = worker_of(&r, "a");
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_ESTOPPED);
    assert_non_null(strstr(snug_error_message(), "because the 50 ms for saves were over"));
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 1);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_WORKER_DIED]), 0);
    rig_end(&r);
}

static void run_full(rig *r, const char *session, const char *source, const char *value,
                     snug_origin origin)
{
    snug_served *served = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.kind = SNUG_KIND_FULL;
    if (snug_supervisor_run(&served, r->supervisor, "a", session, &options, source, strlen(source),
                            NULL) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL),
                        value);
    assert_int_equal(snug_served_arrival(served)->origin, origin);
    snug_served_free(served);
}

static void a_full_session_that_dies_takes_no_other_with_it(void **state)
{
    snug_lease *lease = NULL;
    rig r;
    rig_init(&r);
    rig_open(&r);
    run_full(&r, "one", "x = 1", "", SNUG_ORIGIN_NEW);
    run_full(&r, "two", "x = 2", "", SNUG_ORIGIN_NEW);
    assert_int_equal(snug_lease_open(&lease, r.supervisor, "a", "one", NULL), SNUG_OK);
    pid_t pid = (pid_t)snug_session_process(snug_lease_session(lease));
    snug_lease_close(lease);
    kill_and_wait(pid);
    run_full(&r, "two", "x", "2", SNUG_ORIGIN_OPEN);
    run_full(&r, "one", "'x' in globals()", "False", SNUG_ORIGIN_LOST);
    rig_pass_ms(&r, 900000);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_WORKER_DIED]), 1);
    run_full(&r, "two", "x", "2", SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

static void what_a_dead_worker_had_is_told_after_a_restart_too(void **state)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "a", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    kill_and_wait(worker_of(&r, "a"));
    rig_pass_ms(&r, 900000);
    assert_true(reports(&r, "\"sessions\":{\"open\":0,\"saved\":0"));
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_OK);
    rig_close(&r);
    rig_open(&r);
    snug_served *served = rig_run(&r, "a", "one", "1");
    assert_int_equal(snug_served_arrival(served)->origin, SNUG_ORIGIN_LOST);
    assert_int_equal(snug_served_arrival(served)->cells_lost, 1);
    assert_string_equal(snug_served_arrival(served)->reason, "its worker has died");
    snug_served_free(served);
    rig_end(&r);
}

static void a_worker_without_sessions_ends(void **state)
{
    pid_t pids[4];
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "a", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, 900000);
    assert_int_equal(workers(pids, 4), 1);
    rig_pass_ms(&r, 60000);
    assert_int_equal(workers(pids, 4), 0);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_WORKER_ENDED]), 1);
    check_run(&r, "a", "one", "x", "1", SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

static void where_all_workers_are_taken_the_idle_tenant_goes(void **state)
{
    pid_t pids[4];
    snug_lease *lease = NULL;
    rig r;
    rig_init(&r);
    r.limits.hosts = 2;
    rig_open(&r);
    check_run(&r, "a", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    atomic_fetch_add(&r.now_ns, MS);
    check_run(&r, "b", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    assert_int_equal(snug_lease_open(&lease, r.supervisor, "a", "one", NULL), SNUG_OK);
    check_run(&r, "c", "one", "x = 1", "", SNUG_ORIGIN_NEW); /* b goes: a is in use */
    assert_int_equal(workers(pids, 4), 2);
    assert_int_equal(worker_of(&r, "b"), 0);
    snug_lease *another = NULL;
    assert_int_equal(snug_lease_open(&another, r.supervisor, "c", "one", NULL), SNUG_OK);
    check_refused(&r, "b", "one", "2 workers run");
    snug_lease_close(another);
    snug_lease_close(lease);
    check_run(&r, "b", "one", "x", "1", SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

static void memory_is_that_of_the_workers(void **state)
{
    rig r;
    rig_init(&r);
    snug_lease *lease = NULL;
    r.limits.memory_bytes = 1 << 20;
    open_real(&r);
    assert_int_equal(snug_lease_open(&lease, r.supervisor, "a", "one", NULL), SNUG_OK);
    check_refused(&r, "b", "one", "more than the limit of 1048576");
    snug_lease_close(lease);
    check_run(&r, "b", "one", "1", "1", SNUG_ORIGIN_NEW); /* in the place of the other's worker */
    rig_end(&r);
}

static void a_worker_that_can_not_start_is_an_error_and_takes_no_place(void **state)
{
    snug_served *served = NULL;
    rig r;
    rig_init(&r);
    r.host.worker_command = "exit 3";
    r.limits.hosts = 1;
    rig_open(&r);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            snug_supervisor_run(&served, r.supervisor, i ? "a" : "b", "s", NULL, "1", 1, NULL),
            SNUG_ESYSTEM);
        assert_non_null(strstr(snug_error_message(), "ended with status 3"));
    }
    assert_true(reports(&r, "\"hosts\":0"));
    rig_end(&r);
}

/* ---- load ---- */

enum { TENANTS = 10, SESSIONS = 5, CLIENTS = TENANTS * SESSIONS, TURNS = 30, EVERY = 4 };

typedef struct client {
    rig *r;
    int number;
    int restored, lost, crashed;
    char fault[512];
    pthread_t thread;
} client;

static _Atomic int turns_done;

/* What the session must have, by what was answered before: n is the value of the last cell, saved
 * that of the last save, since the cells after it. */
typedef struct ledger {
    long n, saved;
    uint64_t since;
} ledger;

static int check_arrival(client *c, ledger *l, const snug_arrival *came, int turn)
{
    if (came->origin == SNUG_ORIGIN_OPEN)
        return *came->reason == '\0';
    if (came->origin == SNUG_ORIGIN_NEW)
        return turn == 0;
    c->restored += came->origin == SNUG_ORIGIN_RESTORED;
    c->lost += came->origin == SNUG_ORIGIN_LOST;
    /* A worker may die in the midst of the save that was due. */
    int is_told = came->cells_lost == l->since || (l->since == 0 && came->cells_lost == EVERY);
    if (!is_told)
        snprintf(c->fault, sizeof c->fault, "%llu cells are told lost, and not %llu",
                 (unsigned long long)came->cells_lost, (unsigned long long)l->since);
    if (came->cells_lost == EVERY && l->since == 0)
        l->saved -= EVERY;
    if (came->origin == SNUG_ORIGIN_LOST)
        l->saved = 0;
    l->n = l->saved;
    l->since = 0;
    return is_told;
}

static void one_turn(client *c, ledger *l, int turn)
{
    static const char source[] = "n = globals().get('n', 0) + 1\nn";
    char tenant_name[16], session[16];
    snug_served *served = NULL;
    snprintf(tenant_name, sizeof tenant_name, "t%d", c->number / SESSIONS);
    snprintf(session, sizeof session, "s%d", c->number % SESSIONS);
    if (snug_supervisor_run(&served, c->r->supervisor, tenant_name, session, NULL, source,
                            sizeof source - 1, NULL) != SNUG_OK) {
        snprintf(c->fault, sizeof c->fault, "%.500s", snug_error_message());
        return;
    }
    const snug_result *result = snug_served_result(served);
    int is_fine = check_arrival(c, l, snug_served_arrival(served), turn);
    if (snug_result_state(result) == SNUG_STATE_LOST) {
        c->crashed++;
        l->since++;
    } else {
        long n = atol(snug_result_text(result, SNUG_STREAM_VALUE, NULL));
        if (n != l->n + 1 && is_fine)
            snprintf(c->fault, sizeof c->fault, "turn %d answers %ld after %ld: %s", turn, n, l->n,
                     snug_served_arrival(served)->reason);
        l->n = n;
        if (++l->since >= EVERY) {
            l->saved = n;
            l->since = 0;
        }
    }
    snug_served_free(served);
}

static void *serve_client(void *arg)
{
    client *c = arg;
    ledger l = { 0 };
    for (int turn = 0; turn < TURNS && !*c->fault; turn++) {
        one_turn(c, &l, turn);
        atomic_fetch_add(&turns_done, 1);
    }
    return NULL;
}

static void killed_workers_under_load_cost_what_is_told_and_nothing_hangs(void **state)
{
    static client clients[CLIENTS];
    enum { KILLS = 12 };
    rig r;
    rig_init(&r);
    r.limits.save_every_cells = EVERY;
    r.limits.waiting = CLIENTS;
    r.limits.wait_ms = 100000;
    open_real(&r);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (client){ .r = &r, .number = i };
        assert_int_equal(pthread_create(&clients[i].thread, NULL, serve_client, &clients[i]), 0);
    }
    int killed = 0;
    for (int i = 1; i <= KILLS; i++) {
        char tenant_name[16];
        while (atomic_load(&turns_done) < i * CLIENTS * TURNS / (KILLS + 2))
            wait_a_moment();
        snprintf(tenant_name, sizeof tenant_name, "t%d", i % TENANTS);
        pid_t pid = worker_of(&r, tenant_name);
        killed += pid > 0 && kill(pid, SIGKILL) == 0;
    }
    int told = 0;
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        if (*clients[i].fault)
            fail_msg("client %d: %s", i, clients[i].fault);
        told += clients[i].restored + clients[i].lost;
    }
    print_message("%d workers killed, %d calls were told\n", killed, told);
    assert_true(killed > KILLS / 2);
    assert_true(told > 0);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_OK);
    assert_true(reports(&r, "\"sessions\":{\"open\":0,\"saved\":50"));
    pid_t pids[4];
    assert_int_equal(workers(pids, 4), 0);
    rig_end(&r);
}

/* ---- the supervisor's process ---- */

/* In a process of its own: five cells, of which four are saved, and the end is not waited for. */
static int be_killed(const char *folder)
{
    snug_supervisor *supervisor = NULL;
    snug_served *served = NULL;
    snug_host_options host = SNUG_HOST_OPTIONS_INIT;
    snug_supervisor_options options = SNUG_SUPERVISOR_OPTIONS_INIT;
    snug_supervisor_limits limits = SNUG_SUPERVISOR_LIMITS_INIT;
    host.form = is_worker_form() ? SNUG_FORM_WORKER : SNUG_FORM_LOCAL;
    options.host = &host;
    options.state_dir = folder;
    options.limits = &limits;
    limits.save_every_cells = 2;
    if (snug_supervisor_open(&supervisor, &options) != SNUG_OK)
        return 1;
    for (int i = 0; i < 5; i++) {
        const char *source = i ? "x += 1" : "x = 1";
        if (snug_supervisor_run(&served, supervisor, "a", "one", NULL, source, strlen(source),
                                NULL) != SNUG_OK)
            return 1;
        snug_served_free(served);
    }
    kill(getpid(), SIGKILL);
    return 1;
}

static void saved_sessions_outlive_the_supervisor_s_process(void **state)
{
    int status;
    pid_t pid;
    rig r;
    rig_init(&r);
    char program[] = "supervisor_load_test", verb[] = "be-killed";
    char *const arguments[] = { program, verb, r.folder, NULL };
    assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    rig_open(&r);
    snug_served *served = rig_run(&r, "a", "one", "x");
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL), "4");
    assert_int_equal(snug_served_arrival(served)->origin, SNUG_ORIGIN_RESTORED);
    assert_int_equal(snug_served_arrival(served)->cells_lost, 1);
    snug_served_free(served);
    rig_end(&r);
}

static void keepers_put_idle_sessions_away_by_themselves(void **state)
{
    rig r;
    rig_init(&r);
    r.limits.idle_ms = 1;
    open_real(&r);
    check_run(&r, "a", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    while (atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_PUT_AWAY]) == 0)
        wait_a_moment();
    check_run(&r, "a", "one", "x", "1", SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

enum { ROUNDS = 10 };

/* Saves, restores and cells of the same sessions side by side: nothing is lost. */
static void *call_often(void *arg)
{
    client *c = arg;
    for (int i = 0; i < ROUNDS && !*c->fault; i++) {
        char session[16];
        snug_served *served = NULL;
        static const char source[] = "n = globals().get('n', 0) + 1";
        snprintf(session, sizeof session, "s%d", (c->number + i) % 6);
        if (snug_supervisor_run(&served, c->r->supervisor, i % 2 ? "a" : "b", session, NULL, source,
                                sizeof source - 1, NULL) != SNUG_OK)
            snprintf(c->fault, sizeof c->fault, "%.500s", snug_error_message());
        else if (*snug_served_arrival(served)->reason)
            snprintf(c->fault, sizeof c->fault, "%.500s", snug_served_arrival(served)->reason);
        snug_served_free(served);
    }
    return NULL;
}

static void few_places_for_many_callers_lose_nothing(void **state)
{
    enum { CALLERS = 6 };
    static client callers[CALLERS];
    rig r;
    rig_init(&r);
    r.limits.idle_ms = 5;
    r.limits.sessions = 4;
    r.limits.cells = 3;
    open_real(&r);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (client){ .r = &r, .number = i };
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(callers[i].thread, NULL);
        if (*callers[i].fault)
            fail_msg("caller %d: %s", i, callers[i].fault);
    }
    long sum = 0;
    for (int i = 0; i < 12; i++) {
        char session[16];
        snprintf(session, sizeof session, "s%d", i % 6);
        snug_served *served = rig_run(&r, i < 6 ? "a" : "b", session, "globals().get('n', 0)");
        sum += atol(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL));
        snug_served_free(served);
    }
    assert_int_equal(sum, CALLERS * ROUNDS);
    rig_end(&r);
}

/* 0, or which of its calls was answered otherwise. */
static int use_a_parents(rig *r, snug_lease *lease)
{
    snug_served *served = NULL;
    snug_lease *other = NULL;
    snug_result *result = NULL;
    snug_supervisor_state *picture = NULL;
    snug_supervisor *s = r->supervisor;
    const int errors[] = {
        snug_supervisor_run(&served, s, "ada", "two", NULL, "1", 1, NULL),
        snug_lease_open(&other, s, "ada", "two", NULL),
        snug_lease_run(&result, lease, "1", 1, NULL),
        snug_supervisor_interrupt(s, "ada", "one"),
        snug_supervisor_remove_session(s, "ada", "one"),
        snug_supervisor_report(&picture, s),
        snug_supervisor_drain(s, 0),
    };

    for (int i = 0; i < (int)(sizeof errors / sizeof *errors); i++)
        if (errors[i] != SNUG_EINVAL)
            return i + 1;

    snug_lease_close(lease);
    return snug_supervisor_close(s);
}

static void a_forked_child_is_refused_and_changes_nothing(void **state)
{
    enum { BOUND_CHILD_S = 600 };
    rig r;
    snug_lease *lease = NULL;
    int status;

    rig_init(&r);
    open_real(&r);
    check_run(&r, "ada", "one", "x = 5", "", SNUG_ORIGIN_NEW);
    assert_int_equal(snug_lease_open(&lease, r.supervisor, "ada", "one", NULL), SNUG_OK);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(BOUND_CHILD_S);
        _exit(use_a_parents(&r, lease));
    }

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    snug_lease_close(lease);
    check_run(&r, "ada", "one", "x + 1", "6", SNUG_ORIGIN_OPEN);
    rig_end(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest of_workers[] = {
        cmocka_unit_test(tenants_never_share_a_worker),
        cmocka_unit_test(a_dead_worker_costs_its_tenant_what_was_not_saved),
        cmocka_unit_test(a_dead_worker_costs_nothing_that_was_saved),
        cmocka_unit_test(a_worker_that_dies_of_a_drain_s_save_does_not_keep_the_drain),
        cmocka_unit_test(after_drain_ms_a_worker_that_does_not_answer_is_killed),
        cmocka_unit_test(a_full_session_that_dies_takes_no_other_with_it),
        cmocka_unit_test(what_a_dead_worker_had_is_told_after_a_restart_too),
        cmocka_unit_test(a_worker_without_sessions_ends),
        cmocka_unit_test(where_all_workers_are_taken_the_idle_tenant_goes),
        cmocka_unit_test(memory_is_that_of_the_workers),
        cmocka_unit_test(a_worker_that_can_not_start_is_an_error_and_takes_no_place),
        cmocka_unit_test(killed_workers_under_load_cost_what_is_told_and_nothing_hangs),
    };
    const struct CMUnitTest of_both[] = {
        cmocka_unit_test(saved_sessions_outlive_the_supervisor_s_process),
        cmocka_unit_test(keepers_put_idle_sessions_away_by_themselves),
        cmocka_unit_test(a_forked_child_is_refused_and_changes_nothing),
        cmocka_unit_test(few_places_for_many_callers_lose_nothing),
    };
    if (argc == 3 && strcmp(argv[1], "be-killed") == 0)
        return be_killed(argv[2]);
    int failed = is_worker_form() ? cmocka_run_group_tests(of_workers, NULL, NULL) : 0;
    return failed + cmocka_run_group_tests(of_both, NULL, NULL);
}
