# Included by src/CMakeLists.txt: paths begin there.

# ---- snug, the program ------------------------------------------------------
set(presets development fast production secure)
list(TRANSFORM presets REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/cli/program/presets/\\1.yaml")
add_custom_command(
    OUTPUT cli_presets.c
    COMMAND Python3::Interpreter ${embed} presets cli_presets.c ${presets}
    DEPENDS ${embed} ${presets}
    COMMENT "Embedding the presets" VERBATIM)
snug_layer(cli SOURCES
    cli/ask/ask_command.c
    cli/ask/asker.c
    cli/ask/asker_open.c
    cli/ask/closing.c
    cli/ask/conversation_export.c
    cli/ask/conversations_command.c
    cli/ask/handing_over.c
    cli/ask/library_command.c
    cli/ask/member.c
    cli/ask/model_choice.c
    cli/ask/models_command.c
    cli/ask/named_files.c
    cli/ask/out_name.c
    cli/ask/permit.c
    cli/ask/question_files.c
    cli/ask/seats.c
    cli/ask/program_output.c
    cli/ask/steps.c
    cli/ask/steps_model.c
    cli/ask/steps_program.c
    cli/ask/streamed_code.c
    cli/ask/talk.c
    cli/ask/talk_words.c
    cli/batch/batch.c
    cli/batch/progress.c
    cli/batch/summary.c
    cli/batch/tasks.c
    cli/cells/cell_answer.c
    cli/cells/cell_request.c
    cli/cells/cells.c
    cli/cells/crew.c
    cli/editor/changes.c
    cli/editor/code.c
    cli/editor/code_bash.c
    cli/editor/code_python.c
    cli/editor/completing.c
    cli/editor/editor.c
    cli/editor/view.c
    cli/editor/entries.c
    cli/editor/history_file.c
    cli/editor/keys.c
    cli/editor/menu.c
    cli/editor/moves.c
    cli/editor/pasted.c
    cli/editor/reader.c
    cli/editor/recall.c
    cli/editor/screen.c
    cli/editor/buffer.c
    cli/display/code_lines.c
    cli/display/pictures.c
    cli/editor/theme.c
    cli/kernel/attendant.c
    cli/kernel/channels.c
    cli/kernel/connection.c
    cli/kernel/content.c
    cli/kernel/control.c
    cli/kernel/execute.c
    cli/kernel/history.c
    cli/kernel/info.c
    cli/kernel/kernel_command.c
    cli/kernel/message.c
    cli/kernel/iopub.c
    cli/kernel/questions.c
    cli/kernel/shell.c
    cli/kernel/signature.c
    cli/kernel/zmq_library.c
    cli/mcp/answer.c
    cli/mcp/asking.c
    cli/mcp/handles.c
    cli/mcp/http_transport.c
    cli/mcp/tokens.c
    cli/mcp/mcp_command.c
    cli/mcp/methods.c
    cli/mcp/rpc.c
    cli/mcp/run_tools.c
    cli/mcp/server.c
    cli/mcp/session_tools.c
    cli/mcp/stdio.c
    cli/mcp/tool_table.c
    cli/packages/install.c
    cli/packages/modules.c
    cli/packages/packages_command.c
    cli/program/command.c
    cli/program/config.c
    cli/program/configfile.c
    cli/program/doctor.c
    cli/program/fixed_options.c
    cli/program/jsonline.c
    cli/program/key_names.c
    cli/program/level.c
    cli/program/limit_magic.c
    cli/program/main.c
    cli/program/option_table.c
    cli/program/option_value.c
    cli/program/options.c
    cli/program/parents.c
    cli/program/quantity.c
    cli/program/removed.c
    cli/program/secrets.c
    cli/program/served_limits.c
    cli/program/session_files.c
    cli/program/settings.c
    cli/program/signals.c
    cli/program/state_folder.c
    cli/prompt/advice.c
    cli/prompt/approve.c
    cli/prompt/read_line.c
    cli/prompt/repl.c
    cli/prompt/show_cell.c
    cli/prompt/shown_session.c
    cli/prompt/words.c
    cli/run/check.c
    cli/run/input.c
    cli/run/ipynb.c
    cli/run/name_use.c
    cli/run/run_command.c
    cli/run/split.c
    cli/terminal/clean.c
    cli/terminal/columns.c
    cli/terminal/lines.c
    cli/terminal/term.c
    cli/terminal/ticker.c
    cli/tools/fetch_tool.c
    cli/tools/find.c
    cli/tools/call_text.c
    cli/tools/journal_file.c
    cli/tools/stubs.c
    cli/tools/tool_list.c
    cli/tools/tools_command.c
    cli/tools/user_tools.c
    cli/upstream/client.c
    cli/upstream/greeting.c
    cli/upstream/mcptool.c
    cli/upstream/schema.c
    cli/upstream/stdio_transport.c
    cli/upstream/upstreams.c
    cli/upstream/web_transport.c
    ${CMAKE_CURRENT_BINARY_DIR}/cli_presets.c
    LINK PkgConfig::CJSON PkgConfig::YAML PkgConfig::NETTLE)
# Its header: the library is loaded by what needs it.
target_include_directories(snug_cli SYSTEM PRIVATE ${ZMQ_INCLUDEDIR})
target_compile_definitions(snug_cli PRIVATE "SNUG_BUILT_FOR=\"Python ${Python3_VERSION}\""
    SNUG_PYTHON_PROGRAM="${PYTHON_PROGRAM}" SNUG_PYTHON_LEVEL="${SNUG_PYTHON_PACKAGE_LEVEL}"
    $<$<NOT:$<BOOL:${SNUG_PROGRAM_IS_STATIC}>>:SNUG_PYTHON_IS_SHARED>
    SNUG_PYTHON_NUMBER="${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}")
# Of libcurl the program has the header only: it is loaded when a model is asked.
add_executable(snug_program agent/model/curl_on_demand.c
    $<TARGET_OBJECTS:snug_cli> $<TARGET_OBJECTS:snug_agent> $<TARGET_OBJECTS:snug_supervise>
    $<TARGET_OBJECTS:snug_http> $<TARGET_OBJECTS:snug_fetch>)
target_include_directories(snug_program SYSTEM PRIVATE ${CURL_INCLUDE_DIRS})
set_target_properties(snug_program PROPERTIES OUTPUT_NAME snug LINKER_LANGUAGE C)
target_link_libraries(snug_program PRIVATE snug_flags ${snug_python_of_program}
    PkgConfig::YAML PkgConfig::NETTLE PkgConfig::UTF8PROC snug_sqlite Threads::Threads m)
