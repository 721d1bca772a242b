# Fuzz targets: libFuzzer with the address and undefined-behaviour sanitizers, clang only. Each file of fuzz/ but main
# is a target fuzz_NAME; its saved inputs are in fuzz/corpus/NAME.

collect(fuzz_sources fuzz/*.cc)
list(FILTER fuzz_sources EXCLUDE REGEX "/main\\.cc$")
target_compile_options(otseq2set_base PRIVATE -Wno-pass-failed)  # loops that the sanitizers keep from being vectorised
set(fuzz_targets)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(fuzz_${name} ${source} ${CMAKE_SOURCE_DIR}/fuzz/main.cc)
  target_link_libraries(fuzz_${name} PRIVATE otseq2set_base)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  list(APPEND fuzz_targets fuzz_${name})
endforeach()
add_custom_target(fuzz ALL DEPENDS ${fuzz_targets})
