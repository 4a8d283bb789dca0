#include "py/guard/extensions.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "py/core/home.h"
#include "py/guard/sqlite.h"

typedef struct extension {
    char *path;
    const char *module; /* in path */
    size_t module_len;
    _Atomic uint32_t state; /* an extension_state */
    char *why;              /* it could not be loaded, the last time; guarded by lock */
    int shortage;           /* as of extensions_tell_why; so is it */
} extension;

/* The exception to "no file-level state": libraries are loaded into the process, and
 * there is one lib-dynload in it. The list does not change once it is made. */
static struct {
    pthread_mutex_t lock, loading; /* one at a time, and lock inside */
    int is_listed;
    extension *all;
    size_t count, room;
    thread thread;
    _Atomic int is_served; /* it was started and not joined */
    int is_ending;         /* guarded by lock */
    _Atomic uint32_t asked, has_ended;
    _Atomic uint32_t turns; /* odd while one is loaded */
} extensions = { .lock = PTHREAD_MUTEX_INITIALIZER, .loading = PTHREAD_MUTEX_INITIALIZER };

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
    atomic_init(&e->state, EXTENSION_OUT);
    e->why = NULL;
    e->shortage = 0;
    extensions.count++;
}

/* The lock is held. */
static void list_extensions(void)
{
    if (extensions.is_listed)
        return;
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

/* What a library takes at least of the process, if that is not there; dlopen tells no number. */
enum { LIBRARY_BYTES = 16 << 20 };

static int find_shortage(void)
{
    int fd = open("/", O_PATH | O_CLOEXEC);
    if (fd < 0)
        return errno;
    close(fd);

    void *room =
        mmap(NULL, LIBRARY_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return errno;
    munmap(room, LIBRARY_BYTES);
    return 0;
}

/* The lock is not held: libraries run code of their own. */
static uint32_t try_to_load(extension *e)
{
    void *library = dlopen(e->path, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; library && i < sizeof settled / sizeof *settled; i++)
        if (e->module_len == strlen(settled[i].module) &&
            !memcmp(e->module, settled[i].module, e->module_len))
            settled[i].settle(library);
    if (library)
        return EXTENSION_LOADED;

    const char *why = dlerror();
    int shortage = why ? find_shortage() : ENOMEM;
    pthread_mutex_lock(&extensions.lock);
    free(e->why);
    e->why = why ? strdup(why) : NULL;
    e->shortage = shortage;
    pthread_mutex_unlock(&extensions.lock);
    return EXTENSION_FAILED;
}

static int copy_why(char out[EXTENSION_WHY_BYTES], const extension *e)
{
    pthread_mutex_lock(&extensions.lock);
    int shortage = e->shortage;
    if (e->why)
        snprintf(out, EXTENSION_WHY_BYTES, "%s", e->why);
    else
        snprintf(out, EXTENSION_WHY_BYTES, "%s: not enough memory", e->path);
    pthread_mutex_unlock(&extensions.lock);
    return shortage;
}

/* Answers whether it is loaded. */
static int load_extension(extension *e)
{
    pthread_mutex_lock(&extensions.loading);
    uint32_t state = atomic_load(&e->state);
    if (state != EXTENSION_LOADED) {
        atomic_fetch_add(&extensions.turns, 1);
        atomic_store(&e->state, state = try_to_load(e));
        atomic_fetch_add(&extensions.turns, 1);
        futex_wake_all(&extensions.turns);
    }
    pthread_mutex_unlock(&extensions.loading);
    return state == EXTENSION_LOADED;
}

int extensions_load(const allowlist *list)
{
    int first = SNUG_OK;

    pthread_mutex_lock(&extensions.lock);
    list_extensions();
    pthread_mutex_unlock(&extensions.lock);
    for (size_t i = 0; i < extensions.count; i++) {
        extension *e = &extensions.all[i];
        char why[EXTENSION_WHY_BYTES];
        if (allowlist_verdict(list, e->module, e->module_len) == ALLOW_NEVER || load_extension(e) ||
            first)
            continue;
        copy_why(why, e);
        first = error_set(SNUG_EPYTHON, "Python's module %.*s cannot be loaded: %s",
                          (int)e->module_len, e->module, why);
    }
    return first;
}

/* ---- when they are imported ---- */

static void load_wanted(void)
{
    for (size_t i = 0; i < extensions.count; i++) {
        extension *e = &extensions.all[i];
        if (atomic_load(&e->state) != EXTENSION_WANTED)
            continue;
        load_extension(e);
        futex_wake_all(&e->state);
    }
}

static int shall_end(void)
{
    pthread_mutex_lock(&extensions.lock);
    int answer = extensions.is_ending;
    atomic_store(&extensions.has_ended, (uint32_t)answer);
    pthread_mutex_unlock(&extensions.lock);
    return answer;
}

static void *serve(void *arg)
{
    (void)arg;
    /* Before it is looked whether to end: who asks in between is not slept over. */
    for (uint32_t seen = atomic_load(&extensions.asked); !shall_end();
         seen = atomic_load(&extensions.asked)) {
        load_wanted();
        futex_wait(&extensions.asked, seen, UINT64_MAX);
    }
    futex_wake_all(&extensions.has_ended);
    return NULL;
}

static void wake_thread(void)
{
    atomic_fetch_add(&extensions.asked, 1);
    futex_wake_all(&extensions.asked);
}

/* Of a host that was closed before, where a library has kept the thread. */
static int is_still_served(void)
{
    pthread_mutex_lock(&extensions.lock);
    list_extensions();
    int is_there = extensions.is_served && !atomic_load(&extensions.has_ended);
    extensions.is_ending = 0;
    pthread_mutex_unlock(&extensions.lock);
    return is_there;
}

/* Libraries' constructors run on it. */
enum { STACK_BYTES = 1 << 20 };

int extensions_serve(void)
{
    if (is_still_served())
        return SNUG_OK;
    if (extensions.is_served)
        thread_join(&extensions.thread);

    atomic_store(&extensions.has_ended, 0);
    int error = thread_start(&extensions.thread, "snug loader", STACK_BYTES, serve, NULL);
    extensions.is_served = !error;
    return error;
}

int extensions_are_served(void)
{
    return extensions.is_served;
}

/* How long a library may keep the thread that is to end. */
#define PATIENCE_NS (200 * NS_PER_MS)

void extensions_end(void)
{
    if (!extensions.is_served)
        return;
    pthread_mutex_lock(&extensions.lock);
    extensions.is_ending = 1;
    pthread_mutex_unlock(&extensions.lock);
    wake_thread();

    uint64_t deadline_ns = clock_now_ns() + PATIENCE_NS;
    while (!atomic_load(&extensions.has_ended) && clock_now_ns() < deadline_ns)
        futex_wait(&extensions.has_ended, 0, deadline_ns);
    if (!atomic_load(&extensions.has_ended))
        return;
    thread_join(&extensions.thread);
    extensions.is_served = 0;
}

static extension *find(const char *module)
{
    size_t len = strlen(module);
    for (size_t i = 0; i < extensions.count; i++) {
        extension *e = &extensions.all[i];
        if (e->module_len == len && !memcmp(e->module, module, len))
            return e;
    }
    return NULL;
}

_Atomic uint32_t *extensions_want(const char *module)
{
    extension *e = extensions.is_served ? find(module) : NULL;
    if (!e)
        return NULL;

    /* What could not be loaded is tried again: there may be more memory or descriptors by now. */
    uint32_t state = atomic_load(&e->state);
    while (state != EXTENSION_LOADED && state != EXTENSION_WANTED)
        if (atomic_compare_exchange_weak(&e->state, &state, EXTENSION_WANTED)) {
            wake_thread();
            break;
        }
    return &e->state;
}

_Atomic uint32_t *extensions_turns(void)
{
    return &extensions.turns;
}

int extensions_tell_why(char out[EXTENSION_WHY_BYTES], const char *module)
{
    const extension *e = find(module);
    *out = '\0';
    return e ? copy_why(out, e) : 0;
}
