# The tests. Each gets its own name in ctest and its own process; only training_tests pays for starting LibTorch.
#
# tests/support/ is compiled into every program of tests; files there named torch_* only into training_tests.

enable_testing()
include(GoogleTest)
find_package(GTest REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

file(GLOB support_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/support/*.cc)
set(torch_support_sources ${support_sources})
list(FILTER support_sources EXCLUDE REGEX "/torch_[^/]*$")
list(FILTER torch_support_sources INCLUDE REGEX "/torch_[^/]*$")
add_library(otseq2set_test_support STATIC ${support_sources})
target_include_directories(otseq2set_test_support PUBLIC ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(otseq2set_test_support PUBLIC otseq2set_base GTest::gtest)
set(program ${CMAKE_BINARY_DIR}/otseq2set)
target_compile_definitions(otseq2set_test_support PRIVATE OTSEQ2SET_PROGRAM="${program}")

# add_test_program(NAME LIBRARY ROOMS [PROPERTY VALUE]...): the tests of some folders of tests/.
function(add_test_program name library rooms)
  list(TRANSFORM rooms REPLACE "(.+)" "tests/\\1/*.cc")
  collect(sources ${rooms})
  list(FILTER sources EXCLUDE REGEX "${tests_left_out}")
  add_executable(${name} ${sources})
  target_compile_definitions(${name} PRIVATE OTSEQ2SET_DEFAULT_GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/golden"
    OTSEQ2SET_DOCS_DIR="${CMAKE_SOURCE_DIR}/docs")
  target_link_libraries(${name} PRIVATE ${library} otseq2set_test_support GTest::gtest_main)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # a fifth less time to compile than -O2
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 ${ARGN})
endfunction()
set(tests_left_out "example_report\\.cc$")

add_test_program(base_tests otseq2set_base
  "core;config;text;reading;corpus;evaluation;writing;checking;store")
target_precompile_headers(base_tests PRIVATE <gtest/gtest.h> <nlohmann/json.hpp>)
add_test_program(kernel_tests otseq2set_kernels kernels)

# LIBLINEAR serves as a cross-check of the linear model and nowhere else.
find_path(LIBLINEAR_INCLUDE linear.h REQUIRED)
find_library(LIBLINEAR_LIBRARY linear REQUIRED)
add_test_program(linear_tests otseq2set_engine linear)
target_link_libraries(linear_tests PRIVATE ${LIBLINEAR_LIBRARY})

add_test_program(serving_tests otseq2set_serving "http;serving")  # with a stand-in for the model
target_precompile_headers(serving_tests REUSE_FROM base_tests)
add_test_program(reproduction_tests otseq2set_search "report;reproduction;search")
target_precompile_headers(reproduction_tests REUSE_FROM base_tests)

# The report of made-up results, to be looked at, and looked at by parsers and by a browser.
add_executable(example_report tests/report/example_report.cc tests/report/example_results.cc)
target_link_libraries(example_report PRIVATE otseq2set_reproduction otseq2set_test_support)
add_test(NAME report.page
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/report/page_test.py $<TARGET_FILE:example_report>)
find_program(CHROMIUM_PROGRAM chromium)
if(CHROMIUM_PROGRAM)
  add_test(NAME report.browser
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/report/browser_test.py $<TARGET_FILE:example_report>
      ${CHROMIUM_PROGRAM})
endif()

add_test(NAME architecture.dependencies
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/check_dependencies.py ${CMAKE_SOURCE_DIR}/src/otseq2set)
foreach(name glove_from_npm check_dependencies torture)
  add_test(NAME tools.${name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/tools/${name}_test.py)
endforeach()

# The fuzz targets, each for a moment; they are built by clang in a folder of their own.
find_program(CLANG_PROGRAM clang++)
if(NOT CLANG_PROGRAM)
  message(WARNING "clang++ is missing: the tests will not run the fuzz targets (./run fuzz installs what they need)")
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_test(NAME fuzz COMMAND ${CMAKE_SOURCE_DIR}/run fuzz 5 -seed=1)
  set_tests_properties(fuzz PROPERTIES TIMEOUT 1800)
endif()

if(NOT OTSEQ2SET_TRAINING)
  return()
endif()

# oneDNN serves as a cross-check of the GRU and nowhere else. Its own CMake package asks for OpenCL, which the CPU does
# not need.
find_path(DNNL_INCLUDE oneapi/dnnl/dnnl_version.h)
find_library(DNNL_LIBRARY dnnl)
if(NOT DNNL_INCLUDE OR NOT DNNL_LIBRARY)
  message(STATUS "oneDNN (libdnnl-dev) is missing: its test of the GRU is left out")
  set(DNNL_LIBRARY "")
  set(tests_left_out "_dnnl_test\\.cc$")
endif()

# What trains, and the engine that predicts held against LibTorch's network.
add_test_program(training_tests otseq2set_training "autograd;model;loss;training;inference;whole")
target_sources(training_tests PRIVATE ${torch_support_sources} tests/kernels/obey_highest_target.cc)
target_link_libraries(training_tests PRIVATE otseq2set_torch ${DNNL_LIBRARY})
target_compile_options(training_tests PRIVATE -fPIC)  # as the precompiled header has it
target_precompile_headers(training_tests REUSE_FROM otseq2set_training)

# The programs as a user runs them.
add_test_program(cli_tests otseq2set_base cli ENVIRONMENT OTSEQ2SET_PROGRAM=${program})
add_dependencies(cli_tests otseq2set otseq2set-train)
target_precompile_headers(cli_tests REUSE_FROM base_tests)

# The server as its clients see it, and the pages as a person uses them, skipped where there is no Chromium.
foreach(name serving/api serving/operation page/page page/explained)
  if(name MATCHES "^page" AND CMAKE_BUILD_TYPE STREQUAL "Sanitize")
    continue()
  endif()
  string(REPLACE "/" "." test_name ${name})
  add_test(NAME ${test_name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/${name}_test.py)
  set_tests_properties(${test_name} PROPERTIES
    ENVIRONMENT OTSEQ2SET_PROGRAM=${program} SKIP_RETURN_CODE 77 TIMEOUT 600)
endforeach()

# A few of each of the faults of ./run torture. What makes system calls fail knows the registers of x86-64.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  file(GLOB injector_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/torture/*.cc)
  add_executable(fault_injector ${injector_sources})
  add_library(failing_malloc MODULE torture/preload/failing_malloc.cc)
  add_test(NAME torture COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/torture/torture.py --short
    --build ${CMAKE_BINARY_DIR})
  set_tests_properties(torture PROPERTIES PROCESSORS 2 TIMEOUT 600)
endif()

# What is installed, used by strangers. (The packages have a test of their own, ./run package-test.)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_test(NAME packaging.embed
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/packaging/embed_test.py ${CMAKE_BINARY_DIR})
  set_tests_properties(packaging.embed PROPERTIES TIMEOUT 900)
endif()

if(OTSEQ2SET_PYTHON)
  include(PythonTests)
endif()
