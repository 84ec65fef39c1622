#include <stdio.h>
#include <string.h>

#include "gateway/sensitive.h"
#include "tests/support/check.h"

struct row {
	enum sensitive kind;
	const char    *text;
};

/* All of them made up for this table, or the published examples of their standards. */
static const struct row refused[] = {
	{ SENSITIVE_PASSWORD, "password: hunter2" },
	{ SENSITIVE_PASSWORD, "Password:correcthorse" },
	{ SENSITIVE_PASSWORD, "my wifi password is abc12345" },
	{ SENSITIVE_PASSWORD, "the password for my laptop is Tr0ub4dor&3" },
	{ SENSITIVE_PASSWORD, "PASSWORD=Spring2024!" },
	{ SENSITIVE_PASSWORD, "username/password: bob/hunter2" },
	{ SENSITIVE_PASSWORD, "pwd=letmein99" },
	{ SENSITIVE_PASSWORD, "passwords: alpha1, beta2" },
	{ SENSITIVE_PASSWORD, "passphrase: correct horse battery staple" },
	{ SENSITIVE_PASSWORD, "My PIN is 4821" },
	{ SENSITIVE_PASSWORD, "pin code: 0000" },
	{ SENSITIVE_PASSWORD, "pass: hunter2" },
	{ SENSITIVE_PASSWORD, "密码是abc123" },
	{ SENSITIVE_PASSWORD, "密码：qwerty" },
	{ SENSITIVE_PASSWORD, "WiFi密码 12345678" },
	{ SENSITIVE_PASSWORD, "银行卡密码123456" },
	{ SENSITIVE_PASSWORD, "支付密码为 8848" },
	{ SENSITIVE_PASSWORD, "密码现在改成了Summer#77" },
	{ SENSITIVE_PASSWORD, "我的密碼是 Hello2You" },
	{ SENSITIVE_PASSWORD, "口令=open_sesame" },
	{ SENSITIVE_PASSWORD, "密码：「qwerty」" },
	{ SENSITIVE_PASSWORD, "ｐａｓｓｗｏｒｄ：ｈｕｎｔｅｒ２" },
	{ SENSITIVE_PASSWORD, "pass\xe2\x80\x8bword: hunter2" },
	{ SENSITIVE_PASSWORD, "postgres://app:s3cret@db.example.com/main" },
	{ SENSITIVE_PASSWORD, "https://bob:letmein@example.com" },
	{ SENSITIVE_PASSWORD, "Login password is P@$$word" },
	{ SENSITIVE_TOKEN, "sk-proj-4f9Qm2Zt7LxVb1Nc8RkY3w" },
	{ SENSITIVE_TOKEN, "key sk-ant-api03-abcdefgh12345678ijkl" },
	{ SENSITIVE_TOKEN, "sk_test_4eC39HqLyjWDarjtT1" },
	{ SENSITIVE_TOKEN, "ghp_16C7e42F292c6912E7710c838347Ae178B4a" },
	{ SENSITIVE_TOKEN, "github_pat_11ABCDEFG0abcdefghijkl_mnop" },
	{ SENSITIVE_TOKEN, "glpat-x1y2z3a4b5c6d7e8f9g0" },
	{ SENSITIVE_TOKEN, "xoxb-123456789012-abcdef" },
	{ SENSITIVE_TOKEN, "AKIAIOSFODNN7EXAMPLE" },
	{ SENSITIVE_TOKEN, "aws=AKIAIOSFODNN7EXAMPLE" },
	{ SENSITIVE_TOKEN, "slack→xoxb-123456789012-123456789012-abc" },
	{ SENSITIVE_TOKEN, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
	{ SENSITIVE_TOKEN, "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q" },
	{ SENSITIVE_TOKEN, "用的是 npm_a1B2c3D4e5F6g7H8i9J0k1L2" },
	{ SENSITIVE_TOKEN, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl" },
	{ SENSITIVE_TOKEN, "Authorization: Bearer abcdef0123456789abcd" },
	{ SENSITIVE_TOKEN, "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw" },
	{ SENSITIVE_TOKEN, "api key: abcd1234" },
	{ SENSITIVE_TOKEN, "my API_KEY=zz9plural" },
	{ SENSITIVE_TOKEN, "client secret is tango77whiskey" },
	{ SENSITIVE_TOKEN, "密钥：a1b2c3d4" },
	{ SENSITIVE_TOKEN, "令牌是 t0ken-9981" },
	{ SENSITIVE_TOKEN, "d41d8cd98f00b204e9800998ecf8427e" },
	{ SENSITIVE_TOKEN, "uses 9aQ2xL7vB4mN8kR1tY6w as it is" },
	{ SENSITIVE_TOKEN, "x7k2m9q4w8e3r6t1y5u0i2o8" },
	{ SENSITIVE_TOKEN, "mat_Zx3kP0aQ7uM2nB8vC5tR1yW4eL6hJ9sDgFiKoXlZqUw" },
	{ SENSITIVE_CODE, "验证码 123456" },
	{ SENSITIVE_CODE, "验证码：4821" },
	{ SENSITIVE_CODE, "短信验证码是 ８８２１９０" },
	{ SENSITIVE_CODE, "493021是您的验证码" },
	{ SENSITIVE_CODE, "【某行】493021（登录验证码）" },
	{ SENSITIVE_CODE, "验证码(5分钟内有效):493021" },
	{ SENSITIVE_CODE, "動態驗證碼 493021" },
	{ SENSITIVE_CODE, "校验码 7F3K9Q 校验码为7F3K9Q" },
	{ SENSITIVE_CODE, "your code is 493021" },
	{ SENSITIVE_CODE, "Your verification code is 493 021." },
	{ SENSITIVE_CODE, "G-493021 is your verification code" },
	{ SENSITIVE_CODE, "OTP 4930" },
	{ SENSITIVE_CODE, "one-time password: 882190" },
	{ SENSITIVE_CODE, "2FA code 493-021" },
	{ SENSITIVE_CODE, "security code: 2024" },
	{ SENSITIVE_CODE, "backup codes: 8812 7701" },
	{ SENSITIVE_CODE, "the door code is 4471" },
	{ SENSITIVE_CODE, "CVV 123" },
	{ SENSITIVE_CODE, "信用卡安全码是321" },
	{ SENSITIVE_CODE, "验证码：١٢٣٤٥٦" },
	{ SENSITIVE_PRIVATE_KEY, "-----BEGIN PRIVATE KEY-----\nMC4CAQAw" },
	{ SENSITIVE_PRIVATE_KEY, "-----BEGIN RSA PRIVATE KEY-----" },
	{ SENSITIVE_PRIVATE_KEY, "-----BEGIN OPENSSH PRIVATE KEY-----" },
	{ SENSITIVE_PRIVATE_KEY, "-----BEGIN PGP PRIVATE KEY BLOCK-----" },
	{ SENSITIVE_PRIVATE_KEY, "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU" },
	{ SENSITIVE_PRIVATE_KEY, "AGE-SECRET-KEY-1QQQQ" },
	{ SENSITIVE_PRIVATE_KEY, "私钥是 5Kb8kLf9" },
	{ SENSITIVE_SEED, "legal winner thank year wave sausage worth useful legal winner thank yellow" },
	{ SENSITIVE_SEED, "1. legal 2. winner 3. thank 4. year 5. wave 6. sausage 7. worth 8. useful 9. legal 10. winner 11. thank 12. yellow" },
	{ SENSITIVE_SEED, "legal\nwinner\nthank\nyear\nwave\nsausage\nworth\nuseful\nlegal\nwinner\nthank\nyellow" },
	{ SENSITIVE_SEED, "seed phrase: legal winner thank year" },
	{ SENSITIVE_SEED, "助记词 legal winner thank year wave sausage" },
	{ SENSITIVE_SEED, "的 一 是 在 不 了 有 和 人 这 中 大" },
	{ SENSITIVE_CARD, "4111111111111111" },
	{ SENSITIVE_CARD, "4111 1111 1111 1111" },
	{ SENSITIVE_CARD, "4111-1111-1111-1111" },
	{ SENSITIVE_CARD, "card 5555 5555 5555 4444 exp 12/27" },
	{ SENSITIVE_CARD, "2223003122003222" },
	{ SENSITIVE_CARD, "3782 822463 10005" },
	{ SENSITIVE_CARD, "6011.1111.1111.1117" },
	{ SENSITIVE_CARD, "30569309025904" },
	{ SENSITIVE_CARD, "3530111333300000" },
	{ SENSITIVE_CARD, "6200000000000005" },
	{ SENSITIVE_CARD, "4222222222222" },
	{ SENSITIVE_CARD, "2024 4111 1111 1111 1111" },
	{ SENSITIVE_CARD, "４１１１　１１１１　１１１１　１１１１" },
	{ SENSITIVE_CARD, "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1" },
	{ SENSITIVE_CARD, "4111\xe2\x80\x93" "1111\xe2\x80\x93" "1111\xe2\x80\x93" "1111" },
	{ SENSITIVE_CARD, "卡号：6222 0210 0111 6245" },
	{ SENSITIVE_CARD, "card number 1234567890123456" },
	{ SENSITIVE_RESIDENT_ID, "11010519491231002X" },
	{ SENSITIVE_RESIDENT_ID, "我的号码是11010519491231002x" },
	{ SENSITIVE_RESIDENT_ID, "110105 19491231 002X" },
	{ SENSITIVE_RESIDENT_ID, "440524188001010014" },
	{ SENSITIVE_RESIDENT_ID, "１１０１０５１９４９１２３１００２Ｘ" },
	{ SENSITIVE_RESIDENT_ID, "130503670401001" },
	{ SENSITIVE_RESIDENT_ID, "身份证号 110105194912310029" },
	{ SENSITIVE_SSN, "078-05-1120" },
	{ SENSITIVE_SSN, "SSN 078051120" },
	{ SENSITIVE_SSN, "social security number: 078 05 1120" },
	{ SENSITIVE_IBAN, "DE89370400440532013000" },
	{ SENSITIVE_IBAN, "IBAN: DE89 3704 0044 0532 0130 00." },
	{ SENSITIVE_IBAN, "GB29 NWBK 6016 1331 9268 19" },
	{ SENSITIVE_IBAN, "NO93 8601 1117 947 is hers" },
	{ SENSITIVE_IBAN, "银行账号 622202100111" },
	{ SENSITIVE_PASSPORT, "护照号 E12345678" },
	{ SENSITIVE_PASSPORT, "passport: EA1234567" },
	{ SENSITIVE_PASSPORT, "Passport number is 123456789" },
};

static const struct row let_be[] = {
	{ 0, "I keep my passwords in a manager" },
	{ 0, "password manager: Bitwarden" },
	{ 0, "My password manager for work is 1Password" },
	{ 0, "密码管理器是 1Password" },
	{ 0, "uses the pass-cli/v2 tool, password-protected2 files" },
	{ 0, "喜欢密码学" },
	{ 0, "密码是个好东西" },
	{ 0, "密码错误太多次会生气" },
	{ 0, "reuses no password since 2019" },
	{ 0, "password: I never tell" },
	{ 0, "password: none" },
	{ 0, "wants a password of 12 characters" },
	{ 0, "password is 16-character" },
	{ 0, "prefers a 4-digit PIN to a pattern" },
	{ 0, "pinned 1234 tabs" },
	{ 0, "spins 4821 times" },
	{ 0, "passed the exam in 2021" },
	{ 0, "Works on compass: northwest project" },
	{ 0, "密码2024年改过" },
	{ 0, "token economies interest me" },
	{ 0, "The secret of good bread is 24 hours of rest" },
	{ 0, "writes about API keys and how to keep them" },
	{ 0, "验证码登录很烦" },
	{ 0, "hates verification codes" },
	{ 0, "has used verification codes since 2019" },
	{ 0, "verification code expires in 5 minutes" },
	{ 0, "2023年开始不用短信验证码" },
	{ 0, "uses an OTP app since 2021" },
	{ 0, "the code of conduct matters" },
	{ 0, "my zip code is 94103" },
	{ 0, "邮编 100081" },
	{ 0, "area code 0571" },
	{ 0, "phone +86 138 0013 8000" },
	{ 0, "手机 13800138000" },
	{ 0, "call 415-555-0132" },
	{ 0, "+49 151 23456789" },
	{ 0, "+4111111111111111" },
	{ 0, "010-62345678" },
	{ 0, "born on 1990-01-02" },
	{ 0, "生日 1990年1月2日" },
	{ 0, "19900102" },
	{ 0, "2019-2023 in Berlin" },
	{ 0, "2024-05-01 10:30" },
	{ 0, "from 2019 2020 2021 to 2022" },
	{ 0, "1700000000000" },
	{ 0, "ISBN 978-0-306-40615-7" },
	{ 0, "9787302423287" },
	{ 0, "ISBN 0-306-40615-2" },
	{ 0, "order 20240501123456789" },
	{ 0, "订单号 1234567890123456" },
	{ 0, "tracking 1Z999AA10123456784" },
	{ 0, "4111111111111112" },
	{ 0, "1234 5678 9012 3456" },
	{ 0, "pi is 3.141592653589793" },
	{ 0, "5 10 15 20 25 30 35 40" },
	{ 0, "110105194913310025" },
	{ 0, "QQ 123456789" },
	{ 0, "身份证快过期了" },
	{ 0, "身份证 2031 年到期" },
	{ 0, "000-12-3456 and 666-12-3456 and 900-12-3456" },
	{ 0, "part 12-078-05-1120" },
	{ 0, "DE89370400440532013001" },
	{ 0, "GB is where I live; DE is where I was born" },
	{ 0, "model LT2000 and SE1000" },
	{ 0, "passport expires 20311231" },
	{ 0, "护照 2019 年办的" },
	{ 0, "lost a passport in 2018" },
	{ 0, "550e8400-e29b-41d4-a716-446655440000" },
	{ 0, "0190a3b2-7c1d-7e2f-8a9b-0c1d2e3f4a5b" },
	{ 0, "https://github.com/some/repo-2024/blob/main/README.md" },
	{ 0, "https://example.com/a/very/long/path/with/many/parts/2024/05/01" },
	{ 0, "http://localhost:8787/mcp" },
	{ 0, "mail me at ada@example.com" },
	{ 0, "ssh://git@example.com/repo" },
	{ 0, "my-2024-goal-list-for-the-first-and-second-half" },
	{ 0, "WhatsApp2024Backup01Final" },
	{ 0, "iPhone15ProMax256GB" },
	{ 0, "Donaudampfschifffahrtsgesellschaft" },
	{ 0, "sk-learn is a library" },
	{ 0, "sk-learn-contributors-and-friends" },
	{ 0, "drives an AKIA? no, a KIA" },
	{ 0, "Lives in Berlin, works from home, likes long walks, black coffee, jazz, old maps, chess, rain" },
	{ 0, "I like to read in the evening when the children are asleep and the house is quiet" },
	{ 0, "apples, pears, plums, cherries, grapes, lemons, oranges, bananas, mangos, dates, figs, kiwis" },
	{ 0, "的 一 是 在" },
	{ 0, "recovery phrase is in the safe at home behind the picture" },
	{ 0, "助记词放在保险箱" },
	{ 0, "银行卡在钱包里" },
	{ 0, "信用卡用得少, 2023 年办的" },
	{ 0, "credit card user since 2019" },
	{ 0, "cvv is printed on the back" },
	{ 0, "安全码头工作过三年" },
	{ 0, "喜欢跑步，配速 5:30，每周 3 次，一共 1200 公里" },
	{ 0, "身高 180 体重 75" },
	{ 0, "earns 120000 a year" },
	{ 0, "门牌 1204, 15 号楼" },
	{ 0, "IP 192.168.100.200" },
	{ 0, "3.5.12.2024 build 100200300" },
	{ 0, "Prefers metric: 1,000,000.00" },
	{ 0, "" },
	{ 0, " \n\t " },
};

#define N(rows) (sizeof(rows) / sizeof *(rows))

static enum sensitive
kind_of(const char *text)
{
	return sensitive_kind((struct span){ (const uint8_t *)text, strlen(text) });
}

static unsigned
count_wrong(const struct row *rows, size_t n)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < n; i++) {
		enum sensitive k = kind_of(rows[i].text);

		if (k != rows[i].kind) {
			print_error("%s: seen as %s, not as %s\n", rows[i].text, sensitive_name(k), sensitive_name(rows[i].kind));
			wrong++;
		}
	}
	return wrong;
}

static void
secrets_are_refused_by_their_kind(void **state)
{
	(void)state;
	assert_int_equal(count_wrong(refused, N(refused)), 0);
}

static void
what_people_say_of_themselves_is_let_be(void **state)
{
	(void)state;
	assert_int_equal(count_wrong(let_be, N(let_be)), 0);
}

/* Whatever stands around it. Words before a name may change what it names, so a blank parts them. */
static void
a_sentence_around_it_hides_nothing(void **state)
{
	static const char *const around[] = { "我说过。 %s", "He said so.\n%s", "%s\n好吗", "%s, 就这样" };
	char text[512];
	unsigned wrong = 0;

	(void)state;
	for (size_t a = 0; a < N(around); a++)
		for (size_t i = 0; i < N(refused); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(text, sizeof text, around[a], refused[i].text);
#pragma GCC diagnostic pop
			if (kind_of(text) == SENSITIVE_NONE) {
				print_error("let be: %s\n", text);
				wrong++;
			}
		}
	assert_int_equal(wrong, 0);
}

/* Each end of each text: nothing is read behind it. Run under a sanitizer it says more. */
static void
a_text_may_end_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(refused); i++)
		for (size_t len = 0; len < strlen(refused[i].text); len++) {
			uint8_t *exact = test_malloc(len + 1);

			memcpy(exact + 1, refused[i].text, len);
			sensitive_kind((struct span){ exact + 1, len });
			test_free(exact);
		}
}

static void
any_bytes_may_be_asked_about(void **state)
{
	static const uint8_t bytes[] = { 0, 0xff, 0xc0, 0x80, '4', 0xed, 0xa0, 0x80, 0xf4, 0x90, 0x80, 0x80, '-', 0xe2, 0x80 };
	static uint8_t much[SENSITIVE_TEXT_MAX + 1];

	(void)state;
	assert_int_equal(sensitive_kind((struct span){ bytes, sizeof bytes }), SENSITIVE_NONE);
	assert_false(sensitive_text((struct span){ NULL, 0 }));
	for (unsigned c = 0; c < 256; c++) {
		memset(much, (int)c, sizeof much);
		sensitive_kind((struct span){ much, SENSITIVE_TEXT_MAX });
	}
	memset(much, 'a', sizeof much);
	assert_int_equal(sensitive_kind((struct span){ much, SENSITIVE_TEXT_MAX }), SENSITIVE_NONE);
	assert_int_equal(sensitive_kind((struct span){ much, sizeof much }), SENSITIVE_TOO_LONG);
}

static void
a_label_names_its_value(void **state)
{
	static const struct {
		const char *label, *value;
		enum sensitive kind;
	} facts[] = {
		{ "Wi-Fi password", "sunflowers", SENSITIVE_PASSWORD },
		{ "银行卡密码", "884812", SENSITIVE_PASSWORD },
		{ "验证码", "884812", SENSITIVE_CODE },
		{ "护照", "E12345678", SENSITIVE_PASSPORT },
		{ "邮编", "100081", SENSITIVE_NONE },
		{ "password manager", "KeePassXC", SENSITIVE_NONE },
		{ "Likes", "tea", SENSITIVE_NONE },
		{ "4111 1111", "1111 1111", SENSITIVE_NONE },
		{ "hunter2", "password: hunter2", SENSITIVE_PASSWORD },
		{ "password: hunter2", "x", SENSITIVE_PASSWORD },
	};

	(void)state;
	for (size_t i = 0; i < N(facts); i++)
		assert_int_equal(sensitive_fact((struct span){ (const uint8_t *)facts[i].label, strlen(facts[i].label) },
		    (struct span){ (const uint8_t *)facts[i].value, strlen(facts[i].value) }), facts[i].kind);
	assert_int_equal(sensitive_kind((struct span){ (const uint8_t *)"", 0 }), SENSITIVE_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_are_refused_by_their_kind),
		cmocka_unit_test(what_people_say_of_themselves_is_let_be),
		cmocka_unit_test(a_sentence_around_it_hides_nothing),
		cmocka_unit_test(a_text_may_end_anywhere),
		cmocka_unit_test(a_label_names_its_value),
		cmocka_unit_test(any_bytes_may_be_asked_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
