// SPDX-License-Identifier: Apache-2.0
//
// strtod rounds correctly but takes the decimal point from the locale. So each number is rewritten
// without one before strtod sees it: 12.345e1 becomes 12345e-2.
#include "models/number.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

// Exponents are cut here: with at most TRIBO_NUMBER_MAX_LENGTH digits, what is beyond is 0 or
// infinite anyway.
enum { EXPONENT_LIMIT = 100000 };

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads [+-]digits after an 'e'. Returns the place after it, or NULL.
static const char* read_exponent(const char* s, int* exponent) {
  int sign = 1, value = 0;
  if (*s == '+' || *s == '-') sign = *s++ == '-' ? -1 : 1;
  if (!is_digit(*s)) return NULL;
  for (; is_digit(*s); ++s) {
    if (value < EXPONENT_LIMIT) value = 10 * value + (*s - '0');
  }
  *exponent = sign * value;
  return s;
}

// Reads one number up to white space or the end. Returns the place after it, or NULL.
static const char* read_number(const char* s, double* value) {
  char digits[TRIBO_NUMBER_MAX_LENGTH + 24];
  int length = 0, digit_count = 0, after_point = 0, exponent = 0;
  if (*s == '+' || *s == '-') digits[length++] = *s++;
  bool point = false;
  for (; is_digit(*s) || (*s == '.' && !point); ++s) {
    if (*s == '.') {
      point = true;
      continue;
    }
    if (length == TRIBO_NUMBER_MAX_LENGTH) return NULL;
    digits[length++] = *s;
    ++digit_count;
    if (point) ++after_point;
  }
  if (digit_count == 0) return NULL;
  if (*s == 'e' || *s == 'E') {
    s = read_exponent(s + 1, &exponent);
    if (!s) return NULL;
  }
  if (*s != '\0' && !is_space(*s)) return NULL;
  snprintf(digits + length, sizeof digits - (size_t)length, "e%d", exponent - after_point);
  *value = strtod(digits, NULL);
  return isfinite(*value) ? s : NULL;
}

int tribo_numbers_parse(const char* text, int capacity, double* values) {
  int count = 0;
  for (;;) {
    while (is_space(*text)) ++text;
    if (*text == '\0') return count;
    if (count == capacity) return -1;
    text = read_number(text, &values[count++]);
    if (!text) return -1;
  }
}

bool tribo_number_parse(const char* text, double* value) {
  double parsed;
  if (tribo_numbers_parse(text, 1, &parsed) != 1) return false;
  *value = parsed;
  return true;
}
