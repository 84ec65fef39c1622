// The v2 client in its three ways of settling a revision, with `mcp serve`.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { args, check, command, finish } from './stdio_checks.mjs';
import { checkOrdinary } from './ordinary_checks.mjs';

for (const [label, mode] of [['legacy', 'legacy'], ['auto', 'auto'], ['pinned', { pin: '2026-07-28' }]]) {
  const client = new Client({ name: 'memories-peer', version: '1.0.0' }, { versionNegotiation: { mode } });

  client.onerror = (e) => check(`${label}: no stray output`, () => { throw e; });
  await check(`${label}: connects`, () => client.connect(new StdioClientTransport({ command, args })));
  await checkOrdinary(label, client);
  await check(`${label}: closes`, () => client.close());
}
finish();
