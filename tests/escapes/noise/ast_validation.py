# Compiles a tree whose nodes have the wrong types and positions.
# expect: error
# when: compile
import ast
tree = ast.parse("x = 1")
tree.body[0].value = ast.Constant(value=object(), lineno=-(2**31), col_offset=2**31 - 1)
tree.body[0].targets = [None]
compile(tree, "x", "exec")
