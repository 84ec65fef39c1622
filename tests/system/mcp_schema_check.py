#!/usr/bin/env python3
"""Goal: every answer of the MCP server conforms to its revision's own schema.

    mcp_schema_check.py PROGRAM|FOLDER

PROGRAM is run with MEMORIES_MCP_ANSWERS set to a folder, where it leaves
<revision>.<server>.jsonl files of {"method":..., "answer":...} lines; a FOLDER holds
them already. The schemas are the published ones, in ../shared/schemas beside
the project or in $MEMORIES_MCP_SCHEMAS; exit 77 (skipped) without them.

Checked: each result against the result type of its method, each error against
the error type, each success of a tool against the outputSchema that tools/list
announced, and that text content and structuredContent agree.
"""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

SERVERS = ["unattended", "ordinary", "profile"]

RESULT_TYPES = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "prompts/list": "ListPromptsResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
}

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
}

SILENT = {"description", "title", "default", "examples", "format", "$schema", "definitions", "$defs", "x-mcp-header"}


class Schema:
    """The part of JSON Schema that these files use; an unknown keyword is an error."""

    def __init__(self, root):
        self.root = root

    def resolve(self, ref):
        node = self.root
        for part in ref.removeprefix("#/").split("/"):
            node = node[part]
        return node

    def errors(self, schema, value, path="$"):
        """Yields what is wrong with value."""
        if schema is True:
            return
        if schema is False:
            yield f"{path}: not allowed"
            return
        for keyword, wanted in schema.items():
            if keyword in SILENT:
                continue
            check = getattr(self, "check_" + keyword.replace("$", ""), None)
            if check is None:
                raise ValueError(f"schema keyword {keyword} is not known here")
            yield from check(wanted, value, path, schema)

    def valid(self, schema, value):
        return next(self.errors(schema, value), None) is None

    def check_ref(self, ref, value, path, schema):
        yield from self.errors(self.resolve(ref), value, path)

    def check_type(self, wanted, value, path, schema):
        names = wanted if isinstance(wanted, list) else [wanted]
        if not any(TYPES[name](value) for name in names):
            yield f"{path}: {json.dumps(value)[:60]} is not of type {wanted}"

    def check_const(self, wanted, value, path, schema):
        if value != wanted:
            yield f"{path}: is not {wanted!r}"

    def check_enum(self, wanted, value, path, schema):
        if value not in wanted:
            yield f"{path}: {value!r} is not one of {wanted}"

    def check_required(self, wanted, value, path, schema):
        if isinstance(value, dict):
            for name in wanted:
                if name not in value:
                    yield f"{path}: {name} is missing"

    def check_properties(self, wanted, value, path, schema):
        if isinstance(value, dict):
            for name, sub in wanted.items():
                if name in value:
                    yield from self.errors(sub, value[name], f"{path}.{name}")

    def check_additionalProperties(self, wanted, value, path, schema):
        if isinstance(value, dict):
            for name in value.keys() - schema.get("properties", {}).keys():
                yield from self.errors(wanted, value[name], f"{path}.{name}")

    def check_items(self, wanted, value, path, schema):
        if isinstance(value, list):
            for i, element in enumerate(value):
                yield from self.errors(wanted, element, f"{path}[{i}]")

    def check_anyOf(self, wanted, value, path, schema):
        if not any(self.valid(sub, value) for sub in wanted):
            yield f"{path}: fits none of anyOf"

    def check_oneOf(self, wanted, value, path, schema):
        if sum(self.valid(sub, value) for sub in wanted) != 1:
            yield f"{path}: does not fit exactly one of oneOf"

    def check_allOf(self, wanted, value, path, schema):
        for sub in wanted:
            yield from self.errors(sub, value, path)

    def check_minimum(self, wanted, value, path, schema):
        if TYPES["number"](value) and value < wanted:
            yield f"{path}: {value} is below {wanted}"

    def check_maximum(self, wanted, value, path, schema):
        if TYPES["number"](value) and value > wanted:
            yield f"{path}: {value} is over {wanted}"

    def check_minLength(self, wanted, value, path, schema):
        if isinstance(value, str) and len(value) < wanted:
            yield f"{path}: shorter than {wanted}"

    def check_maxLength(self, wanted, value, path, schema):
        if isinstance(value, str) and len(value) > wanted:
            yield f"{path}: longer than {wanted}"

    def check_minItems(self, wanted, value, path, schema):
        if isinstance(value, list) and len(value) < wanted:
            yield f"{path}: fewer than {wanted} items"

    def check_maxItems(self, wanted, value, path, schema):
        if isinstance(value, list) and len(value) > wanted:
            yield f"{path}: more than {wanted} items"


def definition(schema, *names):
    for name in names:
        for key in ("$defs", "definitions"):
            if name in schema.root.get(key, {}):
                return schema.root[key][name]
    raise KeyError(names)


def check_error(schema, newest, answer):
    # Until 2025-06-18 the schema wants an id that an unreadable message does not have.
    judge = schema if "id" in answer else newest
    yield from judge.errors(definition(judge, "JSONRPCErrorResponse", "JSONRPCError"), answer)


def check_tool_result(outputs, result):
    if result.get("isError"):
        if "structuredContent" in result:
            yield "structuredContent beside isError"
        return
    text = json.loads(result["content"][0]["text"])
    if "structuredContent" in result:
        if text != result["structuredContent"]:
            yield "text and structuredContent differ"
    for output in outputs:
        yield from (f"outputSchema: {e}" for e in Schema(output).errors(output, text))


def output_of(tools, result):
    """The outputSchema of the tool whose required properties the result has, and no unknown ones."""
    if result.get("isError"):
        return []
    keys = json.loads(result["content"][0]["text"]).keys()
    return [t["outputSchema"] for t in tools
            if "outputSchema" in t and set(t["outputSchema"]["required"]) <= keys <= t["outputSchema"]["properties"].keys()]


def check_answer(schema, newest, tools, method, answer):
    if "error" in answer:
        yield from check_error(schema, newest, answer)
        return
    yield from schema.errors(definition(schema, "JSONRPCResultResponse", "JSONRPCResponse"), answer)
    result = answer["result"]
    yield from schema.errors(definition(schema, RESULT_TYPES[method]), result)
    if method == "tools/list":
        tools[:] = result["tools"]
    if method == "tools/call":
        outputs = output_of(tools, result)
        if "structuredContent" in result and not outputs:
            yield "no tool has an outputSchema with these members"
        yield from check_tool_result(outputs, result)


def check_folder(folder, schemas):
    n_checked = n_bad = 0
    for revision, server in itertools.product(REVISIONS, SERVERS):
        tools = []
        name = f"{revision}.{server}.jsonl"
        lines = (folder / name).read_text().splitlines()
        if not lines:
            raise ValueError(f"{name} is empty")
        for number, line in enumerate(lines, 1):
            entry = json.loads(line)
            n_checked += 1
            wrong = list(check_answer(schemas[revision], schemas[REVISIONS[-1]], tools,
                                      entry["method"], entry["answer"]))
            n_bad += bool(wrong)
            for what in wrong:
                print(f"{name}:{number}: {entry['method']}: {what}")
    print(f"{n_checked - n_bad} passed, {n_bad} failed")
    return n_bad


def load_schemas():
    beside = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "schemas"
    folder = pathlib.Path(os.environ.get("MEMORIES_MCP_SCHEMAS", beside))
    missing = [r for r in REVISIONS if not (folder / f"mcp-schema-{r}.json").is_file()]
    if missing:
        print(f"skipped: {folder} has no schema of {', '.join(missing)}")
        sys.exit(77)
    return {r: Schema(json.loads((folder / f"mcp-schema-{r}.json").read_text())) for r in REVISIONS}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    schemas = load_schemas()
    given = pathlib.Path(sys.argv[1])
    if given.is_dir():
        sys.exit(check_folder(given, schemas) != 0)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([given.resolve()], env={**os.environ, "MEMORIES_MCP_ANSWERS": folder},
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sys.exit(check_folder(pathlib.Path(folder), schemas) != 0)


if __name__ == "__main__":
    main()
