// SPDX-License-Identifier: Apache-2.0
#include "models/report.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"

// An occurrence of an entry; those of one entry are a list in the order they were found.
typedef struct Place {
  int line, next;  // next: the list's next place, -1 at its end
  char element[TRIBO_REPORT_ELEMENT_SIZE];
} Place;

// An entry with the ends of its list of places.
typedef struct Finding {
  TriboReportEntry entry;
  int first, last;
} Finding;

struct TriboReport {
  TriboAllocator allocator;
  bool has_allocator;
  size_t size;  // of the block, this struct first
  int count, capacity, dropped;
  Finding* findings;
  int place_count, place_capacity;
  Place* places;
};

static TriboReport* layout(TriboArena* arena, int capacity, Finding** findings, Place** places) {
  TriboReport* report = tribo_arena_take(arena, 1, sizeof *report);
  *findings = tribo_arena_take(arena, (size_t)capacity, sizeof **findings);
  *places = tribo_arena_take(arena, TRIBO_REPORT_PLACES * (size_t)capacity, sizeof **places);
  return report;
}

TriboStatus tribo_report_create(int capacity, const TriboAllocator* allocator,
                                TriboReport** report) {
  if (!report || capacity <= 0 || capacity > INT_MAX / TRIBO_REPORT_PLACES)
    return TRIBO_ERROR_ARGUMENT;
  *report = NULL;
  Finding* findings;
  Place* places;
  TriboArena measure = tribo_arena_measure();
  layout(&measure, capacity, &findings, &places);
  void* block = tribo_allocate(allocator, measure.used);
  if (!block) return TRIBO_ERROR_MEMORY;
  TriboArena arena = tribo_arena_over(block, measure.used);
  TriboReport* made = layout(&arena, capacity, &findings, &places);
  memset(made, 0, sizeof *made);
  made->has_allocator = allocator != NULL;
  if (allocator) made->allocator = *allocator;
  made->size = measure.used;
  made->capacity = capacity;
  made->findings = findings;
  made->place_capacity = TRIBO_REPORT_PLACES * capacity;
  made->places = places;
  *report = made;
  return TRIBO_OK;
}

void tribo_report_destroy(TriboReport* report) {
  if (!report) return;
  TriboAllocator copy = report->allocator;
  tribo_release(report->has_allocator ? &copy : NULL, report, report->size);
}

void tribo_report_clear(TriboReport* report) {
  report->count = report->dropped = report->place_count = 0;
}

int tribo_report_count(const TriboReport* report) { return report->count; }

const TriboReportEntry* tribo_report_entry(const TriboReport* report, int index) {
  return index >= 0 && index < report->count ? &report->findings[index].entry : NULL;
}

bool tribo_report_place(const TriboReport* report, int entry, int place, TriboReportPlace* result) {
  if (entry < 0 || entry >= report->count || place < 0) return false;
  int at = report->findings[entry].first;
  for (int i = 0; i < place && at >= 0; ++i) at = report->places[at].next;
  if (at < 0) return false;
  *result = (TriboReportPlace){report->places[at].line, report->places[at].element};
  return true;
}

int tribo_report_dropped(const TriboReport* report) { return report->dropped; }

static bool is_same(const TriboReportEntry* a, const TriboReportEntry* b, bool any_element) {
  return a->kind == b->kind && strcmp(a->file, b->file) == 0 && strcmp(a->text, b->text) == 0 &&
         (any_element || strcmp(a->element, b->element) == 0);
}

static void increment(int* counter) {
  if (*counter < INT_MAX) ++*counter;
}

static void add_place(TriboReport* report, Finding* finding, const TriboReportEntry* entry) {
  if (report->place_count == report->place_capacity) return;
  const int at = report->place_count++;
  Place* place = &report->places[at];
  place->line = entry->line;
  place->next = -1;
  memcpy(place->element, entry->element, sizeof place->element);
  if (finding->last >= 0)
    report->places[finding->last].next = at;
  else
    finding->first = at;
  finding->last = at;
}

// One finding; it joins an entry that differs by its line only, or by the element too.
static void add(TriboReport* report, const TriboReportEntry* entry, bool any_element) {
  for (int i = 0; i < report->count; ++i) {
    Finding* known = &report->findings[i];
    if (!is_same(&known->entry, entry, any_element)) continue;
    increment(&known->entry.occurrences);
    add_place(report, known, entry);
    return;
  }
  if (report->count == report->capacity) {
    increment(&report->dropped);
    return;
  }
  Finding* finding = &report->findings[report->count++];
  *finding = (Finding){*entry, -1, -1};
  add_place(report, finding, entry);
}

static TriboReportEntry describe(TriboReportKind kind, const char* file, int line,
                                 const char* element) {
  TriboReportEntry entry = {.kind = kind, .line = line, .occurrences = 1};
  snprintf(entry.file, sizeof entry.file, "%s", file);
  snprintf(entry.element, sizeof entry.element, "%s", element);
  return entry;
}

void tribo_report_add(TriboReport* report, TriboReportKind kind, const char* file, int line,
                      const char* element, const char* format, ...) {
  TriboReportEntry entry = describe(kind, file, line, element);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(entry.text, sizeof entry.text, format, arguments);
  va_end(arguments);
  add(report, &entry, true);
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
  if (why == NULL) return;
  TriboReportEntry entry = describe(kind, element->file, element->line, name);
  snprintf(entry.text, sizeof entry.text, "%s", why);
  add(report, &entry, false);
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
