#include "agent/loop/act_bash.h"

#include <string.h>

#include "base/error.h"

/* It may be called in a subshell or at the end of a pipe, which have no variables to leave: what it
 * is given lies in a file of the session's own /tmp. */
static const char definition[] =
    "final_answer() { builtin printf '%s' \"$*\" >/tmp/.final_answer; }\n"
    "rm -f /tmp/.final_answer\n";

/* With a mark before it, for an answer may be empty. */
static const char taking[] = "if [[ -e /tmp/.final_answer ]]; then\n"
                             "  builtin printf 'answer:'\n"
                             "  cat /tmp/.final_answer\n"
                             "  rm -f /tmp/.final_answer\n"
                             "fi\n";

/* Nobody hears what it prints. *out is NULL where the question was cancelled. */
static int run_unheard(snug_result **out, run *r, const char *source, int is_aside)
{
    r->agent->is_catching_up = 1;
    int error = run_cell(out, r, source, strlen(source), is_aside);
    r->agent->is_catching_up = 0;
    return error;
}

int act_bash_bind(run *r)
{
    snug_result *result = NULL;
    int error = run_unheard(&result, r, definition, 0);
    snug_result_free(result);
    return error;
}

int act_bash_take(run *r)
{
    static const char mark[] = "answer:";
    const size_t mark_len = sizeof mark - 1;
    snug_result *result = NULL;
    size_t len;
    int error = run_unheard(&result, r, taking, 1);
    if (error || !result)
        return error;

    const char *text = snug_result_text(result, SNUG_STREAM_STDOUT, &len);
    if (len >= mark_len && memcmp(text, mark, mark_len) == 0) {
        str_clear(&r->final_answer);
        r->has_final = 1;
        if (str_append(&r->final_answer, text + mark_len, len - mark_len))
            error = error_no_memory();
    }

    snug_result_free(result);
    return error;
}
