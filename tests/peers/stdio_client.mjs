// The v2 client in its three ways of settling a revision: the handshake, a
// probe with server/discover (in a second process of the same command), and
// 2026-07-28 without asking.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import { args, check, checkTools, command, finish } from './stdio_checks.mjs';

const ways = [
  ['legacy', 'legacy', '2025-11-25'],
  ['auto', 'auto', '2026-07-28'],
  ['pinned', { pin: '2026-07-28' }, '2026-07-28'],
];

for (const [label, mode, revision] of ways) {
  const client = new Client({ name: 'memories-peer', version: '1.0.0' }, { versionNegotiation: { mode } });

  client.onerror = (e) => check(`${label}: no stray output`, () => { throw e; });
  await check(`${label}: connects`, async () => {
    await client.connect(new StdioClientTransport({ command, args }));
    assert.equal(client.getNegotiatedProtocolVersion(), revision);
    assert.deepEqual(client.getServerCapabilities(), { tools: {} });
    assert.equal(client.getServerVersion().name, 'memories');
  });
  await checkTools(label, client);
  await check(`${label}: closes`, () => client.close());
}
finish();
