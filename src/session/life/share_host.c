/*
 * share_host.c - hosts that several users of a process share, each by a handle of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/forked.h"
#include "base/options.h"
#include "session/core/host.h"
#include "session/life/task.h"

typedef struct shared_host {
    snug_host *host;
    snug_host_options options; /* as its first user gave them; texts are copies */
    size_t users;
    struct shared_host *next;
} shared_host;

/* Of the process, as the one host of form LOCAL is. The lock is held while a host opens or closes:
 * the next user of it waits for that. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static shared_host *first;

/* In a forked process: they are its parent's. */
static void forget_shared(void)
{
    pthread_mutex_init(&lock, NULL);
    first = NULL;
}

/* ---- options ---- */

typedef enum member_kind { MEMBER_TEXT, MEMBER_INT, MEMBER_NUMBER, MEMBER_LIST } member_kind;

/* What says where cells run, and what they may, has to be the same. Of the rest a user who leaves
 * it at its default takes what is there. */
static const struct member {
    const char *name;
    size_t offset;
    member_kind kind;
    int must_equal;
} members[] = {
#define MEMBER(name, kind, must_equal)                             \
    {                                                              \
#name, offsetof(snug_host_options, name), kind, must_equal \
    }
    MEMBER(allowlist_dir, MEMBER_TEXT, 1),
    MEMBER(worker_path, MEMBER_TEXT, 1),
    MEMBER(worker_command, MEMBER_TEXT, 1),
    MEMBER(python_home, MEMBER_TEXT, 0),
    MEMBER(kick_signal, MEMBER_INT, 0),
    MEMBER(worker_grace_ms, MEMBER_NUMBER, 0),
    MEMBER(worker_start_ms, MEMBER_NUMBER, 0),
    MEMBER(preload, MEMBER_LIST, 0),
    MEMBER(pool_sessions, MEMBER_NUMBER, 0),
    MEMBER(pool_idle_ms, MEMBER_NUMBER, 0),
    MEMBER(awake_sessions, MEMBER_NUMBER, 0),
    MEMBER(patience_ms, MEMBER_NUMBER, 0),
    MEMBER(python, MEMBER_TEXT, 0),
#undef MEMBER
};
enum { MEMBERS = sizeof members / sizeof *members };
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "pool_sessions is compared as a number");

static const char *text_at(const snug_host_options *o, const struct member *m)
{
    const char *text;
    memcpy(&text, (const char *)o + m->offset, sizeof text);
    return text;
}

static int is_same_text(const char *a, const char *b)
{
    if (!a || !b)
        return a == b;
    return strcmp(a, b) == 0;
}

static int is_same_list(const char *const *a, const char *const *b)
{
    size_t i = 0;

    if (!a || !b)
        return a == b;
    while (a[i] && b[i] && strcmp(a[i], b[i]) == 0)
        i++;
    return a[i] == b[i]; /* both at their end */
}

/* Sets *is_set where b has something other than the default. */
static int is_same_member(int *is_set, const struct member *m, const snug_host_options *a,
                          const snug_host_options *b)
{
    const char *mine = (const char *)a + m->offset, *theirs = (const char *)b + m->offset;
    uint64_t one = 0, other = 0;
    size_t bytes = m->kind == MEMBER_INT ? sizeof(int) : sizeof(uint64_t);

    memcpy(&one, mine, bytes);
    memcpy(&other, theirs, bytes);
    *is_set = other != 0;
    if (m->kind == MEMBER_TEXT)
        return is_same_text(text_at(a, m), text_at(b, m));
    if (m->kind == MEMBER_LIST)
        return is_same_list(a->preload, b->preload);
    return one == other;
}

/* Handlers that are there do not harm who has not asked for them. */
static int are_flags_met(unsigned has, unsigned wanted)
{
    return (has & SNUG_HOST_FALLBACK) == (wanted & SNUG_HOST_FALLBACK) &&
           (wanted & ~has & SNUG_HOST_SIGNALS) == 0;
}

/* The name of the first member in which they differ; NULL: the host serves both. */
static const char *find_difference(const snug_host_options *has, const snug_host_options *wanted)
{
    if (!are_flags_met(has->flags, wanted->flags))
        return "flags";

    for (size_t i = 0; i < MEMBERS; i++) {
        int is_set;
        int is_same = is_same_member(&is_set, &members[i], has, wanted);
        if (!is_same && (is_set || members[i].must_equal))
            return members[i].name;
    }

    return NULL;
}

static void free_options(snug_host_options *o)
{
    for (size_t i = 0; i < MEMBERS; i++)
        if (members[i].kind == MEMBER_TEXT)
            free((void *)(uintptr_t)text_at(o, &members[i]));
    for (size_t i = 0; o->preload && o->preload[i]; i++)
        free((void *)(uintptr_t)o->preload[i]);
    free((void *)(uintptr_t)o->preload);
}

static int copy_text(snug_host_options *o, const struct member *m, const char *text)
{
    const char **at = (void *)((char *)o + m->offset);
    *at = strdup(text);
    return *at != NULL;
}

static int copy_list(snug_host_options *o, const char *const *list)
{
    size_t count = 0;

    while (list[count])
        count++;
    const char **copy = calloc(count + 1, sizeof *copy);
    o->preload = copy;
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = strdup(list[i])))
            return 0;
    return copy != NULL;
}

/* 0: no memory; what is there is freed by free_options. */
static int are_copied(snug_host_options *out, const snug_host_options *from)
{
    int is_whole = 1;

    *out = *from;
    out->preload = NULL;
    for (size_t i = 0; i < MEMBERS; i++) {
        const char *text = members[i].kind == MEMBER_TEXT ? text_at(from, &members[i]) : NULL;
        if (text)
            is_whole &= copy_text(out, &members[i], text);
    }

    if (from->preload)
        is_whole &= copy_list(out, from->preload);
    return is_whole;
}

/* ---- sharing; the lock is held ---- */

/* Of a form one host is enough for who can share it; of workers there may be several. */
static int find_shared(shared_host **out, const snug_host_options *wanted)
{
    *out = NULL;
    for (shared_host *s = first; s; s = s->next) {
        if (s->options.form != wanted->form)
            continue;
        const char *difference = find_difference(&s->options, wanted);
        if (!difference) {
            *out = s;
            return SNUG_OK;
        }

        if (wanted->form == SNUG_FORM_LOCAL)
            return error_set(SNUG_EBUSY,
                             "snug_host_acquire: the host that this process shares was opened with "
                             "another %s, and a process has one of form SNUG_FORM_LOCAL",
                             difference);
    }

    return SNUG_OK;
}

static int open_shared(shared_host **out, const snug_host_options *wanted)
{
    shared_host *s = calloc(1, sizeof *s);
    int error = SNUG_OK;

    if (!s)
        return error_no_memory();
    if (!are_copied(&s->options, wanted))
        error = error_no_memory();
    if (!error)
        error = snug_host_open(&s->host, wanted);
    if (error) {
        free_options(&s->options);
        free(s);
        return error;
    }

    s->next = first;
    first = s;
    *out = s;
    return SNUG_OK;
}

/* Nobody uses it. Where the host does not close, it stays, for the next one who wants it. */
static int close_shared(shared_host *s)
{
    int error = snug_host_close(s->host);
    if (error)
        return error;

    shared_host **at = &first;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    free_options(&s->options);
    free(s);
    return SNUG_OK;
}

static int join_shared(snug_host *handle, const snug_host_options *wanted)
{
    shared_host *s;
    int error = find_shared(&s, wanted);

    if (!error && !s)
        error = open_shared(&s, wanted);
    if (error)
        return error;

    s->users++;
    handle->shared = s->host;
    handle->form = s->host->form;
    return SNUG_OK;
}

/* ---- handles ---- */

static int make_handle(snug_host **out, const snug_host_options *wanted)
{
    snug_host *handle = calloc(1, sizeof *handle);
    if (!handle)
        return error_no_memory();

    handle->process = forked_process();
    forked_renew(forget_shared);
    pthread_mutex_init(&handle->lock, NULL);
    pthread_mutex_init(&handle->task_lock, NULL);
    last_error_init(&handle->last_error);
    pthread_mutex_lock(&lock);
    int error = join_shared(handle, wanted);
    pthread_mutex_unlock(&lock);
    if (error)
        host_free_handle(handle);
    else
        *out = handle;

    return error;
}

int snug_host_acquire(snug_host **out, const snug_host_options *given)
{
    snug_host_options options;

    if (!out)
        return error_set(SNUG_EINVAL, "snug_host_acquire: out is NULL");
    int error = options_take(&options, sizeof options, given, "snug_host_options");
    if (error)
        return error;

    if (options.is_stopped)
        error = error_set(SNUG_EINVAL, "snug_host_acquire: is_stopped is one user's, and a host "
                                       "that is shared cannot ask it");
    else
        error = make_handle(out, &options);
    if (error)
        message_copy(options.error, options.error_bytes, error_message());
    return error;
}

int host_give_back(snug_host *handle)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&lock);
    shared_host *s = first;
    while (s->host != handle->shared)
        s = s->next;
    if (--s->users == 0 && (error = close_shared(s)))
        s->users++;
    pthread_mutex_unlock(&lock);
    if (error)
        return host_fail(handle, error);

    tasks_close(handle);
    host_free_handle(handle);
    return SNUG_OK;
}
