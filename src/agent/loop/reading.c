#include "agent/loop/reading.h"

#include <string.h>

#include "agent/text/shellcode.h"
#include "base/error.h"

static int scan_text(snug_scan **out, const run *r, const char *text, size_t len)
{
    snug_scan_options options = SNUG_SCAN_OPTIONS_INIT;

    options.profile = r->agent->profile;
    options.allow = (const char *const *)r->agent->allow;
    options.max_source_bytes = r->agent->cell_limits.source_bytes;
    return snug_host_scan(out, r->agent->host, text, len, &options);
}

/* Prose that looked like a program is prose. */
static int drop_wrong_guess(const run *r, extracted *code)
{
    snug_scan *report;
    int error = scan_text(&report, r, str_text(&code->code), code->code.len);
    if (error)
        return error;

    const snug_finding *first = snug_scan_finding(report, 0);
    const int is_wrong = first && strcmp(first->rule, "syntax") == 0;
    snug_scan_free(report);
    if (!is_wrong)
        return SNUG_OK;

    if (str_add(&code->prose, "\n") || str_add_str(&code->prose, &code->code))
        return error_no_memory();
    str_clear(&code->code);
    return SNUG_OK;
}

/* The hint that a cell gets which would install something. */
static int add_install_hint(str *out, const run *r)
{
    static const char line[] = "!pip install it";
    snug_scan *report;
    int error = scan_text(&report, r, line, sizeof line - 1);
    if (error)
        return error;

    const snug_finding *first = snug_scan_finding(report, 0);
    if (first && *first->hint && (str_add(out, " ") || str_add(out, first->hint)))
        error = error_no_memory();
    snug_scan_free(report);
    return error;
}

static int tell_left_out(run *r, const str *other)
{
    str *out = &r->left_out;

    if (is_in_bash(r->agent)) {
        if (str_add(out, "The block in Python was not run: programs are in bash here."))
            return error_no_memory();
        return SNUG_OK;
    }

    if (!shellcode_only_installs(str_text(other), other->len)) {
        if (str_add(out, "The block for a shell was not run: programs are in Python here, and "
                         "there is no shell."))
            return error_no_memory();
        return SNUG_OK;
    }

    if (str_add(out, "The block that installs packages was not run."))
        return error_no_memory();
    return add_install_hint(out, r);
}

/* The first reply has a program for a shell, and none in Python. */
static int wants_bash(const run *r, const extracted *code)
{
    const str *other = &code->other;

    return run_may_be_bash(r) && r->reply->attempt_count == 0 && code->code.len == 0 &&
           strspn(str_text(other), " \t\n") < other->len &&
           !shellcode_only_installs(str_text(other), other->len);
}

loop_outcome reading_refuse_bash(run *r)
{
    return run_stop(r, SNUG_AGENT_STATUS_REFUSED,
                    "the model answers with a program in bash, and the session is of Python: bash "
                    "needs a session of its own (--language bash, or --isolation bash)");
}

int reading_judge(run *r, extracted *code)
{
    int error = SNUG_OK;

    str_clear(&r->left_out);
    if (code->is_guess && code->code.len > 0)
        error = drop_wrong_guess(r, code);
    if (!error && strspn(str_text(&code->other), " \t\n") < code->other.len)
        error = tell_left_out(r, &code->other);
    r->reply->wants_bash = !error && wants_bash(r, code);
    return error;
}
