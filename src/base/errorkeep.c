/*
 * errorkeep.c - keeps the messages of a library on top of libsnug with libsnug's, in the place of
 * the functions of base/error.c: snug_error_message is of both.
 */
#include <snug/snug.h>

#include "base/error.h"

void error_keep(const char *text)
{
    snug_error_set(SNUG_OK, text);
}

const char *error_message(void)
{
    return snug_error_message();
}
