/* snug cells: JSON Lines in and out, many sessions in one process. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/str.h"
#include "cli/cells/cell_answer.h"
#include "cli/cells/crew.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "cli/program/signals.h"
#include "cli/run/input.h"
#include "cli/terminal/lines.h"
#include "cli/tools/user_tools.h"

/* ---- calls that are asked about ---- */

typedef struct asked_call asked_call;

typedef struct cell_asking {
    answers *answers;
    pthread_mutex_t lock; /* of what follows */
    asked_call *first;
    uint64_t asked;
    int is_over; /* no further line comes */
} cell_asking;

struct asked_call {
    snug_call *call; /* to be answered once */
    uint64_t number;
    char *session;
    asked_call *next;
};

/* ---- asking ---- */

static int write_question(str *out, const asked_call *one)
{
    const char *name = snug_call_name(one->call);
    int error = str_add(out, "{\"schema\":\"snug.approval/1\",\"session\":");

    if (!error)
        error = jsontext_quote(out, one->session, strlen(one->session));
    if (!error)
        error = str_printf(out, ",\"call\":%llu,\"tool\":", (unsigned long long)one->number);
    if (!error)
        error = jsontext_quote(out, name, strlen(name));
    if (!error)
        error = str_printf(out, ",\"arguments\":%s}", snug_call_arguments(one->call));
    return error;
}

static asked_call *make_asked(const char *session, snug_call *call)
{
    asked_call *one = calloc(1, sizeof *one);
    if (!one)
        return NULL;
    one->call = call;
    one->session = strdup(session);
    if (one->session)
        return one;
    free(one);
    return NULL;
}

static void free_asked(asked_call *one)
{
    free(one->session);
    free(one);
}

/* Writes snug.approval/1 of a call of that session's. Any thread. */
static void cell_ask(cell_asking *a, const char *session, snug_call *call)
{
    static const request nothing = { 0 };
    asked_call *one = make_asked(session, call);
    str line = { 0 };

    /* The answer may come as soon as the line is out. */
    pthread_mutex_lock(&a->lock);
    int is_asked = one && !a->is_over;
    if (is_asked) {
        one->number = ++a->asked;
        is_asked = write_question(&line, one) == SNUG_OK;
    }
    if (is_asked) {
        one->next = a->first;
        a->first = one;
        secrets_hide_str(&line);
        answer_json(a->answers, &nothing, line.data, line.len);
    }
    pthread_mutex_unlock(&a->lock);
    str_free(&line);
    if (is_asked)
        return;

    snug_call_approve(call, SNUG_APPROVAL_REFUSE,
                      one ? "nobody can be asked: the input has ended"
                          : "out of memory for the question");
    if (one)
        free_asked(one);
}

/* ---- answers ---- */

static asked_call *remove_asked(cell_asking *a, const request *r)
{
    asked_call **at = &a->first;

    while (*at && ((*at)->number != r->call || strcmp((*at)->session, r->session) != 0))
        at = &(*at)->next;
    asked_call *one = *at;
    if (one)
        *at = one->next;
    return one;
}

/* Takes the answer of a request, on the thread that reads, and answers that. */
static void cell_asking_take(cell_asking *a, const request *r)
{
    char why[512];

    pthread_mutex_lock(&a->lock);
    asked_call *one = remove_asked(a, r);
    pthread_mutex_unlock(&a->lock);
    if (!one) {
        snprintf(why, sizeof why, "no call %llu of session \"%.256s\" waits for an answer",
                 (unsigned long long)r->call, r->session);
        answer_error(a->answers, r, SNUG_ENOTFOUND, why);
        return;
    }

    /* Before what comes of it. */
    answer_fact(a->answers, r, "snug.approved/1", "waited", snug_call_is_wanted(one->call));
    snug_call_approve(one->call, r->approval,
                      r->approval == SNUG_APPROVAL_REFUSE ? r->reason : NULL);
    free_asked(one);
}

/* The session's cell is over: what it has asked is of no use any more. session NULL: no further
 * line comes, and what waits is refused. */
static void cell_asking_end(cell_asking *a, const char *session)
{
    asked_call *over = NULL;

    pthread_mutex_lock(&a->lock);
    a->is_over |= session == NULL;
    for (asked_call **at = &a->first; *at;) {
        asked_call *one = *at;
        if (session && strcmp(one->session, session) != 0) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        one->next = over;
        over = one;
    }
    pthread_mutex_unlock(&a->lock);

    while (over) {
        asked_call *one = over;
        over = one->next;
        snug_call_approve(one->call, SNUG_APPROVAL_REFUSE,
                          "nobody can be asked: the input has ended");
        free_asked(one);
    }
}

enum { LINE_BYTES = 64 * 1024 * 1024 };

typedef struct cells {
    const options *options;
    snug_host *host;
    signals signals;
    answers answers;
    crew crew;
    tools tools;
    cell_asking asking;
    _Atomic uint64_t told; /* of the host's ill health */
} cells;

/* ---- on a thread of the crew ---- */

static void say_session(const cells *c, const slot *s, const char *what)
{
    if (c->options->is_verbose)
        fprintf(stderr, "snug: session %s %s\n", s->name, what);
}

/* Once for each thread or lock that is lost. */
static void tell_health(cells *c)
{
    snug_health health = SNUG_HEALTH_INIT;
    if (snug_host_health(&health, c->host))
        return;

    uint64_t all = health.hung_threads + health.torn_locks;
    if (atomic_exchange(&c->told, all) < all)
        fprintf(stderr,
                "snug: %llu threads that could not be ended still run, %llu locks of the process "
                "are lost: restart snug when convenient\n",
                (unsigned long long)health.hung_threads, (unsigned long long)health.torn_locks);
}

static void on_approval(void *payload, snug_call *call)
{
    const slot *s = payload;
    cells *c = s->owner;
    cell_ask(&c->asking, s->name, call);
}

/* Opens at first use. Answers a snug_error. */
static int open_slot(cells *c, slot *s)
{
    if (s->session)
        return SNUG_OK;
    if (crew_is_dropping(&c->crew))
        return error_set(SNUG_EBUSY, "snug is ending");

    snug_session_options session_options = c->options->session;
    session_options.name = s->name;
    session_options.on_approval = on_approval;
    session_options.payload = s;
    s->owner = c;
    session_options.journal = c->tools.journal;
    snug_session *session;
    int error = snug_session_open(&session, c->host, &session_options);
    if (error)
        return error;
    if ((error = tools_bind(&c->tools, session))) {
        snug_session_close(session);
        return error;
    }

    crew_set_session(&c->crew, s, session);
    say_session(c, s, "opened");
    return SNUG_OK;
}

static void close_slot(void *payload, slot *s)
{
    cells *c = payload;
    snug_session *session = s->session;

    snug_notebook_close(s->notebook);
    s->notebook = NULL;
    if (!session)
        return;

    crew_set_session(&c->crew, s, NULL);
    snug_session_close(session);
    say_session(c, s, "closed");
}

/* What was recorded is of the session as it was. */
static void forget_notebook(slot *s)
{
    int is_recorded = s->notebook != NULL;
    snug_notebook_close(s->notebook);
    s->notebook = NULL;
    if (is_recorded)
        snug_notebook_open(&s->notebook);
}

/* Into the session's notebook, once a cell has asked for one. */
static int record_cell(slot *s, const request *r, snug_result *result)
{
    int error = SNUG_OK;

    if (r->records && !s->notebook)
        error = snug_notebook_open(&s->notebook);
    if (!error && s->notebook)
        error = snug_notebook_add(s->notebook, r->code, r->code_bytes, result);

    /* A source that is not text is not recorded; the result has its syntax error. */
    return error == SNUG_EINVAL ? SNUG_OK : error;
}

static int serve_code(cells *c, slot *s, const request *r)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_result *result;
    int is_new = !s->session;

    limits.wall_ms = r->timeout_ms;
    int error = open_slot(c, s);
    if (!error && r->resets && !is_new) {
        forget_notebook(s);
        error = snug_session_reset(s->session);
    }

    if (!error)
        error = snug_session_run(&result, s->session, r->code, r->code_bytes, &limits);
    cell_asking_end(&c->asking, s->name);
    crew_ended(&c->crew, s);
    if (error)
        return error;

    error = record_cell(s, r, result);
    if (!error)
        answer_result(&c->answers, r, result);
    snug_result_free(result);
    tell_health(c);
    return error;
}

static int serve_save(cells *c, slot *s, const request *r)
{
    snug_saved *saved;
    int error = open_slot(c, s);

    if (!error && r->op == REQUEST_SAVE)
        error = snug_session_save(&saved, s->session, r->path);
    else if (!error)
        error = snug_session_restore(&saved, s->session, r->path);

    crew_ended(&c->crew, s);
    if (error)
        return error;

    if (r->op == REQUEST_RESTORE)
        forget_notebook(s);
    answer_saved(&c->answers, r, saved);
    snug_saved_free(saved);
    return SNUG_OK;
}

static int serve_export(cells *c, slot *s, const request *r)
{
    if (!s->notebook) {
        answer_error(&c->answers, r, SNUG_EINVAL,
                     "the session is not recorded: a cell with \"record\": true begins it");
        return SNUG_OK;
    }

    int error = snug_notebook_write(s->notebook, r->path);
    if (!error)
        answer_path(&c->answers, r, "snug.exported/1");
    return error;
}

static int serve_reset(cells *c, slot *s, const request *r)
{
    int is_new = !s->session;
    int error = open_slot(c, s);

    forget_notebook(s);
    if (!error && !is_new)
        error = snug_session_reset(s->session);
    if (!error)
        answer_fact(&c->answers, r, "snug.reset/1", NULL, 0);
    return error;
}

static int serve_complete(cells *c, slot *s, const request *r)
{
    snug_completion *completion;
    int error = open_slot(c, s);

    if (!error)
        error = snug_session_complete(&completion, s->session, r->code, r->code_bytes, r->cursor);
    crew_ended(&c->crew, s);
    if (error)
        return error;

    answer_completion(&c->answers, r, completion);
    snug_completion_free(completion);
    return SNUG_OK;
}

static int serve_is_complete(cells *c, slot *s, const request *r)
{
    int answer = open_slot(c, s);
    if (!answer)
        answer = snug_session_is_complete(s->session, r->code, r->code_bytes);
    if (answer < 0)
        return answer;
    answer_fact(&c->answers, r, "snug.is_complete/1", "is_complete", answer);
    return SNUG_OK;
}

/* Of a session's names. */
static int serve_description(cells *c, slot *s, const request *r)
{
    snug_description *description;
    size_t len;
    int error = open_slot(c, s);

    if (!error && r->op == REQUEST_VARS)
        error = snug_session_list_variables(&description, s->session);
    else if (!error)
        error = snug_session_inspect(&description, s->session, r->code, r->code_bytes, r->cursor);

    crew_ended(&c->crew, s);
    if (error)
        return error;

    const char *json = snug_description_json(description, &len);
    answer_json(&c->answers, r, json, len);
    snug_description_free(description);
    return SNUG_OK;
}

static int serve_put(cells *c, slot *s, const request *r)
{
    int error = open_slot(c, s);
    if (!error)
        error = snug_session_put_file(s->session, r->path, r->data, r->data_bytes);
    if (!error)
        answer_path(&c->answers, r, "snug.put/1");
    return error;
}

static int serve_get(cells *c, slot *s, const request *r)
{
    snug_file *file;
    int error = open_slot(c, s);

    if (!error)
        error = snug_session_get_file(&file, s->session, r->path, r->max_bytes);
    if (error)
        return error;

    answer_file(&c->answers, r, file);
    snug_file_free(file);
    return SNUG_OK;
}

static int serve_files(cells *c, slot *s, const request *r)
{
    snug_listing *listing;
    int error = open_slot(c, s);

    if (!error)
        error = snug_session_list_files(&listing, s->session);
    if (error)
        return error;

    answer_listing(&c->answers, r, listing);
    snug_listing_free(listing);
    return SNUG_OK;
}

static int serve_remove(cells *c, slot *s, const request *r)
{
    int error = open_slot(c, s);
    if (!error)
        error = snug_session_remove_file(s->session, r->path);
    if (!error)
        answer_path(&c->answers, r, "snug.removed/1");
    return error;
}

static void serve_request(void *payload, slot *s)
{
    cells *c = payload;
    const request *r = s->current;
    int error = SNUG_OK;

    switch (r->op) {
    case REQUEST_CODE:
        error = serve_code(c, s, r);
        break;
    case REQUEST_RESET:
        error = serve_reset(c, s, r);
        break;
    case REQUEST_COMPLETE:
        error = serve_complete(c, s, r);
        break;
    case REQUEST_IS_COMPLETE:
        error = serve_is_complete(c, s, r);
        break;
    case REQUEST_VARS:
    case REQUEST_INSPECT:
        error = serve_description(c, s, r);
        break;
    case REQUEST_SAVE:
    case REQUEST_RESTORE:
        error = serve_save(c, s, r);
        break;
    case REQUEST_EXPORT:
        error = serve_export(c, s, r);
        break;
    case REQUEST_PUT:
        error = serve_put(c, s, r);
        break;
    case REQUEST_GET:
        error = serve_get(c, s, r);
        break;
    case REQUEST_FILES:
        error = serve_files(c, s, r);
        break;
    case REQUEST_REMOVE:
        error = serve_remove(c, s, r);
        break;
    case REQUEST_CLOSE:
        close_slot(c, s);
        answer_fact(&c->answers, r, "snug.closed/1", NULL, 0);
        break;
    case REQUEST_REFUSED:
        answer_error(&c->answers, r, SNUG_EINVAL, r->why);
        break;
    case REQUEST_INTERRUPT: /* taken on the reading thread */
    case REQUEST_APPROVE:
        break;
    }

    /* What is thrown away is not answered. */
    if (error && !crew_is_dropping(&c->crew))
        answer_error(&c->answers, r, error, secrets_error_message());
}

/* ---- on the reading thread ---- */

typedef struct interruption {
    cells *cells;
    const request *request;
} interruption;

static void tell_running(void *payload, int running)
{
    const interruption *i = payload;
    answer_fact(&i->cells->answers, i->request, "snug.interrupt/1", "running", running);
}

static void interrupt_cell(cells *c, const request *r)
{
    interruption i = { c, r };
    char why[512];
    if (crew_interrupt(&c->crew, r->session, tell_running, &i) >= 0)
        return;
    snprintf(why, sizeof why, "no session \"%s\" is open", r->session);
    answer_error(&c->answers, r, SNUG_ENOTFOUND, why);
}

/* Takes the request. */
static void handle_request(cells *c, request *r)
{
    static const request nothing = { 0 };

    if (!r) {
        answer_error(&c->answers, &nothing, SNUG_ENOMEM, "out of memory for a line");
        return;
    }

    if (r->op == REQUEST_INTERRUPT) {
        interrupt_cell(c, r);
    } else if (r->op == REQUEST_APPROVE) {
        cell_asking_take(&c->asking, r);
    } else if (!r->session || r->is_urgent) {
        answer_error(&c->answers, r, SNUG_EINVAL, r->why);
    } else if (crew_push(&c->crew, r)) {
        answer_error(&c->answers, r, SNUG_ENOMEM, "out of memory for a line");
    } else {
        return;
    }
    request_free(r);
}

static int is_blank_line(const char *line, size_t len)
{
    size_t at = 0;
    while (at < len && (is_blank(line[at]) || line[at] == '\r'))
        at++;
    return at == len;
}

/* Until the input ends or a signal comes. */
static int read_requests(cells *c)
{
    lines in;
    const char *line;
    size_t len;
    int status = EXIT_FINE;

    lines_init(&in, STDIN_FILENO, signals_fd(&c->signals), LINE_BYTES);
    for (int is_open = 1; is_open;) {
        switch (lines_next(&in, &line, &len)) {
        case LINES_LINE:
            if (!is_blank_line(line, len))
                handle_request(c, request_parse(line, len));
            break;
        case LINES_LONG:
            handle_request(c, request_refuse("a line has more than 64 MiB"));
            break;
        case LINES_WOKEN:
            while (signals_next(&c->signals))
                ;
            is_open = !signals_taken(&c->signals);
            break;
        case LINES_FAILED:
            status = command_fail(EXIT_USAGE, "%s", error_message());
            is_open = 0;
            break;
        case LINES_END:
            is_open = 0;
            break;
        }
    }

    lines_free(&in);
    return status;
}

static void drop_requests(void *payload)
{
    crew_drop(payload);
}

int command_cells(const options *o)
{
    cells c = { .options = o,
                .answers = { .lock = PTHREAD_MUTEX_INITIALIZER },
                .asking = { .lock = PTHREAD_MUTEX_INITIALIZER } };

    if (input_check_stdin())
        return command_fail(EXIT_USAGE, "%s", error_message());
    c.answers.signals = &c.signals;
    c.asking.answers = &c.answers;
    if (signals_start(&c.signals) || crew_start(&c.crew, serve_request, &c))
        return command_fail(EXIT_USAGE, "%s", error_message());

    signals_on_end(&c.signals, drop_requests, &c.crew);
    int status = tools_open(&c.tools, o, &c.signals);
    if (!status)
        status = command_open_host(&c.host, o, &c.signals);
    if (!status)
        status = read_requests(&c);
    cell_asking_end(&c.asking, NULL);
    crew_finish(&c.crew, close_slot);
    int taken = signals_taken(&c.signals);
    if (taken)
        status = taken == SIGPIPE ? EXIT_FAILED : 128 + taken;
    const int replayed = tools_close(&c.tools);
    snug_host_close(c.host);
    signals_stop(&c.signals);
    return status ? status : replayed;
}
