#include "cli/mcp/handles.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
enum { PREFIX = 3, LETTERS = 22 /* of 5 bits */ };

/* ---- names ---- */

int random_letters(char *out, size_t count)
{
    unsigned char bytes[64];

    if (count > sizeof bytes || getrandom(bytes, count, 0) != (ssize_t)count)
        return 0;
    for (size_t i = 0; i < count; i++)
        out[i] = letters[bytes[i] & 31];
    out[count] = '\0';
    return 1;
}

int handle_is_name(const char *name)
{
    if (strncmp(name, "py_", PREFIX) != 0 && strncmp(name, "sh_", PREFIX) != 0)
        return 0;
    return strlen(name) == PREFIX + LETTERS && strspn(name + PREFIX, letters) == LETTERS;
}

/* ---- the table ---- */

handle *handles_know(handles *all, const char *principal, const char *name)
{
    handle *h = calloc(1, sizeof *h);
    if (!h || !(h->principal = strdup(principal))) {
        free(h);
        return NULL;
    }

    memcpy(h->name, name, strlen(name) + 1);
    h->is_bash = name[0] == 's';
    h->used_ns = clock_now_ns();
    h->next = all->first;
    all->first = h;
    all->count++;
    return h;
}

handle *handles_make(handles *all, const char *principal, int is_bash)
{
    char name[HANDLE_BYTES];

    memcpy(name, is_bash ? "sh_" : "py_", PREFIX);
    return random_letters(name + PREFIX, LETTERS) ? handles_know(all, principal, name) : NULL;
}

handle *handles_find(const handles *all, const char *principal, const char *name)
{
    for (handle *h = all->first; h; h = h->next)
        if (!strcmp(h->name, name) && !strcmp(h->principal, principal) && !h->is_gone)
            return h;
    return NULL;
}

void handles_remove(handles *all, handle *h)
{
    handle **at = &all->first;
    while (*at != h)
        at = &(*at)->next;
    *at = h->next;
    all->count--;
    free(h->principal);
    free(h);
}

void handles_trim(handles *all, size_t most)
{
    while (all->count > most) {
        handle *oldest = NULL;
        for (handle *h = all->first; h; h = h->next)
            if (h->calls == 0 && (!oldest || h->used_ns < oldest->used_ns))
                oldest = h;
        if (!oldest)
            return;
        handles_remove(all, oldest);
    }
}

void handles_free(handles *all)
{
    while (all->first)
        handles_remove(all, all->first);
}
