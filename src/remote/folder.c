#include "remote/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/tree.h"

int folder_open(pid_t process, const char *path)
{
    const struct open_how how = {
        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
    };
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/root", (int)process);
    int root = *path == '/' ? open(name, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (root < 0)
        return -1;
    int fd = (int)syscall(SYS_openat2, root, path + 1, &how, sizeof how);
    close(root);
    return fd;
}

pid_t folder_child(pid_t process)
{
    char name[64];
    int child = 0;
    snprintf(name, sizeof name, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *children = fopen(name, "re");
    if (children && fscanf(children, "%d", &child) != 1)
        child = 0;
    if (children)
        fclose(children);
    return child;
}

/* ---- copies ----------------------------------------------------------------- */

typedef struct copy {
    int to;
    struct stat owner;
} copy;

static int copy_bytes(int to, int from)
{
    ssize_t n;
    while ((n = sendfile(to, from, NULL, 1 << 20)) > 0)
        ;
    return n < 0 ? -1 : 0;
}

static void copy_file(const copy *c, const tree_entry *entry)
{
    int from = openat(entry->parent, entry->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int to = from < 0 ? -1
                      : openat(c->to, entry->path,
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to >= 0 && (copy_bytes(to, from) || fchown(to, c->owner.st_uid, c->owner.st_gid) ||
                    fchmod(to, entry->facts->st_mode & 0777)))
        unlinkat(c->to, entry->path, 0); /* half of it would be taken for the whole */
    if (to >= 0)
        close(to);
    if (from >= 0)
        close(from);
}

static void copy_folder(const copy *c, const tree_entry *entry)
{
    if (mkdirat(c->to, entry->path, 0700) == 0)
        fchownat(c->to, entry->path, c->owner.st_uid, c->owner.st_gid, AT_SYMLINK_NOFOLLOW);
}

static int copy_one(void *payload, const tree_entry *entry)
{
    const copy *c = payload;
    if (S_ISDIR(entry->facts->st_mode))
        copy_folder(c, entry);
    else if (S_ISREG(entry->facts->st_mode))
        copy_file(c, entry);
    return 0;
}

enum { MOST_ENTRIES = 1 << 20 };

void folder_copy(int to, int from)
{
    copy c = { .to = to };
    int top = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (top >= 0 && fstat(to, &c.owner) == 0)
        tree_walk(top, MOST_ENTRIES, copy_one, &c);
    if (top >= 0)
        close(top);
}
