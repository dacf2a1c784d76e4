// SPDX-License-Identifier: Apache-2.0
#include "engine/base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char* tribo_status_text(TriboStatus status) {
  switch (status) {
    case TRIBO_OK:
      return "done";
    case TRIBO_ERROR_ARGUMENT:
      return "an argument makes no sense";
    case TRIBO_ERROR_NOT_FINITE:
      return "a number is NaN or infinite";
    case TRIBO_ERROR_MODEL:
      return "the model breaks a rule";
    case TRIBO_ERROR_MEMORY:
      return "out of memory";
    case TRIBO_ERROR_CAPACITY:
      return "the workspace is full";
    case TRIBO_ERROR_FILE:
      return "a file cannot be opened, read or written";
    case TRIBO_ERROR_PARSE:
      return "a file is malformed";
    case TRIBO_ERROR_VERSION:
      return "made by an incompatible version or for another model";
    case TRIBO_ERROR_UNSUPPORTED:
      return "not supported";
    case TRIBO_ERROR_SINGULAR:
      return "a matrix is singular";
    case TRIBO_ERROR_INFEASIBLE:
      return "the conditions contradict each other";
    case TRIBO_ERROR_RAY:
      return "the pivoting ended on a ray";
    case TRIBO_ERROR_LIMIT:
      return "an iteration limit was reached";
    case TRIBO_ERROR_DIVERGED:
      return "velocities diverged";
  }
  return "unknown status";
}

TriboStatus tribo_message_set(TriboMessage* message, TriboStatus status, const char* format, ...) {
  if (message != NULL) {
    message->status = status;
    message->file[0] = '\0';
    message->line = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
  }
  return status;
}

void tribo_message_set_place(TriboMessage* message, const char* file, int line) {
  if (message == NULL) return;
  snprintf(message->file, sizeof message->file, "%s", file != NULL ? file : "");
  message->line = line;
}

void tribo_message_clear(TriboMessage* message) {
  if (message == NULL) return;
  message->status = TRIBO_OK;
  message->text[0] = '\0';
  message->file[0] = '\0';
  message->line = 0;
}

#ifdef TRIBO_ASSERTIONS
void tribo_assertion_failed(const char* condition, const char* file, int line) {
  fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  abort();
}
#endif
