// The v2 client with its own OAuth flow, in its three ways of settling a revision.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import assert from 'node:assert/strict';
import { checkParallelRefresh, checkServer } from './checks.mjs';
import { check, endpoint, finish } from './flow.mjs';
import { Provider } from './provider.mjs';

const ways = [
  ['legacy', 'legacy', '2025-11-25'],
  ['auto', 'auto', '2026-07-28'],
  ['pinned', { pin: '2026-07-28' }, '2026-07-28'],
];

for (const [label, mode, revision] of ways) {
  const provider = new Provider();
  const made = () => new Client({ name: 'memories-peer', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider });
  let client;

  await check(`${label}: authorizes, iss and all`, async () => {
    await assert.rejects(made().connect(transport), (e) => e instanceof UnauthorizedError || /[Uu]nauthorized/.test(String(e)));
    await transport.finishAuth(provider.kept.back);
    client = made();
    await client.connect(new StreamableHTTPClientTransport(endpoint, { authProvider: provider }));
    assert.equal(client.getNegotiatedProtocolVersion(), revision);
    assert.deepEqual(client.getServerCapabilities(), { tools: {}, resources: {} });
    assert.equal(client.getServerVersion().name, 'memories');
  });
  if (client === undefined) continue;
  await checkServer(label, client);
  await checkParallelRefresh(label, client, provider);
  await check(`${label}: closes`, () => client.close());
}
await check('pinned: a scope that is missing leads to a new authorization that asks for it', async () => {
  const provider = new Provider({ scopes: ['profile:read'] });
  const made = () => new Client({ name: 'memories-peer', version: '1.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider });
  await assert.rejects(made().connect(transport));
  await transport.finishAuth(provider.kept.back);
  const client = made();
  await client.connect(new StreamableHTTPClientTransport(endpoint, { authProvider: provider }));
  await assert.rejects(client.callTool({ name: 'search_user_context', arguments: { query: 'coffee' } }));
  assert.equal(provider.authorizations, 2);
  const asked = provider.kept.asked.searchParams.get('scope').split(' ');
  assert.ok(asked.includes('profile:read') && asked.includes('context:search'), asked.join(' '));
  await client.close();
});
finish();
