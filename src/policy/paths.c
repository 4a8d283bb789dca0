#include "policy/paths.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Appends the parts of path to the *used bytes of a normalised path in out, where
 * no bytes are the root. Answers 0 if they and a NUL do not fit. */
static int append_parts(char *out, size_t size, size_t *used, const char *path, size_t len)
{
    for (size_t at = 0, end; at < len; at = end + 1) {
        const char *slash = memchr(path + at, '/', len - at);
        end = slash ? (size_t)(slash - path) : len;
        size_t part = end - at;
        if (!part || (part == 1 && path[at] == '.'))
            continue;
        if (part == 2 && path[at] == '.' && path[at + 1] == '.') {
            while (*used && out[--*used] != '/')
                ;
            continue;
        }
        if (part + 1 >= size - *used)
            return 0;
        out[(*used)++] = '/';
        memcpy(out + *used, path + at, part);
        *used += part;
    }
    return 1;
}

int paths_normalise(char *out, size_t size, const char *cwd, const char *path, size_t len)
{
    size_t used = 0;

    if (size < 2 || !len || memchr(path, '\0', len))
        return 0;

    if (path[0] != '/') {
        if (!cwd || cwd[0] != '/')
            return 0;
        if (!append_parts(out, size, &used, cwd, strlen(cwd)))
            return 0;
    }

    if (!append_parts(out, size, &used, path, len))
        return 0;
    if (!used)
        out[used++] = '/';
    out[used] = '\0';
    return 1;
}

static int lies_below(const char *path, const char *root)
{
    size_t len = strlen(root);
    if (strncmp(path, root, len) != 0)
        return 0;
    /* Of the root directory, the slash is part of root. */
    return path[len] == '\0' || path[len] == '/' || root[len - 1] == '/';
}

int paths_allow(const path_root *roots, size_t count, const char *cwd, const char *path, size_t len,
                path_access access)
{
    char normal[PATH_MAX];

    if (!paths_normalise(normal, sizeof normal, cwd, path, len))
        return 0;
    for (size_t i = 0; i < count; i++)
        if ((access == PATH_READ || roots[i].access == PATH_WRITE) &&
            lies_below(normal, roots[i].path))
            return 1;

    return 0;
}

int paths_lead(const path_root *roots, size_t count, const char *cwd, const char *path, size_t len)
{
    char normal[PATH_MAX];
    if (!paths_normalise(normal, sizeof normal, cwd, path, len))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (lies_below(roots[i].path, normal))
            return 1;
    return 0;
}

int paths_climb(const char *path, size_t len)
{
    for (size_t at = 0, end; at < len; at = end + 1) {
        const char *slash = memchr(path + at, '/', len - at);
        end = slash ? (size_t)(slash - path) : len;
        if (end - at == 2 && path[at] == '.' && path[at + 1] == '.')
            return 1;
    }
    return 0;
}

int paths_through_mount(char *out, size_t size, const path_mount *mounts, size_t count,
                        const char *cwd, const char *path, size_t len)
{
    char normal[PATH_MAX];

    if (!cwd || count == 0 || paths_climb(path, len))
        return 0;
    if (!paths_normalise(normal, sizeof normal, cwd, path, len) || !lies_below(normal, cwd))
        return 0;

    const char *rest = normal + strlen(cwd);
    rest += *rest == '/';
    for (size_t i = 0; i < count; i++) {
        size_t name_len = strlen(mounts[i].name);
        if (strncmp(rest, mounts[i].name, name_len) != 0 ||
            (rest[name_len] != '/' && rest[name_len] != '\0'))
            continue;
        int n = snprintf(out, size, "%s%s", mounts[i].root->path, rest + name_len);
        return n > 0 && (size_t)n < size;
    }

    return 0;
}

int paths_is_relative_plain(const char *path)
{
    size_t part;
    for (const char *at = path;; at += part + 1) {
        part = strcspn(at, "/");
        if (part == 0 || (at[0] == '.' && (part == 1 || (part == 2 && at[1] == '.'))))
            return 0;
        if (!at[part])
            return 1;
    }
}
