// What every foreign client must see of `mcp serve`, whichever revision it
// speaks. Used by ordinary_sdk.mjs and ordinary_client.mjs:
//
//   node ordinary_X.mjs '{"vault":…,"asset":…,"text":…}' COMMAND [ARGUMENT…]
//
// asset is a memory of the vault, and text what its text is.
import assert from 'node:assert/strict';
import { check, ids } from './stdio_checks.mjs';

const TOOLS = ['memory_list', 'memory_read', 'memory_search', 'memory_propose'];

async function callWell(client, name, given) {
  const result = await client.callTool({ name, arguments: given });
  assert.ok(!result.isError, result.content[0]?.text);
  const parsed = JSON.parse(result.content[0].text);
  assert.deepEqual(result.structuredContent, parsed);
  return parsed;
}

export async function checkOrdinary(label, client) {
  const { vault, asset, text } = ids;
  const uri = `memory://${vault}/${asset}`;

  await check(`${label}: tools and resources are announced`, () =>
    assert.deepEqual(client.getServerCapabilities(), { tools: {}, resources: {} }));
  await check(`${label}: the four tools, one of which writes`, async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((t) => t.name), TOOLS);
    assert.deepEqual(tools.map((t) => t.annotations.readOnlyHint), [true, true, true, false]);
    assert.ok(tools.every((t) => t.annotations.destructiveHint === false && t.outputSchema.type === 'object'));
  });
  await check(`${label}: a list, page by page`, async () => {
    const seen = [];
    let cursor;
    do {
      const page = await callWell(client, 'memory_list', { limit: 1, ...(cursor ? { cursor } : {}) });
      seen.push(...page.assets.map((a) => a.asset));
      cursor = page.next;
    } while (cursor);
    assert.equal(new Set(seen).size, seen.length);
    assert.ok(seen.includes(asset));
  });
  await check(`${label}: a read`, async () =>
    assert.equal((await callWell(client, 'memory_read', { vault, asset })).text, text));
  await check(`${label}: a proposal`, async () =>
    assert.equal((await callWell(client, 'memory_propose', { op: 'add', vault, title: label, body: 'b' })).status, 'pending'));
  await check(`${label}: resources are listed`, async () => {
    const { resources } = await client.listResources();
    assert.ok(resources.some((r) => r.uri === uri && r.name.length > 0));
  });
  await check(`${label}: the template is listed`, async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map((t) => t.uriTemplate), ['memory://{vault}/{asset}']);
  });
  await check(`${label}: a resource is read`, async () => {
    const { contents } = await client.readResource({ uri });
    assert.deepEqual(contents.map((c) => [c.uri, c.mimeType, c.text]), [[uri, 'text/plain', text]]);
  });
  await check(`${label}: what is not there is no resource`, () =>
    assert.rejects(client.readResource({ uri: `memory://${vault}/${vault}` }), (e) => e.code === -32002 || e.code === -32602));
}
