#include "gateway/mcp_schema.h"
#include "gateway/unattended_tools.h"

#define PAGE_MAX  100
#define BYTES_MAX 65536

#define VAULT    { .name = "vault", .type = MCP_FIELD_ID, .required = true, .description = "Id of the vault." }
#define ASSET    { .name = "asset", .type = MCP_FIELD_ID, .required = true, .description = "Id of the asset, from unattended_list." }
#define SECRET   { .name = "asset", .type = MCP_FIELD_ID, .required = true, .description = "Id of the credential, from unattended_list." }
#define REVISION { .name = "revision", .type = MCP_FIELD_ID, \
	.description = "Revision to read; left out, the current one. Pin it for every range after the first." }
#define ROW      { .name = "offset", .type = MCP_FIELD_INTEGER, .max = JSON_INTEGER_MAX, \
	.description = "First row of the page, from 0; `next` of the page before." }
#define ROWS     { .name = "limit", .type = MCP_FIELD_INTEGER, .min = 1, .max = PAGE_MAX, .otherwise = PAGE_MAX, \
	.description = "Rows of the page at most." }
#define BYTE     { .name = "offset", .type = MCP_FIELD_INTEGER, .max = JSON_INTEGER_MAX, \
	.description = "First byte of the range, from 0; `next` of the range before." }
#define BYTES    { .name = "limit", .type = MCP_FIELD_INTEGER, .min = 1, .max = BYTES_MAX, .otherwise = BYTES_MAX, \
	.description = "Bytes of the range at most." }

static const struct mcp_field list_fields[] = { VAULT, ROW, ROWS };
static const struct mcp_field history_fields[] = { VAULT, ASSET, ROW, ROWS };
static const struct mcp_field read_fields[] = { VAULT, ASSET, REVISION, BYTE, BYTES };
static const struct mcp_field credential_fields[] = { VAULT, SECRET, REVISION, BYTE, BYTES };

#define PAGE \
	"\"offset\":" SCHEMA_COUNT ",\"next\":" SCHEMA_OR_NULL("integer") "," SCHEMA_AUDIT

#define ASSET_ROW SCHEMA_OBJECT( \
	"\"asset\":" SCHEMA_STRING "," \
	"\"kind\":{\"type\":\"string\",\"enum\":[\"memory\",\"card\",\"file\",\"credential\"]}," \
	"\"private\":" SCHEMA_FLAG "," \
	"\"title\":" SCHEMA_STRING "," \
	"\"revision\":" SCHEMA_OR_NULL("string") "," \
	"\"bytes\":" SCHEMA_COUNT "," \
	"\"created_at\":" SCHEMA_STRING "," \
	"\"updated_at\":" SCHEMA_STRING "," \
	"\"conflict\":" SCHEMA_FLAG "," \
	"\"heads\":" SCHEMA_STRINGS, \
	"\"asset\",\"kind\",\"private\",\"title\",\"revision\",\"bytes\"," \
	"\"created_at\",\"updated_at\",\"conflict\",\"heads\"")

#define REVISION_ROW SCHEMA_OBJECT( \
	"\"revision\":" SCHEMA_STRING "," \
	"\"parents\":" SCHEMA_STRINGS "," \
	"\"created_at\":" SCHEMA_STRING "," \
	"\"bytes\":" SCHEMA_COUNT "," \
	"\"head\":" SCHEMA_FLAG "," \
	"\"deleted\":" SCHEMA_FLAG "," \
	"\"quarantine\":" SCHEMA_FLAG, \
	"\"revision\",\"parents\",\"created_at\",\"bytes\",\"head\",\"deleted\",\"quarantine\"")

static const char list_output[] = SCHEMA_OBJECT(
	"\"vault\":" SCHEMA_STRING ",\"assets\":{\"type\":\"array\",\"items\":" ASSET_ROW "}," PAGE,
	"\"vault\",\"assets\",\"offset\",\"next\",\"audit\"");

static const char history_output[] = SCHEMA_OBJECT(
	"\"vault\":" SCHEMA_STRING ",\"asset\":" SCHEMA_STRING ","
	"\"revisions\":{\"type\":\"array\",\"items\":" REVISION_ROW "}," PAGE,
	"\"vault\",\"asset\",\"revisions\",\"offset\",\"next\",\"audit\"");

static const char bytes_output[] = SCHEMA_OBJECT(
	"\"data\":" SCHEMA_STRING ","
	"\"offset\":" SCHEMA_COUNT ",\"total\":" SCHEMA_COUNT ",\"next\":" SCHEMA_OR_NULL("integer") ","
	"\"revision\":" SCHEMA_STRING ","
	"\"encoding\":{\"type\":\"string\",\"enum\":[\"content_json\",\"raw_bytes\"]}," SCHEMA_AUDIT,
	"\"data\",\"offset\",\"total\",\"next\",\"revision\",\"encoding\",\"audit\"");

#define FIELDS(f)  .fields = (f), .n_fields = sizeof(f) / sizeof *(f)
#define READS_ONLY .read_only = true, .idempotent = true

#define REASSEMBLE \
	"`data` is base64url without padding of one range of bytes, not of the whole. To read all: " \
	"start at offset 0, decode each `data` by itself, go on with `next` as the offset and the " \
	"first answer's `revision` pinned, until `next` is null; then join the decoded bytes. " \
	"A range may cut a UTF-8 character."

const struct mcp_tool unattended_tools[UNATTENDED_TOOLS] = {
	{
		.name = "unattended_list",
		.title = "List assets of a vault",
		.description = "Lists the assets of one vault, private ones, files and credentials included: "
			"ids, kinds, titles, sizes, times and current revisions, never content. "
			"Deleted assets are left out. Under conflict `revision` is null and `heads` names the rivals. "
			"Pages show the state now; go on with `next` as the offset until it is null.",
		.output_schema = list_output,
		FIELDS(list_fields),
		READS_ONLY,
	},
	{
		.name = "unattended_history",
		.title = "List revisions of an asset",
		.description = "Lists the revisions of one asset, deleted and quarantined ones included: "
			"ids, parents, times, sizes and flags, never content. "
			"Quarantined revisions cannot be read. "
			"Pages show the state now; go on with `next` as the offset until it is null.",
		.output_schema = history_output,
		FIELDS(history_fields),
		READS_ONLY,
	},
	{
		.name = "unattended_read",
		.title = "Read bytes of a memory, card or file",
		.description = "Reads bytes of a memory, card or file: Content JSON of a memory or card "
			"(encoding content_json), the bytes of a file (raw_bytes). Refuses credentials. "
			"secret:// references in the content stay references. " REASSEMBLE,
		.output_schema = bytes_output,
		FIELDS(read_fields),
		READS_ONLY,
	},
	{
		.name = "unattended_credential_bytes",
		.title = "Read the secret of a credential",
		.description = "Reveals a stored secret: the UTF-8 bytes of one credential, past values too "
			"by revision. Base64 is encoding, not encryption: whoever sees `data` has the secret, "
			"and transcripts, logs and providers may keep it. Call it only for a secret that the "
			"task at hand needs, and do not repeat it in answers. " REASSEMBLE,
		.output_schema = bytes_output,
		FIELDS(credential_fields),
		READS_ONLY,
	},
};

const char unattended_tools_instructions[] =
	"Read-only access to chosen vaults of one person's memories, cards, files and credentials. "
	"Start with unattended_list for a vault whose id the user gave; then unattended_read for a memory, "
	"card or file, and unattended_credential_bytes only for a secret that the task needs. "
	"Bytes come as base64url ranges, which is encoding, not encryption: decode each range by itself, "
	"pin `revision` after the first range and follow `next` until it is null. "
	"Every read is recorded in a signed log before anything is delivered. "
	"A failed call tells {\"error\":{\"code\",\"message\"}}; revision_required means that the asset has "
	"conflicting heads, so choose one from unattended_history.";

static const enum op ops[UNATTENDED_TOOLS] = {
	OP_LIST, OP_HISTORY, OP_READ, OP_CREDENTIAL_BYTES,
};

struct unattended_ask
unattended_tools_ask(const struct mcp_args *args)
{
	const struct mcp_value *asset = mcp_tool_value(args, "asset");
	const struct mcp_value *revision = mcp_tool_value(args, "revision");
	struct unattended_ask ask = {
		.op = ops[args->tool - unattended_tools],
		.vault = mcp_tool_value(args, "vault")->id,
		.offset = mcp_tool_value(args, "offset")->integer,
		.limit = (uint32_t)mcp_tool_value(args, "limit")->integer,
	};

	if (asset != NULL)
		ask.asset = asset->id;
	if (revision != NULL && revision->given) {
		ask.has_revision = true;
		ask.revision = revision->id;
	}
	return ask;
}
