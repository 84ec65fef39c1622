// What every MCP client must see of the endpoint, in whichever revision. A
// connection has all scopes.
import assert from 'node:assert/strict';
import { assertOverview, check, shareWithAll } from './flow.mjs';

const TOOLS = ['get_user_context', 'read_user_context_page', 'search_user_context', 'propose_memory'];
const SUMMARY = 'lifeos://profile/summary';

async function call(client, name, given = {}) {
  const result = await client.callTool({ name, arguments: given });
  assert.ok(!result.isError, result.content[0]?.text);
  assert.equal(result.content.length, 1);
  const value = JSON.parse(result.content[0].text);
  if (result.structuredContent !== undefined) assert.deepEqual(result.structuredContent, value);
  return value;
}

async function callBadly(client, name, given, code) {
  const result = await client.callTool({ name, arguments: given });
  assert.equal(result.isError, true);
  assert.equal(result.structuredContent, undefined);
  assert.equal(JSON.parse(result.content[0].text).error.code, code);
}

export async function checkServer(label, client) {
  shareWithAll();
  await check(`${label}: exactly the four tools`, async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((t) => t.name).sort(), [...TOOLS].sort());
    for (const t of tools) assert.equal(t.inputSchema.type, 'object');
    assert.equal(tools.find((t) => t.name === 'get_user_context').annotations.readOnlyHint, true);
    assert.equal(tools.find((t) => t.name === 'propose_memory').annotations.readOnlyHint, false);
  });
  await check(`${label}: the overview, as tool and as resource`, async () => {
    const page = await call(client, 'get_user_context');
    assertOverview(page);
    const { contents } = await client.readResource({ uri: SUMMARY });
    assert.equal(contents.length, 1);
    assert.equal(contents[0].mimeType, 'application/json');
    assert.deepEqual(JSON.parse(contents[0].text), page);
  });
  await check(`${label}: the resource and its template are listed`, async () => {
    assert.ok((await client.listResources()).resources.some((r) => r.uri === SUMMARY));
    assert.ok((await client.listResourceTemplates()).resourceTemplates.every((t) => t.uriTemplate.startsWith(SUMMARY)));
  });
  await check(`${label}: search`, async () => {
    const page = await call(client, 'search_user_context', { query: 'coffee', limit: 5 });
    assert.ok(Array.isArray(page.facts));
  });
  await check(`${label}: the same proposal twice is one`, async () => {
    const given = { op: 'add', category: 'preference', label: 'Tea', value: `green, says ${label}`, evidence: 'The user said so.' };
    const one = await call(client, 'propose_memory', given), two = await call(client, 'propose_memory', given);
    assert.equal(one.status, 'pending');
    assert.deepEqual(one, two);
  });
  await check(`${label}: a bad argument is a tool's error`, () => callBadly(client, 'search_user_context', { query: 'x', limit: 11 }, 'invalid_argument'));
  await check(`${label}: an unknown tool is a protocol error`, () =>
    assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), (e) => e.code === -32602));
  await check(`${label}: an unknown resource is a protocol error`, () =>
    assert.rejects(client.readResource({ uri: 'lifeos://profile/other' }), (e) => [-32002, -32602].includes(e.code)));
}

// Three calls at once with an access token that is over: each sends its own refresh, and all must go well.
export async function checkParallelRefresh(label, client, provider) {
  await check(`${label}: three calls at once after expiry`, async () => {
    const before = provider.authorizations;
    provider.dropAccess();
    const old = provider.tokens().refresh_token;
    const all = await Promise.all([1, 2, 3].map(() => call(client, 'get_user_context')));
    assert.equal(all.length, 3);
    assert.equal(provider.authorizations, before, 'the owner was asked again');
    assert.notEqual(provider.tokens().refresh_token, old, 'the refresh token was not rotated');
    assertOverview(await call(client, 'get_user_context'));
  });
}
