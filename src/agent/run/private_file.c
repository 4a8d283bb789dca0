#include "agent/run/private_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"

int private_file_open(private_file *out, const char *name)
{
    const char *tmp = getenv("TMPDIR");
    int len = snprintf(out->folder, sizeof out->folder, "%s/snug-agent-XXXXXX",
                       tmp && *tmp ? tmp : "/tmp");
    if (len < 0 || (size_t)len >= sizeof out->folder) {
        out->folder[0] = '\0';
        return error_set(SNUG_EINVAL, "TMPDIR is too long: %.200s", tmp);
    }

    if (!mkdtemp(out->folder)) {
        int error = error_system("%s", out->folder);
        out->folder[0] = '\0';
        return error;
    }

    snprintf(out->path, sizeof out->path, "%s/%s", out->folder, name);
    return SNUG_OK;
}

void private_file_close(private_file *file)
{
    if (!file->folder[0])
        return;
    unlink(file->path);
    rmdir(file->folder);
    file->folder[0] = '\0';
}
