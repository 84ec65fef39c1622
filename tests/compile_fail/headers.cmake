# Compiles each header of ROOT alone with CC. Tables (*.tbl.h) are no headers.
foreach(folder mailbox escrow store gateway actors tools tests/support)
  file(GLOB headers ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*/*.h)
  foreach(header ${headers})
    if(header MATCHES "\\.tbl\\.h$")
      continue()
    endif()
    execute_process(COMMAND ${CC} -std=c11 -D_GNU_SOURCE -DMEMORIES_VERSION="0" -I${ROOT} -Wall -Wextra -Werror
      -Wno-unused-function -fsyntax-only -x c ${header} RESULT_VARIABLE result ERROR_VARIABLE text)
    if(NOT result EQUAL 0)
      message(SEND_ERROR "${header} does not compile alone:\n${text}")
    endif()
  endforeach()
endforeach()
