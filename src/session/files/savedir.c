#include "session/files/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/tree.h"
#include "base/utf8.h"

static int skip_entry(savedir_report *report, const char *path, size_t len, const char *reason)
{
    save_list *list = &report->skipped;
    if (save_list_add(list, SAVE_SKIPPED, 0, path, len, reason, strlen(reason)) != SNUG_OK)
        return error_no_memory();
    /* For a report, which is text. */
    utf8_mend(list->rows[list->count - 1].name.data, len);
    return SNUG_OK;
}

/* ---- packing ---- */

typedef struct packing {
    str *part;
    savedir_report *report;
    const snug_session *session;
    dev_t device;
    tree_usage left; /* of the limits */
    char path[PATH_MAX];
} packing;

static int pack_folder(packing *p, int fd, size_t len, int depth);

static int is_mount(const packing *p)
{
    for (size_t i = 0; i < p->session->files.mount_count; i++)
        if (strcmp(p->session->files.mounts[i].name, p->path) == 0)
            return 1;
    return 0;
}

/* Its bytes as they are now; what was announced and is not there any more becomes zeros. */
static int append_content(str *part, int fd, size_t len)
{
    if (str_reserve(part, len) != SNUG_OK)
        return error_no_memory();
    size_t got = 0;
    while (got < len) {
        ssize_t n = read(fd, part->data + part->len + got, len - got);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        got += n > 0 ? (size_t)n : 0;
    }

    memset(part->data + part->len + got, 0, len - got + 1);
    part->len += len;
    return SNUG_OK;
}

static int pack_file(packing *p, int fd, size_t len, const struct stat *facts)
{
    uint64_t bytes = (uint64_t)facts->st_size;
    if (bytes > p->left.bytes || p->left.files == 0)
        return skip_entry(p->report, p->path, len,
                          "the files are over the limit of the work directory");

    if (savefile_add_entry(p->part, 1, p->path, len, bytes) != SNUG_OK)
        return error_no_memory();
    p->left.bytes -= bytes;
    p->left.files--;
    p->report->files++;
    return append_content(p->part, fd, (size_t)bytes);
}

static int pack_inner(packing *p, int fd, size_t len, int depth)
{
    if (p->left.files == 0)
        return skip_entry(p->report, p->path, len,
                          "the files are over the limit of the work directory");

    if (savefile_add_entry(p->part, 0, p->path, len, 0) != SNUG_OK)
        return error_no_memory();
    p->left.files--;
    p->report->files++;
    return pack_folder(p, fd, len, depth + 1);
}

/* What p->path names. */
static int pack_one(packing *p, int parent, const char *name, size_t len, int depth)
{
    struct stat facts;

    if (fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT)
            return SNUG_OK;
        return skip_entry(p->report, p->path, len, strerror(errno));
    }

    if (S_ISLNK(facts.st_mode) && is_mount(p))
        return SNUG_OK;
    if (S_ISLNK(facts.st_mode))
        return skip_entry(p->report, p->path, len, "it is a link");
    if ((!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) || facts.st_dev != p->device)
        return skip_entry(p->report, p->path, len, "it is not a file of the work directory");
    if (depth == TREE_DEPTH - 1 && S_ISDIR(facts.st_mode))
        return skip_entry(p->report, p->path, len, "it is too deep");

    int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    /* It may have been put in its place meanwhile. */
    if (fd < 0 || fstat(fd, &facts) != 0 || (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))) {
        if (fd >= 0)
            close(fd);
        return skip_entry(p->report, p->path, len, "it cannot be read");
    }

    int error;
    if (S_ISDIR(facts.st_mode))
        error = pack_inner(p, fd, len, depth);
    else
        error = pack_file(p, fd, len, &facts);

    close(fd);
    return error;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_entry_names(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* Sorted; NULL with errno. Closes fd. */
static char **names_in(int fd, size_t *count)
{
    DIR *dir = fdopendir(fd);
    char **names = NULL;

    *count = 0;
    if (!dir) {
        close(fd);
        return NULL;
    }

    for (size_t cap = 0;;) {
        /* Of an empty folder too: NULL is a failure. */
        if (array_reserve(&names, &cap, *count + 1, sizeof *names))
            goto fail;

        const struct dirent *item = readdir(dir);
        if (!item)
            break;
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
            continue;

        names[*count] = strdup(item->d_name);
        if (!names[*count])
            goto fail;
        (*count)++;
    }

    closedir(dir);
    if (*count > 0)
        qsort(names, *count, sizeof *names, compare_names);
    return names;

fail:
    closedir(dir);
    free_entry_names(names, *count);
    return NULL;
}

/* fd stays the caller's; its path is the first len bytes of p->path. */
static int pack_folder(packing *p, int fd, size_t len, int depth)
{
    size_t count;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), error = SNUG_OK;
    char **names = copy < 0 ? NULL : names_in(copy, &count);
    if (!names)
        return error_system("work directory %s", p->session->files.workdir);

    for (size_t i = 0; i < count && !error; i++) {
        int more = snprintf(p->path + len, sizeof p->path - len, "%s%s", len ? "/" : "", names[i]);
        if ((size_t)more < sizeof p->path - len) {
            error = pack_one(p, fd, names[i], len + (size_t)more, depth);
        } else {
            p->path[len] = '\0';
            error = skip_entry(p->report, p->path, len, "a path in it is too long");
        }
    }

    p->path[len] = '\0';
    free_entry_names(names, count);
    return error;
}

int savedir_pack(str *part, savedir_report *report, const snug_session *session,
                 uint64_t most_bytes)
{
    const snug_limits *limits = &session->limits;
    struct stat facts;
    packing *p = calloc(1, sizeof *p);
    if (!p)
        return error_no_memory();

    *p = (packing){ .part = part, .report = report, .session = session };
    p->left.bytes = limits->disk_bytes < most_bytes ? limits->disk_bytes : most_bytes;
    p->left.files = limits->disk_files;
    int fd = open(session->files.workdir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error;
    if (fd < 0 || fstat(fd, &facts) != 0) {
        error = error_system("work directory %s", session->files.workdir);
    } else {
        p->device = facts.st_dev;
        error = pack_folder(p, fd, 0, 0);
    }

    if (fd >= 0)
        close(fd);
    free(p);
    return error;
}

/* ---- unpacking ---- */

/* The folder that the path's last part is in, which is there; *name is that part. -1: something
 * else is on the way. */
static int open_parent(const char *workdir, const char *path, const char **name)
{
    char part[NAME_MAX + 1];
    int fd = open(workdir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const char *slash;

    while (fd >= 0 && (slash = strchr(path, '/'))) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        int next = openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(fd);
        fd = next;
        path = slash + 1;
    }

    *name = path;
    return fd;
}

static int write_content(int fd, span content)
{
    while (content.len > 0) {
        ssize_t n = write(fd, content.at, content.len);
        if (n < 0 && errno != EINTR)
            return -1;
        content.at += n > 0 ? n : 0;
        content.len -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* NULL, or what keeps it from being there. */
static const char *unpack_file(snug_session *session, int parent, const char *name, span content)
{
    struct stat facts;

    if (fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) == 0) {
        if (!S_ISREG(facts.st_mode))
            return "something else has its name";
        if (!session->files.is_private)
            return "a file of its name is there";
        if (unlinkat(parent, name, 0) != 0)
            return strerror(errno);
    }

    if (disk_take(&session->files.disk, content.len, 1) != 0)
        return "the files are over the limit of the work directory";
    int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return strerror(errno);

    int failed = write_content(fd, content) != 0, why = errno;
    close(fd);
    if (failed)
        unlinkat(parent, name, 0);
    return failed ? strerror(why) : NULL;
}

static const char *unpack_folder(snug_session *session, int parent, const char *name)
{
    struct stat facts;

    if (fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) == 0)
        return S_ISDIR(facts.st_mode) ? NULL : "something else has its name";

    if (disk_take(&session->files.disk, 0, 1) != 0)
        return "the files are over the limit of the work directory";
    if (mkdirat(parent, name, 0700) != 0)
        return strerror(errno);
    return NULL;
}

static int unpack_one(savedir_report *report, snug_session *session, const savefile_entry *entry)
{
    char path[PATH_MAX];
    const char *name, *why = "what it was in is not there";

    snprintf(path, sizeof path, "%.*s", (int)entry->path.len, entry->path.at);
    int parent = open_parent(session->files.workdir, path, &name);
    if (parent >= 0) {
        why = entry->is_file ? unpack_file(session, parent, name, entry->content)
                             : unpack_folder(session, parent, name);
        close(parent);
    }

    report->files += !why;
    if (why)
        return skip_entry(report, path, entry->path.len, why);
    return SNUG_OK;
}

int savedir_unpack(savedir_report *report, snug_session *session, span part)
{
    savefile_entry entry;
    int error = SNUG_OK;
    disk_begin(&session->files.disk, session->limits.disk_bytes, session->limits.disk_files);
    while (part.len > 0 && !error && savefile_next_entry(&part, &entry))
        error = unpack_one(report, session, &entry);
    return error;
}
