#include "policy/profile_text.h"

#include <snug/snug.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"
#include "policy/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_PROFILE_BYTES = 1 << 20,
    MAX_NAME_BYTES = 255,
    MOST_LISTED = 64 /* in a message */
};

int profile_is_name(const char *name, size_t len)
{
    static const char *const tables[] = { "calls", "alternatives" };

    if (len == 0 || len > MAX_NAME_BYTES)
        return 0;

    for (size_t i = 0; i < len; i++)
        if (!is_word(name[i]) && name[i] != '-')
            return 0;

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (len == strlen(tables[i]) && memcmp(name, tables[i], len) == 0)
            return 0;
    return 1;
}

int profile_shown(const char *name, size_t len)
{
    return (int)utf8_floor(name, len, len < PROFILE_SHOWN_BYTES ? len : PROFILE_SHOWN_BYTES);
}

/* ---- reading ---- */

static int read_profile_file(str *text, int fd, const char *path)
{
    for (;;) {
        char chunk[8192];
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_set(SNUG_EPOLICY, "profile %s: %s", path, strerror(errno));
        if (n == 0)
            return SNUG_OK;

        if (text->len + (size_t)n > MAX_PROFILE_BYTES)
            return error_set(SNUG_EPOLICY, "profile %s: larger than 1 MiB", path);
        if (str_append(text, chunk, (size_t)n) != SNUG_OK)
            return error_no_memory();
    }
}

/* An editor's byte order mark is not part of the first name. */
static void drop_mark(str *text)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t len = sizeof mark - 1;

    if (text->len < len || memcmp(text->data, mark, len) != 0)
        return;
    text->len -= len;
    memmove(text->data, text->data + len, text->len + 1);
}

int profile_read(str *text, const char *path)
{
    struct stat st;
    int error;

    /* Not waiting for the other end of a pipe: what is not a file is refused below. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0) {
        error = error_set(errno == ENOENT ? SNUG_ENOTFOUND : SNUG_EPOLICY, "profile %s: %s", path,
                          strerror(errno));
        goto done;
    }

    if (!S_ISREG(st.st_mode)) {
        error = error_set(SNUG_EPOLICY, "profile %s: not a regular file", path);
        goto done;
    }

    error = read_profile_file(text, fd, path);
    if (!error)
        drop_mark(text);

done:
    if (fd >= 0)
        close(fd);
    return error;
}

/* ---- finding ---- */

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The length of a file's name without its ".txt"; 0: it is not a profile's. */
static size_t profile_len(const char *file)
{
    size_t len = strlen(file);
    if (len <= 4 || strcmp(file + len - 4, ".txt") != 0 || !profile_is_name(file, len - 4))
        return 0;
    return len - 4;
}

/* The names of dir's profiles, sorted. A folder that cannot be read has none. */
static size_t list_profiles(char *names[MOST_LISTED], const char *dir)
{
    size_t count = 0;
    const struct dirent *item;
    DIR *stream = opendir(dir);
    if (!stream)
        return 0;

    while (count < MOST_LISTED && (item = readdir(stream))) {
        size_t len = profile_len(item->d_name);
        if (len == 0)
            continue;
        names[count] = strndup(item->d_name, len);
        if (!names[count])
            break;
        count++;
    }

    closedir(stream);
    qsort(names, count, sizeof *names, compare_strings);
    return count;
}

static void add_known(str *known, const char *name, size_t len)
{
    (void)str_printf(known, "%s%.*s", known->len ? ", " : "are: ", (int)len, name);
}

/* SNUG_ENOTFOUND with the names of the profiles that are there. */
static int error_no_profile(const char *name, size_t len, const char *dir)
{
    str known = { 0 };
    char *names[MOST_LISTED];
    size_t count = 0;

    if (dir) {
        count = list_profiles(names, dir);
        for (size_t i = 0; i < count; i++) {
            add_known(&known, names[i], strlen(names[i]));
            free(names[i]);
        }
    } else {
        for (const policy_file *file = policy_files; file->name; file++)
            add_known(&known, file->name, strcspn(file->name, "."));
    }

    int shown = profile_shown(name, len);
    const char *there = known.len ? known.data : "is none";
    if (dir)
        error_set(SNUG_ENOTFOUND, "there is no profile \"%.*s\" in %s; there %s", shown, name, dir,
                  there);
    else
        error_set(SNUG_ENOTFOUND, "there is no profile \"%.*s\"; there %s", shown, name, there);

    str_free(&known);
    return SNUG_ENOTFOUND;
}

int profile_find(str *text, str *label, const char *beside, const char *dir, const char *name,
                 size_t len)
{
    const char *const dirs[] = { beside, dir };

    if (!profile_is_name(name, len))
        return error_no_profile(name, len, dir);

    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        if (!dirs[i])
            continue;
        str_clear(label);
        if (str_printf(label, "%s/%.*s.txt", dirs[i], (int)len, name) != SNUG_OK)
            return error_no_memory();
        int error = profile_read(text, str_text(label));
        if (error != SNUG_ENOTFOUND)
            return error;
    }

    str_clear(label);
    if (str_printf(label, "%.*s.txt", (int)len, name) != SNUG_OK)
        return error_no_memory();

    const policy_file *file = dir ? NULL : policy_file_find(str_text(label));
    if (!file)
        return error_no_profile(name, len, dir);
    if (str_append(text, file->text, file->len) != SNUG_OK)
        return error_no_memory();
    return SNUG_OK;
}
