# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# once: 6.12
# Modules that --sign-key signed: the kernel's tools, and openssl, find the signature of the whole module.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. /tmp/cases/lib.sh

signed=$modules/kmt_signed.ko

equals 'modinfo: who signed' 'kmalloc-top check-vm' "$(modinfo -F signer "$signed")"
equals "modinfo: with the kernel's hash" "$(cat "$modules/kmt_signed.hash")" "$(modinfo -F sig_hashalgo "$signed")"
equals 'the module that was not signed has no signature' '' "$(modinfo -F signer "$module")"

# take_apart FILE: what was signed to body, the signature to signature. The file ends with the signature, 12
# bytes of which the last four are its length, and a mark (include/linux/module_signature.h).
take_apart()
{
	local mark='~Module signature appended~' size length
	size=$(($(stat -c %s "$1") - ${#mark} - 1))
	equals 'the mark of a signature' "$mark" "$(tail -c +$((size + 1)) "$1")"
	length=$((0x$(head -c "$size" "$1" | tail -c 4 | od -A n -t x1 | tr -d ' \n')))
	head -c $((size - 12 - length)) "$1" > body
	head -c $((size - 12)) "$1" | tail -c "$length" > signature
}

# is_signature_of FILE: whether the key of kmt_signed.der signed that.
is_signature_of()
{
	openssl cms -verify -binary -inform DER -in signature -content "$1" -certfile cert.pem -nointern \
		-noverify -out /dev/null
}

openssl x509 -inform DER -in "$modules/kmt_signed.der" -out cert.pem
take_apart "$signed"
holds 'openssl: the key signed the module' is_signature_of body
sed 's/kmt_/kmu_/' body > changed
fails_to() { ! "$@" 2> /dev/null; }
holds 'openssl: but no other one' fails_to is_signature_of changed

kmalloc-top --module "$signed" "$every_event" "${only_pipes[@]}" -c 'workload pipe 100' > report 2> errors
status=$?
is_complete 'the signed module'
equals 'the signed module: counted' 200 "$(report_count report)"
