# Which Pythons snug is made for, and the sentence for each that it is not; docs/pythons.md.
#
# Tests ask it by itself: cmake -DVERSION=3.12.1 -DFREE_THREADED=1 -DTRY=ON -P known_pythons.cmake

if(CMAKE_SCRIPT_MODE_FILE)
    cmake_minimum_required(VERSION 3.25)
endif()

# All tests that are not long are passed with these; docs/pythons.md says which long ones. CI has 3.11 and 3.13 in
# full, and a smoke of 3.14.
set(SNUG_KNOWN_PYTHONS 3.11 3.13 3.14 3.15)
# It is built with these and passes most of them; docs/pythons.md says what is open.
set(SNUG_TRIED_PYTHONS)

# Empty where that Python is taken. Nothing helps against what is missing in snug: try is for the others.
function(python_refusal out executable version is_free_threaded try)
    set(${out} "" PARENT_SCOPE)
    set(python "${executable} is Python ${version}")
    string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${version}")
    list(JOIN SNUG_KNOWN_PYTHONS ", " known)
    set(instead "name another by -DPython3_EXECUTABLE=... (Python ${known})")
    set(trying "or try it by -DSNUG_TRY_PYTHON=ON")

    if(is_free_threaded)
        set(reason "without a GIL, on which the stop ladder and the limits rest: ${instead}")
    elseif(version VERSION_LESS 3.11)
        set(reason "older than the oldest that snug runs: ${instead}")
    elseif(minor IN_LIST SNUG_KNOWN_PYTHONS OR try)
        return()
    elseif(minor VERSION_EQUAL 3.12)
        set(reason "whose sessions have neither a reliable GIL of their own nor the shared one: ${instead}, ${trying}")
    elseif(minor IN_LIST SNUG_TRIED_PYTHONS)
        set(reason "with which not all of snug's tests are passed yet: ${instead}, ${trying}")
    else()
        set(reason "which snug does not know: ${instead}, ${trying}")
    endif()
    set(${out} "${python}, ${reason}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
    python_refusal(refusal /usr/bin/python3 "${VERSION}" "${FREE_THREADED}" "${TRY}")
    message("${refusal}")
endif()
