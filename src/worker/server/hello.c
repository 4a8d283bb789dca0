/*
 * hello.c - the greeting: which host a worker has, and for which process.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/process/cgroup.h"
#include "session/core/full.h"
#include "session/core/host.h"
#include "session/core/session.h"
#include "session/life/open_host.h"
#include "session/life/process_seal.h"
#include "worker/server/serve.h"

typedef struct hello_wish {
    snug_host_options options;
    snug_kind kind;
    seal seal;
    path_root folders[SESSION_MOUNTS + 1];
    const char *group; /* of processes, which the host has made for this one */
} hello_wish;

static void unpack_hello(unpacker *u, hello_wish *w)
{
    w->options = (snug_host_options)SNUG_HOST_OPTIONS_INIT;
    w->options.flags = SNUG_HOST_SIGNALS; /* the process is a worker's own; its filters trap */
    w->options.python_home = unpack_text(u);
    w->options.allowlist_dir = unpack_text(u);
    w->options.pool_sessions = (size_t)unpack_number(u);
    w->options.pool_idle_ms = unpack_number(u);
    w->options.awake_sessions = unpack_number(u);
    w->options.patience_ms = unpack_number(u);
    w->options.zone = unpack_text(u);
    w->options.hash_seed = unpack_number(u);
    w->seal.workdirs = unpack_text(u);
    w->kind = (snug_kind)unpack_small(u, SNUG_KIND_BASH);
    w->seal.packages = unpack_text(u);
    w->seal.root_count = (size_t)unpack_small(u, SESSION_MOUNTS + 1);
    for (size_t i = 0; i < w->seal.root_count; i++) {
        w->folders[i].path = unpack_name(u);
        w->folders[i].access = unpack_small(u, 1) ? PATH_WRITE : PATH_READ;
    }

    w->seal.roots = w->folders;
    w->seal.disk_bytes = unpack_number(u);
    w->seal.disk_files = unpack_number(u);
    w->group = unpack_name(u);
}

/* A command may have brought it to another machine, without this one's environment. */
static int take_zone(const char *zone)
{
    if (!zone)
        return SNUG_OK;
    if (setenv("TZ", zone, 1) != 0)
        return error_no_memory();
    tzset();
    return SNUG_OK;
}

/* The first request, on the only thread. */
int serve_hello(channel *c, unpacker *u, packer *out)
{
    hello_wish wish = { 0 };
    server *s = c->server;
    const char *protocol = unpack_name(u);
    if (strcmp(protocol, FRAME_PROTOCOL) != 0)
        return error_set(SNUG_EINVAL, "the worker speaks %s, and its host %.40s", FRAME_PROTOCOL,
                         protocol);

    unpack_hello(u, &wish);
    if (!unpack_ended(u))
        return serve_refuse();
    if (s->host)
        return error_set(SNUG_EBUSY, "the worker was greeted already");

    cgroup_enter(wish.group); /* the host sees whether it is in it */
    int error = take_zone(wish.options.zone);
    if (!error && wish.kind == SNUG_KIND_FULL)
        error = full_allow();
    if (error)
        return error;

    if (s->form == &local_form)
        error = seal_host_open(&s->host, &wish.options, &wish.seal);
    else
        error = host_open(&s->host, &wish.options, s->form, NULL);

    if (error)
        return error;

    pack_text(out, snug_host_report(s->host));
    return SNUG_OK;
}
