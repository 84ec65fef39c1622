/*
 * Every way in which something can end, one row each. The enum, the stable
 * codes, the exit codes and docs/errors.md are made from this table.
 *
 *   name, code, exit, sentence, what to do
 *
 * No include guard: included once for each thing made from it.
 */
ERR(NOT_INITIALIZED,     "not_initialized",     1, "this home has no library yet", "run `memories init`")
ERR(ALREADY_INITIALIZED, "already_initialized", 1, "this home has a library already", "choose another --home, or use this one")
ERR(DAEMON_NOT_RUNNING,  "daemon_not_running", 69, "no daemon answers in this home", "start `memories daemon`")
ERR(BUSY,                "busy",                1, "too many requests are waiting", "try again")
ERR(TIMEOUT,             "timeout",             1, "the daemon did not answer in time", "try again; `memories status` tells more")
ERR(INTERRUPTED,         "interrupted",         1, "the daemon or a part of it stopped during the request", "try again")
ERR(PROTOCOL,            "protocol_mismatch",   1, "the daemon and this program do not speak the same version", "restart the daemon")
ERR(REMOTE_REFUSED,      "remote_refused",      1, "this command never works on a remote, and one is set", "unset --remote, MEMORIES_REMOTE and `remote` in config.json")
ERR(REMOTE_UNSUPPORTED,  "remote_unsupported",  1, "this command does not work on a remote", "unset --remote, MEMORIES_REMOTE and `remote` in config.json")
ERR(ALREADY_RUNNING,     "already_running",     1, "another daemon owns this home", "stop it first, or use it")
ERR(HOME_NOT_PRIVATE,    "home_not_private",    1, "the home is not a directory that only its owner can enter or change", "use an absolute path to a directory of mode 0700 under directories that nobody else can write")
ERR(CONFIG_INVALID,      "config_invalid",      1, "config.json in the home cannot be used", "mend or remove it")

ERR(LOCKED,              "locked",             77, "the library is locked", "run `memories unlock`")
ERR(SUDO_REQUIRED,       "sudo_required",      77, "this needs sudo in this terminal", "run `memories sudo`")
ERR(TERMINAL_REQUIRED,   "terminal_required",  77, "this needs a terminal to ask on", "run it in a terminal")
ERR(NOT_CONFIRMED,       "not_confirmed",      77, "the confirmation was not given", "run it again and type the word asked for")
ERR(WRONG_PASSWORD,      "wrong_password",     77, "the password is wrong", "try again")
ERR(PASSWORD_MISMATCH,   "password_mismatch",  77, "the two passwords differ", "try again")
ERR(THROTTLED,           "throttled",          77, "too many wrong passwords", "wait, then try again")
ERR(NOT_OWNER,           "not_owner",          77, "the peer is not the owner of this home", "use the account that owns the home")

ERR(BANNED,              "banned",             77, "unattended access is banned by a manual lock or by disable", "`memories unattended resume`, or enable anew")
ERR(UNATTENDED_NOT_LOADED, "unattended_not_loaded", 77, "the unattended key is not loaded", "`memories status` tells why")
ERR(NOT_ENABLED,         "not_enabled",        77, "unattended access is not enabled", "`memories unattended enable`")
ERR(ALREADY_ENABLED,     "already_enabled",    77, "unattended access is enabled already", "disable it first to choose another backend")
ERR(CENTER_MANAGED,      "center_managed",     77, "a Center manages this library; unattended use is refused", "`memories library managed-by NONE`")
ERR(DEVICE_REMOVED,      "device_removed",     77, "this device is no longer a member of the library", "add the device again")
ERR(LOCK_NOT_DURABLE,    "lock_not_durable",   74, "keys are cleared from memory, but the ban could not be made durable", "mend the disk and lock again before restarting")

ERR(CUSTODY_UNSUPPORTED, "custody_unsupported", 1, "this custody backend is not built for this platform", "choose another --backend")
ERR(CUSTODY_LOCKED,      "custody_locked",     77, "the custody backend is locked", "unlock it; the daemon tries again each minute")
ERR(CUSTODY_UNAVAILABLE, "custody_unavailable", 77, "the custody backend cannot be reached", "start it; the daemon tries again each minute")
ERR(CUSTODY_UNSAFE,      "custody_unsafe",     77, "the custody file has an unsafe owner, mode, link or type", "find out who changed it; then disable and enable")
ERR(CUSTODY_MISSING,     "custody_missing",    77, "the custody backend holds no material for this library", "disable and enable")
ERR(CUSTODY_INVALID,     "custody_invalid",    77, "the custody material is damaged", "disable and enable")
ERR(CUSTODY_BINDING,     "custody_binding",    77, "the custody material belongs to another home or library", "disable and enable here")

ERR(INVALID_GRANT,       "invalid_grant",      77, "the token is unknown, revoked or expired", "mint a new client file")
ERR(WRONG_LIBRARY,       "wrong_library",      77, "the client file belongs to another home or library", "use the client file that was minted here")
ERR(VAULT_NOT_GRANTED,   "vault_not_granted",  77, "the grant does not cover this vault", "mint a grant for it")
ERR(CLIENT_FILE_UNSAFE,  "client_file_unsafe",  1, "the client file, or its folder, has an unsafe owner, mode, link or type", "keep it as a regular file of mode 0600 in a folder of your own")
ERR(CLIENT_FILE_EXISTS,  "client_file_exists",  1, "a file of that name exists already", "choose another name")
ERR(CLIENT_FILE_INVALID, "client_file_invalid", 1, "the client file is not one of ours", "mint a new one")
ERR(REVOKE_FAILED,       "revoke_failed",       1, "the client file could not be published, and the new grant could not be revoked", "run `memories unattended revoke` with the grant that `unattended status` lists")

ERR(NOT_FOUND,           "not_found",           1, "there is no such thing here", "check the id")
ERR(VAULT_NOT_ACTIVE,    "vault_not_active",    1, "the vault was removed", "use another vault")
ERR(ASSET_DELETED,       "asset_deleted",       1, "the asset is deleted", "name a revision to read the past")
ERR(REVISION_REQUIRED,   "revision_required",   1, "the asset has conflicting heads; name a revision", "see its history")
ERR(REVISION_MISMATCH,   "revision_mismatch",   1, "the revision belongs to another asset", "see the asset's history")
ERR(QUARANTINED,         "quarantined",         1, "the revision is quarantined and never readable", "choose another revision")
ERR(WRONG_KIND,          "wrong_kind",          1, "the asset is of a kind that this command does not read", "use the command for its kind")
ERR(OFFSET_OUT_OF_RANGE, "offset_out_of_range", 1, "the offset is past the end", "use an offset of at most the total")
ERR(STALE_BASE,          "stale_base",          1, "the base is no longer the head", "read the newest revision and edit that")
ERR(NAME_TAKEN,          "name_taken",          1, "that name is in use", "choose another")
ERR(TOO_LARGE,           "too_large",           1, "the content is larger than its kind allows", "memory, card: 1 MiB; credential: 64 KiB; file: 16 GiB")
ERR(INVALID_CONTENT,     "invalid_content",     1, "the content does not have the form of its kind", "see `memories asset add --help`")
ERR(FILE_UNREADABLE,     "file_unreadable",     1, "the file cannot be read", "check the path and its permissions")
ERR(FILE_UNWRITABLE,     "file_unwritable",     1, "the output cannot be written", "check the path and the disk")

ERR(USAGE,               "usage",               2, "wrong usage", "see --help")
ERR(INVALID_ARGUMENT,    "invalid_argument",    2, "an argument is malformed or outside its range", "see --help")

ERR(AUDIT_UNAVAILABLE,   "audit_unavailable",  74, "the log cannot record, so nothing is delivered", "`memories status` tells why")
ERR(AUDIT_FULL,          "audit_full",         74, "no room is left for the log, so nothing is delivered", "free disk space")
ERR(AUDIT_TAMPERED,      "audit_tampered",     74, "the log's files were changed from outside, so nothing is delivered", "run `memories audit verify`")
ERR(AUDIT_TIMEOUT,       "audit_timeout",      74, "the log did not answer within its deadline", "try again; `memories status` tells more")
ERR(AUDIT_DIVERGED,      "audit_diverged",     74, "the log does not extend the one seen before", "run `memories audit verify`")
ERR(STORAGE_FULL,        "storage_full",       74, "the disk is full; nothing was changed", "free disk space")
ERR(STORAGE_FAILED,      "storage_failed",     74, "the disk failed; the outcome of the last change is unknown", "check the disk, then restart the daemon")
ERR(STORAGE_CORRUPT,     "storage_corrupt",    74, "stored data does not have its form or does not authenticate", "restore it from a copy")

ERR(NO_MEMORY,           "no_memory",           1, "out of memory", "free memory")
ERR(UNSUPPORTED,         "unsupported",         1, "this system lacks something that is needed", "see the message before this one")
ERR(INTERNAL,            "internal",            1, "a fault of ours", "please report it")
