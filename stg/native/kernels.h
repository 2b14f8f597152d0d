/* The kernels for one instruction set. Included once for each, with
   NAME(x)  x with the set's suffix,      TARGET  the attribute that enables it,
   LANES    floats in a register,         ROWS    rows of a tile, so that its sums fill the registers. */

typedef float NAME(floats) __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int NAME(ints) __attribute__((vector_size(4 * LANES), aligned(4)));
#define FLOATS NAME(floats)
#define INTS NAME(ints)
#define AT(pointer) (*(FLOATS *)(pointer))
#define INLINE TARGET static inline __attribute__((always_inline))

/* out [rows, WIDTH] = from + x [rows, inputs] w [inputs, WIDTH]. Meanwhile prefetches the weights of `fetch`
   inputs from `next` on; prefetching beyond the end of the weights does nothing. */
INLINE void NAME(tile)(const float *x, long x_row, const float *w, const float *next, long fetch, const float *from,
                       long from_row, float *out, long out_row, int rows, long inputs)
{
    FLOATS sums[ROWS][WIDTH / LANES];
    for (int row = 0; row < rows; row++)
        for (int part = 0; part < WIDTH / LANES; part++) sums[row][part] = AT(from + row * from_row + part * LANES);
    for (long input = 0; input < inputs; input++, w += WIDTH) {
        if (input < fetch)
            for (int line = 0; line < WIDTH; line += LINE) __builtin_prefetch(next + input * WIDTH + line);
        for (int row = 0; row < rows; row++) {
            float value = x[row * x_row + input];
            for (int part = 0; part < WIDTH / LANES; part++) sums[row][part] += value * AT(w + part * LANES);
        }
    }
    for (int row = 0; row < rows; row++)
        for (int part = 0; part < WIDTH / LANES; part++) AT(out + row * out_row + part * LANES) = sums[row][part];
}

/* One block for all rows. With many rows it is read in pieces that stay in the L1 cache while the next piece is
   prefetched bit by bit; few rows finish a block so soon that all of the next must be prefetched at once. */
TARGET static void NAME(block)(const float *x, long x_row, const float *w, const float *bias, float *out, long out_row,
                               long rows, long inputs)
{
    if (!inputs)
        for (long row = 0; row < rows; row++) memcpy(out + row * out_row, bias, WIDTH * sizeof *bias);
    int few = rows <= 2 * ROWS;
    long size = few ? inputs : PIECE, share = few ? inputs : PIECE * ROWS / rows + 1;
    for (long first = 0; first < inputs; first += size, x += size, w += size * WIDTH) {
        long count = inputs - first < size ? inputs - first : size, fetched = 0, row = 0;
        const float *from = first ? out : bias;
        long from_row = first ? out_row : 0;
#define TILE(n) \
    NAME(tile)(x + row * x_row, x_row, w, w + (count + fetched) * WIDTH, share, from + row * from_row, from_row, \
               out + row * out_row, out_row, n, count)
        for (; row + ROWS <= rows; row += ROWS) {
            TILE(ROWS);
            fetched += share;
            if (few) share = 0;
        }
        switch (rows - row) {
#define REST(n) \
    case n: \
        if (n < ROWS) TILE(n); \
        break;
            REST(1) REST(2) REST(3) REST(4) REST(5) REST(6) REST(7) REST(8) REST(9) REST(10) REST(11)
        }
    }
#undef REST
#undef TILE
}

INLINE FLOATS NAME(choose)(INTS which, FLOATS yes, FLOATS no)
{
    return (FLOATS)((which & (INTS)yes) | (~which & (INTS)no));
}

/* e^x, where x = n log 2 + r: a polynomial in r (from Cephes), times 2^n. x is clamped to [-87, 87]. */
INLINE FLOATS NAME(exponential)(FLOATS x)
{
    const float shift = 12582912.0f; /* 1.5 * 2^23: adding and subtracting it rounds to an integer */
    const FLOATS most = (FLOATS){0} + 87.0f;
    x = NAME(choose)((INTS)(x > most), most, x);
    x = NAME(choose)((INTS)(x < -most), -most, x);
    FLOATS n = (x * 1.44269504f + shift) - shift;
    FLOATS r = x - n * 0.693359375f + n * 2.12194440e-4f;
    FLOATS p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    return p * (FLOATS)((__builtin_convertvector(n, INTS) + 127) << 23);
}

INLINE FLOATS NAME(sigmoid)(FLOATS x)
{
    return 1.0f / (1.0f + NAME(exponential)(-x));
}

/* A polynomial (from Cephes) where 1 - 2 / (1 + e^2x) would lose precision. */
INLINE FLOATS NAME(tanh)(FLOATS x)
{
    FLOATS square = x * x;
    FLOATS p = square * -5.70498872745e-3f + 2.06390887954e-2f;
    p = p * square - 5.37397155531e-2f;
    p = p * square + 1.33314422036e-1f;
    p = p * square - 3.33332819422e-1f;
    p = p * square * x + x;
    return NAME(choose)((INTS)(square < 0.390625f), p, 1.0f - 2.0f / (1.0f + NAME(exponential)(x + x)));
}

/* The cells and h of an LSTM for one block of units: gates [4][rows, WIDTH], `gate` floats apart, in the order output,
   input, forget, new; cells [rows, WIDTH]. */
TARGET static void NAME(cells)(const float *gates, long gate, float *cells, float *h, long h_row, long rows)
{
    for (long row = 0; row < rows; row++)
        for (int part = 0; part < WIDTH; part += LANES) {
            const float *at = gates + row * WIDTH + part;
            FLOATS c = NAME(sigmoid)(AT(at + 2 * gate)) * AT(cells + row * WIDTH + part);
            c += NAME(sigmoid)(AT(at + gate)) * NAME(tanh)(AT(at + 3 * gate));
            AT(cells + row * WIDTH + part) = c;
            AT(h + row * h_row + part) = NAME(sigmoid)(AT(at)) * NAME(tanh)(c);
        }
}

/* A GRU's next h [size] from the products of its input and of h, [3 * size] each: reset, update, new. */
TARGET static void NAME(gru)(const float *read, const float *recalled, const float *h, float *out, long size)
{
    for (long at = 0; at < size; at += LANES) {
        FLOATS reset = NAME(sigmoid)(AT(read + at) + AT(recalled + at));
        FLOATS update = NAME(sigmoid)(AT(read + size + at) + AT(recalled + size + at));
        FLOATS new = NAME(tanh)(AT(read + 2 * size + at) + reset * AT(recalled + 2 * size + at));
        AT(out + at) = new + update * (AT(h + at) - new);
    }
}

TARGET static float NAME(dot)(const float *left, const float *right, long size)
{
    FLOATS sums = {0};
    float sum = 0;
    long at = 0;
    for (; at + LANES <= size; at += LANES) sums += AT(left + at) * AT(right + at);
    for (; at < size; at++) sum += left[at] * right[at];
    for (int lane = 0; lane < LANES; lane++) sum += sums[lane];
    return sum;
}

/* The index of the largest of the scores [size], the first on ties. */
TARGET static long NAME(best)(const float *scores, long size)
{
    long at = 0, where = 0;
    if (size >= LANES) {
        FLOATS largest = AT(scores);
        INTS step = {0}; /* where each lane found its largest */
        for (; at + LANES <= size; at += LANES) {
            INTS larger = (INTS)(AT(scores + at) > largest);
            largest = NAME(choose)(larger, AT(scores + at), largest);
            step = (larger & (int)at) | (~larger & step);
        }
        for (int lane = 0; lane < LANES; lane++) {
            long own = step[lane] + lane;
            if (scores[own] > scores[where] || (scores[own] == scores[where] && own < where)) where = own;
        }
    }
    for (; at < size; at++)
        if (scores[at] > scores[where]) where = at;
    return where;
}

#undef FLOATS
#undef INTS
#undef AT
#undef INLINE
#undef NAME
#undef TARGET
#undef LANES
#undef ROWS
