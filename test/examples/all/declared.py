"""Prints what a program of the package pulumi_orgseat declares, as JSON, without running it."""

import ast
import json
import re
import sys


def camel(name):
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def path(node):
    """`servers[0].id` of an expression."""
    if isinstance(node, ast.Name):
        return camel(node.id)
    if isinstance(node, ast.Subscript):
        return f"{path(node.value)}[{ast.literal_eval(node.slice)}]"
    return f"{path(node.value)}.{camel(node.attr)}"


def value(node):
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return "${" + path(node) + "}"
    if isinstance(node, ast.List):
        return [value(one) for one in node.elts]
    if isinstance(node, ast.Dict):
        return {camel(ast.literal_eval(key)): value(one) for key, one in zip(node.keys, node.values)}
    return ast.literal_eval(node)


def called(node):
    """The name of a function of the package, if the node calls one."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and path(node.func.value) == "orgseat":
        return node.func.attr
    return None


def given(call):
    return {camel(one.arg): value(one.value) for one in call.keywords}


declared = {"variables": {}, "resources": {}, "outputs": {}}
with open(sys.argv[1], encoding="utf8") as file:
    statements = ast.parse(file.read()).body
for statement in statements:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name, exported = statement.value.args
        declared["outputs"][ast.literal_eval(name)] = value(exported)
    if not isinstance(statement, ast.Assign):
        continue
    key, call, result = camel(statement.targets[0].id), statement.value, None
    if isinstance(call, ast.Attribute):
        call, result = call.value, camel(call.attr)
    name = called(call)
    if name is None:
        raise SystemExit(f"line {statement.lineno}: not a resource and not a lookup")
    if name.startswith("get_"):
        declared["variables"][key] = {"function": f"orgseat:{camel(name)}", "arguments": given(call), "return": result}
    else:
        declared["resources"][key] = {
            "type": f"orgseat:{name}",
            "name": ast.literal_eval(call.args[0]),
            "properties": given(call),
        }
print(json.dumps(declared))
