# Finds the Python that sessions run and says which one it took.
#
# find_package(Python3) takes the first python3 on PATH, where a version manager's
# shim may stand; the system's own is preferred, -DPython3_EXECUTABLE=... overrides.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
    message(FATAL_ERROR "no Python is here: install libpython3-dev, or name one by -DPython3_EXECUTABLE=...")
endif()

function(python_config out name)
    execute_process(COMMAND ${Python3_EXECUTABLE} -I -c
            "import sysconfig; print(sysconfig.get_config_var('${name}') or '', end='')"
        OUTPUT_VARIABLE value COMMAND_ERROR_IS_FATAL ANY)
    set(${out} "${value}" PARENT_SCOPE)
endfunction()

include(cmake/known_pythons.cmake)
python_config(PYTHON_IS_FREE_THREADED Py_GIL_DISABLED)
python_refusal(PYTHON_REFUSAL ${Python3_EXECUTABLE} ${Python3_VERSION} "${PYTHON_IS_FREE_THREADED}"
    "${SNUG_TRY_PYTHON}")
if(PYTHON_REFUSAL)
    message(FATAL_ERROR "${PYTHON_REFUSAL}")
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Embed)

python_config(PYTHON_STDLIB LIBDEST)
python_config(PYTHON_DYNLOAD DESTSHARED)
python_config(PYTHON_CONFIG_DIR LIBPL)
python_config(PYTHON_LIBRARY_NAME LIBRARY)
python_config(PYTHON_LIBS LIBS)
python_config(PYTHON_SYSLIBS SYSLIBS)
python_config(PYTHON_MODLIBS MODLIBS)

# By its version, because python3 may become another one while snug stays.
get_filename_component(PYTHON_PROGRAM ${Python3_EXECUTABLE} DIRECTORY)
string(APPEND PYTHON_PROGRAM "/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}")
if(NOT EXISTS ${PYTHON_PROGRAM})
    set(PYTHON_PROGRAM ${Python3_EXECUTABLE})
endif()

# What the archive wants beside it. 3.13 names archives of its own build folder there;
# inittab.py leaves out what would need them. 3.14 has the ends of a makefile's lines there.
string(REPLACE "\\" " " SNUG_PYTHON_LIBS "${PYTHON_MODLIBS} ${PYTHON_LIBS} ${PYTHON_SYSLIBS}")
separate_arguments(SNUG_PYTHON_LIBS UNIX_COMMAND "${SNUG_PYTHON_LIBS}")
list(REMOVE_DUPLICATES SNUG_PYTHON_LIBS)
list(FILTER SNUG_PYTHON_LIBS EXCLUDE REGEX "/")

set(SNUG_PYTHON_ARCHIVE "${PYTHON_CONFIG_DIR}/${PYTHON_LIBRARY_NAME}")
if(SNUG_STATIC_PYTHON AND NOT SNUG_SANITIZE AND EXISTS "${SNUG_PYTHON_ARCHIVE}"
        AND EXISTS "${PYTHON_CONFIG_DIR}/config.c")
    set(SNUG_PROGRAM_PYTHON "${SNUG_PYTHON_ARCHIVE}")
else()
    set(SNUG_PROGRAM_PYTHON "the shared library")
endif()

# Debian has one more archive, for programs that are loaded anywhere.
string(REGEX REPLACE "\\.a$" "-pic.a" SNUG_PIC_ARCHIVE "${SNUG_PYTHON_ARCHIVE}")
if(NOT SNUG_PROGRAM_PYTHON STREQUAL SNUG_PYTHON_ARCHIVE OR NOT EXISTS "${SNUG_PIC_ARCHIVE}")
    set(SNUG_PIC_ARCHIVE "")
endif()

# A static program has the distribution's fixes of the day it was built: which, is said by
# cmake, by snug --version and, beside what is installed, by snug doctor.
set(SNUG_PYTHON_LEVEL "" CACHE STRING
    "Version of the package that libpython's archive is of; asked of dpkg where it is empty")
set(SNUG_PYTHON_PACKAGE_LEVEL "${SNUG_PYTHON_LEVEL}")
function(package_level out file)
    set(${out} "" PARENT_SCOPE)
    find_program(DPKG_QUERY dpkg-query)
    mark_as_advanced(DPKG_QUERY)
    if(NOT DPKG_QUERY)
        return()
    endif()
    execute_process(COMMAND ${DPKG_QUERY} -S ${file}
        OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed OR NOT owner MATCHES "^([^ ]+): /[^\n]*$")
        return()
    endif()
    execute_process(COMMAND ${DPKG_QUERY} -W -f "\${Version}" ${CMAKE_MATCH_1}
        OUTPUT_VARIABLE level ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
        set(${out} "${level}" PARENT_SCOPE)
    endif()
endfunction()
if(SNUG_PROGRAM_PYTHON STREQUAL SNUG_PYTHON_ARCHIVE)
    if(NOT SNUG_PYTHON_PACKAGE_LEVEL)
        package_level(SNUG_PYTHON_PACKAGE_LEVEL ${SNUG_PYTHON_ARCHIVE})
    endif()
else()
    set(SNUG_PYTHON_PACKAGE_LEVEL "")
endif()

if(Python3_VERSION VERSION_LESS 3.12)
    set(SNUG_GIL "shared by all sessions")
else()
    set(SNUG_GIL "one for each session")
endif()
message(STATUS "snug: Python ${Python3_VERSION}, ${Python3_EXECUTABLE}")
message(STATUS "snug:   standard library ${PYTHON_STDLIB}")
message(STATUS "snug:   GIL ${SNUG_GIL}")
message(STATUS "snug:   libsnug links ${Python3_LIBRARIES}")
message(STATUS "snug:   the program links ${SNUG_PROGRAM_PYTHON}")
if(SNUG_PYTHON_PACKAGE_LEVEL)
    message(STATUS "snug:   with the fixes of package version ${SNUG_PYTHON_PACKAGE_LEVEL}")
endif()
if(SNUG_PIE_WORKER AND SNUG_PIC_ARCHIVE)
    message(STATUS "snug:   snug-worker links ${SNUG_PIC_ARCHIVE}")
endif()
