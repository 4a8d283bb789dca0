#include "session/life/keep_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "calls/rules.h"
#include "limits/limits.h"

struct kept_options {
    snug_session_options options;
    snug_limits limits;
    char *name, *profile, *workdir, *packages;
    char **allow;
    snug_mount *mounts;
    tool_rules rules;
};

/* 1, also for NULL; 0: no memory. */
static int is_kept(char **copy, const char **text)
{
    if (!*text)
        return 1;
    *copy = strdup(*text);
    *text = *copy;
    return *copy != NULL;
}

static int keep_allowed(kept_options *kept)
{
    const char *const *given = kept->options.allow;
    size_t count = 0;
    if (!given)
        return 1;

    while (given[count])
        count++;
    kept->allow = calloc(count + 1, sizeof *kept->allow);
    for (size_t i = 0; kept->allow && i < count; i++)
        if (!(kept->allow[i] = strdup(given[i])))
            return 0;
    kept->options.allow = (const char *const *)kept->allow;
    return kept->allow != NULL;
}

static int keep_mounts(kept_options *kept)
{
    const snug_mount *given = kept->options.mounts;
    size_t count = kept->options.mount_count;

    kept->options.mount_count = 0;
    kept->mounts = calloc(count + 1, sizeof *kept->mounts);
    if (!kept->mounts)
        return 0;

    kept->options.mounts = kept->mounts;
    for (size_t i = 0; i < count; i++) {
        snug_mount *mount = &kept->mounts[kept->options.mount_count++];
        mount->is_writable = given[i].is_writable;
        mount->path = given[i].path ? strdup(given[i].path) : NULL;
        mount->name = given[i].name ? strdup(given[i].name) : NULL;
        if (!mount->path != !given[i].path || !mount->name != !given[i].name)
            return 0;
    }

    return 1;
}

static int keep_rules(kept_options *kept)
{
    snug_session_options *o = &kept->options;
    int error = tool_rules_take(&kept->rules, o->tool_rules, o->tool_rule_count);
    o->tool_rules = kept->rules.rules;
    return error;
}

static int keep_all(kept_options *kept)
{
    snug_session_options *o = &kept->options;
    return is_kept(&kept->name, &o->name) && is_kept(&kept->profile, &o->profile) &&
           is_kept(&kept->workdir, &o->workdir) && is_kept(&kept->packages, &o->packages) &&
           keep_allowed(kept) && keep_mounts(kept);
}

int kept_options_make(kept_options **out, const snug_session_options *given)
{
    kept_options *kept = calloc(1, sizeof *kept);
    if (!kept)
        return error_no_memory();

    int error = options_take(&kept->options, sizeof kept->options, given, "snug_session_options");
    if (!error)
        error = limits_take(&kept->limits, kept->options.limits);
    kept->options.limits = &kept->limits;
    kept->options.error = NULL; /* which may be gone by then; the task has its sentence */
    if (!error && !keep_all(kept))
        error = error_no_memory();
    if (!error)
        error = keep_rules(kept);
    if (error) {
        kept_options_free(kept);
        return error;
    }

    *out = kept;
    return SNUG_OK;
}

const snug_session_options *kept_options_of(const kept_options *kept)
{
    return &kept->options;
}

void kept_options_free(kept_options *kept)
{
    if (!kept)
        return;
    for (size_t i = 0; kept->mounts && i < kept->options.mount_count; i++) {
        free((void *)(uintptr_t)kept->mounts[i].path);
        free((void *)(uintptr_t)kept->mounts[i].name);
    }

    for (size_t i = 0; kept->allow && kept->allow[i]; i++)
        free(kept->allow[i]);
    free(kept->allow);
    tool_rules_free(&kept->rules);
    free(kept->mounts);
    free(kept->name);
    free(kept->profile);
    free(kept->workdir);
    free(kept->packages);
    free(kept);
}
