/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * ModuleCache keeps compiled probe modules: one folder per module, NAME/NAME.ko beside
 * NAME/NAME.hash with the hash of the module. Names hold everything that makes two modules differ.
 *
 * The folder belongs to this user alone (0700), and what is in it is checked before it is used:
 * owner, mode, hash. It is refused when it is a link or somebody else's. At most
 * MODULE_CACHE_ENTRIES_MAX modules stay; those unused for longest go.
 */
typedef struct ModuleCache ModuleCache;

enum { MODULE_CACHE_ENTRIES_MAX = 16 };

/* Opens the cache, making its folder when there is none. folder NULL: /var/cache/kmalloc-top for
   root, the user's own cache otherwise. */
ModuleCache *module_cache_open(const char *folder, GError **error);

/* Opens the cache to look at it only: nothing is made, a folder that is not there is an empty
   cache. */
ModuleCache *module_cache_look(const char *folder, GError **error);
void module_cache_free(ModuleCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModuleCache, module_cache_free)

/* Its folder, borrowed. */
const char *module_cache_folder(const ModuleCache *cache);

/* Returns the path of a sound module of that name, now the last used, or NULL. */
char *module_cache_lookup(ModuleCache *cache, const char *name);

/* Whether there is a sound module of that name; it is not marked as used. */
bool module_cache_has(const ModuleCache *cache, const char *name);

/* Takes a copy of the module file; returns its path, or NULL with error set. */
char *module_cache_store(ModuleCache *cache, const char *name, const char *file, GError **error);

/* Returns a fresh private folder inside the cache; give it back with
   module_cache_remove_folder(). The watchdog
   knows of it. */
char *module_cache_make_folder(ModuleCache *cache, GError **error);
void module_cache_remove_folder(const char *folder);

/* Returns the paths (element-type utf8) of the work folders whose process is gone; the caller frees
   the array. */
GPtrArray *module_cache_abandoned(const ModuleCache *cache);
/* Removes the work folders that killed runs left in a cache, and says so on stderr. folder NULL:
   the default one; one that is not there or not this user's alone is left as it is. */
void module_cache_remove_abandoned(const char *folder);
