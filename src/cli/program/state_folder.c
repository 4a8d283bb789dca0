#include "cli/program/state_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/program/command.h"

enum { MOST_NAME_BYTES = 200 };

/* All folders on the way to path. */
static int make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int failed = mkdir(path, 0700) != 0 && errno != EEXIST;
        if (failed)
            return command_fail(EXIT_USAGE, "the folder %s cannot be made: %s", path,
                                strerror(errno));
        *slash = '/';
    }
    return EXIT_FINE;
}

int state_path(str *out, const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int error;

    /* The specification has relative ones passed over. */
    if (state && *state == '/')
        error = str_printf(out, "%s/snug/%s", state, name);
    else if (home && *home == '/')
        error = str_printf(out, "%s/.local/state/snug/%s", home, name);
    else
        return command_fail(EXIT_USAGE, "neither XDG_STATE_HOME nor HOME says where %s is kept",
                            name);

    return error ? command_fail(EXIT_USAGE, "out of memory") : make_folders(out->data);
}

int state_session(str *out, const char *name)
{
    str file = { 0 };

    if (strchr(name, '/'))
        return str_add(out, name) ? command_fail(EXIT_USAGE, "out of memory") : EXIT_FINE;
    size_t len = strlen(name);
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f || *name == '.' || len > MOST_NAME_BYTES)
            return command_fail(EXIT_USAGE,
                                "--session \"%s\": a name has at most %d bytes, no spaces, and no "
                                "dot in front; a path has a slash",
                                name, MOST_NAME_BYTES);

    int status = str_printf(&file, "sessions/%s.db", name)
                     ? command_fail(EXIT_USAGE, "out of memory")
                     : state_path(out, file.data);
    str_free(&file);
    return status;
}

int state_material(str *library, str *cache, snug_agent_options *wanted, const options *o)
{
    const char *file = o->agent.library_file;
    const int has_library = file || o->agent.keeps_snippets;
    int status = EXIT_FINE;

    if (has_library && (!file || strcmp(file, "default") == 0) &&
        !(status = state_path(library, "library.db")))
        wanted->library_file = library->data;

    if (!status && o->has_cache && !o->agent.cache_file &&
        !(status = state_path(cache, "cache.db")))
        wanted->cache_file = cache->data;

    if (o->has_no_cache)
        wanted->cache_file = NULL;
    return status;
}
