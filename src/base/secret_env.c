#include "base/secret_env.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/error.h"

typedef struct taken {
    char *name, *value;
} taken;

/* The process's, as the environment is. */
static struct {
    taken *items;
    size_t count, cap;
} all;

static void free_taken(taken *one)
{
    if (one->value)
        explicit_bzero(one->value, strlen(one->value));
    free(one->value);
    free(one->name);
}

int secret_env_take(const char *name)
{
    extern char **environ;
    const size_t len = strlen(name);
    char *value = getenv(name);
    if (!value)
        return SNUG_OK;

    taken one = { strdup(name), strdup(value) };
    if (!one.name || !one.value ||
        array_reserve(&all.items, &all.cap, all.count + 1, sizeof *all.items)) {
        free_taken(&one);
        return error_no_memory();
    }
    all.items[all.count++] = one;
    /* Where /proc/PID/environ reads it, and any other variable of that name. */
    for (char **item = environ; *item; item++)
        if (!strncmp(*item, name, len) && (*item)[len] == '=')
            explicit_bzero(*item + len + 1, strlen(*item + len + 1));
    unsetenv(name);
    return SNUG_OK;
}

const char *secret_env(const char *name)
{
    for (size_t i = 0; i < all.count; i++)
        if (!strcmp(all.items[i].name, name))
            return all.items[i].value;
    return getenv(name);
}

void secret_env_forget(void)
{
    for (size_t i = 0; i < all.count; i++)
        free_taken(&all.items[i]);
    free(all.items);
    all.items = NULL;
    all.count = all.cap = 0;
}
