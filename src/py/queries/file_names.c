#include "py/queries/file_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/beneath.h"
#include "base/error.h"
#include "base/utf8.h"
#include "policy/paths.h"
#include "py/guard/audit.h"

/* A prompt waits for the answer: of a larger folder, a part is enough. */
enum { ENTRIES_MAX = 20000 };

/* What follows root in an absolute path: NULL where it is not in there. */
static const char *rest_below(const char *root, const char *path)
{
    size_t len = strlen(root);

    if (strncmp(path, root, len) != 0 || (path[len] != '/' && path[len] != '\0'))
        return NULL;
    return path[len] ? path + len + 1 : ".";
}

/* Whether no link on the way leads out of the root. */
static int stays_in(const char *root, const char *path)
{
    const char *rest = rest_below(root, path);
    return rest && beneath(root, *rest ? rest : ".", 1);
}

/* The folder, by its own name, that the path of len bytes means; 0: the session has none there. */
static int find_folder(char out[PATH_MAX], interp *in, const char *path, size_t len)
{
    const interp_options *options = &in->options;
    const char *workdir = options->workdir;

    if (!workdir || paths_climb(path, len))
        return 0;
    if (len == 0) {
        path = ".";
        len = 1;
    }
    int is_mounted = paths_through_mount(out, PATH_MAX, options->mounts, options->mount_count,
                                         workdir, path, len);
    if (!is_mounted && !paths_normalise(out, PATH_MAX, workdir, path, len))
        return 0;

    int is_ours = !is_mounted && stays_in(workdir, out);
    for (size_t i = 0; i < options->mount_count && !is_ours; i++)
        is_ours = stays_in(options->mounts[i].root->path, out);
    return is_ours && (!in->is_guarded || audit_has_path(in, out, PATH_READ));
}

/* What is mounted is a link, of which the session may know that it leads to a folder. */
static int is_folder(const interp_options *options, int folder, const struct dirent *entry)
{
    struct stat facts;

    if (entry->d_type == DT_DIR)
        return 1;
    if (entry->d_type == DT_UNKNOWN)
        return fstatat(folder, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISDIR(facts.st_mode);
    for (size_t i = 0; entry->d_type == DT_LNK && i < options->mount_count; i++)
        if (strcmp(options->mounts[i].name, entry->d_name) == 0)
            return 1;
    return 0;
}

/* before: the path as far as it is written, up to its last slash. */
static void offer_entry(collector *to, const char *before, size_t len, const char *name,
                        int is_folder, literal_style style)
{
    str path = { 0 };
    size_t fault;

    if (utf8_check(name, strlen(name), &fault) != UTF8_FINE)
        return;
    if (str_append(&path, before, len) || str_add(&path, name) ||
        (is_folder && str_add(&path, "/")))
        to->error = error_no_memory();
    else
        offer_quoted(to, path.data, path.len, style, NAME_OF_FILE);
    str_free(&path);
}

void offer_files(collector *to, interp *in, literal_style style)
{
    char folder_path[PATH_MAX];
    const piece written = to->prefix;
    size_t len = written.len;

    while (len > 0 && written.at[len - 1] != '/')
        len--;
    /* What is spelled with a backslash would have to be read first. */
    if (memchr(written.at, '\\', len) || !find_folder(folder_path, in, written.at, len))
        return;
    DIR *folder = opendir(folder_path);
    if (!folder)
        return;

    const int shows_hidden = len < written.len && written.at[len] == '.';
    const struct dirent *entry;
    for (size_t seen = 0; seen < ENTRIES_MAX && !to->error && (entry = readdir(folder)); seen++) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (*name == '.' && !shows_hidden))
            continue;
        offer_entry(to, written.at, len, name, is_folder(&in->options, dirfd(folder), entry),
                    style);
    }
    closedir(folder);
}
