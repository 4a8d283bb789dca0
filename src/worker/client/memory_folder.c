#include "worker/client/memory_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
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
    if (*path != '/')
        return -1;

    int root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
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

/* ---- copies ---- */

typedef struct copy {
    int to;
    struct stat owner;
} copy;

/* A file system that was mounted in a user namespace has no place for files of root's, not for a
 * moment: they are made as the owner's. It is the calling thread's alone. */
static int make_as(const copy *c, const char *path, int (*make)(int folder, const char *path))
{
    int group = setfsgid(c->owner.st_gid), user = setfsuid(c->owner.st_uid);
    int made = make(c->to, path), why = errno;
    setfsuid((uid_t)user);
    setfsgid((gid_t)group);
    errno = why;
    return made;
}

static int make_file(int folder, const char *path)
{
    return openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int make_folder(int folder, const char *path)
{
    return mkdirat(folder, path, 0700);
}

static int copy_bytes(int to, int from)
{
    ssize_t n;
    while ((n = sendfile(to, from, NULL, 1 << 20)) > 0)
        ;
    if (n < 0)
        return -1;
    return 0;
}

static void copy_file(const copy *c, const tree_entry *entry)
{
    int from = openat(entry->parent, entry->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (from < 0)
        return;

    int to = make_as(c, entry->path, make_file);
    if (to >= 0) {
        if (copy_bytes(to, from) != 0 || fchmod(to, entry->facts->st_mode & 0777) != 0)
            unlinkat(c->to, entry->path, 0); /* half of it would be taken for the whole */
        close(to);
    }

    close(from);
}

static int copy_one(void *payload, const tree_entry *entry)
{
    const copy *c = payload;
    if (S_ISDIR(entry->facts->st_mode))
        make_as(c, entry->path, make_folder);
    else if (S_ISREG(entry->facts->st_mode))
        copy_file(c, entry);
    return 0;
}

enum { MOST_ENTRIES = 1 << 20 };

/* What another user for the files takes from the process, or the thread, it is given back. */
static void copy_all(copy *c, int top)
{
    int death = 0, is_dumpable = prctl(PR_GET_DUMPABLE);
    prctl(PR_GET_PDEATHSIG, &death);
    tree_walk(top, MOST_ENTRIES, copy_one, c);
    if (is_dumpable == 1)
        prctl(PR_SET_DUMPABLE, 1);
    if (death != 0)
        prctl(PR_SET_PDEATHSIG, death);
}

void folder_copy(int to, int from)
{
    copy c = { .to = to };
    int top = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (top >= 0 && fstat(to, &c.owner) == 0)
        copy_all(&c, top);
    if (top >= 0)
        close(top);
}
