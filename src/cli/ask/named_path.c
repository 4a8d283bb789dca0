#include "cli/ask/named_path.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_hidden_part(const char *part, size_t len)
{
    return len > 0 && part[0] == '.' && !(len == 1 || (len == 2 && part[1] == '.'));
}

static int has_hidden_part(const char *path)
{
    for (size_t len; *path; path += len + (path[len] == '/')) {
        len = strcspn(path, "/");
        if (is_hidden_part(path, len))
            return 1;
    }
    return 0;
}

/* Whether the path or a folder on the way is a symbolic link. path is changed, and put back. */
static int has_link(char *path)
{
    struct stat facts;

    for (char *at = path; *at;) {
        at += strspn(at, "/");
        at += strcspn(at, "/");
        const char kept = *at;
        *at = '\0';
        const int is_link = *path && lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode);
        *at = kept;
        if (is_link)
            return 1;
    }

    return 0;
}

named_fact named_path_look(char *path, uint64_t *bytes)
{
    struct stat facts;

    if (stat(path, &facts))
        return NAMED_MISSING;
    if (S_ISDIR(facts.st_mode))
        return NAMED_FOLDER;
    if (!S_ISREG(facts.st_mode))
        return NAMED_MISSING;
    if (has_hidden_part(path))
        return NAMED_HIDDEN;
    if (has_link(path))
        return NAMED_LINK;
    if (access(path, R_OK))
        return NAMED_UNREADABLE;
    *bytes = (uint64_t)facts.st_size;
    return NAMED_FILE;
}
