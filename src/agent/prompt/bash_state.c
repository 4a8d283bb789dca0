/*
 * bash_state.c - the session of a conversation in bash, as bytes: what the shell has by name, and
 * the files of its private work directory, packed by tar in the sandbox.
 *
 * Background jobs, and what lies in /tmp, are not kept. The bytes do in a session what a cell
 * could.
 */
#include "agent/prompt/prompt.h"

#include <string.h>

#include "base/error.h"
#include "base/shellword.h"

static const char mark[] = "snug.bash/1\n";
static const char packed[] = ".snug-packed";
enum { MARK_BYTES = sizeof mark - 1, MOST_PACKED_BYTES = 1 << 30 };

/* Aside: in a copy of the shell. What is set by bash itself is left out where a line of it would
 * fail; the others fail without harm. The folder is known from HOME, which is the work directory.
 * Errors that end a cell are turned on last. */
static const char saving[] =
    "builtin cd -- \"$HOME\" || builtin exit 1\n"
    "__snug_folder=$OLDPWD\n"
    "rm -rf .snug-packed /tmp/.snug-packed /tmp/.snug-state; mkdir /tmp/.snug-state || builtin "
    "exit 1\n"
    "{ builtin shopt -p\n"
    "  builtin declare -p | command grep -vE '^declare -[-a-zA-Z]+ "
    "(BASH[A-Z_]*|__snug_[a-z]*|EUID|UID|PPID|SHELLOPTS|HOME|PWD|OLDPWD|FUNCNAME|GROUPS|DIRSTACK|"
    "PIPESTATUS|RANDOM|SRANDOM|SECONDS|EPOCH[A-Z]*|HISTCMD|LINENO|_)(=|$)'\n"
    "  builtin declare -f\n"
    "  builtin alias -p\n"
    "  builtin umask -p\n"
    "  if [[ $__snug_folder == \"$HOME\"/* ]]; then\n"
    "    builtin printf 'builtin cd -- %q\\n' \"./${__snug_folder#\"$HOME\"/}\"\n"
    "  fi\n"
    "  builtin set +o | command grep -E ' (errexit|nounset|pipefail|noglob|noclobber)$'\n"
    "} >/tmp/.snug-state/names 2>/dev/null\n";

static const char restoring[] =
    "if mkdir -p /tmp/.snug-state && tar -xf .snug-packed && rm -f .snug-packed &&\n"
    "  mv .snug-state/names /tmp/.snug-state/names && rmdir .snug-state; then\n"
    "  builtin eval \"$(cat /tmp/.snug-state/names; rm -r /tmp/.snug-state)\" 2>/dev/null\n"
    "  builtin true\n"
    "else\n"
    "  builtin false\n"
    "fi\n";

/* A folder that somebody has named keeps its files itself; mounts are the host's. */
static void add_packing(str *out, const snug_agent *agent)
{
    str_add(out, "tar -cf /tmp/.snug-packed");
    for (size_t i = 0; agent->mounts && agent->mounts[i]; i++) {
        str_add(out, " --exclude=./");
        shellword_append(out, agent->mounts[i], strlen(agent->mounts[i]));
    }

    str_add(out, " --transform='s|^tmp/[.]snug-state|.snug-state|' -C / tmp/.snug-state/names");
    str_add(out, agent->workdir ? "" : " -C \"$HOME\" .");
    str_add(out, " || builtin exit 1\nrm -r /tmp/.snug-state\n"
                 "mv /tmp/.snug-packed .snug-packed\n");
}

/* Nobody hears what it prints. */
static int run_unheard(snug_agent *agent, const char *what, const char *source, int is_aside)
{
    snug_session *session = agent->session;
    snug_result *result = NULL;
    int error;

    agent->is_catching_up = 1;
    if (is_aside)
        error = snug_session_run_aside(&result, session, source, strlen(source), NULL);
    else
        error = snug_session_run(&result, session, source, strlen(source), NULL);
    agent->is_catching_up = 0;

    if (!error && snug_result_status(result) != SNUG_STATUS_OK)
        error = error_set(SNUG_ESTOPPED, "the session of bash cannot be %s: %s: %.300s", what,
                          snug_result_error_value(result),
                          snug_result_text(result, SNUG_STREAM_STDERR, NULL));
    snug_result_free(result);
    return error;
}

static int take_packed(str *out, snug_session *session)
{
    snug_file *file;
    size_t len;
    int error = snug_session_get_file(&file, session, packed, MOST_PACKED_BYTES);
    if (error)
        return error;

    const char *data = snug_file_data(file, &len);
    if (str_append(out, mark, MARK_BYTES) || str_append(out, data, len))
        error = error_no_memory();
    snug_file_free(file);
    snug_session_remove_file(session, packed);
    return error;
}

int bash_state_is(const str *bytes)
{
    return bytes->len >= MARK_BYTES && memcmp(bytes->data, mark, MARK_BYTES) == 0;
}

int bash_state_save(str *out, snug_agent *agent)
{
    str source = { 0 };

    str_add(&source, saving);
    add_packing(&source, agent);
    int error = str_error(&source) ? error_no_memory() : SNUG_OK;
    if (!error)
        error = run_unheard(agent, "saved", source.data, 1);
    if (!error)
        error = take_packed(out, agent->session);
    str_free(&source);
    return error;
}

int bash_state_restore(snug_agent *agent, const str *bytes)
{
    int error = snug_session_put_file(agent->session, packed, bytes->data + MARK_BYTES,
                                      bytes->len - MARK_BYTES);
    if (error)
        return error;
    return run_unheard(agent, "restored", restoring, 0);
}
