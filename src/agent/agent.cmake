# Included by src/CMakeLists.txt: paths begin there.

# ---- agent: an ordinary user of snug.h, over libcurl -------------------------
# A copy of SQLite of the agent's own, which nobody else sees: sessions use the shared library,
# whose locks a session that is jumped out of may leave held.
add_library(snug_sqlite INTERFACE)
target_include_directories(snug_sqlite SYSTEM INTERFACE ${SQLITE_INCLUDE_DIRS})
target_link_libraries(snug_sqlite INTERFACE ${SQLITE_ARCHIVE} m)
target_link_options(snug_sqlite INTERFACE -Wl,--exclude-libs,libsqlite3.a)
set(prompts system system_bash system_act system_act_bash generate repair focus_fix_errors focus_optimize
    focus_robustness focus_style no_code no_code_bash findings evaluate evaluate_again reply reply_again plan plan_again
    plan_bash step observe answer_now unknown_tool summarise optimise
    harden restyle explain review)
list(TRANSFORM prompts REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/agent/template/prompts/\\1.txt")
add_custom_command(
    OUTPUT agent_prompts.c
    COMMAND Python3::Interpreter ${embed} prompts agent_prompts.c ${prompts}
    DEPENDS ${embed} ${prompts}
    COMMENT "Embedding the prompts" VERBATIM)
snug_layer(agent SOURCES
    fetch/exchange.c
    agent/loop/act.c
    agent/loop/agent.c
    agent/loop/agent_limits.c
    agent/loop/answer.c
    agent/loop/ask_model.c
    agent/loop/ask.c
    agent/loop/code.c
    agent/loop/evaluate.c
    agent/loop/execute.c
    agent/loop/generate.c
    agent/loop/improve.c
    agent/loop/inputs.c
    agent/loop/loop.c
    agent/loop/models.c
    agent/loop/outputs.c
    agent/loop/question.c
    agent/loop/rerun.c
    agent/loop/reuse.c
    agent/loop/words.c
    agent/model/anthropic.c
    agent/model/check_model.c
    agent/model/client.c
    agent/model/dialect.c
    agent/model/embeddings.c
    agent/model/extras.c
    agent/model/http.c
    agent/model/key.c
    agent/model/model.c
    agent/model/model_fault.c
    agent/model/openai.c
    agent/model/prices.c
    agent/model/provider.c
    agent/model/retry.c
    agent/model/sources.c
    agent/prompt/bash_state.c
    agent/prompt/conversation.c
    agent/prompt/history.c
    agent/prompt/prompt.c
    agent/prompt/request.c
    agent/prompt/talk.c
    agent/reply/markdown.c
    agent/reply/reply.c
    agent/reply/replyjson.c
    agent/run/bound_tools.c
    agent/run/run.c
    agent/store/cache.c
    agent/store/database.c
    agent/store/kept_conversation.c
    agent/store/library.c
    agent/store/retrieve.c
    agent/store/search.c
    agent/template/template.c
    agent/text/blocks.c
    agent/text/clip.c
    agent/text/extract.c
    agent/text/figures.c
    agent/text/laxjson.c
    agent/text/program.c
    agent/text/prose.c
    agent/text/pylex.c
    agent/text/question_text.c
    agent/text/shellcode.c
    agent/text/verdict.c
    agent/trace/step_events.c
    agent/trace/trace.c
    agent/trace/tracer.c
    ${CMAKE_CURRENT_BINARY_DIR}/agent_prompts.c
    LINK PkgConfig::CJSON PkgConfig::CURL snug_sqlite)

# ---- libsnug-agent ----------------------------------------------------------
add_library(snug_agent_library SHARED base/errorkeep.c)
target_link_libraries(snug_agent_library
    PUBLIC snug PRIVATE snug_agent snug_base snug_wire PkgConfig::CJSON PkgConfig::CURL m)
set_target_properties(snug_agent_library PROPERTIES
    OUTPUT_NAME snug-agent EXPORT_NAME snug-agent LINKER_LANGUAGE C)
# libcurl goes on with the memory that it gives.
target_link_options(snug_agent_library PRIVATE -Wl,--no-undefined -Wl,-z,nodelete -Wl,-z,now)
