/*
 * error.h - the message that goes with an error code.
 *
 * Set where the fact is known, passed up untouched. Per thread; a job that runs
 * on another thread carries its message over with error_message and error_set.
 */
#ifndef SNUG_BASE_ERROR_H
#define SNUG_BASE_ERROR_H

/* Of longer messages the middle is left out. */
enum { ERROR_MESSAGE_BYTES = 1024 };

/* Remembers the sentence and returns code, so that a failure is one line. */
__attribute__((format(printf, 2, 3))) int error_set(int code, const char *format, ...);
/* SNUG_ENOMEM with its message. */
int error_no_memory(void);
/* SNUG_ESYSTEM: "<what>: <strerror(errno)> (errno n)". */
__attribute__((format(printf, 1, 2))) int error_system(const char *format, ...);
/* "" before the first failure of this thread. */
const char *error_message(void);

/* Keeps the sentence, shorter than ERROR_MESSAGE_BYTES. This and error_message are weak: a library
 * on top of libsnug, which has objects of this layer too, keeps its messages there
 * (errorkeep.c). */
void error_keep(const char *text);

#endif
