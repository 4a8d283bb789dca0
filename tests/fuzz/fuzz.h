/*
 * fuzz.h - what the libFuzzer targets share. Each compares the code with a
 * simple model or a property and aborts where they differ; the input that made
 * it so is kept as build/fuzz/tests/fuzz/NAME-crash-....
 */
#ifndef SNUG_FUZZ_H
#define SNUG_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, in every kind of build. */
#define HOLDS(condition) \
    ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__, __func__))

__attribute__((noreturn)) static inline void fuzz_fail(const char *condition, const char *file,
                                                       int line, const char *function)
{
    fprintf(stderr, "%s:%d: %s: does not hold: %s\n", file, line, function, condition);
    abort();
}

/* What is left of an input. */
typedef struct input {
    const char *at;
    size_t left;
} input;

static inline input input_of(const uint8_t *data, size_t size)
{
    /* libFuzzer gives NULL for the empty input. */
    return (input){ size ? (const char *)data : "", size };
}

/* 0 at the end. */
static inline unsigned take_byte(input *in)
{
    if (!in->left)
        return 0;
    in->left--;
    return (unsigned char)*in->at++;
}

/* The bytes up to end, which is passed over, or all that is left. */
static inline input take_until(input *in, const char *end)
{
    size_t end_len = strlen(end);
    const char *found = memmem(in->at, in->left, end, end_len);
    input taken = { in->at, found ? (size_t)(found - in->at) : in->left };
    size_t used = taken.left + (found ? end_len : 0);
    in->at += used;
    in->left -= used;
    return taken;
}

/* A copy of exactly its length and a NUL, so that reading past it is seen. */
static inline char *copy_of(const char *text, size_t len)
{
    char *copy = malloc(len + 1);
    HOLDS(copy);
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

#endif
