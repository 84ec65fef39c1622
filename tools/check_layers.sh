#!/bin/sh
# check_layers: which folder may include which, where each library may be used,
# who may call what makes an ack or opens a deposit, and calls that nobody may
# make. Prints each offending line; exit 1 if there was one.
#
#   tools/check_layers.sh [ROOT]

root=${1:-$(dirname "$0")/..}
cd "$root" || exit 2
folders="mailbox escrow store gateway actors tools"
bad=0

# refuse WHY PATTERN ALLOWED FOLDER...: no line of those folders may match, but in files that match ALLOWED.
refuse() {
	why=$1 pattern=$2 allowed=$3
	shift 3
	found=$(grep -rnE --include='*.[ch]' "$pattern" "$@" | grep -vE "^($allowed):")
	[ -z "$found" ] && return
	printf '%s:\n%s\n' "$why" "$found"
	bad=1
}

# Each folder includes itself and those before it.
later=$folders
for folder in $folders; do
	later=${later#"$folder"}
	later=${later# }
	[ -z "$later" ] && break
	refuse "$folder includes from a folder above it" "#include \"($(echo "$later" | tr ' ' '|')|tests)/" none "$folder"
done
refuse "the program includes a test" '#include "tests/' none $folders

# One library, one place.
refuse "nng outside mailbox/edge*.c and front*.c" '#include <nng/' 'mailbox/(edge|front)[a-z_]*\.[ch]' $folders
refuse "LMDB outside store/" '#include <lmdb\.h>' 'store/[a-z_]*\.[ch]' $folders
refuse "libsodium outside escrow/" '#include <sodium' 'escrow/[a-z_]*\.[ch]' $folders
# Hashes and the HMACs of one-time codes, which libsodium has no SHA-1 for.
refuse "nettle outside escrow/hash.c and otp.c" '#include <nettle/' 'escrow/(hash|otp)\.c' $folders
refuse "utf8proc outside store/search_fold.c" '#include <utf8proc' 'store/search_fold\.c' $folders
refuse "libsystemd outside escrow/sd_bus, secret_service and sleep" '#include <systemd/|dlopen\(' 'escrow/sd_bus\.[ch]' $folders
refuse "a bus outside escrow/secret_service*.c and sleep.c" '#include "escrow/(sd_bus|secret_service_inside)' 'escrow/(sd_bus\.c|(secret_service|sleep)[a-z_]*\.[ch])' $folders
refuse "libevent or libseccomp outside actors/" '#include <(event|seccomp)' 'actors/[a-z_]*\.[ch]' $folders
refuse "OpenSSL outside actors/http_tls.c" '#include <openssl' 'actors/http_tls\.c' $folders
refuse "cJSON outside gateway/json.c" '#include <cjson|cJSON_[A-Z]' 'gateway/json\.c' $folders

# The rule: acks come from a receipt, in one place, and open a deposit in one place. A benchmark plays both ends.
refuse "a second caller of escrow_open" 'escrow_open\(' 'escrow/(ack\.h|ticket\.c)|gateway/client_ask\.c|actors/http_ask_answer\.c|tools/bench[a-z_]*\.c' $folders
refuse "a second caller of ack_accept" 'ack_accept\(' 'escrow/(ack\.h|ticket\.c)|gateway/client_ask\.c|actors/(search_build|http_ask_answer)\.c|tools/bench[a-z_]*\.c' $folders
refuse "a second user of receipts" 'log_receipt_bytes\(' 'store/log\.[ch]|actors/audit_group\.c|tools/bench[a-z_]*\.c' $folders
refuse "a second maker of acks" 'outbox_put\([^;]*MSG_(AUDIT|INDEX|HTTP)_ACK' 'actors/audit_group\.c' $folders

# What corrupts, guesses or runs a shell.
refuse "a call that nobody may make" '(^|[^a-zA-Z0-9_])(nng_msg_insert|cJSON_GetObjectItem|strcpy|strcat|sprintf|vsprintf|system|popen|gets|alloca|rand|srand)[ ]*\(' none $folders

exit $bad
