#include "gateway/sensitive_inside.h"

#define RUN_DIGITS_MAX 24

/* Digits in groups, one to three blanks, dashes or dots between two. */
struct run {
	uint8_t digit[RUN_DIGITS_MAX]; /* 10: the X at the end of a resident id */
	uint8_t len[RUN_DIGITS_MAX];   /* of each group */
	size_t  n, groups;
	bool    plus;                  /* a + stands before it: a phone number */
};

/* Issuers' ranges by their first digits, and how many digits their cards have. */
static const struct {
	uint32_t first, last;
	unsigned prefix_len, least, most;
} issuers[] = {
	{ 4, 4, 1, 16, 19 }, { 4, 4, 1, 13, 13 },                                 /* Visa */
	{ 51, 55, 2, 16, 16 }, { 2221, 2720, 4, 16, 16 },                         /* Mastercard */
	{ 34, 34, 2, 15, 15 }, { 37, 37, 2, 15, 15 },                             /* American Express */
	{ 62, 62, 2, 16, 19 }, { 81, 81, 2, 16, 19 }, { 9558, 9558, 4, 16, 19 }, /* UnionPay */
	{ 3528, 3589, 4, 16, 19 },                                                /* JCB */
	{ 300, 305, 3, 14, 19 }, { 36, 36, 2, 14, 19 }, { 38, 39, 2, 16, 19 },   /* Diners */
	{ 60, 60, 2, 16, 19 }, { 644, 659, 3, 16, 19 },                           /* Discover, RuPay */
	{ 50, 50, 2, 13, 19 }, { 56, 58, 2, 13, 19 }, { 63, 63, 2, 13, 19 }, { 67, 67, 2, 13, 19 }, /* Maestro */
	{ 2200, 2204, 4, 16, 19 },                                                /* Mir */
};

static uint32_t
first_digits(const struct run *r, unsigned n)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v = v * 10 + r->digit[i];
	return v;
}

static bool
issued(const struct run *r, size_t n)
{
	for (size_t i = 0; i < sizeof issuers / sizeof *issuers; i++) {
		uint32_t v = first_digits(r, issuers[i].prefix_len);

		if (v >= issuers[i].first && v <= issuers[i].last && n >= issuers[i].least && n <= issuers[i].most)
			return true;
	}
	return false;
}

static bool
luhn(const struct run *r, size_t n)
{
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned d = r->digit[n - 1 - i];

		if (i % 2 == 1)
			d = d > 4 ? 2 * d - 9 : 2 * d;
		sum += d;
	}
	return sum % 10 == 0;
}

/* Written as cards are: groups of three or more but the last, or each digit by itself. */
static bool
grouped_as_card(const struct run *r, size_t groups, size_t n)
{
	if (groups == n)
		return true;
	for (size_t i = 0; i + 1 < groups; i++)
		if (r->len[i] < 3)
			return false;
	return true;
}

static bool
is_card(const struct run *r, size_t groups, size_t n)
{
	return n >= 13 && n <= 19 && !r->plus && grouped_as_card(r, groups, n) && issued(r, n) && luhn(r, n);
}

static bool
is_day(unsigned year, unsigned month, unsigned day)
{
	static const uint8_t days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return year >= 1850 && year <= 2099 && month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

static unsigned
number(const uint8_t *digit, size_t n)
{
	unsigned v = 0;

	while (n-- > 0)
		v = v * 10 + *digit++;
	return v;
}

/* GB/T 2260: the two digits of a province. */
static bool
is_province(unsigned v)
{
	return (v >= 11 && v <= 15) || (v >= 21 && v <= 23) || (v >= 31 && v <= 37) || (v >= 41 && v <= 46) ||
	    (v >= 50 && v <= 54) || (v >= 61 && v <= 65) || v == 71 || (v >= 81 && v <= 83);
}

/* GB 11643: ISO 7064 MOD 11-2 over 18. */
static bool
is_resident_id(const struct run *r, size_t n)
{
	unsigned sum = 0, weight = 1;

	if (n != 18 || !is_province(number(r->digit, 2)) ||
	    !is_day(number(r->digit + 6, 4), number(r->digit + 10, 2), number(r->digit + 12, 2)))
		return false;
	for (size_t i = 0; i < 18; i++) {
		sum += r->digit[17 - i] * weight;
		weight = weight * 2 % 11;
	}
	return sum % 11 == 1;
}

/* The form until 1999 has no check digit, so it counts only when written in one. */
static bool
is_old_resident_id(const struct run *r, size_t groups, size_t n)
{
	return n == 15 && groups == 1 && is_province(number(r->digit, 2)) &&
	    is_day(1900 + number(r->digit + 6, 2), number(r->digit + 8, 2), number(r->digit + 10, 2));
}

static bool
parts(struct span t, size_t i)
{
	return i < t.len && (t.p[i] == ' ' || t.p[i] == '-' || t.p[i] == '.');
}

/* The 18th character of a resident id, and nothing after it. */
static bool
is_check_x(struct span t, size_t i, size_t n)
{
	return n == 17 && i < t.len && (t.p[i] == 'X' || t.p[i] == 'x') && !sensitive_alnum(t, i + 1);
}

static enum sensitive
judge(const struct run *r, size_t groups, size_t n)
{
	if (is_resident_id(r, n) || is_old_resident_id(r, groups, n))
		return SENSITIVE_RESIDENT_ID;
	return is_card(r, groups, n) ? SENSITIVE_CARD : SENSITIVE_NONE;
}

/* One more group from *i on; false when there is none, or it does not fit. */
static bool
take_group(struct span t, size_t *i, struct run *r)
{
	size_t before = r->n;

	while (sensitive_digit(t, *i) || is_check_x(t, *i, r->n)) {
		if (r->n == RUN_DIGITS_MAX)
			return false;
		r->digit[r->n++] = sensitive_digit(t, *i) ? (uint8_t)(t.p[*i] - '0') : 10;
		++*i;
	}
	r->len[r->groups] = (uint8_t)(r->n - before);
	r->groups += r->n > before;
	return r->n > before;
}

/* What begins at this digit, tried at the end of each group. */
static enum sensitive
judge_from(struct span t, size_t i)
{
	struct run r = { .plus = i > 0 && t.p[i - 1] == '+' };
	enum sensitive k;

	while (take_group(t, &i, &r)) {
		if ((k = judge(&r, r.groups, r.n)) != SENSITIVE_NONE)
			return k;
		for (unsigned blanks = 0; blanks < 3 && parts(t, i); blanks++)
			i++;
	}
	return SENSITIVE_NONE;
}

/* 078-05-1120: with dashes, and none of the numbers that were never given out. */
static bool
is_ssn(struct span t, size_t i)
{
	static const uint8_t form[] = "ddd-dd-dddd";
	uint8_t d[9];
	size_t n = 0;

	for (size_t k = 0; k < sizeof form - 1; k++) {
		if (form[k] == 'd' ? !sensitive_digit(t, i + k) : i + k >= t.len || t.p[i + k] != '-')
			return false;
		if (form[k] == 'd')
			d[n++] = (uint8_t)(t.p[i + k] - '0');
	}
	i += sizeof form - 1;
	return !sensitive_alnum(t, i) && !(i < t.len && t.p[i] == '-') && d[0] != 9 && number(d, 3) != 0 &&
	    number(d, 3) != 666 && number(d + 3, 2) != 0 && number(d + 5, 4) != 0;
}

enum sensitive
sensitive_numbers(struct span t)
{
	enum sensitive k;

	for (size_t i = 0; i < t.len; i++) {
		if (!sensitive_digit(t, i) || (i > 0 && sensitive_digit(t, i - 1)))
			continue;
		if ((k = judge_from(t, i)) != SENSITIVE_NONE)
			return k;
		if (is_ssn(t, i) && !(i > 0 && (sensitive_letter(t, i - 1) || t.p[i - 1] == '-')))
			return SENSITIVE_SSN;
	}
	return SENSITIVE_NONE;
}
