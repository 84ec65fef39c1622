/* mcp_schema: pieces of output schemas, JSON text at compile time. */
#ifndef GATEWAY_MCP_SCHEMA_H
#define GATEWAY_MCP_SCHEMA_H

#define SCHEMA_STRING  "{\"type\":\"string\"}"
#define SCHEMA_COUNT   "{\"type\":\"integer\",\"minimum\":0}"
#define SCHEMA_FLAG    "{\"type\":\"boolean\"}"
#define SCHEMA_STRINGS "{\"type\":\"array\",\"items\":" SCHEMA_STRING "}"
#define SCHEMA_OR_NULL(type) "{\"type\":[\"" type "\",\"null\"]}"
#define SCHEMA_ROWS(row) "{\"type\":\"array\",\"items\":" row "}"

/* properties: "\"a\":" SCHEMA_STRING ",\"b\":" …; required: "\"a\",\"b\"". */
#define SCHEMA_OBJECT(properties, required) \
	"{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"

/* The member that says where in the log the delivery stands. */
#define SCHEMA_AUDIT \
	"\"audit\":" SCHEMA_OBJECT("\"index\":" SCHEMA_COUNT ",\"log\":" SCHEMA_STRING, "\"index\",\"log\"")

#endif
