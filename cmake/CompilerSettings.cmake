# How everything here is compiled. The same source must give the same numbers on every x86-64 or ARM machine, so
# no -march=native and no fast-math; vector instructions are chosen at run time by the kernels. Contraction is off
# because whether a*b+c becomes one rounding or two would otherwise depend on the target.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Sanitize" FORCE)
endif()
# -g1: a crash names file and line; neither the objects nor the precompiled header grow much. Assertions stay on
# in both: they guard what only a bug can cause and are not placed in inner loops.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1" CACHE STRING "" FORCE)
set(CMAKE_CXX_FLAGS_SANITIZE
  "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined" CACHE STRING "" FORCE)
set(CMAKE_EXE_LINKER_FLAGS_SANITIZE "-fsanitize=address,undefined" CACHE STRING "" FORCE)

add_compile_options(-Wall -Wextra -ffp-contract=off)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # What the manual of ccache asks for where there are precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()
