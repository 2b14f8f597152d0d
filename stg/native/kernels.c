/* The kernels of a decoding step: products of a few rows x [rows, inputs] with a weight, LSTM and GRU steps on top
   of them, dot products with the keys of a game, and argmax.

   A weight is stored in blocks of WIDTH outputs, [blocks, inputs, WIDTH], read from one end to the other, and the next
   block is prefetched while this one is used: with few rows, most of the time is spent waiting for weights. Every
   output is one sum over its inputs in order, whatever the number of rows: results are batch-invariant. */

#include <string.h>

#define WIDTH 32  /* outputs of a block */
#define LINE 16   /* floats of a cache line */
#define PIECE 64  /* inputs whose weights in a block (8 KB) stay in the L1 cache beside everything else */
#define SMALL 4096L /* below this many multiply-adds, in units of WIDTH, a second thread does not pay */

#if defined(__x86_64__)
#define NAME(x) x##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq,avx2,fma")))
#define LANES 16
#define ROWS 12
#include "kernels.h"

#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
#define ROWS 3
#include "kernels.h"
#elif defined(__aarch64__)
#define NAME(x) x##_neon
#define TARGET
#define LANES 4
#define ROWS 3
#include "kernels.h"
#endif

static struct {
    void (*block)(const float *, long, const float *, const float *, float *, long, long, long);
    void (*cells)(const float *, long, float *, float *, long, long);
    void (*gru)(const float *, const float *, const float *, float *, long);
    float (*dot)(const float *, const float *, long);
    long (*best)(const float *, long);
} use;

#define USE(set) \
    use.block = block_##set, use.cells = cells_##set, use.gru = gru_##set, use.dot = dot_##set, use.best = best_##set

/* The version of the signatures below, which stg/native/__init__.py checks. */
int stg_version(void)
{
    return 1;
}

/* Chooses the instruction set; returns WIDTH, or 0 if this processor is not supported. */
int stg_begin(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2) USE(avx2);
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) USE(avx512);
#elif defined(__aarch64__)
    USE(neon);
#endif
    return use.block ? WIDTH : 0;
}

/* out [rows, blocks * WIDTH], or in blocks: rows are `out_row` floats apart, blocks `out_block`. */
void stg_product(const float *x, long x_row, const float *weight, const float *bias, float *out, long out_row,
                 long out_block, long rows, long inputs, long blocks)
{
#pragma omp parallel for schedule(static) if (rows * inputs * blocks > SMALL)
    for (long b = 0; b < blocks; b++)
        use.block(x, x_row, weight + b * inputs * WIDTH, bias + b * WIDTH, out + b * out_block, out_row, rows, inputs);
}

/* One step of a layer: x is its input, its own h included; gates [4, units, rows, WIDTH] are scratch; updates cells
   [units, rows, WIDTH] and h [rows, units * WIDTH]. `units`: blocks of a gate. */
void stg_lstm(const float *x, long x_row, const float *weight, const float *bias, float *gates, float *c, float *h,
              long h_row, long rows, long inputs, long units)
{
    stg_product(x, x_row, weight, bias, gates, WIDTH, rows * WIDTH, rows, inputs, 4 * units);
#pragma omp parallel for schedule(static) if (rows * units > 16)
    for (long u = 0; u < units; u++) {
        long at = u * rows * WIDTH;
        use.cells(gates + at, units * rows * WIDTH, c + at, h + u * WIDTH, h_row, rows);
    }
}

/* One step of a GRU for some rows of h: out [count, H] from x [count, inputs] and h [.., H] at `rows`; a row that
   `stays` (null: none) keeps its h. read and recalled [count, 3 * H] and before [count, H] are scratch. */
void stg_gru(const float *x, long x_row, const float *w_read, const float *b_read, long inputs, const float *h,
             long h_row, const long long *rows, const _Bool *stays, const float *w_recall, const float *b_recall,
             float *read, float *recalled, float *before, float *out, long count, long hidden)
{
    long blocks = 3 * hidden / WIDTH, moves = 0;
    for (long row = 0; row < count; row++) {
        memcpy(before + row * hidden, h + rows[row] * h_row, hidden * sizeof *h);
        moves += !(stays && stays[row]);
    }
    if (moves) {
        stg_product(x, x_row, w_read, b_read, read, 3 * hidden, WIDTH, count, inputs, blocks);
        stg_product(before, hidden, w_recall, b_recall, recalled, 3 * hidden, WIDTH, count, hidden, blocks);
    }
    for (long row = 0; row < count; row++) {
        const float *old = before + row * hidden;
        if (stays && stays[row])
            memcpy(out + row * hidden, old, hidden * sizeof *h);
        else
            use.gru(read + 3 * row * hidden, recalled + 3 * row * hidden, old, out + row * hidden, hidden);
    }
}

/* out [rows, members]: the dot product of each row's query [size] with every member of its group, plus the
   member's bias. Groups are `group` floats apart, members `member`. */
void stg_attend(const float *query, long query_row, const float *keys, long group, long member, const float *bias,
                long bias_group, long bias_member, const long long *groups, float *out, long rows, long members,
                long size)
{
#pragma omp parallel for schedule(static) if (rows * members * size > 32768)
    for (long row = 0; row < rows; row++)
        for (long m = 0; m < members; m++)
            out[row * members + m] = use.dot(query + row * query_row, keys + groups[row] * group + m * member, size) +
                                     bias[groups[row] * bias_group + m * bias_member];
}

/* out [rows]: the index of each row's largest score, the first on ties. */
void stg_best(const float *scores, long row, long long *out, long rows, long size)
{
#pragma omp parallel for schedule(static) if (rows * size > 32768)
    for (long r = 0; r < rows; r++) out[r] = use.best(scores + r * row, size);
}
