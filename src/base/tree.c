#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/str.h"

const char *tree_top(void)
{
    const char *top = getenv("TMPDIR");
    return top && *top == '/' ? top : "/tmp";
}

static int open_folder(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

static const char *next_name(DIR *dir)
{
    const struct dirent *item;
    do {
        item = readdir(dir);
    } while (item && (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0));
    return item ? item->d_name : NULL;
}

/* ---- measuring ---- */

static int measure_folder(tree_usage *sum, int fd, dev_t device, int depth);

static int measure_entry(tree_usage *sum, int parent, const char *name, dev_t device, int depth)
{
    struct stat facts;

    if (fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : errno;
    sum->files++;
    if (S_ISREG(facts.st_mode))
        sum->bytes += (uint64_t)facts.st_size;
    if (!S_ISDIR(facts.st_mode) || facts.st_dev != device)
        return 0;
    if (depth == TREE_DEPTH)
        return ELOOP;

    int fd = open_folder(parent, name);
    if (fd < 0)
        return errno == ENOENT ? 0 : errno; /* it was removed meanwhile */
    return measure_folder(sum, fd, device, depth + 1);
}

/* Closes fd. */
static int measure_folder(tree_usage *sum, int fd, dev_t device, int depth)
{
    DIR *dir = fdopendir(fd);
    int error = 0;

    if (!dir) {
        error = errno;
        close(fd);
        return error;
    }

    for (const char *name; (name = next_name(dir));) {
        int failed = measure_entry(sum, fd, name, device, depth);
        if (!error)
            error = failed;
    }

    closedir(dir);
    return error;
}

int tree_measure(tree_usage *out, const char *path)
{
    struct stat facts;
    int fd = open_folder(AT_FDCWD, path);

    *out = (tree_usage){ 0 };
    if (fd < 0)
        return errno;
    if (fstat(fd, &facts) != 0) {
        int error = errno;
        close(fd);
        return error;
    }

    return measure_folder(out, fd, facts.st_dev, 0);
}

/* ---- removing ---- */

typedef struct removal {
    int top; /* the folder that is being removed */
    dev_t device;
    unsigned lifted; /* folders that were moved up into it because they lay too deep */
    unsigned name;   /* the number in the name of the last of them */
} removal;

static void empty_folder(removal *r, int fd, int depth);

/* The folder may have been made unreadable. */
static int open_unreadable(int parent, const char *name)
{
    int fd = open_folder(parent, name);
    if (fd < 0 && errno == EACCES && fchmodat(parent, name, S_IRWXU, 0) == 0)
        fd = open_folder(parent, name);
    return fd;
}

/* -1 too for a folder of another file system. */
static int open_to_empty(const removal *r, int parent, const char *name)
{
    struct stat facts;
    int fd = open_unreadable(parent, name);

    if (fd < 0 || (fstat(fd, &facts) == 0 && facts.st_dev == r->device))
        return fd;
    close(fd);
    return -1;
}

/* Moves a folder to the top, where the next round empties it. */
static void lift_folder(removal *r, int parent, const char *name)
{
    char above[32];
    int failed;

    do {
        snprintf(above, sizeof above, "snug-lifted-%u", ++r->name);
        failed = renameat(parent, name, r->top, above) != 0;
    } while (failed && (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR));

    if (!failed)
        r->lifted++;
}

static void remove_entry(removal *r, int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0 || unlinkat(parent, name, AT_REMOVEDIR) == 0)
        return;

    int fd = open_to_empty(r, parent, name);
    if (fd < 0)
        return;
    if (depth == TREE_DEPTH) {
        close(fd);
        lift_folder(r, parent, name);
        return;
    }

    empty_folder(r, fd, depth + 1);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* Closes fd. */
static void empty_folder(removal *r, int fd, int depth)
{
    struct stat facts;
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return;
    }

    if (fstat(fd, &facts) == 0 && (facts.st_mode & S_IRWXU) != S_IRWXU)
        fchmod(fd, S_IRWXU);
    for (const char *name; (name = next_name(dir));)
        remove_entry(r, fd, name, depth);
    closedir(dir);
}

static int remove_folder(int parent, const char *name)
{
    struct stat facts;
    removal r = { .top = open_unreadable(parent, name) };

    if (r.top < 0)
        return errno;

    if (fstat(r.top, &facts) != 0) {
        int error = errno;
        close(r.top);
        return error;
    }

    r.device = facts.st_dev;
    unsigned before;
    do { /* what is lifted in one round is emptied in the next */
        before = r.lifted;
        int fd = openat(r.top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0)
            empty_folder(&r, fd, 0);
    } while (r.lifted > before);

    close(r.top);
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 ? 0 : errno;
}

void tree_remove(const char *path)
{
    remove_folder(AT_FDCWD, path);
}

int tree_remove_at(int parent, const char *name)
{
    if (unlinkat(parent, name, 0) == 0)
        return 0;
    int error = errno;
    /* Linux says EISDIR of a folder, POSIX EPERM. */
    if (error == EISDIR || error == EPERM)
        return remove_folder(parent, name);
    return error;
}

/* ---- walking ---- */

typedef struct walk {
    uint64_t left; /* names to be read */
    dev_t device;
    str path;
    int (*meet)(void *payload, const tree_entry *entry);
    void *payload;
    int lacks; /* the first errno of something that was not met; the walk goes on */
    int error; /* one that ends the walk */
} walk;

typedef struct names {
    char **items;
    size_t count, cap;
} names;

static int keep_name(names *to, const char *name)
{
    if (array_reserve(&to->items, &to->cap, to->count + 1, sizeof *to->items))
        return ENOMEM;

    char *copy = strdup(name);
    if (!copy)
        return ENOMEM;
    to->items[to->count++] = copy;
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void note_lack(walk *w, int error)
{
    if (!w->lacks)
        w->lacks = error;
}

static void read_names(names *out, walk *w, DIR *dir)
{
    for (const char *name; !w->error && (name = next_name(dir));) {
        if (w->left == 0) {
            note_lack(w, EOVERFLOW);
            return;
        }
        w->left--;
        w->error = keep_name(out, name);
    }
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, compare_names);
}

static void walk_folder(walk *w, int fd, int depth);

/* Meets the entry whose path w->path is, and what is in it. */
static void walk_entry(walk *w, int parent, const char *name, int depth)
{
    struct stat facts;

    if (fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT)
            note_lack(w, errno);
        return;
    }

    const tree_entry entry = {
        .path = str_text(&w->path), .parent = parent, .name = name, .facts = &facts
    };
    w->error = w->meet(w->payload, &entry);
    if (w->error || !S_ISDIR(facts.st_mode) || facts.st_dev != w->device)
        return;

    if (depth == TREE_DEPTH) {
        note_lack(w, ELOOP);
        return;
    }

    int fd = open_folder(parent, name);
    if (fd >= 0)
        walk_folder(w, fd, depth + 1);
    else if (errno != ENOENT) /* it was removed meanwhile */
        note_lack(w, errno);
}

static int append_name(str *path, const char *name)
{
    const char *slash = path->len > 0 ? "/" : "";
    return str_printf(path, "%s%s", slash, name);
}

/* Back to its first len bytes. */
static void cut_path(str *path, size_t len)
{
    if (!path->data)
        return;
    path->len = len;
    path->data[len] = '\0';
}

/* Closes fd. */
static void walk_folder(walk *w, int fd, int depth)
{
    names found = { 0 };
    size_t len = w->path.len;
    DIR *dir = fdopendir(fd);
    if (!dir) {
        note_lack(w, errno);
        close(fd);
        return;
    }

    read_names(&found, w, dir);
    for (size_t i = 0; i < found.count; i++) {
        if (!w->error && append_name(&w->path, found.items[i]) != 0)
            w->error = ENOMEM;
        if (!w->error)
            walk_entry(w, fd, found.items[i], depth);
        cut_path(&w->path, len);
        free(found.items[i]);
    }

    free(found.items);
    closedir(dir);
}

int tree_walk(int top, uint64_t most, int (*meet)(void *payload, const tree_entry *entry),
              void *payload)
{
    struct stat facts;
    walk w = { .left = most, .meet = meet, .payload = payload };
    int fd = open_folder(top, ".");
    if (fd < 0)
        return errno;

    if (fstat(fd, &facts) == 0)
        w.device = facts.st_dev;
    walk_folder(&w, fd, 0);
    str_free(&w.path);
    return w.error ? w.error : w.lacks;
}
