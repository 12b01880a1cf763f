/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/renderers.h"

#include "report/render_json.h"
#include "report/render_text.h"

const Renderer renderers[] = {
	{ "text", "for people", false, render_text },
	{ "json", "for programs", true, render_json },
	{ NULL, NULL, false, NULL },
};

const Renderer *renderer_lookup(const char *name)
{
	for (const Renderer *renderer = renderers; renderer->name; renderer++)
		if (g_str_equal(renderer->name, name))
			return renderer;
	return NULL;
}
