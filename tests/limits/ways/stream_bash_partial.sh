# One line in pieces, from hundreds of programs.
# limit: output
for i in {1..400}; do printf '%s' "$(printf 'p%.0s' {1..500})"; /usr/bin/printf q; done
