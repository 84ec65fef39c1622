// The v1 SDK's client, with `mcp serve`.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { args, check, command, finish } from './stdio_checks.mjs';
import { checkOrdinary } from './ordinary_checks.mjs';

const client = new Client({ name: 'memories-peer', version: '1.0.0' });
client.onerror = (e) => check('no stray output', () => { throw e; });
await check('legacy: connects', () => client.connect(new StdioClientTransport({ command, args })));
await checkOrdinary('legacy', client);
await check('legacy: closes', () => client.close());
finish();
