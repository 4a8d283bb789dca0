#include "cli/kernel/zmq_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include <snug/snug.h>

#include "base/error.h"

zmq_library libzmq;

typedef struct zmq_name {
    const char *name;
    size_t offset;
} zmq_name;

static const zmq_name names[] = {
#define ZMQ_NAME(type, name, arguments) { "zmq_" #name, offsetof(zmq_library, name) },
    ZMQ_FUNCTIONS(ZMQ_NAME)
#undef ZMQ_NAME
};

int zmq_library_load(void)
{
    void *library = dlopen("libzmq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(SNUG_ENOTFOUND,
                         "a kernel needs libzmq, which cannot be loaded (Debian's package is "
                         "libzmq5): %s",
                         dlerror());

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *found = dlsym(library, names[i].name);
        if (!found)
            return error_set(SNUG_ENOTFOUND, "libzmq.so.5 has no %s", names[i].name);
        /* A function's address in an object's, as dlsym hands it over. */
        memcpy((char *)&libzmq + names[i].offset, &found, sizeof found);
    }

    return SNUG_OK;
}
