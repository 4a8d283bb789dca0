# An argument of 100 MB, and one of as many that share it.
# expect: error
# tools: yes
huge_text = "a" * (100 << 20)
try:
    echo(a=[huge_text] * 1000)
except ValueError:
    pass
echo(a=huge_text)
