#include "session/confine/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/confine/idmap.h"
#include "session/confine/privileges.h"

#define TOP "/tmp"

/* What bubblewrap would be given anyway; what is mounted below comes along. */
static int open_plain(const char *path)
{
    return open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

static int make_stage_place(const char *place, int tree)
{
    struct stat facts;
    if (fstat(tree, &facts) != 0)
        return -1;
    if (S_ISDIR(facts.st_mode))
        return mkdir(place, 0755);
    int fd = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    return fd < 0 ? -1 : close(fd);
}

static int attach_at(size_t number, int tree)
{
    char place[32];
    snprintf(place, sizeof place, STAGE_PLACE_FORMAT, number);
    if (make_stage_place(place, tree) != 0)
        return -1;
    return idmap_attach(tree, place);
}

/* All are opened before /tmp is covered, which they may be in. */
static int fill_stage(const int *trees, size_t count)
{
    if (mount("snug", TOP, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k"))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (attach_at(i, trees[i]) != 0)
            return -1;
    return 0;
}

int stage_enter(uid_t user, const char *const *paths, size_t count, size_t own_count)
{
    int *trees = calloc(count + 1, sizeof *trees);
    if (!trees || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return -1;

    mode_t before = umask(022);
    for (size_t i = 0; i < count; i++) {
        if (i < own_count)
            trees[i] = idmap_open(paths[i], user, "/proc");
        else
            trees[i] = open_plain(paths[i]);
        if (trees[i] < 0)
            return -1;
    }

    int failed = fill_stage(trees, count);
    umask(before);
    free(trees);

    /* The folder that it stands in may be one that the user cannot enter. */
    if (failed || chdir("/") != 0)
        return -1;
    return privileges_drop(user, 0);
}
