/* audit checkpoint */
#include "tools/command/command.h"

enum err
run_audit_checkpoint(struct invocation *in)
{
	return audit_accept(in);
}
