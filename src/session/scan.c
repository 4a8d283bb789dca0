/*
 * scan.c - snug_scan: source judged in the main interpreter, on a service thread
 * with a stack as deep as a session's.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "limits/limits.h"
#include "py/runtime.h"
#include "py/scan.h"
#include "session/host.h"
#include "session/mailbox.h"
#include "wire/json.h"

struct scan_service {
    thread thread;
    mailbox mailbox;
};

struct snug_scan_report {
    scan_findings found;
    snug_finding *findings; /* as the header shows them; the texts are found's */
    pthread_mutex_t lock;   /* guards json */
    char *json;
};

typedef struct scan_job {
    const allowlist *modules;
    const char *source;
    size_t len;
    uint64_t max_bytes;
    snug_scan_report *report;
    int error;
    const char *message;
} scan_job;

enum { STACK_BYTES = 512 * 1024 * 1024 };

static void *serve(void *arg)
{
    mailbox_serve(&((struct scan_service *)arg)->mailbox);
    return NULL;
}

static int run(void *arg)
{
    scan_job *job = arg;
    void *saved;
    if (!(job->error = runtime_enter_main(&saved))) {
        job->error = scan_source(&job->report->found, job->modules, job->source, job->len,
                                 job->max_bytes);
        runtime_leave_main(saved);
    }
    job->message = job->error ? error_message() : NULL;
    return 0;
}

static int finish(void *arg)
{
    (void)arg;
    return 1;
}

void scan_service_close(struct scan_service *service)
{
    if (!service)
        return;
    mailbox_run(&service->mailbox, finish, NULL, NULL, NULL);
    thread_join(&service->thread);
    free(service);
}

static int start_service(snug_host *host)
{
    if (host->service)
        return SNUG_OK;
    struct scan_service *service = calloc(1, sizeof *service);
    if (!service)
        return error_no_memory();
    int error = thread_start(&service->thread, "snug scan", STACK_BYTES, serve, service);
    if (error)
        free(service);
    else
        host->service = service;
    return error;
}

/* The findings as the public header has them. */
static int present(snug_scan_report *report)
{
    const scan_findings *found = &report->found;
    report->findings = calloc(found->count + 1, sizeof *report->findings);
    if (!report->findings)
        return error_no_memory();
    for (size_t i = 0; i < found->count; i++) {
        const scan_finding *from = &found->items[i];
        report->findings[i] = (snug_finding){ from->rule, from->line, from->column,
                                              str_text(&from->subject), str_text(&from->message) };
    }
    return SNUG_OK;
}

static int scan(snug_scan_report *report, snug_host *host, scan_job *job)
{
    int error;
    job->report = report;
    pthread_mutex_lock(&host->scan_lock);
    if (!(error = start_service(host))) {
        mailbox_run(&host->service->mailbox, run, job, NULL, NULL);
        error = job->error ? error_set(job->error, "%s", job->message) : SNUG_OK;
    }
    pthread_mutex_unlock(&host->scan_lock);
    return error ? error : present(report);
}

int snug_scan(snug_scan_report **out, snug_host *host, const char *source, size_t len,
              const snug_scan_options *options)
{
    static const snug_scan_options defaults = SNUG_SCAN_OPTIONS_INIT;
    int error;
    if (!out || !host || (!source && len > 0))
        return error_set(SNUG_EINVAL, "snug_scan: %s is NULL",
                         !out ? "out" : !host ? "host" : "source");
    options = options ? options : &defaults;
    if (options->size != sizeof *options)
        return error_set(SNUG_EINVAL, "snug_scan_options is %zu bytes for the caller, %zu here: start "
                         "from SNUG_SCAN_OPTIONS_INIT", options->size, sizeof *options);
    const snug_limits wanted = { .source_bytes = options->max_source_bytes };
    const snug_limits limits = limits_resolve(&wanted, NULL);
    allowlist *modules = NULL;
    str copy = { 0 };
    snug_scan_report *report = calloc(1, sizeof *report);
    if (!report || str_append(&copy, source ? source : "", len) != SNUG_OK) {
        error = error_no_memory();
    } else {
        pthread_mutex_init(&report->lock, NULL);
        error = allowlist_open(&modules, options->profile ? options->profile : "core",
                               host->allowlist_dir, options->allow);
    }
    if (!error) {
        scan_job job = { .modules = modules, .source = str_text(&copy), .len = len,
                         .max_bytes = limits.source_bytes };
        error = scan(report, host, &job);
    }
    str_free(&copy);
    allowlist_close(modules);
    if (error)
        snug_scan_free(report);
    else
        *out = report;
    return error;
}

size_t snug_scan_count(const snug_scan_report *report)
{
    return report->found.count;
}

const snug_finding *snug_scan_finding(const snug_scan_report *report, size_t index)
{
    return index < report->found.count ? &report->findings[index] : NULL;
}

static char *encode(const snug_scan_report *report)
{
    cJSON *root = cJSON_CreateObject();
    int failed = !root || json_add_text(root, "schema", "snug.scan/1") ||
                 json_add_bool(root, "ok", report->found.count == 0);
    cJSON *findings = failed ? NULL : json_add_array(root, "findings");
    failed = !findings;
    for (size_t i = 0; !failed && i < report->found.count; i++) {
        const snug_finding *finding = &report->findings[i];
        cJSON *item = json_add_object(findings, NULL);
        failed = !item || json_add_text(item, "rule", finding->rule) ||
                 json_add_number(item, "line", finding->line) ||
                 json_add_number(item, "column", finding->column) ||
                 json_add_text(item, "subject", finding->subject) ||
                 json_add_text(item, "message", finding->message);
    }
    char *text = failed ? NULL : json_text(root);
    cJSON_Delete(root);
    return text;
}

const char *snug_scan_json(snug_scan_report *report, size_t *len)
{
    pthread_mutex_lock(&report->lock);
    if (!report->json)
        report->json = encode(report);
    const char *json = report->json;
    pthread_mutex_unlock(&report->lock);
    if (len)
        *len = json ? strlen(json) : 0;
    return json;
}

void snug_scan_free(snug_scan_report *report)
{
    if (!report)
        return;
    scan_findings_free(&report->found);
    pthread_mutex_destroy(&report->lock);
    free(report->findings);
    free(report->json);
    free(report);
}
