#include "escrow/custody.h"

const char *
custody_detail_text(unsigned detail)
{
	static const char *const texts[CUSTODY_DETAIL__COUNT] = {
		[CUSTODY_NO_DETAIL] = "",
		[CUSTODY_NO_LIBRARY] = "libsystemd, which talks to the keyring, is not installed",
		[CUSTODY_NO_BUS] = "there is no session bus; the daemon uses the one of the session that started it",
		[CUSTODY_NO_SERVICE] = "no keyring serves org.freedesktop.secrets on the session bus",
		[CUSTODY_FOREIGN_SERVICE] = "the keyring on that bus is another user's",
		[CUSTODY_NO_COLLECTION] = "the keyring shows no default collection that lasts",
		[CUSTODY_NO_ANSWER] = "the keyring gave no answer",
		[CUSTODY_WANTS_PROMPT] = "the keyring wants to ask somebody, and is never let to",
		[CUSTODY_SEVERAL_ITEMS] = "the keyring holds more than one item for this library",
		[CUSTODY_NOT_KEPT] = "the keyring did not give back what it was given; its file may be damaged",
		[CUSTODY_NOT_DELETED] = "the keyring did not delete what it was told to",
		[CUSTODY_BROKE_PROTOCOL] = "the keyring answered what the protocol does not have",
	};

	return detail < CUSTODY_DETAIL__COUNT ? texts[detail] : "";
}
