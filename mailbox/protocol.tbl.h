/*
 * The protocol: every message, one row each, in the order in which they happen.
 * The enum, names, routes, edges, docs/protocol.md and the round-trip tests are
 * made from this table; there is no second list.
 *
 *   from, to  the sender is the edge that a frame came in on, never a field
 *   ask       OPENS, KEEPS or ENDS an ask; TELLS belongs to none
 *   body      a row of bodies.tbl.h
 *   carries   NOTHING  no secret in any form
 *             SEALED   stored bytes or keys as they lie on disk
 *             TICKET   keys sealed to an opener
 *             BOXED    a secret boxed to its receiver
 *             There is no value for anything readable, so no row can have it.
 *
 * The rule of the daemon, as rows: a TICKET reaches GATE from AUDIT only, and
 * SEARCH and HTTP too.
 */

/* NAME                 from      to        ask     body               carries */

/* Every asker first says hello. */
MSG(HELLO,              CLIENT,   GATE,     OPENS,  hello,             NOTHING)
MSG(WELCOME,            GATE,     CLIENT,   ENDS,   welcome,           NOTHING)
MSG(REFUSED,            GATE,     CLIENT,   ENDS,   refusal,           NOTHING)
MSG(DONE,               GATE,     CLIENT,   ENDS,   made,              NOTHING)

/* The life of a read, and of the first half of a write. */
MSG(ASK,                CLIENT,   GATE,     OPENS,  ask,               BOXED)
MSG(RULING_WANTED,      GATE,     GRANTS,   OPENS,  ask,               BOXED)
MSG(RECORD_WANTED,      GRANTS,   VAULT,    KEEPS,  ruling,            BOXED)
MSG(DEPOSIT,            VAULT,    GATE,     KEEPS,  deposit,           SEALED)
MSG(KEYS_WANTED,        VAULT,    KEYRING,  KEEPS,  keys_wanted,       BOXED)
MSG(AUDIT_INTENT,       KEYRING,  AUDIT,    KEEPS,  intent,            TICKET)
MSG(AUDIT_ACK,          AUDIT,    GATE,     ENDS,   ack,               TICKET)
MSG(ANSWER,             GATE,     CLIENT,   ENDS,   answer,            TICKET)

/* How an ask can end without bytes. */
MSG(ASK_DENIED,         GRANTS,   GATE,     ENDS,   refusal,           NOTHING)
MSG(RECORD_REFUSED,     VAULT,    GATE,     ENDS,   refusal,           NOTHING)
MSG(KEYS_REFUSED,       KEYRING,  GATE,     ENDS,   refusal,           NOTHING)
MSG(INTENT_REFUSED,     AUDIT,    GATE,     ENDS,   refusal,           NOTHING)
MSG(REFUSAL_NOTED,      GATE,     AUDIT,    TELLS,  noted,             NOTHING)

/* The second half of a write: the writer seals, the vault keeps. */
MSG(CHUNK_PUT,          CLIENT,   GATE,     OPENS,  chunk_put,         SEALED)
MSG(CHUNK_WANTED,       GATE,     VAULT,    OPENS,  chunk_put,         SEALED)
MSG(REVISION_PUT,       CLIENT,   GATE,     OPENS,  revision_put,      SEALED)
MSG(PUBLISH_WANTED,     GATE,     VAULT,    OPENS,  revision_put,      SEALED)
MSG(NAME_PUT,           CLIENT,   GATE,     OPENS,  name_put,          SEALED)
MSG(NAME_WANTED,        GATE,     VAULT,    OPENS,  name_put,          SEALED)
MSG(DISCARD_PUT,        CLIENT,   GATE,     OPENS,  one_id,            NOTHING)
MSG(DISCARD_WANTED,     GATE,     VAULT,    OPENS,  one_id,            NOTHING)
MSG(PROPOSAL_PUT,       CLIENT,   GATE,     OPENS,  proposal_put,      SEALED)
MSG(PROPOSAL_WANTED,    GATE,     VAULT,    OPENS,  proposal_put,      SEALED)
MSG(KEPT,               VAULT,    GATE,     ENDS,   nothing,           NOTHING)

/* The library, its password and its states. */
MSG(STATUS_ASK,         CLIENT,   GATE,     OPENS,  nothing,           NOTHING)
MSG(STATE_WANTED,       GATE,     GRANTS,   OPENS,  nothing,           NOTHING)
MSG(STATE,              GRANTS,   GATE,     ENDS,   state,             NOTHING)
MSG(LOG_STATE_WANTED,   GATE,     AUDIT,    OPENS,  nothing,           NOTHING)
MSG(LOG_STATE,          AUDIT,    GATE,     ENDS,   log_state,         NOTHING)
MSG(STATUS,             GATE,     CLIENT,   ENDS,   status,            NOTHING)

MSG(INIT_ASK,           CLIENT,   GATE,     OPENS,  library_init,      SEALED)
MSG(INIT_WANTED,        GATE,     GRANTS,   OPENS,  library_init,      SEALED)
MSG(ENVELOPE_ASK,       CLIENT,   GATE,     OPENS,  nothing,           NOTHING)
MSG(ENVELOPE_WANTED,    GATE,     GRANTS,   OPENS,  nothing,           NOTHING)
MSG(ENVELOPE_FOUND,     GRANTS,   GATE,     ENDS,   kdf,               NOTHING)
MSG(ENVELOPE,           GATE,     CLIENT,   ENDS,   kdf,               NOTHING)
MSG(UNLOCK_ASK,         CLIENT,   GATE,     OPENS,  kek_offer,         BOXED)
MSG(UNLOCK_WANTED,      GATE,     GRANTS,   OPENS,  kek_offer,         BOXED)
MSG(SUDO_ASK,           CLIENT,   GATE,     OPENS,  kek_offer,         BOXED)
MSG(SUDO_WANTED,        GATE,     GRANTS,   OPENS,  kek_offer,         BOXED)
MSG(SUDO_END_ASK,       CLIENT,   GATE,     OPENS,  owner_ask,         NOTHING)
MSG(SUDO_END_WANTED,    GATE,     GRANTS,   OPENS,  owner_ask,         NOTHING)
MSG(KEK_TRY,            GRANTS,   KEYRING,  OPENS,  kek_try,           BOXED)
MSG(KEK_TRIED,          KEYRING,  GRANTS,   ENDS,   result,            NOTHING)
MSG(LOCK_ASK,           CLIENT,   GATE,     OPENS,  owner_ask,         NOTHING)
MSG(LOCK_WANTED,        GATE,     GRANTS,   OPENS,  owner_ask,         NOTHING)
MSG(SLEEP_ASK,          CLIENT,   GATE,     OPENS,  sleep,             NOTHING)
MSG(SLEEP_WANTED,       GATE,     GRANTS,   OPENS,  sleep,             NOTHING)
MSG(KEYS_DROP,          GRANTS,   KEYRING,  OPENS,  keys_drop,         NOTHING)
MSG(KEYS_DROPPED,       KEYRING,  GRANTS,   ENDS,   nothing,           NOTHING)
MSG(COMMAND_DONE,       GRANTS,   GATE,     ENDS,   made,              NOTHING)

MSG(PASSWD_ASK,         CLIENT,   GATE,     OPENS,  passwd_offer,      BOXED)
MSG(PASSWD_WANTED,      GATE,     GRANTS,   OPENS,  passwd_offer,      BOXED)
MSG(REWRAP,             GRANTS,   KEYRING,  OPENS,  rewrap,            BOXED)
MSG(REWRAPPED,          KEYRING,  GRANTS,   ENDS,   rewrapped,         SEALED)
MSG(SETTING_ASK,        CLIENT,   GATE,     OPENS,  setting_ask,       NOTHING)
MSG(SETTING_WANTED,     GATE,     GRANTS,   OPENS,  setting_ask,       NOTHING)
MSG(DEVICE_ASK,         CLIENT,   GATE,     OPENS,  owner_ask,         NOTHING)
MSG(DEVICE_WANTED,      GATE,     GRANTS,   OPENS,  owner_ask,         NOTHING)
MSG(DEVICE_FOUND,       GRANTS,   GATE,     ENDS,   device,            NOTHING)
MSG(DEVICE,             GATE,     CLIENT,   ENDS,   device,            NOTHING)

MSG(VAULT_ASK,          CLIENT,   GATE,     OPENS,  owner_ask,         NOTHING)
MSG(VAULT_WANTED,       GATE,     GRANTS,   OPENS,  owner_ask,         NOTHING)
MSG(VAULT_KEYS_WANTED,  GRANTS,   KEYRING,  OPENS,  nothing,           NOTHING)
MSG(VAULT_KEYS,         KEYRING,  GRANTS,   ENDS,   vault_keys_made,   SEALED)
MSG(KEYS_NOT_MADE,      KEYRING,  GRANTS,   ENDS,   result,            NOTHING)

MSG(VAULT_REMOVE_ASK,   CLIENT,   GATE,     OPENS,  owner_id_ask,      NOTHING)
MSG(VAULT_REMOVE_WANTED, GATE,    GRANTS,   OPENS,  owner_id_ask,      NOTHING)
MSG(VAULT_REMOVE,       GRANTS,   VAULT,    KEEPS,  one_id,            NOTHING)
MSG(PROPOSAL_DROP_ASK,  CLIENT,   GATE,     OPENS,  owner_id_ask,      NOTHING)
MSG(PROPOSAL_DROP_WANTED, GATE,   GRANTS,   OPENS,  owner_id_ask,      NOTHING)
MSG(PROPOSAL_DROP,      GRANTS,   VAULT,    KEEPS,  one_id,            NOTHING)

/* Unattended access: enrolment, grants, the ban. */
MSG(ENABLE_ASK,         CLIENT,   GATE,     OPENS,  enable_ask,        NOTHING)
MSG(ENABLE_WANTED,      GATE,     GRANTS,   OPENS,  enable_ask,        NOTHING)
MSG(ENROL,              GRANTS,   KEYRING,  OPENS,  enrol,             NOTHING)
MSG(MATERIAL_STORE,     KEYRING,  CUSTODY,  KEEPS,  material,          BOXED)
MSG(MATERIAL_STORED,    CUSTODY,  GRANTS,   ENDS,   material_stored,   SEALED)
MSG(MATERIAL_WANTED,    GRANTS,   CUSTODY,  OPENS,  custody_ref,       SEALED)
MSG(MATERIAL,           CUSTODY,  KEYRING,  KEEPS,  material,          BOXED)
MSG(MATERIAL_REFUSED,   CUSTODY,  GRANTS,   ENDS,   custody_result,    NOTHING)
MSG(KEY_LOADED,         KEYRING,  GRANTS,   ENDS,   custody_result,    NOTHING)
MSG(MATERIAL_REMOVE,    GRANTS,   CUSTODY,  OPENS,  custody_ref,       SEALED)
MSG(MATERIAL_REMOVED,   CUSTODY,  GRANTS,   ENDS,   custody_result,    NOTHING)
MSG(MINT_ASK,           CLIENT,   GATE,     OPENS,  mint_ask,          BOXED)
MSG(MINT_WANTED,        GATE,     GRANTS,   OPENS,  mint_ask,          BOXED)
MSG(GRANT_KEYS_WANTED,  GRANTS,   KEYRING,  OPENS,  grant_keys_wanted, BOXED)
MSG(GRANT_KEYS,         KEYRING,  GRANTS,   ENDS,   grant_keys_made,   SEALED)
MSG(GRANTS_ASK,         CLIENT,   GATE,     OPENS,  grants_ask,        NOTHING)
MSG(GRANTS_WANTED,      GATE,     GRANTS,   OPENS,  grants_ask,        NOTHING)
MSG(USAGE_WANTED,       GRANTS,   AUDIT,    KEEPS,  grants_page,       NOTHING)
MSG(USAGE,              AUDIT,    GATE,     ENDS,   grants_page,       NOTHING)
MSG(GRANTS_PAGE,        GATE,     CLIENT,   ENDS,   grants_page,       NOTHING)
MSG(RESUME_ASK,         CLIENT,   GATE,     OPENS,  owner_ask,         NOTHING)
MSG(RESUME_WANTED,      GATE,     GRANTS,   OPENS,  owner_ask,         NOTHING)
MSG(REVOKE_ASK,         CLIENT,   GATE,     OPENS,  revoke_ask,        NOTHING)
MSG(REVOKE_WANTED,      GATE,     GRANTS,   OPENS,  revoke_ask,        NOTHING)
MSG(GRANT_DROP,         GRANTS,   KEYRING,  OPENS,  one_id,            NOTHING)
MSG(GRANT_DROPPED,      KEYRING,  GRANTS,   ENDS,   nothing,           NOTHING)
MSG(DISABLE_ASK,        CLIENT,   GATE,     OPENS,  disable_ask,       NOTHING)
MSG(DISABLE_WANTED,     GATE,     GRANTS,   OPENS,  disable_ask,       NOTHING)

/* A log that was changed from outside; or a look at what a repair would do. */
MSG(REPAIR_ASK,         CLIENT,   GATE,     OPENS,  repair_ask,        NOTHING)
MSG(REPAIR_WANTED,      GATE,     GRANTS,   OPENS,  repair_ask,        NOTHING)
MSG(REPAIR_ALLOWED,     GRANTS,   AUDIT,    KEEPS,  repair_order,      NOTHING)
MSG(REPAIR_OVER,        AUDIT,    GATE,     ENDS,   repaired,          NOTHING)
MSG(REPAIRED,           GATE,     CLIENT,   ENDS,   repaired,          NOTHING)

/* Checkpoints: ordered by the owner, due before the keys go, and now and then. */
MSG(CHECKPOINT_ASK,     CLIENT,   GATE,     OPENS,  owner_ask,         NOTHING)
MSG(CHECKPOINT_ORDERED, GATE,     GRANTS,   OPENS,  owner_ask,         NOTHING)
MSG(CHECKPOINT_ALLOWED, GRANTS,   AUDIT,    KEEPS,  nothing,           NOTHING)
MSG(CHECKPOINT_MADE,    AUDIT,    GATE,     ENDS,   checkpoint,        NOTHING)
MSG(CHECKPOINT,         GATE,     CLIENT,   ENDS,   checkpoint,        NOTHING)
MSG(CHECKPOINT_DUE,     GRANTS,   AUDIT,    OPENS,  nothing,           NOTHING)
MSG(CHECKPOINT_OVER,    AUDIT,    GRANTS,   ENDS,   result,            NOTHING)
MSG(CHECKPOINT_WANTED,  AUDIT,    KEYRING,  OPENS,  checkpoint_wanted, NOTHING)
MSG(CHECKPOINT_SIGNED,  KEYRING,  AUDIT,    ENDS,   checkpoint_signed, NOTHING)

/* The index: built over what the vault sends sealed, with a class key that only audit's ack brings. */
MSG(SEARCH_SCOPE,       GRANTS,   SEARCH,   TELLS,  search_scope,      NOTHING)
MSG(SEARCH_BOOT,        KEYRING,  SEARCH,   TELLS,  one_id,            NOTHING)
MSG(INDEX_ASK,          SEARCH,   GRANTS,   OPENS,  index_ask,         NOTHING)
MSG(INDEX_WANTED,       GRANTS,   KEYRING,  KEEPS,  ruling,            BOXED)
MSG(INDEX_INTENT,       KEYRING,  AUDIT,    KEEPS,  intent,            TICKET)
MSG(INDEX_ACK,          AUDIT,    SEARCH,   ENDS,   ack,               TICKET)
MSG(INDEX_DENIED,       GRANTS,   SEARCH,   ENDS,   result,            NOTHING)
MSG(INDEX_REFUSED,      KEYRING,  SEARCH,   ENDS,   result,            NOTHING)
MSG(INDEX_NOT_KEPT,     AUDIT,    SEARCH,   ENDS,   result,            NOTHING)
MSG(INDEX_PAGE_WANTED,  SEARCH,   VAULT,    OPENS,  index_page_wanted, NOTHING)
MSG(INDEX_PAGE,         VAULT,    SEARCH,   ENDS,   index_page,        SEALED)
MSG(ASSET_CHANGED,      VAULT,    SEARCH,   TELLS,  asset_changed,     NOTHING)
MSG(INDEX_DROP,         GRANTS,   SEARCH,   OPENS,  nothing,           NOTHING)
MSG(INDEX_DROPPED,      SEARCH,   GRANTS,   ENDS,   nothing,           NOTHING)
MSG(SEARCH_STATE,       SEARCH,   GATE,     TELLS,  search_state,      NOTHING)

/* A query: an ASK whose text only the keyring can open; it goes on as an AUDIT_INTENT. */
MSG(QUERY_WANTED,       GRANTS,   KEYRING,  KEEPS,  ruling,            BOXED)
MSG(QUERY,              KEYRING,  SEARCH,   KEEPS,  query,             BOXED)
MSG(FOUND,              SEARCH,   GATE,     KEEPS,  found,             SEALED)
MSG(FOUND_KEY_WANTED,   SEARCH,   KEYRING,  KEEPS,  found_rows,        BOXED)
MSG(QUERY_REFUSED,      SEARCH,   GATE,     ENDS,   refusal,           NOTHING)

/* The profile: an ASK whose words only the keyring can open, which come from CLI or HTTP; it goes on as a query does. */
MSG(PROFILE_WANTED,     GRANTS,   KEYRING,  KEEPS,  ruling,            BOXED)
MSG(PROFILE_QUERY,      KEYRING,  PROFILE,  KEEPS,  query,             BOXED)
MSG(PROFILE_FOUND,      PROFILE,  GATE,     KEEPS,  found,             SEALED)
MSG(PROFILE_KEY_WANTED, PROFILE,  KEYRING,  KEEPS,  found_rows,        BOXED)
MSG(PROFILE_REFUSED,    PROFILE,  GATE,     ENDS,   refusal,           NOTHING)

/* The same for who asks over HTTP. */
MSG(HTTP_ASK,           HTTP,     GRANTS,   OPENS,  ask,               BOXED)
MSG(HTTP_FOUND,         PROFILE,  HTTP,     KEEPS,  found,             SEALED)
MSG(HTTP_INTENT,        KEYRING,  AUDIT,    KEEPS,  intent,            TICKET)
MSG(HTTP_ACK,           AUDIT,    HTTP,     ENDS,   ack,               TICKET)
MSG(HTTP_DENIED,        GRANTS,   HTTP,     ENDS,   refusal,           NOTHING)
MSG(HTTP_KEYS_REFUSED,  KEYRING,  HTTP,     ENDS,   refusal,           NOTHING)
MSG(HTTP_QUERY_REFUSED, PROFILE,  HTTP,     ENDS,   refusal,           NOTHING)
MSG(HTTP_INTENT_REFUSED, AUDIT,   HTTP,     ENDS,   refusal,           NOTHING)
MSG(HTTP_REFUSAL_NOTED, HTTP,     AUDIT,    TELLS,  noted,             NOTHING)

/* OAuth: tokens and codes never leave HTTP; grants knows their hashes. */
MSG(TOKEN_CHECK,        HTTP,     GRANTS,   OPENS,  token_check,       NOTHING)
MSG(TOKEN_FOUND,        GRANTS,   HTTP,     ENDS,   token_found,       NOTHING)
MSG(CLIENT_WANTED,      HTTP,     GRANTS,   OPENS,  client_wanted,     NOTHING)
MSG(CLIENT_FOUND,       GRANTS,   HTTP,     ENDS,   connection,        NOTHING)
MSG(CONSENT,            HTTP,     GRANTS,   OPENS,  consent,           NOTHING)
MSG(CONSENT_KEPT,       GRANTS,   HTTP,     ENDS,   one_id,            NOTHING)
MSG(CODE_REDEEM,        HTTP,     GRANTS,   OPENS,  code_redeem,       NOTHING)
MSG(TOKEN_REFRESH,      HTTP,     GRANTS,   OPENS,  token_refresh,     NOTHING)
MSG(TOKENS_KEPT,        GRANTS,   HTTP,     ENDS,   token_found,       NOTHING)
MSG(TOKEN_REVOKE,       HTTP,     GRANTS,   OPENS,  token_revoke,      NOTHING)
MSG(TOKEN_REVOKED,      GRANTS,   HTTP,     ENDS,   nothing,           NOTHING)

/* The profile's key and state. */
MSG(PROFILE_KEY_MAKE,   GRANTS,   KEYRING,  OPENS,  library,           NOTHING)
MSG(PROFILE_KEY_MADE,   KEYRING,  GRANTS,   ENDS,   profile_key,       SEALED)
MSG(PROFILE_OPEN,       GRANTS,   KEYRING,  OPENS,  profile_open,      SEALED)
MSG(PROFILE_KEY,        KEYRING,  PROFILE,  KEEPS,  profile_boxed,     BOXED)
MSG(PROFILE_NOT_OPENED, KEYRING,  GRANTS,   ENDS,   result,            NOTHING)
MSG(PROFILE_OPENED,     PROFILE,  GRANTS,   ENDS,   result,            NOTHING)
MSG(PROFILE_DROP,       GRANTS,   PROFILE,  OPENS,  nothing,           NOTHING)
MSG(PROFILE_DROPPED,    PROFILE,  GRANTS,   ENDS,   nothing,           NOTHING)
MSG(CONNECTION_GONE,    GRANTS,   PROFILE,  TELLS,  one_id,            NOTHING)
MSG(WEB_KEYS,           PROFILE,  HTTP,     TELLS,  web_keys,          BOXED)
MSG(HTTP_STATE,         GRANTS,   HTTP,     TELLS,  http_state,        NOTHING)
MSG(HTTP_LISTENS,       HTTP,     GRANTS,   TELLS,  http_listens,      NOTHING)
MSG(HTTP_BOOT,          KEYRING,  HTTP,     TELLS,  boot,              NOTHING)
MSG(CONNECTION_CHANGED, GRANTS,   HTTP,     TELLS,  one_id,            NOTHING)

/* What the owner says of it. */
MSG(PROFILE_ENABLE_ASK, CLIENT,   GATE,     OPENS,  enable_ask,        NOTHING)
MSG(PROFILE_ENABLE_WANTED, GATE,  GRANTS,   OPENS,  enable_ask,        NOTHING)
MSG(PROFILE_DISABLE_ASK, CLIENT,  GATE,     OPENS,  disable_ask,       NOTHING)
MSG(PROFILE_DISABLE_WANTED, GATE, GRANTS,   OPENS,  disable_ask,       NOTHING)
MSG(MAINTENANCE_ASK,    CLIENT,   GATE,     OPENS,  maintenance_ask,   NOTHING)
MSG(MAINTENANCE_WANTED, GATE,     GRANTS,   OPENS,  maintenance_ask,   NOTHING)
MSG(PROFILE_STATE_ASK,  CLIENT,   GATE,     OPENS,  owner_ask,         NOTHING)
MSG(PROFILE_STATE_WANTED, GATE,   GRANTS,   OPENS,  owner_ask,         NOTHING)
MSG(PROFILE_STATE_FOUND, GRANTS,  GATE,     ENDS,   profile_state,     NOTHING)
MSG(PROFILE_STATE,      GATE,     CLIENT,   ENDS,   profile_state,     NOTHING)
MSG(CONNECTIONS_ASK,    CLIENT,   GATE,     OPENS,  grants_ask,        NOTHING)
MSG(CONNECTIONS_WANTED, GATE,     GRANTS,   OPENS,  grants_ask,        NOTHING)
MSG(CONNECTIONS_USAGE_WANTED, GRANTS, AUDIT, KEEPS, connections_page,  NOTHING)
MSG(CONNECTIONS_USAGE,  AUDIT,    GATE,     ENDS,   connections_page,  NOTHING)
MSG(CONNECTIONS_PAGE,   GATE,     CLIENT,   ENDS,   connections_page,  NOTHING)
MSG(REDUCE_ASK,         CLIENT,   GATE,     OPENS,  reduce_ask,        NOTHING)
MSG(REDUCE_WANTED,      GATE,     GRANTS,   OPENS,  reduce_ask,        NOTHING)

/* What actors tell each other as they come up and change. */
MSG(LIBRARY,            GRANTS,   AUDIT,    TELLS,  library,           NOTHING)
MSG(EVENT_KEEP,         GRANTS,   AUDIT,    OPENS,  event,             NOTHING)
MSG(EVENT_KEPT,         AUDIT,    GRANTS,   ENDS,   result,            NOTHING)
MSG(LOG_BAN,            AUDIT,    GRANTS,   TELLS,  log_ban,           NOTHING)
MSG(VAULT_ANCHOR,       VAULT,    AUDIT,    TELLS,  head,              NOTHING)
MSG(GRANTS_ANCHOR,      GRANTS,   AUDIT,    TELLS,  head,              NOTHING)
MSG(VAULT_HEAD,         AUDIT,    VAULT,    TELLS,  head,              NOTHING)
MSG(GRANTS_HEAD,        AUDIT,    GRANTS,   TELLS,  head,              NOTHING)
MSG(EPOCH,              AUDIT,    KEYRING,  TELLS,  epoch,             NOTHING)
MSG(EPOCH_CERTIFIED,    KEYRING,  AUDIT,    TELLS,  certificate,       NOTHING)
MSG(BOOT,               KEYRING,  GATE,     TELLS,  boot,              NOTHING)
MSG(KEYRING_STATE,      KEYRING,  GRANTS,   TELLS,  keyring_state,     NOTHING)
MSG(STARTED,            GRANTS,   GATE,     TELLS,  nothing,           NOTHING)
