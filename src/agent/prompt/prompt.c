#include "agent/prompt/prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/store/retrieve.h"
#include "agent/text/clip.h"
#include "base/error.h"
#include "base/jsontext.h"

enum {
    MOST_OUTPUT_BYTES = 8 * 1024,
    MOST_STDERR_BYTES = MOST_OUTPUT_BYTES / 4, /* of these, beside an output */
    LEAST_STDERR_BYTES = 400,                  /* also where the output takes all of them */
    MOST_TRACEBACK_BYTES = 4096
};

/* The texts that a template's values point to. */
typedef struct texts {
    str namespace, files, history, checks, error, output, plan, focus, tools;
    char attempt[24], attempts[24], steps[24], repeats[24], limits[160], time[40], images[24],
        model_calls[24];
} texts;

static void texts_free(texts *t)
{
    str *all[] = { &t->namespace, &t->files, &t->history, &t->checks, &t->error,
                   &t->output,    &t->plan,  &t->focus,   &t->tools };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        str_free(all[i]);
}

static int has_place(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = text; at && (at = strstr(at, "{{")); at += 2) {
        const char *variable = at + 2 + strspn(at + 2, "#^ ");
        if (strncmp(variable, name, len) == 0)
            return 1;
    }
    return 0;
}

static void add_checks(str *out, const snug_agent_ask_options *options)
{
    const char *const *checks = options->checks;

    for (size_t i = 0; checks && checks[i]; i++)
        str_printf(out, "%s\n", checks[i]);
    if (options->expect)
        str_printf(out, "# what the program gives must match the pattern %s\n", options->expect);
}

static void add_plan(str *out, const run *r)
{
    for (size_t i = 0; i < r->plan.count; i++) {
        const char *mark = "";
        if (i < r->step)
            mark = " (done)";
        else if (i == r->step)
            mark = " (this step)";
        str_printf(out, "%zu. %s%s\n", i + 1, str_text(&r->plan.steps[i]), mark);
    }

    str_add_str(out, &r->done);
}

/* What went to stderr as well: warnings help, but many of them leave the output its room. That of a
 * program in bash that failed is in its error. */
static void add_program_stderr(str *out, const run *r, const attempt *a)
{
    size_t len = 0;
    const char *text = a->result ? snug_result_text(a->result, SNUG_STREAM_STDERR, &len) : "";
    const int is_from_stderr =
        strncmp(str_text(&a->output), ATTEMPT_ON_STDERR, strlen(ATTEMPT_ON_STDERR)) == 0;
    const int is_in_error = is_in_bash(r->agent) && a->failure.len > 0;
    const size_t left = out->len < MOST_OUTPUT_BYTES ? MOST_OUTPUT_BYTES - out->len : 0;
    size_t most = left < MOST_STDERR_BYTES ? left : MOST_STDERR_BYTES;

    if (len == 0 || is_in_error || is_from_stderr)
        return;
    if (most < LEAST_STDERR_BYTES)
        most = LEAST_STDERR_BYTES;

    const int is_in_line = out->len > 0 && out->data[out->len - 1] != '\n';
    str_printf(out, "%s" ATTEMPT_ON_STDERR, is_in_line ? "\n" : "");
    clip_append(out, text, len, most, 1);
}

/* A value and what was printed before it: the model that judges wants both. Without a result (it
 * came from the cache) there is a value where the output is not what was printed. */
static void add_program_output(str *out, const run *r, const attempt *a)
{
    const char *printed = str_text(&a->printed);
    size_t len = a->printed.len, value_len = 0;

    if (a->result) {
        printed = snug_result_text(a->result, SNUG_STREAM_STDOUT, &len);
        snug_result_text(a->result, SNUG_STREAM_VALUE, &value_len);
    } else if (strcmp(printed, str_text(&a->output)) != 0) {
        value_len = a->output.len;
    }

    if (value_len > 0 && len > 0) {
        str_add(out, "It printed:\n");
        clip_append(out, printed, len, MOST_OUTPUT_BYTES, 0);
        str_add(out, "Its value:\n");
    }

    clip_append(out, str_text(&a->output), a->output.len, MOST_OUTPUT_BYTES, 0);
    add_program_stderr(out, r, a);
    if (r->has_final) {
        str_add(out, "\nThe final answer:\n");
        clip_append(out, str_text(&r->final_answer), r->final_answer.len, MOST_OUTPUT_BYTES, 0);
    }
}

/* The sentence of a failure, where it says more than the error and the template do. */
static const char *reason_of(const run *r, const char *template)
{
    const failure *f = &r->failure;

    if (strncmp(template, "no_code", 7) == 0 && (!f->class || strcmp(f->class, "logical") != 0))
        return NULL;
    if (r->reply->best) /* why a version was not taken */
        return str_text(&f->sentence);
    if (!f->class)
        return NULL;

    if (strcmp(f->class, "logical") == 0 || strcmp(template, "unknown_tool") == 0)
        return str_text(&f->sentence);
    return NULL;
}

/* ---- what the session has ---- */

enum { MOST_VARIABLES = 100, MOST_SUMMARY_BYTES = 120, MOST_FILES = 100 };

static void add_member_text(str *out, jsontext_span object, const char *name, const char *before,
                            size_t most)
{
    str text = { 0 };
    jsontext_span value = jsontext_member(object, name);

    if (!value.text || jsontext_is(value, "null") || jsontext_is(value, "\"\""))
        return;
    if (jsontext_string(&text, value) == SNUG_EINVAL)
        str_append(&text, value.text, value.len);
    str_add(out, before);
    clip_append(out, str_text(&text), text.len, most, 0);
    str_free(&text);
}

/* In bash the function that takes the answer is one like the guest's. */
static int is_own(jsontext_span variable)
{
    return jsontext_is(jsontext_member(variable, "name"), "\"final_answer\"") &&
           jsontext_is(jsontext_member(variable, "type"), "\"function\"");
}

static void add_variable_line(str *out, jsontext_span variable)
{
    add_member_text(out, variable, "name", "- ", 200);
    add_member_text(out, variable, "type", ": ", 200);
    add_member_text(out, variable, "length", ", length ", 40);
    add_member_text(out, variable, "summary", " = ", MOST_SUMMARY_BYTES);
    str_add(out, "\n");
}

static int digest_variables(str *out, snug_session *session)
{
    snug_description *d;
    size_t len, count = 0;
    const int is_bash = snug_session_kind(session) == SNUG_KIND_BASH;
    int error = snug_session_list_variables(&d, session);
    if (error)
        return error;

    const char *json = snug_description_json(d, &len);
    jsontext_span list = jsontext_member((jsontext_span){ json, len }, "variables"), item;
    jsontext j;
    jsontext_enter(&j, list);
    while (jsontext_item(&j, NULL, &item)) {
        if (is_bash && is_own(item))
            continue;
        if (count++ < MOST_VARIABLES)
            add_variable_line(out, item);
    }

    if (count > MOST_VARIABLES)
        str_printf(out, "- and %zu more\n", count - MOST_VARIABLES);
    snug_description_free(d);
    return str_error(out) ? error_no_memory() : SNUG_OK;
}

static int digest_files(str *out, snug_session *session)
{
    snug_listing *listing;
    int error = snug_session_list_files(&listing, session);
    if (error)
        return error;

    size_t count = snug_listing_entry_count(listing);
    for (size_t i = 0; i < count && i < MOST_FILES; i++) {
        const snug_entry *entry = snug_listing_entry(listing, i);
        if (entry->kind == SNUG_ENTRY_FILE)
            str_printf(out, "- %s, %llu bytes\n", entry->path, (unsigned long long)entry->bytes);
        else
            str_printf(out, "- %s, a %s\n", entry->path, snug_entry_kind_name(entry->kind));
    }

    if (count > MOST_FILES)
        str_printf(out, "- and %zu more\n", count - MOST_FILES);
    snug_listing_free(listing);
    return str_error(out) ? error_no_memory() : SNUG_OK;
}

int digest_modules(str *out, snug_session *session)
{
    static const char source[] = "import ";
    snug_completion *c;
    int error = snug_session_complete(&c, session, source, sizeof source - 1, sizeof source - 1);
    if (error)
        return error;

    for (size_t i = 0; i < snug_completion_match_count(c); i++) {
        const char *name = snug_completion_match(c, i);
        if (name[0] != '_' && !strchr(name, '.'))
            str_printf(out, "%s%s", out->len ? ", " : "", name);
    }

    snug_completion_free(c);
    return str_error(out) ? error_no_memory() : SNUG_OK;
}

static int describe_namespace(str *out, snug_session *session)
{
    int error = digest_variables(out, session);
    if (!error || error == SNUG_ENOMEM || error == SNUG_EDEAD)
        return error;

    /* A __repr__ of the guest's that does not end costs the list only. */
    str_clear(out);
    return str_add(out, "(they could not be listed)\n");
}

/* text: of the template. What has no place in it is not asked of the session. */
static int write_texts(texts *t, run *r, const char *text)
{
    snug_agent *agent = r->agent;
    const str *traceback = &r->failure.traceback;
    const attempt *subject = run_subject(r);
    int error = SNUG_OK;

    if (has_place(text, "namespace"))
        error = describe_namespace(&t->namespace, agent->session);
    if (!error && has_place(text, "files"))
        error = digest_files(&t->files, agent->session);
    if (r->is_renewed)
        str_add(&t->history, "(The session was lost and is new: all variables of earlier "
                             "questions are gone.)\n\n");
    if (!error && has_place(text, "history"))
        error = history_tell(&t->history, r);
    if (error)
        return error;

    bound_tools_write(&t->tools, &agent->tools);
    add_checks(&t->checks, r->options);
    clip_append(&t->error, str_text(traceback), traceback->len, MOST_TRACEBACK_BYTES, 1);
    if (subject)
        add_program_output(&t->output, r, subject);
    add_plan(&t->plan, r);

    const str *all[] = { &t->history, &t->tools, &t->checks, &t->error, &t->output, &t->plan };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_error(all[i]))
            return error_no_memory();
    return SNUG_OK;
}

static uint64_t steps_left(const run *r)
{
    uint64_t used = r->mode == SNUG_AGENT_MODE_ACT ? r->step_cells : r->step;
    return r->limits.steps > used ? r->limits.steps - used : 0;
}

static void describe_time(texts *t, const run *r)
{
    const attempt *best = reply_best(r->reply);
    if (best->result)
        snprintf(t->time, sizeof t->time, "%.3g ms",
                 (double)snug_result_cpu_ns(best->result) / 1e6);
}

static const char *focus_name(const snug_agent *agent)
{
    static const char *const names[] = {
        [SNUG_AGENT_FOCUS_FIX_ERRORS] = "focus_fix_errors",
        [SNUG_AGENT_FOCUS_OPTIMIZE] = "focus_optimize",
        [SNUG_AGENT_FOCUS_ROBUSTNESS] = "focus_robustness",
        [SNUG_AGENT_FOCUS_STYLE] = "focus_style",
    };
    return names[agent->options.focus];
}

static void print_number(char *out, size_t size, uint64_t number)
{
    snprintf(out, size, "%llu", (unsigned long long)number);
}

/* Of ask_model, where it is there. */
static void describe_model_calls(texts *t, const run *r)
{
    if (!r->agent->options.asks_model || is_in_bash(r->agent))
        return;
    if (r->limits.model_calls == SNUG_UNLIMITED)
        snprintf(t->model_calls, sizeof t->model_calls, "any number of");
    else
        print_number(t->model_calls, sizeof t->model_calls, r->limits.model_calls);
}

/* The short texts, which cannot fail. */
static void write_numbers(texts *t, run *r)
{
    const attempt *subject = run_subject(r);

    if (r->reply->best)
        describe_time(t, r);
    print_number(t->attempt, sizeof t->attempt, run_attempts(r) + 1);
    print_number(t->attempts, sizeof t->attempts, r->limits.attempts);
    if (r->mode != SNUG_AGENT_MODE_ACT || steps_left(r) > 0)
        print_number(t->steps, sizeof t->steps, steps_left(r));
    if (r->image_count > 0)
        print_number(t->images, sizeof t->images, r->image_count);
    if (subject && subject->repeats > 1)
        print_number(t->repeats, sizeof t->repeats, subject->repeats);
    snprintf(t->limits, sizeof t->limits, "%g s and %llu MiB of memory",
             (double)r->agent->cell_limits.wall_ms / 1000,
             (unsigned long long)(r->agent->cell_limits.memory_bytes >> 20));
    describe_model_calls(t, r);
}

static void fill_values(template_values *v, const texts *t, run *r, const char *template)
{
    const snug_agent *agent = r->agent;
    const int is_review =
        strcmp(template, "review") == 0; /* of what shall run, also of a version */
    const attempt *subject = is_review ? run_attempt(r) : run_subject(r);

    *v = (template_values){
        .query = r->question,
        .context = retrieve_context(r),
        .history = str_text(&t->history),
        .namespace = str_text(&t->namespace),
        .files = str_text(&t->files),
        .inputs = str_text(&r->inputs),
        .error = str_text(&t->error),
        .category = str_text(&r->failure.category),
        .hint = str_text(&r->failure.hint),
        .output = str_text(&t->output),
        .findings = str_text(&r->failure.findings),
        .answer = str_text(&r->reply->answer),
        .unsupported = str_text(&r->reply->unsupported),
        .language = r->language,
        .tools = str_text(&t->tools),
        .modules = str_text(&agent->modules),
        .profile = agent->profile,
        .limits = t->limits,
        .attempt = t->attempt,
        .changed = str_text(&r->changed),
        .repeats = t->repeats,
        .focus = str_text(&t->focus),
        .analysis_request = "yes",
        .checks = str_text(&t->checks),
        .steps = t->steps,
        .program = is_in_bash(agent) ? "bash" : "python",
        .time = t->time,
        .plan = str_text(&t->plan),
        .images = t->images,
        .left_out = str_text(&r->left_out),
        .model_calls = t->model_calls,
        .bash = run_may_be_bash(r) ? "yes" : NULL,
        .documented = agent->options.style == SNUG_AGENT_STYLE_DOCUMENTED ? "yes" : NULL,
    };

    if (r->is_in_words)
        v->answer = str_text(&r->final_answer);
    if (r->is_in_words && strcmp(template, "observe") == 0)
        v->output = NULL; /* of the cell before them: the model knows it */
    if (subject)
        v->code = str_text(&subject->code);
    if (r->failure.sentence.len > 0)
        v->reason = reason_of(r, template);
    if (r->mode != SNUG_AGENT_MODE_ACT)
        v->max_attempts = t->attempts;
    if (r->step < r->plan.count)
        v->step = str_text(&r->plan.steps[r->step]);
}

/* Some prompts are different where programs are in bash. */
static const char *name_in_bash(const snug_agent *agent, const char *name)
{
    static const char *const names[][2] = { { "system", "system_bash" },
                                            { "system_act", "system_act_bash" },
                                            { "plan", "plan_bash" },
                                            { "no_code", "no_code_bash" } };
    for (size_t i = 0; is_in_bash(agent) && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    return name;
}

int prompt_make(str *out, run *r, const char *name)
{
    const template_set *templates = r->agent->templates;
    texts t = { 0 };
    template_values values;

    name = name_in_bash(r->agent, name);
    const char *text = template_text(templates, name);
    if (!text)
        text = ""; /* template_render says that there is none */
    int error = write_texts(&t, r, text);
    if (error)
        goto done;

    write_numbers(&t, r);
    fill_values(&values, &t, r, name);
    if (has_place(text, "focus")) {
        error = template_render(&t.focus, templates, focus_name(r->agent), &values);
        values.focus = str_text(&t.focus);
    }

    if (!error)
        error = template_render(out, templates, name, &values);

done:
    texts_free(&t);
    return error;
}
