#include "agent/model/model_fault.h"

#include <snug/snug.h>

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "agent/model/retry.h"
#include "agent/text/clip.h"
#include "base/utf8.h"

/* ---- what others said ---- */

int fault_quote(str *out, const char *text, size_t len, const key_list *keys)
{
    str copy = { 0 };
    int error = str_append(&copy, text, len);

    if (!error)
        error = key_hide_all(&copy, keys);
    if (!error && copy.len > 0) {
        const size_t shown = clip_line(copy.data, copy.len);
        const int is_long = shown > FAULT_MOST_QUOTED;
        str_append(out, copy.data,
                   is_long ? utf8_floor(copy.data, shown, FAULT_MOST_QUOTED) : shown);
        error = str_add(out, is_long ? "..." : "");
    }

    key_wipe(&copy);
    return error;
}

/* ": what it said", or nothing. */
static int add_said(str *out, const str *said, const key_list *keys)
{
    str quoted = { 0 };
    int error = fault_quote(&quoted, str_text(said), said->len, keys);

    if (!error && quoted.len > 0)
        error = str_printf(out, ": %s", quoted.data);
    str_free(&quoted);
    return error;
}

int fault_add_reason(str *out, const str *body, const str *key)
{
    const key_list keys = { key, 1 };
    dialect_error said = { 0 };
    int error = dialect_read_refusal(&said, str_text(body), body->len);

    if (!error)
        error = add_said(out, &said.message, &keys);
    dialect_error_free(&said);
    return error;
}

/* ---- nothing came, or not all ---- */

static int add_limit(str *out, uint64_t limit, int is_size, const char *option)
{
    if (is_size)
        return str_printf(out, " %" PRIu64 " bytes (%s)", limit, option);
    if (limit < 1000)
        return str_printf(out, " %" PRIu64 " ms (%s)", limit, option);
    return str_printf(out, " %g s (%s)", (double)limit / 1000, option);
}

static int judge_broken(fault_finding *out, const fault_facts *facts)
{
    const http_request *request = facts->request;

    const struct {
        model_fault fault;
        int helps;
        const char *before, *after; /* of the host; then comes the limit */
        uint64_t limit;
        const char *option; /* that is the limit */
    } rows[] = {
        [HTTP_NOT_CONNECTED] = { MODEL_UNAVAILABLE, 1, " cannot be reached at ", "", 0, NULL },
        [HTTP_NOT_TRUSTED] = { MODEL_UNAVAILABLE, 0, " is not trusted at ", "", 0, NULL },
        [HTTP_BROKEN] = { MODEL_UNAVAILABLE, 1, ": the connection to ", " broke", 0, NULL },
        [HTTP_SLOW_CONNECT] = { MODEL_TIMED_OUT, 1, ": no connection to ", " within",
                                request->connect_ms, "--connect-timeout" },
        [HTTP_SLOW_FIRST] = { MODEL_TIMED_OUT, 1, ": no answer from ", " within", request->first_ms,
                              "--first-token-timeout" },
        [HTTP_IDLE] = { MODEL_TIMED_OUT, 1, ": nothing more came from ", " for", request->idle_ms,
                        "--idle-timeout" },
        [HTTP_SLOW] = { MODEL_TIMED_OUT, 1, ": the answer from ", " was not whole within",
                        request->total_ms, "--request-timeout" },
        /* Asked again it would be as long, and cost as much. */
        [HTTP_TOO_LARGE] = { MODEL_BAD_REPLY, 0, ": the reply from ", " is over the limit of",
                             request->most_bytes, "--reply-size" },
        [HTTP_PAST_DEADLINE] = { MODEL_PAST_DEADLINE, 0,
                                 ": the time for the question was up before ",
                                 " had answered (--max-seconds)", 0, NULL },
        [HTTP_CANCELLED] = { MODEL_CANCELLED, 0, ": the request to ", " was cancelled", 0, NULL },
    };
    http_fault fault = facts->http->fault;
    out->fault = rows[fault].fault;
    out->helps = rows[fault].helps;
    str_printf(&out->sentence, "%s%s%s%s", facts->name, rows[fault].before,
               str_text(&facts->place->host), rows[fault].after);
    if (rows[fault].option)
        add_limit(&out->sentence, rows[fault].limit, fault == HTTP_TOO_LARGE, rows[fault].option);
    return add_said(&out->sentence, &facts->http->problem, facts->keys);
}

/* ---- a refusal ---- */

static int has_no_quota(const dialect_error *said, int status)
{
    static const char *const codes[] = { "insufficient_quota", "billing_error",
                                         "billing_hard_limit_reached", "insufficient_credits" };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(str_text(&said->code), codes[i]) == 0 ||
            strcmp(str_text(&said->type), codes[i]) == 0)
            return 1;
    return status == 402 || strcasestr(str_text(&said->message), "credit balance is too low");
}

static model_fault fault_of_status(int status)
{
    if (status == 401 || status == 403)
        return MODEL_KEY_REFUSED;
    if (status == 429)
        return MODEL_RATE_LIMITED;
    if (retry_helps(status) || status >= 500)
        return MODEL_UNAVAILABLE;
    return status < 300 ? MODEL_BAD_REPLY : MODEL_BAD_REQUEST;
}

static void judge_status(fault_finding *out, const dialect_error *said, int status)
{
    if (has_no_quota(said, status)) {
        out->fault = MODEL_NO_QUOTA;
        out->helps = 0;
        return;
    }
    out->fault = fault_of_status(status);
    out->helps = retry_helps(status);
}

/* What a server says that has nothing at that path, and not of a model that it has not. */
static int is_bare_not_found(const dialect_error *said, int status)
{
    const char *message = str_text(&said->message);

    if (status != 404 && status != 405)
        return 0;
    return said->message.len == 0 ||
           (said->message.len < 60 && !strcasestr(message, "model") && !said->type.len);
}

/* Where the address seems to be wrong: in which way. */
static int add_address_hint(str *out, const provider_place *place)
{
    if (place->has_version)
        return str_add(out, "; is the base URL right?");
    return str_add(out, "; is the base URL right? It has no /v1 at its end");
}

static int judge_refusal(fault_finding *out, const fault_facts *facts)
{
    const dialect_error *said = &facts->reader->error;
    const int status = facts->http->status;

    judge_status(out, said, status);
    if (status >= 300 && status < 400) {
        str_printf(&out->sentence,
                   "%s answered %d, a redirect that is not followed, because the key would go "
                   "along",
                   facts->name, status);
        return add_said(&out->sentence, &facts->http->location, facts->keys);
    }

    str_printf(&out->sentence, "%s answered %d", facts->name, status);
    int error = add_said(&out->sentence, &said->message, facts->keys);
    if (!error && is_bare_not_found(said, status))
        error = add_address_hint(&out->sentence, facts->place);
    return error;
}

/* As a login page, or a server of something else. */
static int judge_page(fault_finding *out, const fault_facts *facts)
{
    out->fault = MODEL_BAD_REQUEST;
    str_printf(&out->sentence, "%s: %s answered with a web page, and not as a model does",
               facts->name, str_text(&facts->place->host));
    return add_address_hint(&out->sentence, facts->place);
}

/* ---- a reply ---- */

/* It began as a reply and has an error in it; one without a type that is known is the server's. */
static int judge_error(fault_finding *out, const fault_facts *facts)
{
    const dialect_error *said = &facts->reader->error;
    const str *words = said->message.len > 0 ? &said->message : &said->type;

    judge_status(out, said, said->status ? said->status : 500);
    str_printf(&out->sentence, "%s sent an error in its reply", facts->name);
    return add_said(&out->sentence, words, facts->keys);
}

int fault_find(fault_finding *out, const fault_facts *facts)
{
    const http_reply *got = facts->http;
    int is_ours = got->fault == HTTP_CANCELLED || got->fault == HTTP_PAST_DEADLINE;

    *out = (fault_finding){ 0 };
    if (!is_ours && facts->reader->is_complete && !facts->problem &&
        !facts->reader->error.is_present)
        return SNUG_OK; /* whatever became of the connection afterwards */

    if (!is_ours && got->status >= 300)
        return judge_refusal(out, facts);
    if (facts->is_page && !is_ours)
        return judge_page(out, facts);
    if (facts->reader->error.is_present && !is_ours)
        return judge_error(out, facts);
    if (facts->problem && !is_ours) {
        out->fault = MODEL_BAD_REPLY;
        out->helps = 1;
        return str_printf(&out->sentence, "%s sent no reply in its provider's shape: %s",
                          facts->name, facts->problem);
    }

    if (got->fault != HTTP_FINE && got->fault != HTTP_GIVEN_UP)
        return judge_broken(out, facts);
    out->fault = MODEL_UNAVAILABLE;
    out->helps = 1;
    return str_printf(&out->sentence, "%s: the reply broke off before its end", facts->name);
}
