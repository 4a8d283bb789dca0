#include "session/confine/kernel_support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/thread.h"
#include "py/life/runtime.h"
#include "session/confine/thread_filters.h"

static const char *const names[KERNEL_PARTS] = {
    [KERNEL_DESCRIPTORS] = "private descriptors",
    [KERNEL_FOLDER] = "private cwd",
    [KERNEL_LANDLOCK] = "landlock",
    [KERNEL_SECCOMP] = "seccomp",
};

/* ---- the probe ---- */

static void *try_parts(void *arg)
{
    kernel *k = arg;

    k->refused[KERNEL_FOLDER] = confine_folder();
    k->refused[KERNEL_DESCRIPTORS] = confine_descriptors();
    k->landlock_abi = confine_landlock_abi();
    if (k->landlock_abi)
        k->refused[KERNEL_LANDLOCK] = confine_paths(k->landlock_abi, NULL, 0);
    else
        k->refused[KERNEL_LANDLOCK] = errno;

    if (!k->refused[KERNEL_SECCOMP])
        k->refused[KERNEL_SECCOMP] = confine_calls(&k->calls[SECCOMP_THREADS]);
    return NULL;
}

enum { PROBE_STACK_BYTES = 256 * 1024 };

int kernel_probe(kernel *k)
{
    thread probe;

    errno = 0;
    for (seccomp_kind kind = 0; kind < SECCOMP_KINDS; kind++)
        if ((kind != SECCOMP_FULL || runtime_is_full()) &&
            seccomp_program_make(&k->calls[kind], kind) != SNUG_OK)
            k->refused[KERNEL_SECCOMP] = errno ? errno : EINVAL;

    int error = thread_start(&probe, "snug probe", PROBE_STACK_BYTES, try_parts, k);
    if (error == SNUG_OK)
        thread_join(&probe);
    return error;
}

void kernel_free(kernel *k)
{
    for (seccomp_kind kind = 0; kind < SECCOMP_KINDS; kind++)
        seccomp_program_free(&k->calls[kind]);
}

/* ---- the report ---- */

static int report_part(str *out, const kernel *k, int part, const char *before)
{
    char name[64], why[64] = "";
    snprintf(name, sizeof name, "%s", names[part]);
    if (part == KERNEL_LANDLOCK && !k->refused[part])
        snprintf(name, sizeof name, "%s ABI %d", names[part], k->landlock_abi);
    if (k->refused[part])
        snprintf(why, sizeof why, " (%s)", strerror(k->refused[part]));
    return str_printf(out, "%s%s%s", before, name, why);
}

/* Those that are granted, or those that are refused; *count is how many. */
static int report_parts(str *out, const kernel *k, int is_refused, const char *before, int *count)
{
    int error = SNUG_OK;
    *count = 0;
    for (int part = 0; !error && part < KERNEL_PARTS; part++)
        if ((k->refused[part] != 0) == is_refused)
            error = report_part(out, k, part, (*count)++ ? ", " : before);
    return error;
}

int kernel_report(str *out, const kernel *k)
{
    int granted, refused, error;
    if ((error = str_printf(out, "kernel:")) || (error = report_parts(out, k, 0, " ", &granted)) ||
        (error = report_parts(out, k, 1, granted ? "; missing: " : " missing: ", &refused)))
        return error;
    return str_printf(out, "\n");
}

/* ---- a session's thread ---- */

static int check_part(int part, int failed)
{
    if (!failed)
        return SNUG_OK;
    errno = failed;
    return error_system("a session's protection by the kernel: %s", names[part]);
}

int kernel_enter(const kernel *k)
{
    int error = SNUG_OK;
    if (!k->refused[KERNEL_FOLDER])
        error = check_part(KERNEL_FOLDER, confine_folder());
    if (!error && !k->refused[KERNEL_DESCRIPTORS])
        error = check_part(KERNEL_DESCRIPTORS, confine_descriptors());
    return error;
}

int kernel_seal(const kernel *k, const char *workdir, path_root *roots, size_t count,
                seccomp_kind kind)
{
    int error = SNUG_OK;

    if (!k->refused[KERNEL_FOLDER])
        error = check_part(KERNEL_FOLDER, confine_stand(workdir));
    if (!error && !k->refused[KERNEL_LANDLOCK])
        error = check_part(KERNEL_LANDLOCK, confine_paths(k->landlock_abi, roots, count));
    if (!error && !k->refused[KERNEL_SECCOMP])
        error = check_part(KERNEL_SECCOMP, confine_calls(&k->calls[kind]));
    return error;
}
