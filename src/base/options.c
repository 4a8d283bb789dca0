#include "base/options.h"

#include <ctype.h>
#include <string.h>

#include <snug/snug.h>

#include "base/error.h"

/* No struct will ever be larger: what claims to be has not been initialised, and to look through
 * so much of the caller's memory could be a fault. */
enum { MOST_BYTES = 4096 };

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

/* The members are aligned like the size, and so is the end of each version's struct. */
static int check_given_size(size_t size, const char *type)
{
    if (size >= sizeof size && size <= MOST_BYTES && size % sizeof size == 0)
        return SNUG_OK;

    char macro[64] = "";
    for (size_t i = 0; i < sizeof macro - 1 && type[i]; i++)
        macro[i] = (char)toupper((unsigned char)type[i]);
    return error_set(SNUG_EINVAL,
                     "%s has a size of %zu bytes, which no version has: start from %s_INIT", type,
                     size, macro);
}

static int check_tail(const unsigned char *given, size_t ours, size_t theirs, const char *type)
{
    for (size_t i = ours; i < theirs; i++)
        if (given[i] != 0)
            return error_set(SNUG_EINVAL,
                             "%s has %zu bytes for the caller and %zu here, and sets something at "
                             "byte %zu that this version does not know",
                             type, theirs, ours, i);
    return SNUG_OK;
}

int options_take(void *out, size_t size, const void *given, const char *type)
{
    size_t theirs = given ? size_of(given) : 0;

    if (given) {
        int error = check_given_size(theirs, type);
        if (!error)
            error = check_tail(given, size, theirs, type);
        if (error)
            return error;
    }

    size_t known = theirs < size ? theirs : size;
    if (known > 0)
        memcpy(out, given, known);
    memset((char *)out + known, 0, size - known);
    memcpy(out, &size, sizeof size);
    return SNUG_OK;
}

int options_give(void *given, const void *facts, size_t size, const char *type)
{
    if (!given)
        return error_set(SNUG_EINVAL, "%s: out is NULL", type);
    size_t theirs = size_of(given);
    int error = check_given_size(theirs, type);
    if (error)
        return error;

    size_t known = theirs < size ? theirs : size;
    memcpy(given, facts, known);
    memset((char *)given + known, 0, theirs - known);
    memcpy(given, &theirs, sizeof theirs);
    return SNUG_OK;
}
