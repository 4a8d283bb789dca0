/* libcurl for the program, loaded at the first call: it brings some thirty other libraries with it,
 * which a kernel, a script and the prompt do without. libsnug-agent is linked with it as any
 * library is. */
/* Macros of types, names and lists, and another library's names:
 * NOLINTBEGIN(bugprone-macro-parentheses, readability-identifier-naming,
 * readability-inconsistent-declaration-parameter-name) */
#define CURL_DISABLE_TYPECHECK
#define curl_url_get curl_url_get_of_header /* takes its handle as const in newer ones only */
#include <curl/curl.h>
#undef curl_url_get

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Macros of the header, which checks arguments by them. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

/* type, name, parameters, arguments */
#define CURL_FUNCTIONS(F)                                                                       \
    F(CURLcode, curl_global_init_mem,                                                           \
      (long flags, curl_malloc_callback m, curl_free_callback f, curl_realloc_callback r,       \
       curl_strdup_callback s, curl_calloc_callback c),                                         \
      (flags, m, f, r, s, c))                                                                   \
    F(CURL *, curl_easy_init, (void), ())                                                       \
    F(const char *, curl_easy_strerror, (CURLcode code), (code))                                \
    F(char *, curl_easy_escape, (CURL * easy, const char *text, int len), (easy, text, len))    \
    F(CURLM *, curl_multi_init, (void), ())                                                     \
    F(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))                                  \
    F(CURLMcode, curl_multi_wakeup, (CURLM * multi), (multi))                                   \
    F(CURLMcode, curl_multi_perform, (CURLM * multi, int *running), (multi, running))           \
    F(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL * easy), (multi, easy))            \
    F(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL * easy), (multi, easy))         \
    F(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left))               \
    F(CURLMcode, curl_multi_poll,                                                               \
      (CURLM * multi, struct curl_waitfd * fds, unsigned count, int ms, int *ready),            \
      (multi, fds, count, ms, ready))                                                           \
    F(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *line),     \
      (list, line))                                                                             \
    F(CURLU *, curl_url, (void), ())                                                            \
    F(CURLUcode, curl_url_get, (const CURLU *url, CURLUPart part, char **out, unsigned flags),  \
      (url, part, out, flags))                                                                  \
    F(CURLUcode, curl_url_set, (CURLU * url, CURLUPart part, const char *text, unsigned flags), \
      (url, part, text, flags))                                                                 \
    F(time_t, curl_getdate, (const char *text, const time_t *unused), (text, unused))

#define CURL_PROCEDURES(F)                                     \
    F(curl_easy_cleanup, (CURL * easy), (easy))                \
    F(curl_slist_free_all, (struct curl_slist * list), (list)) \
    F(curl_url_cleanup, (CURLU * url), (url))                  \
    F(curl_free, (void *memory), (memory))

CURLUcode curl_url_get(const CURLU *url, CURLUPart part, char **out, unsigned flags);

/* The last parameter is a long, a curl_off_t or a pointer: 64 bits in a register or a slot of the
 * stack on the machines that snug is for, so it is handed on as a pointer. */
typedef CURLcode with_option(CURL *easy, CURLoption option, ...);
typedef CURLcode with_info(CURL *easy, CURLINFO info, ...);
_Static_assert(sizeof(long) == sizeof(void *) && sizeof(curl_off_t) == sizeof(void *), "as above");

static struct {
#define MEMBER(type, name, parameters, arguments) type(*name) parameters;
#define VOID_MEMBER(name, parameters, arguments)  void(*name) parameters;
    CURL_FUNCTIONS(MEMBER)
    CURL_PROCEDURES(VOID_MEMBER)
    with_option *curl_easy_setopt;
    with_info *curl_easy_getinfo;
} library;

static const struct {
    const char *name;
    void *member;
} names[] = {
#define NAME(type, name, parameters, arguments) { #name, &library.name },
#define VOID_NAME(name, parameters, arguments)  { #name, &library.name },
    CURL_FUNCTIONS(NAME)
        CURL_PROCEDURES(VOID_NAME){ "curl_easy_setopt", &library.curl_easy_setopt },
    { "curl_easy_getinfo", &library.curl_easy_getinfo },
};

/* As the dynamic loader ends a program that was linked with a library which is not there. */
static void give_up(void)
{
    fprintf(stderr,
            "snug: models are asked through libcurl, which cannot be loaded (Debian's package is "
            "libcurl4): %s\n",
            dlerror());
    fflush(stderr);
    _Exit(127);
}

static void load(void)
{
    void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        give_up();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *found = dlsym(handle, names[i].name);
        if (!found)
            give_up();
        /* A function's address in an object's, as dlsym hands it over. */
        memcpy(names[i].member, &found, sizeof found);
    }
}

static void need(void)
{
    static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;
    pthread_once(&is_loaded, load);
}

#define FORWARD(type, name, parameters, arguments) \
    type name parameters                           \
    {                                              \
        need();                                    \
        return library.name arguments;             \
    }
#define VOID_FORWARD(name, parameters, arguments) \
    void name parameters                          \
    {                                             \
        need();                                   \
        library.name arguments;                   \
    }
CURL_FUNCTIONS(FORWARD)
CURL_PROCEDURES(VOID_FORWARD)

CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...)
{
    va_list list;

    va_start(list, option);
    void *value = va_arg(list, void *);
    va_end(list);
    need();
    return library.curl_easy_setopt(easy, option, value);
}

CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...)
{
    va_list list;

    va_start(list, info);
    void *out = va_arg(list, void *);
    va_end(list);
    need();
    return library.curl_easy_getinfo(easy, info, out);
}
/* NOLINTEND(bugprone-macro-parentheses, readability-identifier-naming,
 * readability-inconsistent-declaration-parameter-name) */
