#include "base/process/cgroup_ground.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- names ---- */

static const char prefix[] = "snug-group-";
enum { NAME_DIGITS = 16 };

int cgroup_is_name(const char *name)
{
    size_t len = sizeof prefix - 1;
    return strncmp(name, prefix, len) == 0 &&
           strspn(name + len, "0123456789abcdef") == NAME_DIGITS && !name[len + NAME_DIGITS];
}

int cgroup_fill_name(char out[CGROUP_NAME_BYTES])
{
    unsigned char bytes[NAME_DIGITS / 2];
    size_t len = strlen(strcpy(out, prefix));
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + len + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

/* ---- files ---- */

size_t cgroup_read_file(int folder, const char *name, char *out, size_t size)
{
    ssize_t got = 0;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        got = read(fd, out, size - 1);
        close(fd);
    }

    if (got < 0)
        got = 0;

    out[got] = '\0';
    return (size_t)got;
}

int cgroup_write_file(int folder, const char *name, const char *text)
{
    int error = 0;
    int fd = openat(folder, name, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;

    if (write(fd, text, strlen(text)) < 0)
        error = errno;
    close(fd);
    return error;
}

/* ---- controllers ---- */

static int has_controller(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += len)
        if ((at == text || strchr(" ,\n", at[-1])) && (!at[len] || strchr(" ,\n", at[len])))
            return 1;
    return 0;
}

static int parse_controllers(const char *text)
{
    int has = 0;
    if (has_controller(text, "memory"))
        has |= CGROUP_MEMORY;
    if (has_controller(text, "pids"))
        has |= CGROUP_PIDS;
    return has;
}

/* ---- where groups can be made ---- */

/* In place: \040 and the like of mountinfo. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *at = text; *at; at++) {
        if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] && at[3]) {
            *to++ = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
            at += 3;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* A group's folder, where the hierarchy is mounted from root on. */
static int join_mounted(char out[PATH_MAX], const char *mounted, const char *root, const char *path)
{
    struct stat facts;
    const char *rest = "", *slash = "";
    size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);

    if (strncmp(path, root, len) == 0)
        rest = path + len;
    if (strstr(rest, "/.."))
        return 0;

    if (*rest && *rest != '/')
        slash = "/";

    int written = snprintf(out, PATH_MAX, "%s%s%s", mounted, slash, rest);
    return written > 0 && written < PATH_MAX && stat(out, &facts) == 0;
}

/* A line of /proc/self/mountinfo, of which it is a part. */
typedef struct mount_line {
    char *root, *mounted, *kind, *options;
} mount_line;

static int parse_mount(mount_line *out, char *line)
{
    char *saved = NULL;
    char *rest = strstr(line, " - ");
    if (!rest)
        return 0;

    *rest = '\0';
    strtok_r(line, " ", &saved); /* the mount's number, its parent's, the device's */
    strtok_r(NULL, " ", &saved);
    strtok_r(NULL, " ", &saved);
    out->root = strtok_r(NULL, " ", &saved);
    out->mounted = strtok_r(NULL, " ", &saved);
    out->kind = strtok_r(rest + strlen(" - "), " \n", &saved);
    strtok_r(NULL, " \n", &saved); /* the device */
    out->options = strtok_r(NULL, " \n", &saved);
    return out->root && out->mounted && out->kind;
}

/* Whether it is the hierarchy of version 1 that has the controller, or for NULL that of version 2.
 */
static int has_hierarchy(const mount_line *m, const char *controller)
{
    if (!controller)
        return strcmp(m->kind, "cgroup2") == 0;
    return strcmp(m->kind, "cgroup") == 0 && m->options && has_controller(m->options, controller);
}

/* The folder of a group in the hierarchy that has a controller, or for NULL in version 2's. */
static int find_folder(char out[PATH_MAX], const char *controller, const char *path)
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t size = 0;
    int found = 0;

    while (mounts && !found && getline(&line, &size, mounts) > 0) {
        mount_line m;
        if (!parse_mount(&m, line) || !has_hierarchy(&m, controller))
            continue;
        unescape(m.root);
        unescape(m.mounted);
        found = join_mounted(out, m.mounted, m.root, path);
    }

    free(line);
    if (mounts)
        fclose(mounts);
    return found;
}

static int is_delegated(const char *path)
{
    static const char *const names[] = { "user.delegate", "trusted.delegate" };
    char value[4];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getxattr(path, names[i], value, sizeof value) > 0 && *value == '1')
            return 1;
    /* To others than root nothing is open that was not given to them. */
    return geteuid() != 0 && access(path, W_OK) == 0;
}

/* Version 2 lets no group have both processes and groups with controllers: where this process is
 * alone in its group, it goes into one below. */
static int step_down(int folder)
{
    char procs[256], own[32], name[CGROUP_NAME_BYTES];

    snprintf(own, sizeof own, "%d\n", (int)getpid());
    cgroup_read_file(folder, "cgroup.procs", procs, sizeof procs);
    if (strcmp(procs, own) != 0 || cgroup_fill_name(name) != 0 || mkdirat(folder, name, 0755) != 0)
        return -1;

    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || cgroup_write_file(fd, "cgroup.procs", "0") != 0) {
        unlinkat(folder, name, AT_REMOVEDIR);
        if (fd >= 0)
            close(fd);
        return -1;
    }

    /* Stays open, so that nobody takes it for a dead one's. */
    flock(fd, LOCK_SH | LOCK_NB);
    return 0;
}

/* What a group made in that folder would have. */
static int controllers_below(const char *path, int may_step)
{
    char text[512];
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return 0;

    cgroup_read_file(folder, "cgroup.subtree_control", text, sizeof text);
    if (parse_controllers(text) != CGROUP_ALL) {
        int error = cgroup_write_file(folder, "cgroup.subtree_control", "+memory +pids");
        if (error == EBUSY && may_step && step_down(folder) == 0)
            cgroup_write_file(folder, "cgroup.subtree_control", "+memory +pids");
        cgroup_read_file(folder, "cgroup.subtree_control", text, sizeof text);
    }

    close(folder);
    return parse_controllers(text);
}

static void find_v2(cgroup_ground *g, int missing, const char *path)
{
    char own[PATH_MAX];
    cgroup_hierarchy *p = &g->places[g->count];

    if (!find_folder(own, NULL, path)) {
        snprintf(g->why, sizeof g->why, "cgroups are not mounted");
        return;
    }

    const int is_top = strcmp(path, "/") == 0;
    char *slash = strrchr(own, '/');
    int has = 0;
    if (is_top || is_delegated(own))
        has = controllers_below(own, 1) & missing;
    if (!has && !is_top && slash) {
        *slash = '\0'; /* systemd's DelegateSubgroup= */
        if (is_delegated(own))
            has = controllers_below(own, 0) & missing;
    }

    if (!has) {
        snprintf(g->why, sizeof g->why,
                 "the group of this process (cgroup v2, %.100s) is not delegated: run it by "
                 "\"systemd-run --scope -p Delegate=yes\"",
                 path);
        return;
    }

    snprintf(p->path, sizeof p->path, "%s", own);
    p->is_v2 = 1;
    p->has = has;
    g->count++;
}

static void find_v1(cgroup_ground *g, const char *controllers, const char *path)
{
    int has = parse_controllers(controllers);
    if (!has || g->count == CGROUP_MOST_PLACES)
        return;

    cgroup_hierarchy *p = &g->places[g->count];
    if (!find_folder(p->path, has & CGROUP_MEMORY ? "memory" : "pids", path))
        return;

    p->is_v2 = 0;
    p->has = has;
    if (access(p->path, W_OK) == 0)
        g->count++;
    else
        snprintf(g->why, sizeof g->why, "the group of this process (cgroup v1) is not its own");
}

int cgroup_controllers(const cgroup_ground *g)
{
    int has = 0;
    for (size_t i = 0; i < g->count; i++)
        has |= g->places[i].has;
    return has;
}

void cgroup_find_ground(cgroup_ground *g)
{
    FILE *own = fopen("/proc/self/cgroup", "re");
    char *line = NULL, *v2 = NULL;
    size_t size = 0;

    snprintf(g->why, sizeof g->why, "this kernel has no cgroups, or /proc does not tell");
    while (own && getline(&line, &size, own) > 0) {
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (controllers[1])
            find_v1(g, controllers + 1, path);
        else if (!v2)
            v2 = strdup(path);
    }

    if (v2 && g->count < CGROUP_MOST_PLACES && cgroup_controllers(g) != CGROUP_ALL)
        find_v2(g, CGROUP_ALL & ~cgroup_controllers(g), v2);
    free(v2);
    free(line);
    if (own)
        fclose(own);
}
