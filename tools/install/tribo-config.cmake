# SPDX-License-Identifier: Apache-2.0
#
# find_package(tribo) gives the targets tribo::tribo (shared) and tribo::static.
get_filename_component(_tribo_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET tribo::tribo)
  add_library(tribo::tribo SHARED IMPORTED)
  set_target_properties(tribo::tribo PROPERTIES
    IMPORTED_LOCATION "${_tribo_prefix}/lib/libtribo.so.@VERSION@"
    IMPORTED_SONAME "libtribo.so.@SOVERSION@"
    INTERFACE_INCLUDE_DIRECTORIES "${_tribo_prefix}/include/tribo")

  add_library(tribo::static STATIC IMPORTED)
  set_target_properties(tribo::static PROPERTIES
    IMPORTED_LOCATION "${_tribo_prefix}/lib/libtribo.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_tribo_prefix}/include/tribo"
    INTERFACE_LINK_LIBRARIES "@PRIVATE@")
endif()

unset(_tribo_prefix)
