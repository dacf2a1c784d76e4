// SPDX-License-Identifier: Apache-2.0
//
// Numbers in model files: decimal, independent of the locale, the whole text or nothing. Internal.
#ifndef TRIBO_MODELS_NUMBER_H_
#define TRIBO_MODELS_NUMBER_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Longest number that is accepted, in characters.
enum { TRIBO_NUMBER_MAX_LENGTH = 400 };

// Reads up to `capacity` decimal numbers separated by white space, correctly rounded. Returns how
// many there are, or -1 where the text holds anything else: garbage, hexadecimal, NaN, infinity, a
// number beyond the range of double, or more than `capacity` numbers.
int tribo_numbers_parse(const char* text, int capacity, double* values);

// The same for exactly one number.
bool tribo_number_parse(const char* text, double* value);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_NUMBER_H_
