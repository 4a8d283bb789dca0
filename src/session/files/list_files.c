#include "session/files/workdir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/str.h"
#include "base/tree.h"
#include "base/utf8.h"
#include "policy/paths.h"
#include "session/core/claim.h"
#include "session/core/session.h"

struct snug_listing {
    snug_entry *entries;
    size_t count, cap;
    uint64_t listed_bytes;
    int is_whole;
};

/* An entry is as long as in an answer, where this much of it is not a path. */
enum { LISTED_ENTRIES = 100000, LISTED_BYTES = 16 << 20, BYTES_OF_AN_ENTRY = 100 };

char *files_text(const char *path)
{
    static const char replacement[] = "\xef\xbf\xbd";
    size_t fault, len = strlen(path);
    str text = { 0 };
    int error = str_reserve(&text, len);

    while (!error && utf8_check(path, len, &fault) != UTF8_FINE) {
        error = str_append(&text, path, fault) || str_add(&text, replacement);
        path += fault + 1;
        len -= fault + 1;
    }

    if (error || str_append(&text, path, len) != SNUG_OK) {
        str_free(&text);
        return NULL;
    }
    return str_take(&text);
}

static snug_entry_kind kind_of_entry(mode_t mode)
{
    if (S_ISREG(mode))
        return SNUG_ENTRY_FILE;
    if (S_ISDIR(mode))
        return SNUG_ENTRY_FOLDER;
    return S_ISLNK(mode) ? SNUG_ENTRY_LINK : SNUG_ENTRY_OTHER;
}

static int reserve_entry(snug_listing *l)
{
    if (array_reserve(&l->entries, &l->cap, l->count + 1, sizeof *l->entries))
        return ENOMEM;
    return 0;
}

static int list_entry(void *payload, const tree_entry *entry)
{
    snug_listing *l = payload;
    const struct stat *facts = entry->facts;
    char *path = NULL;

    l->listed_bytes += BYTES_OF_AN_ENTRY + jsontext_quoted_bytes(entry->path, strlen(entry->path));
    if (l->listed_bytes > LISTED_BYTES)
        return EOVERFLOW;
    if (reserve_entry(l) != 0 || !(path = files_text(entry->path)))
        return ENOMEM;

    l->entries[l->count++] = (snug_entry){
        .path = path,
        .kind = kind_of_entry(facts->st_mode),
        .bytes = S_ISREG(facts->st_mode) ? (uint64_t)facts->st_size : 0,
        .modified_ns = (int64_t)facts->st_mtim.tv_sec * (int64_t)NS_PER_S + facts->st_mtim.tv_nsec,
    };
    return 0;
}

static int list_files(snug_listing *out, const snug_session *session)
{
    int root = files_open_root(session);
    if (root < 0)
        return error_system("work directory of session %s", session->name);

    int error = tree_walk(root, LISTED_ENTRIES, list_entry, out);
    close(root);
    out->is_whole = error == 0;
    if (error == ENOMEM)
        return error_no_memory();
    return SNUG_OK;
}

int local_list(snug_listing **out, snug_session *session)
{
    snug_listing *listing = calloc(1, sizeof *listing);
    if (!listing)
        return error_no_memory();

    int error = list_files(listing, session);
    if (error)
        snug_listing_free(listing);
    else
        *out = listing;

    return error;
}

int snug_session_list_files(snug_listing **out, snug_session *session)
{
    if (!out)
        return session_fail(session,
                            error_set(SNUG_EINVAL, "snug_session_list_files: out is NULL"));
    int error = session_claim(&session, "snug_session_list_files");
    if (error)
        return session_fail(session, error);

    return session_return(session, session->form->list(out, session));
}

size_t snug_listing_entry_count(const snug_listing *listing)
{
    return listing->count;
}

const snug_entry *snug_listing_entry(const snug_listing *listing, size_t index)
{
    return index < listing->count ? &listing->entries[index] : NULL;
}

int snug_listing_is_whole(const snug_listing *listing)
{
    return listing->is_whole;
}

void snug_listing_free(snug_listing *listing)
{
    if (!listing)
        return;
    for (size_t i = 0; i < listing->count; i++)
        free((void *)(uintptr_t)listing->entries[i].path);
    free(listing->entries);
    free(listing);
}

void listing_pack(packer *p, const snug_listing *listing)
{
    pack_number(p, (uint64_t)listing->is_whole);
    pack_number(p, listing->count);
    for (size_t i = 0; i < listing->count; i++) {
        const snug_entry *entry = &listing->entries[i];
        pack_text(p, entry->path);
        pack_number(p, (uint64_t)entry->kind);
        pack_number(p, entry->bytes);
        pack_number(p, (uint64_t)entry->modified_ns);
    }
}

static void unpack_entry(unpacker *u, snug_listing *listing)
{
    char *path = strdup(unpack_name(u));
    snug_entry_kind kind = (snug_entry_kind)unpack_small(u, SNUG_ENTRY_OTHER);
    uint64_t bytes = unpack_number(u), modified = unpack_number(u);

    if (!path || !paths_is_relative_plain(path) || reserve_entry(listing) != 0) {
        free(path);
        u->is_bad = 1;
        return;
    }
    listing->entries[listing->count++] = (snug_entry){ path, kind, bytes, (int64_t)modified };
}

int listing_unpack(snug_listing **out, unpacker *u)
{
    snug_listing *listing = calloc(1, sizeof *listing);
    if (!listing)
        return SNUG_ENOMEM;

    listing->is_whole = (int)unpack_small(u, 1);
    size_t count = unpack_count(u, 5);
    u->is_bad |= count > LISTED_ENTRIES;
    for (size_t i = 0; i < count && !u->is_bad; i++)
        unpack_entry(u, listing);
    if (!unpack_ended(u)) {
        snug_listing_free(listing);
        return SNUG_EINVAL;
    }

    *out = listing;
    return SNUG_OK;
}
