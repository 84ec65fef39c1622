#!/usr/bin/env python3
"""The real MCP clients from npm talk to `memories mcp serve-unattended` and to `memories mcp serve`.

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
        grant = home.side("grant")
        home.owner("grant", "mint", "--vault", home.main, "--allow-propose", "--grant-file", grant).done()
        failed = 0
        for prefix, ids, words in (
                ("stdio", {"vault": home.main, "asset": home.memory["asset"], "credential": home.secret["asset"]},
                 ["serve-unattended", "--client-file", home.client]),
                ("ordinary", {"vault": home.main, "asset": home.memory["asset"], "text": harness.BODY},
                 ["serve", "--grant-file", grant])):
            # The clients pass on few variables of their own.
            server = ["env", f"XDG_STATE_HOME={harness.state_dir()}", harness.BIN, "--home", home.path, "mcp", *words]
            for script in (f"{prefix}_sdk.mjs", f"{prefix}_client.mjs"):
                print(script, flush=True)
                failed += subprocess.run(["node", script, json.dumps(ids), *server], cwd=folder, timeout=300).returncode != 0
        harness.undo()
        return 1 if failed else 0


sys.exit(main())
