#include <stddef.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "store/file_system.h"

/* These two have no name in the kernel's header. */
#define ZFS_MAGIC      0x2fc12fc1
#define BCACHEFS_MAGIC 0xca451a4e

const char *
file_system_unpromised(const char *dir)
{
	static const struct {
		unsigned long magic;
		const char   *name;
	} known[] = {
		{ EXT4_SUPER_MAGIC, "" }, { XFS_SUPER_MAGIC, "" }, { BTRFS_SUPER_MAGIC, "btrfs" },
		{ F2FS_SUPER_MAGIC, "f2fs" }, { ZFS_MAGIC, "zfs" }, { BCACHEFS_MAGIC, "bcachefs" },
		{ TMPFS_MAGIC, "tmpfs" }, { RAMFS_MAGIC, "ramfs" }, { OVERLAYFS_SUPER_MAGIC, "overlayfs" },
		{ FUSE_SUPER_MAGIC, "a FUSE file system" }, { ECRYPTFS_SUPER_MAGIC, "ecryptfs" },
		{ MSDOS_SUPER_MAGIC, "vfat" }, { EXFAT_SUPER_MAGIC, "exfat" }, { NFS_SUPER_MAGIC, "nfs" },
		{ SMB2_SUPER_MAGIC, "smb" }, { CIFS_SUPER_MAGIC, "smb" }, { V9FS_MAGIC, "9p" },
	};
	struct statfs s;

	if (statfs(dir, &s) == 0)
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (known[i].magic == (unsigned long)s.f_type)
				return known[i].name;
	return "another file system";
}
