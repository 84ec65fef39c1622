// mcp-remote: an assistant that speaks stdio only, through a bridge that does the OAuth.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { assertOverview, check, consent, endpoint, finish, setting, shareWithAll } from './flow.mjs';

const freePort = () => new Promise((done) => {
  const s = createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => done(port)); });
});

for (const protocol of ['legacy', 'auto']) {
  await check(`${protocol}: authorizes in a browser, then reads`, async () => {
    const folder = mkdtempSync(join(setting.folder, 'mcp-remote-'));
    // No browser may open by itself.
    writeFileSync(join(folder, 'xdg-open'), '#!/bin/sh\n', { mode: 0o700 });
    const bridge = spawn(process.execPath, ['node_modules/mcp-remote/dist/proxy.js', endpoint.href, String(await freePort()),
      '--allow-http', '--transport', 'http-only', '--protocol', protocol],
      { env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, BROWSER: 'true' }, stdio: ['pipe', 'pipe', 'pipe'] });
    const waiting = new Map();
    createInterface({ input: bridge.stdout }).on('line', (line) => { const m = JSON.parse(line); waiting.get(m.id)?.(m); });
    let said = '';
    const authorizing = new Promise((done, fail) => {
      bridge.stderr.on('data', (d) => {
        const before = said;
        said += d;
        const url = said.match(/https?:\/\/\S+\/authorize\?\S+(?=\s)/)?.[0];
        if (url && !before.match(/https?:\/\/\S+\/authorize\?\S+(?=\s)/)) done(url);
      });
      bridge.on('exit', () => fail(new Error(`ended: ${said.slice(-400)}`)));
    });
    const ask = (id, method, params) => new Promise((done) => {
      waiting.set(id, done);
      bridge.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n');
    });
    try {
      const initialized = ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'peer', version: '1' } });
      const url = new URL(await authorizing);
      const redirect = url.searchParams.get('redirect_uri');
      const back = await consent(url, { redirect });
      assert.equal((await fetch(`${redirect}?${back}`)).status, 200);
      assert.equal((await initialized).result.serverInfo.name, 'memories');
      bridge.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      shareWithAll();
      const answer = await ask(2, 'tools/call', { name: 'get_user_context', arguments: {} });
      assertOverview(JSON.parse(answer.result.content[0].text));
    } finally {
      bridge.removeAllListeners('exit');
      bridge.kill('SIGKILL');
    }
  });
}
finish();
