# Sourced by the scripts beside it: makes sure that packages are there, and builds.

say() {
	printf '\n== %s\n' "$*"
}

# Which of the packages on standard input are not installed. A tool that is
# there without its package (Node from elsewhere) counts as installed.
missing_packages() {
	while read -r package; do
		case $package in
		nodejs) command -v node >/dev/null && continue ;;
		vim-tiny) command -v vi >/dev/null && continue ;;
		npm|clang|python3|git) command -v "$package" >/dev/null && continue ;;
		esac
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
	done
}

# Installs what the named lists beside this file hold, as root or with sudo.
need_packages() {
	local here wanted as_root=
	here=$(dirname "${BASH_SOURCE[0]}")
	wanted=$(cd "$here" && cat "$@" | missing_packages)
	[ -n "$wanted" ] || return 0
	if [ "$(id -u)" -ne 0 ]; then
		as_root=sudo
		command -v sudo >/dev/null || { echo "run this as root once, to install: $wanted" >&2; return 1; }
	fi
	say "installing" $wanted
	$as_root apt-get -o DPkg::Lock::Timeout=300 -qq update || true
	# shellcheck disable=SC2086
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq install -y \
		--no-install-recommends $wanted >/dev/null
}

# build FOLDER [cmake option …]: configures and builds all of it.
build() {
	local folder=$1
	shift
	cmake -S "$(dirname "${BASH_SOURCE[0]}")/.." -B "$folder" -G Ninja "$@" >"$folder.log" 2>&1 &&
		cmake --build "$folder" -j "$(nproc)" >>"$folder.log" 2>&1 ||
		{ tail -40 "$folder.log" >&2; return 1; }
}
