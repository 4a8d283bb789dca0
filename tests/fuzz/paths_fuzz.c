/* The current folder, a root and a path, with a NUL between. Against a list of parts. */
#include "fuzz.h"

#include "policy/paths.h"

#include <limits.h>

enum { MOST_PARTS = 2048 };

typedef struct parts {
    input items[MOST_PARTS];
    size_t count;
} parts;

static void add_parts(parts *list, input path)
{
    while (path.left) {
        input part = take_until(&path, "/");
        if (part.left == 2 && !memcmp(part.at, "..", 2))
            list->count -= list->count > 0;
        else if (part.left && !(part.left == 1 && *part.at == '.') && list->count < MOST_PARTS)
            list->items[list->count++] = part;
    }
}

static int begin_with(const parts *list, const parts *root)
{
    for (size_t i = 0; i < root->count; i++)
        if (i == list->count || list->items[i].left != root->items[i].left ||
            memcmp(list->items[i].at, root->items[i].at, root->items[i].left))
            return 0;
    return 1;
}

static void write_parts(char *out, const parts *list)
{
    if (!list->count)
        *out++ = '/';
    for (size_t i = 0; i < list->count; i++) {
        *out++ = '/';
        memcpy(out, list->items[i].at, list->items[i].left);
        out += list->items[i].left;
    }
    *out = '\0';
}

/* A smaller buffer is too small, or the answer is the same. */
static void check_size(const char *normal, const char *cwd, input path, size_t size)
{
    char *out = malloc(size ? size : 1);
    HOLDS(out);
    if (paths_normalise(out, size, cwd, path.at, path.left))
        HOLDS(size > strlen(normal) && !strcmp(out, normal));
    free(out);
}

/* path and what it is normalised to are allowed alike, and below the root only. */
static void check_root(const char *cwd, const char *normal, input path, const char *root,
                       int is_inside)
{
    static const path_access all[] = { PATH_READ, PATH_WRITE };
    for (size_t i = 0; i < 2; i++) {
        path_root roots[] = { { "/nowhere/else", PATH_WRITE }, { root, all[i] } };
        for (size_t j = 0; j < 2; j++) {
            int answer = paths_allow(roots, 2, cwd, path.at, path.left, all[j]);
            HOLDS(answer == paths_allow(roots, 2, NULL, normal, strlen(normal), all[j]));
            if (strncmp(normal, "/nowhere/else", 13))
                HOLDS(answer == (is_inside && all[j] <= all[i]));
        }
        HOLDS(!paths_allow(roots, 0, cwd, path.at, path.left, PATH_READ));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static parts list, root_list;
    char normal[PATH_MAX], expected[PATH_MAX], root[PATH_MAX];
    input in = input_of(data, size), cwd = { in.at, strnlen(in.at, in.left) };
    if (size >= PATH_MAX / 2)
        return -1;
    in.at += cwd.left + (cwd.left < in.left);
    in.left -= cwd.left + (cwd.left < in.left);
    input root_text = { in.at, strnlen(in.at, in.left) };
    in.at += root_text.left + (root_text.left < in.left);
    in.left -= root_text.left + (root_text.left < in.left);
    char *folder = copy_of(cwd.at, cwd.left);

    if (!paths_normalise(normal, sizeof normal, folder, in.at, in.left)) {
        int is_relative = in.left && *in.at != '/';
        HOLDS(!in.left || memchr(in.at, '\0', in.left) || (is_relative && *folder != '/'));
        free(folder);
        return 0;
    }
    list.count = root_list.count = 0;
    if (*in.at != '/')
        add_parts(&list, cwd);
    add_parts(&list, in);
    write_parts(expected, &list);
    HOLDS(!strcmp(normal, expected));
    for (size_t i = 0; i < list.count; i++)
        HOLDS(list.items[i].left);
    HOLDS(paths_normalise(expected, sizeof expected, NULL, normal, strlen(normal)));
    HOLDS(!strcmp(normal, expected));
    for (size_t wanted = 0; wanted < 8; wanted++)
        check_size(normal, folder, in, wanted);
    check_size(normal, folder, in, strlen(normal));
    check_size(normal, folder, in, strlen(normal) + 1);

    add_parts(&root_list, root_text);
    write_parts(root, &root_list);
    check_root(folder, normal, in, root, begin_with(&list, &root_list));
    free(folder);
    return 0;
}
