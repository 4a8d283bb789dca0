#include "cli/program/kernel_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first line of a small file; "" if it cannot be read. */
static void read_first_line(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, out, size - 1);
    if (fd >= 0)
        close(fd);
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

static void tell_release(str *text)
{
    struct utsname name;
    uname(&name);
    str_printf(text, "%s %s", name.release, name.machine);
}

static void tell_landlock(str *text)
{
    long abi =
        syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi > 0)
        str_printf(text, "ABI %ld", abi);
    else
        str_printf(text, "no (%s)", strerror(errno));
}

static void tell_seccomp(str *text)
{
    char actions[256];

    read_first_line("/proc/sys/kernel/seccomp/actions_avail", actions, sizeof actions);
    /* 2: a filter is already in force, of a container for example. */
    int mode = prctl(PR_GET_SECCOMP);
    if (*actions)
        str_printf(text, "%s%s", actions, mode == 2 ? " (a filter is in force)" : "");
    else
        str_printf(text, "%s", mode >= 0 ? "yes" : "no");
}

/* *refused, an int: the errno; 0: it is permitted. */
static void *try_unshare(void *refused)
{
    *(int *)refused = unshare(CLONE_FS) ? errno : 0;
    return NULL;
}

/* On a thread of its own: it cannot be taken back. */
static void tell_unshare_fs(str *text)
{
    pthread_t thread;
    int refused = 0;
    int error = pthread_create(&thread, NULL, try_unshare, &refused);

    if (!error) {
        pthread_join(thread, NULL);
        error = refused;
    }
    str_add(text, error ? strerror(error) : "permitted");
}

static void tell_map_count(str *text)
{
    char number[64];
    read_first_line("/proc/sys/vm/max_map_count", number, sizeof number);
    str_printf(text, "%s", *number ? number : "unknown");
}

static void tell_overcommit(str *text)
{
    static const char *const modes[] = { "heuristic", "always", "never" };
    char mode[8];
    read_first_line("/proc/sys/vm/overcommit_memory", mode, sizeof mode);
    unsigned index = (unsigned)(mode[0] - '0');
    str_printf(text, "%s", index < 3 ? modes[index] : "unknown");
}

static void tell_thread_count(str *text)
{
    char number[64];
    read_first_line("/proc/sys/kernel/threads-max", number, sizeof number);
    str_printf(text, "%s", *number ? number : "unknown");
}

static void tell_rlimit(str *text, __rlimit_resource_t resource)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        str_add(text, "unlimited");
    else
        str_printf(text, "%llu", (unsigned long long)limit.rlim_cur);
}

static void tell_descriptors(str *text)
{
    tell_rlimit(text, RLIMIT_NOFILE);
}

static void tell_processes(str *text)
{
    tell_rlimit(text, RLIMIT_NPROC);
}

static void tell_address_space(str *text)
{
    tell_rlimit(text, RLIMIT_AS);
}

static void tell_stack(str *text)
{
    tell_rlimit(text, RLIMIT_STACK);
}

static const struct {
    const char *name;
    void (*tell)(str *text);
} facts[] = {
    { "kernel", tell_release },
    { "Landlock", tell_landlock },
    { "seccomp", tell_seccomp },
    { "unshare(CLONE_FS)", tell_unshare_fs },
    { "vm.max_map_count", tell_map_count },
    { "overcommit", tell_overcommit },
    { "threads-max", tell_thread_count },
    { "RLIMIT_NPROC", tell_processes },
    { "RLIMIT_NOFILE", tell_descriptors },
    { "RLIMIT_AS", tell_address_space },
    { "RLIMIT_STACK", tell_stack },
};

const char *kernel_fact_name(size_t index)
{
    return index < sizeof facts / sizeof *facts ? facts[index].name : NULL;
}

void kernel_fact_tell(str *text, size_t index)
{
    facts[index].tell(text);
}
