#include "session/confine/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/process/procself.h"

/* What such a user is called in the namespace of its own. */
enum { NAME = 1000 };

/* Between the users of containers and those that nobody may be (systemd, "UIDs and GIDs"). */
static const uid_t first_stranger = 0x70000000, strangers = 0x0f000000;

static struct {
    int is_dropped, has_namespace, is_stranger;
} state;

/* ---- capabilities ---- */

typedef struct __user_cap_header_struct cap_header;
typedef struct __user_cap_data_struct cap_data;

/* What the caller can do; 0 where that is not known. */
static uint64_t capabilities(void)
{
    cap_header header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    cap_data data[2] = { { 0 } };
    if (syscall(SYS_capget, &header, data) != 0)
        return 0;
    return (uint64_t)data[1].effective << 32 | data[0].effective;
}

static int has(uint64_t set, int capability)
{
    return (set >> capability & 1) != 0;
}

/* A kernel without one of them has nothing there to drop. */
static void drop_bounds(void)
{
    const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                               SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                               SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (!has(capabilities(), CAP_SETPCAP))
        return; /* then no_new_privs is what keeps the bounds from mattering */

    for (int i = 0; prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; i++)
        ;
    prctl(PR_SET_SECUREBITS, bits, 0, 0, 0);
}

static int drop_capabilities(void)
{
    cap_header header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    const cap_data none[2] = { { 0 } };
    drop_bounds();
    if (syscall(SYS_capset, &header, none) != 0)
        return -1;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* ---- users ---- */

/* One line into a file of /proc/self. */
static int write_own_map(const char *name, const char *line)
{
    int fd = procself_open(name, O_WRONLY);
    if (fd < 0)
        return -1;

    ssize_t written = write(fd, line, strlen(line));
    close(fd);
    return written < 0 ? -1 : 0;
}

int privileges_enter_names(uid_t user, gid_t group)
{
    char uid[64], gid[64];

    snprintf(uid, sizeof uid, "%u %u 1", (unsigned)user, (unsigned)geteuid());
    snprintf(gid, sizeof gid, "%u %u 1", (unsigned)group, (unsigned)getegid());
    if (unshare(CLONE_NEWUSER) != 0 || write_own_map("setgroups", "deny") != 0)
        return -1;
    if (write_own_map("uid_map", uid) != 0 || write_own_map("gid_map", gid) != 0)
        return -1;
    return 0;
}

uid_t privileges_stranger(void)
{
    /* To end it afterwards, and to do with its files as before. */
    static const int needed[] = { CAP_SETUID, CAP_SETGID, CAP_KILL, CAP_DAC_OVERRIDE,
                                  CAP_SYS_ADMIN };
    uint64_t own = geteuid() == 0 ? capabilities() : 0;
    uint32_t number;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!has(own, needed[i]))
            return 0;

    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return 0;
    return first_stranger + number % strangers;
}

int privileges_see_strangers(void)
{
    return has(capabilities(), CAP_SYS_PTRACE);
}

/* /proc/self belongs to root after that, where it is not told otherwise. */
static int become_user(uid_t user)
{
    if (setgroups(0, NULL) != 0)
        return -1;
    if (setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0)
        return -1;
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* Who stays the user that started it, and is root, leaves root's groups, where it may. */
static int leave_groups(void)
{
    if (geteuid() == 0 && setgroups(0, NULL) != 0 && errno != EPERM)
        return -1;
    return 0;
}

int privileges_drop(uid_t user, int names_user)
{
    const uid_t name = user ? NAME : 0;

    int failed = user != 0 ? become_user(user) : leave_groups();

    if (!failed && names_user)
        failed = privileges_enter_names(name, name);
    if (failed || drop_capabilities() != 0)
        return -1;

    state.is_dropped = 1;
    state.has_namespace = names_user;
    state.is_stranger = user != 0;
    return 0;
}

int privileges_report(str *out)
{
    if (!state.is_dropped)
        return SNUG_OK;

    const char *names = state.has_namespace ? ", user namespace" : "";
    const char *user = state.is_stranger ? ", a user of its own" : "";
    return str_printf(out, "%s%s, no capabilities", names, user);
}
