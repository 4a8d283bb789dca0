#ifndef SNUG_SUPERVISOR_H
#define SNUG_SUPERVISOR_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SNUG_SUPERVISOR_NAME_BYTES 4096

typedef struct snug_supervisor snug_supervisor;
typedef struct snug_lease snug_lease;
typedef struct snug_served snug_served;
typedef struct snug_supervisor_state snug_supervisor_state;

typedef struct snug_supervisor_limits {
    size_t size;
    uint64_t hosts;
    uint64_t sessions;
    uint64_t tenant_sessions;
    uint64_t cells;
    uint64_t memory_bytes;
    uint64_t idle_ms;
    uint64_t worker_idle_ms;
    uint64_t waiting;
    uint64_t wait_ms;
} snug_supervisor_limits;
#define SNUG_SUPERVISOR_LIMITS_INIT    {    sizeof(snug_supervisor_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0  }

SNUG_EXTERN const snug_limit_description *snug_supervisor_limit_info(size_t index);

typedef enum snug_supervisor_event_kind {
    SNUG_SUPERVISOR_EVENT_OPENED,
    SNUG_SUPERVISOR_EVENT_RESTORED,
    SNUG_SUPERVISOR_EVENT_SAVED,
    SNUG_SUPERVISOR_EVENT_PUT_AWAY,
    SNUG_SUPERVISOR_EVENT_SAVE_FAILED,
    SNUG_SUPERVISOR_EVENT_LOST,
    SNUG_SUPERVISOR_EVENT_DAMAGED,
    SNUG_SUPERVISOR_EVENT_WORKER_STARTED,
    SNUG_SUPERVISOR_EVENT_WORKER_ENDED,
    SNUG_SUPERVISOR_EVENT_WORKER_DIED,
    SNUG_SUPERVISOR_EVENT_STATE_FAILED
} snug_supervisor_event_kind;

typedef struct snug_supervisor_event {
    snug_supervisor_event_kind kind;
    const char *tenant, *session;
    const char *message;
} snug_supervisor_event;

SNUG_EXTERN const char *snug_supervisor_event_name(snug_supervisor_event_kind kind);

typedef struct snug_supervisor_options {
    size_t size;
    const char *state_dir;
    const snug_host_options
    *host;
    const snug_supervisor_limits *limits;

    int (*on_session)(void *payload, snug_session *session, const char *tenant, const char *name);

    void (*on_event)(void *payload, const snug_supervisor_event *event);
} snug_supervisor_options;
#define SNUG_SUPERVISOR_OPTIONS_INIT    {    sizeof(snug_supervisor_options), NULL, NULL, NULL, NULL, NULL  }

SNUG_EXTERN int snug_supervisor_open(snug_supervisor **out, const snug_supervisor_options *options);

SNUG_EXTERN int snug_supervisor_close(snug_supervisor *supervisor);

SNUG_EXTERN int snug_supervisor_drain(snug_supervisor *supervisor, uint64_t ms);

typedef enum snug_origin {
    SNUG_ORIGIN_OPEN,
    SNUG_ORIGIN_NEW,
    SNUG_ORIGIN_RESTORED,
    SNUG_ORIGIN_LOST
} snug_origin;

typedef struct snug_arrival {
    snug_origin origin;
    const char *reason;
    uint64_t cells_lost;
    int64_t saved_ms;
    uint64_t waited_ns;
    snug_saved *restored;
    const char *files_left_out;
} snug_arrival;

SNUG_EXTERN const char *snug_origin_name(snug_origin origin);

SNUG_EXTERN int snug_supervisor_run(snug_served **out, snug_supervisor *supervisor,
    const char *tenant, const char *session,
    const snug_session_options *options, const char *source,
    size_t len, const snug_limits *limits);

SNUG_EXTERN const snug_result *snug_served_result(const snug_served *served);

SNUG_EXTERN const snug_arrival *snug_served_arrival(const snug_served *served);

SNUG_EXTERN const char *snug_served_json(const snug_served *served, size_t *len);

SNUG_EXTERN void snug_served_free(snug_served *served);

SNUG_EXTERN int snug_supervisor_interrupt(snug_supervisor *supervisor, const char *tenant,
    const char *session);

SNUG_EXTERN int snug_supervisor_remove_session(snug_supervisor *supervisor, const char *tenant,
    const char *session);

SNUG_EXTERN int snug_lease_open(snug_lease **out, snug_supervisor *supervisor, const char *tenant,
    const char *session, const snug_session_options *options);

SNUG_EXTERN snug_session *snug_lease_session(const snug_lease *lease);

SNUG_EXTERN const snug_arrival *snug_lease_arrival(const snug_lease *lease);

SNUG_EXTERN int snug_lease_run(snug_result **out, snug_lease *lease, const char *source, size_t len,
    const snug_limits *limits);

SNUG_EXTERN void snug_lease_close(snug_lease *lease);

SNUG_EXTERN int snug_supervisor_report(snug_supervisor_state **out, snug_supervisor *supervisor);

SNUG_EXTERN const char *snug_supervisor_state_json(const snug_supervisor_state *state, size_t *len);

SNUG_EXTERN void snug_supervisor_state_free(snug_supervisor_state *state);

#ifdef __cplusplus
}
#endif

#endif
