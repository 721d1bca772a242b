# The Python package as it is used: one test a file of tests/python. They need pytest, SciPy, scikit-learn and pandas; the
# notebook needs nbconvert, the types mypy (./run test installs all of them).
set(python_tests ${CMAKE_SOURCE_DIR}/tests/python)
set(python_environment OTSEQ2SET_PROGRAM=${program} PYTHONPATH=${CMAKE_BINARY_DIR}/python PYTHONDONTWRITEBYTECODE=1)

# Python itself is not compiled with the sanitizers, so they are loaded before it. It leaves memory to the system when it
# ends, so the leaks that count are those of test_leaks.py.
if(CMAKE_BUILD_TYPE STREQUAL "Sanitize")
  foreach(library asan stdc++)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${library}.so OUTPUT_VARIABLE path
      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND preloaded ${path})
  endforeach()
  list(JOIN preloaded " " preloaded)
  list(APPEND python_environment "LD_PRELOAD=${preloaded}" ASAN_OPTIONS=detect_leaks=0)
endif()

file(GLOB python_test_files CONFIGURE_DEPENDS ${python_tests}/test_*.py)
if(CMAKE_BUILD_TYPE STREQUAL "Sanitize")  # which keeps what was freed, to see whether it is used again
  list(FILTER python_test_files EXCLUDE REGEX "test_(leaks|notebook|wheel)\\.py$")
endif()
foreach(file ${python_test_files})
  string(REGEX REPLACE ".*/test_(.*)\\.py" "\\1" name ${file})
  add_test(NAME python.${name} COMMAND ${Python3_EXECUTABLE} -m pytest -q -p no:cacheprovider ${file})
  set_tests_properties(python.${name} PROPERTIES ENVIRONMENT "${python_environment}" TIMEOUT 600)
endforeach()

find_program(MYPY_PROGRAM mypy PATHS /usr/bin NO_DEFAULT_PATH)
if(MYPY_PROGRAM)
  add_test(NAME python.types COMMAND ${MYPY_PROGRAM} --config-file ${python_tests}/types.ini
    --cache-dir ${CMAKE_BINARY_DIR}/mypy ${CMAKE_SOURCE_DIR}/python/otseq2set)
endif()
