# The tests. Each gets its own name in ctest and its own process; only model_tests pays for starting LibTorch.
#
# tests/support/ is compiled into every program of tests; files there named torch_* only into model_tests.

enable_testing()
include(GoogleTest)
find_package(GTest REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

collect(support_sources tests/support/*.cc -tests/support/torch_*.cc)
collect(torch_support_sources tests/support/torch_*.cc)

# add_test_program(NAME SOURCES LIBRARY [PROPERTY VALUE]...)
function(add_test_program name sources library)
  add_executable(${name} ${sources} ${support_sources})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE OTSEQ2SET_DEFAULT_GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/golden")
  target_link_libraries(${name} PRIVATE ${library} GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 ${ARGN})
endfunction()

# The server with a stand-in for the model.
collect(serving_test_sources tests/serving/*.cc)
add_test_program(serving_tests "${serving_test_sources}" otseq2set_serving)
target_precompile_headers(serving_tests PRIVATE <gtest/gtest.h> <nlohmann/json.hpp>)
if(OTSEQ2SET_SERVING)
  return()
endif()

collect(base_test_sources
  tests/core/*.cc
  tests/config/*.cc
  tests/text/*.cc
  tests/data/*.cc
  tests/evaluation/*.cc
  tests/reproduction/*.cc
  tests/report/*.cc
  -tests/report/example_report.cc
  tests/loss/assignment_test.cc
  tests/loss/ipot_test.cc)
if(base_test_sources)
  add_test_program(base_tests "${base_test_sources}" otseq2set_base)
  target_compile_definitions(base_tests PRIVATE OTSEQ2SET_DOCS_DIR="${CMAKE_SOURCE_DIR}/docs")
  target_precompile_headers(base_tests PRIVATE <gtest/gtest.h> <nlohmann/json.hpp>)
endif()

# The report of made-up results, to be looked at, and looked at by parsers and by a browser.
add_executable(example_report tests/report/example_report.cc tests/report/example_results.cc)
target_include_directories(example_report PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(example_report PRIVATE otseq2set_base)
add_test(NAME report.page
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/report/page_test.py $<TARGET_FILE:example_report>)
find_program(CHROMIUM_PROGRAM chromium)
if(CHROMIUM_PROGRAM)
  add_test(NAME report.browser
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/report/browser_test.py $<TARGET_FILE:example_report>
      ${CHROMIUM_PROGRAM})
endif()

collect(model_test_sources
  tests/kernels/*.cc
  tests/model/*.cc
  tests/loss/*.cc
  tests/training/*.cc
  tests/inference/*.cc
  -tests/loss/assignment_test.cc
  -tests/loss/ipot_test.cc)
file(GLOB whole_test_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*.cc)
list(APPEND model_test_sources ${whole_test_sources})
# oneDNN serves as a cross-check of the GRU and nowhere else. Its own CMake package asks for OpenCL, which the CPU does
# not need.
find_path(DNNL_INCLUDE oneapi/dnnl/dnnl_version.h)
find_library(DNNL_LIBRARY dnnl)
set(has_dnnl FALSE)
if(DNNL_INCLUDE AND DNNL_LIBRARY)
  set(has_dnnl TRUE)
endif()
if(NOT has_dnnl)
  message(STATUS "oneDNN (libdnnl-dev) is missing: its test of the GRU is left out")
  list(FILTER model_test_sources EXCLUDE REGEX "_dnnl_test\\.cc$")
endif()
if(model_test_sources AND TARGET otseq2set_model)
  list(APPEND model_test_sources ${torch_support_sources})
  add_test_program(model_tests "${model_test_sources}" otseq2set_model)
  target_precompile_headers(model_tests REUSE_FROM otseq2set_model)
  if(has_dnnl)
    target_link_libraries(model_tests PRIVATE ${DNNL_LIBRARY})
  endif()
endif()

# The program as a user runs it.
collect(cli_test_sources tests/cli/*.cc)
if(cli_test_sources AND TARGET otseq2set)
  set(program ${CMAKE_BINARY_DIR}/otseq2set)
  add_test_program(cli_tests "${cli_test_sources}" otseq2set_base ENVIRONMENT OTSEQ2SET_PROGRAM=${program})
  target_compile_definitions(cli_tests PRIVATE OTSEQ2SET_PROGRAM="${program}")
  add_dependencies(cli_tests otseq2set)
  target_precompile_headers(cli_tests PRIVATE <gtest/gtest.h> <nlohmann/json.hpp>)
endif()

# The server as its clients see it.
if(TARGET otseq2set)
  foreach(name api operation)
    add_test(NAME serving.${name}
      COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/serving/${name}_test.py)
    set_tests_properties(serving.${name} PROPERTIES TIMEOUT 600 ENVIRONMENT OTSEQ2SET_PROGRAM=${CMAKE_BINARY_DIR}/otseq2set)
  endforeach()
endif()

# The pages as a person uses them; skipped where there is no Chromium.
if(TARGET otseq2set AND NOT CMAKE_BUILD_TYPE STREQUAL "Sanitize")
  foreach(name page explained)
    add_test(NAME page.${name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/page/${name}_test.py)
    set_tests_properties(page.${name} PROPERTIES
      ENVIRONMENT OTSEQ2SET_PROGRAM=${CMAKE_BINARY_DIR}/otseq2set SKIP_RETURN_CODE 77 TIMEOUT 600)
  endforeach()
endif()

# The fuzz targets, each for a moment; they are built by clang in a folder of their own.
find_program(CLANG_PROGRAM clang++)
if(NOT CLANG_PROGRAM)
  message(WARNING "clang++ is missing: the tests will not run the fuzz targets (./run fuzz installs what they need)")
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Sanitize")
  add_test(NAME fuzz COMMAND ${CMAKE_SOURCE_DIR}/run fuzz 5 -seed=1)
  set_tests_properties(fuzz PROPERTIES TIMEOUT 1800)
endif()

add_test(NAME architecture.dependencies
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/check_dependencies.py ${CMAKE_SOURCE_DIR}/src/otseq2set)
add_test(NAME tools.glove_from_npm
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/tools/glove_from_npm_test.py)
add_test(NAME tools.check_dependencies
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/tools/check_dependencies_test.py)
