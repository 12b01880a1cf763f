/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the parameters and the result of one kernel function from BTF. Builds without libbpf know
 * none. point_functions.c attaches them to an event, point_columns.c narrows registers by them.
 */
#include "config.h"

#include "collect/points/function_types.h"

void function_types_free(FunctionTypes *types)
{
	if (!types)
		return;
	for (unsigned i = 0; i < types->count; i++)
		g_free(types->parameters[i].name);
	g_free(types->result.name);
	g_free(types);
}

#ifdef HAVE_LIBBPF
#include "collect/facts/btf_file.h"

#include <bpf/btf.h>

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"

enum { REGISTER_BYTES = 8 };

/* Returns false if a register does not have the value, or not as an integer. */
static bool read_value(const struct btf *btf, unsigned type_id, FunctionValue *value)
{
	int id = btf__resolve_type(btf, type_id);
	const struct btf_type *type = id >= 0 ? btf__type_by_id(btf, (unsigned)id) : NULL;

	if (!type)
		return false;
	value->bytes = REGISTER_BYTES;
	if (btf_is_ptr(type))
		return true;
	if (!btf_is_int(type) && !btf_is_enum(type))
		return false;
	value->bytes = type->size;
	value->is_signed = btf_is_int(type) && btf_int_encoding(type) & BTF_INT_SIGNED;
	return value->bytes >= 1 && value->bytes <= REGISTER_BYTES;
}

static bool read_result(const struct btf *btf, const struct btf_type *prototype,
			FunctionTypes *types)
{
	types->result.name = g_strdup("");
	return !prototype->type || read_value(btf, prototype->type, &types->result);
}

/* The last parameter of a function with any number of them has no type. */
static bool read_parameters(const struct btf *btf, const struct btf_type *prototype,
			    FunctionTypes *types)
{
	const struct btf_param *parameter = btf_params(prototype);

	for (unsigned i = 0; i < btf_vlen(prototype); i++, parameter++) {
		FunctionValue value = { 0 };
		const char *name = btf__name_by_offset(btf, parameter->name_off);

		if (i >= FUNCTION_PARAMETERS_MAX || !parameter->type ||
		    !read_value(btf, parameter->type, &value))
			return false;
		value.name = g_strdup(name ? name : "");
		types->parameters[types->count++] = value;
	}
	return true;
}

static FunctionTypes *read_types(const struct btf *btf, const char *function)
{
	g_autoptr(FunctionTypes) types = g_new0(FunctionTypes, 1);
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (unsigned)id) : NULL;
	const struct btf_type *prototype = type ? btf__type_by_id(btf, type->type) : NULL;

	if (!prototype || !btf_is_func_proto(prototype) || !read_result(btf, prototype, types) ||
	    !read_parameters(btf, prototype, types))
		return NULL;
	return g_steal_pointer(&types);
}

FunctionTypes *function_types_read(const char *root, const char *function)
{
	g_autofree char *path = g_strconcat(root, KERNEL_TYPES, NULL);
	struct btf *btf = btf_file_parse(path);
	FunctionTypes *types;

	if (!btf)
		return NULL;
	types = read_types(btf, function);
	btf__free(btf);
	return types;
}
#else
FunctionTypes *function_types_read(const char *root, const char *function)
{
	(void)root;
	(void)function;
	return NULL;
}
#endif
