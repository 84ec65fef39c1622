// The conformance suite: all its scenarios for a server, in each revision that it knows, less conformance_baseline.mjs; and
// its judgement of the authorization server. Needs node 22.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { baseline, only } from './conformance_baseline.mjs';
import { check, consent, endpoint, finish, origin, setting, shareWithAll } from './flow.mjs';
import { Provider } from './provider.mjs';

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const folder = mkdtempSync(join(setting.folder, 'conformance-'));
const run = (...words) => new Promise((done) =>
  execFile(process.execPath, [SUITE, ...words], { maxBuffer: 1 << 26 }, (error, stdout, stderr) => done({ code: error?.code ?? 0, out: stdout + stderr })));

const provider = new Provider();
await check('a token', async () => {
  const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider });
  await assert.rejects(new Client({ name: 'memories-peer', version: '1.0.0' }).connect(transport), UnauthorizedError);
  await transport.finishAuth(provider.kept.back.get('code'));
  shareWithAll();
});

// The suite cannot send a token, so something between adds it. Where a request names the address of this, it names the server's
// own; every other Host and Origin goes through as it is.
const between = http.createServer((ask, answer) => {
  const mine = `:${between.address().port}`, theirs = `:${endpoint.port}`;
  const headers = { authorization: `Bearer ${provider.tokens()?.access_token}`, ...ask.headers };
  for (const name of ['host', 'origin'])
    if (headers[name]?.endsWith(mine)) headers[name] = headers[name].slice(0, -mine.length) + theirs;
  const on = http.request({ host: endpoint.hostname, port: endpoint.port, method: ask.method, path: ask.url, headers }, (r) => {
    answer.writeHead(r.statusCode, r.headers);
    r.pipe(answer);
  });
  on.on('error', () => answer.destroy());
  ask.pipe(on);
});
await new Promise((done) => between.listen(0, '127.0.0.1', done));

// { revision: names of its scenarios }
const scenarios = {};
await check('the suite lists its scenarios', async () => {
  for (const [, name, revisions] of (await run('list', '--server')).out.matchAll(/^ +- (\S+) \[(.*)\]$/gm))
    for (const r of revisions.split(',')) (scenarios[r] ??= new Set()).add(name);
  assert.ok(scenarios['2025-11-25'].size > 25 && scenarios['2026-07-28'].size > 35);
});

for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
  await check(`${revision}: all that applies`, async () => {
    const names = Object.keys({ ...baseline, ...only[revision] })
      .filter((n) => scenarios[revision].has(n.split(':')[0]));
    const file = join(folder, `${revision}.yml`);
    writeFileSync(file, `server:${names.length ? '' : ' []'}\n${names.map((n) => `  - ${n}\n`).join('')}`);
    const { code, out } = await run('server', '--url', `http://127.0.0.1:${between.address().port}/mcp`, '--spec-version', revision,
      '--suite', 'all', '--expected-failures', file, '-o', join(folder, revision));
    assert.equal(code, 0, out.slice(out.indexOf('Total:', out.indexOf('=== SUMMARY'))));
    assert.ok([...out.matchAll(/^✓ /gm)].length >= scenarios[revision].size - new Set(names).size);
  });
between.close();

await check('authorization: metadata and a code grant', async () => {
  const port = await new Promise((done) => {
    const s = http.createServer().listen(0, '127.0.0.1', () => { const p = s.address().port; s.close(() => done(p)); });
  });
  const redirect = `http://127.0.0.1:${port}/callback`;
  const registered = await (await fetch(`${origin}/register`, { method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Suite', redirect_uris: [redirect], token_endpoint_auth_method: 'none' }) })).json();
  const suite = spawn(process.execPath, [SUITE, 'authorization', '--url', origin, '--client-id', registered.client_id,
    '--resource', endpoint.href, '--port', String(port), '-o', join(folder, 'authorization')]);
  let said = '', sent = false;
  const code = await new Promise((done) => {
    const hear = async (d) => {
      said += d;
      const url = said.match(/https?:\/\/\S+\/authorize\?\S+(?=\s)/)?.[0];
      if (!url || sent) return;
      sent = true;
      const back = await consent(url, { redirect });
      await fetch(`${redirect}?${back}`);
    };
    suite.stdout.on('data', hear);
    suite.stderr.on('data', hear);
    suite.on('close', done);
  });
  assert.equal(code, 0, said.slice(-1500));
  assert.ok(sent && !/^✗/m.test(said), said.slice(-1500));
});
finish();
