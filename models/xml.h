// SPDX-License-Identifier: Apache-2.0
//
// An XML file as a tree, read safely: no external entities, no entity declarations (so no expansion
// bombs), bounded size, depth and number of elements. Every element and attribute remembers whether
// somebody asked for it, so that what was read but not used can be listed. Internal.
#ifndef TRIBO_MODELS_XML_H_
#define TRIBO_MODELS_XML_H_

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/status.h"
#include "models/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TRIBO_XML_MAX_BYTES = 32 << 20,     // of a file
  TRIBO_XML_MAX_DEPTH = 256,          // nested elements, the root is 1
  TRIBO_XML_MAX_ELEMENTS = 1 << 18,   // in a file
  TRIBO_XML_MAX_ATTRIBUTES = 1 << 20  // in a file
};

typedef struct TriboXmlAttribute {
  const char* name;
  const char* value;
  bool used;
} TriboXmlAttribute;

// Strings are zero-terminated UTF-8 and never NULL; all memory belongs to the TriboXml.
typedef struct TriboXmlElement {
  const char* name;
  const char* text;  // its own character data, without leading and trailing white space
  const char* file;  // where it stands, "" for a buffer without a name
  int line;          // 1-based
  bool used;
  int attribute_count;
  TriboXmlAttribute* attributes;
  struct TriboXmlElement *parent, *first_child, *last_child, *next;  // NULL: none
} TriboXmlElement;

typedef struct TriboXml TriboXml;

// Reads a document from `size` bytes. `file` names it in messages and may be NULL. Statuses:
// TRIBO_ERROR_PARSE (malformed, an entity declaration or reference, too deep, too many elements),
// TRIBO_ERROR_CAPACITY (more than TRIBO_XML_MAX_BYTES), TRIBO_ERROR_MEMORY, TRIBO_ERROR_ARGUMENT.
TriboStatus tribo_xml_create(const char* bytes, size_t size, const char* file,
                             const TriboAllocator* allocator, TriboXml** xml,
                             TriboMessage* message) TRIBO_CHECKED;

// The same from a file; TRIBO_ERROR_FILE where it cannot be read.
TriboStatus tribo_xml_create_from_file(const char* file, const TriboAllocator* allocator,
                                       TriboXml** xml, TriboMessage* message) TRIBO_CHECKED;

void tribo_xml_destroy(TriboXml* xml);

TriboXmlElement* tribo_xml_root(TriboXml* xml);
const char* tribo_xml_file(const TriboXml* xml);  // "" for a buffer without a name

// Memory that lives as long as the document, for what a reader makes of it.
TriboPool* tribo_xml_pool(TriboXml* xml);

// Puts the children of `other`'s root in the place of `element`, a child of its parent, and takes
// `other` over: it goes with `xml`. Fails with TRIBO_ERROR_CAPACITY, `other` untouched, where the
// document would become larger than the bounds above.
TriboStatus tribo_xml_splice(TriboXml* xml, TriboXmlElement* element,
                             TriboXml* other) TRIBO_CHECKED;

// Value of an attribute, or NULL; marks it used.
const char* tribo_xml_attribute(TriboXmlElement* element, const char* name);

// The first child with this name, or the next sibling of that name after `child`; marks it used.
TriboXmlElement* tribo_xml_child(TriboXmlElement* element, const char* name);
TriboXmlElement* tribo_xml_sibling(TriboXmlElement* child, const char* name);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_XML_H_
