/*
 * supervised.h - a supervisor with a folder, a clock and a memory of the test's.
 */
#ifndef SNUG_TESTS_API_SUPERVISED_H
#define SNUG_TESTS_API_SUPERVISED_H

#include "../unit/test.h"
#include "form.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <snug/supervisor.h>

#include "base/tree.h"
#include "supervise/supervise.h"

#define MS UINT64_C(1000000)

/* What a test sets and sees. */
typedef struct rig {
    char folder[64];
    _Atomic uint64_t now_ns, memory_bytes;
    _Atomic uint64_t events[SNUG_SUPERVISOR_EVENT_STATE_FAILED + 1];
    char last_message[1024]; /* of a save that failed, or a damaged one */
    snug_host_options host;
    snug_supervisor_options options;
    snug_supervisor_limits limits;
    snug_supervisor *supervisor;
} rig;

static inline uint64_t rig_now(void *payload)
{
    return atomic_load(&((rig *)payload)->now_ns);
}

static inline uint64_t rig_memory(void *payload)
{
    return atomic_load(&((rig *)payload)->memory_bytes);
}

static inline void rig_event(void *payload, const snug_supervisor_event *event)
{
    rig *r = payload;
    atomic_fetch_add(&r->events[event->kind], 1);
    if (event->kind == SNUG_SUPERVISOR_EVENT_SAVE_FAILED ||
        event->kind == SNUG_SUPERVISOR_EVENT_DAMAGED)
        snprintf(r->last_message, sizeof r->last_message, "%s", event->message);
}

static inline void rig_init(rig *r)
{
    static const snug_host_options host = SNUG_HOST_OPTIONS_INIT;
    static const snug_supervisor_options options = SNUG_SUPERVISOR_OPTIONS_INIT;
    static const snug_supervisor_limits limits = SNUG_SUPERVISOR_LIMITS_INIT;
    memset(r, 0, sizeof *r);
    /* In memory: each save waits for the disk. */
    snprintf(r->folder, sizeof r->folder, "%s/snug-supervised-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(r->folder));
    atomic_store(&r->now_ns, 1000000 * MS);
    r->host = host;
    r->host.form = is_worker_form() ? SNUG_FORM_WORKER : SNUG_FORM_LOCAL;
    r->options = options;
    r->limits = limits;
    r->options.limits = &r->limits;
    r->options.host = &r->host;
    r->options.state_dir = r->folder;
    r->options.on_event = rig_event;
    r->options.payload = r;
}

/* Nothing happens but what supervisor_sweep does. */
static inline void rig_open(rig *r)
{
    const supervise_world world = { rig_now, rig_memory, r };
    if (supervisor_open_in(&r->supervisor, &r->options, &world) != SNUG_OK)
        fail_msg("%s", snug_error_message());
}

static inline void rig_pass_ms(rig *r, uint64_t ms)
{
    atomic_fetch_add(&r->now_ns, ms * MS);
    supervisor_sweep(r->supervisor);
}

/* Without a drain. */
static inline void rig_close(rig *r)
{
    assert_int_equal(snug_supervisor_close(r->supervisor), SNUG_OK);
    r->supervisor = NULL;
}

static inline void rig_end(rig *r)
{
    if (r->supervisor)
        rig_close(r);
    tree_remove(r->folder);
}

static inline snug_served *rig_run(rig *r, const char *tenant_name, const char *session,
                                   const char *source)
{
    snug_served *served = NULL;
    if (snug_supervisor_run(&served, r->supervisor, tenant_name, session, NULL, source,
                            strlen(source), NULL) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return served;
}

static inline void check_run(rig *r, const char *tenant_name, const char *session,
                             const char *source, const char *value, snug_origin origin)
{
    snug_served *served = rig_run(r, tenant_name, session, source);
    const snug_arrival *came = snug_served_arrival(served);
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_TRACEBACK, NULL),
                        "");
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL),
                        value);
    if (came->origin != origin)
        fail_msg("%s/%s is %s and not %s: %s", tenant_name, session, snug_origin_name(came->origin),
                 snug_origin_name(origin), came->reason);
    snug_served_free(served);
}

static inline void check_refused(rig *r, const char *tenant_name, const char *session,
                                 const char *says)
{
    snug_served *served = NULL;
    assert_int_equal(
        snug_supervisor_run(&served, r->supervisor, tenant_name, session, NULL, "1", 1, NULL),
        SNUG_EBUSY);
    if (!strstr(snug_error_message(), says))
        fail_msg("\"%s\" is not in: %s", says, snug_error_message());
}

static inline int reports(rig *r, const char *text)
{
    snug_supervisor_state *state = NULL;
    assert_int_equal(snug_supervisor_report(&state, r->supervisor), SNUG_OK);
    int found = strstr(snug_supervisor_state_json(state, NULL), text) != NULL;
    if (!found)
        print_message("%s\n", snug_supervisor_state_json(state, NULL));
    snug_supervisor_state_free(state);
    return found;
}

#endif
