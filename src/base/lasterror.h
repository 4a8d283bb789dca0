/*
 * lasterror.h - the last error of an object: for who calls from any thread, where the message of
 * base/error.h is that of one thread.
 */
#ifndef SNUG_BASE_LASTERROR_H
#define SNUG_BASE_LASTERROR_H

#include <pthread.h>
#include <stddef.h>

typedef struct last_error {
    pthread_mutex_t lock;
    int code;   /* SNUG_OK: there was none */
    char *text; /* NULL: memory ran out */
} last_error;

void last_error_init(last_error *e);
void last_error_free(last_error *e);
/* Keeps the message of this thread with an error, which it answers; what is none is left out. */
int last_error_keep(last_error *e, int error);
/* The code, and its message as message_copy does. */
int last_error_copy(last_error *e, char *buffer, size_t bytes);

/* With its NUL, cut at a character; NULL or no bytes: nothing. */
void message_copy(char *buffer, size_t bytes, const char *text);

#endif
