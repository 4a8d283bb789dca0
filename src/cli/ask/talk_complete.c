#include "cli/ask/talk_complete.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cli/ask/talk.h"
#include "cli/ask/talk_words.h"

/* ---- files ---- */

static void add_file(menu *out, const str *folder, const struct dirent *entry)
{
    str path = { 0 };

    if (!str_add_str(&path, folder) && !str_add(&path, entry->d_name) &&
        (entry->d_type != DT_DIR || !str_add(&path, "/")))
        menu_add(out, path.data);
    str_free(&path);
}

static int compare_items(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of the folder that the word names, and hidden ones only where it begins so. */
static void complete_files(menu *out, const char *word, size_t len)
{
    str folder = { 0 };
    size_t begin = len;
    struct dirent *entry;

    while (begin > 0 && word[begin - 1] != '/')
        begin--;
    if (str_append(&folder, word, begin))
        return;
    DIR *dir = opendir(begin ? folder.data : ".");
    while (dir && (entry = readdir(dir)))
        if (strncmp(entry->d_name, word + begin, len - begin) == 0 &&
            (entry->d_name[0] != '.' || word[begin] == '.') && strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0)
            add_file(out, &folder, entry);
    if (dir)
        closedir(dir);
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, compare_items);
    str_free(&folder);
}

/* ---- all ---- */

static void complete_words(menu *out, const char *word, size_t len)
{
    const char *name;

    for (size_t i = 0; (name = talk_word(i)); i++)
        if (strncmp(name, word, len) == 0)
            menu_add(out, name);
}

void talk_complete(void *payload, menu *out, const char *text, size_t len, size_t cursor)
{
    size_t begin = cursor;

    (void)payload;
    (void)len;
    while (begin > 0 && !strchr(" \t\n\"'`(", text[begin - 1]))
        begin--;
    out->start = begin;
    if (begin == 0 && (cursor == 0 || text[0] == '/'))
        complete_words(out, text, cursor);
    else if (cursor > begin || text[0] == '/')
        complete_files(out, text + begin, cursor - begin);
}
