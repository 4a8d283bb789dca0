# What cmake --install lays down. Every file of it is found relative to another, so that the
# prefix can be moved.
include(CMakePackageConfigHelpers)

set(libraries snug snug_supervisor_library)
set(programs snug_worker)
set(components supervisor)
if(SNUG_AGENT)
    list(APPEND libraries snug_agent_library)
    list(APPEND components agent)
endif()
if(SNUG_PROGRAM)
    list(APPEND programs snug_program)
endif()

# Until 1.0 a minor version may change the ABI. The libraries find each other beside themselves, also
# where a program was linked with one of them only; the programs find them where they are linked
# with any.
set_target_properties(${libraries} PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")
file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(${programs} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")

# ---- libraries and programs ----
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/snug)
install(TARGETS snug EXPORT snugTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS snug_engine LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}) # which libsnug loads
install(EXPORT snugTargets NAMESPACE snug:: DESTINATION ${cmake_dir})
foreach(name IN LISTS components)
    install(TARGETS snug_${name}_library EXPORT snug-${name}Targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT snug-${name}Targets NAMESPACE snug:: DESTINATION ${cmake_dir})
endforeach()
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/snug DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/stdlib_allowlist DESTINATION ${CMAKE_INSTALL_DATADIR}/snug
    FILES_MATCHING PATTERN *.txt PATTERN *.md)

# ---- for programs that carry the full ladder ----
set(SNUG_PROGRAM_OPTIONS -no-pie -Wl,-export-dynamic -Wl,-z,relro -Wl,-z,now)
set(SNUG_PROGRAM_LIBRARIES cjson seccomp)
set(SNUG_PROGRAM_SYSTEM_LIBRARIES -pthread)
foreach(word IN LISTS SNUG_PYTHON_LIBS)
    # The C library's own need no file that must be looked for.
    string(REGEX REPLACE "^-l" "" name "${word}")
    if(word MATCHES "^-l" AND NOT name MATCHES "^(m|dl|util|pthread|rt)$")
        list(APPEND SNUG_PROGRAM_LIBRARIES ${name})
    elseif(NOT word MATCHES "^-Wl,-rpath|^-L")
        list(APPEND SNUG_PROGRAM_SYSTEM_LIBRARIES ${word})
    endif()
endforeach()
if(SNUG_PROGRAM_ARCHIVE)
    install(FILES ${SNUG_PROGRAM_ARCHIVE} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set(SNUG_PROGRAM_PLACE ${CMAKE_INSTALL_LIBDIR}/libsnug-program.a)
    configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/snug-programTargets.cmake.in
        ${PROJECT_BINARY_DIR}/snug-programTargets.cmake INSTALL_DESTINATION ${cmake_dir}
        PATH_VARS SNUG_PROGRAM_PLACE CMAKE_INSTALL_INCLUDEDIR
        NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
    install(FILES ${PROJECT_BINARY_DIR}/snug-programTargets.cmake DESTINATION ${cmake_dir})
endif()

# ---- pages ----
# Made when they are installed. Their links are relative, and stay right where the prefix is moved.
set(pages ${PROJECT_BINARY_DIR}/pages)
set(pages_command ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/installed_pages.py ${PROJECT_SOURCE_DIR} ${pages}
    ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR} ${CMAKE_INSTALL_FULL_DATADIR}/snug)
# What is linked into which file: FILE+ARCHIVE, for notices.py.
set(linked $<TARGET_FILE:snug> $<TARGET_FILE:snug_engine> $<TARGET_FILE:snug_supervisor_library>)
set(archive "")
if(SNUG_PROGRAM_IS_STATIC)
    set(archive "+${SNUG_PYTHON_ARCHIVE}")
endif()
set(archive_of_worker "${archive}")
if(archive AND SNUG_PIE_WORKER AND SNUG_PIC_ARCHIVE)
    set(archive_of_worker "+${SNUG_PIC_ARCHIVE}")
endif()
list(APPEND linked $<TARGET_FILE:snug_worker>${archive_of_worker})
if(SNUG_AGENT)
    list(APPEND linked $<TARGET_FILE:snug_agent_library>+${SQLITE_ARCHIVE})
endif()
if(SNUG_PROGRAM)
    set(archive_of_program "${archive}")
    if(archive AND SNUG_PIE_PROGRAM AND SNUG_PIC_ARCHIVE)
        set(archive_of_program "+${SNUG_PIC_ARCHIVE}")
    endif()
    list(APPEND linked $<TARGET_FILE:snug_program>${archive_of_program}+${SQLITE_ARCHIVE})
endif()
if(SNUG_PROGRAM_ARCHIVE)
    list(APPEND linked ${SNUG_PROGRAM_ARCHIVE}${archive})
endif()
set(notices_command ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/notices.py ${PROJECT_BINARY_DIR}/NOTICE ${linked})
install(CODE "execute_process(COMMAND ${pages_command} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${notices_command} COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_BINARY_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# ---- manuals ----
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/snug/*.h)
set(manpages_py ${CMAKE_CURRENT_LIST_DIR}/manpages.py)
set(manuals ${PROJECT_BINARY_DIR}/man)
add_custom_command(
    OUTPUT ${manuals}/man3/snug.3
    COMMAND Python3::Interpreter ${manpages_py} ${PROJECT_VERSION} ${manuals} ${headers}
    DEPENDS ${manpages_py} ${headers}
    COMMENT "Making man pages of the headers" VERBATIM)
add_custom_target(snug_manuals ALL DEPENDS ${manuals}/man3/snug.3)
install(DIRECTORY ${manuals}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR})
if(NOT CMAKE_CROSSCOMPILING)
    # The programs are asked for their help.
    set(manual_command ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/program_manual.py ${PROJECT_VERSION} ${manuals}
        $<TARGET_FILE:snug_worker>)
    if(SNUG_PROGRAM)
        list(APPEND manual_command $<TARGET_FILE:snug_program>)
    endif()
    install(CODE "execute_process(COMMAND ${manual_command} COMMAND_ERROR_IS_FATAL ANY)")
    install(DIRECTORY ${manuals}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()

# ---- for CMake ----
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/snugConfig.cmake.in
    ${PROJECT_BINARY_DIR}/snugConfig.cmake INSTALL_DESTINATION ${cmake_dir}
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/snugConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/snugConfig.cmake ${PROJECT_BINARY_DIR}/snugConfigVersion.cmake
    DESTINATION ${cmake_dir})

# ---- for pkg-config ----
set(pkgconfig_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${pkgconfig_dir}"
    OUTPUT_VARIABLE SNUG_PC_PREFIX)
# Appending an absolute folder, as some distributions configure it, replaces the prefix.
set(pc_prefix "\${prefix}")
cmake_path(APPEND pc_prefix "${CMAKE_INSTALL_LIBDIR}" OUTPUT_VARIABLE SNUG_PC_LIBDIR)
cmake_path(APPEND pc_prefix "${CMAKE_INSTALL_INCLUDEDIR}" OUTPUT_VARIABLE SNUG_PC_INCLUDEDIR)
string(JOIN " " SNUG_PC_PYTHON_LIBS ${SNUG_PYTHON_LIBS})
string(JOIN " " SNUG_PC_PROGRAM_OPTIONS ${SNUG_PROGRAM_OPTIONS})
set(packages snug)
foreach(name IN LISTS components)
    list(APPEND packages snug-${name})
endforeach()
if(SNUG_PROGRAM_ARCHIVE)
    list(APPEND packages snug-program)
endif()
foreach(name IN LISTS packages)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# ---- the way back ----
if(PROJECT_IS_TOP_LEVEL)
    string(JOIN "\\;" own_folders ${CMAKE_INSTALL_INCLUDEDIR}/snug ${CMAKE_INSTALL_DATADIR}/snug
        ${CMAKE_INSTALL_DOCDIR} ${cmake_dir})
    add_custom_target(uninstall
        COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -DFOLDERS=${own_folders} -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake
        VERBATIM)
endif()
