#include "agent/text/extract.h"

#include <snug/snug.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/text/blocks.h"
#include "agent/text/laxjson.h"
#include "agent/text/program.h"
#include "agent/text/pylex.h"
#include "agent/text/shellcode.h"
#include "base/hash.h"
#include "base/jsontext.h"

void extracted_free(extracted *e)
{
    str_free(&e->code);
    str_free(&e->analysis_json);
    str_free(&e->language);
    str_free(&e->prose);
    str_free(&e->other);
    *e = (extracted){ 0 };
}

/* The pieces that the code is joined from. A piece in a block may hold blocks itself. */
typedef struct joiner {
    extracted *out;
    int depth;
    uint64_t seen[BLOCKS_MOST]; /* hashes of the pieces, to leave out what repeats */
    size_t begins[BLOCKS_MOST], lens[BLOCKS_MOST]; /* in out->code */
    size_t count;
} joiner;

enum { MOST_DEPTH = 3 };

static int take_text(joiner *j, const char *text, size_t len);
static int find_code(str *out, jsontext_span object, int depth);

static int repeats(const joiner *j, const str *piece, uint64_t hash)
{
    for (size_t i = 0; i < j->count; i++)
        if (j->seen[i] == hash && j->lens[i] == piece->len &&
            memcmp(j->out->code.data + j->begins[i], piece->data, piece->len) == 0)
            return 1;
    return 0;
}

static int join_piece(joiner *j, const char *text, size_t len)
{
    str piece = { 0 };
    int error = program_of(&piece, text, len);
    uint64_t hash = hash_bytes(str_text(&piece), piece.len);

    if (!error && piece.len > 0 && j->count < BLOCKS_MOST && !repeats(j, &piece, hash)) {
        str *code = &j->out->code;
        if (code->len > 0)
            str_add(code, "\n\n");
        j->seen[j->count] = hash;
        j->begins[j->count] = code->len;
        j->lens[j->count++] = piece.len;
        error = str_add_str(code, &piece);
    }

    str_free(&piece);
    return error;
}

static int has_only_blanks(const str *text)
{
    return strspn(str_text(text), " \t\n") == text->len;
}

static char first_character(const str *text)
{
    const char *data = str_text(text);
    return data[strspn(data, " \t\n")];
}

/* ---- JSON ---- */

/* A text that is JSON itself, as arguments are put into a string. */
static int find_code_in_text(str *out, jsontext_span text, int depth)
{
    str inner = { 0 }, strict = { 0 };
    size_t end;
    int is_whole;
    int error = jsontext_string(&inner, text);

    if (!error && first_character(&inner) == '{') {
        const char *begin = inner.data + strspn(inner.data, " \t\n");
        error = laxjson_read(&strict, &end, &is_whole, begin, strlen(begin));
        if (!error)
            error = find_code(out, (jsontext_span){ strict.data, strict.len }, depth);
    }
    str_free(&inner);
    str_free(&strict);
    return error == SNUG_EINVAL ? SNUG_OK : error;
}

/* Appends the code in an object, or in one within it: {"tool": ..., "arguments": {"code": ...}}.
 * Nothing where there is none. */
static int find_code(str *out, jsontext_span object, int depth)
{
    static const char *const names[] = { "code", "python", "source", "script" };
    static const char *const ways[] = { "arguments", "parameters", "input", "function" };
    int error = SNUG_OK;

    if (!object.text || depth > MOST_DEPTH)
        return SNUG_OK;
    if (object.text[0] == '"')
        return find_code_in_text(out, object, depth + 1);
    if (object.text[0] != '{')
        return SNUG_OK;

    for (size_t i = 0; i < sizeof names / sizeof *names && !error && out->len == 0; i++)
        error = jsontext_string(out, jsontext_member(object, names[i])) == SNUG_ENOMEM;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !error && out->len == 0; i++)
        error = find_code(out, jsontext_member(object, ways[i]), depth + 1);
    return error ? SNUG_ENOMEM : SNUG_OK;
}

/* JSON begins a line, or stands behind what leads to it: "Call: {", "<tool_call>{", "`{". In
 * `d = {` it is Python's. */
static int is_led_to(const char *text, size_t at)
{
    while (at && (text[at - 1] == ' ' || text[at - 1] == '\t'))
        at--;
    return at == 0 || strchr("\n>]:`[,|", text[at - 1]) != NULL;
}

/* On one line, as events are: JSON has line ends between its tokens only. */
static int keep_analysis(str *out, const str *json)
{
    int error = str_add_str(out, json);
    for (size_t i = 0; !error && i < out->len; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r')
            out->data[i] = ' ';
    return error;
}

/* Keeps the first analysis, and takes the code of the first object that has some; that object
 * is taken out of text. */
static int take_json(joiner *j, str *text, int *is_taken)
{
    laxjson_search search = { .text = str_text(text), .len = text->len };
    str strict = { 0 }, code = { 0 };
    int error = SNUG_OK;

    *is_taken = 0;
    while (!*is_taken && !error) {
        if ((error = laxjson_next(&strict, &search, "{")))
            break;
        jsontext_span object = { strict.data, strict.len };
        if (j->out->analysis_json.len == 0 && jsontext_member(object, "root_cause").text)
            error = keep_analysis(&j->out->analysis_json, &strict);
        if (j->out->code.len || !is_led_to(search.text, search.begin) || error)
            continue;
        str_clear(&code);
        if ((error = find_code(&code, object, 0)) || code.len == 0)
            continue;
        if (!(error = take_text(j, code.data, code.len))) {
            *is_taken = 1;
            j->out->is_complete &= search.is_whole;
            memmove(text->data + search.begin, text->data + search.at, text->len - search.at + 1);
            text->len -= search.at - search.begin;
        }
    }

    str_free(&strict);
    str_free(&code);
    return error == SNUG_ENOTFOUND ? SNUG_OK : error;
}

/* ---- blocks ---- */

static size_t count_of(const blocks *b, block_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        count += b->items[i].kind == kind && !has_only_blanks(&b->items[i].text);
    return count;
}

/* A block marked as Python may hold a tool call all the same, and a tag a fence. */
static int take_block(joiner *j, block *b)
{
    int is_taken = 0, error;

    if (first_character(&b->text) == '{' && (error = take_json(j, &b->text, &is_taken)))
        return error;
    if (is_taken)
        return SNUG_OK;
    if (b->kind == BLOCK_TAG)
        return take_text(j, str_text(&b->text), b->text.len);
    return join_piece(j, str_text(&b->text), b->text.len);
}

static int take_kind(joiner *j, blocks *b, block_kind kind)
{
    int error = SNUG_OK;
    for (size_t i = 0; i < b->count && !error; i++)
        if (b->items[i].kind == kind)
            error = take_block(j, &b->items[i]);
    return error;
}

/* Of several blocks without a mark some may be output. */
static int take_unmarked(joiner *j, blocks *b)
{
    static const char word[] = "python\n";
    size_t sure = 0;
    int error = SNUG_OK;

    for (size_t i = 0; i < b->count; i++) {
        block *item = &b->items[i];
        if (item->kind != BLOCK_UNMARKED)
            continue;
        if (strncmp(str_text(&item->text), word, strlen(word)) == 0) {
            memset(item->text.data, ' ', strlen(word) - 1);
            blocks_trim(&item->text);
        }
        sure += (size_t)pylex_is_python(str_text(&item->text), item->text.len);
    }

    for (size_t i = 0; i < b->count && !error; i++) {
        block *item = &b->items[i];
        if (item->kind != BLOCK_UNMARKED)
            continue;
        if (!sure || pylex_is_python(str_text(&item->text), item->text.len))
            error = take_block(j, item);
    }

    return error;
}

/* JSON in blocks that are marked so, or not at all, and then in the prose. */
static int take_all_json(joiner *j, blocks *b)
{
    int error = SNUG_OK, is_taken = 0;

    for (size_t i = 0; i < b->count && !error; i++) {
        block *item = &b->items[i];
        char first = first_character(&item->text);
        if (item->kind == BLOCK_JSON ||
            (item->kind == BLOCK_UNMARKED && (first == '{' || first == '[')))
            error = take_json(j, &item->text, &is_taken);
    }

    return error;
}

/* ---- a reply without fences ---- */

/* Where the program begins that the text ends with: at its beginning, behind a line that leads to
 * it, or at a paragraph from which on all is Python; len: there is none. Those that are read in
 * vain are bounded. */
static size_t find_program(const char *text, size_t len)
{
    enum { MOST_PARAGRAPHS = 16 };
    size_t at = program_lead(text, len);

    if (at > 0 && pylex_is_python(text + at, len - at))
        return at;
    at = 0;
    for (int i = 0; i < MOST_PARAGRAPHS; i++) {
        if (pylex_is_python(text + at, len - at))
            return at;
        const char *gap = memmem(text + at, len - at, "\n\n", 2);
        if (!gap)
            return len;
        at = (size_t)(gap - text) + 2;
    }
    return len;
}

static int take_bare(joiner *j, str *text)
{
    const char *data = str_text(text);
    const size_t begin = find_program(data, text->len);
    if (begin == text->len)
        return SNUG_OK;

    int error = join_piece(j, data + begin, text->len - begin);
    if (!error && j->count > 0) {
        text->len = begin;
        if (text->data)
            text->data[begin] = '\0';
    }

    return error;
}

/* A model that was begun with a fence writes the closing one alone: what is before is code. */
static int take_before_fence(joiner *j, blocks *b)
{
    if (b->count != 1 || b->items[0].kind != BLOCK_UNMARKED || b->items[0].is_closed ||
        pylex_is_python(str_text(&b->items[0].text), b->items[0].text.len))
        return SNUG_OK;

    int error = take_bare(j, &b->prose);
    if (!error && j->count > 0) {
        b->items[0].is_closed = 1;
        error = str_add_str(&b->prose, &b->items[0].text);
    }

    return error;
}

/* ---- all ---- */

static int choose(joiner *j, blocks *b)
{
    extracted *out = j->out;
    int error = SNUG_OK, is_taken;

    if (count_of(b, BLOCK_PYTHON))
        error = take_kind(j, b, BLOCK_PYTHON);
    else if (count_of(b, BLOCK_TAG))
        error = take_kind(j, b, BLOCK_TAG);

    out->is_fenced |= j->count > 0;
    if (!error)
        error = take_all_json(j, b);
    if (!error && j->count == 0)
        error = take_before_fence(j, b);
    if (!error && j->count == 0 && count_of(b, BLOCK_UNMARKED)) {
        error = take_unmarked(j, b);
        out->is_fenced |= j->count > 0;
    }

    if (!error && j->count == 0 && b->count == 0 && !strchr("{[<", first_character(&b->prose)))
        error = take_bare(j, &b->prose);
    if (!error)
        error = take_json(j, &b->prose, &is_taken);
    if (!error && j->count == 0 && b->count == 0)
        error = take_bare(j, &b->prose);
    return error;
}

/* Of what stands in a tag or in JSON, where line ends may be of any kind again. */
static int take_text(joiner *j, const char *text, size_t len)
{
    blocks b = { 0 };
    str plain = { 0 };
    size_t before = j->count;
    int error = blocks_normalize(&plain, text, len);

    j->depth++;
    if (!error && j->depth <= MOST_DEPTH)
        error = blocks_read(&b, str_text(&plain), plain.len);
    if (!error && count_of(&b, BLOCK_PYTHON))
        error = take_kind(j, &b, BLOCK_PYTHON);
    else if (!error && count_of(&b, BLOCK_UNMARKED))
        error = take_unmarked(j, &b);

    if (!error && j->count == before)
        error = join_piece(j, str_text(&plain), plain.len);
    j->depth--;
    blocks_free(&b);
    str_free(&plain);
    return error;
}

static int read_reply(joiner *j, const char *text, size_t len)
{
    extracted *out = j->out;
    blocks b = { 0 };
    int error = blocks_read(&b, text, len);

    if (!error)
        error = choose(j, &b);
    if (!error)
        error = shellcode_of_blocks(&out->other, &b);

    /* An empty block at the end is a closing fence too many. */
    for (size_t i = 0; i < b.count; i++)
        out->is_complete &= b.items[i].is_closed || (i && b.items[i].kind == BLOCK_UNMARKED &&
                                                     has_only_blanks(&b.items[i].text));

    out->block_count = (int)j->count;
    if (!error && j->count > 0)
        error = str_add(&out->language, "python");
    else if (!error && b.count > 0)
        error = str_add(&out->language, b.items[0].mark);

    out->prose = b.prose;
    b.prose = (str){ 0 };
    blocks_trim(&out->prose);
    blocks_free(&b);
    return error;
}

/* Runs read on the text, normalized and without thinking if it is a reply. */
static int extract(extracted *out, const char *text, size_t len, int is_reply,
                   int (*read)(joiner *, const char *, size_t))
{
    str plain = { 0 }, said = { 0 };

    *out = (extracted){ .is_complete = 1 };
    joiner *j = calloc(1, sizeof *j);
    int error = j ? SNUG_OK : SNUG_ENOMEM;
    if (j)
        j->out = out;
    if (!error)
        error = blocks_normalize(&plain, text, len);
    if (!error && is_reply)
        error = blocks_without_thinking(&said, &out->is_complete, str_text(&plain), plain.len);
    if (!error)
        error =
            is_reply ? read(j, str_text(&said), said.len) : read(j, str_text(&plain), plain.len);

    if (error)
        extracted_free(out);
    str_free(&plain);
    str_free(&said);
    free(j);
    return error;
}

int extract_code(extracted *out, const char *text, size_t len)
{
    return extract(out, text, len, 1, read_reply);
}

/* JSON, whole or broken, or else a bare program. A string of JSON may be either. */
static int read_arguments(joiner *j, const char *text, size_t len)
{
    str strict = { 0 }, code = { 0 };
    const char *begin = text + strspn(text, " \t\n");
    size_t end;
    int error = SNUG_EINVAL;

    if (*begin && strchr("{[\"", *begin))
        error =
            laxjson_read(&strict, &end, &j->out->is_complete, begin, len - (size_t)(begin - text));
    const int is_json = !error;
    const jsontext_span value = { strict.data, strict.len };

    if (is_json)
        error = find_code(&code, value, 0);
    if (is_json && !error && code.len == 0 && *begin == '"')
        error = jsontext_string(&code, value);
    if (is_json && !error && code.len > 0)
        error = take_text(j, code.data, code.len);
    else if (error == SNUG_EINVAL)
        error = take_text(j, text, len);

    j->out->block_count = (int)j->count;
    if (!error && j->count > 0)
        error = str_add(&j->out->language, "python");
    str_free(&strict);
    str_free(&code);
    return error;
}

int extract_arguments(extracted *out, const char *arguments, size_t len)
{
    return extract(out, arguments, len, 0, read_arguments);
}
