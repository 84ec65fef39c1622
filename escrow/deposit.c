#include "escrow/deposit.h"

struct span
piece_binding(enum part part, struct uuid asset, struct uuid revision, uint32_t index,
    bool last, struct span row, uint8_t buf[PIECE_BINDING_MAX])
{
	static const char word[] = "piece/v1";
	struct wire_out o = wire_out(buf, PIECE_BINDING_MAX);

	wire_put_bytes(&o, word, sizeof word);
	wire_put_u8(&o, (uint8_t)part);
	wire_put_id(&o, asset);
	wire_put_id(&o, revision);
	wire_put_u32(&o, index);
	wire_put_u8(&o, last);
	wire_put_span(&o, row);
	return wire_written(&o);
}
