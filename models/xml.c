// SPDX-License-Identifier: Apache-2.0
//
// Expat tells start, end and text; the tree is built in a chain of chunks that goes as a whole.
// Expat's own scratch memory comes from the C library, since its allocator hooks carry no context.
#include "models/xml.h"

#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"

struct TriboXml {
  TriboPool pool;
  const char* file;
  TriboXmlElement* root;
  int element_count, attribute_count;  // spliced documents included
  TriboXml* spliced;                   // documents that it has taken over, in a chain
};

// What is open while expat runs. The first failure is kept in `status` and stops expat.
typedef struct Parse {
  TriboXml* xml;
  XML_Parser parser;
  TriboXmlElement* open[TRIBO_XML_MAX_DEPTH];
  size_t text_length[TRIBO_XML_MAX_DEPTH], text_capacity[TRIBO_XML_MAX_DEPTH];
  int depth;
  TriboStatus status;
  TriboMessage* message;
} Parse;

TriboPool* tribo_xml_pool(TriboXml* xml) { return &xml->pool; }

static int current_line(const Parse* parse) {
  XML_Size line = XML_GetCurrentLineNumber(parse->parser);
  return line < INT_MAX ? (int)line : INT_MAX;
}

static void stop(Parse* parse, TriboStatus status, const char* text) {
  if (parse->status != TRIBO_OK) return;
  parse->status = tribo_message_set(parse->message, status, "%s", text);
  tribo_message_set_place(parse->message, parse->xml->file, current_line(parse));
  XML_StopParser(parse->parser, XML_FALSE);
}

static bool copy_attributes(Parse* parse, TriboXmlElement* element, const XML_Char** pairs) {
  int count = 0;
  while (pairs[2 * count]) ++count;
  parse->xml->attribute_count += count;
  if (parse->xml->attribute_count > TRIBO_XML_MAX_ATTRIBUTES) {
    stop(parse, TRIBO_ERROR_PARSE, "too many attributes; split the file");
    return false;
  }
  element->attributes =
      tribo_pool_take(&parse->xml->pool, (size_t)count, sizeof *element->attributes);
  if (!element->attributes) return false;
  for (int i = 0; i < count; ++i) {
    TriboXmlAttribute* attribute = &element->attributes[i];
    attribute->name = tribo_pool_text(&parse->xml->pool, pairs[2 * i], strlen(pairs[2 * i]));
    attribute->value =
        tribo_pool_text(&parse->xml->pool, pairs[2 * i + 1], strlen(pairs[2 * i + 1]));
    if (!attribute->name || !attribute->value) return false;
  }
  element->attribute_count = count;
  return true;
}

static void XMLCALL on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
  Parse* parse = user;
  if (parse->status != TRIBO_OK) return;
  if (parse->depth == TRIBO_XML_MAX_DEPTH) {
    stop(parse, TRIBO_ERROR_PARSE, "elements are nested deeper than 256; flatten the file");
    return;
  }
  if (++parse->xml->element_count > TRIBO_XML_MAX_ELEMENTS) {
    stop(parse, TRIBO_ERROR_PARSE, "too many elements; split the file");
    return;
  }
  TriboXmlElement* element = tribo_pool_take(&parse->xml->pool, 1, sizeof *element);
  if (!element || !(element->name = tribo_pool_text(&parse->xml->pool, name, strlen(name))) ||
      !copy_attributes(parse, element, attributes)) {
    stop(parse, TRIBO_ERROR_MEMORY, "out of memory while reading XML");
    return;
  }
  element->text = "";
  element->file = parse->xml->file;
  element->line = current_line(parse);

  // Append to the parent's children.
  TriboXmlElement* parent = parse->depth > 0 ? parse->open[parse->depth - 1] : NULL;
  element->parent = parent;
  if (!parent) {
    parse->xml->root = element;
  } else if (parent->last_child) {
    parent->last_child->next = element;
  } else {
    parent->first_child = element;
  }
  if (parent) parent->last_child = element;
  parse->open[parse->depth] = element;
  parse->text_length[parse->depth] = parse->text_capacity[parse->depth] = 0;
  ++parse->depth;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void XMLCALL on_end(void* user, const XML_Char* name) {
  (void)name;
  Parse* parse = user;
  if (parse->status != TRIBO_OK) return;
  --parse->depth;
  // Text that was collected is writable memory of ours; the empty text is not.
  size_t length = parse->text_length[parse->depth];
  if (length == 0) return;
  char* text = (char*)parse->open[parse->depth]->text;
  while (length > 0 && is_space(text[length - 1])) --length;
  text[length] = '\0';
}

// Appends to the open element's text, leading white space left off. Capacity doubles, so all copies
// together stay below twice the final length.
static void XMLCALL on_text(void* user, const XML_Char* bytes, int count) {
  Parse* parse = user;
  if (parse->status != TRIBO_OK || parse->depth == 0) return;
  int level = parse->depth - 1;
  size_t length = parse->text_length[level];
  while (length == 0 && count > 0 && is_space(*bytes)) ++bytes, --count;
  if (count == 0) return;
  size_t needed = length + (size_t)count + 1;
  TriboXmlElement* element = parse->open[level];
  if (needed > parse->text_capacity[level]) {
    size_t capacity = 2 * needed;
    char* text = tribo_pool_take(&parse->xml->pool, capacity, 1);
    if (!text) {
      stop(parse, TRIBO_ERROR_MEMORY, "out of memory while reading XML");
      return;
    }
    memcpy(text, element->text, length);
    element->text = text;
    parse->text_capacity[level] = capacity;
  }
  memcpy((char*)element->text + length, bytes, (size_t)count);
  parse->text_length[level] = needed - 1;
}

static void XMLCALL on_entity(void* user, const XML_Char* name, int is_parameter,
                              const XML_Char* value, int length, const XML_Char* base,
                              const XML_Char* system, const XML_Char* public_id,
                              const XML_Char* notation) {
  (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system;
  (void)public_id, (void)notation;
  stop(user, TRIBO_ERROR_PARSE, "entity declarations are not accepted; write the text itself");
}

static void XMLCALL on_skipped(void* user, const XML_Char* name, int is_parameter) {
  (void)name, (void)is_parameter;
  stop(user, TRIBO_ERROR_PARSE, "external entities are not read; write the text itself");
}

static TriboStatus run_expat(Parse* parse, const char* bytes, size_t size) {
  XML_Parser parser = parse->parser;
  XML_SetUserData(parser, parse);
  XML_SetElementHandler(parser, on_start, on_end);
  XML_SetCharacterDataHandler(parser, on_text);
  XML_SetEntityDeclHandler(parser, on_entity);
  XML_SetSkippedEntityHandler(parser, on_skipped);
  // A fixed salt: attribute hashing must not depend on the clock, and the bounds above hold anyway.
  XML_SetHashSalt(parser, 0x7472696fUL);
  if (XML_Parse(parser, bytes, (int)size, 1) == XML_STATUS_OK) return parse->status;
  if (parse->status != TRIBO_OK) return parse->status;
  enum XML_Error code = XML_GetErrorCode(parser);
  TriboStatus status = code == XML_ERROR_NO_MEMORY ? TRIBO_ERROR_MEMORY : TRIBO_ERROR_PARSE;
  tribo_message_set(parse->message, status, "the XML is malformed: %s", XML_ErrorString(code));
  tribo_message_set_place(parse->message, parse->xml->file, current_line(parse));
  return status;
}

TriboStatus tribo_xml_create(const char* bytes, size_t size, const char* file,
                             const TriboAllocator* allocator, TriboXml** xml,
                             TriboMessage* message) {
  tribo_message_clear(message);
  if (!xml || (!bytes && size > 0)) {
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "no XML and no place for it");
  }
  *xml = NULL;
  if (size > TRIBO_XML_MAX_BYTES) {
    tribo_message_set(message, TRIBO_ERROR_CAPACITY, "the XML is larger than 32 MiB; split it");
    tribo_message_set_place(message, file, 0);
    return TRIBO_ERROR_CAPACITY;
  }
  TriboXml* made = tribo_allocate(allocator, sizeof *made);
  if (!made) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory for XML");
  memset(made, 0, sizeof *made);
  tribo_pool_init(&made->pool, allocator);
  if (!file) file = "";
  made->file = tribo_pool_text(&made->pool, file, strlen(file));

  Parse parse = {.xml = made, .parser = XML_ParserCreate(NULL), .message = message};
  TriboStatus status;
  if (!made->file || !parse.parser) {
    status = tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory for XML");
  } else {
    status = run_expat(&parse, bytes ? bytes : "", size);
  }
  if (parse.parser) XML_ParserFree(parse.parser);
  if (status != TRIBO_OK) {
    tribo_xml_destroy(made);
    return status;
  }
  *xml = made;
  return TRIBO_OK;
}

static TriboStatus fail_file(TriboMessage* message, const char* file, TriboStatus status,
                             const char* text) {
  tribo_message_set(message, status, "%s", text);
  tribo_message_set_place(message, file, 0);
  return status;
}

TriboStatus tribo_xml_create_from_file(const char* file, const TriboAllocator* allocator,
                                       TriboXml** xml, TriboMessage* message) {
  tribo_message_clear(message);
  if (!file || !xml) {
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "no file name or no place for it");
  }
  *xml = NULL;
  FILE* stream = fopen(file, "rb");
  if (!stream) return fail_file(message, file, TRIBO_ERROR_FILE, "the file cannot be opened");

  // Read in growing steps rather than ask for the size: pipes have none, and it may change.
  size_t capacity = 64 << 10, size = 0;
  char* bytes = tribo_allocate(allocator, capacity);
  TriboStatus status = bytes ? TRIBO_OK : TRIBO_ERROR_MEMORY;
  while (status == TRIBO_OK) {
    size += fread(bytes + size, 1, capacity - size, stream);
    if (size < capacity || size > TRIBO_XML_MAX_BYTES) break;
    char* larger = tribo_allocate(allocator, 2 * capacity);
    if (!larger) {
      status = TRIBO_ERROR_MEMORY;
      break;
    }
    memcpy(larger, bytes, size);
    tribo_release(allocator, bytes, capacity);
    bytes = larger;
    capacity *= 2;
  }
  bool failed = ferror(stream) != 0;
  fclose(stream);
  if (status != TRIBO_OK) {
    fail_file(message, file, status, "out of memory while reading the file");
  } else if (failed) {
    status = fail_file(message, file, TRIBO_ERROR_FILE, "the file cannot be read");
  } else {
    status = tribo_xml_create(bytes, size, file, allocator, xml, message);
  }
  if (bytes) tribo_release(allocator, bytes, capacity);
  return status;
}

void tribo_xml_destroy(TriboXml* xml) {
  while (xml) {
    TriboXml* next = xml->spliced;
    TriboAllocator copy = xml->pool.allocator;
    const TriboAllocator* allocator = xml->pool.has_allocator ? &copy : NULL;
    tribo_pool_clear(&xml->pool);
    tribo_release(allocator, xml, sizeof *xml);
    xml = next;
  }
}

static int depth_of(const TriboXmlElement* element) {
  int depth = 0;
  for (; element; element = element->parent) ++depth;
  return depth;
}

static int height_of(const TriboXmlElement* top) {
  int depth = 1, height = 1;
  for (const TriboXmlElement* e = top; e;) {
    if (depth > height) height = depth;
    if (e->first_child) {
      e = e->first_child;
      ++depth;
      continue;
    }
    while (e != top && !e->next) e = e->parent, --depth;
    if (e == top) break;
    e = e->next;
  }
  return height;
}

TriboStatus tribo_xml_splice(TriboXml* xml, TriboXmlElement* element, TriboXml* other) {
  TriboXmlElement *parent = element->parent, *from = other->root;
  if (xml->element_count + other->element_count > TRIBO_XML_MAX_ELEMENTS ||
      xml->attribute_count + other->attribute_count > TRIBO_XML_MAX_ATTRIBUTES ||
      depth_of(parent) + height_of(from) - 1 > TRIBO_XML_MAX_DEPTH) {
    return TRIBO_ERROR_CAPACITY;
  }
  xml->element_count += other->element_count;
  xml->attribute_count += other->attribute_count;

  // The chain of siblings: what was before, the new ones, what came after.
  TriboXmlElement** link = &parent->first_child;
  TriboXmlElement* before = NULL;
  while (*link != element) before = *link, link = &(*link)->next;
  for (TriboXmlElement* c = from->first_child; c; c = c->next) c->parent = parent;
  if (from->first_child) {
    *link = from->first_child;
    from->last_child->next = element->next;
    if (parent->last_child == element) parent->last_child = from->last_child;
  } else {
    *link = element->next;
    if (parent->last_child == element) parent->last_child = before;
  }

  TriboXml** end = &xml->spliced;
  while (*end) end = &(*end)->spliced;
  *end = other;
  return TRIBO_OK;
}

TriboXmlElement* tribo_xml_root(TriboXml* xml) { return xml->root; }

const char* tribo_xml_file(const TriboXml* xml) { return xml->file; }

const char* tribo_xml_attribute(TriboXmlElement* element, const char* name) {
  for (int i = 0; i < element->attribute_count; ++i) {
    if (strcmp(element->attributes[i].name, name) == 0) {
      element->attributes[i].used = true;
      return element->attributes[i].value;
    }
  }
  return NULL;
}

// The first element named `name` from `element` on along its siblings.
static TriboXmlElement* find_from(TriboXmlElement* element, const char* name) {
  while (element && strcmp(element->name, name) != 0) element = element->next;
  if (element) element->used = true;
  return element;
}

TriboXmlElement* tribo_xml_child(TriboXmlElement* element, const char* name) {
  return find_from(element->first_child, name);
}

TriboXmlElement* tribo_xml_sibling(TriboXmlElement* child, const char* name) {
  return find_from(child->next, name);
}
