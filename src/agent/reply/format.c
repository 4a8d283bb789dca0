/*
 * format.c - snug_reply_text: a reply as text, in each of its formats.
 */
#include <snug/agent.h>

#include "agent/reply/reply.h"
#include "base/error.h"

/* The answer, and the explanation below it. */
static int write_plain(str *out, const snug_reply *reply)
{
    return str_append(out, str_text(&reply->answer), reply->answer.len) ||
           (out->len > 0 && str_add(out, "\n\n")) ||
           str_append(out, reply->explanation.data, reply->explanation.len);
}

const char *snug_reply_text(snug_reply *reply, snug_reply_format format, size_t *len)
{
    const str *text = reply->answer.len > 0 ? &reply->answer : &reply->error;
    int error = SNUG_OK;
    if (format == SNUG_FORMAT_PLAIN && reply->explanation.len > 0) {
        text = &reply->plain;
        error = text->len > 0 ? SNUG_OK : write_plain(&reply->plain, reply);
    } else if (format == SNUG_FORMAT_JSON) {
        text = &reply->json;
        error = text->len > 0 ? SNUG_OK : reply_write_json(&reply->json, reply);
    } else if (format == SNUG_FORMAT_MARKDOWN) {
        text = &reply->markdown;
        error = text->len > 0 ? SNUG_OK : reply_write_markdown(&reply->markdown, reply);
    }
    if (error) {
        error_no_memory();
        return NULL;
    }
    if (len)
        *len = text->len;
    return str_text(text);
}
