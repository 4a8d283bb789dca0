#include "cli/program/parents.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int parents_make(unsigned *made, char *path, mode_t mode)
{
    *made = 0;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, mode) == 0)
            ++*made;
        else if (errno != EEXIST)
            return -1;
        *slash = '/';
    }
    return 0;
}
