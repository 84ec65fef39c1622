/*
 * file_system: which one a directory lies on. The log's durability is promised
 * on ext4 and XFS: docs/threat-model.md.
 */
#ifndef STORE_FILE_SYSTEM_H
#define STORE_FILE_SYSTEM_H

/*
 * "" for ext4 and XFS (ext2 and ext3 cannot be told from ext4), otherwise its
 * name; "another file system" for one that has none here, or cannot be asked.
 */
const char *file_system_unpromised(const char *dir);

#endif
