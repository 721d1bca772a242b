# What `cmake --install` puts where, and the shared libraries: libotseq2set with include/otseq2set/model.h, and
# libotseq2set-training with training.h. They are made of what the programs are made of and export nothing else.
#
# Components are Debian's packages: runtime, training, development.
include(CMakePackageConfigHelpers)

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/otseq2set)
set(exports ${CMAKE_CURRENT_LIST_DIR}/exports.map)

# add_shared(NAME COMPONENT ROOMS LIBRARY...): libNAME.so of the rooms of a static library, and what they need.
function(add_shared name component rooms)
  set(target ${rooms}_shared)
  add_library(${target} SHARED $<TARGET_OBJECTS:${rooms}>)
  target_link_libraries(${target} PRIVATE ${ARGN})
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports} LINKER:--no-undefined LINKER:--as-needed)
  string(REPLACE "otseq2set-" "" export_name ${name})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} EXPORT_NAME ${export_name} VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}  # before 1.0 the interface changes with the minor one
    LINK_DEPENDS ${exports})
  install(TARGETS ${target} EXPORT ${name}
    LIBRARY COMPONENT ${component} NAMELINK_COMPONENT development)
  install(EXPORT ${name} NAMESPACE otseq2set:: DESTINATION ${config_folder} FILE ${name}-targets.cmake
    COMPONENT development)
  set(PC_NAME ${name})
  file(RELATIVE_PATH PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/otseq2set.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()

add_shared(otseq2set runtime otseq2set_api otseq2set_engine)
install(TARGETS otseq2set RUNTIME COMPONENT runtime)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/otseq2set DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN *.h)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/otseq2set-config.cmake.in
  ${CMAKE_BINARY_DIR}/otseq2set-config.cmake INSTALL_DESTINATION ${config_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/otseq2set-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/otseq2set-config.cmake ${CMAKE_BINARY_DIR}/otseq2set-config-version.cmake
  DESTINATION ${config_folder} COMPONENT development)

if(OTSEQ2SET_TRAINING)
  add_shared(otseq2set-training training otseq2set_training otseq2set_engine otseq2set_torch)
  install(TARGETS otseq2set-train RUNTIME DESTINATION libexec/otseq2set COMPONENT training)
endif()
