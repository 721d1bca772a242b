# The Python package: otseq2set._core with what predicts, otseq2set._training with what trains, and the files of
# python/otseq2set. It lies ready for use in ${CMAKE_BINARY_DIR}/python.
#
# Debian's own Python comes first, whatever else is on PATH: Debian's packages (numpy, pybind11) belong to it.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The interpreter that the package is for")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
set(PYBIND11_NOPYTHON ON)  # it has been found
find_package(pybind11 2.10 REQUIRED)

set(python_folder ${CMAKE_BINARY_DIR}/python/otseq2set)
file(GLOB python_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/otseq2set/*)
list(FILTER python_files EXCLUDE REGEX "__pycache__")
file(MAKE_DIRECTORY ${python_folder})
foreach(file ${python_files})
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${python_folder}/${name} SYMBOLIC)
endforeach()

# The libraries lie beside the modules in a wheel, and in the system's folder otherwise.
function(add_python_module name library)
  set(target otseq2set_python_${name})
  Python3_add_library(${target} MODULE WITH_SOABI
    python/src/${name}_module.cc python/src/arguments.cc python/src/calls.cc python/src/errors.cc)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/python/src)
  target_link_libraries(${target} PRIVATE pybind11::headers ${library} Threads::Threads)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME _${name} LIBRARY_OUTPUT_DIRECTORY ${python_folder} CXX_VISIBILITY_PRESET hidden
    INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH OFF)
  install(TARGETS ${target} LIBRARY DESTINATION lib/python3/dist-packages/otseq2set COMPONENT python)
  install(TARGETS ${target} LIBRARY DESTINATION otseq2set COMPONENT wheel EXCLUDE_FROM_ALL)
  install(TARGETS ${library} LIBRARY DESTINATION otseq2set COMPONENT wheel EXCLUDE_FROM_ALL NAMELINK_SKIP)
endfunction()

add_python_module(core otseq2set_api_shared)
if(OTSEQ2SET_TRAINING)
  add_python_module(training otseq2set_training_shared)
endif()
install(FILES ${python_files} DESTINATION lib/python3/dist-packages/otseq2set COMPONENT python)
