/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embed OUTPUT.c INPUT...: files as arrays of bytes, at build time. Beside the bytes of the
 * file `page.js` (page_js[], page_js_size) stands page_js_hash, by which a page may say that it
 * runs this script and no other: the base64 of SHA-256 (FIPS 180-4).
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, LONGEST_NAME = 64 };

struct hash {
    uint32_t h[8];
};

static uint32_t turned(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static void add_block(struct hash *hash, const unsigned char *block)
{
    static const uint32_t k[BLOCK] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    uint32_t w[BLOCK], v[8];
    for (int i = 0; i < 16; i++) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (int i = 16; i < BLOCK; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] +
               (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    memcpy(v, hash->h, sizeof v);
    for (int i = 0; i < BLOCK; i++) {
        uint32_t one = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) +
                       ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        uint32_t two = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) +
                       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++) {
        hash->h[i] += v[i];
    }
}

static void hash_of(const unsigned char *bytes, size_t n, unsigned char digest[32])
{
    struct hash hash = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                         0x1f83d9ab, 0x5be0cd19}};
    unsigned char last[2 * BLOCK] = {0};
    size_t whole = n / BLOCK * BLOCK, rest = n - whole;
    size_t end = rest + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    for (size_t at = 0; at < whole; at += BLOCK) {
        add_block(&hash, bytes + at);
    }
    memcpy(last, bytes + whole, rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++) {
        last[end - 1 - (size_t)i] = (unsigned char)((uint64_t)n * 8 >> 8 * i);
    }
    add_block(&hash, last);
    if (end > BLOCK) {
        add_block(&hash, last + BLOCK);
    }
    for (int i = 0; i < 32; i++) {
        digest[i] = (unsigned char)(hash.h[i / 4] >> 8 * (3 - i % 4));
    }
}

static void print_hash(FILE *out, const char *name, const unsigned char *bytes, size_t n)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char digest[33] = {0};
    hash_of(bytes, n, digest);
    fprintf(out, "const char %s_hash[] = \"", name);
    for (int i = 0; i < 33; i += 3) {
        uint32_t three = (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 |
                         (i < 30 ? digest[i + 2] : 0);
        for (int k = 0; k < (i < 30 ? 4 : 3); k++) {
            fputc(digits[three >> (18 - 6 * k) & 63], out);
        }
    }
    fputs("=\";\n", out);
}

/* "vendor/uplot/uPlot.min.css" gives uplot_min_css */
static void name_of(const char *file, char *name)
{
    const char *slash = strrchr(file, '/');
    size_t i = 0;
    for (const char *c = slash ? slash + 1 : file; *c && i < LONGEST_NAME - 1; c++, i++) {
        name[i] = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    }
    name[i] = '\0';
}

static int embed(FILE *out, const char *file)
{
    enum { MOST = 1 << 20 };
    char name[LONGEST_NAME];
    unsigned char *bytes = malloc(MOST);
    FILE *in = fopen(file, "rb");
    size_t n = in && bytes ? fread(bytes, 1, MOST, in) : 0;
    int is_good = n > 0 && n < MOST;
    name_of(file, name);
    if (in) {
        fclose(in);
    }
    fprintf(out, "const unsigned char %s[] = {", name);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s%u,", i % 24 == 0 ? "\n" : "", bytes[i]);
    }
    fprintf(out, "\n};\nconst size_t %s_size = sizeof %s;\n", name, name);
    print_hash(out, name, bytes, n);
    free(bytes);
    return is_good;
}

int main(int argc, char **argv)
{
    FILE *out = argc > 2 ? fopen(argv[1], "w") : NULL;
    int is_good = out != NULL;
    if (is_good) {
        fputs("#include \"report/page_data.h\"\n\n", out);
    }
    for (int i = 2; is_good && i < argc; i++) {
        is_good = embed(out, argv[i]);
    }
    is_good = is_good && fclose(out) == 0;
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
