#include "http/mhd_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include <snug/snug.h>

#include "base/error.h"

mhd_library mhd;

typedef struct mhd_name {
    const char *name;
    size_t offset;
} mhd_name;

static const mhd_name names[] = {
#define MHD_NAME(type, name, arguments) { "MHD_" #name, offsetof(mhd_library, name) },
    MHD_FUNCTIONS(MHD_NAME)
#undef MHD_NAME
};

int mhd_library_load(void)
{
    void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(SNUG_ENOTFOUND,
                         "a server of HTTP needs libmicrohttpd, which cannot be loaded (Debian's "
                         "package is libmicrohttpd12, or libmicrohttpd12t64): %s",
                         dlerror());

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *found = dlsym(library, names[i].name);
        if (!found)
            return error_set(SNUG_ENOTFOUND, "libmicrohttpd.so.12 has no %s", names[i].name);
        /* A function's address in an object's, as dlsym hands it over. */
        memcpy((char *)&mhd + names[i].offset, &found, sizeof found);
    }

    return SNUG_OK;
}
