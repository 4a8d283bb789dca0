# What cmake --install lays down. Every file of it is found relative to another, so that the
# prefix can be moved.
include(CMakePackageConfigHelpers)

# Until 1.0 a minor version may change the ABI.
set_target_properties(snug snug_agent_library snug_supervisor_library PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

install(TARGETS snug snug_agent_library snug_supervisor_library EXPORT snugTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS snug_program snug_worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/snug DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/stdlib_allowlist DESTINATION ${CMAKE_INSTALL_DATADIR}/snug
    FILES_MATCHING PATTERN *.txt PATTERN *.md)
# The pages refer to each other by relative paths, which stay right.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/SECURITY.md
    ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
    REGEX "/docs/pictures/.*\\.(py|json)$" EXCLUDE REGEX __pycache__ EXCLUDE) # not what draws them

set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/snug)
install(EXPORT snugTargets NAMESPACE snug:: DESTINATION ${cmake_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/snugConfig.cmake.in
    ${PROJECT_BINARY_DIR}/snugConfig.cmake INSTALL_DESTINATION ${cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/snugConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/snugConfig.cmake ${PROJECT_BINARY_DIR}/snugConfigVersion.cmake
    DESTINATION ${cmake_dir})

set(pkgconfig_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${pkgconfig_dir}"
    OUTPUT_VARIABLE SNUG_PC_PREFIX)
# Appending an absolute folder, as some distributions configure it, replaces the prefix.
set(pc_prefix "\${prefix}")
cmake_path(APPEND pc_prefix "${CMAKE_INSTALL_LIBDIR}" OUTPUT_VARIABLE SNUG_PC_LIBDIR)
cmake_path(APPEND pc_prefix "${CMAKE_INSTALL_INCLUDEDIR}" OUTPUT_VARIABLE SNUG_PC_INCLUDEDIR)
foreach(name snug snug-agent snug-supervisor)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
