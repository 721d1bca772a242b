# LibTorch, behind the one BLAS build it shall use: link `otseq2set_torch`.

find_package(OpenBlasOpenMp REQUIRED)

# Its configuration files report every library they meet, and warn of those that Debian's build is without; an error is
# still shown.
set(saved_log_level "${CMAKE_MESSAGE_LOG_LEVEL}")
set(CMAKE_MESSAGE_LOG_LEVEL ERROR)
find_package(Torch REQUIRED)
set(CMAKE_MESSAGE_LOG_LEVEL "${saved_log_level}")

add_library(otseq2set_torch INTERFACE)
target_include_directories(otseq2set_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(otseq2set_torch INTERFACE OpenBlasOpenMp::OpenBlasOpenMp ${TORCH_LIBRARIES})
