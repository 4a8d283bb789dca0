/*
 * descriptors.h - how many descriptors this process has open, to compare before and after.
 */
#ifndef SNUG_TESTS_DESCRIPTORS_H
#define SNUG_TESTS_DESCRIPTORS_H

#include "unit/test.h"

#include <dirent.h>

static inline size_t count_descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

#endif
