#include "cli/program/state_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program/command.h"
#include "cli/program/parents.h"

enum { MOST_NAME_BYTES = 200 };

int state_find(str *out, const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    unsigned made;
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
    return parents_make(&made, out->data, 0700) ? SNUG_ESYSTEM : SNUG_OK;
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

int state_sessions_folder(str *out)
{
    return state_path(out, "sessions");
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

int state_check_library(const char *file)
{
    const char *address = strstr(file, "://");

    /* Not the whole of it: it may have a password. */
    if (address)
        return command_fail(EXIT_USAGE,
                            "--library \"%.*s://...\": a library is a file of SQLite; another "
                            "store is asked by --tool or --mcp, or what it has comes by --context",
                            (int)(address - file), file);
    return EXIT_FINE;
}

/* One that is only read is not made: it would be empty, and its name a mistake. */
static int check_library(const char *file, int is_added_to)
{
    if (is_added_to || access(file, F_OK) == 0 || errno != ENOENT)
        return EXIT_FINE;
    return command_fail(
        EXIT_USAGE,
        "--library \"%s\": there is no such file; snug library add --library %s FILE "
        "makes one, and so does --keep-snippets",
        file, file);
}

/* The library says the same of its members. */
static int check_needs(const snug_agent_options *wanted)
{
    if (wanted->embedding_model && !wanted->library_file)
        return command_fail(EXIT_USAGE, "--embedding-model needs --library");
    if (wanted->caches_results && !wanted->cache_file)
        return command_fail(EXIT_USAGE, "--cache-results needs --cache or --cache-file");
    return EXIT_FINE;
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
    } else if (file) {
        int status = state_check_library(file);
        if (!status)
            status = check_library(file, o->agent.keeps_snippets);
        if (status)
            return status;
    }

    if (o->has_cache && !o->agent.cache_file) {
        int status = state_path(cache, "cache.db");
        if (status)
            return status;
        wanted->cache_file = cache->data;
    }

    return check_needs(wanted);
}

char *state_history(const options *o, const char *variable, const char *name)
{
    const char *named = o->history_file ? o->history_file : getenv(variable);
    str path = { 0 };

    if (named && *named)
        return strcmp(named, "none") == 0 ? NULL : strdup(named);
    if (state_find(&path, name))
        str_free(&path);
    return path.data;
}
