#include "bash/creations.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { NONE = -1 };

/* The bits of an argument that have to be so for a call to wait. */
typedef struct condition {
    int argument; /* NONE: it always does */
    uint64_t bits, value;
} condition;

#define ALWAYS     \
    {              \
        NONE, 0, 0 \
    }
#define CREATES(flags)          \
    {                           \
        flags, O_CREAT, O_CREAT \
    }
#define COMMAND(value)       \
    {                        \
        1, UINT32_MAX, value \
    }

/* Which arguments have the folder and the path that is made. Nothing comes in from elsewhere by a
 * move: other folders that a session can write to are other mounts. */
static const struct row {
    int call;
    creation_kind kind;
    condition waits;
    int folder, path;
} rows[] = {
    { SCMP_SYS(open), CREATION_OF_FILE, CREATES(1), NONE, 0 },
    { SCMP_SYS(openat), CREATION_OF_FILE, CREATES(2), 0, 1 },
    { SCMP_SYS(creat), CREATION_OF_FILE, ALWAYS, NONE, 0 },
    { SCMP_SYS(mkdir), CREATION_OF_FILE, ALWAYS, NONE, 0 },
    { SCMP_SYS(mkdirat), CREATION_OF_FILE, ALWAYS, 0, 1 },
    { SCMP_SYS(mknod), CREATION_OF_FILE, ALWAYS, NONE, 0 },
    { SCMP_SYS(mknodat), CREATION_OF_FILE, ALWAYS, 0, 1 },
    { SCMP_SYS(link), CREATION_OF_FILE, ALWAYS, NONE, 1 },
    { SCMP_SYS(linkat), CREATION_OF_FILE, ALWAYS, 2, 3 },
    { SCMP_SYS(symlink), CREATION_OF_FILE, ALWAYS, NONE, 1 },
    { SCMP_SYS(symlinkat), CREATION_OF_FILE, ALWAYS, 1, 2 },
    { SCMP_SYS(bind), CREATION_OF_ADDRESS, ALWAYS, NONE, 1 },
    { SCMP_SYS(rename), CREATION_BY_MOVE, ALWAYS, NONE, NONE },
    { SCMP_SYS(renameat), CREATION_BY_MOVE, ALWAYS, NONE, NONE },
    { SCMP_SYS(renameat2), CREATION_BY_MOVE, ALWAYS, NONE, NONE },
    { SCMP_SYS(fcntl), CREATION_OF_LOCK, COMMAND(F_SETLK), NONE, NONE },
    { SCMP_SYS(fcntl), CREATION_OF_LOCK, COMMAND(F_SETLKW), NONE, NONE },
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Answers 0 or a negative errno. */
static int add_questions(scmp_filter_ctx filter)
{
    /* Other architectures' calls are denied by the other filter. */
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);

    for (size_t i = 0; !failed && i < ROWS; i++) {
        const condition *c = &rows[i].waits;
        const struct scmp_arg_cmp is_so =
            SCMP_CMP64((unsigned)c->argument, SCMP_CMP_MASKED_EQ, c->bits, c->value);
        const unsigned tests = c->argument != NONE;
        /* Below 0 are calls that this machine does not have. */
        if (rows[i].call >= 0)
            failed = seccomp_rule_add_array(filter, SCMP_ACT_NOTIFY, rows[i].call, tests, &is_so);
    }

    return failed;
}

int creations_load(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return -1;

    int fd = -1;
    if (add_questions(filter) == 0 && seccomp_load(filter) == 0)
        fd = seccomp_notify_fd(filter);
    if (fd >= 0)
        fd = fcntl(fd, F_DUPFD_CLOEXEC, 3); /* libseccomp may close its own */
    seccomp_release(filter);
    return fd;
}

static creation creation_of(const struct seccomp_notif *question)
{
    const struct row *row = rows;
    const __u64 *arguments = question->data.args;

    while (row < rows + ROWS - 1 && row->call != question->data.nr)
        row++;

    creation c = { .kind = row->kind, .who = (pid_t)question->pid, .folder = AT_FDCWD };
    if (row->folder != NONE)
        c.folder = (int)arguments[row->folder];
    if (row->path != NONE)
        c.at = arguments[row->path];
    if (row->kind == CREATION_OF_ADDRESS)
        c.len = arguments[2];
    return c;
}

void creations_serve(int fd, int (*judge)(void *payload, const creation *c), void *payload)
{
    struct seccomp_notif *question = NULL;
    struct seccomp_notif_resp *answer = NULL;
    if (seccomp_notify_alloc(&question, &answer) != 0)
        return;

    for (;;) {
        memset(question, 0, sizeof *question);
        int failed = seccomp_notify_receive(fd, question);
        /* Who waited has been killed, or interrupted: there will be another. */
        if (failed && (errno == EINTR || errno == ENOENT))
            continue;
        if (failed)
            break;
        const creation c = creation_of(question);
        int error = judge(payload, &c);
        memset(answer, 0, sizeof *answer);
        answer->id = question->id;
        answer->error = -error;
        if (!error)
            answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        seccomp_notify_respond(fd, answer);
    }
    seccomp_notify_free(question, answer);
}

/* What that process has in its memory there, up to a NUL where is_text says so. How much could be
 * read; -1: nothing. */
static ssize_t read_memory(char *out, size_t size, pid_t who, unsigned long at, int is_text)
{
    enum { PAGE = 4096 };
    char path[64];
    size_t got = 0, most = size - 1;

    snprintf(path, sizeof path, "/proc/%d/mem", (int)who);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;

    /* A page at a time: the next may not be there. */
    while (got < most) {
        size_t part = PAGE - (at + got) % PAGE;
        if (part > most - got)
            part = most - got;
        ssize_t more = pread(fd, out + got, part, (off_t)(at + got));
        if (more <= 0)
            break;
        got += (size_t)more;
        if (is_text && memchr(out, '\0', got))
            break;
    }

    close(fd);
    out[got] = '\0';
    return got > 0 ? (ssize_t)got : -1;
}

/* Its first two bytes are the family, of which one is a NUL. */
static int address_path(char *out, size_t size, const creation *c)
{
    char text[sizeof(struct sockaddr_un) + 1];
    sa_family_t family;
    size_t len = c->len < sizeof text ? c->len : sizeof text - 1;
    if (len <= sizeof family)
        return 0;

    if (read_memory(text, len + 1, c->who, c->at, 0) != (ssize_t)len)
        return -1;
    memcpy(&family, text, sizeof family);

    /* Also without a name, or with one that is not a file's. */
    if (family != AF_UNIX || !text[sizeof family])
        return 0;
    return snprintf(out, size, "%s", text + sizeof family) < (int)size ? 1 : -1;
}

int creation_path(char *out, size_t size, const creation *c)
{
    char text[PATH_MAX + 1];
    if (c->kind == CREATION_OF_ADDRESS)
        return address_path(out, size, c);
    if (read_memory(text, sizeof text, c->who, c->at, 1) < 0)
        return -1;
    return snprintf(out, size, "%s", text) < (int)size ? 1 : -1;
}
