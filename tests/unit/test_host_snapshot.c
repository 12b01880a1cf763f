/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/batch.h"
#include "record/format.h"
#include "collect/facts/host_snapshot.h"

#include "build_id_notes.h"
#include "fake_host.h"
#include "leaks.h"
#include "session/session.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/utsname.h>

TEST_SUITE_WITHOUT_LEAKS(host_snapshot);

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000010 t local\n"
			       "ffffffff81000020 W weak\n"
			       "ffffffff82000000 R _etext\n"
			       "ffffffff82000100 D some_data\n"
			       "ffffffffc0000010 t first_init\t[first]\n"
			       "ffffffffc0000020 d first_data\t[first]\n"
			       "ffffffffc0009010 t kmt_probe\t[kmt_own]\n"
			       "ffffffffc0009020 T freed_init\t[first]\n";
static const char hidden_kallsyms[] = "0000000000000000 T _stext\n"
				      "0000000000000000 T _etext\n"
				      "0000000000000000 t first_init\t[first]\n";
static const char modules[] = "first 16384 1 second, Live 0xffffffffc0000000 (OE)\n"
			      "kmt_own 16384 0 - Live 0xffffffffc0009000\n"
			      "coming 16384 0 - Loading 0xffffffffc0008000\n"
			      "cut 12\n";

/* What the batches of a stream say, as text. */
typedef struct {
	GString *symbols;
	GString *modules;
	GString *sections;
	RunInfo *info;
	uint32_t epoch;
} Stream;

static GString **text_of(Stream *stream, uint8_t kind)
{
	if (kind == KMT_BATCH_SYMBOLS)
		return &stream->symbols;
	return kind == KMT_BATCH_MODULES ? &stream->modules : &stream->sections;
}

static void take_batch(const Batch *batch, void *user_data)
{
	Stream *stream = user_data;
	const char *text = (const char *)batch->content + sizeof(struct KmtText);
	struct KmtText head;

	if (batch->header.kind == KMT_BATCH_INFO) {
		run_info_read_batch(stream->info, batch);
		return;
	}
	memcpy(&head, batch->content, sizeof(head));
	stream->epoch = head.epoch;
	g_string_append_len(*text_of(stream, batch->header.kind), text, head.text_bytes);
}

static Stream stream_read(const GByteArray *bytes)
{
	Stream stream = { g_string_new(NULL), g_string_new(NULL), g_string_new(NULL),
			  run_info_new(), 0 };
	BatchReader *reader = batch_reader_new(take_batch, &stream);

	batch_reader_feed(reader, bytes->data, bytes->len);
	cr_expect(eq(u64, batch_reader_totals(reader).damaged, 0));
	batch_reader_free(reader);
	return stream;
}

static void stream_clear(Stream *stream)
{
	g_string_free(stream->symbols, TRUE);
	g_string_free(stream->modules, TRUE);
	g_string_free(stream->sections, TRUE);
	run_info_free(stream->info);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Stream, stream_clear)

static FakeHost *host_new(void)
{
	FakeHost *root = fake_host_new();

	fake_host_write(root, "proc/kallsyms", kallsyms);
	fake_host_write(root, "proc/modules", modules);
	fake_host_write(root, "proc/sys/kernel/random/boot_id", "1234-abcd\n");
	fake_host_set_cpus_online(root, "0-2,5\n");
	fake_host_write(root, "sys/devices/system/cpu/possible", "0-7\n");
	fake_host_write_bytes(root, "sys/module/first/notes/.note.gnu.build-id", build_id_note,
			      sizeof(build_id_note) - 1);
	fake_host_write(root, "sys/module/first/sections/.text", "0xffffffffc0000000\n");
	fake_host_write(root, "sys/module/first/sections/.data", "0xffffffffc0002000\n");
	/* Freed, and perhaps in use for another module. */
	fake_host_write(root, "sys/module/first/sections/.init.text", "0xffffffffc0100000\n");
	fake_host_write(root, "sys/module/kmt_own/sections/.text", "0xffffffffc0009000\n");
	fake_host_write_bytes(root, "sys/kernel/notes", two_notes, sizeof(two_notes) - 1);
	return root;
}

/* Returns what is first written of this host, without the probe module. */
static Stream stream_without_own(void)
{
	g_autoptr(FakeHost) root = host_new();
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(root);
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	host_snapshot_ignore_module(snapshot, "kmt_own");
	host_snapshot_write(snapshot, bytes);
	return stream_read(bytes);
}

Test(host_snapshot, facts_name_the_host)
{
	g_autoptr(FakeHost) root = host_new();
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(root);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_auto(Stream) stream = { 0 };
	struct utsname names;

	uname(&names);
	host_snapshot_write(snapshot, bytes);
	stream = stream_read(bytes);
	cr_expect(eq(str, (char *)run_info_text(stream.info, KMT_FIELD_BOOT_ID), "1234-abcd"));
	cr_expect(eq(str, (char *)run_info_text(stream.info, KMT_FIELD_RELEASE), names.release));
	cr_expect(eq(u64, run_info_number(stream.info, KMT_FIELD_CPUS_ONLINE, 0), 4));
	cr_expect(eq(u64, run_info_number(stream.info, KMT_FIELD_CPUS_POSSIBLE, 0), 8));
	cr_expect(
		eq(u64, run_info_number(stream.info, KMT_FIELD_TEXT_START, 0), 0xffffffff81000000));
	cr_expect(eq(u64, run_info_number(stream.info, KMT_FIELD_TEXT_END, 0), 0xffffffff82000000));
	cr_expect(eq(u64, run_info_number(stream.info, KMT_FIELD_ADDRESSES_HIDDEN, 9), 0));
	cr_expect(ne(u64, run_info_number(stream.info, KMT_FIELD_REALTIME_NS, 0), 0));
	cr_expect(eq(ptr, (void *)host_snapshot_hidden(snapshot), NULL));
	cr_expect(eq(ptr, (void *)host_snapshot_look_hidden(snapshot), NULL));
}

Test(host_snapshot, text_symbols_and_live_modules_are_kept)
{
	g_auto(Stream) stream = stream_without_own();

	cr_expect(eq(str, stream.symbols->str,
		     (char *)"ffffffff81000000 T _stext\n"
			     "ffffffff81000010 t local\n"
			     "ffffffff81000020 W weak\n"
			     "ffffffff82000000 R _etext\n"
			     "ffffffffc0000010 t first_init\t[first]\n"));
	cr_expect(eq(str, stream.modules->str,
		     (char *)"kernel 0 0x0 01020304\n"
			     "first 16384 0xffffffffc0000000 deadbeef\n"));
	cr_expect(eq(u32, stream.epoch, 0));
}

Test(host_snapshot, sections_with_code_are_kept)
{
	g_auto(Stream) stream = stream_without_own();

	cr_expect(eq(str, stream.sections->str, "first .text 0xffffffffc0000000\n"));
}

Test(host_snapshot, the_written_batches_give_names)
{
	g_autoptr(FakeHost) root = host_new();
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(root);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = session_new(64 << 20);
	Symbol symbol;

	host_snapshot_write(snapshot, bytes);
	made_session_feed(session, bytes);
	cr_assert(symbol_store_lookup(session->symbols, 0, 0xffffffff81000018, &symbol));
	cr_expect(eq(str, (char *)symbol.name, "local"));
	cr_expect(eq(ptr, (void *)symbol.module, NULL));
	cr_assert(symbol_store_lookup(session->symbols, 0, 0xffffffffc0000018, &symbol));
	cr_expect(eq(str, (char *)symbol.name, "first_init"));
	cr_expect(eq(str, (char *)symbol.module, "first"));
}

Test(host_snapshot, only_changed_modules_make_an_epoch)
{
	g_autoptr(FakeHost) root = host_new();
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(root);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_auto(Stream) stream = { 0 };

	host_snapshot_ignore_module(snapshot, "kmt_own");
	host_snapshot_write(snapshot, bytes);
	g_byte_array_set_size(bytes, 0);
	cr_expect(not(host_snapshot_update(snapshot, bytes)));
	/* Users, and the probe module itself, change nothing. */
	fake_host_write(root, "proc/modules", "first 16384 7 - Live 0xffffffffc0000000\n");
	cr_expect(not(host_snapshot_update(snapshot, bytes)));
	cr_expect(eq(sz, bytes->len, 0));
	fake_host_write(root, "proc/modules",
			"first 16384 7 - Live 0xffffffffc0000000\n"
			"other 4096 0 - Live 0xffffffffc0100000\n");
	fake_host_write(root, "proc/kallsyms",
			"ffffffff81000000 T _stext\nffffffffc0100000 t other_init\t[other]\n");
	cr_expect(host_snapshot_update(snapshot, bytes));
	cr_expect(not(host_snapshot_update(snapshot, bytes)));
	stream = stream_read(bytes);
	cr_expect(eq(u32, stream.epoch, 1));
	cr_expect(eq(str, stream.symbols->str, (char *)"ffffffffc0100000 t other_init\t[other]\n"));
	cr_expect(eq(str, stream.modules->str,
		     (char *)"kernel 0 0x0 01020304\n"
			     "first 16384 0xffffffffc0000000 deadbeef\n"
			     "other 4096 0xffffffffc0100000 -\n"));
}

static void expect_hidden(const char *kptr_restrict, const char *remedy)
{
	g_autoptr(FakeHost) root = host_new();
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(root);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_auto(Stream) stream = { 0 };

	fake_host_write(root, "proc/kallsyms", hidden_kallsyms);
	fake_host_write(root, "proc/sys/kernel/kptr_restrict", kptr_restrict);
	host_snapshot_write(snapshot, bytes);
	stream = stream_read(bytes);
	cr_expect(eq(u64, run_info_number(stream.info, KMT_FIELD_ADDRESSES_HIDDEN, 0), 1));
	cr_expect(not(stream.info->known[KMT_FIELD_TEXT_START]));
	cr_assert(ne(ptr, (void *)host_snapshot_hidden(snapshot), NULL));
	cr_expect(ne(ptr, strstr(host_snapshot_hidden(snapshot), remedy), NULL), "%s",
		  host_snapshot_hidden(snapshot));
	cr_expect(eq(str, (char *)host_snapshot_look_hidden(snapshot),
		     (char *)host_snapshot_hidden(snapshot)));
}

Test(host_snapshot, hidden_addresses_are_reported_with_the_remedy)
{
	expect_hidden("2\n", "sysctl kernel.kptr_restrict=1");
	expect_hidden("1\n", "run as root");
	expect_hidden("0\n", "run as root");
}

Test(host_snapshot, a_host_without_these_files_is_described_as_far_as_possible)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(root);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_auto(Stream) stream = { 0 };

	host_snapshot_write(snapshot, bytes);
	cr_expect(not(host_snapshot_update(snapshot, bytes)));
	stream = stream_read(bytes);
	cr_expect(ge(uint, host_snapshot_cpus_online(snapshot), 1));
	cr_expect(eq(str, stream.modules->str, (char *)"kernel 0 0x0 -\n"));
	cr_expect(eq(str, stream.symbols->str, (char *)""));
}
