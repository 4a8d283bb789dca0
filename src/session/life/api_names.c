/*
 * api_names.c - the public header's small answers.
 */
#include "base/error.h"
#include "base/forked.h"
#include "session/core/claim.h"
#include "session/core/session.h"

#define TEXT(x)   #x
#define NUMBER(x) TEXT(x)

const char *snug_version(void)
{
    return NUMBER(SNUG_VERSION_MAJOR) "." NUMBER(SNUG_VERSION_MINOR) "." NUMBER(SNUG_VERSION_PATCH);
}

const char *snug_error_name(int error)
{
    static const char *const names[] = { "SNUG_OK",       "SNUG_EINVAL",   "SNUG_ENOMEM",
                                         "SNUG_ESYSTEM",  "SNUG_EPYTHON",  "SNUG_EPOLICY",
                                         "SNUG_EBUSY",    "SNUG_EDEAD",    "SNUG_ENOTFOUND",
                                         "SNUG_ESTOPPED", "SNUG_ETIMEOUT", "SNUG_EAGAIN" };
    int count = (int)(sizeof names / sizeof *names);
    return error <= 0 && error > -count ? names[-error] : "unknown";
}

int snug_error_set(int error, const char *message)
{
    return error_set(error, "%s", message ? message : "");
}

const char *snug_error_message(void)
{
    return error_message();
}

/* In a child of fork the lock may be that of a thread which is not there. */
static int copy_error(const snug_host *host, last_error *e, char *buffer, size_t bytes)
{
    if (forked_is_process(host->process))
        return last_error_copy(e, buffer, bytes);

    int error = forked_refuse("the last error");
    message_copy(buffer, bytes, error_message());
    return error;
}

int snug_host_error(const snug_host *host, char *buffer, size_t bytes)
{
    return copy_error(host, &((snug_host *)(uintptr_t)host)->last_error, buffer, bytes);
}

int snug_session_error(const snug_session *session, char *buffer, size_t bytes)
{
    return copy_error(session->host, &((snug_session *)(uintptr_t)session)->last_error, buffer,
                      bytes);
}

const char *snug_status_name(snug_status status)
{
    switch (status) {
    case SNUG_STATUS_OK:
        return "ok";
    case SNUG_STATUS_ERROR:
        return "error";
    case SNUG_STATUS_DENIED:
        return "denied";
    case SNUG_STATUS_TIMEOUT:
        return "timeout";
    case SNUG_STATUS_MEMORY:
        return "memory";
    case SNUG_STATUS_INTERRUPTED:
        return "interrupted";
    case SNUG_STATUS_CRASHED:
        return "crashed";
    case SNUG_STATUS_STALLED:
        return "stalled";
    }
    return "unknown";
}

const char *snug_state_name(snug_state state)
{
    switch (state) {
    case SNUG_STATE_KEPT:
        return "kept";
    case SNUG_STATE_LOST:
        return "lost";
    }
    return "unknown";
}

const char *snug_entry_kind_name(snug_entry_kind kind)
{
    switch (kind) {
    case SNUG_ENTRY_FILE:
        return "file";
    case SNUG_ENTRY_FOLDER:
        return "folder";
    case SNUG_ENTRY_LINK:
        return "link";
    case SNUG_ENTRY_OTHER:
        return "other";
    }
    return "unknown";
}

snug_kind snug_session_kind(const snug_session *session)
{
    return session->kind;
}

const char *snug_session_name(const snug_session *session)
{
    return session->name;
}

int64_t snug_session_process(const snug_session *session)
{
    if (!session->form->process || !forked_is_process(session->host->process))
        return 0;
    int64_t process = session->form->process(session_look(session));
    session_look_away();
    return process;
}

uint64_t snug_session_execution_count(const snug_session *session)
{
    uint64_t cells = session_look(session)->cells;
    session_look_away();
    return cells;
}

const char *snug_session_workdir(const snug_session *session)
{
    return session->files.workdir;
}
