/*
 * client.c - model.h: one question to a model, with all that it takes to get an answer.
 */
#include "agent/model/model.h"

#include <snug/snug.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "agent/model/extras.h"
#include "agent/model/http.h"
#include "agent/model/key.h"
#include "agent/model/model_fault.h"
#include "agent/model/provider.h"
#include "agent/model/retry.h"
#include "base/clock.h"
#include "base/error.h"
#include "wire/sse.h"

struct model {
    str name; /* "provider:model" */
    const char *model;
    const provider *provider;
    provider_place place;
    str key, key_header;      /* empty: none */
    const char *other_header; /* NULL: none */
    extras extras;
    str *secrets;          /* the key and those of the extras, whose bytes these are */
    key_list keys;         /* the same */
    model_options options; /* without its texts */
    retry_rule rule;
    uint64_t random;
    unsigned quirks; /* of dialect_quirk, learnt */
    http *http;
};

enum {
    LONGEST_WHOLE_MS = 600000,     /* of a reply that comes whole, where no time was set */
    MOST_REFUSAL_BYTES = 64 << 10, /* that are read of a refusal's body */
    MOST_EVENT_BYTES = 16 << 20    /* where the reply has no bound */
};

/* ---- opening ---- */

enum { BACKOFF_MS = 500, LONGEST_WAIT_MS = 60000 };

/* Of the dialect, unless the caller has one of the same name. */
static void choose_headers(model *m)
{
    const char *other = m->provider->dialect->other_header;

    if (other && !extras_has_header(&m->extras, other))
        m->other_header = other;
    if (extras_has_header(&m->extras, provider_key_header(m->provider)))
        key_wipe(&m->key_header);
}

static int list_secrets(model *m)
{
    const extras *e = &m->extras;

    m->secrets = calloc(e->secret_count + 1, sizeof *m->secrets);
    if (!m->secrets)
        return error_no_memory();
    m->secrets[0] = m->key;
    for (size_t i = 0; i < e->secret_count; i++)
        m->secrets[i + 1] = e->secrets[i];
    m->keys = (key_list){ m->secrets, e->secret_count + 1 };
    return SNUG_OK;
}

static int read_key(model *m, const model_options *options)
{
    const provider *p = m->provider;
    int error = key_read(&m->key, options->key_file, p->key_variable);
    if (error)
        return error;

    if (m->key.len == 0 && m->extras.header_count == 0) {
        if (p->needs_key && m->place.is_own)
            return error_set(SNUG_EINVAL, "%s needs a key: set the variable %s or name a key file",
                             str_text(&m->name), p->key_variable);
        return SNUG_OK;
    }

    error = provider_check_key(&m->place, options->base_url != NULL);
    if (error || m->key.len == 0)
        return error;
    return provider_write_key(&m->key_header, p, &m->key);
}

static void copy_options(model *m, const model_options *options)
{
    m->options = *options;
    m->options.name = m->options.base_url = m->options.key_file = NULL;
    m->options.request_fields = m->options.headers = NULL;

    m->rule = (retry_rule){ options->retries, options->backoff_ms, options->longest_wait_ms };
    if (m->rule.backoff_ms == 0)
        m->rule.backoff_ms = BACKOFF_MS;
    if (m->rule.longest_wait_ms == 0)
        m->rule.longest_wait_ms = LONGEST_WAIT_MS;
}

static int open_parts(model *m, const model_options *options)
{
    int error;

    if ((error = provider_find(&m->provider, &m->model, str_text(&m->name))) ||
        (error = provider_locate(&m->place, m->provider, m->model, options->base_url)) ||
        (error = extras_read(&m->extras, options->request_fields, options->headers)) ||
        (error = read_key(m, options)) || (error = list_secrets(m)))
        return error;
    return http_open(&m->http);
}

int model_open(model **out, const model_options *options)
{
    model *m = calloc(1, sizeof *m);
    int error = !m || str_add(&m->name, options->name) ? error_no_memory() : SNUG_OK;

    if (!error)
        error = open_parts(m, options);
    if (error) {
        model_close(m);
        return error;
    }

    choose_headers(m);
    copy_options(m, options);
    if (getrandom(&m->random, sizeof m->random, GRND_NONBLOCK) != sizeof m->random)
        m->random = clock_now_ns();
    *out = m;
    return SNUG_OK;
}

void model_close(model *m)
{
    if (!m)
        return;
    http_close(m->http);
    free(m->secrets);
    extras_free(&m->extras);
    key_wipe(&m->key);
    key_wipe(&m->key_header);
    provider_place_free(&m->place);
    str_free(&m->name);
    free(m);
}

const char *model_name(const model *m)
{
    return str_text(&m->name);
}

int model_has_tools(const model *m)
{
    return m->provider->has_tools;
}

void model_cancel(model *m)
{
    http_cancel(m->http);
}

void model_resume(model *m)
{
    http_resume(m->http);
}

int model_hide_key(const model *m, str *text)
{
    return key_hide_all(text, &m->keys);
}

int model_write_key(str *out, const model *m, const model_request *request)
{
    int error = str_printf(out, "%s\n%s\n", str_text(&m->place.url), str_text(&m->name));

    if (!error)
        error = m->provider->dialect->write(out, m->model, request, 0, 0);
    if (error)
        return error;
    return extras_write(out, &m->extras);
}

/* ---- one request ---- */

/* One request and what came of it. */
typedef struct attempt {
    const model *m;
    const model_request *request;
    model_reply *reply;
    dialect_reader reader;
    sse events;
    str body; /* of a whole reply, or of a refusal */
    key_filter filter;
    int is_begun, is_stream;
    int is_page; /* of the web: nothing of a model's */
    int error;   /* of reading: SNUG_OK, SNUG_ENOMEM, SNUG_EINVAL */
    const char *problem;
} attempt;

static void show(attempt *a, const str *text)
{
    if (text->len > 0)
        a->request->on_text(a->request->payload, text->data, text->len);
}

static void on_text(void *payload, const char *text, size_t len)
{
    attempt *a = payload;
    str shown = { 0 };
    if (key_filter_feed(&shown, &a->filter, text, len))
        a->error = SNUG_ENOMEM;
    else
        show(a, &shown);
    str_free(&shown);
}

static int end_text(attempt *a)
{
    str shown = { 0 };
    int error = key_filter_end(&shown, &a->filter);
    if (!error && a->request->on_text)
        show(a, &shown);
    str_free(&shown);
    return error;
}

static int on_event(void *payload, const char *event, const char *data, size_t len)
{
    attempt *a = payload;

    (void)event; /* both dialects name it in the data */
    if (a->reader.is_ended)
        return SNUG_OK;

    int error = a->m->provider->dialect->read_event(&a->reader, data, len);
    if (!error)
        error = a->error;
    if (!error && a->reader.error.is_present)
        error = SNUG_EINVAL; /* what follows an error is not a reply */
    return error;
}

/* A server may answer a request for a stream with a whole reply, and says so; some say nothing
 * that helps. */
static void begin_reply(attempt *a, const http_reply *got, const char *data)
{
    const model_options *options = &a->m->options;
    const char *type = str_text(&got->content_type);
    size_t most = MOST_EVENT_BYTES;

    if (options->reply_bytes > 0 && options->reply_bytes < MOST_EVENT_BYTES)
        most = (size_t)options->reply_bytes;
    a->is_begun = 1;
    a->is_page = strcasestr(type, "html") || *(data + strspn(data, " \t\r\n")) == '<';
    a->is_stream =
        strcasestr(type, "event-stream") || (options->is_streaming && !strcasestr(type, "json"));
    sse_init(&a->events, most, on_event, a);
}

/* data ends with a zero byte. */
static int on_data(void *payload, const http_reply *got, const char *data, size_t len)
{
    attempt *a = payload;

    if (got->status >= 300) {
        size_t room = MOST_REFUSAL_BYTES - a->body.len;
        a->error = str_append(&a->body, data, len < room ? len : room);
        return a->error ? -1 : HTTP_GO_ON;
    }

    if (!a->is_begun)
        begin_reply(a, got, data);
    if (a->is_page)
        return -1;
    if (a->is_stream)
        a->error = sse_feed(&a->events, data, len);
    else
        a->error = str_append(&a->body, data, len);

    if (a->error)
        return -1;
    if (a->reader.is_ended)
        return HTTP_ENOUGH;
    const model_reply *reply = a->reply; /* has something of it come? */
    return reply->text.len > 0 || reply->thinking.len > 0 || reply->call_count > 0 ? HTTP_FLOWS
                                                                                   : HTTP_GO_ON;
}

/* Reads what is not read yet. SNUG_OK or SNUG_ENOMEM; what is not a reply is in a->problem. */
static int read_rest(attempt *a, const http_reply *got)
{
    int error = a->error;

    if (!error && got->status >= 300)
        error = dialect_read_refusal(&a->reader.error, str_text(&a->body), a->body.len);
    else if (!error && got->fault == HTTP_FINE && a->is_begun && !a->is_stream)
        error = a->m->provider->dialect->read_whole(&a->reader, str_text(&a->body), a->body.len);

    if (!error && a->reader.is_complete)
        error = dialect_finish(&a->reader);
    if (!error && a->reader.is_complete && a->request->shape)
        error = dialect_take_shape(a->reply, a->request->shape);
    if (error == SNUG_EINVAL && !a->reader.error.is_present)
        a->problem = a->reader.problem ? a->reader.problem : "an event of it has no end";
    return error == SNUG_ENOMEM ? error : SNUG_OK;
}

/* Of a stream: what flows is never cut, unless the caller has set a time for all of it. A whole
 * reply takes its time. */
static void set_times(http_request *out, const model *m)
{
    const model_options *options = &m->options;
    const int has_total = options->total_ms > 0 && options->total_ms != SNUG_UNLIMITED;

    out->connect_ms = options->connect_ms;
    out->idle_ms = options->idle_ms;
    out->total_ms = options->total_ms;
    if (!options->is_streaming) {
        out->total_ms = has_total ? options->total_ms : LONGEST_WHOLE_MS;
        return;
    }

    out->first_ms = options->first_token_ms;
    /* A server of one's own may have to load the model first. */
    const int is_own = m->place.is_loopback || !m->provider->needs_key;
    if (is_own && options->local_first_token_ms > 0)
        out->first_ms = options->local_first_token_ms;
}

static http_request request_of(attempt *a, const str *body)
{
    const model *m = a->m;
    http_request request = {
        .url = str_text(&m->place.url),
        .key_header = m->key_header.len ? m->key_header.data : NULL,
        .other_header = m->other_header,
        .headers = m->extras.headers,
        .body = str_text(body),
        .body_len = body->len,
        .is_direct = m->place.is_loopback,
        .most_bytes = m->options.reply_bytes,
        .deadline_ns = a->request->deadline_ns,
        .on_data = on_data,
        .payload = a,
    };

    set_times(&request, m);
    return request;
}

/* ---- usage ---- */

static uint64_t estimate(size_t bytes)
{
    return ((uint64_t)bytes + 3) / 4;
}

/* Adds what the request used. One that was refused used nothing; a reply that broke off did. */
static void count_used(model_usage *total, const attempt *a, int status, size_t body_len)
{
    model_usage used = a->reply->usage;
    size_t written = a->reply->text.len + a->reply->thinking.len;

    total->requests++;
    if (status < 200 || status >= 300)
        return;

    for (size_t i = 0; i < a->reply->call_count; i++)
        written += a->reply->calls[i].name.len + a->reply->calls[i].arguments.len;
    if (!a->reader.has_input_tokens || used.input_tokens == 0) {
        used.input_tokens = estimate(body_len);
        total->is_estimated = 1;
    }

    /* The beginning of a stream counts what was written then. */
    if (!a->reader.has_output_tokens || !a->reader.is_complete ||
        (used.output_tokens == 0 && written > 0)) {
        if (used.output_tokens < estimate(written))
            used.output_tokens = estimate(written);
        total->is_estimated = 1;
    }

    total->input_tokens += used.input_tokens;
    total->output_tokens += used.output_tokens;
    total->cached_tokens += used.cached_tokens;
    total->written_tokens += used.written_tokens;
}

/* ---- asking ---- */

/* A question from its first request to the last. */
typedef struct asking {
    model *m;
    const model_request *request;
    model_reply *reply;
    model_usage total;
    str body;
    unsigned attempts;
    int is_done;
    uint64_t wait_ms; /* before the next request, where it is not done */
    int is_relearnt;  /* the next request is another one, and needs no wait */
} asking;

static int write_body(asking *k)
{
    const model *m = k->m;
    str_clear(&k->body);
    int error = m->provider->dialect->write(&k->body, m->model, k->request, m->options.is_streaming,
                                            m->quirks);
    if (error)
        return error;
    return extras_write(&k->body, &m->extras);
}

/* Whether, and when, the next request is made. */
static int plan_next(asking *k, fault_finding *v, const http_reply *got)
{
    uint64_t asked_ms = 0;
    const retry_rule *rule = &k->m->rule;

    k->is_done = !v->helps || k->attempts > rule->retries;
    if (k->is_done)
        return SNUG_OK;

    k->wait_ms = retry_backoff_ms(rule, k->attempts - 1, retry_random(&k->m->random));
    if (got->status >= 300 && retry_after_ms(&asked_ms, str_text(&got->retry_after_ms),
                                             str_text(&got->retry_after), (int64_t)time(NULL)))
        k->wait_ms = asked_ms;

    if (k->wait_ms > rule->longest_wait_ms) {
        k->is_done = 1;
        v->fault = MODEL_RATE_LIMITED;
        return str_printf(&v->sentence,
                          "; it asks to wait for %" PRIu64 " ms, which is longer than %" PRIu64
                          " ms",
                          k->wait_ms, rule->longest_wait_ms);
    }

    if (clock_deadline_ns(clock_now_ns(), k->wait_ms) >= k->request->deadline_ns) {
        k->is_done = 1;
        v->fault = MODEL_PAST_DEADLINE;
        return str_add(&v->sentence, "; the time for the question is up before the next request "
                                     "(--max-seconds)");
    }

    return SNUG_OK;
}

/* Takes over what was found. */
static int take_finding(asking *k, fault_finding *v, const attempt *a, const http_reply *got)
{
    const int has_shape = k->request->shape != NULL;
    unsigned quirk = dialect_learn(&a->reader.error, got->status, k->m->quirks, has_shape);
    int error = SNUG_OK;

    k->is_relearnt = v->fault == MODEL_BAD_REQUEST && quirk;
    if (k->is_relearnt) {
        k->m->quirks |= quirk;
        error = write_body(k);
    } else {
        k->attempts++;
        error = plan_next(k, v, got);
    }

    k->reply->fault = v->fault;
    k->reply->http_status = got->status;
    str_free(&k->reply->sentence);
    k->reply->sentence = v->sentence;
    v->sentence = (str){ 0 };
    return error;
}

static int hide_reply(const model *m, model_reply *reply)
{
    int error;

    if ((error = key_hide_all(&reply->text, &m->keys)) ||
        (error = key_hide_all(&reply->thinking, &m->keys)))
        return error;
    for (size_t i = 0; i < reply->call_count; i++)
        if ((error = key_hide_all(&reply->calls[i].id, &m->keys)) ||
            (error = key_hide_all(&reply->calls[i].name, &m->keys)) ||
            (error = key_hide_all(&reply->calls[i].arguments, &m->keys)))
            return error;

    return SNUG_OK;
}

static int ask_once(asking *k)
{
    attempt a = { .m = k->m, .request = k->request, .reply = k->reply };
    http_reply got = { 0 };
    fault_finding v = { 0 };

    a.filter.keys = &k->m->keys;
    a.reader.reply = k->reply;
    if (k->request->on_text)
        a.reader.on_text = on_text;
    a.reader.payload = &a;
    http_request request = request_of(&a, &k->body);
    int error = http_post(&got, k->m->http, &request);
    if (!error)
        error = read_rest(&a, &got);
    if (!error)
        error = end_text(&a);
    const fault_facts facts = { .name = str_text(&k->m->name),
                                .place = &k->m->place,
                                .keys = &k->m->keys,
                                .http = &got,
                                .request = &request,
                                .reader = &a.reader,
                                .problem = a.problem,
                                .is_page = a.is_page };
    if (!error)
        error = fault_find(&v, &facts);
    if (!error)
        count_used(&k->total, &a, got.status, k->body.len);
    if (!error)
        error = take_finding(k, &v, &a, &got);
    if (!error)
        error = hide_reply(k->m, k->reply);
    str_free(&v.sentence);
    http_reply_free(&got);
    dialect_reader_free(&a.reader);
    sse_free(&a.events);
    str_free(&a.body);
    key_wipe(&a.filter.held);
    return error;
}

/* Before the first request, and while waiting for the next. */
static int stop_early(asking *k, model_fault fault, const char *what)
{
    k->is_done = 1;
    k->reply->fault = fault;
    str_clear(&k->reply->sentence);
    return str_printf(&k->reply->sentence, "%s: %s", str_text(&k->m->name), what);
}

/* Waits as was planned, and forgets the reply that failed. */
static int wait_for_next(asking *k)
{
    uint64_t until = clock_deadline_ns(clock_now_ns(), k->wait_ms);

    if (!k->is_relearnt) {
        if (k->request->on_retry)
            k->request->on_retry(k->request->payload, str_text(&k->reply->sentence), k->wait_ms);
        if (http_wait(k->m->http, until))
            return stop_early(k, MODEL_CANCELLED, "the request was cancelled");
    }

    model_reply_free(k->reply);
    return SNUG_OK;
}

static int ask_all(asking *k)
{
    int error = write_body(k);
    if (!error && http_is_cancelled(k->m->http))
        return stop_early(k, MODEL_CANCELLED, "the request was cancelled");

    if (!error && clock_now_ns() >= k->request->deadline_ns)
        return stop_early(k, MODEL_PAST_DEADLINE,
                          "the time for the question was up (--max-seconds)");
    while (!error) {
        error = ask_once(k);
        if (error || k->is_done)
            break;
        error = wait_for_next(k);
        if (k->is_done)
            break;
    }

    if (!error && k->reply->fault && k->attempts > 1)
        error =
            str_printf(&k->reply->sentence, " (request %u of %" PRIu64 "); --retries allows more",
                       k->attempts, (uint64_t)k->m->rule.retries + 1);
    return error;
}

int model_ask(model_reply *out, model *m, const model_request *request)
{
    asking k = { .m = m, .request = request, .reply = out };

    *out = (model_reply){ 0 };
    int error = ask_all(&k);
    str_free(&k.body);
    if (error) {
        model_reply_free(out);
        return error_no_memory();
    }

    out->usage = k.total;
    return SNUG_OK;
}
