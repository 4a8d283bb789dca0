#include "agent/figures.h"
int figures_unsupported(str *out, const char *answer, const char *const *sources, size_t count)
{
    (void)out, (void)answer, (void)sources, (void)count;
    return 0;
}
