// SPDX-License-Identifier: Apache-2.0
//
// The order was found by trying: most problems of piles and jammed boxes are solved by the first
// three ways, and nearly all by the first seven.
#include "solvers/interior.h"

TriboInteriorOptions tribo_interior_way(int way) {
  static const TriboInteriorOptions ways[] = {
      {60, 1e-6, 0.3, 0, 0, 0, false, false},  {60, 1e-7, 0.3, 0, 0, 0, false, false},
      {60, 1e-6, 0.1, 0, 1, 0, false, false},  {60, 1e-6, 0.1, 0, 1, 0, true, false},
      {60, 1e-6, 0.1, 0, 1, 0, true, false},   {200, 1e-6, 0.1, 0, 3, 0, true, false},
      {60, 1e-6, 0.1, 0, 1, 0, true, false},   {200, 1e-6, 0.1, 0, 3, 0, true, false},
      {200, 1e-6, 0.1, 0, 3, 0, true, false},  {60, 1e-6, 0.1, 0.01, 0, 0, false, false},
      {60, 1e-6, 0.3, 0, 0, 0, false, true},   {60, 1e-8, 0.3, 0, 0, 0, false, false},
      {60, 1e-7, 0.5, 0.01, 0, 0, false, true}};
  enum { CHOSEN = sizeof ways / sizeof ways[0] };
  if (way < CHOSEN) return ways[way];
  // By turns held shifts and moving ones.
  static const double proximal[] = {1e-6, 1e-5, 1e-7, 1e-8};
  TriboInteriorOptions options = ways[1 + way % 2];
  options.scatter = way - CHOSEN + 1;
  options.proximal = proximal[way / 2 % 4];
  return options;
}
