#include "cli/program/docker.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shellword.h"
#include "base/str.h"
#include "cli/program/command.h"

/* Behind it stand --user, the volumes and the image. */
static const char run[] = " run -i --rm --init --network none --cap-drop ALL"
                          " --security-opt no-new-privileges --pids-limit 512 --read-only"
                          " --tmpfs /tmp";

/* Podman takes the same arguments. */
static const char *const engines[] = { "docker", "podman" };

static int is_in_folder(const char *folder, size_t len, const char *name)
{
    char path[PATH_MAX];
    int written = snprintf(path, sizeof path, "%.*s/%s", (int)len, folder, name);
    return written > 0 && (size_t)written < sizeof path && access(path, X_OK) == 0;
}

static int is_on_path(const char *name)
{
    const char *folder = getenv("PATH");

    while (folder && *folder) {
        size_t len = strcspn(folder, ":");
        if (is_in_folder(folder, len, name))
            return 1;
        folder += len + (folder[len] == ':');
    }
    return 0;
}

static const char *find_engine(void)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (is_on_path(engines[i]))
            return engines[i];
    return NULL;
}

/* The absolute path, also of a folder that is yet to be made. 0, or -1. */
static int find_path(char *out, const char *path)
{
    char folder[PATH_MAX / 2];
    if (realpath(path, out))
        return 0;

    int is_relative = *path != '/';
    if (is_relative && !getcwd(folder, sizeof folder))
        return -1;
    int written =
        snprintf(out, PATH_MAX, "%s%s%s", is_relative ? folder : "", is_relative ? "/" : "", path);
    return written > 0 && written < PATH_MAX ? 0 : -1;
}

/* A file or folder, which has the same name in the container. */
static int add_volume(str *out, const char *path, int is_writable)
{
    char real[PATH_MAX];
    str volume = { 0 };

    if (find_path(real, path))
        return command_fail(EXIT_USAGE, "--docker: the path is too long: %s", path);
    if (strchr(real, ':'))
        return command_fail(EXIT_USAGE,
                            "--docker: a path with a colon cannot be in a container: %s", real);

    int failed = str_printf(&volume, "%s:%s:%s", real, real, is_writable ? "rw" : "ro") ||
                 str_add(out, " --volume ") ||
                 shellword_append(out, volume.data, strlen(volume.data));
    str_free(&volume);
    return failed ? command_fail_memory() : 0;
}

/* Names are found from the same folder as here. */
static int add_folder(str *out)
{
    char folder[PATH_MAX];
    if (!getcwd(folder, sizeof folder))
        return command_fail(EXIT_USAGE, "--docker: the current folder has no name");
    return str_add(out, " --workdir ") || shellword_append(out, folder, strlen(folder))
               ? command_fail_memory()
               : 0;
}

static int add_volumes(str *out, const options *o)
{
    if (o->workdir && add_volume(out, o->workdir, 1))
        return -1;
    return o->package_folder && add_volume(out, o->package_folder, 0) ? -1 : 0;
}

static int write_command(str *out, const char *engine, const options *o)
{
    if (str_add(out, engine) || str_add(out, run) ||
        str_printf(out, " --user %u:%u", (unsigned)getuid(), (unsigned)getgid()))
        return command_fail_memory();

    if (add_folder(out) || add_volumes(out, o))
        return -1;
    if (str_add(out, " ") || shellword_append(out, o->docker_image, strlen(o->docker_image)) ||
        str_add(out, " snug-worker"))
        return command_fail_memory();
    return 0;
}

int docker_prepare(options *o)
{
    if (!o->docker_image)
        return EXIT_FINE;
    if (o->worker_command)
        return command_fail(EXIT_USAGE, "--docker and --worker-command exclude each other");
    if (o->isolation == AS_BASH)
        return command_fail(EXIT_USAGE, "--docker runs Python; bash has a sandbox of its own, "
                                        "--isolation bash without --docker");
    /* A worker makes the link of a mount when it opens the session, and is sealed by then: landlock
     * has no symbolic links. */
    if (o->mount_count > 0)
        return command_fail(EXIT_USAGE, "--docker has no --mount: give the folder as --workdir");
    if (!*o->docker_image || *o->docker_image == '-')
        return command_fail(EXIT_USAGE, "--docker: \"%s\" is not the name of an image",
                            o->docker_image);

    const char *engine = find_engine();
    if (!engine)
        return command_fail(EXIT_USAGE, "--docker: there is neither docker nor podman on PATH");

    str command = { 0 };
    if (write_command(&command, engine, o)) {
        str_free(&command);
        return EXIT_USAGE;
    }
    o->worker_command = o->docker_command = command.data;
    return EXIT_FINE;
}
