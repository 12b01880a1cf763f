/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the code of the kernel and its modules lay, by epoch: ranges of modules and of their
 * sections, and the distinct files that these ranges are of. Filled from modules and sections
 * batches, with limits for hostile streams. line_places.c and frame_namer.c ask it for the file and
 * offset of an address.
 */
#include "symbols/code_objects.h"

#include "base/address_ranges.h"
#include "base/build_id.h"
#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/saturate.h"
#include "base/text_part.h"
#include "base/text_pool.h"
#include "record/batch.h"
#include "record/format.h"
#include "symbols/epoch_list.h"
#include "symbols/symbol_list.h"

#include <string.h>

/* Limits for streams with endless new modules. */
enum {
	WORD_BYTES_MAX = 64, /* names of modules and sections */
	OBJECTS_MAX = 1 << 16,
	RANGES_MAX = 1 << 20, /* of all epochs */
};

/* A module of an epoch. */
typedef struct {
	uint64_t bytes;
	guint object; /* number, without section */
} Module;

typedef struct {
	GHashTable *modules; /* (element-type utf8 Module), owned, by name */
	/* Ids are numbers of objects. */
	AddressRanges *of_modules;
	AddressRanges *of_sections;
} Epoch;

struct CodeObjects {
	GPtrArray *objects;  /* (element-type CodeObject), owned */
	GHashTable *numbers; /* (element-type utf8 guint), owned: by everything in the object */
	TextPool *texts;
	EpochList *epochs; /* (element-type Epoch), owned */
	guint ranges;
	guint kernel; /* number of that object plus one; 0: none */
	uint64_t text_start, text_end;
};

static void epoch_free(gpointer data)
{
	Epoch *epoch = data;

	g_hash_table_unref(epoch->modules);
	address_ranges_free(epoch->of_modules);
	address_ranges_free(epoch->of_sections);
	g_free(epoch);
}

CodeObjects *code_objects_new(void)
{
	CodeObjects *objects = g_new0(CodeObjects, 1);

	objects->objects = g_ptr_array_new_with_free_func(g_free);
	objects->numbers = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	objects->texts = text_pool_new();
	objects->epochs = epoch_list_new(epoch_free);
	return objects;
}

void code_objects_free(CodeObjects *objects)
{
	if (!objects)
		return;
	g_ptr_array_unref(objects->objects);
	g_hash_table_unref(objects->numbers);
	text_pool_free(objects->texts);
	epoch_list_free(objects->epochs);
	g_free(objects);
}

/* Returns the epoch, adding it if new; NULL above the limit. */
static Epoch *epoch_intern(CodeObjects *objects, uint32_t number)
{
	Epoch *epoch = epoch_list_get(objects->epochs, number);

	if (epoch || epoch_list_is_full(objects->epochs))
		return epoch;
	epoch = g_new0(Epoch, 1);
	epoch->modules = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, g_free);
	epoch->of_modules = address_ranges_new();
	epoch->of_sections = address_ranges_new();
	epoch_list_add(objects->epochs, number, epoch);
	return epoch;
}

static const CodeObject *object_at(const CodeObjects *objects, guint number)
{
	hot_assert(number < objects->objects->len);
	return g_ptr_array_index(objects->objects, number);
}

static char *key_of(const CodeObject *object)
{
	if (!object->build_id)
		return NULL;
	if (object->kind == CODE_OF_KERNEL)
		return g_strconcat("k:", object->build_id, NULL);
	return object->section ? g_strconcat("m:", object->build_id, ":", object->section, NULL)
			       : NULL;
}

/* Returns the number of an object, adding it if new; OBJECTS_MAX above the limit. */
static guint object_intern(CodeObjects *objects, const CodeObject *wanted)
{
	g_autofree char *all =
		g_strjoin(" ", wanted->name, wanted->build_id ? wanted->build_id : "-",
			  wanted->section, NULL);
	gpointer known = g_hash_table_lookup(objects->numbers, all);
	g_autofree char *key = key_of(wanted);
	CodeObject *object;

	if (known)
		return GPOINTER_TO_UINT(known) - 1;
	if (objects->objects->len == OBJECTS_MAX)
		return OBJECTS_MAX;
	object = g_new(CodeObject, 1);
	*object = (CodeObject){
		.kind = wanted->kind,
		.name = text_pool_keep(objects->texts, wanted->name),
		.build_id = text_pool_keep(objects->texts, wanted->build_id),
		.section = text_pool_keep(objects->texts, wanted->section),
		.key = text_pool_keep(objects->texts, key),
	};
	g_ptr_array_add(objects->objects, object);
	g_hash_table_insert(objects->numbers, g_steal_pointer(&all),
			    GUINT_TO_POINTER(objects->objects->len));
	return objects->objects->len - 1;
}

/* Returns a copy of a word; NULL if it is empty or too long. */
static char *word_of(TextPart *line, size_t bytes_max)
{
	TextPart word = text_part_next_word(line);

	return word.length && word.length <= bytes_max ? g_strndup(word.text, word.length) : NULL;
}

static void add_range(CodeObjects *objects, AddressRanges *ranges, uint64_t start, uint64_t bytes,
		      guint object)
{
	if (!start || objects->ranges == RANGES_MAX || object == OBJECTS_MAX)
		return;
	address_ranges_add(ranges, start, saturate_sum(start, bytes), object);
	objects->ranges++;
}

static void add_module(CodeObjects *objects, Epoch *epoch, TextPart line)
{
	ModuleLine parsed;
	g_autofree char *name = NULL;
	g_autofree char *build_id = NULL;
	CodeObject object = { .kind = CODE_OF_MODULE };
	Module module;

	if (!module_line_parse(line, &parsed) || parsed.name.length > WORD_BYTES_MAX)
		return;
	object.name = name = g_strndup(parsed.name.text, parsed.name.length);
	object.build_id = build_id = build_id_copy(parsed.build_id);
	module.bytes = parsed.bytes;
	/* The kernel itself has no range here. */
	if (!parsed.address && !strcmp(name, "kernel"))
		object.kind = CODE_OF_KERNEL;
	module.object = object_intern(objects, &object);
	if (module.object == OBJECTS_MAX)
		return;
	if (object.kind == CODE_OF_KERNEL)
		objects->kernel = module.object + 1;
	add_range(objects, epoch->of_modules, parsed.address, module.bytes, module.object);
	g_hash_table_replace(epoch->modules, g_steal_pointer(&name),
			     g_memdup(&module, sizeof(module)));
}

static void add_section(CodeObjects *objects, Epoch *epoch, TextPart line)
{
	g_autofree char *name = word_of(&line, WORD_BYTES_MAX);
	g_autofree char *section = word_of(&line, WORD_BYTES_MAX);
	const Module *module = name ? g_hash_table_lookup(epoch->modules, name) : NULL;
	CodeObject object;
	uint64_t start;

	if (!module || !section || !text_part_address(text_part_next_word(&line), &start))
		return;
	object = *object_at(objects, module->object);
	object.section = section;
	/* How long the section is, is in its file. */
	add_range(objects, epoch->of_sections, start, module->bytes,
		  object_intern(objects, &object));
}

void code_objects_read_batch(CodeObjects *objects, const Batch *batch)
{
	BatchText part = batch_text(batch);
	Epoch *epoch = part.text ? epoch_intern(objects, part.epoch) : NULL;
	TextPart rest = { part.text, part.bytes };
	TextPart line;

	while (epoch && text_part_next_line(&rest, &line)) {
		if (batch->header.kind == KMT_BATCH_MODULES)
			add_module(objects, epoch, line);
		else
			add_section(objects, epoch, line);
	}
}

void code_objects_set_text(CodeObjects *objects, uint64_t start, uint64_t end)
{
	objects->text_start = start;
	objects->text_end = end;
}

static const CodeObject *find_in(const CodeObjects *objects, AddressRanges *ranges,
				 uint64_t address, uint64_t *offset)
{
	AddressRange range;

	address_ranges_order(ranges);
	if (!address_ranges_find_nearest(ranges, address, &range))
		return NULL;
	*offset = address - range.start;
	return object_at(objects, (guint)range.id);
}

static const CodeObject *find_in_epoch(const CodeObjects *objects, uint32_t number,
				       uint64_t address, uint64_t *offset)
{
	const Epoch *epoch = epoch_list_find(objects->epochs, number);
	const CodeObject *found;

	if (!epoch)
		return NULL;
	found = find_in(objects, epoch->of_sections, address, offset);
	return found ? found : find_in(objects, epoch->of_modules, address, offset);
}

/* A module may be used before its epoch is announced. */
const CodeObject *code_objects_find(const CodeObjects *objects, uint32_t epoch, uint64_t address,
				    uint64_t *offset)
{
	const CodeObject *found;

	if (objects->kernel && address >= objects->text_start && address < objects->text_end) {
		*offset = address - objects->text_start;
		return object_at(objects, objects->kernel - 1);
	}
	found = find_in_epoch(objects, epoch, address, offset);
	return found ? found : find_in_epoch(objects, epoch + 1, address, offset);
}

/* Where things were loaded. */

static void add_loads(const CodeObjects *objects, const AddressRanges *ranges, GArray *loads)
{
	for (guint i = 0; i < address_ranges_count(ranges); i++) {
		AddressRange range = address_ranges_get(ranges, i);
		CodeLoad load = { object_at(objects, (guint)range.id), range.start };

		g_array_append_val(loads, load);
	}
}

static gint compare_loads(gconstpointer left, gconstpointer right)
{
	const CodeLoad *a = left, *b = right;
	int by_name = strcmp(a->object->name, b->object->name);

	if (a->object->kind != b->object->kind)
		return a->object->kind < b->object->kind ? -1 : 1;
	if (!by_name)
		by_name = g_strcmp0(a->object->build_id, b->object->build_id);
	if (by_name)
		return by_name;
	if (!a->object->section != !b->object->section)
		return a->object->section ? 1 : -1;
	return (a->address > b->address) - (a->address < b->address);
}

/* An epoch repeats the modules of those before it. */
static void remove_repeated(GArray *loads)
{
	guint kept = 0;

	for (guint i = 0; i < loads->len; i++) {
		CodeLoad load = g_array_index(loads, CodeLoad, i);
		const CodeLoad *last = kept ? &g_array_index(loads, CodeLoad, kept - 1) : NULL;

		if (!last || last->object != load.object || last->address != load.address)
			g_array_index(loads, CodeLoad, kept++) = load;
	}
	g_array_set_size(loads, kept);
}

GArray *code_objects_loads(const CodeObjects *objects)
{
	GArray *loads = g_array_new(FALSE, FALSE, sizeof(CodeLoad));

	if (objects->kernel) {
		CodeLoad kernel = { object_at(objects, objects->kernel - 1), objects->text_start };

		g_array_append_val(loads, kernel);
	}
	for (guint i = 0; i < epoch_list_count(objects->epochs); i++) {
		const Epoch *epoch = epoch_list_item(objects->epochs, i);

		add_loads(objects, epoch->of_modules, loads);
		add_loads(objects, epoch->of_sections, loads);
	}
	g_array_sort(loads, compare_loads);
	remove_repeated(loads);
	return loads;
}
