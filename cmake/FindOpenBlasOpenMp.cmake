# The OpenMP build of OpenBLAS, whatever the system's default BLAS is.
#
# LibTorch asks for libblas.so.3 and liblapack.so.3 by name, and which build answers is decided by
# update-alternatives: the pthread build, a serial one, or the slow reference BLAS. Inside an OpenMP region only the
# OpenMP build runs on one thread, which our kernels rely on. A program linked to `OpenBlasOpenMp::OpenBlasOpenMp`
# has the three libraries among its own dependencies, ahead of LibTorch's, with a DT_RPATH to their folder, so the
# loader takes them for LibTorch as well. (DT_RUNPATH would not do: LD_LIBRARY_PATH goes before it.) libopenblas comes
# first, since it has all functions of the three: in a process that has loaded another libblas.so.3 already, as Python does
# with numpy, that one would be taken again.
#
# Link it before LibTorch.

find_path(OpenBlasOpenMp_DIR_FOUND
  NAMES libopenblas.so.0
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp /usr/lib/openblas-openmp /usr/lib64/openblas-openmp
  NO_DEFAULT_PATH
  DOC "Folder of the OpenMP build of OpenBLAS")

set(OpenBlasOpenMp_LIBRARIES)
foreach(name libopenblas.so.0 libblas.so.3 liblapack.so.3)
  if(EXISTS "${OpenBlasOpenMp_DIR_FOUND}/${name}")
    list(APPEND OpenBlasOpenMp_LIBRARIES "${OpenBlasOpenMp_DIR_FOUND}/${name}")
  else()
    set(OpenBlasOpenMp_missing ${name})
  endif()
endforeach()
if(OpenBlasOpenMp_missing)
  set(OpenBlasOpenMp_LIBRARIES OpenBlasOpenMp_LIBRARIES-NOTFOUND)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBlasOpenMp
  REQUIRED_VARS OpenBlasOpenMp_DIR_FOUND OpenBlasOpenMp_LIBRARIES
  REASON_FAILURE_MESSAGE
  "the folder openblas-openmp with libblas.so.3, liblapack.so.3 and libopenblas.so.0 is not in \
/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}. On Debian: apt-get install libopenblas-openmp-dev")

if(OpenBlasOpenMp_FOUND AND NOT TARGET OpenBlasOpenMp::OpenBlasOpenMp)
  list(JOIN OpenBlasOpenMp_LIBRARIES "," libraries)
  add_library(OpenBlasOpenMp::OpenBlasOpenMp INTERFACE IMPORTED)
  set_target_properties(OpenBlasOpenMp::OpenBlasOpenMp PROPERTIES
    # One item, so that nothing can come between the flags and the files they hold for.
    INTERFACE_LINK_LIBRARIES "-Wl,--push-state,--no-as-needed,${libraries},--pop-state"
    INTERFACE_LINK_OPTIONS "LINKER:--disable-new-dtags,-rpath,${OpenBlasOpenMp_DIR_FOUND}")
endif()
