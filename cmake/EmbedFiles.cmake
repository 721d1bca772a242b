# embed_files(TARGET NAME FILE...): builds files into a target. Its sources can include NAME_data.inc, which has them as
# kFiles, {name, text}. Bytes are taken as they are.
function(embed_files target name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(rows)
  foreach(path ${ARGN})
    get_filename_component(file ${path} NAME)
    file(READ ${path} text)
    string(APPEND rows "    {\"${file}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${name}_data.inc @ONLY CONTENT
"namespace {
constexpr struct {
  const char* name;
  const char* text;
} kFiles[] = {
@rows@};
}  // namespace
")
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
