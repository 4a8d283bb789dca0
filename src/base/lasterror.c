#include "base/lasterror.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/utf8.h"

void last_error_init(last_error *e)
{
    *e = (last_error){ .code = SNUG_OK };
    pthread_mutex_init(&e->lock, NULL);
}

void last_error_free(last_error *e)
{
    pthread_mutex_destroy(&e->lock);
    free(e->text);
}

int last_error_keep(last_error *e, int error)
{
    if (error >= 0)
        return error;

    char *text = strdup(error_message());
    pthread_mutex_lock(&e->lock);
    free(e->text);
    e->text = text;
    e->code = error;
    pthread_mutex_unlock(&e->lock);
    return error;
}

int last_error_copy(last_error *e, char *buffer, size_t bytes)
{
    pthread_mutex_lock(&e->lock);
    int code = e->code;
    const char *text = "";
    if (e->text)
        text = e->text;
    else if (code != SNUG_OK)
        text = "out of memory";

    message_copy(buffer, bytes, text);
    pthread_mutex_unlock(&e->lock);
    return code;
}

void message_copy(char *buffer, size_t bytes, const char *text)
{
    if (!buffer || bytes == 0)
        return;

    size_t len = strlen(text);
    if (len >= bytes)
        len = utf8_floor(text, len, bytes - 1);
    memcpy(buffer, text, len);
    buffer[len] = '\0';
}
