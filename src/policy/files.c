#include "policy/files.h"

#include <string.h>

const policy_file *policy_file_find(const char *name)
{
    for (const policy_file *file = policy_files; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}
