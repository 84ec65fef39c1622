#include <string.h>

#include "gateway/sensitive_inside.h"

#define GAP_MAX    48 /* bytes between "password for …" and what follows */
#define BEFORE_MAX 30 /* bytes between a code and its name, either way */

/* How a name is joined to its value. */
enum join {
	JOIN_BESIDE, /* by nothing */
	JOIN_IS,
	JOIN_COLON,
};

struct value {
	struct span text; /* printable ASCII without blanks, closing punctuation off */
	enum join   join;
	size_t      end;  /* in the whole text, behind it */
	size_t      letters, digits, others;
};

/* Chinese words that may stand before a value, and add nothing. */
static const char *const fillers[] = {
	"现在", "目前", "一直", "已经",
	"都", "就", "还", "改", "设", "换", "的", "了",
	"号码", "号", "用",
};

static const char *const is_words[] = {
	"is ", "is:", "was ", "are ", "are:", "to ", "now ", "number", "no.", "no ", "#",
	"是", "为", "為", "叫", "成",
};

static const char *const link_words[] = { "for ", "of ", "to ", "on ", "at ", "in " };

/* Behind a number they make it a count, a date or a place. */
static const char *const units[] = {
	"年", "月", "日", "位", "个", "次", "天", "分",
	"秒", "条", "元", "岁", "%", "char", "digit", "year", "time", "day", "minute", "second",
};

/* The length of the one of them that stands there; 0: none. */
static size_t
any_of(struct span t, size_t i, const char *const *words, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (sensitive_is(t, i, words[k]))
			return strlen(words[k]);
	return 0;
}

#define ANY(t, i, words) any_of(t, i, words, sizeof(words) / sizeof *(words))

static size_t
blanks(struct span t, size_t i)
{
	while (i < t.len && memchr(" \"'()`*", t.p[i], 7) != NULL)
		i++;
	return i;
}

static bool
ends_clause(struct span t, size_t i)
{
	return i >= t.len || t.p[i] == '\n' || t.p[i] == ';' || t.p[i] == '!' || t.p[i] == '?' ||
	    (t.p[i] == '.' && !sensitive_alnum(t, i + 1));
}

static bool
joins(struct span t, size_t *i, enum join *join)
{
	size_t len;

	if (*i < t.len && (t.p[*i] == ':' || t.p[*i] == '=')) {
		*join = JOIN_COLON;
		++*i;
		return true;
	}
	if ((len = ANY(t, *i, is_words)) == 0)
		return false;
	if (*join == JOIN_BESIDE)
		*join = JOIN_IS;
	*i += len;
	return true;
}

/* "for my laptop is": to where the value must begin; nothing of the kind: where it was. */
static size_t
over_gap(struct span t, size_t i, enum join *join)
{
	size_t k = i;

	if (ANY(t, i, link_words) == 0)
		return i;
	while (k < i + GAP_MAX && !ends_clause(t, k)) {
		if ((k == i || t.p[k - 1] == ' ' || t.p[k] == ':' || t.p[k] == '=' || t.p[k] >= 0x80) && joins(t, &k, join))
			return k;
		k++;
	}
	return i;
}

static size_t
over_joins(struct span t, size_t i, enum join *join)
{
	size_t before, len;

	do {
		before = i;
		i = blanks(t, i);
		if ((len = ANY(t, i, fillers)) > 0)
			i += len;
		else
			joins(t, &i, join);
	} while (i != before);
	return i;
}

/* What is said of the name that ends before i. */
static struct value
value_at(struct span t, size_t i)
{
	struct value v = { .join = JOIN_BESIDE };
	size_t from;

	i = over_gap(t, blanks(t, i), &v.join);
	i = from = over_joins(t, i, &v.join);
	while (i < t.len && t.p[i] > ' ' && t.p[i] < 0x7f && t.p[i] != '"')
		i++;
	v.end = i;
	while (i > from && strchr(".,;:!?)'", t.p[i - 1]) != NULL)
		i--;
	v.text = (struct span){ t.p + from, i - from };
	for (size_t k = 0; k < v.text.len; k++) {
		v.letters += sensitive_letter(v.text, k);
		v.digits += sensitive_digit(v.text, k);
	}
	v.others = v.text.len - v.letters - v.digits;
	return v;
}

/* "4-digit", "2024年", "12 characters": a number that counts something. */
static bool
is_count(struct span t, const struct value *v)
{
	size_t k = 0;

	while (sensitive_digit(v->text, k))
		k++;
	if (k == 0 || (v->digits < v->text.len && !(v->text.p[k] == '-' && v->letters > 2)))
		return false;
	return k < v->text.len || ANY(t, v->end + (v->end < t.len && t.p[v->end] == ' '), units) > 0;
}

/* What people write where they do not write a password. */
static bool
is_evasive(struct span v)
{
	static const char *const words[] = {
		"none", "unknown", "secret", "hidden", "forgotten", "forgot", "never", "http", "N/A", "***", "xxx",
	};

	return ANY(v, 0, words) > 0;
}

/* "password-protected", "passwd_offer": a longer word. Chinese has no blank there. */
static bool
is_glued(struct span t, size_t i, const struct value *v)
{
	return v->join == JOIN_BESIDE && v->text.p == t.p + i && t.p[i - 1] < 0x80;
}

/* It is all that its clause says. */
static bool
stands_alone(struct span t, const struct value *v)
{
	size_t next = blanks(t, v->end);

	return ends_clause(t, next) || t.p[next] == ',' || t.p[next] >= 0x80 || t.p[v->end - 1] == ',';
}

bool
sensitive_password_at(struct span t, size_t i)
{
	struct value v = value_at(t, i);

	if (v.text.len < 4 || is_count(t, &v) || is_evasive(v.text) || is_glued(t, i, &v))
		return false;
	if (v.join == JOIN_COLON && stands_alone(t, &v))
		return true;
	return v.digits > 0 || (v.letters > 0 && v.others > 1);
}

bool
sensitive_phrase_at(struct span t, size_t i)
{
	enum join join = JOIN_BESIDE;

	i = over_joins(t, over_gap(t, blanks(t, i), &join), &join);
	while (sensitive_digit(t, i) || (i < t.len && strchr(" .)\n", t.p[i]) != NULL))
		i++;
	return sensitive_seed_words(t, i) >= (join == JOIN_COLON ? 3 : 4);
}

bool
sensitive_key_at(struct span t, size_t i)
{
	struct value v = value_at(t, i);

	return v.text.len >= 8 && v.digits > 0 && v.letters > 0 && !is_count(t, &v) && !is_evasive(v.text);
}

bool
sensitive_cvv_at(struct span t, size_t i)
{
	struct value v = value_at(t, i);

	return (v.text.len == 3 || v.text.len == 4) && v.digits == v.text.len && !is_count(t, &v);
}

/* At least so many digits in one value, single blanks, dots and dashes passed over. */
bool
sensitive_digits_at(struct span t, size_t i, size_t least)
{
	struct value v = value_at(t, i);
	size_t n = 0, blank = 0;

	for (const uint8_t *p = v.text.p; p < t.p + t.len && blank < 2; p++) {
		if (*p >= '0' && *p <= '9') {
			n++;
			blank = 0;
		} else if (*p == ' ' || *p == '-' || *p == '.') {
			blank++;
		} else {
			break;
		}
	}
	return n >= least;
}

static bool
is_date(struct span v)
{
	return v.len == 8 && (memcmp(v.p, "19", 2) == 0 || memcmp(v.p, "20", 2) == 0);
}

/* Of 8 or 9 characters, one or two letters among six digits or more. */
bool
sensitive_passport_at(struct span t, size_t i)
{
	struct value v = value_at(t, i);

	return (v.text.len == 8 || v.text.len == 9) && v.others == 0 && v.digits >= 6 && !is_date(v.text) && !is_count(t, &v);
}

static bool
is_year(struct span t, size_t i)
{
	return t.p[i] == '1' ? t.p[i + 1] == '9' : t.p[i] == '2' && t.p[i + 1] == '0';
}

/* 4 .. 8 digits, perhaps in two equal parts; and nothing that makes another number of them. */
static bool
is_code(struct span t, size_t i, bool direct)
{
	size_t n = 0, end;

	if (i > 0 && sensitive_digit(t, i - 1))
		return false;
	if (i > 1 && strchr("-.:/+ ", t.p[i - 1]) != NULL && sensitive_digit(t, i - 2))
		return false;
	while (sensitive_digit(t, i + n))
		n++;
	end = i + n;
	if ((n == 3 || n == 4) && end < t.len && (t.p[end] == ' ' || t.p[end] == '-')) {
		size_t m = 0;

		while (sensitive_digit(t, end + 1 + m))
			m++;
		if (m == n) {
			end += 1 + m;
			n += m;
		}
	}
	if (n < 4 || n > 8 || sensitive_alnum(t, end) || (n == 4 && !direct && is_year(t, i)))
		return false;
	return !(end < t.len && (t.p[end] == ':' || t.p[end] == '-' || t.p[end] == '/') && sensitive_alnum(t, end + 1)) &&
	    ANY(t, end + (end < t.len && t.p[end] == ' '), units) == 0;
}

static bool
code_between(struct span t, size_t from, size_t to)
{
	for (size_t i = from; i < to && !ends_clause(t, i); i++)
		if (sensitive_digit(t, i) && is_code(t, i, false))
			return true;
	return false;
}

/* "493021 is your verification code": behind the last end of a clause. */
static bool
code_before(struct span t, size_t name)
{
	size_t from = name > BEFORE_MAX ? name - BEFORE_MAX : 0;

	for (size_t i = from; i < name; i++)
		if (ends_clause(t, i))
			from = i + 1;
	return code_between(t, from, name);
}

bool
sensitive_code_at(struct span t, size_t name, size_t i)
{
	struct value v = value_at(t, i);
	size_t at = (size_t)(v.text.p - t.p);

	if (v.text.len >= 4 && v.digits > 0 && (is_code(t, at, true) ||
	    (v.join != JOIN_BESIDE && v.text.len <= 12 && v.digits > 1 && v.letters > 0 && !is_count(t, &v))))
		return true;
	return code_between(t, i, i + BEFORE_MAX < t.len ? i + BEFORE_MAX : t.len) || code_before(t, name);
}
