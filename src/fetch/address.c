#include "fetch/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct range4 {
    uint32_t network;
    int bits;
} range4;

/* IANA's special-purpose registry of IPv4, and multicast. */
static const range4 special4[] = {
    { 0x00000000, 8 },  { 0x0a000000, 8 },  { 0x64400000, 10 }, { 0x7f000000, 8 },
    { 0xa9fe0000, 16 }, { 0xac100000, 12 }, { 0xc0000000, 24 }, { 0xc0000200, 24 },
    { 0xc0586300, 24 }, { 0xc0a80000, 16 }, { 0xc6120000, 15 }, { 0xc6336400, 24 },
    { 0xcb007100, 24 }, { 0xe0000000, 4 },  { 0xf0000000, 4 },
};

typedef struct range6 {
    unsigned char network[16];
    int bits;
} range6;

/* Within 2000::/3: Teredo and its neighbours (protocol assignments), documentation. */
static const range6 special6[] = {
    { { 0x20, 0x01 }, 23 },
    { { 0x20, 0x01, 0x0d, 0xb8 }, 32 },
    { { 0x3f, 0xff }, 20 },
};

static int is_public4(uint32_t ip)
{
    for (size_t i = 0; i < sizeof special4 / sizeof *special4; i++)
        if ((ip ^ special4[i].network) >> (32 - special4[i].bits) == 0)
            return 0;
    return 1;
}

static uint32_t read4(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int has_prefix(const unsigned char *ip, const unsigned char *network, int bits)
{
    const int whole = bits / 8, rest = bits % 8;
    return memcmp(ip, network, (size_t)whole) == 0 &&
           (rest == 0 || (ip[whole] ^ network[whole]) >> (8 - rest) == 0);
}

static int is_public6(const unsigned char *ip)
{
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
    static const unsigned char translated[12] = { 0x00, 0x64, 0xff, 0x9b };
    static const unsigned char six_to_four[] = { 0x20, 0x02 }, global[] = { 0x20 };

    if (has_prefix(ip, mapped, 96) || has_prefix(ip, translated, 96))
        return is_public4(read4(ip + 12));
    if (has_prefix(ip, six_to_four, 16))
        return is_public4(read4(ip + 2));
    if (!has_prefix(ip, global, 3))
        return 0;
    for (size_t i = 0; i < sizeof special6 / sizeof *special6; i++)
        if (has_prefix(ip, special6[i].network, special6[i].bits))
            return 0;
    return 1;
}

/* The bytes of the address; NULL: of another family. */
static const unsigned char *bytes_of(const struct sockaddr *address, size_t *len)
{
    if (address->sa_family == AF_INET) {
        *len = 4;
        return (const unsigned char *)&((const struct sockaddr_in *)(const void *)address)
            ->sin_addr;
    }
    if (address->sa_family == AF_INET6) {
        *len = 16;
        return (const unsigned char *)&((const struct sockaddr_in6 *)(const void *)address)
            ->sin6_addr;
    }
    return NULL;
}

int address_is_public(const struct sockaddr *address)
{
    size_t len;
    const unsigned char *ip = bytes_of(address, &len);

    if (!ip)
        return 0;
    return len == 4 ? is_public4(read4(ip)) : is_public6(ip);
}

int address_is_loopback(const struct sockaddr *address)
{
    static const unsigned char loopback6[16] = { [15] = 1 };
    size_t len;
    const unsigned char *ip = bytes_of(address, &len);

    if (!ip)
        return 0;
    return len == 4 ? ip[0] == 127 : memcmp(ip, loopback6, 16) == 0;
}

int address_is_same(const struct sockaddr *a, const struct sockaddr *b)
{
    size_t len = 0, other = 0;
    const unsigned char *ip = bytes_of(a, &len), *ip_of_b = bytes_of(b, &other);
    return ip && ip_of_b && len == other && memcmp(ip, ip_of_b, len) == 0;
}

int address_read(struct sockaddr_storage *out, const char *text)
{
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)out;

    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        return 1;
    }
    if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        return 1;
    }
    return 0;
}
