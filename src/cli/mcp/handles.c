#include "cli/mcp/handles.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/clock.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
enum { PREFIX = 3, LETTERS = 22 /* of 5 bits */ };

/* ---- names ---- */

static int make_name(char *out, int is_bash)
{
    unsigned char bytes[LETTERS];

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return 0;
    memcpy(out, is_bash ? "sh_" : "py_", PREFIX);
    for (size_t i = 0; i < LETTERS; i++)
        out[PREFIX + i] = letters[bytes[i] & 31];
    out[PREFIX + LETTERS] = '\0';
    return 1;
}

int handle_is_name(const char *name)
{
    if (strncmp(name, "py_", PREFIX) != 0 && strncmp(name, "sh_", PREFIX) != 0)
        return 0;
    return strlen(name) == PREFIX + LETTERS && strspn(name + PREFIX, letters) == LETTERS;
}

/* ---- the table ---- */

static handle *add_handle(handles *all, const char *principal)
{
    handle *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;

    h->principal = strdup(principal);
    if (!h->principal) {
        free(h);
        return NULL;
    }

    h->used_ns = clock_now_ns();
    h->next = all->first;
    all->first = h;
    all->count++;
    return h;
}

handle *handles_make(handles *all, const char *principal, int is_bash)
{
    char name[HANDLE_BYTES];
    handle *h = make_name(name, is_bash) ? add_handle(all, principal) : NULL;
    if (!h)
        return NULL;

    memcpy(h->name, name, sizeof name);
    h->is_bash = is_bash;
    return h;
}

handle *handles_know(handles *all, const char *principal, const char *name)
{
    handle *h = add_handle(all, principal);
    if (!h)
        return NULL;
    memcpy(h->name, name, strlen(name) + 1);
    h->is_bash = name[0] == 's';
    return h;
}

handle *handles_find(const handles *all, const char *principal, const char *name)
{
    for (handle *h = all->first; h; h = h->next)
        if (!strcmp(h->name, name) && !strcmp(h->principal, principal) && !h->is_gone)
            return h;
    return NULL;
}

static void free_files(handle *h)
{
    for (size_t i = 0; i < h->file_count; i++) {
        free(h->files[i].path);
        free(h->files[i].mime);
    }
    free(h->files);
}

void handles_remove(handles *all, handle *h)
{
    handle **at = &all->first;
    while (*at != h)
        at = &(*at)->next;
    *at = h->next;
    all->count--;
    free_files(h);
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

/* ---- files ---- */

static handle_file *find_file(const handle *h, const char *path)
{
    for (size_t i = 0; i < h->file_count; i++)
        if (!strcmp(h->files[i].path, path))
            return &h->files[i];
    return NULL;
}

int handle_note_file(handle *h, const char *path, const char *mime, uint64_t bytes)
{
    handle_file *file = find_file(h, path);
    if (file) {
        file->bytes = bytes;
        return 0;
    }

    if (h->file_count == HANDLE_FILES ||
        array_reserve(&h->files, &h->file_cap, h->file_count + 1, sizeof *h->files))
        return -1;
    file = &h->files[h->file_count];
    *file = (handle_file){ strdup(path), strdup(mime), bytes };
    if (!file->path || !file->mime) {
        free(file->path);
        free(file->mime);
        return -1;
    }

    h->file_count++;
    return 1;
}

void handle_forget_file(handle *h, const char *path)
{
    handle_file *file = find_file(h, path);
    if (!file)
        return;
    free(file->path);
    free(file->mime);
    *file = h->files[--h->file_count];
}
