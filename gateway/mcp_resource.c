#include "gateway/mcp_resource.h"

void
mcp_template_write(struct json_writer *w, const struct mcp_template *t, enum mcp_revision r)
{
	json_write_object(w);
	json_member_text(w, "uriTemplate", t->uri_template);
	json_member_text(w, "name", t->name);
	if (mcp_revision_structures(r))
		json_member_text(w, "title", t->title);
	json_member_text(w, "description", t->description);
	json_member_text(w, "mimeType", t->mime_type);
	json_write_end(w);
}

void
mcp_resource_write(struct json_writer *w, const struct mcp_resource *resource, enum mcp_revision r)
{
	json_write_object(w);
	json_member_string(w, "uri", resource->uri);
	json_member_string(w, "name", resource->name);
	if (mcp_revision_structures(r) && resource->title != NULL)
		json_member_text(w, "title", resource->title);
	else if (mcp_revision_structures(r))
		json_member_string(w, "title", resource->name);
	if (resource->description != NULL)
		json_member_text(w, "description", resource->description);
	json_member_text(w, "mimeType", resource->mime_type);
	if (resource->size != MCP_SIZE_UNKNOWN)
		json_member_u64(w, "size", resource->size);
	json_write_end(w);
}

void
mcp_contents_write(struct json_writer *w, const struct mcp_contents *c, enum mcp_revision r)
{
	json_write_object(w);
	json_member_string(w, "uri", c->uri);
	json_member_text(w, "mimeType", c->mime_type);
	json_member_string(w, "text", c->text);
	if (c->next.len > 0 && mcp_revision_structures(r)) {
		json_write_key(w, "_meta");
		json_write_object(w);
		json_member_string(w, "memories/next", c->next);
		json_write_end(w);
	}
	json_write_end(w);
}
