#include "agent/text/verdictwords.h"

#include <string.h>
#include <strings.h>

#include "agent/text/line.h"
#include "base/ascii.h"

/* has_reason: a reason may stand behind it. "OK, let me see" and "True, it is 5, and ..." do
 * not judge. is_answer: it may answer another question than whether the output is right. */
static const struct row {
    const char *word;
    snug_agent_verdict value;
    int has_reason, is_answer;
} rows[] = {
    { "pass", SNUG_AGENT_VERDICT_PASS, 1, 0 },
    { "passed", SNUG_AGENT_VERDICT_PASS, 1, 0 },
    { "passes", SNUG_AGENT_VERDICT_PASS, 1, 0 },
    { "correct", SNUG_AGENT_VERDICT_PASS, 1, 0 },
    { "yes", SNUG_AGENT_VERDICT_PASS, 1, 1 },
    { "true", SNUG_AGENT_VERDICT_PASS, 0, 1 },
    { "ok", SNUG_AGENT_VERDICT_PASS, 0, 0 },
    { "okay", SNUG_AGENT_VERDICT_PASS, 0, 0 },
    { "fail", SNUG_AGENT_VERDICT_FAIL, 1, 0 },
    { "failed", SNUG_AGENT_VERDICT_FAIL, 1, 0 },
    { "fails", SNUG_AGENT_VERDICT_FAIL, 1, 0 },
    { "incorrect", SNUG_AGENT_VERDICT_FAIL, 1, 0 },
    { "wrong", SNUG_AGENT_VERDICT_FAIL, 1, 0 },
    { "no", SNUG_AGENT_VERDICT_FAIL, 1, 1 },
    { "false", SNUG_AGENT_VERDICT_FAIL, 0, 1 },
    { "unsure", SNUG_AGENT_VERDICT_UNSURE, 1, 0 },
    { "uncertain", SNUG_AGENT_VERDICT_UNSURE, 1, 0 },
    { "unknown", SNUG_AGENT_VERDICT_UNSURE, 0, 0 },
    { "unclear", SNUG_AGENT_VERDICT_UNSURE, 1, 0 },
};

/* What takes a pass back, where it stands behind it, and a "no". */
static const char *const doubts[] = { "but",   "however",   "although", "though", "except",
                                      "wrong", "incorrect", "fail",     "fails",  "failed" };
static const char *const praises[] = { "pass", "passes", "passed" };

/* So much of a reason is looked at: what takes a verdict back stands near it. */
enum { NEAR_BYTES = 2000 };

/* A reply with more of them has none, whatever they say. */
enum { MOST_VERDICTS = 20 };

static const char *const labels[] = { "verdict",  "judgement",  "judgment",
                                      "decision", "evaluation", "conclusion" };

/* What a line of a reply says. */
typedef struct ruling {
    const struct row *row; /* NULL: nothing */
    size_t rest;           /* behind the word and what sets it apart */
    int is_labelled;
    int is_answer; /* behind "Answer:", where the answer to the question may stand as well */
    int is_alone;  /* nothing is behind it on the line */
} ruling;

/* ---- words ---- */

static size_t word_len(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && (is_word(text[at]) || (unsigned char)text[at] >= 0x80))
        at++;
    return at;
}

static int is_one_of(const char *const *list, size_t count, const char *word, size_t len)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == len && strncasecmp(list[i], word, len) == 0)
            return 1;
    return 0;
}

static const struct row *find_row(const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].word) == len && strncasecmp(rows[i].word, word, len) == 0)
            return &rows[i];
    return NULL;
}

static int has_word_of(const char *const *list, size_t count, const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        const size_t word = word_len(text + at, len - at);
        if (word > 0 && is_one_of(list, count, text + at, word))
            return 1;
        at += word > 0 ? word : 1;
    }

    return 0;
}

/* ---- what stands around a word ---- */

/* Past blanks, quotes and the marks of bold text and headings. */
static size_t skip_marks(const char *text, size_t len, size_t at)
{
    while (at < len && strchr(" \t\"'`*_#[", text[at]) && text[at])
        at++;
    return at;
}

static size_t skip_blanks(const char *text, size_t len, size_t at)
{
    while (at < len && is_blank(text[at]))
        at++;
    return at;
}

/* The length of a dash of any kind at `at`; 0: there is none. A hyphen is one only beside a
 * blank: "No-one". */
static size_t dash_len(const char *text, size_t len, size_t at)
{
    if (len - at >= 3 &&
        (memcmp(text + at, "\xe2\x80\x93", 3) == 0 || memcmp(text + at, "\xe2\x80\x94", 3) == 0))
        return 3;
    if (at == len || text[at] != '-')
        return 0;

    const int is_behind_blank = at > 0 && is_blank(text[at - 1]);
    const int is_before_blank = at + 1 == len || is_blank(text[at + 1]);
    return is_behind_blank || is_before_blank ? 1 : 0;
}

/* Behind what sets a word apart from its reason, and the marks around that; `at` where nothing
 * does. "No.5" and "pass/fail" are not words set apart. */
static size_t skip_separator(const char *text, size_t len, size_t at)
{
    size_t end = at;
    while (end < len && strchr("\"'`*_])", text[end]) && text[end])
        end++;
    if (end == len)
        return end;

    const size_t dash = dash_len(text, len, skip_blanks(text, len, end));
    if (dash > 0)
        return skip_marks(text, len, skip_blanks(text, len, end) + dash);

    if (strchr(":;,.!", text[end]) && text[end]) {
        const size_t next = end + 1;
        const int is_apart = next == len || strchr(" \t\"'`*_)]", text[next]) != NULL;
        return is_apart ? skip_marks(text, len, next) : at;
    }

    const size_t next = skip_blanks(text, len, end);
    return next == len || text[next] == '(' ? next : at;
}

/* Behind "Verdict:", "**My verdict** is"; 0: the line does not begin so. */
static size_t skip_label(const char *text, size_t len, const char *const *names, size_t count)
{
    static const char *const leads[] = { "the", "my", "final", "overall" };
    size_t at = skip_marks(text, len, 0);
    size_t word = word_len(text + at, len - at);

    while (is_one_of(leads, sizeof leads / sizeof *leads, text + at, word)) {
        at = skip_blanks(text, len, at + word);
        word = word_len(text + at, len - at);
    }
    if (!is_one_of(names, count, text + at, word))
        return 0;

    at = skip_marks(text, len, at + word);
    const int has_is = len - at >= 2 && strncasecmp(text + at, "is", 2) == 0;
    if (has_is)
        at = skip_marks(text, len, at + 2);
    if (at < len && (text[at] == ':' || text[at] == '='))
        return skip_marks(text, len, at + 1);
    return has_is ? at : 0;
}

/* ---- a line ---- */

/* Whether the reason leaves the word what it says. */
static int is_upheld(const struct row *row, const char *reason, size_t len)
{
    const size_t word = word_len(reason, len);
    const struct row *next = find_row(reason, word);

    /* "Passed: no" */
    if (next && next->is_answer && skip_separator(reason, len, word) > word)
        return 0;
    if (next && next->is_answer && word == len)
        return 0;

    if (row->value == SNUG_AGENT_VERDICT_PASS)
        return !has_word_of(doubts, sizeof doubts / sizeof *doubts, reason, len);
    if (row->is_answer)
        return !has_word_of(praises, sizeof praises / sizeof *praises, reason, len);
    return 1;
}

/* Of the line at `at`; what is behind it may be the reason too. */
static ruling read_line(const char *text, const line *l)
{
    static const char *const answers[] = { "answer" };
    const size_t label = skip_label(l->text, l->len, labels, sizeof labels / sizeof *labels);
    const size_t answer = skip_label(l->text, l->len, answers, 1);
    const size_t begin = label + answer > 0 ? label + answer : skip_marks(l->text, l->len, 0);
    const size_t word = word_len(l->text + begin, l->len - begin);
    const size_t end = begin + word;
    const size_t behind = skip_separator(l->text, l->len, end);
    ruling out = { .row = find_row(l->text + begin, word),
                   .is_labelled = label > 0,
                   .is_answer = answer > 0 };

    if (!out.row || (behind == end && end < l->len))
        return (ruling){ 0 };

    /* "No. 5 is missing" */
    if (behind < l->len && l->text[end] == '.' && is_digit(l->text[behind]))
        return (ruling){ 0 };

    out.is_alone = behind == l->len;
    out.rest = (size_t)(l->text - text) + behind;
    return out;
}

/* ---- a reply ---- */

static size_t trimmed_len(const char *text, size_t len)
{
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;
    return len;
}

/* Where a verdict is looked for: a label is one anywhere, a bare word in the first and the last
 * line only. */
static int counts(const ruling *r, int is_first, int is_last)
{
    if (!r->row)
        return 0;
    if (r->is_labelled)
        return 1;
    if (!is_first && !is_last)
        return 0;
    return r->row->has_reason || (r->is_alone && is_first && is_last);
}

static int stands(const ruling *r, const char *text, size_t len)
{
    const size_t behind = len - r->rest;
    return is_upheld(r->row, text + r->rest, behind < NEAR_BYTES ? behind : NEAR_BYTES);
}

/* All that a reply rules. */
typedef struct rulings {
    snug_agent_verdict value;
    size_t count, reason; /* reason: where it begins; the end of the text: there is none yet */
} rulings;

/* 0: with this one the reply has no verdict. */
static int add_ruling(rulings *all, const ruling *r, const char *text, size_t len)
{
    if (all->count > 0 && all->value != r->row->value)
        return 0;
    if (all->count == MOST_VERDICTS || !stands(r, text, len))
        return 0;

    all->count++;
    all->value = r->row->value;
    if (all->reason == len)
        all->reason = r->rest;
    return 1;
}

int verdictwords_read(snug_agent_verdict *value, size_t *reason, const char *text, size_t len)
{
    size_t at = 0;

    len = trimmed_len(text, len);
    while (at < len && strchr(" \t\r\n", text[at]))
        at++;

    rulings all = { .reason = len };
    ruling answer = { 0 };
    const size_t first = at;
    line l = line_at(text, len, at);
    const int has_more = l.next < len;
    for (; at < len; at = l.next) {
        l = line_at(text, len, at);
        const ruling here = read_line(text, &l);
        if (here.is_answer && at == first)
            answer = here;
        if (!here.is_answer && counts(&here, at == first, l.next >= len) &&
            !add_ruling(&all, &here, text, len))
            return 0;
    }

    /* "Answer: NO: that is the sum": of a reply with a verdict beside it, it is not one. */
    if (all.count == 0 && counts(&answer, 1, !has_more) && !add_ruling(&all, &answer, text, len))
        return 0;
    if (all.count == 0)
        return 0;

    /* A last word behind its reason: all of the text is that. */
    *value = all.value;
    *reason = all.reason == len && has_more ? first : all.reason;
    return 1;
}
