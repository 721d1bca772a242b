# How everything here is compiled. The same source must give the same numbers on every x86-64 or ARM machine, so
# no -march=native and no fast-math; vector instructions are chosen at run time by the kernels. Contraction is off
# because whether a*b+c becomes one rounding or two would otherwise depend on the target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, Sanitize, Thread or Fuzz" FORCE)
endif()
# Loops are vectorised as with -O3, without the rest of it, which compiles LibTorch's headers twice as long. No debug
# information: it makes the precompiled header several times as large. Assertions stay on: they guard what only a bug
# can cause and are not placed in inner loops.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -fvect-cost-model=dynamic" CACHE STRING "" FORCE)
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1 -D_GLIBCXX_ASSERTIONS" CACHE STRING "" FORCE)
set(CMAKE_CXX_FLAGS_SANITIZE
  "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined" CACHE STRING "" FORCE)
set(CMAKE_CXX_FLAGS_THREAD "-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread" CACHE STRING "" FORCE)
set(CMAKE_CXX_FLAGS_FUZZ
  "-O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"
  CACHE STRING "" FORCE)
set(CMAKE_EXE_LINKER_FLAGS_FUZZ "-fsanitize=address,undefined" CACHE STRING "" FORCE)
set(CMAKE_EXE_LINKER_FLAGS_THREAD "-fsanitize=thread" CACHE STRING "" FORCE)
set(CMAKE_EXE_LINKER_FLAGS_SANITIZE "-fsanitize=address,undefined" CACHE STRING "" FORCE)

add_compile_options(-Wall -Wextra -ffp-contract=off)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Depend mode spares preprocessing every file; the rest is what ccache's manual asks for with precompiled headers,
  # and lets checkouts in different folders share results.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()
