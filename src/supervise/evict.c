/*
 * evict.c - sessions are saved, put away, and room is made for others.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "supervise/supervise.h"
#include "wire/json.h"

/* ---- saving ---- */

/* But for what the host binds again. */
static void add_left(str *out, const cJSON *root, const char *list, const char *name)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, list))
    {
        const cJSON *what = cJSON_GetObjectItemCaseSensitive(item, name);
        const cJSON *why = cJSON_GetObjectItemCaseSensitive(item, "reason");
        if (!strstr(why->valuestring, " of the host"))
            str_printf(out, "%s%s (%s)", out->len > 0 ? ", " : "", what->valuestring,
                       why->valuestring);
    }
}

static void notice_left(seat *one, const cJSON *root)
{
    str left = { 0 };

    add_left(&left, root, "skipped", "name");
    add_left(&left, root, "skipped_files", "path");
    if (left.len > 0)
        notes_notice(one,
                     "these cannot be saved, and will be gone when the session is restored: %s",
                     left.data);
    else
        notes_notice(one, "%s", "");
    str_free(&left);
}

/* Files that are not in the save, as JSON, which is the caller's; NULL: all are. */
static int encode_left_files(char **out, seat *one, snug_saved *saved)
{
    size_t len;
    cJSON *root = NULL;
    const char *json = snug_saved_json(saved, &len);

    *out = NULL;
    if (!json)
        return error_no_memory();
    int error = json_parse(&root, json, len);
    if (error)
        return error;

    notice_left(one, root);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "skipped_files");
    if (cJSON_GetArraySize(list) > 0) {
        *out = json_text(list);
        if (!*out)
            error = error_no_memory();
    }

    cJSON_Delete(root);
    return error;
}

static void note_left(snug_supervisor *s, seat *one, snug_saved *saved)
{
    char *left;
    int error = encode_left_files(&left, one, saved);

    if (!error && left)
        error = state_write_left(one->place, left);
    else if (!error)
        state_remove(one->place, ".left");
    if (error)
        notes_state_failed(s, one, error, "");
    free(left);
}

/* UINT64_MAX: at the next drain. What is stopped is stopped again. With the lock. */
static uint64_t next_try_ns(const snug_supervisor *s, int error)
{
    const uint64_t now = clock_now_ns(), soon = clock_deadline_ns(now, RETRY_MS);

    if (s->is_draining &&
        (error == SNUG_ESTOPPED || s->drain_until_ns == UINT64_MAX || soon >= s->drain_until_ns))
        return UINT64_MAX;
    if (s->is_draining || error == SNUG_ETIMEOUT)
        return clock_deadline_ns(notes_now(s), RETRY_MS);
    return clock_deadline_ns(notes_now(s), s->limits.idle_ms);
}

/* A wait for the GIL is tried again soon, and nobody's business. A save that gave way to a call is
 * neither: what is due next comes of the call. */
static int note_failure(snug_supervisor *s, seat *one, int error)
{
    char message[ERROR_MESSAGE_BYTES];

    pthread_mutex_lock(&s->lock);
    if (one->is_cut && error == SNUG_EDEAD && clock_now_ns() >= s->drain_until_ns)
        error = SNUG_ESTOPPED; /* its worker was killed */
    if (one->gives_way == 2 && error == SNUG_ESTOPPED) {
        pthread_mutex_unlock(&s->lock);
        return error;
    }
    if (one->is_cut && error == SNUG_ESTOPPED && clock_now_ns() < s->drain_until_ns)
        snprintf(message, sizeof message,
                 "saving session %.200s was given up after %llu ms, the limit at an end", one->name,
                 (unsigned long long)s->limits.drain_save_ms);
    else if (one->is_cut && error == SNUG_ESTOPPED)
        snprintf(message, sizeof message,
                 "saving session %.200s was given up, because the %llu ms for saves were over",
                 one->name, (unsigned long long)s->limits.drain_ms);
    else
        snprintf(message, sizeof message, "%s", error_message());
    s->counts.away_failed++;
    strcpy(s->failure, message);
    one->is_slow = 1;
    one->retry_ns = next_try_ns(s, error);
    if (one->worker)
        one->worker->is_held_up = error == SNUG_ETIMEOUT;
    pthread_mutex_unlock(&s->lock);
    if (error != SNUG_ETIMEOUT)
        notes_notice(one, "the session could not be saved: %s", notes_reason(one, message));
    if (error == SNUG_EDEAD) /* told as lost, by who closes it or calls it next */
        notes_lost(s, one, message);
    else
        notes_tell(s, SNUG_SUPERVISOR_EVENT_SAVE_FAILED, one->tenant->name, one->name, message);
    return error_set(error, "%s", message);
}

static int is_too_late(snug_supervisor *s)
{
    pthread_mutex_lock(&s->lock);
    const int is_late = s->is_draining && clock_now_ns() >= s->drain_until_ns;
    pthread_mutex_unlock(&s->lock);
    return is_late;
}

int evict_save(snug_supervisor *s, seat *one)
{
    char path[PATH_MAX];
    snug_saved *saved = NULL;
    int error;

    snprintf(path, sizeof path, "%s.snug", one->place);
    int is_first = !state_has(one->place, ".snug");
    uint64_t since_ns = notes_now(s);
    if (is_too_late(s))
        error = error_set(SNUG_ESTOPPED,
                          "saving session %.200s was not begun, because the %llu ms for saves were "
                          "over",
                          one->name, (unsigned long long)s->limits.drain_ms);
    else
        error = snug_session_save(&saved, one->session, path);
    if (error)
        return note_failure(s, one, error);

    note_left(s, one, saved);
    snug_saved_free(saved);
    state_remove(one->place, ".open"); /* it is as it is there */
    one->cells = 0;
    one->is_dirty = 0;
    pthread_mutex_lock(&s->lock);
    if (is_first)
        s->state.saved++;
    one->save_ns = notes_now(s) - since_ns;
    one->is_slow = one->save_ns >= SLOW_MS * NS_PER_MS;
    if (one->worker)
        one->worker->is_held_up = 0;
    pthread_mutex_unlock(&s->lock);
    notes_tell(s, SNUG_SUPERVISOR_EVENT_SAVED, one->tenant->name, one->name, NULL);
    return SNUG_OK;
}

/* ---- closing ---- */

void evict_close(snug_supervisor *s, seat *one)
{
    pthread_mutex_lock(&s->lock);
    while (one->pins > 0)
        pthread_cond_wait(&s->changed, &s->lock);
    snug_session *session = one->session;
    one->session = NULL;
    one->is_lost = 0;
    hosts_forget(one);
    pthread_mutex_unlock(&s->lock);
    snug_session_close(session);
    one->cells = 0;
    one->is_dirty = 0;
    evict_return_room(s, one->tenant);
}

int evict_loses(const seat *one)
{
    return one->is_dirty || !state_has(one->place, ".snug");
}

/* What is lost stays so, until a call has reported it. A drain answers for what it could not save;
 * of a session that was as it was saved nothing is lost. */
static void keep_loss(snug_supervisor *s, seat *one)
{
    str mark = { 0 };
    uint64_t cells;

    state_read_mark(one->place, &cells, &mark);
    const char *why = mark.len > 0 ? mark.data : "its worker has died";
    if (mark.len == 0)
        notes_lost(s, one, why);

    pthread_mutex_lock(&s->lock);
    if (s->is_draining && one->is_dirty) {
        s->drain_lost++;
        snprintf(s->failure, sizeof s->failure, "session %.200s is lost: %.700s", one->name, why);
    }
    pthread_mutex_unlock(&s->lock);
    notes_tell(s, SNUG_SUPERVISOR_EVENT_LOST, one->tenant->name, one->name, why);
    str_free(&mark);
}

/* Whether the session is lost, as far as can be known now. */
static int find_loss(snug_supervisor *s, const seat *one)
{
    hosts_check(s, one->tenant);
    pthread_mutex_lock(&s->lock);
    int is_lost = one->is_lost;
    pthread_mutex_unlock(&s->lock);
    return is_lost;
}

/* With the lock: the seat is the caller's now. */
static void claim_seat(snug_supervisor *s, seat *one, away_reason why)
{
    one->is_held = 1;
    one->is_cut = 0;
    one->gives_way = why == AWAY_IDLE || why == AWAY_NOT;
    one->away_ns = clock_now_ns();
    one->tenant->saving_ns = one->away_ns;
    one->tenant->saving++;
    s->saving++;
}

static int is_bash(const seat *one)
{
    return snug_session_kind(one->session) == SNUG_KIND_BASH;
}

/* Or only saved. */
static void put_away(snug_supervisor *s, seat *one, away_reason why)
{
    tenant *t = one->tenant;

    int error = SNUG_OK;
    int is_lost = find_loss(s, one);

    if (!is_lost && is_bash(one) && why != AWAY_DRAIN) {
        is_lost = 1;
        notes_lost(s, one, "it was closed for another client's, and bash cannot be saved");
    }
    if (!is_lost && one->is_dirty)
        error = evict_save(s, one);

    /* Its worker may have died of it, or meanwhile: then nothing is left to be tried again. */
    if (error && find_loss(s, one)) {
        is_lost = 1;
        error = SNUG_OK;
    }

    const int is_closed = !error && (is_lost || why != AWAY_NOT);
    if (is_lost && evict_loses(one))
        keep_loss(s, one);
    if (is_closed)
        evict_close(s, one);
    if (is_closed && !is_lost) {
        state_remove(one->place, ".open");
        notes_tell(s, SNUG_SUPERVISOR_EVENT_PUT_AWAY, t->name, one->name, NULL);
    }

    pthread_mutex_lock(&s->lock);
    if (!error && why != AWAY_NOT)
        s->counts.away[why]++;
    s->saving--;
    t->saving--;
    one->away_ns = 0;
    one->gives_way = 0;
    queue_give_seat(s, one);
    pthread_mutex_unlock(&s->lock);
}

/* ---- who goes first; with the lock ---- */

/* What fails after since_ns, when the search for room or what is due began, is not tried again in
 * it: a save may take longer than the time after which the next try is due, and it would be tried
 * without end. One of a tenant is saved at a time, so that it does not have all keepers, and
 * on 3.11 the sessions of a worker do not wait for each other's GIL; a drain does not wait for a
 * slow one. A session of bash, which cannot be saved, is closed where another tenant needs the
 * place. */
static int is_idle(const snug_supervisor *s, const seat *one, const tenant *asker,
                   uint64_t since_ns)
{
    const tenant *t = one->tenant;

    if (!one->session || one->is_held || one->pins > 0 || one->retry_ns > since_ns)
        return 0;
    if (!s->is_draining && is_bash(one) && (!asker || asker == t))
        return 0;
    if (t->saving == 0 || (s->is_draining && !one->is_dirty))
        return 1;
    return s->is_draining && clock_now_ns() >= clock_deadline_ns(t->saving_ns, SLOW_MS);
}

static int is_held_up(const seat *one)
{
    return one->worker && one->worker->is_held_up;
}

/* In a drain, which may be ended before it has saved them all: those without trouble, and what is
 * worth most. Nothing is lost with one that is as it was saved. */
static int is_saved_before(const seat *a, const seat *b)
{
    if (a->is_dirty != b->is_dirty)
        return a->is_dirty;
    if (is_held_up(a) != is_held_up(b))
        return !is_held_up(a);
    if (a->is_slow != b->is_slow)
        return !a->is_slow;
    return a->used_ns > b->used_ns;
}

/* One that somebody waits for goes last: it would come back at once. */
static int goes_before(const snug_supervisor *s, const seat *a, const seat *b)
{
    if (s->is_draining)
        return is_saved_before(a, b);
    if (is_bash(a) != is_bash(b))
        return is_bash(b);
    if (!a->tickets != !b->tickets)
        return !a->tickets;
    return a->used_ns < b->used_ns;
}

/* Of one tenant, or of all where it is NULL: what was used least recently. */
static seat *find_oldest_idle(const snug_supervisor *s, const tenant *only, const tenant *asker,
                              uint64_t since_ns)
{
    seat *best = NULL;

    for (const tenant *t = s->tenants; t; t = t->next) {
        if (only && t != only)
            continue;
        for (seat *one = t->seats; one; one = one->next)
            if (is_idle(s, one, asker, since_ns) && (!best || goes_before(s, one, best)))
                best = one;
    }

    return best;
}

/* Of the tenants whose sessions are all idle, the one whose last use is longest ago: its oldest. */
static seat *find_in_idle_tenant(const snug_supervisor *s, const tenant *asker, uint64_t since_ns)
{
    seat *best = NULL;
    uint64_t best_ns = 0;

    for (const tenant *t = s->tenants; t; t = t->next) {
        uint64_t last_ns = 0;
        seat *one = t->seats;
        for (; one && is_idle(s, one, asker, since_ns); one = one->next)
            last_ns = one->used_ns > last_ns ? one->used_ns : last_ns;
        if (!one && t->seats && (!best || last_ns < best_ns)) {
            best = find_oldest_idle(s, t, asker, since_ns);
            best_ns = last_ns;
        }
    }

    return best;
}

/* ---- room ---- */

typedef struct shortage {
    refusal_kind kind;
    seat *victim; /* whose end could help */
    char sentence[ERROR_MESSAGE_BYTES];
} shortage;

/* Why nobody's end helps. The path of the save that failed may be another tenant's. With the lock.
 */
static void say_why(shortage *out, const snug_supervisor *s, uint64_t since_ns)
{
    const size_t len = strlen(out->sentence);
    const char *reason = strstr(s->failure, ".snug: ");
    size_t failed = 0, kept = 0;

    for (const tenant *t = s->tenants; t; t = t->next)
        for (const seat *one = t->seats; one; one = one->next) {
            failed += one->retry_ns > since_ns;
            kept += one->session && !one->is_held && is_bash(one);
        }
    snprintf(out->sentence + len, sizeof out->sentence - len, "%s%.300s",
             failed > 0 ? "none can be put away: " : "none is idle",
             failed > 0 ? (reason ? reason + strlen(".snug: ") : "a save has failed")
             : kept > 0 ? " but sessions of bash, which cannot be saved"
                        : "");
}

/* Nonzero: of something there is too little. With the lock. */
static int find_shortage(shortage *out, const snug_supervisor *s, const tenant *t, uint64_t memory,
                         uint64_t since_ns)
{
    const snug_supervisor_limits *most = &s->limits;

    if (t->open >= most->tenant_sessions) {
        out->kind = REFUSED_SESSIONS;
        out->victim = find_oldest_idle(s, t, t, since_ns);
        snprintf(out->sentence, sizeof out->sentence,
                 "tenant %.200s has %zu sessions open, as many as it may have, and ", t->name,
                 t->open);
    } else if (s->open >= most->sessions) {
        out->kind = REFUSED_SESSIONS;
        out->victim = find_oldest_idle(s, NULL, t, since_ns);
        snprintf(out->sentence, sizeof out->sentence,
                 "%zu sessions are open, as many as there may be, and ", s->open);
    } else if (!s->host && !t->has_place && s->hosts >= most->hosts) {
        out->kind = REFUSED_HOSTS;
        out->victim = find_in_idle_tenant(s, t, since_ns);
        snprintf(out->sentence, sizeof out->sentence,
                 "%zu workers run, as many as there may be, and ", s->hosts);
    } else if (memory > most->memory_bytes) {
        out->kind = REFUSED_MEMORY;
        out->victim = find_oldest_idle(s, NULL, t, since_ns);
        snprintf(out->sentence, sizeof out->sentence,
                 "%llu bytes of memory are in use, more than the limit of %llu, and ",
                 (unsigned long long)memory, (unsigned long long)most->memory_bytes);
    } else {
        return 0;
    }

    say_why(out, s, since_ns);
    return 1;
}

static void take_room(snug_supervisor *s, tenant *t)
{
    t->open++;
    s->open++;
    if (!s->host && !t->has_place) {
        t->has_place = 1;
        s->hosts++;
    }
}

void evict_return_room(snug_supervisor *s, tenant *t)
{
    pthread_mutex_lock(&s->lock);
    t->open--;
    s->open--;
    t->used_ns = notes_now(s);
    if (t->has_place && t->open == 0 && !t->host && !t->is_starting) {
        t->has_place = 0;
        s->hosts--;
    }
    pthread_mutex_unlock(&s->lock);
}

/* Somebody puts a session away: that may be enough. 0: nobody does, or it took too long. */
static int wait_for_keepers(snug_supervisor *s, uint64_t deadline_ns)
{
    if (s->saving == 0 || s->world.now_ns || clock_now_ns() >= deadline_ns)
        return 0;
    cond_wait_until(&s->changed, &s->lock, deadline_ns);
    return 1;
}

/* One step towards room: 0 there is, 1 look again, or an error. */
static int step_to_room(snug_supervisor *s, tenant *t, uint64_t since_ns, uint64_t deadline_ns)
{
    static const away_reason reasons[REFUSALS] = {
        [REFUSED_SESSIONS] = AWAY_ROOM, [REFUSED_HOSTS] = AWAY_ROOM, [REFUSED_MEMORY] = AWAY_MEMORY
    };
    shortage lack = { 0 };
    int limits_memory = s->limits.memory_bytes != SNUG_UNLIMITED;
    uint64_t memory = limits_memory ? hosts_memory(s) : 0;

    pthread_mutex_lock(&s->lock);
    int lacks = find_shortage(&lack, s, t, memory, since_ns), next = SNUG_OK;
    if (!lacks)
        take_room(s, t);
    else if (lack.victim)
        claim_seat(s, lack.victim, reasons[lack.kind]);
    else
        next = wait_for_keepers(s, deadline_ns);

    pthread_mutex_unlock(&s->lock);
    if (!lacks || next)
        return next;
    if (lack.victim) {
        put_away(s, lack.victim, reasons[lack.kind]);
        return 1;
    }

    if ((lack.kind == REFUSED_HOSTS || lack.kind == REFUSED_MEMORY) && hosts_end_one(s, 0))
        return 1;
    pthread_mutex_lock(&s->lock);
    int error = notes_refuse(s, lack.kind, lack.sentence);
    pthread_mutex_unlock(&s->lock);
    return error;
}

int evict_make_room(snug_supervisor *s, tenant *t)
{
    int next;
    const uint64_t since_ns = notes_now(s);
    const uint64_t deadline_ns = clock_deadline_ns(clock_now_ns(), s->limits.wait_ms);
    while ((next = step_to_room(s, t, since_ns, deadline_ns)) > 0)
        ;
    return next;
}

/* ---- what is due ---- */

/* That its last save took ten times less than it was idle bounds what saves cost. */
static int is_unsaved(const snug_supervisor *s, const seat *one, uint64_t since_ns)
{
    const uint64_t now = notes_now(s);

    return one->is_dirty && one->tickets == 0 && is_idle(s, one, NULL, since_ns) &&
           now >= clock_deadline_ns(one->used_ns, s->limits.save_idle_ms) &&
           now - one->used_ns >= 10 * one->save_ns;
}

static seat *find_unsaved(const snug_supervisor *s, uint64_t since_ns)
{
    for (const tenant *t = s->tenants; t; t = t->next)
        for (seat *one = t->seats; one; one = one->next)
            if (is_unsaved(s, one, since_ns))
                return one;
    return NULL;
}

/* A session to put away, and why; NULL: none. With the lock. */
static seat *find_due(const snug_supervisor *s, uint64_t memory, uint64_t since_ns,
                      away_reason *why)
{
    uint64_t now = notes_now(s), idle_ns = clock_deadline_ns(0, s->limits.idle_ms);
    seat *one = find_oldest_idle(s, NULL, NULL, since_ns);
    if (!one || s->is_closing)
        return NULL;

    *why = AWAY_IDLE;
    if (s->is_draining)
        *why = AWAY_DRAIN;
    else if (memory > s->limits.memory_bytes)
        *why = AWAY_MEMORY;

    if (*why != AWAY_IDLE)
        return one;

    if (one->tickets == 0 && now - one->used_ns >= idle_ns)
        return one;
    *why = AWAY_NOT;
    return find_unsaved(s, since_ns);
}

int evict_has_due(const snug_supervisor *s, uint64_t since_ns)
{
    away_reason why;
    return find_due(s, 0, since_ns, &why) != NULL;
}

/* 1: there may be more. */
static int sweep_once(snug_supervisor *s, uint64_t since_ns)
{
    away_reason why;
    int limits_memory = s->limits.memory_bytes != SNUG_UNLIMITED;
    uint64_t memory = limits_memory ? hosts_memory(s) : 0;

    hosts_check_all(s);
    pthread_mutex_lock(&s->lock);
    queue_expire(s, notes_now(s));
    seat *one = find_due(s, memory, since_ns, &why);
    if (one)
        claim_seat(s, one, why);
    int is_pressed = s->is_draining || memory > s->limits.memory_bytes;
    pthread_mutex_unlock(&s->lock);
    if (one) {
        put_away(s, one, why);
        return 1;
    }

    return hosts_end_one(s, is_pressed ? 0 : clock_deadline_ns(0, s->limits.worker_idle_ms));
}

void supervisor_sweep(snug_supervisor *s)
{
    const uint64_t since_ns = notes_now(s);
    while (sweep_once(s, since_ns))
        ;
}

/* ---- keepers ---- */

/* Several, because a save takes as long as the session's code lets it, within its limits. */
enum { LOOK_MS = 1000 };

static void *run_keeper(void *arg)
{
    snug_supervisor *s = arg;

    pthread_mutex_lock(&s->lock);
    while (!s->is_closing) {
        pthread_mutex_unlock(&s->lock);
        supervisor_sweep(s);
        pthread_mutex_lock(&s->lock);
        s->resting++;
        if (!s->is_closing)
            cond_wait_until(&s->work, &s->lock, clock_deadline_ns(clock_now_ns(), LOOK_MS));
        s->resting--;
    }

    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int evict_start(snug_supervisor *s)
{
    int error = SNUG_OK;

    while (!s->world.now_ns && !error && s->keeper_count < KEEPERS) {
        error = thread_start(&s->keepers[s->keeper_count], "snug keeper", KEEPER_STACK_BYTES,
                             run_keeper, s);
        if (!error)
            s->keeper_count++;
    }

    return error;
}

void evict_stop(snug_supervisor *s)
{
    pthread_mutex_lock(&s->lock);
    s->is_closing = 1;
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    while (s->keeper_count > 0)
        thread_join(&s->keepers[--s->keeper_count]);
}
