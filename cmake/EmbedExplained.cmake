# Builds style and script of the page that explain writes into the program: writes explained_data.inc with both, and
# the hashes by which the page's content security policy knows them. It shares look and marks with the server's page.
set(explained_folder ${CMAKE_SOURCE_DIR}/src/otseq2set/cli/explained)
set(page_folder ${CMAKE_SOURCE_DIR}/src/otseq2set/serving/page)
set(explained_style_files ${page_folder}/theme.css ${explained_folder}/explained.css)
set(explained_script_files ${page_folder}/highlight.js ${explained_folder}/explained.js)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${explained_style_files} ${explained_script_files})

# read_all(VARIABLE FILE...): the files one after the other.
function(read_all variable)
  set(all "")
  foreach(file ${ARGN})
    file(READ ${file} text)
    string(APPEND all "${text}")
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()

# base64_sha256(VARIABLE TEXT)
function(base64_sha256 variable text)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(SHA256 hex "${text}")
  set(result "")
  foreach(at RANGE 0 60 6)  # three bytes are four characters; the last two bytes are three and a filler
    string(SUBSTRING "${hex}00" ${at} 6 bytes)
    foreach(shift 18 12 6 0)
      math(EXPR index "(0x${bytes} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${index} 1 character)
      string(APPEND result ${character})
    endforeach()
  endforeach()
  string(SUBSTRING ${result} 0 43 result)
  set(${variable} "${result}=" PARENT_SCOPE)
endfunction()

read_all(explained_style ${explained_style_files})
read_all(explained_script ${explained_script_files})
base64_sha256(explained_style_hash "${explained_style}")
base64_sha256(explained_script_hash "${explained_script}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/explained_data.inc @ONLY CONTENT
"namespace {
constexpr const char* kStyle = R\"embedded(@explained_style@)embedded\";
constexpr const char* kScript = R\"embedded(@explained_script@)embedded\";
constexpr const char* kStyleHash = \"sha256-@explained_style_hash@\";
constexpr const char* kScriptHash = \"sha256-@explained_script_hash@\";
}  // namespace
")
target_include_directories(otseq2set_cli PRIVATE ${CMAKE_BINARY_DIR}/generated)
