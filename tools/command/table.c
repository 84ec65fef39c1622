#include "tools/command/command.h"
#include "tools/command/credential.h"

#define END { NULL, NULL, NULL, false, false }

static const struct option daemon_options[] = {
	{ "--trace", NULL, "write one line a message to stderr: names, ids and lengths", false, false },
	{ "--one-process", NULL, "run all actors in one process, for debugging; status says so", false, false },
	{ "--no-sandbox", NULL, "without seccomp filters, for debugging; status says so", false, false },
	{ "--debuggable", NULL, "leave processes dumpable, for debuggers; status says so", false, false },
	{ "--test-kdf", NULL, "accept a library made with MEMORIES_TEST_KDF=1; status says so", false, false },
	{ "--test-log-segment", "BYTES", "size of the log's segments, for tests; status says so", false, false },
	{ "--test-log-epoch", "RECORDS", "length of the log's epochs, for tests; status says so", false, false },
	END
};

static const struct option sudo_options[] = {
	{ "--end", NULL, "end this terminal's sudo now", false, false },
	END
};

static const struct option disable_options[] = {
	{ "--leave-material", NULL, "do not ask the custody backend to remove its part: for one that is gone for good", false, false },
	END
};

static const struct option page_options[] = {
	{ "--offset", "N", "skip so many rows (default 0)", false, false },
	{ "--limit", "N", "at most so many rows, 1 to 100 (default 100)", false, false },
	END
};

static const struct option list_options[] = {
	{ "--kind", "KIND", "only memory, card, file or credential; may be given again for one more", false, true },
	{ "--tag", "TEXT", "only what has this tag; given again, that too", false, true },
	{ "--private", NULL, "only private memories and cards", false, false },
	{ "--ordinary", NULL, "only memories and cards that are not private", false, false },
	{ "--title", "TEXT", "only where the title holds this text; neither case nor width counts", false, false },
	{ "--sort", "BY", "id, title, created or updated (default id)", false, false },
	{ "--reverse", NULL, "the last ones first", false, false },
	{ "--offset", "N", "skip so many rows (default 0)", false, false },
	{ "--limit", "N", "at most so many rows, 1 to 100 (default 100)", false, false },
	END
};

static const struct option edit_options[] = {
	{ "--base", "REVISION", "the revision that was edited; refused when it is no head any more", false, false },
	{ "--keep-both", NULL, "then make a conflict, to be resolved later", false, false },
	{ "--title", "TEXT", "another title", false, false },
	{ "--tag", "TEXT", "this tag in place of all; may be given again; '' for none", false, true },
	{ "--media-type", "TYPE", "of a file", false, false },
	CREDENTIAL_OPTIONS,
	{ "--draft", "PATH", "a draft that an earlier edit has left, which is wiped then; a file of yours in its form stays", false, false },
	END
};

static const struct option resolve_options[] = {
	{ "--pick", "REVISION", "the head that shall be the only one", false, false },
	{ "--title", "TEXT", "the title of what is merged (default: that of the newest head)", false, false },
	{ "--tag", "TEXT", "its tags; may be given again; '' for none (default: those of the newest head)", false, true },
	{ "--media-type", "TYPE", "of a file", false, false },
	CREDENTIAL_OPTIONS,
	END
};

static const struct option history_options[] = {
	{ "--diff", NULL, "show what each revision of a memory or card changed", false, false },
	{ "--offset", "N", "skip so many rows (default 0)", false, false },
	{ "--limit", "N", "at most so many rows, 1 to 100 (default 100)", false, false },
	END
};

static const struct option add_options[] = {
	{ "--kind", "KIND", "memory, card, file or credential", true, false },
	{ "--private", NULL, "a memory or card that ordinary grants can never read", false, false },
	{ "--title", "TEXT", "the title (default: the file's name)", false, false },
	{ "--tag", "TEXT", "a tag; may be given again", false, true },
	{ "--media-type", "TYPE", "of a file (default application/octet-stream)", false, false },
	CREDENTIAL_OPTIONS,
	END
};

static const struct option show_options[] = {
	{ "--revision", "ID", "a past revision (default: the head)", false, false },
	{ "--field", "NAME", "one value and nothing else, with a newline on a terminal only", false, false },
	{ "--resolve", NULL, "with the secrets that secret:// references in a body or a value stand for", false, false },
	END
};

static const struct option generate_options[] = {
	{ "--length", "N", "so many characters, 1 to 1024 (default 20)", false, false },
	{ "--classes", "LIST", "some of upper,lower,digits,symbols (default: all); each is there at least once", false, false },
	{ "--exclude", "CHARS", "none of these characters", false, false },
	{ "--no-ambiguous", NULL, "none of 0 O o 1 l I | and the quotes, which look alike", false, false },
	{ "--words", "N", "so many words instead, 1 to 64", false, false },
	{ "--separator", "TEXT", "between words (default -)", false, false },
	{ "--word-list", "FILE", "a word a line, dice numbers before it or not (default: a list of our own)", false, false },
	END
};

static const struct option search_options[] = {
	{ "--vault", "VAULT", "only in this vault (default: in all)", false, false },
	{ "--kind", "KIND", "only memory, or only card", false, false },
	{ "--offset", "N", "skip so many results (default 0)", false, false },
	{ "--limit", "N", "at most so many results, 1 to 50 (default 20)", false, false },
	END
};

static const struct option enable_options[] = {
	{ "--backend", "NAME", "linux-secret-service, owner-file, macos-keychain or windows-dpapi", true, false },
	END
};

static const struct option profile_enable_options[] = {
	{ "--backend", "NAME", "a custody that opens it after a restart: linux-secret-service or owner-file", false, false },
	END
};

static const struct option maintenance_options[] = {
	{ "--message", "TEXT", "what whoever asks is told, at most 1200 bytes", false, false },
	END
};

#define MINT_OPTIONS \
	{ "--expires", "DURATION", "how long: 90s, 30m, 2h, 7d, 4w, or until 2026-11-30T10:00:00Z (default: for ever)", false, false }, \
	{ "--label", "TEXT", "at most 64 characters (128 bytes: 42 of Chinese) to know it by; stored in clear", false, false }, \
	{ "--preview", NULL, "list what the grant would see, and make nothing", false, false }

static const struct option mint_options[] = {
	{ "--vault", "VAULT", "a vault that the client may read; may be given again", true, true },
	{ "--client-file", "PATH", "where the client file is made; its folder must be yours alone", false, false },
	{ "--only", "CLASS", "ordinary, private, file or credential; may be given again (default: all)", false, true },
	MINT_OPTIONS,
	END
};

static const struct option grant_mint_options[] = {
	{ "--vault", "VAULT", "a vault that the assistant may read; may be given again", true, true },
	{ "--grant-file", "PATH", "where the grant file is made; its folder must be yours alone", false, false },
	{ "--allow-propose", NULL, "it may also suggest what you then confirm or dismiss", false, false },
	MINT_OPTIONS,
	END
};

static const struct option client_page_options[] = {
	{ "--client-file", "PATH", "the client file", true, false },
	{ "--offset", "N", "skip so many rows (default 0)", false, false },
	{ "--limit", "N", "at most so many rows, 1 to 100 (default 100)", false, false },
	END
};

static const struct option client_bytes_options[] = {
	{ "--client-file", "PATH", "the client file", true, false },
	{ "--revision", "ID", "a past revision (default: the head)", false, false },
	{ "--offset", "N", "first byte (default 0)", false, false },
	{ "--limit", "N", "at most so many bytes, 1 to 65536 (default 65536)", false, false },
	END
};

static const struct option client_file_options[] = {
	{ "--client-file", "PATH", "the client file", true, false },
	END
};

static const struct option serve_options[] = {
	{ "--grant-file", "PATH", "the grant file", true, false },
	{ "--max-bytes", "N", "no answer is longer, 4096 to 262144 (default 32768)", false, false },
	END
};

static const struct option proposal_list_options[] = {
	{ "--vault", "VAULT", "only those for this vault", false, false },
	{ "--offset", "N", "skip so many rows (default 0)", false, false },
	{ "--limit", "N", "at most so many rows, 1 to 100 (default 100)", false, false },
	END
};

static const struct option confirm_options[] = {
	{ "--yes", NULL, "do not ask; refused when the asset changed since", false, false },
	END
};

#define CATEGORY_HELP "basic, preference, habit, goal, work_study; or health, relationship, uncategorized, which are never shared"

static const struct option fact_add_options[] = {
	{ "--category", "CATEGORY", CATEGORY_HELP, false, false },
	{ "--label", "TEXT", "what it is about, at most 40 characters", false, false },
	{ "--evidence", "TEXT", "how you know, one sentence of at most 300 characters; nobody else ever sees it", false, false },
	{ "--uncertain", NULL, "it is a guess, and never shared", false, false },
	END
};

static const struct option fact_list_options[] = {
	{ "--category", "CATEGORY", "only of this category", false, false },
	{ "--archived", NULL, "archived ones instead", false, false },
	{ "--offset", "N", "skip so many rows (default 0)", false, false },
	{ "--limit", "N", "at most so many rows, 1 to 100 (default 100)", false, false },
	END
};

static const struct option fact_edit_options[] = {
	{ "--category", "CATEGORY", CATEGORY_HELP, false, false },
	{ "--label", "TEXT", "another label", false, false },
	{ "--evidence", "TEXT", "other evidence; '' for none", false, false },
	{ "--uncertain", NULL, "it is a guess, and never shared", false, false },
	{ "--certain", NULL, "it is none any more", false, false },
	{ "--base", "N", "the version that was edited; refused when there is another by now", false, false },
	END
};

static const struct option share_options[] = {
	{ "--connection", "CONNECTION", "the connection, by its id", true, false },
	END
};

static const struct option profile_confirm_options[] = {
	{ "--yes", NULL, "do not ask", false, false },
	END
};

static const struct option profile_proposal_edit_options[] = {
	{ "--category", "CATEGORY", "another category", false, false },
	{ "--label", "TEXT", "another label", false, false },
	{ "--yes", NULL, "do not ask", false, false },
	END
};

static const struct option connection_show_options[] = {
	{ "--limit", "N", "at most so many records of what it did, 1 to 1000 (default 100)", false, false },
	END
};

static const struct option reduce_options[] = {
	{ "--scope", "SCOPE", "to be left: profile:read, profile:propose, profile:correct or context:search; may be given again", false, true },
	{ "--category", "CATEGORY", "to be left; may be given again", false, true },
	END
};

static const struct option verify_options[] = {
	{ "--key", "FILE", "the log's public key (default: key.pub in the log's folder)", false, false },
	{ "--full", NULL, "check every signature, not one an epoch and the last", false, false },
	END
};

static const struct option checkpoint_options[] = {
	{ "--accept", NULL, "have your clients believe the log as it is now; asks for the word ACCEPT", false, false },
	END
};

static const struct option key_options[] = {
	{ "--key", "FILE", "the log's public key (default: key.pub in the log's folder)", false, false },
	END
};

static const struct option audit_show_options[] = {
	{ "--grant", "ID", "only what this grant or connection did, or what was done to it", false, false },
	{ "--vault", "ID", "only what was about this vault, searches over several vaults included", false, false },
	{ "--asset", "ID", "only what was about this asset, pages that name it included", false, false },
	{ "--since", "TIME", "only from that time on: 2026-11-30T10:00:00Z, or how long ago: 90s, 30m, 2h, 7d", false, false },
	{ "--until", "TIME", "only before that time", false, false },
	{ "--surface", "WORD", "only what came by this way: cli, stdio, http, owner", false, true },
	{ "--type", "WORD", "only records of this type: intent, write, refusal, grant, revoke, unlock, …", false, true },
	{ "--limit", "N", "at most so many records, 1 to 1000 (default 100)", false, false },
	{ "--offset", "INDEX", "from this record on (default: the newest)", false, false },
	{ "--before", "INDEX", "the newest before this record", false, false },
	{ "-f", NULL, "go on with what comes, until it is interrupted; with --json a line each", false, false },
	END
};

const struct command commands[] = {
	{ "init", "", "make a library in the home",
	  "Asks for a new password twice. Works with or without a running daemon.",
	  0, 0, NULL, MAKES_HOME, false, false, run_init },
	{ "daemon", "", "run the daemon in the foreground",
	  "Prints `ready` once it serves. Ends on SIGTERM or SIGINT.",
	  0, 0, daemon_options, MAKES_HOME, false, false, run_daemon },
	{ "status", "", "say what state the library and its log are in", "",
	  0, 0, NULL, NEEDS_HOME, false, false, run_status },
	{ "unlock", "", "open the library with the password",
	  "Does not load the unattended key and lifts no ban.",
	  0, 0, NULL, NEEDS_HOME, true, false, run_unlock },
	{ "lock", "", "drop every key and ban unattended access until `unattended resume`",
	  "The remote profile closes too, and what opens it after a restart is banned alike.\n"
	  "Local assistants (`grant list`) answer `locked` until the next unlock.",
	  0, 0, NULL, NEEDS_HOME, true, false, run_lock },
	{ "sudo", "", "allow management from this terminal for five minutes",
	  "Asks for the password again. A program run in the same terminal can use it too.",
	  0, 0, sudo_options, NEEDS_HOME, true, false, run_sudo },
	{ "passwd", "", "change the library's password",
	  "Needs sudo, and ends it in every terminal. Copies of the home that were taken before\n"
	  "still open with the old password.",
	  0, 0, NULL, NEEDS_HOME, false, false, run_passwd },
	{ "library managed-by", "NONE|center", "say whether a Center manages this library",
	  "While one does, all unattended use is refused, and the unattended key is dropped.",
	  1, 1, NULL, NEEDS_HOME, false, false, run_library_managed_by },
	{ "device list", "", "list the devices of the library", "Needs sudo.",
	  0, 0, NULL, NEEDS_HOME, false, false, run_device_list },
	{ "device remove", "DEVICE", "remove a device from the library",
	  "Removing this device stops its unattended reads at the next one. Needs sudo.",
	  1, 1, NULL, NEEDS_HOME, false, false, run_device_remove },
	{ "device add", "DEVICE", "make this device a member again after it was removed", "Needs sudo.",
	  1, 1, NULL, NEEDS_HOME, false, false, run_device_add },
	{ "vault create", "NAME", "make a vault", "",
	  1, 1, NULL, NEEDS_HOME, false, false, run_vault_create },
	{ "vault list", "", "list the vaults", "",
	  0, 0, page_options, NEEDS_HOME, false, false, run_vault_list },
	{ "vault rename", "VAULT NAME", "give a vault another name", "",
	  2, 2, NULL, NEEDS_HOME, false, false, run_vault_rename },
	{ "vault remove", "VAULT", "hide a vault and all that is in it, for good",
	  "Asks for its name. Every later read of it answers vault_not_active, by any grant. What\n"
	  "it held stays sealed in the database, and in copies of it.",
	  1, 1, NULL, NEEDS_HOME, false, false, run_vault_remove },
	{ "asset add", "VAULT FILE|-", "put a memory, card, file or credential into a vault",
	  "memory: FILE is the body, UTF-8, at most 1 MiB. card: FILE is Content JSON,\n"
	  "{\"title\":…,\"fields\":[{\"name\":…,\"value\":…,\"protected\":false}],\"tags\":[…]}; the value of\n"
	  "a protected field is secret://VAULT/CREDENTIAL. file: any bytes, at most 16 GiB.\n"
	  "credential: FILE is the secret, UTF-8, at most 64 KiB; one newline at its end is\n"
	  "dropped. `-` is standard input; a credential's secret, notes and seed are asked for\n"
	  "without echo where that is a terminal. --otp-file holds an otpauth:// URI, or a base32\n"
	  "seed of TOTP with SHA-1, 6 digits and 30 seconds.",
	  2, 2, add_options, NEEDS_HOME, false, false, run_asset_add },
	{ "asset list", "VAULT", "list a vault's assets",
	  "Filters and orders look at the whole vault, so each page of it is recorded as read.\n"
	  "Offset and limit count what is left. A credential's tags are looked at with sudo only.",
	  1, 1, list_options, NEEDS_HOME, false, false, run_asset_list },
	{ "asset show", "VAULT ASSET", "print an asset's content",
	  "A file's bytes are written as they are. A credential needs sudo; so does --resolve, which\n"
	  "reads each credential that is referred to, and prints nothing unless all are there.\n"
	  "--field: title, tags; of a memory body; of a card any field by its name; of a file name,\n"
	  "media_type; of a credential username, url, notes, secret, otp, which is the code of now.\n"
	  "A HOTP code counts on before it is shown, in a new revision.",
	  2, 2, show_options, NEEDS_HOME, false, false, run_asset_show },
	{ "asset edit", "VAULT ASSET [FILE|-]", "make a further revision of an asset",
	  "With FILE: as in `asset add`; what is not given stays. With options alone the content\n"
	  "stays; an empty field of a credential drops it. Without any of them $VISUAL, else\n"
	  "$EDITOR opens a memory or card; a header has its title and tags. The file is in a\n"
	  "private folder in memory ($XDG_RUNTIME_DIR or /dev/shm) that is wiped afterwards, with\n"
	  "all that the editor left there. What an editor keeps elsewhere is not: swap, undo and\n"
	  "history files in your home (vim's ~/.viminfo, nvim's ~/.local/state/nvim), clipboards;\n"
	  "nor what the system has swapped out. Text that could not be stored is kept, and the\n"
	  "error says where. A signal that ends the command drops it, and so does an editor that\n"
	  "ends with an error.",
	  2, 3, edit_options, NEEDS_HOME, false, false, run_asset_edit },
	{ "asset resolve", "VAULT ASSET [FILE|-]", "end a conflict",
	  "Its heads become the parents of one revision: that of --pick, or of what is merged in\n"
	  "FILE. `asset history --diff` shows what they differ in.",
	  2, 3, resolve_options, NEEDS_HOME, false, false, run_asset_resolve },
	{ "asset remove", "VAULT ASSET", "delete an asset",
	  "Makes a tombstone. Past revisions stay, and can be read by name and restored.",
	  2, 2, NULL, NEEDS_HOME, false, false, run_asset_remove },
	{ "asset restore", "VAULT ASSET REVISION", "make a past revision the newest one",
	  "Works on a deleted asset and under conflict, too.",
	  3, 3, NULL, NEEDS_HOME, false, false, run_asset_restore },
	{ "asset history", "VAULT ASSET", "list an asset's revisions",
	  "--diff reads each revision and its parents, and has them compared by the system's diff,\n"
	  "in memory; a merge is compared with each of its parents.",
	  2, 2, history_options, NEEDS_HOME, false, false, run_asset_history },
	{ "generate", "", "make a password or passphrase from the system's randomness",
	  "It goes to stdout, and how much randomness is in it to stderr. To keep it unseen:\n"
	  "memories generate | memories asset add VAULT - --kind credential\n"
	  "Needs neither home nor daemon.",
	  0, 0, generate_options, NEEDS_NOTHING, false, false, run_generate },
	{ "search", "QUERY", "find memories and cards by what they say",
	  "Looks in titles, texts, fields and tags of what is not private. \"Quoted words\" must\n"
	  "follow each other; the last word may be the beginning of one. If nothing has every\n"
	  "word, what has some of them is shown. The index lives in memory while unlocked. Who\n"
	  "lists processes sees the words while the command runs.",
	  1, 1, search_options, NEEDS_HOME, false, false, run_search },
	{ "unattended enable", "", "let chosen local clients read while nobody is here",
	  "Asks for the word ENABLE, and for the password where it is not given yet.",
	  0, 0, enable_options, NEEDS_HOME, true, false, run_unattended_enable },
	{ "unattended mint", "", "make a grant and its client file",
	  "Whoever holds the client file can read everything in those vaults. Keep it like a\n"
	  "password. Needs sudo and the loaded unattended key. --expires counts by the clock and\n"
	  "by the time since boot, suspend included, and ends at the first that is over.",
	  0, 0, mint_options, NEEDS_HOME, true, false, run_unattended_mint },
	{ "unattended status", "", "say whether unattended access works, and list its grants", "Needs sudo.",
	  0, 0, page_options, NEEDS_HOME, true, false, run_unattended_status },
	{ "unattended list", "VAULT", "read a page of a vault's assets", "",
	  1, 1, client_page_options, NEEDS_HOME, true, true, run_unattended_list },
	{ "unattended history", "VAULT ASSET", "read a page of an asset's revisions", "",
	  2, 2, client_page_options, NEEDS_HOME, true, true, run_unattended_history },
	{ "unattended read", "VAULT ASSET", "read bytes of a memory, card or file",
	  "`data` is base64url without padding. Go on at `next`, with --revision as in the\n"
	  "first answer, until `next` is null.",
	  2, 2, client_bytes_options, NEEDS_HOME, true, true, run_unattended_read },
	{ "unattended credential-bytes", "VAULT CREDENTIAL", "read bytes of a credential's secret",
	  "base64 is an encoding, not encryption: who sees the answer sees the secret.",
	  2, 2, client_bytes_options, NEEDS_HOME, true, true, run_unattended_credential_bytes },
	{ "unattended resume", "", "lift the ban that `lock` set; the next start loads the key", "Needs sudo.",
	  0, 0, NULL, NEEDS_HOME, true, false, run_unattended_resume },
	{ "unattended revoke", "GRANT", "end a grant",
	  "Needs sudo. Deleting a client file is not revoking. Copies of database, custody and\n"
	  "client file that were taken before still open what they held.",
	  1, 1, NULL, NEEDS_HOME, true, false, run_unattended_revoke },
	{ "unattended prune", "", "remove the expired grants from the list", "Needs sudo.",
	  0, 0, NULL, NEEDS_HOME, true, false, run_unattended_prune },
	{ "unattended disable", "", "end all unattended access and remove its key",
	  "Needs sudo. Every unattended grant is revoked; those of `grant list` are not touched.\n"
	  "A backend that is locked or away is reported; run it again then. The ban and the\n"
	  "revocations stand meanwhile.",
	  0, 0, disable_options, NEEDS_HOME, true, false, run_unattended_disable },
	{ "grant mint", "", "make a grant for a local assistant, and its grant file",
	  "For `mcp serve`. It reaches ordinary memories and cards of those vaults while the\n"
	  "library is unlocked; never what is private, files or credentials. Needs sudo.",
	  0, 0, grant_mint_options, NEEDS_HOME, false, false, run_grant_mint },
	{ "grant list", "", "list the grants of local assistants", "Needs sudo.",
	  0, 0, page_options, NEEDS_HOME, false, false, run_grant_list },
	{ "grant revoke", "GRANT", "end a grant",
	  "Needs sudo. Deleting a grant file is not revoking.",
	  1, 1, NULL, NEEDS_HOME, false, false, run_grant_revoke },
	{ "grant prune", "", "remove the expired grants from the list", "Needs sudo.",
	  0, 0, NULL, NEEDS_HOME, false, false, run_grant_prune },
	{ "mcp serve-unattended", "", "serve the four unattended tools over MCP on stdin and stdout", "",
	  0, 0, client_file_options, NEEDS_HOME, true, false, run_mcp_serve_unattended },
	{ "mcp serve", "", "serve memories and cards of an ordinary grant over MCP on stdin and stdout",
	  "Works while the library is unlocked. Answers are at most --max-bytes long, counted once;\n"
	  "what does not fit comes at a cursor. The grant file is read again with each connection.",
	  0, 0, serve_options, NEEDS_HOME, true, false, run_mcp_serve },
	{ "profile enable", "", "open the endpoint for remote assistants",
	  "It serves while the library is unlocked; with --backend after a restart, too. Asks for a\n"
	  "password of the pages the first time (`profile passwd`). Needs sudo.\n"
	  "`http` in config.json says where it listens (default: 127.0.0.1:8787).",
	  0, 0, profile_enable_options, NEEDS_HOME, false, false, run_profile_enable },
	{ "profile disable", "", "close it: no assistant reads or proposes anything any more",
	  "Facts, proposals and connections stay. A custody's part is removed. Needs sudo.",
	  0, 0, disable_options, NEEDS_HOME, false, false, run_profile_disable },
	{ "profile status", "", "say how the endpoint stands, and where it listens", "",
	  0, 0, NULL, NEEDS_HOME, false, false, run_profile_status },
	{ "profile maintenance", "on|off", "have the endpoint answer that it is in maintenance",
	  "Pages and assistants are told so, with the message; you go on as always.",
	  1, 1, maintenance_options, NEEDS_HOME, false, false, run_profile_maintenance },
	{ "proposal list", "", "list what assistants propose",
	  "Nothing of it is in the vault before it is confirmed.",
	  0, 0, proposal_list_options, NEEDS_HOME, false, false, run_proposal_list },
	{ "proposal show", "PROPOSAL", "show what a proposal would change",
	  "Characters that hide or turn others around are shown as their numbers.",
	  1, 1, NULL, NEEDS_HOME, false, false, run_proposal_show },
	{ "proposal confirm", "PROPOSAL", "make a proposal's change, after showing it",
	  "Asks y or N. Needs an unlocked library and no sudo.",
	  1, 1, confirm_options, NEEDS_HOME, false, false, run_proposal_confirm },
	{ "proposal edit", "PROPOSAL", "change a proposal in your editor, then confirm it",
	  "As `asset edit` does; what was proposed is left as it is until you confirm.",
	  1, 1, confirm_options, NEEDS_HOME, false, false, run_proposal_edit },
	{ "proposal dismiss", "PROPOSAL", "forget a proposal", "",
	  1, 1, NULL, NEEDS_HOME, false, false, run_proposal_dismiss },
	{ "profile passwd", "", "set the password of the profile's pages",
	  "Asks for it twice; it has 8 to 1024 bytes. It is another than the library's, which never\n"
	  "comes near the network. Ends every login there. Needs sudo.",
	  0, 0, NULL, NEEDS_HOME, false, false, run_profile_passwd },
	{ "profile fact add", "[FILE|-]", "add a fact to the profile",
	  "FILE is the value, one line of at most 300 characters; without it $VISUAL, else $EDITOR\n"
	  "opens. Nobody sees a fact before it is shared.",
	  0, 1, fact_add_options, NEEDS_HOME, false, false, run_profile_fact_add },
	{ "profile fact list", "", "list the facts of the profile, and with whom each is shared", "",
	  0, 0, fact_list_options, NEEDS_HOME, false, false, run_profile_fact_list },
	{ "profile fact edit", "FACT [FILE|-]", "change a fact",
	  "What is not given stays; with nothing given $VISUAL, else $EDITOR opens. Whoever it was\n"
	  "shared with does not see it any more until you share it again.",
	  1, 2, fact_edit_options, NEEDS_HOME, false, false, run_profile_fact_edit },
	{ "profile fact archive", "FACT", "put a fact away; nobody sees it any more", "",
	  1, 1, NULL, NEEDS_HOME, false, false, run_profile_fact_archive },
	{ "profile share", "FACT", "let a connection see a fact as it is now",
	  "Of the categories that the connection allows. Facts of health, relationship and\n"
	  "uncategorized are never shared, nor uncertain ones, nor what looks like a secret or the\n"
	  "number of a card or a person. What was delivered cannot be called back.",
	  1, 1, share_options, NEEDS_HOME, false, false, run_profile_share },
	{ "profile unshare", "FACT", "let a connection see a fact no longer", "",
	  1, 1, share_options, NEEDS_HOME, false, false, run_profile_unshare },
	{ "profile proposal list", "", "list what connections propose for the profile",
	  "Nothing of it is in the profile before it is confirmed. Each is valid for 30 days.",
	  0, 0, page_options, NEEDS_HOME, false, false, run_profile_proposal_list },
	{ "profile proposal show", "PROPOSAL", "show what a proposal would change",
	  "Old and new beside each other; characters that hide or turn others around are shown as\n"
	  "their numbers.",
	  1, 1, NULL, NEEDS_HOME, false, false, run_profile_proposal_show },
	{ "profile proposal confirm", "PROPOSAL", "make a proposal's change, after showing it",
	  "Asks y or N. Refused when the fact was changed since. A new fact is shared with nobody.",
	  1, 1, profile_confirm_options, NEEDS_HOME, false, false, run_profile_proposal_confirm },
	{ "profile proposal edit", "PROPOSAL [FILE|-]", "change what was proposed, then confirm it",
	  "FILE is another value; with nothing given $VISUAL, else $EDITOR opens.",
	  1, 2, profile_proposal_edit_options, NEEDS_HOME, false, false, run_profile_proposal_edit },
	{ "profile proposal dismiss", "PROPOSAL", "refuse a proposal", "",
	  1, 1, NULL, NEEDS_HOME, false, false, run_profile_proposal_dismiss },
	{ "profile connection list", "", "list the assistants that are connected to the profile",
	  "With their names as they call themselves, their rights, and how often they were used.\n"
	  "Those that have ended are listed for 30 days.",
	  0, 0, page_options, NEEDS_HOME, false, false, run_profile_connection_list },
	{ "profile connection show", "CONNECTION", "show what a connection may see, and what the log says that it has seen",
	  "A label is that of today; the log holds none.",
	  1, 1, connection_show_options, NEEDS_HOME, false, false, run_profile_connection_show },
	{ "profile connection reduce", "CONNECTION", "leave a connection fewer rights",
	  "--scope and --category say what is left; without one of them its rights of that kind\n"
	  "stay. The next request has what is left. More needs a new authorization.",
	  1, 1, reduce_options, NEEDS_HOME, false, false, run_profile_connection_reduce },
	{ "profile connection revoke", "CONNECTION", "end a connection",
	  "Its next request is refused. What it was given cannot be called back.",
	  1, 1, NULL, NEEDS_HOME, false, false, run_profile_connection_revoke },
	{ "audit verify", "[DIR]", "check the signed log from its files alone",
	  "DIR is a log's folder (default: the home's); with it no home is needed.\n"
	  "Exit 0: valid. 1: not valid. 3: valid, but not what an anchor knows.",
	  0, 1, verify_options, NEEDS_NOTHING, false, false, run_audit_verify },
	{ "audit prove", "INDEX [DIR]", "prove that a record stands in the log",
	  "Prints a C2SP tlog-proof: the record, its inclusion proof, and the newest\n"
	  "checkpoint, for any RFC 6962 tool and key.pub. DIR is as in `audit verify`.",
	  1, 2, key_options, NEEDS_NOTHING, false, false, run_audit_prove },
	{ "audit consistency", "OLD NEW [DIR]", "prove that the first NEW records extend the first OLD",
	  "Prints OLD, the RFC 6962 consistency proof, and the checkpoint of NEW, as C2SP\n"
	  "witnesses take it; where NEW is not that of the newest one, without signatures.",
	  2, 3, key_options, NEEDS_NOTHING, false, false, run_audit_consistency },
	{ "audit export", "OUT [DIR]", "write the log as static files that a web server can serve",
	  "OUT becomes a C2SP tlog-tiles folder: checkpoint, key.pub, tile/… up to the\n"
	  "newest checkpoint. Run again, it adds what is new. Nothing else in it is touched.\n"
	  "It must not lie in the home, or in DIR.",
	  1, 2, NULL, NEEDS_NOTHING, false, false, run_audit_export },
	{ "audit checkpoint", "", "have the log's size and root signed now, and print that",
	  "The note is C2SP's: any such tool checks it with key.pub. Whoever keeps it elsewhere\n"
	  "can tell later whether the log still extends it. It lies in audit/checkpoint, too.\n"
	  "With --accept: accept a log that was repaired or put back. That needs sudo.",
	  0, 0, checkpoint_options, NEEDS_HOME, false, false, run_audit_checkpoint },
	{ "audit repair", "", "make a log that was changed from outside usable again",
	  "Shows what holds and what is given up, and asks for the word REPAIR. What is given up\n"
	  "moves to audit/quarantine/. Needs sudo.",
	  0, 0, NULL, NEEDS_HOME, false, false, run_audit_repair },
	{ "audit show", "[DIR]", "show the log's records, oldest first",
	  "DIR is a log's folder; with it neither home, daemon nor password is needed. What is\n"
	  "shown hangs together, which `audit verify` checks further: signatures and anchors.\n"
	  "With --json, `next` is for --offset and `before` for --before. --since and --until stop\n"
	  "early where the clock was set back by more than ten minutes; --offset 0 looks at all.",
	  0, 1, audit_show_options, NEEDS_NOTHING, false, false, run_audit_show },
};

const size_t n_commands = sizeof commands / sizeof *commands;
