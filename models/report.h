// SPDX-License-Identifier: Apache-2.0
//
// Filling a TriboReport: warnings one by one, and the loss list from the marks of an XML tree.
// Internal.
#ifndef TRIBO_MODELS_REPORT_H_
#define TRIBO_MODELS_REPORT_H_

#include "models/tribo_models.h"
#include "models/xml.h"

#ifdef __cplusplus
extern "C" {
#endif

// Adds a finding about `element` (a name as the reader wants it shown), printf rules for the text.
// Findings that differ by element and line only are one entry.
void tribo_report_add(TriboReport* report, TriboReportKind kind, const char* file, int line,
                      const char* element, const char* format, ...)
    __attribute__((format(printf, 6, 7)));

// Why a reader leaves out an element, or one of its attributes where `attribute` is not NULL. Sets
// the kind, which comes in as TRIBO_REPORT_UNUSED. NULL: not worth a line.
typedef const char* (*TriboReportReason)(const TriboXmlElement* element, const char* attribute,
                                         TriboReportKind* kind);

// Lists every element and attribute below the root that is not marked used, in file order: elements
// as "parent/name", attributes as "name@attribute". What is below an unused element is not listed.
void tribo_report_add_unused(TriboReport* report, TriboXml* xml, TriboReportReason reason);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_REPORT_H_
