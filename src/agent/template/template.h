/*
 * template.h - the prompts: texts with named places, built in and replaceable.
 *
 *     {{name}}                 the variable's value, which is not expanded again
 *     {{#name}}...{{/name}}    only where the variable has a value
 *     {{^name}}...{{/name}}    only where it has none
 *     {{! ... }}               a remark
 *     {{{{                     the two characters {{
 *
 * A section's tag or a remark alone on a line takes the line with it.
 */
#ifndef SNUG_AGENT_TEMPLATE_H
#define SNUG_AGENT_TEMPLATE_H

#include <stddef.h>

#include <snug/agent.h>

#include "base/str.h"

/* clang-format off */
#define TEMPLATE_VARIABLES(X)                                                                      \
    X(query, "the question, as it was asked")                                                      \
    X(context, "material that the caller gave with the question")                                  \
    X(history, "the conversation so far, or its summary")                                          \
    X(namespace, "the variables that the session holds, one a line with type and size")            \
    X(files, "the files of the work directory, one a line")                                        \
    X(inputs, "the data given with the question: name, type, size and beginning of each")          \
    X(code, "the program that this prompt is about")                                               \
    X(error, "the error as Python shows it, clipped")                                              \
    X(category, "the error's category: name, timeout, ...")                                        \
    X(hint, "one sentence on how such an error is mended")                                         \
    X(output, "what the program gave: its value, or its output")                                   \
    X(findings, "what the scan found, one a line with its line number")                            \
    X(reason, "why an answer or a step was judged to fail")                                        \
    X(answer, "the answer that was given")                                                         \
    X(unsupported, "the numbers of the answer that the run did not give")                          \
    X(language, "the language that the answer shall be in")                                        \
    X(tools, "the functions of the host that code may call, one a line")                           \
    X(modules, "the modules that code may import, separated by commas")                            \
    X(profile, "the name of the allowlist in force")                                               \
    X(limits, "the limits of a cell, in a sentence")                                               \
    X(attempt, "the number of the attempt that comes next, from 1")                                \
    X(max_attempts, "how many attempts there are")                                                 \
    X(focus, "what a repair shall aim at: the text of one of the templates focus_*")               \
    X(changed, "what the failed attempt left behind: names, files, tool calls, changed values")\
    X(repeats, "how often the same error has come in a row; empty for a new one")                  \
    X(analysis_request, "not empty: the repair shall begin with an analysis of the error")         \
    X(checks, "the checks that the program must pass, one a line")                                 \
    X(step, "the text of the step of the plan that is under way")                                  \
    X(steps, "how many steps may still be taken")                                                  \
    X(plan, "the steps of the plan, one a line with its number; those done with their result")     \
    X(program, "the language of the programs: python or bash")                                     \
    X(time, "how long a program that was given takes")                                             \
    X(images, "how many pictures come with the question")                                           \
    X(left_out, "what of the model's reply was not run: blocks in another language")               \
    X(model_calls, "how many calls of ask_model programs may make; empty: there is no such thing") \
    X(bash, "not empty: a program in bash may be asked for, which a session of its own runs")      \
    X(documented, "not empty: programs shall have functions, documentation and handled errors")
/* clang-format on */

/* NULL is "": no value. */
#define TEMPLATE_MEMBER(name, about) const char *name;
typedef struct template_values {
    TEMPLATE_VARIABLES(TEMPLATE_MEMBER)
} template_values;
#undef TEMPLATE_MEMBER

typedef struct template_description {
    const char *name, *about;
} template_description;

/* The variables and the built-in templates, in their order; NULL past the end. */
const template_description *template_variable(size_t index);
const template_description *template_info(size_t index);

/* Longer texts of templates are refused. */
enum { TEMPLATE_BYTES = 64 * 1024 };

/* The templates in force. */
typedef struct template_set template_set;

/* The built-in templates, each replaced by the one of that name in prompts, or else by
 * prompts_dir/NAME.txt. prompts_dir may be NULL. SNUG_EINVAL, with a message that names the
 * template: one that is not valid (template_check), an unknown name (of a file *.txt too), one
 * given twice. SNUG_ESYSTEM where the folder or a file is not readable. */
int template_set_open(template_set **out, const char *prompts_dir, const snug_agent_prompt *prompts,
                      size_t prompt_count);
void template_set_close(template_set *set);
/* NULL where there is no such template. Lives as long as the set. */
const char *template_text(const template_set *set, const char *name);

/* SNUG_OK; or SNUG_EINVAL with a message that has the name, the line and the fact: an unknown
 * variable (with the nearest one), a section that is not closed or closed without
 * having been opened, a tag without an end, text that is not UTF-8, more than TEMPLATE_BYTES. */
int template_check(const char *name, const char *text);
/* Appends the template's text with the values put in, without line ends at its end. SNUG_OK,
 * SNUG_ENOMEM, or SNUG_EINVAL for an unknown name. */
int template_render(str *out, const template_set *set, const char *name,
                    const template_values *values);

#endif
