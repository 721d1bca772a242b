# Builds presets/*.json into the program: writes presets_data.inc with kPresets, {name, text}.
file(GLOB preset_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/presets/*.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${preset_files})
set(preset_rows)
foreach(file ${preset_files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND preset_rows "    {\"${name}\", R\"json(${text})json\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/presets_data.inc @ONLY CONTENT
"namespace {
constexpr struct {
  const char* name;
  const char* text;
} kPresets[] = {
@preset_rows@};
}  // namespace
")
target_include_directories(otseq2set_base PRIVATE ${CMAKE_BINARY_DIR}/generated)
