/*
 * lease.c - calls: a seat and a turn, the session, what is done with it, and all given back.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snug/task.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/options.h"
#include "base/utf8.h"
#include "supervise/supervise.h"
#include "wire/json.h"

/* ---- acquire ---- */

/* How a call comes by its session: it is there, or it is opened, restored, begun again.
 */

static void arrival_free(arrival *a)
{
    snug_saved_free(a->shown.restored);
    str_free(&a->reason);
    str_free(&a->left);
    str_free(&a->notice);
    *a = (arrival){ 0 };
}

/* ---- callbacks: each call has its own ---- */

static void relay_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    const snug_session_options *call = &((seat *)payload)->call;
    if (call->on_output)
        call->on_output(call->payload, stream, text, len);
}

static void relay_display(void *payload, snug_display_event event, const snug_display *display)
{
    const snug_session_options *call = &((seat *)payload)->call;
    if (call->on_display)
        call->on_display(call->payload, event, display);
}

static void relay_input(void *payload, snug_call *asked, const char *prompt)
{
    const snug_session_options *call = &((seat *)payload)->call;
    if (call->on_input)
        call->on_input(call->payload, asked, prompt);
    else
        snug_call_return_line(asked, NULL, 0);
}

static void relay_tool_call(void *payload, const snug_tool_call *made)
{
    const snug_session_options *call = &((seat *)payload)->call;
    if (call->on_tool_call)
        call->on_tool_call(call->payload, made);
}

static void relay_approval(void *payload, snug_call *asked)
{
    const snug_session_options *call = &((seat *)payload)->call;
    if (call->on_approval)
        call->on_approval(call->payload, asked);
    else
        snug_call_approve(asked, SNUG_APPROVAL_REFUSE, NULL);
}

/* ---- opening ---- */

/* The longest name that snug.h takes for a session. */
enum { SNUG_NAME_BYTES = 256 };

static int open_once(snug_session **out, snug_supervisor *s, seat *one,
                     const snug_session_options *options)
{
    char name[SNUG_NAME_BYTES + 1];
    snug_session_options mine = *options;
    snug_host *host;
    size_t len = strlen(one->name);
    int error = hosts_get(&host, s, one->tenant);
    if (error)
        return error;

    if (len > SNUG_NAME_BYTES)
        len = utf8_floor(one->name, len, SNUG_NAME_BYTES);
    memcpy(name, one->name, len);
    name[len] = '\0';
    mine.name = name;
    mine.on_output = relay_output;
    mine.on_display = relay_display;
    mine.on_input = relay_input;
    mine.on_tool_call = relay_tool_call;
    mine.on_approval = relay_approval;
    mine.payload = one;
    return snug_session_open(out, host, &mine);
}

/* The death of a worker may be noticed by the first who asks it for something; the second has
 * another worker. */
static int is_worth_another(const snug_supervisor *s, int error)
{
    return !s->host && (error == SNUG_ESYSTEM || error == SNUG_EDEAD);
}

static int open_twice(snug_session **out, snug_supervisor *s, seat *one,
                      const snug_session_options *options)
{
    int error = open_once(out, s, one, options);
    if (!is_worth_another(s, error))
        return error;

    error = hosts_replace(s, one->tenant);
    if (error)
        return error;
    return open_once(out, s, one, options);
}

static int open_seat(snug_supervisor *s, seat *one, const snug_session_options *options)
{
    snug_session *session = NULL;
    int error = evict_make_room(s, one->tenant);
    if (error)
        return error;

    error = state_make_folder(one->place);
    if (error)
        error = notes_state_failed(s, one, error, "the state folder cannot be written");
    else
        error = open_twice(&session, s, one, options);
    if (!error && s->on_session) {
        error = s->on_session(s->payload, session, one->tenant->name, one->name);
        if (error)
            snug_session_close(session);
    }

    if (error) {
        evict_return_room(s, one->tenant);
        return error;
    }

    pthread_mutex_lock(&s->lock);
    one->session = session;
    pthread_mutex_unlock(&s->lock);
    hosts_note(s, one);
    return SNUG_OK;
}

/* One that was lost with its interpreter or its worker; its files are there still. */
static int reset_session(snug_supervisor *s, seat *one)
{
    int error = snug_session_reset(one->session);
    if (is_worth_another(s, error))
        error = snug_session_reset(one->session);
    if (!error)
        hosts_note(s, one);
    return error;
}

/* ---- what it was ---- */

static void tell_reason(arrival *a, const char *why, const char *otherwise)
{
    str_clear(&a->reason);
    str_add(&a->reason, why && *why ? why : otherwise);
}

/* A save that cannot be restored stays, under another name. */
static int put_aside(snug_supervisor *s, seat *one, arrival *a)
{
    char message[ERROR_MESSAGE_BYTES];
    const char *why = notes_reason(one, error_message());

    snprintf(message, sizeof message,
             "what was saved of it cannot be restored, and is kept as %.200s.damaged: %s%.700s",
             strrchr(one->place, '/') + 1, why == error_message() ? "" : "it ", why);
    int error = state_put_aside(one->place);
    if (error)
        return error;

    pthread_mutex_lock(&s->lock);
    s->counts.damaged++;
    s->state.saved--;
    pthread_mutex_unlock(&s->lock);
    state_remove(one->place, ".tried");
    a->shown.cells_lost = MARK_UNKNOWN;
    tell_reason(a, message, "");
    notes_tell(s, SNUG_SUPERVISOR_EVENT_DAMAGED, one->tenant->name, one->name, message);
    return SNUG_OK;
}

static int restore_saved(snug_supervisor *s, seat *one, arrival *a)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s.snug", one->place);
    a->shown.saved_ms = state_written_ms(one->place, ".snug");
    int error = snug_session_restore(&a->shown.restored, one->session, path);
    if (!error) {
        state_read_left(one->place, &a->left);
        state_remove(one->place, ".tried");
        a->shown.origin = SNUG_ORIGIN_RESTORED;
    } else if (error == SNUG_EINVAL || (error == SNUG_ESTOPPED && state_note_try(one->place))) {
        a->shown.saved_ms = 0;
        a->shown.origin = SNUG_ORIGIN_LOST;
        error = put_aside(s, one, a);
    } else if (error == SNUG_ESYSTEM) {
        error = notes_state_failed(s, one, error, "the save of the session cannot be read");
    }

    return error;
}

/* What the state folder tells of its end before. */
static void find_origin(const seat *one, arrival *a, int was_lost)
{
    str why = { 0 };
    int is_marked = state_read_mark(one->place, &a->shown.cells_lost, &why);

    /* Of one that is open it is known even where the mark could not be written. */
    int is_known = a->shown.cells_lost != MARK_UNKNOWN;
    if (was_lost)
        a->shown.cells_lost = one->cells;

    a->shown.origin = SNUG_ORIGIN_NEW;
    if (was_lost)
        tell_reason(a, str_text(&why), "its worker has died");
    else if (is_marked && !is_known)
        tell_reason(a, NULL,
                    "its process ended, and cells that have run since it was saved may be lost: "
                    "how many is not known");
    else if (is_marked)
        tell_reason(a, str_text(&why), "its process ended before it was saved");

    if (was_lost || is_marked)
        a->shown.origin = SNUG_ORIGIN_LOST;
    str_free(&why);
}

static void tell_arrival(snug_supervisor *s, seat *one, const arrival *a)
{
    const char *tenant_name = one->tenant->name;
    int is_restored = a->shown.origin == SNUG_ORIGIN_RESTORED, is_lost = a->reason.len > 0;

    pthread_mutex_lock(&s->lock);
    if (is_restored)
        s->counts.restored++;
    else
        s->counts.opened++;

    if (is_lost)
        s->counts.lost++;
    pthread_mutex_unlock(&s->lock);

    if (is_restored)
        state_remove(one->place, ".open");
    else
        notes_mark(s, one, 0, NULL);
    if (is_lost)
        notes_tell(s, SNUG_SUPERVISOR_EVENT_LOST, tenant_name, one->name, a->reason.data);
    if (is_restored)
        notes_tell(s, SNUG_SUPERVISOR_EVENT_RESTORED, tenant_name, one->name, NULL);
    else
        notes_tell(s, SNUG_SUPERVISOR_EVENT_OPENED, tenant_name, one->name, NULL);
}

/* The session is there, and empty. */
static int fill_session(snug_supervisor *s, seat *one, arrival *a, int was_lost)
{
    find_origin(one, a, was_lost);
    if (state_has(one->place, ".snug")) {
        int error = restore_saved(s, one, a);
        if (error)
            return error;
    }

    one->cells = 0;
    one->is_dirty = 0;
    tell_arrival(s, one, a);
    return SNUG_OK;
}

/* Without a word to the state folder, which says what it did before. */
static void give_up_session(snug_supervisor *s, seat *one)
{
    char message[ERROR_MESSAGE_BYTES];
    snug_session *session = one->session;

    snprintf(message, sizeof message, "%s", error_message());
    pthread_mutex_lock(&s->lock);
    one->session = NULL;
    one->is_lost = 0;
    hosts_forget(one);
    pthread_mutex_unlock(&s->lock);
    snug_session_close(session);
    evict_return_room(s, one->tenant);
    error_set(SNUG_OK, "%s", message);
}

/* The session of the lease's seat is there, and the arrival says how. Without the lock, with seat
 * and turn. */
static int acquire(snug_lease *lease, const snug_session_options *options)
{
    snug_supervisor *s = lease->supervisor;
    seat *one = lease->seat;
    arrival *a = &lease->arrival;
    int error = SNUG_OK;

    one->call = *options;
    hosts_check(s, one->tenant);
    pthread_mutex_lock(&s->lock);
    int was_lost = one->is_lost;
    pthread_mutex_unlock(&s->lock);
    if (one->session && was_lost && reset_session(s, one) != SNUG_OK)
        give_up_session(s, one);

    if (one->session && !was_lost) {
        a->shown.origin = SNUG_ORIGIN_OPEN;
    } else {
        if (!one->session)
            error = open_seat(s, one, options);
        if (!error) {
            error = fill_session(s, one, a, was_lost && evict_loses(one));
            if (error)
                give_up_session(s, one);
        }
    }

    if (!one->is_noticed)
        str_add_str(&a->notice, &one->notice);
    one->is_noticed = 1;
    a->shown.not_saved = str_text(&a->notice);
    a->shown.reason = str_text(&a->reason);
    a->shown.files_left_out = a->left.len > 0 ? a->left.data : "[]";
    return error;
}

struct snug_served {
    snug_result *result;
    arrival arrival;
    char *tenant;
    pthread_mutex_t lock; /* guards json */
    str json;
};

/* ---- a seat with a turn ---- */

static int check_one_name(const char *what, const char *name)
{
    size_t at, len = name ? strlen(name) : 0, bytes = name ? state_name_bytes(name) : 0;
    if (bytes == 0 || bytes > SNUG_SUPERVISOR_NAME_BYTES)
        return error_set(SNUG_EINVAL,
                         "the name of a %s must have 1 to %d bytes, and has %zu as a file's, where "
                         "other than letters, digits, - and _ count three",
                         what, SNUG_SUPERVISOR_NAME_BYTES, bytes);

    if (utf8_check(name, len, &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "the name of a %s must be UTF-8, and is not at byte %zu",
                         what, at + 1);
    return SNUG_OK;
}

static int check_request(const char *what, const snug_supervisor *s, const char *tenant_name,
                         const char *session)
{
    int error = supervisor_check(s, what);

    if (!error)
        error = check_one_name("tenant", tenant_name);
    if (!error)
        error = check_one_name("session", session);
    return error;
}

/* The same, and the caller's options as this version has them. */
static int check_call(snug_session_options *options, const snug_session_options *given,
                      const char *what, const snug_supervisor *s, const char *tenant_name,
                      const char *session)
{
    int error = check_request(what, s, tenant_name, session);
    if (error)
        return error;
    return options_take(options, sizeof *options, given, "snug_session_options");
}

static int take_seat(snug_lease *lease, snug_supervisor *s, const char *tenant_name,
                     const char *session)
{
    seat *one;

    pthread_mutex_lock(&s->lock);
    int error = queue_find(&one, s, tenant_name, session);
    if (!error) {
        s->calls++;
        error = queue_wait(s, one, 1, &lease->arrival.shown.waited_ns);
        if (error) {
            s->calls--;
            pthread_cond_broadcast(&s->changed);
            queue_tidy(s, one);
        }
    }

    pthread_mutex_unlock(&s->lock);
    if (error)
        return error;
    *lease = (snug_lease){ s, one->tenant, one, 1, lease->arrival };
    return SNUG_OK;
}

static void give_turn(snug_lease *lease)
{
    if (!lease->has_turn)
        return;

    lease->has_turn = 0;
    pthread_mutex_lock(&lease->supervisor->lock);
    queue_give_turn(lease->supervisor, lease->tenant);
    pthread_mutex_unlock(&lease->supervisor->lock);
}

/* All but the arrival. */
static void give_seat_back(snug_lease *lease)
{
    snug_supervisor *s = lease->supervisor;

    pthread_mutex_lock(&s->lock);
    lease->seat->call = (snug_session_options){ 0 };
    lease->seat->used_ns = notes_now(s);
    queue_give_seat(s, lease->seat);
    if (lease->has_turn)
        queue_give_turn(s, lease->tenant);
    s->calls--;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static int arrive(snug_lease *lease, snug_supervisor *s, const char *tenant_name,
                  const char *session, const snug_session_options *options)
{
    int error = take_seat(lease, s, tenant_name, session);
    if (error)
        return error;

    error = acquire(lease, options);
    if (error) {
        give_seat_back(lease);
        arrival_free(&lease->arrival);
    }

    return error;
}

/* ---- cells ---- */

/* Who interrupts does not meet the end of the session. */
static void set_running(snug_supervisor *s, seat *one, int is_running)
{
    pthread_mutex_lock(&s->lock);
    one->is_running = is_running;
    one->was_interrupted = 0;
    if (is_running)
        s->counts.cells++;
    while (!is_running && one->pins > 0)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* Before anything of it is done: a cell that ends the process was lost too. */
static void mark_use(snug_supervisor *s, seat *one, uint64_t cells)
{
    const int is_new = !one->is_dirty || cells > 0;

    one->is_dirty = 1;
    one->cells += cells;
    if (is_new)
        notes_mark(s, one, one->cells, NULL);
}

static void begin_cell(snug_supervisor *s, seat *one)
{
    mark_use(s, one, 1);
    set_running(s, one, 1);
}

/* What became of it: its own error, and its result in *out where there is none. */
static int end_cell(const snug_result *result, snug_supervisor *s, seat *one, int error)
{
    set_running(s, one, 0);
    if (error)
        one->cells--;
    if (error == SNUG_EDEAD) {
        char why[ERROR_MESSAGE_BYTES];
        strcpy(why, error_message());
        notes_lost(s, one, why);
        return error_set(error, "%s", why);
    }

    if (error)
        return error;

    if (snug_result_state(result) == SNUG_STATE_LOST)
        notes_lost(s, one, snug_result_error_value(result));
    else if (one->cells >= s->limits.save_every_cells)
        evict_save(s, one);
    return SNUG_OK;
}

static int run_on_lease(snug_result **out, snug_lease *lease, const char *source, size_t len,
                        const snug_limits *limits)
{
    snug_supervisor *s = lease->supervisor;
    seat *one = lease->seat;

    begin_cell(s, one);
    int error = snug_session_run(out, one->session, source, len, limits);
    return end_cell(error ? NULL : *out, s, one, error);
}

int snug_supervisor_run(snug_served **out, snug_supervisor *s, const char *tenant_name,
                        const char *session, const snug_session_options *given, const char *source,
                        size_t len, const snug_limits *limits)
{
    snug_lease lease = { 0 };
    snug_session_options options;
    int error;

    if (!out)
        return error_set(SNUG_EINVAL, "snug_supervisor_run: out is NULL");
    error = check_call(&options, given, "snug_supervisor_run", s, tenant_name, session);
    if (error)
        return error;

    snug_served *served = calloc(1, sizeof *served);
    if (!served)
        return error_no_memory();

    pthread_mutex_init(&served->lock, NULL);
    served->tenant = strdup(tenant_name);
    if (!served->tenant) {
        error = error_no_memory();
        goto fail;
    }

    error = arrive(&lease, s, tenant_name, session, &options);
    if (error)
        goto fail;

    error = run_on_lease(&served->result, &lease, source, len, limits);
    give_seat_back(&lease);
    served->arrival = lease.arrival;
    if (error)
        goto fail;

    *out = served;
    return SNUG_OK;

fail:
    snug_served_free(served);
    return error;
}

/* ---- leases ---- */

int snug_lease_open(snug_lease **out, snug_supervisor *s, const char *tenant_name,
                    const char *session, const snug_session_options *given)
{
    snug_session_options options;
    int error;

    if (!out)
        return error_set(SNUG_EINVAL, "snug_lease_open: out is NULL");
    error = check_call(&options, given, "snug_lease_open", s, tenant_name, session);
    if (error)
        return error;

    snug_lease *lease = calloc(1, sizeof *lease);
    if (!lease)
        return error_no_memory();

    error = arrive(lease, s, tenant_name, session, &options);
    if (error) {
        free(lease);
        return error;
    }

    mark_use(s, lease->seat, 0);
    give_turn(lease);
    *out = lease;
    return SNUG_OK;
}

snug_session *snug_lease_session(const snug_lease *lease)
{
    return lease->seat->session;
}

const snug_arrival *snug_lease_arrival(const snug_lease *lease)
{
    return &lease->arrival.shown;
}

static int take_turn(snug_lease *lease, const char *what)
{
    snug_supervisor *s = lease->supervisor;
    uint64_t waited_ns = 0;
    int error = supervisor_check(s, what);
    if (error)
        return error;

    pthread_mutex_lock(&s->lock);
    error = queue_wait(s, lease->seat, 0, &waited_ns);
    pthread_mutex_unlock(&s->lock);
    lease->has_turn = !error;
    return error;
}

int snug_lease_run(snug_result **out, snug_lease *lease, const char *source, size_t len,
                   const snug_limits *limits)
{
    if (!out || !lease)
        return error_set(SNUG_EINVAL, "snug_lease_run: %s is NULL", out ? "lease" : "out");
    int error = take_turn(lease, "snug_lease_run");
    if (error)
        return error;

    error = run_on_lease(out, lease, source, len, limits);
    give_turn(lease);
    return error;
}

int snug_lease_start(snug_lease *lease, const char *source, size_t len, const snug_limits *limits)
{
    if (!lease)
        return error_set(SNUG_EINVAL, "snug_lease_start: lease is NULL");
    int error = take_turn(lease, "snug_lease_start");
    if (error)
        return error;

    snug_supervisor *s = lease->supervisor;
    seat *one = lease->seat;
    begin_cell(s, one);
    error = snug_session_start(NULL, one->session, source, len, limits, NULL, NULL);
    if (error) {
        error = end_cell(NULL, s, one, error);
        give_turn(lease);
    }

    return error;
}

int snug_lease_wait(snug_result **out, snug_lease *lease, uint64_t ms)
{
    if (!out || !lease)
        return error_set(SNUG_EINVAL, "snug_lease_wait: %s is NULL", out ? "lease" : "out");
    int error = supervisor_check(lease->supervisor, "snug_lease_wait");
    if (error)
        return error;

    error = snug_session_wait(out, lease->seat->session, ms);
    if (error == SNUG_EAGAIN || error == SNUG_ENOTFOUND)
        return error;
    error = end_cell(error ? NULL : *out, lease->supervisor, lease->seat, error);
    give_turn(lease);
    return error;
}

int snug_lease_rest(snug_lease *lease)
{
    if (!lease)
        return error_set(SNUG_EINVAL, "snug_lease_rest: lease is NULL");
    int error = supervisor_check(lease->supervisor, "snug_lease_rest");
    if (!error)
        give_turn(lease);
    return error;
}

int snug_lease_go_on(snug_lease *lease)
{
    if (!lease)
        return error_set(SNUG_EINVAL, "snug_lease_go_on: lease is NULL");
    snug_supervisor *s = lease->supervisor;
    int error = supervisor_check(s, "snug_lease_go_on");
    if (error || lease->has_turn)
        return error;

    pthread_mutex_lock(&s->lock);
    queue_add_turn(s, lease->tenant);
    pthread_mutex_unlock(&s->lock);
    lease->has_turn = 1;
    return SNUG_OK;
}

void snug_lease_close(snug_lease *lease)
{
    if (!lease || !forked_is_process(lease->supervisor->process))
        return;
    give_seat_back(lease);
    arrival_free(&lease->arrival);
    free(lease);
}

/* ---- by name ---- */

int snug_supervisor_interrupt(snug_supervisor *s, const char *tenant_name, const char *session)
{
    int error = check_request("snug_supervisor_interrupt", s, tenant_name, session);
    if (error)
        return error;

    pthread_mutex_lock(&s->lock);
    seat *one = queue_look(s, tenant_name, session);
    int is_running = one && one->is_running;
    if (is_running)
        queue_interrupt(s, one, snug_session_interrupt);
    pthread_mutex_unlock(&s->lock);
    if (!is_running)
        return error_set(SNUG_ENOTFOUND, "tenant %.200s, session %.200s: no cell runs", tenant_name,
                         session);
    return SNUG_OK;
}

int snug_supervisor_has_session(snug_supervisor *s, const char *tenant_name, const char *session)
{
    int error = check_request("snug_supervisor_has_session", s, tenant_name, session);
    if (error)
        return error;

    pthread_mutex_lock(&s->lock);
    const seat *one = queue_look(s, tenant_name, session);
    const int is_open = one && one->session;
    pthread_mutex_unlock(&s->lock);
    if (is_open)
        return 1;

    str place = { 0 };
    if (state_place(&place, &s->state, tenant_name, session))
        return error_no_memory();
    const int is_there = state_has(place.data, ".snug") || state_has(place.data, ".open");
    str_free(&place);
    return is_there;
}

static int remove_files(snug_supervisor *s, const seat *one)
{
    static const char *const endings[] = { ".open", ".left", ".damaged", ".tried" };
    int was_saved = state_remove(one->place, ".snug"), found = was_saved;

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        found |= state_remove(one->place, endings[i]);
    pthread_mutex_lock(&s->lock);
    if (was_saved)
        s->state.saved--;
    pthread_mutex_unlock(&s->lock);
    return found;
}

int snug_supervisor_remove_session(snug_supervisor *s, const char *tenant_name, const char *session)
{
    snug_lease lease = { 0 };
    int error = check_request("snug_supervisor_remove_session", s, tenant_name, session);

    if (!error)
        error = take_seat(&lease, s, tenant_name, session);
    if (error)
        return error;

    int found = lease.seat->session != NULL;
    if (found)
        evict_close(s, lease.seat);
    found |= remove_files(s, lease.seat);
    give_seat_back(&lease);
    if (!found)
        return error_set(SNUG_ENOTFOUND, "tenant %.200s has no session %.200s", tenant_name,
                         session);

    return SNUG_OK;
}

/* ---- answers ---- */

const char *snug_origin_name(snug_origin origin)
{
    static const char *const names[] = { "open", "new", "restored", "lost" };
    return (size_t)origin < sizeof names / sizeof *names ? names[origin] : "?";
}

const snug_result *snug_served_result(const snug_served *served)
{
    return served->result;
}

const snug_arrival *snug_served_arrival(const snug_served *served)
{
    return &served->arrival.shown;
}

static void put_cells_lost(str *out, const snug_arrival *a)
{
    if (a->cells_lost == MARK_UNKNOWN)
        json_put_raw(out, "cells_lost", NULL);
    else
        json_put_number(out, "cells_lost", (double)a->cells_lost);
}

/* The result's object with one member more. */
static void encode_served(snug_served *served)
{
    const snug_arrival *a = &served->arrival.shown;
    str *out = &served->json;
    size_t len;
    const char *result = snug_result_json(served->result, &len);
    const char *saved = a->restored ? snug_saved_json(a->restored, NULL) : "null";

    if (!result || !saved)
        return;
    str_append(out, result, len - 1);
    json_open(out, "opened", '{');
    json_put_word(out, "tenant", served->tenant);
    json_put_word(out, "how", snug_origin_name(a->origin));
    json_put_word(out, "state", *a->reason ? "lost" : "kept");
    json_put_word(out, "reason", a->reason);
    put_cells_lost(out, a);
    str_printf(out, ",\"waited_ms\":%.3f", (double)a->waited_ns / 1e6);
    json_put_raw(out, "restored", saved);
    json_put_raw(out, "files_left_out", a->files_left_out);
    json_put_word(out, "not_saved", a->not_saved);
    if (a->saved_ms) {
        json_open(out, "restored_from", '{');
        json_put_number(out, "saved_ms", (double)a->saved_ms);
        put_cells_lost(out, a);
        json_close(out, '}');
    } else {
        json_put_raw(out, "restored_from", NULL);
    }
    str_add(out, "}}");
    if (str_error(out))
        str_free(out);
}

const char *snug_served_json(const snug_served *given, size_t *len)
{
    snug_served *served = (snug_served *)(uintptr_t)given; /* its text is made once */

    pthread_mutex_lock(&served->lock);
    if (served->json.len == 0)
        encode_served(served);
    pthread_mutex_unlock(&served->lock);
    if (len)
        *len = served->json.len;
    return served->json.len > 0 ? served->json.data : NULL;
}

void snug_served_free(snug_served *served)
{
    if (!served)
        return;
    snug_result_free(served->result);
    arrival_free(&served->arrival);
    pthread_mutex_destroy(&served->lock);
    str_free(&served->json);
    free(served->tenant);
    free(served);
}
