# Compiles a tree of a million unary operators made by hand, the recursion limit off.
# expect: error or memory or recursion or crash or denied or ok
# state: any
# when: compile
import ast, sys
sys.setrecursionlimit(10**9)
e = ast.Name("a", ast.Load(), lineno=1, col_offset=0)
for _ in range(300_000):
    e = ast.UnaryOp(ast.USub(), e, lineno=1, col_offset=0)
compile(ast.Expression(e), "x", "eval")
