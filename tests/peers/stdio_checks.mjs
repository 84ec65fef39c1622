// What every foreign client must see of `mcp serve-unattended`, whichever
// revision it speaks. Used by stdio_sdk.mjs and stdio_client.mjs:
//
//   node stdio_X.mjs '{"vault":…,"asset":…,"credential":…}' COMMAND [ARGUMENT…]
//
// asset is a memory, card or file of the vault; credential a credential of it.
import assert from 'node:assert/strict';

const TOOLS = ['unattended_list', 'unattended_history', 'unattended_read', 'unattended_credential_bytes'];
let passed = 0, failed = 0;

export const [ids, command, args] = (() => {
  const [json, program, ...rest] = process.argv.slice(2);
  if (program === undefined) {
    console.error('usage: IDS_AS_JSON COMMAND [ARGUMENT…]');
    process.exit(2);
  }
  return [JSON.parse(json), program, rest];
})();

export async function check(name, body) {
  try {
    await body();
    passed++;
  } catch (e) {
    failed++;
    console.log(`failed: ${name}: ${e.message}`);
  }
}

export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}

async function callWell(client, name, given, structured) {
  const result = await client.callTool({ name, arguments: given });
  assert.ok(!result.isError, result.content[0]?.text);
  assert.equal(result.content.length, 1);
  const parsed = JSON.parse(result.content[0].text);
  if (structured)
    assert.deepEqual(result.structuredContent, parsed);
  else
    assert.equal(result.structuredContent, undefined);
  assert.equal(typeof parsed.audit.index, 'number');
  return parsed;
}

async function callBadly(client, name, given, start) {
  const result = await client.callTool({ name, arguments: given });
  assert.equal(result.isError, true);
  assert.equal(result.structuredContent, undefined);
  assert.ok(result.content[0].text.startsWith(start), result.content[0].text);
}

// The client's own validator holds each structuredContent against the
// outputSchema that tools/list announced, so list first.
export async function checkTools(label, client, structured = true) {
  const { vault, asset, credential } = ids;

  await check(`${label}: exactly the four tools`, async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((t) => t.name), TOOLS);
    for (const t of tools) {
      assert.equal(t.inputSchema.type, 'object');
      assert.equal(t.inputSchema.additionalProperties, false);
      if (structured) {
        assert.equal(t.annotations.readOnlyHint, true);
        assert.equal(t.annotations.destructiveHint, false);
        assert.equal(t.outputSchema.type, 'object');
      }
    }
  });
  await check(`${label}: unattended_list`, async () => {
    const page = await callWell(client, TOOLS[0], { vault }, structured);
    assert.ok(Array.isArray(page.assets));
  });
  await check(`${label}: unattended_history`, async () => {
    const page = await callWell(client, TOOLS[1], { vault, asset, limit: 1 }, structured);
    assert.ok(page.revisions.length <= 1);
  });
  await check(`${label}: unattended_read`, async () => {
    const range = await callWell(client, TOOLS[2], { vault, asset }, structured);
    const pinned = await callWell(client, TOOLS[2],
      { vault, asset, revision: range.revision, offset: 0, limit: 65536 }, structured);
    assert.equal(pinned.data, range.data);
  });
  await check(`${label}: unattended_credential_bytes`, async () => {
    const range = await callWell(client, TOOLS[3], { vault, asset: credential }, structured);
    assert.match(range.data, /^[A-Za-z0-9_-]*$/);
    assert.equal(range.encoding, 'raw_bytes');
    if (range.next === null)
      assert.equal(Buffer.from(range.data, 'base64url').length, range.total);
  });
  await check(`${label}: a bad argument is named`, () =>
    callBadly(client, TOOLS[0], { vault, limit: 0 }, 'invalid_argument: "limit"'));
  await check(`${label}: an unknown argument is refused`, () =>
    callBadly(client, TOOLS[0], { vault, query: 'x' }, 'invalid_argument: "query"'));
  await check(`${label}: an unknown tool is a protocol error`, () =>
    assert.rejects(client.callTool({ name: 'unattended_write', arguments: {} }), (e) => e.code === -32602));
}
