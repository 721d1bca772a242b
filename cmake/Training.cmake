# What trains, with LibTorch, and the program otseq2set-train.
include(Torch)

# <torch/torch.h> takes most of the time of a compilation, hence precompiled, once for this library, its tests and the
# benchmarks. Nobody else sees it: training/train.h is without it.
add_rooms(otseq2set_training autograd model loss training)
target_link_libraries(otseq2set_training PUBLIC otseq2set_engine PRIVATE otseq2set_torch)
target_precompile_headers(otseq2set_training PRIVATE <torch/torch.h>)

add_rooms(otseq2set_training_cli training_cli)
target_link_libraries(otseq2set_training_cli PUBLIC otseq2set_cli otseq2set_training)
target_precompile_headers(otseq2set_training_cli REUSE_FROM otseq2set_cli)

add_executable(otseq2set-train src/programs/otseq2set_train.cc)
target_link_libraries(otseq2set-train PRIVATE otseq2set_training_cli)
