/*
 * magic_order.h - the order of magics in a completion: by their names, whatever marks these have.
 */
#ifndef SNUG_CLI_MAGIC_ORDER_H
#define SNUG_CLI_MAGIC_ORDER_H

#include <string.h>

static inline int magic_order(const char *one, const char *other)
{
    return strcmp(one + strspn(one, "%"), other + strspn(other, "%"));
}

#endif
