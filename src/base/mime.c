#include "base/mime.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* As IANA has them, and where it has none, as browsers and Jupyter do. */
static const struct ending {
    const char *ending, *type;
} endings[] = {
    { "png", "image/png" },
    { "jpg", "image/jpeg" },
    { "jpeg", "image/jpeg" },
    { "gif", "image/gif" },
    { "webp", "image/webp" },
    { "bmp", "image/bmp" },
    { "svg", "image/svg+xml" },
    { "ico", "image/vnd.microsoft.icon" },
    { "tif", "image/tiff" },
    { "tiff", "image/tiff" },
    { "txt", "text/plain" },
    { "log", "text/plain" },
    { "csv", "text/csv" },
    { "tsv", "text/tab-separated-values" },
    { "md", "text/markdown" },
    { "html", "text/html" },
    { "htm", "text/html" },
    { "css", "text/css" },
    { "py", "text/x-python" },
    { "js", "text/javascript" },
    { "xml", "application/xml" },
    { "json", "application/json" },
    { "jsonl", "application/jsonl" },
    { "ipynb", "application/x-ipynb+json" },
    { "yaml", "application/yaml" },
    { "yml", "application/yaml" },
    { "toml", "application/toml" },
    { "tex", "application/x-tex" },
    { "pdf", "application/pdf" },
    { "zip", "application/zip" },
    { "gz", "application/gzip" },
    { "bz2", "application/x-bzip2" },
    { "xz", "application/x-xz" },
    { "tar", "application/x-tar" },
    { "db", "application/vnd.sqlite3" },
    { "sqlite", "application/vnd.sqlite3" },
    { "sqlite3", "application/vnd.sqlite3" },
    { "pkl", "application/octet-stream" },
    { "npy", "application/octet-stream" },
    { "parquet", "application/vnd.apache.parquet" },
    { "xls", "application/vnd.ms-excel" },
    { "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
    { "docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document" },
    { "pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation" },
    { "mp3", "audio/mpeg" },
    { "wav", "audio/wav" },
    { "ogg", "audio/ogg" },
    { "mp4", "video/mp4" },
    { "webm", "video/webm" },
    { "woff2", "font/woff2" },
};

const char *mime_of_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');

    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot + 1, endings[i].ending) == 0)
            return endings[i].type;
    return NULL;
}

static const struct beginning {
    const char *bytes;
    size_t len;
    const char *type;
} beginnings[] = {
    { "\x89PNG\r\n\x1a\n", 8, "image/png" },
    { "\xff\xd8\xff", 3, "image/jpeg" },
    { "GIF8", 4, "image/gif" },
    { "%PDF-", 5, "application/pdf" },
    { "PK\x03\x04", 4, "application/zip" },
    { "\x1f\x8b", 2, "application/gzip" },
    { "SQLite format 3", 16, "application/vnd.sqlite3" },
};

const char *mime_of_bytes(const void *data, size_t len)
{
    size_t fault, looked = len < MIME_BYTES ? len : MIME_BYTES;
    const char *text = data;

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (len >= beginnings[i].len && memcmp(data, beginnings[i].bytes, beginnings[i].len) == 0)
            return beginnings[i].type;

    if (len > 0 && memchr(text, '\0', looked))
        return "application/octet-stream";

    /* A character may be cut off at the end. */
    if (utf8_check(text, looked, &fault) != UTF8_FINE && (len < MIME_BYTES || looked - fault > 3))
        return "application/octet-stream";
    return "text/plain";
}
