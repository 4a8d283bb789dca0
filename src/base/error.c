#include "base/error.h"

#include <snug/snug.h>

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* One of the few states outside host and session: an error is about a call, and
 * a call has a thread. */
static _Thread_local char message[ERROR_MESSAGE_BYTES];

__attribute__((weak)) void error_keep(const char *text)
{
    memcpy(message, text, strlen(text) + 1);
}

__attribute__((weak)) const char *error_message(void)
{
    return message;
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
