#include "agent/template/template.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/template/prompts.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/utf8.h"

/* ---- names ---- */

#define ROW(name, about)   { #name, about },
#define PLACE(name, about) offsetof(template_values, name),
static const template_description variables[] = { TEMPLATE_VARIABLES(ROW) };
static const size_t places[] = { TEMPLATE_VARIABLES(PLACE) };
#undef ROW
#undef PLACE

enum { VARIABLE_COUNT = sizeof variables / sizeof *variables, MOST_TEMPLATES = 64 };

const template_description *template_variable(size_t index)
{
    return index < VARIABLE_COUNT ? &variables[index] : NULL;
}

static size_t template_count(void)
{
    size_t count = 0;
    while (prompts_built_in[count].info.name)
        count++;
    return count;
}

const template_description *template_info(size_t index)
{
    return index < template_count() ? &prompts_built_in[index].info : NULL;
}

/* Its place in variables; -1 where there is none. */
static int find_variable(const char *name, size_t len)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if (strlen(variables[i].name) == len && memcmp(variables[i].name, name, len) == 0)
            return (int)i;
    return -1;
}

static int find_template(const char *name)
{
    for (size_t i = 0; prompts_built_in[i].info.name; i++)
        if (strcmp(prompts_built_in[i].info.name, name) == 0)
            return (int)i;
    return -1;
}

/* For the end of a message: "; did you mean \"query\"?", or "". Answers out. */
static const char *suggest_name(char *out, size_t size, const char *name, int is_variable)
{
    const char *names[MOST_TEMPLATES];
    size_t count = 0;

    if (is_variable)
        for (; count < VARIABLE_COUNT; count++)
            names[count] = variables[count].name;
    else
        for (; count < MOST_TEMPLATES && prompts_built_in[count].info.name; count++)
            names[count] = prompts_built_in[count].info.name;

    const char *nearest = nearest_name(name, names, count);
    out[0] = '\0';
    if (nearest)
        snprintf(out, size, "; did you mean \"%s\"?", nearest);
    return out;
}

/* ---- tags ---- */

typedef enum tag_kind {
    TAG_VALUE,
    TAG_OPEN,
    TAG_OPEN_NOT,
    TAG_CLOSE,
    TAG_REMARK,
    TAG_LITERAL
} tag_kind;

typedef struct tag {
    tag_kind kind;
    const char *name; /* of the variable */
    size_t name_len;
    const char *begin, *end; /* with its line, if it is alone on it */
} tag;

/* Where the line ends that has only blanks behind `at`; NULL: it has more. */
static const char *end_of_line(const char *at)
{
    while (is_blank(*at) || *at == '\r')
        at++;
    if (*at == '\n')
        return at + 1;
    return *at == '\0' ? at : NULL;
}

/* A section's tag or a remark alone on its line takes the line with it. */
static void take_line(tag *t, const char *text)
{
    const char *begin = t->begin, *end = end_of_line(t->end);
    while (begin > text && is_blank(begin[-1]))
        begin--;
    if (end && (begin == text || begin[-1] == '\n')) {
        t->begin = begin;
        t->end = end;
    }
}

/* The next tag at or behind `at`; 1: there is one, 0: none, -1: it has no end. */
static int next_tag(tag *out, const char *text, const char *at)
{
    static const char signs[] = "#^/!";
    static const tag_kind kinds[] = { TAG_OPEN, TAG_OPEN_NOT, TAG_CLOSE, TAG_REMARK };
    const char *begin = strstr(at, "{{");
    if (!begin)
        return 0;

    *out = (tag){ .kind = TAG_VALUE, .begin = begin, .end = begin + 4 };
    if (strncmp(begin, "{{{{", 4) == 0) {
        out->kind = TAG_LITERAL;
        return 1;
    }

    const char *name = begin + 2, *close = strstr(name, "}}");
    const char *sign = *name ? strchr(signs, *name) : NULL;
    if (!close)
        return -1;

    if (sign) {
        out->kind = kinds[sign - signs];
        name++;
    }

    out->end = close + 2;
    while (is_blank(*name))
        name++;
    while (close > name && is_blank(close[-1]))
        close--;
    out->name = name;
    out->name_len = (size_t)(close - name);
    if (out->kind != TAG_VALUE)
        take_line(out, text);
    return 1;
}

/* ---- checking ---- */

enum { MOST_SECTIONS = 16 };

static unsigned line_number(const char *text, const char *at)
{
    unsigned line = 1;
    for (; (text = memchr(text, '\n', (size_t)(at - text))); text++)
        line++;
    return line;
}

/* A name as it stands in a message. */
static void copy_name(char *out, size_t size, const tag *t)
{
    size_t len = t->name_len < size ? t->name_len : size - 1;
    memcpy(out, t->name, len);
    out[utf8_whole(out, len)] = '\0';
}

static int check_tag(const char *name, const char *text, const tag *t, tag *open, size_t *depth)
{
    char word[64], nearest[96];
    unsigned line = line_number(text, t->begin);

    if (t->kind == TAG_REMARK || t->kind == TAG_LITERAL)
        return SNUG_OK;
    copy_name(word, sizeof word, t);
    if (find_variable(t->name, t->name_len) < 0)
        return error_set(SNUG_EINVAL, "template %s, line %u: there is no variable \"%s\"%s", name,
                         line, word, suggest_name(nearest, sizeof nearest, word, 1));

    if (t->kind == TAG_VALUE)
        return SNUG_OK;
    if (t->kind != TAG_CLOSE) {
        if (*depth == MOST_SECTIONS)
            return error_set(SNUG_EINVAL,
                             "template %s, line %u: more than %d sections in one another", name,
                             line, MOST_SECTIONS);
        open[(*depth)++] = *t;
        return SNUG_OK;
    }

    if (*depth == 0)
        return error_set(SNUG_EINVAL, "template %s, line %u: no section \"%s\" is open", name, line,
                         word);

    const tag *last = &open[*depth - 1];
    if (last->name_len != t->name_len || memcmp(last->name, t->name, t->name_len) != 0) {
        char other[64];
        copy_name(other, sizeof other, last);
        return error_set(SNUG_EINVAL,
                         "template %s, line %u: \"%s\" is closed where \"%s\" of line %u is open",
                         name, line, word, other, line_number(text, last->begin));
    }

    --*depth;
    return SNUG_OK;
}

int template_check(const char *name, const char *text)
{
    tag open[MOST_SECTIONS], t;
    char word[64];
    size_t depth = 0, len = strlen(text), bad;
    const char *at = text;
    int found, error;

    if (len > TEMPLATE_BYTES)
        return error_set(SNUG_EINVAL, "template %s has more than %d bytes", name, TEMPLATE_BYTES);
    if (utf8_check(text, len, &bad) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "template %s, line %u: invalid UTF-8", name,
                         line_number(text, text + bad));

    while ((found = next_tag(&t, text, at)) > 0) {
        if ((error = check_tag(name, text, &t, open, &depth)))
            return error;
        at = t.end;
    }

    if (found < 0)
        return error_set(SNUG_EINVAL, "template %s, line %u: {{ without }}", name,
                         line_number(text, t.begin));

    if (depth == 0)
        return SNUG_OK;
    copy_name(word, sizeof word, &open[depth - 1]);
    return error_set(SNUG_EINVAL, "template %s, line %u: the section \"%s\" is not closed", name,
                     line_number(text, open[depth - 1].begin), word);
}

/* ---- rendering ---- */

static const char *value_of_tag(const template_values *values, const tag *t)
{
    int index = find_variable(t->name, t->name_len);
    const char *value =
        index < 0 ? NULL
                  : *(const char *const *)(const void *)((const char *)values + places[index]);
    return value ? value : "";
}

/* text was checked. */
static int render_text(str *out, const char *text, const template_values *values)
{
    /* hidden: sections within one another from the outermost that is not shown. */
    size_t hidden = 0, begin = out->len;
    const char *at = text;
    tag t;
    int error = SNUG_OK;

    while (!error && next_tag(&t, text, at) > 0) {
        if (!hidden && t.begin > at)
            error = str_append(out, at, (size_t)(t.begin - at));
        at = t.end;
        if (t.kind == TAG_OPEN || t.kind == TAG_OPEN_NOT)
            hidden += hidden || (*value_of_tag(values, &t) != '\0') != (t.kind == TAG_OPEN);
        else if (t.kind == TAG_CLOSE && hidden)
            hidden--;
        else if (!error && !hidden && t.kind == TAG_VALUE)
            error = str_add(out, value_of_tag(values, &t));
        else if (!error && !hidden && t.kind == TAG_LITERAL)
            error = str_add(out, "{{");
    }

    if (!error)
        error = str_add(out, at);
    while (!error && out->len > begin && out->data[out->len - 1] == '\n')
        out->data[--out->len] = '\0';
    return error;
}

/* ---- the set ---- */

struct template_set {
    char *texts[MOST_TEMPLATES]; /* in the place of the built-in one; NULL: that */
};

void template_set_close(template_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < MOST_TEMPLATES; i++)
        free(set->texts[i]);
    free(set);
}

const char *template_text(const template_set *set, const char *name)
{
    int index = find_template(name);
    if (index < 0)
        return NULL;
    return set->texts[index] ? set->texts[index] : prompts_built_in[index].text;
}

static int no_template(const char *where, const char *name)
{
    char nearest[96];
    return error_set(SNUG_EINVAL, "%sthere is no template \"%.64s\"%s", where, name,
                     suggest_name(nearest, sizeof nearest, name, 0));
}

static int add_prompts(template_set *set, const snug_agent_prompt *prompts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!prompts[i].name || !prompts[i].text)
            return error_set(SNUG_EINVAL, "prompt %zu has no name or no text", i + 1);
        int index = find_template(prompts[i].name), error;
        if (index < 0)
            return no_template("", prompts[i].name);
        if (set->texts[index])
            return error_set(SNUG_EINVAL, "template %s is given twice", prompts[i].name);
        if ((error = template_check(prompts[i].name, prompts[i].text)))
            return error;
        if (!(set->texts[index] = strdup(prompts[i].text)))
            return error_no_memory();
    }
    return SNUG_OK;
}

/* The file of a folder takes the place of the built-in template, unless a text was given. */
static int add_file(template_set *set, const char *dir, const char *file)
{
    str path = { 0 }, name = { 0 }, text = { 0 };
    size_t len = strlen(file);
    int error = SNUG_OK;

    if (len < 4 || strcmp(file + len - 4, ".txt") != 0 || file[0] == '.')
        return SNUG_OK;
    if (str_printf(&path, "%s/%s", dir, file) || str_append(&name, file, len - 4)) {
        error = error_no_memory();
        goto done;
    }

    int index = find_template(name.data);
    if (index < 0) {
        if (!(error = str_add(&path, ": ")))
            error = no_template(path.data, name.data);
    } else if (!(error = file_read(&text, path.data, TEMPLATE_BYTES))) {
        if (strlen(str_text(&text)) != text.len)
            error = error_set(SNUG_EINVAL, "template %s has a NUL", path.data);
        else
            error = template_check(path.data, str_text(&text));
    }

    if (!error && !set->texts[index] && !(set->texts[index] = str_take(&text)))
        error = error_no_memory();

done:
    str_free(&path);
    str_free(&name);
    str_free(&text);
    return error;
}

static int add_dir(template_set *set, const char *dir)
{
    DIR *entries = opendir(dir);
    struct dirent *entry;
    int error = SNUG_OK;

    if (!entries)
        return error_system("prompts %s", dir);
    for (errno = 0; !error && (entry = readdir(entries)); errno = 0)
        error = add_file(set, dir, entry->d_name);
    if (!error && errno)
        error = error_system("prompts %s", dir);
    closedir(entries);
    return error;
}

int template_set_open(template_set **out, const char *prompts_dir, const snug_agent_prompt *prompts,
                      size_t prompt_count)
{
    template_set *set = calloc(1, sizeof *set);
    int error;

    if (!set)
        return error_no_memory();
    error = add_prompts(set, prompts, prompt_count);
    if (!error && prompts_dir)
        error = add_dir(set, prompts_dir);
    if (error) {
        template_set_close(set);
        return error;
    }

    *out = set;
    return SNUG_OK;
}

int template_render(str *out, const template_set *set, const char *name,
                    const template_values *values)
{
    const char *text = template_text(set, name);
    if (!text)
        return no_template("", name);
    return render_text(out, text, values) ? error_no_memory() : SNUG_OK;
}
