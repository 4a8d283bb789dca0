#include "tools.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    snug_call **calls;
    size_t count, cap;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void echo(void *payload, snug_call *call, const char *arguments)
{
    snug_call_return(call, arguments, strlen(arguments));
}

static void fail(void *payload, snug_call *call, const char *arguments)
{
    snug_call_fail(call, "as it was asked to");
}

static void huge(void *payload, snug_call *call, const char *arguments)
{
    size_t len = 100 << 20;
    char *text = malloc(len);
    if (!text)
        abort();
    memset(text, '1', len);
    snug_call_return(call, text, len);
    free(text);
}

/* One text, as long as is allowed. */
static void large(void *payload, snug_call *call, const char *arguments)
{
    size_t len = SNUG_TOOL_BYTES - 1;
    char *text = malloc(len);
    if (!text)
        abort();
    memset(text, 'a', len);
    text[0] = text[len - 1] = '"';
    snug_call_return(call, text, len);
    free(text);
}

static void keep(void *payload, snug_call *call, const char *arguments)
{
    pthread_mutex_lock(&kept.lock);
    if (kept.count == kept.cap) {
        kept.cap = kept.cap ? kept.cap * 2 : 64;
        if (!(kept.calls = realloc(kept.calls, kept.cap * sizeof *kept.calls)))
            abort();
    }
    kept.calls[kept.count++] = call;
    pthread_mutex_unlock(&kept.lock);
}

static void *answer(void *call)
{
    snug_call_return(call, "1", 1);
    return NULL;
}

static void later(void *payload, snug_call *call, const char *arguments)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, answer, call) == 0)
        pthread_detach(thread);
    else
        answer(call);
}

int tools_bind(snug_session *session)
{
    static const struct {
        const char *name, *signature;
        int is_async;
        void (*fn)(void *payload, snug_call *call, const char *arguments);
    } all[] = {
        { "echo", NULL, 0, echo },    { "fail", "", 0, fail },
        { "huge", "", 0, huge },      { "large", "", 0, large },
        { "never", NULL, 0, keep },   { "later", "n: int = 0", 1, later },
        { "forever", NULL, 1, keep },
    };
    int error = SNUG_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && !error; i++) {
        snug_tool tool = SNUG_TOOL_INIT;
        tool.name = all[i].name;
        tool.signature = all[i].signature;
        tool.is_async = all[i].is_async;
        tool.fn = all[i].fn;
        error = snug_session_bind_tool(session, &tool);
    }
    return error;
}

void tools_keep_input(void *payload, snug_call *call, const char *prompt)
{
    keep(payload, call, prompt);
}

void tools_settle(void)
{
    pthread_mutex_lock(&kept.lock);
    for (size_t i = 0; i < kept.count; i++)
        snug_call_fail(kept.calls[i], NULL);
    kept.count = 0;
    pthread_mutex_unlock(&kept.lock);
}
