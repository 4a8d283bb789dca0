# compile() of a tree in which := binds no name: any node was read as one.
# expect: ok
# when: compile
import ast
for target in (ast.Attribute(ast.Name("a", ast.Load()), "b", ast.Store()), ast.Constant(5)):
    tree = ast.parse("[(x := i) for i in range(3)]")
    tree.body[0].value.elt.target = target
    try:
        compile(ast.fix_missing_locations(tree), "x", "exec")
    except SyntaxError:
        pass
    else:
        assert False
class Text(str):
    __class__ = ast.Module
    body = tree.body
try:
    compile(Text("y = 1"), "x", "exec")
except SyntaxError:
    assert False
tree = ast.parse("z = 2 + 3")
tree.body[0].value.op = ast.Mult()
exec(compile(tree, "x", "exec"))
assert z == 6
assert eval(compile(source=ast.Expression(ast.parse("1 + 1").body[0].value), filename="x", mode="eval")) == 2
