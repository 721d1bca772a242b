# Reading; very many labels; one benchmark a kernel, with Google Benchmark; whole steps and predictions in a program of
# their own.
find_package(benchmark REQUIRED)

add_executable(otseq2set_bench_data bench/data/data_bench.cc)
target_link_libraries(otseq2set_bench_data PRIVATE otseq2set_base)
add_executable(otseq2set_bench_labels bench/labels/labels_bench.cc)
target_link_libraries(otseq2set_bench_labels PRIVATE otseq2set_engine)

if(OTSEQ2SET_TRAINING)
  collect(kernel_bench_sources bench/kernels/*.cc)
  add_executable(otseq2set_bench_kernels ${kernel_bench_sources})
  target_link_libraries(otseq2set_bench_kernels PRIVATE otseq2set_training otseq2set_torch benchmark::benchmark)
  target_include_directories(otseq2set_bench_kernels PRIVATE ${CMAKE_SOURCE_DIR}/bench)  # Highway includes files by name
  target_compile_options(otseq2set_bench_kernels PRIVATE -fPIC)  # as the precompiled header has it
  target_precompile_headers(otseq2set_bench_kernels REUSE_FROM otseq2set_training)
  collect(end_to_end_sources bench/end_to_end/*.cc)
  add_executable(otseq2set_bench_end_to_end ${end_to_end_sources})
  target_link_libraries(otseq2set_bench_end_to_end PRIVATE otseq2set_training otseq2set_torch)
  target_compile_options(otseq2set_bench_end_to_end PRIVATE -fPIC)
  target_precompile_headers(otseq2set_bench_end_to_end REUSE_FROM otseq2set_training)
endif()
