# Tools with long errors.
# limit: answer
# options: --tool "fail=head -c 3000000 /dev/zero | tr '\\0' x >&2; false"
for i in range(9):
    try:
        fail(x=1)
    except Exception as error:
        print(len(str(error)))
fail(x=2)
