/*
 * format.c - snug_reply_text: a reply as text, in each of its formats.
 */
#include <snug/agent.h>

#include "agent/reply/reply.h"
#include "base/error.h"

/* The answer, and the explanation below it. */
static int write_plain(str *out, const snug_reply *reply)
{
    return str_add_str(out, &reply->answer) || (out->len > 0 && str_add(out, "\n\n")) ||
           str_add_str(out, &reply->explanation);
}

/* The text of that format, which is written if it was not asked for before. */
static const str *written(int *error, snug_reply *reply, snug_reply_format format)
{
    const str *text = reply->answer.len > 0 ? &reply->answer : &reply->error;

    *error = SNUG_OK;
    if (format == SNUG_REPLY_PLAIN && reply->explanation.len > 0) {
        text = &reply->plain;
        *error = text->len > 0 ? SNUG_OK : write_plain(&reply->plain, reply);
    } else if (format == SNUG_REPLY_JSON) {
        text = &reply->json;
        *error = text->len > 0 ? SNUG_OK : reply_write_json(&reply->json, reply);
    } else if (format == SNUG_REPLY_MARKDOWN) {
        text = &reply->markdown;
        *error = text->len > 0 ? SNUG_OK : reply_write_markdown(&reply->markdown, reply);
    }

    return text;
}

const char *snug_reply_text(const snug_reply *given, snug_reply_format format, size_t *len)
{
    snug_reply *reply = (snug_reply *)(uintptr_t)given;
    int error;

    pthread_mutex_lock(&reply->lock);
    const str *text = written(&error, reply, format);
    pthread_mutex_unlock(&reply->lock);
    if (error) {
        error_no_memory();
        return NULL;
    }

    if (len)
        *len = text->len;
    return str_text(text);
}
