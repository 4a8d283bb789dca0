#include "cli/ask/near_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/nearest.h"

enum { MOST_NAMES = 700 /* of larger folders, the first of them that come */ };

typedef struct names {
    char **items;
    size_t count, cap;
} names;

static int read_names(names *n, const char *folder)
{
    struct dirent *entry;
    DIR *dir = opendir(folder);
    int failed = 0;

    while (dir && !failed && n->count < MOST_NAMES && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || entry->d_type == DT_DIR)
            continue;
        failed = array_reserve(&n->items, &n->cap, n->count + 1, sizeof *n->items) ||
                 !(n->items[n->count] = strdup(entry->d_name));
        n->count += !failed;
    }
    if (dir)
        closedir(dir);
    return failed;
}

int near_file_find(str *out, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    str folder = { 0 };
    names n = { 0 };
    int error = str_append(&folder, path, (size_t)(name - path));

    if (!error)
        error = read_names(&n, folder.len ? folder.data : ".");
    const char *near = error ? NULL : nearest_typed(name, (const char *const *)n.items, n.count);
    if (near)
        error = str_printf(out, "%s%s", str_text(&folder), near);

    for (size_t i = 0; i < n.count; i++)
        free(n.items[i]);
    free(n.items);
    str_free(&folder);
    return error ? SNUG_ENOMEM : SNUG_OK;
}
