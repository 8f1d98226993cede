# Writes OUTPUT, a C++ file that holds the text, or of objects the bytes, of each of FILES by its name.
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  if(name MATCHES "[.]o$")
    file(SIZE ${file} size)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes ${bytes})
    string(APPEND entries "    {\"${name}\", std::string(\"${bytes}\", ${size})},\n")
  else()
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endif()
endforeach()
file(WRITE ${OUTPUT} "#include \"backend/cpu/embedded_files.h\"

namespace hone::backend::cpu {

const std::map<std::string, std::string>& embedded_files()
{
  static const std::map<std::string, std::string> files{
${entries}  };
  return files;
}

} // namespace hone::backend::cpu
")
