/*
 * library.h - snippets and documents that an agent finds again: full-text search in a file of
 * SQLite, by meaning too where an embeddings endpoint is named.
 *
 * Errors, ownership and text are as in snug.h. A library is used from one thread at a time; its
 * file may be open in several processes.
 */
#ifndef SNUG_LIBRARY_H
#define SNUG_LIBRARY_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_library snug_library;
typedef struct snug_library_result snug_library_result;

/* What is put into a library. */
typedef struct snug_library_document {
    size_t size;
    const char *name;  /* unique in the library: one that is there already is replaced */
    const char *kind;  /* "snippet": code; "document": text */
    const char *title; /* one line; may be NULL */
    const char *text;
    size_t len;
} snug_library_document;
#define SNUG_LIBRARY_DOCUMENT_INIT                               \
    {                                                            \
        sizeof(snug_library_document), NULL, NULL, NULL, NULL, 0 \
    }

/* Opens the library in the file at path, which is made if it is missing and makes is 1; if makes is
 * 0, that is SNUG_ENOTFOUND. SNUG_EINVAL for a file that is not a library, is damaged or of a newer
 * snug; SNUG_EBUSY if another process holds it for longer than five seconds; SNUG_ESYSTEM.
 * embedding_model is "provider:model", or NULL. */
SNUG_EXTERN int snug_library_open(snug_library **out, const char *path, int makes,
                                  const char *embedding_model);
/* Closes the library. */
SNUG_EXTERN void snug_library_close(snug_library *library);
/* Why texts are not found by meaning, one sentence: what the embeddings endpoint answered the
 * first time that it failed; it is not asked again then, and words are used. Empty where it did
 * not, or none was named. */
SNUG_EXTERN const char *snug_library_fault(const snug_library *library);
/* Adds a document of at most 1 MiB of UTF-8, whole or not at all; a longer one is SNUG_EINVAL. */
SNUG_EXTERN int snug_library_add(snug_library *library, const snug_library_document *document);
/* Removes a document. SNUG_ENOTFOUND if there is none of that name. */
SNUG_EXTERN int snug_library_remove(snug_library *library, const char *name);
/* Finds the documents that match best, at most `most` of them. Any text is a query. */
SNUG_EXTERN int snug_library_search(snug_library_result **out, snug_library *library,
                                    const char *query, size_t most);
/* Lists all documents sorted by name, without their text. */
SNUG_EXTERN int snug_library_list(snug_library_result **out, snug_library *library);
/* Finds the document of that name, with its whole text. SNUG_ENOTFOUND if there is none. */
SNUG_EXTERN int snug_library_find(snug_library_result **out, snug_library *library,
                                  const char *name);

/* A document that was found. */
typedef struct snug_library_match {
    const char *name, *kind, *title, *text; /* text: the best passage of a long document; "" in a
                                               list */
    uint64_t bytes;                         /* of the whole text */
    double score;                           /* higher is better; 0 in a list */
} snug_library_match;

/* How many documents were found. */
SNUG_EXTERN size_t snug_library_result_match_count(const snug_library_result *matches);
/* A document that was found; NULL past the end. */
SNUG_EXTERN const snug_library_match *snug_library_result_match(const snug_library_result *matches,
                                                                size_t index);
/* Frees what was found. */
SNUG_EXTERN void snug_library_result_free(snug_library_result *matches);

#ifdef __cplusplus
}
#endif

#endif
