#include "py/guard/extensions.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <snug/snug.h>

#include "base/error.h"
#include "py/core/home.h"
#include "py/guard/sqlite.h"

typedef struct extension {
    char *path;
    const char *module; /* in path */
    size_t module_len;
    int is_loaded;
} extension;

/* The exception to "no file-level state": libraries are loaded into the process, and
 * there is one lib-dynload in it. */
static struct {
    pthread_mutex_t lock;
    int is_listed;
    extension *all;
    size_t count, room;
} extensions = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* "_json.cpython-311-x86_64-linux-gnu.so". Those of a debug build, "cpython-311d", and of other
 * versions may stand beside it. */
static int is_of_this_build(const char *file)
{
    static const char tag[] =
        ".cpython-" Py_STRINGIFY(PY_MAJOR_VERSION) Py_STRINGIFY(PY_MINOR_VERSION) "-";
    size_t len = strlen(file);
    if (len < 3 || strcmp(file + len - 3, ".so") != 0)
        return 0;
    const char *suffix = strchr(file, '.');
    return strncmp(suffix, ".cpython-", strlen(".cpython-")) != 0 ||
           strncmp(suffix, tag, strlen(tag)) == 0;
}

static void note_extension(const char *dir, const char *file)
{
    if (!is_of_this_build(file))
        return;

    if (extensions.count == extensions.room) {
        size_t room = extensions.room ? 2 * extensions.room : 64;
        extension *more = realloc(extensions.all, room * sizeof *more);
        if (!more)
            return;
        extensions.all = more;
        extensions.room = room;
    }

    extension *e = &extensions.all[extensions.count];
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", dir, file) >= PATH_MAX || !(e->path = strdup(path)))
        return;

    e->module = e->path + strlen(dir) + 1;
    e->module_len = strcspn(e->module, ".");
    e->is_loaded = 0;
    extensions.count++;
}

static void list_extensions(void)
{
    DIR *dir = opendir(home_dynload());

    for (const struct dirent *item; dir && (item = readdir(dir));)
        note_extension(home_dynload(), item->d_name);
    if (dir)
        closedir(dir);

    /* The C library reads /etc/localtime and TZ. */
    tzset();
    extensions.is_listed = 1;
}

/* libcrypto reads its configuration, which may name engines to load. */
static void settle_openssl(void *library)
{
    enum { OPENSSL_INIT_LOAD_CONFIG = 0x40 };
    int (*init)(uint64_t options, const void *settings);
    *(void **)&init = dlsym(library, "OPENSSL_init_crypto");
    if (init)
        init(OPENSSL_INIT_LOAD_CONFIG, NULL);
}

static const struct {
    const char *module;
    void (*settle)(void *library);
} settled[] = { { "_hashlib", settle_openssl }, { "_sqlite3", sqlite_find } };

static int load_extension(extension *e)
{
    void *library = dlopen(e->path, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; library && i < sizeof settled / sizeof *settled; i++)
        if (e->module_len == strlen(settled[i].module) &&
            !memcmp(e->module, settled[i].module, e->module_len))
            settled[i].settle(library);

    e->is_loaded = library != NULL;
    if (library)
        return SNUG_OK;
    const char *why = dlerror();
    return error_set(SNUG_EPYTHON, "Python's module %.*s cannot be loaded: %s", (int)e->module_len,
                     e->module, why ? why : e->path);
}

int extensions_load(const allowlist *list)
{
    int first = SNUG_OK;

    pthread_mutex_lock(&extensions.lock);
    if (!extensions.is_listed)
        list_extensions();
    for (size_t i = 0; i < extensions.count; i++) {
        extension *e = &extensions.all[i];
        int error = SNUG_OK;
        if (!e->is_loaded && allowlist_verdict(list, e->module, e->module_len) != ALLOW_NEVER)
            error = load_extension(e);
        if (!first)
            first = error;
    }
    pthread_mutex_unlock(&extensions.lock);
    return first;
}
