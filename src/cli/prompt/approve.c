#include "cli/prompt/approve.h"

#include <string.h>

#include "base/ascii.h"
#include "cli/prompt/read_line.h"
#include "cli/prompt/show_cell.h"
#include "cli/tools/call_text.h"

/* On a line of its own, whatever the cell has printed before. */
static int write_question(str *out, const show *s, const snug_call *call)
{
    int error = str_add(out, s->is_inside[0] || s->is_inside[1] ? "\nCall " : "Call ");
    if (!error)
        error = call_text_write(out, call);
    return error ? error : str_add(out, APPROVE_CHOICES);
}

snug_approval approve_answer(const char *line)
{
    static const struct {
        const char *word;
        snug_approval answer;
    } words[] = { { "y", SNUG_APPROVAL_ONCE },
                  { "yes", SNUG_APPROVAL_ONCE },
                  { "a", SNUG_APPROVAL_ALWAYS },
                  { "always", SNUG_APPROVAL_ALWAYS } };
    char word[16] = "";

    line += strspn(line, " \t");
    const size_t len = strcspn(line, " \t\r");
    if (line[len + strspn(line + len, " \t\r")]) /* as in "yes, but" */
        return SNUG_APPROVAL_REFUSE;
    for (size_t i = 0; i < len && i < sizeof word - 1; i++)
        word[i] = to_lower(line[i]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i].word))
            return words[i].answer;
    return SNUG_APPROVAL_REFUSE;
}

void approve_call(void *payload, snug_call *call)
{
    show *s = payload;
    str question = { 0 }, line = { 0 };
    snug_approval answer = SNUG_APPROVAL_REFUSE;

    if (write_question(&question, s, call) == SNUG_OK &&
        read_line_ask(s, call, str_text(&question), &line))
        answer = approve_answer(str_text(&line));
    snug_call_approve(call, answer,
                      answer == SNUG_APPROVAL_REFUSE ? "the person at the terminal refused it"
                                                     : NULL);
    str_free(&question);
    str_free(&line);
}
