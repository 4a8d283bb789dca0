#include "session/life/make.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/procself.h"
#include "policy/seccomp.h"
#include "py/core/home.h"
#include "py/life/runtime.h"
#include "session/confine/namespaces.h"
#include "session/confine/privileges.h"
#include "session/confine/thread_filters.h"
#include "session/core/full.h"
#include "session/core/session.h"
#include "session/files/workdir.h"

enum { ROOTS = 96 };

typedef struct root_list {
    path_root rows[ROOTS];
    size_t count;
    size_t own;     /* of the first ones: what the host has given */
    size_t visible; /* rows behind those, which are there and may not be opened */
} root_list;

static struct {
    int is_sealed;
    int abi, refused_paths, refused_calls; /* errno of what this machine does not grant */
    int is_first_to_go;
} state;

/* ---- paths ---- */

/* What there is no room for is refused to the process. */
static void add_row(root_list *list, const char *path, path_access access)
{
    if (path && list->count < ROOTS)
        list->rows[list->count++] = (path_root){ path, access, 0 };
}

/* Extension modules are mapped with their libraries, descriptors of sessions are /dev/null, and
 * what is left of a thread's processor time is read by its number (stop.c). */
static void add_common(root_list *list)
{
    static const char *const read[] = { "/usr/lib",      "/usr/local/lib",   "/lib",
                                        "/lib64",        "/etc/ld.so.cache", "/usr/share/zoneinfo",
                                        "/etc/localtime" };

    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        add_row(list, read[i], PATH_READ);
    add_row(list, home_stdlib(), PATH_READ);
    add_row(list, home_dynload(), PATH_READ);
    add_row(list, home_packages(), PATH_READ);
    add_row(list, "/dev/null", PATH_WRITE);
    add_row(list, "/proc/self", PATH_READ);
}

/* By a descriptor, where no path leads to it any more. */
static void add_own_facts(root_list *list)
{
    if (procself_folder() < 0 || list->count == ROOTS)
        return;
    list->rows[list->count++] =
        (path_root){ .path = "", .access = PATH_READ, .opened = procself_folder() };
}

static void add_wish(root_list *list, const snug_host *host, const seal *wish)
{
    add_row(list, wish->workdirs ? wish->workdirs : host->workdirs, PATH_WRITE);
    add_row(list, host->allowlist_dir, PATH_READ);
    add_row(list, wish->packages, PATH_READ);
    for (size_t i = 0; i < wish->root_count; i++)
        add_row(list, wish->roots[i].path, wish->roots[i].access);
}

static void add_full(root_list *list)
{
    size_t count;
    const path_root *rows = full_roots(&count);
    for (size_t i = 0; i < count; i++)
        add_row(list, rows[i].path, rows[i].access);
}

/* What links in the others lead through. */
static void add_visible(root_list *list)
{
    static const char *const names[] = { "/etc/alternatives" };
    size_t count = list->count;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_row(list, names[i], PATH_READ);
    list->visible = list->count - count;
    list->count = count;
}

static void add_every_root(root_list *list, const snug_host *host, const seal *wish)
{
    add_wish(list, host, wish);
    list->own = list->count;
    add_common(list);
    if (runtime_is_full())
        add_full(list);
    add_visible(list);
}

static int hold_paths(root_list *list)
{
    errno = 0;
    state.abi = confine_landlock_abi();
    if (state.abi)
        state.refused_paths = confine_paths(state.abi, list->rows, list->count);
    else
        state.refused_paths = errno ? errno : ENOSYS;

    if (!state.abi || !state.refused_paths || state.refused_paths == ENOTSUP)
        return SNUG_OK;
    errno = state.refused_paths;
    return error_system("the worker's Landlock");
}

/* Those of sessions too, while there may still be files in memory, which making one takes: later
 * they would be memory that nobody counts. The last one is the process's own. */
static int make_programs(seccomp_program *own)
{
    int error = SNUG_OK;
    for (int kind = 0; !error && kind <= SECCOMP_PROCESS; kind++) {
        seccomp_program_free(own);
        error = seccomp_program_make(own, (seccomp_kind)kind);
    }
    return error;
}

static int hold_calls(void)
{
    seccomp_program program = { 0 };
    int error = make_programs(&program);

    guard_answer_uname();
    if (error)
        return error;

    state.refused_calls = confine_calls(&program);
    seccomp_program_free(&program);
    return SNUG_OK;
}

/* Where the machine has no memory left, the kernel takes a worker before it takes its host. */
static void be_first_to_go(void)
{
    static const char most[] = "1000";
    int fd = procself_open("oom_score_adj", O_WRONLY);
    if (fd < 0)
        return;
    state.is_first_to_go = write(fd, most, sizeof most - 1) == sizeof most - 1;
    close(fd);
}

/* Pipes and events hold memory of the kernel's. A worker of many sessions needs more of them. */
static void limit_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max < FULL_DESCRIPTORS)
        return;
    limit.rlim_cur = limit.rlim_max = FULL_DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int seal_process(snug_host *host, const seal *wish)
{
    static root_list list;
    const struct rlimit none = { 0, 0 };
    int error = SNUG_OK;

    if (!wish->workdirs)
        error = workdir_open_host(host, NULL);
    if (error)
        return error;

    setrlimit(RLIMIT_CORE, &none); /* a guest's memory is nobody's file */
    if (runtime_is_full())
        limit_descriptors();
    be_first_to_go();
    add_every_root(&list, host, wish);
    root_rows rows = { list.rows, list.count + list.visible, list.own };
    if (wish->workdirs && wish->disk_bytes > 0) {
        rows.memory_folder = wish->workdirs;
        rows.memory_bytes = wish->disk_bytes;
        rows.memory_files = wish->disk_files;
    }

    if (namespaces_enter(&rows) != 0)
        return error_system("the worker's root folder");
    add_own_facts(&list);

    /* A descriptor of before would lead to the old root. */
    if ((wish->workdirs && (error = workdir_borrow(host, wish->workdirs))) ||
        (error = hold_paths(&list)) || (error = hold_calls()))
        return error;

    state.is_sealed = 1;
    return SNUG_OK;
}

/* What is in force, and then what is missing. */
static int report_filters(str *out)
{
    int error = str_printf(out, "process: ");

    if (!error && !state.refused_paths)
        error = str_printf(out, "landlock ABI %d", state.abi);
    if (!error && !state.refused_paths && !state.refused_calls)
        error = str_printf(out, ", ");
    if (!error && !state.refused_calls)
        error = str_printf(out, "seccomp");
    return error;
}

static int report_refused(str *out, int has_namespaces)
{
    const struct {
        int is_missing;
        const char *name;
    } parts[] = {
        { state.refused_paths, "landlock" },
        { state.refused_calls, "seccomp" },
        { !has_namespaces, "namespaces" },
        { !state.is_first_to_go, "oom_score_adj" },
    };
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < sizeof parts / sizeof *parts; i++)
        if (parts[i].is_missing)
            error = str_printf(out, "; missing: %s", parts[i].name);

    return error;
}

int seal_report(str *out)
{
    if (!state.is_sealed)
        return SNUG_OK;

    int error = report_filters(out);
    size_t len = out->len;
    if (!error)
        error = namespaces_report(out);

    int has_namespaces = out->len > len;
    if (!error)
        error = privileges_report(out);
    if (!error)
        error = report_refused(out, has_namespaces);
    if (!error)
        error = str_add(out, "\n");
    return error;
}
