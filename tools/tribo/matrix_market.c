// SPDX-License-Identifier: Apache-2.0
//
// One pass over the characters: the banner line, then words, with comment lines left out.
#define _POSIX_C_SOURCE 200809L  // strcasecmp
#include "tools/tribo/matrix_market.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/message.h"

enum { WORD_SIZE = 64 };

typedef struct Reader {
  FILE* file;
  const char* path;
  TriboMessage* message;
  int line;       // of the next character
  bool fresh;     // the next character is the first of its line
  int word_line;  // of the last word
  int length;     // of the last word, 0 at the end of the file
  char word[WORD_SIZE];
} Reader;

typedef struct Banner {
  bool coordinate, symmetric;
} Banner;

// Entries as they come, for sparse matrices.
typedef struct Triplet {
  int row, column;
  double value;
} Triplet;

// What a file is read into: all numbers of a matrix, or its entries.
typedef struct Sink {
  int rows, columns;
  bool sparse;
  double* value;     // dense
  Triplet* triplet;  // sparse
  size_t count, room;
} Sink;

// Sets the message with its place and returns the status.
#define FAIL(reader, line_number, status, ...)                  \
  (tribo_message_set((reader)->message, (status), __VA_ARGS__), \
   tribo_message_set_place((reader)->message, (reader)->path, (line_number)), (status))

static int next_character(Reader* reader) {
  const int c = fgetc(reader->file);
  reader->fresh = c == '\n';
  if (c == '\n' && reader->line < INT_MAX) ++reader->line;
  return c;
}

// Reads the next word that is not in a comment line. The end of the file is a word of length 0.
static TriboStatus next_word(Reader* reader) {
  int c;
  for (;;) {
    const bool first = reader->fresh;
    c = next_character(reader);
    if (first && c == '%') {
      while (c != '\n' && c != EOF) c = next_character(reader);
    }
    if (c == EOF || !isspace(c)) break;
  }
  reader->word_line = reader->line;
  reader->length = 0;
  while (c != EOF && !isspace(c)) {
    if (reader->length == WORD_SIZE - 1) {
      return FAIL(reader, reader->word_line, TRIBO_ERROR_PARSE,
                  "a word of more than %d characters where a number is expected", WORD_SIZE - 1);
    }
    reader->word[reader->length++] = (char)c;
    c = next_character(reader);
  }
  reader->word[reader->length] = '\0';
  if (ferror(reader->file)) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_FILE, "cannot be read: %s", strerror(errno));
  }
  return TRIBO_OK;
}

// A whole number from least to most.
static TriboStatus next_integer(Reader* reader, const char* what, long least, long most,
                                long* value) {
  const TriboStatus status = next_word(reader);
  if (status != TRIBO_OK) return status;
  if (reader->length == 0) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_PARSE, "the file ends before the %s", what);
  }
  char* end;
  errno = 0;
  *value = strtol(reader->word, &end, 10);
  if (end != reader->word + reader->length || errno != 0 || *value < least || *value > most) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_PARSE,
                "the %s must be a whole number from %ld to %ld, not '%s'", what, least, most,
                reader->word);
  }
  return TRIBO_OK;
}

static TriboStatus next_number(Reader* reader, long have, long want, double* value) {
  const TriboStatus status = next_word(reader);
  if (status != TRIBO_OK) return status;
  if (reader->length == 0) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_PARSE,
                "the file ends after %ld of its %ld entries", have, want);
  }
  char* end;
  *value = strtod(reader->word, &end);
  if (end != reader->word + reader->length) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_PARSE, "'%s' is not a number", reader->word);
  }
  if (!isfinite(*value)) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_NOT_FINITE, "'%s' is not a finite number",
                reader->word);
  }
  return TRIBO_OK;
}

static TriboStatus read_banner(Reader* reader, Banner* banner) {
  char line[256], word[5][WORD_SIZE], rest[2];
  if (fgets(line, sizeof line, reader->file) == NULL || strchr(line, '\n') == NULL ||
      sscanf(line, "%63s %63s %63s %63s %63s %1s", word[0], word[1], word[2], word[3], word[4],
             rest) != 5 ||
      strcasecmp(word[0] + (strncmp(word[0], "%%", 2) == 0), "%MatrixMarket") != 0) {
    return FAIL(reader, 1, TRIBO_ERROR_PARSE,
                "a Matrix Market file starts with a line like "
                "'%%%%MatrixMarket matrix coordinate real general'");
  }
  reader->line = 2;
  reader->fresh = true;
  banner->coordinate = strcasecmp(word[2], "coordinate") == 0;
  banner->symmetric = strcasecmp(word[4], "symmetric") == 0;
  const bool known = strcasecmp(word[1], "matrix") == 0 &&
                     (banner->coordinate || strcasecmp(word[2], "array") == 0) &&
                     (strcasecmp(word[3], "real") == 0 || strcasecmp(word[3], "integer") == 0) &&
                     (banner->symmetric || strcasecmp(word[4], "general") == 0);
  if (known) return TRIBO_OK;
  return FAIL(reader, 1, TRIBO_ERROR_UNSUPPORTED,
              "'%s %s %s %s' is not read: write it as matrix, array or coordinate, real or "
              "integer, general or symmetric",
              word[1], word[2], word[3], word[4]);
}

static TriboStatus push(Reader* reader, Sink* sink, long row, long column, double value) {
  if (sink->count == sink->room) {
    const size_t room = sink->room == 0 ? 1024 : 2 * sink->room;
    Triplet* larger =
        room > TRIBO_MATRIX_LIMIT ? NULL : realloc(sink->triplet, room * sizeof(Triplet));
    if (larger == NULL) {
      return FAIL(reader, reader->word_line, TRIBO_ERROR_MEMORY,
                  "no memory for more than %zu entries", sink->count);
    }
    sink->triplet = larger;
    sink->room = room;
  }
  sink->triplet[sink->count++] = (Triplet){(int)row, (int)column, value};
  return TRIBO_OK;
}

// Adds an entry, and its mirror image in a symmetric file.
static TriboStatus add(Reader* reader, Banner banner, Sink* sink, long row, long column,
                       double value) {
  if (banner.symmetric && column > row) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_PARSE,
                "a symmetric file holds the lower triangle only, not (%ld, %ld)", row + 1,
                column + 1);
  }
  if (sink->sparse) {
    TriboStatus status = push(reader, sink, row, column, value);
    if (status == TRIBO_OK && banner.symmetric && row != column) {
      status = push(reader, sink, column, row, value);
    }
    return status;
  }
  double* entry = &sink->value[row * sink->columns + column];
  *entry += value;
  if (!isfinite(*entry)) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_NOT_FINITE,
                "the entries given for (%ld, %ld) add up to infinity", row + 1, column + 1);
  }
  if (banner.symmetric) sink->value[column * sink->columns + row] = *entry;
  return TRIBO_OK;
}

static TriboStatus read_coordinates(Reader* reader, Banner banner, long count, Sink* matrix) {
  TriboStatus status = TRIBO_OK;
  for (long i = 0; i < count && status == TRIBO_OK; ++i) {
    long row = 0, column = 0;
    double value = 0;
    status = next_integer(reader, "row of an entry", 1, matrix->rows, &row);
    if (status == TRIBO_OK) {
      status = next_integer(reader, "column of an entry", 1, matrix->columns, &column);
    }
    if (status == TRIBO_OK) status = next_number(reader, i, count, &value);
    if (status == TRIBO_OK) status = add(reader, banner, matrix, row - 1, column - 1, value);
  }
  return status;
}

// Arrays go down the columns.
static TriboStatus read_array(Reader* reader, Banner banner, Sink* matrix) {
  const long n = matrix->rows;
  const long count = banner.symmetric ? n * (n + 1) / 2 : n * matrix->columns;
  long have = 0;
  TriboStatus status = TRIBO_OK;
  for (long column = 0; column < matrix->columns; ++column) {
    for (long row = banner.symmetric ? column : 0; row < n && status == TRIBO_OK; ++row) {
      double value = 0;
      status = next_number(reader, have++, count, &value);
      if (status == TRIBO_OK) status = add(reader, banner, matrix, row, column, value);
    }
  }
  return status;
}

static TriboStatus read_matrix(Reader* reader, Sink* matrix) {
  Banner banner = {false, false};
  long rows = 0, columns = 0, count = 0;
  TriboStatus status = read_banner(reader, &banner);
  if (status == TRIBO_OK) {
    status = next_integer(reader, "number of rows", 1, TRIBO_MATRIX_LIMIT, &rows);
  }
  if (status == TRIBO_OK) {
    status = next_integer(reader, "number of columns", 1, TRIBO_MATRIX_LIMIT, &columns);
  }
  if (status == TRIBO_OK && banner.coordinate) {
    status = next_integer(reader, "number of entries", 0, INT_MAX, &count);
  }
  if (status != TRIBO_OK) return status;
  if (rows > TRIBO_MATRIX_LIMIT / columns && !(matrix->sparse && banner.coordinate)) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_UNSUPPORTED,
                "%ld by %ld is more than the %d numbers that are read", rows, columns,
                TRIBO_MATRIX_LIMIT);
  }
  if (banner.symmetric && rows != columns) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_PARSE,
                "a symmetric matrix is square, not %ld by %ld", rows, columns);
  }
  matrix->rows = (int)rows;
  matrix->columns = (int)columns;
  if (!matrix->sparse) matrix->value = calloc((size_t)rows * (size_t)columns, sizeof(double));
  if (!matrix->sparse && matrix->value == NULL) {
    return FAIL(reader, reader->word_line, TRIBO_ERROR_MEMORY, "no memory for %ld by %ld numbers",
                rows, columns);
  }
  status = banner.coordinate ? read_coordinates(reader, banner, count, matrix)
                             : read_array(reader, banner, matrix);
  if (status == TRIBO_OK) status = next_word(reader);
  if (status == TRIBO_OK && reader->length > 0) {
    status = FAIL(reader, reader->word_line, TRIBO_ERROR_PARSE, "'%s' after the last entry",
                  reader->word);
  }
  return status;
}

static TriboStatus read_file(const char* path, Sink* sink, TriboMessage* message) {
  tribo_message_clear(message);
  Reader reader = {.path = path, .message = message, .line = 1, .fresh = true};
  reader.file = fopen(path, "r");
  if (reader.file == NULL) {
    return FAIL(&reader, 0, TRIBO_ERROR_FILE, "cannot be opened: %s", strerror(errno));
  }
  const TriboStatus status = read_matrix(&reader, sink);
  fclose(reader.file);
  return status;
}

TriboStatus tribo_matrix_read(const char* path, TriboMatrix* matrix, TriboMessage* message) {
  Sink sink = {.sparse = false};
  const TriboStatus status = read_file(path, &sink, message);
  *matrix = (TriboMatrix){sink.rows, sink.columns, sink.value};
  if (status != TRIBO_OK) tribo_matrix_free(matrix);
  return status;
}

// Puts the triplets in the order of `key` (0 .. size - 1), those with the same key as they were.
static void sort_by(const Triplet* from, Triplet* to, size_t count, int* start, int size,
                    bool by_row) {
  memset(start, 0, sizeof(int) * (size_t)(size + 1));
  for (size_t e = 0; e < count; ++e) ++start[(by_row ? from[e].row : from[e].column) + 1];
  for (int i = 0; i < size; ++i) start[i + 1] += start[i];
  for (size_t e = 0; e < count; ++e) {
    to[start[by_row ? from[e].row : from[e].column]++] = from[e];
  }
}

// Rows with increasing columns, entries given several times added up.
static bool compress(Sink* sink, TriboSparseMatrix* matrix) {
  const int longer = sink->rows > sink->columns ? sink->rows : sink->columns;
  Triplet* other = malloc(sizeof(Triplet) * (sink->count + 1));
  matrix->start = malloc(sizeof(int) * (size_t)(longer + 1));
  matrix->index = malloc(sizeof(int) * (sink->count + 1));
  matrix->value = malloc(sizeof(double) * (sink->count + 1));
  const bool fits = other != NULL && matrix->start != NULL && matrix->index != NULL &&
                    matrix->value != NULL && (sink->triplet != NULL || sink->count == 0);
  int at = 0;
  if (fits) {
    sort_by(sink->triplet, other, sink->count, matrix->start, sink->columns, false);
    sort_by(other, sink->triplet, sink->count, matrix->start, sink->rows, true);
    size_t e = 0;
    for (int i = 0; i < sink->rows; ++i) {
      matrix->start[i] = at;
      for (; e < sink->count && sink->triplet[e].row == i; ++e) {
        const Triplet t = sink->triplet[e];
        if (at > matrix->start[i] && matrix->index[at - 1] == t.column) {
          matrix->value[at - 1] += t.value;
        } else {
          matrix->index[at] = t.column;
          matrix->value[at++] = t.value;
        }
      }
    }
    matrix->start[sink->rows] = at;
  }
  free(other);
  return fits;
}

TriboStatus tribo_sparse_read(const char* path, TriboSparseMatrix* matrix, TriboMessage* message) {
  Sink sink = {.sparse = true};
  memset(matrix, 0, sizeof *matrix);
  TriboStatus status = read_file(path, &sink, message);
  matrix->rows = sink.rows;
  matrix->columns = sink.columns;
  const Reader place = {.path = path, .message = message};
  if (status == TRIBO_OK && !compress(&sink, matrix)) {
    status = FAIL(&place, 0, TRIBO_ERROR_MEMORY, "no memory for %zu entries", sink.count);
  }
  for (int e = 0; status == TRIBO_OK && e < matrix->start[matrix->rows]; ++e) {
    if (isfinite(matrix->value[e])) continue;
    status = FAIL(&place, 0, TRIBO_ERROR_NOT_FINITE, "entries given twice add up to infinity");
  }
  free(sink.triplet);
  if (status != TRIBO_OK) tribo_sparse_free(matrix);
  return status;
}

void tribo_sparse_free(TriboSparseMatrix* matrix) {
  if (matrix == NULL) return;
  free(matrix->start);
  free(matrix->index);
  free(matrix->value);
  memset(matrix, 0, sizeof *matrix);
}

TriboStatus tribo_matrix_write(const char* path, const TriboMatrix* matrix, TriboMessage* message) {
  tribo_message_clear(message);
  const Reader place = {.path = path, .message = message};
  FILE* file = fopen(path, "w");
  if (file == NULL) {
    return FAIL(&place, 0, TRIBO_ERROR_FILE, "cannot be opened: %s", strerror(errno));
  }
  fprintf(file, "%%%%MatrixMarket matrix array real general\n%d %d\n", matrix->rows,
          matrix->columns);
  for (long column = 0; column < matrix->columns; ++column) {
    for (long row = 0; row < matrix->rows; ++row) {
      fprintf(file, "%.17g\n", matrix->value[row * matrix->columns + column]);
    }
  }
  const bool failed = ferror(file) != 0;
  if (fclose(file) != 0 || failed) {
    return FAIL(&place, 0, TRIBO_ERROR_FILE, "cannot be written: %s", strerror(errno));
  }
  return TRIBO_OK;
}

void tribo_matrix_free(TriboMatrix* matrix) {
  if (matrix == NULL) return;
  free(matrix->value);
  memset(matrix, 0, sizeof *matrix);
}
