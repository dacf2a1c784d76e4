// SPDX-License-Identifier: Apache-2.0
#include "models/report.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"

struct TriboReport {
  TriboAllocator allocator;
  bool has_allocator;
  size_t size;  // of the block, this struct first
  int count, capacity, dropped;
  TriboReportEntry* entries;
};

static TriboReport* layout(TriboArena* arena, int capacity, TriboReportEntry** entries) {
  TriboReport* report = tribo_arena_take(arena, 1, sizeof *report);
  *entries = tribo_arena_take(arena, (size_t)capacity, sizeof **entries);
  return report;
}

TriboStatus tribo_report_create(int capacity, const TriboAllocator* allocator,
                                TriboReport** report) {
  if (!report || capacity <= 0) return TRIBO_ERROR_ARGUMENT;
  *report = NULL;
  TriboReportEntry* entries;
  TriboArena measure = tribo_arena_measure();
  layout(&measure, capacity, &entries);
  void* block = tribo_allocate(allocator, measure.used);
  if (!block) return TRIBO_ERROR_MEMORY;
  TriboArena arena = tribo_arena_over(block, measure.used);
  TriboReport* made = layout(&arena, capacity, &entries);
  memset(made, 0, sizeof *made);
  made->has_allocator = allocator != NULL;
  if (allocator) made->allocator = *allocator;
  made->size = measure.used;
  made->capacity = capacity;
  made->entries = entries;
  *report = made;
  return TRIBO_OK;
}

void tribo_report_destroy(TriboReport* report) {
  if (!report) return;
  TriboAllocator copy = report->allocator;
  tribo_release(report->has_allocator ? &copy : NULL, report, report->size);
}

void tribo_report_clear(TriboReport* report) { report->count = report->dropped = 0; }

int tribo_report_count(const TriboReport* report) { return report->count; }

const TriboReportEntry* tribo_report_entry(const TriboReport* report, int index) {
  return index >= 0 && index < report->count ? &report->entries[index] : NULL;
}

int tribo_report_dropped(const TriboReport* report) { return report->dropped; }

static bool is_same(const TriboReportEntry* a, const TriboReportEntry* b) {
  return a->kind == b->kind && strcmp(a->file, b->file) == 0 &&
         strcmp(a->element, b->element) == 0 && strcmp(a->text, b->text) == 0;
}

static void increment(int* counter) {
  if (*counter < INT_MAX) ++*counter;
}

void tribo_report_add(TriboReport* report, TriboReportKind kind, const char* file, int line,
                      const char* element, const char* format, ...) {
  TriboReportEntry entry = {.kind = kind, .line = line, .occurrences = 1};
  snprintf(entry.file, sizeof entry.file, "%s", file);
  snprintf(entry.element, sizeof entry.element, "%s", element);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(entry.text, sizeof entry.text, format, arguments);
  va_end(arguments);

  for (int i = 0; i < report->count; ++i) {
    if (is_same(&report->entries[i], &entry)) {
      increment(&report->entries[i].occurrences);
      return;
    }
  }
  if (report->count == report->capacity) {
    increment(&report->dropped);
    return;
  }
  report->entries[report->count++] = entry;
}

static void add_unused(TriboReport* report, const TriboXmlElement* element, const char* attribute,
                       TriboReportReason reason) {
  char name[TRIBO_REPORT_ELEMENT_SIZE];
  const char* parent = element->parent ? element->parent->name : "";
  if (attribute) {
    snprintf(name, sizeof name, "%s@%s", element->name, attribute);
  } else {
    snprintf(name, sizeof name, "%s/%s", parent, element->name);
  }
  TriboReportKind kind = TRIBO_REPORT_UNUSED;
  const char* why = reason(element, attribute, &kind);
  if (why) tribo_report_add(report, kind, element->file, element->line, name, "%s", why);
}

void tribo_report_add_unused(TriboReport* report, TriboXml* xml, TriboReportReason reason) {
  TriboXmlElement* element = tribo_xml_root(xml);
  while (element) {
    bool enter = element->used || !element->parent;
    if (!enter) add_unused(report, element, NULL, reason);
    for (int i = 0; enter && i < element->attribute_count; ++i) {
      const TriboXmlAttribute* attribute = &element->attributes[i];
      if (!attribute->used) add_unused(report, element, attribute->name, reason);
    }
    // Next in file order: down, else along, else along from the nearest ancestor that can.
    if (enter && element->first_child) {
      element = element->first_child;
      continue;
    }
    while (element && !element->next) element = element->parent;
    if (element) element = element->next;
  }
}
