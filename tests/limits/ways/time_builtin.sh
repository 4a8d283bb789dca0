# Built-ins of the shell that do not look up: expansions, patterns and arithmetic.
# limit: wall cpu
x=$(printf 'a%.0s' {1..3000})
shopt -s extglob
[[ $x == *(*(a)a)b ]] && echo no
echo ${x//+(+(a))b/}
echo {1..3000000} | wc -c
