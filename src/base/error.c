#include "base/error.h"

#include <snug/snug.h>

#include "base/utf8.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* One of the few states outside host and session: an error is about a call, and
 * a call has a thread. By a key and not thread-local: a program that loads the library late has
 * some hundred bytes for the thread-locals of all its libraries. */
static struct {
    pthread_once_t once;
    pthread_key_t key;
    int has_key;
} kept = { .once = PTHREAD_ONCE_INIT };

/* What is kept where there was no memory for the sentence; never written. */
static char unknown[] = "out of memory, also for what this call has to say";

static void forget(void *text)
{
    if (text != unknown)
        free(text);
}

static void make_key(void)
{
    kept.has_key = pthread_key_create(&kept.key, forget) == 0;
}

static char *kept_text(void)
{
    pthread_once(&kept.once, make_key);
    return kept.has_key ? pthread_getspecific(kept.key) : unknown;
}

static char *room_for_text(void)
{
    char *room = kept_text();
    if (!kept.has_key || (room && room != unknown))
        return room;

    room = malloc(ERROR_MESSAGE_BYTES);
    if (!room)
        room = unknown;
    if (pthread_setspecific(kept.key, room) == 0)
        return room;
    forget(room);
    return unknown;
}

__attribute__((weak)) void error_keep(const char *text)
{
    char *room = room_for_text();
    if (room != unknown)
        memcpy(room, text, strlen(text) + 1);
}

__attribute__((weak)) const char *error_message(void)
{
    const char *text = kept_text();
    return text ? text : "";
}

int error_set(int code, const char *format, ...)
{
    /* The message that is kept may be one of the arguments. */
    char text[ERROR_MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    utf8_format(text, sizeof text, format, args);
    va_end(args);
    error_keep(text);
    return code;
}

int error_no_memory(void)
{
    return error_set(SNUG_ENOMEM, "out of memory");
}

int error_system(const char *format, ...)
{
    int number = errno;
    char what[ERROR_MESSAGE_BYTES], reason[128];
    va_list args;

    va_start(args, format);
    utf8_format(what, sizeof what, format, args);
    va_end(args);

    /* The GNU form, which may answer with a text of its own. */
    const char *text = strerror_r(number, reason, sizeof reason);
    return error_set(SNUG_ESYSTEM, "%s: %s (errno %d)", what, text, number);
}
