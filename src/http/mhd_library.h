/*
 * mhd_library.h - libmicrohttpd, which is loaded when a server begins: who serves nothing has it
 * not in the process, nor needs it to be installed.
 */
#ifndef SNUG_HTTP_MHD_LIBRARY_H
#define SNUG_HTTP_MHD_LIBRARY_H

#include <microhttpd.h>

/* Its functions, by the names of microhttpd.h without their prefix. */
#define MHD_FUNCTIONS(X)                                                                           \
    X(struct MHD_Daemon *, start_daemon,                                                           \
      (unsigned flags, uint16_t port, MHD_AcceptPolicyCallback apc, void *apc_cls,                 \
       MHD_AccessHandlerCallback dh, void *dh_cls, ...))                                           \
    X(void, stop_daemon, (struct MHD_Daemon * daemon))                                             \
    X(MHD_socket, quiesce_daemon, (struct MHD_Daemon * daemon))                                    \
    X(void, suspend_connection, (struct MHD_Connection * connection))                              \
    X(void, resume_connection, (struct MHD_Connection * connection))                               \
    X(const char *, lookup_connection_value,                                                       \
      (struct MHD_Connection * connection, enum MHD_ValueKind kind, const char *key))              \
    X(int, get_connection_values,                                                                  \
      (struct MHD_Connection * connection, enum MHD_ValueKind kind, MHD_KeyValueIterator iterator, \
       void *iterator_cls))                                                                        \
    X(struct MHD_Response *, create_response_from_buffer,                                          \
      (size_t size, void *buffer, enum MHD_ResponseMemoryMode mode))                               \
    X(struct MHD_Response *, create_response_from_callback,                                        \
      (uint64_t size, size_t block_size, MHD_ContentReaderCallback crc, void *crc_cls,             \
       MHD_ContentReaderFreeCallback crfc))                                                        \
    X(enum MHD_Result, add_response_header,                                                        \
      (struct MHD_Response * response, const char *header, const char *content))                   \
    X(enum MHD_Result, queue_response,                                                             \
      (struct MHD_Connection * connection, unsigned status, struct MHD_Response *response))        \
    X(void, destroy_response, (struct MHD_Response * response))                                    \
    X(const union MHD_ConnectionInfo *, get_connection_info,                                       \
      (struct MHD_Connection * connection, enum MHD_ConnectionInfoType type, ...))

typedef struct mhd_library {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): these are a type and the parameters of a function. */
#define MHD_MEMBER(type, name, arguments) type(*name) arguments;
    MHD_FUNCTIONS(MHD_MEMBER)
#undef MHD_MEMBER
} mhd_library;

/* Filled in by mhd_library_load. The process's, because a library is loaded once in it. */
extern mhd_library mhd;

/* SNUG_OK, or SNUG_ENOTFOUND with what to install. It stays loaded. */
int mhd_library_load(void);

#endif
