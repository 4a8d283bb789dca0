#include "fetch/url.h"

#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>
#include <snug/snug.h>

#include "base/ascii.h"

void fetch_url_free(fetch_url *url)
{
    str_free(&url->whole);
    str_free(&url->scheme);
    str_free(&url->host);
}

static int take_part(str *out, CURLU *url, CURLUPart part, unsigned flags)
{
    char *text = NULL;
    if (curl_url_get(url, part, &text, flags) != CURLUE_OK)
        return SNUG_OK;
    int error = str_add(out, text);
    curl_free(text);
    return error;
}

static int has_part(CURLU *url, CURLUPart part)
{
    str text = { 0 };
    int error = take_part(&text, url, part, 0);
    int answer = error || text.len > 0;
    str_free(&text);
    return answer;
}

static int refuse(str *why, const char *sentence)
{
    return str_add(why, sentence) ? SNUG_ENOMEM : SNUG_EINVAL;
}

/* Ends of lines and the like would be a second header for some server; what is not ASCII has a
 * second spelling. */
static int check_characters(str *why, const char *text)
{
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c <= ' ' || *c == 0x7f || *c == '\\')
            return refuse(why, "a URL has no spaces, control characters or backslashes");
        if ((unsigned char)*c > 0x7e)
            return refuse(why, "a URL is ASCII: percent encoding is for what is not, and xn-- for "
                               "names of hosts");
    }
    return SNUG_OK;
}

/* In lower case, without the brackets of IPv6. */
static int check_host(fetch_url *out, str *why)
{
    char *host = out->host.data;

    if (out->host.len == 0)
        return refuse(why, "the URL has no host");
    if (*host == '[') {
        memmove(host, host + 1, out->host.len);
        out->host.len -= 2;
        host[out->host.len] = '\0';
        if (strchr(host, '%'))
            return refuse(why, "the host has a zone");
    }
    for (char *c = host; *c; c++)
        *c = to_lower(*c);
    for (const char *c = host; *c; c++)
        if (!is_word(*c) && !strchr("-.:", *c))
            return refuse(why, "the host is not a name in ASCII, nor an address");
    if (host[out->host.len - 1] == '.')
        return refuse(why, "the host ends in a dot");
    return SNUG_OK;
}

static int take_parts(fetch_url *out, CURLU *url)
{
    str port = { 0 };

    curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0);
    int error = take_part(&out->scheme, url, CURLUPART_SCHEME, 0);
    if (!error)
        error = take_part(&out->host, url, CURLUPART_HOST, 0);
    if (!error)
        error = take_part(&port, url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    if (!error)
        error = take_part(&out->whole, url, CURLUPART_URL, 0);
    out->port = (unsigned)strtoul(str_text(&port), NULL, 10);
    str_free(&port);
    return error;
}

static int read_parts(fetch_url *out, str *why, CURLU *url, const char *text)
{
    if (curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK)
        return refuse(why, "it cannot be read as a URL of http or https");
    if (has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD) ||
        has_part(url, CURLUPART_OPTIONS))
        return refuse(why, "the URL has a user or a password; a header says who asks");
    int error = take_parts(out, url);
    return error ? error : check_host(out, why);
}

int fetch_url_read(fetch_url *out, str *why, const char *text, const char *base)
{
    *out = (fetch_url){ 0 };
    int error = check_characters(why, text);
    if (error)
        return error;
    if (!base && !strstr(text, "://"))
        return refuse(why, "it is not a whole URL, as https://example.org/data.json");

    CURLU *url = curl_url();
    if (!url)
        return SNUG_ENOMEM;
    if (base && curl_url_set(url, CURLUPART_URL, base, 0) != CURLUE_OK)
        error = SNUG_ENOMEM;
    else
        error = read_parts(out, why, url, text);
    curl_url_cleanup(url);
    return error;
}
