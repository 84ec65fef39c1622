#include <stddef.h>
#include <string.h>

#include "mailbox/words.h"

static const char *const kind_names[] = {
	[KIND_MEMORY] = "memory", [KIND_CARD] = "card", [KIND_FILE] = "file",
	[KIND_CREDENTIAL] = "credential",
};

static const char *const op_names[] = {
	[OP_NONE] = "none", [OP_LIST] = "list", [OP_HISTORY] = "history", [OP_READ] = "read",
	[OP_CREDENTIAL_BYTES] = "credential_bytes", [OP_VAULT_LIST] = "vault_list",
	[OP_WRITE_ASSET] = "write_asset", [OP_WRITE_NAME] = "write_name", [OP_DETAILS] = "details",
	[OP_LIST_DETAILS] = "list_details", [OP_SEARCH] = "search", [OP_PROPOSE] = "propose",
	[OP_PROPOSAL_LIST] = "proposal_list", [OP_PROPOSAL_READ] = "proposal_read",
};

static const char *const grant_type_names[] = {
	[GRANT_UNATTENDED] = "unattended", [GRANT_ORDINARY] = "ordinary",
};

static const char *const class_names[] = {
	[CLASS_ORDINARY] = "ordinary", [CLASS_PRIVATE] = "private", [CLASS_FILE] = "file",
	[CLASS_CREDENTIAL] = "credential",
};

static const char *const surface_names[] = {
	[SURFACE_NONE] = "none", [SURFACE_CLI] = "cli", [SURFACE_STDIO] = "stdio",
	[SURFACE_HTTP] = "http", [SURFACE_OWNER] = "owner",
};


#define NAME(table, v) \
	((unsigned)(v) < sizeof(table) / sizeof *(table) && (table)[v] != NULL ? (table)[v] : "?")

enum key_class
class_of(enum kind kind, bool is_private)
{
	switch (kind) {
	case KIND_FILE:
		return CLASS_FILE;
	case KIND_CREDENTIAL:
		return CLASS_CREDENTIAL;
	case KIND_MEMORY:
	case KIND_CARD:
		break;
	}
	return is_private ? CLASS_PRIVATE : CLASS_ORDINARY;
}

bool
kind_known(unsigned v)
{
	return v >= KIND_MEMORY && v <= KIND_CREDENTIAL;
}

bool
grant_type_known(unsigned v)
{
	return v == GRANT_UNATTENDED || v == GRANT_ORDINARY;
}

bool
op_known(unsigned v)
{
	return v > OP_NONE && v < OP__COUNT;
}

bool
op_writes(enum op op)
{
	return op == OP_WRITE_ASSET || op == OP_WRITE_NAME || op == OP_PROPOSE;
}

bool
op_lists(enum op op)
{
	return op == OP_LIST || op == OP_LIST_DETAILS || op == OP_HISTORY || op == OP_VAULT_LIST || op == OP_SEARCH ||
	    op == OP_PROPOSAL_LIST;
}

const char *
kind_name(enum kind k)
{
	return NAME(kind_names, k);
}

const char *
grant_type_name(enum grant_type t)
{
	return NAME(grant_type_names, t);
}

const char *
class_name(enum key_class c)
{
	return NAME(class_names, c);
}

const char *
op_name(enum op op)
{
	return NAME(op_names, op);
}

const char *
surface_name(enum surface s)
{
	return NAME(surface_names, s);
}

bool
kind_of_name(const char *name, enum kind *out)
{
	for (unsigned v = KIND_MEMORY; v <= KIND_CREDENTIAL; v++)
		if (strcmp(name, kind_names[v]) == 0) {
			*out = (enum kind)v;
			return true;
		}
	return false;
}

bool
class_of_name(const char *name, enum key_class *out)
{
	for (unsigned v = CLASS_ORDINARY; v < CLASS__COUNT; v++)
		if (strcmp(name, class_names[v]) == 0) {
			*out = (enum key_class)v;
			return true;
		}
	return false;
}
