// SPDX-License-Identifier: Apache-2.0
//
// Where the files are that a file names: beside it, in its package, on the search path; and nowhere
// else unless the caller allows it. Internal.
#ifndef TRIBO_MODELS_PATH_H_
#define TRIBO_MODELS_PATH_H_

#include "models/pool.h"
#include "models/tribo_models.h"

#ifdef __cplusplus
extern "C" {
#endif

// The path of the first existing file that `name` may mean, in the pool. `base` is the file that
// names it (NULL or "": a text without a place), `folder` a directory relative to that one's (NULL:
// none). name may start with package:// or file://. TRIBO_ERROR_FILE with a message where nothing
// is found or the place is not allowed.
TriboStatus tribo_path_find(const TriboLoadOptions* options, TriboPool* pool, const char* base,
                            const char* folder, const char* name, const char** path,
                            TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_PATH_H_
