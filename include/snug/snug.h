/*
 * snug.h - run Python in restricted, persistent sessions inside this process.
 *
 * A host owns the Python runtime. A session is one interpreter with its own
 * namespace, thread, limits and work directory. Running a cell in a session
 * gives a result, as running a cell in a notebook does.
 *
 *     snug_host *host;
 *     snug_session *session;
 *     snug_result *result;
 *     if (snug_host_open(&host, NULL) || snug_session_open(&session, host, NULL) ||
 *         snug_session_run(&result, session, "6 * 7", 5, NULL))
 *         return fprintf(stderr, "%s\n", snug_error_message()), 1;
 *     puts(snug_result_text(result, SNUG_STREAM_VALUE, NULL));
 *
 * Errors. A function that can fail returns SNUG_OK or a negative snug_error, and
 * leaves one sentence in snug_error_message. The host or session that it was called with keeps it
 * too: snug_session_error has it on any thread. What the code in a cell does
 * (raise, exceed a limit, be denied) is never such an error: it is the status
 * of the result.
 *
 * Ownership. A function that makes an object (open, run, save, scan) hands it to the caller
 * through its first argument, which is untouched on failure; the object's close or free function
 * takes it back and accepts NULL. Everything else that is returned by pointer belongs to the
 * object it was asked of and lives as long as that object. Arguments are copied. Text is UTF-8 and
 * NUL-terminated; where a length is asked for by pointer, that pointer may be NULL.
 *
 * Lists. snug_result_change_count says how many there are, and snug_result_change(result, index)
 * returns the one at that index, from 0, or NULL past the end; so with every other list.
 *
 * Versions. Structs that the caller fills begin with their size: start from their _INIT value,
 * which is zero but for the size, and set what should differ. A newer library takes the smaller
 * struct of an older caller, whose missing members count as zero, and an older library takes a
 * newer caller's larger one, unless a member that it does not know is set: SNUG_EINVAL. Structs
 * that the library hands out by pointer may grow at their end: do not copy them or take their size.
 * The elements of an array (snug_mime, snug_mount) stay as they are. Enumerations may get further
 * values: have a default.
 *
 * Threads. A host and a result may be used from any number of threads at once,
 * a session from one thread at a time, except snug_session_interrupt, which any
 * thread may call while the session is open. Cells run on a thread of the
 * session's own; callbacks run on the thread that called snug_session_run.
 * Error messages are per thread.
 *
 * Callbacks must return. An exception or a longjmp out of one takes snug's own frames along: the
 * session, or the host, stays SNUG_EBUSY.
 *
 * Signals. The library installs no signal handler unless SNUG_HOST_SIGNALS asks for it. It leaves
 * the process's working directory, environment, locale and umask alone.
 *
 * Users. setuid, setgid, setgroups and their like, which the C library applies to every thread,
 * reach the threads of local sessions too. Workers stay who they were when they were started.
 *
 * Numbers. Cells compute with the default floating-point environment, whatever the program has set
 * for rounding and traps; on the caller's thread its own is there again behind each call.
 *
 * Fork. What a child of fork has of its parent's hosts and sessions is not its own: functions that
 * can fail are SNUG_EINVAL there, and those that close or interrupt leave the parent's sessions,
 * workers and files alone. Results, and what else was read before, can be read and freed. The child
 * may open a host of form SNUG_FORM_WORKER; one of form SNUG_FORM_LOCAL is SNUG_EPYTHON where the
 * parent has had one. A child that was made within a callback must not return from it. vfork and
 * posix_spawn are as they are elsewhere.
 */
#ifndef SNUG_SNUG_H
#define SNUG_SNUG_H

#include <stddef.h>
#include <stdint.h>

#define SNUG_VERSION_MAJOR 0
#define SNUG_VERSION_MINOR 1
#define SNUG_VERSION_PATCH 0
#define SNUG_VERSION_NUMBER \
    (SNUG_VERSION_MAJOR * 1000000 + SNUG_VERSION_MINOR * 1000 + SNUG_VERSION_PATCH)

#if defined(__GNUC__)
#define SNUG_EXTERN __attribute__((visibility("default")))
#else
#define SNUG_EXTERN
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_host snug_host;
typedef struct snug_session snug_session;
typedef struct snug_result snug_result;
typedef struct snug_scan snug_scan;
typedef struct snug_completion snug_completion;
typedef struct snug_description snug_description;
typedef struct snug_saved snug_saved;
typedef struct snug_notebook snug_notebook;
typedef struct snug_file snug_file;
typedef struct snug_listing snug_listing;
typedef struct snug_call snug_call;
typedef struct snug_journal snug_journal;

typedef enum snug_error {
    SNUG_OK = 0,
    SNUG_EINVAL = -1,    /* an argument or option is out of its domain */
    SNUG_ENOMEM = -2,    /* the host process ran out of memory */
    SNUG_ESYSTEM = -3,   /* a system call failed; the message has its errno */
    SNUG_EPYTHON = -4,   /* Python could not start, already runs here, or is another version */
    SNUG_EPOLICY = -5,   /* a profile cannot be read, or a filter of the kernel is missing */
    SNUG_EBUSY = -6,     /* the session is running a cell, or the host has sessions open */
    SNUG_EDEAD = -7,     /* the session did not survive an earlier cell; reset or close it */
    SNUG_ENOTFOUND = -8, /* no such profile, limit, name or file */
    SNUG_ESTOPPED = -9,  /* a save, restore, bind or listing reached a limit of the session, or the
                            session's code kept it from ending; or the call was cancelled */
    SNUG_ETIMEOUT = -10, /* what the call waits for did not come by its deadline; the message names
                            it, and the session is as it was */
    SNUG_EAGAIN = -11    /* a call that was started is not over yet */
} snug_error;

/* How a cell ended. snug_state says what is left of the session. */
typedef enum snug_status {
    SNUG_STATUS_OK,          /* ran to its end; sys.exit(0) and quit() too */
    SNUG_STATUS_ERROR,       /* an exception left the cell, a SyntaxError included */
    SNUG_STATUS_DENIED,      /* the policy's own exception left the cell */
    SNUG_STATUS_TIMEOUT,     /* stopped at its time limit */
    SNUG_STATUS_MEMORY,      /* stopped at its memory limit */
    SNUG_STATUS_INTERRUPTED, /* stopped by snug_session_interrupt, and not by a handler of its own:
                                that may take three seconds, and then the cell is SNUG_STATUS_OK */
    SNUG_STATUS_CRASHED,     /* a fault or an exit of the process was caught */
    SNUG_STATUS_STALLED      /* it waited for the GIL, which another session held, for the host's
                                patience_ms; it ran for snug_result_cpu_ns. On Python 3.11 only */
} snug_status;

typedef enum snug_state {
    SNUG_STATE_KEPT, /* the namespace is as the cell left it */
    SNUG_STATE_LOST  /* the interpreter had to be given up: SNUG_EDEAD until a reset */
} snug_state;

/* The texts of a result. */
typedef enum snug_stream {
    SNUG_STREAM_VALUE, /* repr of the last expression, clipped in the middle; empty if there is none
                        */
    SNUG_STREAM_STDOUT,
    SNUG_STREAM_STDERR,
    SNUG_STREAM_TRACEBACK /* as Python prints it, the host's own frames left out */
} snug_stream;

/* ---- displays ---- */

/* One form of a display. The struct never changes: parts is an array of it. */
typedef struct snug_mime {
    const char *type; /* "text/html" */
    const char *data; /* UTF-8; what is binary by its type ("image/png") as base64 */
    size_t len;       /* of data, in bytes */
    int is_json;      /* data is a JSON value and not text */
} snug_mime;

/* What a cell shows besides its streams: by display(), and as the value of its last
 * expression. It is a bundle of forms of the same thing; a front end shows the richest form that
 * it can. Types and fields are Jupyter's (display_data and execute_result). */
typedef struct snug_display {
    int is_main_result; /* it is the cell's value; at most one display is, the last */
    int is_update;      /* it replaces what an earlier cell has shown under that id */
    const char *id;     /* display_id; "" without one */
    uint64_t stdout_bytes, stderr_bytes; /* what the cell had written before it */
    const snug_mime *parts;
    size_t part_count;
    const char *metadata_json; /* an object */
} snug_display;

typedef enum snug_display_event {
    SNUG_DISPLAY_EVENT_SHOW,
    SNUG_DISPLAY_EVENT_UPDATE, /* replaces the display of that id, in this cell or an earlier one */
    SNUG_DISPLAY_EVENT_CLEAR   /* clear_output(): what the cell has printed and shown so far is gone
                                */
} snug_display_event;

/* ---- limits ---- */

/* No limit at all, for the fields of snug_limits. */
#define SNUG_UNLIMITED UINT64_MAX
/* None at all of what the field limits, where zero would mean the default: no files, no calls of
 * tools, no text that is kept. SNUG_EINVAL for the fields without which nothing runs: times,
 * memory_bytes and source_bytes; snug_limit_info tells. */
#define SNUG_NONE (UINT64_MAX - 1)

/* Zero means the default, which snug_limit_info has. Times are in milliseconds, sizes in bytes. */
typedef struct snug_limits {
    size_t size;
    uint64_t wall_ms;        /* elapsed time of a cell, but for input_ms and tools that are
                                is_untimed */
    uint64_t cpu_ms;         /* processor time of a cell */
    uint64_t session_cpu_ms; /* processor time of all cells of the session together */
    uint64_t memory_bytes;   /* of the session */
    uint64_t output_bytes;   /* kept of each of stdout and stderr of a cell, head and tail; more
                                goes to a file, snug_result_spill */
    uint64_t disk_bytes;     /* of the files that the session has made in its work directory. Python
                                raises OSError. With the shorter ladder it is checked when a file is
                                opened for writing */
    uint64_t disk_files;     /* that the session has made there, folders included */
    uint64_t source_bytes;   /* of a cell */
    uint64_t value_bytes;    /* of SNUG_STREAM_VALUE; longer texts lose their middle */
    uint64_t display_bytes;  /* of all displays of a cell as JSON, with the other forms of its main
                                result */
    uint64_t list_bytes;     /* of each list of names as JSON: the changes of a cell, variables,
                                completions. What is over it is left out, and counted except for
                                completions */
    uint64_t threads;        /* that a cell may have at a time besides its own; fixed when the
                                session is opened. Zero: none, and 16 in a full session, in which
                                SNUG_NONE is none. A cell ends
                                when its threads have ended. More than 0 also allows the modules
                                threading, queue and concurrent */
    uint64_t tool_calls;     /* of a cell */
    uint64_t input_ms;       /* for which a cell waits for lines of input(), all together; then
                                input() raises TimeoutError. Meanwhile its wall_ms stand still */
} snug_limits;
#define SNUG_LIMITS_INIT                                              \
    {                                                                 \
        sizeof(snug_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* A row of a table of limits. A front end finds options, units and defaults here. */
typedef struct snug_limit_description {
    const char *name;       /* the field's name */
    const char *option;     /* of the program, "--timeout"; NULL if it has none */
    const char *unit;       /* "ms", "bytes" or "" */
    uint64_t default_value; /* SNUG_UNLIMITED where there is no limit by default */
    const char *about;
    size_t offset;        /* of the field in its struct */
    uint64_t can_be_none; /* 1 where SNUG_NONE can be said */
} snug_limit_description;

/* The row at index of the table of limits, in the order of snug_limits; NULL past its end. The
 * library may be newer than its caller: a row whose offset is past the end of the caller's struct
 * is of a limit that the caller does not know. Any thread. */
SNUG_EXTERN const snug_limit_description *snug_limit_info(size_t index);

/* ---- host ---- */

typedef enum snug_form {
    SNUG_FORM_LOCAL, /* sessions live in this process */
    SNUG_FORM_WORKER /* in a child process: see "workers" below */
} snug_form;

typedef struct snug_host_options {
    size_t size;
    snug_form form;
    const char *python_home;   /* prefix whose lib/python3.X is the standard library;
                                  NULL: the one configure found */
    const char *allowlist_dir; /* where profiles are looked up by name; NULL: those built in */
    unsigned flags;            /* SNUG_HOST_... */
    int kick_signal; /* sent to a session's thread so that it looks up. 0: a real-time signal that
                        the program neither handles nor ignores, and that the opening thread does
                        not block, as it does where signalfd reads it; chosen once in a process */
    /* Of form SNUG_FORM_WORKER: */
    const char *worker_path;    /* of the program snug-worker; NULL: it is looked for beside this
                                   library or program, and where it was installed */
    const char *worker_command; /* run by /bin/sh instead: its standard input and output are the
                                   stream to a snug-worker, anywhere. NULL: none */
    uint64_t worker_grace_ms;   /* a worker that exceeds a limit by this, or is silent for twice as
                                   long, is killed with its sessions. 0: 5,000 */
    const char *const *preload; /* packages that workers for full sessions import ahead,
                                   NULL-terminated; NULL: none */
    /* Of both: */
    size_t pool_sessions;    /* spare sessions that are kept ready, at most 1,024; 0: none. In the
                                form of workers the one that sessions share keeps them, and as many
                                spare workers are kept besides */
    uint64_t pool_idle_ms;   /* without an open, after which they are given back one by one;
                                0: 60,000; SNUG_UNLIMITED: never */
    uint64_t awake_sessions; /* that keep a thread while nothing runs in them, see snug_parking;
                                0: 1,024; SNUG_UNLIMITED: all */
    /* Of form SNUG_FORM_WORKER again: */
    uint64_t worker_start_ms;         /* in which a worker has to say that it is ready. 0: 60,000 */
    int (*is_stopped)(void *payload); /* asked some times a second while a host or a session waits
                                         for a worker's start, on the thread that opens it: not 0
                                         ends that worker, and the open fails with SNUG_ESTOPPED.
                                         NULL: nobody stops it */
    void *payload;                    /* of is_stopped */
    /* Of both again: */
    char *error;          /* where an open that fails leaves its sentence, for who cannot ask
                             snug_error_message on the same thread. NULL: nowhere */
    size_t error_bytes;   /* of that buffer; a longer sentence is cut */
    uint64_t patience_ms; /* for how long in all a call waits, beyond the limits of its session, for
                             what others hold: on Python 3.11 the GIL. 0: 5,000; SNUG_UNLIMITED: for
                             ever */
    /* Of form SNUG_FORM_LOCAL again: */
    const char *python; /* whose engine is loaded: "3.11" for libsnug-python3.11.so, which is looked
                           for beside libsnug and where it was installed, or the path of one, with a
                           slash. NULL: the newest that is there. A process has one Python: later
                           hosts take the same. Programs that carry the full ladder have theirs
                           within, and take no other */
    /* Of both: */
    const char *zone; /* in which cells have the time of day, "Europe/Madrid"; one of the machine's
                         in /usr/share/zoneinfo, or "UTC". NULL: that of this process. Local
                         sessions have none but that: SNUG_EINVAL unless TZ is the same text */
    uint64_t hash_seed; /* 1 to 4,294,967,295: the order of sets of str is the same each time. A
                           process has one: SNUG_EPYTHON where its Python began with another.
                           0: none */
} snug_host_options;
#define SNUG_HOST_OPTIONS_INIT                                                                   \
    {                                                                                            \
        sizeof(snug_host_options), SNUG_FORM_LOCAL, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, 0, 0, \
            0, 0, NULL, NULL, NULL, 0, 0, NULL, NULL, 0                                          \
    }
/* Lets the library install handlers for the kick signal and for SIGSEGV, SIGBUS, SIGFPE, SIGILL,
 * SIGABRT, SIGSYS and SIGTRAP: then a fault on a session's thread costs that session only. The
 * program's own handlers are still called for all other threads. SNUG_EINVAL if the kick signal
 * that was named is handled, ignored or blocked already, with a message that has a free one, or if
 * none is free. Programs that carry the full ladder (CMake target snug::program) do this
 * without being asked. */
#define SNUG_HOST_SIGNALS 1u
/* If no worker starts, a host of form SNUG_FORM_WORKER becomes one of form SNUG_FORM_LOCAL, whose
 * sessions are guarded but not held by a process boundary. snug_host_fallback says why. Such a host
 * refuses sessions of other kinds than SNUG_KIND_RESTRICTED. */
#define SNUG_HOST_FALLBACK 2u

/* Opens a host. The first one of form SNUG_FORM_LOCAL starts Python, once in the life of a process;
 * later ones reuse it. At most one of that form is open at a time (SNUG_EBUSY). SNUG_EPYTHON if
 * somebody else has already started Python in this process, and nobody else may use it afterwards:
 * in such a program choose SNUG_FORM_WORKER. options may be NULL. Any thread. */
SNUG_EXTERN int snug_host_open(snug_host **out, const snug_host_options *options);
/* Closes the host. SNUG_EBUSY while sessions are open, and the host is still there then. Python
 * stays initialised, because CPython cannot be reliably finalised and started again. */
SNUG_EXTERN int snug_host_close(snug_host *host);
/* What sessions have done to this process that closing them does not repair. If a counter is not
 * zero, the host still serves, and the process is best replaced when convenient. */
typedef struct snug_health {
    size_t size;
    uint64_t hung_threads; /* of sessions that were given up (rung 4), and that still run: each may
                              occupy a processor, and on Python 3.11 takes its turns of the GIL */
    uint64_t torn_locks;   /* crashes and stops in code that held a lock of the process: whoever
                              needs such a lock may wait for ever */
} snug_health;
#define SNUG_HEALTH_INIT          \
    {                             \
        sizeof(snug_health), 0, 0 \
    }

/* Fills in the counters. hung_threads falls when such a thread ends after all. Any thread. */
SNUG_EXTERN int snug_host_health(snug_health *out, const snug_host *host);

/* The spares of pool_sessions. Each is a session that waits, and takes the memory of a session. A
 * thread of the host makes them one at a time, while no session is being opened, and starts again
 * at the first open after they were given back. While spares are left, it waits for two
 * milliseconds after an open, so that the first cell has the machine.
 *
 * A whole spare has the default options and its filters in force. It is taken by an open that asks
 * for nothing but a name, callbacks and limits other than memory_bytes and threads. An open with
 * other options that leaves these two at their defaults takes a half-warm one: an interpreter that
 * gets its rules and filters at the open. So does an open of the first kind when no whole one is
 * left. How many of each kind are kept depends on the last opens.
 *
 * Code in cells cannot tell such a session from one that was opened cold. What a session's thread
 * inherits from the thread that opens it (processors, scheduling, filters of your own), a spare
 * inherits from the thread that opened the host. Umask, time zone and a profile in allowlist_dir
 * are as they were when the spare was made. On Python 3.11 a cell of any session can change what is
 * in a spare, as it can in other sessions.
 *
 * With SNUG_FORM_WORKER, as many workers are also started ahead, for sessions that have a worker
 * each and name no folders: full ones, and those that name packages. They are for full sessions if
 * preload names packages, otherwise for what is opened first; after several opens in a row of
 * another kind or of other packages they are for that. Such a worker counts as half-warm, because
 * it still has to set up the session's rules and filters. None are started with worker_command.
 *
 * Where a spare cannot be made, or was lost, sessions are opened cold. */
typedef struct snug_pool {
    size_t size;
    size_t wanted;       /* pool_sessions; twice that where workers are started ahead */
    size_t ready;        /* spares that are there now */
    size_t ready_half;   /* of these, the half-warm ones */
    uint64_t hits;       /* opens that took a whole spare */
    uint64_t half_warm;  /* opens that took a half-warm one */
    uint64_t misses;     /* opens that found none, and were cold */
    uint64_t given_back; /* spares that nobody took: idle, or of a kind that was not asked for */
} snug_pool;
#define SNUG_POOL_INIT                         \
    {                                          \
        sizeof(snug_pool), 0, 0, 0, 0, 0, 0, 0 \
    }

/* Fills in the counters, all zero without a pool. With SNUG_FORM_WORKER the worker that sessions
 * share is asked; where it does not answer, only wanted is filled in. Any thread. */
SNUG_EXTERN int snug_host_pool(snug_pool *out, const snug_host *host);

/* Idle sessions and threads. When more than awake_sessions sessions would have a thread, the least
 * recently used one gives its thread back: it is parked. The next call that needs the session's
 * interpreter first starts a new thread for it, with the same work directory and the same filters.
 * Code in cells cannot tell (threading.get_ident() stays the same, get_native_id() does not), and
 * the limits of a cell begin after that. If no thread can be started, the call is SNUG_ESYSTEM and
 * the session is as it was. A work directory or mount that has been replaced in the meantime stays
 * out of reach, as it was for the old thread. Whatever else the kernel keeps for a thread
 * (processors, scheduling, filters of your own) comes from the calling thread.
 *
 * Full sessions are never parked, nor are sessions with limits.threads, those on their caller's
 * thread, and those whose cells have left a file or a database open, since these belong to the
 * thread. If all sessions are of that kind, there are more threads than awake_sessions. */
typedef struct snug_parking {
    size_t size;
    uint64_t awake, parked; /* now, of the sessions that can be parked */
    uint64_t parks, wakes;  /* since the host was opened */
} snug_parking;
#define SNUG_PARKING_INIT                \
    {                                    \
        sizeof(snug_parking), 0, 0, 0, 0 \
    }

/* Fills in the counters, of a host of form SNUG_FORM_LOCAL; all zero for workers, each of which
 * parks its own sessions. Any thread. */
SNUG_EXTERN int snug_host_parking(snug_parking *out, const snug_host *host);

/* What this host runs on, one "key: value" a line: Python, the mode of its GIL, profiles, the
 * protections in force. With SNUG_FORM_WORKER the line "process: " is about the worker that the
 * host was opened with. */
SNUG_EXTERN const char *snug_host_report(const snug_host *host);
/* Why SNUG_HOST_FALLBACK made this a host of form SNUG_FORM_LOCAL; NULL if it did not. */
SNUG_EXTERN const char *snug_host_fallback(const snug_host *host);
/* The error of the last function that has failed on this host (those of its sessions have their
 * own, but for opens), and its sentence in buffer, cut to bytes at a character; SNUG_OK, and an
 * empty text, if none has. buffer may be NULL. Any thread. */
SNUG_EXTERN int snug_host_error(const snug_host *host, char *buffer, size_t bytes);
/* Its form: of one that SNUG_HOST_FALLBACK has changed SNUG_FORM_LOCAL. */
SNUG_EXTERN snug_form snug_host_form(const snug_host *host);

/* ---- workers ---- */

/* The sessions of a host of form SNUG_FORM_WORKER live in a process of their own. Every function of
 * this header works with them as with others, with these differences:
 *
 * Hosts. Any number of them may be open, beside one of form SNUG_FORM_LOCAL. flags and kick_signal
 * have no effect: no Python starts in this process, and no handler is installed. The worker reads
 * python_home and the profiles; allowlist_dir is also read here. The report is the worker's, and
 * snug_host_health is about the worker that sessions share; it waits for two seconds at most. A
 * worker that does not start within a minute, or does not speak this version's protocol, is
 * SNUG_ESYSTEM or SNUG_EINVAL.
 *
 * The process. Sessions share a worker, except those of kind SNUG_KIND_FULL and those with a named
 * workdir or mounts, which have one each. A worker has none of this process's open files, and of
 * its environment only PATH, HOME, LANG, LC_ALL, LC_CTYPE, TZ and TMPDIR; a worker_command has the
 * whole environment. A worker ends with the host. It may be a child of this process or of a helper
 * that is one; if the program waits for any child, or ignores SIGCHLD, the library cannot say how a
 * worker has ended.
 *
 * Loss. A worker that ends, hangs, or sends something that is not an answer is killed, and its
 * sessions are lost, each at its next call: a cell has state SNUG_STATE_LOST and status
 * SNUG_STATUS_CRASHED, SNUG_STATUS_TIMEOUT or SNUG_STATUS_INTERRUPTED, and other calls are
 * SNUG_EDEAD. A reset, a restore or a new session starts another worker and binds the tools again;
 * the host stays usable. The result of such a cell has its tool calls, but no output except what
 * on_output was given, no artifacts and no spill files.
 *
 * Time. A cell that its worker's own ladder does not end is answered worker_grace_ms after its wall
 * limit, or after snug_session_interrupt; while the worker says that it is at that, up to sixteen
 * times as long after it. Other calls are answered after the session's wall limit,
 * a minute and worker_grace_ms. A worker that accepts nothing, or is silent for twice as long while
 * it is asked, is killed earlier; a silent one that gets no processor of a busy machine has eight
 * times as long. The time that callbacks take in this process is not counted. If this process
 * itself was stopped and continues, it takes the answers that arrived in the meantime.
 *
 * Files. With worker_command, workdir, mounts and snug_session_workdir name places where the
 * worker is, and the files of a session go with it: when it is lost, functions for files are
 * SNUG_EDEAD too. Otherwise they are here and stay. Saved sessions are always files here.
 *
 * Trust. What a worker says about its cells is only its word. The library still enforces what this
 * header promises: text is UTF-8, JSON is JSON, paths lead into the work directory, tools are
 * called by cells only and not more often than limits allow. A message is little more than 1 GiB at
 * most, and takes memory only as far as it has arrived. */

/* ---- session ---- */

typedef enum snug_kind {
    SNUG_KIND_RESTRICTED, /* a subinterpreter with the import allowlist */
    SNUG_KIND_FULL,       /* Python's main interpreter, in a worker of its own: for packages with
                        extensions in C. Nothing of Python is removed, and the process is the
                        boundary. A reset gives new names and a new history, but modules stay
                        loaded, and functions of atexit do not run. When the interpreter is lost,
                        so is its worker: further opens are SNUG_EDEAD. SNUG_EINVAL in a host of
                        form SNUG_FORM_LOCAL */
    SNUG_KIND_BASH        /* a shell: see "bash" below */
} snug_kind;

/* A file or folder outside that cells find under a name in the work directory. The struct never
 * changes: mounts is an array of it. */
typedef struct snug_mount {
    const char *path; /* on the host; it must exist */
    const char *name; /* in the work directory, without a slash; nothing may be there yet */
    int is_writable;
} snug_mount;

/* A call of a tool that the cell made, or was refused. */
typedef struct snug_tool_call {
    const char *name;
    /* "ok"; "error": snug_call_fail, or an answer that is not JSON; "timeout": the tool's own;
     * "cancelled": the cell gave it up, was stopped or ended; "denied": over the limit
     * tool_calls; "refused": by a rule, or by who was asked */
    const char *status;
    uint64_t start_ns;    /* since the cell began */
    uint64_t duration_ns; /* until the answer, or the end of the wait for it */
} snug_tool_call;

/* What becomes of a call before the tool is called. */
typedef enum snug_tool_decision {
    SNUG_TOOL_DECISION_ALLOW,
    SNUG_TOOL_DECISION_ASK, /* on_approval says */
    SNUG_TOOL_DECISION_DENY
} snug_tool_decision;

/* A rule for tools. The struct never changes: tool_rules is an array of it. */
typedef struct snug_tool_rule {
    const char *pattern; /* of the tool's name, as in a shell: "github_*", "*" */
    int only_read_only;  /* it is for tools with is_read_only alone */
    snug_tool_decision decision;
} snug_tool_rule;

/* Longer than a meeting or a meal, and not so long that a question that was forgotten keeps the
 * session's memory over night: four hours. */
#define SNUG_APPROVAL_MS UINT64_C(14400000)

typedef struct snug_session_options {
    size_t size;
    const char *name; /* for messages and results; NULL: "s1", "s2", ... */
    snug_kind kind;
    const char *profile;      /* a profile's name, or the path of its file if it has a slash;
                                 NULL: "core", and "data" in full sessions */
    const char *const *allow; /* further modules to allow, NULL-terminated; NULL: none. Installed
                                 packages too, with what they import, if they are written in
                                 Python only */
    const char *workdir;      /* an existing directory that cells may use, and that is left as it is
                                 at close; NULL: a private one in TMPDIR, removed at close */
    const snug_limits *limits; /* NULL: the defaults */
    /* Called on the thread that called snug_session_run, while the cell runs, with text
     * as it is printed: whole characters, len bytes, not NUL-terminated, valid during the
     * call. stream is SNUG_STREAM_STDOUT or SNUG_STREAM_STDERR. It must not use this session,
     * except to interrupt it. Text past the output limit is still passed on. NULL: none. */
    void (*on_output)(void *payload, snug_stream stream, const char *text, size_t len);
    void *payload;            /* of all callbacks */
    const snug_mount *mounts; /* mount_count of them, at most 16 */
    size_t mount_count;
    /* Called as on_output is, and in order with it, with what display() shows while the cell runs.
     * display is valid during the call, and NULL with SNUG_DISPLAY_EVENT_CLEAR. NULL: none. */
    void (*on_display)(void *payload, snug_display_event event, const snug_display *display);
    /* Called as on_output is, when a cell asks for a line: input(), sys.stdin.readline(), and
     * getpass.getpass(), which snug_call_name tells.
     * Answer call with snug_call_return_line, now or later, from any thread. prompt is
     * UTF-8 and lives until then; it is not part of stdout. The wait is bounded by input_ms of
     * the limits, and does not count in wall_ms. NULL: input() raises EOFError. */
    void (*on_input)(void *payload, snug_call *call, const char *prompt);
    /* For code that the caller trusts, in small pieces: cells run on the thread that opens the
     * session, which saves what two threads take to hand a cell over. That thread alone uses the
     * session (SNUG_EINVAL on others), but any thread may interrupt it, or close it when it is not
     * in use. No filter of the kernel holds the cells then: the import gate, the audit hook and the
     * limits of cells are all there is. The thread's floating-point environment (rounding, traps,
     * flags) is put aside meanwhile; sessions never see it. A stop has three rungs, and code that
     * none of them ends keeps the caller for ever; so does, on Python 3.11, another session that
     * keeps the GIL: patience_ms is for sessions with a thread of their own. on_output and
     * on_display are called when the cell has ended. SNUG_EINVAL with a kind other than
     * SNUG_KIND_RESTRICTED, a host of another form than SNUG_FORM_LOCAL, threads, on_input or
     * tools. */
    int on_caller_thread;
    const char *packages; /* a folder of packages, made by `pip install --target`, or the
                             site-packages of a virtual environment; NULL: the one of the system's
                             Python. In a full session it is first on sys.path, and the packages
                             that allow names must be there: SNUG_ENOTFOUND, with those that are */
    /* Called as on_output is, and in order with it, when a call of a tool is over: what was printed
     * before the call has been passed on, what is printed behind it has not. Not for calls that
     * are denied, which the result alone lists. call is valid during the call. NULL: none. */
    void (*on_tool_call)(void *payload, const snug_tool_call *call);
    char *error; /* where an open that fails leaves its sentence, as in snug_host_options */
    size_t error_bytes;
    /* Of the rules, tool_rule_count of them, the first that fits a tool decides about its calls;
     * where none does, they are allowed. A call that is denied raises ToolRefused in the cell.
     * They stay with the session, over resets too. SNUG_EINVAL for a rule without a pattern. */
    const snug_tool_rule *tool_rules;
    size_t tool_rule_count;
    /* Called as on_input is, with a call that a rule asks about, before its tool is called. Answer
     * it with snug_call_approve, now or later, from any thread; snug_call_name and
     * snug_call_arguments tell what is asked. The cell waits until then: its wall_ms and the tool's
     * timeout_ms stand still, all other limits hold, and no GIL is held; other threads and awaited
     * calls of the cell go on. A stop, an interrupt or the end of the cell ends the wait, and the
     * loss of the session: the answer is SNUG_ENOTFOUND then. NULL: such calls are refused. */
    void (*on_approval)(void *payload, snug_call *call);
    /* For which a call waits for its approval; then it is refused. 0: SNUG_APPROVAL_MS.
     * SNUG_UNLIMITED: for ever. */
    uint64_t approval_ms;
    snug_journal *journal; /* that its calls are written to or answered from: see "journals"; NULL:
                              none */
    /* For runs that are the same each time: docs/repeatable.md. The session's own clock begins at
     * that time, in milliseconds since 1970, and stands still but for a microsecond with each
     * reading and for what time.sleep and its like wait; limits keep the machine's. 0: the
     * machine's clock. SNUG_EINVAL past the year 2261, and in a session of bash, as has_seed there.
     */
    uint64_t clock_ms;
    /* Not 0: what cells draw of random, secrets, uuid, os.urandom and numpy.random follows from
     * seed, and addresses in what they show are " at 0x...". Nothing that they draw is secret then.
     * A reset begins again, with the clock too. */
    int has_seed;
    uint64_t seed;
} snug_session_options;
#define SNUG_SESSION_OPTIONS_INIT                                                               \
    {                                                                                           \
        sizeof(snug_session_options), NULL, SNUG_KIND_RESTRICTED, NULL, NULL, NULL, NULL, NULL, \
            NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0  \
    }

/* Opens a session of the host with a new interpreter. options may be NULL. SNUG_EINVAL for options
 * that are not allowed together, SNUG_ENOTFOUND for a profile or package that is not there. Any
 * thread, while the host is open. */
SNUG_EXTERN int snug_session_open(snug_session **out, snug_host *host,
                                  const snug_session_options *options);
/* Ends the session, and gives back its interpreter, thread and private work directory. Functions of
 * atexit and finalizers run for five seconds at most, or the session's wall limit if that is less.
 * What does not end then is left to the host, which takes it back when it has ended
 * (snug_health.hung_threads), and so is what waits for the GIL of Python 3.11 after the host's
 * patience_ms: the session is gone for its caller in any case. SNUG_EBUSY while another call uses
 * it, also one further up on this thread (a tool): then it is as it was. NULL is fine. */
SNUG_EXTERN int snug_session_close(snug_session *session);
/* The same with another time for functions of atexit and finalizers. 0: they are stopped as soon as
 * they begin, and a call that uses the session is ended first, as snug_session_interrupt does it:
 * SNUG_EBUSY only where that has not returned after the host's patience_ms. */
SNUG_EXTERN int snug_session_close_within(snug_session *session, uint64_t ms);
/* Gives the session a new interpreter with the same options: names, imports and history are
 * forgotten, files in the work directory stay. A lost session is reset at once, also while the code
 * of its last cell has not ended: that goes on by itself, with the old names, and may still write
 * into the work directory. Not so a local one of SNUG_KIND_FULL, which has the process's main
 * interpreter: until that code has ended it is SNUG_EDEAD. SNUG_ETIMEOUT: on Python 3.11 another
 * session, or this one's last cell, holds the GIL; the session is as it was. */
SNUG_EXTERN int snug_session_reset(snug_session *session);
/* The name, as given or made at the open. */
SNUG_EXTERN const char *snug_session_name(const snug_session *session);
/* The kind, as given at the open. */
SNUG_EXTERN snug_kind snug_session_kind(const snug_session *session);
/* The work directory, an absolute path. Where a worker keeps it in memory (kinds SNUG_KIND_FULL and
 * SNUG_KIND_BASH, without a workdir and mounts), the path is valid in the worker only. */
SNUG_EXTERN const char *snug_session_workdir(const snug_session *session);
/* The id of the process that the session lives in: that of its worker or worker_command; 0 if that
 * has ended, and for the form SNUG_FORM_LOCAL. For information only; do not wait for it. */
SNUG_EXTERN int64_t snug_session_process(const snug_session *session);
/* As snug_host_error, of the last function that has failed on this session. */
SNUG_EXTERN int snug_session_error(const snug_session *session, char *buffer, size_t bytes);
/* How many cells the session has run since it was opened or reset, and before it was saved if it
 * was restored. */
SNUG_EXTERN uint64_t snug_session_execution_count(const snug_session *session);
/* Ends the cell that is running now, if there is one, with SNUG_STATUS_INTERRUPTED. It never
 * reaches a later cell. Any thread, but not from a signal handler. */
SNUG_EXTERN void snug_session_interrupt(snug_session *session);
/* The same where a person has asked for it, who wants to have the names afterwards: in a session of
 * kind SNUG_KIND_FULL the cell gets KeyboardInterrupt once, and what runs in C is waited for, at
 * most until the cell's limits end it. snug_session_interrupt ends it then, which may cost the
 * session. In sessions of other kinds it is snug_session_interrupt. */
SNUG_EXTERN void snug_session_interrupt_gently(snug_session *session);

/* Runs one cell to its end, on the session's thread, while the caller waits. limits may be NULL,
 * and a limit that is zero is the session's; threads and memory_bytes are always the session's.
 * Source that cannot be a cell (invalid UTF-8, a NUL byte, too long) gives a result with a syntax
 * error, not an error here. SNUG_EBUSY if the session is in use, SNUG_EDEAD if it is lost. */
SNUG_EXTERN int snug_session_run(snug_result **out, snug_session *session, const char *source,
                                 size_t len, const snug_limits *limits);

/* The same without a trace among the names, to check what cells have made: the source runs in a
 * copy of the namespace that is gone afterwards, it does not enter the history (In, Out, _), and
 * its execution count is 0. What it does to objects, files and modules stays done. */
SNUG_EXTERN int snug_session_run_aside(snug_result **out, snug_session *session, const char *source,
                                       size_t len, const snug_limits *limits);
/* The same in the namespace itself, in which names that it makes stay: a cell that is not recorded.
 * Jupyter's store_history=False. */
SNUG_EXTERN int snug_session_run_unrecorded(snug_result **out, snug_session *session,
                                            const char *source, size_t len,
                                            const snug_limits *limits);

/* Binds name, an identifier that is not a keyword, to the value of len bytes of JSON, which becomes
 * Python's as the answer of a tool does. It is not among the changes of any result. SNUG_EINVAL
 * with what is wrong with name or JSON; SNUG_ENOMEM if the session's memory is used up;
 * SNUG_ESTOPPED if a limit of the session ended it first. */
SNUG_EXTERN int snug_session_set_variable(snug_session *session, const char *name, const char *json,
                                          size_t len);

/* Remembers which names there are and what they mean, in place of an earlier checkpoint. The values
 * are kept alive by it. */
SNUG_EXTERN int snug_session_checkpoint(snug_session *session);
/* Goes back to the checkpoint: names mean what they meant then, and names made since are gone. What
 * was changed within an object, a file or a module stays changed, and so do In, Out and _. The
 * checkpoint stays. SNUG_ENOTFOUND without one; a reset and a restore forget it. */
SNUG_EXTERN int snug_session_rollback(snug_session *session);
/* Forgets the checkpoint, and no longer keeps its values alive. */
SNUG_EXTERN int snug_session_forget_checkpoint(snug_session *session);

/* Whether source is a whole cell, as a prompt wants to know: 1 if it is, right or wrong; 0 if more
 * lines would complete it; otherwise an error. Runs nothing. The name is Jupyter's, like the next
 * one. */
SNUG_EXTERN int snug_session_is_complete(snug_session *session, const char *source, size_t len);

typedef enum snug_completeness {
    SNUG_COMPLETENESS_INCOMPLETE, /* more lines would complete it */
    SNUG_COMPLETENESS_COMPLETE,
    SNUG_COMPLETENESS_INVALID /* no further lines make it a cell that is right */
} snug_completeness;
/* The same with a third answer. A snug_completeness, or an error. */
SNUG_EXTERN int snug_session_completeness(snug_session *session, const char *source, size_t len);

/* Finds the names that could stand at byte cursor of source: names of the namespace, attributes,
 * modules after import, keywords; before them, of the call that is open, "key="; magics behind "%";
 * within a literal, keys of the dict or of the DataFrame of pandas that it is an index of, or else
 * files of the work directory and of mounts, as that literal has to spell them. May run properties
 * of the session's objects, up to its wall limit. */
SNUG_EXTERN int snug_session_complete(snug_completion **out, snug_session *session,
                                      const char *source, size_t len, size_t cursor);
/* How many matches there are. */
SNUG_EXTERN size_t snug_completion_match_count(const snug_completion *completion);
/* The whole name that matches; NULL past the end. */
SNUG_EXTERN const char *snug_completion_match(const snug_completion *completion, size_t index);
/* What it names: "function", "class", "module", "instance", "keyword", "param", "magic",
 * "dict key" or "path"; "" where only running code would tell. NULL past the end. */
SNUG_EXTERN const char *snug_completion_type(const snug_completion *completion, size_t index);
/* The byte of source where the matches begin: they replace what stands from there to the cursor. */
SNUG_EXTERN size_t snug_completion_start(const snug_completion *completion);
/* Frees the matches. */
SNUG_EXTERN void snug_completion_free(snug_completion *completion);

/* Describes the names that cells have made, in the order of the namespace:
 *   {"schema": "snug.variables/1", "session": "s1", "variables": [{"name": "rows", "type": "list",
 *    "bytes": 88, "length": 3, "summary": "[1, 2, 3]"}]}
 * bytes is the size of the object itself, without what it refers to, and null if that is not known;
 * length is there if the value has one. Runs code of the session's objects (__repr__, __len__)
 * under its limits: SNUG_ESTOPPED if one of these, or an interrupt, ended it. */
SNUG_EXTERN int snug_session_list_variables(snug_description **out, snug_session *session);
/* Describes the dotted name at byte cursor of source, or the function in whose call the cursor
 * stands:
 *   {"schema": "snug.inspection/1", "session": "s1", "found": true, "name": "f", "type":
 * "function", "text": null, "signature": "(a, b=2)", "docstring": "...", "source": "def f...",
 * "module": "__main__"} with null for what it has not; or "found": false. Runs properties of the
 * session's objects, under its limits, as above. */
SNUG_EXTERN int snug_session_inspect(snug_description **out, snug_session *session,
                                     const char *source, size_t len, size_t cursor);
/* The description as JSON. */
SNUG_EXTERN const char *snug_description_json(const snug_description *description, size_t *len);
/* Frees the description. */
SNUG_EXTERN void snug_description_free(snug_description *description);

/* ---- bash ---- */

/* A session of kind SNUG_KIND_BASH is one bash that lives from cell to cell: variables, functions,
 * the current folder, exported names, shell options and background jobs stay. It needs a host of
 * form SNUG_FORM_WORKER without worker_command (else SNUG_EINVAL), and has a worker of its own in a
 * sandbox that the program bwrap makes: no network, no other process, nothing of this process's
 * environment, and no files except the system's programs (read-only), a private /tmp, the work
 * directory and the mounts. SNUG_EPOLICY if bwrap is missing or not permitted.
 *
 * A cell's result is that of cells in Python with these differences. It has no value and no
 * displays. Its status is ok where the exit status of its last command is 0, else error, with the
 * error's name ExitStatus, value "exit status 3", and the end of stderr as the traceback. A cell
 * that bash cannot parse is a syntax error, and nothing of it has run. `exit n` ends the cell;
 * where the shell itself ends (set -e, a signal), a new one gets its variables, functions, options,
 * traps and folder, and background jobs run on without it; where that is not possible (exec,
 * SIGKILL), the session is lost. Programs find the end of file on stdin; the builtin read asks
 * on_input for a line, where there is one. What background jobs print between cells belongs to the
 * next one.
 *
 * Limits: wall_ms, cpu_ms and session_cpu_ms of all processes together, memory_bytes of each
 * process and of all (resident), 64 processes and threads of the session together, and
 * snug_limits.threads more; disk_bytes of each file and, with disk_files, of the directory. They
 * are looked at every 10 ms (the directory: 100 ms) while a cell runs. A cell over a limit, or
 * interrupted, gets SIGINT, after 200 ms SIGTERM and after 400 ms SIGKILL for its processes; the
 * shell is given up after 900 ms.
 *
 * snug_session_set_variable binds a variable to a string's text, or to the JSON. SNUG_EINVAL with a
 * sentence: checkpoints, inspection, saving, restoring, tools. snug_session_complete finds
 * nothing. profile, allow and displays mean nothing here. */

/* ---- saved sessions ---- */

/* Saves the session to a file at path, which replaces a file that is there, whole or not at all;
 * SNUG_EINVAL for a folder, device or pipe. The file's mode is 0600. The session stays as it is.
 *
 * Saved are names with their values, as far as these can be pickled; functions and classes by the
 * sources of their cells; imports by name; In, Out, the number of cells and the __future__
 * statements in force; the state of random and decimal; files and folders of the work directory,
 * within disk_bytes and disk_files, without links and mounts. What cannot be saved (generators,
 * open files, locks, ...) is left out with a reason, and never fails the whole.
 *
 * Code of the session runs meanwhile (__reduce__, __getstate__), under its wall and processor
 * limits as a cell's does, and twice its memory: SNUG_ESTOPPED if it did not end by itself, and no
 * file is written; SNUG_EDEAD if the session is lost with it. A file is at most 1 GiB. */
SNUG_EXTERN int snug_session_save(snug_saved **out, snug_session *session, const char *path);
/* Makes the session what the saved one was. It is reset first, so what it has now is gone; its
 * options (profile, limits, mounts) stay. A lost session can be restored too.
 *
 * SNUG_EINVAL for a file that is damaged, cut short, of a newer snug, or not a saved session; then
 * nothing has been run or changed. A file can make the session run what a cell could, under the
 * same rules and limits (memory as for a save), and no more: class statements run, as does what
 * classes of the cells define (__setstate__, __init_subclass__) and what pickles name. What cannot
 * be built is left out with a reason. After SNUG_ESTOPPED the
 * session is as after a reset, except for files. A file of another Python (3.11 to 3.14) can be
 * restored; what is not found in the code that this Python makes of a cell is left out.
 *
 * The saved files are written to the work directory. Where a file is there already, a private work
 * directory gets the saved one, and a directory that was named keeps its own. */
SNUG_EXTERN int snug_session_restore(snug_saved **out, snug_session *session, const char *path);

/* A name of the namespace, and what became of its value. */
typedef struct snug_binding {
    const char *name;
    const char *how;    /* "value", "source", "import" or "tool"; NULL if it was left out */
    const char *reason; /* why it was left out; else NULL */
} snug_binding;

/* How many names were saved, restored or left out. */
SNUG_EXTERN size_t snug_saved_binding_count(const snug_saved *saved);
/* A name; those that were saved or restored come first. NULL past the end. */
SNUG_EXTERN const snug_binding *snug_saved_binding(const snug_saved *saved, size_t index);
/* How many files and folders of the work directory were saved or restored. */
SNUG_EXTERN size_t snug_saved_file_count(const snug_saved *saved);
/* {"schema": "snug.saved/1", "session": ..., "path": ..., "saved" or "restored": [{"name", "how"}],
 * "skipped": [{"name", "reason"}], "files": n, "skipped_files": [{"path", "reason"}]}; NULL if
 * memory ran out. len may be NULL. */
SNUG_EXTERN const char *snug_saved_json(const snug_saved *saved, size_t *len);
/* Frees the account; the file stays. */
SNUG_EXTERN void snug_saved_free(snug_saved *saved);

/* ---- notebooks ---- */

/* A notebook is a list of cells with what became of them, to be written as a file. It is used from
 * one thread at a time, and needs neither host nor session. A picture that is there as PNG is left
 * out as SVG. */
typedef enum snug_notebook_format {
    SNUG_NOTEBOOK_IPYNB, /* Jupyter's, nbformat 4.5, with outputs */
    SNUG_NOTEBOOK_PY     /* sources, each below a line "# %%" */
} snug_notebook_format;

/* Makes an empty notebook. */
SNUG_EXTERN int snug_notebook_open(snug_notebook **out);
/* Appends a cell. result is not kept; it is NULL for a cell that was not run. SNUG_EINVAL for
 * source that is not valid UTF-8 or contains a NUL byte. */
SNUG_EXTERN int snug_notebook_add(snug_notebook *notebook, const char *source, size_t len,
                                  const snug_result *result);
/* The whole text, which belongs to the notebook and lives until its next call; NULL if memory ran
 * out. */
SNUG_EXTERN const char *snug_notebook_text(snug_notebook *notebook, snug_notebook_format format,
                                           size_t *len);
/* Writes the notebook to path, whole or not at all, in the format that the path's ending names:
 * .ipynb or .py. SNUG_EINVAL for another ending, and if a folder, device or pipe is there. */
SNUG_EXTERN int snug_notebook_write(snug_notebook *notebook, const char *path);
/* Frees the notebook. */
SNUG_EXTERN void snug_notebook_close(snug_notebook *notebook);

/* ---- files ---- */

/* The work directory as the host uses it, between cells (SNUG_EBUSY while one runs). A path is
 * UTF-8 and relative to the work directory: no "/" in front or behind, no empty name, no "." and
 * no "..", 255 bytes a name, 4,095 in all; else SNUG_EINVAL. Cells may have put anything anywhere:
 * nothing here follows a symbolic link, waits for a pipe or opens a device. Mounts are links too:
 * what is in them is the host's own, to be used there, and they stay where they are. */

/* Writes a file of len bytes, in one step: whoever has an old file of that name open keeps it.
 * Missing folders are made. The file counts towards disk_bytes and disk_files of the session; if it
 * does not fit, the answer is SNUG_ESYSTEM with EDQUOT. data may be NULL if len is 0. SNUG_EDEAD in
 * a lost session. */
SNUG_EXTERN int snug_session_put_file(snug_session *session, const char *path, const void *data,
                                      size_t len);

/* Reads a whole file. SNUG_EINVAL, with its size, if it has more than max_bytes; 0 means 64 MiB.
 * SNUG_ENOTFOUND if there is none. Works in a lost session too. */
SNUG_EXTERN int snug_session_get_file(snug_file **out, snug_session *session, const char *path,
                                      size_t max_bytes);
/* The bytes, followed by a NUL. Never NULL. */
SNUG_EXTERN const char *snug_file_data(const snug_file *file, size_t *len);
/* Its media type ("text/csv"), by the ending of its name, else by its first bytes. */
SNUG_EXTERN const char *snug_file_mime(const snug_file *file);
/* Frees the bytes; the file stays. */
SNUG_EXTERN void snug_file_free(snug_file *file);

typedef enum snug_entry_kind {
    SNUG_ENTRY_FILE,
    SNUG_ENTRY_FOLDER,
    SNUG_ENTRY_LINK, /* a symbolic link, or a mount */
    SNUG_ENTRY_OTHER /* a pipe, a socket, a device */
} snug_entry_kind;

typedef struct snug_entry {
    const char *path; /* relative to the work directory. A byte that is not UTF-8 is U+FFFD here,
                         and the file cannot be asked for by that path */
    snug_entry_kind kind;
    uint64_t bytes;      /* of a file; else 0 */
    int64_t modified_ns; /* since 1970 */
} snug_entry;

/* Lists all that is in the work directory: each folder's names in the order of their bytes, a
 * folder before what is in it. At most 100,000 entries, and 16 MiB of JSON in an answer. Works in a
 * lost session too. */
SNUG_EXTERN int snug_session_list_files(snug_listing **out, snug_session *session);
/* How many entries there are. */
SNUG_EXTERN size_t snug_listing_entry_count(const snug_listing *listing);
/* An entry; NULL past the end. */
SNUG_EXTERN const snug_entry *snug_listing_entry(const snug_listing *listing, size_t index);
/* 1 if everything is listed; 0 if there is more, past these bounds, below 128 nested folders, or in
 * a folder that cannot be read. */
SNUG_EXTERN int snug_listing_is_whole(const snug_listing *listing);
/* Frees the list. */
SNUG_EXTERN void snug_listing_free(snug_listing *listing);

/* Removes a file, a link, or a folder with all that is in it. SNUG_ENOTFOUND if there is none,
 * SNUG_EINVAL for a mount. Works in a lost session too. */
SNUG_EXTERN int snug_session_remove_file(snug_session *session, const char *path);
/* "file", "folder", "link" or "other". */
SNUG_EXTERN const char *snug_entry_kind_name(snug_entry_kind kind);

/* ---- tools ---- */

/* A tool is a function of the program that cells can call. What a cell passes travels as one JSON
 * object, the parameters' names with their values; the answer is any JSON value, which the cell
 * gets as Python's.
 *
 * JSON may be made of None, bool, int, float, str, list, tuple (as a list), dict with str
 * keys, and what is derived from them. Before anything is called, other values raise
 * TypeError, and nan, inf, half a surrogate pair and integers of more than 4,300 digits
 * ValueError; each names the argument. The names are those of the signature; the
 * values can be of any type, whatever its annotations say. In an answer integers of that
 * many digits are whole, and an escape of half a surrogate pair is what Python's json
 * makes of it. Neither may have more than SNUG_TOOL_BYTES, nor be nested deeper than 200
 * levels.
 *
 * If a call fails, ToolError is raised in the cell, a RuntimeError that is among its builtins; at
 * the time-out it is ToolTimeout, which is both a ToolError and a TimeoutError. */
#define SNUG_TOOL_BYTES (16u * 1024 * 1024)

/* How calls are made, for is_async. */
#define SNUG_TOOL_AWAITED 1
#define SNUG_TOOL_EITHER  2

typedef struct snug_tool {
    size_t size;
    const char *name; /* an identifier, or two with a dot between them, "github.search": then cells
                         have an object github with the function search. The first is not a
                         keyword, a name that the session keeps (In, Out, _, _3) or a module has
                         (__name__), a built-in name (print, sum, display, input), or the name of a
                         module that cells may import: snug_tool_check_name */
    const char *signature; /* Python's parameters on one line, "query: str, limit: int = 10";
                              annotations and defaults may name bool, int, float, str, list,
                              dict, tuple, set, bytes and object. NULL: any keyword
                              arguments */
    const char *doc;       /* the docstring; may be NULL */
    int is_async;          /* SNUG_TOOL_AWAITED: calls are awaited, await search("x"). Several can
                              be under way at once, under asyncio.gather, and be answered in any
                              order. SNUG_TOOL_EITHER: the same where an async def, or a cell with
                              an await, awaits the answer or gives it to asyncio; all other code
                              gets the answer itself. 0: all code does */
    int takes_any;         /* an argument that has no JSON travels as its text instead, as
                              SNUG_STREAM_VALUE would show it */
    uint64_t timeout_ms;   /* of a call; 0: that of its cell */
    /* Called on the thread that called snug_session_run, while the cell runs. arguments is
     * one JSON object, and lives until the call is answered. Each call must be answered once,
     * by snug_call_return or snug_call_fail, here or later, on any thread, and even if nobody
     * waits for the answer any more. It must not use the session, except to interrupt it.
     *
     * What takes long is better answered from another thread: the cell's limits apply while this
     * runs, and end the cell, but snug_session_run cannot return before this does, nor hand over
     * another call. */
    void (*fn)(void *payload, snug_call *call, const char *arguments);
    void *payload;          /* in use until the session is closed or the name is bound again */
    uint64_t is_untimed;    /* while a call of it is under way, the wall_ms of its cell stand still;
                               all other limits hold. For what may take long and has a limit of its
                               own */
    uint64_t is_read_only;  /* it changes nothing: for rules with only_read_only */
    const char *stub;       /* what a .pyi file has behind the name, "(query: str) -> list[dict]",
                               which may say more than the signature: for an agent's prompts and
                               the scan of its programs. NULL: the signature in brackets */
    uint64_t is_unrecorded; /* its calls are not part of a journal, and reach fn in a replay too:
                               for what steers the program itself */
    const char *origin;     /* its name where it comes from, "github.delete-repo", if that is
                               another one: rules that ask or deny by it hold too. NULL: none */
} snug_tool;
#define SNUG_TOOL_INIT                                                                \
    {                                                                                 \
        sizeof(snug_tool), NULL, NULL, NULL, 0, 0, 0, NULL, NULL, 0, 0, NULL, 0, NULL \
    }

/* Binds the tool to its name in the namespace, where it stays until the session is closed; a reset
 * binds it again. Binding a name a second time replaces the tool, and a function that a cell kept
 * of the old one raises ToolError. SNUG_EINVAL with what is wrong with name or signature;
 * SNUG_ENOMEM also if the session's memory is used up; SNUG_ESTOPPED if a limit of the session
 * ended it first. A stop, an interrupt or the end of the cell ends its calls; later answers are
 * dropped. */
SNUG_EXTERN int snug_session_bind_tool(snug_session *session, const snug_tool *tool);

/* Whether a tool may have the name, in sessions with that profile and these further modules (as in
 * snug_session_options): SNUG_EINVAL, with the reason, if it is the name of a built-in or a module,
 * because cells would then call the tool and mean something else. For programs that take names from
 * elsewhere, and can change them. */
SNUG_EXTERN int snug_tool_check_name(const char *name, const char *profile,
                                     const char *const *allow);

/* Answers a call with len bytes of JSON. Do not use call afterwards, whatever the return value.
 * SNUG_EINVAL if the answer is not JSON, or too large: then ToolError is raised in the cell.
 * SNUG_ENOTFOUND if nobody waits for it any more; the session may have been closed since. Any
 * thread. */
SNUG_EXTERN int snug_call_return(snug_call *call, const char *json, size_t len);
/* The same for a call that failed: ToolError is raised in the cell, with that message, which may be
 * NULL. */
SNUG_EXTERN int snug_call_fail(snug_call *call, const char *message);
/* The same for on_input, with len bytes of a line without its end. Bytes that are not UTF-8 become
 * U+FFFD. NULL: there is no line, and input() raises EOFError. */
SNUG_EXTERN int snug_call_return_line(snug_call *call, const char *line, size_t len);
typedef enum snug_approval {
    SNUG_APPROVAL_REFUSE,
    SNUG_APPROVAL_ONCE,
    SNUG_APPROVAL_ALWAYS /* and further calls of this tool are not asked about, until the session is
                            closed or the name is bound again */
} snug_approval;
/* The same for on_approval. Approved, the tool is called next, as its fn says, and answers the
 * call; refused, ToolRefused is raised in the cell, a ToolError, with the reason, which may be
 * NULL. SNUG_EINVAL for another answer, which refuses, and for a call that does not wait for this,
 * which fails. */
SNUG_EXTERN int snug_call_approve(snug_call *call, snug_approval answer, const char *reason);
/* 1 while the cell waits for the answer, so that long work can see whether it is still worth it.
 * Any thread, before the call is answered; so with the next two. */
SNUG_EXTERN int snug_call_is_wanted(const snug_call *call);
/* The name of the tool; "input" for on_input, and "getpass" where what is typed is not to be seen:
 * getpass.getpass() of a cell. */
SNUG_EXTERN const char *snug_call_name(const snug_call *call);
/* The arguments that fn was given, or will be. */
SNUG_EXTERN const char *snug_call_arguments(const snug_call *call);

/* ---- journals ---- */

/* A journal gets each call of a tool that cells make, when it is over: a line of JSON with
 * arguments and answer. With such lines a later run answers the same calls, in the same order,
 * without making them: no tool, rule or on_approval is asked.
 *
 * A line has one object:
 *
 *     {"schema": "snug.call/1", "session": "s1", "call": 2, "cell": 1, "tool": "price",
 *      "arguments": {"item": "tea"}, "status": "ok", "answer": 4.5,
 *      "time": "2026-11-28T10:15:00.123Z", "duration_ms": 0.8}
 *
 * call counts the calls of sessions of that name from 1, in the order in which they were made; the
 * lines stand in the order in which these were over. cell is snug_result_execution_count. status is
 * as in snug_tool_call; instead of an answer there is "error", its sentence, but not with
 * "cancelled". time is when the call was made. Calls that are denied are in no journal, nor are
 * lines for input(). */
typedef struct snug_journal_options {
    size_t size;
    /* Called with a line, len bytes with its line feed at the end, not NUL-terminated, by the
     * thread that runs the cell, after the call is over; for one session at a time. It must not use
     * the session or the journal. NULL: nothing is written. */
    void (*write)(void *payload, const char *line, size_t len);
    /* Takes out of text what is to stand in no journal, and answers the length that is left, at
     * most len: called for each line before it is written, and in a replay for the arguments of
     * each call before they are compared. Called as write is. NULL: none. */
    size_t (*hide)(void *payload, char *text, size_t len);
    void *payload;
    /* The lines of an earlier run, replay_len bytes, which are copied: a replay. Each call of a
     * session has to be the call of that number of the session of its name, with the same tool and
     * arguments, and ends as that one did; where calls are under way at a time, in the order of the
     * lines. One that was cancelled has no answer, until the cell gives it up. Of a call that
     * differs, and of all calls of the session behind it, ToolRefused is raised, with what differs.
     * The time-outs of tools do not count, nor is_untimed.
     *
     * Lines with another schema are passed over. Where several runs have written to one file, each
     * behind a line of the schema "snug.journal/1", written as the line above is, it is the last
     * one. NULL: no replay. */
    const char *replay;
    size_t replay_len;
} snug_journal_options;
#define SNUG_JOURNAL_OPTIONS_INIT                               \
    {                                                           \
        sizeof(snug_journal_options), NULL, NULL, NULL, NULL, 0 \
    }

/* Opens a journal for any number of sessions, of any hosts. SNUG_EINVAL, with its number, for a
 * line of replay that is damaged, cut, or out of place. Any thread. */
SNUG_EXTERN int snug_journal_open(snug_journal **out, const snug_journal_options *options);
/* What was different at the first call of a replay that differed, one sentence; NULL while none
 * has. Any thread, until the journal is closed. */
SNUG_EXTERN const char *snug_journal_difference(const snug_journal *journal);
/* How many calls of the replay were not made, and the first of these in buffer, as a sentence, cut
 * to bytes at a character; empty if there are none. buffer may be NULL. Any thread. */
SNUG_EXTERN size_t snug_journal_left(snug_journal *journal, char *buffer, size_t bytes);
/* Closes the journal. Sessions that still have it write no more, and their replay is over. NULL is
 * fine. */
SNUG_EXTERN void snug_journal_close(snug_journal *journal);

/* ---- result ---- */

/* How the cell ended. */
SNUG_EXTERN snug_status snug_result_status(const snug_result *result);
/* What is left of the session. */
SNUG_EXTERN snug_state snug_result_state(const snug_result *result);
/* The number of the cell in its session, from 1; 0 for what was run aside. */
SNUG_EXTERN uint64_t snug_result_execution_count(const snug_result *result);
/* One of the result's texts. Never NULL. */
SNUG_EXTERN const char *snug_result_text(const snug_result *result, snug_stream stream,
                                         size_t *len);
/* How many bytes the cell wrote to the stream, kept or not. */
SNUG_EXTERN uint64_t snug_result_total_bytes(const snug_result *result, snug_stream stream);
/* The file with the whole stream, if SNUG_STREAM_STDOUT or SNUG_STREAM_STDERR was over
 * output_bytes: its name in the session's work directory, "out-3.txt" or "err-3.txt" for the third
 * cell, "out-3-2.txt" if there was a file of that name. It is shorter than snug_result_total_bytes
 * if the work directory reached disk_bytes, or the cell was stopped while it printed. NULL if the
 * stream was not over its limit, if no file could be written, and for other streams. It is a file
 * like any other in the directory: later cells may read, change and remove it. */
SNUG_EXTERN const char *snug_result_spill(const snug_result *result, snug_stream stream);
/* The name of the value's type, "int"; empty without a value. */
SNUG_EXTERN const char *snug_result_value_type(const snug_result *result);
/* The value as JSON; NULL if it cannot be JSON, or is too large. */
SNUG_EXTERN const char *snug_result_value_json(const snug_result *result);
/* How many displays there are: what the cell has displayed, in order, with its value as the last
 * one, within display_bytes. A display that is larger is replaced by one sentence, or left out. */
SNUG_EXTERN size_t snug_result_display_count(const snug_result *result);
/* A display; NULL past the end, or if memory ran out. */
SNUG_EXTERN const snug_display *snug_result_display(const snug_result *result, size_t index);
/* How many displays were left out, because they were over display_bytes. */
SNUG_EXTERN uint64_t snug_result_displays_left_out(const snug_result *result);

/* A name of the namespace that means another object since the cell. */
typedef struct snug_change {
    const char *name;
    const char *type; /* of its value now, "int"; "" if it was deleted */
    const char *op;   /* "set" if it was not there before; "rebound"; "deleted" */
} snug_change;

/* How many changes there are: at most 1,000, within list_bytes, in the order of the namespace, with
 * deleted names last. A change within an object (a list that grows) is not a change of a name.
 * Names that the session keeps (In, Out, _, _3) or the module has (__name__) are left out. */
SNUG_EXTERN size_t snug_result_change_count(const snug_result *result);
/* A change; NULL past the end, or if memory ran out. */
SNUG_EXTERN const snug_change *snug_result_change(const snug_result *result, size_t index);

/* A file of the work directory that the cell has made or changed. */
typedef struct snug_artifact {
    const char *path; /* as in snug_entry */
    const char *mime; /* as snug_file_mime */
    uint64_t bytes;
} snug_artifact;

/* How many artifacts there are: at most 200, in the order of snug_session_list_files, as they are
 * when the cell has ended. Left out are files that were made and removed again, spill files,
 * folders, links, and what is in mounts. What the program changes in the directory while a cell
 * runs counts as the cell's, and so does what it changes between cells without the functions above,
 * if the next cell writes too. Only the first 10,000 entries are looked at. A change that leaves a
 * file's size the same, within one tick of the clock (4 ms) after a change by an earlier cell, is
 * seen from Linux 6.13 on. */
SNUG_EXTERN size_t snug_result_artifact_count(const snug_result *result);
/* An artifact; NULL past the end. */
SNUG_EXTERN const snug_artifact *snug_result_artifact(const snug_result *result, size_t index);
/* How many more artifacts there are than these 200. */
SNUG_EXTERN uint64_t snug_result_artifacts_left_out(const snug_result *result);

/* The name of the error, "NameError"; empty if there was none. */
SNUG_EXTERN const char *snug_result_error_name(const snug_result *result);
/* What the error says; empty if there was none. */
SNUG_EXTERN const char *snug_result_error_value(const snug_result *result);
/* What kind of error it was, one word: "syntax", "name", "import", ...; empty if there was none.
 * docs/errors.md lists them under "Categories". */
SNUG_EXTERN const char *snug_result_error_category(const snug_result *result);
/* One sentence that helps to repair the code; empty if there is none. */
SNUG_EXTERN const char *snug_result_error_hint(const snug_result *result);
/* The time that the run took, waits included. */
SNUG_EXTERN uint64_t snug_result_wall_ns(const snug_result *result);
/* The processor time of the session's threads, to a tenth of a millisecond; for a cell of some
 * microseconds it is its time by the clock. */
SNUG_EXTERN uint64_t snug_result_cpu_ns(const snug_result *result);
/* The most memory that the session used during the cell. */
SNUG_EXTERN uint64_t snug_result_peak_bytes(const snug_result *result);
/* The rung of the stop ladder that ended the cell: 0 none; 1 an exception that no
 * handler keeps; 2 allocations that answer NULL; 3 a jump out of the code (state
 * lost); 4 the caller was answered while the thread still ran (state lost). */
SNUG_EXTERN int snug_result_rung(const snug_result *result);

/* How many calls there are, in the order in which they were made, also of a cell that lost its
 * session: the first 10,000, and at most 50 that were denied. */
SNUG_EXTERN size_t snug_result_tool_call_count(const snug_result *result);
/* A call; NULL past the end. */
SNUG_EXTERN const snug_tool_call *snug_result_tool_call(const snug_result *result, size_t index);
/* The whole result as one JSON object, schema "snug.result/1", made at the first call. NULL if
 * memory ran out. */
SNUG_EXTERN const char *snug_result_json(const snug_result *result, size_t *len);
/* Frees the result. It may outlive its session and host. */
SNUG_EXTERN void snug_result_free(snug_result *result);

/* ---- scan ---- */

typedef struct snug_scan_options {
    size_t size;
    const char *profile;       /* as in snug_session_options */
    const char *const *allow;  /* as in snug_session_options */
    uint64_t max_source_bytes; /* 0: the default of source_bytes */
    uint64_t wall_ms;          /* 0: 5,000 */
    snug_kind kind;            /* SNUG_KIND_BASH: a script, of which length and forbid are judged */
    /* Further patterns that are findings, NULL-terminated; NULL: none. A name, "os.remove", where
     * the source imports, calls or otherwise uses that or what is below it, by any alias that the
     * scan follows; in bash, where a command has it. A POSIX extended regular expression in
     * slashes, "/rm +-rf/", where it is found in a line. */
    const char *const *forbid;
    /* Functions of the host that cells have, NULL-terminated; NULL: none. Each as it stands in a
     * .pyi file behind "def": "github.search(query: str, state: Literal['open', 'closed'] = 'open')
     * -> dict". Calls that cannot be right are findings: a function that its server does not have,
     * a missing or an unknown argument, a literal that its annotation rules out. A name that the
     * source binds itself is not the host's. */
    const char *const *tools;
} snug_scan_options;
#define SNUG_SCAN_OPTIONS_INIT                                                        \
    {                                                                                 \
        sizeof(snug_scan_options), NULL, NULL, 0, 0, SNUG_KIND_RESTRICTED, NULL, NULL \
    }

typedef struct snug_finding {
    const char *rule;    /* "syntax", "import", "call", "length", "forbid" or "tool" */
    unsigned line;       /* from 1; 0 for the whole source */
    unsigned column;     /* from 1, in characters; 0 for the whole line */
    const char *subject; /* what was found: "os.system", "socket" */
    const char *message; /* one sentence */
    const char *hint;    /* one that helps to repair it; "": there is none */
    const char *excerpt; /* the line, and below it one with a caret under the column; "": no line */
} snug_finding;

/* Judges source without running it: syntax, imports against the profile, forbidden calls, length.
 * Magics and what a session gives cells for other modules are judged as they would run.
 * It is parsed in an interpreter of the host in which no cell ever runs. What cannot be judged
 * within wall_ms, or takes more than 1 GiB, has one finding, of the rule "length". At most 1,000
 * findings are kept. options may be NULL. SNUG_EINVAL for a pattern or a tool that is none. Any
 * thread; one scan runs at a time. */
SNUG_EXTERN int snug_host_scan(snug_scan **out, snug_host *host, const char *source, size_t len,
                               const snug_scan_options *options);
/* How many findings there are; 0 if the source passed. */
SNUG_EXTERN size_t snug_scan_finding_count(const snug_scan *report);
/* A finding, in the order of the source; NULL past the end. */
SNUG_EXTERN const snug_finding *snug_scan_finding(const snug_scan *report, size_t index);
/* {"schema": "snug.scan/1", "ok": bool, "findings": [...]}; NULL if memory ran out. */
SNUG_EXTERN const char *snug_scan_json(const snug_scan *report, size_t *len);
/* Frees the findings. */
SNUG_EXTERN void snug_scan_free(snug_scan *report);

/* ---- general ---- */

/* The version of the library, "0.1.0", which may not be that of the header. */
SNUG_EXTERN const char *snug_version(void);
/* The name of an error, "SNUG_EINVAL". */
SNUG_EXTERN const char *snug_error_name(int error);
/* Why the last call on this thread failed, one sentence. Valid until the next one fails. */
SNUG_EXTERN const char *snug_error_message(void);
/* Sets that sentence, which is cut after 1,023 bytes, and returns error: for libraries on top of
 * this one, whose functions fail as snug's do. */
SNUG_EXTERN int snug_error_set(int error, const char *message);
/* The word for a status in snug.result/1: "ok", "error", ... */
SNUG_EXTERN const char *snug_status_name(snug_status status);
/* The word for a state: "kept" or "lost". */
SNUG_EXTERN const char *snug_state_name(snug_state state);

#ifdef __cplusplus
}
#endif

#endif
