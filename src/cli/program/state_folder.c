#include "cli/program/state_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/program/command.h"

enum { MOST_NAME_BYTES = 200 };

/* Makes all folders on the way to path. SNUG_ESYSTEM with errno: path ends then with the one that
 * cannot be made. */
static int make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return SNUG_ESYSTEM;
        *slash = '/';
    }
    return SNUG_OK;
}

int state_find(str *out, const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int error;

    /* The XDG base directory specification: relative paths are to be ignored. */
    if (state && *state == '/')
        error = str_printf(out, "%s/snug/%s", state, name);
    else if (home && *home == '/')
        error = str_printf(out, "%s/.local/state/snug/%s", home, name);
    else
        return SNUG_ENOTFOUND;

    if (error)
        return error;
    return make_parents(out->data);
}

int state_path(str *out, const char *name)
{
    int error = state_find(out, name);
    if (error == SNUG_ENOTFOUND)
        return command_fail(EXIT_USAGE, "neither XDG_STATE_HOME nor HOME says where %s is kept",
                            name);

    if (error == SNUG_ESYSTEM)
        return command_fail(EXIT_USAGE, "the folder %s cannot be made: %s", out->data,
                            strerror(errno));

    if (error)
        return command_fail_memory();
    return EXIT_FINE;
}

static int is_session_name(const char *name)
{
    size_t len = strlen(name);
    if (*name == '.' || len > MOST_NAME_BYTES)
        return 0;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return 0;
    return 1;
}

int state_session_path(str *out, const char *name)
{
    if (strchr(name, '/')) {
        if (str_add(out, name))
            return command_fail_memory();
        return EXIT_FINE;
    }

    if (!is_session_name(name))
        return command_fail(EXIT_USAGE,
                            "--session \"%s\": a name has at most %d bytes, no spaces, and no "
                            "dot in front; a path has a slash",
                            name, MOST_NAME_BYTES);

    str file = { 0 };
    int status;
    if (str_printf(&file, "sessions/%s.db", name))
        status = command_fail_memory();
    else
        status = state_path(out, file.data);

    str_free(&file);
    return status;
}

int state_set_material(str *library, str *cache, snug_agent_options *wanted, const options *o)
{
    const char *file = o->agent.library_file;
    int is_in_state;

    if (file)
        is_in_state = strcmp(file, "default") == 0;
    else
        is_in_state = o->agent.keeps_snippets;

    if (is_in_state) {
        int status = state_path(library, "library.db");
        if (status)
            return status;
        wanted->library_file = library->data;
    }

    if (o->has_cache && !o->agent.cache_file) {
        int status = state_path(cache, "cache.db");
        if (status)
            return status;
        wanted->cache_file = cache->data;
    }

    if (o->has_no_cache)
        wanted->cache_file = NULL;
    return EXIT_FINE;
}
