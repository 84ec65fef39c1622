// The v1 SDK's client: the handshake, and the newest legacy revision.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import assert from 'node:assert/strict';
import { args, check, checkTools, command, finish } from './stdio_checks.mjs';

const client = new Client({ name: 'memories-peer', version: '1.0.0' });
client.onerror = (e) => check('no stray output', () => { throw e; });
await check('legacy: connects', async () => {
  await client.connect(new StdioClientTransport({ command, args }));
  assert.deepEqual(client.getServerCapabilities(), { tools: {} });
  assert.equal(client.getServerVersion().name, 'memories');
  assert.ok(client.getInstructions().length > 0);
  await client.ping();
});
await checkTools('legacy', client);
await check('legacy: closes', () => client.close());
finish();
