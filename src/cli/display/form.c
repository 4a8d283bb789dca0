#include "cli/display/form.h"

#include <string.h>

const snug_mime *form_find(const snug_display *display, const char *type)
{
    for (size_t i = 0; i < display->part_count; i++)
        if (strcmp(display->parts[i].type, type) == 0)
            return &display->parts[i];
    return NULL;
}
