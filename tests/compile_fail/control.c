/* What the others do wrong, done right: it must compile, or the others prove nothing. */
#include "escrow/ack.h"
#include "store/log.h"

size_t control(const struct audit_ack *ack, const struct log_receipt *receipt, const struct secret *secret);

size_t
control(const struct audit_ack *ack, const struct log_receipt *receipt, const struct secret *secret)
{
	return ack_n_keys(ack) + log_receipt_bytes(receipt).len + secret_len(secret);
}
