#!/usr/bin/env python3
"""The real MCP clients from npm talk to `memories mcp serve-unattended`.

Skipped (exit 77) where node or npm are missing or the registry cannot be reached.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import harness  # noqa: E402

PEERS = pathlib.Path(__file__).resolve().parent.parent / "peers"


def install(folder):
    """The pinned clients, in a folder of our own."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "node and npm are not here"
    for name in PEERS.iterdir():
        if name.is_file():
            shutil.copy(name, folder)
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", f"{folder}/npm-cache"],
                          cwd=folder, capture_output=True, text=True, timeout=300)
    return None if done.returncode == 0 else f"npm ci: {done.stderr.strip()[-300:]}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        why = install(folder)
        if why is not None:
            print(f"skipped: {why}")
            return 77
        home = harness.furnished()
        ids = json.dumps({"vault": home.main, "asset": home.memory["asset"], "credential": home.secret["asset"]})
        # The clients pass on few variables of their own.
        server = ["env", f"XDG_STATE_HOME={harness.state_dir()}", harness.BIN, "--home", home.path, "mcp", "serve-unattended", "--client-file", home.client]
        failed = 0
        for script in ("stdio_sdk.mjs", "stdio_client.mjs"):
            print(script, flush=True)
            failed += subprocess.run(["node", script, ids, *server], cwd=folder, timeout=300).returncode != 0
        harness.undo()
        return 1 if failed else 0


sys.exit(main())
