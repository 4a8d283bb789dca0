/* two.c - a program that knows nothing of snug and loads plugins, none of which sees the others.
 *
 *     two FORM PLUGIN... */
#include <dlfcn.h>
#include <stdio.h>

typedef int (*run_function)(const char *form, const char *source);

#define PLUGINS 4

int main(int argc, char **argv)
{
    static const char *const sources[] = {
        "x = 6", "x * 7", "import decimal, json; decimal.Decimal(json.loads('1')) / 4"
    };
    run_function run[PLUGINS] = { 0 };

    for (int i = 2; i < argc && i < PLUGINS + 2; i++) {
        void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!plugin)
            return fprintf(stderr, "%s\n", dlerror()), 1;
        *(void **)&run[i - 2] = dlsym(plugin, "plugin_run");
    }
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
        for (int i = 0; i < PLUGINS && run[i]; i++)
            run[i](argv[1], sources[k]);
    return 0;
}
