/*
 * The bodies: fixed layouts, big-endian, in the order of their fields. The
 * structs, their put and take, docs/protocol.md and the round-trip tests are
 * made from this table.
 *
 *   U8 U16 U32 U64   unsigned integers
 *   ID               16 bytes, a UUID
 *   BYTES(name, n)   exactly n bytes
 *   SPAN(name, max)  a u32 length and at most max bytes; in a taken body it
 *                    points into the frame
 *   SUB(body, name)  another body of this table, in place
 *
 * Who includes this defines BODY, and the others if it expands fields; they are
 * undefined again at the end.
 *
 * Times are milliseconds since 1970 (_wall_ms) or since boot (_boot_ms).
 */

BODY(nothing,
    U8(zero))

BODY(one_id,
    ID(id))

BODY(result,
    U16(error))                  /* enum err */

/* Who asks, as the front door saw it; the asker's own word is overwritten there. */
BODY(peer,
    U32(uid)
    U32(pid)
    U32(session)                 /* session id, 0: none */
    U64(terminal)                /* controlling terminal's device number, 0: none */
    U64(leader_start))           /* start time of the session leader, in clock ticks since boot */

BODY(owner_ask,
    SUB(peer, peer))

BODY(owner_id_ask,
    SUB(peer, peer)
    ID(id))

BODY(hello,
    U64(fingerprint))            /* of the tables, so that two builds that differ say so */

/* What the keyring says of itself and of the log's epoch; certificates by the log key or its delegate. */
BODY(boot,
    ID(boot)
    BYTES(boot_public, 32)       /* X25519 */
    U8(certified)
    SPAN(certificate, 512)       /* over the boot key */
    U8(epoch_known)
    ID(epoch)
    BYTES(epoch_public, 32)      /* Ed25519 */
    SPAN(epoch_certificate, 512)
    SPAN(earlier_certificate, 512)) /* of the epoch before, in which receipts may still be on their way; empty: none */

BODY(welcome,
    U8(initialized)
    ID(library)
    BYTES(log_public, 32)
    U8(keyring_ready)            /* what follows is valid */
    SUB(boot, boot))

BODY(refusal,
    U16(error)                   /* enum err */
    U8(authenticated)            /* the asker had a right to ask: it is recorded */
    U8(subject_kind)             /* enum log_subject */
    ID(subject)
    SPAN(detail, 1024))          /* for people: never content, never a secret */

BODY(made,
    ID(id))                      /* what the command made; zero for nothing */

/* Everything that brings keys out: a read, a page, or the keys for a new revision. */
BODY(ask,
    SUB(peer, peer)
    ID(boot)                     /* the keyring's, as the asker knows it */
    U64(client_ask)              /* the asker's own count, bound into box and ticket */
    U8(op)
    U8(surface)
    ID(vault)                    /* of the profile: the connection that the owner names; zero: none */
    ID(asset)
    ID(revision)                 /* zero: the head */
    U64(offset)
    U32(limit)
    U8(kind)                     /* of a new revision */
    U8(is_private)
    BYTES(opener, 32)            /* the asker's X25519 key */
    BYTES(token_id, 32)          /* zero: the owner asks */
    U8(grant_type)               /* enum grant_type: what the token is for; 0: the owner asks */
    SPAN(boxed_half, 72)         /* the other half of the token, boxed to the boot key */
    SPAN(boxed_query, 8232))     /* a search: its words; of the profile: a request (gateway/profile_request.h); sealed likewise */

/* Grants' decision. The MAC covers all that stands before it. */
BODY(ruling,
    SUB(ask, ask)
    U64(deadline_boot_ms)
    U8(classes)                  /* bit (1 << enum key_class) */
    U8(subject_kind)
    ID(subject)
    ID(grant)                    /* zero: the owner */
    U64(grant_revision)
    U8(grant_type)               /* enum grant_type; 0: the owner */
    U8(sudo)                     /* the owner's terminal has it */
    U8(scopes)                   /* a connection's: bit (1 << enum scope), of its token and its own */
    U8(categories)               /* bit (1 << enum category): of the asker's connection, or of the one that the owner names */
    SPAN(vaults, 1024)           /* a search: those in scope, 16 bytes each; of the owner none: all */
    SPAN(wraps, 292)             /* rows of `wrap` */
    BYTES(mac, 32))

BODY(wrap,
    U8(key_class)
    BYTES(sealed, 72))

/* One chunk key: of which class key, and derived for what. */
BODY(key_ref,
    U8(key_class)
    ID(asset)
    ID(revision)
    U8(part)
    U32(index))

BODY(keys_wanted,
    SUB(ruling, ruling)
    ID(revision)                 /* what a head resolved to; zero for a page */
    U64(length)                  /* bytes or rows that will leave */
    U16(n_refs)
    SPAN(refs, 3800))            /* rows of `key_ref` */

BODY(deposit,
    U8(more)                     /* a page: others follow */
    U16(n_items)
    SPAN(items, 221184))         /* rows of `item` */

BODY(item,
    SUB(key_ref, ref)
    U8(flags)                    /* ITEM_* of deposit.h */
    SPAN(row, 512)               /* store/revision.h; empty on content chunks */
    SPAN(heads, 256)             /* the asset's heads, 16 bytes each; a list's rows only */
    SPAN(sealed, 66000))

BODY(intent,
    U8(type)                     /* LOG_INTENT or LOG_WRITE */
    U8(surface)
    U8(subject_kind)
    ID(subject)
    U8(op)
    ID(vault)
    ID(asset)
    ID(revision)
    U64(offset)
    U64(length)
    U32(first_chunk)
    U32(n_chunks)
    U16(n_rows)
    SPAN(rows, 3200)             /* asset and revision, 32 bytes a row of a page */
    SPAN(ticket, 4096))

BODY(ack,
    U64(index)
    BYTES(commit, 207)           /* store/log_commit.h: body and signature */
    ID(asset)                    /* of a new revision */
    ID(revision)
    ID(subject)                  /* who asked, as it was recorded */
    SPAN(ticket, 4096))

BODY(answer,
    SUB(ack, ack)
    SUB(deposit, deposit))

BODY(noted,
    U16(error)
    U8(surface)
    U8(subject_kind)
    ID(subject)
    U8(op)
    ID(vault)
    ID(asset)
    ID(revision)
    U64(count))                  /* how many; more than 1 for strangers of a minute */

BODY(chunk_put,
    ID(revision)
    U32(index)
    SPAN(sealed, 65576))

BODY(revision_put,
    SPAN(row, 512)
    U8(mode)                     /* enum publish_mode */
    ID(proposal)                 /* that ends with it; zero: none */
    SPAN(sealed_head, 48)
    SPAN(sealed_title, 1064)
    SPAN(sealed_meta, 4136))

BODY(proposal_put,
    ID(grant)                    /* the gate says it, from the ack of its ask */
    SPAN(row, 512)
    SPAN(sealed_head, 48)
    SPAN(sealed_title, 1064)
    SPAN(sealed_meta, 4136))

BODY(name_put,
    ID(vault)
    ID(revision)
    U64(created_wall_ms)
    SPAN(sealed, 296))

BODY(state,
    U8(initialized)
    ID(library)
    BYTES(log_public, 32)
    U8(unlocked)
    U8(enrolled)
    U8(loaded)
    U16(unattended_error)        /* why the key is not loaded; 0: no reason to say */
    U8(unattended_detail)        /* enum custody_detail */
    U8(manual_lock)
    U8(inhibited)
    U8(sleep_word)               /* enum sleep_word */
    U8(profile_phase)            /* enum http_phase */
    SPAN(backend, 31))

BODY(log_state,
    U64(size)
    BYTES(root, 32)
    U8(state)                    /* enum log_state */
    U16(failure)                 /* enum err */
    U64(checkpoint_size)         /* of the newest one; 0: none */
    U64(checkpoint_wall_ms)
    SPAN(file_system, 31))       /* its name where it is not one that the log's promise is for */

BODY(search_state,
    U8(state)                    /* enum search_phase */
    U64(documents)
    U64(bytes)
    U64(locked_bytes))

BODY(status,
    SUB(state, state)
    SUB(log_state, log)
    SUB(search_state, search)
    SPAN(weakened, 512))         /* words with a comma between them */

BODY(kdf,
    U32(passes)
    U32(memory_kib)
    BYTES(salt, 16))

BODY(library_init,
    SUB(peer, peer)
    ID(library)
    ID(device)
    U64(created_wall_ms)
    BYTES(log_public, 32)
    BYTES(sealed_log_key, 72)
    SUB(kdf, kdf)
    BYTES(sealed_root, 72))

BODY(kek_offer,
    SUB(peer, peer)
    U64(client_ask)
    BYTES(opener, 32)
    BYTES(boxed_kek, 72))

BODY(kek_try,
    U8(load)                     /* 1: unlock with it; 0: only try it, for sudo */
    U64(client_ask)
    BYTES(opener, 32)
    BYTES(boxed_kek, 72)
    SUB(kdf, kdf)
    ID(library)
    BYTES(sealed_root, 72)
    BYTES(sealed_log_key, 72))

/* A new password: the key that it gives, and how. */
BODY(passwd_offer,
    SUB(peer, peer)
    U64(client_ask)
    BYTES(opener, 32)
    BYTES(boxed_kek, 72)
    SUB(kdf, kdf))

BODY(rewrap,
    SUB(passwd_offer, offer)
    ID(library))

BODY(rewrapped,
    BYTES(sealed_root, 72))

BODY(setting_ask,
    SUB(peer, peer)
    U8(what)                     /* enum log_config */
    ID(id))                      /* the device; zero */

BODY(device,
    ID(device)
    U64(added_wall_ms)
    U8(member))

BODY(keys_drop,
    U8(password)                 /* what the password opened */
    U8(unattended)               /* what custody gave */
    U8(profile)                  /* what the profile's own custody gave */
    U8(closes))                  /* and the profile is closed, whatever else there is */

BODY(vault_keys_made,
    ID(vault)
    BYTES(sealed, 288))          /* four class keys of 72 bytes, in the order of enum key_class */

BODY(enable_ask,
    SUB(peer, peer)
    SPAN(backend, 31))

BODY(sleep,
    SUB(peer, peer)
    U8(word))                    /* enum sleep_word */

BODY(disable_ask,
    SUB(peer, peer)
    U8(leave))                   /* 1: the backend is not asked to remove the material */

BODY(custody_ref,
    U8(purpose)                  /* enum custody_purpose */
    ID(enrolment)
    ID(library)
    SPAN(backend, 31)
    BYTES(sealed_unattended, 72) /* or the key of another purpose */
    BYTES(sealed_profile, 72)    /* the profile's key under that one; zero for other purposes */
    BYTES(sealed_delegate, 72)
    SPAN(delegation, 128))

BODY(enrol,
    U8(purpose)
    BYTES(sealed_profile, 72)    /* the profile's key under the root key */
    ID(enrolment)
    ID(library)
    SPAN(backend, 31)
    SPAN(context, 128))         /* escrow/custody.h: what the envelope is bound to */

BODY(material,
    SUB(custody_ref, ref)
    SPAN(context, 128)
    BYTES(boxed, 72))

BODY(material_stored,
    SUB(custody_ref, ref)
    U16(error)
    U8(detail))                  /* enum custody_detail: what there is to say besides */

BODY(custody_result,
    U8(purpose)                  /* enum custody_purpose */
    U16(error)
    U8(detail))                  /* enum custody_detail */

BODY(mint_ask,
    SUB(peer, peer)
    U64(client_ask)
    BYTES(opener, 32)
    BYTES(token_id, 32)
    SPAN(boxed_half, 72)
    U64(expires_wall_ms)
    U8(grant_type)
    U8(classes)                  /* bit (1 << enum key_class) */
    U8(may_propose)
    SPAN(label, 128)
    SPAN(vaults, 1024))          /* 16 bytes each */

BODY(grant_keys_wanted,
    ID(grant)
    SUB(mint_ask, mint)
    SPAN(wraps, 19712))          /* rows of `vault_keys_made`, under the root key */

BODY(grant_keys_made,
    ID(grant)
    SPAN(wraps, 19712))          /* the same rows, under the grant's key */

BODY(grants_ask,
    SUB(peer, peer)
    U8(grant_type)               /* only those */
    U64(offset)
    U32(limit))

BODY(revoke_ask,
    SUB(peer, peer)
    U8(grant_type)               /* another's id is not found */
    ID(grant))

BODY(grants_page,
    SUB(state, state)
    U64(offset)
    U8(more)
    U16(n_rows)
    SPAN(rows, 124000))          /* rows of `grant_row` */

BODY(grant_row,
    ID(grant)
    U64(created_wall_ms)
    U64(expires_wall_ms)
    U64(last_used_wall_ms)       /* 0: never */
    U64(reads)
    U8(grant_type)
    U8(classes)
    U8(may_propose)
    U8(expired)
    SPAN(label, 128)
    SPAN(vaults, 1024))

BODY(library,
    ID(library)
    BYTES(log_public, 32))

BODY(event,
    U8(type)                     /* enum log_type */
    U8(outcome)
    U8(surface)
    U8(subject_kind)
    ID(subject)
    U16(error)
    U8(config)                   /* enum log_config; 0: another type */
    U8(grant_type)               /* LOG_GRANT: of what was minted */
    ID(about))

BODY(log_ban,
    U8(manual_lock))

/* How far the log reaches, at the end of a group, or was known to. */
BODY(head,
    U32(repairs)
    U64(size)                    /* 0: none is known */
    BYTES(root, 32))

BODY(repair_ask,
    SUB(peer, peer)
    U8(look))                    /* 1: only say what there is to repair */

BODY(repair_order,
    U8(look)
    ID(subject))                 /* the terminal, as the log names it */

/* What holds and what is given up; of a log that is not failed, how far it reaches and what its last repair gave up. */
BODY(repaired,
    U16(error)
    U8(failed)
    U32(repairs)                 /* with this one */
    U64(found_size)
    BYTES(found_root, 32)
    U64(lost_size)
    BYTES(lost_root, 32))

BODY(checkpoint,
    U16(error)
    SPAN(note, 512))             /* store/log_note.h */

/* The keyring makes the text itself from these. */
BODY(checkpoint_wanted,
    ID(library)
    U64(size)
    BYTES(root, 32))

BODY(checkpoint_signed,
    U16(error)
    BYTES(public_key, 32)        /* the log key, or the delegate that signed in its place */
    SPAN(note, 512))

BODY(epoch,
    ID(epoch)
    BYTES(epoch_public, 32))

BODY(certificate,
    SPAN(certificate, 512))

BODY(keyring_state,
    U8(unlocked)
    U8(loaded)
    U8(profile_loaded))          /* what the profile's custody gave */

/* The vaults that there are keys for, 16 bytes each; while locked none. */
BODY(search_scope,
    U8(unlocked)
    SPAN(vaults, 65536))

BODY(index_ask,
    ID(vault)
    ID(boot))                    /* the keyring's, as search knows it */

BODY(index_page_wanted,
    ID(vault)
    ID(asset)                    /* the first to come */
    U8(only)                     /* 1: that asset and no other; with a zero id only whether there is such a vault */
    ID(revision)                 /* zero, or of that asset: the one whose chunks follow */
    U32(first_chunk))

/* Ordinary assets whole, each its first head that is no tombstone; a long one over several pages. */
BODY(index_page,
    U16(error)
    U8(more)                     /* what follows says where to go on */
    ID(next_asset)
    ID(next_revision)
    U32(next_chunk)
    U16(n_items)
    SPAN(items, 200000))         /* rows of `item`: a head, then its chunks */

BODY(asset_changed,
    ID(vault)
    ID(asset))                   /* zero: the vault itself, made or removed */

/* Text and result key, sealed under what keyring and search share. */
BODY(query,
    SUB(ruling, ruling)
    SPAN(sealed, 8264))

BODY(found,
    U8(more)
    SPAN(sealed, 66000))         /* gateway/found.h, under the result key */

BODY(found_rows,
    SUB(ruling, ruling)
    U16(n_rows)
    SPAN(rows, 3200))            /* asset and revision of each that is in what was found */

/* A token, a code and a client are named by hashes: gateway/oauth_hash.h. Grants finds by them, and keeps nothing else. */
BODY(token_check,
    BYTES(token, 32))

BODY(token_found,
    ID(connection)
    U8(scopes)                   /* bit (1 << enum scope): now, of the token and the connection */
    U8(categories)               /* bit (1 << enum category): now */
    U64(left_ms)                 /* how long the access token still lasts */
    U64(refresh_left_ms))        /* of TOKENS_KEPT: how long it can be refreshed */

BODY(client_wanted,
    BYTES(client, 32)
    BYTES(redirect, 32))         /* hash of the redirect URI as it is registered */

BODY(connection,
    ID(connection)               /* zero: that client has none */
    U64(created_wall_ms)
    U64(last_used_wall_ms)       /* 0: never, or not known */
    U64(reads)
    U64(ends_wall_ms)            /* of its refresh tokens; 0: it has none */
    U8(scopes)
    U8(categories)
    U8(revoked)                  /* enum connection_end; 0: it lives */
    SPAN(name, 320)              /* as the client calls itself */
    SPAN(redirect, 2000))        /* as it is registered */

/* The owner has consented: a connection, new or of before, and a code for it. */
BODY(consent,
    BYTES(client, 32)
    BYTES(redirect_hash, 32)     /* as client_wanted's */
    BYTES(redirect_given, 32)    /* hash of the redirect URI as it was in the request */
    BYTES(code, 32)
    BYTES(challenge, 32)         /* PKCE S256 */
    U8(scopes)
    U8(categories)
    SPAN(name, 320)
    SPAN(redirect, 2000))

BODY(code_redeem,
    BYTES(code, 32)
    BYTES(client, 32)
    U8(has_redirect)
    BYTES(redirect_given, 32)
    BYTES(challenge, 32)         /* SHA-256 of the verifier */
    BYTES(access, 32)            /* the tokens that are issued if it holds */
    BYTES(refresh, 32))

BODY(token_refresh,
    BYTES(token, 32)
    BYTES(client, 32)
    U8(scopes)                   /* wanted; 0: as before */
    BYTES(access, 32)
    BYTES(refresh, 32))

BODY(token_revoke,
    BYTES(token, 32)             /* access or refresh */
    BYTES(client, 32))

BODY(profile_key,
    BYTES(sealed, 72))           /* under the root key */

/* Which of the two seals the keyring opens: the root's while it is unlocked, else that of the custody's key. */
BODY(profile_open,
    ID(library)
    BYTES(sealed, 72)
    BYTES(sealed_custody, 72))   /* zero: there is none */

BODY(profile_boxed,
    BYTES(boxed, 72))            /* under what keyring and profile share */

/* What the pages need: a key for client ids and cookies, and the verifier of the profile's password. */
BODY(web_keys,
    SPAN(boxed, 256))            /* gateway/web_keys.h, under what profile and HTTP share; empty: it is closed */

BODY(http_state,
    U8(phase)                    /* enum http_phase */
    U8(initialized)
    ID(library)
    BYTES(log_public, 32)
    SPAN(message, 1200))         /* of maintenance: the owner's words */

BODY(http_listens,
    U16(error)                   /* enum err: why it does not */
    U8(listening)
    U8(tls)
    SPAN(address, 128)           /* "127.0.0.1:8787" */
    SPAN(origin, 512))

BODY(maintenance_ask,
    SUB(peer, peer)
    U8(on)
    SPAN(message, 1200))

BODY(profile_state,
    U8(phase)                    /* enum http_phase */
    U8(exists)                   /* it was enabled once */
    U8(enabled)
    U8(opened)                   /* its key is in the profile's process */
    U8(loaded)                   /* by custody: the key-only start holds */
    U8(banned)                   /* of key-only starts */
    U16(custody_error)           /* why custody did not load it; 0: no reason to say */
    U16(open_error)              /* why it is not open though it could be; 0: no reason to say */
    U32(connections)             /* that live */
    SPAN(backend, 31)            /* "": by the password alone */
    SPAN(message, 1200)
    SUB(http_listens, http))

BODY(connections_page,
    U64(offset)
    U8(more)
    U16(n_rows)
    SPAN(rows, 240000))          /* rows of `connection` */

BODY(reduce_ask,
    SUB(peer, peer)
    ID(connection)
    U8(scopes)                   /* those to be left; what it does not have is refused */
    U8(categories)
    U8(end))                     /* 1: revoke it */

#undef BODY
#undef U8
#undef U16
#undef U32
#undef U64
#undef ID
#undef BYTES
#undef SPAN
#undef SUB
