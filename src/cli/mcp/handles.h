/*
 * handles.h - sessions as clients know them: names that nobody can guess, and whose they are. All
 * with the server's lock.
 */
#ifndef SNUG_CLI_MCP_HANDLES_H
#define SNUG_CLI_MCP_HANDLES_H

#include <stddef.h>
#include <stdint.h>

enum { HANDLE_BYTES = 32 };

typedef struct handle {
    char name[HANDLE_BYTES]; /* "py_..." or "sh_..." */
    char *principal;
    int is_bash;
    int is_busy;  /* a call works with it */
    size_t calls; /* that have it, or wait for it */
    int is_gone;  /* closed */
    uint64_t used_ns;
    struct handle *next;
} handle;

typedef struct handles {
    handle *first;
    size_t count;
} handles;

/* Writes that many letters of 5 bits each that nobody can guess, 64 at most, and a NUL. 0: there
 * are no random bytes. */
int random_letters(char *out, size_t count);
/* A new one. NULL: no memory, or no random bytes. */
handle *handles_make(handles *all, const char *principal, int is_bash);
/* NULL: none of that name, or it is somebody else's. */
handle *handles_find(const handles *all, const char *principal, const char *name);
/* One that was there before this process. NULL: no memory. */
handle *handles_know(handles *all, const char *principal, const char *name);
/* Whether a name could be one. */
int handle_is_name(const char *name);
void handles_remove(handles *all, handle *h);
/* Forgets those that were used longest ago, as long as there are more than most. */
void handles_trim(handles *all, size_t most);
void handles_free(handles *all);

#endif
