/*
 * engine_loaded.c - libsnug's local form: the engine that is asked for, or the one with the newest
 * Python that is there.
 */
#include "session/life/engine.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/forked.h"
#include "base/str.h"
#include "engine_build.h" /* made when this is compiled */

/* The exception to "no file-level state": a process has one Python, and so one engine. */
static struct {
    pthread_mutex_t lock;
    const engine *engine; /* NULL: none yet */
    char path[PATH_MAX];
} loaded = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- where engines are ---- */

static const char prefix[] = "libsnug-python3.";

enum { PLACES = 2 };

/* Beside libsnug, and where it was installed: the second is empty where it is the first. */
typedef struct engine_places {
    char folders[PLACES][PATH_MAX];
} engine_places;

static void find_places(engine_places *places)
{
    Dl_info info;

    memset(places, 0, sizeof *places);
    if (dladdr((void *)(uintptr_t)engine_find, &info) && info.dli_fname &&
        realpath(info.dli_fname, places->folders[0])) {
        char *slash = strrchr(places->folders[0], '/');
        if (slash)
            *slash = '\0';
    }

    if (strcmp(places->folders[0], SNUG_ENGINE_FOLDER) != 0)
        snprintf(places->folders[1], PATH_MAX, "%s", SNUG_ENGINE_FOLDER);
}

/* The X of "libsnug-python3.X.so"; -1: it is not one. */
static int minor_of(const char *file)
{
    int minor = -1, end = 0;

    if (strncmp(file, prefix, sizeof prefix - 1) != 0)
        return -1;
    const char *number = file + sizeof prefix - 1;
    if (number[0] < '0' || number[0] > '9' || sscanf(number, "%3d.so%n", &minor, &end) != 1 ||
        end == 0 || number[end])
        return -1;
    return minor;
}

/* The newest one there; -1: none. names, if it is not NULL, gets all of them. */
static int search_folder(const char *folder, str *names)
{
    DIR *dir = *folder ? opendir(folder) : NULL;
    int newest = -1;

    for (const struct dirent *item; dir && (item = readdir(dir));) {
        int minor = minor_of(item->d_name);
        if (minor > newest)
            newest = minor;
        if (minor >= 0 && names)
            str_printf(names, "%s%s/%s", names->len > 0 ? ", " : "", folder, item->d_name);
    }

    if (dir)
        closedir(dir);
    return newest;
}

static int refuse_missing(const engine_places *places, const char *python)
{
    str there = { 0 };
    int count = places->folders[1][0] ? 2 : 1;

    for (int i = 0; i < count; i++)
        search_folder(places->folders[i], &there);
    int error = error_set(
        SNUG_EPYTHON,
        "sessions in this process need an engine, %s%s.so, which is neither beside libsnug nor "
        "where it was installed (%s%s%s); there: %s",
        python ? "libsnug-python" : "libsnug-python3", python ? python : ".X", places->folders[0],
        count > 1 ? ", " : "", places->folders[1], there.len > 0 ? there.data : "none");
    str_free(&there);
    return error;
}

/* The path of the one that is asked for. */
static int choose_path(char out[PATH_MAX], const char *python)
{
    engine_places places;
    int minor = -1, end = 0, best = -1;

    if (python && strchr(python, '/')) {
        snprintf(out, PATH_MAX, "%s", python);
        return SNUG_OK;
    }

    if (python && (sscanf(python, "3.%3d%n", &minor, &end) != 1 || python[end]))
        return error_set(SNUG_EINVAL,
                         "python is \"%s\": it is a version, \"3.11\", or the path of an engine, "
                         "with a slash",
                         python);

    find_places(&places);
    for (int i = 0; i < PLACES; i++) {
        char path[2 * PATH_MAX];
        int found = python ? minor : search_folder(places.folders[i], NULL);
        snprintf(path, sizeof path, "%s/%s%d.so", places.folders[i], prefix, found);
        if (found <= best || !places.folders[i][0] || strlen(path) >= PATH_MAX ||
            access(path, R_OK) != 0)
            continue;
        best = found;
        strcpy(out, path);
    }

    return best < 0 ? refuse_missing(&places, python) : SNUG_OK;
}

/* ---- loading one ---- */

/* In a process in which it is not an engine that has Python, nothing is loaded at all. */
static int check_no_python(void)
{
    int (*is_initialized)(void);
    *(void **)&is_initialized = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    if (!is_initialized || !is_initialized())
        return SNUG_OK;
    return error_set(SNUG_EPYTHON,
                     "Python already runs in this process and was not started by snug: open the "
                     "host before, or one of form SNUG_FORM_WORKER, which works in any process");
}

static int check_engine(const engine *found, const char *path)
{
    if (!found)
        return error_set(SNUG_EPYTHON, "%s is not an engine of snug", path);
    if (strcmp(found->build, ENGINE_BUILD) != 0)
        return error_set(SNUG_EPYTHON,
                         "%s is of another build of snug, %s, than this libsnug, %s: install the "
                         "two together",
                         path, found->build, ENGINE_BUILD);
    return SNUG_OK;
}

static int load_engine(const char *path)
{
    static const engine_links links = { error_keep, error_message, forked_process,
                                        forked_is_process, forked_renew };
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        return error_set(SNUG_EPYTHON, "the engine cannot be loaded: %s", why ? why : path);
    }

    const engine *found = dlsym(library, ENGINE_SYMBOL);
    int error = check_engine(found, path);
    if (error) {
        dlclose(library);
        return error;
    }

    /* It stays: its functions are in hosts and sessions, and Python cannot be ended. */
    dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!realpath(path, loaded.path))
        snprintf(loaded.path, sizeof loaded.path, "%s", path);
    found->attach(&links);
    loaded.engine = found;
    return SNUG_OK;
}

/* Whether the one that is there is what python asks for. */
static int is_loaded(const char *python)
{
    struct stat ours, theirs;

    if (!python)
        return 1;
    if (!strchr(python, '/'))
        return strcmp(python, loaded.engine->python) == 0;
    return stat(loaded.path, &ours) == 0 && stat(python, &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

static int load_wanted(const char *python)
{
    char path[PATH_MAX];
    int error;

    if (loaded.engine) {
        if (is_loaded(python))
            return SNUG_OK;
        return error_set(SNUG_EPYTHON,
                         "python is \"%s\": Python %s was loaded into this process from %s, and a "
                         "process has one",
                         python, loaded.engine->python, loaded.path);
    }

    if ((error = check_no_python()) || (error = choose_path(path, python)))
        return error;
    return load_engine(path);
}

/* In a child, whose parent's threads may hold it. */
static void renew_lock(void)
{
    pthread_mutex_init(&loaded.lock, NULL);
}

int engine_find(const host_form **out, const char *python)
{
    forked_renew(renew_lock);
    forked_process();
    pthread_mutex_lock(&loaded.lock);
    int error = load_wanted(python);
    if (!error)
        *out = loaded.engine->form;
    pthread_mutex_unlock(&loaded.lock);
    return error;
}
