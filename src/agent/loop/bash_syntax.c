#include "agent/loop/bash_syntax.h"

#include <string.h>

#include "base/bashread.h"
#include "base/error.h"

int bash_syntax_check(str *message, unsigned *line, run *r, const str *code)
{
    str source = { 0 };
    snug_result *result = NULL;
    int error;

    *line = 0;
    if (memchr(str_text(code), '\0', code->len))
        return SNUG_OK;
    if (bashread_write(&source, str_text(code), code->len)) {
        error = error_no_memory();
        goto done;
    }

    r->agent->is_catching_up = 1; /* nobody hears it */
    error = run_cell(&result, r, source.data, source.len, 1);
    r->agent->is_catching_up = 0;

    if (!error && result && snug_result_status(result) == SNUG_STATUS_ERROR &&
        bashread_complaint(message, line, snug_result_text(result, SNUG_STREAM_STDERR, NULL)))
        error = error_no_memory();

done:
    snug_result_free(result);
    str_free(&source);
    return error;
}
