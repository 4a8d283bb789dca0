/* replay.c - the fuzz targets without libFuzzer: each input of the folder FOLDER once, and the
 * empty one. So every build links them, and what was once found stays found. */
#include "fuzz.h"

#include <dirent.h>
#include <limits.h>

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    size_t len = 0;
    HOLDS(file);
    HOLDS(getdelim(&data, &len, EOF, file) >= -1);
    HOLDS(!ferror(file));
    long size = ftell(file);
    HOLDS(size >= 0);
    LLVMFuzzerTestOneInput((const uint8_t *)data, (size_t)size);
    free(data);
    fclose(file);
}

int main(int argc, char **argv)
{
    char path[PATH_MAX];
    int count = 0;
    HOLDS(argc == 2);
    LLVMFuzzerTestOneInput(NULL, 0);
    DIR *folder = opendir(argv[1]);
    HOLDS(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (*entry->d_name == '.')
            continue;
        HOLDS((size_t)snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name) < sizeof path);
        replay_file(path);
        count++;
    }
    closedir(folder);
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
