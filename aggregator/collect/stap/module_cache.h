/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * ModuleCache stores compiled probe modules: one folder per module, with NAME/NAME.ko and
 * NAME/NAME.hash (the module's hash). The name encodes everything that makes two modules differ.
 *
 * Only this user can access the folder (0700). Its content is checked before use: owner, mode,
 * hash. A folder that is a link or has another owner is refused. At most MODULE_CACHE_ENTRIES_MAX
 * modules are kept; the least recently used ones are deleted.
 */
typedef struct ModuleCache ModuleCache;

enum { MODULE_CACHE_ENTRIES_MAX = 16 };

/* Opens the cache; creates its folder if needed. folder NULL: /var/cache/kmalloc-top for root, the
   user's own cache otherwise. */
ModuleCache *module_cache_open(const char *folder, GError **error);

/* Opens the cache read-only: creates nothing. A missing folder counts as an empty cache. */
ModuleCache *module_cache_look(const char *folder, GError **error);
void module_cache_free(ModuleCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModuleCache, module_cache_free)

/* Its folder, borrowed. */
const char *module_cache_folder(const ModuleCache *cache);

/* Returns the path of a valid module of that name and marks it as used, or NULL. */
char *module_cache_lookup(ModuleCache *cache, const char *name);

/* Whether there is a valid module of that name; does not mark it as used. */
bool module_cache_has(const ModuleCache *cache, const char *name);

/* Stores a copy of the module file. Returns its path, or NULL with error set. */
char *module_cache_store(ModuleCache *cache, const char *name, const char *file, GError **error);

/* Returns a new private folder inside the cache, registered with the watchdog. Remove it with
   module_cache_remove_folder(). */
char *module_cache_make_folder(ModuleCache *cache, GError **error);
void module_cache_remove_folder(const char *folder);

/* Returns the paths (element-type utf8) of work folders whose process has ended; the caller frees
   the array. */
GPtrArray *module_cache_abandoned(const ModuleCache *cache);
/* Removes the work folders that killed runs left in a cache, and prints that on stderr. folder
   NULL: the default one. A folder that is missing or not private to this user is left unchanged. */
void module_cache_remove_abandoned(const char *folder);
