# Copies libraries into a folder without what only debuggers read, and writes their checksums there:
# cmake -DFOLDER=... -DSTRIP=... -DFILES=a;b -P natives.cmake
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(checksums "")
foreach(file IN LISTS FILES)
    cmake_path(GET file FILENAME name)
    file(REAL_PATH ${file} file)
    execute_process(COMMAND ${STRIP} --strip-unneeded -o ${FOLDER}/${name} ${file} COMMAND_ERROR_IS_FATAL ANY)
    file(SHA256 ${FOLDER}/${name} checksum)
    string(APPEND checksums "${checksum} ${name}\n")
endforeach()
file(WRITE ${FOLDER}/checksums "${checksums}")
