/* hex: one digit, for what has its own grammar around it. */
#ifndef GATEWAY_HEX_H
#define GATEWAY_HEX_H

#include <stdint.h>

/* What a hexadecimal digit of either case stands for; -1: it is none. */
static inline int
hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
