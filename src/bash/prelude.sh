# What the shell of a session reads first. It is bash's own code for convenience, and no promise
# rests on it: cells may replace all of this, and then do without it.
#
# Descriptors: 240 and 241 take a cell's output, 242 tells the worker, 243 has its lines.

set +H +o history
PS1= PS2= HISTFILE=
unset HISTFILE PROMPT_COMMAND MAILCHECK

# "E number status", variables, functions: a cell has ended. The NUL before it ends what an interrupt
# has cut short.
__snug_end() {
  { builtin printf '\0E %s %s\0' "$1" "${__snug_left:-$2}"
    builtin unset -v __snug_left
    __snug_names; } >&242 2>/dev/null
}

__snug_names() {
  builtin declare -p
  builtin printf '\0'
  builtin declare -F
  builtin printf '\0'
}

# A cell's own EXIT trap, which runs when the cell leaves by exit.
__snug_bye() {
  if [[ ${__snug_trap+set} ]]; then
    builtin eval "builtin unset -v __snug_trap; $__snug_trap"
  fi
}

# Ends the cell and not the shell: an interrupt leaves all that is under way.
exit() {
  __snug_left=${1-$?}
  if [[ $BASHPID == "$$" && $__snug_left && $__snug_left != *[!0-9]* ]]; then
    __snug_left=$((__snug_left & 255))
    __snug_bye
    builtin kill -INT "$$"
  fi
  builtin exit "$__snug_left"
}

# Where the shell goes all the same (set -e): "X number status", variables, functions, and what
# makes a new shell the same again.
__snug_exit() {
  { __snug_bye; } 0</dev/null 1>&240 2>&241
  { builtin printf '\0X %s %s\0' "$__snug_cell" "$1"
    __snug_names
    builtin shopt -p
    builtin declare -p
    builtin declare -f
    builtin alias -p
    builtin trap -p
    builtin umask -p
    builtin printf 'builtin cd -- %q\n' "$PWD"
    # Setting one of these two makes bash 5.2 read its commands from what stdin is then.
    __snug_options=" -o ${SHELLOPTS//:/ -o }"
    __snug_options=${__snug_options/ -o emacs}
    builtin printf 'builtin set%s\n\0' "${__snug_options/ -o vi}"; } >&242 2>/dev/null
}
builtin trap '__snug_exit "$?"' EXIT

# The trap for EXIT is the worker's; a cell's is kept beside it.
trap() {
  builtin local "command=$1" name others
  others=()
  if [[ $# -lt 2 || $1 == -[lp] || $BASHPID != "$$" || $* == *'__snug_exit "$?"'* ]]; then
    builtin trap "$@"
    builtin return
  fi
  builtin shift
  if [[ $command == -- ]]; then
    command=$1
    builtin shift
  fi
  for name; do
    if [[ $name != EXIT && $name != 0 ]]; then
      others+=("$name")
    elif [[ $command == - ]]; then
      builtin unset -v __snug_trap
    else
      __snug_trap=$command
    fi
  done
  if [[ ${#others[@]} -gt 0 ]]; then
    builtin trap -- "$command" "${others[@]}"
  fi
}

command_not_found_handle() {
  builtin printf 'bash: line %s: %s: command not found\n' \
    "$((BASH_LINENO[0] - __snug_line + 1))" "$1" >&2
  builtin return 127
}
