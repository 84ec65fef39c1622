#include <string.h>

#include "gateway/mcp_revision.h"

static const char *const names[MCP_REVISION__COUNT] = {
	[MCP_REVISION_NONE] = "?",
	[MCP_2024_11_05] = "2024-11-05",
	[MCP_2025_03_26] = "2025-03-26",
	[MCP_2025_06_18] = "2025-06-18",
	[MCP_2025_11_25] = "2025-11-25",
	[MCP_2026_07_28] = "2026-07-28",
};

enum mcp_revision
mcp_revision_of(struct span name)
{
	for (enum mcp_revision r = MCP_2024_11_05; r < MCP_REVISION__COUNT; r++)
		if (name.len == strlen(names[r]) && memcmp(name.p, names[r], name.len) == 0)
			return r;
	return MCP_REVISION_NONE;
}

const char *
mcp_revision_name(enum mcp_revision r)
{
	return names[r < MCP_REVISION__COUNT ? r : MCP_REVISION_NONE];
}

bool
mcp_revision_is_modern(enum mcp_revision r)
{
	return r >= MCP_2026_07_28;
}

bool
mcp_revision_batches(enum mcp_revision r)
{
	return r == MCP_2025_03_26;
}

bool
mcp_revision_annotates(enum mcp_revision r)
{
	return r >= MCP_2025_03_26;
}

bool
mcp_revision_structures(enum mcp_revision r)
{
	return r >= MCP_2025_06_18;
}
