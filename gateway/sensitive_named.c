#include <string.h>

#include "gateway/sensitive_inside.h"

/* What must stand beside a name for it to count. */
enum beside {
	BESIDE_PASSWORD,
	BESIDE_PHRASE,   /* words */
	BESIDE_KEY,      /* eight characters or more, with a digit */
	BESIDE_CODE,     /* 4 .. 8 digits before or behind it, or characters with digits right behind it */
	BESIDE_CVV,      /* 3 or 4 digits */
	BESIDE_DIGITS_9, /* as many digits or more, in groups */
	BESIDE_DIGITS_12,
	BESIDE_DIGITS_15,
	BESIDE_PASSPORT, /* 8 or 9 letters and digits */
};

static const struct {
	const char    *text;
	enum beside    beside;
	enum sensitive kind;
} names[] = {
	{ "password", BESIDE_PASSWORD, SENSITIVE_PASSWORD }, { "passwords", BESIDE_PASSWORD, SENSITIVE_PASSWORD },
	{ "passwd", BESIDE_PASSWORD, SENSITIVE_PASSWORD }, { "passcode", BESIDE_PASSWORD, SENSITIVE_PASSWORD },
	{ "passphrase", BESIDE_PASSWORD, SENSITIVE_PASSWORD }, { "pwd", BESIDE_PASSWORD, SENSITIVE_PASSWORD },
	{ "pass", BESIDE_PASSWORD, SENSITIVE_PASSWORD }, { "pin", BESIDE_PASSWORD, SENSITIVE_PASSWORD },
	{ "pin code", BESIDE_PASSWORD, SENSITIVE_PASSWORD }, { "pincode", BESIDE_PASSWORD, SENSITIVE_PASSWORD },
	{ "密码", BESIDE_PASSWORD, SENSITIVE_PASSWORD }, { "密碼", BESIDE_PASSWORD, SENSITIVE_PASSWORD },
	{ "口令", BESIDE_PASSWORD, SENSITIVE_PASSWORD }, { "passphrase", BESIDE_PHRASE, SENSITIVE_PASSWORD },
	{ "seed phrase", BESIDE_PHRASE, SENSITIVE_SEED }, { "recovery phrase", BESIDE_PHRASE, SENSITIVE_SEED },
	{ "mnemonic", BESIDE_PHRASE, SENSITIVE_SEED }, { "助记词", BESIDE_PHRASE, SENSITIVE_SEED },
	{ "api key", BESIDE_KEY, SENSITIVE_TOKEN }, { "apikey", BESIDE_KEY, SENSITIVE_TOKEN },
	{ "api_key", BESIDE_KEY, SENSITIVE_TOKEN }, { "api-key", BESIDE_KEY, SENSITIVE_TOKEN },
	{ "secret key", BESIDE_KEY, SENSITIVE_TOKEN }, { "secret_key", BESIDE_KEY, SENSITIVE_TOKEN },
	{ "access key", BESIDE_KEY, SENSITIVE_TOKEN }, { "access_key", BESIDE_KEY, SENSITIVE_TOKEN },
	{ "accountkey", BESIDE_KEY, SENSITIVE_TOKEN }, { "client secret", BESIDE_KEY, SENSITIVE_TOKEN },
	{ "client_secret", BESIDE_KEY, SENSITIVE_TOKEN }, { "private key", BESIDE_KEY, SENSITIVE_PRIVATE_KEY },
	{ "token", BESIDE_KEY, SENSITIVE_TOKEN }, { "license key", BESIDE_KEY, SENSITIVE_TOKEN },
	{ "secret", BESIDE_KEY, SENSITIVE_TOKEN }, { "密钥", BESIDE_KEY, SENSITIVE_TOKEN },
	{ "私钥", BESIDE_KEY, SENSITIVE_PRIVATE_KEY }, { "令牌", BESIDE_KEY, SENSITIVE_TOKEN },
	{ "验证码", BESIDE_CODE, SENSITIVE_CODE }, { "驗證碼", BESIDE_CODE, SENSITIVE_CODE },
	{ "校验码", BESIDE_CODE, SENSITIVE_CODE }, { "动态码", BESIDE_CODE, SENSITIVE_CODE },
	{ "短信码", BESIDE_CODE, SENSITIVE_CODE }, { "恢复码", BESIDE_CODE, SENSITIVE_CODE },
	{ "verification code", BESIDE_CODE, SENSITIVE_CODE }, { "one-time code", BESIDE_CODE, SENSITIVE_CODE },
	{ "one time code", BESIDE_CODE, SENSITIVE_CODE }, { "one-time password", BESIDE_CODE, SENSITIVE_CODE },
	{ "one time password", BESIDE_CODE, SENSITIVE_CODE }, { "otp", BESIDE_CODE, SENSITIVE_CODE },
	{ "security code", BESIDE_CODE, SENSITIVE_CODE }, { "login code", BESIDE_CODE, SENSITIVE_CODE },
	{ "sign-in code", BESIDE_CODE, SENSITIVE_CODE }, { "authentication code", BESIDE_CODE, SENSITIVE_CODE },
	{ "auth code", BESIDE_CODE, SENSITIVE_CODE }, { "2fa code", BESIDE_CODE, SENSITIVE_CODE },
	{ "sms code", BESIDE_CODE, SENSITIVE_CODE }, { "passcode", BESIDE_CODE, SENSITIVE_CODE },
	{ "your code", BESIDE_CODE, SENSITIVE_CODE }, { "the code", BESIDE_CODE, SENSITIVE_CODE },
	{ "my code", BESIDE_CODE, SENSITIVE_CODE }, { "recovery code", BESIDE_CODE, SENSITIVE_CODE },
	{ "recovery codes", BESIDE_CODE, SENSITIVE_CODE }, { "backup code", BESIDE_CODE, SENSITIVE_CODE },
	{ "backup codes", BESIDE_CODE, SENSITIVE_CODE }, { "door code", BESIDE_CODE, SENSITIVE_CODE },
	{ "gate code", BESIDE_CODE, SENSITIVE_CODE }, { "alarm code", BESIDE_CODE, SENSITIVE_CODE },
	{ "access code", BESIDE_CODE, SENSITIVE_CODE }, { "lock code", BESIDE_CODE, SENSITIVE_CODE },
	{ "cvv", BESIDE_CVV, SENSITIVE_CODE }, { "cvc", BESIDE_CVV, SENSITIVE_CODE },
	{ "cvv2", BESIDE_CVV, SENSITIVE_CODE }, { "安全码", BESIDE_CVV, SENSITIVE_CODE },
	{ "ssn", BESIDE_DIGITS_9, SENSITIVE_SSN }, { "social security", BESIDE_DIGITS_9, SENSITIVE_SSN },
	{ "身份证", BESIDE_DIGITS_15, SENSITIVE_RESIDENT_ID },
	{ "身份證", BESIDE_DIGITS_15, SENSITIVE_RESIDENT_ID }, { "卡号", BESIDE_DIGITS_12, SENSITIVE_CARD },
	{ "银行卡", BESIDE_DIGITS_12, SENSITIVE_CARD }, { "信用卡", BESIDE_DIGITS_12, SENSITIVE_CARD },
	{ "card number", BESIDE_DIGITS_12, SENSITIVE_CARD }, { "credit card", BESIDE_DIGITS_12, SENSITIVE_CARD },
	{ "debit card", BESIDE_DIGITS_12, SENSITIVE_CARD }, { "bank account", BESIDE_DIGITS_9, SENSITIVE_IBAN },
	{ "银行账号", BESIDE_DIGITS_9, SENSITIVE_IBAN }, { "银行账户", BESIDE_DIGITS_9, SENSITIVE_IBAN },
	{ "passport", BESIDE_PASSPORT, SENSITIVE_PASSPORT }, { "护照", BESIDE_PASSPORT, SENSITIVE_PASSPORT },
	{ "護照", BESIDE_PASSPORT, SENSITIVE_PASSPORT },
};

static bool
counts(enum beside beside, struct span t, size_t from, size_t i)
{
	switch (beside) {
	case BESIDE_PASSWORD:
		return sensitive_password_at(t, i);
	case BESIDE_PHRASE:
		return sensitive_phrase_at(t, i);
	case BESIDE_KEY:
		return sensitive_key_at(t, i);
	case BESIDE_CODE:
		return sensitive_code_at(t, from, i);
	case BESIDE_CVV:
		return sensitive_cvv_at(t, i);
	case BESIDE_DIGITS_9:
		return sensitive_digits_at(t, i, 9);
	case BESIDE_DIGITS_12:
		return sensitive_digits_at(t, i, 12);
	case BESIDE_DIGITS_15:
		return sensitive_digits_at(t, i, 15);
	case BESIDE_PASSPORT:
		return sensitive_passport_at(t, i);
	}
	return false;
}

enum sensitive
sensitive_named(struct span t)
{
	for (size_t i = 0; i < t.len; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (sensitive_word(t, i, names[k].text) && counts(names[k].beside, t, i, i + strlen(names[k].text)))
				return names[k].kind;
	return SENSITIVE_NONE;
}
