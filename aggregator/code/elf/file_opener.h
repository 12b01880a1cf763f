/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/jit_map.h"
#include "code/user/user_map_line.h"
#include "process/child.h"
#include "process/child_port.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The process of a FileOpener, and what is said to it. It has root's rights, if the program has
 * them, but may only open files for reading (CHILD_OPENS). It parses nothing of a file but its
 * build id.
 */
enum {
	/* To it. Each is answered by OPENER_OPENED, if nothing else is said. */
	OPENER_MAPPING = CHILD_MESSAGE_OWN, /* the body is its line (user_map_line.h) */
	OPENER_JIT_MAP,                     /* the body is the JitProcess */
	OPENER_FILE,                        /* the value is bytes_max, the body the path */
	OPENER_MAPPED, /* the body is an OpenerMapped; the answer's body is a path */
	OPENER_LOOK,   /* a place comes with it; the value: an offset; the answer: an OpenerLook */
	OPENER_TARGET, /* a socket comes with it; the body is a ChildMessage; no answer */
	OPENER_PASS,   /* a place comes with it: its file goes to the target, with that message */
	OPENER_SCAN,   /* the body is an OpenerScan; answers follow up to CHILD_MESSAGE_END */
	/* By it. */
	OPENER_OPENED,  /* the value is an errno, from OPENER_USE_SHIFT on the use; a place */
	OPENER_PROCESS, /* the process with this id is read now */
	OPENER_LINES,   /* a part of its lines */
	OPENER_DONE,    /* the value: whether it was left out */
};

enum { OPENER_USE_SHIFT = 32, OPENER_NAME_BYTES_MAX = 256 };

typedef struct {
	uint64_t time_ns;
	uint32_t with_data;
	uint32_t after; /* processes with ids up to that one are not wanted */
} OpenerScan;

typedef struct {
	uint32_t tgid;                    /* 0: its own process */
	char name[OPENER_NAME_BYTES_MAX]; /* of a file (proc_maps.h), terminated */
} OpenerMapped;

/* Its data is the root: a text. */
extern const ChildType opener_child;

/*
 * FileOpener opens files of strangers, and reads what is mapped, in a process of its own
 * (process/child.h): a file system may never answer. That process is ended if a file takes too
 * long, and replaced. When files took too long too often, no more are opened.
 */
typedef struct FileOpener FileOpener;

/* How long a file may take: while events arrive, and else; and all that took too long together. A
   host without a free CPU has let the process wait for more than 100 ms. */
enum {
	FILE_OPENER_LIVE_MS = 250,
	FILE_OPENER_PATIENCE_MS = 2000,
	FILE_OPENER_ALL_MS = 10000,
};

/* Returns an opener, whose process starts with the first file. /proc and all paths lie below root
   ("": this host's). */
FileOpener *file_opener_new(const char *root);
void file_opener_free(FileOpener *opener);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FileOpener, file_opener_free)

/* Returns the root. */
const char *file_opener_root(const FileOpener *opener);

/* Sets how long a file may take from now on, in ms. */
void file_opener_set_patience(FileOpener *opener, unsigned milliseconds);

/*
 * All files are opened by that process, and come back as places (trusted_file.h): the program never
 * has a descriptor whose closing, reading or fstat() asks a file system of a stranger. Who reads
 * the file opens the place: a child that is given it, or a process to which it is passed.
 */

/* What users other than root may do with a file. */
typedef enum {
	FILE_IS_READABLE = 1,  /* read it, if they reach it */
	FILE_IS_REACHABLE = 2, /* enter the folders that it is in, links followed */
	FILE_IS_PUBLIC = FILE_IS_READABLE | FILE_IS_REACHABLE,
	FILE_IS_OF_ROOT = 4, /* not write it: root owns it, and no process serves it */
} FileUse;

/* Open the file of a mapping (object_open.h), or the map of a process's generated code, which
   completes what is known of the process (jit_map.h). Return the place, which the caller closes;
   -1: it was not opened. *use: bits of FileUse. */
int file_opener_mapping(FileOpener *opener, const UserMapLine *mapping, unsigned *use);
int file_opener_jit_map(FileOpener *opener, JitProcess *process);

/* Opens any regular file that is stored (trusted_file.h), of at most this many bytes. *use: bits of
   FileUse; NULL: not wanted. Returns the place, which the caller closes, or -1 with errno set. */
int file_opener_file(FileOpener *opener, const char *path, uint64_t bytes_max, unsigned *use);

/* Sends a file to a socket with a message: that of a place is opened for reading before. Returns
   false with errno set if it was not sent; ENOBUFS: the socket is full. */
bool file_opener_pass(FileOpener *opener, int file, int socket, const ChildMessage *message);

/* Sends a debug file, with a message, to a child that asks for it, and that reads the file of this
   path (elf_debug_file.h). A file that is not called one must be public: the child may have been
   taken over. Returns false if it does not get it. */
bool file_opener_give_debug_file(FileOpener *opener, const char *asked, const char *path,
				 int socket, const ChildMessage *message);

enum { OPENER_LOOK_BYTES = 8 };

typedef struct {
	uint64_t file_bytes;
	uint8_t bytes[OPENER_LOOK_BYTES]; /* at the offset; zeros behind the end */
} OpenerLook;

/* Looks at the file of a place: its size, and its bytes at an offset. Returns false if it cannot be
   read. */
bool file_opener_look(FileOpener *opener, int place, uint64_t offset, OpenerLook *look);

/* Returns the path of a file that a process (0: this one) has mapped as code (proc_maps.h); NULL
   with errno set, ENOENT: it has none. The caller frees it. */
char *file_opener_mapped_path(FileOpener *opener, uint32_t tgid, const char *name);

/* Says why a call failed with this errno, for an error: the file's own reason, or the opener's.
   Owned by the caller. */
char *file_opener_reason(const FileOpener *opener, int reason);

/* Called with lines of the mappings of processes (proc_maps.h), complete ones. They are borrowed.
 */
typedef void (*FileOpenerTaker)(const char *lines, size_t bytes, void *user_data);

/* Reads what is mapped in all processes: at most FILE_OPENER_ALL_MS long. */
void file_opener_scan(FileOpener *opener, uint64_t time_ns, bool with_data, FileOpenerTaker taker,
		      void *user_data);

/* What was left out, for a report. */
typedef struct {
	unsigned late;      /* files that took too long to open */
	unsigned lost;      /* files at which the process that opens them was ended */
	unsigned processes; /* whose mappings took too long, or too much memory */
	char *problem;      /* why nothing can be opened; borrowed; NULL: it can */
} FileOpenerLosses;

/* Returns the numbers of files that were not opened. */
FileOpenerLosses file_opener_losses(const FileOpener *opener);
