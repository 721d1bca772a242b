# Builds the web page and the description of the interface into the server: writes static_files_data.inc with
# kStaticFiles, {name, text}.
file(GLOB static_files CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/src/otseq2set/serving/page/* ${CMAKE_SOURCE_DIR}/src/otseq2set/serving/openapi.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${static_files})
set(static_file_rows)
foreach(file ${static_files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND static_file_rows "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/static_files_data.inc @ONLY CONTENT
"namespace {
constexpr struct {
  const char* name;
  const char* text;
} kStaticFiles[] = {
@static_file_rows@};
}  // namespace
")
target_include_directories(otseq2set_serving PRIVATE ${CMAKE_BINARY_DIR}/generated)
