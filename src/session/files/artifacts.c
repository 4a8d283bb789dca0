#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/tree.h"
#include "session/core/session.h"
#include "session/files/workdir.h"
#include "session/result/result.h"

enum { LOOKED_AT = 10000 };

static int64_t nanoseconds(struct timespec time)
{
    return (int64_t)time.tv_sec * (int64_t)NS_PER_S + time.tv_nsec;
}

/* ---- what was seen ---- */

static int compare_seen(const void *a, const void *b)
{
    uint64_t left = ((const seen_file *)a)->path, right = ((const seen_file *)b)->path;
    return (left > right) - (left < right);
}

static int add_seen(seen_files *to, const seen_file *file)
{
    if (array_reserve(&to->items, &to->cap, to->count + 1, sizeof *to->items))
        return ENOMEM;
    to->items[to->count++] = *file;
    return 0;
}

/* A file that was not looked at before may be old. */
static int is_changed(const seen_files *before, const seen_file *file)
{
    const seen_file *old = NULL;
    if (before->count > 0)
        old = bsearch(file, before->items, before->count, sizeof *before->items, compare_seen);
    if (!old)
        return before->is_whole || file->changed_ns >= before->started_ns;
    return old->inode != file->inode || old->bytes != file->bytes ||
           old->changed_ns != file->changed_ns || old->modified_ns != file->modified_ns;
}

/* ---- looking ---- */

typedef struct look {
    const seen_files *before;
    seen_files now;
    snug_result *result; /* NULL: nobody wants to know what is new */
    int has_caches; /* of packages, in .cache, of a full session: they are not work of the cell */
} look;

static int is_spill(const snug_result *result, const char *path)
{
    return strcmp(path, result->spills[0]) == 0 || strcmp(path, result->spills[1]) == 0;
}

static int report_artifact(snug_result *result, const tree_entry *entry)
{
    if (is_spill(result, entry->path))
        return 0;
    if (result->artifact_count == RESULT_ARTIFACTS) {
        result->more_artifacts++;
        return 0;
    }

    if (!result->artifacts &&
        !(result->artifacts = calloc(RESULT_ARTIFACTS, sizeof *result->artifacts)))
        return ENOMEM;

    char *path = files_text(entry->path);
    if (!path)
        return ENOMEM;

    result->artifacts[result->artifact_count++] =
        (snug_artifact){ path, files_mime(entry->parent, entry->name),
                         (uint64_t)entry->facts->st_size };
    return 0;
}

static int look_at_entry(void *payload, const tree_entry *entry)
{
    look *l = payload;
    const struct stat *facts = entry->facts;
    if (!S_ISREG(facts->st_mode))
        return 0;

    const seen_file file = { .path = hash_bytes(entry->path, strlen(entry->path)),
                             .inode = facts->st_ino,
                             .bytes = (uint64_t)facts->st_size,
                             .changed_ns = nanoseconds(facts->st_ctim),
                             .modified_ns = nanoseconds(facts->st_mtim) };
    int error = add_seen(&l->now, &file);
    if (error || !l->result || !is_changed(l->before, &file))
        return error;
    if (l->has_caches && strncmp(entry->path, ".cache/", 7) == 0)
        return 0;
    return report_artifact(l->result, entry);
}

/* SNUG_OK or SNUG_ENOMEM; what is known is as it was then. */
static int take_look(snug_session *session, snug_result *result)
{
    seen_files *seen = &session->files.seen;
    look l = { .before = seen,
               .result = result,
               .has_caches = session->kind == SNUG_KIND_FULL,
               .now = { .is_written = seen->is_written } };
    int root = files_open_root(session);
    int error = root >= 0 ? tree_walk(root, LOOKED_AT, look_at_entry, &l) : errno;

    if (root >= 0)
        close(root);
    if (error == ENOMEM) {
        seen_files_free(&l.now);
        return error_no_memory();
    }

    l.now.is_whole = error == 0;
    if (l.now.count > 0)
        qsort(l.now.items, l.now.count, sizeof *l.now.items, compare_seen);
    seen_files_free(seen);
    *seen = l.now;
    return SNUG_OK;
}

/* ---- a cell ---- */

void artifacts_begin(snug_session *session)
{
    struct timespec now;
    if (atomic_exchange(&session->files.disk.is_touched, 0))
        take_look(session, NULL);
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    session->files.seen.started_ns = nanoseconds(now);
}

int artifacts_take(snug_result *result, snug_session *session)
{
    /* Packages and Python's own posix tell of nothing but of files that they open. */
    int is_touched =
        atomic_exchange(&session->files.disk.is_touched, 0) || session->kind == SNUG_KIND_FULL;

    /* Without the interposed functions nobody tells when an open file is written to. */
    session->files.seen.is_written |= is_touched && !session->files.disk.is_told;
    if (!is_touched && !session->files.seen.is_written && !*result->spills[0] &&
        !*result->spills[1])
        return SNUG_OK;

    return take_look(session, result);
}

void seen_files_free(seen_files *seen)
{
    free(seen->items);
    *seen = (seen_files){ 0 };
}
