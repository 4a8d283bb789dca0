#include "supervise/saved_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snug/supervisor.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsontext.h"
#include "base/utf8.h"

/* ---- names ---- */

/* Of a file's 255 there is room for an ending, and for that of file_replace. */
_Static_assert(SNUG_SUPERVISOR_NAME_BYTES <= 220, "a name is a file's");

static int is_plain(char c)
{
    return is_word(c) || c == '-';
}

size_t state_name_bytes(const char *name)
{
    size_t bytes = 0;
    for (; *name; name++)
        bytes += is_plain(*name) ? 1 : 3;
    return bytes;
}

int state_name(str *out, const char *name)
{
    for (; *name; name++) {
        if (is_plain(*name))
            str_append(out, name, 1);
        else
            str_printf(out, "%%%02X", (unsigned)(unsigned char)*name);
    }
    return str_error(out);
}

int state_place(str *out, const state_folder *state, const char *tenant, const char *session)
{
    str_printf(out, "%s/", state->path);
    state_name(out, tenant);
    str_add(out, "/");
    return state_name(out, session);
}

/* PATH_MAX holds the state's path, checked at open, two names and an ending. */
static void join_path(char out[PATH_MAX], const char *place, const char *ending)
{
    snprintf(out, PATH_MAX, "%s%s", place, ending);
}

/* ---- files ---- */

int state_make_folder(const char *place)
{
    char path[PATH_MAX];
    join_path(path, place, "");
    *strrchr(path, '/') = '\0';
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return SNUG_OK;
    return error_system("%s", path);
}

int state_has(const char *place, const char *ending)
{
    char path[PATH_MAX];
    join_path(path, place, ending);
    return access(path, F_OK) == 0;
}

int64_t state_written_ms(const char *place, const char *ending)
{
    char path[PATH_MAX];
    struct stat facts;
    join_path(path, place, ending);
    if (stat(path, &facts) != 0)
        return 0;
    return (int64_t)facts.st_mtim.tv_sec * 1000 + facts.st_mtim.tv_nsec / 1000000;
}

int state_remove(const char *place, const char *ending)
{
    char path[PATH_MAX];
    join_path(path, place, ending);
    return unlink(path) == 0;
}

int state_note_try(const char *place)
{
    char path[PATH_MAX];
    join_path(path, place, ".tried");
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return errno == EEXIST;
    close(fd);
    return 0;
}

int state_put_aside(const char *place)
{
    char from[PATH_MAX], to[PATH_MAX];
    join_path(from, place, ".snug");
    join_path(to, place, ".damaged");
    if (rename(from, to) != 0)
        return error_system("%s", from);
    return SNUG_OK;
}

/* ---- marks ---- */

/* A number of that many digits is written over another in one step. */
enum { MARK_DIGITS = 20, MOST_WHY = 1024 };

int state_mark(const char *place, uint64_t cells, const char *why)
{
    char path[PATH_MAX], text[MARK_DIGITS + 2 + MOST_WHY];

    if (!why)
        why = "";
    int len =
        snprintf(text, sizeof text, "%0*llu\n%s", MARK_DIGITS, (unsigned long long)cells, why);
    size_t bytes = (size_t)len < sizeof text ? (size_t)len : sizeof text - 1;

    join_path(path, place, ".open");
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return error_system("%s", path);

    int error = SNUG_OK;
    if (pwrite(fd, text, bytes, 0) != (ssize_t)bytes || ftruncate(fd, (off_t)bytes) != 0)
        error = error_system("%s", path);
    close(fd);
    return error;
}

int state_read_mark(const char *place, uint64_t *cells, str *why)
{
    char path[PATH_MAX], text[MARK_DIGITS + 2 + MOST_WHY];

    join_path(path, place, ".open");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    *cells = 0;
    if (fd < 0)
        return 0;

    ssize_t len = read(fd, text, sizeof text - 1);
    close(fd);
    text[len > 0 ? len : 0] = '\0';
    if (strspn(text, "0123456789") != MARK_DIGITS || text[MARK_DIGITS] != '\n') {
        *cells = MARK_UNKNOWN;
        return 1;
    }

    utf8_mend(text, strlen(text));
    *cells = strtoull(text, NULL, 10);
    str_add(why, text + MARK_DIGITS + 1);

    return 1;
}

int state_write_left(const char *place, const char *json)
{
    char path[PATH_MAX];
    struct iovec piece = { (void *)(uintptr_t)json, strlen(json) };
    join_path(path, place, ".left");
    return file_replace(path, &piece, 1);
}

void state_read_left(const char *place, str *json)
{
    enum { MOST_BYTES = 16 << 20 };
    char path[PATH_MAX];
    size_t fault;

    if (!state_has(place, ".left")) {
        str_clear(json);
        return;
    }

    join_path(path, place, ".left");
    int error = file_read(json, path, MOST_BYTES);

    /* It goes into an answer as it is. */
    if (error || jsontext_check(str_text(json), json->len, &fault) != NULL)
        str_clear(json);
}

/* ---- the folder ---- */

/* What file_replace leaves when it is killed: NAME.snug.XXXXXX. */
static int is_half_written(const char *name)
{
    const char *dot = strchr(name, '.');
    if (!dot)
        return 0;

    const char *second = strchr(dot + 1, '.');
    return second && strlen(second) == strlen(".XXXXXX");
}

static void count_in_folder(state_folder *state, int folder)
{
    struct dirent *entry;
    DIR *dir = fdopendir(folder);

    while (dir && (entry = readdir(dir))) {
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.')
            continue;
        if (is_half_written(entry->d_name))
            unlinkat(folder, entry->d_name, 0);
        else if (dot && strcmp(dot, ".snug") == 0)
            state->saved++;
    }

    if (dir)
        closedir(dir);
    else
        close(folder);
}

static void count_saved(state_folder *state)
{
    static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct dirent *entry;
    DIR *dir = opendir(state->path);

    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        int folder = openat(dirfd(dir), entry->d_name, flags);
        if (folder >= 0)
            count_in_folder(state, folder);
    }

    if (dir)
        closedir(dir);
}

/* Saved sessions hold what people have said: nobody else is to read them. */
static int check_state_folder(const char *path)
{
    struct stat facts;

    if (stat(path, &facts) != 0)
        return error_system("%s", path);
    if (!S_ISDIR(facts.st_mode))
        return error_set(SNUG_ESYSTEM, "%s is not a folder", path);
    if (facts.st_uid != geteuid() || (facts.st_mode & 077))
        return error_set(SNUG_EPOLICY,
                         "%s is open to others than its user (mode %04o, user %lu): a state folder "
                         "has mode 0700 and is one's own",
                         path, (unsigned)(facts.st_mode & 07777), (unsigned long)facts.st_uid);

    return SNUG_OK;
}

static int lock_folder(state_folder *state)
{
    char path[PATH_MAX];

    join_path(path, state->path, "/.lock");
    state->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (state->lock < 0)
        return error_system("%s", path);
    if (flock(state->lock, LOCK_EX | LOCK_NB) == 0)
        return SNUG_OK;
    if (errno != EWOULDBLOCK)
        return error_system("%s", path);
    return error_set(SNUG_EBUSY, "%s is the state folder of another supervisor that is open",
                     state->path);
}

int state_open(state_folder *out, const char *path)
{
    *out = (state_folder){ .lock = -1 };
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return error_system("%s", path);

    out->path = realpath(path, NULL);
    if (!out->path)
        return error_system("%s", path);
    if (strlen(out->path) + 2 * (SNUG_SUPERVISOR_NAME_BYTES + 1) + 32 > PATH_MAX)
        return error_set(SNUG_EINVAL,
                         "the path of the state folder has %zu bytes, which is too long",
                         strlen(out->path));

    int error = check_state_folder(out->path);
    if (!error && access(out->path, W_OK | X_OK) != 0)
        error = error_system("%s", out->path);
    if (!error)
        error = lock_folder(out);
    if (!error)
        count_saved(out);
    return error;
}

void state_close(state_folder *state)
{
    if (state->lock >= 0)
        close(state->lock);
    free(state->path);
    *state = (state_folder){ .lock = -1 };
}
