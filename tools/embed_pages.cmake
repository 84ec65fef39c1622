# embed_pages: the files of a folder as a table of C. cmake -DDIR=gateway/pages -DOUT=pages.c -P embed_pages.cmake
file(GLOB files ${DIR}/*.html ${DIR}/*.css)
set(arrays "")
set(rows "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} id)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const uint8_t ${id}[] = { ${bytes} };\n")
  string(APPEND rows "\t{ \"${name}\", { ${id}, sizeof ${id} } },\n")
endforeach()
file(WRITE ${OUT} "/* Made by tools/embed_pages.cmake. */
#include \"gateway/web_files.h\"

${arrays}
const struct web_file web_files[] = {
${rows}};

const size_t web_files_n = sizeof web_files / sizeof *web_files;
")
