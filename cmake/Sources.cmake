# collect(VARIABLE PATTERN...): the files that match, found anew when a file comes or goes.
function(collect variable)
  set(files)
  foreach(pattern ${ARGN})
    file(GLOB_RECURSE matches CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${pattern})
    list(APPEND files ${matches})
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# add_rooms(TARGET ROOM...): a library of all sources in these folders of src/otseq2set. Whatever includes them sees
# the public headers too. Compiled once for programs, tests and the shared library, hence position-independent.
function(add_rooms target)
  list(TRANSFORM ARGN REPLACE "(.+)" "src/otseq2set/\\1/*.cc" OUTPUT_VARIABLE patterns)
  collect(sources ${patterns})
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${OTSEQ2SET_UNITY} UNITY_BUILD_BATCH_SIZE 12)
endfunction()
