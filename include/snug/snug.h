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
 *     puts(snug_result_text(result, SNUG_VALUE, NULL));
 *
 * Errors. A function that can fail returns SNUG_OK or a negative snug_error, and
 * leaves one sentence in snug_error_message(). What the code in a cell does
 * (raise, exceed a limit, be denied) is never such an error: it is the status
 * of the result.
 *
 * Ownership. snug_X_open, snug_session_run, snug_session_get and the like hand the caller an
 * object through their first argument, which is untouched on failure;
 * snug_X_close and snug_X_free take it back and accept NULL. Everything else
 * that is returned by pointer belongs to the object it was asked of and lives
 * as long as that. Arguments are copied. Text is UTF-8 and NUL-terminated.
 *
 * Threads. A host and a result may be used from any number of threads at once,
 * a session from one thread at a time, except snug_session_interrupt, which any
 * thread may call while the session is open. Cells run on a thread of the
 * session's own; callbacks run on the thread that called snug_session_run.
 * Error messages are per thread.
 *
 * Signals. Unless asked by SNUG_HOST_SIGNALS, the library installs no signal handler;
 * it leaves the process's
 * working directory, environment, locale and umask alone.
 *
 * Fork. A process that has opened a host must not fork without exec.
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
typedef struct snug_scan_report snug_scan_report;
typedef struct snug_completion snug_completion;
typedef struct snug_description snug_description;
typedef struct snug_saved snug_saved;
typedef struct snug_notebook snug_notebook;
typedef struct snug_file snug_file;
typedef struct snug_listing snug_listing;
typedef struct snug_call snug_call;

typedef enum snug_error {
    SNUG_OK = 0,
    SNUG_EINVAL = -1,  /* an argument or option is out of its domain */
    SNUG_ENOMEM = -2,  /* the host process ran out of memory */
    SNUG_ESYSTEM = -3, /* a system call failed; the message has its errno */
    SNUG_EPYTHON = -4, /* Python could not start, is not the one built for, or already runs here */
    SNUG_EPOLICY = -5, /* a profile is not readable or a kernel filter not available */
    SNUG_EBUSY = -6,   /* the session is running a cell, or the host has sessions open */
    SNUG_EDEAD = -7,   /* the session did not survive an earlier cell; reset or close it */
    SNUG_ENOTFOUND = -8, /* no such profile, limit, name or file */
    SNUG_ESTOPPED = -9   /* a save, restore, bind or listing reached a limit of the session, or its
                            code   kept it from ending */
} snug_error;

/* How a cell ended. What is left of the session is told apart, by snug_state. */
typedef enum snug_status {
    SNUG_STATUS_OK,          /* ran to its end; sys.exit(0) and quit() too */
    SNUG_STATUS_ERROR,       /* an exception left the cell, a SyntaxError included */
    SNUG_STATUS_DENIED,      /* the policy's own exception left the cell */
    SNUG_STATUS_TIMEOUT,     /* stopped at its time limit */
    SNUG_STATUS_MEMORY,      /* stopped at its memory limit */
    SNUG_STATUS_INTERRUPTED, /* stopped by snug_session_interrupt */
    SNUG_STATUS_CRASHED      /* a fault or an exit of the process was caught */
} snug_status;

typedef enum snug_state {
    SNUG_STATE_KEPT, /* the namespace is as the cell left it */
    SNUG_STATE_LOST  /* the interpreter had to be given up; runs answer SNUG_EDEAD until a reset */
} snug_state;

/* The texts of a result. */
typedef enum snug_stream {
    SNUG_VALUE, /* repr of the last expression, clipped in the middle; empty if there is none */
    SNUG_STDOUT,
    SNUG_STDERR,
    SNUG_TRACEBACK /* as Python prints it, the host's own frames left out */
} snug_stream;

/* ---- displays ----------------------------------------------------------- */

/* One form of a display. */
typedef struct snug_mime {
    const char *type; /* "text/html" */
    const char *data; /* UTF-8; what is binary by its type ("image/png") as base64 */
    size_t len;       /* of data, in bytes */
    int is_json;      /* data is a JSON value and not text */
} snug_mime;

/* What a cell shows besides its streams: by display(), and as the value of its last
 * expression. A bundle of forms of the same thing, of which a front end shows the one that
 * it shows best. Types and fields are Jupyter's (display_data and execute_result). */
typedef struct snug_display {
    int is_main_result; /* the value; there is one at most, and it is the last */
    int is_update;      /* instead of what an earlier cell has shown under that id */
    const char *id;     /* display_id; "" without one */
    uint64_t stdout_bytes, stderr_bytes; /* written by the cell before it */
    const snug_mime *parts;
    size_t part_count;
    const char *metadata_json; /* an object */
} snug_display;

typedef enum snug_display_event {
    SNUG_DISPLAY_SHOW,
    SNUG_DISPLAY_UPDATE, /* instead of the display of that id, in this cell or an earlier one */
    SNUG_DISPLAY_CLEAR   /* clear_output(): what the cell has printed and shown so far is gone */
} snug_display_event;

/* ---- limits ------------------------------------------------------------ */

/* No limit at all, for the fields of snug_limits. */
#define SNUG_UNLIMITED UINT64_MAX

/* Zero means the default; snug_limit_info lists defaults and which of these
 * limits this version enforces. Times in milliseconds, sizes in bytes. */
typedef struct snug_limits {
    size_t size;
    uint64_t wall_ms;        /* elapsed time of a cell */
    uint64_t cpu_ms;         /* processor time of a cell */
    uint64_t session_cpu_ms; /* processor time of all cells of the session together */
    uint64_t memory_bytes;   /* of the session */
    uint64_t output_bytes;   /* kept of each of stdout and stderr of a cell: head and tail;
                                what is over it goes to a file, snug_result_spill */
    uint64_t disk_bytes;     /* in the work directory: sizes of the files, without those that were
                                there when the session was opened. Python raises OSError. With the
                                shorter ladder, asked when a file is opened to be written */
    uint64_t disk_files;     /* likewise: number of files and folders */
    uint64_t source_bytes;   /* of a cell */
    uint64_t value_bytes;    /* of SNUG_VALUE; longer ones lose their middle */
    uint64_t display_bytes;  /* of all displays of a cell, the main result's other forms among
                                them, as long as they are in JSON */
    uint64_t list_bytes;     /* of each list of names in an answer, as long as it is in JSON: the
                                changes of a cell, snug_session_variables, snug_session_complete.
                                What is over it is left out, and counted but for completions */
    uint64_t threads;        /* that a cell may have besides its own, at a time; of the session as
                                it is opened. Zero: none, in a SNUG_FULL session 16. A cell ends
                                when its threads have; more than 0 allows threading, queue and
                                concurrent as well. */
    uint64_t tool_calls;     /* of a cell */
} snug_limits;
#define SNUG_LIMITS_INIT                                           \
    {                                                              \
        sizeof(snug_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

typedef struct snug_limit_description {
    const char *name;       /* the field's name */
    const char *option;     /* of the program, "--timeout"; NULL if it has none */
    const char *unit;       /* "ms", "bytes" or "" */
    uint64_t default_value; /* SNUG_UNLIMITED where there is no limit by default */
    const char *about;
    size_t offset; /* of the field in its struct */
} snug_limit_description;

/* The table of limits, in the order of snug_limits; NULL past its end. */
SNUG_EXTERN const snug_limit_description *snug_limit_info(size_t index);

/* ---- host -------------------------------------------------------------- */

typedef enum snug_form {
    SNUG_LOCAL, /* sessions live in this process */
    SNUG_WORKER /* in a child process: see "workers" below */
} snug_form;

/* Option structs start with their size, so that a newer library accepts an
 * older caller's. Start from the _INIT value and set what should differ. */
typedef struct snug_host_options {
    size_t size;
    snug_form form;
    const char *python_home;   /* prefix whose lib/python3.X is the standard library;
                                  NULL: the one configure found */
    const char *allowlist_dir; /* where profiles are looked up by name; NULL: those built in */
    unsigned flags;            /* SNUG_HOST_... */
    int kick_signal;           /* that makes a session's thread look up; 0: SIGURG */
    /* Of form SNUG_WORKER: */
    const char *worker_path;    /* of the program snug-worker; NULL: it is looked for beside this
                                   library or program, and where it was installed */
    const char *worker_command; /* run by /bin/sh instead: its standard input and output are the
                                   stream to a snug-worker, anywhere. NULL: none */
    uint64_t worker_grace_ms;   /* a worker that is later than a limit by so much, or not heard of
                                   for twice as long, is killed with its sessions. 0: 5,000 */
    const char *const *preload; /* packages that workers for full sessions have imported already,
                                   NULL-terminated; NULL: none */
    /* Of both: */
    size_t pool_sessions; /* spare sessions that are kept ready, with SNUG_WORKER by the worker that
                             sessions share, and spare workers besides; 1,024 at most; 0: none */
    uint64_t pool_idle_ms;   /* after so long without an open they are given back, one after the
                                other; 0: 60,000; SNUG_UNLIMITED: never */
    uint64_t awake_sessions; /* so many keep a thread while nothing runs in them: snug_parking.
                                0: 1,024; SNUG_UNLIMITED: all */
} snug_host_options;
#define SNUG_HOST_OPTIONS_INIT                                                                \
    {                                                                                         \
        sizeof(snug_host_options), SNUG_LOCAL, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, 0, 0, 0 \
    }
/* Lets the library install handlers for the kick signal and for SIGSEGV, SIGBUS,
 * SIGFPE, SIGILL, SIGABRT, SIGSYS and SIGTRAP: then a fault on a session's thread costs
 * that session only. Handlers of the host's own
 * are called for all other threads. SNUG_EINVAL if the kick signal is handled
 * already. Programs that carry the full ladder (CMake target snug_program_python)
 * do this without being asked. */
#define SNUG_HOST_SIGNALS 1u
/* With SNUG_WORKER, where no worker starts, the host becomes one of form SNUG_LOCAL: its sessions
 * are guarded then and not held. snug_host_fallback says why. Sessions of other kinds than
 * SNUG_RESTRICTED are refused there. */
#define SNUG_HOST_FALLBACK 2u

/* Starts Python, once in the life of a process; a later host takes the runtime
 * that is there. At most one host of form SNUG_LOCAL is open at a time (SNUG_EBUSY). Where Python
 * was already started by somebody else, the answer is SNUG_EPYTHON. options may
 * be NULL. */
SNUG_EXTERN int snug_host_open(snug_host **out, const snug_host_options *options);
/* SNUG_EBUSY while sessions are open. Python stays initialised: CPython can not
 * be finalised and started again reliably. */
SNUG_EXTERN int snug_host_close(snug_host *host);
/* What sessions have done to this process that closing them does not mend. Where a field
 * is not zero, the host still serves, and the process is best replaced when convenient. */
typedef struct snug_health {
    size_t size;
    uint64_t hung_threads; /* of sessions that were given up (rung 4) and still run: each may
                              take a processor, and on Python 3.11 its turns of the GIL */
    uint64_t torn_locks;   /* crashes and stops in code that held a lock of the process: who needs
                              that lock may wait for ever */
} snug_health;
#define SNUG_HEALTH_INIT          \
    {                             \
        sizeof(snug_health), 0, 0 \
    }

/* Any thread. hung_threads falls when such a thread ends after all. */
SNUG_EXTERN int snug_host_health(snug_health *out, const snug_host *host);

/* The spares of pool_sessions. Each is a session that waits, and takes the memory of one. A thread
 * of the host's makes them, one at a time and while no session is being opened; at the first open
 * after they were given back it begins anew. While spares are left, it waits for two milliseconds
 * behind an open: the machine is the first cell's.
 *
 * A whole spare has the default options, its filters in force. It is taken where the options ask
 * for nothing but a name, callbacks and limits other than memory_bytes and threads. Any other
 * options that leave these two at their defaults take a half-warm one, an interpreter that gets
 * its rules and filters at the open; so do the first where no whole one is left. How many of each
 * are kept goes by the last opens.
 *
 * Cells can not tell such a session from one that was opened cold. What a session's thread has of
 * the one that opened it is here of the one that opened the host: processors, scheduling,
 * filters of your own. Umask, time zone and a profile in allowlist_dir are as they were when the
 * spare was made. On Python 3.11 a cell of any session can change what is in a spare, as it can
 * in other sessions.
 *
 * With SNUG_WORKER, so many workers are made ahead besides, for sessions that have one each and
 * name no folders: full ones, and what names packages. They are for full sessions where preload
 * names packages, else for what is opened first; after several opens in a row of another kind or
 * other packages, for that. One counts as half-warm: what is left to do is the session's rules and
 * filters. Not with worker_command.
 *
 * Where a spare can not be made, or was lost, sessions are opened cold. */
typedef struct snug_pool {
    size_t size;
    size_t wanted;       /* pool_sessions; twice that where workers are made ahead */
    size_t ready;        /* now */
    size_t ready_half;   /* of these, half-warm */
    uint64_t hits;       /* opens that took a whole one */
    uint64_t half_warm;  /* a half-warm one */
    uint64_t misses;     /* none: opened cold */
    uint64_t given_back; /* spares that nobody took: idle, or of the kind that was not asked for */
} snug_pool;
#define SNUG_POOL_INIT                         \
    {                                          \
        sizeof(snug_pool), 0, 0, 0, 0, 0, 0, 0 \
    }

/* Any thread. All zero without a pool. With SNUG_WORKER it asks the worker that sessions share; all
 * zero but wanted where that does not answer. */
SNUG_EXTERN int snug_host_pool(snug_pool *out, const snug_host *host);

/* Idle sessions and threads. Where more than awake_sessions sessions would have a thread, the one
 * that was used least lately gives its thread back: it is parked. The next call that needs the
 * session's interpreter gets it a new thread first, with the same work directory and filters of the
 * kernel; cells can not tell (threading.get_ident() is the same, get_native_id() is not), and their
 * limits begin after that. Where no thread can be had then, the answer is SNUG_ESYSTEM and the
 * session is as it was. A work directory or mount that has been replaced meanwhile stays out of
 * reach, as for the thread before. What the kernel has for a thread besides (processors,
 * scheduling, filters of your own) is that of who calls.
 *
 * Never parked are full ones, those with limits.threads, those on their caller's thread, and one
 * whose cells have left a file or a database open, which are the thread's: where all are of that
 * kind there are more threads. */
typedef struct snug_parking {
    size_t size;
    uint64_t awake, parked; /* now; of the sessions that could be parked */
    uint64_t parks, wakes;  /* ever */
} snug_parking;
#define SNUG_PARKING_INIT                \
    {                                    \
        sizeof(snug_parking), 0, 0, 0, 0 \
    }

/* Any thread. Of form SNUG_LOCAL; all zero for workers, each of which parks on its own. */
SNUG_EXTERN int snug_host_parking(snug_parking *out, const snug_host *host);

/* What this host runs on, one "key: value" a line (Python, GIL mode, profiles,
 * which protections are in force). With SNUG_WORKER the line "process: " is of the worker that the
 * host was opened with. */
SNUG_EXTERN const char *snug_host_report(const snug_host *host);
/* Why a host that should have a worker has none (SNUG_HOST_FALLBACK); NULL. */
SNUG_EXTERN const char *snug_host_fallback(const snug_host *host);

/* ---- workers ----------------------------------------------------------- */

/* The sessions of a host of form SNUG_WORKER live in a process of their own. Every function here
 * does the same with them, but for this:
 *
 * Hosts. Any number of them may be open, beside one of form SNUG_LOCAL. flags and kick_signal say
 * nothing: no Python starts in this process, and no handler is installed. python_home and
 * profiles are read by the worker, allowlist_dir here too. The report is the worker's, and
 * snug_host_health is of the one that sessions share; it waits two seconds at most. A worker that
 * does not start, or does not speak this version's protocol, is SNUG_ESYSTEM or SNUG_EINVAL; it has
 * a minute.
 *
 * The process. Sessions share a worker, but for those of kind SNUG_FULL, with a named workdir or
 * with mounts, which have one each. It has none of this process's open files, and of its
 * environment PATH, HOME, LANG, LC_ALL, LC_CTYPE, TZ and TMPDIR; a worker_command has the whole. It
 * ends with the host. It may be a child of this process or of a helper that is one; a caller that
 * takes the status of any child, or ignores SIGCHLD, is not told how a worker has ended.
 *
 * Loss. A worker that ends, stands still, or sends what is no answer is killed, and its sessions
 * are lost, each at its next call: a cell has state SNUG_STATE_LOST and status SNUG_STATUS_CRASHED,
 * SNUG_STATUS_TIMEOUT or SNUG_STATUS_INTERRUPTED, other calls answer SNUG_EDEAD. A reset, a restore
 * or a new session starts another worker, and binds the tools again; the host is used on. The
 * result of such a cell has its tool calls, but no output besides what on_output had, no
 * artifacts and no spill files.
 *
 * Time. A cell that its worker's own ladder does not end is answered worker_grace_ms after its wall
 * limit, or after snug_session_interrupt; other calls by the session's wall limit, a minute and
 * that. A worker that takes nothing, or is not heard of for twice as long while it is asked, is
 * killed earlier. What callbacks take in this process is not counted. A process that was stopped
 * itself, and goes on, takes the answers that came meanwhile.
 *
 * Files. With worker_command, workdir, mounts and snug_session_workdir name places where the
 * worker is, and the files of a session go with it: when it is lost, get, list and remove answer
 * SNUG_EDEAD too. Without, they are here and stay. Saved sessions are always files here.
 *
 * Trust. What a worker says of its cells is its own word. The library keeps to what this header
 * promises of it: text is UTF-8, JSON is JSON, paths lead into the work directory, tools are called
 * by cells only and not more often than limits allow. A message has little more than 1 GiB at
 * most, and is held as far as it has come. */

/* ---- session ----------------------------------------------------------- */

typedef enum snug_kind {
    SNUG_RESTRICTED, /* a subinterpreter with the import allowlist */
    SNUG_FULL,       /* Python's main interpreter, in a worker, where it is the only session: for
                        packages with extensions in C. Nothing of Python is pruned, and the
                        process is the boundary. A reset gives new names and a new history, and
                        modules stay loaded; functions of atexit do not run. An interpreter that
                        is lost is so for the worker: further opens answer SNUG_EDEAD. SNUG_EINVAL
                        in a host of the form SNUG_LOCAL */
    SNUG_BASH        /* a shell: see "bash" below */
} snug_kind;

/* A file or folder of the host's that cells find under a name in the work directory. */
typedef struct snug_mount {
    const char *path; /* on the host; it must exist */
    const char *name; /* in the work directory, without a slash; nothing may be there yet */
    int is_writable;
} snug_mount;

typedef struct snug_session_options {
    size_t size;
    const char *name; /* for messages and results; NULL: "s1", "s2", ... */
    snug_kind kind;
    const char *profile;       /* a profile's name, or the path of its file if it has a slash;
                                  NULL: "core" */
    const char *const *allow;  /* further modules to allow, NULL-terminated; NULL: none. Also
                                  packages installed for this Python: those in Python only,
                                  with what they import */
    const char *workdir;       /* an existing directory that cells may use and that is left as it is
                                  at close; NULL: a private one in TMPDIR, removed at close */
    const snug_limits *limits; /* NULL: the defaults */
    /* Called on the thread that called snug_session_run, while the cell runs, with text
     * as it is printed: whole characters, len bytes, not NUL-terminated, valid during the
     * call. stream is SNUG_STDOUT or SNUG_STDERR. It must not use this session, except to
     * interrupt it. Text past the output limit is still passed on. NULL: none. */
    void (*on_output)(void *payload, snug_stream stream, const char *text, size_t len);
    void *payload;
    const snug_mount *mounts; /* mount_count of them, 16 at most; copied */
    size_t mount_count;
    /* As on_output, in order with it: what display() shows while the cell runs. display is
     * valid during the call, and NULL with SNUG_DISPLAY_CLEAR. NULL: none. */
    void (*on_display)(void *payload, snug_display_event event, const snug_display *display);
    /* Called as on_output is, when a cell asks for a line: input(), sys.stdin.readline().
     * Answer call with snug_call_return_line, now or later, from any thread. prompt is
     * UTF-8 and lives until then; it is not part of stdout. NULL: input() raises
     * EOFError. */
    void (*on_input)(void *payload, snug_call *call, const char *prompt);
    /* For code that the caller trusts, in small pieces: cells run on the thread that opens the
     * session, which saves what two threads take to hand a cell over. That thread alone uses the
     * session (SNUG_EINVAL on others), but any may interrupt it, and once it is not in use close
     * it. Nothing of the kernel's holds the cells then: the import gate, the audit hook and the
     * limits of cells are all there is. The thread's floating-point environment (rounding, traps,
     * flags) is put aside meanwhile; sessions never see the host's. A stop has three rungs: what
     * none of them ends keeps the caller. on_output and on_display are called when the cell has
     * ended. Of kind SNUG_RESTRICTED in a host of form SNUG_LOCAL, without threads, on_input and
     * tools: SNUG_EINVAL. */
    int on_caller_thread;
    const char *packages; /* folder with packages, as `pip install --target` or the site-packages
                             of a virtual environment; NULL: that of the system's Python. Of a
                             full session it is first on sys.path, and those named by allow must
                             be there, else SNUG_ENOTFOUND with what is */
} snug_session_options;
#define SNUG_SESSION_OPTIONS_INIT                                                                \
    {                                                                                            \
        sizeof(snug_session_options), NULL, SNUG_RESTRICTED, NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL, 0, NULL, NULL, 0, NULL                                                         \
    }

/* options may be NULL. */
SNUG_EXTERN int snug_session_open(snug_session **out, snug_host *host,
                                  const snug_session_options *options);
/* Ends a running atexit or finalizer at the session's wall limit. */
SNUG_EXTERN void snug_session_close(snug_session *session);
/* A new interpreter under the same options: forgets names, imports and history.
 * Files in the work directory stay. */
SNUG_EXTERN int snug_session_reset(snug_session *session);
SNUG_EXTERN const char *snug_session_name(const snug_session *session);
SNUG_EXTERN snug_kind snug_session_kind(const snug_session *session);
/* The work directory, an absolute path; as its worker calls it where that has it in memory (kinds
 * SNUG_FULL and SNUG_BASH, without a workdir and mounts): other processes do not find it there. */
SNUG_EXTERN const char *snug_session_workdir(const snug_session *session);
/* The process that it lives in: that of its worker, or of worker_command; 0 where that has ended,
 * and for the form SNUG_LOCAL. To be looked at, and not to be waited for. */
SNUG_EXTERN int64_t snug_session_process(const snug_session *session);
/* Cells that the session has run since it was opened or reset, with those of a session that was
 * restored. */
SNUG_EXTERN uint64_t snug_session_execution_count(const snug_session *session);
/* Ends the cell that is running now, if there is one, with SNUG_STATUS_INTERRUPTED.
 * Never reaches a later cell. Any thread; not from a signal handler. */
SNUG_EXTERN void snug_session_interrupt(snug_session *session);

/* Runs one cell to its end. limits may be NULL: those of the session; a field
 * that is zero is that of the session. Source that can not be a cell (invalid
 * UTF-8, a NUL byte, too long) is a result with a syntax error, not an error
 * here. */
SNUG_EXTERN int snug_session_run(snug_result **out, snug_session *session, const char *source,
                                 size_t len, const snug_limits *limits);

/* The same without a trace among the names: what the source binds is bound in a copy of the
 * namespace that is gone afterwards, it is no cell of the history (In, Out, _), and its
 * execution count is 0. What it does to objects, files and modules stays done. For checks of
 * what cells have made. */
SNUG_EXTERN int snug_session_run_aside(snug_result **out, snug_session *session, const char *source,
                                       size_t len, const snug_limits *limits);

/* Binds name, an identifier and no keyword, to the value of len bytes of JSON, as tools get
 * theirs. No cell has set it: it is not among any result's changes. SNUG_EINVAL with what is
 * wrong with name or JSON; SNUG_ENOMEM where the session's memory is used up; SNUG_ESTOPPED
 * where a limit of the session ended it first. */
SNUG_EXTERN int snug_session_set(snug_session *session, const char *name, const char *json,
                                 size_t len);

/* Remembers which names there are and what they mean, in place of what was remembered before;
 * the values live on as long. */
SNUG_EXTERN int snug_session_checkpoint(snug_session *session);
/* Names mean again what they did at the checkpoint, and those made since are gone; what was
 * changed within an object, a file or a module stays changed, and so do In, Out and _. The
 * checkpoint stays. SNUG_ENOTFOUND without one; a reset and a restore forget it. */
SNUG_EXTERN int snug_session_rollback(snug_session *session);
SNUG_EXTERN int snug_session_forget_checkpoint(snug_session *session);

/* 1: source is a whole cell, right or wrong; 0: more lines would complete it;
 * else an error. For prompts. Runs nothing. */
SNUG_EXTERN int snug_session_is_complete(snug_session *session, const char *source, size_t len);

/* Names that could stand at byte cursor of source: of the namespace, of
 * attributes, of modules after import, of keywords. May run properties of the
 * session's objects, under its wall limit. */
SNUG_EXTERN int snug_session_complete(snug_completion **out, snug_session *session,
                                      const char *source, size_t len, size_t cursor);
SNUG_EXTERN size_t snug_completion_count(const snug_completion *completion);
/* The match at index, whole; NULL past the end. */
SNUG_EXTERN const char *snug_completion_text(const snug_completion *completion, size_t index);
/* The byte of source where the matches begin: what stands from there to the
 * cursor is replaced. */
SNUG_EXTERN size_t snug_completion_start(const snug_completion *completion);
SNUG_EXTERN void snug_completion_free(snug_completion *completion);

/* The names that cells have made, in the order of the namespace:
 *   {"schema": "snug.variables/1", "session": "s1", "variables": [{"name": "rows", "type": "list",
 *    "bytes": 88, "length": 3, "summary": "[1, 2, 3]"}]}
 * bytes is that of the object itself, without what it refers to, and null where it does not
 * tell; length is there where the value has one. Runs code of the session's objects (__repr__,
 * __len__), under its limits: SNUG_ESTOPPED where one of these or an interrupt ended it. */
SNUG_EXTERN int snug_session_variables(snug_description **out, snug_session *session);
/* What is known of the dotted name at byte cursor of source, or of the function in whose call
 * the cursor stands:
 *   {"schema": "snug.inspection/1", "session": "s1", "found": true, "name": "f", "type":
 * "function", "text": null, "signature": "(a, b=2)", "docstring": "...", "source": "def f...",
 * "module": "__main__"} with null for what it has not; or "found": false. Runs properties of the
 * session's objects, under its limits, as above. */
SNUG_EXTERN int snug_session_inspect(snug_description **out, snug_session *session,
                                     const char *source, size_t len, size_t cursor);
/* The JSON; len may be NULL. */
SNUG_EXTERN const char *snug_description_json(const snug_description *description, size_t *len);
SNUG_EXTERN void snug_description_free(snug_description *description);
/* ---- bash ---------------------------------------------------------------- */

/* A session of kind SNUG_BASH is one bash that lives from cell to cell: variables, functions, the
 * current folder, exported names, options of the shell and background jobs stay. It needs a host of
 * form SNUG_WORKER without worker_command (else SNUG_EINVAL), and has a worker of its own in a
 * sandbox that the program bwrap makes: no network, no files but the system's programs (to be
 * read), a private /tmp, the work directory and the mounts, no other process, no name of the host's
 * environment. Where bwrap is not there or not permitted, it does not open: SNUG_EPOLICY.
 *
 * A cell's result is that of cells in Python with these differences. It has no value and no
 * displays. Its status is ok where the exit status of its last command is 0, else error, with the
 * error's name ExitStatus, value "exit status 3", and the end of stderr as the traceback. A cell
 * that bash can not read is a syntax error, of which nothing has run. `exit n` ends the cell; where
 * the shell itself ends (set -e, a signal), a new one gets its variables, functions, options, traps
 * and folder, and background jobs run on without it; where that can not be (exec, SIGKILL), the
 * session is lost. Programs find the end of file on stdin; the builtin read asks on_input for a
 * line, where there is one. What background jobs print between cells belongs to the next one.
 *
 * Limits: wall_ms, cpu_ms and session_cpu_ms of all processes together, memory_bytes of each
 * process and of all (resident), 64 processes and threads of the session together, and
 * snug_limits.threads more; disk_bytes of each file and, with disk_files, of the directory. They
 * are looked at every 10 ms (the directory: 100 ms) while a cell runs. A cell over a limit, or
 * interrupted, gets SIGINT, after 200 ms SIGTERM and after 400 ms SIGKILL for its processes; the
 * shell is given up after 900 ms.
 *
 * snug_session_set binds a variable to a string's text, or to the JSON. SNUG_EINVAL with a
 * sentence: checkpoints, inspection, saving, restoring, tools. snug_session_complete finds
 * nothing. profile, allow and displays mean nothing here. */

/* ---- saved sessions ------------------------------------------------------ */

/* Writes the session to a file at path, which takes the place of the file that is there: whole, or
 * not at all; SNUG_EINVAL for a folder, device or pipe. Its mode is 0600. The session goes on as it
 * is.
 *
 * Saved are names with their values, as far as these can be pickled; functions and classes by the
 * sources of their cells; imports by name; In, Out, the number of cells and the __future__
 * statements in force; the state of random and decimal; files and folders of the work directory,
 * within disk_bytes and disk_files, without links and mounts. What can not be saved (generators,
 * open files, locks, ...) is left out with a reason, and never fails the whole.
 *
 * Code of the session runs meanwhile (__reduce__, __getstate__), under its wall, processor and
 * memory limits as a cell's does: SNUG_ESTOPPED where that did not end by itself, and no file is
 * written; SNUG_EDEAD where the session is lost with it. A file has 1 GiB at most. */
SNUG_EXTERN int snug_session_save(snug_saved **out, snug_session *session, const char *path);
/* Makes the session what the saved one was: it is reset first, so what it has now is gone; its
 * options (profile, limits, mounts) stay. A lost session can be restored too.
 *
 * A file that is damaged, cut, of a newer snug, or no saved session at all is SNUG_EINVAL, and
 * then nothing has been run or changed. A file can make the session run what a cell could, under
 * the same rules and limits, and no more: class statements run, as does what classes of the
 * cells define (__setstate__, __init_subclass__). All else in it builds values only, by an
 * allowlist. What can not be built is left out with a reason. SNUG_ESTOPPED: the session is
 * as after a reset, but for files. A file of another Python (3.11, 3.13) can be restored; what
 * is not found in the code that this one makes of a cell is left out.
 *
 * Files of the work directory are written to it. Where one is there already, a private work
 * directory gets that of the file, and one that was named keeps its own. */
SNUG_EXTERN int snug_session_restore(snug_saved **out, snug_session *session, const char *path);

/* A name of the namespace. */
typedef struct snug_saved_name {
    const char *name;
    const char *how;    /* "value", "source", "import" or "tool"; NULL: it was left out */
    const char *reason; /* why; NULL: it was not */
} snug_saved_name;

SNUG_EXTERN size_t snug_saved_count(const snug_saved *saved);
/* Those that were saved or restored come first; NULL past the end. */
SNUG_EXTERN const snug_saved_name *snug_saved_entry(const snug_saved *saved, size_t index);
/* Files and folders of the work directory that were saved or restored. */
SNUG_EXTERN size_t snug_saved_files(const snug_saved *saved);
/* {"schema": "snug.saved/1", "session": ..., "path": ..., "saved" or "restored": [{"name", "how"}],
 * "skipped": [{"name", "reason"}], "files": n, "skipped_files": [{"path", "reason"}]}; NULL if
 * memory ran out. len may be NULL. */
SNUG_EXTERN const char *snug_saved_json(const snug_saved *saved, size_t *len);
SNUG_EXTERN void snug_saved_free(snug_saved *saved);

/* ---- notebooks ----------------------------------------------------------- */

/* Cells with what became of them, to be written as a file. From one thread at a time; it needs
 * neither host nor session. */
typedef enum snug_notebook_format {
    SNUG_IPYNB, /* Jupyter's, nbformat 4.5, with outputs */
    SNUG_PY     /* sources, each below a line "# %%" */
} snug_notebook_format;

SNUG_EXTERN int snug_notebook_open(snug_notebook **out);
/* Appends a cell. result is not kept, and NULL for a cell that was not run. SNUG_EINVAL for
 * source that is no UTF-8 or has a NUL. */
SNUG_EXTERN int snug_notebook_add(snug_notebook *notebook, const char *source, size_t len,
                                  const snug_result *result);
/* The whole text, of the notebook until the next call; NULL if memory ran out. len may be
 * NULL. */
SNUG_EXTERN const char *snug_notebook_text(snug_notebook *notebook, snug_notebook_format format,
                                           size_t *len);
/* Writes it to path, whole or not at all, by the path's end: .ipynb or .py, else SNUG_EINVAL; so
 * too where a folder, device or pipe is there. */
SNUG_EXTERN int snug_notebook_write(snug_notebook *notebook, const char *path);
SNUG_EXTERN void snug_notebook_close(snug_notebook *notebook);

/* ---- files ------------------------------------------------------------- */

/* The work directory as the host uses it, between cells (SNUG_EBUSY while one runs). A path is
 * UTF-8 and relative to the work directory: no "/" in front or behind, no empty name, no "." and
 * no "..", 255 bytes a name, 4,095 in all; else SNUG_EINVAL. Cells may have put anything anywhere:
 * nothing here follows a symbolic link, waits for a pipe or opens a device. Mounts are links too:
 * what is in them is the host's own, to be used there, and they stay where they are. */

/* Makes the file or takes its place, in one step: who has the old one open keeps that. Folders on
 * the way are made. It counts in disk_bytes and disk_files of the session, and where it does not
 * fit the answer is SNUG_ESYSTEM with EDQUOT. data may be NULL where len is 0. SNUG_EDEAD in a
 * session that is lost. */
SNUG_EXTERN int snug_session_put(snug_session *session, const char *path, const void *data,
                                 size_t len);

/* Reads a whole file. SNUG_EINVAL with its size where it has more than max_bytes; 0: 64 MiB.
 * SNUG_ENOTFOUND where there is none. Of a session that is lost too. */
SNUG_EXTERN int snug_session_get(snug_file **out, snug_session *session, const char *path,
                                 size_t max_bytes);
/* The bytes, with a NUL behind them; len may be NULL. Never NULL. */
SNUG_EXTERN const char *snug_file_data(const snug_file *file, size_t *len);
/* Its media type, by the ending of its name ("text/csv"), else by its first bytes. */
SNUG_EXTERN const char *snug_file_mime(const snug_file *file);
SNUG_EXTERN void snug_file_free(snug_file *file);

typedef enum snug_entry_kind {
    SNUG_ENTRY_FILE,
    SNUG_ENTRY_FOLDER,
    SNUG_ENTRY_LINK, /* a symbolic link, or a mount */
    SNUG_ENTRY_OTHER /* a pipe, a socket, a device */
} snug_entry_kind;

typedef struct snug_entry {
    const char *path; /* relative to the work directory; a byte that is no UTF-8 is U+FFFD, and the
                         file can not be asked for by that */
    snug_entry_kind kind;
    uint64_t bytes;      /* of a file; else 0 */
    int64_t modified_ns; /* since 1970 */
} snug_entry;

/* All that is in the work directory: each folder's names in the order of their bytes, a folder
 * before what is in it. At most 100,000 entries, and 16 MiB of JSON in an answer. Of a session
 * that is lost too. */
SNUG_EXTERN int snug_session_list(snug_listing **out, snug_session *session);
SNUG_EXTERN size_t snug_listing_count(const snug_listing *listing);
/* NULL past the end. */
SNUG_EXTERN const snug_entry *snug_listing_entry(const snug_listing *listing, size_t index);
/* 0: there is more, past these bounds, behind 128 folders in each other, or in a folder that can
 * not be read. */
SNUG_EXTERN int snug_listing_is_whole(const snug_listing *listing);
SNUG_EXTERN void snug_listing_free(snug_listing *listing);

/* Removes a file, a link, or a folder with all that is in it. SNUG_ENOTFOUND where there is none,
 * SNUG_EINVAL for a mount. Of a session that is lost too. */
SNUG_EXTERN int snug_session_remove(snug_session *session, const char *path);
/* "file", "folder", "link", "other". */
SNUG_EXTERN const char *snug_entry_kind_name(snug_entry_kind kind);

/* ---- tools ------------------------------------------------------------- */

/* A function of the host's that cells can call. What a cell passes travels as one JSON object,
 * the parameters' names with their values; the answer is any JSON value, which the
 * cell gets as Python's.
 *
 * JSON may be made of None, bool, int, float, str, list, tuple (as a list), dict with str
 * keys, and what is derived from them. Before anything is called, other values raise
 * TypeError, and nan, inf, half a surrogate pair and integers of more than 4,300 digits
 * ValueError; each names the argument. The names are those of the signature; the
 * values can be of any type, whatever its annotations say. In an answer integers of so
 * many digits are whole, and an escape of half a surrogate pair is what Python's json
 * makes of it. Neither may have more than SNUG_TOOL_BYTES, nor be nested deeper than 200
 * levels.
 *
 * Where a call fails, the cell gets ToolError, a RuntimeError among its builtins; at the
 * time-out ToolTimeout, which is a ToolError and a TimeoutError. */
#define SNUG_TOOL_BYTES (16u * 1024 * 1024)

typedef struct snug_tool {
    size_t size;
    const char *name;      /* an identifier, and no keyword nor a name that the session keeps (In,
                              Out, _, _3) or a module has (__name__); nor a built-in one (print,
                              sum, display, input) or that of a module that cells may import:
                              snug_tool_check_name */
    const char *signature; /* Python's parameters on one line, "query: str, limit: int = 10";
                              annotations and defaults may name bool, int, float, str, list,
                              dict, tuple, set, bytes and object. NULL: any keyword
                              arguments */
    const char *doc;       /* the docstring; may be NULL */
    int is_async;          /* calls are awaited: await search("x"). Several can be under way
                              at once, under asyncio.gather, and be answered in any order */
    int takes_any;         /* an argument that has no JSON travels as its text instead, as
                              SNUG_VALUE would show it */
    uint64_t timeout_ms;   /* of a call; 0: that of its cell */
    /* Called on the thread that called snug_session_run, while the cell runs. arguments is
     * one JSON object, and lives until the call is answered. Each call must be answered once,
     * by snug_call_return or snug_call_fail, here or later and on any thread, also if
     * nobody waits for it any more. It must not use the session, except to interrupt it.
     *
     * Answer from another thread what takes long: the cell's limits go on while this
     * runs, and end the cell, but snug_session_run can not return before this does, nor
     * does it hand over another call. */
    void (*fn)(void *payload, snug_call *call, const char *arguments);
    void *payload; /* in use until the session is closed or the name is bound again */
} snug_tool;
#define SNUG_TOOL_INIT                                           \
    {                                                            \
        sizeof(snug_tool), NULL, NULL, NULL, 0, 0, 0, NULL, NULL \
    }

/* Binds the tool's name in the namespace, where it stays until the session is closed: a reset
 * binds it anew. A name that is bound again has the new tool from then on, and the function
 * that a cell kept of the old one raises ToolError. SNUG_EINVAL with what is wrong with
 * name or signature; SNUG_ENOMEM also where the session's memory is used up; SNUG_ESTOPPED
 * where a limit of the session ended it first. A stop, an interrupt or the
 * cell's end ends its calls; what is answered afterwards is dropped. */
SNUG_EXTERN int snug_session_bind(snug_session *session, const snug_tool *tool);

/* Whether a tool may have the name, in sessions with that profile and these further modules, as in
 * snug_session_options: SNUG_EINVAL, with a message that says why, where it is a built-in name or a
 * module's. Cells would call the tool and mean something else. For hosts that have names from
 * elsewhere, and change those. */
SNUG_EXTERN int snug_tool_check_name(const char *name, const char *profile,
                                     const char *const *allow);

/* The answer of a call: len bytes of JSON, copied. call is not to be used any more, whatever
 * this returns. SNUG_EINVAL: it is no JSON, or too large, and the cell gets ToolError.
 * SNUG_ENOTFOUND: nobody waits for it any more; the session may be closed long
 * since. */
SNUG_EXTERN int snug_call_return(snug_call *call, const char *json, size_t len);
/* The same for a call that failed: the cell gets ToolError with that message, which is UTF-8;
 * NULL: none. */
SNUG_EXTERN int snug_call_fail(snug_call *call, const char *message);
/* The same for on_input: len bytes of a line without its end. Bytes that are no UTF-8 become
 * U+FFFD. NULL: there is none, and input() raises EOFError. */
SNUG_EXTERN int snug_call_return_line(snug_call *call, const char *line, size_t len);
/* 1 while the cell waits for the answer: long work can look whether it is worth going on.
 * Any thread, before the call is answered; so with the next two. */
SNUG_EXTERN int snug_call_is_wanted(const snug_call *call);
/* The tool's name; "input" for on_input. */
SNUG_EXTERN const char *snug_call_name(const snug_call *call);
/* What fn got. */
SNUG_EXTERN const char *snug_call_arguments(const snug_call *call);

/* ---- result ------------------------------------------------------------ */

SNUG_EXTERN snug_status snug_result_status(const snug_result *result);
SNUG_EXTERN snug_state snug_result_state(const snug_result *result);
/* 1 for the first cell of a session; 0 for what was run aside. */
SNUG_EXTERN uint64_t snug_result_execution_count(const snug_result *result);
/* One of the result's texts; len may be NULL. Never NULL. */
SNUG_EXTERN const char *snug_result_text(const snug_result *result, snug_stream stream,
                                         size_t *len);
/* How many bytes the cell wrote to the stream, kept or not. */
SNUG_EXTERN uint64_t snug_result_total_bytes(const snug_result *result, snug_stream stream);
/* The file that has the stream from its first byte, where SNUG_STDOUT or SNUG_STDERR was
 * over output_bytes: its name in the session's work directory, "out-3.txt" or "err-3.txt"
 * for the third cell, "out-3-2.txt" if there was a file of that name. Shorter than
 * snug_result_total_bytes where the work directory reached disk_bytes, or the cell
 * was stopped while it printed. NULL if the stream was not over its limit, if no file
 * could be written, and for other streams. It is a file like any other of the directory:
 * later cells may read, change and remove it. */
SNUG_EXTERN const char *snug_result_spill(const snug_result *result, snug_stream stream);
/* The name of the value's type, "int"; empty if there is no value. */
SNUG_EXTERN const char *snug_result_value_type(const snug_result *result);
/* The value as JSON; NULL where it is not JSON or too large. */
SNUG_EXTERN const char *snug_result_value_json(const snug_result *result);
/* What the cell has displayed, in order, and its value as the last one. Within
 * display_bytes; what was over it shows a sentence in its place, or is left out. The pointer
 * belongs to the result; NULL past the end, or if memory ran out. */
SNUG_EXTERN size_t snug_result_display_count(const snug_result *result);
SNUG_EXTERN const snug_display *snug_result_display(const snug_result *result, size_t index);
/* How many displays are not there, because they were over display_bytes. */
SNUG_EXTERN uint64_t snug_result_displays_left_out(const snug_result *result);

/* A name of the namespace that the cell has made to mean another object. */
typedef struct snug_change {
    const char *name;
    const char *type; /* of its value now, "int"; "" if it is deleted */
    const char *op;   /* "set": it was not there before; "rebound"; "deleted" */
} snug_change;

/* At most 1,000 are told, within list_bytes, in the order of the namespace; those deleted come
 * last. What is
 * changed within an object (a list that grows) is no change of a name. Not told: what the
 * session keeps (In, Out, _, _3) and the module (__name__). */
SNUG_EXTERN size_t snug_result_change_count(const snug_result *result);
/* NULL past the end. */
SNUG_EXTERN const snug_change *snug_result_change(const snug_result *result, size_t index);

/* A file of the work directory that the cell has made or changed. */
typedef struct snug_artifact {
    const char *path; /* as in snug_entry */
    const char *mime; /* as snug_file_mime */
    uint64_t bytes;
} snug_artifact;

/* In the order of snug_session_list, as they are when the cell has ended; 200 at most. Not told:
 * what was made and is gone again, spill files, folders, links, and what is in mounts. What the
 * host changes in the directory while a cell runs counts as the cell's, and so does what it
 * changes between cells without the functions above, if the next cell writes too. Looked at are
 * the first 10,000 entries. A change that leaves a file's size the same, within one tick of
 * the clock (4 ms) after a change by an earlier cell, is seen from Linux 6.13 on. */
SNUG_EXTERN size_t snug_result_artifact_count(const snug_result *result);
/* NULL past the end. */
SNUG_EXTERN const snug_artifact *snug_result_artifact(const snug_result *result, size_t index);
/* How many more there are. */
SNUG_EXTERN uint64_t snug_result_artifacts_left_out(const snug_result *result);

/* The error; all empty or 0 when there is none. category is one of the words of
 * snug_error_categories in README.md ("syntax", "name", ...). */
SNUG_EXTERN const char *snug_result_error_name(const snug_result *result);
SNUG_EXTERN const char *snug_result_error_value(const snug_result *result);
SNUG_EXTERN const char *snug_result_error_category(const snug_result *result);
/* One sentence that helps to repair the code; empty if there is none. */
SNUG_EXTERN const char *snug_result_error_hint(const snug_result *result);
SNUG_EXTERN uint64_t snug_result_wall_ns(const snug_result *result);
/* Of the session's threads, to a tenth of a millisecond: a cell of some microseconds counts by the
 * clock. */
SNUG_EXTERN uint64_t snug_result_cpu_ns(const snug_result *result);
/* The most memory that the session had in use during the cell. */
SNUG_EXTERN uint64_t snug_result_peak_bytes(const snug_result *result);
/* The step of the stop ladder that ended the cell: 0 none; 1 an exception that no
 * handler keeps; 2 allocations that answer NULL; 3 a jump out of the code (state
 * lost); 4 the caller was answered while the thread still ran (state lost). */
SNUG_EXTERN int snug_result_rung(const snug_result *result);
/* A call of a tool that the cell made, or was refused. */
typedef struct snug_tool_call {
    const char *name;
    /* "ok"; "error": snug_call_fail, or an answer that is no JSON; "timeout": the tool's own;
     * "cancelled": the cell gave it up, was stopped or ended; "denied": over the limit
     * tool_calls */
    const char *status;
    uint64_t start_ns;    /* since the cell began */
    uint64_t duration_ns; /* until the answer, or the end of the wait for it */
} snug_tool_call;

/* The calls in the order in which they were made, also of a cell that lost its session: the
 * first 10,000, and at most 50 that were denied. */
SNUG_EXTERN size_t snug_result_tool_call_count(const snug_result *result);
/* NULL past the end. */
SNUG_EXTERN const snug_tool_call *snug_result_tool_call(const snug_result *result, size_t index);
/* The whole result as one JSON object, schema "snug.result/1". Made at the first
 * call. NULL if memory ran out. len may be NULL. */
SNUG_EXTERN const char *snug_result_json(const snug_result *result, size_t *len);
SNUG_EXTERN void snug_result_free(snug_result *result);

/* ---- scan -------------------------------------------------------------- */

/* Judges source without running it: syntax, imports against the profile,
 * forbidden calls, length. Parsed in an interpreter of the host's own, in which no
 * cell ever runs. profile and allow as in snug_session_options. max_source_bytes 0:
 * the default of source_bytes. wall_ms 0: 5,000. What can not be judged within that
 * time, or takes more than 1 GiB, has one finding, of the rule "length". At most
 * 1,000 findings are told. Any thread; one scan runs at a time. */
typedef struct snug_scan_options {
    size_t size;
    const char *profile;
    const char *const *allow;
    uint64_t max_source_bytes;
    uint64_t wall_ms;
} snug_scan_options;
#define SNUG_SCAN_OPTIONS_INIT                      \
    {                                               \
        sizeof(snug_scan_options), NULL, NULL, 0, 0 \
    }

typedef struct snug_finding {
    const char *rule;    /* "syntax", "import", "call" or "length" */
    unsigned line;       /* from 1; 0 if it is about the whole source */
    unsigned column;     /* from 1, in characters; 0 if it is about the whole line */
    const char *subject; /* what was found: "os.system", "socket" */
    const char *message; /* one sentence */
} snug_finding;

SNUG_EXTERN int snug_scan(snug_scan_report **out, snug_host *host, const char *source, size_t len,
                          const snug_scan_options *options);
SNUG_EXTERN size_t snug_scan_count(const snug_scan_report *report);
/* In the order of the source; NULL past the end. */
SNUG_EXTERN const snug_finding *snug_scan_finding(const snug_scan_report *report, size_t index);
/* {"schema": "snug.scan/1", "ok": bool, "findings": [...]}; NULL if memory ran out. */
SNUG_EXTERN const char *snug_scan_json(const snug_scan_report *report, size_t *len);
SNUG_EXTERN void snug_scan_free(snug_scan_report *report);

/* ---- general ----------------------------------------------------------- */

/* "0.1.0" */
SNUG_EXTERN const char *snug_version(void);
/* "SNUG_EINVAL" */
SNUG_EXTERN const char *snug_error_name(int error);
/* Why the last call on this thread failed. Valid until the next one fails. */
SNUG_EXTERN const char *snug_error_message(void);
/* Leaves the sentence there, and returns error: for libraries on top of this one, whose functions
 * fail as snug's do. Longer than 1,023 bytes it is cut. */
SNUG_EXTERN int snug_error_set(int error, const char *message);
/* "ok", "error", ...: the words of snug.result/1. */
SNUG_EXTERN const char *snug_status_name(snug_status status);
SNUG_EXTERN const char *snug_state_name(snug_state state);

#ifdef __cplusplus
}
#endif

#endif
