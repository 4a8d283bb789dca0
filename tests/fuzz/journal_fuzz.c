/* A journal of any text, and behind a byte 0xff the arguments of calls, one in a line: it is
 * refused with a line that it has, or what is said of its calls is right; none is answered twice,
 * and after one that differs none at all. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/error.h"
#include "base/jsontext.h"
#include "calls/desk.h"

enum { MOST_CALLS = 50 };

static void nothing(void *payload)
{
}

static void reach_tool(void *payload, snug_call *call, const char *arguments)
{
    fuzz_fail("a replay calls no tools", __FILE__, __LINE__, __func__);
}

static size_t hide_nothing(void *payload, char *text, size_t len)
{
    HOLDS(text[len] == '\0');
    return len;
}

static size_t count_lines(input text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.left; i++)
        count += text.at[i] == '\n';
    return count;
}

/* Of a refused one: "journal, line 3: ...". */
static void check_refusal(input text)
{
    const char *sentence = error_message();
    size_t line = 0;

    HOLDS(sscanf(sentence, "journal, line %zu: ", &line) == 1);
    HOLDS(line > 0 && line <= count_lines(text));
    HOLDS(!strchr(sentence, '\n'));
}

static snug_call *make_call(desk *d, const desk_tool *tool, input line)
{
    snug_call *call;
    str text = { 0 };
    size_t at;

    if (line.left == 0 || *line.at != '{' || jsontext_check(line.at, line.left, &at))
        return NULL;
    HOLDS(str_append(&text, line.at, line.left) == SNUG_OK);
    HOLDS(call_prepare(&call, d, tool, &text) == DESK_FINE);
    HOLDS(call_make(call, 0) == DESK_FINE);
    snug_call *taken = desk_take(d, DESK_ALL);
    HOLDS(taken == call && call_replay(taken));
    desk_go_on(d);
    return call;
}

/* Drops the call. */
static void check_end(snug_journal *j, snug_call *call)
{
    str answer = { 0 };
    size_t at;

    if (call_is_over(call)) {
        const call_state how = call_take(&answer, call);
        HOLDS(how == CALL_OK || how == CALL_ERROR || how == CALL_TIMEOUT || how == CALL_REFUSED);
        if (how == CALL_OK)
            HOLDS(!jsontext_check(answer.data, answer.len, &at));
        str_free(&answer);
    } else {
        HOLDS(!snug_journal_difference(j)); /* nobody waits then */
    }
    call_drop(call);
}

static void make_calls(snug_journal *j, input lines)
{
    desk *d = desk_open(nothing, NULL);
    desk_tool *tool;
    snug_tool shape = SNUG_TOOL_INIT;
    snug_call *calls[MOST_CALLS];
    size_t count = 0;
    char first[400];

    shape.name = "t";
    shape.fn = reach_tool;
    HOLDS((tool = desk_tool_copy(&shape)));
    HOLDS(desk_put_tool(d, tool) == SNUG_OK && desk_tool_named(d, "t") == tool);
    HOLDS(desk_set_journal(d, j, "s1") == SNUG_OK);
    const size_t all = snug_journal_left(j, first, sizeof first);
    desk_begin(d, MOST_CALLS, 0);
    while (lines.left > 0 && count < MOST_CALLS)
        if ((calls[count] = make_call(d, tool, take_until(&lines, "\n"))))
            count++;

    const size_t left = snug_journal_left(j, first, sizeof first);
    HOLDS(left <= all && all - left <= count);
    HOLDS(left == 0 || !strncmp(first, "call ", 5));
    if (count > 0 && all == 0)
        HOLDS(snug_journal_difference(j));
    for (size_t i = 0; i < count; i++)
        check_end(j, calls[i]);
    desk_close(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    const input given = take_until(&in, "\xff");
    char *text = copy_of(given.at, given.left);
    snug_journal *journal = NULL;
    snug_journal_options options = SNUG_JOURNAL_OPTIONS_INIT;

    options.hide = hide_nothing;
    options.replay = text;
    options.replay_len = given.left;
    if (snug_journal_open(&journal, &options)) {
        HOLDS(!journal);
        check_refusal(given);
    } else {
        make_calls(journal, in);
    }
    snug_journal_close(journal);
    free(text);
    return 0;
}
