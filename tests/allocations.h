// SPDX-License-Identifier: Apache-2.0
#ifndef TRIBO_TESTS_ALLOCATIONS_H_
#define TRIBO_TESTS_ALLOCATIONS_H_

// How often the program, its shared libraries included, has allocated memory so far.
long tribo_test_allocations();

#endif  // TRIBO_TESTS_ALLOCATIONS_H_
