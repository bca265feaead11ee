# Writes a C++ source that holds the files of src/compiler/builtins/library and its folders as strings.
# Usage: cmake -DFOLDER=src/compiler/builtins/library -DOUTPUT=library.cpp -P cmake/EmbedLibrary.cmake
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
set(text "// Made by cmake/EmbedLibrary.cmake from the files of src/compiler/builtins/library.\n#include \"compiler/builtins/library.h\"\n\n")
string(APPEND text "namespace manyrt::compiler {\n\nconst LibraryFile kLibraryFiles[] = {\n")
list(LENGTH files count)
foreach(name IN LISTS files)
  file(READ ${FOLDER}/${name} content)
  string(APPEND text "{\"${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
string(APPEND text "};\nconst size_t kLibraryFileCount = ${count};\n\n}  // namespace manyrt::compiler\n")
file(WRITE ${OUTPUT} "${text}")
