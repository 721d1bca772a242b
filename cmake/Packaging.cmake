# Everything of Debian's packages that is not the programs and libraries: the service, man pages, completion, documents;
# and CPack's settings for `./run package`. The packages are otseq2set, otseq2set-training,
# libotseq2set-dev and python3-otseq2set.

set(OTSEQ2SET_MAINTAINER "otseq2set maintainers <otseq2set@example.org>" CACHE STRING "Who answers for the packages")
set(packaging ${CMAKE_SOURCE_DIR}/packaging)
set(pages ${CMAKE_BINARY_DIR}/pages)

# Man pages and completion say what the programs' own help says.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(page_programs otseq2set)
if(OTSEQ2SET_TRAINING)
  list(APPEND page_programs otseq2set-train)
endif()
add_custom_command(OUTPUT ${pages}/otseq2set.bash
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/program_pages.py $<TARGET_FILE:otseq2set> ${pages}
  DEPENDS ${page_programs} ${CMAKE_SOURCE_DIR}/tools/program_pages.py VERBATIM)
add_custom_target(pages ALL DEPENDS ${pages}/otseq2set.bash)

install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime
  FILES_MATCHING PATTERN *.1.gz PATTERN otseq2set-train.1.gz EXCLUDE)
install(FILES ${pages}/otseq2set.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME otseq2set COMPONENT runtime)
configure_file(${packaging}/otseq2set.service.in otseq2set.service @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/otseq2set.service DESTINATION lib/systemd/system COMPONENT runtime)
set(settings_folder ${CMAKE_INSTALL_SYSCONFDIR}/default)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(settings_folder ${CMAKE_INSTALL_FULL_SYSCONFDIR}/default)  # /etc, and below any other prefix its own etc
endif()
install(FILES ${packaging}/otseq2set.default DESTINATION ${settings_folder} RENAME otseq2set
  PERMISSIONS OWNER_READ OWNER_WRITE COMPONENT runtime)  # it may hold a token
install(FILES ${CMAKE_SOURCE_DIR}/docs/third_party.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/otseq2set COMPONENT runtime)
if(OTSEQ2SET_TRAINING)
  install(FILES ${pages}/otseq2set-train.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT training)
endif()
file(ARCHIVE_CREATE OUTPUT ${CMAKE_BINARY_DIR}/changelog.gz PATHS ${packaging}/changelog FORMAT raw COMPRESSION GZip)
set(packages runtime:otseq2set training:otseq2set-training development:libotseq2set-dev)
if(OTSEQ2SET_PYTHON)
  list(APPEND packages python:python3-otseq2set)
endif()
foreach(package ${packages})
  string(REPLACE ":" ";" package ${package})
  list(POP_FRONT package component)
  install(FILES ${packaging}/copyright ${CMAKE_BINARY_DIR}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  string(TOUPPER ${component} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${package})
endforeach()
list(TRANSFORM packages REPLACE ":.*" "" OUTPUT_VARIABLE components)

set(CPACK_GENERATOR DEB)
set(CPACK_SET_DESTDIR ON)  # for what lies in /etc
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${OTSEQ2SET_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(control ${packaging}/runtime)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
  "${control}/postinst;${control}/prerm;${control}/postrm;${control}/conffiles;${control}/triggers")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "\
Gives each document a set of labels, chosen from thousands, such as subject
headings or product categories. It is a program, a server with a web page, and
a library. It learns from documents that already have labels; to train, install
otseq2set-training.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS otseq2set-training)
set(CPACK_DEBIAN_TRAINING_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TRAINING_PACKAGE_DEPENDS "otseq2set (= ${PROJECT_VERSION}), libopenblas0-openmp")
set(CPACK_DEBIAN_TRAINING_DESCRIPTION "\
This package has what \`otseq2set train\` needs, and the library for training.
It uses LibTorch.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "otseq2set (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "otseq2set-training (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "\
Headers and files for CMake and pkg-config, for C++ programs that use the
libraries of otseq2set and otseq2set-training.")
if(OTSEQ2SET_PYTHON)
  # What the modules link to is of the package otseq2set, but for libotseq2set-training, which is loaded when it is needed.
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "otseq2set (= ${PROJECT_VERSION}), \
python3 (>= 3.${Python3_VERSION_MINOR}~), python3 (<< 3.${next_minor}), python3-numpy, python3-scipy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "otseq2set-training (= ${PROJECT_VERSION}), python3-sklearn, python3-pandas")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${packaging}/python/postinst;${packaging}/python/prerm")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "\
The Python package of otseq2set: it predicts labels, explains them, trains
models, and has a classifier for scikit-learn. To train, install
otseq2set-training.")
endif()
include(CPack)
