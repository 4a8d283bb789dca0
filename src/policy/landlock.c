#include "policy/landlock.h"

/* LANDLOCK_ACCESS_FS_ */
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_DIR = 1 << 4,
    REMOVE_FILE = 1 << 5,
    MAKE_CHAR = 1 << 6,
    MAKE_DIR = 1 << 7,
    MAKE_REG = 1 << 8,
    MAKE_SOCK = 1 << 9,
    MAKE_FIFO = 1 << 10,
    MAKE_BLOCK = 1 << 11,
    MAKE_SYM = 1 << 12,
    REFER = 1 << 13,    /* rename between directories; without it always denied */
    TRUNCATE = 1 << 14, /* without it not judged; opening to write is */
    IOCTL_DEV = 1 << 15
};

enum {
    FIRST_FILES = MAKE_SYM * 2 - 1, /* all up to MAKE_SYM */
    TCP = 1 << 0 | 1 << 1,          /* LANDLOCK_ACCESS_NET_: bind, connect */
    SCOPES = 1 << 0 | 1 << 1,       /* LANDLOCK_SCOPE_: abstract Unix socket, signal */
    LOG_SAME_EXEC_OFF = 1 << 0,     /* LANDLOCK_RESTRICT_SELF_ */
    OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
};

typedef struct abi_row {
    landlock_ruleset handled;
    uint32_t bytes;
    uint32_t restrict_flags;
} abi_row;

static const abi_row rows[LANDLOCK_NEWEST_ABI + 1] = {
    [1] = { { FIRST_FILES, 0, 0 }, 8, 0 },
    [2] = { { FIRST_FILES | REFER, 0, 0 }, 8, 0 },
    [3] = { { FIRST_FILES | REFER | TRUNCATE, 0, 0 }, 8, 0 },
    [4] = { { FIRST_FILES | REFER | TRUNCATE, TCP, 0 }, 16, 0 },
    [5] = { { FIRST_FILES | REFER | TRUNCATE | IOCTL_DEV, TCP, 0 }, 16, 0 },
    [6] = { { FIRST_FILES | REFER | TRUNCATE | IOCTL_DEV, TCP, SCOPES }, 24, 0 },
    [7] = { { FIRST_FILES | REFER | TRUNCATE | IOCTL_DEV, TCP, SCOPES }, 24, LOG_SAME_EXEC_OFF },
};

static const uint64_t granted[] = {
    [PATH_READ] = READ_FILE | READ_DIR,
    /* No devices, sockets, pipes or symbolic links, and nothing to execute. */
    [PATH_WRITE] = READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE |
                   MAKE_DIR | MAKE_REG | REFER,
};

static const abi_row *row_of(int abi)
{
    if (abi < 0)
        abi = 0;
    if (abi > LANDLOCK_NEWEST_ABI)
        abi = LANDLOCK_NEWEST_ABI;
    return &rows[abi];
}

landlock_ruleset landlock_handled(int abi)
{
    return row_of(abi)->handled;
}

uint32_t landlock_ruleset_bytes(int abi)
{
    return row_of(abi)->bytes;
}

uint32_t landlock_restrict_flags(int abi)
{
    return row_of(abi)->restrict_flags;
}

uint64_t landlock_granted(int abi, path_access access, int is_directory)
{
    uint64_t mask = granted[access] & row_of(abi)->handled.files;
    return is_directory ? mask : mask & OF_FILES;
}
