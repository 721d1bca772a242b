# Writes presets_data.inc: the files of presets/ as text, for otseq2set/config/presets.cc to include.

collect(preset_files presets/*.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${preset_files})

set(entries)
foreach(file ${preset_files})
  cmake_path(GET file STEM name)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"preset(${text})preset\"},\n")
endforeach()
list(LENGTH preset_files count)

set(OTSEQ2SET_PRESETS_DIR ${CMAKE_BINARY_DIR}/presets)
file(CONFIGURE OUTPUT ${OTSEQ2SET_PRESETS_DIR}/presets_data.inc @ONLY CONTENT [[
#include <array>

namespace {

struct PresetText {
  const char* name;
  const char* text;
};

constexpr std::array<PresetText, @count@> kPresets{{
@entries@}};

}  // namespace
]])
