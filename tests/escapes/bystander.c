#include "bystander.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { TURN_NS_MAX = 5 * NS_PER_MS };

/* Of one thread; times by measure_now_ns. */
typedef struct meter {
    _Atomic uint64_t window_ns; /* when the window began */
    _Atomic uint64_t last_ns;   /* when the last turn ended */
    _Atomic uint64_t worst_ns;  /* of the window */
    _Atomic uint64_t turns;
} meter;

typedef struct neighbour {
    pthread_t thread;
    snug_session *session;
    meter meter;
    bystanders *all;
} neighbour;

struct bystanders {
    neighbour *neighbours;
    unsigned count;
    pthread_t control;
    meter machine;
    uint64_t pause_ns;
    _Atomic uint64_t turn_cpu_ns; /* of a turn: what the control thread computes */
    _Atomic int is_ending;
    _Atomic unsigned wrong;
    pthread_mutex_t lock;
    char complaint[400]; /* under lock */
};

/* ---- meter ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void meter_start(meter *m)
{
    uint64_t now = measure_now_ns();
    atomic_store(&m->last_ns, now);
    atomic_store(&m->window_ns, now);
}

static void meter_turn(meter *m)
{
    uint64_t now = measure_now_ns();
    uint64_t gap = now - later(atomic_load(&m->last_ns), atomic_load(&m->window_ns));
    uint64_t worst = atomic_load(&m->worst_ns);
    while (gap > worst && !atomic_compare_exchange_weak(&m->worst_ns, &worst, gap))
        ;
    atomic_store(&m->last_ns, now);
    atomic_fetch_add(&m->turns, 1);
}

static void meter_watch(meter *m)
{
    atomic_store(&m->window_ns, measure_now_ns());
    atomic_store(&m->worst_ns, 0);
}

static uint64_t meter_worst(meter *m)
{
    uint64_t since = later(atomic_load(&m->last_ns), atomic_load(&m->window_ns));
    uint64_t now = measure_now_ns();
    return later(atomic_load(&m->worst_ns), now > since ? now - since : 0);
}

/* ---- neighbour ---- */

static const char set_up[] = "import json, re\n"
                             "turns = 0\n"
                             "table = {f'k{i}': i * i for i in range(200)}\n";

/* NULL: the number of the turn. Each counts, so that a lost turn is seen. */
static const struct {
    const char *source, *value;
} cells[] = {
    { "turns += 1; turns", NULL },
    { "turns += 1; sum(table.values())", "2646700" },
    { "turns += 1; json.loads(json.dumps(table)) == table", "True" },
    { "turns += 1; len(re.findall(r'k\\d+', ' '.join(table)))", "200" },
    { "turns += 1; sorted([(i * 7919) % 1009 for i in range(300)])[150]", "509" },
    { "turns += 1; [d := dict.fromkeys(range(100), 'x'), d.pop(7), len(d)][1:]", "['x', 99]" },
};

static void complain(bystanders *all, const char *source, const char *answer)
{
    atomic_fetch_add(&all->wrong, 1);
    pthread_mutex_lock(&all->lock);
    if (!all->complaint[0])
        snprintf(all->complaint, sizeof all->complaint,
                 "a neighbour's cell \"%.80s\" answered: %.250s", source, answer);
    pthread_mutex_unlock(&all->lock);
}

/* 1: on 3.11 the file keeps the GIL, longer than the host waits for it: the cell has not run. */
static int run_cell(neighbour *n, const char *source, const char *expected)
{
    snug_result *result = NULL;
    int error = snug_session_run(&result, n->session, source, strlen(source), NULL);
    if (error == SNUG_ETIMEOUT)
        return 1;
    if (error) {
        complain(n->all, source, snug_error_message());
        return -1;
    }
    if (snug_result_status(result) == SNUG_STATUS_STALLED &&
        snug_result_state(result) == SNUG_STATE_KEPT) {
        snug_result_free(result);
        return 1;
    }

    const char *value = snug_result_text(result, SNUG_STREAM_VALUE, NULL);
    int is_right = snug_result_status(result) == SNUG_STATUS_OK &&
                   snug_result_state(result) == SNUG_STATE_KEPT && strcmp(value, expected) == 0;
    if (!is_right)
        complain(n->all, source,
                 *value ? value : snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    snug_result_free(result);
    return is_right ? 0 : -1;
}

static void *live(void *arg)
{
    neighbour *n = arg;
    bystanders *all = n->all;
    char number[32];
    uint64_t cpu_ns = measure_cpu_ns();
    for (uint64_t turn = 0; !atomic_load(&all->is_ending); turn++) {
        size_t i = turn % (sizeof cells / sizeof *cells);
        snprintf(number, sizeof number, "%llu", (unsigned long long)turn + 1);
        int outcome = run_cell(n, cells[i].source, cells[i].value ? cells[i].value : number);
        if (outcome < 0)
            return NULL; /* one that went wrong says nothing new */
        if (outcome > 0) {
            turn--; /* and again */
            continue;
        }
        meter_turn(&n->meter);
        measure_sleep_ns(all->pause_ns);
        if (turn == 60) /* the caller's part of a turn; the session's is about as long */
            atomic_store(&all->turn_cpu_ns, (measure_cpu_ns() - cpu_ns) / 60 * 2);
    }
    return NULL;
}

/* ---- control ---- */

static void *measure_machine(void *arg)
{
    bystanders *all = arg;
    while (!atomic_load(&all->is_ending)) {
        uint64_t length_ns = atomic_load(&all->turn_cpu_ns), start_ns = measure_cpu_ns();
        while (length_ns < TURN_NS_MAX && measure_cpu_ns() - start_ns < length_ns)
            ;
        meter_turn(&all->machine);
        measure_sleep_ns(all->pause_ns);
    }
    return NULL;
}

/* ---- all ---- */

static int start(neighbour *n, snug_host *host)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_result *result = NULL;
    options.limits = &limits;
    limits.memory_bytes = 200 << 20;
    limits.cpu_ms = SNUG_UNLIMITED;
    if (snug_session_open(&n->session, host, &options) ||
        snug_session_run(&result, n->session, set_up, sizeof set_up - 1, NULL)) {
        fprintf(stderr, "no neighbour: %s\n", snug_error_message());
        return -1;
    }
    snug_result_free(result);
    meter_start(&n->meter);
    if (pthread_create(&n->thread, NULL, live, n) != 0) {
        snug_session_close(n->session);
        return -1;
    }
    return 0;
}

bystanders *bystanders_open(snug_host *host, unsigned neighbours, uint64_t pause_ns)
{
    bystanders *all = calloc(1, sizeof *all);
    if (!all || !(all->neighbours = calloc(neighbours + 1, sizeof *all->neighbours)))
        abort();
    pthread_mutex_init(&all->lock, NULL);
    all->pause_ns = pause_ns;
    meter_start(&all->machine);
    if (pthread_create(&all->control, NULL, measure_machine, all) != 0)
        abort();
    for (; all->count < neighbours; all->count++) {
        all->neighbours[all->count].all = all;
        if (start(&all->neighbours[all->count], host) != 0) {
            bystanders_close(all);
            return NULL;
        }
    }
    return all;
}

unsigned bystanders_close(bystanders *all)
{
    if (!all)
        return 0;
    atomic_store(&all->is_ending, 1);
    for (unsigned i = 0; i < all->count; i++) {
        pthread_join(all->neighbours[i].thread, NULL);
        snug_session_close(all->neighbours[i].session);
    }
    pthread_join(all->control, NULL);
    unsigned wrong = atomic_load(&all->wrong);
    pthread_mutex_destroy(&all->lock);
    free(all->neighbours);
    free(all);
    return wrong;
}

void bystanders_watch(bystanders *all)
{
    for (unsigned i = 0; i < all->count; i++)
        meter_watch(&all->neighbours[i].meter);
    meter_watch(&all->machine);
}

uint64_t bystanders_stall_ns(bystanders *all)
{
    uint64_t worst = 0;
    for (unsigned i = 0; i < all->count; i++)
        worst = later(worst, meter_worst(&all->neighbours[i].meter));
    return worst;
}

uint64_t bystanders_machine_ns(bystanders *all)
{
    return meter_worst(&all->machine);
}

int bystanders_settle(bystanders *all, uint64_t ns)
{
    uint64_t end_ns = measure_now_ns() + ns;
    for (unsigned i = 0; i < all->count; i++) {
        meter *m = &all->neighbours[i].meter;
        /* The first turn to end may have begun before. */
        uint64_t wanted = atomic_load(&m->turns) + 2;
        while (atomic_load(&m->turns) < wanted) {
            if (measure_now_ns() > end_ns)
                return -1;
            measure_sleep_ns(NS_PER_MS);
        }
    }
    return 0;
}

const char *bystanders_complaint(bystanders *all)
{
    return atomic_load(&all->wrong) ? all->complaint : NULL;
}
