/* load.c - a program that knows nothing of snug, and loads a plugin. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments)
{
    void *plugin = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!plugin)
        return fprintf(stderr, "%s\n", dlerror()), 2;

    int (*run)(void);
    *(void **)&run = dlsym(plugin, "plugin_run");
    return run();
}
