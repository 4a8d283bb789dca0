#ifndef SNUG_SNUG_H
#define SNUG_SNUG_H

#include <stddef.h>
#include <stdint.h>

#define SNUG_VERSION_MAJOR 0
#define SNUG_VERSION_MINOR 1
#define SNUG_VERSION_PATCH 0
#define SNUG_VERSION_NUMBER  (SNUG_VERSION_MAJOR * 1000000 + SNUG_VERSION_MINOR * 1000 + SNUG_VERSION_PATCH)

#if defined(__GNUC__)
#define SNUG_EXTERN __attribute__((visibility("default")))
#else
#define SNUG_EXTERN
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_host snug_host;
typedef struct snug_session snug_session;
typedef struct snug_result snug_result;
typedef struct snug_scan snug_scan;
typedef struct snug_completion snug_completion;
typedef struct snug_description snug_description;
typedef struct snug_saved snug_saved;
typedef struct snug_notebook snug_notebook;
typedef struct snug_file snug_file;
typedef struct snug_listing snug_listing;
typedef struct snug_call snug_call;

typedef enum snug_error {
    SNUG_OK = 0,
    SNUG_EINVAL = -1,
    SNUG_ENOMEM = -2,
    SNUG_ESYSTEM = -3,
    SNUG_EPYTHON = -4,
    SNUG_EPOLICY = -5,
    SNUG_EBUSY = -6,
    SNUG_EDEAD = -7,
    SNUG_ENOTFOUND = -8,
    SNUG_ESTOPPED = -9
} snug_error;

typedef enum snug_status {
    SNUG_STATUS_OK,
    SNUG_STATUS_ERROR,
    SNUG_STATUS_DENIED,
    SNUG_STATUS_TIMEOUT,
    SNUG_STATUS_MEMORY,
    SNUG_STATUS_INTERRUPTED,
    SNUG_STATUS_CRASHED
} snug_status;

typedef enum snug_state {
    SNUG_STATE_KEPT,
    SNUG_STATE_LOST
} snug_state;

typedef enum snug_stream {
    SNUG_STREAM_VALUE,
    SNUG_STREAM_STDOUT,
    SNUG_STREAM_STDERR,
    SNUG_STREAM_TRACEBACK
} snug_stream;

typedef struct snug_mime {
    const char *type;
    const char *data;
    size_t len;
    int is_json;
} snug_mime;

typedef struct snug_display {
    int is_main_result;
    int is_update;
    const char *id;
    uint64_t stdout_bytes, stderr_bytes;
    const snug_mime *parts;
    size_t part_count;
    const char *metadata_json;
} snug_display;

typedef enum snug_display_event {
    SNUG_DISPLAY_EVENT_SHOW,
    SNUG_DISPLAY_EVENT_UPDATE,
    SNUG_DISPLAY_EVENT_CLEAR
} snug_display_event;

#define SNUG_UNLIMITED UINT64_MAX

typedef struct snug_limits {
    size_t size;
    uint64_t wall_ms;
    uint64_t cpu_ms;
    uint64_t session_cpu_ms;
    uint64_t memory_bytes;
    uint64_t output_bytes;
    uint64_t disk_bytes;
    uint64_t disk_files;
    uint64_t source_bytes;
    uint64_t value_bytes;
    uint64_t display_bytes;
    uint64_t list_bytes;
    uint64_t threads;
    uint64_t tool_calls;
} snug_limits;
#define SNUG_LIMITS_INIT    {    sizeof(snug_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0  }

typedef struct snug_limit_description {
    const char *name;
    const char *option;
    const char *unit;
    uint64_t default_value;
    const char *about;
    size_t offset;
} snug_limit_description;

SNUG_EXTERN const snug_limit_description *snug_limit_info(size_t index);

typedef enum snug_form {
    SNUG_FORM_LOCAL,
    SNUG_FORM_WORKER
} snug_form;

typedef struct snug_host_options {
    size_t size;
    snug_form form;
    const char *python_home;
    const char *allowlist_dir;
    unsigned flags;
    int kick_signal;

    const char *worker_path;
    const char *worker_command;
    uint64_t worker_grace_ms;
    const char *const *preload;

    size_t pool_sessions;
    uint64_t pool_idle_ms;
    uint64_t awake_sessions;
} snug_host_options;
#define SNUG_HOST_OPTIONS_INIT    {    sizeof(snug_host_options), SNUG_FORM_LOCAL, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, 0, 0, 0  }

#define SNUG_HOST_SIGNALS 1u

#define SNUG_HOST_FALLBACK 2u

SNUG_EXTERN int snug_host_open(snug_host **out, const snug_host_options *options);

SNUG_EXTERN int snug_host_close(snug_host *host);

typedef struct snug_health {
    size_t size;
    uint64_t hung_threads;
    uint64_t torn_locks;
} snug_health;
#define SNUG_HEALTH_INIT    {    sizeof(snug_health), 0, 0  }

SNUG_EXTERN int snug_host_health(snug_health *out, const snug_host *host);

typedef struct snug_pool {
    size_t size;
    size_t wanted;
    size_t ready;
    size_t ready_half;
    uint64_t hits;
    uint64_t half_warm;
    uint64_t misses;
    uint64_t given_back;
} snug_pool;
#define SNUG_POOL_INIT    {    sizeof(snug_pool), 0, 0, 0, 0, 0, 0, 0  }

SNUG_EXTERN int snug_host_pool(snug_pool *out, const snug_host *host);

typedef struct snug_parking {
    size_t size;
    uint64_t awake, parked;
    uint64_t parks, wakes;
} snug_parking;
#define SNUG_PARKING_INIT    {    sizeof(snug_parking), 0, 0, 0, 0  }

SNUG_EXTERN int snug_host_parking(snug_parking *out, const snug_host *host);

SNUG_EXTERN const char *snug_host_report(const snug_host *host);

SNUG_EXTERN const char *snug_host_fallback(const snug_host *host);

typedef enum snug_kind {
    SNUG_KIND_RESTRICTED,
    SNUG_KIND_FULL,
    SNUG_KIND_BASH
} snug_kind;

typedef struct snug_mount {
    const char *path;
    const char *name;
    int is_writable;
} snug_mount;

typedef struct snug_session_options {
    size_t size;
    const char *name;
    snug_kind kind;
    const char *profile;
    const char *const *allow;
    const char *workdir;
    const snug_limits *limits;

    void (*on_output)(void *payload, snug_stream stream, const char *text, size_t len);
    void *payload;
    const snug_mount *mounts;
    size_t mount_count;

    void (*on_display)(void *payload, snug_display_event event, const snug_display *display);

    void (*on_input)(void *payload, snug_call *call, const char *prompt);

    int on_caller_thread;
    const char *packages;
} snug_session_options;
#define SNUG_SESSION_OPTIONS_INIT    {    sizeof(snug_session_options), NULL, SNUG_KIND_RESTRICTED, NULL, NULL, NULL, NULL, NULL,  NULL, NULL, 0, NULL, NULL, 0, NULL    }

SNUG_EXTERN int snug_session_open(snug_session **out, snug_host *host,
    const snug_session_options *options);

SNUG_EXTERN void snug_session_close(snug_session *session);

SNUG_EXTERN int snug_session_reset(snug_session *session);

SNUG_EXTERN const char *snug_session_name(const snug_session *session);

SNUG_EXTERN snug_kind snug_session_kind(const snug_session *session);

SNUG_EXTERN const char *snug_session_workdir(const snug_session *session);

SNUG_EXTERN int64_t snug_session_process(const snug_session *session);

SNUG_EXTERN uint64_t snug_session_execution_count(const snug_session *session);

SNUG_EXTERN void snug_session_interrupt(snug_session *session);

SNUG_EXTERN int snug_session_run(snug_result **out, snug_session *session, const char *source,
    size_t len, const snug_limits *limits);

SNUG_EXTERN int snug_session_run_aside(snug_result **out, snug_session *session, const char *source,
    size_t len, const snug_limits *limits);

SNUG_EXTERN int snug_session_set_variable(snug_session *session, const char *name, const char *json,
    size_t len);

SNUG_EXTERN int snug_session_checkpoint(snug_session *session);

SNUG_EXTERN int snug_session_rollback(snug_session *session);

SNUG_EXTERN int snug_session_forget_checkpoint(snug_session *session);

SNUG_EXTERN int snug_session_is_complete(snug_session *session, const char *source, size_t len);

SNUG_EXTERN int snug_session_complete(snug_completion **out, snug_session *session,
    const char *source, size_t len, size_t cursor);

SNUG_EXTERN size_t snug_completion_match_count(const snug_completion *completion);

SNUG_EXTERN const char *snug_completion_match(const snug_completion *completion, size_t index);

SNUG_EXTERN size_t snug_completion_start(const snug_completion *completion);

SNUG_EXTERN void snug_completion_free(snug_completion *completion);

SNUG_EXTERN int snug_session_list_variables(snug_description **out, snug_session *session);

SNUG_EXTERN int snug_session_inspect(snug_description **out, snug_session *session,
    const char *source, size_t len, size_t cursor);

SNUG_EXTERN const char *snug_description_json(const snug_description *description, size_t *len);

SNUG_EXTERN void snug_description_free(snug_description *description);

SNUG_EXTERN int snug_session_save(snug_saved **out, snug_session *session, const char *path);

SNUG_EXTERN int snug_session_restore(snug_saved **out, snug_session *session, const char *path);

typedef struct snug_binding {
    const char *name;
    const char *how;
    const char *reason;
} snug_binding;

SNUG_EXTERN size_t snug_saved_binding_count(const snug_saved *saved);

SNUG_EXTERN const snug_binding *snug_saved_binding(const snug_saved *saved, size_t index);

SNUG_EXTERN size_t snug_saved_file_count(const snug_saved *saved);

SNUG_EXTERN const char *snug_saved_json(const snug_saved *saved, size_t *len);

SNUG_EXTERN void snug_saved_free(snug_saved *saved);

typedef enum snug_notebook_format {
    SNUG_NOTEBOOK_IPYNB,
    SNUG_NOTEBOOK_PY
} snug_notebook_format;

SNUG_EXTERN int snug_notebook_open(snug_notebook **out);

SNUG_EXTERN int snug_notebook_add(snug_notebook *notebook, const char *source, size_t len,
    const snug_result *result);

SNUG_EXTERN const char *snug_notebook_text(snug_notebook *notebook, snug_notebook_format format,
    size_t *len);

SNUG_EXTERN int snug_notebook_write(snug_notebook *notebook, const char *path);

SNUG_EXTERN void snug_notebook_close(snug_notebook *notebook);

SNUG_EXTERN int snug_session_put_file(snug_session *session, const char *path, const void *data,
    size_t len);

SNUG_EXTERN int snug_session_get_file(snug_file **out, snug_session *session, const char *path,
    size_t max_bytes);

SNUG_EXTERN const char *snug_file_data(const snug_file *file, size_t *len);

SNUG_EXTERN const char *snug_file_mime(const snug_file *file);

SNUG_EXTERN void snug_file_free(snug_file *file);

typedef enum snug_entry_kind {
    SNUG_ENTRY_FILE,
    SNUG_ENTRY_FOLDER,
    SNUG_ENTRY_LINK,
    SNUG_ENTRY_OTHER
} snug_entry_kind;

typedef struct snug_entry {
    const char *path;
    snug_entry_kind kind;
    uint64_t bytes;
    int64_t modified_ns;
} snug_entry;

SNUG_EXTERN int snug_session_list_files(snug_listing **out, snug_session *session);

SNUG_EXTERN size_t snug_listing_entry_count(const snug_listing *listing);

SNUG_EXTERN const snug_entry *snug_listing_entry(const snug_listing *listing, size_t index);

SNUG_EXTERN int snug_listing_is_whole(const snug_listing *listing);

SNUG_EXTERN void snug_listing_free(snug_listing *listing);

SNUG_EXTERN int snug_session_remove_file(snug_session *session, const char *path);

SNUG_EXTERN const char *snug_entry_kind_name(snug_entry_kind kind);

#define SNUG_TOOL_BYTES (16u * 1024 * 1024)

typedef struct snug_tool {
    size_t size;
    const char *name;
    const char *signature;
    const char *doc;
    int is_async;
    int takes_any;
    uint64_t timeout_ms;

    void (*fn)(void *payload, snug_call *call, const char *arguments);
    void *payload;
} snug_tool;
#define SNUG_TOOL_INIT    {    sizeof(snug_tool), NULL, NULL, NULL, 0, 0, 0, NULL, NULL  }

SNUG_EXTERN int snug_session_bind_tool(snug_session *session, const snug_tool *tool);

SNUG_EXTERN int snug_tool_check_name(const char *name, const char *profile,
    const char *const *allow);

SNUG_EXTERN int snug_call_return(snug_call *call, const char *json, size_t len);

SNUG_EXTERN int snug_call_fail(snug_call *call, const char *message);

SNUG_EXTERN int snug_call_return_line(snug_call *call, const char *line, size_t len);

SNUG_EXTERN int snug_call_is_wanted(const snug_call *call);

SNUG_EXTERN const char *snug_call_name(const snug_call *call);

SNUG_EXTERN const char *snug_call_arguments(const snug_call *call);

SNUG_EXTERN snug_status snug_result_status(const snug_result *result);

SNUG_EXTERN snug_state snug_result_state(const snug_result *result);

SNUG_EXTERN uint64_t snug_result_execution_count(const snug_result *result);

SNUG_EXTERN const char *snug_result_text(const snug_result *result, snug_stream stream,
    size_t *len);

SNUG_EXTERN uint64_t snug_result_total_bytes(const snug_result *result, snug_stream stream);

SNUG_EXTERN const char *snug_result_spill(const snug_result *result, snug_stream stream);

SNUG_EXTERN const char *snug_result_value_type(const snug_result *result);

SNUG_EXTERN const char *snug_result_value_json(const snug_result *result);

SNUG_EXTERN size_t snug_result_display_count(const snug_result *result);

SNUG_EXTERN const snug_display *snug_result_display(const snug_result *result, size_t index);

SNUG_EXTERN uint64_t snug_result_displays_left_out(const snug_result *result);

typedef struct snug_change {
    const char *name;
    const char *type;
    const char *op;
} snug_change;

SNUG_EXTERN size_t snug_result_change_count(const snug_result *result);

SNUG_EXTERN const snug_change *snug_result_change(const snug_result *result, size_t index);

typedef struct snug_artifact {
    const char *path;
    const char *mime;
    uint64_t bytes;
} snug_artifact;

SNUG_EXTERN size_t snug_result_artifact_count(const snug_result *result);

SNUG_EXTERN const snug_artifact *snug_result_artifact(const snug_result *result, size_t index);

SNUG_EXTERN uint64_t snug_result_artifacts_left_out(const snug_result *result);

SNUG_EXTERN const char *snug_result_error_name(const snug_result *result);

SNUG_EXTERN const char *snug_result_error_value(const snug_result *result);

SNUG_EXTERN const char *snug_result_error_category(const snug_result *result);

SNUG_EXTERN const char *snug_result_error_hint(const snug_result *result);

SNUG_EXTERN uint64_t snug_result_wall_ns(const snug_result *result);

SNUG_EXTERN uint64_t snug_result_cpu_ns(const snug_result *result);

SNUG_EXTERN uint64_t snug_result_peak_bytes(const snug_result *result);

SNUG_EXTERN int snug_result_rung(const snug_result *result);

typedef struct snug_tool_call {
    const char *name;

    const char *status;
    uint64_t start_ns;
    uint64_t duration_ns;
} snug_tool_call;

SNUG_EXTERN size_t snug_result_tool_call_count(const snug_result *result);

SNUG_EXTERN const snug_tool_call *snug_result_tool_call(const snug_result *result, size_t index);

SNUG_EXTERN const char *snug_result_json(const snug_result *result, size_t *len);

SNUG_EXTERN void snug_result_free(snug_result *result);

typedef struct snug_scan_options {
    size_t size;
    const char *profile;
    const char *const *allow;
    uint64_t max_source_bytes;
    uint64_t wall_ms;
} snug_scan_options;
#define SNUG_SCAN_OPTIONS_INIT    {    sizeof(snug_scan_options), NULL, NULL, 0, 0  }

typedef struct snug_finding {
    const char *rule;
    unsigned line;
    unsigned column;
    const char *subject;
    const char *message;
} snug_finding;

SNUG_EXTERN int snug_host_scan(snug_scan **out, snug_host *host, const char *source, size_t len,
    const snug_scan_options *options);

SNUG_EXTERN size_t snug_scan_finding_count(const snug_scan *report);

SNUG_EXTERN const snug_finding *snug_scan_finding(const snug_scan *report, size_t index);

SNUG_EXTERN const char *snug_scan_json(const snug_scan *report, size_t *len);

SNUG_EXTERN void snug_scan_free(snug_scan *report);

SNUG_EXTERN const char *snug_version(void);

SNUG_EXTERN const char *snug_error_name(int error);

SNUG_EXTERN const char *snug_error_message(void);

SNUG_EXTERN int snug_error_set(int error, const char *message);

SNUG_EXTERN const char *snug_status_name(snug_status status);

SNUG_EXTERN const char *snug_state_name(snug_state state);

#ifdef __cplusplus
}
#endif

#endif
