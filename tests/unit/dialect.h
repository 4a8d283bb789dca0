/*
 * dialect.h - what the tests of both dialects share.
 */
#ifndef SNUG_TEST_DIALECT_H
#define SNUG_TEST_DIALECT_H

#include "test.h"

#include <snug/snug.h>

#include <string.h>

#include "agent/model/dialect.h"

/* A conversation, whose texts are the test's. */
static inline str text_of(const char *text)
{
    return (str){ .data = (char *)(uintptr_t)text, .len = strlen(text) };
}

static inline void assert_written(const dialect *d, const model_request *request, int is_streaming,
                                  unsigned quirks, const char *expected)
{
    str body = { 0 };
    size_t at;
    assert_int_equal(d->write(&body, "m", request, is_streaming, quirks), SNUG_OK);
    assert_string_equal(str_text(&body), expected);
    assert_null(jsontext_check(body.data, body.len, &at));
    str_free(&body);
}

/* Of a reply: text, thinking, stop, and each call as id/name/arguments. */
static inline void assert_reply(const dialect_reader *r, const char *expected)
{
    static const char *const stops[] = { "end", "length", "refusal" };
    str out = { 0 };
    const model_reply *reply = r->reply;
    str_printf(&out, "%s;%s;%s", str_text(&reply->text), str_text(&reply->thinking),
               stops[reply->stop]);
    for (size_t i = 0; i < reply->call_count; i++)
        str_printf(&out, ";%s/%s/%s", str_text(&reply->calls[i].id),
                   str_text(&reply->calls[i].name), str_text(&reply->calls[i].arguments));
    assert_string_equal(str_text(&out), expected);
    str_free(&out);
}

static inline void done(dialect_reader *r)
{
    model_reply_free(r->reply);
    dialect_reader_free(r);
}

/* The events, NULL-terminated. Answers the first failure. */
static inline int read_events(dialect_reader *r, model_reply *reply, const dialect *d,
                              const char *const *events)
{
    *reply = (model_reply){ 0 };
    *r = (dialect_reader){ .reply = reply };
    int error = SNUG_OK;
    for (; !error && *events; events++)
        error = d->read_event(r, *events, strlen(*events));
    return error ? error : dialect_finish(r);
}

static inline int read_whole(dialect_reader *r, model_reply *reply, const dialect *d,
                             const char *text)
{
    *reply = (model_reply){ 0 };
    *r = (dialect_reader){ .reply = reply };
    int error = d->read_whole(r, text, strlen(text));
    return error ? error : dialect_finish(r);
}

#endif
