/*
 * model.c - what messages and replies are made of.
 */
#include "agent/model/model.h"

#include <stdlib.h>

static void free_calls(model_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        str_free(&calls[i].id);
        str_free(&calls[i].name);
        str_free(&calls[i].arguments);
    }
    free(calls);
}

void model_message_free(model_message *message)
{
    str_free(&message->text);
    str_free(&message->call_id);
    free_calls(message->calls, message->call_count);
    *message = (model_message){ 0 };
}

void model_reply_free(model_reply *reply)
{
    str_free(&reply->sentence);
    str_free(&reply->text);
    str_free(&reply->thinking);
    free_calls(reply->calls, reply->call_count);
    *reply = (model_reply){ 0 };
}

const char *model_fault_name(model_fault fault)
{
    static const char *const names[] = {
        [MODEL_FINE] = "fine",
        [MODEL_KEY_REFUSED] = "key refused",
        [MODEL_RATE_LIMITED] = "rate limited",
        [MODEL_UNAVAILABLE] = "unavailable",
        [MODEL_TIMED_OUT] = "timed out",
        [MODEL_BAD_REPLY] = "bad reply",
        [MODEL_BAD_REQUEST] = "bad request",
        [MODEL_NO_QUOTA] = "no quota",
        [MODEL_PAST_DEADLINE] = "past deadline",
        [MODEL_CANCELLED] = "cancelled",
    };
    return names[fault];
}
