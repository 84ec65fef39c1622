// The command line of MCP's inspector, in each era, with a token that was given by hand.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { assertOverview, check, endpoint, finish, setting, shareWithAll } from './flow.mjs';
import { Provider } from './provider.mjs';

const provider = new Provider();
await check('a token', async () => {
  const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider });
  await assert.rejects(new Client({ name: 'memories-peer', version: '1.0.0' }).connect(transport), UnauthorizedError);
  await transport.finishAuth(provider.kept.back.get('code'));
  shareWithAll();
});

const HOME = mkdtempSync(join(setting.folder, 'inspector-'));
const run = (era, token, ...words) => new Promise((done) => {
  execFile(process.execPath, ['node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', '--cli', endpoint.href,
    '--transport', 'http', '--protocol-era', era, '--stored-auth-only', '--format', 'json', '--header', `Authorization: Bearer ${token}`, '--method', ...words],
  { env: { PATH: process.env.PATH, HOME } }, (error, stdout, stderr) => done({ code: error?.code ?? 0, stdout, stderr }));
});

const given = (r) => {
  assert.equal(r.code, 0, r.stderr.slice(-300));
  const value = JSON.parse(r.stdout);
  return value.result ?? value;
};

await Promise.all(['legacy', 'modern'].map(async (era) => {
  const token = provider.tokens()?.access_token;
  await check(`${era}: tools and their schemas`, async () =>
    assert.equal(given(await run(era, token, 'tools/list', '--strict')).tools.length, 4));
  await check(`${era}: a tool`, async () =>
    assertOverview(JSON.parse(given(await run(era, token, 'tools/call', '--tool-name', 'get_user_context')).content[0].text)));
  await check(`${era}: the resource`, async () =>
    assertOverview(JSON.parse(given(await run(era, token, 'resources/read', '--uri', 'lifeos://profile/summary')).contents[0].text)));
}));
await check('a wrong token ends with the code for that', async () =>
  assert.equal((await run('legacy', 'mat_nobody', 'tools/list')).code, 3));
finish();
