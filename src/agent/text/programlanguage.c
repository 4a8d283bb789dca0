#include "agent/text/programlanguage.h"

#include <ctype.h>
#include <string.h>

static int is_ascii(char c)
{
    return !((unsigned char)c & 0x80);
}

/* The text within quotes is that of somebody else; an apostrophe is not a quote. */
size_t language_quoted_len(const char *at)
{
    static const struct {
        const char *begin, *end;
    } quotes[] = { { "\"", "\"" },
                   { "`", "`" },
                   { "\xe2\x80\x9c", "\xe2\x80\x9d" },
                   { "\xe2\x80\x9e", "\xe2\x80\x9c" },
                   { "\xc2\xab", "\xc2\xbb" } };
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        size_t len = strlen(quotes[i].begin);
        if (strncmp(at, quotes[i].begin, len) != 0)
            continue;
        const char *end = strstr(at + len, quotes[i].end);
        if (end)
            return (size_t)(end - at) + strlen(quotes[i].end);
        return 0;
    }

    return 0;
}

/* ---- languages ---- */

/* What a language is asked for by. Where its name has other meanings, some of these do not count.
 */
enum {
    BY_KIND = 1, /* a Rust program */
    BOUND = 2,   /* a program in Rust; solve it in Rust */
    USED = 4,    /* use Rust; add them using Rust */
    IN = 8,      /* add them in Rust */
    WITH = 16,   /* add them with Rust */
    FIRST = 32,  /* In R, what is the mean? */
    CODE = 64,   /* its commands are programs too, */
    MADE = 128,  /* and its classes and apps */
    SHELL = BY_KIND | BOUND | CODE,
    BASH = SHELL | USED | IN | WITH | FIRST,
    NAME = BY_KIND | BOUND | USED | CODE | MADE,
    ALL = NAME | IN | WITH
};

/* With an upper-case letter only that: r is a radius, and go a verb. C is a column and a degree, R
 * a column, Java an island, Julia a woman, and rust is on iron. Python has classes of nodes, and
 * queries a database in SQL. */
static const struct {
    const char *word, *language;
    int by;
} languages[] = {
    { "bash", "bash", BASH },
    { "zsh", "bash", BASH },
    { "bash/shell", "bash", SHELL },
    { "shell", "bash", SHELL },
    { "sh", "bash", SHELL },
    { "R", "R", ALL | FIRST },
    { "r", "R", BY_KIND },
    { "julia", "Julia", NAME | IN },
    { "js", "JavaScript", ALL },
    { "javascript", "JavaScript", ALL },
    { "node", "JavaScript", BY_KIND | BOUND },
    { "nodejs", "JavaScript", ALL },
    { "node.js", "JavaScript", ALL },
    { "typescript", "TypeScript", ALL },
    { "wasm", "WebAssembly", ALL },
    { "webassembly", "WebAssembly", ALL },
    { "ruby", "Ruby", NAME | IN },
    { "perl", "Perl", ALL },
    { "php", "PHP", ALL },
    { "lua", "Lua", ALL },
    { "Go", "Go", ALL },
    { "go", "Go", BY_KIND | BOUND | CODE },
    { "golang", "Go", ALL },
    { "Rust", "Rust", ALL },
    { "rust", "Rust", NAME },
    { "C", "C", BY_KIND | BOUND | CODE | MADE },
    { "c", "C", BY_KIND | CODE },
    { "c++", "C++", ALL },
    { "cpp", "C++", ALL },
    { "c/c++", "C or C++", ALL },
    { "c#", "C#", ALL },
    { "f#", "F#", ALL },
    { "java", "Java", NAME },
    { "kotlin", "Kotlin", ALL },
    { "scala", "Scala", NAME | IN },
    { "Swift", "Swift", BY_KIND | BOUND | IN },
    { "haskell", "Haskell", ALL },
    { "clojure", "Clojure", ALL },
    { "fortran", "Fortran", ALL },
    { "matlab", "MATLAB", ALL },
    { "powershell", "PowerShell", ALL },
    { "vba", "VBA", ALL },
    { "SQL", "SQL", BY_KIND },
    { "sql", "SQL", BY_KIND },
};
enum { LANGUAGES = sizeof languages / sizeof *languages };

/* LANGUAGES where it is none. */
static size_t find_language(const char *word)
{
    size_t i = 0;
    while (i < LANGUAGES && strcmp(languages[i].word, word) != 0)
        i++;
    return i;
}

/* What a program is called, and what a language must have for it. */
static const struct {
    const char *word;
    int needs;
} kinds[] = {
    { "script", 0 },     { "scripts", 0 },    { "program", 0 },   { "programs", 0 },
    { "one-liner", 0 },  { "oneliner", 0 },   { "function", 0 },  { "procedure", 0 },
    { "skript", 0 },     { "programm", 0 },   { "einzeiler", 0 }, { "programa", 0 },
    { "command", CODE }, { "code", CODE },    { "befehl", CODE }, { "comando", CODE },
    { "module", MADE },  { "class", MADE },   { "app", MADE },    { "application", MADE },
    { "snippet", MADE }, { "routine", MADE }, { "macro", MADE },  { "world", MADE },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t find_kind(const char *word)
{
    size_t i = 0;
    while (i < KINDS && strcmp(kinds[i].word, word) != 0)
        i++;
    return i;
}

/* ---- words ---- */

enum { MOST_WORDS = 96, MOST_WORD_BYTES = 24 };

typedef struct sentence {
    char words[MOST_WORDS][MOST_WORD_BYTES]; /* lower-case, but for names of languages */
    size_t count;
    int has_language;
} sentence;

/* These stand for marks, and for all that cannot be a word of a phrase. */
static const char a_mark[] = ",", something[] = "=";

static int is_among(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

/* Of the language in "shellscript" or "Rust-Programm", which are two words; 0: of none. */
static size_t joined_len(const char *word)
{
    static const char *const ends[] = { "script", "skript", "program", "programm", "einzeiler" };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *end = strstr(word, ends[i]);
        if (!end || end == word || end[strlen(ends[i])])
            continue;

        char first[MOST_WORD_BYTES] = "";
        const size_t len = (size_t)(end - word) - (end[-1] == '-');
        memcpy(first, word, len);
        if (find_language(first) < LANGUAGES)
            return len;
    }

    return 0;
}

static void add_word(sentence *s, const char *text, size_t len)
{
    char *word = s->words[s->count++];
    const size_t kept = len < MOST_WORD_BYTES ? len : MOST_WORD_BYTES - 1;

    memcpy(word, text, kept);
    word[kept] = '\0';
    if (find_language(word) == LANGUAGES)
        for (char *at = word; *at; at++)
            *at = (char)tolower((unsigned char)*at);

    const size_t joined = find_language(word) == LANGUAGES ? joined_len(word) : 0;
    if (joined > 0) {
        strcpy(s->words[s->count++], word + joined + (word[joined] == '-'));
        word[joined] = '\0';
    }
    s->has_language |= find_language(word) < LANGUAGES;
}

/* Letters and digits, with what joins them: "node.js", "c++", "src/go", "one-liner". */
static size_t word_len(const char *at)
{
    size_t len = 0;

    for (;; len++) {
        const char c = at[len];
        if (isalnum((unsigned char)c) || !is_ascii(c))
            continue;
        if (len == 0 || !c)
            return len;

        const int joins = strchr("-_./", c) && isalnum((unsigned char)at[len + 1]);
        if (!joins && !strchr("+#", c))
            return len;
    }
}

/* Single quotes too; an apostrophe is not one. */
static size_t skipped_len(const char *at, char before)
{
    if (*at != '\'' || !isspace((unsigned char)before) || !isalnum((unsigned char)at[1]))
        return language_quoted_len(at);
    const char *end = strpbrk(at + 1, "'\n");
    return end && *end == '\'' ? (size_t)(end - at) + 1 : 0;
}

/* Up to the mark that ends it; where the next one begins. The rest of a long one is one of its own.
 */
static const char *read_sentence(sentence *s, const char *at)
{
    char before = ' ';

    s->count = 0;
    s->has_language = 0;
    while (*at && s->count + 2 < MOST_WORDS) { /* a word may be two */
        size_t skipped = skipped_len(at, before), len = skipped > 0 ? 0 : word_len(at);

        if (skipped > 0)
            add_word(s, something, 1);
        else if (len > 0)
            add_word(s, at, len);
        else if (strchr(".?!\n", *at))
            return at + 1;
        else if (strchr(",;:()-", *at))
            add_word(s, a_mark, 1);
        else if (!isspace((unsigned char)*at) && *at != '\'')
            add_word(s, something, 1);

        at += skipped + len > 0 ? skipped + len : 1;
        before = at[-1];
    }

    return at;
}

/* ---- classes of words ---- */

/* By the letter that a phrase has for them. */
static const struct {
    char letter;
    const char *words[40];
} classes[] = {
    /* asks for a program, or for anything else */
    { 'W',
      { "write",    "create",  "make",    "give", "generate", "build",   "develop", "implement",
        "code",     "program", "show",    "need", "want",     "like",    "schreib", "schreibe",
        "erstelle", "brauche", "escribe", "crea", "haz",      "necesito" } },
    /* is done by a program, or is one */
    { 'D', { "write", "do", "solve", "answer", "haz", "schreib", "schreibe", "escribe" } },
    { 'P', { "implement", "program", "code", "develop", "rewrite" } },
    { 'e', { "write", "schreib", "schreibe", "escribe" } },
    { 'T', { "translate", "convert", "port", "rewrite", "migrate", "transpile" } },
    { 'u', { "use", "verwende", "usa" } },
    /* before what is asked for */
    { 'F',
      { "me",    "us",       "a",        "an",    "one",   "some",    "small",  "short", "simple",
        "quick", "single",   "plain",    "new",   "posix", "working", "little", "tiny",  "full",
        "it",    "portable", "complete", "hello", "mir",   "uns",     "ein",    "eine",  "einen",
        "einem", "kurzes",   "kleines",  "un",    "una",   "une",     "this",   "that" } },
    { 'H', { "the" } },
    { 'I', { "it", "this", "that", "these", "them", "everything", "es", "das" } },
    { 'A', { "a", "an", "one", "ein", "einem", "un", "una", "une" } },
    { 'O', { "plot", "chart", "histogram", "graph", "figure", "boxplot" } },
    /* what a language stands behind */
    { 'l', { "in", "using", "with", "mit", "con", "en", "de" } },
    { 'k', { "for" } },
    { 'i', { "in", "en" } },
    { 'v', { "using", "via" } },
    { 'w', { "with", "mit", "con", "avec" } },
    { 'm', { "with", "using", "by", "via", "as", "mit", "con" } },
    { 't', { "to", "into" } },
    /* what a language, or a program, stands before */
    { 'f', { "to", "for", "that", "which" } },
    { '$',
      { ",", "and", "then", "please", "so", "to", "but", "instead", "only", "und", "bitte", "y" } },
    /* the program is only spoken of */
    { 'x',
      { "s", "usage", "name", "names", "count", "counts", "file", "files", "list", "table",
        "summary", "report", "analysis", "statistics", "diagram", "inside" } },
    /* what a thing has been made with, or is in */
    { 'h', { "is",       "are",         "was",  "were",   "be",         "written",  "made",
             "created",  "generated",   "used", "called", "programmed", "compiled", "built",
             "produced", "implemented", "run",  "saved",  "stored",     "found",    "coded" } },
};

static int is_of(char letter, const char *word)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].letter == letter)
            return is_among(word, classes[i].words);
    return 0;
}

/* ---- what a sentence tells to do ---- */

/* Such work is done by a program. */
static const char *const works[] = { "add",       "average",  "benchmark", "calculate", "compute",
                                     "determine", "divide",   "draw",      "estimate",  "evaluate",
                                     "fit",       "multiply", "plot",      "print",     "reverse",
                                     "run",       "simulate", "solve",     "sort",      "subtract",
                                     "sum",       "test",     "train",     "write",     "addiere",
                                     "berechne",  "rechne",   "sortiere",  "summiere",  "calcula",
                                     "suma",      "calcule",  NULL };
/* Of these the words behind may as well say more: "count the lines with Java". */
static const char *const counts[] = { "count", "list",         "rename", "read",
                                      "move",  "z\xc3\xa4hle", "cuenta", NULL };
static const char *const looks[] = { "find", "show",  "filter", "select",  "search", "drop",
                                     "keep", "get",   "remove", "compare", "delete", "check",
                                     "tell", "group", "split",  "explain", NULL };

static int is_verb(const char *word)
{
    return is_among(word, works) || is_among(word, counts) || is_among(word, looks) ||
           is_of('W', word) || is_of('P', word) || is_of('T', word) || is_of('u', word);
}

/* "Write", "please write", "can you write", "I need", "I want to write"; not "they write". */
static int is_told(const sentence *s, size_t at)
{
    static const char *const leads[] = { ",",    "and", "then", "please", "you",    "just",
                                         "also", "now", "us",   "lets",   "bitte",  "und",
                                         "must", "y",   "next", "first",  "should", NULL };
    static const char *const wishes[] = { "need", "want", "like", "brauche", "necesito", NULL };
    static const char *const wishing[] = { "i", "we", "d", "would", "ich", "wir", NULL };
    const char *before = at > 0 ? s->words[at - 1] : a_mark;

    if (is_among(before, leads))
        return 1;
    if (strcmp(before, "to") == 0 && at > 1)
        return strcmp(s->words[at - 2], "you") == 0 || is_among(s->words[at - 2], wishes);
    return is_among(s->words[at], wishes) && is_among(before, wishing);
}

/* The last such verb before a place; "" where there is none, or more than what is to be done stands
 * between them: "print how many know Rust", "write a report on programs in Rust". */
static const char *told_before(const sentence *s, size_t at)
{
    static const char *const ends[] = { "how",   "which", "who", "what",   "whose", "whether",
                                        "where", "about", "on",  "report", NULL };

    while (at-- > 0 && !is_among(s->words[at], ends))
        if (is_verb(s->words[at]) && is_told(s, at))
            return s->words[at];
    return "";
}

/* ---- phrases ---- */

typedef enum stands {
    NOWHERE,
    ANYWHERE,
    TOLD,
    WORKED,
    COUNTED,
    ORDERED,
    CODED,
    TURNED,
    UNASKED
} stands;

/* Letters of classes, one word each; F may be none or many, and * is any one. L is the language, M
 * the kind of program, ^ the begin of the sentence, < no word of the class before it, ! none behind
 * it. bash, which is there, is seen in more sentences than the others, for which nothing can be
 * done.
 */
static const struct {
    const char *pattern;
    int by;
    stands bash, others;
} phrases[] = {
    { "WFLM!x", BY_KIND, ANYWHERE, TOLD },      /* write a small Rust program */
    { "WFHLM!x", BY_KIND, ANYWHERE, NOWHERE },  /* give me the bash command */
    { "WFMlL", BOUND, ANYWHERE, TOLD },         /* write a program in Rust */
    { "WFMkL", BOUND, ANYWHERE, NOWHERE },      /* a script for bash */
    { "WFIlL", BOUND, ANYWHERE, TOLD },         /* I want it in Rust */
    { "WFOlL$", IN, ANYWHERE, TOLD },           /* make a plot in R */
    { "DFIlL", BOUND, ANYWHERE, TOLD },         /* solve it with Rust */
    { "DlL", IN, ANYWHERE, TOLD },              /* solve in Rust */
    { "e*iL$", USED, TOLD, TOLD },              /* write quicksort in Java */
    { "PlL", BOUND, ANYWHERE, TOLD },           /* code in Rust */
    { "<hiL$", BOUND, CODED, CODED },           /* implement a tree in C */
    { "<hiL$", IN, COUNTED, WORKED },           /* add them in Rust */
    { "<hwL$", WITH, COUNTED, WORKED },         /* add them with Rust */
    { "<hvL$", USED, ORDERED, WORKED },         /* add them using Rust */
    { "<htL$", USED, TURNED, TURNED },          /* translate it to Rust */
    { "<hmAFLM!x", BY_KIND, ANYWHERE, WORKED }, /* by a Rust program */
    { "<hmAFMlL", BOUND, ANYWHERE, WORKED },    /* as a program in Rust */
    { "<hiAFLM!x", BY_KIND, COUNTED, WORKED },  /* in a Rust program */
    { ",iL$", IN, ANYWHERE, UNASKED },          /* the sum of them, in Rust */
    { ",vL$", USED, ANYWHERE, ANYWHERE },       /* the sum of them, using Rust */
    { ",wL$", WITH, ANYWHERE, UNASKED },        /* the sum of them, with Rust */
    { "^iL,", IN, ANYWHERE, UNASKED },          /* In Rust, add them */
    { "^iL,", FIRST, ANYWHERE, ANYWHERE },      /* In R, what is the mean? */
    { "^vL,", USED, ANYWHERE, ANYWHERE },       /* Using Rust, add them */
    { "^wL,", WITH, ANYWHERE, UNASKED },        /* With Rust, add them */
    { "uL$", USED, TOLD, TOLD },                /* use Rust */
    { "uLf", USED, TOLD, NOWHERE },             /* use bash for it */
    { "^AFLMf", BY_KIND, ANYWHERE, UNASKED },   /* a Rust program that adds them */
    { "^AFLM$", BY_KIND, ANYWHERE, UNASKED },   /* a Rust one-liner */
};

typedef struct named {
    size_t language, kind;
} named;

/* "the values in R" */
static int is_column(const sentence *s, size_t at)
{
    static const char *const things[] = { "values", "value",   "column",   "columns", "numbers",
                                          "cells",  "entries", "rows",     "points",  "number",
                                          "items",  "x",       "elements", "line",    NULL };
    return !s->words[at][1] && at > 1 && is_among(s->words[at - 2], things);
}

static int match_letter(named *n, const sentence *s, size_t at, char letter)
{
    const char *word = s->words[at];

    if (letter == ',')
        return strcmp(word, a_mark) == 0;
    if (letter == '*')
        return 1;
    if (letter == 'L') {
        n->language = find_language(word);
        return n->language < LANGUAGES && !is_column(s, at);
    }
    if (letter == 'M') {
        n->kind = find_kind(word);
        return n->kind < KINDS;
    }
    return is_of(letter, word);
}

/* Whether a place is between such words. */
static int is_place(const sentence *s, size_t at, const char *pattern)
{
    if (*pattern == '^')
        return at == 0;
    if (*pattern == '<')
        return at == 0 || !is_of(pattern[1], s->words[at - 1]);
    return at >= s->count || !is_of(pattern[1], s->words[at]);
}

static int match_words(named *n, const sentence *s, size_t at, const char *pattern)
{
    for (; *pattern; pattern++) {
        if (strchr("^<!", *pattern)) {
            if (!is_place(s, at, pattern))
                return 0;
            pattern += *pattern != '^';
        } else if (*pattern == 'F') {
            for (; !match_words(n, s, at, pattern + 1); at++)
                if (at >= s->count || !is_of('F', s->words[at]))
                    return 0;
            return 1;
        } else if (at >= s->count) {
            return *pattern == '$';
        } else if (!match_letter(n, s, at++, *pattern)) {
            return 0;
        }
    }

    return 1;
}

static int stands_so(stands where, const sentence *s, size_t at, const char *question)
{
    const char *verb = told_before(s, at);

    switch (where) {
    case NOWHERE:
        return 0;
    case ANYWHERE:
        return 1;
    case TOLD: /* it begins with the verb */
        return is_told(s, at);
    case WORKED:
        return is_among(verb, works) || is_of('P', verb);
    case COUNTED:
        return is_among(verb, works) || is_of('P', verb) || is_among(verb, counts);
    case ORDERED:
        return *verb != '\0';
    case CODED:
        return is_of('P', verb);
    case TURNED:
        return is_of('T', verb);
    case UNASKED:
        return !strchr(question, '?'); /* the answer to a question may be words */
    }

    return 0;
}

/* NULL: none. */
static const char *language_of_phrase(const sentence *s, size_t at, const char *question)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        named n = { .kind = KINDS };
        if (!match_words(&n, s, at, phrases[i].pattern))
            continue;

        const int has = languages[n.language].by, needs = n.kind < KINDS ? kinds[n.kind].needs : 0;
        if (!(has & phrases[i].by) || (has & needs) != needs)
            continue;

        const char *language = languages[n.language].language;
        const int is_bash = strcmp(language, "bash") == 0;
        if (stands_so(is_bash ? phrases[i].bash : phrases[i].others, s, at, question))
            return language;
    }

    return NULL;
}

const char *language_of_program(const char *question)
{
    const char *language = NULL;
    sentence s;

    for (const char *at = question; *at;) {
        at = read_sentence(&s, at);
        for (size_t i = 0; i < s.count; i++)
            if (strncmp(s.words[i], "python", 6) == 0)
                return NULL;
        for (size_t i = 0; s.has_language && !language && i < s.count; i++)
            language = language_of_phrase(&s, i, question);
    }

    return language;
}

int language_wants_bash(const char *question)
{
    const char *found = language_of_program(question);
    return found && strcmp(found, "bash") == 0;
}
