// SPDX-License-Identifier: Apache-2.0
//
// Showing a comparison: what compare, replay and verify share.
#ifndef TRIBO_TOOLS_TRIBO_COMPARE_H_
#define TRIBO_TOOLS_TRIBO_COMPARE_H_

#include <jansson.h>

#include "tools/trajectory/compare.h"

// {"same", "rows", "first": {"quantity", "where", "time", "error"}, "quantities": [..], "events":
// {..}}.
json_t* tribo_comparison_json(const TriboTrajectory* a, const TriboTrajectory* b,
                              const TriboCompareOptions* options, const TriboComparison* c);
// The same for people, on stdout.
void tribo_comparison_print(const TriboTrajectory* a, const TriboTrajectory* b,
                            const TriboCompareOptions* options, const TriboComparison* c);

#endif  // TRIBO_TOOLS_TRIBO_COMPARE_H_
