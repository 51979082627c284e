/* Built together with a copy of libsecp256k1's sources, this gives access to
 * what the library keeps to itself: arithmetic, point formulas, and its
 * multi-scalar multiplication. Each function does an operation n times and
 * returns the nanoseconds of CPU time that they took.
 *
 * P is the prefix of the names in those sources. */
#include "src/secp256k1.c"

#include <stdlib.h>
#include <time.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define S(name) JOIN(P, name)
#define EXPORT __attribute__((visibility("default")))

typedef S(fe) fe;
typedef S(scalar) sc;
typedef S(ge) ge;
typedef S(gej) gej;

/* The builds with callbacks outside the library find them here. */
EXPORT void S(default_illegal_callback_fn)(const char *text, void *data) {
    (void)text;
    (void)data;
}
EXPORT void S(default_error_callback_fn)(const char *text, void *data) {
    (void)text;
    (void)data;
    abort();
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put(unsigned char *out, fe *x) {
    S(fe_normalize)(x);
    S(fe_get_b32)(out, x);
}

static int compress(unsigned char *out, gej *p) {
    ge a;
    if (S(gej_is_infinity)(p)) return 0;
    S(ge_set_gej_var)(&a, p);
    put(out + 1, &a.x);
    S(fe_normalize)(&a.y);
    out[0] = 2 + S(fe_is_odd)(&a.y);
    return 1;
}

enum { ROWS = 1024 };

/* Inputs are prepared by bench_load; those arrays hold them. */
static fe A[ROWS], B[ROWS];
static sc SA[ROWS], SB[ROWS];
static ge Pt[ROWS];
static size_t rows;

EXPORT int koblitz_bench_load(size_t n, const unsigned char *a, const unsigned char *b, const unsigned char *points) {
    size_t i;
    if (n > ROWS) return 0;
    rows = n;
    for (i = 0; i < n; i++) {
        fe x, y;
        S(fe_set_b32_mod)(&A[i], a + 32 * i);
        S(fe_set_b32_mod)(&B[i], b + 32 * i);
        S(scalar_set_b32)(&SA[i], a + 32 * i, NULL);
        S(scalar_set_b32)(&SB[i], b + 32 * i, NULL);
        S(fe_set_b32_mod)(&x, points + 64 * i);
        S(fe_set_b32_mod)(&y, points + 64 * i + 32);
        S(ge_set_xy)(&Pt[i], &x, &y);
    }
    return 1;
}

#define LOOP for (i = 0, j = first; i < n; i++, j = j + 1 == rows ? 0 : j + 1)
#define OP(k, prepare, body, finish) \
    case k: { prepare; t = now(); LOOP { body; } t = now() - t; finish; break; }

/* One operation n times from row first; out holds the last result, in 32 or 33
 * bytes. */
EXPORT uint64_t koblitz_bench_run(const S(context) *ctx, int op, size_t first, size_t n, unsigned char *out) {
    size_t i, j;
    uint64_t t = 0;
    fe x = A[first], y, z, w;
    sc s = SA[first];
    gej r, q;
    S(gej_set_ge)(&r, &Pt[first]);
    switch (op) {
    OP(0, , S(fe_mul)(&x, &x, &B[j]), put(out, &x))
    OP(1, y = A[1]; z = A[2]; w = A[3], if (!(i & 3)) { S(fe_mul)(&x, &x, &B[j]); S(fe_mul)(&y, &y, &B[j]); S(fe_mul)(&z, &z, &B[j]); S(fe_mul)(&w, &w, &B[j]); }, put(out, &x))
    OP(2, , S(fe_sqr)(&x, &x), put(out, &x))
    OP(3, , S(fe_add)(&x, &B[j]); S(fe_normalize_weak)(&x), put(out, &x))
    OP(4, , S(fe_inv)(&x, &A[j]), put(out, &x))
    OP(5, , S(scalar_mul)(&s, &s, &SB[j]), S(scalar_get_b32)(out, &s))
    OP(6, , S(scalar_inverse)(&s, &SA[j]), S(scalar_get_b32)(out, &s))
    OP(7, , S(gej_double_var)(&r, &r, NULL), compress(out, &r))
    OP(8, , S(ecmult_const)(&r, &Pt[j], &SA[j]), compress(out, &r))
    OP(9, , S(ecmult_gen_gej)(&ctx->ecmult_gen_ctx, &r, &SA[j]), compress(out, &r))
    OP(10, , S(gej_set_ge)(&q, &Pt[j]); S(ecmult)(&r, &q, &SB[j], &SA[j]), compress(out, &r))
    }
    return t;
}

typedef struct {
    sc *k;
    ge *p;
} terms;

static int term(sc *k, ge *p, size_t i, void *data) {
    *k = ((terms *)data)->k[i];
    *p = ((terms *)data)->p[i];
    return 1;
}

static terms all;
static S(scratch) scratch;

EXPORT int koblitz_bench_msm_load(size_t n, const unsigned char *k, const unsigned char *points) {
    size_t i, size = (size_t)256 << 20;
    all.k = malloc(n * sizeof *all.k);
    all.p = malloc(n * sizeof *all.p);
    memcpy(scratch.magic, "scratch", 8);
    scratch.data = malloc(size);
    scratch.alloc_size = 0;
    scratch.max_size = size;
    if (!all.k || !all.p || !scratch.data) return 0;
    for (i = 0; i < n; i++) {
        fe x, y;
        S(scalar_set_b32)(&all.k[i], k + 32 * i, NULL);
        S(fe_set_b32_mod)(&x, points + 64 * i);
        S(fe_set_b32_mod)(&y, points + 64 * i + 32);
        S(ge_set_xy)(&all.p[i], &x, &y);
    }
    return 1;
}

EXPORT uint64_t koblitz_bench_msm(const S(context) *ctx, size_t count, size_t n, unsigned char *out) {
    uint64_t t = now();
    gej r;
    size_t i;
    for (i = 0; i < n; i++) {
        if (!S(ecmult_multi_var)(&ctx->error_callback, &scratch, &r, NULL, term, &all, count)) return 0;
    }
    t = now() - t;
    compress(out, &r);
    return t;
}

/* A hash function for secp256k1_ecdh: the x coordinate itself. */
EXPORT int koblitz_bench_copy_x(unsigned char *out, const unsigned char *x, const unsigned char *y, void *data) {
    (void)y;
    (void)data;
    memcpy(out, x, 32);
    return 1;
}

enum { OUTPUTS = 2 };

/* Scans a transaction with two outputs of 32 bytes for silent payments
 * (BIP-352). point33 is input_hash * (A_1 + ... + A_n). The module takes this
 * product in its summary of the inputs, marked as combined, but exports no
 * function that makes such a summary. out gets the number of found outputs, and
 * for each its x coordinate and its tweak. */
EXPORT int koblitz_bench_scan(const S(context) *ctx, unsigned char *out, const unsigned char *point33, const unsigned char *outputs, const unsigned char *secret32, const S(pubkey) *spend) {
    S(xonly_pubkey) parsed[OUTPUTS];
    const S(xonly_pubkey) *o[OUTPUTS] = {&parsed[0], &parsed[1]};
    S(silentpayments_found_output) found[OUTPUTS], *f[OUTPUTS] = {&found[0], &found[1]};
    S(silentpayments_prevouts_summary) summary;
    S(pubkey) point;
    uint32_t i, n;
    for (i = 0; i < OUTPUTS; i++) {
        if (!S(xonly_pubkey_parse)(ctx, &parsed[i], outputs + 32 * i)) return 0;
    }
    if (!S(ec_pubkey_parse)(ctx, &point, point33, 33)) return 0;
    memset(&summary, 0, sizeof summary);
    memcpy(summary.data, S(silentpayments_prevouts_summary_magic), 4);
    summary.data[4] = 1;
    memcpy(summary.data + 5, point.data, 64);
    if (!S(silentpayments_recipient_scan_outputs)(ctx, f, &n, o, OUTPUTS, secret32, &summary, spend, NULL, NULL)) return 0;
    *out++ = n;
    for (i = 0; i < n; i++, out += 64) {
        S(xonly_pubkey_serialize)(ctx, out, &found[i].output);
        memcpy(out + 32, found[i].tweak, 32);
    }
    return 1;
}
