#include "fake_interp.h"
#include "py/core/home.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "limits/guard.h"
#include "py/core/names.h"
#include "py/guard/extensions.h"
#include "py/guard/package_imports.h"
#include "py/life/preload.h"
#include "py/life/runtime.h"
#include "py/queries/save_namespace.h"
#include "py/queries/scan_source.h"

fake_python fake;

static struct {
    pthread_mutex_t lock;
    interp *first;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local interp *here;

static int is_misused(const interp *in)
{
    int is = !in || atomic_load(&in->is_closed);
    atomic_fetch_add(&fake.misuses, is);
    return is;
}

/* ---- cells ---- */

/* Reads the clock: where ThreadSanitizer delivers a signal. */
static int is_before(uint64_t end_ns)
{
    return clock_now_ns() < end_ns;
}

static uint64_t in_ms(uint64_t ms)
{
    return clock_deadline_ns(clock_now_ns(), ms);
}

static void sleep_a_millisecond(void)
{
    const struct timespec pause = { 0, 1000000 };
    nanosleep(&pause, NULL);
}

static void turn_until(_Atomic int *word)
{
    for (uint64_t end_ns = in_ms(FAKE_BOUND_MS); !atomic_load(word) && is_before(end_ns);)
        ;
}

static void sleep_until(_Atomic int *word, uint64_t ms)
{
    for (uint64_t end_ns = in_ms(ms); !atomic_load(word) && is_before(end_ns);)
        sleep_a_millisecond();
}

static void returns(interp *in)
{
}

/* Sees no stop, but status_of does. */
static void spins_30_us(interp *in)
{
    for (uint64_t end_ns = clock_now_ns() + 30000; is_before(end_ns);)
        ;
}

static void sleeps_100_ms(interp *in)
{
    sleep_until(&in->may_end, 100);
}

static void burn(interp *in, uint64_t ms)
{
    uint64_t end_ns = clock_thread_cpu_ns() + ms * NS_PER_MS;
    while (!atomic_load(&in->stop) && clock_thread_cpu_ns() < end_ns)
        ;
}

static void burns_150_ms(interp *in)
{
    burn(in, 150);
}

/* Is looked at after 100 ms. */
static void burns_60_ms_and_sleeps(interp *in)
{
    burn(in, 60);
    sleep_until(&in->stop, 150);
}

static void ends_when_stopped(interp *in)
{
    turn_until(&in->stop);
}

static void ends_when_starved(interp *in)
{
    turn_until(&in->is_starving);
}

static void ends_when_it_may_not_recurse(interp *in)
{
    turn_until(&in->cuts);
}

static void answers_nobody(interp *in)
{
    turn_until(&in->may_end);
}

static void hear_kicks(int how)
{
    sigset_t kick;
    sigemptyset(&kick);
    sigaddset(&kick, fault_kick_signal());
    pthread_sigmask(how, &kick, NULL);
}

static void sleeps_deaf(interp *in)
{
    hear_kicks(SIG_BLOCK);
    while (!atomic_load(&in->may_end))
        futex_wait(&in->bell, 0, in_ms(FAKE_BOUND_MS));
    hear_kicks(SIG_UNBLOCK);
}

/* As a processor that a virtual machine's host takes away. */
static void turns_deaf_and_ends_when_stopped(interp *in)
{
    hear_kicks(SIG_BLOCK);
    for (uint64_t end_ns = in_ms(300); is_before(end_ns);)
        ;
    hear_kicks(SIG_UNBLOCK);
    turn_until(&in->stop);
}

static void settles_and_reports_long(interp *in)
{
    atomic_store(&in->is_settled, 1);
    sleep_until(&in->may_end, 300);
}

/* The report gets its memory. */
static void settles_when_starved(interp *in)
{
    turn_until(&in->is_starving);
    atomic_store(&in->is_settled, 1);
    sleep_until(&in->may_end, 300);
    atomic_fetch_add(&fake.misuses, atomic_load(&in->is_starving));
}

static void waits_for_the_gil_and_ends_when_stopped(interp *in)
{
    atomic_store(&in->waits_for_gil, 1);
    sleep_until(&in->may_end, 300);
    atomic_store(&in->waits_for_gil, 0);
    turn_until(&in->stop);
}

static void sleeps_while_three_threads_burn(interp *in)
{
    atomic_store(&in->burn_since_ns, clock_now_ns());
    sleep_until(&in->stop, FAKE_BOUND_MS);
    atomic_store(&in->burn_since_ns, 0);
}

/* The thread is this one, so that it can be kicked. */
static void ends_when_its_thread_is_starved(interp *in)
{
    in->thread.tid = gettid();
    atomic_store(&in->thread.stage, GUARD_CALM);
    atomic_store(&in->has_thread, 1);
    for (uint64_t end_ns = in_ms(FAKE_BOUND_MS);
         atomic_load(&in->thread.stage) < GUARD_STARVE && is_before(end_ns);)
        ;
    atomic_store(&in->has_thread, 0);
}

/* Looks at no stop meanwhile. */
static void free_for_ms(interp *in, uint64_t ms)
{
    uint64_t end_ns = clock_thread_cpu_ns() + ms * NS_PER_MS;
    turn_until(&in->stop);
    while (clock_thread_cpu_ns() < end_ns)
        ;
}

static void frees_for_150_ms(interp *in)
{
    free_for_ms(in, 150);
}

static void frees_for_900_ms(interp *in)
{
    free_for_ms(in, 900);
}

static void waits_for_the_gil_until_it_is_stopped(interp *in)
{
    atomic_store(&in->waits_for_gil, 1);
    sleep_until(&in->stop, FAKE_BOUND_MS);
    atomic_store(&in->waits_for_gil, 0);
}

/* One raise may be under way as it begins. */
static void handles_an_interrupt(interp *in)
{
    turn_until(&in->stop);
    atomic_store(&in->handles, 1);
    int stops = atomic_load(&in->stops);
    sleep_until(&in->may_end, 300);
    atomic_fetch_add(&fake.misuses, atomic_load(&in->stops) > stops + 1);
    atomic_fetch_add(&fake.misuses, atomic_load(&in->is_starving));
}

typedef struct cell {
    const char *source;
    void (*run)(interp *in);
} cell;

static void run_cell(void *arg)
{
    ((const cell *)arg)->run(here);
}

/* ---- jobs, on the session's thread ---- */

static snug_status status_of(const interp *in)
{
    if (atomic_load(&in->is_settled))
        return SNUG_STATUS_OK;
    switch ((stop_reason)atomic_load(&in->stop)) {
    case STOP_NONE:
        return SNUG_STATUS_OK;
    case STOP_MEMORY:
        return SNUG_STATUS_MEMORY;
    case STOP_STALLED:
        return SNUG_STATUS_STALLED;
    case STOP_INTERRUPT:
        return SNUG_STATUS_INTERRUPTED;
    case STOP_TIMEOUT:
    case STOP_CPU:
    case STOP_SESSION_CPU:
        break;
    }
    return SNUG_STATUS_TIMEOUT;
}

static guard_end run_guarded(interp *in, const cell *found)
{
    cell chosen = *found;
    here = in;
    if (guard_here)
        return guard_run(guard_here, run_cell, &chosen);
    run_cell(&chosen);
    return GUARD_RETURNED;
}

int interp_run(outcome *out, interp *in, const char *source, size_t len, uint64_t number,
               const cell_limits *limits)
{
#define ROW(name) { #name, name },
    static const cell cells[] = { FAKE_CELLS(ROW) };
    guard_end end = GUARD_FAULT; /* no such cell */
    atomic_store(&in->is_inside, 1);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        if (strcmp(cells[i].source, source) == 0)
            end = run_guarded(in, &cells[i]);
    atomic_store(&in->is_inside, 0);
    *out = (outcome){ .status = end == GUARD_FAULT ? SNUG_STATUS_CRASHED : status_of(in) };
    return end == GUARD_RETURNED ? SNUG_OK : error_set(SNUG_EDEAD, "torn out");
}

void interp_rest(interp *in)
{
    if (is_misused(in))
        return;
    /* The ladder is off it by now. */
    atomic_fetch_add(&fake.misuses, atomic_load(&in->is_starving));
    in->last_limit = atomic_load(&in->limit);
    in->last_reason = (stop_reason)atomic_exchange(&in->stop, STOP_NONE);
    atomic_store(&in->is_settled, 0);
}

int interp_open(interp **out, const interp_options *options)
{
    /* Before it is told: who waits for that opens another one. */
    int is_refused = atomic_exchange(&fake.refuses_to_open, 0);
    atomic_fetch_add(&fake.begun, 1);
    futex_wake_all(&fake.begun);
    for (uint64_t end_ns = in_ms(FAKE_BOUND_MS);
         atomic_load(&fake.holds_opens) && clock_now_ns() < end_ns;)
        futex_wait(&fake.holds_opens, 1, end_ns);
    for (uint64_t end_ns = clock_thread_cpu_ns() + atomic_load(&fake.burns_ms) * NS_PER_MS;
         clock_thread_cpu_ns() < end_ns;)
        ;
    if (is_refused)
        return error_set(SNUG_EPYTHON, "refused");
    interp *in = calloc(1, sizeof *in);
    if (!in)
        return error_no_memory();
    pthread_mutex_lock(&all.lock);
    in->next = all.first;
    all.first = in;
    pthread_mutex_unlock(&all.lock);
    *out = in;
    return SNUG_OK;
}

int interp_give(interp *in, const interp_options *options)
{
    if (is_misused(in) || atomic_exchange(&fake.refuses_to_give, 0))
        return error_set(SNUG_EPYTHON, "refused");
    return SNUG_OK;
}

int interp_retire(interp *in)
{
    return is_misused(in) ? SNUG_EDEAD : SNUG_OK;
}

int interp_close(interp *in)
{
    return is_misused(in) ? SNUG_EDEAD : SNUG_OK;
}

/* Kept, so that who comes later is seen. */
void interp_free(interp *in)
{
    if (in && !is_misused(in)) {
        atomic_store(&in->is_closed, 1);
        atomic_fetch_add(&fake.closed, 1);
        futex_wake_all(&fake.closed);
    }
}

void fake_let_open(void)
{
    atomic_store(&fake.holds_opens, 0);
    futex_wake_all(&fake.holds_opens);
}

void fake_await(_Atomic uint32_t *word, uint32_t count)
{
    uint64_t end_ns = in_ms(FAKE_BOUND_MS);
    for (uint32_t now; (now = atomic_load(word)) < count && clock_now_ns() < end_ns;)
        futex_wait(word, now, end_ns);
}

void fake_let_end(interp *in)
{
    atomic_store(&in->may_end, 1);
    atomic_store(&in->bell, 1);
    futex_wake_all(&in->bell);
}

void fake_reset(void)
{
    for (interp *next; all.first; all.first = next) {
        next = all.first->next;
        free(all.first);
    }
    fake = (fake_python){ 0 };
}

/* ---- stops, on any thread ---- */

/* (handler) */
static void on_kick(guard *g, uintptr_t sp)
{
    if (!here)
        return;
    atomic_fetch_add(&here->kicks, 1);
    if (atomic_load(&g->stage) >= GUARD_STARVE)
        atomic_fetch_add(&here->cuts, 1);
}

void interp_set_guard(guard *g)
{
    g->on_kick = on_kick;
}

void interp_switch(interp *in)
{
}

void interp_move(interp *in)
{
}

void interp_ending(interp *in)
{
    is_misused(in);
}

void interp_stop(interp *in, stop_reason reason, uint64_t limit)
{
    int none = STOP_NONE;
    if (is_misused(in))
        return;
    atomic_fetch_add(&in->stops, 1);
    if (atomic_load(&in->stop) == STOP_NONE)
        atomic_store(&in->limit, limit);
    if (!atomic_compare_exchange_strong(&in->stop, &none, (int)reason) && none != (int)reason)
        atomic_fetch_add(&in->reasons_mixed, 1);
}

void interp_starve(interp *in, int is_starving)
{
    if (is_misused(in))
        return;
    atomic_store(&in->is_starving, is_starving);
    atomic_fetch_add(&in->starvings, is_starving);
}

void interp_stop_libraries(interp *in)
{
}

void interp_cut_recursion(interp *in)
{
    if (!is_misused(in))
        atomic_fetch_add(&in->cuts, 1);
}

int interp_is_settled(const interp *in)
{
    return !is_misused(in) && atomic_load(&in->is_settled);
}

void interp_each_thread(interp *in, void (*visit)(void *arg, guard *g), void *arg)
{
    if (!is_misused(in) && atomic_load(&in->has_thread))
        visit(arg, &in->thread);
}

int interp_awaits_thread(const interp *in)
{
    is_misused(in);
    return 0;
}

uint64_t interp_threads_cpu_ns(interp *in)
{
    uint64_t since_ns = is_misused(in) ? 0 : atomic_load(&in->burn_since_ns);
    return since_ns ? 3 * (clock_now_ns() - since_ns) : 0;
}

int interp_waits_for_gil(interp *in, const guard *g)
{
    return !is_misused(in) && atomic_load(&in->waits_for_gil);
}

/* Who does not wait for the GIL waits by its own wish. */
uint64_t interp_own_waits_ns(const interp *in, uint64_t now_ns)
{
    interp *own = (interp *)(uintptr_t)in;
    if (!is_misused(in) && !atomic_load(&in->waits_for_gil))
        atomic_store(&own->waits_ns, now_ns);
    return atomic_load(&own->waits_ns);
}

int interp_is_waiting(const interp *in)
{
    return !is_misused(in) && !atomic_load(&in->waits_for_gil);
}

stop_reason interp_stop_reason(const interp *in)
{
    return (stop_reason)atomic_load(&in->stop);
}

int interp_handles_stop(const interp *in)
{
    return !is_misused(in) && atomic_load(&in->handles);
}

void interp_end_handling(interp *in)
{
    atomic_store(&in->handles, 0);
}

int interp_explain_loss(outcome *out, const interp *in)
{
    *out = (outcome){ .status = status_of(in) };
    return SNUG_OK;
}

/* ---- the rest of py ---- */

int interpose_is_complete(void)
{
    return atomic_load(&fake.ladder_is_full);
}

int extensions_load(const allowlist *list)
{
    return SNUG_OK;
}

int extensions_serve(void)
{
    return SNUG_OK;
}

int extensions_are_served(void)
{
    return 1;
}

void extensions_end(void)
{
}

int runtime_gil_is_shared(void)
{
    return atomic_load(&fake.gil_is_shared);
}

int runtime_gil_turns(uint64_t *turns)
{
    *turns = atomic_load(&fake.gil_turns);
    return atomic_load(&fake.gil_is_shared);
}

int runtime_is_gil_word(uintptr_t address)
{
    return 1;
}

int runtime_begin(void)
{
    return SNUG_OK;
}

int runtime_start(const char *home, uint64_t hash_seed)
{
    return SNUG_OK;
}

int runtime_report(str *out)
{
    return str_add(out, "python: none\n");
}

const char *home_stdlib(void)
{
    return "/nowhere";
}

const char *home_packages(void)
{
    return NULL;
}

int home_has_module(const char *name, size_t len)
{
    return len > 0;
}

const char *home_dynload(void)
{
    return "/nowhere";
}

int interp_is_complete(interp *in, const char *source, size_t len)
{
    is_misused(in);
    if (strcmp(source, "sleep") == 0)
        sleep_until(&in->stop, 20);
    return atomic_load(&in->stop) == STOP_NONE ? 1 : SNUG_EDEAD;
}

int interp_complete(struct name_list *out, interp *in, const char *source, size_t len,
                    size_t cursor, uint64_t list_bytes)
{
    *out = (name_list){ 0 };
    return SNUG_OK;
}

int interp_bind(interp *in, struct desk_tool *tool)
{
    return SNUG_OK;
}

void interp_wake(interp *in)
{
}

int interp_scan(struct scan_findings *out, interp *in, const struct scan_rules *rules,
                const char *source, size_t len)
{
    *out = (scan_findings){ 0 };
    turn_until(&fake.scan_may_end);
    return SNUG_OK;
}

int interp_variables(str *out, size_t *left_out, interp *in, uint64_t list_bytes)
{
    *left_out = 0;
    return str_add(out, "[]");
}

int interp_inspect(str *out, interp *in, const char *name)
{
    return str_add(out, "{}");
}

void interp_name_at(size_t *at, size_t *len, const char *source, size_t source_len, size_t cursor)
{
    *at = *len = 0;
}

/* ---- saves, which no test here makes ---- */

int interp_save(interp *in, save_work *work)
{
    return is_misused(in) ? SNUG_EDEAD : SNUG_OK;
}

int interp_restore(interp *in, save_work *work)
{
    return is_misused(in) ? SNUG_EDEAD : SNUG_OK;
}

void interp_python(unsigned *major, unsigned *minor)
{
    *major = *minor = 0;
}

save_work *save_work_new(void)
{
    return NULL;
}

void save_work_free(save_work *work)
{
    free(work);
}

int interp_compute(outcome *out, interp *in, struct program_call *call)
{
    (void)in, (void)call;
    *out = (outcome){ 0 };
    return SNUG_OK;
}

int interp_set(interp *in, const char *name, const char *json, size_t len)
{
    (void)in, (void)name, (void)json, (void)len;
    return SNUG_OK;
}

int interp_checkpoint(interp *in)
{
    return SNUG_OK;
}

int interp_rollback(interp *in)
{
    return SNUG_OK;
}

int interp_forget_checkpoint(interp *in)
{
    return SNUG_OK;
}

int interp_prepare(interp *in)
{
    return SNUG_OK;
}

int runtime_be_full(void)
{
    return SNUG_OK;
}

int runtime_is_full(void)
{
    return 0;
}

int packages_has(const char *folder, const char *module, size_t len)
{
    (void)folder, (void)module, (void)len;
    return 0;
}

int packages_explain(str *out, const char *folder, const char *module, size_t len)
{
    (void)out, (void)folder, (void)module, (void)len;
    return SNUG_OK;
}

int preload_import(const char *const *names, const char *packages)
{
    (void)names, (void)packages;
    return SNUG_OK;
}

void preload_before_fork(void)
{
}

void preload_after_fork_parent(void)
{
}

void preload_after_fork_child(void)
{
}
