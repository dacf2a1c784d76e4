// SPDX-License-Identifier: Apache-2.0
//
// Analysis: the coordinates are split by every list into those inside and outside it; what is never
// split is a block. Blocks that share a list are neighbours; the block with the least degree is
// eliminated next, its neighbours become neighbours of each other (rows of bits, so a merge is a
// few words), and they are its column's pattern. [GeorgeLiu1989]
//
// Factorization, block column j with diagonal D_j, below it L_aj, right of it A_jb:
//   X_jb = D_j^-1 A_jb,   A_ab -= L_aj X_jb        for all a, b of its pattern
// Solve: t_j = D_j^-1 x_j, x_a -= L_aj t_j downwards, then x_j = t_j - sum X_jb x_b upwards.
// For a symmetric matrix A_jb = L_bj^T and only a >= b is kept. D_j^-1 is explicit: blocks are
// small, and whoever uses the factor refines.
#include "solvers/coordinate_lu.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MAX_BLOCKS = 4096, MAX_WIDTH = 16, KERNEL = 6 };

// A column of blocks, in the order of elimination.
typedef struct Column {
  int width;
  int first;  // its coordinates: coordinate[first .. first + width - 1]
  int begin;  // its pattern: pattern[begin .. end - 1], increasing columns
  int end;
  int height;   // rows below the diagonal
  int inverse;  // D^-1, width x width, in value[]
  int lower;    // L_aj, height x width
  int upper;  // A_jb^T, then X_jb^T, height x width; `lower` itself when symmetric, until factored
} Column;

struct TriboCoordinateLu {
  int most;      // coordinates
  int capacity;  // values
  int blocks_most;
  int n, blocks;
  bool symmetric;

  int* block_of;    // block of every coordinate, -1: in no list; then its column    (n)
  int* place;       // of every coordinate in its column                             (n)
  int* coordinate;  // by column                                                     (n)
  int* size;        // of every block                                                (n)
  int* touched;     // scratch                                                       (n)
  int* split;       // scratch                                                       (n)
  int* stamp;       // scratch                                                       (n)
  uint64_t* bits;  // neighbours of every block                                     (blocks x words)
  int* order;      // block at every column                                         (blocks)
  int* degree;     //                                                               (blocks)
  Column* column;
  int* pattern;  // columns of the rows below the diagonal
  int pattern_most;
  int* offset;  // first row of every entry of the pattern in its column
  int* where;   // scratch: row offset of a column in the column at hand
  double* value;
  int used;
  double* work;  // a right-hand side by column                                      (n)
};

TriboCoordinateLu* tribo_coordinate_lu_init(TriboArena* arena, int n) {
  const int values = 2 * (n < 256 ? n : 256) * n + MAX_WIDTH * n;
  TriboCoordinateLu measuring = {0};
  TriboCoordinateLu* made =
      (TriboCoordinateLu*)tribo_arena_take(arena, 1, sizeof(TriboCoordinateLu));
  TriboCoordinateLu* lu = made != NULL ? made : &measuring;
  const int blocks = n < MAX_BLOCKS ? n : MAX_BLOCKS;
  const size_t words = (size_t)(blocks + 63) / 64;
  lu->most = n;
  lu->capacity = values;
  lu->blocks_most = blocks;
  lu->pattern_most = values / 4 + blocks;
  int** by_coordinate[] = {&lu->block_of, &lu->place, &lu->coordinate, &lu->size,
                           &lu->touched,  &lu->split, &lu->stamp,      &lu->where};
  for (int v = 0; v < (int)(sizeof by_coordinate / sizeof by_coordinate[0]); ++v) {
    *by_coordinate[v] = tribo_arena_ints(arena, n + 1);
  }
  lu->bits = (uint64_t*)tribo_arena_take(arena, (size_t)blocks * words, sizeof(uint64_t));
  lu->order = tribo_arena_ints(arena, blocks);
  lu->degree = tribo_arena_ints(arena, blocks);
  lu->column = (Column*)tribo_arena_take(arena, (size_t)blocks, sizeof(Column));
  lu->pattern = tribo_arena_ints(arena, lu->pattern_most);
  lu->offset = tribo_arena_ints(arena, lu->pattern_most);
  lu->value = tribo_arena_doubles(arena, values);
  lu->work = tribo_arena_doubles(arena, n);
  return arena->overflowed ? NULL : made;
}

int tribo_coordinate_lu_entries(const TriboCoordinateLu* lu) { return lu->used; }

// ---- Analysis ----

// block_of: coordinates are in one block while no list separates them.
static void split_by_lists(TriboCoordinateLu* lu, int lists, const int* start, const int* index) {
  for (int i = 0; i < lu->n; ++i) lu->block_of[i] = -1, lu->touched[i] = 0, lu->stamp[i] = -1;
  lu->blocks = 0;
  for (int l = 0; l < lists; ++l) {
    for (int e = start[l]; e < start[l + 1]; ++e) {
      if (lu->block_of[index[e]] >= 0) ++lu->touched[lu->block_of[index[e]]];
    }
    int fresh = -1;  // the block of coordinates that no list had before
    for (int e = start[l]; e < start[l + 1]; ++e) {
      const int b = lu->block_of[index[e]];
      if (b >= 0 && lu->touched[b] == lu->size[b]) continue;  // wholly inside
      int to;
      if (b < 0) {
        if (fresh < 0) fresh = lu->blocks++, lu->size[fresh] = 0;
        to = fresh;
      } else {
        if (lu->stamp[b] != l) {
          lu->stamp[b] = l;
          lu->split[b] = lu->blocks++;
          lu->size[lu->split[b]] = 0;
        }
        to = lu->split[b];
        --lu->size[b], --lu->touched[b];  // both, so that the comparison above stays as it was
      }
      ++lu->size[to];
      lu->block_of[index[e]] = to;
    }
    for (int e = start[l]; e < start[l + 1]; ++e) lu->touched[lu->block_of[index[e]]] = 0;
  }
}

// Cuts blocks wider than MAX_WIDTH; their parts stay neighbours, since they share all lists.
static void cut_wide_blocks(TriboCoordinateLu* lu) {
  const int blocks = lu->blocks;
  int* taken = lu->touched;
  for (int b = 0; b < blocks; ++b) taken[b] = 0, lu->split[b] = b;
  for (int i = 0; i < lu->n; ++i) {
    const int b = lu->block_of[i];
    if (b < 0) continue;
    if (taken[b] == MAX_WIDTH) taken[b] = 0, lu->split[b] = lu->blocks++;
    ++taken[b];
    lu->block_of[i] = lu->split[b];
  }
  for (int b = 0; b < lu->blocks; ++b) lu->size[b] = 0;
  for (int i = 0; i < lu->n; ++i) {
    if (lu->block_of[i] >= 0) ++lu->size[lu->block_of[i]];
  }
}

static uint64_t* row_of(const TriboCoordinateLu* lu, int words, int block) {
  return lu->bits + (size_t)block * (size_t)words;
}

static void connect_blocks(TriboCoordinateLu* lu, int words, int lists, const int* start,
                           const int* index) {
  memset(lu->bits, 0, sizeof(uint64_t) * (size_t)lu->blocks * (size_t)words);
  for (int b = 0; b < lu->blocks; ++b) lu->stamp[b] = -1;
  for (int l = 0; l < lists; ++l) {
    int count = 0;
    for (int e = start[l]; e < start[l + 1]; ++e) {
      const int b = lu->block_of[index[e]];
      if (lu->stamp[b] == l) continue;
      lu->stamp[b] = l;
      lu->split[count++] = b;
    }
    for (int p = 0; p < count; ++p) {
      uint64_t* row = row_of(lu, words, lu->split[p]);
      for (int q = 0; q < count; ++q) {
        if (p != q) row[lu->split[q] >> 6] |= (uint64_t)1 << (lu->split[q] & 63);
      }
    }
  }
}

static int lowest_bit(uint64_t word) { return __builtin_ctzll(word); }

// Coordinates in the neighbours of a block.
static int degree_of(const TriboCoordinateLu* lu, int words, int block) {
  const uint64_t* row = row_of(lu, words, block);
  int sum = 0;
  for (int w = 0; w < words; ++w) {
    for (uint64_t rest = row[w]; rest != 0; rest &= rest - 1) {
      sum += lu->size[64 * w + lowest_bit(rest)];
    }
  }
  return sum;
}

// Order of least degree, ties to the smallest block. Afterwards row b holds the neighbours that
// block b had when it was eliminated.
static void order_blocks(TriboCoordinateLu* lu, int words) {
  int* left = lu->split;
  for (int b = 0; b < lu->blocks; ++b) left[b] = b, lu->degree[b] = degree_of(lu, words, b);
  for (int step = 0; step < lu->blocks; ++step) {
    int best = step;
    for (int e = step + 1; e < lu->blocks; ++e) {
      const int d = lu->degree[left[e]] - lu->degree[left[best]];
      if (d < 0 || (d == 0 && left[e] < left[best])) best = e;
    }
    const int b = left[best];
    left[best] = left[step];
    left[step] = b;
    lu->order[step] = b;
    const uint64_t* row = row_of(lu, words, b);
    for (int w = 0; w < words; ++w) {
      for (uint64_t rest = row[w]; rest != 0; rest &= rest - 1) {
        const int a = 64 * w + lowest_bit(rest);
        uint64_t* other = row_of(lu, words, a);
        for (int v = 0; v < words; ++v) other[v] |= row[v];
        other[b >> 6] &= ~((uint64_t)1 << (b & 63));
        other[a >> 6] &= ~((uint64_t)1 << (a & 63));
        lu->degree[a] = degree_of(lu, words, a);
      }
    }
  }
}

static void sort_ints(int* values, int count) {
  for (int i = 1; i < count; ++i) {
    const int v = values[i];
    int j = i - 1;
    for (; j >= 0 && values[j] > v; --j) values[j + 1] = values[j];
    values[j + 1] = v;
  }
}

// Columns, their patterns and where their values stand.
static TriboStatus lay_out(TriboCoordinateLu* lu, int words) {
  int* column_of = lu->touched;
  for (int j = 0; j < lu->blocks; ++j) column_of[lu->order[j]] = j;
  int at = 0, entries = 0;
  lu->used = 0;
  for (int j = 0; j < lu->blocks; ++j) {
    Column* column = &lu->column[j];
    const uint64_t* row = row_of(lu, words, lu->order[j]);
    column->width = lu->size[lu->order[j]];
    column->first = at;
    at += column->width;
    column->begin = entries;
    for (int w = 0; w < words; ++w) {
      for (uint64_t rest = row[w]; rest != 0; rest &= rest - 1) {
        if (entries >= lu->pattern_most) return TRIBO_ERROR_CAPACITY;
        lu->pattern[entries++] = column_of[64 * w + lowest_bit(rest)];
      }
    }
    column->end = entries;
    sort_ints(lu->pattern + column->begin, entries - column->begin);
    column->height = 0;
    for (int e = column->begin; e < entries; ++e) {
      lu->offset[e] = column->height;
      column->height += lu->size[lu->order[lu->pattern[e]]];
    }
    const long need = (long)lu->used + (long)column->width * (column->width + 2L * column->height);
    if (need > lu->capacity) return TRIBO_ERROR_CAPACITY;
    column->inverse = lu->used;
    column->lower = column->inverse + column->width * column->width;
    column->upper = column->lower + column->width * column->height;
    lu->used = (int)need;
  }
  // Coordinates by column.
  int* next = lu->split;
  for (int j = 0; j < lu->blocks; ++j) next[j] = 0;
  for (int i = 0; i < lu->n; ++i) {
    if (lu->block_of[i] < 0) continue;
    const int j = column_of[lu->block_of[i]];
    lu->block_of[i] = j;
    lu->place[i] = next[j]++;
    lu->coordinate[lu->column[j].first + lu->place[i]] = i;
  }
  return TRIBO_OK;
}

void tribo_coordinate_lu_clear(TriboCoordinateLu* lu) {
  memset(lu->value, 0, sizeof(double) * (size_t)lu->used);
  for (int j = 0; j < lu->blocks; ++j) {
    const Column* column = &lu->column[j];
    for (int i = 0; i < column->width; ++i)
      lu->value[column->inverse + i * (column->width + 1)] = 1;
  }
}

TriboStatus tribo_coordinate_lu_analyze(TriboCoordinateLu* lu, int n, int lists, const int* start,
                                        const int* index, bool symmetric) {
  if (n > lu->most) return TRIBO_ERROR_CAPACITY;
  lu->n = n;
  lu->symmetric = symmetric;
  split_by_lists(lu, lists, start, index);
  cut_wide_blocks(lu);
  if (lu->blocks > lu->blocks_most) return TRIBO_ERROR_CAPACITY;
  const int words = (lu->blocks + 63) / 64;
  connect_blocks(lu, words, lists, start, index);
  order_blocks(lu, words);
  const TriboStatus status = lay_out(lu, words);
  if (status != TRIBO_OK) return status;
  tribo_coordinate_lu_clear(lu);
  return TRIBO_OK;
}

// ---- Values ----

// Row of block column a in column j < a.
static int row_in(const TriboCoordinateLu* lu, int j, int a) {
  const Column* column = &lu->column[j];
  int e = column->begin;
  while (lu->pattern[e] != a) ++e;
  return lu->offset[e];
}

void tribo_coordinate_lu_add(TriboCoordinateLu* lu, double s, TriboCoordinateVector c,
                             TriboCoordinateVector r) {
  // Runs of entries in one block, pair by pair.
  for (int i = 0; i < c.count;) {
    const int a = lu->block_of[c.index[i]];
    int i_end = i + 1;
    while (i_end < c.count && lu->block_of[c.index[i_end]] == a) ++i_end;
    for (int j = 0; j < r.count;) {
      const int b = lu->block_of[r.index[j]];
      int j_end = j + 1;
      while (j_end < r.count && lu->block_of[r.index[j_end]] == b) ++j_end;
      if (a == b || a > b) {
        const Column* column = &lu->column[b];
        const int width = column->width;
        double* to =
            lu->value + (a == b ? column->inverse : column->lower + width * row_in(lu, b, a));
        for (int p = i; p < i_end; ++p) {
          double* row = to + width * lu->place[c.index[p]];
          const double f = s * c.value[p];
          for (int q = j; q < j_end; ++q) row[lu->place[r.index[q]]] += f * r.value[q];
        }
      } else if (!lu->symmetric) {
        const Column* column = &lu->column[a];
        const int width = column->width;
        double* to = lu->value + column->upper + width * row_in(lu, a, b);
        for (int q = j; q < j_end; ++q) {
          double* row = to + width * lu->place[r.index[q]];
          const double f = s * r.value[q];
          for (int p = i; p < i_end; ++p) row[lu->place[c.index[p]]] += f * c.value[p];
        }
      }
      j = j_end;
    }
    i = i_end;
  }
}

// D <- D^-1 by Gauss-Jordan with row pivots; false without a pivot.
static bool invert(int n, double* d, int* pivot) {
  for (int c = 0; c < n; ++c) {
    int best = c;
    for (int r = c + 1; r < n; ++r) {
      if (fabs(d[r * n + c]) > fabs(d[best * n + c])) best = r;
    }
    pivot[c] = best;
    if (!(fabs(d[best * n + c]) > 1e-300)) return false;
    if (best != c) {
      for (int e = 0; e < n; ++e) {
        const double held = d[c * n + e];
        d[c * n + e] = d[best * n + e];
        d[best * n + e] = held;
      }
    }
    const double inverse = 1 / d[c * n + c];
    d[c * n + c] = 1;
    for (int e = 0; e < n; ++e) d[c * n + e] *= inverse;
    for (int r = 0; r < n; ++r) {
      if (r == c) continue;
      const double f = d[r * n + c];
      if (f == 0) continue;
      d[r * n + c] = 0;
      for (int e = 0; e < n; ++e) d[r * n + e] -= f * d[c * n + e];
    }
  }
  for (int c = n - 1; c >= 0; --c) {
    if (pivot[c] == c) continue;
    for (int r = 0; r < n; ++r) {
      const double held = d[r * n + c];
      d[r * n + c] = d[r * n + pivot[c]];
      d[r * n + pivot[c]] = held;
    }
  }
  return true;
}

// to (rows x columns, leading dimension columns) -= l (rows x inner) x (inner x columns).
static inline void subtract_product(int rows, int columns, int inner, const double* restrict l,
                                    const double* restrict x, double* restrict to) {
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < inner; ++k) {
      const double f = l[r * inner + k];
      for (int q = 0; q < columns; ++q) to[r * columns + q] -= f * x[k * columns + q];
    }
  }
}

static void update_block(int rows, int columns, int inner, const double* restrict l,
                         const double* restrict x, double* restrict to) {
  if (rows == KERNEL && columns == KERNEL && inner == KERNEL) {
    subtract_product(KERNEL, KERNEL, KERNEL, l, x, to);
  } else {
    subtract_product(rows, columns, inner, l, x, to);
  }
}

// X^T = A^T D^-T, row by row of the transposed panel.
static void solve_panel(const TriboCoordinateLu* lu, const Column* column, const double* from,
                        double* to) {
  const int w = column->width;
  const double* inverse = lu->value + column->inverse;
  for (int r = 0; r < column->height; ++r) {
    double row[MAX_WIDTH];
    for (int i = 0; i < w; ++i) row[i] = from[r * w + i];
    for (int i = 0; i < w; ++i) {
      double sum = 0;
      for (int k = 0; k < w; ++k) sum += inverse[i * w + k] * row[k];
      to[r * w + i] = sum;
    }
  }
}

// Subtracts the products of column j from the columns of its pattern.
static void update_columns(TriboCoordinateLu* lu, int j) {
  const Column* column = &lu->column[j];
  const int w = column->width;
  const double* L = lu->value + column->lower;
  const double* X = lu->value + column->upper;  // X^T
  for (int e = column->begin; e < column->end; ++e) {
    const int b = lu->pattern[e];
    Column* target = &lu->column[b];
    const int wb = target->width;
    for (int t = target->begin; t < target->end; ++t) lu->where[lu->pattern[t]] = lu->offset[t];
    // X_jb (w x wb) from its transpose.
    double x[MAX_WIDTH * MAX_WIDTH];
    for (int k = 0; k < w; ++k) {
      for (int q = 0; q < wb; ++q) x[k * wb + q] = X[(lu->offset[e] + q) * w + k];
    }
    update_block(wb, wb, w, L + lu->offset[e] * w, x, lu->value + target->inverse);
    for (int f = e + 1; f < column->end; ++f) {
      const int a = lu->pattern[f], wa = lu->column[a].width;
      update_block(wa, wb, w, L + lu->offset[f] * w, x,
                   lu->value + target->lower + wb * lu->where[a]);
    }
    if (lu->symmetric) continue;
    // The row right of b: A_ba^T -= X_ja^T L_bj^T.
    for (int k = 0; k < w; ++k) {
      for (int q = 0; q < wb; ++q) x[k * wb + q] = L[(lu->offset[e] + q) * w + k];
    }
    for (int f = e + 1; f < column->end; ++f) {
      const int a = lu->pattern[f], wa = lu->column[a].width;
      update_block(wa, wb, w, X + lu->offset[f] * w, x,
                   lu->value + target->upper + wb * lu->where[a]);
    }
  }
}

TriboStatus tribo_coordinate_lu_factor(TriboCoordinateLu* lu) {
  for (int j = 0; j < lu->blocks; ++j) {
    const Column* column = &lu->column[j];
    if (!invert(column->width, lu->value + column->inverse, lu->touched)) {
      return TRIBO_ERROR_SINGULAR;
    }
    solve_panel(lu, column, lu->value + (lu->symmetric ? column->lower : column->upper),
                lu->value + column->upper);
    update_columns(lu, j);
  }
  return TRIBO_OK;
}

void tribo_coordinate_lu_solve(TriboCoordinateLu* lu, double* x) {
  double* p = lu->work;  // x by column
  double t[MAX_WIDTH];
  for (int j = 0; j < lu->blocks; ++j) {
    const Column* column = &lu->column[j];
    for (int i = 0; i < column->width; ++i) {
      p[column->first + i] = x[lu->coordinate[column->first + i]];
    }
  }
  for (int j = 0; j < lu->blocks; ++j) {
    const Column* column = &lu->column[j];
    const int w = column->width;
    double* own = p + column->first;
    const double* inverse = lu->value + column->inverse;
    for (int i = 0; i < w; ++i) {
      double sum = 0;
      for (int k = 0; k < w; ++k) sum += inverse[i * w + k] * own[k];
      t[i] = sum;
    }
    memcpy(own, t, sizeof(double) * (size_t)w);
    const double* L = lu->value + column->lower;
    for (int e = column->begin; e < column->end; ++e) {
      const Column* other = &lu->column[lu->pattern[e]];
      for (int r = 0; r < other->width; ++r) {
        const double* row = L + (lu->offset[e] + r) * w;
        double sum = 0;
        for (int k = 0; k < w; ++k) sum += row[k] * own[k];
        p[other->first + r] -= sum;
      }
    }
  }
  for (int j = lu->blocks - 1; j >= 0; --j) {
    const Column* column = &lu->column[j];
    const int w = column->width;
    double* own = p + column->first;
    const double* X = lu->value + column->upper;
    for (int e = column->begin; e < column->end; ++e) {
      const Column* other = &lu->column[lu->pattern[e]];
      for (int r = 0; r < other->width; ++r) {
        const double v = p[other->first + r];
        const double* row = X + (lu->offset[e] + r) * w;
        for (int k = 0; k < w; ++k) own[k] -= v * row[k];
      }
    }
  }
  for (int j = 0; j < lu->blocks; ++j) {
    const Column* column = &lu->column[j];
    for (int i = 0; i < column->width; ++i) {
      x[lu->coordinate[column->first + i]] = p[column->first + i];
    }
  }
}
