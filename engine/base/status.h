// SPDX-License-Identifier: Apache-2.0
//
// How calls say that they could not do their job. Tribo never exits, prints or throws.
#ifndef TRIBO_ENGINE_BASE_STATUS_H_
#define TRIBO_ENGINE_BASE_STATUS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Marks what the shared library exports; everything else is hidden.
#if defined(__GNUC__)
#define TRIBO_API __attribute__((visibility("default")))
// The caller must look at the result: ignoring it warns.
#define TRIBO_CHECKED __attribute__((warn_unused_result))
#else
#define TRIBO_API
#define TRIBO_CHECKED
#endif

// Outcome of a call. TRIBO_OK is 0; everything else means that the call changed nothing it
// promises. Values are part of the ABI: new ones are added at the end.
typedef enum TriboStatus {
  TRIBO_OK = 0,
  TRIBO_ERROR_ARGUMENT,     // a pointer, index, size or option that makes no sense
  TRIBO_ERROR_NOT_FINITE,   // NaN or infinity in an input, or in a result
  TRIBO_ERROR_MODEL,        // the model breaks a rule; the message names the element
  TRIBO_ERROR_MEMORY,       // the allocator returned NULL
  TRIBO_ERROR_CAPACITY,     // the workspace is full; the peak use says what it would have needed
  TRIBO_ERROR_FILE,         // a file cannot be opened, read or written
  TRIBO_ERROR_PARSE,        // a file's content is not what its format says
  TRIBO_ERROR_VERSION,      // saved by an incompatible version, or for another model
  TRIBO_ERROR_UNSUPPORTED,  // understood, but not something that Tribo does
  TRIBO_ERROR_SINGULAR,     // a matrix that must be regular is not
  TRIBO_ERROR_INFEASIBLE,   // the conditions contradict each other; no solution exists
  TRIBO_ERROR_RAY,          // the pivoting ended on an unbounded ray
  TRIBO_ERROR_LIMIT,        // an iteration or pivot limit was reached first
  TRIBO_ERROR_DIVERGED,     // velocities grew beyond all bounds
} TriboStatus;

// One short sentence for a status, in English, never NULL.
TRIBO_API const char* tribo_status_text(TriboStatus status);

enum { TRIBO_MESSAGE_SIZE = 512, TRIBO_MESSAGE_FILE_SIZE = 256 };

// What went wrong when a model was built or a file was read: what, where, and what to do.
// Owned by the caller, filled by the call; text is empty after success.
typedef struct TriboMessage {
  TriboStatus status;
  char text[TRIBO_MESSAGE_SIZE];       // a sentence naming the element and the remedy
  char file[TRIBO_MESSAGE_FILE_SIZE];  // the input file, or empty
  int line;                            // 1-based line in that file, or 0
} TriboMessage;

// Where memory comes from. allocate returns memory aligned to `alignment` (a power of two), or
// NULL. A NULL TriboAllocator* means the C library's allocator.
typedef struct TriboAllocator {
  void* (*allocate)(size_t size, size_t alignment, void* user);
  void (*release)(void* memory, size_t size, void* user);
  void* user;
} TriboAllocator;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_STATUS_H_
