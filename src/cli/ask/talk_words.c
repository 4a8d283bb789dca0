#include "cli/ask/talk_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/nearest.h"
#include "cli/ask/conversation_export.h"
#include "cli/ask/model_choice.h"
#include "cli/ask/named_files.h"
#include "cli/display/code_lines.h"
#include "cli/program/command.h"

static snug_agent *agent_of(const talk *t)
{
    return t->asker->seats.last->agent;
}

static int is_in_bash(const talk *t)
{
    return snug_session_kind(snug_agent_session(agent_of(t))) == SNUG_KIND_BASH;
}

/* ---- models ---- */

/* Where it is another provider's model, it has neither address nor key nor headers of the one that
 * the options have named. */
static snug_agent_options options_for(const asker *a, const char *model)
{
    snug_agent_options wanted = a->seats.wanted;
    const char *first = a->options->agent.model ? a->options->agent.model : getenv("SNUG_MODEL");
    const size_t len = strcspn(model, ":");
    const int is_same = !first || (strcspn(first, ":") == len && memcmp(first, model, len) == 0) ||
                        !strchr(first, ':');

    wanted.model = model;
    wanted.base_url = is_same ? a->options->agent.base_url : NULL;
    wanted.key_file = is_same ? a->options->agent.key_file : NULL;
    wanted.headers = is_same ? a->options->agent.headers : NULL;
    wanted.request_fields = is_same ? a->options->agent.request_fields : NULL;
    return wanted;
}

static int set_models(asker *a, const snug_agent_options *wanted)
{
    snug_agent *agents[] = { a->seats.python.agent, a->seats.bash.agent };

    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
        if (agents[i] && snug_agent_set_models(agents[i], wanted))
            return command_fail_host();
    return EXIT_FINE;
}

static talk_answer do_model(talk *t, const char *words)
{
    str name = { 0 };

    if (!*words) {
        term_printf(stdout, "%s\n", talk_model(t));
        return WORD_IS_DONE;
    }
    if (words[strcspn(words, " \t\n")])
        command_fail(EXIT_FINE, "/model takes the name of one model");
    else if (!model_choice_complete(&name, t->asker->options, words)) {
        const snug_agent_options wanted = options_for(t->asker, str_text(&name));
        if (!set_models(t->asker, &wanted)) {
            const str before = t->model;
            t->model = name;
            name = before;
            t->asker->seats.wanted = wanted;
            term_printf(stdout, "%s is asked from now on.\n", wanted.model);
        }
    }
    str_free(&name);
    return WORD_IS_DONE;
}

/* ---- the conversation ---- */

/* NULL after one sentence. */
static snug_agent_conversation *read_turns(const talk *t)
{
    snug_agent_conversation *c = NULL;
    if (snug_agent_conversation_of(&c, agent_of(t)))
        command_fail_host();
    return c;
}

static talk_answer do_code(talk *t, const char *words)
{
    snug_agent_conversation *c = read_turns(t);
    const char *code = "";
    const term *colors = &t->asker->steps.colors;
    const code_look look = { .theme = colors->out ? THEME_COLOURS : THEME_NONE,
                             .language = is_in_bash(t) ? CODE_BASH : CODE_PYTHON,
                             .on = term_on(colors, stdout, TERM_PLACE),
                             .off = term_on(colors, stdout, TERM_OFF) };

    (void)words;
    for (size_t i = c ? snug_agent_conversation_turn_count(c) : 0; i-- > 0 && !*code;)
        code = snug_agent_conversation_turn(c, i)->code;
    if (*code)
        code_lines_put(stdout, &look, code, strlen(code), 0, 1);
    else if (c)
        command_fail(EXIT_FINE, "no program has run yet");
    snug_agent_conversation_close(c);
    return WORD_IS_DONE;
}

/* ---- changing it ---- */

/* What was typed last need not be it: not each question comes to an agent. */
static talk_answer do_undo(talk *t, const char *words)
{
    snug_agent_conversation *c = read_turns(t);
    const size_t count = c ? snug_agent_conversation_turn_count(c) : 0;
    const char *last = count > 0 ? snug_agent_conversation_turn(c, count - 1)->question : "";

    (void)words;
    if (c && snug_agent_undo(agent_of(t)))
        command_fail_host();
    else if (c)
        term_printf(
            stdout,
            "Taken back: %.*s\nNames are as they were before it; what was changed within an "
            "object or a file stays.\n",
            (int)strcspn(last, "\n"), last);
    snug_agent_conversation_close(c);
    return WORD_IS_DONE;
}

/* What is kept under a name is forgotten only where somebody says so. */
static int may_forget(const talk *t)
{
    const char *name = t->asker->options->conversation;
    str line = { 0 };

    if (!name)
        return 1;
    term_printf(stdout, "The conversation %s is kept: forget it there too? [y]es, [n]o: ", name);
    fflush(stdout);
    const int is_said = permit_read_line(&t->asker->permit, &line);
    const int is_yes = is_said && permit_is_yes(str_text(&line));
    str_free(&line);
    if (!is_yes)
        puts("Nothing was forgotten.");
    return is_yes;
}

static talk_answer do_reset(talk *t, const char *words)
{
    snug_agent *agents[] = { t->asker->seats.python.agent, t->asker->seats.bash.agent };

    (void)words;
    if (!may_forget(t))
        return WORD_IS_DONE;
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
        if (agents[i] && snug_agent_reset(agents[i])) {
            command_fail_host();
            return WORD_IS_DONE;
        }
    puts("Conversation and session begin again.");
    return WORD_IS_DONE;
}

static void save_turns(talk *t, const char *file)
{
    snug_agent_conversation *c = read_turns(t);
    const size_t count = c ? snug_agent_conversation_turn_count(c) : 0;

    if (c && count == 0)
        command_fail(EXIT_FINE, "there is nothing to save: no question was asked yet");
    else if (c && !conversation_save(file, "/save", c, is_in_bash(t) ? "bash" : "python"))
        term_printf(stdout, "%zu question%s saved to %s\n", count, count == 1 ? "" : "s", file);
    snug_agent_conversation_close(c);
}

static talk_answer do_save(talk *t, const char *words)
{
    const int replaces = strncmp(words, "-f", 2) == 0 && is_blank(words[2]);
    const char *given = replaces ? words + 2 + strspn(words + 2, " \t") : words;
    char *file = named_files_path(given, strlen(given));

    if (!file)
        command_fail(EXIT_FINE, "/save FILE wants a name that ends in .ipynb or .md");
    else if (!replaces && access(file, F_OK) == 0)
        command_fail(EXIT_FINE, "%s is there already; /save -f %s replaces it", file, given);
    else
        save_turns(t, file);
    free(file);
    return WORD_IS_DONE;
}

static talk_answer do_quit(talk *t, const char *words)
{
    (void)t;
    (void)words;
    return WORD_IS_LEAVING;
}

/* ---- the table ---- */

static talk_answer do_help(talk *t, const char *words);

static const struct word {
    const char *name, *completed, *takes, *about; /* takes: NULL: nothing */
    talk_answer (*run)(talk *t, const char *words);
} table[] = {
    { "/help", "/help", NULL, "this", do_help },
    { "/model", "/model ", "[NAME]", "the model that is asked, or another one from now on",
      do_model },
    { "/code", "/code", NULL, "the last program", do_code },
    { "/undo", "/undo", NULL, "takes back the last question, and what it did to names", do_undo },
    { "/save", "/save ", "FILE", "the conversation as a notebook (.ipynb) or as text (.md)",
      do_save },
    { "/reset", "/reset", NULL, "begins again: no variables, no conversation", do_reset },
    { "/quit", "/quit", NULL, "leaves, as Ctrl-D does", do_quit },
};
enum { WORDS = sizeof table / sizeof *table };

static talk_answer do_help(talk *t, const char *words)
{
    (void)t;
    (void)words;
    puts("What you type is a question: a model writes a program for it, which runs in a session, "
         "and "
         "the\nnext question finds its variables. A file that a question names is read.\n");
    for (size_t i = 0; i < WORDS; i++) {
        const int width = printf("  %s %s", table[i].name, table[i].takes ? table[i].takes : "");
        printf("%*s%s\n", width < 17 ? 17 - width : 1, "", table[i].about);
    }
    puts("\n"
         "  Tab            completes these and files\n"
         "  Up, Ctrl-R     the history\n"
         "  Alt-Enter      begins a new line; so does Enter behind \\, or between \"\"\"\n"
         "  Ctrl-C         clears the line, or gives the question up; twice leaves");
    return WORD_IS_DONE;
}

const char *talk_word(size_t index)
{
    return index < WORDS ? table[index].completed : NULL;
}

static void complain_of(const char *name, size_t len)
{
    const char *names[WORDS];
    char word[64];

    for (size_t i = 0; i < WORDS; i++)
        names[i] = table[i].name;
    snprintf(word, sizeof word, "%.*s", (int)len, name);
    const char *near = len < sizeof word ? nearest_typed(word, names, WORDS) : NULL;
    if (near)
        command_fail(
            EXIT_FINE,
            "%s is not a word of this prompt; did you mean %s? (A blank before it makes it "
            "a question)",
            word, near);
    else
        command_fail(
            EXIT_FINE,
            "%.*s is not a word of this prompt, which /help lists; a blank before it makes "
            "it a question",
            (int)(len < 200 ? len : 200), name);
}

/* Where people leave, and look for help, in other prompts. */
static const char *usual_word(const char *line)
{
    static const char *const usual[][2] = {
        { "exit", "/quit" }, { "quit", "/quit" },  { "exit()", "/quit" }, { "quit()", "/quit" },
        { ":q", "/quit" },   { "/exit", "/quit" }, { "/q", "/quit" },     { "help", "/help" },
        { "?", "/help" },    { "/?", "/help" },    { "/clear", "/reset" }
    };

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(usual[i][0], line) == 0)
            return usual[i][1];
    return line;
}

talk_answer talk_take_word(talk *t)
{
    str *line = &t->line;

    while (line->len > 0 && is_space(line->data[line->len - 1]))
        line->data[--line->len] = '\0';
    const char *text = usual_word(str_text(line));
    if (*text != '/')
        return WORD_IS_QUESTION;

    const size_t len = strcspn(text, " \t\n");
    const char *words = text + len + strspn(text + len, " \t\n");
    for (size_t i = 0; i < WORDS; i++) {
        if (strlen(table[i].name) != len || strncmp(table[i].name, text, len) != 0)
            continue;
        if (!agent_of(t) && table[i].run != do_quit) {
            command_fail(EXIT_FINE, "no session is open; the next question opens one");
            return WORD_IS_DONE;
        }
        if (!*words || table[i].takes) {
            const talk_answer answer = table[i].run(t, words);
            fflush(stdout);
            return answer;
        }
        command_fail(EXIT_FINE, "%s takes nothing; a blank before it makes it a question",
                     table[i].name);
        return WORD_IS_DONE;
    }

    complain_of(text, len);
    return WORD_IS_DONE;
}
