// SPDX-License-Identifier: Apache-2.0
//
// What subcommands print: tables, JSON, complaints.
#ifndef TRIBO_TOOLS_TRIBO_OUTPUT_H_
#define TRIBO_TOOLS_TRIBO_OUTPUT_H_

#include <jansson.h>
#include <stdio.h>

#include "engine/tribo.h"

// A JSON object that holds the version and the command's name: the start of every --json output.
// The caller adds to it and hands it to tribo_json_print. NULL when memory is out.
json_t* tribo_json_begin(const char* command);

// Prints `object` with a newline, keys in the order they were set, numbers with all their digits,
// and gives it up. Returns 0, or -1 when it could not be written.
int tribo_json_print(FILE* out, json_t* object);

// Prints `rows`, an array of objects, as a table with one line per object. Columns are the keys in
// the order in which they first appear; numbers are right-aligned with 6 digits, what is missing is
// "-".
void tribo_table_print(FILE* out, const json_t* rows);

// "tribo COMMAND: TEXT" on stderr, printf rules.
void tribo_complain(const char* command, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// "tribo COMMAND: FILE:LINE: TEXT", as much of it as the message has.
void tribo_complain_at(const char* command, const TriboMessage* message);

#endif  // TRIBO_TOOLS_TRIBO_OUTPUT_H_
