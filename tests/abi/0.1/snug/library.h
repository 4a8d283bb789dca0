#ifndef SNUG_LIBRARY_H
#define SNUG_LIBRARY_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_library snug_library;
typedef struct snug_library_result snug_library_result;

typedef struct snug_library_document {
    size_t size;
    const char *name;
    const char *kind;
    const char *title;
    const char *text;
    size_t len;
} snug_library_document;
#define SNUG_LIBRARY_DOCUMENT_INIT    {    sizeof(snug_library_document), NULL, NULL, NULL, NULL, 0  }

SNUG_EXTERN int snug_library_open(snug_library **out, const char *path, int makes,
    const char *embedding_model);

SNUG_EXTERN void snug_library_close(snug_library *library);

SNUG_EXTERN const char *snug_library_fault(const snug_library *library);

SNUG_EXTERN int snug_library_add(snug_library *library, const snug_library_document *document);

SNUG_EXTERN int snug_library_remove(snug_library *library, const char *name);

SNUG_EXTERN int snug_library_search(snug_library_result **out, snug_library *library,
    const char *query, size_t most);

SNUG_EXTERN int snug_library_list(snug_library_result **out, snug_library *library);

typedef struct snug_library_match {
    const char *name, *kind, *title, *text;
    uint64_t bytes;
    double score;
} snug_library_match;

SNUG_EXTERN size_t snug_library_result_match_count(const snug_library_result *matches);

SNUG_EXTERN const snug_library_match *snug_library_result_match(const snug_library_result *matches,
    size_t index);

SNUG_EXTERN void snug_library_result_free(snug_library_result *matches);

#ifdef __cplusplus
}
#endif

#endif
