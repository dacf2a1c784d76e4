// SPDX-License-Identifier: Apache-2.0
//
// The graph of blocks is a bit matrix; eliminating a node joins all of its neighbours. The node of
// least degree goes next, the smallest index among equals (Tinney's rule; quotient graphs would
// only pay beyond some thousand blocks).
//
// Right-looking elimination. For the k-th eliminated node with neighbours s (those eliminated
// later): L_ik = A_ik D_k^-1 and A_ij -= L_ik A_kj for all i, j in s.
#include "solvers/block_lu.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct TriboBlockLu {
  int capacity, size;
  int blocks, words;  // words per row of the bit matrix
  uint64_t* bits;     // neighbours not yet eliminated      (capacity x words)
  int* order;         // nodes in the order of elimination  (capacity)
  int* first;         // where a node's neighbours start in `later`, by position (capacity + 1)
  int* later;         // neighbours eliminated later, by position (capacity squared / 2)
  int* slot;          // of block (i, j)                    (capacity squared)
  double* value;      // blocks                             (capacity squared)
  int used;           // blocks in value
};

static int words_for(int blocks) { return (blocks + 63) / 64; }

TriboBlockLu* tribo_block_lu_init(TriboArena* arena, int blocks, int size) {
  TriboBlockLu made = {.capacity = blocks, .size = size};
  TriboBlockLu* lu = tribo_arena_take(arena, 1, sizeof *lu);
  const size_t n = (size_t)blocks;
  made.bits = tribo_arena_take(arena, n * (size_t)words_for(blocks), sizeof(uint64_t));
  made.order = tribo_arena_ints(arena, blocks);
  made.first = tribo_arena_ints(arena, blocks + 1);
  made.later = tribo_arena_take(arena, n * (n + 1) / 2, sizeof(int));
  made.slot = tribo_arena_take(arena, n * n, sizeof(int));
  made.value = tribo_arena_take(arena, n * n * (size_t)(size * size), sizeof(double));
  if (lu == NULL || arena->overflowed) return NULL;
  *lu = made;
  return lu;
}

static uint64_t* row_bits(const TriboBlockLu* lu, int i) {
  return lu->bits + (size_t)i * (size_t)lu->words;
}

static bool has_bit(const uint64_t* bits, int j) { return bits[j / 64] >> (j % 64) & 1; }
static void set_bit(uint64_t* bits, int j) { bits[j / 64] |= (uint64_t)1 << (j % 64); }
static void clear_bit(uint64_t* bits, int j) { bits[j / 64] &= ~((uint64_t)1 << (j % 64)); }

void tribo_block_lu_begin(TriboBlockLu* lu, int blocks) {
  lu->blocks = blocks;
  lu->words = words_for(blocks);
  memset(lu->bits, 0, sizeof(uint64_t) * (size_t)blocks * (size_t)lu->words);
}

void tribo_block_lu_join(TriboBlockLu* lu, int i, int j) {
  if (i == j) return;
  set_bit(row_bits(lu, i), j);
  set_bit(row_bits(lu, j), i);
}

static int degree_of(const TriboBlockLu* lu, int i) {
  const uint64_t* bits = row_bits(lu, i);
  int degree = 0;
  for (int w = 0; w < lu->words; ++w) degree += __builtin_popcountll(bits[w]);
  return degree;
}

static int* slot_of(const TriboBlockLu* lu, int i, int j) {
  return lu->slot + (size_t)i * (size_t)lu->blocks + (size_t)j;
}

// Takes node k out of the graph: its neighbours are written down and joined.
static void eliminate(TriboBlockLu* lu, int position, int k) {
  uint64_t* mine = row_bits(lu, k);
  int end = lu->first[position];
  for (int j = 0; j < lu->blocks; ++j) {
    if (has_bit(mine, j)) lu->later[end++] = j;
  }
  lu->first[position + 1] = end;
  for (int e = lu->first[position]; e < end; ++e) {
    uint64_t* theirs = row_bits(lu, lu->later[e]);
    for (int w = 0; w < lu->words; ++w) theirs[w] |= mine[w];
    clear_bit(theirs, lu->later[e]);
    clear_bit(theirs, k);
  }
  memset(mine, 0, sizeof(uint64_t) * (size_t)lu->words);
}

void tribo_block_lu_analyze(TriboBlockLu* lu) {
  const int n = lu->blocks;
  // slot's diagonal serves as the degree until the blocks are numbered; -1 once eliminated.
  for (int i = 0; i < n; ++i) *slot_of(lu, i, i) = degree_of(lu, i);
  lu->first[0] = 0;
  for (int position = 0; position < n; ++position) {
    int best = -1;
    for (int i = 0; i < n; ++i) {
      const int degree = *slot_of(lu, i, i);
      if (degree >= 0 && (best < 0 || degree < *slot_of(lu, best, best))) best = i;
    }
    lu->order[position] = best;
    eliminate(lu, position, best);
    *slot_of(lu, best, best) = -1;
    for (int e = lu->first[position]; e < lu->first[position + 1]; ++e) {
      *slot_of(lu, lu->later[e], lu->later[e]) = degree_of(lu, lu->later[e]);
    }
  }
  // Blocks are numbered as they are eliminated: diagonal, row, column.
  lu->used = 0;
  for (int position = 0; position < n; ++position) {
    const int k = lu->order[position];
    *slot_of(lu, k, k) = lu->used++;
    const int begin = lu->first[position], end = lu->first[position + 1];
    for (int e = begin; e < end; ++e) *slot_of(lu, k, lu->later[e]) = lu->used++;
    for (int e = begin; e < end; ++e) *slot_of(lu, lu->later[e], k) = lu->used++;
  }
  memset(lu->value, 0, sizeof(double) * (size_t)lu->used * (size_t)(lu->size * lu->size));
}

static double* block_of(const TriboBlockLu* lu, int i, int j) {
  return lu->value + (size_t)*slot_of(lu, i, j) * (size_t)(lu->size * lu->size);
}

double* tribo_block_lu_at(TriboBlockLu* lu, int i, int j) { return block_of(lu, i, j); }

// d <- d^-1 by Gauss-Jordan with row pivoting; false without a pivot.
static bool invert(int size, double* d) {
  double work[TRIBO_BLOCK_MAX][2 * TRIBO_BLOCK_MAX] = {{0}};
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) work[i][j] = d[i * size + j];
    work[i][size + i] = 1;
  }
  for (int k = 0; k < size; ++k) {
    int pivot = k;
    for (int i = k + 1; i < size; ++i) {
      if (fabs(work[i][k]) > fabs(work[pivot][k])) pivot = i;
    }
    if (!(fabs(work[pivot][k]) > 0)) return false;
    for (int j = 0; j < 2 * size; ++j) {
      const double t = work[k][j];
      work[k][j] = work[pivot][j];
      work[pivot][j] = t;
    }
    const double scale = 1 / work[k][k];
    for (int j = 0; j < 2 * size; ++j) work[k][j] *= scale;
    for (int i = 0; i < size; ++i) {
      const double factor = i == k ? 0 : work[i][k];
      for (int j = 0; j < 2 * size; ++j) work[i][j] -= factor * work[k][j];
    }
  }
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) d[i * size + j] = work[i][size + j];
  }
  return true;
}

// c <- c - a b
static inline void subtract_product(int size, const double* a, const double* b, double* c) {
  if (size == 3) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        c[3 * i + j] -= a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
      }
    }
    return;
  }
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      for (int k = 0; k < size; ++k) c[i * size + j] -= a[i * size + k] * b[k * size + j];
    }
  }
}

TriboStatus tribo_block_lu_factor(TriboBlockLu* lu) {
  const int size = lu->size;
  for (int position = 0; position < lu->blocks; ++position) {
    const int k = lu->order[position];
    const int begin = lu->first[position], end = lu->first[position + 1];
    double* diagonal = block_of(lu, k, k);
    if (!invert(size, diagonal)) return TRIBO_ERROR_SINGULAR;
    for (int e = begin; e < end; ++e) {
      const int i = lu->later[e];
      double left[TRIBO_BLOCK_MAX * TRIBO_BLOCK_MAX] = {0}, *below = block_of(lu, i, k);
      subtract_product(size, below, diagonal, left);
      for (int v = 0; v < size * size; ++v) below[v] = -left[v];
      const double* row = block_of(lu, k, lu->later[begin]);
      const int* slots = slot_of(lu, i, 0);
      for (int f = begin; f < end; ++f, row += size * size) {
        double* target = lu->value + (size_t)slots[lu->later[f]] * (size_t)(size * size);
        subtract_product(size, below, row, target);
      }
    }
  }
  return TRIBO_OK;
}

// y <- y - a x
static void subtract_block(int size, const double* a, const double* x, double* y) {
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) y[i] -= a[i * size + j] * x[j];
  }
}

void tribo_block_lu_forward(const TriboBlockLu* lu, double* x) {
  const int size = lu->size;
  for (int position = 0; position < lu->blocks; ++position) {
    const int k = lu->order[position];
    for (int e = lu->first[position]; e < lu->first[position + 1]; ++e) {
      const int i = lu->later[e];
      subtract_block(size, block_of(lu, i, k), x + k * size, x + i * size);
    }
  }
}

double tribo_block_lu_pivot(const TriboBlockLu* lu, int i) { return 1 / *block_of(lu, i, i); }

void tribo_block_lu_solve(const TriboBlockLu* lu, double* x) {
  const int size = lu->size;
  tribo_block_lu_forward(lu, x);
  for (int position = lu->blocks - 1; position >= 0; --position) {
    const int k = lu->order[position];
    for (int e = lu->first[position]; e < lu->first[position + 1]; ++e) {
      const int j = lu->later[e];
      subtract_block(size, block_of(lu, k, j), x + j * size, x + k * size);
    }
    double solved[TRIBO_BLOCK_MAX] = {0};
    subtract_block(size, block_of(lu, k, k), x + k * size, solved);
    for (int v = 0; v < size; ++v) x[k * size + v] = -solved[v];
  }
}
