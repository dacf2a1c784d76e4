// SPDX-License-Identifier: Apache-2.0
//
// Filling a TriboMessage, and the assertions that state our own invariants. Internal.
#ifndef TRIBO_ENGINE_BASE_MESSAGE_H_
#define TRIBO_ENGINE_BASE_MESSAGE_H_

#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes status and a formatted sentence (printf rules, cut at the buffer's end) into message and
// returns status, so that a failing check is one line. message may be NULL.
TriboStatus tribo_message_set(TriboMessage* message, TriboStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Adds the place in an input file to a message that is already set. message may be NULL.
void tribo_message_set_place(TriboMessage* message, const char* file, int line);

// Clears a message. message may be NULL.
void tribo_message_clear(TriboMessage* message);

// States an invariant of our own. Checked where TRIBO_ASSERTIONS is defined (tests), no code
// otherwise; user data is checked with a status instead.
#ifdef TRIBO_ASSERTIONS
void tribo_assertion_failed(const char* condition, const char* file, int line)
    __attribute__((noreturn));
#define TRIBO_ASSERT(condition) \
  ((condition) ? (void)0 : tribo_assertion_failed(#condition, __FILE__, __LINE__))
#else
#define TRIBO_ASSERT(condition) ((void)0)
#endif

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_MESSAGE_H_
