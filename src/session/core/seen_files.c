#include "session/core/seen_files.h"

#include <stdlib.h>

void seen_files_free(seen_files *seen)
{
    free(seen->items);
    *seen = (seen_files){ 0 };
}
