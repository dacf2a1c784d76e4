// SPDX-License-Identifier: Apache-2.0
//
// The CHOLMOD backend of factor.h, for large islands: a simplicial LDL^T of the Gram matrix over
// all slots, in which inactive slots are identity rows. One symbolic analysis of all candidate rows
// fixes the order and the pattern; it is kept while the pattern stays. Internal.
//
// Memory: CHOLMOD allocates from the C library, and so does this backend, in create and analyze (47
// calls for a chain of 180 rows). After that adding, deleting and solving reuse the columns of the
// full pattern, which have room for every active set: measured over 4 clears and 10,000 adds, one
// call, CHOLMOD's work space at the first add. A rank-1 update (tribo_factor_update) couples rows
// that the pattern does not and may allocate, and so may the clear after it.
//
// CHOLMOD's Modify module is GPL. Built with --define=cholmod=off, nothing of CHOLMOD is linked:
// then create returns NULL and the dense backend serves all sizes.
#ifndef TRIBO_SOLVERS_FACTOR_CHOLMOD_H_
#define TRIBO_SOLVERS_FACTOR_CHOLMOD_H_

#include "solvers/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

// A factor for slots 0 .. capacity - 1 over ny coordinates. NULL without memory or without CHOLMOD.
TriboFactor* tribo_factor_cholmod_create(int ny, int capacity);

// NULL is fine.
void tribo_factor_cholmod_destroy(TriboFactor* factor);

// Analyses the pattern of all candidate rows, rows[slot] for slot < capacity (count 0: a slot that
// is never used; values are not read), and empties the factor. A row added later has its entries
// within its candidate's. TRIBO_ERROR_MEMORY when CHOLMOD could not allocate.
TriboStatus tribo_factor_cholmod_analyze(TriboFactor* factor,
                                         const TriboFactorRow* rows) TRIBO_CHECKED;

// Entries of L with the full pattern, the measure of the memory that analyze took.
long tribo_factor_cholmod_entries(const TriboFactor* factor);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_FACTOR_CHOLMOD_H_
