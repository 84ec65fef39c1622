// The v1 SDK with its own OAuth flow.
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import assert from 'node:assert/strict';
import { checkParallelRefresh, checkServer } from './checks.mjs';
import { SCOPES, check, endpoint, finish } from './flow.mjs';
import { Provider } from './provider.mjs';

const connect = async (authProvider) => {
  const client = new Client({ name: 'memories-peer', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(endpoint, { authProvider }));
  return client;
};

async function authorized(provider) {
  const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider });
  await assert.rejects(new Client({ name: 'memories-peer', version: '1.0.0' }).connect(transport), UnauthorizedError);
  assert.equal(provider.kept.back.get('state'), provider.kept.state);
  await transport.finishAuth(provider.kept.back.get('code'));
  return connect(provider);
}

const provider = new Provider();
let client;
await check('v1: authorizes', async () => {
  client = await authorized(provider);
  assert.deepEqual(provider.kept.asked.searchParams.get('scope').split(' ').sort(), [...SCOPES].sort());
  assert.equal(provider.kept.asked.searchParams.get('resource'), endpoint.href);
  assert.deepEqual(provider.tokens().scope.split(' ').sort(), [...SCOPES].sort());
  assert.equal(client.getServerVersion().name, 'memories');
  assert.deepEqual(client.getServerCapabilities(), { tools: {}, resources: {} });
});
if (client) {
  await checkServer('v1', client);
  await checkParallelRefresh('v1', client, provider);
  await client.close();
}

await check('v1: what the owner left unticked is refused, and the client does not go round in circles', async () => {
  const some = new Provider({ scopes: ['profile:read'] });
  const narrow = await authorized(some);
  assert.deepEqual(some.tokens().scope.split(' '), ['profile:read']);
  await assert.rejects(narrow.callTool({ name: 'search_user_context', arguments: { query: 'coffee' } }));
  await narrow.close();
});
await check('v1: a denial reaches the client', async () => {
  const denied = new Provider({ decision: 'deny' });
  const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: denied });
  await assert.rejects(new Client({ name: 'memories-peer', version: '1.0.0' }).connect(transport), UnauthorizedError);
  assert.equal(denied.kept.back.get('error'), 'access_denied');
  assert.equal(denied.kept.back.get('code'), null);
});
finish();
